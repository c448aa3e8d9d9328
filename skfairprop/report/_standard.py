"""The standard models of ``--estimator``, fitted out of fold on encoded columns."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.report._encode import Encoded, Scaling, TableEncoder, encode
from skfairprop.report._errors import AuditError, UsageError, first_line
from skfairprop.report._model import CrossFitted, Examined, of_fold

ESTIMATORS = ("logistic", "forest", "boosting")
_WORDS = {
    "logistic": "logistic regression",
    "forest": "random forest",
    "boosting": "histogram gradient boosting",
}
_FEW_COLUMNS = 300


@dataclass(frozen=True)
class Fold:
    """One fold: encoded rows to learn from and to predict, and its fitted model.

    Attributes
    ----------
    train, test : int arrays
        Positions of the rows.
    X_train, X_test : float arrays of shape (n_train, m), (n_test, m)
    scaling : Scaling
        How numbers were filled and scaled.
    model : classifier
        Fitted on `X_train`.
    """

    train: np.ndarray
    test: np.ndarray
    X_train: np.ndarray
    X_test: np.ndarray
    scaling: Scaling
    model: Any


@dataclass(frozen=True)
class CrossFit(CrossFitted):
    """A standard model on all folds.

    Attributes
    ----------
    name : {"logistic", "forest", "boosting"}
    X : DataFrame of shape (n, d)
        What it sees of the table.
    y : Series of shape (n,)
    encoded : Encoded
        The columns as numbers.
    folds : list of Fold
    labels : Series of shape (n,)
        Out-of-fold predictions, indexed as the table.
    seed : int
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    encoded: Encoded
    folds: list[Fold]
    labels: pd.Series
    seed: int

    @property
    def words(self) -> str:
        """The model in words."""
        return _WORDS[self.name]

    @property
    def columns(self) -> list:
        """The columns of the table that the model sees."""
        return self.X.columns.tolist()

    @property
    def origin(self) -> np.ndarray:
        """Position of the column that each encoded column comes from."""
        return self.encoded.origin

    def model_of(self, position: int) -> Any:
        """The model of one fold as a Pipeline that reads the columns of the table."""
        from sklearn.pipeline import Pipeline

        fold = self.folds[position]
        encoder = TableEncoder(self.encoded, fold.scaling)
        return Pipeline([("encode", encoder), ("model", fold.model)])

    def examined(self, groups: pd.DataFrame) -> Examined:
        """The model of the first fold, and the rows that it has not seen: folds are shuffled."""
        rows = self.folds[0].test
        return Examined(self.model_of(0), self.X.iloc[rows], rows, of_fold(self.words, 0))

    def without(self, columns: Sequence) -> pd.Series:
        """Out-of-fold predictions of the same model that never sees some columns.

        Every column is encoded by itself, so that leaving out its encoded columns is leaving it
        out of the table.
        """
        mask = np.array([c not in columns for c in self.columns])[self.origin]
        out = np.empty(len(self.y), dtype=object)
        truth = self.y.to_numpy()
        for fold in self.folds:
            name = self.name if mask.any() else "constant"
            model = make_classifier(name, self.seed, len(mask) * self.y.nunique())
            _fit(model, fold.X_train[:, mask], truth[fold.train])
            out[fold.test] = model.predict(fold.X_test[:, mask])
        return pd.Series(out, index=self.y.index, name="prediction").infer_objects()

    def reweighted(self, group_codes: np.ndarray) -> pd.Series:
        """Out-of-fold predictions of the same model, fitted with the weights of a Reweighter.

        Weights are those of the rows to learn from. Cells of group and class without rows there
        have none; the others are weighted all the same.
        """
        from skfairprop.meta import ReweightedClassifier
        from skfairprop.preprocessing import Reweighter

        out = np.empty(len(self.y), dtype=object)
        truth = self.y.to_numpy()
        for fold in self.folds:
            model = make_classifier(self.name, self.seed, len(self.origin) * self.y.nunique())
            weighted = ReweightedClassifier(model, Reweighter(empty_cells="ignore"))
            groups = group_codes[fold.train]
            _fit(weighted, fold.X_train, truth[fold.train], sensitive_features=groups)
            out[fold.test] = weighted.predict(fold.X_test)
        return pd.Series(out, index=self.y.index, name="prediction").infer_objects()


def make_classifier(name: str, seed: int, n_columns: int):
    """The last step of a standard model, for so many encoded columns times classes."""
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    if name == "constant":  # nothing to learn from
        return DummyClassifier(strategy="most_frequent")
    if name == "logistic":
        # Both end so close to the optimum that no prediction hangs on how a machine rounds; lbfgs
        # stops further off, and another number of people in a group is right from CPU to CPU.
        if n_columns <= _FEW_COLUMNS:  # quicker there; its memory grows with their square
            return LogisticRegression(solver="newton-cholesky", max_iter=1000)
        return LogisticRegression(solver="newton-cg", tol=1e-6, max_iter=1000)
    if name == "forest":
        return RandomForestClassifier(random_state=seed)
    return HistGradientBoostingClassifier(random_state=seed)


def fit_out_of_fold(X: pd.DataFrame, y: pd.Series, name: str, *, cv: int, seed: int) -> CrossFit:
    """Fit a standard model on each of the stratified folds and predict the rows left out.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        Numbers, strings and categories. Numbers: the median for missing ones, then scaled, as the
        rows to learn from tell. Others: one-hot over the categories of all rows, at most 50 a
        column, the rarer ones together, missing values among them.
    y : Series of shape (n,)
    name : {"logistic", "forest", "boosting"}
    cv : int
        Number of folds, shuffled.
    seed : int

    Returns
    -------
    CrossFit

    Raises
    ------
    UsageError
        If a class has one row only, or there is no column to learn from.
    AuditError
        If fitting or predicting fails.
    """
    from sklearn.model_selection import StratifiedKFold

    if not X.shape[1]:
        raise UsageError("there is no column left to predict from; leave --estimator out")
    sizes = y.value_counts()
    smallest = int(sizes.min())
    if smallest < 2:
        raise UsageError(
            f"the class {str(sizes.idxmin())!r} has one row; it cannot be learnt and tested on"
        )
    folds = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=seed)
    encoded, truth = encode(X), y.to_numpy()
    size = len(encoded.origin) * len(sizes)
    try:
        fitted = [
            _fold(encoded, truth, train, test, make_classifier(name, seed, size))
            for train, test in folds.split(encoded.values, truth)
        ]
    except Exception as exc:  # any estimator may fail in any way; the cause is shown
        raise AuditError(f"the {name} model could not be fitted: {first_line(exc)}") from exc
    out = np.empty(len(y), dtype=object)
    for fold in fitted:
        out[fold.test] = fold.model.predict(fold.X_test)
    labels = pd.Series(out, index=y.index, name="prediction").infer_objects()
    return CrossFit(name, X, y, encoded, fitted, labels, seed)


def _fold(encoded: Encoded, y: np.ndarray, train, test, model) -> Fold:
    scaling = encoded.scaling(train)
    X_train, X_test = (scaling.apply(encoded.values[rows]) for rows in (train, test))
    return Fold(train, test, X_train, X_test, scaling, _fit(model, X_train, y[train]))


def _fit(model, X, y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence: a baseline, said to be one
        return model.fit(X, y, **params)
