"""LIME for tables: one neighbourhood and one round of predictions for all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.utils.validation import check_is_fitted

from skfairprop._checks import check_choice, check_integer, check_number
from skfairprop._optional import import_optional
from skfairprop._random import RandomState, own_seed

from ._explanation import Explanation, drop_rounding
from ._lime_draw import draw_neighbourhood
from ._model import Predictor, as_model, target_columns
from ._table import Table, as_container


class LimeExplainer(BaseEstimator):
    """Weights of a local linear surrogate per raw column, one batch at a time.

    The neighbourhood that LIME draws for tables does not depend on the row to explain. It is
    drawn once and the model is asked once, for ``n_samples - 1`` rows plus the rows to explain,
    instead of `n_samples` rows for each of them. The surrogates are ridge regressions in closed
    form. Values equal those of the lime package (0.2.0.1) given the same draw.

    Parameters
    ----------
    n_samples : int, default=5000
        Size of a neighbourhood, the explained row included.
    discretize : bool, default=True
        Cut numeric columns into quartiles of the background: the surrogate sees "in the same
        quartile as the row". False uses standardised values.
    categorical_features : "auto" or sequence of names, positions or booleans, default="auto"
        Columns whose values are labels: the surrogate sees "same value as the row". Text,
        categorical and boolean columns always are.
    kernel_width : float or None, default=None
        Width of the exponential kernel on distances in the surrogate's space; None is
        ``0.75 * sqrt(d)``.
    alpha : float, default=1.0
        Ridge penalty of the surrogate.
    backend : {"batched", "lime"}, default="batched"
        "lime" calls the lime package row by row, all features, with the same draw for each row:
        slow, to compare with.
    random_state : int, RandomState, Generator or None, default=None
        Settled at ``fit``: one draw for all rows and models.

    Attributes
    ----------
    seed_ : int
    table_ : Table
        Layout of the background.
    background_ : ndarray of shape (r, d)
        The background, encoded.
    neighbourhood_ : Neighbourhood
        The draw.

    See Also
    --------
    ShapExplainer : Shapley values.

    Notes
    -----
    Differences from the lime package:

    - Missing values are allowed where the model allows them: a bin of their own, or a share of
      the draws that the surrogate sees as the mean.
    - A bin that holds a single value is filled with that value, where lime fills in 0. A constant
      column stays constant, where lime draws with a standard deviation of 1.
    - All features are kept, and ``decision_function`` is explained where there are no
      probabilities.

    The kernel weighs by the distance of standardised or binary columns, so for many columns and
    the default width all draws weigh about the same.

    References
    ----------
    .. [1] Ribeiro, Singh & Guestrin (2016), "Why should I trust you?", KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.explain import LimeExplainer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> explainer = LimeExplainer(random_state=0).fit(X)
    >>> weights = explainer.attribute(model, X[:2], target=0)
    >>> weights.shape
    (2, 4)
    >>> weights.argmax(axis=1)  # petal length
    array([2, 2])
    """

    def __init__(
        self,
        *,
        n_samples: int = 5000,
        discretize: bool = True,
        categorical_features: str | Sequence = "auto",
        kernel_width: float | None = None,
        alpha: float = 1.0,
        backend: str = "batched",
        random_state: RandomState = None,
    ) -> None:
        self.n_samples = n_samples
        self.discretize = discretize
        self.categorical_features = categorical_features
        self.kernel_width = kernel_width
        self.alpha = alpha
        self.backend = backend
        self.random_state = random_state

    def fit(self, background: Any) -> LimeExplainer:
        """Learn the distribution of the columns and draw the neighbourhood.

        Parameters
        ----------
        background : data frame, array or sparse matrix of shape (r, d)
            What is usual, such as the training data.

        Returns
        -------
        self

        Raises
        ------
        ImportError
            If ``backend="lime"`` and lime is not installed.
        """
        self._check_parameters()
        if self.backend == "lime":
            import_optional("lime.lime_tabular", extra="explain")
        background = as_container(background, "the background")
        self.seed_ = own_seed(self.random_state)
        self.table_ = Table.of(background, self.categorical_features)
        self.background_ = self.table_.encode(background)
        d = background.shape[1]
        self._width = 0.75 * np.sqrt(d) if self.kernel_width is None else self.kernel_width
        self.neighbourhood_ = draw_neighbourhood(
            self.background_,
            self.table_.is_categorical,
            self.n_samples,
            self.discretize,
            np.random.RandomState(self.seed_),
        )
        return self

    def attribute(self, predict: Any, X: Any, target: Any = None) -> np.ndarray:
        """Surrogate weights of one output for each row.

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
            In units of the model's output, mostly a probability.

        Raises
        ------
        ValueError
            If `X` has other columns than the background, or missing values that the model
            refuses.
        """
        return self.explain(predict, X, target).values

    def explain(self, predict: Any, X: Any, target: Any = None) -> Explanation:
        """Attributions as in :meth:`attribute`, and the weighted R² of the surrogates.

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
        X = as_container(X)
        predictor = Predictor(as_model(predict), self.table_.adapted(X))
        if self.backend == "lime":
            n_outputs = predictor.outputs(self.background_[:1]).shape[1]
            columns = target_columns(target, X.shape[0], n_outputs)
            return self._through_package(predictor, X, columns)
        drawn = predictor.outputs(self.neighbourhood_.Z)
        columns = target_columns(target, X.shape[0], drawn.shape[1])
        drawn = np.ascontiguousarray(drawn.T)
        blocks = [
            self._surrogates(predictor, Z, drawn, columns[rows])
            for rows, Z in predictor.table.blocks(X)
        ]
        values, fidelity = map(np.concatenate, zip(*blocks, strict=True))
        return Explanation(values, fidelity)

    def _surrogates(
        self, predictor: Predictor, Z: np.ndarray, drawn: np.ndarray, columns: np.ndarray
    ) -> Explanation:
        """Surrogates of the rows of `Z`, given the model's outputs for the neighbourhood.

        `drawn` has shape (K, m).
        """
        draw = self.neighbourhood_
        own = predictor.outputs(Z)[np.arange(len(Z)), columns]
        numbers = draw.standardised(Z)
        labels = draw.labelled(Z)
        n_numbers = len(draw.shared)
        values, fidelity = np.empty(Z.shape), np.empty(len(Z))
        steps = np.empty((Z.shape[1], drawn.shape[1]))
        for i, column in enumerate(columns):
            np.subtract(draw.shared, numbers[i, :, None], out=steps[:n_numbers])
            np.not_equal(draw.labels, labels[i, :, None], out=steps[n_numbers:])
            weights, fidelity[i] = _surrogate(
                steps, drawn[column] - own[i], self._width, self.alpha
            )
            values[i, draw.numeric] = weights[:n_numbers]
            values[i, ~draw.numeric] = -weights[n_numbers:]  # of "same as the row"
        return Explanation(drop_rounding(values, drawn), fidelity)

    def _through_package(self, predictor: Predictor, X: Any, columns: np.ndarray) -> Explanation:
        """The lime package, row by row, each with the same draw."""
        table = predictor.table
        Z = table.encode(X)
        missing = table.missing(np.concatenate([self.background_, Z])).any(axis=0)
        if missing.any():
            raise ValueError(
                f"the lime package cannot explain missing values, as in {table.labels(missing)}; "
                'impute them first or use backend="batched"'
            )
        lime = import_optional("lime.lime_tabular", extra="explain")
        explainer = lime.LimeTabularExplainer(
            self.background_,
            mode="regression",  # takes one output of any kind
            categorical_features=list(np.flatnonzero(table.is_categorical)),
            kernel_width=self._width,
            discretize_continuous=self.discretize,
            feature_selection="none",
            random_state=self.seed_,
        )
        values, fidelity = np.empty(Z.shape), np.empty(len(Z))
        for i, column in enumerate(columns):
            explainer.random_state = np.random.RandomState(self.seed_)
            if explainer.discretizer is not None:
                explainer.discretizer.random_state = explainer.random_state
            result = explainer.explain_instance(
                Z[i],
                lambda rows, column=column: predictor.outputs(rows)[:, column],
                num_samples=self.n_samples,
                model_regressor=Ridge(alpha=self.alpha),
            )
            features, weights = zip(*result.local_exp[1], strict=True)
            values[i, list(features)] = weights
            fidelity[i] = result.score
        return Explanation(values, fidelity)

    def _check_parameters(self) -> None:
        check_choice("backend", self.backend, ("batched", "lime"))
        check_integer("n_samples", self.n_samples, least=2)
        check_number("alpha", self.alpha, "[0, inf)")
        if self.kernel_width is not None:
            check_number("kernel_width", self.kernel_width, "(0, inf)")


