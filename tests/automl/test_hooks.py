"""The hooks have the signatures that the tools call, and the numbers are those of a loop."""

import importlib
import inspect
import pickle
import sys
import tomllib
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skfairprop.automl import (
    autogluon_scorer,
    flaml_metric,
    mljar_metric,
    optuna_objective,
    optuna_space,
    search_space,
    tpot_space,
)
from skfairprop.automl._spaces import Choice, Range
from skfairprop.exceptions import ScorerSetupError
from skfairprop.meta import ResampledClassifier, ReweightedClassifier
from skfairprop.preprocessing import BiasInducer, Reweighter
from skfairprop.scorers import get_scorer
from tests.automl.data import problem

SEX = ["f", "f", "m", "m", "f", "m"]
TRUE = [0, 1, 0, 1, 1, 1]
PRED = [0, 1, 1, 1, 0, 1]
GAP = abs(1 / 2 - 1)  # of the shares of positives that are found: f 1 of 2, m 2 of 2
WITH_SEX = pd.DataFrame({"sex": SEX, "x": range(6)})


class Always(ClassifierMixin, BaseEstimator):
    """Predicts what it was told to, as the models of a tool do."""

    classes_ = np.array([0, 1])

    def __init__(self, labels):
        self.labels = labels

    def predict(self, X):
        return np.asarray(self.labels)


def parameters(function) -> list[str]:
    return list(inspect.signature(function).parameters)


# -- FLAML --------------------------------------------------------------------------------------


def flaml(**settings):
    options = {"sensitive_features": "sex", "performance": None, "classes": [0, 1], **settings}
    return flaml_metric("equal_opportunity_difference", **options)


def call_flaml(metric, X=WITH_SEX, y=TRUE, pred=PRED, weight=None):
    """By position, as FLAML does."""
    fixed = Always(pred)
    return metric(X, np.asarray(y), fixed, None, X, y, weight, None, {}, None, None)


def test_flaml_signature():
    assert parameters(flaml()) == [
        "X_val",
        "y_val",
        "estimator",
        "labels",
        "X_train",
        "y_train",
        "weight_val",
        "weight_train",
        "config",
        "groups_val",
        "groups_train",
    ]
    pickle.loads(pickle.dumps(flaml()))


def test_flaml_loss():
    loss, log = call_flaml(flaml())
    assert loss == GAP
    assert log == {"equal_opportunity_difference": GAP}


def test_flaml_performance_weight_and_tolerance():
    metric = flaml_metric(
        "equal_opportunity_difference",
        sensitive_features="sex",
        classes=[0, 1],
        weight=3,
        tolerance=0.2,
    )
    weights = np.array([1, 2, 3, 1, 2, 1.0])
    loss, log = call_flaml(metric, weight=weights)
    performance = balanced_accuracy_score(TRUE, PRED, sample_weight=weights)
    gap = abs(2 / 4 - 1)
    assert log["balanced_accuracy"] == pytest.approx(performance)
    assert loss == pytest.approx(3 * (gap - 0.2) - performance)
    fair = flaml_metric(
        "equal_opportunity_difference",
        sensitive_features="sex",
        classes=[0, 1],
        performance="accuracy",
        tolerance=0.6,
    )
    assert call_flaml(fair)[0] == pytest.approx(-accuracy_score(TRUE, PRED))


def test_flaml_codes_are_not_labels():
    """FLAML passes codes: label 1 of {1, 2} is its 0."""
    metric = flaml(classes=[1, 2], pos_label=1)
    assert call_flaml(metric)[0] == pytest.approx(abs(1 - 0))  # class 0: f 1 of 1, m 0 of 1
    with pytest.raises(ValueError, match=r"FLAML passes codes 0, 1, .* pass classes="):
        flaml(classes=None)
    with pytest.raises(ValueError, match="FLAML passes codes"):
        flaml_metric("cramers_v", sensitive_features="sex", pos_label=1)
    with pytest.raises(ValueError, match="pos_label is required: the classes 'no', 'yes'"):
        flaml(classes=["yes", "no"])
    with pytest.raises(ValueError, match="'maybe' is not among the classes 'no', 'yes'"):
        flaml(classes=["yes", "no"], pos_label="maybe")


def test_flaml_missing_texts_stay_missing():
    """FLAML writes "__NAN__" over them: it must not become a group unseen."""
    filled = WITH_SEX.assign(sex=pd.Categorical(["__NAN__", *SEX[1:]]))
    with pytest.raises(ScorerSetupError, match="'sex': 1 of 6 values are missing"):
        call_flaml(flaml(), filled)
    pred = [1, *PRED[1:]]
    assert call_flaml(flaml(missing="group"), filled, [1, *TRUE[1:]], pred)[0] == pytest.approx(0.5)


