"""How many rows it takes to see a gap."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from skfairprop._checks import check_integer, check_number
from skfairprop._random import RandomState, draw_wide_seed
from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text, name_some
from skfairprop.inference._calls import NULLS, MetricCall, Prepared, look_through, prepare
from skfairprop.inference._infer import check_settings
from skfairprop.inference._intervals import p_values
from skfairprop.inference._layout import Layout, cut_into_strata
from skfairprop.inference._path import pooled_rates
from skfairprop.inference._replicates import draw_blocks, multinomial, tensors
from skfairprop.metrics import Metric, Rates

Array = np.ndarray
# Steps in which a group's rates are moved until the gap is reached.
_STEPS = 200
# Sizes that are tried between the last two of the doubling ones.
_POINTS = 9
# Groups that a repr shows.
_SHOWN = 6
_NULL, _GAP = 40, 41


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize:
    """Result of :func:`required_sample_size`.

    Attributes
    ----------
    total : int
        Number of rows in all.
    per_group : Series
        Number of rows by group.
    power : float
        Share of simulated data sets of this size in which the gap is seen.
    expected : GroupCounts
        Expected counts of these data sets: the gap in question, as it was simulated.
    searched : Series
        Power by number of rows in all, for the sizes that were tried.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import required_sample_size
    >>> pilot = GroupCounts(
    ...     [[[30, 10], [10, 30]], [[30, 10], [10, 30]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> found = required_sample_size(
    ...     "equal_opportunity_difference", 0.3, counts=pilot, n_draws=200, random_state=0
    ... )
    >>> found.power > 0.7, bool(found.per_group.sum() == found.total)
    (True, True)
    """

    total: int
    per_group: pd.Series
    power: float
    expected: GroupCounts
    searched: pd.Series

    def __repr__(self) -> str:
        sizes = [f"{label_text(g)!r} {n:,}" for g, n in self.per_group.head(_SHOWN).items()]
        more = len(self.per_group) - len(sizes)
        return (
            f"SampleSize: {self.total:,} rows for a power of {self.power:.2f}\n"
            f"  {', '.join(sizes)}" + (f" and {more} more groups" if more > 0 else "")
        )


def required_sample_size(
    metric: str | Metric,
    gap: float,
    *,
    counts: GroupCounts,
    group: Hashable | None = None,
    pos_label: Hashable | None = None,
    of: str = "y_true",
    confidence: float = 0.95,
    power: float = 0.8,
    null: str | None = None,
    n_draws: int = 5000,
    max_rows: int = 10_000_000,
    random_state: RandomState = None,
    **options: Any,
) -> SampleSize:
    """How many rows are needed to tell a gap of a given size from chance.

    Parameters
    ----------
    metric : str or Metric
        Name of a count metric, or its record.
    gap : float
        Value of the metric that is to be seen; for ratios the ratio, as 0.8.
    counts : GroupCounts
        A pilot: the shares of its groups are kept, and its rates, pooled over the groups, are
        those of the groups without bias.
    group : hashable, optional
        The group that differs from the others. Default: the smallest, which needs the most rows.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    of : {"y_true", "y_pred"}, default="y_true"
        For the metrics of a data set: whether the labels or the predictions are the data set.
    confidence : float, default=0.95
        In (0, 1). The gap is seen where its p-value is at most 1 - confidence.
    power : float, default=0.8
        Share of data sets in which the gap is to be seen, in (0, 1).
    null : {"independence", "separation", "sufficiency"}, optional
        Default: what the metric declares.
    n_draws : int, default=5000
        Number of data sets with the gap, and without, that are simulated for every size.
    max_rows : int, default=10_000_000
        Where the search ends.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws; the same one gives the same result.
    **options
        The metric's own options.

    Returns
    -------
    SampleSize
        With `total`, `per_group` and `power`.

    Raises
    ------
    ValueError
        If an argument is out of range, the metric has no null that exchanges groups, no change of
        the group's rates reaches the gap, or `max_rows` do not suffice.

    Notes
    -----
    The rates of the one group are moved step by step: towards one predicted class, towards errors,
    or towards correct predictions, whichever reaches the gap with the least change. Tables of a
    size are then drawn with the gap, and from rates pooled over the groups; the gap is seen where
    p <= 1 - `confidence`. The number of rows is doubled until that is so in enough of the data
    sets; a line through the probits of the shares at nine sizes in between gives the answer, with a
    simulation error of some 2 %.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import required_sample_size
    >>> pilot = GroupCounts(
    ...     [[[40, 10], [10, 40]], [[40, 10], [10, 40]]], groups=["f", "m"], classes=[0, 1]
    ... )
    >>> found = required_sample_size(
    ...     "demographic_parity_difference", 0.1, counts=pilot, random_state=0
    ... )
    >>> 700 < found.total < 850
    True
    """
    _check(gap, power, confidence, n_draws, max_rows)
    call = MetricCall(metric, options, pos_label, of, null=null)  # type: ignore[arg-type]
    if call.resolved_null not in NULLS:
        raise ValueError(
            f"{call.metric.name} has no null that exchanges groups; there is nothing to plan for"
        )
    design = _Design.make(counts, call, group, gap)
    seed = draw_wide_seed(random_state)
    searched: dict[int, float] = {}

    def reached(total: int) -> float:
        if total not in searched:
            searched[total] = design.power(total, 1 - confidence, n_draws, seed)
        return searched[total]

    high = max(20, 4 * len(design.shares))
    while reached(high) < power:
        if high >= max_rows:
            raise ValueError(
                f"{high:,} rows see this gap in {reached(high):.0%} of the data sets; raise "
                "max_rows, or plan for a larger gap"
            )
        high = min(2 * high, max_rows)
    for total in np.geomspace(max(high // 2, 1), high, _POINTS).round().astype(int).tolist():
        reached(total)
    near = {n: share for n, share in searched.items() if n >= high // 2}
    total = _smoothed(near, power, n_draws)
    reached(total)
    return design.result(total, pd.Series(searched, name="power").sort_index())


def _smoothed(searched: dict[int, float], power: float, n_draws: int) -> int:
    """Rows that reach a power by a line through its probits over the root of the rows.

    Simulated shares jump; a test of normal data would follow this line exactly.
    """
    sizes = np.array(list(searched), dtype=float)
    shares = np.clip(list(searched.values()), 0.5 / n_draws, 1 - 0.5 / n_draws)
    slope, start = np.polyfit(np.sqrt(sizes), norm.ppf(shares), 1)
    if slope <= 0:
        return int(sizes.max())
    root = max((norm.ppf(power) - start) / slope, 0.0)
    return int(np.clip(np.ceil(root**2), sizes.min(), sizes.max()))


def _check(gap: float, power: float, confidence: float, n_draws: int, max_rows: int) -> None:
    check_settings(confidence, n_draws, "tilted", None, warn=False)
    check_number("power", power, "(0, 1)")
    check_number("gap", gap, "(0, inf)")
    check_integer("max_rows", max_rows, least=1)


@dataclass(frozen=True)
class _Design:
    """Shares of the groups and their rates with the gap, for tables of any size.

    Parameters
    ----------
    call : Prepared
    table : GroupCounts
        The pilot as the metric sees it.
    shares : array of shape (G,)
        Of the rows, by group.
    rates : array of shape (G, K, K) or (G, K)
        With the gap; they sum to 1 in every group.
    """

    call: Prepared
    table: GroupCounts
    shares: Array
    rates: Array

    @classmethod
    def make(cls, counts: GroupCounts, call: MetricCall, group, gap: float) -> "_Design":
        kept, prepared = prepare(counts, {"metric": call})
        found = prepared["metric"]
        table = look_through(kept, found.view)
        if call.metric.inputs == "labels":
            table = table.of_predictions() if call.of == "y_pred" else table.of_labels()
        if table.n_groups < 2:
            raise ValueError(f"there is only one group: {name_some(table.groups)}")
        sizes = table.values.reshape(table.n_groups, -1).sum(1)
        place = int(np.argmin(sizes)) if group is None else _position(table, group)
        fair = _without_bias(found.layout, table.values.astype(float), table.n_classes)
        fair = fair / fair.sum(tuple(range(1, fair.ndim)), keepdims=True)
        moved = _moved(fair, place)  # (directions, steps, ...)
        draft = cls(found, table, sizes / sizes.sum(), fair)
        target = 1 - gap if call.best == 1 else gap
        return cls(found, table, draft.shares, draft._reach(moved, target, gap))

    def _reach(self, moved: Array, target: float, gap: float) -> Array:
        """The rates of the direction that reaches the gap in the fewest steps."""
        weight = self.shares.reshape(-1, *[1] * (self.rates.ndim - 1))
        flat = (moved * weight).reshape(-1, *self.rates.shape)
        values = self.gap(flat).reshape(moved.shape[:2])
        reached = values >= target
        first = np.where(reached.any(1), reached.argmax(1), _STEPS + 1)
        best = int(first.argmin())
        step = int(first[best])
        if step > _STEPS or step == 0:
            name, best_value = self.call.call.metric.name, self.call.call.best
            found = values[np.isfinite(values)]
            ends = (found.min(initial=1.0), found.max(initial=0.0))
            low, high = (1 - ends[1], 1 - ends[0]) if best_value == 1 else ends
            raise ValueError(
                f"{name} goes from {low:.3g} to {high:.3g} as the rates of one group change; "
                f"gap={gap:g} is out of reach"
            )
        before, after = values[best, step - 1 : step + 1]
        part = (target - before) / (after - before)
        return (1 - part) * moved[best, step - 1] + part * moved[best, step]

    def gap(self, tensor: Array) -> Array:
        """The metric on replicates, with 0 as its value without bias."""
        rates = Rates(tensor, predicted=self.table.predicted, positive=self.call.positive)
        return np.asarray(self.call.gap(rates))

    def sizes(self, total: int) -> Array:
        """Rows of each group."""
        return np.maximum(np.rint(self.shares * total), 1).astype(np.int64)

    def power(self, total: int, alpha: float, n_draws: int, seed: int) -> float:
        """Share of data sets with p <= alpha, by simulation."""
        sizes = self.sizes(total)
        expected = self.rates * sizes.reshape(-1, *[1] * (self.rates.ndim - 1))
        null = _without_bias(self.call.layout, expected, self.table.n_classes)
        drawn = []
        for stage, table in ((_NULL, null), (_GAP, expected)):
            flat = table.reshape(1, len(table), -1)
            name = "independence" if self.table.predicted else "labels of y_true"
            whole = np.zeros(flat.shape, dtype=np.int64)
            whole[..., 0] = sizes
            layout = Layout(name, whole, None, self.table.n_classes)
            rows = multinomial(layout, flat / sizes[:, None])
            blocks = draw_blocks(layout, rows, n_draws, seed=seed, stage=stage)
            drawn.append(np.concatenate([self.gap(t) for t in tensors(layout, blocks)]))
        p = p_values(drawn[1], drawn[0])
        return float(np.count_nonzero(p <= alpha) / n_draws)

    def result(self, total: int, searched: pd.Series) -> SampleSize:
        sizes = self.sizes(total)
        expected = self.rates * sizes.reshape(-1, *[1] * (self.rates.ndim - 1))
        return SampleSize(
            total=int(sizes.sum()),
            per_group=pd.Series(sizes, index=self.table.groups, name="rows"),
            power=float(searched[total]),
            expected=GroupCounts(
                expected,
                groups=self.table.groups,
                classes=self.table.classes,
                predicted=self.table.predicted,
            ),
            searched=searched.rename_axis("rows"),
        )


def _position(table: GroupCounts, group: Hashable) -> int:
    labels = table.groups.tolist()
    if group not in labels:
        raise ValueError(f"no group {label_text(group)!r}; there are {name_some(table.groups)}")
    return labels.index(group)


def _without_bias(layout_name: str, values: Array, n_classes: int) -> Array:
    """Expected table with the sizes of the strata and the rates of the groups together."""
    strata = cut_into_strata(layout_name, values)
    layout = Layout(layout_name, strata, None, n_classes)
    return layout.tensor((pooled_rates(layout) * strata.sum(-1, keepdims=True))[None])[0]


def _moved(fair: Array, place: int) -> Array:
    """Rates of all groups as those of one are moved: (directions, steps + 1, G, ...)."""
    k = fair.shape[-1]
    ends = [np.broadcast_to(row, fair.shape[1:]) for row in np.eye(k)]  # towards one class
    if fair.ndim == 3:
        ends += [np.eye(k), (1 - np.eye(k)) / (k - 1)] if k > 1 else []
        share = fair[place].sum(-1, keepdims=True)  # of each true class
        ends = [share * end for end in ends]
    steps = np.linspace(0, 1, _STEPS + 1).reshape(-1, *[1] * (fair.ndim - 1))
    out = np.broadcast_to(fair, (len(ends), _STEPS + 1, *fair.shape)).copy()
    for i, end in enumerate(ends):
        out[i, :, place] = (1 - steps) * fair[place] + steps * end
    return out