def _surrogate(
    steps: np.ndarray, changes: np.ndarray, width: float, alpha: float
) -> tuple[np.ndarray, float]:
    """Weighted ridge regression of the model's changes on the steps away from one row.

    The row itself has step and change 0 and weight 1, so it only adds to the sum of weights.

    Parameters
    ----------
    steps : ndarray of shape (d, m)
        Overwritten: for many columns, the time goes into passes over this matrix.
    changes : ndarray of shape (m,)
    width, alpha : float

    Returns
    -------
    coef : ndarray of shape (d,)
    r2 : float
        1 where the model does not change at all.
    """
    root = np.exp(-np.einsum("ij,ij->j", steps, steps) / (4 * width**2))
    rooted = root * changes
    total = 1 + root @ root
    change_sum = root @ rooted
    variation = rooted @ rooted - change_sum**2 / total
    if variation <= 0:
        return np.zeros(len(steps)), 1.0
    steps *= root
    step_sum, moment = steps @ root, steps @ rooted
    moment -= step_sum * (change_sum / total)
    gram = steps @ steps.T - np.outer(step_sum, step_sum) / total
    if alpha > 0:
        coef = np.linalg.solve(gram + alpha * np.eye(len(gram)), moment)
    else:  # a column that does not vary leaves the matrix singular
        coef = np.linalg.lstsq(gram, moment, rcond=None)[0]
    residual = variation - 2 * coef @ moment + coef @ gram @ coef
    return coef, float(1 - residual / variation)
