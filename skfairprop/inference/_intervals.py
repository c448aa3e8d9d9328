"""From the values of a metric on sets of replicates to its interval and p-value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from skfairprop.inference._calls import MetricCall
from skfairprop.inference._result import Inference

Array = np.ndarray
# Values that differ by less are equal: the same table in another order of summation.
_TOLERANCE = 1e-10
# Beyond the exact null the rates of the path are estimated from the same data: quantiles at
# 1 - alpha / 2 would make the lower end miss in up to .075 of simulated data sets, these in .04.
_PATH_TAIL = 3


@dataclass
class Draws:
    """Values of one metric, with 0 as its value without bias, on the sets of replicates.

    Parameters
    ----------
    null : array of shape (B,)
        Without bias.
    path : array of shape (P, B)
        At the points of the path.
    expected : array of shape (1 + P,)
        On the expected tables at its start and at its points.
    posterior : array of shape (B,)
        On expected tables under draws of the rates.
    bootstrap : array of shape (B,)
        On resampled rows.
    lower : float, optional
        The lower end, where another method settles it.

    Sets that a method does not need are empty. All are sorted, NaN last.
    """

    null: Array
    path: Array
    expected: Array
    posterior: Array
    bootstrap: Array
    lower: float | None = None

    def __post_init__(self) -> None:
        for name in ("null", "path", "posterior", "bootstrap"):
            setattr(self, name, np.sort(getattr(self, name), axis=-1))

    def count_undefined(self) -> tuple[int, bool]:
        """The largest number of NaN in a set, and whether it is more than half of the set."""
        sets = (self.null[None], self.path, self.posterior[None], self.bootstrap[None])
        counts = [
            (int(np.count_nonzero(np.isnan(s), axis=1).max()), s.shape[1]) for s in sets if s.size
        ]
        return max(n for n, _ in counts), any(n > size / 2 for n, size in counts)


def quantiles(values: Array, levels: Sequence[float]) -> Array:
    """Quantiles of sorted values with NaN last, interpolated linearly; shape (..., len(levels)).

    NumPy's nanquantile gives the same, and sorts again for each call.
    """
    size = values.shape[-1]
    if size and not np.isnan(values[..., -1]).any():
        position = np.asarray(levels) * (size - 1)
        below = position.astype(np.intp)
        low, high = values[..., below], values[..., np.minimum(below + 1, size - 1)]
        return low + (high - low) * (position - below)
    n = np.count_nonzero(~np.isnan(values), axis=-1)[..., None]
    position = np.asarray(levels) * np.maximum(n - 1, 0)
    below = position.astype(np.intp)
    above = np.minimum(below + 1, np.maximum(n - 1, 0))
    low, high = (np.take_along_axis(values, i, axis=-1) for i in (below, above))
    return low + (high - low) * (position - below)


def assemble(
    value: float,
    draws: Draws,
    call: MetricCall,
    *,
    confidence: float,
    n_draws: int,
    method: str,
    reason: str,
) -> Inference:
    """The inference of one metric.

    Parameters
    ----------
    value : float
        With 0 as the value without bias.
    """
    n_undefined, too_few = draws.count_undefined()
    undefined = Inference(
        value=_as_printed(value, call.best),
        lower=np.nan,
        upper=np.nan,
        corrected=np.nan,
        p_value=np.nan,
        null_mean=np.nan,
        null_95=np.nan,
        open_at_zero=False,
        reliable=False,
        reason="the metric is undefined",
        n_undefined=n_undefined,
        n_draws=n_draws,
        confidence=confidence,
        method=method,
        null=call.resolved_null,
        best=call.best,
        signed=call.metric.signed,
    )
    if np.isnan(value):
        return undefined
    if too_few:
        why = f"undefined on {n_undefined:,} of {n_draws:,} replicates"
        return replace(undefined, reason=why)
    return _complete(replace(undefined, reliable=not reason, reason=reason), value, draws, call)


def _complete(found: Inference, value: float, draws: Draws, call: MetricCall) -> Inference:
    """The same with interval, p-value and null."""
    lower, upper, corrected, p, is_open = _ends(
        value, draws, call, 1 - found.confidence, found.method
    )
    ends = sorted(_as_printed(end, call.best) for end in (lower, upper))
    found = replace(
        found, lower=ends[0], upper=ends[1], p_value=float(p), open_at_zero=bool(is_open)
    )
    if call.resolved_null is None:
        return found
    return replace(
        found,
        corrected=_as_printed(corrected, call.best),
        null_mean=_as_printed(np.nanmean(draws.null), call.best),
        null_95=_as_printed(_null_point(draws.null, call), call.best),
    )


def _ends(
    value: float, draws: Draws, call: MetricCall, alpha: float, method: str
) -> tuple[float, float, float, float, bool]:
    """Lower and upper end, corrected value, p-value, and whether the interval is open."""
    p = np.nan
    if call.resolved_null is not None:
        p = p_value(*(_distance(x, call) for x in (value, draws.null)))
    if method == "percentile":
        lower, upper = quantiles(draws.bootstrap, [alpha / 2, 1 - alpha / 2])
        return lower, upper, np.nan, p, False
    if call.metric.signed:
        lower, upper, corrected = two_sided(value, draws, alpha)
        lower, upper, is_open = agree_on_both_sides(value, lower, upper, p, alpha)
        return lower, upper, corrected, p, is_open
    lower, corrected = invert_path(value, draws, alpha)
    if draws.lower is not None:
        lower = min(draws.lower, value)
    upper = max(float(quantiles(draws.posterior, [1 - alpha / 2])[0]), value)
    lower, is_open = agree_with_p(lower, p, alpha)
    return lower, upper, corrected, p, is_open


def _null_point(null: Array, call: MetricCall) -> float:
    """The point that one replicate in twenty passes."""
    return float(quantiles(np.sort(_distance(null, call)), [0.95])[0])


def _distance(gap, call: MetricCall):
    """How far from no bias; for signed metrics on either side."""
    return np.abs(gap) if call.metric.signed else gap


def _as_printed(gap: float, best: float) -> float:
    return float(1 - gap if best == 1 else gap)


def p_value(value: float, null: Array) -> float:
    """(1 + number of replicates at least as large) / (1 + number of replicates)."""
    return float(p_values(np.array([value]), null)[0])


def p_values(values: Array, null: Array) -> Array:
    """The same for several values; NaN where they are."""
    defined = np.sort(null[~np.isnan(null)])
    larger = len(defined) - np.searchsorted(defined, values - _TOLERANCE)
    return np.where(np.isnan(values), np.nan, (1 + larger) / (1 + len(defined)))


def invert_path(value: float, draws: Draws, alpha: float) -> tuple[float, float]:
    """Lower end and median-unbiased value: where on the path `value` is that quantile.

    The lower end is the metric at the point whose upper quantile equals the value, the corrected
    value that at the point whose median does; both 0 if even the start exceeds it.
    """
    start = quantiles(draws.null[None], [1 - alpha / 2, 0.5])
    along = quantiles(draws.path, [1 - alpha / _PATH_TAIL, 0.5])
    points = np.maximum.accumulate(np.concatenate([start, along]))
    size = np.maximum.accumulate(draws.expected)
    size = size - size[0]
    steps = 1e-12 * np.arange(len(points))  # strictly increasing, as interpolation needs it

    def at(q: Array) -> float:
        return 0.0 if value <= q[0] else min(float(np.interp(value, q + steps, size)), value)

    return at(points[:, 0]), at(points[:, 1])


def two_sided(value: float, draws: Draws, alpha: float) -> tuple[float, float, float]:
    """Ends and bias-corrected value of a signed metric, from tables drawn from its own rates.

    The percentiles shift the bias of a maximum the wrong way, their reflection about the value
    overshoots where the value can hardly move to one side: the interval takes in both.
    """
    centre = draws.expected[-1]
    low, middle, high = quantiles(draws.path[-1], [alpha / 2, 0.5, 1 - alpha / 2])
    lower = min(low, value + centre - high, value)
    upper = max(high, value + centre - low, value)
    return float(lower), float(upper), float(value + centre - middle)


def agree_on_both_sides(
    value: float, lower: float, upper: float, p: float, alpha: float
) -> tuple[float, float, bool]:
    """Ends that hold 0 exactly where p is above alpha, and whether the interval is open at 0."""
    if np.isnan(p):
        return lower, upper, False
    if p > alpha:
        return min(lower, 0.0), max(upper, 0.0), False
    if value > 0:
        return max(lower, 0.0), upper, lower <= 0
    return lower, min(upper, 0.0), upper >= 0


def agree_with_p(lower: float, p: float, alpha: float) -> tuple[float, bool]:
    """A lower end that never contradicts the p-value, and whether the interval is open there.

    p above alpha: [0, upper]. p in (alpha/2, alpha]: (0, upper]. p up to alpha/2: [lower, upper].
    """
    if np.isnan(p):
        return lower, False
    if p > alpha / 2:
        lower = 0.0
    return lower, bool(p <= alpha and lower == 0)
