"""Lower ends of gap metrics from simultaneous intervals of the pairwise differences."""

from collections.abc import Iterator

import numpy as np

from skfairprop.inference._calls import MetricCall, Prepared
from skfairprop.metrics import Rates

Array = np.ndarray
# Pairs of groups are compared in blocks of at most so many cells.
_CELLS = 1 << 22

# How each gap metric joins the gaps of the columns of its rates.
_JOIN = {
    "demographic_parity_difference": "max",
    "equalized_odds_difference": "max",
    "equal_opportunity_difference": "max",
    "accuracy_difference": "max",
    "false_positive_rate_difference": "max",
    "false_negative_rate_difference": "max",
    "precision_difference": "max",
    "term_by_term_equalized_odds": "mean",
    "equal_opportunity": "mean",
    "estimation_demographic_parity": "max",
    "estimation_sensitivity": "max",
    "estimation_specificity": "max",
    "estimation_equal_ppv": "max",
    "estimation_equal_npv": "max",
    "estimation_equal_fpr": "max",
    "estimation_equal_fnr": "max",
    "estimation_balance_residuals": "max",
}


def is_gap_metric(call: MetricCall) -> bool:
    """Whether the metric is a maximum or mean of gaps between rates."""
    return call.metric.name in _JOIN


def gap_rates(p: Prepared, rates: Rates) -> Array:
    """The rates whose gaps make the metric, (..., G, C)."""
    metric = p.call.metric
    read = rates.positive_rate if metric.needs_positive else rates.__getitem__
    return np.concatenate([read(name) for name in metric.rates], axis=-1)


def max_t_lower(p: Prepared, observed: Array, centre: Array, draws: Array, alpha: float) -> float:
    """Lower end that holds for all pairs of groups and all columns at once.

    Parameters
    ----------
    p : Prepared
    observed : array of shape (G, C)
        The rates.
    centre : array of shape (G, C)
        The rates that `draws` were drawn from.
    draws : array of shape (B, G, C)
    alpha : float
        The lower end misses in at most ``alpha / 2`` of the cases.
    """
    deviation = draws - centre
    variance = _nan_mean(deviation**2)
    pairs = np.triu_indices(len(observed), 1)
    largest = np.zeros(len(draws))
    bound = np.full(observed.shape[1], np.nan)
    scales = []
    for i, j in _blocks(pairs, draws.shape[0] * draws.shape[2]):
        scale = np.sqrt(variance[i] + variance[j])
        scales.append(scale)
        ratio = np.abs(deviation[:, i] - deviation[:, j])
        ratio = np.divide(ratio, scale, out=np.zeros_like(ratio), where=scale > 0)
        largest = np.fmax(largest, np.fmax.reduce(ratio, axis=(1, 2), initial=0.0))
    critical = np.quantile(largest, 1 - alpha / 2)
    for (i, j), scale in zip(_blocks(pairs, draws.shape[0] * draws.shape[2]), scales, strict=True):
        low = np.maximum(np.abs(observed[i] - observed[j]) - critical * scale, 0.0)
        bound = np.fmax(bound, np.fmax.reduce(low, axis=0))
    if np.isnan(bound).all():
        return 0.0
    join = p.call.options.get("agg", {"max": "worst_case"}.get(_JOIN[p.call.metric.name], "mean"))
    return float(np.nanmax(bound) if join == "worst_case" else np.nanmean(bound))


def _nan_mean(values: Array) -> Array:
    defined = ~np.isnan(values)
    n = np.count_nonzero(defined, axis=0)
    total = np.where(defined, values, 0.0).sum(0)
    return np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)


def _blocks(pairs: tuple[Array, Array], cells: int) -> Iterator[tuple[Array, Array]]:
    step = max(1, _CELLS // max(cells, 1))
    for start in range(0, len(pairs[0]), step):
        yield pairs[0][start : start + step], pairs[1][start : start + step]