def test_flaml_undefined_is_never_the_best():
    with pytest.warns(UserWarning, match="equal_opportunity"):
        loss, log = call_flaml(flaml(), y=[0] * 6)
    assert loss == np.inf
    assert np.isnan(log["equal_opportunity_difference"])


def test_flaml_ratios():
    metric = flaml_metric(
        "demographic_parity_ratio", sensitive_features="sex", performance=None, classes=[0, 1]
    )
    loss, log = call_flaml(metric)
    assert log == {"demographic_parity_ratio": pytest.approx(1 / 3)}
    assert loss == pytest.approx(2 / 3)


def test_flaml_own_function():
    def share(y_true, y_pred, *, sensitive_features):
        return float(np.mean(y_pred))

    metric = flaml_metric(
        share, sensitive_features="sex", performance=None, greater_is_better=False
    )
    assert call_flaml(metric) == (pytest.approx(4 / 6), {"share": pytest.approx(4 / 6)})


def test_flaml_own_function_that_cannot_be_weighed():
    """Below 0 or of an unknown best value, it would be left out of the loss unseen."""

    def score(y_true, y_pred, *, sensitive_features):
        return -0.25

    with pytest.raises(ValueError, match=r"metric 'score' .*its best value is not known"):
        flaml_metric(score, sensitive_features="sex", greater_is_better=True)
    alone = flaml_metric(score, sensitive_features="sex", greater_is_better=True, performance=None)
    assert call_flaml(alone) == (0.25, {"score": -0.25})
    signed = flaml_metric(score, sensitive_features="sex", greater_is_better=False)
    with pytest.raises(ScorerSetupError, match=r"must be 0 or more; the function returned -0\.25"):
        call_flaml(signed)


def test_flaml_bad_input():
    with pytest.raises(ScorerSetupError, match=r"no column 'sex'|'sex'"):
        call_flaml(flaml(), WITH_SEX[["x"]])
    with pytest.raises(TypeError, match="got Series: FLAML numbers the rows anew"):
        flaml(sensitive_features=WITH_SEX["sex"])
    with pytest.raises(ValueError, match="weight must be a number, 0 or more; got -1"):
        flaml(weight=-1)
    with pytest.raises(ValueError, match="tolerance must be a number, 0 or more; got None"):
        flaml(tolerance=None)


# -- AutoGluon ----------------------------------------------------------------------------------


@pytest.fixture
def autogluon(monkeypatch):
    """AutoGluon's own factory as far as it is called: its signature, and what it does with f."""

    def make_scorer(name, score_func, *, optimum=1, greater_is_better=True, **kwargs):
        assert not kwargs
        return types.SimpleNamespace(
            name=name, f=score_func, optimum=optimum, greater_is_better=greater_is_better
        )

    for name in ("autogluon", "autogluon.core", "autogluon.core.metrics"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(
        sys.modules["autogluon.core.metrics"], "make_scorer", make_scorer, raising=False
    )


INDEX = [10, 30, 20, 50, 40, 60]
PEOPLE = pd.Series(SEX, index=INDEX, name="sex")


def test_autogluon_signature(autogluon):
    scorer = autogluon_scorer(
        "equal_opportunity_difference", sensitive_features=PEOPLE, performance=None
    )
    assert parameters(scorer.f) == ["y", "y_pred", "sample_weight"]
    assert (scorer.optimum, scorer.greater_is_better) == (0.0, False)
    y = pd.Series(TRUE, index=INDEX)
    assert scorer.f(y, np.array(PRED)) == GAP
    some = [60, 10, 30, 40]  # a fold, in another order
    rows = [INDEX.index(i) for i in some]
    assert scorer.f(y[some], np.array(PRED)[rows]) == abs(1 / 2 - 1)
    pickle.loads(pickle.dumps(scorer.f))


def test_autogluon_performance(autogluon):
    scorer = autogluon_scorer(
        "equal_opportunity_difference", sensitive_features=PEOPLE, weight=2, name="both"
    )
    assert (scorer.name, scorer.optimum, scorer.greater_is_better) == ("both", 1.0, True)
    value = scorer.f(pd.Series(TRUE, index=INDEX), np.array(PRED))
    assert value == pytest.approx(balanced_accuracy_score(TRUE, PRED) - 2 * GAP)


def test_autogluon_bad_input(autogluon):
    scorer = autogluon_scorer("equal_opportunity_difference", sensitive_features=PEOPLE)
    with pytest.raises(ScorerSetupError, match="AutoGluon passed y as ndarray, without its index"):
        scorer.f(np.array(TRUE), np.array(PRED))
    with pytest.raises(ScorerSetupError, match="equal_opportunity_difference"):
        scorer.f(pd.Series(TRUE), np.array(PRED))  # rows that are not among the people
    with pytest.raises(TypeError, match=r"must be a pandas Series or DataFrame.*got str"):
        autogluon_scorer("cramers_v", sensitive_features="sex")
    with pytest.raises(TypeError, match="has no pos_label: AutoGluon codes the positive class"):
        autogluon_scorer("cramers_v", sensitive_features=PEOPLE, pos_label=1)


def test_autogluon_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "autogluon", None)
    with pytest.raises(ImportError, match=r"pip install autogluon.tabular"):
        autogluon_scorer("cramers_v", sensitive_features=PEOPLE)


