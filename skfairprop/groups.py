"""Protected attributes as integer codes: alignment, missing values and intersections."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice
from skfairprop._columns import (
    Column,
    blockwise_bincount,
    factorize,
    read_column,
    read_columns,
)

__all__ = ["Groups"]

MISSING_LABEL = "(missing)"
MISSING_POLICIES = ("raise", "group", "drop")
_MAY_BE_NONE = ("sample_weight", "y_score")


@dataclass(frozen=True, repr=False, eq=False)
class Groups:
    """The group of every row, for one or several protected columns.

    Several columns make the groups of their *observed* combinations; the Cartesian product of
    their values is never built.

    Parameters
    ----------
    codes : array of int, shape (n,)
        Position of each row's group in `labels`; -1 for rows left out by ``missing="drop"``.
    labels : Index or MultiIndex, shape (G,)
        Sorted; one level a column where there are several.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.groups import Groups
    >>> people = pd.DataFrame({"sex": ["f", "m", "f"], "age": ["old", "old", "young"]})
    >>> groups = Groups.from_columns(people)
    >>> groups.codes.tolist(), groups.texts
    ([0, 2, 1], ['f, old', 'f, young', 'm, old'])
    """

    codes: np.ndarray
    labels: pd.Index

    @classmethod
    def from_columns(
        cls,
        sensitive_features: Any,
        *,
        missing: str = "raise",
        name: str = "sensitive_features",
        row_counts: np.ndarray | None = None,
    ) -> "Groups":
        """Code the groups of one or several protected columns.

        Parameters
        ----------
        sensitive_features : array-like, Series, DataFrame or dict of array-likes
            One or several columns with one value a row. pandas, polars, pyarrow, numpy and lists
            of any type; NaN, None, NA and null all mean "missing".
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with rows that have a missing value: refuse them, make "(missing)" a value
            of its own, or leave the rows out (code -1).
        name : str, default="sensitive_features"
            Name of the argument, for the messages.
        row_counts : array of int of shape (n,), optional
            Number of rows behind each value, where the columns are of a table of counts.

        Returns
        -------
        Groups

        Raises
        ------
        ValueError
            If values are missing and ``missing="raise"``; the message names the column and counts
            the rows. If there are no rows, or columns whose indexes cannot be aligned.
        """
        check_choice("missing", missing, MISSING_POLICIES)
        columns = align_columns({name: read_columns(sensitive_features, what=name)})[name]
        coded = [_code_column(column, missing, name, row_counts) for column in columns]
        if len(coded) == 1:
            codes, labels = coded[0]
            return cls(codes, labels.rename(columns[0].name))
        names = [i if c.name is None else c.name for i, c in enumerate(columns)]
        return cls(*_intersect([c for c, _ in coded], [v for _, v in coded], names))

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Groups):
            return NotImplemented
        same = np.array_equal(self.codes, other.codes)
        return same and self.labels.equals(other.labels)

    __hash__ = None  # type: ignore[assignment]  # equal by value and holds an array

    def __repr__(self) -> str:
        return f"Groups({len(self):,} rows in {len(self.labels)}: {name_some(self.labels)})"

    @property
    def n_dropped(self) -> int:
        """Number of rows left out by ``missing="drop"``."""
        return int(np.count_nonzero(self.codes < 0))

    @property
    def texts(self) -> list[str]:
        """Labels as text, the values of an intersection joined by ", "."""
        return label_texts(self.labels)


def label_text(label: Hashable) -> str:
    """One label as text: the values of an intersection joined by ", ", whole floats as integers."""
    if isinstance(label, tuple):
        return ", ".join(map(label_text, label))
    if isinstance(label, float) and label.is_integer():  # integers beside missing values are floats
        return str(int(label))
    return str(label)


def label_texts(labels: Sequence[Hashable] | pd.Index) -> list[str]:
    """Labels as texts."""
    return [label_text(label) for label in labels]


def name_some(labels: Sequence[Hashable] | pd.Index, limit: int = 5) -> str:
    """A list of labels for a message: "'a', 'b' and 7 more"; numbers have no quotes."""
    texts = [
        str(label) if isinstance(label, Number) else repr(label_text(label))
        for label in list(labels[:limit])
    ]
    more = len(labels) - limit
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def count_missing(codes: np.ndarray, row_counts: np.ndarray | None) -> tuple[int, int]:
    """How many of how many rows have a negative code."""
    if row_counts is None:
        return int(np.count_nonzero(codes < 0)), len(codes)
    return int(row_counts[codes < 0].sum()), int(row_counts.sum())


def _code_column(
    column: Column, missing: str, name: str, row_counts: np.ndarray | None
) -> tuple[np.ndarray, pd.Index]:
    what = name if column.name is None else f"{name} {str(column.name)!r}"
    codes, labels = factorize(column.values, what=what)
    n_missing, n = 0, len(codes)
    if len(labels) == 0 or codes.min() < 0:
        n_missing, n = count_missing(codes, row_counts)
    if not n_missing or missing == "drop":
        if n_missing == n:
            raise ValueError(f"{what}: all {n_missing:,} values are missing")
        return codes, labels
    if missing == "raise":
        raise ValueError(
            f"{what}: {n_missing:,} of {n:,} values are missing; pass missing='group' to "
            "make them a group of their own, or missing='drop' to leave those rows out"
        )
    if MISSING_LABEL in labels:
        raise ValueError(
            f"{what} holds both missing values and the value {MISSING_LABEL!r}; rename that value"
        )
    codes = np.where(codes < 0, len(labels), codes)
    return codes, labels.astype(object).append(pd.Index([MISSING_LABEL], dtype=object))


def _intersect(codes: list, labels: list[pd.Index], names: list) -> tuple[np.ndarray, pd.Index]:
    """Codes and labels of the observed combinations of several coded columns.

    Columns are joined one at a time and the codes made dense after each, so that memory follows
    the rows and never the product of the numbers of values.
    """
    dropped = np.any([c < 0 for c in codes], axis=0)
    joint = codes[0].astype(np.intp)
    parts = np.arange(len(labels[0]))[:, None]  # of each dense code: its code in every column
    for code, values in zip(codes[1:], labels[1:], strict=True):
        joint = np.where(dropped, -1, joint * len(values) + code)
        joint, seen = _make_dense(joint, len(parts) * len(values))
        parts = np.column_stack([parts[seen // len(values)], seen % len(values)])
    if not len(parts):
        raise ValueError(
            "every row has a missing value in one of the protected columns "
            f"{', '.join(map(str, names))}; none is left"
        )
    levels = [values.take(parts[:, j]) for j, values in enumerate(labels)]
    return joint, pd.MultiIndex.from_arrays(levels, names=names)


def _make_dense(codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes 0 .. k - 1 of the values that occur, in their order, and those values; -1 stays."""
    if size <= max(4 * len(codes), 1 << 16):
        seen = np.flatnonzero(blockwise_bincount([codes], [size]))
        dense = np.full(size + 1, -1, dtype=np.int32)  # the last one serves the code -1
        dense[seen] = np.arange(len(seen), dtype=np.int32)
        return dense[codes], seen
    found, seen = pd.factorize(codes)
    order = np.argsort(seen)
    rank = np.empty(len(seen), dtype=np.intp)
    rank[order] = np.arange(len(seen))
    if len(seen) and seen[order[0]] < 0:
        return rank[found] - 1, seen[order[1:]]
    return rank[found], seen[order]


