"""Optuna, FLAML and what takes our scorers as they are, really run; the guide's code is run too."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop.automl import flaml_metric, optuna_objective, optuna_space, tpot_space
from skfairprop.exceptions import ScorerSetupError
from skfairprop.meta import ReweightedClassifier
from skfairprop.preprocessing import Reweighter
from skfairprop.scorers import get_scorer, get_scorers
from tests.automl.data import adult, problem

pytestmark = pytest.mark.slow


def candidate():
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
        remainder=StandardScaler(),
    )
    return ReweightedClassifier(
        make_pipeline(columns, LogisticRegression(max_iter=500)),
        Reweighter(),
        sensitive_features="sex",
    )


def scoring():
    return {
        "balanced_accuracy": "balanced_accuracy",
        **get_scorers(["demographic_parity_difference"], sensitive_features="sex"),
    }


@pytest.fixture
def optuna():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def test_optuna_finds_less_bias_on_adult(optuna):
    X, y = adult(1500)
    model = candidate()
    objective = optuna_objective(model, X, y, space=optuna_space(model), scoring=scoring(), cv=3)
    sampler = optuna.samplers.NSGAIISampler(seed=0)
    study = optuna.create_study(directions=objective.directions, sampler=sampler)
    plain = {"strength": 0.0, "reweighter__clip": None}
    study.enqueue_trial(plain)
    study.optimize(objective, n_trials=8)
    assert len(study.trials) == 8
    assert all(len(trial.values) == 2 for trial in study.trials)
    before = study.trials[0].values[1]
    best = max(study.best_trials, key=lambda trial: trial.values[1])
    assert best.values[1] > before + 0.03  # of the gap, which is the negative of the score
    # the value of a trial is that of the cross-validation of its parameters
    again = cross_validate(candidate().set_params(**best.params), X, y, scoring=scoring(), cv=3)
    assert best.values == [float(np.mean(again[f"test_{name}"])) for name in objective.names]


def test_optuna_ends_with_a_setup_error(optuna):
    X, y = adult(300)
    gap = get_scorer("demographic_parity_difference", sensitive_features="gender")
    objective = optuna_objective(candidate(), X, y, space=lambda trial: {}, scoring={"gap": gap})
    with pytest.raises(ScorerSetupError, match="gender"):
        optuna.create_study().optimize(objective, n_trials=2, catch=(Exception,))


@pytest.mark.filterwarnings("ignore:.*experimental")  # by its words: its class needs Optuna
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_optuna_search_cv_takes_the_scorer_as_it_is(optuna):
    integration = pytest.importorskip("optuna_integration")
    X, y = adult(600)
    gap = get_scorer("demographic_parity_difference", sensitive_features="sex")
    model = candidate()
    search = integration.OptunaSearchCV(
        model, optuna_space(model), scoring=gap, cv=3, n_trials=3, random_state=0
    )
    search.fit(X, y)
    assert -1 < search.best_score_ < 0


@pytest.mark.filterwarnings("ignore")  # of Dask, which TPOT runs on, in threads of its own
def test_tpot_takes_the_scorer_as_it_is():
    tpot = pytest.importorskip("tpot", reason="TPOT is not installed")
    configurations = pytest.importorskip("ConfigSpace")
    X, y = problem(300)
    X["sex"] = (X["sex"] == "f").astype(int)  # TPOT passes no texts to its estimators
    y = (y == "yes").astype(int)
    gap = get_scorer("demographic_parity_difference", sensitive_features="sex")
    space = configurations.ConfigurationSpace({"C": (0.01, 10.0)})
    inner = tpot.search_spaces.nodes.EstimatorNode(method=LogisticRegression, space=space)
    search = tpot.TPOTEstimator(
        search_space=inner,
        scorers=["accuracy", gap],
        scorers_weights=[1, 1],
        classification=True,
        population_size=2,
        generations=1,
        cv=2,
        n_jobs=1,
        verbose=0,
    )
    search.fit(X, y)
    assert search.evaluated_individuals["demographic_parity_difference"].between(-1, 0).all()
    outer = tpot.search_spaces.pipelines.WrapperPipeline(
        method=ReweightedClassifier,
        space=tpot_space(ReweightedClassifier(LogisticRegression())),
        estimator_search_space=inner,
    )
    assert 0 <= outer.generate(0).export_pipeline().strength <= 1


@pytest.fixture
def flaml():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it says of packages that it does without
        flaml = pytest.importorskip("flaml")
    if not hasattr(flaml, "AutoML"):
        pytest.skip("FLAML is installed without its part for AutoML")
    return flaml


SETTINGS = {
    "task": "classification",
    "estimator_list": ["rf", "extra_tree"],
    "max_iter": 5,
    "time_budget": 600,  # ended by max_iter
    "n_jobs": 1,
    "verbose": 0,
    "seed": 0,
}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("method", ["cv", "holdout"])
def test_flaml_on_adult(flaml, method):
    X, y = adult(1500)
    metric = flaml_metric("equalized_odds_difference", sensitive_features="sex", classes=[0, 1])
    search = flaml.AutoML()
    search.fit(X, y, metric=metric, eval_method=method, n_splits=3, **SETTINGS)
    log = search.metrics_for_best_config[1]
    expected = log["equalized_odds_difference"] - log["balanced_accuracy"]
    assert search.best_loss == pytest.approx(expected)
    assert 0 < log["equalized_odds_difference"] < 0.6
    assert 0.5 < log["balanced_accuracy"] < 0.9


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_flaml_ends_with_a_setup_error(flaml):
    X, y = adult(300)
    metric = flaml_metric("equalized_odds_difference", sensitive_features="gender", classes=[0, 1])
    with pytest.raises(ScorerSetupError, match="gender"):
        flaml.AutoML().fit(X, y, metric=metric, **SETTINGS)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_flaml_says_that_protected_texts_are_missing(flaml):
    X, y = adult(400)
    X.loc[X.index[:9], "sex"] = np.nan
    metric = flaml_metric("equalized_odds_difference", sensitive_features="sex", classes=[0, 1])
    with pytest.raises(ScorerSetupError, match=r"'sex': \d of \d+ values are missing"):
        flaml.AutoML().fit(X, y, metric=metric, eval_method="cv", n_splits=2, **SETTINGS)


GUIDE = Path(__file__).parents[2] / "docs" / "automl.md"


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_code_of_the_guide_runs(optuna, flaml):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    space: dict = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), space)
    assert space["study"].best_trials
    assert space["search"].best_loss < 0
