"""Read any one- or two-dimensional container into named columns, and turn a column into codes."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse

# Integers within this range are coded by subtraction instead of hashing.
_DIRECT_RANGE = 1 << 12
# Other arrays are hashed in blocks of so many rows, while they have no more labels than this.
_HASH_BLOCK = 1 << 15
_HASH_LABELS = 1 << 13
# Rows are counted in blocks: memory stays bounded, and larger ones gain nothing.
_COUNT_BLOCK = 1 << 16


@dataclass(frozen=True)
class Column:
    """One column of values, with the name and the pandas index it came with (or None)."""

    values: Any
    name: Hashable | None = None
    index: pd.Index | None = None

    def __len__(self) -> int:
        return len(self.values)

    def reindexed(self, index: pd.Index) -> "Column":
        """The same rows in the order of `index`, which has the labels of the column's own."""
        where = pd.Index(self.index).get_indexer(index)
        return Column(self.values[where], self.name, index)


def read_column(data: Any, *, what: str) -> Column:
    """Read one-dimensional `data`; a single column of a frame or a 2-D array is accepted."""
    columns = read_columns(data, what=what)
    if len(columns) != 1:
        raise ValueError(f"{what} must be one-dimensional; got {len(columns)} columns")
    return columns[0]


def read_columns(data: Any, *, what: str) -> list[Column]:
    """Read `data` as one or more columns.

    Parameters
    ----------
    data : array-like, Series, DataFrame, dict of array-likes
        pandas, polars, pyarrow, numpy, lists and everything numpy can read.
    what : str
        Name of the argument, for the messages.

    Returns
    -------
    list of Column
        All of the same length, with distinct names where they have any.
    """
    if isinstance(data, list) and data and isinstance(data[0], Column):
        return data
    columns = [data] if isinstance(data, Column) else _dispatch(data, what)
    if not columns:
        raise ValueError(f"{what} has no columns")
    names = [c.name for c in columns if c.name is not None]
    repeated = {str(n) for n in names if names.count(n) > 1}
    if repeated:
        raise ValueError(
            f"{what} has several columns named {', '.join(sorted(repeated))}; rename them"
        )
    lengths = {str(c.name): len(c) for c in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of {what} have different lengths: {lengths}")
    return columns


def _dispatch(data: Any, what: str) -> list[Column]:
    if data is None:
        raise ValueError(f"{what} is required; got None")
    if isinstance(data, str | bytes):
        raise ValueError(
            f"{what} must hold one value a row; got the text {data!r}; pass "
            "the column, not its name"
        )
    if isinstance(data, set | frozenset | Iterator):
        kind = type(data).__name__
        raise ValueError(f"{what} must be a sequence with one value a row; got a {kind}")
    if sparse.issparse(data):
        raise ValueError(f"{what} is a sparse matrix; pass a dense one-dimensional array")
    if isinstance(data, pd.DataFrame):
        return [_from_series(data.iloc[:, i], name) for i, name in enumerate(data.columns)]
    if isinstance(data, pd.Series):
        return [_from_series(data, data.name)]
    if isinstance(data, pd.MultiIndex):
        return [Column(data.get_level_values(i).array, n) for i, n in enumerate(data.names)]
    if isinstance(data, pd.Index):
        return [Column(data.array, data.name)]
    if isinstance(data, pd.api.extensions.ExtensionArray):
        return [Column(data)]
    if isinstance(data, Mapping):
        return [
            Column(c.values, name, c.index)
            for name, values in data.items()
            for c in [read_column(values, what=f"{what} {name!r}")]
        ]
    if type(data).__module__.startswith("pyarrow"):
        if hasattr(data, "column_names"):
            names = data.column_names
            return [Column(_arrow_values(c), n) for n, c in zip(names, data.columns, strict=True)]
        if hasattr(data, "null_count"):
            return [Column(_arrow_values(data))]
    if isinstance(data, np.ndarray | list | tuple):
        return _from_array_like(data, what)
    native = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(native, nw.LazyFrame):
        raise ValueError(f"{what} is a lazy frame; collect it first, as in frame.collect()")
    if isinstance(native, nw.Series):
        return [Column(_narwhals_values(native), native.name or None)]
    if isinstance(native, nw.DataFrame):
        return [Column(_narwhals_values(native[name]), name) for name in native.columns]
    return _from_array_like(data, what)


def _from_series(series: pd.Series, name) -> Column:
    values = series.array
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
    return Column(values, name, series.index)


def _arrow_values(array):
    """Values of a pyarrow array; integers with nulls are kept exact rather than made floats."""
    if array.null_count and str(array.type).lstrip("u").startswith("int"):
        return array.to_pandas(types_mapper=pd.ArrowDtype).array
    series = array.to_pandas()
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array


def _narwhals_values(series: nw.Series):
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    if series.dtype in (nw.Int128, nw.UInt128):  # numpy has no such integers, Python has
        return pd.Series(series.to_list(), dtype=object).to_numpy()
    if series.dtype.is_integer() and series.is_null().any():
        mask = series.is_null().to_numpy().astype(bool)
        return pd.arrays.IntegerArray(series.fill_null(0).to_numpy().copy(), mask)
    return series.to_numpy()


def _from_array_like(data: Any, what: str) -> list[Column]:
    if np.ma.isMaskedArray(data):
        hidden = np.ma.getmaskarray(data)
        data = np.asarray(data.data, dtype=object).copy()
        data[hidden] = None
    if hasattr(data, "__array__"):
        data = np.asarray(data)  # also of a memory map or a matrix: the plain array
    if not isinstance(data, np.ndarray):
        data = _array_from_items(list(data) if hasattr(data, "__iter__") else data, what)
    if data.ndim == 0:
        raise ValueError(f"{what} must hold one value a row; got the scalar {data.item()!r}")
    if data.ndim > 2:
        raise ValueError(f"{what} must have one or two dimensions; got shape {data.shape}")
    if data.ndim == 1:
        return [Column(data)]
    if data.shape[1] == 1:
        return [Column(data[:, 0])]
    return [Column(data[:, j], f"sensitive_feature_{j}") for j in range(data.shape[1])]


def _array_from_items(items, what: str) -> np.ndarray:
    """A list as an array: numpy alone would turn the mixed list [1, "b"] into strings."""
    if not isinstance(items, list):
        return np.asarray(items)
    if items and all(isinstance(v, list | tuple | np.ndarray) for v in items):
        widths = {len(v) for v in items}
        if len(widths) > 1:
            raise ValueError(f"the rows of {what} have different lengths: {sorted(widths)}")
        out = np.empty((len(items), widths.pop()), dtype=object)
        for i, row in enumerate(items):
            out[i] = row
        return out
    return pd.Series(items, dtype=object).infer_objects().to_numpy()


def factorize(values: Any, *, what: str) -> tuple[np.ndarray, pd.Index]:
    """Codes and labels of a column.

    Parameters
    ----------
    values : array or pandas extension array, shape (n,)
    what : str
        Name of the column, for the message about values that cannot be compared.

    Returns
    -------
    codes : integer array, shape (n,)
        -1 where the value is missing.
    labels : Index
        The values that occur, sorted; the order of an ordered categorical is kept. They do not
        depend on the order of the rows.
    """
    if isinstance(values, pd.arrays.NumpyExtensionArray):  # pandas 2 warns of its own wrapper
        values = values.to_numpy()
    if getattr(values.dtype, "kind", "") == "f" and not isinstance(values, np.ndarray):
        # 0 / 0 beside NA: pandas 2 takes it for a value of its own
        values = values.to_numpy(dtype=values.dtype.numpy_dtype, na_value=np.nan)
    if isinstance(values, np.ndarray):
        values = _hashable(values)
        coded = _factorize_integers(values) if values.dtype.kind in "bui" else None
        if coded is not None:
            return coded
    if isinstance(values, pd.Categorical):
        codes, labels = values.codes, values.categories
        ordered = bool(values.ordered)
        seen = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(labels)))
        return _relabel(codes, labels, seen if ordered else seen[_sorted_order(labels[seen])])
    try:
        codes, labels = _factorize_hashed(values)
    except TypeError as exc:
        raise ValueError(f"{what} holds values that cannot be compared: {exc}") from None
    return _relabel(codes, labels, _sorted_order(labels))


