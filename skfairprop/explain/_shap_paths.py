"""The exact ways to SHAP values: additive models, and trees through the shap package."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from skfairprop._optional import import_optional

from ._explanation import drop_rounding
from ._model import Model, Predictor
from ._preprocessing import column_sources, final_inputs, named

TOLERANCE = 1e-5  # of the largest output; float32 models are exact to about 1e-6
SKLEARN_TREES = (  # they read float32
    DecisionTreeClassifier,
    RandomForestClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
)
TREE_PACKAGES = ("xgboost", "lightgbm")  # shap 0.51 crashes on catboost with three classes


def is_linear(model: Model) -> bool:
    """Whether the final estimator is linear in its inputs; a hint that is checked later."""
    return model.has_margins and hasattr(model.steps()[1], "coef_")


def is_tree(model: Model) -> bool:
    """Whether the final estimator is a tree or an ensemble of trees that shap may know."""
    final = model.steps()[1]
    if type(final).__module__.split(".")[0] in TREE_PACKAGES:
        return True
    if isinstance(final, HistGradientBoostingClassifier):
        # shap reads categorical splits as numeric ones: wrong values and no error
        return final.is_categorical_ is None or not np.any(final.is_categorical_)
    return isinstance(final, SKLEARN_TREES)


def additive_attributions(
    predictor: Predictor, background: np.ndarray, Z: np.ndarray, columns: np.ndarray
) -> np.ndarray | None:
    """Shapley values of a decision function that is a sum of functions of single columns.

    Such a function's value for column j is its change when only column j moves, less the mean of
    that change over the background. d + 1 evaluations for each row instead of 2**d.

    Parameters
    ----------
    predictor : Predictor
        Of a model with ``decision_function``.
    background : ndarray of shape (r, d)
    Z : ndarray of shape (n, d)
    columns : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of shape (n, d) or None
        None if the values do not add up: the function is not additive.
    """
    n, d = Z.shape
    stacked = np.concatenate([Z, background])
    values = np.empty((n, d))
    for j in range(d):
        only_j = np.tile(background[0], (len(stacked), 1))
        only_j[:, j] = stacked[:, j]
        margins = predictor.margins(only_j)
        values[:, j] = margins[np.arange(n), columns] - margins[n:].mean(axis=0)[columns]
    margins = predictor.margins(stacked)
    total = margins[np.arange(n), columns] - margins[n:].mean(axis=0)[columns]
    scale = np.abs(margins).max()
    if np.abs(values.sum(axis=1) - total).max() > TOLERANCE * max(scale, 1):
        return None
    return drop_rounding(values, margins)


class TreePath:
    """Shapley values of a tree ensemble through ``shap.TreeExplainer``, per raw column.

    Parameters
    ----------
    predictor : Predictor
    background : ndarray of shape (r, d)
    sample : ndarray of int
        Rows of the background for the "interventional" value function.
    value_function : {"path_dependent", "interventional", "median_baseline"}
    sum_parts : bool
        Sum the values of several inputs of one column.
    """

    def __init__(
        self,
        predictor: Predictor,
        background: np.ndarray,
        sample: np.ndarray,
        value_function: str,
        sum_parts: bool,
    ) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # importing shap warns about what it imports
            self._shap = import_optional("shap", extra="explain")
        self._predictor = predictor
        self._tree = predictor.model.steps()[1]
        self._background = background
        self._sample = sample
        self._value_function = value_function
        self._sum_parts = sum_parts
        self._explainer: Any = None
        self._base: np.ndarray | None = None

    def attribute(self, Z: np.ndarray, columns: np.ndarray) -> np.ndarray | None:
        """Attributions of shape (n, d).

        None if the inputs of the trees do not belong to one raw column each or, with a warning,
        if shap fails or its values do not add up to the model's output.

        Parameters
        ----------
        Z : ndarray of shape (n, d)
        columns : ndarray of int, shape (n,)
        """
        source = self._sources(Z)
        if source is None:
            return None
        inputs = self._rounded(final_inputs(self._predictor, Z).values)
        try:
            if self._explainer is None:
                self._explainer, self._base = self._make_explainer()
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="LightGBM binary classifier")
                raw = self._explainer.shap_values(inputs, check_additivity=False)
            values = three_dimensional(raw, *inputs.shape)
            base = self._explainer.expected_value if self._base is None else self._base
            totals = np.ravel(base) + values.sum(axis=1)
        except Exception as error:  # shap raises bare Exception and AssertionError, too
            self._warn(f"raised {type(error).__name__} ({str(error)[:100]})")
            return None
        gap = _gap(self._predictor, Z, totals)
        if gap > TOLERANCE:
            self._warn(f"do not add up to its output (largest gap {gap:.2g})")
            return None
        if values.shape[2] == 1:
            values = np.concatenate([-values, values], axis=2)
        chosen = values[np.arange(len(Z)), :, columns]
        if np.any(chosen[:, source < 0]):
            return None  # an input that no raw column moved has a share: its source is unknown
        out = chosen @ (source[:, None] == np.arange(Z.shape[1]))
        return drop_rounding(out, totals)

    def _make_explainer(self) -> tuple[Any, np.ndarray | None]:
        """The package's explainer, and what its values add to if the package has that wrong."""
        if self._value_function == "path_dependent":
            explainer = self._shap.TreeExplainer(
                self._tree, feature_perturbation="tree_path_dependent"
            )
            return explainer, None
        rows, names = final_inputs(self._predictor, self._background)
        if self._value_function == "interventional":
            rows = rows[self._sample]
        else:
            rows = _lower_median(rows)
        explainer = self._shap.TreeExplainer(
            self._tree, self._rounded(rows), feature_perturbation="interventional"
        )
        if isinstance(self._tree, HistGradientBoostingClassifier):
            return explainer, self._tree.decision_function(named(rows, names)).mean(axis=0)
        return explainer, None

    def _rounded(self, inputs: np.ndarray) -> np.ndarray:
        """Inputs that go the same way in shap as in the model.

        Most trees of scikit-learn compare float32 values with float64 thresholds, and shap's
        interventional code compares whatever it is given with float32 thresholds.
        """
        if isinstance(self._tree, SKLEARN_TREES) or self._value_function != "path_dependent":
            return inputs.astype(np.float32).astype(np.float64)
        return inputs

    def _sources(self, Z: np.ndarray) -> np.ndarray | None:
        """Raw column behind each input of the tree, None if values can not be given to columns.

        Shapley values of the parts of a column do not sum to the value of the column when trees
        combine them, so several inputs of one column are refused unless asked for.
        """
        model, table = self._predictor.model, self._predictor.table
        if model.steps()[0] is None and not table.is_numeric:
            return None
        rows = np.concatenate([Z, self._background])
        source = column_sources(self._predictor, rows)
        if source is None or self._sum_parts:
            return source
        _, parts = np.unique(source[source >= 0], return_counts=True)
        return None if parts.max(initial=0) > 1 else source

    def _warn(self, reason: str) -> None:
        warnings.warn(
            f"shap's tree values of {type(self._tree).__name__} {reason}; "
            "coalitions of columns on the model's scores are used instead",
            UserWarning,
            stacklevel=6,
        )


