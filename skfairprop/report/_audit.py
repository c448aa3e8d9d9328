"""An audit of a table: from options to predictions, counts, a report and what drives its gaps."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.report._before_after import BeforeAfter, before_and_after
from skfairprop.report._change import Change, data_to_model
from skfairprop.report._drivers import (
    Drivers,
    ScoreParts,
    associations,
    gap_measure,
    refit_without,
    row_codes,
    score_parts,
)
from skfairprop.report._errors import AuditError, UsageError, first_line
from skfairprop.report._estimations import N_ROWS as N_EXAMINED
from skfairprop.report._estimations import Estimations, estimate_features
from skfairprop.report._explanations import N_ROWS, Explanations, explain_groups
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
from skfairprop.report._model_file import model_columns, predict_with, read_model
from skfairprop.report._options import AuditOptions
from skfairprop.report._rates import positive_label
from skfairprop.report._report import FairnessReport
from skfairprop.report._rules import Check, run_check
from skfairprop.report._source import Source
from skfairprop.report._standard import CrossFit, fit_out_of_fold
from skfairprop.report._table import PRESETS, Table, read_table


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
    model: str
    protocol: str | None = None
    seen: list | None = None
    trusted: tuple[str, ...] = ()
    fit: CrossFit | None = None
    given: Any = None


@dataclass(frozen=True)
class _Rows:
    """The rows of an audit."""

    frame: pd.DataFrame
    y: pd.Series
    groups: pd.DataFrame
    weight: pd.Series | None
    missing: str

    @property
    def given(self) -> dict:
        """What the rows are grouped and weighted by."""
        return {
            "sensitive_features": self.groups,
            "sample_weight": self.weight,
            "missing": self.missing,
        }

    def count(self, predicted: pd.Series | None) -> GroupCounts:
        """Counts of these predictions."""
        try:
            return GroupCounts.from_arrays(self.y, predicted, **self.given)
        except ValueError as exc:
            raise UsageError(str(exc)) from None


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
    rows = _Rows(
        frame, y, read_protected(frame, options), read_weight(frame, options), options.missing
    )
    predicted = _predict(frame, y, options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        counts = rows.count(predicted.labels)
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
    report.notes[:0] = list(dict.fromkeys(str(w.message) for w in caught))
    if nested := nested_columns(frame):
        report.notes.append(f"left out columns of lists or records: {name_some(nested)}")
    report.drivers = _drivers(report, rows, predicted, options)
    if options.reweight and predicted.fit is not None:
        report.before_after = _reweighted(report, rows, predicted.fit)
    if options.explain:
        progress(f"explaining {N_ROWS} rows ...")
        report.explanations = _explained(report, rows, _examined(rows, predicted, options))
    if options.benn:
        progress("asking the model about changed rows ...")
        of = _examined(rows, predicted, options)
        report.estimations = _estimated(report, rows, of, options)
    return Audit(
        report=report,
        table=table,
        source=_source(table, predicted, options),
        target=str(options.target),
        model=_in_one(predicted),
        change=data_to_model(counts, pos_label=pos_label, confidence=options.confidence),
        checks=[run_check(report, rule) for rule in options.rules],
    )


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
            given=model,
        )
    if options.estimator is not None:
        fit = fit_out_of_fold(X, y, options.estimator, cv=options.cv, seed=options.seed)
        protocol = f"{len(fit.folds)}-fold out-of-fold"
        return _Predicted(fit.labels, fit.words, protocol, protected, fit=fit)
    return _Predicted(None, "none: the data set alone")


def _describe(model) -> str:
    steps = [type(step).__name__ for _, step in getattr(model, "steps", [])]
    return " → ".join(steps) or type(model).__name__


def _in_one(predicted: _Predicted) -> str:
    if predicted.fit is None:
        return predicted.model
    return f"{predicted.model}, {predicted.protocol}"


def _drivers(
    report: FairnessReport, rows: _Rows, predicted: _Predicted, options: AuditOptions
) -> Drivers:
    """How the other columns follow the groups and, with a standard model, refits and parts."""
    codes = row_codes(report.counts, rows.groups, options.missing)
    protected = protected_names(rows.frame, options)
    left_out = [*protected, *([options.pred] if options.pred else [])]
    others = model_inputs(rows.frame, options).drop(columns=left_out, errors="ignore")
    found = Drivers(associations=associations(others, codes, report.counts.n_groups))
    fit = predicted.fit
    if fit is None:
        return found
    if options.refit:
        measure = gap_measure(report.views[0].metrics.index)
        refits = refit_without(
            lambda columns: fit.without(columns, rows.y),
            protected,
            report.counts,
            rows.count,
            measure,
            report.pos_label,
        )
        found = replace(found, refits=refits, measure=measure)
    return replace(found, parts=_parts(report, fit, codes))


def _reweighted(report: FairnessReport, rows: _Rows, fit: CrossFit) -> BeforeAfter:
    """The same folds and the same model with the weights of a Reweighter, beside the first."""
    # rows with a missing protected value are a group of their own to the model, as they were before
    codes = row_codes(report.counts, rows.groups, rows.missing)
    try:
        after = fit.reweighted(rows.y, codes)
    except ValueError as exc:
        raise AuditError(f"--reweight: {first_line(exc)}") from exc
    return before_and_after(
        report.views[0],
        report.settings,
        rows.y,
        fit.labels,
        after,
        rows=rows.given,
        pos_label=report.pos_label,
    )


@dataclass(frozen=True)
class _Examined:
    """The model of the first fold and the rows that it has not seen, or the given model and all."""

    model: Any
    X: pd.DataFrame
    rows: np.ndarray
    what: str

    def taken(self, values: Any) -> Any:
        """The same rows of a Series or DataFrame."""
        return values.iloc[self.rows]


def _examined(rows: _Rows, predicted: _Predicted, options: AuditOptions) -> _Examined:
    X = model_inputs(rows.frame, options)
    if predicted.fit is not None:
        model, taken = predicted.fit.model_of(0), predicted.fit.folds[0].test
        what = f"The {predicted.fit.words} of the first fold, on rows that it did not learn from"
    else:
        model, X = predicted.given, model_columns(predicted.given, X)
        taken = np.arange(len(X))
        what = f"The given {_describe(predicted.given)}, on rows of the table"
    return _Examined(model, X.iloc[taken], taken, what)


def _explained(report: FairnessReport, rows: _Rows, of: _Examined) -> Explanations:
    with _failing("--explain", "explained"):
        return explain_groups(
            of.model,
            of.X,
            of.taken(rows.y),
            sensitive_features=of.taken(rows.groups),
            missing=rows.missing,
            settings=report.settings,
            what=of.what,
        )


def _estimated(
    report: FairnessReport, rows: _Rows, of: _Examined, options: AuditOptions
) -> Estimations:
    features = [c for c in protected_names(rows.frame, options) if c in of.X.columns]
    if not features:
        raise UsageError(
            "--benn examines columns that the model sees, and it sees none of the protected ones"
        )
    groups = of.taken(rows.groups).copy()
    groups.columns = protected_names(rows.frame, options)
    few = np.sort(np.random.default_rng(options.seed).permutation(len(of.X))[:N_EXAMINED])
    with _failing("--benn", "examined"):
        return estimate_features(
            of.model,
            of.X.iloc[few],
            of.taken(rows.y).iloc[few],
            features=features,
            groups=groups.iloc[few],
            pos_label=report.pos_label,
            settings=report.settings,
            what=of.what,
        )


@contextmanager
def _failing(flag: str, done: str) -> Iterator[None]:
    """Say what failed in one line: any model may fail in any way."""
    try:
        yield
    except ImportError as exc:
        raise UsageError(f"{flag}: {first_line(exc)}") from exc
    except Exception as exc:
        raise AuditError(f"{flag}: the model could not be {done}: {first_line(exc)}") from exc


def _parts(report: FairnessReport, fit: CrossFit, codes: np.ndarray) -> ScoreParts | None:
    """Between the groups with the highest and the lowest share of the positive class."""
    if report.counts.n_classes != 2:
        return None
    selected = report.by_group["selection_rate"].to_numpy(float)
    if np.isnan(selected).any():
        return None
    pair = (int(selected.argmax()), int(selected.argmin()))
    positive = positive_label(report.counts, report.pos_label)
    texts, level = report.counts.group_texts, report.settings.confidence
    return score_parts(fit, codes, texts, pair, positive, level)


def _source(table: Table, predicted: _Predicted, options: AuditOptions) -> Source:
    seen = predicted.seen
    note = PRESETS.get(str(options.table), {}).get("note")
    return Source(
        title=f"Fairness audit: {table.title}",
        rows=table.n_rows,
        columns=table.frame.shape[1],
        target=options.target,
        model=predicted.model,
        protocol=predicted.protocol,
        protected_seen=None if seen is None else [str(c) for c in seen],
        trusted=predicted.trusted,
        sha256=table.sha256,
        notes=(note,) if note else (),
        command=options.command,
        made=options.made,
    )
