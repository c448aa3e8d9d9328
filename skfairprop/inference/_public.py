"""The inference of one metric from rows."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skfairprop import metrics
from skfairprop._checks import check_choice
from skfairprop._random import RandomState
from skfairprop.counts import GroupCounts
from skfairprop.inference._calls import MetricCall
from skfairprop.inference._infer import infer, null_replicates
from skfairprop.inference._intervals import p_value
from skfairprop.inference._max_t import is_gap_metric
from skfairprop.inference._result import Inference
from skfairprop.metrics import Metric, get_metric


@dataclass(frozen=True, repr=False, eq=False)
class NullBaseline:
    """A metric on data of the same size without bias.

    Attributes
    ----------
    value : float
        The metric itself.
    mean, point_95 : float
        Mean of the replicates, and the point that one in twenty passes (on the side of bias).
    p_value : float
        Share of replicates that are at least as far from no bias as `value`, in (0, 1].
    draws : array of shape (n_draws,)
        The metric on each replicate; NaN where it is undefined.
    null : str
        What was exchangeable between the groups.

    Examples
    --------
    >>> from skfairprop.inference import null_baseline
    >>> chance = null_baseline(
    ...     "demographic_parity_difference",
    ...     [0, 1] * 20,
    ...     [0, 1] * 20,
    ...     sensitive_features=["a"] * 20 + ["b"] * 20,
    ...     random_state=0,
    ... )
    >>> chance.value, 0.1 < chance.mean < 0.2, chance.draws.shape
    (0.0, True, (1000,))
    """

    value: float
    mean: float
    point_95: float
    p_value: float
    draws: np.ndarray
    null: str

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NullBaseline):
            return NotImplemented
        mine, theirs = (
            [found.value, found.mean, found.point_95, found.p_value, *found.draws]
            for found in (self, other)
        )
        return self.null == other.null and np.array_equal(mine, theirs, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]  # equal by value and holds an array

    def __repr__(self) -> str:
        return (
            f"NullBaseline: {self.value:.3f}; by chance {self.mean:.3f} on average, beyond "
            f"{self.point_95:.3f} in 1 of 20, p = {self.p_value:.3g}\n"
            f"  null {self.null!r}, {len(self.draws):,} replicates"
        )


def metric_interval(
    metric: str | Metric,
    y_true: Any,
    y_pred: Any = None,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    of: str = "y_true",
    confidence: float = 0.95,
    interval: str = "tilted",
    null: str | None = None,
    n_draws: int = 1000,
    undefined: str = "drop",
    missing: str = "raise",
    random_state: RandomState = None,
    **options: Any,
) -> Inference:
    """Value, interval, null baseline and p-value of one metric.

    Parameters
    ----------
    metric : str or Metric
        Name of a count metric, as ``"equalized_odds_difference"``, or its record.
    y_true : array-like of shape (n,)
        True classes.
    y_pred : array-like of shape (n,), optional
        Predicted classes; the metrics of a data set alone do without.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative. Read as sampling weights: they cost effective sample size (Kish), in each
        group and stratum.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    of : {"y_true", "y_pred"}, default="y_true"
        For the metrics of a data set: whether the labels or the predictions are the data set.
    confidence : float, default=0.95
        In (0, 1).
    interval : {"tilted", "max_t", "percentile"}, default="tilted"
        How the interval is made, see :func:`infer`.
    null : {"independence", "separation", "sufficiency"}, optional
        What is exchangeable between the groups without bias; default: what the metric declares.
        Strata are of classes; with a positive class among more than two, of that class and the
        rest.
    n_draws : int, default=1000
        Number of replicates in each set.
    undefined : {"drop", "zero", "raise"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws; the same one gives the same result.
    **options
        The metric's own options, as ``agg="mean"``.

    Returns
    -------
    Inference
        With `value`, `lower`, `upper`, `corrected`, `p_value`, `null_mean`, `null_95` and more.

    Raises
    ------
    ValueError
        If the input is empty, misaligned or has missing values; if an argument is out of range;
        if the metric is no function of counts; if ``interval="max_t"`` and it is no gap metric.

    See Also
    --------
    infer : The same for many metrics at once, from counts.
    resample_rows : For a function of rows that is no function of counts.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.inference import metric_interval
    >>> rng = np.random.default_rng(0)
    >>> sex = np.repeat(["f", "m"], 100)
    >>> y_true = rng.integers(2, size=200)
    >>> y_pred = np.where(rng.random(200) < 0.7, y_true, 1 - y_true)
    >>> found = metric_interval(
    ...     "equalized_odds_difference", y_true, y_pred, sensitive_features=sex, random_state=0
    ... )
    >>> found.lower, found.value < found.upper < 0.4, found.p_value > 0.05
    (0.0, True, True)
    """
    call = _call(metric, options, pos_label, of, undefined, null)
    if interval == "max_t" and not is_gap_metric(call):
        raise ValueError(
            f"interval='max_t' is for gaps between rates, and {call.metric.name} is none; "
            "use interval='tilted'"
        )
    counts = _count(call, y_true, y_pred, sensitive_features, sample_weight, undefined, missing)
    return infer(
        counts,
        {"metric": call},
        confidence=confidence,
        n_draws=n_draws,
        interval=interval,
        random_state=random_state,
    )["metric"]


def null_baseline(
    metric: str | Metric,
    y_true: Any,
    y_pred: Any = None,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    of: str = "y_true",
    null: str | None = None,
    n_draws: int = 1000,
    undefined: str = "drop",
    missing: str = "raise",
    random_state: RandomState = None,
    **options: Any,
) -> NullBaseline:
    """What a metric would be on these data if there were no bias: by chance alone.

    The groups are exchanged, exactly, within the strata that the metric's null names.

    Parameters
    ----------
    metric, y_true, y_pred, sensitive_features, sample_weight, pos_label, of, null
        As for :func:`metric_interval`.
    n_draws : int, default=1000
        Number of replicates.
    undefined, missing, random_state, **options
        As for :func:`metric_interval`.

    Returns
    -------
    NullBaseline
        With `mean`, `point_95`, `p_value` and the replicates, `draws`.

    Raises
    ------
    ValueError
        As :func:`metric_interval`; and if the metric has no null.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.inference import null_baseline
    >>> rng = np.random.default_rng(0)
    >>> y_true, y_pred = rng.integers(2, size=(2, 100))
    >>> age = np.repeat(["20-29", "30-39", "40-49", "50-59"], 25)
    >>> chance = null_baseline(
    ...     "equalized_odds_difference", y_true, y_pred, sensitive_features=age, random_state=0
    ... )
    >>> 0.3 < chance.mean < 0.4
    True
    """
    call = _call(metric, options, pos_label, of, undefined, null)
    if call.resolved_null is None:
        raise ValueError(f"{call.metric.name} has no null: it compares no groups' outcomes")
    counts = _count(call, y_true, y_pred, sensitive_features, sample_weight, undefined, missing)
    value, draws = null_replicates(counts, call, n_draws=n_draws, random_state=random_state)
    inverted = call.best == 1
    mean, point = np.nan, np.nan
    if not np.isnan(draws).all():
        mean = float(np.nanmean(draws))
        point = float(np.nanquantile(draws, 0.05 if inverted else 0.95))
    gaps = (1 - value, 1 - draws) if inverted else (value, draws)
    p = np.nan if np.isnan(value) else p_value(*gaps)
    return NullBaseline(value, mean, point, p, draws, call.resolved_null)


def _call(metric, options, pos_label, of, undefined, null) -> MetricCall:
    check_choice("undefined", undefined, ("drop", "zero", "raise"))
    kept = "zero" if undefined == "zero" else "drop"
    return MetricCall(get_metric(metric), options, pos_label, of, kept, null)


def _count(
    call: MetricCall,
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    sample_weight: Any,
    undefined,
    missing,
) -> GroupCounts:
    """Counts of the rows; warns of what the metric leaves out, as its public function does."""
    counts = GroupCounts.from_arrays(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    metrics.evaluate(
        counts,
        call.metric,
        of=call.of,
        pos_label=call.pos_label,
        undefined=undefined,
        **call.options,
    )
    return counts
