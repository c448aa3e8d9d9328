"""People with a protected attribute, a loop that scores them, and the ways to tell a scorer."""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from skfairprop.scorers import get_scorer

DPD = "demographic_parity_difference"
RATIOS = ["demographic_parity_ratio", "equal_opportunity_ratio", "equalized_odds_ratio"]
ON_SCORES = ["estimation_calibration", "estimation_erbs", "estimation_prediction_parity"]
CV = StratifiedKFold(3)
MODEL = LogisticRegression()


def make_people(n=240, seed=0):
    """Numeric features, one of them the protected attribute, on an index that is no range."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    y = (rng.random(n) < np.where(group == 1, 0.7, 0.35)).astype(int)
    X = pd.DataFrame({"group": group, "a": y + rng.normal(size=n), "b": rng.normal(size=n)})
    index = pd.Index(rng.permutation(n) + 1000)
    return X.set_axis(index), pd.Series(y, index=index, name="y")


X, Y = make_people()
GROUP = X["group"].map({0: "f", 1: "m"}).rename("sex")


class RoundedScores(LogisticRegression):
    """Scores that repeat, so that calibration has cells with several rows to compare."""

    def predict_proba(self, X):
        return super().predict_proba(X).round(1)


class RoundedDistances(LinearSVC):
    """The same with a decision function and no probabilities."""

    def decision_function(self, X):
        return super().decision_function(X).round(1)


def selection_gap(y_pred, group):
    """The demographic parity difference, in plain Python."""
    rates = []
    for g in set(group):
        chosen = [p for p, other in zip(y_pred, group, strict=True) if other == g]
        rates.append(sum(chosen) / len(chosen))
    return max(rates) - min(rates)


WAYS = ["column", "series", "routed"]


def scorer_and_params(way, name=DPD, **options):
    """A scorer told the protected attribute in one of the ways, and what is passed beside y."""
    if way == "routed":
        return get_scorer(name, **options), {"sensitive_features": GROUP}
    given = "group" if way == "column" else GROUP
    return get_scorer(name, sensitive_features=given, **options), {}


def expected_scores(data=X, y=Y, model=MODEL, cv=CV):
    """Scores of the folds by a loop of its own."""
    out = []
    for train, test in cv.split(data, y):
        fitted = clone(model).fit(data.iloc[train], y.iloc[train])
        out.append(-selection_gap(fitted.predict(data.iloc[test]), data["group"].iloc[test]))
    return out


def gap_of_mean(y_true, y_pred, *, sensitive_features, power=1):
    return selection_gap(y_pred, sensitive_features) ** power
