"""The standard models of ``--estimator``, fitted out of fold on encoded columns."""

import warnings
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.report._errors import AuditError, UsageError, first_line

ESTIMATORS = ("logistic", "forest", "boosting")
_WORDS = {
    "logistic": "logistic regression",
    "forest": "random forest",
    "boosting": "histogram gradient boosting",
}
_MAX_CATEGORIES = 50
_MISSING = "(missing)"


@dataclass(frozen=True)
class Fold:
    """One fold: encoded rows to learn from and to predict, and its fitted model.

    Attributes
    ----------
    train, test : int arrays
        Positions of the rows.
    X_train, X_test : float arrays
        Encoded rows.
    origin : int array of shape (number of encoded columns,)
        For each encoded column the position of the column of the table that it comes from.
    model : classifier
        Fitted on `X_train`.
    """

    train: np.ndarray
    test: np.ndarray
    X_train: np.ndarray
    X_test: np.ndarray
    origin: np.ndarray
    model: Any


@dataclass(frozen=True)
class CrossFit:
    """A standard model on all folds.

    Attributes
    ----------
    name : {"logistic", "forest", "boosting"}
    columns : list
        Columns of the table that the model saw.
    folds : list of Fold
    labels : Series of shape (n,)
        Out-of-fold predictions, indexed as the table.
    seed : int
    """

    name: str
    columns: list
    folds: list[Fold]
    labels: pd.Series
    seed: int

    @property
    def words(self) -> str:
        """The model in words."""
        return _WORDS[self.name]

    def without(self, columns: Collection[Hashable], y: pd.Series) -> pd.Series:
        """Out-of-fold predictions of the same model that never sees some columns.

        Every column is encoded by itself, so that leaving out its encoded columns is leaving it
        out of the table.
        """
        kept = np.array([c not in columns for c in self.columns])
        out = np.empty(len(y), dtype=object)
        truth = y.to_numpy()
        for fold in self.folds:
            mask = kept[fold.origin]
            model = make_classifier(self.name, self.seed)
            _fit(model, fold.X_train[:, mask], truth[fold.train])
            out[fold.test] = model.predict(fold.X_test[:, mask])
        return pd.Series(out, index=y.index, name="prediction").infer_objects()


def make_classifier(name: str, seed: int):
    """The last step of a standard model."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    if name == "logistic":
        return LogisticRegression(max_iter=1000)
    if name == "forest":
        return RandomForestClassifier(random_state=seed)
    return HistGradientBoostingClassifier(random_state=seed)


def fit_out_of_fold(X: pd.DataFrame, y: pd.Series, name: str, *, cv: int, seed: int) -> CrossFit:
    """Fit a standard model on each of the stratified folds and predict the rows left out.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        Numbers, strings and categories. Numbers: the median for missing ones, then scaled.
        Others: one-hot, at most 50 categories a column, the rarer ones together.
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
    columns = X.columns.tolist()
    X = _prepared(X)
    sizes = y.value_counts()
    smallest = int(sizes.min())
    if smallest < 2:
        raise UsageError(
            f"the class {str(sizes.idxmin())!r} has one row; it cannot be learnt and tested on"
        )
    folds = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=seed)
    try:
        fitted = [_fold(X, y, train, test, name, seed) for train, test in folds.split(X, y)]
    except Exception as exc:  # any estimator may fail in any way; the cause is shown
        raise AuditError(f"the {name} model could not be fitted: {first_line(exc)}") from exc
    out = np.empty(len(y), dtype=object)
    for fold in fitted:
        out[fold.test] = fold.model.predict(fold.X_test)
    labels = pd.Series(out, index=y.index, name="prediction").infer_objects()
    return CrossFit(name, columns, fitted, labels, seed)


def _prepared(X: pd.DataFrame) -> pd.DataFrame:
    """Columns named by position; those that hold no numbers as text, missing values among them."""
    out = {}
    for position in range(X.shape[1]):
        column = X.iloc[:, position]
        if pd.api.types.is_numeric_dtype(column):  # booleans as well
            out[str(position)] = column.to_numpy(dtype=float, na_value=np.nan)
        else:
            out[str(position)] = [_MISSING if pd.isna(v) else str(v) for v in column]
    return pd.DataFrame(out, index=X.index)


def _fold(X, y, train, test, name: str, seed: int) -> Fold:
    columns = _make_columns(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns that are empty in this fold
        X_train = columns.fit_transform(X.iloc[train])
        X_test = columns.transform(X.iloc[test])
    model = _fit(make_classifier(name, seed), X_train, y.to_numpy()[train])
    return Fold(train, test, X_train, X_test, _origin(columns), model)


def _fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence: a baseline, said to be one
        return model.fit(X, y)


def _make_columns(X: pd.DataFrame):
    """The encoder of the columns, each by itself; its columns are named by position."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = X.select_dtypes("number").columns
    scale = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    encode = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=_MAX_CATEGORIES,
        sparse_output=False,
        feature_name_combiner=_keep_name,
    )
    return ColumnTransformer(
        [("numbers", scale, numbers), ("others", encode, X.columns.difference(numbers, sort=False))]
    )


def _keep_name(column: str, category: object) -> str:
    """The name of an encoded column: that of the column it comes from."""
    return column


def _origin(columns) -> np.ndarray:
    """For each encoded column the position of the column that it comes from."""
    names: list[str] = []
    for key, encoder, taken in columns.transformers_:
        if key in ("numbers", "others") and len(taken):
            names += list(encoder.get_feature_names_out() if key == "others" else taken)
    return np.array(names, dtype=int)
