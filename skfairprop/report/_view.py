"""One way to group the rows: its counts, rates, metrics, and what can be said of chance."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

import numpy as np
import pandas as pd

from skfairprop._random import RandomState
from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text, name_some
from skfairprop.inference import MetricCall, infer, omnibus_test, rate_interval
from skfairprop.metrics import METRICS, Driver, Metric, Rates, get_metric, group_rates
from skfairprop.metrics._by_group import has_positive
from skfairprop.metrics._metric import describe_undefined, find_driver, rates_of
from skfairprop.report._wording import (
    BINARY_MEASURES,
    CLASS_MEASURES,
    DATA_MEASURES,
    main_measures,
)

DRIVER_COLUMNS = ("rate", "class", "lowest", "highest", "lowest_value", "highest_value")
UNDEFINED_POLICIES = ("drop", "zero")
# What an inference says of a metric, under the names of the report.
_STATISTICS = {
    "value": "value",
    "lower": "lower",
    "upper": "upper",
    "corrected": "corrected",
    "chance": "null_mean",
    "chance_95": "null_95",
    "p": "p_value",
    "open_at_zero": "open_at_zero",
    "reliable": "reliable",
    "reason": "reason",
}


@dataclass(frozen=True)
class Settings:
    """How a report is computed.

    Attributes
    ----------
    metrics : "all" or sequence of str
        Which metrics; "all": every metric of the registry that is a function of the counts.
    confidence : float
        Level of the intervals, in (0, 1).
    bootstrap : int
        Number of random tables behind intervals and p-values; 0: none.
    interval : {"tilted", "max_t", "percentile"}
        Kind of interval.
    null : str or None
        One null for all metrics; None: each metric's own.
    min_count : int
        Groups and denominators below it are marked as small.
    undefined : {"drop", "zero"}
        Whether rates that are 0/0 are left out, with a note, or count as 0.
    correction : {"bh", "by"}
        Benjamini-Hochberg or Benjamini-Yekutieli for q.
    random_state : int, RandomState, Generator or None
        Seed of the random tables; the same one gives the same report.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> report = fairness_report(
    ...     [1, 0] * 20, [1, 0] * 20, sensitive_features=list("aabb") * 10, confidence=0.9
    ... )
    >>> report.settings.confidence, report.settings.undefined
    (0.9, 'drop')
    """

    metrics: str | Sequence[str] = "all"
    confidence: float = 0.95
    bootstrap: int = 1000
    interval: str = "tilted"
    null: str | None = None
    min_count: int = 50
    undefined: str = "drop"
    correction: str = "bh"
    random_state: RandomState = 0


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """A table of counts by one protected column, or by the intersection of several.

    Attributes
    ----------
    counts : GroupCounts
        The table.
    by_group : DataFrame
        Rates per group (and class), with ``n_<rate>``, ``<rate>_lower`` and ``<rate>_upper``.
    metrics : DataFrame
        One row a metric: value, interval, chance, p, what drives it.
    omnibus : DataFrame or None
        Test that no group differs, by null: statistic and p.
    without_small : DataFrame or None
        The leading `metrics` once more without the groups below ``min_count`` rows, where there
        are such and at least two others.
    notes : list of str
        What is undefined and left out, one line each.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop import fairness_report
    >>> people = pd.DataFrame({"sex": list("ffmm") * 20, "age": list("oyoy") * 20})
    >>> report = fairness_report([1, 0] * 40, [1, 0] * 40, sensitive_features=people, bootstrap=0)
    >>> [view.name for view in report.views]
    ['sex x age', 'sex', 'age']
    """

    counts: GroupCounts
    by_group: pd.DataFrame
    metrics: pd.DataFrame
    omnibus: pd.DataFrame | None
    without_small: pd.DataFrame | None
    notes: list[str]

    def __repr__(self) -> str:
        return f"View({self.name}: {self.counts.n_groups} groups, {len(self.metrics)} metrics)"

    @property
    def main_measures(self) -> tuple[str, ...]:
        """The measures that a report leads with, among those of this view."""
        return main_measures(self.metrics.index, predicted=self.counts.predicted)

    @property
    def name(self) -> str:
        """Names of the protected columns, joined by " x "."""
        return " x ".join(self.counts.attributes)


def make_view(counts: GroupCounts, pos_label: Hashable | None, settings: Settings) -> View:
    """Compute everything about one way to group the rows."""
    counts = counts.drop_unused()
    calls = applicable(counts, pos_label, settings)
    return View(
        counts=counts,
        by_group=rates_with_intervals(counts, pos_label, settings),
        metrics=_metric_table(counts, calls, settings),
        omnibus=_omnibus(counts, settings),
        without_small=_without_small(counts, calls, settings),
        notes=[*_alike_notes(counts), *_undefined_notes(counts, calls)],
    )


def applicable(
    counts: GroupCounts, pos_label: Hashable | None, settings: Settings
) -> dict[str, MetricCall]:
    """The metrics that these counts allow, by name; "cramers_v[y_pred]" is that of predictions.

    Raises
    ------
    ValueError
        If a metric is named that does not exist or that the counts do not allow.
    """
    wanted = settings.metrics
    everything = isinstance(wanted, str) and wanted == "all"
    names = list(METRICS) if everything else [wanted] if isinstance(wanted, str) else list(wanted)
    if not names:
        raise ValueError("metrics is empty; name at least one, or pass 'all'")
    positive = pos_label is not None or has_positive(counts)
    calls = {}
    for name in names:
        metric = get_metric(name)
        reason = _why_not(metric, counts, positive)
        if reason and not everything:
            raise ValueError(f"{metric.name} {reason}")
        if reason:
            continue
        label = pos_label if metric.needs_positive else None
        call = MetricCall(metric, pos_label=label, undefined=settings.undefined)
        calls[metric.name] = call
        if metric.inputs == "labels" and counts.predicted:
            calls[f"{metric.name}[y_pred]"] = replace(call, of="y_pred")
    return calls


def _why_not(metric: Metric, counts: GroupCounts, positive: bool) -> str | None:
    if not metric.counts_suffice:
        return f"is no function of counts; it needs {metric.inputs}"
    if metric.inputs == "counts" and not counts.predicted:
        return "needs predictions"
    if metric.needs_positive and not positive:
        return "needs a positive class; pass pos_label="
    return None


def _metric_table(
    counts: GroupCounts, calls: Mapping[str, MetricCall], settings: Settings
) -> pd.DataFrame:
    statistics = (
        _inferred(counts, calls, settings) if settings.bootstrap else _values(counts, calls)
    )
    shared = _SharedRates(counts)
    drivers = [_driver_row(shared, call) for call in calls.values()]
    out = pd.concat(
        [statistics, pd.DataFrame(drivers, index=statistics.index, columns=DRIVER_COLUMNS)], axis=1
    )
    out.insert(0, "family", [call.metric.family for call in calls.values()])
    return out.rename_axis("metric")


def _inferred(counts, calls, settings: Settings) -> pd.DataFrame:
    found = infer(
        counts,
        calls,
        confidence=settings.confidence,
        n_draws=settings.bootstrap,
        interval=settings.interval,
        null=settings.null,
        random_state=settings.random_state,
    )
    rows = [{k: getattr(r, v) for k, v in _STATISTICS.items()} for r in found.values()]
    return pd.DataFrame(rows, index=pd.Index(found), columns=list(_STATISTICS))


def _values(counts: GroupCounts, calls) -> pd.DataFrame:
    """The values alone, without random tables."""
    out = pd.DataFrame(np.nan, index=pd.Index(calls), columns=list(_STATISTICS))
    for key, call in calls.items():
        rates = rates_of(
            _source(counts, call),
            call.metric,
            pos_label=call.pos_label,
            zero=call.undefined == "zero",
        )
        out.loc[key, "value"] = float(call.metric.kernel(rates, **call.options))
    return out.astype({"open_at_zero": object, "reliable": object, "reason": object}).assign(
        open_at_zero=False, reliable=True, reason=""
    )


def _source(counts: GroupCounts, call: MetricCall) -> GroupCounts:
    return counts.of_predictions() if call.of == "y_pred" else counts


class _SharedRates:
    """The rates of a table, each computed once for all the metrics that read it."""

    def __init__(self, counts: GroupCounts) -> None:
        self._counts = counts
        self._kept: dict[tuple, tuple[GroupCounts, Rates]] = {}

    def of(self, call: MetricCall) -> tuple[GroupCounts, Rates]:
        """The table that a metric reads, and its rates."""
        record = call.record
        key = (call.of, record.inputs, record.needs_positive, call.pos_label)
        if key not in self._kept:
            source = _source(self._counts, call)
            self._kept[key] = source, rates_of(source, record, pos_label=call.pos_label)
        return self._kept[key]


def _driver_row(shared: _SharedRates, call: MetricCall) -> tuple:
    counts, rates = shared.of(call)
    driver = find_driver(counts, call.metric, pos_label=call.pos_label, rates=rates, **call.options)
    # the two values stay numbers where there is none: a column of None is one of objects
    return (None,) * 4 + (math.nan,) * 2 if driver is None else _driver_values(driver)


def _alike_notes(counts: GroupCounts) -> list[str]:
    """Groups that a reader could take for one: a misspelt value is often one of its own."""
    alike: dict[str, list[str]] = {}
    for text in counts.group_texts:
        plain = "".join(c for c in normalize("NFKC", text).casefold() if c.isprintable())
        alike.setdefault(" ".join(plain.split()), []).append(text)
    return [
        f"the groups {name_some(texts)} differ only in case, spaces or signs that are not seen; if "
        "they are one, make them equal in the table"
        for texts in alike.values()
        if len(texts) > 1
    ]


def _undefined_notes(counts: GroupCounts, calls: Mapping[str, MetricCall]) -> list[str]:
    """One line for each rate that some groups do not have, with the metrics it is left out of."""
    concerned: dict[str, list[str]] = {}
    shared = _SharedRates(counts)
    for key, call in calls.items():
        if call.undefined == "zero":
            continue
        source, rates = shared.of(call)
        for phrase in describe_undefined(source, call.record, rates):
            concerned.setdefault(phrase, []).append(key)
    return [
        f"{phrase}: left out of {names[0]}" + (f" and {len(names) - 1} more" if names[1:] else "")
        for phrase, names in concerned.items()
    ]


def _driver_values(driver: Driver) -> tuple:
    return (
        driver.rate,
        None if driver.column is None else label_text(driver.column),
        label_text(driver.low),
        label_text(driver.high),
        driver.low_value,
        driver.high_value,
    )


def rates_with_intervals(counts: GroupCounts, pos_label, settings: Settings) -> pd.DataFrame:
    """Rates per group (and class), with denominators and intervals."""
    table = group_rates(counts, pos_label=pos_label, denominators=True)
    effective = effective_share(counts, table)
    ends = {}
    for name in [c.removeprefix("n_") for c in table if c.startswith("n_")]:
        n = table[f"n_{name}"].to_numpy(float) * effective
        with np.errstate(invalid="ignore"):
            lower, upper = rate_interval(
                np.nan_to_num(table[name].to_numpy(float)) * n, n, confidence=settings.confidence
            )
        ends[f"{name}_lower"] = np.where(n > 0, lower, np.nan)
        ends[f"{name}_upper"] = np.where(n > 0, upper, np.nan)
    return pd.concat([table, pd.DataFrame(ends, index=table.index)], axis=1)


def effective_share(counts: GroupCounts, table: pd.DataFrame) -> np.ndarray:
    """Kish's effective number of rows per unit of weight, for each row of the table of rates."""
    if counts.squared is None:
        return np.ones(len(table))
    axes = (-2, -1) if counts.predicted else -1
    weight, squares = counts.values.sum(axes), counts.squared.sum(axes)
    share = np.divide(weight, squares, out=np.zeros(len(weight)), where=squares > 0)
    return np.repeat(share, len(table) // len(weight))


def _omnibus(counts: GroupCounts, settings: Settings) -> pd.DataFrame | None:
    if counts.n_groups < 2 or not settings.bootstrap:
        return None
    nulls = ("independence", "separation", "sufficiency") if counts.predicted else ("independence",)
    rows = {
        null: omnibus_test(
            counts, null=null, n_draws=settings.bootstrap, random_state=settings.random_state
        )
        for null in nulls
    }
    return pd.DataFrame({n: {"statistic": r.statistic, "p": r.p_value} for n, r in rows.items()}).T


def _without_small(
    counts: GroupCounts, calls: Mapping[str, MetricCall], settings: Settings
) -> pd.DataFrame | None:
    size = counts.of_labels().values.sum(-1)
    large = size >= settings.min_count
    if large.all() or np.count_nonzero(large) < 2:
        return None
    kept = counts.select(large).drop_unused()
    known = set(kept.classes)
    leading = {*BINARY_MEASURES, *CLASS_MEASURES, *DATA_MEASURES}
    possible = {
        k: c
        for k, c in calls.items()
        if k in leading and (c.pos_label is None or c.pos_label in known)
    }
    return _metric_table(kept, possible, settings) if possible else None
