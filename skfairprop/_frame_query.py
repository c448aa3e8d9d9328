"""One group-by on a data frame of any engine: only the small table of counts comes back."""

import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from skfairprop._labels import MAX_WEIGHT, MIN_WEIGHT
from skfairprop._suggest import closest

# More combinations of values than this come from a score or an identifier.
_MAX_CELLS = 1 << 20
# Rows of a label column that are looked at before all are counted.
_PEEK = 1000

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]


@dataclass(frozen=True)
class FrameColumns:
    """Which columns of a frame are counted.

    Attributes
    ----------
    labels : dict of str to column name
        True and, perhaps, predicted classes, by the names of their arguments.
    protected : tuple of column names
    weight : column name, optional
    """

    labels: Mapping[str, str]
    protected: tuple[Any, ...]
    weight: str | None = None

    @property
    def keys(self) -> list[tuple[str, Any]]:
        """Argument and column of all that is grouped by."""
        return [*self.labels.items(), *(("sensitive_features", name) for name in self.protected)]

    @property
    def named(self) -> list[tuple[str, Any]]:
        """Argument and column of all that is read."""
        return self.keys + ([] if self.weight is None else [("sample_weight", self.weight)])


@dataclass(frozen=True)
class Cells:
    """The combinations of values that occur in a frame, and how often.

    Attributes
    ----------
    keys : list of lists
        The values, one list for each column grouped by; None where missing.
    rows : integer array of shape (n_cells,)
    moments : array of shape (2, n_cells), optional
        Sums of the weights and of their squares.
    whole : bool
        Whether the weights are integers.
    """

    keys: list[list[Hashable]]
    rows: np.ndarray
    moments: np.ndarray | None = None
    whole: bool = True


def count_cells(
    frame: Any,
    columns: FrameColumns,
    *,
    owner: str,
    prepare: Callable[[Frame], Frame] | None = None,
) -> Cells:
    """Group a frame by labels and protected columns.

    Parameters
    ----------
    frame : data frame
        Of any engine that narwhals knows, lazy or not.
    columns : FrameColumns
    owner : str
        Begins the messages: the method, or the batch or file.
    prepare : callable, optional
        Makes columns of others first.

    Returns
    -------
    Cells

    Raises
    ------
    TypeError
        If it is no data frame.
    ValueError
        If a column is not there or is named twice, the weights are not allowed, or there are too
        many different values.
    RuntimeError
        If the engine fails; its own error is the cause.
    """
    native = _read(frame, owner)
    if prepare is not None:
        native = prepare(native)
    schema = ask_engine(str(native.implementation), native.collect_schema, owner)
    _check_columns(schema, columns, owner)
    # by names of ours: none of them can be that of a column that is computed
    names = [f"key_{i}" for i in range(len(columns.keys))]
    picked = [nw.col(c).alias(n) for n, (_, c) in zip(names, columns.keys, strict=True)]
    sums = [nw.len().alias("rows")]
    if columns.weight is not None:
        weight = nw.col(columns.weight).cast(nw.Float64)
        picked += [weight.alias("weight"), (weight * weight).alias("squared")]
        sums += _weight_sums()
    query = native.select(*picked)
    _refuse_scores(query, columns, schema, owner)
    found = _collect(query.group_by(names).agg(*sums).head(_MAX_CELLS + 1), owner)
    if len(found) > _MAX_CELLS:
        _refuse_many(query, columns, owner)
    keys = [[_plain(v) for v in found[name].to_list()] for name in names]
    rows = found["rows"].to_numpy().astype(np.int64)
    if columns.weight is None:
        return Cells(keys, rows)
    dtype = schema[columns.weight]
    _check_weights(found, query, owner)
    moments = found.select("total", "total_squared").to_numpy().astype(np.float64).T
    return Cells(keys, rows, moments, whole=dtype.is_integer() or dtype == nw.Boolean)


def _read(frame: Any, owner: str) -> Frame:
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(frame, arrow.RecordBatch):
        frame = arrow.Table.from_batches([frame])
    try:
        native = nw.from_native(frame)
    except TypeError:
        remedy = "for arrays use GroupCounts.from_arrays, for files GroupCounts.from_parquet"
        raise TypeError(
            f"{owner}: frame must be a data frame (pandas, polars, pyarrow, DuckDB, Dask, Ibis, "
            f"PySpark); got {type(frame).__name__}; {remedy}"
        ) from None
    except Exception as exc:  # narwhals refuses frames that repeat a name of a column
        said = " ".join(str(exc).split())
        raise ValueError(f"{owner}: the frame cannot be read: {said}") from exc
    return native