def align(**inputs: Any) -> dict[str, list[Column]]:
    """Read row-aligned inputs as columns and make sure that their rows belong together.

    Parameters
    ----------
    **inputs : array-likes by argument name
        None is left out where it may be: "sample_weight" and "y_score".

    Returns
    -------
    dict of list of Column

    Raises
    ------
    ValueError
        If another input is None, if lengths differ, or if pandas indexes differ and cannot be
        aligned: rows are never combined by position when two indexes disagree.
    """
    return align_columns(
        {
            what: read_columns(data, what=what)
            if what == "sensitive_features"
            else [read_column(data, what=what)]
            for what, data in inputs.items()
            if data is not None or what not in _MAY_BE_NONE
        }
    )


def align_columns(columns: dict[str, list[Column]]) -> dict[str, list[Column]]:
    """The columns of each argument in the same rows; see :func:`align`."""
    lengths = {what: len(cols[0]) for what, cols in columns.items()}
    if len(set(lengths.values())) > 1:
        given = ", ".join(f"{what} has {n:,}" for what, n in lengths.items())
        raise ValueError(f"inputs have different numbers of rows: {given}")
    if 0 in lengths.values():
        verb = "is" if len(lengths) == 1 else "are"
        raise ValueError(f"{_join(list(lengths))} {verb} empty: 0 rows; at least 1 is needed")
    indexes = [
        (what if len(cols) == 1 else f"{what} {str(column.name)!r}", column.index)
        for what, cols in columns.items()
        for column in cols
    ]
    known = [(what, index) for what, index in indexes if index is not None]
    if not known:
        return columns
    first, common = known[0]
    odd = [what for what, index in known if index is not common and not index.equals(common)]
    if not odd:
        return columns
    bare = [what for what, index in indexes if index is None]
    _refuse_unless_alignable(known, bare, f"{first} and {odd[0]} have different indexes")
    return {what: [column.reindexed(common) for column in cols] for what, cols in columns.items()}


def _join(names: list[str]) -> str:
    """Names as in a sentence: "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _refuse_unless_alignable(
    known: list[tuple[str, pd.Index]], bare: list[str], differ: str
) -> None:
    """Raise ValueError unless every index has the labels of the first, once each."""
    remedy = "give them the same index, or pass arrays if they belong together by position"
    if bare:
        raise ValueError(
            f"{differ}, and {bare[0]} has none to tell which of them it follows; {remedy}"
        )
    first, common = known[0]
    for what, index in known:
        if not index.is_unique:
            raise ValueError(f"{differ}, and that of {what} repeats labels; {remedy}")
        extra = index[~index.isin(common)]
        if len(extra):
            raise ValueError(
                f"{differ}: that of {what} has labels that {first} lacks: {name_some(extra)}; "
                f"{remedy}"
            )
