"""MESDScorer: shared explanations, searches, any model and data, and what is wrong in a set-up."""

import copy
import math
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skfairprop.datasets import load_german_credit
from skfairprop.exceptions import ScorerSetupError
from skfairprop.explain import LimeExplainer, ShapExplainer
from skfairprop.metrics import METRICS, mesd
from skfairprop.scorers import MESDScorer
from tests.scorers.people import CV, GROUP, MODEL, X, Y

LIME = LimeExplainer(n_samples=100)
QUICK = {"explainers": [LIME], "n_samples": 20, "n_perturbations": 2, "random_state": 0}
MEASURES = ["mesd", "worst_group_instability", "mean_instability", "fidelity_gap"]
ALL_MEASURES = [*MEASURES, "mesd_max", "mesd_var", "mesd_excess"]


def folds(model=MODEL):
    """Fitted models and test rows of the folds."""
    for train, test in CV.split(X, Y):
        yield clone(model).fit(X.iloc[train], Y.iloc[train]), X.iloc[test], Y.iloc[test]


# -- values ---------------------------------------------------------------------------------------


def test_every_way_to_tell_the_groups(way):
    """A loop over the folds that calls the function."""
    given = {"column": "group", "series": GROUP, "routed": None}[way]
    params = {"sensitive_features": GROUP} if way == "routed" else {}
    scorer = MESDScorer(sensitive_features=given, **QUICK)
    found = cross_validate(MODEL, X, Y, cv=CV, scoring=scorer, params=params)["test_score"]
    want = [
        -mesd(model, rows, y, sensitive_features=GROUP[rows.index], **QUICK).value
        for model, rows, y in folds()
    ]
    assert found == pytest.approx(want, abs=1e-12)
    assert (found <= 0).all()


@pytest.mark.parametrize("measure", ALL_MEASURES)
def test_every_measure_is_that_of_the_function(measure):
    fitted, rows, y = next(folds())
    given = {"alpha": 0.3, "shrinkage": 2.0, "n_permutations": 50, **QUICK}
    scorer = MESDScorer(measure, sensitive_features="group", **given)
    result = mesd(fitted, rows, y, sensitive_features=rows["group"], **given)
    assert scorer(fitted, rows, y) == pytest.approx(-METRICS[measure].kernel(result), abs=1e-12)


def test_several_protected_columns():
    both = pd.DataFrame({"sex": GROUP, "old": X["a"] > 0})
    fitted = MODEL.fit(X, Y)
    found = MESDScorer(sensitive_features=both, **QUICK)(fitted, X, Y)
    assert found == -mesd(fitted, X, Y, sensitive_features=both, **QUICK).value


def test_a_background_is_used():
    fitted, rows, y = next(folds())
    scorer = MESDScorer(sensitive_features="group", background=X, **QUICK)
    want = mesd(fitted, rows, y, sensitive_features=rows["group"], background=X, **QUICK).value
    assert scorer(fitted, rows, y) == pytest.approx(-want, abs=1e-12)
    alone = MESDScorer(sensitive_features="group", **QUICK)(fitted, rows, y)
    assert alone != pytest.approx(-want)


# -- one explanation a fold -----------------------------------------------------------------------


class Counting(LogisticRegression):
    """Counts the calls in this process."""

    n_calls = 0

    def predict_proba(self, X):
        type(self).n_calls += 1
        return super().predict_proba(X)


def calls_of(scoring):
    Counting.n_calls = 0
    found = cross_validate(Counting(), X, Y, cv=CV, scoring=scoring)
    return Counting.n_calls, found


def test_scorers_of_a_call_share_the_explanations():
    given = {"sensitive_features": "group", **QUICK}
    alone, single = calls_of({"mesd": MESDScorer("mesd", **given)})
    several = {name: MESDScorer(name, **given) for name in MEASURES}
    several["tail"] = MESDScorer(tail="tail_mean", alpha=0.7, shrinkage=0, **given)
    shared, found = calls_of({**several, "accuracy": "accuracy"})
    assert shared == alone
    assert (found["test_mesd"] == single["test_mesd"]).all()