def three_dimensional(values: Any, n_rows: int, n_features: int) -> np.ndarray:
    """SHAP values of any version of the shap package as (rows, features, outputs).

    Parameters
    ----------
    values : list of ndarray, or ndarray
        A list with one array for each output (shap < 0.45), or one array of shape (n, d),
        (n, d, K), or for a single row (d,) or (d, K).
    n_rows, n_features : int

    Returns
    -------
    ndarray of shape (n_rows, n_features, K)

    Raises
    ------
    ValueError
        If the shape is none of these.
    """
    values = np.stack(values, axis=-1) if isinstance(values, list) else np.asarray(values)
    shape = values.shape
    if values.ndim == 1:
        values = values[None, :, None]
    elif values.ndim == 2 and shape == (n_rows, n_features):
        values = values[:, :, None]
    elif values.ndim == 2 and n_rows == 1:
        values = values[None]
    if values.ndim != 3 or values.shape[:2] != (n_rows, n_features):
        raise ValueError(
            f"shap returned values of shape {shape} for {n_rows} rows and {n_features} features"
        )
    return values


def _lower_median(inputs: np.ndarray) -> np.ndarray:
    """Medians of shape (1, d) that occur in the column, so that codes stay codes."""
    medians = np.full((1, inputs.shape[1]), np.nan)
    known = ~np.isnan(inputs).all(axis=0)
    medians[0, known] = np.nanquantile(inputs[:, known], 0.5, axis=0, method="inverted_cdf")
    return medians


def _gap(predictor: Predictor, Z: np.ndarray, total: np.ndarray) -> float:
    """Largest difference between the model's output and what the attributions add up to.

    Relative to the largest output, where that is above 1.
    """
    if predictor.model.has_margins:
        expected = predictor.margins(Z)
        candidates = [total]
    else:
        expected = predictor.outputs(Z)
        as_probability = expit(total) if total.shape[1] == 1 else softmax(total, axis=1)
        candidates = [total, as_probability]
    gaps = [_difference(candidate, expected) for candidate in candidates]
    return min(gaps) / max(np.abs(expected).max(), 1)


def _difference(total: np.ndarray, expected: np.ndarray) -> float:
    if total.shape[1] == 1 and expected.shape[1] == 2:
        expected = expected[:, 1:]
    if total.shape != expected.shape:
        return np.inf
    return float(np.abs(total - expected).max())
