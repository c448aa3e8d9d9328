"""Tables of counts cut into the strata within which a null exchanges the groups.

A layout holds whole counts (strata x groups x columns) and turns replicates of them back into
tensors that a metric's kernel reads. Weighted data enter with Kish's effective counts, and their
replicates leave with the original sums of weights in every group and stratum.
"""

from dataclasses import dataclass

import numpy as np

from skfairprop.counts import GroupCounts

Array = np.ndarray
# A number for each layout, so that the draws of one do not depend on which others are asked for.
LAYOUTS = {
    "independence": 0,
    "separation": 1,
    "sufficiency": 2,
    "labels of y_true": 3,
    "labels of y_pred": 4,
    "sizes": 5,
    "swap": 6,
}


@dataclass(frozen=True)
class Layout:
    """Whole counts by stratum, group and column.

    Parameters
    ----------
    name : str
        A key of ``LAYOUTS``.
    counts : int64 array of shape (S, G, C)
    scale : float array of shape (S, G, 1) or None
        Weight of one count, where the rows had weights.
    n_classes : int
    """

    name: str
    counts: Array
    scale: Array | None
    n_classes: int

    @property
    def predicted(self) -> bool:
        """Whether its tensors have an axis of predicted classes."""
        return self.name in ("independence", "separation", "sufficiency", "swap")

    @property
    def sizes(self) -> Array:
        """Counts by stratum and group, (S, G)."""
        return self.counts.sum(-1)

    def tensor(self, tables: Array) -> Array:
        """Replicates (B, S, G, C) as the metrics read them: (B, G, K, K) or (B, G, K).

        In memory the replicates lie next to each other: sums and extremes over a few groups or
        classes then run along them, which is several times as fast.
        """
        last = np.ascontiguousarray(np.moveaxis(tables, 0, -1), dtype=float)  # (S, G, C, B)
        if self.scale is not None:
            last = last * self.scale[..., None]
        n_groups, k = last.shape[1], self.n_classes
        if self.name in ("independence", "swap"):
            last = last.reshape(n_groups, k, k, -1)
        elif self.name == "separation":
            last = last.transpose(1, 0, 2, 3)
        elif self.name == "sufficiency":
            last = last.transpose(1, 2, 0, 3)
        elif self.name == "sizes":
            last = last.reshape(-1, 1, last.shape[-1])
        else:
            last = last[0]
        return np.moveaxis(last, -1, 0)


def make_layout(name: str, counts: GroupCounts) -> Layout:
    """Cut a table of counts into the strata of a layout.

    Raises
    ------
    ValueError
        If the counts are no whole numbers and come without sums of squared weights.
    """
    view = counts
    if name in ("labels of y_true", "sizes"):
        view = counts.of_labels()
    elif name == "labels of y_pred":
        view = counts.of_predictions()
    strata = cut_into_strata(name, view.values)
    squared = None if view.squared is None else cut_into_strata(name, view.squared)
    whole, scale = effective_counts(strata, squared)
    return Layout(name, whole, scale, view.n_classes)


def cut_into_strata(name: str, values: Array) -> Array:
    """A table (G, K, K) or (G, K) as strata x groups x columns."""
    if name == "separation":
        return values.transpose(1, 0, 2)
    if name == "sufficiency":
        return values.transpose(2, 0, 1)
    if name == "sizes":
        return values.sum(-1).reshape(1, 1, -1)
    return values.reshape(1, len(values), -1)


def effective_counts(strata: Array, squared: Array | None) -> tuple[Array, Array | None]:
    """Whole counts with Kish's effective size in every row, and the weight of one count.

    Parameters
    ----------
    strata : array of shape (S, G, C)
        Counts, or sums of weights.
    squared : array of shape (S, G, C) or None
        Sums of squared weights; None: every row of data weighs 1.

    Returns
    -------
    counts : int64 array of shape (S, G, C)
    scale : float array of shape (S, G, 1) or None
        None where there are no weights.
    """
    if squared is None:
        whole = np.rint(strata).astype(np.int64)
        if not np.array_equal(whole, strata):
            raise ValueError(
                "the counts are not whole numbers; give the sums of squared weights as squared=, "
                "or make the counts with GroupCounts.from_arrays(..., sample_weight=...)"
            )
        return whole, None
    total = strata.sum(-1, keepdims=True).astype(float)
    squares = squared.sum(-1, keepdims=True)
    size = np.rint(np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0))
    share = np.divide(strata, total, out=np.zeros(strata.shape), where=total > 0)
    whole = _round_rows(share * size, size)
    return whole, np.divide(total, size, out=np.zeros_like(total), where=size > 0)


def _round_rows(expected: Array, size: Array) -> Array:
    """Whole numbers nearest to `expected` that keep the sums of the rows (largest remainders)."""
    whole = np.floor(expected + 1e-9)
    rank = np.argsort(np.argsort(whole - expected, axis=-1, kind="stable"), axis=-1, kind="stable")
    return (whole + (rank < size - whole.sum(-1, keepdims=True))).astype(np.int64)
