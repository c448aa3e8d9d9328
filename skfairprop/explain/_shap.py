"""SHAP values of any model: exact where the model allows it, a shared design elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skfairprop._checks import check_choice, check_integer
from skfairprop._random import RandomState, own_seed

from ._coalitions import Design, Route, all_coalitions, evaluate, paired_walks
from ._explanation import Explanation, drop_rounding
from ._model import Predictor, as_model, target_columns
from ._preprocessing import route_behind_preprocessing
from ._shap_paths import TreePath, additive_attributions, is_linear, is_tree
from ._table import Table, as_container

Attribute = Callable[[np.ndarray, np.ndarray], np.ndarray | None]
ROWS_PER_ROW = 500  # model rows for each explained row that n_permutations="auto" aims at


class ShapExplainer(BaseEstimator):
    """Shapley values per raw column, one batch at a time.

    Three ways, the first that holds for the model:

    1. *linear*: models with ``coef_`` and ``decision_function``, also behind preprocessing that
       treats each raw column on its own (scaling, imputing, one-hot, splines). Exact, in units of
       ``decision_function``; equal to ``shap.LinearExplainer``. Preprocessing that mixes columns
       in a way that is not additive is noticed and goes to the third way.
    2. *tree*: trees, forests and boosting through ``shap.TreeExplainer``, in the units of the
       trees (log-odds for boosting, probability for forests), also behind preprocessing with one
       output for each raw column. If the values do not add up to the model's output, which
       happens without any error in the shap package, a warning says so and the third way is used.
    3. *agnostic*: coalitions of raw columns, filled in from the background, on ``predict_proba``
       (``decision_function`` where there is none). All rows share the coalitions.

    Parameters
    ----------
    method : {"auto", "agnostic"}, default="auto"
        "agnostic" uses the third way for every model, which makes models comparable.
    tree : {"path_dependent", "interventional", "median_baseline"}, default="path_dependent"
        Value function of the second way. "path_dependent" weights branches by the training rows
        that took them and needs no background; it is slow for deep forests (7 to 60 ms a row).
        "interventional" averages over at most `n_background` rows of the background.
        "median_baseline" compares with one row, the medians of the background: a
        *different value function*, 20 to 40 times faster for a forest.
    sum_parts : bool, default=False
        Use the second way, too, behind preprocessing that makes several inputs of a raw column,
        as one-hot encoding does, and sum their values. It is 10 to 50 times faster than the third
        way, but the sum is *not* the Shapley value of the column where trees combine its parts.
    n_background : int, default=100
        Background rows used where each is combined with each row to explain (2 for small tables,
        and "interventional" trees). A larger background is sampled down.
    n_permutations : int or "auto", default="auto"
        Pairs of feature orders of the third way; each visits one background row and costs
        ``2 * (d - 1)`` model rows for each explained row. "auto" spends about 500 model rows
        for each explained row, but at least 10 and at most 200 pairs.
    max_exact_features : int, default=4
        Up to so many columns, the third way enumerates all coalitions and is exact. Its cost is
        ``(2**d - 2) * n_background`` model rows for each explained row.
    random_state : int, RandomState, Generator or None, default=None
        Settled at ``fit``: one draw for all rows and models.

    Attributes
    ----------
    seed_ : int
    table_ : Table
        Layout of the background.
    background_ : ndarray of shape (r, d)
        The background, encoded.

    See Also
    --------
    LimeExplainer : Local linear surrogates.

    Notes
    -----
    Values of the first two ways are on another scale than probabilities. Normalise before
    comparing or mixing explainers, as :class:`ExplainerEnsemble` does.

    References
    ----------
    .. [1] Lundberg & Lee (2017), "A unified approach to interpreting model predictions", NeurIPS.
    .. [2] Lundberg et al. (2020), "From local explanations to global understanding with
       explainable AI for trees", Nature Machine Intelligence 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.explain import ShapExplainer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> explainer = ShapExplainer(random_state=0).fit(X)
    >>> explainer.attribute(model, X[:2], target=0).round(1)
    array([[ 0.3,  0.4,  5.9,  1.1],
           [ 0.4, -0.1,  5.9,  1.1]])
    """

    def __init__(
        self,
        *,
        method: str = "auto",
        tree: str = "path_dependent",
        sum_parts: bool = False,
        n_background: int = 100,
        n_permutations: int | str = "auto",
        max_exact_features: int = 4,
        random_state: RandomState = None,
    ) -> None:
        self.method = method
        self.tree = tree
        self.sum_parts = sum_parts
        self.n_background = n_background
        self.n_permutations = n_permutations
        self.max_exact_features = max_exact_features
        self.random_state = random_state

    def fit(self, background: Any) -> ShapExplainer:
        """Learn the background.

        Parameters
        ----------
        background : data frame, array or sparse matrix of shape (r, d)
            Rows that stand for absent features, with the columns of the rows to explain.

        Returns
        -------
        self
        """
        self._check_parameters()
        background = as_container(background, "the background")
        self.seed_ = own_seed(self.random_state)
        self.table_ = Table.of(background)
        self.background_ = self.table_.encode(background)
        rng = np.random.default_rng(self.seed_)
        size = min(self.n_background, len(self.background_))
        self._sample = np.sort(rng.permutation(len(self.background_))[:size])
        self._design, self._design_rows = self._make_design(rng)
        return self

    def attribute(self, predict: Any, X: Any, target: Any = None) -> np.ndarray:
        """Shapley values of one output for each row.

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

        Raises
        ------
        ValueError
            If `X` has other columns than the background, or missing values that the model
            refuses.
        ImportError
            If the model is a tree and shap is not installed.
        """
        return self.explain(predict, X, target).values

    def explain(self, predict: Any, X: Any, target: Any = None) -> Explanation:
        """Attributions as in :meth:`attribute`, and their fidelity, which is 1: they add up.

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
        n_outputs = predictor.outputs(self.background_[:1]).shape[1]
        columns = target_columns(target, X.shape[0], n_outputs)
        values = self._exact(predictor, X, columns)
        if values is None:
            values = self._agnostic(predictor, X, columns)
        return Explanation(values, np.ones(len(values)))

    def _exact(self, predictor: Predictor, X: Any, columns: np.ndarray) -> np.ndarray | None:
        """Values of the first two ways; None if neither holds for every row."""
        if self.method == "auto" and is_linear(predictor.model):
            attribute: Attribute = partial(additive_attributions, predictor, self.background_)
        elif self.method == "auto" and is_tree(predictor.model):
            path = TreePath(predictor, self.background_, self._sample, self.tree, self.sum_parts)
            attribute = path.attribute
        else:
            return None
        blocks = []
        for rows, Z in predictor.table.blocks(X):
            values = attribute(Z, columns[rows])
            if values is None:
                return None
            blocks.append(values)
        return np.concatenate(blocks)

    def _agnostic(self, predictor: Predictor, X: Any, columns: np.ndarray) -> np.ndarray:
        """Values of the third way."""
        background = self.background_[self._design_rows]
        values = []
        for rows, Z in predictor.table.blocks(X):
            route = route_behind_preprocessing(predictor, Z, background, self._design)
            if route is None:
                route = Route(predictor.outputs, Z, background, np.arange(Z.shape[1]))
            values.append(evaluate(self._design, route, columns[rows]))
        return drop_rounding(np.concatenate(values), predictor.outputs(background))

    def _make_design(self, rng: np.random.Generator) -> tuple[Design, np.ndarray]:
        """Coalitions to ask, and the background rows that they use."""
        n_rows, d = self.background_.shape
        if d <= self.max_exact_features:
            return all_coalitions(d, len(self._sample)), self._sample
        if self.n_permutations == "auto":
            n_walks = int(np.clip(ROWS_PER_ROW // (2 * max(d - 1, 1)), 10, 200))
        else:
            n_walks = int(self.n_permutations)
        rows = np.sort(rng.permutation(n_rows)[:n_walks])
        return paired_walks(d, len(rows), n_walks, rng), rows

    def _check_parameters(self) -> None:
        check_choice("method", self.method, ("auto", "agnostic"))
        check_choice("tree", self.tree, ("path_dependent", "interventional", "median_baseline"))
        if self.n_permutations != "auto":
            check_integer("n_permutations", self.n_permutations, least=1)
        check_integer("n_background", self.n_background, least=1)
        check_integer("max_exact_features", self.max_exact_features, least=0, most=15)
