"""What do twenty scorers cost in one ``cross_validate``, beside one?

    python benchmarks/bench_scorers.py                 # folds of up to 1,000,000 rows, a minute
    python benchmarks/bench_scorers.py --quick         # up to 20,000 rows, a few seconds

Ten groups named by text, two classes. The predictions are ready-made, so that the time is that of
scoring alone: processor time, the least of several runs, of what ``cross_validate`` calls for each
fold. The table gives, for each size of a fold, the time to score one metric and twenty with this
package, and twenty as plain callables, each of which predicts, reads the column and calls the
metric; and the calls of ``predict`` in a ``cross_validate`` of three folds. The target: twenty
cost at most three times one, and there is one ``predict`` a fold.
"""

import argparse
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import cross_validate

from skfairprop import metrics
from skfairprop.scorers import get_scorers

NAMES = [
    *("demographic_parity_difference", "demographic_parity_ratio", "equalized_odds_difference"),
    *("equalized_odds_ratio", "equal_opportunity_difference", "equal_opportunity_ratio"),
    *("accuracy_difference", "false_positive_rate_difference", "false_negative_rate_difference"),
    *("precision_difference", "term_by_term_equalized_odds", "classwise_equalized_odds"),
    *("equal_opportunity", "demographic_parity", "overall_disparity", "combined_error_variance"),
    *("symmetric_distance_error", "cramers_v", "dsap_stereotypical_bias", "ens_bias"),
]
FOLDS = 3
TARGET_RATIO = 3.0


class Ready(ClassifierMixin, BaseEstimator):
    """Predicts what a column of X says, and counts how often it is asked."""

    asked = 0

    def fit(self, X, y):  # noqa: D102
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):  # noqa: D102
        Ready.asked += 1
        return X["prediction"].to_numpy()


def plain(name):
    """The metric as a callable that scikit-learn calls with the estimator, X and y."""
    function = getattr(metrics, name)
    of_labels = metrics.METRICS[name].inputs == "labels"

    def score(estimator, X, y):
        labels = (y,) if of_labels else (y, pd.Series(estimator.predict(X), index=X.index))
        return -function(*labels, sensitive_features=X["group"])

    return score


def make_rows(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "group": pd.Series(rng.integers(0, 10, n_rows)).map("group {}".format),
            "prediction": rng.integers(0, 2, n_rows),
        }
    )
    return X, pd.Series(rng.integers(0, 2, n_rows))


def time_scoring(X, y, scoring, repeats):
    """Least processor seconds to score the rows."""
    model, scorer = Ready().fit(X, y), check_scoring(None, scoring)
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        scorer(model, X, y)
        seconds.append(time.process_time() - started)
    return min(seconds)


def count_predictions(X, y, scoring):
    """Calls of predict in a cross-validation."""
    Ready.asked = 0
    cross_validate(Ready(), X, y, cv=FOLDS, scoring=scoring, error_score="raise")
    return Ready.asked


def compare(n_rows, repeats):
    """Print the line of one size; return whether the target is met."""
    X, y = make_rows(n_rows)
    scorers = get_scorers(NAMES, sensitive_features="group")
    functions = {name: plain(name) for name in NAMES}
    one = time_scoring(X, y, {NAMES[0]: scorers[NAMES[0]]}, repeats)
    twenty = time_scoring(X, y, scorers, repeats)
    apart = time_scoring(X, y, functions, max(2, repeats // 10))
    asked, asked_apart = count_predictions(X, y, scorers), count_predictions(X, y, functions)
    print(
        f"{n_rows:>10,} {1e3 * one:>9.2f} {1e3 * twenty:>9.2f} {twenty / one:>8.2f} "
        f"{1e3 * apart:>12.1f} {apart / twenty:>8.1f} {asked:>8} {asked_apart:>14}"
    )
    return asked == FOLDS and twenty / one <= TARGET_RATIO


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="folds of up to 20,000 rows")
    arguments = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    sizes = [1_000, 20_000] if arguments.quick else [1_000, 20_000, 200_000, 1_000_000]
    print("milliseconds to score the rows; calls of predict in three folds")
    print(
        f"{'rows':>10} {'one':>9} {'twenty':>9} {'ratio':>8} {'20 functions':>12} {'ratio':>8} "
        f"{'predict':>8} {'20 functions':>14}"
    )
    started = time.perf_counter()
    met = [compare(n, repeats=50 if n <= 20_000 else 10) for n in sizes]
    print(f"{time.perf_counter() - started:.0f} s; targets {'met' if all(met) else 'NOT met'}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
