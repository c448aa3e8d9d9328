"""Count and select rows of whatever holds them."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse


def as_indexable(data: Any) -> Any:
    """`data` as it is, or as an array if it is only known to turn into one."""
    if hasattr(data, "shape") or hasattr(data, "__len__") or not hasattr(data, "__array__"):
        return data
    return np.asarray(data)


def count_rows(data: Any) -> int:
    """Number of rows of an array of any dimension, a frame, a sparse matrix or a list."""
    return data.shape[0] if hasattr(data, "shape") else len(data)


def take_rows(data: Any, rows: np.ndarray) -> Any:
    """Rows of `data`, in a container of the same kind.

    Parameters
    ----------
    data : array of any dimension, Series, DataFrame, sparse matrix, list or tuple
        pandas, polars and pyarrow; arrays include images and torch tensors.
    rows : integer array
        Positions, in the order wanted; they may repeat.

    Returns
    -------
    container like `data`
        A list for a tuple.
    """
    if isinstance(data, np.ndarray):
        return data[rows]
    if isinstance(data, pd.Series | pd.DataFrame):
        return data.iloc[rows]
    if isinstance(data, list | tuple):
        return [data[i] for i in rows]
    if hasattr(data, "null_count") and hasattr(data, "take"):  # an array of pyarrow
        return data.take(rows)
    if sparse.issparse(data):  # not every sparse format can be indexed
        return data.tocsr()[rows]
    native = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native[rows].to_native()
    return as_indexable(data)[rows]


def is_row_aligned(value: Any, n_rows: int) -> bool:
    """Whether `value` holds one entry for each of `n_rows` rows."""
    if value is None or isinstance(value, str | bytes | dict):
        return False
    shape = getattr(value, "shape", None)
    if shape is not None:
        return len(shape) > 0 and shape[0] == n_rows
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and len(value) == n_rows
