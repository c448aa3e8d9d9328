"""Two models on the same rows, or two tables: the difference of a metric, and how sure it is."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from skfairprop._random import RandomState, draw_wide_seed
from skfairprop.counts import GroupCounts
from skfairprop.inference._calls import MetricCall
from skfairprop.inference._infer import infer
from skfairprop.inference._intervals import agree_on_both_sides, p_value
from skfairprop.inference._joint import Joint, count_joint
from skfairprop.inference._layout import Layout, make_layout
from skfairprop.inference._replicates import draw_blocks, multinomial, permuted
from skfairprop.inference._result import Inference
from skfairprop.metrics import Metric, Rates, get_metric
from skfairprop.metrics._metric import evaluate, find_positive

Array = np.ndarray
# Numbers of the sets of replicates.
_NULL, _OWN = 30, 31


@dataclass(frozen=True, repr=False)
class Comparison:
    """A metric of two models, or of two data sets, and their difference.

    Attributes
    ----------
    value_a, value_b : float
        The metric of each. NaN where it is undefined; then all the numbers below are NaN too.
    lower_a, upper_a, lower_b, upper_b : float
        Ends of the interval of each.
    difference : float
        `value_b` - `value_a`.
    lower, upper : float
        Ends of the interval of the difference; ``lower <= difference <= upper``.
    p_value : float
        In (0, 1]: `p_exchange`, or the level at which the interval would just reach 0 where that
        is larger.
    p_exchange : float
        Share of replicates with exchanged rows that differ at least as much. Alone it asks whether
        the two could be exchanged; models with equal but opposite gaps could not.
    open_at_zero : bool
        Whether the interval ends at 0 without including it.
    n_undefined : int
        Number of replicates without a difference on which the metric was undefined.
    n_draws : int
        Number of replicates in each set.
    confidence : float
        Level of the intervals, in (0, 1).

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import compare_counts
    >>> labels = {"groups": ["a", "b"], "classes": [0, 1]}
    >>> before = GroupCounts([[[80, 20], [10, 90]], [[50, 50], [10, 90]]], **labels)
    >>> after = GroupCounts([[[80, 20], [10, 90]], [[78, 22], [10, 90]]], **labels)
    >>> found = compare_counts("equalized_odds_difference", before, after, random_state=0)
    >>> round(found.value_a, 2), round(found.value_b, 2), round(found.difference, 2)
    (0.3, 0.02, -0.28)
    >>> found.excludes_zero()
    True
    """

    value_a: float
    value_b: float
    lower_a: float
    upper_a: float
    lower_b: float
    upper_b: float
    difference: float
    lower: float
    upper: float
    p_value: float
    p_exchange: float
    open_at_zero: bool
    n_undefined: int
    n_draws: int
    confidence: float

    def excludes_zero(self) -> bool:
        """Whether the interval leaves out 0: exactly where p_value <= 1 - confidence.

        Returns
        -------
        bool
        """
        return self.lower > 0 or self.upper < 0 or self.open_at_zero

    def __repr__(self) -> str:
        if np.isnan(self.difference):
            return f"Comparison: undefined ({self.value_a:.3f} and {self.value_b:.3f})"
        return (
            f"Comparison: difference {self.difference:.3f}, {self.confidence:.4g} interval "
            f"[{self.lower:.3f}, {self.upper:.3f}], p = {self.p_value:.3g}\n"
            f"  a {self.value_a:.3f} [{self.lower_a:.3f}, {self.upper_a:.3f}]\n"
            f"  b {self.value_b:.3f} [{self.lower_b:.3f}, {self.upper_b:.3f}]\n"
            f"  {self.n_draws:,} replicates"
            + (f", {self.n_undefined:,} of them undefined" if self.n_undefined else "")
        )


def compare_models(
    metric: str | Metric,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    confidence: float = 0.95,
    n_draws: int = 1000,
    missing: str = "raise",
    random_state: RandomState = None,
    **options: Any,
) -> Comparison:
    """Difference of a metric between two models that predicted the same rows.

    Parameters
    ----------
    metric : str or Metric
        Name of a count metric, or its record. Metrics of a data set alone read the predictions.
    y_true : array-like of shape (n,)
        True classes.
    y_pred_a, y_pred_b : array-like of shape (n,)
        Classes that the two models predicted.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative. They cost effective sample size (Kish), in each group.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    confidence : float, default=0.95
        In (0, 1).
    n_draws : int, default=1000
        Number of replicates in each set.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws; the same one gives the same result.
    **options
        The metric's own options, as ``agg="mean"``.

    Returns
    -------
    Comparison
        With `value_a`, `value_b`, `difference` (b - a), `lower`, `upper` and `p_value`.

    Raises
    ------
    ValueError
        If the input is empty, misaligned or has missing values; if an argument is out of range; if
        the metric is no function of counts.

    See Also
    --------
    compare_counts : For different rows, or two times.

    Notes
    -----
    Everything is a function of the joint table of group, truth and the two predictions.

    *p*: the larger of two. Without a difference the two predictions of a row may be swapped: each
    pair of mirrored cells is split at random. That alone tests that the models are exchangeable,
    which models with equal but opposite gaps, or of unlike accuracy, are not although their
    metrics are equal. So p is never below the level at which the interval would just reach 0.

    *Interval*: from the intervals and corrected values of both models (:func:`infer`), joined as
    the method of variance estimates recovery does [1]_, with the correlation of the two values
    over resampled rows. A gap that is not settled enters with the whole of its interval, since a
    maximum over groups errs to one side. It holds 0 exactly where p > 1 - `confidence`.

    Measured on simulated data, 4 groups, 400 to 4,000 rows, two models that agree on most rows,
    demographic parity and equalized odds differences: the interval of 95 % covered .96 or more. It
    is wide where a gap is not settled, and widest for two models without a gap. With 600 rows, 2
    groups and selection rates (.6, .4) against (.4, .6), p was at most .05 in .01 of 120 data sets,
    where the swap alone rejects more than a quarter. Bootstrap percentiles of the difference
    covered as little as .6 where one model has a gap of .3 and the other none.

    References
    ----------
    .. [1] Zou and Donner, "Construction of confidence limits about effect measures: a general
       approach", Statistics in Medicine 27, 2008; equations for a difference, with correlation.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.inference import compare_models
    >>> y_true = np.tile([0, 1], 200)
    >>> sex = np.repeat(["f", "m"], 200)
    >>> fair = y_true.copy()
    >>> unfair = np.where((sex == "f") & (np.arange(400) % 3 == 0), 0, y_true)
    >>> found = compare_models(
    ...     "equal_opportunity_difference", y_true, fair, unfair, sensitive_features=sex,
    ...     random_state=0,
    ... )
    >>> round(found.difference, 2), found.lower > 0, found.p_value < 0.01
    (0.33, True, True)
    """
    call = MetricCall(get_metric(metric), options, pos_label, of="y_pred")
    joint = count_joint(
        y_true,
        y_pred_a,
        y_pred_b,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    _warn_of_undefined(call, (joint.counts_a, joint.counts_b))
    settings: dict[str, Any] = {"confidence": confidence, "n_draws": n_draws}
    return compare_joint({"metric": call}, joint, **settings, random_state=random_state)["metric"]


def compare_counts(
    metric: str | Metric,
    counts_a: GroupCounts,
    counts_b: GroupCounts,
    *,
    pos_label: Hashable | None = None,
    of: str = "y_true",
    confidence: float = 0.95,
    n_draws: int = 1000,
    random_state: RandomState = None,
    **options: Any,
) -> Comparison:
    """Difference of a metric between two independent tables: other rows, or another time.

    Parameters
    ----------
    metric : str or Metric
        Name of a count metric, or its record.
    counts_a, counts_b : GroupCounts
        By the same protected columns; groups and classes may differ. No row is in both.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    of : {"y_true", "y_pred"}, default="y_true"
        For the metrics of a data set: whether the labels or the predictions are the data set.
    confidence : float, default=0.95
        In (0, 1).
    n_draws : int, default=1000
        Number of replicates in each set.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws; the same one gives the same result.
    **options
        The metric's own options.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError, ValueError
        If the tables are none, have replicate axes, other protected columns, or one alone has
        predictions; an argument is out of range; the metric is no function of counts.

    See Also
    --------
    compare_models : For two models on the same rows; more sensitive, since they are paired.

    Notes
    -----
    *p*: without a difference the rows of a group may be exchanged between the tables, within the
    strata that the metric's null names: for rates given the truth, within each true class, so
    that another share of classes is no difference. *Interval*: as in :func:`compare_models`,
    without correlation.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inference import compare_counts
    >>> labels = {"groups": ["a", "b"], "classes": [0, 1]}
    >>> march = GroupCounts([[[80, 20], [10, 90]], [[80, 20], [10, 90]]], **labels)
    >>> april = GroupCounts([[[80, 20], [10, 90]], [[40, 60], [60, 40]]], **labels)
    >>> found = compare_counts("equalized_odds_difference", march, april, random_state=0)
    >>> round(found.difference, 2), found.excludes_zero()
    (0.5, True)
    """
    call = MetricCall(get_metric(metric), options, pos_label, of=of)
    for name, counts in (("counts_a", counts_a), ("counts_b", counts_b)):
        if not isinstance(counts, GroupCounts):
            raise TypeError(f"{name} must be GroupCounts; got {type(counts).__name__}")
        if counts.values.ndim != (3 if counts.predicted else 2):
            raise ValueError("counts with replicate axes cannot be compared; select one replicate")
    tables = union_tables(counts_a, counts_b)
    _warn_of_undefined(call, tables)
    settings: dict[str, Any] = {"confidence": confidence, "n_draws": n_draws}
    return compare_tables({"metric": call}, *tables, **settings, random_state=random_state)[
        "metric"
    ]


def compare_joint(
    calls: Mapping[str, MetricCall],
    joint: Joint,
    *,
    confidence: float,
    n_draws: int,
    random_state: RandomState,
) -> dict[str, Comparison]:
    """Compare any number of metrics of two models on the same rows, on common replicates."""
    seed = draw_wide_seed(random_state)
    found_a, found_b = (
        infer(counts, calls, confidence=confidence, n_draws=n_draws, random_state=seed)
        for counts in (joint.counts_a, joint.counts_b)
    )
    measures = {name: _measure_of(call, joint.counts_a) for name, call in calls.items()}

    def values(draw: Callable, stage: int) -> dict[str, Array]:  # (2, n_draws) each
        found: dict[str, list] = {name: [] for name in measures}
        for block in draw_blocks(joint.layout, draw, n_draws, seed=seed, stage=stage):
            pair = joint.tensors(block)
            for name, measure in measures.items():
                found[name].append([measure(table) for table in pair])
        return {name: np.concatenate(parts, axis=1) for name, parts in found.items()}

    null = values(joint.swapped, _NULL)
    own = values(multinomial(joint.layout, joint.rates), _OWN)
    return {
        name: _joined(
            found_a[name], found_b[name], null[name][1] - null[name][0], _correlation(*own[name])
        )
        for name in calls
    }


def compare_tables(
    calls: Mapping[str, MetricCall],
    counts_a: GroupCounts,
    counts_b: GroupCounts,
    *,
    confidence: float,
    n_draws: int,
    random_state: RandomState,
) -> dict[str, Comparison]:
    """Compare any number of metrics of two independent tables with the same groups and classes."""
    seed = draw_wide_seed(random_state)
    tables = counts_a, counts_b
    found_a, found_b = (
        infer(counts, calls, confidence=confidence, n_draws=n_draws, random_state=seed)
        for counts in tables
    )
    null: dict[str, Array] = {}
    for layout in dict.fromkeys(_layout_name(call) for call in calls.values()):
        mine = {k: _measure_of(c, counts_a) for k, c in calls.items() if _layout_name(c) == layout}
        layouts = [make_layout(layout, counts) for counts in tables]
        both = np.stack([own.counts for own in layouts], axis=2)
        shape = both.shape  # strata, groups, tables, columns
        stacked = Layout(layout, both.reshape(-1, *shape[2:]), None, layouts[0].n_classes)
        found: dict[str, list] = {name: [] for name in mine}
        for block in draw_blocks(stacked, permuted(stacked), n_draws, seed=seed, stage=_NULL):
            pair = np.moveaxis(block.reshape(-1, *shape), 3, 0)
            a, b = (own.tensor(t) for own, t in zip(layouts, pair, strict=True))
            for name, measure in mine.items():
                found[name].append(measure(b) - measure(a))
        null |= {name: np.concatenate(parts) for name, parts in found.items()}
    return {name: _joined(found_a[name], found_b[name], null[name], 0.0) for name in calls}


def _warn_of_undefined(call: MetricCall, tables: tuple[GroupCounts, GroupCounts]) -> None:
    """Warn of what is left out, as the metric itself does."""
    for counts in tables:
        read = counts.of_predictions() if _reads_predictions(call) else counts
        evaluate(read, call.metric, pos_label=call.pos_label, stacklevel=4, **call.options)


def _joined(a: Inference, b: Inference, null: Array, correlation: float) -> Comparison:
    """The comparison of two inferences, with the differences of replicates without one."""
    difference = b.value - a.value
    confidence, n_draws = a.confidence, a.n_draws
    n_undefined = int(np.count_nonzero(np.isnan(null)))
    p = exchanged = lower = upper = np.nan
    is_open = False
    ends = join_intervals(a, b, correlation)
    if not np.isnan(ends).any() and n_undefined <= n_draws / 2:
        exchanged = float(p_value(abs(difference), np.abs(null)))
        p = max(exchanged, p_of_interval(difference, *ends, confidence))
        lower, upper, is_open = agree_on_both_sides(difference, *ends, p, 1 - confidence)
    return Comparison(
        value_a=a.value,
        value_b=b.value,
        lower_a=a.lower,
        upper_a=a.upper,
        lower_b=b.lower,
        upper_b=b.upper,
        difference=difference,
        lower=lower,
        upper=upper,
        p_value=p,
        p_exchange=exchanged,
        open_at_zero=bool(is_open),
        n_undefined=n_undefined,
        n_draws=n_draws,
        confidence=confidence,
    )


def p_of_interval(difference: float, lower: float, upper: float, confidence: float) -> float:
    """Level at which an interval would just reach 0, by the normal distribution."""
    reach = difference - lower if difference > 0 else upper - difference
    if difference == 0 or reach == 0:
        return float(difference == 0)
    normal = NormalDist()
    z = normal.inv_cdf(0.5 + confidence / 2) * abs(difference) / reach
    return 2 * (1 - normal.cdf(z))


def join_intervals(a: Inference, b: Inference, correlation: float) -> tuple[float, float]:
    """Ends of the interval of b - a, from those of both.

    Each end combines the distances of one interval's end below and the other's above. Where an
    interval reaches the value without bias its distance on that side is not one of chance alone:
    the value is biased, and the end itself is taken.
    """
    low_a, low_b, high_a, high_b = (
        _centre(a, a.lower),
        _centre(b, b.lower),
        _centre(a, a.upper),
        _centre(b, b.upper),
    )

    def distance(x: float, y: float) -> float:
        return float(np.sqrt(np.maximum(x * x + y * y - 2 * correlation * x * y, 0.0)))

    difference = b.value - a.value
    lower = low_b - high_a - distance(low_b - b.lower, a.upper - high_a)
    upper = high_b - low_a + distance(b.upper - high_b, low_a - a.lower)
    return float(np.minimum(lower, difference)), float(np.maximum(upper, difference))


def _centre(found: Inference, end: float) -> float:
    """The value corrected for chance, or an end that is the value without bias."""
    if end == found.best and not found.signed:
        return end
    corrected = found.value if np.isnan(found.corrected) else found.corrected
    return float(np.clip(corrected, found.lower, found.upper))


def _correlation(a: Array, b: Array) -> float:
    """Correlation of two values over replicates, 0 where it is negative or there is none."""
    kept = ~np.isnan(a) & ~np.isnan(b)
    if np.count_nonzero(kept) < 2 or not (np.ptp(a[kept]) > 0 and np.ptp(b[kept]) > 0):
        return 0.0
    return float(max(np.corrcoef(a[kept], b[kept])[0, 1], 0.0))


def _measure_of(call: MetricCall, counts: GroupCounts) -> Callable[[Array], Array]:
    """The metric as a function of replicates (B, G, K, K), or (B, G, K) of a data set."""
    labels = call.metric.inputs == "labels"
    positive = None
    if not labels:
        counts.require_predictions(call.metric.name)
    if call.metric.needs_positive:
        positive = find_positive(counts, call.pos_label, call.metric.name)[1]
    lacking = positive is not None and positive == counts.n_classes

    def measure(tensor: Array) -> Array:
        if labels and tensor.ndim == 4:
            tensor = tensor.sum(-2)
        if lacking:  # the positive class occurs nowhere
            tensor = np.pad(tensor, [(0, 0)] * (tensor.ndim - 2) + [(0, 1)] * 2)
        rates = Rates(tensor, predicted=not labels, positive=positive)
        return np.asarray(call.metric.kernel(rates, **call.options))

    return measure


def _reads_predictions(call: MetricCall) -> bool:
    return call.metric.inputs == "labels" and call.of == "y_pred"


def _layout_name(call: MetricCall) -> str:
    """The strata within which rows of a group are exchanged between two tables."""
    null = call.resolved_null
    if call.metric.inputs == "labels":
        return "sizes" if null is None else f"labels of {call.of}"
    return null if null in ("separation", "sufficiency") else "independence"


def union_tables(counts_a: GroupCounts, counts_b: GroupCounts) -> tuple[GroupCounts, GroupCounts]:
    """Both tables with the groups and classes of either."""
    frame = _without_rows(counts_a) + _without_rows(counts_b)
    return frame + counts_a, frame + counts_b


def _without_rows(counts: GroupCounts) -> GroupCounts:
    """A table of zeros with the same labels."""
    return GroupCounts(
        np.zeros_like(counts.values),
        groups=counts.groups,
        classes=counts.classes,
        predicted=counts.predicted,
    )
