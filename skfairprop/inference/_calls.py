"""Which metrics are wanted, with which options, and where each reads its counts."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from skfairprop._checks import check_choice
from skfairprop.counts import GroupCounts
from skfairprop.metrics import METRICS, Metric, Rates, get_metric
from skfairprop.metrics._metric import find_positive

# What a metric sees of the classes, see `Prepared`.
View = str | tuple[str, Hashable]
NULLS = ("independence", "separation", "sufficiency")


@dataclass(frozen=True, repr=False)
class MetricCall:
    """A count metric with the arguments it is called with.

    Parameters
    ----------
    metric : str or Metric
        A name in ``METRICS``, or a record, which it becomes.
    options : mapping, optional
        The metric's own options.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    of : {"y_true", "y_pred"}, default="y_true"
        For the data set metrics: whether the labels or the predictions are the data set.
    undefined : {"drop", "zero"}, default="drop"
        Whether rates that are 0/0 are left out or count as 0.
    null : {"independence", "separation", "sufficiency"}, optional
        Another null than the metric's own. Metrics of a data set alone and signed ones keep theirs.
        With a positive class among more than two, the strata are those of that class against the
        rest, as if the labels had been binary.

    Raises
    ------
    ValueError
        If the metric, an option, `of`, `undefined` or `null` is not known, or the metric is no
        function of counts.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import MetricCall, infer
    >>> counts = GroupCounts(
    ...     [[[80, 20], [10, 90]], [[50, 50], [10, 90]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> calls = {"mean gap": MetricCall("equalized_odds_difference", {"agg": "mean"})}
    >>> found = infer(counts, calls, random_state=0)
    >>> round(found["mean gap"].value, 2)
    0.15
    """

    metric: Metric
    options: Mapping[str, Any] = field(default_factory=dict)
    pos_label: Hashable | None = None
    of: str = "y_true"
    undefined: str = "drop"
    null: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", get_metric(self.metric))
        metric = self.metric
        metric.check_options(self.options)
        if not metric.counts_suffice:
            raise ValueError(
                f"{metric.name} is no function of counts; it needs {metric.inputs}: use "
                "resample_rows with the function itself"
            )
        for name, allowed in (
            ("of", ("y_true", "y_pred")),
            ("undefined", ("drop", "zero")),
            ("null", (None, *NULLS)),
        ):
            check_choice(name, getattr(self, name), allowed)

    def __repr__(self) -> str:
        """As it is made: what differs from the defaults."""
        known = METRICS.get(self.metric.name) == self.metric
        texts = [repr(self.metric.name) if known else repr(self.metric)]
        for f in fields(self)[1:]:
            default = {} if f.name == "options" else f.default
            if getattr(self, f.name) != default:
                texts.append(f"{f.name}={getattr(self, f.name)!r}")
        return f"MetricCall({', '.join(texts)})"

    @cached_property
    def record(self) -> Metric:
        """The record of the metric with these options."""
        return self.metric.with_options(self.options)

    @property
    def resolved_null(self) -> str | None:
        """The null that applies."""
        own = self.record.null
        if self.metric.inputs == "labels" or own not in NULLS:
            return own
        return self.null or own

    @property
    def best(self) -> float:
        """The value without bias."""
        return self.record.best


@dataclass(frozen=True)
class Prepared:
    """A call that is ready for replicates.

    Parameters
    ----------
    call : MetricCall
    layout : str
        Where it reads them, see :mod:`skfairprop.inference._layout`.
    view : str or tuple
        What it sees of the classes: "all"; ("positive", label), that class against the rest;
        "correct", whether a prediction is; or "declared", all classes and groups without rows.
    positive : int or None
        Position of the positive class among those of the view.
    """

    call: MetricCall
    layout: str
    view: View
    positive: int | None

    def gap(self, rates: Rates):
        """The metric with 0 as its value without bias, larger being worse (unless signed)."""
        value = self.call.metric.kernel(rates, **self.call.options)
        return 1.0 - value if self.call.best == 1 else value


def as_calls(calls, null: str | None = None) -> dict[str, MetricCall]:
    """Calls by name, from names, records or calls, in a sequence or a mapping.

    Raises
    ------
    ValueError
        If a metric occurs twice in a sequence.
    """
    if isinstance(calls, str | Metric | MetricCall):
        calls = [calls]
    if not isinstance(calls, Mapping):
        given = [c if isinstance(c, MetricCall) else MetricCall(c) for c in calls]
        names = [c.metric.name for c in given]
        repeated = {n for n in names if names.count(n) > 1}
        if repeated:
            raise ValueError(
                f"{', '.join(sorted(repeated))} occurs more than once; pass a dict that names the "
                "calls"
            )
        calls = dict(zip(names, given, strict=True))
    out = {k: c if isinstance(c, MetricCall) else MetricCall(c) for k, c in calls.items()}
    if null is None:
        return out
    return {k: replace(c, null=null) if c.null is None else c for k, c in out.items()}


def prepare(
    counts: GroupCounts, calls: Mapping[str, MetricCall]
) -> tuple[GroupCounts, dict[str, Prepared]]:
    """Counts without unused groups and classes, with every positive class; and the calls on them.

    What is unused must not change a result: it would take part in the prior of the upper end.
    """
    labels: dict[str, Hashable] = {}
    for name, call in calls.items():
        if call.metric.inputs != "labels":
            counts.require_predictions(call.metric.name)
        if call.metric.needs_positive:
            found, position = find_positive(counts, call.pos_label, call.metric.name)
            labels[name] = found.classes[position]
    kept = counts.drop_unused()
    absent = [label for label in dict.fromkeys(labels.values()) if label not in kept.classes]
    if absent:
        kept = kept.declare_classes([*kept.classes, *absent])
    prepared = {}
    for name, call in calls.items():
        view: View = "all"
        positive = None
        if call.record.rates == ("accuracy",) and _layout(call) == "independence":
            view = "correct"  # within a class, true or predicted, the classes are needed
        elif _counts_empty_groups(call, counts, kept):
            view = "declared"
        elif name in labels and kept.n_classes > 2:
            view, positive = ("positive", labels[name]), 1
        elif name in labels:
            positive = kept.classes.tolist().index(labels[name])
        prepared[name] = Prepared(call, _layout(call), view, positive)
    return kept, prepared


def _counts_empty_groups(call: MetricCall, counts: GroupCounts, kept: GroupCounts) -> bool:
    """Whether declared groups without rows change the metric."""
    if call.metric.inputs != "labels" or counts.n_groups == kept.n_groups:
        return False
    with_empty, without = (
        call.metric.kernel(Rates(c.of_labels().values, predicted=False), **call.options)
        for c in (counts, kept)
    )
    return not np.isclose(with_empty, without)


def look_through(counts: GroupCounts, view: View) -> GroupCounts:
    """The counts as a view shows them: with all classes, or with two.

    One class against the rest is then inferred exactly as if the labels had been binary.
    """
    if view in ("all", "declared"):
        return counts
    k = counts.n_classes
    if view == "correct":  # true class 0, predicted as 0 where it is correct
        cell = np.zeros((k, k, 2, 2))
        cell[..., 0, 1] = 1 - np.eye(k)
        cell[..., 0, 0] = np.eye(k)
        labels = ["correct", "wrong"]
    else:
        labels = ["rest", "positive"]
        label = view[1]
        own = np.eye(2)[(counts.classes == label).astype(int)]
        cell = np.einsum("ya,pb->ypab", own, own)
    values, squared = (
        None if table is None else np.tensordot(table, cell, 2)
        for table in (counts.values, counts.squared)
    )
    return GroupCounts(values, groups=counts.groups, classes=labels, squared=squared)


def _layout(call: MetricCall) -> str:
    """Where the metric reads its replicates: see :mod:`skfairprop.inference._layout`."""
    null = call.resolved_null
    if call.metric.inputs == "labels":
        return "sizes" if null is None else f"labels of {call.of}"
    return "independence" if null is None else null


def share_rates(prepared: Sequence[Prepared], values: Any, *, predicted: bool) -> list[Rates]:
    """The rates for each call; calls that agree on the positive class and on 0/0 share theirs."""
    pool: dict[tuple[int | None, bool], Rates] = {}
    for p in sorted(prepared, key=lambda p: p.positive is None):
        zero = p.call.undefined == "zero"
        key = (p.positive, zero)
        if key not in pool:
            pool[key] = Rates(values, predicted=predicted, positive=p.positive, zero=zero)
    out = []
    for p in prepared:
        zero = p.call.undefined == "zero"
        # a metric without positive class reads any of them
        match = (r for (k, z), r in pool.items() if z == zero and p.positive in (None, k))
        out.append(next(match))
    return out