# -- mljar --------------------------------------------------------------------------------------


def mljar(**settings):
    options = {"sensitive_features": SEX, "performance": None, "classes": [0, 1], **settings}
    return mljar_metric("equal_opportunity_difference", **options)


def test_mljar_signature():
    metric = mljar()
    assert parameters(metric) == ["y", "y_pred", "sample_weight"]
    assert np.ptp(metric.sample_weight) < 1e-5
    pickle.loads(pickle.dumps(metric))


@pytest.mark.parametrize("kind", ["probabilities", "labels", "one column", "two columns"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mljar_loss_of_any_rows(kind, dtype):
    metric = mljar()
    rows = [5, 0, 1, 4]
    y, share = np.array(TRUE)[rows], np.array([0.9, 0.2, 0.7, 0.1])
    labels = (share > 0.5).astype(int)
    pred = {
        "probabilities": share,
        "labels": labels,
        "one column": share[:, None],
        "two columns": np.column_stack([1 - share, share]),
    }[kind]
    assert metric(y, pred, metric.sample_weight[rows].astype(dtype)) == 0.5


def test_mljar_several_columns_and_missing_values():
    people = {"sex": SEX, "age": ["old", None, "old", "old", "old", "old"]}
    with pytest.raises(ValueError, match="'age': 1 of 6 values are missing"):
        mljar(sensitive_features=people)
    metric = mljar(sensitive_features=people, missing="group")
    assert metric.groups.tolist() == [("f", "old"), ("f", "(missing)"), ("m", "old")]
    assert metric(TRUE, PRED, metric.sample_weight) == 1.0  # f, old: 0 of 1


def test_mljar_bad_input():
    metric = mljar()
    with pytest.raises(ScorerSetupError, match=r"mljar passed no weights.*sample_weight=metric"):
        metric(TRUE, PRED)
    for other in (np.full(6, 1.5), metric.sample_weight / 2, np.full(6, np.nan)):
        with pytest.raises(ScorerSetupError, match="mljar passed other weights"):
            metric(TRUE, PRED, other)
    with pytest.raises(ScorerSetupError, match="which are no probabilities"):
        metric(TRUE, [3.5] * 6, metric.sample_weight)
    with pytest.raises(ValueError, match="make 5,000 groups; mljar_metric can tell 4,096"):
        mljar(sensitive_features=np.arange(5000))
    with pytest.raises(ValueError, match="missing must be 'raise' or 'group'; got 'drop'"):
        mljar(missing="drop")


# -- Optuna -------------------------------------------------------------------------------------


class Trial:
    """What an objective asks of a trial, answered with the lower end."""

    def __init__(self):
        self.attributes = {}

    def suggest_float(self, name, low, high, *, step=None, log=False):
        return low

    def suggest_int(self, name, low, high, *, step=1, log=False):
        return low

    def suggest_categorical(self, name, choices):
        return choices[0]

    def set_user_attr(self, key, value):
        self.attributes[key] = value


def scoring():
    gap = get_scorer("demographic_parity_difference", sensitive_features="sex", pos_label="yes")
    return {"accuracy": "accuracy", "gap": gap}


def test_optuna_signature():
    X, y = problem()
    objective = optuna_objective(
        DummyClassifier(), X, y, space=lambda trial: {"strategy": "prior"}, scoring=scoring(), cv=3
    )
    assert parameters(objective) == ["trial"]
    assert objective.names == ["accuracy", "gap"]
    assert objective.directions == ["maximize", "maximize"]
    trial = Trial()
    accuracy, gap = objective(trial)
    assert accuracy == pytest.approx((y == y.mode()[0]).mean(), abs=0.01)
    assert gap == 0
    assert set(trial.attributes) == {"std_accuracy", "std_gap"}
    one = optuna_objective(
        DummyClassifier(),
        X,
        y,
        space=lambda trial: {},
        scoring={"accuracy": "accuracy"},
        cv=3,
    )
    assert one(Trial()) == accuracy


def test_optuna_distributions():
    pytest.importorskip("optuna")
    X, y = problem()
    kinds = importlib.import_module("optuna.distributions")
    space = {
        "C": kinds.FloatDistribution(0.01, 1, log=True),
        "max_iter": kinds.IntDistribution(100, 200),
        "fit_intercept": kinds.CategoricalDistribution([True, False]),
    }
    objective = optuna_objective(
        LogisticRegression(), X.drop(columns="sex"), y, space=space, scoring={"a": "accuracy"}
    )
    assert 0.5 < objective(Trial()) < 1


def test_optuna_bad_input():
    X, y = problem()
    make = {"X": X, "y": y, "scoring": scoring(), "space": lambda trial: {}}
    with pytest.raises(TypeError, match="estimator must be an estimator; got 3"):
        optuna_objective(3, **make)
    with pytest.raises(TypeError, match="scoring must be a dict of scorers by name; got str"):
        optuna_objective(DummyClassifier(), **{**make, "scoring": "accuracy"})
    with pytest.raises(TypeError, match=r"space must be a dict of distributions.*got list"):
        optuna_objective(DummyClassifier(), **{**make, "space": ["strategy"]})
    with pytest.raises(ValueError, match="DummyClassifier has no parameter 'stragety'"):
        optuna_objective(DummyClassifier(), **{**make, "space": {"stragety": Range(0, 1)}})
    with pytest.raises(TypeError, match=r"'strategy' must be a distribution of Optuna; got \["):
        optuna_objective(DummyClassifier(), **{**make, "space": {"strategy": ["prior"]}})


def test_a_setup_error_is_not_swallowed():
    """Optuna catches exceptions of a trial; a column that is not there must end the study."""
    X, y = problem()
    gap = get_scorer("demographic_parity_difference", sensitive_features="gender", pos_label="yes")
    objective = optuna_objective(
        DummyClassifier(), X, y, space=lambda trial: {}, scoring={"gap": gap}
    )
    with pytest.raises(ScorerSetupError, match="gender"):
        objective(Trial())


# -- spaces -------------------------------------------------------------------------------------


def reweighted():
    return ReweightedClassifier(LogisticRegression(), Reweighter(), sensitive_features="sex")


def resampled():
    inducer = BiasInducer("stereotypical", target_group="f", target_classes=["yes"])
    return ResampledClassifier(LogisticRegression(), inducer, sensitive_features="sex")


def test_what_is_searched():
    assert search_space(reweighted()) == {
        "strength": Range(0.0, 1.0),
        "reweighter__clip": Choice((None, 10.0, 5.0, 2.0)),
    }
    assert search_space(make_pipeline(resampled())) == {
        "resampledclassifier__sampler__f": Range(-0.9, 0.9)
    }
    with pytest.raises(ValueError, match="LogisticRegression holds none of BiasInducer, Rewei"):
        search_space(LogisticRegression())
    for other in (None, LogisticRegression):
        with pytest.raises(TypeError, match="estimator must be an estimator; got"):
            search_space(other)


@pytest.mark.parametrize("make", [reweighted, resampled])
def test_the_ends_of_a_space_can_be_fitted(make):
    X, y = problem()
    for name, kind in search_space(make()).items():
        ends = kind.values if isinstance(kind, Choice) else (kind.low, kind.high)
        for value in ends:
            model = make().set_params(**{name: value})
            model.estimator = make_pipeline(FunctionTransformer(_without_sex), LogisticRegression())
            assert set(model.fit(X, y).predict(X)) <= {"no", "yes"}


def _without_sex(X):
    return X.drop(columns="sex")


def test_spaces_of_the_tools():
    kinds = pytest.importorskip("optuna.distributions")
    assert optuna_space(reweighted()) == {
        "strength": kinds.FloatDistribution(0, 1),
        "reweighter__clip": kinds.CategoricalDistribution((None, 10.0, 5.0, 2.0)),
    }
    pytest.importorskip("ConfigSpace")
    space = tpot_space(reweighted())
    drawn = [dict(space.sample_configuration()) for _ in range(30)]
    assert all(0 <= one["strength"] <= 1 for one in drawn)
    assert {one["reweighter__clip"] for one in drawn} == {None, 10.0, 5.0, 2.0}


def test_a_tool_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ConfigSpace", None)
    with pytest.raises(ImportError, match="comes with TPOT: pip install tpot"):
        tpot_space(reweighted())
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.setitem(sys.modules, "optuna.distributions", None)
    with pytest.raises(ImportError, match=r"it comes with the extra 'automl'"):
        optuna_space(reweighted())


# -- discovery ----------------------------------------------------------------------------------


def test_entry_points_lead_to_the_scorers():
    project = Path(__file__).parents[2] / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests run apart from the project")
    groups = tomllib.loads(project.read_text("utf-8"))["project"].get("entry-points", {})
    if "skfairprop.scorers" not in groups:
        pytest.skip("the group is not declared")
    found = {}
    for name, place in groups["skfairprop.scorers"].items():
        module, _, attribute = place.partition(":")
        found[name] = getattr(importlib.import_module(module), attribute)
    scorer = found["get_scorer"](found["get_scorer_names"]()[0], sensitive_features="sex")
    assert callable(scorer)
