"""Find the protected columns of the rows at hand: routed, on an index, or in X itself."""

from collections.abc import Callable, Hashable
from numbers import Number
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from skfairprop._columns import Column, read_columns
from skfairprop._suggest import closest

WHAT = "sensitive_features"
_WAYS = (
    "name a column of X, give a pandas Series or DataFrame with the index of the data, or a "
    "callable of X"
)
_ROUTE = "pass it as metadata, with sklearn.set_config(enable_metadata_routing=True)"


def check_sensitive_features(spec: Any, *, owner: str) -> None:
    """Raise unless `spec` is a way to find protected columns, or None.

    Parameters
    ----------
    spec : str, list of str, callable, Series, DataFrame or None
    owner : str
        Name of the object that was given it, for the messages.

    Raises
    ------
    TypeError
        If it is of another kind: integer positions silently mean another feature inside a feature
        selector, and an array has no index to follow the rows of a fold.
    ValueError
        If it is empty, or an index that repeats labels.
    """
    if spec is None or callable(spec):
        return
    if isinstance(spec, pd.Series | pd.DataFrame):
        if len(spec) == 0:
            raise ValueError(f"{owner}: {WHAT} is empty: 0 rows; at least 1 is needed")
        if not spec.index.is_unique:
            label = spec.index[spec.index.duplicated()].tolist()[0]
            raise ValueError(
                f"{owner}: the index of {WHAT} repeats labels, as {label!r}; give the data and "
                f"{WHAT} the same unique index"
            )
        return
    if isinstance(spec, list | tuple) and not spec:
        raise ValueError(f"{owner}: {WHAT} names no column; {_WAYS}")
    _names(spec, owner)


def resolve_sensitive_features(
    spec: Any, X: Any, y: Any = None, routed: Any = None, *, owner: str
) -> pd.DataFrame:
    """The protected columns of the rows of `X`.

    Parameters
    ----------
    spec : str, list of str, callable, Series, DataFrame or None
        What was given at construction: names of columns of X (pandas, polars, pyarrow), a callable
        that takes X and returns one or several columns, or pandas data that cover more rows, which
        are aligned on the index of X, or on that of y where X has none.
    X : array-like, sparse matrix or data frame of shape (n, n_features), or None
        None where the caller never sees it.
    y : array-like of shape (n,), optional
    routed : array-like of n rows, optional
        What metadata routing, or the caller, passed for these rows. It goes before `spec`.
    owner : str
        Name of the object that asks, for the messages.

    Returns
    -------
    DataFrame of shape (n, n_columns)
        Rows in the order of X, with its index where it has one. The name of a column is None where
        the data have none.

    Raises
    ------
    TypeError, ValueError
        With what to do, if the columns cannot be found or their rows cannot be matched with those
        of X: rows are never combined by position when two indexes disagree.
    """
    if routed is not None:
        return _frame(*match_rows(routed, X, y, what=f"{owner}: {WHAT} as passed"))
    check_sensitive_features(spec, owner=owner)
    if spec is None:
        raise ValueError(
            f"{owner} was not told the protected attribute: {_WAYS}, as {WHAT}=; or {_ROUTE}"
        )
    if isinstance(spec, pd.Series | pd.DataFrame):
        return _look_up(spec, X, y, owner)
    if X is None:
        raise ValueError(
            f"{owner} cannot read {WHAT}={spec!r}: X is not passed to it here; give a pandas "
            f"Series with the index of y (and y as a Series), or {_ROUTE}"
        )
    found = _call(spec, X, owner) if callable(spec) else _select(X, spec, owner)
    what = f"{owner}: {WHAT} that the callable returns" if callable(spec) else f"{owner}: X"
    return _frame(*match_rows(found, X, what=what))


def by_name_or_value(given: Any, X: Any, *, on_index: bool = False) -> tuple[Any, Any]:
    """Whether protected columns are given by what finds them in X, or themselves.

    Parameters
    ----------
    given : str, list of str, callable, Series, DataFrame, array-like, dict of array-likes or None
    X : array-like, sparse matrix or data frame of shape (n, n_features)
    on_index : bool, default=False
        Whether pandas data are to be looked up, as they cover other rows than those of X, too.

    Returns
    -------
    spec, routed
        As :func:`resolve_sensitive_features` takes them; one of them is None.

    Notes
    -----
    A list is one of names where X has a column for each of them. A list of n values that repeats
    one holds the groups of the rows, even where columns of X are called as the groups are: those
    that one-hot encoding made.
    """
    if given is None or isinstance(given, str) or callable(given):
        return given, None
    if on_index and isinstance(given, pd.Series | pd.DataFrame):
        return given, None
    return (given, None) if _lists_columns(given, X) else (None, given)


def _lists_columns(given: Any, X: Any) -> bool:
    if not isinstance(given, list | tuple):
        return False
    known = set(column_names(X))
    try:
        if isinstance(given, tuple) and given in known:
            return True
        repeats = len(set(given)) < len(given)
        return known.issuperset(given) and not (repeats and len(given) == _n_rows(X))
    except TypeError:  # lists or arrays, which are no names
        return False