@pytest.mark.parametrize(
    "other",
    [
        {"random_state": 1},
        {"n_samples": 21},
        {"sigma": 0.2},
        {"background": X},
        {"explainers": [LimeExplainer(n_samples=101)]},
        {"sampling": "simple"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_scorers_that_explain_otherwise_do_not_share(other):
    given = {"sensitive_features": "group", **QUICK}
    alone, first = calls_of({"one": MESDScorer(**given)})
    both, found = calls_of({"one": MESDScorer(**given), "two": MESDScorer(**given | other)})
    assert both == 2 * alone
    assert (found["test_one"] == first["test_one"]).all()
    assert (found["test_two"] != found["test_one"]).any()


def test_two_calls_do_not_share():
    """The model may have been fitted again between them."""
    scorer = MESDScorer(sensitive_features="group", **QUICK)
    first = scorer(clone(MODEL).fit(X, Y), X, Y)
    second = scorer(clone(MODEL).fit(X, 1 - X["group"]), X, Y)
    assert first != second


# -- searches, copies and jobs --------------------------------------------------------------------


@pytest.mark.parametrize("copied", [clone, copy.copy, copy.deepcopy, "pickle"])
def test_copies_score_the_same(copied):
    scorer = MESDScorer(sensitive_features=GROUP, background=X, **QUICK)
    other = pickle.loads(pickle.dumps(scorer)) if copied == "pickle" else copied(scorer)
    fitted = MODEL.fit(X, Y)
    assert other(fitted, X, Y) == scorer(fitted, X, Y)
    assert repr(other) == repr(scorer)


@pytest.mark.parametrize("state", [0, None])
def test_the_number_of_jobs_does_not_matter(state):
    """Without a seed, too: it is drawn when the scorer is made."""
    scoring = {
        name: MESDScorer(name, sensitive_features=GROUP, **QUICK | {"random_state": state})
        for name in MEASURES
    }
    one, two = (cross_validate(MODEL, X, Y, cv=CV, scoring=scoring, n_jobs=n) for n in (1, 2))
    for name in MEASURES:
        assert (one[f"test_{name}"] == two[f"test_{name}"]).all()


def test_in_a_search_and_a_search_within_folds():
    scorer = MESDScorer("worst_group_instability", sensitive_features="group", **QUICK)
    search = GridSearchCV(MODEL, {"C": [1e-3, 1.0]}, cv=2, scoring=scorer).fit(X, Y)
    found = search.cv_results_["mean_test_score"]
    assert np.isfinite(found).all()
    assert search.best_index_ == found.argmax()
    nested = cross_val_score(search, X, Y, cv=2, scoring=scorer)
    assert np.isfinite(nested).all()


def test_candidates_that_are_the_same_have_the_same_score():
    scorer = MESDScorer(sensitive_features="group", **QUICK | {"random_state": None})
    search = GridSearchCV(MODEL, {"verbose": [0, False]}, cv=2, scoring=scorer).fit(X, Y)
    one, two = search.cv_results_["mean_test_score"]
    assert one == two


def test_generators_are_settled_once():
    given = QUICK | {"random_state": np.random.default_rng(0)}
    scorer = MESDScorer(sensitive_features="group", **given)
    fitted = MODEL.fit(X, Y)
    assert scorer(fitted, X, Y) == scorer(fitted, X, Y)


# -- models and data ------------------------------------------------------------------------------

THREE = pd.Series(np.digitize(X["a"], [0, 1]), index=X.index)
TEXT = Y.map({0: "no", 1: "yes"})


@pytest.mark.parametrize(
    "model, y",
    [
        (LinearSVC(), Y),
        (LinearSVC(), TEXT),
        (LogisticRegression(), THREE),
        (make_pipeline(StandardScaler(), LogisticRegression()), TEXT),
        (GridSearchCV(LogisticRegression(), {"C": [0.1]}, cv=2), Y),
        (TunedThresholdClassifierCV(LogisticRegression(), cv=2), Y),
    ],
    ids=["decision", "text", "three classes", "pipeline", "search", "threshold"],
)
def test_any_classifier_with_scores(model, y):
    scorer = MESDScorer(
        sensitive_features="group", **QUICK | {"explainers": [ShapExplainer(), LIME]}
    )
    found = cross_val_score(model, X, y, cv=2, scoring=scorer)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(4, max_depth=3, random_state=0),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        LogisticRegression(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("y", [Y, THREE], ids=["two classes", "three classes"])
@pytest.mark.filterwarnings("ignore:shap's tree values of GradientBoostingClassifier raised")
def test_whatever_shape_shap_returns(model, y):
    """shap PR#3318: lists, (n, d), (n, d, 2), (n, d, K), and (d, K) for one row."""
    pytest.importorskip("shap")
    fitted = clone(model).fit(X, y)
    for n_rows in (7, 1):
        given = QUICK | {"explainers": ["shap"], "n_samples": n_rows}
        scorer = MESDScorer("mean_instability", sensitive_features="group", **given)
        assert -1 <= scorer(fitted, X[:30], y[:30]) <= 0


def test_missing_features_and_lime():
    """lime#572 and #688: "Domain error in arguments"."""
    holes = X.astype(float).copy()
    holes.iloc[::5, 1] = np.nan
    model = make_pipeline(SimpleImputer(), LogisticRegression()).fit(holes, Y)
    scorer = MESDScorer(explainers=("lime",), sensitive_features="group", n_samples=20)
    assert -1 <= scorer(model, holes, Y) <= 0
    refusing = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match=r"refuses missing values, .* column 'a'; put an imputer"):
        scorer(refusing, holes, Y)


def test_one_hot_in_a_pipeline_sparse_or_dense():
    """shap#953: a forest behind a sparse one-hot encoder."""
    pytest.importorskip("shap")
    data = load_german_credit()
    frame, y = data.data[:200], data.target[:200]
    text = frame.select_dtypes(exclude="number").columns
    scores = []
    for is_sparse in (True, False):
        encoder = OneHotEncoder(sparse_output=is_sparse, handle_unknown="ignore")
        columns = ColumnTransformer([("text", encoder, text)], remainder="passthrough")
        model = make_pipeline(columns, RandomForestClassifier(3, max_depth=4, random_state=0))
        given = QUICK | {
            "explainers": [ShapExplainer(n_permutations=2, n_background=5), LIME],
            "n_samples": 5,
            "n_perturbations": 1,
        }
        scorer = MESDScorer(sensitive_features=data.sensitive_features[:200], **given)
        scores.append(scorer(model.fit(frame, y), frame, y))
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)


def test_a_sparse_matrix_for_a_bare_forest():
    pytest.importorskip("shap")
    dense = np.where(X > 0.3, X, 0.0)
    model = RandomForestClassifier(4, max_depth=3, random_state=0).fit(dense, Y)
    scorer = MESDScorer(**QUICK | {"explainers": [ShapExplainer(), LIME]})
    want = scorer(model, dense, Y, sensitive_features=GROUP.to_numpy())
    for kind in (sparse.csr_matrix, sparse.csc_array):
        found = scorer(model, kind(dense), Y, sensitive_features=GROUP.to_numpy())
        assert found == pytest.approx(want, abs=1e-12)


def net_of(n_features):
    torch, skorch = pytest.importorskip("torch"), pytest.importorskip("skorch")
    torch.manual_seed(0)
    return skorch.NeuralNetClassifier(
        torch.nn.Sequential(torch.nn.Linear(n_features, 2), torch.nn.Softmax(dim=1)),
        max_epochs=1,
        verbose=0,
        train_split=None,
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_skorch_net():
    """skorch#414, #494, #554: float64 data, text and int32 labels break the net, not the scorer.

    Data frames have to be turned into arrays before the net, as for its own ``fit``.
    """
    floats = X.to_numpy(np.float32)
    net = net_of(3).fit(floats, Y.to_numpy())
    group = GROUP.to_numpy()
    scorer = MESDScorer(**QUICK)
    want = scorer(net, floats, Y.to_numpy(), sensitive_features=group)
    assert -1 <= want <= 0
    for y in (Y.to_numpy(np.int32), TEXT.to_numpy()):
        found = scorer(net, floats, y, sensitive_features=group)
        assert found == pytest.approx(want, abs=1e-5)
    double = scorer(net, X.to_numpy(np.float64), Y.to_numpy(), sensitive_features=group)
    assert double == pytest.approx(want, abs=1e-4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_skorch_net_behind_a_scaler():
    to_float32 = FunctionTransformer(lambda values: np.asarray(values, np.float32))
    model = make_pipeline(StandardScaler(), to_float32, net_of(3)).fit(X, Y.to_numpy())
    found = MESDScorer(sensitive_features="group", **QUICK)(model, X, Y)
    small = MESDScorer(sensitive_features="group", **QUICK)(model, X.astype(np.float32), Y)
    assert small == pytest.approx(found, abs=1e-4)


def test_a_constant_model_is_named():
    model = DummyClassifier().fit(X, Y)
    with pytest.warns(UserWarning, match="constant model"):
        assert MESDScorer(sensitive_features="group", **QUICK)(model, X, Y) == 0


def test_a_fold_with_one_group():
    fitted, rows = MODEL.fit(X, Y), X[X["group"] == 1]
    given = {"sensitive_features": "group", **QUICK}
    with pytest.warns(UndefinedMetricWarning, match="mesd is undefined"):
        assert math.isnan(MESDScorer(**given)(fitted, rows, Y[rows.index]))
    with pytest.warns(UndefinedMetricWarning, match="mesd is undefined"):
        assert MESDScorer(undefined_score=-1, **given)(fitted, rows, Y[rows.index]) == -1
    assert MESDScorer("worst_group_instability", **given)(fitted, rows, Y[rows.index]) < 0


def test_missing_protected_values():
    sex = GROUP.copy()
    sex.iloc[:20] = None
    fitted = MODEL.fit(X, Y)
    with pytest.raises(ScorerSetupError, match="20 of 240 values are missing"):
        MESDScorer(sensitive_features=sex, **QUICK)(fitted, X, Y)
    grouped = MESDScorer(sensitive_features=sex, missing="group", **QUICK)(fitted, X, Y)
    assert grouped == -mesd(fitted, X, Y, sensitive_features=sex, missing="group", **QUICK).value
    with pytest.warns(UserWarning, match="left out 20 of 240 rows"):
        assert MESDScorer(sensitive_features=sex, missing="drop", **QUICK)(fitted, X, Y) <= 0


# -- set-up errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, message",
    [
        ({"measure": "mean"}, "measure must be one of"),
        ({"sigma": 0}, "sigma must be a number above 0"),
        ({"n_samples": 0}, "n_samples must be an integer of at least 1"),
        ({"n_perturbations": 0}, "n_perturbations must be an integer of at least 1"),
        ({"alpha": 2}, "alpha must be a number in .0, 1."),
        ({"shrinkage": -1}, "shrinkage must be a number of at least 0"),
        ({"tail": "upper"}, "tail must be one of"),
        ({"distance": "cosine"}, "distance must be one of"),
        ({"stability": "max"}, "stability must be one of"),
        ({"sampling": "balanced"}, "sampling must be one of"),
        ({"missing": "ignore"}, "missing must be one of"),
        (
            {"explainers": ["gradient"]},
            "must be one of .'shap', 'lime'.; got 'gradient'",
        ),
        ({"weights": [1]}, "weights must hold one number for each of the 2 explainers"),
        ({"random_state": "x"}, "random_state must be"),
        ({"sensitive_features": []}, "sensitive_features names no column"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_options_are_checked_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        MESDScorer(**options)


def test_weights_that_do_not_sum_to_one_warn_once():
    with pytest.warns(UserWarning, match="weights sum to 4, not 1"):
        scorer = MESDScorer(
            sensitive_features="group",
            weights=[1, 3],
            **QUICK | {"explainers": [ShapExplainer(), LIME]},
        )
    assert scorer(MODEL.fit(X, Y), X, Y) <= 0


class PredictOnly(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


def scored(model=MODEL, **options):
    scorer = MESDScorer(**{"sensitive_features": "group"} | QUICK | options)
    return cross_val_score(model, X, Y, cv=2, scoring=scorer)  # with error_score=np.nan


def test_what_is_wrong_with_the_set_up_is_not_swallowed():
    with pytest.raises(ScorerSetupError, match="PredictOnly has neither predict_proba nor"):
        scored(PredictOnly())
    with pytest.raises(ScorerSetupError, match="both be data frames or both arrays"):
        scored(background=X.to_numpy())
    with pytest.raises(ScorerSetupError, match="X and the background have other columns"):
        scored(background=X[["a", "group", "b"]])
    with pytest.raises(ScorerSetupError, match="'sex'"):
        scored(sensitive_features="sex")
    with pytest.raises(ScorerSetupError, match="7 is not a class of the model"):
        scored(pos_label=7)


def test_a_package_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ScorerSetupError, match=r"pip install 'skfairprop\[explain\]'"):
        scored(DecisionTreeClassifier(max_depth=2), explainers=["shap"])


def test_sample_weights_are_refused():
    scorer = MESDScorer(sensitive_features="group", **QUICK)
    with pytest.raises(ScorerSetupError, match="mesd scorer takes no sample_weight"):
        scorer(MODEL.fit(X, Y), X, Y, sample_weight=np.ones(len(X)))


def test_thresholds_cannot_be_tuned():
    tuned = TunedThresholdClassifierCV(
        MODEL, cv=2, scoring=MESDScorer(sensitive_features=GROUP, **QUICK)
    )
    with pytest.raises(ScorerSetupError, match="mesd scorer needs the estimator and X"):
        tuned.fit(X, Y)


def test_a_scorer_can_be_read():
    scorer = MESDScorer("mesd_var", sensitive_features="sex", n_samples=50, tail="literal")
    assert repr(scorer) == (
        "MESDScorer('mesd_var', sensitive_features='sex', n_samples=50, tail='literal')"
    )
