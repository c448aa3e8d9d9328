"""Differences between pairs of groups: interval, exact p, and false discovery rate over all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln
from scipy.stats import norm

from skfairprop.inference import benjamini_hochberg
from skfairprop.report._rates import RateColumn

# The chi-square test takes over from the exact one where every expected count is this large.
_LARGE = 25
# Terms of the exact test held in memory at a time.
_MAX_TERMS = 2_000_000
# Two tables this close in probability count as equally likely, as in scipy.
_TIE = 1 + 1e-7


@dataclass(frozen=True)
class PairTable:
    """Every pair of groups (rows) by rate (columns).

    Attributes
    ----------
    first, second : int array of shape (P,)
        Positions of the groups.
    difference, lower, upper, p, q : array of shape (P, C)
        Rate of the first minus rate of the second, its interval (Newcombe's hybrid score), the
        two-sided p-value and the Benjamini-Hochberg q-value over all cells. NaN where one of the
        two has no such rate.
    n : array of shape (P, C)
        The smaller of the two denominators.
    """

    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    p: np.ndarray
    q: np.ndarray
    n: np.ndarray

    @property
    def n_tested(self) -> int:
        """Number of cells that have a p-value."""
        return int(np.count_nonzero(~np.isnan(self.p)))


def compare_pairs(columns: Sequence[RateColumn]) -> PairTable:
    """Compare all pairs of groups in some rates.

    Parameters
    ----------
    columns : sequence of RateColumn
        The rates; their values, intervals and denominators.

    Notes
    -----
    p is Fisher's exact test, and the chi-square test with (N - 1) / N in place of it where every
    expected count is 25 or more, or where rows are weighted (with Kish's effective counts).
    """
    first, second = np.triu_indices(len(columns[0].values), 1)
    cells = [_compare(column, first, second) for column in columns]
    difference, lower, upper, p, n = (np.stack(part, axis=1) for part in zip(*cells, strict=True))
    q = benjamini_hochberg(p.ravel()).reshape(p.shape)
    return PairTable(first, second, difference, lower, upper, p, q, n)


def _compare(column: RateColumn, first: np.ndarray, second: np.ndarray):
    a, b = column.values[first], column.values[second]
    difference = a - b
    below = np.hypot(a - column.lower[first], column.upper[second] - b)
    above = np.hypot(column.upper[first] - a, b - column.lower[second])
    size = column.effective_n
    p = two_sided_p(a * size[first], size[first], b * size[second], size[second])
    n = np.minimum(column.n[first], column.n[second])
    return difference, difference - below, difference + above, p, n


def two_sided_p(k1, n1, k2, n2) -> np.ndarray:
    """P-values for the equality of two rates, k1 of n1 and k2 of n2.

    Parameters
    ----------
    k1, n1, k2, n2 : array-like of shape (P,)
        Counts; not whole where they come from weights.

    Returns
    -------
    ndarray of shape (P,)
        In [0, 1]; NaN where n1 or n2 is 0.

    Examples
    --------
    >>> from skfairprop.report._pairs import two_sided_p
    >>> two_sided_p([3], [10], [8], [10]).round(4)
    array([0.0698])
    """
    k1, n1, k2, n2 = (np.nan_to_num(np.asarray(v, dtype=float)) for v in (k1, n1, k2, n2))
    whole = np.ones(k1.shape, dtype=bool)
    for counts in (k1, n1, k2, n2):
        whole &= np.abs(counts - np.rint(counts)) < 1e-6
    k, n = k1 + k2, n1 + n2
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.minimum(k, n - k) * np.minimum(n1, n2) / n
        chi = (k1 * (n2 - k2) - k2 * (n1 - k1)) ** 2 * (n - 1) / (k * (n - k) * n1 * n2)
    p = 2 * norm.sf(np.sqrt(np.maximum(chi, 0)))
    p[(k <= 0) | (k >= n)] = 1.0
    exact = whole & (least < _LARGE)
    p[exact] = _fisher(*(np.rint(v[exact]).astype(int) for v in (k1, n1, k2, n2)))
    p[(n1 <= 0) | (n2 <= 0)] = np.nan
    return np.minimum(p, 1.0)


def _fisher(k1, n1, k2, n2) -> np.ndarray:
    """Fisher's exact test: the probability of all tables that are no more likely than this one."""
    k = k1 + k2
    low, high = np.maximum(0, k - n2), np.minimum(k, n1)
    out = np.ones(len(k1))
    order = np.argsort(high - low)
    start = 0
    while start < len(order):  # tables of about the same size together
        stop = start + 1
        while (
            stop < len(order) and (stop + 1 - start) * ((high - low)[order[stop]] + 1) <= _MAX_TERMS
        ):
            stop += 1
        rows = order[start:stop]
        x = low[rows, None] + np.arange((high - low)[rows[-1]] + 1)
        inside = x <= high[rows, None]
        x = np.minimum(x, high[rows, None])
        weight = _log_choose(n1[rows, None], x) + _log_choose(n2[rows, None], k[rows, None] - x)
        weight = np.where(inside, np.exp(weight - weight.max(1, keepdims=True)), 0.0)
        own = np.take_along_axis(weight, (k1 - low)[rows, None], axis=1)
        out[rows] = np.where(weight <= own * _TIE, weight, 0.0).sum(1) / weight.sum(1)
        start = stop
    return out


def _log_choose(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
