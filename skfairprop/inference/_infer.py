"""Intervals, null baselines and p-values of any number of count metrics in one pass."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from skfairprop._checks import check_choice, check_integer, check_number
from skfairprop._random import RandomState, draw_wide_seed
from skfairprop.counts import GroupCounts
from skfairprop.inference._calls import (
    NULLS,
    MetricCall,
    Prepared,
    as_calls,
    look_through,
    prepare,
    share_rates,
)
from skfairprop.inference._intervals import Draws, assemble
from skfairprop.inference._layout import Layout, make_layout
from skfairprop.inference._max_t import gap_rates, is_gap_metric, max_t_lower
from skfairprop.inference._path import PATH, Path
from skfairprop.inference._reliability import metric_reliability
from skfairprop.inference._replicates import (
    Draw,
    bootstrapped,
    draw_blocks,
    multinomial,
    posterior,
    tensors,
    without_bias,
)
from skfairprop.inference._result import Inference
from skfairprop.metrics import Metric

METHODS = ("tilted", "max_t", "percentile")
# Numbers of the sets of replicates: a set is the same, whichever others are drawn.
_NULL, _PATH, _POSTERIOR, _BOOTSTRAP = 0, 1, 10, 11


@dataclass(frozen=True)
class _Plan:
    """What the sets of replicates of one run have in common."""

    n_draws: int
    seed: int
    chunk_size: int | None
    confidence: float
    interval: str


def infer(
    counts: GroupCounts,
    calls: str
    | Metric
    | MetricCall
    | Iterable[str | Metric | MetricCall]
    | Mapping[str, str | Metric | MetricCall],
    *,
    confidence: float = 0.95,
    interval: str = "tilted",
    null: str | None = None,
    n_draws: int = 1000,
    random_state: RandomState = None,
    chunk_size: int | None = None,
) -> dict[str, Inference]:
    """Interval, null baseline and p-value of count metrics.

    Parameters
    ----------
    counts : GroupCounts
        Without replicate axes. Sums of weights need their sums of squares beside them, which
        ``GroupCounts.from_arrays`` keeps.
    calls : names, records or :class:`MetricCall`; one, several, or a mapping of them
        A call holds a metric with its options and positive class. A mapping gives the names of
        the result; without one those of the metrics are taken.
    confidence : float, default=0.95
        In (0, 1).
    interval : {"tilted", "max_t", "percentile"}, default="tilted"
        "tilted": the lower end by test inversion along a path of rates that leads from no bias to
        the observed one; the upper end from the posterior of the rates. "max_t": for gaps between
        rates, the lower end from simultaneous intervals of the pairwise differences; metrics that
        are no gaps fall back to "tilted" (`method` of the result says so). "percentile": the
        bootstrap percentiles, for comparison only: it hardly ever covers a gap of zero.
    null : {"independence", "separation", "sufficiency"}, optional
        What is exchangeable between the groups without bias, for all metrics; default: what each
        declares. Strata are of classes; with a positive class among more than two, of that class
        and the rest.
    n_draws : int, default=1000
        Number of replicates in each set. For q-values over a report take 999 or more.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives a metric the same result, whichever other metrics are asked for.
    chunk_size : int, optional
        Number of replicates held in memory at a time; does not change the result.

    Returns
    -------
    dict of str to Inference
        In the order of `calls`.

    Raises
    ------
    ValueError
        If an argument is out of range; if a metric is not known, is no function of counts, or
        needs a positive class that the labels do not tell; if counts are no whole numbers and come
        without sums of squares.

    Warns
    -----
    UserWarning
        If `n_draws` is so small that no interval could exclude 0.

    Notes
    -----
    With alpha = 1 - `confidence`, and every metric turned so that 0 is its best value:

    - *p*: the groups are exchanged within the strata that the metric's null names (exact random
      tables with the margins); p = (1 + number of replicates >= value) / (1 + `n_draws`).
    - *lower*: tables with the sizes of the groups are drawn from rates along a path, from the
      pooled ones over those of groups merged where a chi-square test at .99 does not separate
      them, to each group's own; lower is the metric at the point whose 1 - alpha/3 quantile equals
      the value (alpha/2 at the start, which is exact; the rates beyond it are estimated).
      *corrected* is the same with the median.
    - *upper*: the 1 - alpha/2 quantile under Dirichlet draws of the rates, at least the value.
    - The interval never contradicts p: above alpha it is [0, upper]; between alpha/2 and alpha
      (0, upper]; below [lower, upper].

    Signed metrics (amplification) are two-sided: truth and prediction are swapped in every row at
    random for the null; the interval joins the percentiles of tables drawn from the groups' own
    rates with their reflection about the value, and holds 0 exactly where p is above alpha.

    Metrics of the sizes of groups have no null; their interval starts at even sizes. Weighted
    counts enter with Kish's effective sizes in each group and stratum. The interval is conditional
    on the fitted model, and takes the rows as independent.

    In simulations of 95 % intervals (``benchmarks/results/coverage.txt``) each end misses in up to
    .04 of the data sets. Elsewhere the lower end was seen to miss in up to .07, for one outlier
    among many equal groups; near 0 and with tiny groups the intervals are
    conservative. p tests the null, which can be false although the metric is 0: where the groups
    differ by the same factor in all classes, for :func:`~skfairprop.metrics.demographic_parity`,
    :func:`~skfairprop.metrics.combined_error_variance` and
    :func:`~skfairprop.metrics.symmetric_distance_error`.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import infer
    >>> counts = GroupCounts(
    ...     [[[80, 20], [10, 90]], [[50, 50], [10, 90]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> found = infer(counts, ["equalized_odds_difference", "overall_disparity"], random_state=0)
    >>> eod = found["equalized_odds_difference"]
    >>> round(eod.value, 2), eod.interval_text(".1f"), round(eod.p_value, 3)
    (0.3, '[0.2, 0.4]', 0.001)
    """
    check_settings(confidence, n_draws, interval, null)
    if counts.values.ndim != (3 if counts.predicted else 2):
        raise ValueError("counts with replicate axes cannot be resampled; select one replicate")
    wanted = as_calls(calls, null)
    if chunk_size is not None:
        check_integer("chunk_size", chunk_size, least=1)
    plan = _Plan(n_draws, draw_wide_seed(random_state), chunk_size, confidence, interval)
    kept, prepared = prepare(counts, wanted)
    out: dict[str, Inference] = {}
    for layout, view in dict.fromkeys((p.layout, p.view) for p in prepared.values()):
        mine = {k: p for k, p in prepared.items() if (p.layout, p.view) == (layout, view)}
        table = look_through(counts if view == "declared" else kept, view)
        out |= _infer_layout(table, make_layout(layout, table), mine, plan)
    return {k: out[k] for k in wanted}


def null_replicates(
    counts: GroupCounts, call: MetricCall, *, n_draws: int, random_state: RandomState
) -> tuple[float, np.ndarray]:
    """A metric and its values on replicates without bias, both as printed."""
    check_settings(0.95, n_draws, "tilted", None, warn=False)
    plan = _Plan(n_draws, draw_wide_seed(random_state), None, 0.95, "tilted")
    kept, prepared = prepare(counts, {"metric": call})
    table = look_through(kept, prepared["metric"].view)
    layout = make_layout(prepared["metric"].layout, table)
    value = _evaluate(layout, prepared, _observed(table, layout)[None])["metric"]
    draws = _draw_sets(layout, prepared, plan, {_NULL: without_bias(layout)})[0]["metric"][0]
    if call.best == 1:
        value, draws = 1 - value, 1 - draws
    return float(value[0]), draws


def check_settings(
    confidence: float, n_draws: int, interval: str, null: str | None, *, warn: bool = True
) -> None:
    """Raise ValueError for settings out of range, and warn of too few replicates."""
    check_number("confidence", confidence, "(0, 1)")
    check_choice("interval", interval, METHODS)
    check_choice("null", null, (None, *NULLS))
    check_integer("n_draws", n_draws, least=1)
    smallest, level = 1 / (n_draws + 1), (1 - confidence) / 2
    if warn and smallest > level:
        warnings.warn(
            f"n_draws={n_draws:,} gives no p-value below {smallest:.3g}, so that no interval at "
            f"confidence={confidence:g} can exclude 0; take at least {int(np.ceil(1 / level)):,}",
            UserWarning,
            stacklevel=3,
        )


def _infer_layout(
    counts: GroupCounts, layout: Layout, prepared: Mapping[str, Prepared], plan: _Plan
) -> dict[str, Inference]:
    values = _evaluate(layout, prepared, _observed(counts, layout)[None])
    draws = _draw_all(layout, prepared, plan)
    out = {}
    for name, p in prepared.items():
        method = plan.interval
        if plan.interval == "max_t":
            if is_gap_metric(p.call):
                draws[name].lower = _simultaneous_lower(layout, p, counts, plan)
            else:
                method = "tilted"
        out[name] = assemble(
            float(values[name][0]),
            draws[name],
            p.call,
            confidence=plan.confidence,
            n_draws=plan.n_draws,
            method=method,
            reason=metric_reliability(p.call.metric, counts).reason,
        )
    return out


def _simultaneous_lower(layout: Layout, p: Prepared, counts: GroupCounts, plan: _Plan) -> float:
    """Lower end of a gap metric by the maximum of its studentised pairwise differences."""
    path = Path(layout)

    def rates(tensor):
        return gap_rates(p, share_rates([p], tensor, predicted=layout.predicted)[0])

    draw, stage = multinomial(layout, path.rates(PATH[-1])), _PATH + len(PATH) - 1
    own = draw_blocks(layout, draw, plan.n_draws, seed=plan.seed, stage=stage)
    return max_t_lower(
        p,
        rates(_observed(counts, layout)[None])[0],
        rates(layout.tensor(path.expected()[-1:]))[0],
        np.concatenate([rates(t) for t in tensors(layout, own, plan.chunk_size)]),
        1 - plan.confidence,
    )


def _observed(counts: GroupCounts, layout: Layout):
    """The table itself, as the metrics of the layout read it."""
    if layout.predicted:
        return counts.values
    view = counts.of_predictions() if layout.name == "labels of y_pred" else counts.of_labels()
    return view.values


def _evaluate(layout: Layout, prepared: Mapping[str, Prepared], tensor) -> dict[str, np.ndarray]:
    """Every metric on one chunk of replicates."""
    rates = share_rates(list(prepared.values()), tensor, predicted=layout.predicted)
    return {k: p.gap(r) for (k, p), r in zip(prepared.items(), rates, strict=True)}


def _draw_sets(
    layout: Layout,
    prepared: Mapping[str, Prepared],
    plan: _Plan,
    sets: Mapping[int, Draw],
    extra: np.ndarray | None = None,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Values of the metrics of a layout on sets of replicates, and on `extra` tables.

    Parameters
    ----------
    sets : mapping of int to callable
        How to draw each set, by its number.
    extra : array of shape (E, S, G, C), optional

    Returns
    -------
    sets : dict of arrays of shape (len(sets), n_draws), by metric
    extra : dict of arrays of shape (E,), by metric
    """
    blocks = [
        draw_blocks(layout, draw, plan.n_draws, seed=plan.seed, stage=stage)
        for stage, draw in sets.items()
    ]
    tables = chain(*blocks, [] if extra is None else [extra])
    chunks = [
        _evaluate(layout, prepared, tensor) for tensor in tensors(layout, tables, plan.chunk_size)
    ]
    values = {k: np.concatenate([c[k] for c in chunks]) for k in prepared}
    n = len(sets) * plan.n_draws
    return (
        {k: v[:n].reshape(len(sets), -1) for k, v in values.items()},
        {k: v[n:] for k, v in values.items()},
    )


def _draw_all(layout: Layout, prepared: Mapping[str, Prepared], plan: _Plan) -> dict[str, Draws]:
    """Values of the metrics of a layout on all the sets of replicates that a method needs."""
    path = Path(layout)
    # no exact null for the sizes of groups: drawn from even ones, as the start of the path
    exact = layout.name != "sizes"
    sets = {_NULL: without_bias(layout) if exact else multinomial(layout, path.rates(0.0))}
    empty = np.empty(0)
    if plan.interval == "percentile":
        sets[_BOOTSTRAP] = bootstrapped(layout)
        found, _ = _draw_sets(layout, prepared, plan, sets)
        return {k: Draws(v[0], empty.reshape(0, 0), empty, empty, v[1]) for k, v in found.items()}
    for i, t in enumerate(PATH):
        sets[_PATH + i] = multinomial(layout, path.rates(t))
    sets[_POSTERIOR] = posterior(layout)
    found, expected = _draw_sets(layout, prepared, plan, sets, path.expected())
    return {k: Draws(v[0], v[1:-1], expected[k], v[-1], empty) for k, v in found.items()}
