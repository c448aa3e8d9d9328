"""A search that is killed goes on to the same result; that of another search is refused."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import uniform

from skfairprop.model_selection._checkpoint import describe
from skfairprop.scorers import FairnessScorer
from tests.model_selection.uef_data import Linear, make_search, people

SPACE = {"tilt": uniform(-2, 4), "shift": uniform(-1, 2)}
# Starts the search ten times, each of which is killed at a random moment.
SCRIPT = """
import os, random, signal, sys, time
from tests.model_selection.test_uef_checkpoint import long_search
random.seed(0)
long_search(None).set_params(n_evaluations=12).fit(*long_search.data[:2])  # imports everything
for _ in range(10):
    child = os.fork()
    if not child:
        long_search(sys.argv[1], seconds=0.002).fit(*long_search.data[:2])
        os._exit(0)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.2))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


def long_search(path, seconds=0.0, **settings):
    _, _, sex = long_search.data
    return make_search(
        Linear(seconds=seconds),
        SPACE,
        sensitive_features=sex,
        n_evaluations=60,
        population_size=10,
        checkpoint=path,
        **settings,
    )


long_search.data = people(100)


def same(a, b):
    pd.testing.assert_frame_equal(a.pareto_front_, b.pareto_front_, check_exact=True)
    pd.testing.assert_frame_equal(a.hypervolume_, b.hypervolume_, check_exact=True)
    for name in a.cv_results_:
        if name.startswith(("split", "mean_test", "std_test", "rank", "pooled")):
            np.testing.assert_array_equal(a.cv_results_[name], b.cv_results_[name])


def test_every_length_of_the_file_leads_to_the_same_result(tmp_path):
    """Cut off anywhere, in the middle of a line or before the first: it goes on from there."""
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    whole = long_search(path).fit(X, y)
    text = path.read_bytes()
    assert text.count(b"\n") == 61
    rng = np.random.default_rng(0)
    for cut in [0, 1, 40, text.index(b"\n") + 1, *rng.integers(len(text), size=6), len(text)]:
        path.write_bytes(text[:cut])
        same(long_search(path).fit(X, y), whole)
        assert path.read_bytes().count(b"\n") == 61


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_killed_ten_times_it_goes_on_to_the_identical_front(tmp_path):
    path = tmp_path / "search.jsonl"
    X, y, _ = long_search.data
    subprocess.run([sys.executable, "-c", SCRIPT, str(path)], check=True)
    assert path.exists()
    same(
        long_search(path, seconds=0.002).fit(X, y),
        long_search(None, seconds=0.002).fit(X, y),
    )


def test_nothing_is_fitted_again(tmp_path):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    long_search(path).fit(X, y)
    before = path.read_bytes()
    again = long_search(path, refit=False)
    Linear.fit, fit = _refuse, Linear.fit
    try:
        again.fit(X, y)
    finally:
        Linear.fit = fit
    assert path.read_bytes() == before


def _refuse(self, X, y):
    raise AssertionError("it is fitted again")


def test_a_finished_search_is_chosen_from_again_and_goes_on(tmp_path):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    long_search(path).set_params(n_evaluations=23).fit(X, y)  # in the middle of a generation
    assert path.read_bytes().count(b"\n") == 24
    more = long_search(path, choice="knee", refit="ensemble").fit(X, y)
    same(more, long_search(None, choice="knee").fit(X, y))


def test_a_larger_budget_goes_on_with_the_population_of_the_first_run(tmp_path):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    first = long_search(path).set_params(population_size=None, n_evaluations=30).fit(X, y)
    # by itself, a search of 200 would have 20 candidates in a generation, and not 12
    more = long_search(path).set_params(population_size=None, n_evaluations=200).fit(X, y)
    assert more.cv_results_["params"][:30] == first.cv_results_["params"]
    expected = long_search(None).set_params(population_size=12, n_evaluations=200).fit(X, y)
    same(more, expected)
    with pytest.raises(ValueError, match="goes on with the population of its first run, 12"):
        long_search(path).set_params(population_size=20, n_evaluations=200).fit(X, y)


def test_a_budget_that_comes_to_cover_the_space_goes_on(tmp_path):
    X, y, sex = long_search.data
    space = {"tilt": [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]}
    settings = {"sensitive_features": sex, "population_size": 2, "checkpoint": tmp_path / "it"}
    few = make_search(Linear(), space, n_evaluations=4, **settings).fit(X, y)
    found = make_search(Linear(), space, n_evaluations=8, **settings).fit(X, y)
    params = [one["tilt"] for one in found.cv_results_["params"]]
    assert params[:4] == [one["tilt"] for one in few.cv_results_["params"]]
    assert sorted(params) == space["tilt"]


def older_than(age):
    return lambda X: X["a"] > age


