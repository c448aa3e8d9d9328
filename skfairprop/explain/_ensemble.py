"""Convex mixtures of explainers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from skfairprop._checks import check_choice
from skfairprop._random import RandomState, own_seed

from ._explanation import Explainer, Explanation, signed_l1
from ._lime import LimeExplainer
from ._model import as_model
from ._shap import ShapExplainer

EXPLAINERS = {"shap": ShapExplainer, "lime": LimeExplainer}


class ExplainerEnsemble(BaseEstimator):
    """Weighted mean of several explainers, each on the signed-L1 scale.

    Explainers speak in different units (log-odds, probabilities), so each attribution is divided
    by the sum of its absolute values before it is mixed. A zero attribution stays zero.

    Parameters
    ----------
    explainers : sequence of {"shap", "lime"} or explainers, default=("shap", "lime")
        A name stands for the explainer with its defaults.
    weights : sequence of float or None, default=None
        One for each explainer, not negative; None weighs them equally. Weights that do not sum
        to 1 are divided by their sum, with a warning. An explainer of weight 0 is not run.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the explainers that have none (their ``random_state`` is None).

    Attributes
    ----------
    explainers_ : list of Explainer
        Fitted; without those of weight 0.
    weights_ : ndarray
        Weights of `explainers_`, sum 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.explain import ExplainerEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> ensemble = ExplainerEnsemble(weights=[0.75, 0.25], random_state=0).fit(X)
    >>> values = ensemble.attribute(model, X, target=0)
    >>> values.shape
    (150, 4)
    >>> bool((np.abs(values).sum(axis=1) <= 1 + 1e-12).all())
    True
    """

    def __init__(
        self,
        explainers: Sequence[str | Explainer] = ("shap", "lime"),
        *,
        weights: Sequence[float] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.explainers = explainers
        self.weights = weights
        self.random_state = random_state

    def fit(self, background: Any) -> ExplainerEnsemble:
        """Fit a copy of each explainer on the background.

        Parameters
        ----------
        background : data frame, array or sparse matrix of shape (r, d)
            What is usual, such as the training data.

        Returns
        -------
        self
        """
        given = [self.explainers] if isinstance(self.explainers, str) else list(self.explainers)
        weights = check_weights(self.weights, len(given))
        seed = own_seed(self.random_state)
        self.explainers_ = [
            _with_seed(explainer, seed).fit(background)
            for explainer, weight in zip(given, weights, strict=True)
            if weight > 0
        ]
        self.weights_ = weights[weights > 0]
        return self

    def attribute(self, predict: Any, X: Any, target: Any = None) -> np.ndarray:
        """Mixed attributions of one output for each row.

        Parameters
        ----------
        predict : fitted classifier, callable or Model
            What is explained.
        X : data frame, array or sparse matrix of shape (n, d)
            The rows to explain.
        target : int, array of int of shape (n,) or None, default=None
            Output column (position of the class in ``classes_``) for all rows or for each row;
            None is the last one.

        Returns
        -------
        ndarray of shape (n, d)
            The absolute values of a row sum to at most 1; less where the explainers disagree in
            sign.
        """
        return self.explain(predict, X, target).values

    def explain(self, predict: Any, X: Any, target: Any = None) -> Explanation:
        """Attributions as in :meth:`attribute`, and the weighted mean of the fidelities.

        Parameters
        ----------
        predict, X, target
            As for :meth:`attribute`.

        Returns
        -------
        Explanation
            Values of shape (n, d) and fidelities of shape (n,).
        """
        check_is_fitted(self)
        model = as_model(predict)
        parts = [explainer.explain(model, X, target) for explainer in self.explainers_]
        values = np.stack([signed_l1(part.values) for part in parts])
        fidelity = np.stack([part.fidelity for part in parts])
        return Explanation(np.tensordot(self.weights_, values, axes=1), self.weights_ @ fidelity)


def check_weights(weights: Sequence[float] | None, n_explainers: int) -> np.ndarray:
    """Weights of a convex mixture.

    Parameters
    ----------
    weights : sequence of float or None
        None weighs all equally.
    n_explainers : int

    Returns
    -------
    ndarray of shape (n_explainers,)
        Sum 1.

    Raises
    ------
    ValueError
        If there is no explainer, or the weights are negative, not finite, all zero or of another
        number.

    Warns
    -----
    UserWarning
        If the weights do not sum to 1.
    """
    if n_explainers == 0:
        raise ValueError('explainers is empty; give at least one, such as "shap"')
    if weights is None:
        return np.full(n_explainers, 1 / n_explainers)
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_explainers,):
        raise ValueError(
            f"weights must hold one number for each of the {n_explainers} explainers; "
            f"got {weights!r}"
        )
    if not np.isfinite(checked).all() or (checked < 0).any() or checked.sum() == 0:
        raise ValueError(f"weights must be finite, not negative and not all 0; got {weights!r}")
    total = checked.sum()
    if not np.isclose(total, 1):
        warnings.warn(
            f"weights sum to {total:g}, not 1; they are divided by their sum",
            UserWarning,
            stacklevel=3,
        )
    return checked / total


def _with_seed(explainer: str | Explainer, seed: int) -> Explainer:
    """A new explainer, seeded unless it has its own seed."""
    if isinstance(explainer, str):
        check_choice("explainers", explainer, EXPLAINERS)
        return EXPLAINERS[explainer](random_state=seed)
    copy = clone(explainer, safe=False)
    if getattr(copy, "random_state", 0) is None:
        copy.set_params(random_state=seed)
    return copy
