"""Which metrics a propagation study looks at, and their values on stacked counts."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop.counts import GroupCounts
from skfairprop.inference._calls import MetricCall, as_calls
from skfairprop.metrics import METRICS, Rates
from skfairprop.metrics._metric import find_positive, rates_of


def dataset_calls(metrics: Any) -> dict[str, MetricCall]:
    """The metrics of the training data, from "all", names, records or a dict of calls."""
    if isinstance(metrics, str) and metrics == "all":
        metrics = [m for m in METRICS.values() if m.inputs == "labels"]
    calls = as_calls(metrics)
    wrong = [name for name, call in calls.items() if call.metric.inputs != "labels"]
    if wrong:
        raise ValueError(
            f"dataset_metrics: {wrong[0]!r} needs predictions; name it in model_metrics"
        )
    return calls


def model_calls(
    metrics: Any, counts: GroupCounts, pos_label: Hashable | None
) -> dict[str, MetricCall]:
    """The metrics of the model, from "all", names, records or a dict of calls.

    "all" are those that the counts suffice for; metrics of a positive class only if it is known.
    """
    if isinstance(metrics, str) and metrics == "all":
        with_positive = _positive_known(counts, pos_label)
        metrics = [
            m
            for m in METRICS.values()
            if m.inputs == "counts" and (with_positive or not m.needs_positive)
        ]
    calls = {
        name: replace(call, pos_label=pos_label)
        if call.metric.needs_positive and call.pos_label is None
        else call
        for name, call in as_calls(metrics).items()
    }
    for name, call in calls.items():
        if call.metric.inputs == "labels" and call.of != "y_pred":
            raise ValueError(
                f"model_metrics: {name!r} is of a data set; name it in dataset_metrics, or pass "
                "MetricCall(..., of='y_pred') for the bias of the predictions"
            )
        if call.metric.needs_positive:
            find_positive(counts, call.pos_label, name)
    return calls


def _positive_known(counts: GroupCounts, pos_label: Hashable | None) -> bool:
    try:
        find_positive(counts, pos_label, "this")
    except ValueError:
        if pos_label is not None:
            raise
        if counts.n_classes == 2:
            warnings.warn(
                "the metrics of a positive class are left out, as the labels "
                f"{counts.classes[0]!r} and {counts.classes[1]!r} do not tell which one it is; "
                "pass pos_label=",
                UserWarning,
                stacklevel=2,
            )
        return False
    return True


def evaluate_stack(counts: GroupCounts, calls: Mapping[str, MetricCall]) -> pd.DataFrame:
    """Values of several metrics on counts with one leading axis.

    Parameters
    ----------
    counts : GroupCounts
        Values of shape (n, G, K, K), or (n, G, K) for the data alone.
    calls : mapping of str to MetricCall

    Returns
    -------
    DataFrame of shape (n, n_calls)
        NaN where a metric is undefined.
    """
    shared: dict[tuple, Rates] = {}
    out = {}
    for name, call in calls.items():
        record = call.record
        if record.inputs == "labels" and call.of == "y_pred":
            key: tuple = ("predictions", call.undefined)
            counted = counts.of_predictions()
        else:
            key = (record.inputs, record.needs_positive and call.pos_label, call.undefined)
            counted = counts
        if key not in shared:
            shared[key] = rates_of(
                counted, record, pos_label=call.pos_label, zero=call.undefined == "zero"
            )
        values = record.kernel(shared[key], **call.options)
        out[name] = np.broadcast_to(values, len(counts.values))
    return pd.DataFrame(out)


def performance(counts: GroupCounts) -> pd.DataFrame:
    """Accuracy, and its mean over the true classes, of counts of shape (n, G, K, K)."""
    table = counts.values.sum(1)
    correct, rows = np.diagonal(table, axis1=1, axis2=2), table.sum(2)
    recall = np.divide(correct, rows, out=np.full(rows.shape, np.nan), where=rows > 0)
    has_class = rows > 0
    return pd.DataFrame(
        {
            "accuracy": correct.sum(1) / rows.sum(1),
            "balanced_accuracy": np.where(has_class, recall, 0.0).sum(1) / has_class.sum(1),
        }
    )


def warn_undefined(values: pd.DataFrame) -> None:
    """One warning for all the metrics that are undefined somewhere."""
    missing = values.isna().sum()
    missing = missing[missing > 0]
    if len(missing):
        first = ", ".join(f"{name} ({n:,})" for name, n in missing.iloc[:4].items())
        more = f" and {len(missing) - 4} more metrics" if len(missing) > 4 else ""
        warnings.warn(
            f"undefined (NaN) in some of the {len(values):,} fits: {first}{more}",
            UndefinedMetricWarning,
            stacklevel=3,
        )
