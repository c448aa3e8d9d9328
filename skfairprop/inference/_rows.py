"""Intervals of what is no function of counts: rows are resampled within the groups."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skfairprop._checks import check_choice
from skfairprop._random import RandomState, draw_wide_seed
from skfairprop._rows import as_indexable, count_rows, take_rows
from skfairprop.groups import Groups
from skfairprop.inference._infer import check_settings
from skfairprop.inference._result import Inference

INTERVALS = ("joined", "percentile")


def resample_rows(
    function: Callable[..., Any],
    *arrays: Any,
    within: Any,
    confidence: float = 0.95,
    interval: str = "joined",
    n_draws: int = 1000,
    missing: str = "raise",
    random_state: RandomState = None,
) -> Inference:
    """Interval of any function of rows, such as a gap between groups in a score's calibration.

    The rows of every group are drawn with replacement, so that the sizes of the groups stay.

    Parameters
    ----------
    function : callable
        ``function(*arrays)`` returns one number; NaN where it is undefined.
    *arrays : array-likes of n rows each
        What the function takes: labels, scores, the protected column itself. Arrays, lists,
        Series, frames and sparse matrices come back in their own kind, with their rows in a new
        order. They go by position, whatever their index.
    within : array-like, Series, DataFrame or dict of array-likes
        The protected column or columns, n rows.
    confidence : float, default=0.95
        In (0, 1).
    interval : {"joined", "percentile"}, default="joined"
        "joined": from the smaller to the larger of the percentiles and of their reflection about
        the value. "percentile": the percentiles, taking in the value.
    n_draws : int, default=1000
        How often the function is called on resampled rows.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random draws; the same one gives the same result.

    Returns
    -------
    Inference
        With `value`, `lower`, `upper` and `n_undefined`; ``method="rows"``. There is no null:
        `p_value`, `corrected`, `null_mean` and `null_95` are NaN. The interval is NaN, and
        `reason` says so, where more than half of the replicates are undefined.

    Raises
    ------
    ValueError
        If there are no arrays, their lengths differ, protected values are missing, a setting is
        out of range, or the function returns no single number.

    See Also
    --------
    metric_interval : For the metrics that are functions of counts; it covers better.

    Notes
    -----
    A gap between groups, and any maximum over them, is biased upward; resampling biases it once
    more. The percentile interval then hardly ever covers a gap of zero; the joined one does so
    more often, not always, and reaches below zero, which a gap cannot: read it as reaching zero.
    Measured at 95 % on the gap of the mean scores of four groups of 50, 200 data sets: where there
    is no gap the percentiles covered it in none and the joined interval in .78 of them; at a gap
    of .3 both in .98. A group of one row never varies.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.inference import resample_rows
    >>> rng = np.random.default_rng(0)
    >>> sex = np.repeat(["f", "m"], 100)
    >>> score = rng.random(200) + (sex == "m")
    >>> def gap_of_means(score, sex):
    ...     return abs(score[sex == "f"].mean() - score[sex == "m"].mean())
    >>> found = resample_rows(gap_of_means, score, sex, within=sex, random_state=0)
    >>> found.lower < found.value < found.upper, 0.8 < found.lower, found.upper < 1.2
    (True, True, True)
    """
    check_settings(confidence, n_draws, "tilted", None, warn=False)
    check_choice("interval", interval, INTERVALS)
    data = [as_indexable(array) for array in arrays]
    groups = Groups.from_columns(within, missing=missing, name="within")
    _check_lengths(data, len(groups))
    if groups.n_dropped:
        warnings.warn(
            f"left out {groups.n_dropped:,} of {len(groups):,} rows with a missing protected "
            f"value; {len(groups) - groups.n_dropped:,} rows were used",
            UserWarning,
            stacklevel=2,
        )
        data = [take_rows(array, np.flatnonzero(groups.codes >= 0)) for array in data]
    codes = groups.codes[groups.codes >= 0]
    value = _number(function(*data))
    rng = np.random.default_rng(draw_wide_seed(random_state))
    draws = np.array(
        [
            _number(function(*(take_rows(array, rows) for array in data)))
            for rows in _resamples(codes, n_draws, rng)
        ]
    )
    return _summarize(value, draws, confidence, interval)


def _check_lengths(data: list, n_rows: int) -> None:
    if not data:
        raise ValueError("no arrays to resample; pass what the function takes after it")
    lengths = [count_rows(array) for array in data]
    if set(lengths) != {n_rows}:
        given = ", ".join(f"array {i} has {n:,}" for i, n in enumerate(lengths))
        raise ValueError(f"inputs have different numbers of rows: {given}, within has {n_rows:,}")


def _number(found: Any) -> float:
    """What the function returned, which must be one number."""
    number = np.asarray(found)
    if number.ndim == 0 and number.dtype.kind in "biuf":
        return float(number)
    raise ValueError(f"the function must return one number; it returned a {type(found).__name__}")


def _resamples(codes: np.ndarray, n_draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Positions of rows drawn with replacement within each group, the groups in their places."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    size = sizes[codes[order]]
    start = np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.empty(len(codes), dtype=np.intp)
    for _ in range(n_draws):
        rows[order] = order[start + (rng.random(len(codes)) * size).astype(np.intp)]
        yield rows.copy()


def _summarize(value: float, draws: np.ndarray, confidence: float, interval: str) -> Inference:
    draws = np.where(np.isfinite(draws), draws, np.nan)  # an infinite value has no interval
    n_undefined = int(np.count_nonzero(np.isnan(draws)))
    lower = upper = np.nan
    reason = ""
    if not np.isfinite(value):
        reason = (
            "the function is undefined (NaN)" if np.isnan(value) else "the function is infinite"
        )
    elif n_undefined > len(draws) / 2:
        reason = f"undefined on {n_undefined:,} of {len(draws):,} replicates"
    else:
        tail = (1 - confidence) / 2
        low, high = np.nanquantile(draws, [tail, 1 - tail])
        lower, upper = min(low, value), max(high, value)
        if interval == "joined":
            lower, upper = min(lower, 2 * value - high), max(upper, 2 * value - low)
    return Inference(
        value=value,
        lower=float(lower),
        upper=float(upper),
        corrected=np.nan,
        p_value=np.nan,
        null_mean=np.nan,
        null_95=np.nan,
        open_at_zero=False,
        reliable=not reason,
        reason=reason,
        n_undefined=n_undefined,
        n_draws=len(draws),
        confidence=confidence,
        method="rows",
        null=None,
    )
