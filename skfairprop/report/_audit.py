"""An audit of a table: from options to predictions, counts, a report and what drives its gaps."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.report._change import Change, data_to_model
from skfairprop.report._complete import Wanted, complete
from skfairprop.report._errors import AuditError, UsageError, first_line
from skfairprop.report._explanations import N_ROWS
from skfairprop.report._inputs import (
    check_roles,
    model_inputs,
    nested_columns,
    protected_names,
    read_pos_label,
    read_predictions,
    read_protected,
    read_target,
    read_weight,
    with_defaults,
)
from skfairprop.report._model import Examined, Model, Rows
from skfairprop.report._model_file import model_columns, predict_with, read_model
from skfairprop.report._options import AuditOptions
from skfairprop.report._report import FairnessReport
from skfairprop.report._rules import Check, run_check
from skfairprop.report._source import Source
from skfairprop.report._standard import CrossFit, fit_out_of_fold
from skfairprop.report._table import PRESETS, Table, read_table

# What takes time: what is said meanwhile, and what failed.
_STEPS = {
    "reweight": ("", ""),
    "explain": (f"explaining {N_ROWS} rows ...", "the model could not be explained: "),
    "benn": ("asking the model about changed rows ...", "the model could not be examined: "),
}


@dataclass(frozen=True)
class Audit:
    """An audit: the report, where it comes from, and its checks."""

    report: FairnessReport
    table: Table
    source: Source
    target: str
    model: str
    change: Change | None
    checks: list[Check] = field(default_factory=list)


@dataclass(frozen=True)
class _Predicted:
    """Predictions, what made them, and on which rows."""

    labels: pd.Series | None
    words: str
    protocol: str | None = None
    seen: list | None = None
    trusted: tuple[str, ...] = ()
    model: Model | None = None


@dataclass(frozen=True)
class _Given(Model):
    """A model from a file, and the columns that it reads of all rows."""

    model: Any
    X: pd.DataFrame

    def examined(self, groups: pd.DataFrame) -> Examined:
        """The model and all rows: which of them it was fitted on is not known."""
        what = f"The given {_describe(self.model)}, on rows of the table"
        return Examined(self.model, self.X, np.arange(len(self.X)), what)


def run_audit(
    options: AuditOptions, *, progress: Callable[[str], None] = lambda text: None
) -> Audit:
    """Read the table, predict if asked to, and report.

    Parameters
    ----------
    options : AuditOptions
    progress : callable
        Gets a line on what is done where that takes time.

    Raises
    ------
    UsageError
        If something in the options or the table can be mended by the user.
    AuditError
        If fitting or predicting fails.
    """
    options = with_defaults(options)
    check_model(options)
    table = read_table(str(options.table), sep=options.sep, encoding=options.encoding)
    frame = table.frame
    check_roles(frame, options)
    y = read_target(frame, options)
    pos_label = read_pos_label(y, options)
    groups, weight = read_protected(frame, options), read_weight(frame, options)
    rows = Rows(y, groups, weight, options.missing)
    predicted = _predict(frame, y, options)
    if options.benn and not predicted.seen:
        raise UsageError(
            "--benn examines columns that the model sees, and it sees none of the protected ones"
        )
    counts, notes = _count(rows, predicted.labels)
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
    report.notes[:0] = notes
    if nested := nested_columns(frame):
        report.notes.append(f"left out columns of lists or records: {name_some(nested)}")
    complete(
        report,
        rows,
        predicted.labels,
        predicted.model,
        Wanted(options.refit, options.reweight, options.explain, options.benn),
        others=_others(frame, options),
        seen=predicted.seen or [],
        step=partial(_step, progress=progress),
    )
    return Audit(
        report=report,
        table=table,
        source=_source(table, predicted, options),
        target=str(options.target),
        model=_in_one(predicted),
        change=data_to_model(counts, pos_label=pos_label, confidence=options.confidence),
        checks=[run_check(report, rule) for rule in options.rules],
    )


def _count(rows: Rows, labels: pd.Series | None) -> tuple[GroupCounts, list[str]]:
    """The counts, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            counts = rows.count(labels)
        except ValueError as exc:
            raise UsageError(str(exc)) from None
    return counts, list(dict.fromkeys(str(w.message) for w in caught))


