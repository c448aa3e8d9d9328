"""Differences between pairs of groups: interval, exact p, and false discovery rate over all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skfairprop.inference import benjamini_hochberg, gap_interval, gap_p_value
from skfairprop.report._rates import RateColumn


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
    Intervals and p are those of :func:`~skfairprop.inference.gap_interval` and
    :func:`~skfairprop.inference.gap_p_value`. Weights enter with Kish's effective sizes.
    """
    first, second = np.triu_indices(len(columns[0].values), 1)
    cells = [_compare(column, first, second) for column in columns]
    difference, lower, upper, p, n = (np.stack(part, axis=1) for part in zip(*cells, strict=True))
    q = benjamini_hochberg(p.ravel()).reshape(p.shape)
    return PairTable(first, second, difference, lower, upper, p, q, n)


def _compare(column: RateColumn, first: np.ndarray, second: np.ndarray):
    a, b = column.values[first], column.values[second]
    ends = [(column.lower[side], column.upper[side]) for side in (first, second)]
    lower, upper = gap_interval(a, ends[0], b, ends[1])
    size = column.effective_n
    p = gap_p_value(a * size[first], size[first], b * size[second], size[second])
    return a - b, lower, upper, p, np.minimum(column.n[first], column.n[second])
