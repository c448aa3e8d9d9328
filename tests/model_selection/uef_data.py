"""Small data and estimators for the tests of the search."""

import time

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from skfairprop.model_selection import UEFSearchCV


def people(n=300, seed=0, classes=(0, 1)):
    """Features, classes and protected column, the last of which shifts the others."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    X = pd.DataFrame(rng.normal(size=(n, 3)) + 0.8 * (sex == "m")[:, None], columns=["a", "b", "c"])
    score = X["a"] + 0.5 * X["b"] + rng.normal(size=n) - 0.6
    edges = np.quantile(score, np.linspace(0, 1, len(classes) + 1)[1:-1])
    y = pd.Series(np.asarray(classes)[np.searchsorted(edges, score)])
    return X, y, pd.Series(sex, name="sex")


class Linear(ClassifierMixin, BaseEstimator):
    """Scores by its parameters: nothing is learnt, so that every number can be computed apart."""

    def __init__(self, tilt=0.0, shift=0.0, fails=False, seconds=0.0):
        self.tilt = tilt
        self.shift = shift
        self.fails = fails
        self.seconds = seconds

    def fit(self, X, y, sample_weight=None):
        if self.fails:
            raise ArithmeticError("it does not converge")
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        self.n_features_in_ = np.shape(X)[1]
        self.mean_ = np.asarray(X).mean()  # folds differ a little
        return self

    def predict_proba(self, X):
        X = np.asarray(X)
        score = X[:, 0] + self.tilt * X[:, 1] + self.shift + self.mean_
        p = 1 / (1 + np.exp(-score))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(1)]


def flaky(estimator, X, y):
    """A scorer that fails for some candidates."""
    if estimator.tilt > 1:
        raise RuntimeError("no score for these")
    return 0.5


def balanced(estimator, X, y):
    """A utility that is a callable, of which nobody can tell what it depends on."""
    return balanced_accuracy_score(y, estimator.predict(X))


OBJECTIVES = ["balanced_accuracy", "demographic_parity_difference"]


def make_search(estimator=None, space=None, **settings):
    """A small search, quiet and repeatable."""
    settings = {"cv": 3, "random_state": 0, "verbose": False, "n_evaluations": 20} | settings
    settings.setdefault("objectives", OBJECTIVES)
    if estimator is None:
        estimator = LogisticRegression()
        space = {"C": [0.01, 0.1, 1.0, 10.0]} if space is None else space
    return UEFSearchCV(estimator, space, **settings)
