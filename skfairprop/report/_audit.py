"""An audit of a table: from options to predictions, counts and a report."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.report._change import Change, data_to_model
from skfairprop.report._report import FairnessReport
from skfairprop.report._rules import Check, Rule, run_check
from skfairprop.report._source import Source
from skfairprop.report._table import (
    PRESETS,
    Table,
    UsageError,
    need_column,
    protected_column,
    read_table,
)

ESTIMATORS = ("logistic", "forest", "boosting")


class AuditError(Exception):
    """The audit could not run: a model or a computation failed."""


@dataclass(frozen=True)
class AuditOptions:
    """What to audit, as the command's flags say it; see ``skfairprop audit --help``."""

    table: str | None = None
    target: str | None = None
    sensitive: Sequence[str] = ()
    pos_label: str | None = None
    pred: str | None = None
    estimator: str | None = None
    weight: str | None = None
    sep: str = ","
    cv: int = 5
    seed: int = 0
    bootstrap: int = 1000
    min_count: int = 50
    max_groups: int = 200
    confidence: float = 0.95
    missing: str = "raise"
    rules: Sequence[Rule] = ()


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
    accuracy: float | None = None


def run_audit(options: AuditOptions) -> Audit:
    """Read the table, predict if asked to, and report.

    Raises
    ------
    UsageError
        If something in the options or the table can be mended by the user.
    AuditError
        If fitting or predicting fails.
    """
    options = _with_defaults(options)
    table = read_table(options.table, sep=options.sep)
    frame = table.frame
    target = need_column(frame, options.target, "--target")
    y = _target(frame[target], options)
    pos_label = _pos_label(y, options)
    groups = _protected(frame, options)
    weight = None
    if options.weight is not None:
        weight = frame[need_column(frame, options.weight, "--weight")]
    y_pred, model = _predictions(frame, y, target, options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        counts = _count(y, y_pred, groups, weight, options)
    _check_groups(counts, options)
    report = FairnessReport.from_counts(
        counts,
        pos_label=pos_label,
        confidence=options.confidence,
        bootstrap=options.bootstrap,
        min_count=options.min_count,
        random_state=options.seed,
    )
    report.notes[:0] = list(dict.fromkeys(str(w.message) for w in caught))
    return Audit(
        report=report,
        table=table,
        source=Source(
            title=f"Fairness audit: {table.name}",
            rows=len(frame),
            columns=frame.shape[1],
            target=str(target),
            model=model,
            sha256=table.sha256,
        ),
        target=str(target),
        model=model,
        change=data_to_model(counts, pos_label=pos_label, confidence=options.confidence),
        checks=[run_check(report, rule) for rule in options.rules],
        accuracy=_accuracy(counts),
    )


def _with_defaults(options: AuditOptions) -> AuditOptions:
    """No table: German credit with a standard model; a shipped data set: its usual columns."""
    from dataclasses import replace

    if options.table is None:
        estimator = options.estimator or (None if options.pred else "logistic")
        options = replace(options, table="german_credit", estimator=estimator)
    preset = PRESETS.get(options.table, {})
    target = options.target or preset.get("target")
    if target is None:
        raise UsageError("--target is missing: name the column with the true classes")
    sensitive = options.sensitive or preset.get("sensitive", ())
    if not sensitive:
        raise UsageError("--sensitive is missing: name a protected column, as in --sensitive sex")
    pos_label = options.pos_label
    if pos_label is None and target == preset.get("target"):
        pos_label = preset["pos_label"]
    return replace(options, target=target, sensitive=tuple(sensitive), pos_label=pos_label)


def _target(y: pd.Series, options: AuditOptions) -> pd.Series:
    n_missing = int(y.isna().sum())
    if n_missing:
        raise UsageError(
            f"--target {options.target!r}: {n_missing:,} of {len(y):,} values are missing; leave "
            "those rows out of the table"
        )
    n = y.nunique()
    if n < 2:
        raise UsageError(f"--target {options.target!r}: all rows have the same value")
    if n > 100:
        raise UsageError(f"--target {options.target!r}: {n:,} different values; classes are needed")
    return y


def _pos_label(y: pd.Series, options: AuditOptions):
    """The positive class as it is spelled in the data."""
    values = sorted(y.unique().tolist(), key=str)
    if options.pos_label is not None:
        for value in values:
            if str(value) == options.pos_label:
                return value
        raise UsageError(
            f"--pos-label {options.pos_label!r}: not among the values of {options.target!r} "
            f"({name_some(values, 12)})"
        )
    told = all(isinstance(v, bool | int | float) for v in values)
    if len(values) == 2 and not (told and set(values) in ({0, 1}, {-1, 1})):
        raise UsageError(
            f"--target {options.target!r} has the values {name_some(values)}; say which one is "
            f"the positive class, as in --pos-label {str(values[-1])!r}"
        )
    return None


def _protected(frame: pd.DataFrame, options: AuditOptions) -> pd.DataFrame:
    columns = [protected_column(frame, spec, options.max_groups) for spec in options.sensitive]
    names = [str(c.name) for c in columns]
    repeated = {n for n in names if names.count(n) > 1}
    if repeated:
        raise UsageError(f"--sensitive {sorted(repeated)[0]!r} is given twice")
    for column in columns:
        n_missing = int(column.isna().sum())
        if n_missing and options.missing == "raise":
            raise UsageError(
                f"--sensitive {str(column.name)!r}: {n_missing:,} of {len(column):,} values are "
                "missing; pass --missing group to make them a group of their own, or --missing "
                "drop to leave those rows out"
            )
    return pd.concat(columns, axis=1)


def _count(y, y_pred, groups, weight, options: AuditOptions) -> GroupCounts:
    try:
        return GroupCounts.from_arrays(
            y, y_pred, sensitive_features=groups, sample_weight=weight, missing=options.missing
        )
    except ValueError as exc:
        raise UsageError(str(exc)) from None


def _check_groups(counts: GroupCounts, options: AuditOptions) -> None:
    n = counts.n_groups
    if n < 2:
        raise UsageError(
            f"--sensitive: there is only one group, {counts.group_texts[0]!r}; a comparison needs two"
        )
    if n > options.max_groups:
        raise UsageError(
            f"--sensitive: the columns together make {n:,} groups; name fewer columns, cut them "
            f"more coarsely, or pass --max-groups {n}"
        )


def _predictions(frame, y, target, options: AuditOptions):
    """Predicted classes and a description of where they come from; None without a model."""
    if options.pred is not None:
        pred = frame[need_column(frame, options.pred, "--pred")]
        n_missing = int(pred.isna().sum())
        if n_missing:
            raise UsageError(f"--pred {options.pred!r}: {n_missing:,} values are missing")
        _check_predicted_labels(pred, y, options)
        return pred, f"predictions of column {options.pred!r}"
    if options.estimator is None:
        return None, "none: the data set alone"
    left_out = [target] + ([options.weight] if options.weight else [])
    X = frame.drop(columns=left_out)
    pred = out_of_fold(X, y, options.estimator, cv=options.cv, seed=options.seed)
    return pred, f"{options.estimator}, {options.cv}-fold out-of-fold"


def _check_predicted_labels(pred: pd.Series, y: pd.Series, options: AuditOptions) -> None:
    """Scores passed as predictions, and labels spelled otherwise than in the target."""
    if pd.api.types.is_float_dtype(pred) and not np.all(pred == np.floor(pred)):
        raise UsageError(
            f"--pred {options.pred!r} holds scores, as {pred.iloc[0]:g}; it must hold classes of "
            f"{options.target!r}: cut the score first"
        )
    if not set(pred.unique().tolist()) & set(y.unique().tolist()):
        raise UsageError(
            f"--pred {options.pred!r} and --target {options.target!r} have no value in common: "
            f"{name_some(sorted(pred.unique().tolist(), key=str))} against "
            f"{name_some(sorted(y.unique().tolist(), key=str))}"
        )


def out_of_fold(X: pd.DataFrame, y: pd.Series, name: str, *, cv: int, seed: int) -> pd.Series:
    """Out-of-fold predictions of a standard pipeline: impute, one-hot, scale, fit.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        Numbers, strings and categories.
    y : Series of shape (n,)
    name : {"logistic", "forest", "boosting"}
    cv : int
        Number of stratified, shuffled folds.
    seed : int

    Returns
    -------
    Series of shape (n,)
        Indexed as y.

    Raises
    ------
    AuditError
        If fitting or predicting fails.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    smallest = int(y.value_counts().min())
    if smallest < 2:
        label = y.value_counts().idxmin()
        raise UsageError(f"the class {label!r} has one row; it cannot be learnt and tested on")
    folds = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pred = cross_val_predict(standard_pipeline(X, name, seed), X, y, cv=folds)
    except Exception as exc:  # any estimator may fail in any way; the cause is shown
        first = str(exc).strip().splitlines()[0]
        raise AuditError(f"the {name} model could not be fitted: {first}") from exc
    return pd.Series(pred, index=y.index, name="prediction")


def standard_pipeline(X: pd.DataFrame, name: str, seed: int):
    """The pipeline of ``--estimator`` for the columns of X."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numeric = X.select_dtypes(include=["number", "bool"]).columns.tolist()
    other = [c for c in X.columns if c not in numeric]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numeric),
        (
            OneHotEncoder(
                handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False
            ),
            other,
        ),
    )
    final = {
        "logistic": LogisticRegression(max_iter=1000),
        "forest": RandomForestClassifier(random_state=seed),
        "boosting": HistGradientBoostingClassifier(random_state=seed),
    }[name]
    return make_pipeline(columns, final)


def _accuracy(counts: GroupCounts) -> float | None:
    if not counts.predicted:
        return None
    return float(np.trace(counts.values.sum(0)) / counts.values.sum())
