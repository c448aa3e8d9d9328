"""Counts of labels and of their combinations, per group, without enumerating what never occurs."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from scipy import sparse

# Rows times the combinations they hold, beyond which a limit on the size is asked for.
_MAX_OCCURRENCES = 200_000_000


def sum_by_group(
    codes: np.ndarray, n_groups: int, matrix: sparse.csr_matrix, weight: np.ndarray | None
) -> np.ndarray:
    """Weighted number of rows of each group that have each label, (G, L); whole numbers stay so."""
    ones = np.ones(len(codes), dtype=np.int64) if weight is None else weight
    if ones.dtype.kind in "biu":
        ones = ones.astype(np.int64)
    rows = np.arange(len(codes))
    by_group = sparse.csr_matrix((ones, (codes, rows)), shape=(n_groups, len(codes)))
    return (by_group @ matrix).toarray()


@dataclass(frozen=True)
class Combinations:
    """Combinations of labels of one size, and how many rows of each group have them.

    Parameters
    ----------
    labels : integer array of shape (m, size)
        Positions of the labels, ascending.
    true, pred : array of shape (G, m)
    """

    labels: np.ndarray
    true: np.ndarray
    pred: np.ndarray


def count_combinations(
    truth: sparse.csr_matrix,
    pred: sparse.csr_matrix,
    codes: np.ndarray,
    n_groups: int,
    weight: np.ndarray | None,
    max_size: int | None,
) -> Iterator[Combinations]:
    """All combinations that some row of `truth` has, up to a size, in parts.

    Each part has the combinations of one size whose first label is the same. They grow from those
    of the size before, row by row, by one later label of the row: what no row has is never met.
    """
    sides = [_sorted(truth), _sorted(pred)]
    size = max_size or truth.shape[1]
    _refuse_too_many(sides[0], size)
    for first in range(truth.shape[1]):
        found = [_Occurrences.of_label(side, first) for side in sides]
        labels = np.array([[first]])
        while len(found[0].row):
            counts = [f.count(codes, n_groups, len(labels), weight) for f in found]
            yield Combinations(labels, *counts)
            if labels.shape[1] == size:
                break
            grown = [f.grow(side) for f, side in zip(found, sides, strict=True)]
            ids, keys = pd.factorize(grown[0].combination)
            found = [grown[0].renumber(ids), grown[1].keep_known(keys)]
            parent, label = np.divmod(keys, truth.shape[1])
            labels = np.column_stack([labels[parent], label])


def _sorted(matrix: sparse.csr_matrix) -> sparse.csc_matrix:
    """Rows with ascending labels and no stored zeros."""
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def _refuse_too_many(truth: sparse.csr_matrix, size: int) -> None:
    lengths, rows = np.unique(np.diff(truth.indptr), return_counts=True)
    total = sum(
        int(n) * sum(comb(int(k), s) for s in range(1, min(size, int(k)) + 1))
        for k, n in zip(lengths, rows, strict=True)
    )
    if total > _MAX_OCCURRENCES:
        raise ValueError(
            f"the rows of y_true hold {total:.2g} combinations of up to {min(size, lengths[-1])} "
            "labels, too many to count; pass a smaller max_size, such as max_size=2"
        )


@dataclass(frozen=True)
class _Occurrences:
    """Combinations that rows have: the row, the combination's number, and where its last label is.

    `last` is the position of that label among the stored entries of the matrix.
    """

    row: np.ndarray
    combination: np.ndarray
    last: np.ndarray

    @classmethod
    def of_label(cls, matrix: sparse.csr_matrix, label: int) -> "_Occurrences":
        last = np.flatnonzero(matrix.indices == label)
        row = np.searchsorted(matrix.indptr, last, side="right") - 1
        return cls(row, np.zeros(len(row), dtype=np.intp), last)

    def count(self, codes, n_groups: int, n_combinations: int, weight) -> np.ndarray:
        key = codes[self.row].astype(np.intp) * n_combinations + self.combination
        w = None if weight is None else weight[self.row]
        flat = np.bincount(key, w, n_groups * n_combinations)
        return flat.reshape(n_groups, n_combinations)

    def grow(self, matrix: sparse.csr_matrix) -> "_Occurrences":
        """Each combination with each later label of its row, numbered by both."""
        n_later = matrix.indptr[self.row + 1] - self.last - 1
        start = np.cumsum(n_later) - n_later
        total = int(n_later.sum())
        last = np.arange(total) + np.repeat(self.last + 1 - start, n_later)
        combination = np.repeat(self.combination, n_later) * matrix.shape[1] + matrix.indices[last]
        return _Occurrences(np.repeat(self.row, n_later), combination, last)

    def renumber(self, ids: np.ndarray) -> "_Occurrences":
        return _Occurrences(self.row, ids, self.last)

    def keep_known(self, keys: np.ndarray) -> "_Occurrences":
        """Only the combinations among `keys`, numbered by their place there."""
        ids = pd.Index(keys).get_indexer(self.combination)
        kept = ids >= 0
        return _Occurrences(self.row[kept], ids[kept], self.last[kept])