def _hashable(values: np.ndarray) -> np.ndarray:
    """The values in a type that pandas can hash: native byte order, floats of 4 or 8 bytes."""
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        return values.astype(np.float64)
    if not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    return values


def _factorize_hashed(values: Any) -> tuple[np.ndarray, pd.Index]:
    """The factorize of pandas, block by block where the values are few: the hash table stays small.

    On a million objects this takes 5 bytes a row instead of 67, and three quarters of the time.
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "OUSf":
        codes, labels = pd.factorize(values)
        return codes, pd.Index(labels)
    known: dict[Hashable, int] = {}
    codes = np.empty(len(values), dtype=np.int16)
    for start in range(0, len(values), _HASH_BLOCK):
        block = values[start : start + _HASH_BLOCK]
        block_codes, uniques = pd.factorize(block)
        place = [known.setdefault(value, len(known)) for value in uniques.tolist()]
        if len(known) > _HASH_LABELS:
            codes, labels = pd.factorize(values)
            return codes, pd.Index(labels)
        codes[start : start + len(block)] = np.array([*place, -1], dtype=np.int16)[block_codes]
    if values.dtype.kind == "f":
        return codes, pd.Index(np.array(list(known), dtype=values.dtype))
    return codes, pd.Index(list(known), tupleize_cols=False)


def _factorize_integers(values: np.ndarray) -> tuple[np.ndarray, pd.Index] | None:
    """Codes by subtraction where the range is small, else None."""
    if not len(values):
        return None
    boolean = values.dtype == bool
    low, high = values.min(), values.max()
    size = int(high) - int(low) + 1
    if size > _DIRECT_RANGE:
        return None
    if low != 0:
        wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)  # no overflow
        values = wide - wide.dtype.type(low)
    codes = values.astype(small_int(size))
    beyond = int(high) > np.iinfo(np.int64).max
    labels = pd.Index(np.arange(int(low), int(high) + 1, dtype=np.uint64 if beyond else np.int64))
    if boolean:
        labels = labels.astype(bool)
    seen = np.flatnonzero(blockwise_bincount([codes[:_HASH_BLOCK]], [size]))
    if len(seen) < size:
        seen = np.flatnonzero(blockwise_bincount([codes], [size]))
    if len(seen) == size:
        return codes, labels
    return _relabel(codes, labels, seen)


def _relabel(codes, labels: pd.Index, order: np.ndarray) -> tuple[np.ndarray, pd.Index]:
    """Codes that follow ``labels[order]``; labels that are not in `order` do not occur."""
    dtype = small_int(len(order) + 1)
    if len(order) == len(labels) and np.array_equal(order, np.arange(len(order))):
        return np.asarray(codes).astype(dtype, copy=False), labels
    new = np.full(len(labels) + 1, -1, dtype=dtype)  # the last one serves the code -1
    new[order] = np.arange(len(order))
    return new[codes], labels[order]


def small_int(size: int) -> np.dtype:
    """The smallest signed integer type that holds codes 0 .. size - 1: a byte a row, mostly."""
    return np.result_type(np.int8, np.min_scalar_type(-size))


def _sorted_order(labels: pd.Index) -> np.ndarray:
    """Positions that sort the labels; values of unlike types are sorted by type, then text."""
    items = labels.tolist()
    try:
        return np.array(sorted(range(len(items)), key=items.__getitem__), dtype=np.intp)
    except TypeError:
        keys = [(type(v).__name__, repr(v)) for v in items]
        return np.array(sorted(range(len(items)), key=keys.__getitem__), dtype=np.intp)


def blockwise_bincount(codes, sizes, weights=None, *, names=None) -> np.ndarray:
    """How often each combination of several code arrays occurs, or the sum of its weights.

    Parameters
    ----------
    codes : sequence of integer arrays, shape (n,)
        Rows with a code of -1 in the first array are left out; no other negative codes occur.
    sizes : sequence of int
        Number of codes of each array.
    weights : array of shape (n,), optional
    names : sequence of str, optional
        Names of the arrays. With them every code is checked, and none may be negative.

    Returns
    -------
    array of shape (prod(sizes),)
        int64 counts, or float64 sums of the weights.
    """
    out = np.zeros(_n_cells(sizes), dtype=np.int64 if weights is None else np.float64)
    for rows, kept, cell in _cells_by_block(codes, sizes, names):
        weight = None if weights is None else weights[rows][kept]
        out += np.bincount(cell, weights=weight, minlength=len(out))
    return out


def blockwise_moments(codes, sizes, weights, *, names=None) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the weights and of their squares; otherwise as :func:`blockwise_bincount`."""
    sums, squares = np.zeros(_n_cells(sizes)), np.zeros(_n_cells(sizes))
    for rows, kept, cell in _cells_by_block(codes, sizes, names):
        weight = weights[rows][kept].astype(np.float64)
        sums += np.bincount(cell, weights=weight, minlength=len(sums))
        squares += np.bincount(cell, weights=weight * weight, minlength=len(sums))
    return sums, squares


def _n_cells(sizes) -> int:
    return int(np.prod(sizes, dtype=object))


def _cells_by_block(codes, sizes, names):
    """Yield slices of the rows, which of them are kept, and the cell of each: in the cache."""
    n = len(codes[0])
    block = max(_COUNT_BLOCK, _n_cells(sizes))
    buffer = np.empty(min(n, block), dtype=np.intp)
    for start in range(0, n, block):
        rows = slice(start, start + block)
        parts = [code[rows] for code in codes]
        kept: Any = slice(None)
        if names is not None:
            _check_range(parts, sizes, names)
        elif parts[0].min() < 0:
            kept = parts[0] >= 0
        cell = buffer[: len(parts[0])]
        cell[:] = parts[0]
        for part, size in zip(parts[1:], sizes[1:], strict=True):
            cell *= size
            cell += part
        yield rows, kept, cell[kept]


def _check_range(codes, sizes, names) -> None:
    for code, size, name in zip(codes, sizes, names, strict=True):
        # read as unsigned, a negative code is a huge one: one pass checks both ends
        if code.view(code.dtype.str.replace("i", "u")).max() >= size:
            raise ValueError(f"{name} must lie in 0 .. {size - 1}")