def test_functions_are_compared_by_what_they_do(tmp_path):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"

    def search(**settings):
        settings = {"sensitive_features": older_than(0.0)} | settings
        return make_search(Linear(), {"tilt": uniform(-2, 4)}, checkpoint=path, **settings)

    def weighted(weight):
        return {"a": "accuracy", "b": lambda estimator, X, y: weight * estimator.score(X, y)}

    search(n_evaluations=4).fit(X, y)
    search(n_evaluations=6).fit(X, y)  # another function that does the same
    with pytest.raises(ValueError, match="is of another search: sensitive_features was function"):
        search(sensitive_features=older_than(1.0)).fit(X, y)
    with pytest.raises(ValueError, match="is of another search: sensitive_features was function"):
        search(sensitive_features=lambda X: X["b"] > 0.0).fit(X, y)
    path.unlink()
    settings = {"sensitive_features": None, "thresholds": None, "n_evaluations": 4}
    search(objectives=weighted(1), **settings).fit(X, y)
    search(objectives=weighted(1), **settings).fit(X, y)
    with pytest.raises(ValueError, match="is of another search: objectives was"):
        search(objectives=weighted(-5), **settings).fit(X, y)


def test_functions_that_know_themselves_are_described():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    class Counts:
        def __init__(self):
            self.me = self

        def __call__(self, estimator, X, y):
            return 0.0

    for one in (even, odd, Counts(), [even, odd]):
        assert describe(one) == describe(one)
    assert describe(even) != describe(odd)


def test_what_a_function_counts_is_not_what_it_does():
    before = describe(counting)
    counting()
    assert COUNTED == 1
    assert describe(counting) == before


COUNTED = 0


def counting():
    global COUNTED
    COUNTED += 1


def test_the_function_of_a_scorer_is_compared():
    def scorer(weight):
        def gap(y_true, y_pred, *, sensitive_features):
            return weight

        return FairnessScorer(gap, sensitive_features="sex", greater_is_better=False)

    assert describe(scorer(1)) == describe(scorer(1))
    assert describe(scorer(1)) != describe(scorer(2))


def test_a_population_that_the_first_budget_cut_short_may_be_given_again(tmp_path):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    settings = {"population_size": 20}
    long_search(path).set_params(**settings, n_evaluations=6).fit(X, y)
    more = long_search(path).set_params(**settings, n_evaluations=20).fit(X, y)
    assert len(more.cv_results_["params"]) == 20


def test_what_a_function_does_is_described_alike_in_every_process():
    code = (
        "from functools import partial\n"
        "from tests.model_selection.test_uef_checkpoint import older_than\n"
        "from skfairprop.model_selection._checkpoint import describe\n"
        "print(describe([older_than(2.0), partial(older_than, 3), {'b', 'a', 'c'}, "
        "''.join, lambda: {'x', 'y', 'z'}]))"
    )
    seen = set()
    for seed in ("1", "2"):  # of the hashes of texts
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"random_state": 1}, "random_state was 1654615998 and is|random_state was"),
        ({"thresholds": 5}, "thresholds was 24 and is 5"),
        ({"pooled": False}, "pooled was True and is False"),
        ({"cv": 4}, "cv was 3 and is 4"),
        ({"estimator": Linear(tilt=3.0)}, "estimator__tilt was 0.0 and is 3.0"),
        ({"param_distributions": {"tilt": uniform(-2, 5)}}, "param_distributions was"),
    ],
)
def test_a_checkpoint_of_another_search_is_refused_with_the_difference(tmp_path, change, message):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    long_search(path).set_params(n_evaluations=6).fit(X, y)
    with pytest.raises(ValueError, match=f"is of another search: .*({message})"):
        long_search(path).set_params(**{"n_evaluations": 6} | change).fit(X, y)


def test_other_data_and_other_files_are_refused(tmp_path):
    X, y, _ = long_search.data
    path = tmp_path / "search.jsonl"
    search = long_search(path).set_params(n_evaluations=6).fit(X, y)
    with pytest.raises(ValueError, match="is of another search: X was"):
        search.fit(X + 1, y)
    with pytest.raises(ValueError, match="fit: sample_weight was absent and is"):
        search.fit(X, y, sample_weight=np.ones(len(y)))
    path.write_text("something else\n")
    with pytest.raises(ValueError, match="is no file of UEFSearchCV; pass another path"):
        search.fit(X, y)


def test_without_a_seed_the_checkpoint_has_one(tmp_path):
    X, y, sex = long_search.data
    path = tmp_path / "search.jsonl"
    gap = FairnessScorer("demographic_parity_difference", sensitive_features=sex)
    settings = {"random_state": None, "objectives": {"ba": "balanced_accuracy", "dp": gap}}
    whole = long_search(path, **settings).fit(X, y)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:20]))
    same(long_search(path, **settings).fit(X, y), whole)
