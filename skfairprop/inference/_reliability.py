"""Whether counts suffice for a metric to be more than noise."""

from typing import NamedTuple

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text
from skfairprop.metrics import Metric, get_metric

MIN_ERRORS = 5
_RELATIVE_TO_POOLED = ("combined_error_variance", "symmetric_distance_error")


class Reliability(NamedTuple):
    """Whether a metric is reliable on the counts at hand, and why not."""

    reliable: bool
    reason: str


def metric_reliability(
    metric: str | Metric,
    counts: GroupCounts,
) -> Reliability:
    """Whether a metric is reliable on the counts at hand."""
    record = get_metric(metric)
    reason = ""
    if record.name in _RELATIVE_TO_POOLED and counts.predicted:
        reason = _few_errors(counts)
    return Reliability(not reason, reason)


def _few_errors(counts: GroupCounts) -> str:
    """A class with fewer than five errors of one kind in all: its pooled rate is mostly chance."""
    table = counts.values.sum(0)
    correct = np.diagonal(table)
    for kind, errors in (
        ("false positives", table.sum(0) - correct),
        ("false negatives", table.sum(1) - correct),
    ):
        used = table.sum(0) + table.sum(1) > 0
        few = np.flatnonzero(used & (errors < MIN_ERRORS))
        if len(few):
            k = few[0]
            return (
                f"rests on {errors[k]:,.4g} {kind} of class {label_text(counts.classes[k])!r}; "
                f"at least {MIN_ERRORS} are needed"
            )
    return ""
