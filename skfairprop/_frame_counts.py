"""Counts of frames, files and batches: merged by label, and read by one policy for missing ones."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from glob import escape, has_magic
from importlib.util import find_spec
from itertools import pairwise
from numbers import Number
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice
from skfairprop._columns import Column, blockwise_bincount
from skfairprop._counting import (
    MAX_EXACT,
    check_size,
    report_dropped,
    report_weightless,
)
from skfairprop._frame_query import Cells, Frame, FrameColumns, ask_engine, count_cells
from skfairprop._labels import declare, encode_classes
from skfairprop._optional import import_optional
from skfairprop._suggest import closest
from skfairprop.groups import Groups, align

# What reads Parquet files, and the packages that it needs for it; DuckDB holds the least memory.
ENGINES = {"duckdb": ("duckdb", "pyarrow"), "polars": ("polars",), "pyarrow": ("pyarrow",)}
_EXTRA = "frames"
_BATCH_ARGUMENTS = ("y_true", "y_pred", "sensitive_features", "sample_weight")
# Rows that pyarrow holds at a time.
_ARROW_ROWS = 1 << 20


class CellTable:
    """Cells of any number of frames, merged by the values of their keys.

    Parameters
    ----------
    columns : FrameColumns
        The names that the messages and the table of counts shall use.
    """

    def __init__(self, columns: FrameColumns) -> None:
        self.columns = columns
        self._position: dict[tuple[Hashable, ...], int] = {}
        self._kinds: list[tuple[frozenset[str], Hashable, str] | None] = [None] * len(columns.keys)
        self._rows = np.zeros(0, dtype=np.int64)
        self._moments = np.zeros((2, 0))
        self._whole = True
        self._frames = 0

    @property
    def n_rows(self) -> int:
        """Number of rows of all frames, with those that a policy leaves out."""
        return int(self._rows.sum())

    def add(self, cells: Cells, where: str) -> None:
        """Add the cells of one frame; `where` begins the message about unlike types."""
        self._frames += 1
        for i, values in enumerate(cells.keys):
            self._check_kind(i, values, where)
        known = self._position
        at = [known.setdefault(key, len(known)) for key in zip(*cells.keys, strict=True)]
        new = len(known) - len(self._rows)
        self._rows = np.pad(self._rows, (0, new))
        np.add.at(self._rows, at, cells.rows)
        if cells.moments is not None:
            self._moments = np.pad(self._moments, ((0, 0), (0, new)))
            for sums, more in zip(self._moments, cells.moments, strict=True):
                np.add.at(sums, at, more)
        self._whole &= cells.whole

    def _check_kind(self, i: int, values: list, where: str) -> None:
        """1 and "1" are two labels: refuse a column that was read as another type before."""
        kinds = frozenset(_kind(v) for v in values if v is not None)
        if not kinds:
            return
        example = next(v for v in values if v is not None)
        before = self._kinds[i]
        if before is None:
            self._kinds[i] = kinds, example, where
        elif before[0] != kinds:
            argument, column = self.columns.keys[i]
            raise ValueError(
                f"{where}: {argument} {column!r} holds {_listed(kinds)}, as {example!r}, and in "
                f"{before[2]} it holds {_listed(before[0])}, as {before[1]!r}; read it as the same "
                "type everywhere"
            )

    def tabulate(
        self,
        *,
        groups: Sequence[Hashable] | None,
        classes: Sequence[Hashable] | None,
        missing: str,
        stacklevel: int,
    ) -> dict[str, Any]:
        """The arguments of :class:`skfairprop.GroupCounts`.

        Missing values and undeclared labels are treated, and said, as those of rows are.
        """
        columns, rows = self.columns, self._rows
        if not self.n_rows:
            raise ValueError("there are no rows; at least 1 is needed")
        keys = list(zip(*self._position, strict=True))
        if self._frames > 1:
            for (argument, column), values in zip(columns.keys, keys, strict=True):
                _refuse_precisions(values, f"{argument} {column!r}")
        arrays = [_as_objects(values) for values in keys]
        n_labels = len(columns.labels)
        named = {f"{a} {c!r}": arrays[i] for i, (a, c) in enumerate(columns.labels.items())}
        protected = [
            Column(values, name)
            for values, name in zip(arrays[n_labels:], columns.protected, strict=True)
        ]
        found = Groups.from_columns(protected, missing=missing, row_counts=rows)
        codes, found_classes = encode_classes(
            {name: Column(values) for name, values in named.items()}, row_counts=rows
        )
        group_codes, group_labels = declare(found.codes, found.labels, groups, "groups")
        recoded = [declare(code, found_classes, classes, "classes") for code in codes]
        table = self._sum(
            [group_codes, *(code for code, _ in recoded)], group_labels, recoded[0][1]
        )
        dropped = int(rows[found.codes < 0].sum())
        table["n_dropped"] = dropped
        report_dropped(dropped, self.n_rows, stacklevel + 1)
        if columns.weight is not None:
            report_weightless(table, found.labels, stacklevel + 1)
        return table

    def _sum(self, codes: list, groups: pd.Index, classes: pd.Index) -> dict[str, Any]:
        sizes = check_size(groups, classes, len(codes))

        def total(weights: np.ndarray) -> np.ndarray:
            return blockwise_bincount(codes, sizes, weights).reshape(sizes)

        squared = None
        if self.columns.weight is None:
            values = np.rint(total(self._rows)).astype(np.int64)
        else:
            values, squared = total(self._moments[0]), total(self._moments[1])
            if self._whole and values.max() < MAX_EXACT:
                values = np.rint(values).astype(np.int64)
            if not values.any():
                raise ValueError("sample_weight is zero in all rows with a protected value")
        return {
            "values": values,
            "groups": groups,
            "classes": classes,
            "squared": squared,
            "predicted": len(codes) == 3,
        }


def _refuse_precisions(values: Iterable[Any], name: str) -> None:
    """1.1 in single precision is another label than in double: refuse one number as two."""
    broken = {v for v in values if isinstance(v, float | Decimal) and math.isfinite(v) and v % 1}
    for low, high in pairwise(sorted(broken)):
        if np.float32(low) == np.float32(high):
            raise ValueError(
                f"{name} holds {low!r} and {high!r}, one number in two precisions; read it as the "
                "same type everywhere"
            )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "booleans"
    if isinstance(value, datetime) and value.tzinfo is not None:
        return "dates with a time zone"
    for kind, types in {"numbers": Number, "texts": str, "dates": date}.items():
        if isinstance(value, types):
            return kind
    return f"values of type {type(value).__name__}"


def _listed(kinds: Iterable[str]) -> str:
    return " and ".join(sorted(kinds))


def _as_objects(values: Sequence[Hashable]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def frame_columns(
    y_true: Any, y_pred: Any, sensitive_features: Any, sample_weight: Any, *, owner: str
) -> FrameColumns:
    """The names of columns, checked to be names."""
    labels = {"y_true": y_true} if y_pred is None else {"y_true": y_true, "y_pred": y_pred}
    protected = sensitive_features
    if isinstance(protected, str) or not isinstance(protected, list | tuple):
        protected = [protected]
    named = [*labels.items(), *(("sensitive_features", name) for name in protected)]
    if sample_weight is not None:
        named.append(("sample_weight", sample_weight))
    for argument, name in named:
        if name is None:
            raise ValueError(f"{owner}: {argument} is missing: name a column")
        if not isinstance(name, str):
            raise TypeError(
                f"{owner}: {argument} must name a column; got {type(name).__name__}; for arrays "
                "use GroupCounts.from_arrays"
            )
    if not protected:
        raise ValueError(f"{owner}: sensitive_features names no column")
    return FrameColumns(labels, tuple(protected), sample_weight)


def tabulate_frame(frame: Any, columns: FrameColumns, *, owner: str, **policy: Any) -> dict:
    """Count one frame; see :meth:`skfairprop.GroupCounts.from_frame`."""
    table = CellTable(columns)
    table.add(count_cells(frame, columns, owner=owner), owner)
    policy["stacklevel"] += 1
    return table.tabulate(**policy)


# -- batches ------------------------------------------------------------------------------------


def tabulate_batches(batches: Iterable[Any], columns: FrameColumns | None, **policy: Any) -> dict:
    """Count frames, or mappings of arguments; see :meth:`skfairprop.GroupCounts.from_batches`."""
    table = None if columns is None else CellTable(columns)
    if isinstance(batches, Mapping | str) or not isinstance(batches, Iterable):
        raise TypeError(
            f"batches must be an iterable of frames or dicts; got {type(batches).__name__}"
        )
    for number, batch in enumerate(batches, start=1):
        where = f"batch {number}"
        frame, inside, named = batch, columns, columns
        if columns is None:
            frame, inside, named = _frame_of_arguments(batch, where)
        assert inside is not None
        assert named is not None
        table = CellTable(named) if table is None else table
        if named != table.columns:
            raise ValueError(
                f"{where}: has {_described(named)}, and batch 1 has {_described(table.columns)}; "
                "give all batches the same arguments and names"
            )
        table.add(count_cells(frame, inside, owner=where), where)
    if table is None:
        raise ValueError("there are no batches; at least 1 is needed")
    policy["stacklevel"] += 1
    return table.tabulate(**policy)


def _described(columns: FrameColumns) -> str:
    parts = [*columns.labels, f"sensitive_features {list(columns.protected)}"]
    return ", ".join(parts + ([] if columns.weight is None else ["sample_weight"]))


def _frame_of_arguments(batch: Any, where: str) -> tuple[pd.DataFrame, FrameColumns, FrameColumns]:
    """A batch of arrays as a frame, its columns in that frame, and by the names they have."""
    if not isinstance(batch, Mapping):
        raise TypeError(
            f"{where} is a {type(batch).__name__}; name the columns of frames, as in "
            "from_batches(frames, y_true='y', ...), or pass dicts with y_true, y_pred, "
            "sensitive_features"
        )
    for name in batch:
        if name not in _BATCH_ARGUMENTS:
            raise ValueError(f"{where}: no argument {name!r}{closest(name, _BATCH_ARGUMENTS)}")
    given = {k: v for k, v in batch.items() if v is not None}
    for name in ("y_true", "sensitive_features"):
        if name not in given:
            raise ValueError(f"{where}: {name} is missing")
    columns = align(**given)
    inside: dict[str, Any] = {f"{a}_{i}": c for a in columns for i, c in enumerate(columns[a])}
    frame = pd.DataFrame({name: c.values for name, c in inside.items()})
    labels: dict[str, str] = {n: f"{n}_0" for n in ("y_true", "y_pred") if n in columns}
    protected = columns["sensitive_features"]
    weight = "sample_weight_0" if "sample_weight" in columns else None
    places = tuple(f"sensitive_features_{i}" for i in range(len(protected)))
    several = len(protected) > 1
    names = tuple(i if c.name is None and several else c.name for i, c in enumerate(protected))
    return (
        frame,
        FrameColumns(labels, places, weight),
        FrameColumns(
            {name: name for name in labels}, names, None if weight is None else "sample_weight"
        ),
    )


# -- files --------------------------------------------------------------------------------------


def tabulate_parquet(
    path: Any, columns: FrameColumns, *, engine: str | None, **policy: Any
) -> dict:
    """Count Parquet files; see :meth:`skfairprop.GroupCounts.from_parquet`."""
    policy["stacklevel"] += 1
    return read_parquet(find_files(path), columns, engine=engine).tabulate(**policy)


def read_parquet(
    files: Sequence[str],
    columns: FrameColumns,
    *,
    engine: str | None = None,
    prepare: Callable[[Frame], Frame] | None = None,
) -> CellTable:
    """The cells of Parquet files, of whose rows a part is held at a time.

    Parameters
    ----------
    files : sequence of str
    columns : FrameColumns
    engine : {"duckdb", "polars", "pyarrow"}, optional
    prepare : callable, optional
        Makes columns of others first.
    """
    engine = check_engine(engine)
    table = CellTable(columns)
    for file in files:
        where = Path(file).name
        frames = _SCANS[engine](file, None if prepare else columns)
        while (frame := ask_engine(engine, partial(next, frames, None), where)) is not None:
            table.add(count_cells(frame, columns, owner=where, prepare=prepare), where)
    return table


def find_files(path: Any) -> list[str]:
    """The files of a path, a pattern, a folder, or several paths; sorted, at least one."""
    if isinstance(path, list | tuple):
        if not path:
            raise ValueError("path is an empty list; name at least one file")
        return [file for one in path for file in find_files(one)]
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be a path, a pattern or a list; got {type(path).__name__}")
    text = fspath(path)
    if "://" in text or Path(text).is_file():  # the engine knows what to do with an address
        return [text]
    if not text:
        raise ValueError("path is empty; name a file, a pattern or a folder")
    if Path(text).is_dir():
        found = sorted(map(str, Path(text).rglob("*.parquet")))
    elif not has_magic(text):
        raise FileNotFoundError(f"no file {text!r}")
    else:
        pattern = Path(text)
        inside = str(pattern.relative_to(pattern.anchor))
        found = sorted(map(str, Path(pattern.anchor).glob(inside)))
    if not found:
        where = f"in folder {text!r}" if Path(text).is_dir() else f"matches {text!r}"
        raise FileNotFoundError(f"no file {where}")
    return found


def check_engine(engine: str | None) -> str:
    """The engine to read Parquet with; default: the first that is installed."""
    if engine is None:
        found = (name for name, needed in ENGINES.items() if all(map(find_spec, needed)))
        engine = next(found, None)
        if engine is None:
            raise ImportError(
                f"reading Parquet needs one of {', '.join(ENGINES)}: pip install "
                f"'skfairprop[{_EXTRA}]'"
            )
    check_choice("engine", engine, ENGINES)
    for package in ENGINES[engine]:
        import_optional(package, extra=_EXTRA)
    return engine


def _scan_polars(file: str, columns: FrameColumns | None) -> Iterator[Any]:
    yield import_optional("polars", extra=_EXTRA).scan_parquet(file, glob=False)


def _scan_duckdb(file: str, columns: FrameColumns | None) -> Iterator[Any]:
    # a name with "*" or "[" is that of one file, not a pattern that other files match
    name = file if "://" in file else escape(file)
    with import_optional("duckdb", extra=_EXTRA).connect() as connection:
        yield connection.read_parquet(name)


def _scan_pyarrow(file: str, columns: FrameColumns | None) -> Iterator[Any]:
    arrow = import_optional("pyarrow", extra=_EXTRA)
    parquet = import_optional("pyarrow.parquet", extra=_EXTRA)
    with parquet.ParquetFile(file) as source:
        names = source.schema_arrow.names
        wanted = names if columns is None else [column for _, column in columns.named]
        if not set(wanted) <= set(names):
            yield source.schema_arrow.empty_table()  # the message names what there is
        for batch in source.iter_batches(batch_size=_ARROW_ROWS, columns=wanted):
            yield arrow.Table.from_batches([batch])


_SCANS: dict[str, Callable[[str, FrameColumns | None], Iterator[Any]]] = {
    "polars": _scan_polars,
    "duckdb": _scan_duckdb,
    "pyarrow": _scan_pyarrow,
}
