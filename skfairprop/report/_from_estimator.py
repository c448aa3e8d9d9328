"""A report on the out-of-fold predictions of any classifier, and what drives its gaps."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from skfairprop._columns import Column, read_column
from skfairprop._random import as_generator
from skfairprop._resolve import by_name_or_value, match_rows, resolve_sensitive_features
from skfairprop._rows import take_rows
from skfairprop.counts import GroupCounts
from skfairprop.report._before_after import BeforeAfter, before_and_after
from skfairprop.report._drivers import (
    Drivers,
    associations,
    gap_measure,
    refit_without,
    row_codes,
)
from skfairprop.report._estimations import N_ROWS as N_EXAMINED
from skfairprop.report._estimations import Estimations, estimate_features
from skfairprop.report._explanations import Explanations, explain_groups

_OWNER = "FairnessReport.from_estimator"


@dataclass(frozen=True)
class _Fits:
    """An estimator, its rows, and the folds that are the same for all fits."""

    estimator: Any
    X: Any
    y: Any
    folds: list
    n_jobs: int | None

    def predict(self, *, X=None, estimator=None, params: dict | None = None) -> np.ndarray:
        """Out-of-fold predictions, also of other columns or of another estimator."""
        from sklearn.model_selection import cross_val_predict

        return cross_val_predict(
            self.estimator if estimator is None else estimator,
            self.X if X is None else X,
            self.y,
            cv=self.folds,
            n_jobs=self.n_jobs,
            params=params,
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
    reweight: Any,
    explain: bool,
    benn: bool,
    settings: Mapping[str, Any],
) -> Any:
    """See :meth:`FairnessReport.from_estimator`; `make_report` is :func:`fairness_report`."""
    from sklearn.model_selection import check_cv

    reweighter = _reweighter(reweight)
    groups = _groups(sensitive_features, X, y)
    labels = Column(read_column(y, what="y").values)
    if sample_weight is not None:
        columns, _ = match_rows(sample_weight, X, y, what=f"{_OWNER}: sample_weight")
        sample_weight = columns[0].values
    fits = _Fits(estimator, X, y, list(check_cv(cv, y, classifier=True).split(X, y)), n_jobs)
    rows = {"sensitive_features": groups, "sample_weight": sample_weight, "missing": missing}
    predicted = fits.predict()
    report = make_report(labels, predicted, pos_label=pos_label, **rows, **settings)
    codes = row_codes(report.counts, groups, missing)
    if isinstance(X, pd.DataFrame):
        report.drivers = _drivers(report, fits, labels, rows, codes, refit=refit)
    if reweighter is not None:
        report.before_after = _reweighted(report, fits, reweighter, labels, predicted, rows, codes)
    if explain or benn:
        unseen = _unseen(fits, labels, groups)
        report.explanations = _explained(report, unseen, missing) if explain else None
        report.estimations = _estimated(report, unseen) if benn else None
    return report


def _groups(sensitive_features, X, y) -> pd.DataFrame:
    """The protected columns; from here on rows belong together by position, as in scikit-learn."""
    spec, values = by_name_or_value(sensitive_features, X)
    return resolve_sensitive_features(spec, X, y, values, owner=_OWNER).reset_index(drop=True)


def _drivers(report, fits: _Fits, labels: Column, rows: dict, codes, *, refit: bool) -> Drivers:
    """How the other columns follow the groups, and refits without the protected ones."""
    X = fits.X
    protected = [c for c in _names(rows["sensitive_features"]) if c in X.columns]
    table = associations(X.drop(columns=protected), codes, report.counts.n_groups)
    if not (refit and protected):
        return Drivers(associations=table)
    measure = gap_measure(report.views[0].metrics.index)
    refits = refit_without(
        lambda columns: fits.predict(X=_made_constant(X, columns)),
        protected,
        report.counts,
        lambda predicted: GroupCounts.from_arrays(labels, predicted, **rows),
        measure,
        report.pos_label,
    )
    return Drivers(associations=table, refits=refits, measure=measure)


@dataclass(frozen=True)
class _Unseen:
    """The model of a fold, and the rows that it has not seen, by position."""

    model: Any
    X: Any
    y: np.ndarray
    groups: pd.DataFrame
    what: str


def _unseen(fits: _Fits, labels: Column, groups: pd.DataFrame) -> _Unseen:
    """The first fold whose rows are of the most groups: those of a sorted table may be of one."""
    codes = groups.groupby(list(groups), sort=False, dropna=False).ngroup().to_numpy()
    fold = int(np.argmax([len(np.unique(codes[test])) for _, test in fits.folds]))
    train, test = fits.folds[fold]
    y = np.asarray(labels.values)
    model = clone(fits.estimator).fit(take_rows(fits.X, train), y[train])
    X = take_rows(fits.X, test)
    if isinstance(X, pd.DataFrame):
        X = X.reset_index(drop=True)
    which = "of the first fold" if fold == 0 else f"of fold {fold + 1}"
    what = f"The {type(model).__name__} {which}, on rows that it did not learn from"
    return _Unseen(model, X, y[test], groups.iloc[test].reset_index(drop=True), what)


def _explained(report, of: _Unseen, missing: str) -> Explanations:
    return explain_groups(
        of.model,
        of.X,
        of.y,
        sensitive_features=of.groups,
        missing=missing,
        settings=report.settings,
        what=of.what,
    )


def _estimated(report, of: _Unseen) -> Estimations:
    features = [c for c in of.groups.columns if c in getattr(of.X, "columns", ())]
    if not features:
        raise ValueError(
            f"{_OWNER}: benn examines columns that the model sees, and X has none of the protected "
            "ones; name columns of X as sensitive_features"
        )
    rng = as_generator(report.settings.random_state)
    few = np.sort(rng.permutation(len(of.y))[:N_EXAMINED])  # not the first: tables may be sorted
    return estimate_features(
        of.model,
        of.X.iloc[few],
        of.y[few],
        features=features,
        groups=of.groups.iloc[few],
        pos_label=report.pos_label,
        settings=report.settings,
        what=of.what,
    )


def _reweighter(reweight: Any) -> Any:
    """The Reweighter that is meant, None: none."""
    from skfairprop.preprocessing import Reweighter

    if isinstance(reweight, bool | np.bool_):
        return Reweighter(empty_cells="ignore") if reweight else None
    if not isinstance(reweight, Reweighter):
        raise TypeError(
            f"{_OWNER}: reweight must be True, False or a Reweighter; got {type(reweight).__name__}"
        )
    return reweight


def _reweighted(
    report, fits: _Fits, reweighter, labels: Column, predicted, rows: dict, codes
) -> BeforeAfter:
    """The same model on the same folds with the weights of a Reweighter, beside the first."""
    from skfairprop.meta import ReweightedClassifier

    # Codes of the groups, so that rows with a missing protected value are a group of their own.
    reweighter = clone(reweighter).set_params(sensitive_features=None)
    after = fits.predict(
        estimator=ReweightedClassifier(clone(fits.estimator), reweighter),
        params={"sensitive_features": codes},
    )
    return before_and_after(
        report.views[0],
        report.settings,
        labels,
        predicted,
        after,
        rows=rows,
        pos_label=report.pos_label,
    )


def _made_constant(X: pd.DataFrame, columns: Sequence[Hashable]) -> pd.DataFrame:
    """The table with its most common value in all rows of some columns: they tell nothing."""
    out = X.copy()
    for column in columns:
        value = X[column].mode(dropna=False).iloc[0]
        out[column] = pd.Series(value, index=X.index, dtype=X[column].dtype)
    return out


def _names(groups) -> list:
    """Names of the protected columns, as far as they have any."""
    if hasattr(groups, "columns"):
        return list(groups.columns)
    if isinstance(groups, Mapping):
        return list(groups)
    return [getattr(groups, "name", None)]
