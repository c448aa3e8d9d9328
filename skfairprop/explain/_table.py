"""Columns of a table as one matrix of floats, and back to the container the model was given.

Explainers mix, shift and draw cells. They do it on a float matrix: numbers as they are, other
columns as the codes of their values. ``decode`` rebuilds what the model expects (data frame with
its names and dtypes, array of objects, sparse matrix, float32).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse

MISSING_CODE = -1.0
BLOCK_ROWS = 20_000  # larger blocks fall out of the cache: 7 to 8 times slower at 400,000 rows
_TOO_LARGE = 2**53  # whole numbers that may be two as one float
BLOCK_CELLS = 4_000_000  # 32 MB of float64, whatever the number of columns


@dataclass(frozen=True)
class Column:
    """One column: its name and, unless it is numeric, the values behind its codes.

    Attributes
    ----------
    label : str
        How messages name the column.
    dtype : numpy or pandas dtype
        Given back by ``decode``.
    values : pandas.Index or None
        Value of code 0, 1, ...; None for a numeric column.
    missing : tuple
        What stands for a missing value (None, NaN, NA) as first met; empty if none is missing.
    """

    label: str
    dtype: Any
    values: pd.Index | None = None
    missing: tuple = ()

    def encode(self, cells: pd.Series) -> np.ndarray:
        """Numbers as float64; other values as codes, ``MISSING_CODE`` where missing."""
        if self.values is None:
            return cells.to_numpy(dtype=np.float64, na_value=np.nan)
        return self.values.get_indexer(pd.Index(cells.astype(object))).astype(np.float64)

    def adapted(self, given: Column) -> Column:
        """The column as `given` has it, with the codes of this one."""
        if self.values is None or given.values is None:
            if given.values is not None:
                raise ValueError(
                    f"{self.label} is numeric in the background and not in X; "
                    "give both the same dtype"
                )
            return given
        new = given.values.difference(self.values, sort=False)
        missing = given.missing or self.missing
        return replace(given, values=self.values.append(new), missing=missing)

    def decode(self, codes: np.ndarray) -> Any:
        """Cells of the column's own dtype (numbers: float32 if they were, else float64)."""
        if self.values is None:
            return codes.astype(np.float32) if self.dtype == np.float32 else codes
        codes = codes.astype(np.intp)
        cells = self._typed(self.values)
        if codes.size and codes.min() >= 0:
            return cells.take(codes)
        if cells.dtype != object:
            return pd.api.extensions.take(cells, codes, allow_fill=True)
        filled = np.full(len(codes), self.missing[0] if self.missing else np.nan, dtype=object)
        filled[codes >= 0] = cells[codes[codes >= 0]]
        return filled

    def _typed(self, values: pd.Index) -> Any:
        """Values in the column's dtype, widened if the background holds others than `X`."""
        if isinstance(self.dtype, pd.CategoricalDtype):
            extra = values.difference(self.dtype.categories, sort=False)
            if len(extra) == 0:
                return pd.Categorical(list(values), dtype=self.dtype)
            return pd.Categorical(list(values), self.dtype.categories.append(extra))
        if not isinstance(self.dtype, np.dtype):
            return pd.Series(values, dtype=self.dtype).array
        cells = values.infer_objects().to_numpy()
        if self.dtype.kind in "biuf" and np.can_cast(cells.dtype, self.dtype, "same_kind"):
            return cells.astype(self.dtype)
        return cells.astype(object)