def _check_columns(schema: Any, columns: FrameColumns, owner: str) -> None:
    names = schema.names()
    for argument, column in columns.named:
        if column in map(str, set(names) - {column}):
            raise ValueError(
                f"{owner}: {argument}: the name of column {column} is no text; rename the columns, "
                "as in frame.rename(columns=str)"
            )
        if column not in names:
            raise ValueError(f"{owner}: {argument}: no column {column!r}{closest(column, names)}")
    used = [column for _, column in columns.named]
    twice = [column for column in used if used.count(column) > 1]
    if twice:
        both = [argument for argument, column in columns.named if column == twice[0]]
        raise ValueError(
            f"{owner}: column {twice[0]!r} is named twice, as {' and '.join(both)}; name each once"
        )
    for argument, column in columns.keys:
        if schema[column].is_nested():
            raise ValueError(f"{owner}: {argument} {column!r} holds lists or records, not labels")
    if columns.weight is not None and not _is_number(schema[columns.weight]):
        raise ValueError(f"{owner}: sample_weight {columns.weight!r} must hold numbers")


def _is_number(dtype: Any) -> bool:
    return dtype.is_numeric() or dtype in (nw.Boolean, nw.Object)


def _weight_sums() -> list[nw.Expr]:
    weight = nw.col("weight")
    return [
        weight.sum().alias("total"),
        nw.col("squared").sum().alias("total_squared"),
        weight.count().alias("known"),
        weight.min().alias("least"),
        weight.max().alias("most"),
    ]


def _check_weights(found: nw.DataFrame[Any], query: Frame, owner: str) -> None:
    """Refuse what :func:`skfairprop._labels.check_weights` refuses, from the sums alone."""
    names = ("known", "total", "least", "most")
    known, total, least, most = (found[n].to_numpy().astype(np.float64) for n in names)
    if not np.array_equal(known, found["rows"].to_numpy()) or np.isnan(total).any():
        raise ValueError(f"{owner}: sample_weight holds values that are missing or infinite")
    if len(least) and least.min() < 0:
        negative = query.filter(nw.col("weight") < 0).select(nw.len().alias("rows"))
        n = int(_collect(negative, owner)["rows"][0])
        raise ValueError(
            f"{owner}: sample_weight holds {n:,} negative values; weights must be 0 or more"
        )
    if np.isinf(total).any():
        raise ValueError(f"{owner}: sample_weight holds values that are missing or infinite")
    if len(most) and most.max() > MAX_WEIGHT:
        raise ValueError(
            f"{owner}: sample_weight holds values as large as {most.max():g}; divide all of them "
            "by the largest"
        )
    if len(most) and 0 < most.max() < MIN_WEIGHT:
        raise ValueError(
            f"{owner}: sample_weight holds no value above {most.max():g}; divide all of them by "
            "the largest"
        )


def _refuse_scores(query: Frame, columns: FrameColumns, schema: Any, owner: str) -> None:
    """Scores in place of classes are refused by the first rows: all would make a huge table."""
    for i, (argument, column) in enumerate(columns.labels.items()):
        if not schema[column].is_float():
            continue
        first = _collect(query.select(f"key_{i}").head(_PEEK), owner)[f"key_{i}"].to_list()
        values = np.array([np.nan if _plain(v) is None else v for v in first], dtype=float)
        broken = values[np.isfinite(values) & (values != np.floor(values))]
        if len(broken):
            raise ValueError(
                f"{owner}: {argument} {column!r} holds continuous values, as {broken[0]:g}; pass "
                f"class labels, for example {column} >= 0.5"
            )


def _refuse_many(query: Frame, columns: FrameColumns, owner: str) -> None:
    names = [f"key_{i}" for i in range(len(columns.keys))]
    found = _collect(query.select(*(nw.col(n).n_unique() for n in names)), owner)
    distinct = [int(found[n].to_list()[0]) for n in names]  # older rows hold scalars of Arrow
    at = int(np.argmax(distinct))
    argument, column = columns.keys[at]
    raise ValueError(
        f"{owner}: {argument} {column!r} holds {distinct[at]:,} different values, and the columns "
        f"together make more than {_MAX_CELLS:,} cells; was a score or an identifier passed by "
        "mistake? Pass classes, and cut or merge the groups"
    )


def _collect(frame: Frame, owner: str) -> nw.DataFrame[Any]:
    if isinstance(frame, nw.DataFrame):
        return frame
    engine = str(frame.implementation)
    # polars holds only a part of the rows at a time if it is asked to, and is new enough
    streams = engine == "polars" and tuple(map(int, version("polars").split(".")[:2])) >= (1, 25)
    how: dict[str, Any] = {"engine": "streaming"} if streams else {}
    return ask_engine(engine, lambda: frame.collect(**how), owner)


def ask_engine(engine: str, question: Callable[[], Any], owner: str) -> Any:
    """What an engine answers; if it fails, its error is the cause of ours."""
    try:
        return question()
    except ModuleNotFoundError as exc:
        raise ImportError(
            f"{owner}: {engine} needs {exc.name!r}, which is not installed: pip install {exc.name}"
        ) from exc
    except Exception as exc:  # whatever the engine raises: it may be a file, a network, a query
        said = (str(exc).strip() or type(exc).__name__).splitlines()[0]
        raise RuntimeError(f"{owner}: {engine} could not compute the counts: {said}") from exc


def _plain(value: Any) -> Any:
    """A value as all engines give it: None where it is missing, dates as time stamps."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if isinstance(value, np.generic):
        return value.item()
    return pd.Timestamp(value) if isinstance(value, date) else value
