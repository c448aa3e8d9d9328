"""Spearman's rank correlation with a confidence interval."""

import numpy as np
from scipy import stats


def rank_correlation(
    x: np.ndarray, y: np.ndarray, confidence: float = 0.95
) -> tuple[float, float, float, int]:
    """Spearman's rho with the interval of Bonett and Wright.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Pairs with a NaN are left out.
    confidence : float, default=0.95

    Returns
    -------
    rho, lower, upper : float
        In [-1, 1]; NaN where one side is constant or fewer than 3 pairs are left, the limits also
        for fewer than 5.
    n : int
        Number of pairs.

    Notes
    -----
    Fisher's z with variance (1 + rho^2 / 2) / (n - 3): Bonett and Wright, "Sample size requirements
    for estimating Pearson, Kendall and Spearman correlations", Psychometrika 65, 2000. The variance
    is taken at a rho no nearer to 1 than half the smallest step that ranks allow, so that a perfect
    correlation of few pairs keeps an interval of some width.
    """
    used = ~(np.isnan(x) | np.isnan(y))
    x, y, n = x[used], y[used], int(np.count_nonzero(used))
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan, np.nan, np.nan, n
    ranks = stats.rankdata(np.stack([x, y]), axis=1)
    rho = float(np.clip(np.corrcoef(ranks)[0, 1], -1, 1))
    if n < 5:
        return rho, np.nan, np.nan, n
    largest = 1 - 6 / (n * (n**2 - 1))  # without ties, one swap of neighbours costs twice this step
    bounded = np.clip(rho, -largest, largest)
    z = stats.norm.ppf(0.5 + confidence / 2)
    half = z * np.sqrt((1 + bounded**2 / 2) / (n - 3))
    lower, upper = np.tanh(np.arctanh(bounded) + np.array([-half, half]))
    return rho, float(min(lower, rho)), float(max(upper, rho)), n
