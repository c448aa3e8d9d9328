"""The path of rates from no bias to the observed one, along which the tests are inverted."""

import numpy as np
from scipy.stats import chi2

from skfairprop.inference._layout import Layout

Array = np.ndarray
# Where the path is sampled. 0: pooled, which the exact null stands for; 1: similar groups merged;
# 2: each group's own rates.
PATH = (1 / 3, 2 / 3, 1.0, 2.0)
_MERGE_LEVEL = 0.99


class Path:
    """Rates between the pooled ones (t=0), those of merged groups (t=1) and the own (t=2).

    Own rates are smoothed towards the pooled ones with a weight of one row, so that a rate of 0/5
    can move; merged groups are those that a pairwise chi-square test does not tell apart.
    """

    def __init__(self, layout: Layout) -> None:
        counts = layout.counts.astype(float)
        self.sizes = counts.sum(-1, keepdims=True)
        pooled = pooled_rates(layout)
        own = (counts + pooled) / (self.sizes + 1)
        if layout.name in ("sizes", "swap"):
            merged = 0.5 * (pooled + own)
        else:
            used = max(2, int(np.count_nonzero(counts.sum((0, 1)))))
            limit = chi2.ppf(_MERGE_LEVEL, used - 1)
            merged = np.stack([merge_similar(table, limit) for table in counts])
        merged = np.where(self.sizes > 0, merged, pooled)
        self.knots = np.stack([np.broadcast_to(pooled, own.shape), merged, own])

    def rates(self, t: float) -> Array:
        """Rates at a point of [0, 2], (S, G, C)."""
        start = min(int(t), 1)
        return (1 - (t - start)) * self.knots[start] + (t - start) * self.knots[start + 1]

    def expected(self) -> Array:
        """Expected tables at 0 and at the points of the path, (1 + len(PATH), S, G, C)."""
        return np.stack([self.rates(t) * self.sizes for t in (0.0, *PATH)])


def pooled_rates(layout: Layout) -> Array:
    """The rates without bias.

    Those of a stratum's rows together, even ones where there are none. For the sizes of groups
    even ones; where truth and prediction are swapped, each group's mean over both.
    """
    counts = layout.counts.astype(float)
    if layout.name == "swap":
        k = layout.n_classes
        tables = counts.reshape(*counts.shape[:-1], k, k)
        mean = (0.5 * (tables + tables.swapaxes(-1, -2))).reshape(counts.shape)
        return mean / counts.sum(-1, keepdims=True)
    even = np.full((len(counts), 1, counts.shape[-1]), 1 / counts.shape[-1])
    if layout.name == "sizes":
        return even
    total = counts.sum((-2, -1), keepdims=True)
    return np.divide(counts.sum(-2, keepdims=True), total, out=even, where=total > 0)


def merge_similar(table: Array, limit: float) -> Array:
    """Rates of each row after pooling the rows that a chi-square test does not tell apart.

    The two closest are pooled again and again until all that are left are further apart than
    `limit`.

    Parameters
    ----------
    table : float array of shape (G, C)
    limit : float
        Critical value of the pairwise chi-square statistic.

    Returns
    -------
    array of shape (G, C)
        0 for empty rows.
    """
    n, label = table.copy(), np.arange(len(table))
    alive = n.sum(1) > 0
    distance = np.full((len(n), len(n)), np.inf)
    for i in np.flatnonzero(alive).tolist():
        distance[i] = _distances(n, i, alive)
    while distance.size and distance.min() <= limit:
        a, b = divmod(int(np.argmin(distance)), len(distance))
        n[a] += n[b]
        alive[b] = False
        label[label == b] = a
        distance[b] = distance[:, b] = np.inf
        distance[a] = distance[:, a] = _distances(n, a, alive)
    merged = n[label]
    return merged / np.maximum(merged.sum(1, keepdims=True), 1)


def _distances(n: Array, i: int, alive: Array) -> Array:
    """Chi-square statistic of row i against each other row, infinite for itself and dead ones."""
    m = np.maximum(n.sum(1), 1e-9)
    pooled = (n + n[i]) / (m + m[i])[:, None]
    squares = (n / m[:, None] - n[i] / m[i]) ** 2
    terms = np.divide(squares, pooled, out=np.zeros_like(pooled), where=pooled > 0)
    out = np.where(alive, m * m[i] / (m + m[i]) * terms.sum(1), np.inf)
    out[i] = np.inf
    return out