@dataclass(frozen=True)
class Table:
    """Layout of a table: container, columns and the values of the columns that are not numeric.

    Attributes
    ----------
    container : {"frame", "array", "sparse"}
    columns : tuple of Column
    names : pandas.Index or None
        Column names of a data frame.
    dtype : dtype or type
        Dtype of an array; type of a sparse container.
    """

    container: str
    columns: tuple[Column, ...]
    names: pd.Index | None
    dtype: Any

    @classmethod
    def of(cls, X: Any, categorical_features: str | Sequence | np.ndarray = "auto") -> Table:
        """Describe `X`.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n, d)
        categorical_features : "auto" or sequence of names, positions or booleans
            Columns whose values are labels. Text, categorical and boolean columns always are.
        """
        X = as_container(X)
        names = X.columns if isinstance(X, pd.DataFrame) else None
        declared = _declared(categorical_features, X.shape[1], names)
        columns = tuple(_describe(X, j, names, declared[j]) for j in range(X.shape[1]))
        if names is not None:
            return cls("frame", columns, names, None)
        if sparse.issparse(X):
            return cls("sparse", columns, None, type(X))
        return cls("array", columns, None, X.dtype)

    @property
    def is_categorical(self) -> np.ndarray:
        """Boolean array of shape (d,)."""
        return np.array([column.values is not None for column in self.columns])

    @property
    def is_numeric(self) -> bool:
        """Whether all cells are numbers, if only as codes of categories."""
        labels = [column.values for column in self.columns if column.values is not None]
        return all(isinstance(value, Real) for values in labels for value in values)

    def adapted(self, X: Any) -> Table:
        """Layout of `X` with the codes of this table; values not seen before get new codes.

        Raises
        ------
        ValueError
            If `X` has other columns than the background this table describes.
        """
        X = as_container(X)
        self._check_same_columns(X)
        mine = Table.of(X, self.is_categorical)
        columns = []
        for known, given in zip(self.columns, mine.columns, strict=True):
            columns.append(known.adapted(given))
        return replace(mine, columns=tuple(columns))

    def encode(self, X: Any) -> np.ndarray:
        """Matrix of floats of shape (n, d); missing is NaN, or ``MISSING_CODE`` in a code.

        Raises
        ------
        ValueError
            If a number is infinite, or a whole number too large for a float.
        """
        X = as_container(X)
        if sparse.issparse(X):
            X = X.toarray()
        if isinstance(X, np.ndarray) and X.dtype.kind in "iuf" and not self.is_categorical.any():
            Z = X.astype(np.float64)
        else:
            cells = [column.encode(_cells(X, j)) for j, column in enumerate(self.columns)]
            Z = np.column_stack(cells)
        infinite = np.isinf(Z).any(axis=0)
        if infinite.any():
            raise ValueError(
                f"{self.labels(infinite)} has infinite values, which have no mean or spread; "
                "replace them by a large number or by a missing value"
            )
        self._check_whole(Z)
        return Z

    def _check_whole(self, Z: np.ndarray) -> None:
        """Raise for whole numbers that floats cannot tell apart: the model would see others."""
        whole = [
            c.values is None and not pd.api.types.is_float_dtype(c.dtype) for c in self.columns
        ]
        if any(whole):
            large = whole & (np.abs(Z) >= _TOO_LARGE).any(axis=0)
            if large.any():
                raise ValueError(
                    f"{self.labels(large)} holds whole numbers of 2**53 or more, which floats "
                    "cannot tell apart; turn it into text, or name it in categorical_features"
                )

    def blocks(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Encoded rows of `X` in blocks of bounded size, with their position."""
        X = as_container(X)
        step = block_rows(X.shape[1])
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            yield rows, self.encode(X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows])

    def decode(self, Z: np.ndarray) -> Any:
        """The container that `Z`, of shape (n, d), encodes."""
        if self.container == "sparse":
            return self.dtype(Z)
        if self.names is not None:
            frame = pd.DataFrame({j: c.decode(Z[:, j]) for j, c in enumerate(self.columns)})
            frame.columns = self.names
            return frame
        if self.dtype.kind in "iuf" and not self.is_categorical.any():
            return Z.astype(np.float32) if self.dtype == np.float32 else Z
        if self.dtype.kind in "iuf":
            cells = [column.decode(Z[:, j]) for j, column in enumerate(self.columns)]
            return np.column_stack(cells).astype(np.promote_types(self.dtype, np.float32))
        out = np.empty(Z.shape, dtype=object)
        for j, column in enumerate(self.columns):
            out[:, j] = column.decode(Z[:, j])
        return out if self.dtype.kind == "O" else out.astype(self.dtype.type)

    def labels(self, selected: Any) -> str:
        """Names of the columns of a boolean mask for a message, at most five of them."""
        chosen = [self.columns[j].label for j in np.flatnonzero(selected)]
        more = f" and {len(chosen) - 5} more" if len(chosen) > 5 else ""
        return ", ".join(chosen[:5]) + more

    def missing(self, Z: np.ndarray) -> np.ndarray:
        """Boolean array of the shape of `Z`."""
        return np.isnan(Z) | (self.is_categorical & (Z == MISSING_CODE))

    def _check_same_columns(self, X: Any) -> None:
        names = X.columns if isinstance(X, pd.DataFrame) else None
        if (names is None) != (self.names is None):
            raise ValueError(
                "the background and X must both be data frames or both arrays; "
                f"got a background of type {self.container!r} and X of type {type(X).__name__!r}"
            )
        if X.shape[1] != len(self.columns):
            raise ValueError(
                f"X has {X.shape[1]} columns and the background {len(self.columns)}; "
                "fit the explainer on a background with the columns of X"
            )
        if names is not None and self.names is not None and not names.equals(self.names):
            odd = [n for n, m in zip(names, self.names, strict=True) if n != m]
            raise ValueError(
                f"X and the background have other columns, or another order, from {odd[0]!r} on; "
                "fit the explainer on a background with the columns of X"
            )


def as_container(X: Any, what: str = "X") -> Any:
    """`X` as a pandas data frame, a 2-D array or a sparse matrix that can be sliced by row.

    Parameters
    ----------
    X : table
        Anything with rows and columns.
    what : str, default="X"
        What it is, for the messages.

    Raises
    ------
    ValueError
        If `X` is not two-dimensional or has no row.
    """
    if sparse.issparse(X):
        X = X if X.format == "csr" else X.tocsr()
    elif not isinstance(X, pd.DataFrame | np.ndarray):
        native = nw.from_native(X, eager_only=True, pass_through=True)
        X = native.to_pandas() if isinstance(native, nw.DataFrame) else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"{what} must be a table with rows and columns; got {X.ndim} dimension(s)")
    if 0 in X.shape:
        raise ValueError(f"{what} must have at least one row and one column; got shape {X.shape}")
    return X


def block_rows(n_columns: int) -> int:
    """Rows of a block that stays small for `n_columns` columns."""
    return max(1, min(BLOCK_ROWS, BLOCK_CELLS // n_columns))


def _cells(X: Any, j: int) -> pd.Series:
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, j]
    if sparse.issparse(X):
        return pd.Series(X[:, [j]].toarray().ravel())
    # text stays object: newer pandas would turn it into its own string dtype
    return pd.Series(X[:, j], dtype=None if X.dtype.kind in "biuf" else object)


def _declared(
    categorical_features: str | Sequence | np.ndarray, d: int, names: pd.Index | None
) -> np.ndarray:
    """Boolean mask of the columns declared categorical."""
    declared = np.zeros(d, dtype=bool)
    if isinstance(categorical_features, str):
        if categorical_features != "auto":
            raise ValueError(
                "categorical_features must be 'auto' or a sequence of names or positions; "
                f"got {categorical_features!r}"
            )
        return declared
    given = np.asarray(categorical_features)
    if given.dtype == bool:
        if len(given) != d:
            raise ValueError(
                f"categorical_features is a mask of {len(given)} values for {d} columns"
            )
        return given
    for feature in categorical_features:
        declared[_position(feature, d, names)] = True
    return declared


def _position(feature: Any, d: int, names: pd.Index | None) -> int:
    if names is not None and feature in names:
        return list(names).index(feature)
    if isinstance(feature, int | np.integer) and -d <= feature < d:
        return int(feature)
    raise ValueError(f"categorical_features: there is no column {feature!r} in the background")


def _describe(X: Any, j: int, names: pd.Index | None, declared: bool) -> Column:
    label = f"column {j}" if names is None else f"column {names[j]!r}"
    if not declared and not isinstance(X, pd.DataFrame) and X.dtype.kind in "iuf":
        return Column(label, X.dtype)
    cells = _cells(X, j)
    if cells.dtype.kind in "mMc":
        raise TypeError(
            f"{label} has dtype {cells.dtype}, which cannot be explained; "
            "turn it into numbers or text first"
        )
    if not declared and _is_numeric(cells):
        return Column(label, cells.dtype)
    missing = tuple(cells[cells.isna()].astype(object)[:1])
    return Column(label, cells.dtype, _sorted_values(cells), missing)


def _is_numeric(cells: pd.Series) -> bool:
    if cells.dtype == object:
        kind = pd.api.types.infer_dtype(cells, skipna=True)
        return kind in ("integer", "floating", "mixed-integer-float")
    return pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells)


def _sorted_values(cells: pd.Series) -> pd.Index:
    """Distinct values as objects, in the order of the categories or sorted where they can be."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        present = cells.cat.remove_unused_categories().cat.categories
        return pd.Index(present.astype(object))
    values = pd.Index(cells.dropna().astype(object).unique(), dtype=object)
    try:
        return values.sort_values()
    except TypeError:  # values of several types have no order
        return values
