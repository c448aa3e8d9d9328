"""An audit of predictions in Parquet files larger than memory: from counts alone."""

import hashlib
import re
import warnings
from collections.abc import Callable, Sequence
from glob import has_magic
from importlib import import_module
from pathlib import Path

import narwhals.stable.v2 as nw
import pandas as pd

from skfairprop._frame_counts import CellTable, find_files, read_parquet
from skfairprop._frame_query import Frame, FrameColumns
from skfairprop._optional import import_optional
from skfairprop.counts import GroupCounts
from skfairprop.report import _audit
from skfairprop.report._audit import Audit, check_classes, check_groups
from skfairprop.report._change import data_to_model
from skfairprop.report._errors import UsageError, first_line
from skfairprop.report._inputs import (
    check_roles,
    protected_names,
    read_pos_label,
    read_predictions,
    read_target,
    with_defaults,
)
from skfairprop.report._options import AuditOptions
from skfairprop.report._report import FairnessReport
from skfairprop.report._rules import run_check
from skfairprop.report._source import Source
from skfairprop.report._table import Table, cut_ranges, need_column, split_spec

# Values of a Parquet file, rows times columns, from which on its rows are counted and not read:
# they would take a gigabyte or more.
LARGE = 1 << 27
_LEFT_OUT = (
    "the rows were counted and not read, as the files are large: how closely other columns follow "
    "the groups is not in this report"
)
# What messages call an argument, and the flag that it comes from.
_FLAGS = {
    r"\by_true\b": "--target",
    r"\by_pred\b": "--pred",
    r"\bsensitive_features\b": "--sensitive",
    r"\bsample_weight\b": "--weight",
    r"\bmissing='(\w+)'": r"--missing \1",
}


def run_audit(
    options: AuditOptions, *, progress: Callable[[str], None] = lambda text: None
) -> Audit:
    """Audit a table, from counts alone where it is too large; see :func:`_audit.run_audit`."""
    if is_large(options):
        progress("counting rows ...")
        return audit_counts(options)
    return _audit.run_audit(options, progress=progress)


def is_large(options: AuditOptions) -> bool:
    """Whether the predictions of a table are to be counted without reading it."""
    if options.pred is None or options.table is None:
        return False
    path = Path(options.table)
    if not path.name.endswith((".parquet", ".pq")) and not path.is_dir():
        return False
    if path.is_file():
        return _n_values(path) >= LARGE
    return path.is_dir() or has_magic(options.table)


def _n_values(path: Path) -> int:
    """Rows times columns of a Parquet file; 0 if it cannot be read, which is said elsewhere."""
    try:
        facts = import_module("pyarrow.parquet").read_metadata(path)
    except (ImportError, OSError, ValueError):
        return 0
    return facts.num_rows * facts.num_columns


def audit_counts(options: AuditOptions) -> Audit:
    """Count the rows, and report.

    Raises
    ------
    UsageError
        If something in the options or the files can be mended by the user.
    """
    options = with_defaults(options)
    _audit.check_model(options)  # there are predictions, and no model
    try:
        files = find_files(str(options.table))
        head = _head(files[0])
        cells = _count(files, head, options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = cells.tabulate(groups=None, classes=None, missing=options.missing, stacklevel=2)
    except (ValueError, OSError, ImportError, RuntimeError) as exc:
        raise UsageError(_in_flags(first_line(exc))) from None
    counts = GroupCounts(**table)
    pos_label = _check_labels(counts, options)
    check_groups(counts, options)
    check_classes(counts, pos_label, options)
    report = FairnessReport.from_counts(
        counts,
        pos_label=pos_label,
        confidence=options.confidence,
        bootstrap=options.bootstrap,
        min_count=options.min_count,
        random_state=options.seed,
    )
    report.notes[:0] = [_LEFT_OUT, *dict.fromkeys(str(w.message) for w in caught)]
    name = Path(str(options.table)).name
    read = Table(head, name, _digest(files), name, counted=cells.n_rows)
    model = f"predictions of column {options.pred!r}"
    return Audit(
        report=report,
        table=read,
        source=_source(read, model, options),
        target=str(options.target),
        model=model,
        change=data_to_model(counts, pos_label=pos_label, confidence=options.confidence),
        checks=[run_check(report, rule) for rule in options.rules],
    )


def _head(file: str) -> pd.DataFrame:
    """The columns of a file, without rows."""
    parquet = import_optional("pyarrow.parquet", extra="frames")
    return parquet.read_schema(file).empty_table().to_pandas()


def _count(files: Sequence[str], head: pd.DataFrame, options: AuditOptions) -> CellTable:
    labels = {
        "y_true": need_column(head, str(options.target), "--target"),
        "y_pred": need_column(head, str(options.pred), "--pred"),
    }
    weight = None
    if options.weight is not None:
        weight = need_column(head, options.weight, "--weight")
    check_roles(head, options)
    names = protected_names(head, options)
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UsageError(f"--sensitive {repeated[0]!r} is given twice")
    columns = FrameColumns(labels, tuple(names), weight)
    return read_parquet(files, columns, prepare=_cutter(head, options))


def _cutter(head: pd.DataFrame, options: AuditOptions) -> Callable[[Frame], Frame] | None:
    """What cuts the numeric protected columns into ranges, if any are to be cut."""
    ranges = []
    for spec in options.sensitive:
        name, cuts = split_spec(head, spec)
        if not cuts:
            continue
        column = head[name]
        if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
            raise UsageError(
                f"--sensitive {spec!r}: column {name!r} holds no numbers; leave the cut points out"
            )
        ranges.append(_range_of(name, cuts))
    return (lambda frame: frame.with_columns(*ranges)) if ranges else None


def _range_of(name: str, cuts: list[float]) -> nw.Expr:
    """As :func:`cut_ranges`, in the words of any engine; what is missing stays missing."""
    *labels, last = cut_ranges(pd.Series([], dtype=float), cuts).cat.categories
    value = nw.col(name).cast(nw.Float64)
    found: nw.Expr = nw.lit(last)
    for cut, label in reversed(list(zip(cuts, labels, strict=True))):
        found = nw.when(value <= cut).then(nw.lit(label)).otherwise(found)
    known = ~value.is_null() & ~value.is_nan()
    return nw.when(known).then(found).alias(name)


def _check_labels(counts: GroupCounts, options: AuditOptions):
    """The positive class, once the classes are those of an audit."""
    y = pd.Series(counts.of_labels().drop_unused().classes, name=options.target)
    guesses = pd.Series(counts.of_predictions().drop_unused().classes, name=options.pred)
    read_target(y.to_frame(), options)
    read_predictions(guesses.to_frame(), y, options)
    return read_pos_label(y, options)


def _in_flags(text: str) -> str:
    """A message with the flags of the command in place of the arguments of a function."""
    for argument, flag in _FLAGS.items():
        text = re.sub(argument, flag, text)
    return text


def _digest(files: Sequence[str]) -> str:
    """Of the bytes of a file; of several, of their digests."""
    found = []
    for file in files:
        with Path(file).open("rb") as opened:
            found.append(hashlib.file_digest(opened, "sha256"))
    if len(found) == 1:
        return found[0].hexdigest()
    return hashlib.sha256(b"".join(one.digest() for one in found)).hexdigest()


def _source(table: Table, model: str, options: AuditOptions) -> Source:
    return Source(
        title=f"Fairness audit: {table.title}",
        rows=table.n_rows,
        columns=table.frame.shape[1],
        target=options.target,
        model=model,
        protocol="as in the table",
        sha256=table.sha256,
        command=options.command,
        made=options.made,
    )
