"""A report on the out-of-fold predictions of any classifier, and what drives its gaps."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from skfairprop._columns import Column, read_column
from skfairprop._resolve import match_rows, resolve_sensitive_features
from skfairprop.counts import GroupCounts
from skfairprop.report._drivers import (
    Drivers,
    associations,
    gap_measure,
    refit_without,
    row_codes,
)


def report_from_estimator(
    make_report: Callable[..., Any],
    estimator,
    X,
    y,
    *,
    sensitive_features,
    sample_weight,
    pos_label: Hashable | None,
    cv,
    n_jobs: int | None,
    missing: str,
    refit: bool,
    settings: Mapping[str, Any],
) -> Any:
    """See :meth:`FairnessReport.from_estimator`; `make_report` is :func:`fairness_report`."""
    from sklearn.model_selection import check_cv, cross_val_predict

    owner = "FairnessReport.from_estimator"
    by_x = _names_columns(sensitive_features, X) or callable(sensitive_features)
    spec, values = (sensitive_features, None) if by_x else (None, sensitive_features)
    # From here on rows belong together by position, as in scikit-learn, whatever their indexes.
    groups = resolve_sensitive_features(spec, X, y, values, owner=owner).reset_index(drop=True)
    labels = Column(read_column(y, what="y").values)
    if sample_weight is not None:
        columns, _ = match_rows(sample_weight, X, y, what=f"{owner}: sample_weight")
        sample_weight = columns[0].values
    folds = list(check_cv(cv, y, classifier=True).split(X, y))  # the same for all refits

    def predict(table):
        return cross_val_predict(estimator, table, y, cv=folds, n_jobs=n_jobs)

    given = {"sensitive_features": groups, "sample_weight": sample_weight, "missing": missing}
    report = make_report(labels, predict(X), pos_label=pos_label, **given, **settings)
    if not isinstance(X, pd.DataFrame):
        return report
    protected = [c for c in _names(groups) if c in X.columns]
    codes = row_codes(report.counts, groups, missing)
    table = associations(X.drop(columns=protected), codes, report.counts.n_groups)
    report.drivers = Drivers(associations=table)
    if refit and protected:
        measure = gap_measure(report.views[0].metrics.index)
        refits = refit_without(
            lambda columns: predict(_made_constant(X, columns)),
            protected,
            report.counts,
            lambda predicted: GroupCounts.from_arrays(labels, predicted, **given),
            measure,
            report.pos_label,
        )
        report.drivers = Drivers(associations=table, refits=refits, measure=measure)
    return report


def _made_constant(X: pd.DataFrame, columns: Sequence[Hashable]) -> pd.DataFrame:
    """The table with its most common value in all rows of some columns: they tell nothing."""
    out = X.copy()
    for column in columns:
        value = X[column].mode(dropna=False).iloc[0]
        out[column] = pd.Series(value, index=X.index, dtype=X[column].dtype)
    return out


def _names_columns(spec, X) -> bool:
    """Whether the protected columns are given by the names of columns of X."""
    if isinstance(spec, str):
        return True
    columns = getattr(X, "columns", None)
    return (
        columns is not None
        and isinstance(spec, list | tuple)
        and len(spec) > 0
        and all(isinstance(s, str) and s in list(columns) for s in spec)
    )


def _names(groups) -> list:
    """Names of the protected columns, as far as they have any."""
    if hasattr(groups, "columns"):
        return list(groups.columns)
    if isinstance(groups, Mapping):
        return list(groups)
    return [getattr(groups, "name", None)]
