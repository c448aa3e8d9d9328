"""The rates of the groups that people read, column by column, with what they rest on."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.metrics import group_rates
from skfairprop.report._view import effective_share

NAMES = ("base_rate", "selection_rate", "tpr", "fpr", "precision", "accuracy")


class RateTable(Protocol):
    """Counts and their rates: a view, or what takes its place."""

    @property
    def counts(self) -> GroupCounts:
        """By group."""

    @property
    def by_group(self) -> pd.DataFrame:
        """Rates with denominators and intervals."""


@dataclass(frozen=True)
class RateColumn:
    """One rate of every group.

    Attributes
    ----------
    key : str
        Name of the rate, as in :func:`~skfairprop.metrics.group_rates`.
    label : object
        The class that it is about; None: all classes.
    values, lower, upper : array of shape (G,)
        The rate and its interval; NaN where it is undefined.
    n, effective_n : array of shape (G,)
        Its denominator, and Kish's effective number of rows in it.
    everyone : float
        The rate of all groups together.
    """

    key: str
    label: object
    values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    n: np.ndarray
    effective_n: np.ndarray
    everyone: float


def has_one_class(view: RateTable) -> bool:
    """Whether the rates are those of one positive class, and not of each class in turn."""
    return len(view.by_group) == view.counts.n_groups


def positive_columns(view: RateTable, pos_label) -> list[RateColumn]:
    """The rates of the positive class."""
    pooled = group_rates(everyone(view.counts), pos_label=pos_label)
    label = positive_label(view.counts, pos_label)
    share = effective_share(view.counts, view.by_group)
    return [
        _column(view.by_group, share, pooled.iloc[0], name, None if name == "accuracy" else label)
        for name in NAMES
        if name in view.by_group
    ]


def class_columns(view: RateTable, position: int) -> list[RateColumn]:
    """The rates of one class of several, without those that are the same for all."""
    k = view.counts.n_classes
    rows = slice(position, None, k)
    share = effective_share(view.counts, view.by_group)[rows]
    pooled = group_rates(everyone(view.counts)).iloc[position]
    label = view.counts.classes[position]
    return [
        _column(view.by_group.iloc[rows], share, pooled, name, label)
        for name in NAMES
        if name in view.by_group and name != "accuracy"
    ]


def accuracy_column(view: RateTable) -> RateColumn:
    """The share of right predictions."""
    k = len(view.by_group) // view.counts.n_groups
    share = effective_share(view.counts, view.by_group)[::k]
    values = view.counts.values
    right = np.trace(values.sum(0)) / values.sum()
    return _column(view.by_group.iloc[::k], share, pd.Series({"accuracy": right}), "accuracy", None)


def positive_label(counts: GroupCounts, pos_label):
    """The positive class, given or told by the labels."""
    if pos_label is not None:
        return pos_label
    labels = counts.classes.tolist()
    return labels[labels.index(1)] if 1 in labels else 1


def outcome(view: RateTable, pos_label) -> tuple[Any, float] | None:
    """The positive class and its share in the data; None where the report looks at every class."""
    if pos_label is None and not has_one_class(view):
        return None
    label, counts = positive_label(view.counts, pos_label), view.counts
    sizes = counts.of_labels().values.sum(0)
    where = counts.classes.tolist()
    return label, float(sizes[where.index(label)] / sizes.sum()) if label in where else 0.0


def everyone(counts: GroupCounts) -> GroupCounts:
    """All groups as one."""
    return GroupCounts(
        counts.values.sum(0, keepdims=True),
        groups=["everyone"],
        classes=counts.classes,
        predicted=counts.predicted,
    )


def _column(table: pd.DataFrame, share, pooled: pd.Series, name: str, label) -> RateColumn:
    n = table[f"n_{name}"].to_numpy(float)
    return RateColumn(
        key=name,
        label=label,
        values=table[name].to_numpy(float),
        lower=table[f"{name}_lower"].to_numpy(float),
        upper=table[f"{name}_upper"].to_numpy(float),
        n=n,
        effective_n=n * share,
        everyone=float(pooled[name]),
    )
