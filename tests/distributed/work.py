"""The work that is run on a cluster: importable there, and the same in every process."""

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib import delayed
from scipy.stats import loguniform
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.utils.parallel import Parallel

from skfairprop import BENNEstimator, FairnessReport, bias_propagation, get_scorers
from skfairprop.datasets import make_biased_classification
from skfairprop.model_selection import UEFSearchCV
from skfairprop.preprocessing import BiasInducer


def problem():
    data = make_biased_classification(500, base_rates=(0.6, 0.4), random_state=0)
    return data.data, data.target, data.sensitive_features


def study(estimator=None, **settings):
    X, y, people = problem()
    inducer = BiasInducer("stereotypical", target_group="g1", target_classes=[1])
    return bias_propagation(
        LogisticRegression() if estimator is None else estimator,
        X,
        y,
        sensitive_features=people,
        inducer=inducer,
        factors=[-0.6, 0, 0.6],
        n_repeats=2,
        random_state=0,
        verbose=False,
        **settings,
    )


def grid(**settings):
    X, y, people = problem()
    names = ["equalized_odds_difference", "cramers_v"]
    return GridSearchCV(
        LogisticRegression(),
        {"C": [0.01, 10]},
        scoring={"accuracy": "accuracy", **get_scorers(names, sensitive_features=people)},
        refit="cramers_v",
        cv=3,
        **settings,
    ).fit(X, y)


def search(estimator=None, **settings):
    X, y, people = problem()
    return UEFSearchCV(
        LogisticRegression() if estimator is None else estimator,
        {"C": loguniform(1e-3, 10)},
        objectives=["balanced_accuracy", "equalized_odds_difference"],
        sensitive_features=people,
        n_evaluations=8,
        population_size=4,
        cv=3,
        random_state=0,
        verbose=False,
        **settings,
    ).fit(X, y)


def report(**settings):
    X, y, people = problem()
    return FairnessReport.from_estimator(
        LogisticRegression(),
        X,
        y,
        sensitive_features=people,
        cv=3,
        refit=False,
        bootstrap=20,
        **settings,
    )


def networks(n_jobs=None):
    """Estimates of generators that differ in their seed alone."""
    pytest.importorskip("skorch", exc_type=ImportError)
    return Parallel(n_jobs=n_jobs)(delayed(one_seed)(seed) for seed in range(2))


def one_seed(seed: int) -> pd.Series:
    import torch

    X, y, _ = problem()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as on a worker: sums depend on it in their last digits
    try:
        finder = BENNEstimator(
            LogisticRegression(),
            hidden_layers=(8,),
            max_steps=10,
            n_init=1,
            device="cpu",
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few steps
            return finder.fit(X, y).summary()["estimate"].sort_index()
    finally:
        torch.set_num_threads(threads)


def same_study(one, other) -> None:
    pd.testing.assert_frame_equal(one.results, other.results, check_exact=True)


def same_grid(one, other) -> None:
    for name, values in one.cv_results_.items():
        if "time" not in name:
            np.testing.assert_array_equal(values, other.cv_results_[name], err_msg=name)
    assert one.best_params_ == other.best_params_
    np.testing.assert_array_equal(one.best_estimator_.coef_, other.best_estimator_.coef_)


def same_search(one, other) -> None:
    pd.testing.assert_frame_equal(one.pareto_front_, other.pareto_front_, check_exact=True)
    pd.testing.assert_frame_equal(one.hypervolume_, other.hypervolume_, check_exact=True)
    assert one.best_params_ == other.best_params_


def same_report(one, other) -> None:
    assert one.to_json() == other.to_json()


def same_networks(one, other) -> None:
    assert len(one) == len(other) == 2
    assert not one[0].equals(one[1])
    for mine, theirs in zip(one, other, strict=True):
        pd.testing.assert_series_equal(mine, theirs, check_exact=True)


WORK = {
    "study": (study, same_study),
    "grid": (grid, same_grid),
    "search": (search, same_search),
    "report": (report, same_report),
    "networks": (networks, same_networks),
}


@cache
def alone(name: str):
    """The results of one process."""
    return WORK[name][0]()


class Deadly(LogisticRegression):
    """Kills the process that fits it once the checkpoint holds something finished.

    Parameters
    ----------
    folder : str
        Made by :func:`deadly`; it has the checkpoint, who may not die, who died and who fitted.
    """

    def __init__(self, folder: str, C: float = 1.0):
        super().__init__(C=C)
        self.folder = folder

    def fit(self, X, y):
        folder = Path(self.folder)
        if os.getpid() != int((folder / "survivor").read_text()) and _is_to_die(folder):
            os.kill(os.getpid(), signal.SIGKILL)
        super().fit(X, y)
        (folder / f"fit-{os.getpid()}-{time.monotonic_ns()}").touch()
        return self


def deadly(folder: Path, deaths: str, *, waits: bool = False) -> Deadly:
    """A model of which "one" fit or "all" fits are deadly.

    With `waits`, all fits but the first wait until the checkpoint has that one: where results are
    kept one at a time, nothing then depends on who is faster.
    """
    folder.mkdir()
    (folder / "deaths").write_text(deaths)
    (folder / "survivor").write_text(str(os.getpid()))
    if waits:
        (folder / "waits").touch()
    return Deadly(str(folder))


def kept(folder: Path) -> int:
    """Number of records in the checkpoint, which begins with a line on what it is of."""
    path = folder / "kept.jsonl"
    return max(0, path.read_text().count("\n") - 1) if path.exists() else 0


def _is_first(path: Path) -> bool:
    """Whether this is the first caller of all processes."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _is_to_die(folder: Path) -> bool:
    if (folder / "waits").exists():
        if _is_first(folder / "first"):
            return False
        for _ in range(600):
            if kept(folder):
                break
            time.sleep(0.1)
    if not kept(folder):
        return False
    first = _is_first(folder / "died")
    return first or (folder / "deaths").read_text() == "all"


class Late(BaseException):
    """No error of the work itself, and none that a library may take for its own."""


@contextmanager
def within(seconds: float, *, interrupt: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """End what takes too long, and interrupt, as a user does, what is to be interrupted.

    Raised again every few seconds, in case that it was raised where Python passes over it.
    """
    now = time.monotonic()
    times = {"end": now + seconds, "interrupt": now}

    def look(*_):
        now = time.monotonic()
        if now >= times["end"]:
            times["end"] = now + 10
            raise Late(f"not done in {seconds} s")
        if now >= times["interrupt"] and interrupt():
            times["interrupt"] = now + 10
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
