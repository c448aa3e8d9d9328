"""What every explainer returns, and the scale on which explainers are mixed."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

ROUNDING = 1e-10  # attributions below this share of the model's outputs are rounding errors


class Explanation(NamedTuple):
    """Attributions of some rows.

    Attributes
    ----------
    values : ndarray of shape (n, d)
        One attribution for each raw column.
    fidelity : ndarray of shape (n,)
        How well the attributions reproduce the model around each row, at most 1. SHAP values add
        up to the model's output and have 1; LIME has the weighted R² of its linear surrogate.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.explain import ShapExplainer
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = ShapExplainer(random_state=0).fit(X).explain(lambda rows: rows[:, 0], X)
    >>> bool(abs(found.values[:, 0]).sum() > abs(found.values[:, 1]).sum())
    True
    >>> found.fidelity.shape
    (3,)
    """

    values: np.ndarray
    fidelity: np.ndarray

    def __repr__(self) -> str:
        n, d = self.values.shape
        return f"Explanation({n:,} rows, {d} columns, mean fidelity {self.fidelity.mean():.3f})"


class Explainer(Protocol):
    """The one protocol: learn a background once, then explain rows of any model."""

    def fit(self, background: Any) -> Explainer:
        """Learn the background and settle every random draw."""

    def explain(self, predict: Any, X: Any, target: Any = None) -> Explanation:
        """Attributions of the rows of `X` and their fidelity."""

    def attribute(self, predict: Any, X: Any, target: Any = None) -> np.ndarray:
        """Attributions of the rows of `X`, of shape (n, d)."""


def drop_rounding(values: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Set to zero the rows of attributions that are rounding errors of the scores.

    A constant model must have zero attributions: normalised, rounding errors would look like
    any other explanation.

    Parameters
    ----------
    values : ndarray of shape (n, d)
    scores : ndarray
        Outputs of the model that the attributions come from.

    Returns
    -------
    ndarray of shape (n, d)
    """
    tiny = np.abs(values).sum(axis=1) <= ROUNDING * np.abs(scores).max()
    return np.where(tiny[:, None], 0.0, values)


def signed_l1(values: np.ndarray) -> np.ndarray:
    """Divide each row by the sum of its absolute values; a zero row stays zero.

    Parameters
    ----------
    values : ndarray of shape (n, d)

    Returns
    -------
    ndarray of shape (n, d)
        Signs are kept; absolute values of each row sum to 1, or to 0.
    """
    norm = np.abs(values).sum(axis=1, keepdims=True)
    return np.divide(values, norm, out=np.zeros_like(values), where=norm > 0)
