"""Any classifier, fitted on every fold, as a report asks it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from skfairprop._columns import read_column
from skfairprop._resolve import (
    by_name_or_value,
    column_names,
    match_rows,
    resolve_sensitive_features,
)
from skfairprop._rows import take_rows
from skfairprop.report._model import CrossFitted, Examined, Rows, of_fold

OWNER = "FairnessReport.from_estimator"


@dataclass(frozen=True)
class EstimatorFits(CrossFitted):
    """An estimator, its rows, and the folds that are the same for all fits.

    Attributes
    ----------
    estimator : classifier
    X : array-like or data frame of n rows
    y : array-like of shape (n,)
    folds : list of (train, test)
    n_jobs : int or None
    reweighter : Reweighter or None
        What `reweighted` takes the weights of.
    """

    estimator: Any
    X: Any
    y: Any
    folds: list
    n_jobs: int | None = None
    reweighter: Any = None

    def predict(
        self, *, X: Any = None, estimator: Any = None, params: dict | None = None
    ) -> np.ndarray:
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

    def without(self, columns: Sequence[Hashable]) -> np.ndarray:
        """With the most common value of some columns in all rows: a pipeline may name them."""
        X = self.X.copy()
        for column in columns:
            value = X[column].mode(dropna=False).iloc[0]
            X[column] = pd.Series(value, index=X.index, dtype=X[column].dtype)
        return self.predict(X=X)

    def reweighted(self, group_codes: np.ndarray) -> np.ndarray:
        """The same model on the same folds with the weights of the Reweighter."""
        from skfairprop.meta import ReweightedClassifier

        reweighter = clone(self.reweighter).set_params(sensitive_features=None)
        return self.predict(
            estimator=ReweightedClassifier(clone(self.estimator), reweighter),
            params={"sensitive_features": group_codes},
        )

    def examined(self, groups: pd.DataFrame) -> Examined:
        """The first fold whose rows are of the most groups: those of a sorted table may be of one.

        Its model is fitted once more, as cross-validation keeps none.
        """
        codes = groups.groupby(list(groups), sort=False, dropna=False).ngroup().to_numpy()
        fold = int(np.argmax([len(np.unique(codes[test])) for _, test in self.folds]))
        train, test = self.folds[fold]
        y = np.asarray(read_column(self.y, what="y").values)
        model = clone(self.estimator).fit(take_rows(self.X, train), y[train])
        X = take_rows(self.X, test)
        if isinstance(X, pd.DataFrame):
            X = X.set_axis(groups.index[test], axis=0)
        return Examined(model, X, test, of_fold(type(model).__name__, fold))


def read_rows(X: Any, y: Any, sensitive_features: Any, sample_weight: Any, missing: str) -> Rows:
    """The rows; from here on they belong together by position, as in scikit-learn."""
    spec, values = by_name_or_value(sensitive_features, X)
    groups = resolve_sensitive_features(spec, X, y, values, owner=OWNER)
    labels = read_column(y, what="y").values
    if sample_weight is not None:
        columns, _ = match_rows(sample_weight, X, y, what=f"{OWNER}: sample_weight")
        sample_weight = columns[0].values
    return Rows(labels, groups.reset_index(drop=True), sample_weight, missing)


def seen_columns(X: Any, rows: Rows, *, benn: bool) -> list:
    """The protected columns that are columns of X; BENN needs one."""
    known = column_names(X)
    seen = [c for c in rows.groups.columns if c in known]
    if benn and not seen:
        raise ValueError(
            f"{OWNER}: benn examines columns that the model sees, and X has none of the protected "
            "ones; name columns of X as sensitive_features"
        )
    return seen


def fits_of(
    estimator: Any, X: Any, y: Any, *, cv: Any, n_jobs: int | None, reweight: Any
) -> EstimatorFits:
    """What is to be fitted: the estimator, and the folds."""
    from sklearn.model_selection import check_cv

    reweighter = _reweighter(reweight)
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    return EstimatorFits(estimator, X, y, folds, n_jobs, reweighter)


def _reweighter(reweight: Any) -> Any:
    """The Reweighter that is meant, None: none."""
    from skfairprop.preprocessing import Reweighter

    if isinstance(reweight, bool | np.bool_):
        return Reweighter(empty_cells="ignore") if reweight else None
    if not isinstance(reweight, Reweighter):
        raise TypeError(
            f"{OWNER}: reweight must be True, False or a Reweighter; got {type(reweight).__name__}"
        )
    return reweight
