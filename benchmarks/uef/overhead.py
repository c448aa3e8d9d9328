"""What the search costs a candidate, beside fitting, predicting and scoring."""

import time

import numpy as np
import pandas as pd
from scipy.stats import uniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RandomizedSearchCV

from skfairprop.model_selection import UEFSearchCV
from skfairprop.scorers import get_scorers

NEEDS_DATA = False
TARGET = 3.0
# Rows, folds, thresholds.
SIZES = ((500, 3, 24), (5_000, 3, 24), (5_000, 5, 24), (5_000, 3, None))


class Instant(ClassifierMixin, BaseEstimator):
    """Its scores are a sum of columns: nothing to fit, little to predict; it knows how long."""

    seconds_used = 0.0

    def __init__(self, a=0.5, b=0.5, c=0.5):
        self.a, self.b, self.c = a, b, c

    def fit(self, X, y):  # noqa: D102
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):  # noqa: D102
        began = time.process_time()
        score = np.asarray(X)[:, :3] @ [self.a, self.b, self.c]
        p = 1 / (1 + np.exp(-score))
        out = np.column_stack([1 - p, p])
        Instant.seconds_used += time.process_time() - began
        return out

    def predict(self, X):  # noqa: D102
        return (self.predict_proba(X)[:, 1] >= 0.5).astype(int)


def make_rows(n, seed=0):
    """Columns, classes that they tell, and groups that one of them tells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X.sum(1) + rng.normal(size=n) > 0).astype(int)
    return pd.DataFrame(X), y, pd.Series(np.where(X[:, 0] > 0, "a", "b"))


def make_search(kind, group, n, *, folds, thresholds):
    """Our search, or scikit-learn's random one with the same scorers."""
    space = {name: uniform(0, 1) for name in "abc"}
    names = ["balanced_accuracy", "demographic_parity_difference"]
    both = {"cv": folds, "refit": False, "random_state": 0}
    if kind == "uef":
        return UEFSearchCV(
            Instant(),
            space,
            objectives=names,
            sensitive_features=group,
            n_evaluations=n,
            thresholds=thresholds,
            **both,
        )
    scoring = {names[0]: names[0], **get_scorers([names[1]], sensitive_features=group, pos_label=1)}
    return RandomizedSearchCV(Instant(), space, n_iter=n, scoring=scoring, **both)


def time_search(kind, n_rows, n, **settings):
    """Milliseconds of CPU a candidate: of the search, and of the estimator in it."""
    X, y, group = make_rows(n_rows)
    search = make_search(kind, group, n, **settings)
    Instant.seconds_used = 0.0
    began = time.process_time()
    search.fit(X, y)
    used = time.process_time() - began
    done = len(search.cv_results_["params"])
    return 1e3 * used / done, 1e3 * Instant.seconds_used / done


def run(options):
    """Print the milliseconds, the least of three runs."""
    n = 60 if options.quick else 100
    print(f"milliseconds of CPU a candidate beside those of the estimator, {n} candidates; beside")
    print("RandomizedSearchCV with the same two scorers, which tries no thresholds")
    print(f"{'rows':>8} {'folds':>6} {'thresholds':>11} {'search':>7} {'random':>7} {'ratio':>6}")
    for n_rows, folds, thresholds in SIZES:
        settings = {"folds": folds, "thresholds": thresholds}
        ours, theirs = (
            min(np.subtract(*time_search(kind, n_rows, n, **settings)) for _ in range(3))
            for kind in ("uef", "random")
        )
        print(
            f"{n_rows:>8,} {folds:>6} {thresholds!s:>11} {ours:>7.2f} {theirs:>7.2f} "
            f"{ours / theirs:>6.2f}  (target {TARGET} ms)"
        )