def column_names(X: Any) -> list[Hashable]:
    """Names of the columns of a data frame of pandas, polars or pyarrow; of anything else none."""
    frame = _as_frame(X)
    return [] if frame is None else list(frame.columns)


def match_rows(data: Any, X: Any, y: Any = None, *, what: str) -> tuple[list[Column], Any]:
    """Columns with a value for every row of `X`, in the order of its rows.

    Parameters
    ----------
    data : array-like, Series, DataFrame or dict of array-likes
    X, y : array-like, sparse matrix, data frame or None
        The rows at hand: X and y belong together by position, whatever their indexes are.
    what : str
        Name of `data`, for the messages.

    Returns
    -------
    columns : list of Column
    index : Index or None
        That of X, else of y, else of `data`.

    Raises
    ------
    ValueError
        If `data` have another number of rows, or an index that has not the same labels.
    """
    columns = read_columns(data, what=what)
    n_rows = next((_n_rows(rows) for rows in (X, y) if rows is not None), len(columns[0]))
    if len(columns[0]) != n_rows:
        raise ValueError(f"{what} has {len(columns[0]):,} rows; X has {n_rows:,}")
    indexes = _indexes(X, y)
    if not indexes:
        return columns, columns[0].index
    return [_reorder(c, indexes, what) for c in columns], indexes[0]


def _names(spec: Any, owner: str) -> list[Hashable]:
    """Names of columns, one or several; anything else is refused."""
    names = list(spec) if isinstance(spec, list | tuple | pd.Index) else [spec]
    for name in names:
        if isinstance(name, Number):
            raise TypeError(
                f"{owner}: {WHAT}={spec!r} is a position, which is another feature once a selector "
                f"drops columns; {_WAYS}"
            )
        if not isinstance(name, str | tuple):
            raise TypeError(
                f"{owner}: {WHAT} is a {type(spec).__name__}, which has neither column names nor "
                f"an index to follow the rows of X; {_WAYS}"
            )
    return names


def _select(X: Any, spec: Any, owner: str) -> Any:
    """Named columns of a data frame, as a data frame of the same kind."""
    frame = _as_frame(X)
    if frame is None:
        raise ValueError(
            f"{owner} cannot read column {spec!r}: X is a {type(X).__name__} here, which has "
            "no column names; pass a data frame, give a pandas Series with the index of y (and "
            f"y as a Series), or {_ROUTE}"
        )
    known = frame.columns
    names = [spec] if isinstance(spec, tuple) and spec in known else _names(spec, owner)
    for name in names:
        if name not in known:
            raise ValueError(f"{owner}: X has no column {name!r}{closest(name, known)}")
    return X[names] if frame is X else frame.select(*names).to_native()


def _as_frame(X: Any) -> Any:
    """A data frame whose columns have names: of pandas, or of narwhals; None of anything else."""
    if isinstance(X, pd.DataFrame):
        return X  # narwhals would refuse frames that repeat a name, even another one
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _look_up(spec: pd.Series | pd.DataFrame, X: Any, y: Any, owner: str) -> pd.DataFrame:
    """Rows of pandas data by the index of X, else of y."""
    indexes = _indexes(X, y)
    if not indexes:
        raise ValueError(
            f"{owner} cannot match {WHAT} with the rows: neither X nor y has an index; pass X or y "
            f"as pandas, or {_ROUTE}"
        )
    index = indexes[0]
    where = spec.index.get_indexer(index)
    absent = np.flatnonzero(where < 0)
    if len(absent):
        raise ValueError(
            f"{owner}: {len(absent):,} of {len(index):,} rows are not in the index of {WHAT}, as "
            f"{index[absent].tolist()[0]!r}; give the data and {WHAT} the same index"
        )
    return _frame(read_columns(spec.take(where), what=f"{owner}: {WHAT}"), index)


def _call(function: Callable, X: Any, owner: str) -> Any:
    """What a callable of X returns; its own failure is explained, as X may have lost its names."""
    try:
        return function(X)
    except Exception as exc:
        raise ValueError(
            f"{owner}: the callable {WHAT} failed on X, a {type(X).__name__} here: "
            f"{type(exc).__name__}: {exc}"
        ) from exc


def _reorder(column: Column, indexes: list[pd.Index], what: str) -> Column:
    own = column.index
    if own is None or any(own is index or own.equals(index) for index in indexes):
        return column
    where = own.get_indexer(indexes[0]) if own.is_unique else np.array([-1])
    if where.min() < 0:
        raise ValueError(
            f"{what} does not have the index of the data; give both the same one, or pass an array "
            "if they belong together by position"
        )
    return Column(column.values[where], column.name)


def _frame(columns: list[Column], index: pd.Index | None) -> pd.DataFrame:
    frame = pd.DataFrame({i: c.values for i, c in enumerate(columns)})
    frame.columns = pd.Index([c.name for c in columns], dtype=object, tupleize_cols=False)
    return frame if index is None else frame.set_axis(index, axis=0)


def _indexes(*inputs: Any) -> list[pd.Index]:
    """Indexes of those that are pandas."""
    return [data.index for data in inputs if isinstance(data, pd.Series | pd.DataFrame)]


def _n_rows(data: Any) -> int:
    return data.shape[0] if hasattr(data, "shape") else len(data)
