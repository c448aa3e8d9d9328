"""A small biased task, and an estimator that keeps what its fit was given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin


class Keeper(ClassifierMixin, BaseEstimator):
    """Remembers the rows, weights and other arguments of `fit`; predicts the first class."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y, sample_weight=None, extra=None):
        self.X_, self.y_, self.sample_weight_, self.extra_ = X, y, sample_weight, extra
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Weightless(Keeper):
    """The same without `sample_weight`."""

    def fit(self, X, y, extra=None):
        return super().fit(X, y, extra=extra)


@pytest.fixture
def keeper():
    return Keeper()


@pytest.fixture
def weightless():
    return Weightless()


@pytest.fixture
def task():
    """X with a column `sex`, string classes, and an index of its own."""
    sizes = {("f", "yes"): 30, ("f", "no"): 50, ("m", "yes"): 60, ("m", "no"): 20}
    cells = [cell for cell, n in sizes.items() for _ in range(n)]
    rng = np.random.default_rng(0)
    order = rng.permutation(len(cells))
    sex = np.array([c[0] for c in cells])[order]
    y = np.array([c[1] for c in cells])[order]
    index = pd.Index(rng.permutation(1000)[: len(cells)])
    X = pd.DataFrame({"row": np.arange(160.0), "signal": rng.normal(y == "yes", 1)}, index=index)
    X["sex"] = sex
    return X, pd.Series(y, index=index, name="answer")
