"""Whether counts suffice for a metric to be more than noise."""

from typing import NamedTuple

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text
from skfairprop.metrics import Metric, get_metric

_MIN_ERRORS = 5
# They divide by the error rates of all groups together.
_RELATIVE_TO_POOLED = ("combined_error_variance", "symmetric_distance_error")


class Reliability(NamedTuple):
    """Whether a metric is reliable on the counts at hand, and why not.

    Attributes
    ----------
    reliable : bool
        Whether the counts suffice.
    reason : str
        Why they do not; empty where they do.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import metric_reliability
    >>> counts = GroupCounts(
    ...     [[[50, 9], [9, 40]], [[60, 8], [8, 30]]], groups=["a", "b"], classes=["no", "yes"]
    ... )
    >>> metric_reliability("combined_error_variance", counts)
    Reliability(reliable=True, reason='')
    """

    reliable: bool
    reason: str


def metric_reliability(metric: str | Metric, counts: GroupCounts) -> Reliability:
    """Whether a metric is reliable on the counts at hand.

    Parameters
    ----------
    metric : str or Metric
        Name of a metric, or its record.
    counts : GroupCounts
        Without replicate axes.

    Returns
    -------
    Reliability
        ``(reliable, reason)``, the reason empty where it is reliable.

    Raises
    ------
    ValueError
        If there is no metric of this name.

    Notes
    -----
    :func:`~skfairprop.metrics.combined_error_variance` and
    :func:`~skfairprop.metrics.symmetric_distance_error` divide by the error rates of all groups
    together: with fewer than five false positives or false negatives of a class they are mostly
    chance, and their intervals do not cover. What small groups do to the other metrics is in their
    intervals.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import metric_reliability
    >>> counts = GroupCounts(
    ...     [[[50, 2], [9, 40]], [[60, 1], [8, 30]]], groups=["a", "b"], classes=["no", "yes"]
    ... )
    >>> metric_reliability("combined_error_variance", counts).reason
    "rests on 3 false positives of class 'yes'; at least 5 are needed"
    """
    record = get_metric(metric)
    reason = ""
    if record.name in _RELATIVE_TO_POOLED and counts.predicted:
        reason = _few_errors(counts)
    return Reliability(not reason, reason)


def _few_errors(counts: GroupCounts) -> str:
    """The first class with too few errors of one kind in all groups together."""
    table = counts.values.sum(0)
    used = table.sum(0) + table.sum(1) > 0
    off_diagonal = 1 - np.eye(len(table))
    for kind, axis in (("false positives", 0), ("false negatives", 1)):
        errors = _effective(counts, off_diagonal, axis)
        few = np.flatnonzero(used & (errors < _MIN_ERRORS))
        if len(few):
            k = few[0]
            about = "" if counts.squared is None else "effectively "
            return (
                f"rests on {about}{errors[k]:.3g} {kind} of class "
                f"{label_text(counts.classes[k])!r}; at least {_MIN_ERRORS} are needed"
            )
    return ""


def _effective(counts: GroupCounts, kept: np.ndarray, axis: int) -> np.ndarray:
    """Number of rows behind the kept cells of each class; Kish's where rows have weights."""
    total = (counts.values.sum(0) * kept).sum(axis).astype(float)
    if counts.squared is None:
        return total
    squares = (counts.squared.sum(0) * kept).sum(axis)
    return np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