def check_model(options: AuditOptions) -> None:
    """Refuse what needs a model that is not there, before any work is done."""
    if options.reweight and options.estimator is None:
        raise UsageError(
            "--reweight fits the model again, so it needs --estimator: given predictions and "
            "models stay as they are"
        )
    for flag, wanted, what in (
        ("--explain", options.explain, "explain"),
        ("--benn", options.benn, "ask"),
    ):
        if wanted and options.estimator is None and options.model is None:
            raise UsageError(
                f"{flag} needs a model to {what}: pass --estimator or --model; predictions do "
                "not do"
            )


def check_groups(counts: GroupCounts, options: AuditOptions) -> None:
    """Refuse a single group, and too many."""
    n, used = counts.n_groups, counts.of_labels().drop_unused()
    if used.n_groups < 2:
        found = f"there is only one group{' of any weight' * (n > 1)}, {used.group_texts[0]!r}"
        raise UsageError(f"--sensitive: {found}; a comparison needs two")
    if n > options.max_groups:
        raise UsageError(
            f"--sensitive: the columns together make {n:,} groups; name fewer columns, cut them "
            f"more coarsely, or pass --max-groups {n}"
        )


def check_classes(counts: GroupCounts, pos_label, options: AuditOptions) -> None:
    """Refuse classes that are gone with rows of weight 0, or with those that were left out."""
    used = counts.of_labels().drop_unused().classes
    if len(used) < 2:
        raise UsageError(
            f"--target {options.target!r}: all rows that count have the same value, "
            f"{name_some(used)}; the others have no weight or were left out"
        )
    if pos_label is not None and pos_label not in used:
        raise UsageError(
            f"--pos-label {options.pos_label!r}: no row that counts has it; all of them have no "
            "weight or were left out"
        )


def _predict(frame: pd.DataFrame, y: pd.Series, options: AuditOptions) -> _Predicted:
    protected = protected_names(frame, options)
    if options.pred is not None:
        labels = read_predictions(frame, y, options)
        return _Predicted(labels, f"predictions of column {options.pred!r}", "as in the table")
    X = model_inputs(frame, options)
    if options.model is not None:
        model, trusted = read_model(options.model, options.trust)
        labels = predict_with(model, X, y)
        seen = getattr(model, "feature_names_in_", X.columns)
        return _Predicted(
            labels,
            f"{_describe(model)} of {options.model!r}",
            "of the given model for all rows; too good where it was trained on them",
            [c for c in protected if c in set(seen)],
            tuple(trusted),
            _Given(model, model_columns(model, X)),
        )
    if options.estimator is not None:
        fit = fit_out_of_fold(X, y, options.estimator, cv=options.cv, seed=options.seed)
        protocol = f"{len(fit.folds)}-fold out-of-fold"
        return _Predicted(fit.labels, fit.words, protocol, protected, model=fit)
    return _Predicted(None, "none: the data set alone")


def _describe(model) -> str:
    steps = [type(step).__name__ for _, step in getattr(model, "steps", [])]
    return " → ".join(steps) or type(model).__name__


def _in_one(predicted: _Predicted) -> str:
    fitted = isinstance(predicted.model, CrossFit)
    return f"{predicted.words}, {predicted.protocol}" if fitted else predicted.words


def _others(frame: pd.DataFrame, options: AuditOptions) -> pd.DataFrame:
    """What the table holds besides target, weights, predictions and protected columns."""
    left_out = [*protected_names(frame, options), *([options.pred] if options.pred else [])]
    return model_inputs(frame, options).drop(columns=left_out, errors="ignore")


@contextmanager
def _step(part: str, progress: Callable[[str], None]) -> Iterator[None]:
    """Say what is done, and what failed in one line: any model may fail in any way."""
    doing, failed = _STEPS[part]
    if doing:
        progress(doing)
    try:
        yield
    except ImportError as exc:
        raise UsageError(f"--{part}: {first_line(exc)}") from exc
    except Exception as exc:
        raise AuditError(f"--{part}: {failed}{first_line(exc)}") from exc


def _source(table: Table, predicted: _Predicted, options: AuditOptions) -> Source:
    seen = predicted.seen
    note = PRESETS.get(str(options.table), {}).get("note")
    return Source(
        title=f"Fairness audit: {table.title}",
        rows=table.n_rows,
        columns=table.frame.shape[1],
        target=options.target,
        model=predicted.words,
        protocol=predicted.protocol,
        protected_seen=None if seen is None else [str(c) for c in seen],
        trusted=predicted.trusted,
        sha256=table.sha256,
        notes=(note,) if note else (),
        command=options.command,
        made=options.made,
    )
