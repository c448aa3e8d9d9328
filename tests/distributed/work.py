"""The work that is run on a cluster: importable there, and the same in every process."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import loguniform
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from skfairprop import FairnessReport, bias_propagation, get_scorers
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


WORK = {
    "study": (study, same_study),
    "grid": (grid, same_grid),
    "search": (search, same_search),
    "report": (report, same_report),
}


class Deadly(LogisticRegression):
    """Kills the process that fits it once two fits are done.

    Parameters
    ----------
    folder : str
        Where fits are counted. The text of the file "deaths" there is "one", "all" or "none".
    """

    def __init__(self, folder: str, C: float = 1.0):
        super().__init__(C=C)
        self.folder = folder

    def fit(self, X, y):
        folder = Path(self.folder)
        deaths = (folder / "deaths").read_text()
        if len(list(folder.glob("fit-*"))) >= 2 and deaths != "none":
            if deaths == "one":
                (folder / "deaths").write_text("none")
            (folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        super().fit(X, y)
        (folder / f"fit-{os.getpid()}-{time.monotonic_ns()}").touch()
        return self


def deadly(folder: Path, deaths: str) -> Deadly:
    folder.mkdir()
    (folder / "deaths").write_text(deaths)
    return Deadly(str(folder))
