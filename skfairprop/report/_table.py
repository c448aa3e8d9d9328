"""Read a table for an audit, find its columns, and cut numeric protected columns into ranges."""

import codecs
import hashlib
import io
import sys
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._suggest import closest
from skfairprop.report._errors import UsageError, first_line

# Shipped data sets, and what an audit of them looks at unless told otherwise.
PRESETS: dict[str, dict[str, Any]] = {
    "german_credit": {
        "title": "German credit",
        "target": "credit",
        "pos_label": "good",
        "sensitive": ("sex", "age:25"),
        "note": "“good” means repaid a loan that was granted: who was refused one is not in the "
        "data. “sex” comes out of a combined code for status and sex whose meaning is disputed "
        "(Grömping 2019); treat it as a label, not as a fact about people.",
    },
    "adult": {
        "title": "Adult",
        "target": "income",
        "pos_label": ">50K",
        "sensitive": ("sex", "race"),
        "note": "A sample of the US census of 1994: nothing here describes the present.",
    },
    "nursery": {
        "title": "Nursery",
        "target": "class",
        "pos_label": None,
        "sensitive": ("parents",),
        "note": "All combinations of the columns once each: not a sample of applications.",
    },
    "penguins": {
        "title": "Penguins",
        "target": "species",
        "pos_label": None,
        "sensitive": ("island",),
        "note": "Species live on certain islands: the association is a fact of nature.",
    },
}


@dataclass(frozen=True)
class Table:
    """A table and where it came from.

    Attributes
    ----------
    frame : DataFrame
        Without rows where only counts were read.
    name, title : str
        File name, data set name, or "stdin"; and what to call it in a heading.
    sha256 : str
        Of the bytes read.
    counted : int, optional
        Number of rows that were counted in the file and are not in `frame`.
    """

    frame: pd.DataFrame
    name: str
    sha256: str
    title: str
    counted: int | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.frame) if self.counted is None else self.counted


def read_table(source: str, *, sep: str = ",", encoding: str = "utf-8") -> Table:
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
            raise UsageError(f"{name}: not a Parquet file ({first_line(exc)})") from None
    else:
        frame = _read_csv(data, name, sep, encoding)
    _check_shape(frame, name)
    return Table(frame, name, digest, name)


def _shipped(name: str) -> Table:
    from skfairprop import datasets

    bunch = getattr(datasets, f"load_{name}")()
    frame = bunch.frame
    digest = hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()
    return Table(frame, name, digest, PRESETS[name]["title"])


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


def _read_csv(data: bytes, name: str, sep: str, encoding: str) -> pd.DataFrame:
    if len(sep) != 1 or sep in '"\r\n\0':  # pandas takes a longer one for a regular expression
        raise UsageError(f"--sep {sep!r}: must be one character, as ';' or '\\t'")
    if encoding.lower().replace("-", "").replace("_", "") == "utf8":
        encoding = "utf-8-sig"  # with or without a byte-order mark
    form = {
        "sep": sep,
        "compression": "gzip" if data[:2] == b"\x1f\x8b" else None,
        "encoding": encoding,
    }
    try:
        header = pd.read_csv(io.BytesIO(data), header=None, nrows=1, dtype=str, **form)
        frame = pd.read_csv(io.BytesIO(data), low_memory=False, **form)
    except UnicodeDecodeError:
        marked = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        raise UsageError(
            f"{name}: not {encoding.removesuffix('-sig').upper()}; name the encoding, as in "
            f"--encoding {'utf-16' if marked else 'latin-1'}"
        ) from None
    except LookupError:
        raise UsageError(f"--encoding {encoding!r}: no such encoding; try latin-1") from None
    except pd.errors.EmptyDataError:
        raise UsageError(f"{name}: the file is empty") from None
    except (pd.errors.ParserError, ValueError, OSError) as exc:
        raise UsageError(f"{name}: not a CSV table ({first_line(exc)})") from None
    _check_separator(frame, name, sep)
    repeated = header.iloc[0][header.iloc[0].duplicated() & header.iloc[0].notna()]
    if len(repeated):  # pandas renames them silently
        raise UsageError(f"{name}: several columns are named {repeated.iloc[0]!r}; rename them")
    return frame


def _check_separator(frame: pd.DataFrame, name: str, sep: str) -> None:
    if frame.shape[1] > 1:
        return
    for other in (",", ";", "\t", "|"):
        if other != sep and other in str(frame.columns[0]):
            shown = {"\t": "\\t"}.get(other, other)
            raise UsageError(
                f"{name}: one column only; it seems separated by '{shown}': pass --sep '{shown}'"
            )


def _check_shape(frame: pd.DataFrame, name: str) -> None:
    if len(frame) < 2:
        raise UsageError(
            f"{name}: {len(frame)} row{'s' * (len(frame) != 1)}; an audit needs at least 2"
        )


def need_column(frame: pd.DataFrame, column: str, flag: str):
    """The column label, or a UsageError with the closest name."""
    for label in frame.columns:
        if str(label) == column:
            if is_nested(frame[label]):
                raise UsageError(
                    f"{flag} {column!r}: the column holds lists or records; one value a row is "
                    "needed"
                )
            return label
    raise UsageError(f"{flag} {column!r}: no such column{closest(column, frame.columns)}")


def is_nested(column: pd.Series) -> bool:
    """Whether a column, of a Parquet file, holds lists or records instead of single values."""
    if column.dtype != object:
        return False
    first = column.first_valid_index()
    return first is not None and not isinstance(column[first], Hashable)


def protected_column(frame: pd.DataFrame, spec: str, max_groups: int) -> pd.Series:
    """The values of ``COL`` or ``COL:CUT,CUT``, numeric ones cut into ranges.

    Raises
    ------
    UsageError
        If there is no such column, the cut points cannot be used, or too many groups result.
    """
    name, cuts = split_spec(frame, spec)
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
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        quartiles = [f"{q:.15g}" for q in np.unique(column.quantile([0.25, 0.5, 0.75]).round(2))]
        return f"{said}; cut them, as in '{name}:{','.join(quartiles)}'"
    return f"{said}; merge them, or pass --max-groups {n}"


def split_spec(frame: pd.DataFrame, spec: str) -> tuple[str, list[float]]:
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
    texts = [f"{c:.15g}" for c in cuts]  # as given: six digits would not tell incomes apart
    between = [f"over {a} to {b}" for a, b in pairwise(texts)]
    labels = [f"{texts[0]} or under", *between, f"over {texts[-1]}"]
    edges = [-np.inf, *cuts, np.inf]
    values = column.astype("float64")
    return pd.cut(values, edges, labels=labels, right=True, include_lowest=True)
