"""The columns of an audit: target, positive class, protected ones, weights, predictions."""

from dataclasses import replace

import numpy as np
import pandas as pd

from skfairprop._columns import read_column
from skfairprop._labels import check_weights
from skfairprop.groups import name_some
from skfairprop.report._errors import UsageError
from skfairprop.report._options import AuditOptions
from skfairprop.report._table import (
    PRESETS,
    is_nested,
    need_column,
    protected_column,
    split_spec,
)

# What counts as missing in a text file.
_SPELLINGS = "an empty field, NA, None, null and the like"
_MAX_CLASSES = 100


def with_defaults(options: AuditOptions) -> AuditOptions:
    """No table: German credit with a standard model; a shipped data set: its usual columns."""
    if options.table is None:
        given = options.pred or options.model or options.estimator
        options = replace(
            options, table="german_credit", estimator=options.estimator if given else "logistic"
        )
    preset = PRESETS.get(str(options.table), {})
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


def read_target(frame: pd.DataFrame, options: AuditOptions) -> pd.Series:
    """The true classes."""
    y = frame[need_column(frame, str(options.target), "--target")]
    n_missing = int(y.isna().sum())
    if n_missing:
        raise UsageError(
            f"--target {options.target!r}: {n_missing:,} of {len(y):,} values are missing "
            f"({_SPELLINGS}); leave those rows out of the table"
        )
    n = y.nunique()
    if n < 2:
        raise UsageError(f"--target {options.target!r}: all rows have the same value")
    if n > _MAX_CLASSES:
        raise UsageError(
            f"--target {options.target!r}: {n:,} different values; classes are needed: name a "
            "column of at most "
            f"{_MAX_CLASSES}, such as one that cuts the numbers into ranges"
        )
    return y


def check_roles(frame: pd.DataFrame, options: AuditOptions) -> None:
    """Refuse a column in two roles: a target that is protected makes gaps of 1 by itself."""
    roles = [("--target", options.target), ("--pred", options.pred), ("--weight", options.weight)]
    roles += [("--sensitive", split_spec(frame, spec)[0]) for spec in options.sensitive]
    seen: dict[str, str] = {}
    for flag, column in roles:
        if column is None:
            continue
        before = seen.setdefault(str(column), flag)
        if before != flag:
            raise UsageError(
                f"{flag} {str(column)!r} is given as {before}, too; name another column"
            )


def read_pos_label(y: pd.Series, options: AuditOptions):
    """The positive class as it is spelled in the data."""
    values = sorted(y.unique().tolist(), key=str)
    if options.pos_label is not None:
        for value in values:
            if _spells(options.pos_label, value):
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


def _spells(text: str, value) -> bool:
    """Whether a text of the command line means this value of a table: "true" is True, "1" 1.0."""
    if str(value) == text:
        return True
    if isinstance(value, bool):
        return str(value).lower() == text.lower()
    try:
        return isinstance(value, int | float) and float(text) == value
    except ValueError:
        return False


def read_protected(frame: pd.DataFrame, options: AuditOptions) -> pd.DataFrame:
    """The protected columns, cut where asked for."""
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
                f"missing ({_SPELLINGS}); pass --missing group to make them a group of their own, "
                "or --missing drop to leave those rows out"
            )
    return pd.concat(columns, axis=1)


def protected_names(frame: pd.DataFrame, options: AuditOptions) -> list:
    """The labels of the protected columns in the table."""
    specs = (split_spec(frame, spec)[0] for spec in options.sensitive)
    return [need_column(frame, name, "--sensitive") for name in specs]


def read_weight(frame: pd.DataFrame, options: AuditOptions) -> pd.Series | None:
    """The weights of the rows."""
    if options.weight is None:
        return None
    weight = frame[need_column(frame, options.weight, "--weight")]
    if not pd.api.types.is_numeric_dtype(weight):
        raise UsageError(f"--weight {options.weight!r}: the column holds no numbers")
    try:
        check_weights(read_column(weight, what="sample_weight"))
    except ValueError as exc:
        message = str(exc).replace("sample_weight", f"--weight {options.weight!r}")
        raise UsageError(message) from None
    return weight


def read_predictions(frame: pd.DataFrame, y: pd.Series, options: AuditOptions) -> pd.Series:
    """The predictions in the table."""
    pred = frame[need_column(frame, str(options.pred), "--pred")]
    n_missing = int(pred.isna().sum())
    if n_missing:
        raise UsageError(
            f"--pred {options.pred!r}: {n_missing:,} of {len(pred):,} values are missing; leave "
            "those rows out of the table"
        )
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
    extra = sorted(set(pred.unique().tolist()) - set(y.unique().tolist()), key=str)
    if extra and y.nunique() == 2 and options.pos_label is None:
        raise UsageError(
            f"--pred {options.pred!r} holds {name_some(extra)}, which --target {options.target!r} "
            "lacks; pass --pos-label for one class against the rest"
        )
    return pred


def nested_columns(frame: pd.DataFrame) -> list:
    """Columns of lists or records, which no table of numbers and categories has."""
    return [c for c in frame.columns if is_nested(frame[c])]


def model_inputs(frame: pd.DataFrame, options: AuditOptions) -> pd.DataFrame:
    """The columns that a model may see: all but the target, the weights, and lists or records."""
    left_out = [*nested_columns(frame), need_column(frame, str(options.target), "--target")]
    if options.weight is not None:
        left_out.append(need_column(frame, options.weight, "--weight"))
    return frame.drop(columns=left_out)
