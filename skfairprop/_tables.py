"""Tables with labelled axes: merge their labels, spread them over more, sum them over fewer."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from skfairprop._columns import factorize
from skfairprop.groups import MISSING_LABEL


def as_index(labels: Sequence[Hashable] | pd.Index) -> pd.Index:
    """Labels as an Index; one that is given is kept, and tuples are labels of one level."""
    return labels if isinstance(labels, pd.Index) else pd.Index(labels, tupleize_cols=False)


def sum_by(values: np.ndarray, codes: np.ndarray, size: int, axis: int) -> np.ndarray:
    """Sums over the positions of an axis that have the same code."""
    moved = np.moveaxis(values, axis, 0)
    out = np.zeros((size, *moved.shape[1:]), dtype=values.dtype)
    np.add.at(out, codes, moved)
    return np.moveaxis(out, 0, axis)


def same_labels(a: pd.Index, b: pd.Index) -> bool:
    """Whether labels and their order are the same, in nullable columns or others."""
    if a.nlevels != b.nlevels or len(a) != len(b):
        return False
    return all(
        _in_numpy(a.get_level_values(i)).equals(_in_numpy(b.get_level_values(i)))
        for i in range(a.nlevels)
    )


def _in_numpy(labels: pd.Index) -> pd.Index:
    dtype = getattr(labels.dtype, "numpy_dtype", labels.dtype)
    return labels.astype(dtype) if dtype.kind in "biuf" else labels


def union_labels(a: pd.Index, b: pd.Index) -> pd.Index:
    """Labels of both: in the order of the one that holds the other, or else sorted."""
    if a.equals(b) or b.isin(a).all():
        return a
    if a.isin(b).all():
        return b
    for i in range(a.nlevels):
        _refuse_lookalikes(a.get_level_values(i), b.get_level_values(i))
    merged = a.append(b).drop_duplicates()
    levels = [merged.get_level_values(i) for i in range(merged.nlevels)]
    return merged[np.lexsort([_sort_rank(level) for level in reversed(levels)])]


def _refuse_lookalikes(a: pd.Index, b: pd.Index) -> None:
    """1 and "1" are two labels: chunks of one file that were read differently do not add up."""
    sets = [set(labels.unique().tolist()) for labels in (a, b)]
    for one, other in (sets, sets[::-1]):
        for label in one - other:
            text = str(label)
            if text in other and text not in one:
                raise ValueError(
                    f"cannot merge counts of {label!r}, a {type(label).__name__}, with counts of "
                    f"{text!r}, a text; give both the same labels"
                )


def _sort_rank(labels: pd.Index) -> np.ndarray:
    """Rank of each label; that of missing values comes last, as where groups are coded."""
    codes, uniques = factorize(labels.array, what="labels")
    return np.where(labels == MISSING_LABEL, len(uniques), codes)


def spread(
    values: np.ndarray, labels: Sequence[pd.Index], larger: Sequence[pd.Index]
) -> np.ndarray:
    """Values whose last axes have some labels, laid out over larger sets of labels; zero elsewhere.

    Parameters
    ----------
    values : array of shape (..., *map(len, labels))
    labels : sequence of Index
        One for each of the last axes.
    larger : sequence of Index
        Each holds the labels of its axis.
    """
    if all(own.equals(wide) for own, wide in zip(labels, larger, strict=True)):
        return values
    lead = values.shape[: values.ndim - len(labels)]
    out = np.zeros(lead + tuple(len(wide) for wide in larger), dtype=values.dtype)
    places = [wide.get_indexer(own) for own, wide in zip(labels, larger, strict=True)]
    out[(..., *np.ix_(*places))] = values
    return out
