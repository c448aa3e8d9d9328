"""The slice of the rows on which a bias is largest."""

from typing import NamedTuple

import numpy as np

from skfairprop.benn._cells import Cells

ALL = "all rows"


class Slice(NamedTuple):
    """Rows and the mean of a bias on them."""

    name: str
    rows: np.ndarray
    value: float


def worst_slice(
    intensity: np.ndarray, classes: Cells, groups: Cells, group_of: str, min_rows: int
) -> Slice:
    """Largest mean over all rows, predicted classes, groups, and classes within groups.

    Parameters
    ----------
    intensity : ndarray of shape (n,)
    classes : Cells
        Predicted class of every row.
    groups : Cells
    group_of : str
        What the groups are groups of, for the names.
    min_rows : int
        Slices of fewer rows do not count, unless there are no more in all.
    """
    n = len(intensity)
    best = Slice(ALL, np.ones(n, dtype=bool), float(intensity.mean()))
    by_class = [(f"predicted {name}", classes.codes == i) for i, name in enumerate(classes.names)]
    by_group = [(f"{group_of} {name}", groups.codes == i) for i, name in enumerate(groups.names)]
    both = [(f"{g}, {c}", a & b) for c, a in by_class for g, b in by_group]
    for name, rows in by_class + by_group + both:
        if np.count_nonzero(rows) >= min(min_rows, n):
            value = float(intensity[rows].mean())
            if value > best.value:
                best = Slice(name, rows, value)
    return best
