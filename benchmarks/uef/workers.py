"""Two workers beside one, on evaluations that take 50 ms and more."""

import time

from scipy.stats import uniform

from skfairprop.model_selection import UEFSearchCV
from uef.overhead import Instant, make_rows

NEEDS_DATA = False
TARGET = 1.7


class Waiting(Instant):
    """Takes a while to fit, but no processor: the measure is right on a busy machine too."""

    def __init__(self, a=0.5, b=0.5, c=0.5, seconds=0.05):
        super().__init__(a, b, c)
        self.seconds = seconds

    def fit(self, X, y):  # noqa: D102
        time.sleep(self.seconds)
        return super().fit(X, y)


def time_search(seconds, n, n_jobs):
    """Seconds of a search, and its front."""
    X, y, group = make_rows(2_000)
    search = UEFSearchCV(
        Waiting(seconds=seconds),
        {name: uniform(0, 1) for name in "abc"},
        objectives=["balanced_accuracy", "demographic_parity_difference"],
        sensitive_features=group,
        n_evaluations=n,
        cv=2,
        refit=False,
        n_jobs=n_jobs,
        random_state=0,
    )
    began = time.perf_counter()
    search.fit(X, y)
    return time.perf_counter() - began, search.pareto_front_


def run(options):
    """Print the speed-up."""
    n = 24 if options.quick else 60
    time_search(0.0, 4, 2)  # the workers start once
    print(f"{n} candidates on 2 folds, fits that wait; workers are running already")
    for seconds in (0.05, 0.2):
        one, front = time_search(seconds, n, 1)
        two, other = time_search(seconds, n, 2)
        same = front.equals(other)
        print(
            f"  fits of {1e3 * seconds:.0f} ms: one worker {one:.2f} s, two {two:.2f} s, "
            f"{one / two:.2f} x (target {TARGET}); the same front: {same}"
        )
