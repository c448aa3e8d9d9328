"""Read a table for an audit, find its columns, and cut numeric protected columns into ranges."""

import hashlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from skfairprop._suggest import closest

# Shipped data sets, and what an audit of them looks at unless told otherwise.
PRESETS = {
    "german_credit": {"target": "credit", "pos_label": "good", "sensitive": ("sex", "age:25")},
    "adult": {"target": "income", "pos_label": ">50K", "sensitive": ("sex", "race")},
    "nursery": {"target": "class", "pos_label": None, "sensitive": ("parents",)},
    "penguins": {"target": "species", "pos_label": None, "sensitive": ("island",)},
}


class UsageError(Exception):
    """Something the user can mend: a flag, a column, a file. One line with the remedy."""


@dataclass(frozen=True)
class Table:
    """A table and where it came from.

    Attributes
    ----------
    frame : DataFrame
    name : str
        File name, data set name, or "stdin".
    sha256 : str
        Of the bytes read.
    """

    frame: pd.DataFrame
    name: str
    sha256: str


def read_table(source: str, *, sep: str = ",") -> Table:
    """Read a CSV or Parquet file, CSV from stdin ("-"), or a shipped data set.

    Raises
    ------
    UsageError
        If there is no such file, or it is no such table; the message has the remedy.
    """
    if source in PRESETS and not Path(source).exists():
        return _shipped(source)
    data, name = _bytes_of(source)
    digest = hashlib.sha256(data).hexdigest()
    if source.endswith((".parquet", ".pq")):
        try:
            frame = pd.read_parquet(io.BytesIO(data))
        except ImportError:
            raise UsageError(f"{name}: Parquet needs pyarrow: pip install pyarrow") from None
        except Exception as exc:  # whatever the engine says of a broken file
            raise UsageError(f"{name}: not a Parquet file ({_first_line(exc)})") from None
    else:
        frame = _read_csv(data, name, sep)
    _check_shape(frame, name)
    return Table(frame, name, digest)


def _shipped(name: str) -> Table:
    from skfairprop import datasets

    bunch = getattr(datasets, f"load_{name}")()
    frame = bunch.frame
    digest = hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()
    return Table(frame, name, digest)


def _bytes_of(source: str) -> tuple[bytes, str]:
    if source == "-":
        return sys.stdin.buffer.read(), "stdin"
    path = Path(source)
    try:
        return path.read_bytes(), path.name
    except FileNotFoundError:
        known = f"; the shipped data sets are {', '.join(PRESETS)}"
        raise UsageError(f"no file {source!r}{known}") from None
    except OSError as exc:
        raise UsageError(f"{source!r} cannot be read: {exc.strerror}") from None


def _read_csv(data: bytes, name: str, sep: str) -> pd.DataFrame:
    compression = "gzip" if data[:2] == b"\x1f\x8b" else None
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            sep=sep,
            compression=compression,
            encoding="utf-8-sig",
            low_memory=False,
        )
    except UnicodeDecodeError:
        raise UsageError(
            f"{name}: not UTF-8; convert it first, for example with iconv -f latin1 -t utf-8"
        ) from None
    except pd.errors.EmptyDataError:
        raise UsageError(f"{name}: the file is empty") from None
    except (pd.errors.ParserError, ValueError, OSError) as exc:
        raise UsageError(f"{name}: not a CSV table ({_first_line(exc)})") from None
    if frame.shape[1] == 1 and sep == ",":
        for other in (";", "\t", "|"):
            if other in str(frame.columns[0]):
                shown = {"\t": "\\t"}.get(other, other)
                raise UsageError(
                    f"{name}: one column only; it seems separated by {shown!r}: pass --sep {shown!r}"
                )
    return _check_header(frame, data, name, sep, compression)


def _check_header(frame, data: bytes, name: str, sep: str, compression) -> pd.DataFrame:
    """Refuse repeated column names, which pandas would rename silently."""
    header = pd.read_csv(
        io.BytesIO(data), sep=sep, compression=compression, encoding="utf-8-sig",
        header=None, nrows=1, dtype=str,
    ).iloc[0]  # fmt: skip
    repeated = header[header.duplicated() & header.notna()]
    if len(repeated):
        raise UsageError(f"{name}: several columns are named {repeated.iloc[0]!r}; rename them")
    return frame


def _check_shape(frame: pd.DataFrame, name: str) -> None:
    if len(frame) < 2:
        raise UsageError(f"{name}: {len(frame)} rows; an audit needs at least 2")


def _first_line(exc: Exception) -> str:
    return str(exc).strip().splitlines()[0] if str(exc).strip() else type(exc).__name__


def need_column(frame: pd.DataFrame, column: str, flag: str):
    """The column label, or a UsageError with the closest name."""
    for label in frame.columns:
        if str(label) == column:
            return label
    raise UsageError(f"{flag} {column!r}: no such column{closest(column, frame.columns)}")


def protected_column(frame: pd.DataFrame, spec: str, max_groups: int) -> pd.Series:
    """The values of ``COL`` or ``COL:CUT,CUT``, numeric ones cut into ranges.

    Raises
    ------
    UsageError
        If there is no such column, the cut points cannot be used, or too many groups result.
    """
    name, cuts = _split_spec(frame, spec)
    column = frame[need_column(frame, name, "--sensitive")]
    if cuts:
        if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
            raise UsageError(
                f"--sensitive {spec!r}: column {name!r} holds no numbers; leave the cut points out"
            )
        return cut_ranges(column, cuts)
    n = column.nunique()
    if n > max_groups:
        raise UsageError(f"--sensitive {name!r}: {_too_many(column, name, n)}")
    return column


def _too_many(column: pd.Series, name: str, n: int) -> str:
    said = f"{n:,} different values make {n:,} groups"
    if pd.api.types.is_numeric_dtype(column):
        quartiles = [f"{q:g}" for q in np.unique(column.quantile([0.25, 0.5, 0.75]).round(2))]
        return f"{said}; cut them, as in '{name}:{','.join(quartiles)}'"
    return f"{said}; merge them, or pass --max-groups {n}"


def _split_spec(frame: pd.DataFrame, spec: str) -> tuple[str, list[float]]:
    """Name and cut points; a colon that belongs to the name of a column stays with it."""
    if ":" not in spec or spec in map(str, frame.columns):
        return spec, []
    name, _, text = spec.rpartition(":")
    try:
        cuts = [float(v) for v in text.split(",")]
    except ValueError:
        raise UsageError(
            f"--sensitive {spec!r}: cut points must be numbers, as in 'age:25' or 'age:25,45'"
        ) from None
    if cuts != sorted(set(cuts)) or not np.isfinite(cuts).all():
        raise UsageError(f"--sensitive {spec!r}: cut points must rise, as in 'age:25,45'")
    return name, cuts


def cut_ranges(column: pd.Series, cuts: list[float]) -> pd.Series:
    """Ranges named in words: "25 or under", "over 25 to 45", "over 45"; missing stays missing."""
    texts = [f"{c:g}" for c in cuts]
    between = [f"over {a} to {b}" for a, b in zip(texts[:-1], texts[1:], strict=True)]
    labels = [f"{texts[0]} or under", *between, f"over {texts[-1]}"]
    edges = [-np.inf, *cuts, np.inf]
    values = column.astype("float64")
    return pd.cut(values, edges, labels=labels, right=True, include_lowest=True)
