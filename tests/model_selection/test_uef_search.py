"""UEFSearchCV as an estimator: scikit-learn's checks, routing, backends, choices, transfer."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from scipy.stats import loguniform, uniform
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, get_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GroupKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfairprop.inference import metric_interval
from skfairprop.meta import ReweightedClassifier
from skfairprop.model_selection import UEFSearchCV
from skfairprop.scorers import FairnessScorer, MESDScorer
from tests.model_selection.uef_data import Linear, make_search, people

SPACE = {"tilt": uniform(-2, 4), "shift": uniform(-1, 2)}


@pytest.fixture(scope="module")
def data():
    return people()


def checked(**settings):
    return UEFSearchCV(
        LogisticRegression(),
        {"C": [0.1, 1.0]},
        objectives=["accuracy", "balanced_accuracy"],
        cv=2,
        constraints=None,
        random_state=0,
        **settings,
    )


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([checked(thresholds=None), checked()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def same_search(a, b):
    pd.testing.assert_frame_equal(a.pareto_front_, b.pareto_front_, check_exact=True)
    pd.testing.assert_frame_equal(a.hypervolume_, b.hypervolume_, check_exact=True)
    assert [repr(p) for p in a.cv_results_["params"]] == [repr(p) for p in b.cv_results_["params"]]
    assert a.best_point_ == b.best_point_


# -- what a search is -----------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_result_does_not_depend_on_the_workers(data, backend):
    X, y, sex = data
    model = RandomForestClassifier(5, max_depth=3)  # random_state=None gets the search's seed
    space = {"max_depth": [2, 3, 4], "max_features": uniform(0.1, 0.9)}
    settings = {"sensitive_features": sex, "n_evaluations": 14, "population_size": 7}
    alone = make_search(model, space, **settings).fit(X, y)
    with parallel_config(backend=backend):
        several = make_search(model, space, n_jobs=2, **settings).fit(X, y)
    same_search(alone, several)
    np.testing.assert_array_equal(alone.predict(X), several.predict(X))


@pytest.mark.parametrize("algorithm", ["nsga2", "random"])
def test_no_candidate_is_evaluated_twice(data, algorithm):
    X, y, sex = data
    space = {"tilt": list(np.linspace(-2, 2, 9)), "shift": [-1.0, 0.0, 1.0]}
    search = make_search(
        Linear(), space, sensitive_features=sex, n_evaluations=25, algorithm=algorithm
    ).fit(X, y)
    params = [tuple(p.values()) for p in search.cv_results_["params"]]
    assert len(set(params)) == len(params) == 25


def test_a_space_that_the_budget_covers_is_gone_through(data):
    X, y, sex = data
    space = {"tilt": [-1.0, 0.0, 1.0], "shift": [0.0, 0.5]}
    search = make_search(
        Linear(), space, sensitive_features=sex, n_evaluations=100, population_size=50
    ).fit(X, y)
    found = {(p["tilt"], p["shift"]) for p in search.cv_results_["params"]}
    assert found == {(t, s) for t in space["tilt"] for s in space["shift"]}
    assert len(search.cv_results_["params"]) == 6


def test_the_search_starts_from_the_estimator_and_from_given_points(data):
    X, y, sex = data
    settings = {"sensitive_features": sex, "n_evaluations": 8}
    search = make_search(Linear(tilt=0.25, shift=0.125), SPACE, **settings).fit(X, y)
    assert search.cv_results_["params"][0] == pytest.approx({"tilt": 0.25, "shift": 0.125})
    start = [{"tilt": 1.0}, {"tilt": -1.0, "shift": 0.5}]
    search = make_search(Linear(shift=0.125), SPACE, start=start, **settings).fit(X, y)
    assert search.cv_results_["params"][0] == pytest.approx({"tilt": 1.0, "shift": 0.125})
    assert search.cv_results_["params"][1] == pytest.approx({"tilt": -1.0, "shift": 0.5})


def test_nsga2_comes_closer_to_the_front_than_chance(data):
    """Losses of a known front: the ends of a line, that a hundred random draws do not reach."""
    X, y, _ = data
    target = np.array([0.2, 0.8])

    def near(at):
        def score(estimator, X, y):
            return -abs(estimator.tilt - at) - abs(estimator.shift - 0.5)

        return score

    objectives = {"left": near(target[0]), "right": near(target[1])}
    volumes = {}
    for algorithm in ("nsga2", "random"):
        search = make_search(
            Linear(),
            {"tilt": uniform(0, 1), "shift": uniform(0, 1)},
            objectives=objectives,
            thresholds=None,
            algorithm=algorithm,
            n_evaluations=200,
            start=None,
            constraints=None,
        ).fit(X, y)
        volumes[algorithm] = search.pareto_front_[["left", "right"]].sum(axis=1).max()
    assert volumes["nsga2"] > -0.61  # the front has -.6
    assert volumes["nsga2"] > volumes["random"]


def test_steps_are_swapped_and_branches_have_parameters_of_their_own(data):
    X, y, sex = data
    pipe = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    space = [
        {"model": [LogisticRegression()], "model__C": loguniform(1e-3, 1e3)},
        {
            "model": [RandomForestClassifier(4, random_state=0)],
            "model__max_depth": [2, 3],
            "scale": [MinMaxScaler(), "passthrough"],
        },
    ]
    search = make_search(pipe, space, sensitive_features=sex, n_evaluations=16).fit(X, y)
    seen = set()
    for params in search.cv_results_["params"]:
        kind = type(params["model"]).__name__
        seen.add(kind)
        assert ("model__C" in params) == (kind == "LogisticRegression")
        assert ("scale" in params) == (kind == "RandomForestClassifier")
    assert len(seen) == 2
    assert search.cv_results_["params"][0]["model__C"] == pytest.approx(1.0)


def test_budgets_in_generations_and_seconds(data):
    X, y, sex = data
    search = make_search(
        Linear(),
        SPACE,
        sensitive_features=sex,
        population_size=5,
        n_generations=3,
        n_evaluations=None,
    ).fit(X, y)
    assert search.hypervolume_["n_evaluations"].tolist() == [5, 10, 15]
    assert search.hypervolume_["hypervolume"].is_monotonic_increasing
    assert search.hypervolume_["hypervolume"].between(0, 1).all()
    search = make_search(
        Linear(), SPACE, sensitive_features=sex, n_evaluations=10**6, time_budget=1e-6
    ).fit(X, y)
    assert 1 <= len(search.cv_results_["params"]) < 10


def test_a_float_is_one_validation_split(data):
    X, y, sex = data
    search = make_search(Linear(), SPACE, sensitive_features=sex, cv=0.25, n_evaluations=4)
    search.fit(X, y)
    assert search.n_splits_ == 1
    assert "split1_test_balanced_accuracy" not in search.cv_results_


def test_groups_reach_the_splitter(data):
    X, y, sex = data
    family = np.arange(len(y)) // 3
    search = make_search(Linear(), {}, sensitive_features=sex, cv=GroupKFold(3))
    search.fit(X, y, groups=family)
    assert search.n_splits_ == 3


# -- what it becomes ------------------------------------------------------------------------------


def test_the_chosen_threshold_is_applied(data):
    X, y, sex = data
    search = make_search(
        LogisticRegression(), {"C": [1.0]}, sensitive_features=sex, within=0.2
    ).fit(X, y)
    assert isinstance(search.best_estimator_, FixedThresholdClassifier)
    plain = LogisticRegression().fit(X, y)
    expected = plain.predict_proba(X)[:, 1] >= search.best_threshold_
    np.testing.assert_array_equal(search.predict(X), expected.astype(int))
    assert (search.predict(X) != plain.predict(X)).any()
    np.testing.assert_allclose(search.predict_proba(X), plain.predict_proba(X))
    assert search.score(X, y) == pytest.approx(balanced_accuracy_score(y, search.predict(X)))
    assert search.classes_.tolist() == [0, 1]
    assert search.feature_names_in_.tolist() == ["a", "b", "c"]


def test_scores_of_a_decision_function_are_cut_as_well():
    X, y, sex = people(classes=("no", "yes"))
    search = make_search(
        LinearSVC(random_state=0),
        {"C": [0.1]},
        objectives=["balanced_accuracy", "demographic_parity_difference"],
        sensitive_features=sex,
        pos_label="no",
        within=0.2,
    ).fit(X, y)
    assert not np.isnan(search.best_threshold_)
    scores = -LinearSVC(random_state=0, C=0.1).fit(X, y).decision_function(X)
    expected = np.where(scores >= search.best_threshold_, "no", "yes")
    np.testing.assert_array_equal(search.predict(X), expected)


def test_an_ensemble_is_the_mean_of_the_folds(data):
    X, y, sex = data
    search = make_search(
        LogisticRegression(), {"C": [0.1]}, sensitive_features=sex, refit="ensemble"
    ).fit(X, y)
    models = [
        LogisticRegression(C=0.1).fit(X.iloc[train], y.iloc[train])
        for train, _ in StratifiedKFold(3).split(X, y)
    ]
    expected = np.mean([model.predict_proba(X) for model in models], axis=0)
    np.testing.assert_allclose(search.predict_proba(X), expected)
    threshold = 0.5 if np.isnan(search.best_threshold_) else search.best_threshold_
    np.testing.assert_array_equal(search.predict(X), (expected[:, 1] >= threshold).astype(int))


def test_refit_false_and_callable(data):
    X, y, sex = data
    search = make_search(sensitive_features=sex, refit=False).fit(X, y)
    assert not hasattr(search, "best_estimator_")
    assert search.best_index_ in search.pareto_index_
    with pytest.raises(AttributeError, match="has no attribute 'predict'"):
        search.predict(X)
    wanted = int(search.pareto_index_[-1])
    search = make_search(sensitive_features=sex, refit=lambda results: wanted).fit(X, y)
    assert search.best_index_ == wanted


def test_select_chooses_again_without_a_search(data):
    X, y, sex = data
    search = make_search(Linear(), SPACE, sensitive_features=sex).fit(X, y)
    front = search.pareto_front_
    ba, gap = front["balanced_accuracy"], front["demographic_parity_difference"]
    allowed = front[ba >= ba.max() - 0.1]
    chosen = search.select(within=0.1)
    assert chosen["demographic_parity_difference"] == allowed[gap.name].max()
    assert isinstance(search.cv_results_["params"][chosen["cv_index"]], dict)
    assert search.select("lexicographic", within=0)["balanced_accuracy"] == ba.max()
    assert search.select("chebyshev", weights=[0, 1])[gap.name] == gap.max()
    last = search.select(lambda losses: len(losses) - 1)
    assert last.name == len(front) - 1
    assert search.select().name == search.best_point_
    refitted = clone(search).set_params(within=0.1).fit(X, y)
    assert refitted.best_point_ == chosen.name
    model = search.fit_point(X, y, chosen.name)
    np.testing.assert_array_equal(model.predict(X), refitted.predict(X))
    assert (model.predict(X) != search.predict(X)).any()
    with pytest.raises(ValueError, match="point must be a position in pareto_front_"):
        search.fit_point(X, y, len(front))


def test_progress_is_told(data, capsys):
    X, y, sex = data
    make_search(sensitive_features=sex, verbose=True).fit(X, y)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 4
    assert told[-1].startswith("UEFSearchCV: 4 of 4 candidates")
    make_search(sensitive_features=sex, verbose=False).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_net_whose_folds_are_averaged(data):
    torch, skorch = pytest.importorskip("torch"), pytest.importorskip("skorch")
    X, y, sex = data
    torch.manual_seed(0)
    net = skorch.NeuralNetClassifier(
        torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Softmax(dim=1)),
        max_epochs=3,
        verbose=0,
        train_split=None,
    )
    model = make_pipeline(FunctionTransformer(lambda X: np.array(X, np.float32)), net)
    gap = FairnessScorer("demographic_parity_difference", sensitive_features=sex)
    prefix = "neuralnetclassifier__"
    search = make_search(
        model,
        {f"{prefix}lr": loguniform(1e-3, 1.0), f"{prefix}max_epochs": [2, 5]},
        objectives={"auc": "roc_auc", "dp": gap},
        n_evaluations=6,
        refit="ensemble",
        within=0.3,
    ).fit(X, y.to_numpy())
    assert search.predict(X).mean() == pytest.approx(
        search.pareto_front_["selection_rate"][search.best_point_], abs=0.1
    )


def test_pickle_clone_and_html(data):
    X, y, _ = data
    search = make_search(objectives=["accuracy", "balanced_accuracy"]).fit(X, y)
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert "LogisticRegression" in search._repr_html_()
    assert is_classifier(search)
    assert not hasattr(clone(search), "pareto_front_")


def test_nested_cross_validation(data):
    X, y, sex = data
    scoring = {
        "ba": "balanced_accuracy",
        "dp": FairnessScorer("demographic_parity_difference", sensitive_features=sex),
    }
    search = make_search(sensitive_features=sex)
    found = cross_validate(search, X, y, cv=2, scoring=scoring)
    assert np.isfinite(found["test_ba"]).all()
    assert (found["test_dp"] <= 0).all()


def test_a_pipeline_with_columns_of_several_kinds(data):
    X, y, sex = data
    X = X.assign(sex=sex)
    pipe = make_pipeline(
        make_column_transformer((StandardScaler(), ["a", "b", "c"]), (OneHotEncoder(), ["sex"])),
        LogisticRegression(),
    )
    model = ReweightedClassifier(pipe, sensitive_features="sex")
    space = {
        "strength": uniform(0, 1),
        "estimator__logisticregression__C": loguniform(1e-2, 1e2),
        "estimator__columntransformer__standardscaler": [StandardScaler(), "passthrough"],
    }
    search = make_search(model, space, sensitive_features="sex", n_evaluations=14).fit(X, y)
    gaps = search.pareto_front_["demographic_parity_difference"]
    assert gaps.max() > gaps[0]
    assert search.predict(X).shape == y.shape


def test_the_lever_moves_the_gap_at_a_useful_utility():
    """Half of the gap of the plain model goes at .05 of its balanced accuracy."""
    X, y, sex = people(1500)
    X = X.assign(male=(sex == "m").astype(float) * 2)
    plain = LogisticRegression()
    settings = {"sensitive_features": sex, "thresholds": None, "n_evaluations": 16}
    without = make_search(plain, {"C": loguniform(1e-3, 1e3)}, **settings).fit(X, y)
    lever = make_search(
        ReweightedClassifier(plain, sensitive_features=sex),
        {"strength": uniform(0, 1), "estimator__C": loguniform(1e-3, 1e3)},
        **settings,
    ).fit(X, y)
    gap = "demographic_parity_difference"
    floor = without.pareto_front_["balanced_accuracy"].max() - 0.05
    fronts = [search.pareto_front_ for search in (without, lever)]
    least = [-front[front["balanced_accuracy"] >= floor][gap].max() for front in fronts]
    assert least[1] < 0.5 * least[0]


# -- metadata -------------------------------------------------------------------------------------


def test_protected_columns_are_routed_to_all_who_ask(data):
    X, y, sex = data
    weight = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = ReweightedClassifier(LogisticRegression().set_fit_request(sample_weight=True))
        search = make_search(
            model,
            {"strength": [0.0, 0.5, 1.0]},
            objectives=["roc_auc", "demographic_parity_difference"],
            cv=GroupKFold(3),
        )
        search.fit(X, y, sensitive_features=sex, groups=np.arange(len(y)) % 7)
        assert search.score(X, y) > 0.5
        table = search.transfer(X, y, sensitive_features=sex, n_draws=100)
        assert table["test"].notna().all()
        weighted = make_search(
            LogisticRegression().set_fit_request(sample_weight=True),
            {"C": [1.0]},
            objectives=[
                FairnessScorer("demographic_parity_difference").set_score_request(
                    sample_weight=True
                ),
                get_scorer("roc_auc").set_score_request(sample_weight=False),
            ],
        )
        weighted.fit(X, y, sensitive_features=sex, sample_weight=weight)
        expected = LogisticRegression().fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(weighted.predict_proba(X), expected.predict_proba(X))
    fixed = make_search(
        ReweightedClassifier(LogisticRegression(), sensitive_features=sex),
        {"strength": [0.0, 0.5, 1.0]},
        objectives=["roc_auc", "demographic_parity_difference"],
        sensitive_features=sex,
        cv=GroupKFold(3),
    ).fit(X, y, groups=np.arange(len(y)) % 7)
    pd.testing.assert_frame_equal(fixed.pareto_front_, search.pareto_front_)


def test_metadata_without_routing_is_refused_where_it_would_be_lost(data):
    X, y, sex = data
    search = make_search(sensitive_features=sex).fit(X, y)
    with pytest.raises(ValueError, match="only with metadata routing on"):
        search.score(X, y, sensitive_features=sex)


# -- explanations ---------------------------------------------------------------------------------


def explained(sex, **settings):
    stable = MESDScorer(
        "worst_group_instability",
        sensitive_features=sex,
        explainers=("lime",),
        n_samples=20,
        n_perturbations=2,
        random_state=0,
    )
    objectives = {
        "ba": "balanced_accuracy",
        "dp": FairnessScorer("demographic_parity_difference", sensitive_features=sex),
        "instability": stable,
    }
    settings = {"objectives": objectives, "cv": 0.3, "n_evaluations": 30} | settings
    return make_search(Linear(), {"tilt": uniform(0, 9)}, **settings)


def test_only_candidates_that_could_be_on_the_front_are_explained(data):
    X, y, sex = data
    every = explained(sex, lazy=False, algorithm="random").fit(X, y)
    lazy = explained(sex, algorithm="random").fit(X, y)
    assert every.n_explained_ == 30
    assert 12 <= lazy.n_explained_ < 30
    known = ~np.isnan(lazy.cv_results_["mean_test_instability"])
    assert known.sum() == lazy.n_explained_
    np.testing.assert_array_equal(
        lazy.cv_results_["mean_test_instability"][known],
        every.cv_results_["mean_test_instability"][known],
    )
    assert set(lazy.pareto_index_) <= set(np.flatnonzero(known))


def test_explanations_by_name_have_the_seed_of_the_search():
    X, y, sex = people(60)
    names = ["balanced_accuracy", "demographic_parity_difference", "worst_group_instability"]
    settings = {"objectives": names, "sensitive_features": sex, "cv": 0.5, "n_evaluations": 2}
    one, two = (make_search(space={"C": [0.1, 1.0]}, **settings).fit(X, y) for _ in range(2))
    same_search(one, two)
    assert (one.pareto_front_["worst_group_instability"] < 0).all()


def test_lazy_explanations_do_not_depend_on_the_workers(data):
    X, y, sex = data
    same_search(explained(sex).fit(X, y), explained(sex, n_jobs=2).fit(X, y))


# -- other rows -----------------------------------------------------------------------------------


def test_transfer_has_the_values_and_intervals_of_the_public_functions(data):
    X, y, sex = people(500, seed=1)
    objectives = {
        "ba": "balanced_accuracy",
        "dp": FairnessScorer("demographic_parity_difference", sensitive_features=sex),
        "auc": "roc_auc",
    }
    search = make_search(objectives=objectives).fit(X[:250], y[:250])
    table = search.transfer(X[250:], y[250:], n_draws=300, random_state=3)
    predicted, truth = search.predict(X[250:]), y[250:]
    assert table.loc["ba", "test"] == pytest.approx(balanced_accuracy_score(truth, predicted))
    found = metric_interval(
        "demographic_parity_difference",
        truth.to_numpy(),
        predicted,
        sensitive_features=sex[250:].to_numpy(),
        n_draws=300,
        random_state=3,
    )
    assert table.loc["dp", ["test", "lower", "upper"]].tolist() == pytest.approx(
        [-found.value, -found.upper, -found.lower]
    )
    expected = search.pareto_front_.iloc[search.best_point_][["ba", "dp", "auc"]]
    assert table["search"].tolist() == pytest.approx(expected.tolist())
    assert (table["lower"] <= table["test"]).all()
    assert (table["test"] <= table["upper"]).all()
    # the normal approximation of the variance of two proportions
    recall = [(predicted[truth == c] == c).mean() for c in (0, 1)]
    n = [(truth == c).sum() for c in (0, 1)]
    error = np.sqrt(sum(r * (1 - r) / k for r, k in zip(recall, n, strict=True))) / 2
    width = table.loc["ba", "upper"] - table.loc["ba", "lower"]
    assert width == pytest.approx(2 * 1.96 * error, rel=0.25)


def test_rows_that_are_held_out_are_not_searched_on(data):
    """A model that remembers all it was fitted to is not right about them."""
    X, y, sex = data
    search = make_search(
        KNeighborsClassifier(1), {"p": [1]}, sensitive_features=sex, test_size=0.3, thresholds=None
    ).fit(X, y)
    assert search.best_estimator_.n_samples_fit_ == len(y) - round(0.3 * len(y))
    assert search.score(X, y) > 0.9 > search.transfer_.loc["balanced_accuracy", "test"]
    assert list(search.transfer_.columns) == ["search", "test", "lower", "upper", "null"]


def test_a_model_that_predicts_by_groups_is_told_them(data):
    X, y, sex = data

    class ByGroup(Linear):
        def predict(self, X, *, sensitive_features):
            bar = np.where(np.asarray(sensitive_features) == "f", 0.4, 0.6)
            return (self.predict_proba(X)[:, 1] >= bar).astype(int)

    search = make_search(
        ByGroup(), {"tilt": [0.0, 1.0]}, sensitive_features=sex, thresholds=None
    ).fit(X, y)
    expected = cross_validate(
        ByGroup(tilt=1.0),
        X,
        y,
        cv=3,
        scoring=FairnessScorer("demographic_parity_difference", sensitive_features=sex),
    )["test_score"]
    i = search.cv_results_["params"].index({"tilt": 1.0})
    found = search.cv_results_["mean_test_demographic_parity_difference"][i]
    assert found == pytest.approx(expected.mean())


def test_regression_with_callables():
    X, y, sex = people()

    def gap(estimator, X, y):
        predicted = estimator.predict(X)
        group = sex[X.index].array
        return -abs(predicted[group == "f"].mean() - predicted[group == "m"].mean())

    search = UEFSearchCV(
        Ridge(),
        {"alpha": loguniform(1e-2, 1e4)},
        objectives={"r2": "r2", "gap": gap},
        thresholds=None,
        n_evaluations=15,
        random_state=0,
    ).fit(X, y.astype(float))
    assert len(search.pareto_front_) > 3
    assert search.predict(X).dtype == float
