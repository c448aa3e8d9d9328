"""A metric for mljar-supervised, which shows it neither rows nor their index."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.automl._objective import FixedPredictions, Objective, positive_code
from skfairprop.exceptions import ScorerSetupError
from skfairprop.groups import Groups
from skfairprop.metrics import Metric

# The weights of two groups differ by this: exact in single precision, and nothing to a learner.
_STEP = 2.0**-20
# So that no row weighs more than one part in 256 more than another.
_MAX_GROUPS = 4096


class MljarMetric:
    """What :func:`mljar_metric` returns.

    Attributes
    ----------
    sample_weight : array of shape (n,)
        To pass to ``AutoML.fit``: the group of every row, as a weight that is nearly 1.
    """

    def __init__(self, objective: Objective, groups: Groups) -> None:
        self.objective = objective
        self.groups = groups.labels
        self.sample_weight = 1.0 + _STEP * np.asarray(groups.codes, dtype=np.float64)
        self.__name__ = objective.name

    def __call__(self, y: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Loss of predictions, to be minimised."""
        people = self._people(sample_weight)
        y = np.asarray(y).ravel()
        fixed = FixedPredictions(_as_codes(np.asarray(y_pred), self.__name__))
        return self.objective.measure(fixed, None, y, sensitive_features=people)[0]

    def _people(self, sample_weight: Any) -> pd.DataFrame:
        """The groups behind the weights."""
        remedy = "pass AutoML.fit(..., sample_weight=metric.sample_weight)"
        if sample_weight is None:
            raise ScorerSetupError(
                f"{self.__name__}: mljar passed no weights, which tell the groups; {remedy}"
            )
        codes = (np.asarray(sample_weight, dtype=np.float64).ravel() - 1.0) / _STEP
        whole = np.rint(codes)
        exact = np.isfinite(codes).all() and np.array_equal(codes, whole)
        if not exact or whole.min() < 0 or whole.max() >= len(self.groups):
            raise ScorerSetupError(
                f"{self.__name__}: mljar passed other weights than those that tell the groups; "
                f"{remedy}"
            )
        labels = self.groups.take(whole.astype(np.intp))
        return labels.to_frame(index=False, name=labels.names if labels.nlevels > 1 else "group")


def _as_codes(y_pred: np.ndarray, name: str) -> np.ndarray:
    """Classes of what mljar calls predictions: a probability a row, or one for each class."""
    if y_pred.ndim == 2 and y_pred.shape[1] > 1:
        return y_pred.argmax(axis=1)
    y_pred = y_pred.ravel().astype(np.float64)
    if not ((y_pred >= 0) & (y_pred <= 1)).all():
        raise ScorerSetupError(
            f"{name}: mljar passed predictions as {y_pred[0]:g}, which are no probabilities; "
            "fairness metrics are for classification"
        )
    return (y_pred > 0.5).astype(np.intp)


def mljar_metric(
    metric: str | Metric | Callable,
    *,
    sensitive_features: Any,
    performance: str | Callable | None = "balanced_accuracy",
    weight: float = 1.0,
    tolerance: float = 0.0,
    pos_label: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
    missing: str = "raise",
    **options: Any,
) -> MljarMetric:
    """Make a metric for ``AutoML(eval_metric=...)`` of mljar-supervised.

    Parameters
    ----------
    metric : str, Metric or callable
        Measure of bias, as for :class:`~skfairprop.scorers.FairnessScorer`. A function of yours
        that is weighed against a performance returns 0 or more, 0 being no bias.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        Protected columns of all the rows that are passed to ``fit``.
    performance : str, callable or None, default="balanced_accuracy"
        Scorer of scikit-learn that needs predicted classes only. None: the bias alone, which a
        model that tells nobody apart is best at.
    weight, tolerance : float, default=1.0 and 0.0
        How much performance one unit of bias is worth, and the bias that costs nothing.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    classes : sequence, optional
        ``np.unique(y)``; needed to find the positive class, as mljar codes the labels 0, 1, ...
    missing : {"raise", "group"}, default="raise"
        What to do with missing protected values.
    **options
        As for :class:`~skfairprop.scorers.FairnessScorer`.

    Returns
    -------
    callable
        ``metric(y, y_pred, sample_weight) -> loss``, with `sample_weight` as an attribute: pass it
        to ``AutoML.fit``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, values are missing, or there are more than 4,096 groups.
    ScorerSetupError
        When called, if the weights are not those that tell the groups.

    Notes
    -----
    mljar shows a metric the labels, the predictions and the weights, and nothing that tells which
    rows they are. So the group of a row is written into its weight, 1 + k / 2**20 for group k:
    nothing to a learner, and read back exactly, in single precision as well. Weights of your own
    cannot be used beside.

    Examples
    --------
    >>> from skfairprop.automl import mljar_metric
    >>> metric = mljar_metric(
    ...     "equalized_odds_difference", sensitive_features=list("ffmm"), classes=[0, 1]
    ... )
    >>> metric([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.7], metric.sample_weight)
    -1.0
    """
    if missing not in ("raise", "group"):
        raise ValueError(f"missing must be 'raise' or 'group'; got {missing!r}")
    groups = Groups.from_columns(sensitive_features, missing=missing)
    if len(groups.labels) > _MAX_GROUPS:
        raise ValueError(
            f"sensitive_features make {len(groups.labels):,} groups; mljar_metric can tell "
            f"{_MAX_GROUPS:,}: merge them"
        )
    objective = Objective(
        metric,
        performance=performance,
        weight=weight,
        tolerance=tolerance,
        pos_label=positive_code(metric, pos_label, classes, options, tool="mljar"),
        missing="group",
        **options,
    )
    return MljarMetric(objective, groups)
