"""Shares of the groups within each class, and the rows that they leave.

Source: Dominguez-Catena et al. 2025, "Biased Heritage" [H], section 4.2 and Tables II to IV.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._checks import check_number
from skfairprop.groups import label_text
from skfairprop.preprocessing._cells import Cells, position

# A product that should be whole may fall short by rounding: .7 * 10 is 7 - 9e-16.
_WHOLE = 1e-9


def target_share(f: float, n_groups: int) -> float:
    """Share of the target group at bias factor `f`, ((f + 1) / 2) ** log2(n_groups)."""
    return ((f + 1) / 2) ** np.log2(n_groups)


def check_factor(f: Any, what: str, *, owner: str) -> float:
    """`f` as a float between -1 and 1."""
    return check_number(what, f, "[-1, 1]", owner=owner)


def induced_shares(
    cells: Cells, target_group: Hashable | None, factors: Mapping[Hashable, float], *, owner: str
) -> np.ndarray:
    """Table of shares, balanced but for the target group in some classes.

    Parameters
    ----------
    cells : Cells
    target_group : hashable or None
    factors : mapping of class to float
        Bias factor of each class that is to be biased.
    owner : str
        For the messages.

    Returns
    -------
    array of shape (G, K)
        Each column sums to 1.
    """
    n_groups, n_classes = cells.shape
    shares = np.full((n_groups, n_classes), 1 / n_groups)
    if not any(factors.values()):  # balance needs no target, but a wrong one is still wrong
        if target_group is not None:
            position(target_group, cells.groups, "target_group", owner=owner)
        return shares
    known = ", ".join(repr(label_text(g)) for g in cells.groups[:6])
    if target_group is None:
        raise ValueError(
            f"{owner}: target_group is None; name the group whose share f sets, one of {known}"
        )
    target = position(target_group, cells.groups, "target_group", owner=owner)
    if n_groups < 2:
        raise ValueError(f"{owner}: {known} is the only group; its share cannot change")
    for label, f in factors.items():
        column = position(label, cells.classes, "class", owner=owner)
        share = target_share(f, n_groups)
        shares[:, column] = (1 - share) / (n_groups - 1)
        shares[target, column] = share
    return shares


def explicit_shares(cells: Cells, proportions: Any, *, owner: str) -> np.ndarray:
    """A table of shares as given, in the order of `cells`.

    Parameters
    ----------
    cells : Cells
    proportions : DataFrame of groups x classes, array in the order of `cells`, or mapping of class
        to mapping of group to share
    owner : str
        For the messages.

    Returns
    -------
    array of shape (G, K)
    """
    frame = _as_frame(proportions, cells, owner)
    for axis, labels, single in (
        (frame.index, cells.groups, "group"),
        (frame.columns, cells.classes, "class"),
    ):
        absent = [label for label in labels if label not in axis]
        if absent:
            raise ValueError(
                f"{owner}: proportions have no {single} {label_text(absent[0])!r}; add it, or "
                f"leave its rows out with {'groups' if single == 'group' else 'classes'}="
            )
        for label in axis:
            position(label, labels, f"{single} in proportions:", owner=owner)
        if not axis.is_unique:
            twice = label_text(axis[axis.duplicated()][0])
            raise ValueError(f"{owner}: proportions name {single} {twice!r} twice; give it once")
    try:
        shares = frame.loc[list(cells.groups), list(cells.classes)].to_numpy(dtype=float)
    except (TypeError, ValueError):
        shares = np.full(cells.shape, np.nan)
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError(f"{owner}: proportions must be numbers in [0, 1]")
    sums = shares.sum(0)
    wrong = np.flatnonzero(np.abs(sums - 1) > 1e-6)
    if len(wrong):
        raise ValueError(
            f"{owner}: the proportions of class {label_text(cells.classes[wrong[0]])!r} sum to "
            f"{sums[wrong[0]]:g}; those of every class must sum to 1 over the groups"
        )
    return shares


def _as_frame(proportions: Any, cells: Cells, owner: str) -> pd.DataFrame:
    if isinstance(proportions, pd.DataFrame):
        return proportions
    if isinstance(proportions, Mapping):
        absent = [c for c, column in proportions.items() if not isinstance(column, Mapping)]
        if not absent:
            groups = list(dict.fromkeys(g for column in proportions.values() for g in column))
            table = [[column.get(g, 0.0) for column in proportions.values()] for g in groups]
            index = pd.Index(groups, tupleize_cols=isinstance(cells.groups, pd.MultiIndex))
            return pd.DataFrame(
                table, index=index, columns=pd.Index(list(proportions), tupleize_cols=False)
            )
    elif np.shape(proportions) == cells.shape:
        return cells.frame(np.asarray(proportions))
    raise ValueError(
        f"{owner}: proportions must be a DataFrame of groups x classes, an array of shape "
        f"{cells.shape}, or a dict of class -> dict of group -> share; got "
        f"{type(proportions).__name__}"
    )


def rows_to_keep(shares: np.ndarray, smallest: np.ndarray, rounding: str) -> np.ndarray:
    """How many rows each cell keeps.

    Parameters
    ----------
    shares : array of shape (G, K)
        Each column sums to 1.
    smallest : integer array of shape (K,)
        Rows of the smallest group of each class.
    rounding : {"floor", "largest_remainder"}

    Returns
    -------
    integer array of shape (G, K)
        With "largest_remainder" each column sums to `smallest`; ties go to the first group.
    """
    exact = shares * smallest
    kept = np.floor(exact + _WHOLE).astype(np.int64)
    if rounding == "floor":
        return kept
    order = np.argsort(-np.round(exact - kept, 9), axis=0, kind="stable")
    rank = np.argsort(order, axis=0, kind="stable")
    return kept + (rank < smallest - kept.sum(0))
