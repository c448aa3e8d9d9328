"""What UEFSearchCV refuses, and what it says of results that mislead."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm, randint, uniform
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import DataConversionWarning, FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from skfairprop.exceptions import ScorerSetupError
from skfairprop.model_selection._uef._objectives import kind_of
from skfairprop.model_selection._uef._space import SearchSpace
from skfairprop.scorers import FairnessScorer
from tests.model_selection.uef_data import Linear, balanced, flaky, make_search, people

SPACE = {"tilt": uniform(-2, 4), "shift": uniform(-1, 2)}


@pytest.fixture(scope="module")
def data():
    return people(120)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"population_size": 1}, "population_size must be None or an integer of at least 2; got 1"),
        ({"n_evaluations": 0}, "n_evaluations must be None or an integer of at least 1"),
        ({"n_evaluations": True}, "n_evaluations must be None or an integer"),
        ({"n_generations": 3}, "n_evaluations and n_generations both say when to stop"),
        ({"thresholds": 2.5}, "thresholds must be None or an integer of at least 1; got 2.5"),
        ({"time_budget": 0}, "time_budget must be None or a number above 0; got 0"),
        ({"algorithm": "nsga4"}, "algorithm must be one of"),
        ({"infeasible": "warn"}, "infeasible must be one of .'raise', 'least'."),
        ({"choice": "chebychev"}, "did you mean 'chebyshev'"),
        ({"choice": "chebyshev", "weights": [1, -1]}, "weights must not be negative"),
        ({"choice": "chebyshev", "weights": [0, 0]}, "weights must not be negative, nor all 0"),
        ({"choice": "chebyshev", "weights": [1, 1, 1]}, "weights must be 2 finite numbers"),
        ({"objectives": {"threshold": "f1", "b": "accuracy"}}, "'threshold' is another column"),
        ({"within": -0.1}, "within must be finite and not negative"),
        ({"within": "a lot"}, "within must be a number of at least 0; got 'a lot'"),
        ({"weights": {"accuracy": 1, "gap": 1}}, "weights must be 2 finite numbers"),
        ({"weights": [-1, 1]}, "weights must not be negative"),  # select() would use them
        ({"checkpoint": 5}, "checkpoint must be None or the path of a file; got 5"),
        ({"verbose": "x"}, "verbose must be True, False or None; got 'x'"),
        ({"constraints": {"selction_rate": (0.1, 0.9)}}, "did you mean 'selection_rate'"),
        ({"refit": "best"}, "refit must be True, False, 'ensemble' or a callable"),
        ({"error_score": "nan"}, "error_score must be 'raise' or a number"),
        ({"start": "mine"}, "start must be 'estimator' or a list of dicts"),
        ({"start": [{"tild": 1}]}, "start: 'tild' is not searched; did you mean 'tilt'"),
        ({"start": [{"tilt": 9.0}]}, "is not in the space of param_distributions"),
        ({"cv": 1.5}, r"cv as a share of the rows must be a number in \(0, 1\)"),
        ({"test_size": 1.5}, r"test_size must be None or a number in \(0, 1\)"),
        ({"test_size": 0.5, "refit": False}, "test_size needs a model to test"),
        ({"pos_label": 2}, "pos_label=2 is not among the classes of y"),
        ({"constraints": {"selection_rate": 0.5}}, r"must be \(low, high\); got 0.5"),
        ({"constraints": {"selection_rate": ("a", 1)}}, "must be numbers or None"),
        ({"constraints": {"selection_rate": (0.8, 0.2)}}, "contradict each other"),
        ({"constraints": {"roc_auk": (0.5, None)}}, "did you mean 'roc_auc'"),
        (
            {"constraints": {"demographic_parity_difference": (None, 0.1)}},
            r"for a value of at most 0.1 pass \(-0.1, None\)",
        ),
        ({"objectives": "accuracy"}, "objectives must be a list or a dict of scorers"),
        ({"objectives": ["accuracy"]}, "objectives must be 2 to 5 scorers; got 1"),
        ({"objectives": ["accuracy", "acuracy"]}, "did you mean 'accuracy'"),
        ({"objectives": ["accuracy", "accuracy"]}, "must be a text that occurs once"),
        ({"objectives": ["accuracy", lambda e, X, y: 0.0]}, "has no name; pass a dict"),
    ],
)
def test_arguments_that_cannot_be_meant(data, settings, message):
    X, y, sex = data
    with pytest.raises((ValueError, TypeError), match=message):
        make_search(Linear(), SPACE, sensitive_features=sex, **settings).fit(X, y)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ([], "at least one of them"),
        ("C", "must be a dict of parameter -> values"),
        ({"tilt": []}, r"param_distributions\['tilt'\] is empty"),
        ({"tild": [1]}, "Linear has no parameter 'tild'; did you mean 'tilt'"),
        ({"tilt": 1.0}, "must be a distribution of scipy.stats or a sequence"),
        ({"tilt": "abc"}, "must be a distribution of scipy.stats or a sequence"),
        (
            {"tilt": stats.gaussian_kde([0.0, 1.0, 2.0])},
            "it has no ppf, by which the search reads it",
        ),
    ],
)
def test_spaces_that_are_none(data, space, message):
    X, y, sex = data
    with pytest.raises((ValueError, TypeError), match=message):
        make_search(Linear(), space, sensitive_features=sex).fit(X, y)


def test_a_distribution_without_ppf_says_what_it_lacks():
    class Drawn:
        def rvs(self, random_state=None):
            return 0.0

    with pytest.raises(TypeError, match="it has no ppf"):
        SearchSpace(Linear(), {"tilt": Drawn()})


def test_a_one_point_space_is_one_candidate(data):
    X, y, sex = data
    search = make_search(Linear(), {"tilt": [0.5]}, sensitive_features=sex).fit(X, y)
    assert search.cv_results_["params"] == [{"tilt": 0.5}]
    assert search.hypervolume_["n_evaluations"].tolist() == [1]


def test_folds_that_test_what_they_train_on_are_refused(data):
    X, y, sex = data
    every = np.arange(len(y))
    with pytest.raises(ValueError, match="split 0 tests on rows that it trains on"):
        make_search(Linear(), {}, sensitive_features=sex, cv=[(every, every[:30])]).fit(X, y)


# -- objectives that fail -------------------------------------------------------------------------


def test_an_objective_that_raises_for_some_candidates(data):
    X, y, _ = data
    search = make_search(
        Linear(),
        {"tilt": [0.0, 0.5, 2.0]},
        objectives={"ba": balanced, "odd": flaky},
        thresholds=None,
    )
    with pytest.warns(UserWarning, match="(?s)an objective failed .*no score for these"):
        search.fit(X, y)
    failed = [p["tilt"] > 1 for p in search.cv_results_["params"]]
    assert np.isnan(search.cv_results_["mean_test_odd"]).tolist() == failed
    assert not set(np.flatnonzero(failed)) & set(search.pareto_index_)
    with pytest.raises(RuntimeError, match="no score for these"):
        search.set_params(error_score="raise").fit(X, y)


def test_an_objective_that_is_nan_for_all_candidates(data):
    X, y, _ = data
    objectives = {"ba": "balanced_accuracy", "never": make_scorer(lambda y, p: np.nan)}
    with pytest.raises(ValueError, match=r"'never' is undefined .* for all candidates"):
        make_search(Linear(), SPACE, objectives=objectives, n_evaluations=3).fit(X, y)


def test_candidates_that_fail_are_not_on_the_front(data):
    X, y, sex = data
    space = {"fails": [False, True], "tilt": [0.0, 0.5]}
    search = make_search(Linear(), space, sensitive_features=sex)
    with pytest.warns(FitFailedWarning, match="2 of 4 candidates failed .*"):
        search.fit(X, y)
    assert not any(search.cv_results_["params"][i]["fails"] for i in search.pareto_index_)
    with pytest.warns(FitFailedWarning):
        search.set_params(error_score=7.0).fit(X, y)  # however good the score of a failure
    assert not any(search.cv_results_["params"][i]["fails"] for i in search.pareto_index_)
    assert 7.0 in search.cv_results_["mean_test_balanced_accuracy"]


def test_all_candidates_fail_as_the_estimator_says_it(data):
    X, y, sex = data
    with pytest.raises(ArithmeticError, match="it does not converge") as caught:
        make_search(Linear(), {"fails": [True]}, sensitive_features=sex).fit(X, y)
    assert "all 1 candidates failed" in caught.value.__notes__[0]


def test_an_objective_that_returns_no_number(data):
    X, y, _ = data

    def several(estimator, X, y):
        return [1, 2]

    with pytest.raises(ValueError, match="must return a number"):
        make_search(Linear(), {}, objectives={"ba": balanced, "two": several}, thresholds=None).fit(
            X, y
        )


def test_protected_columns_that_are_not_there(data):
    X, y, sex = data
    with pytest.raises(ValueError, match="X has no column 'sexx'"):
        make_search(Linear(), {}, sensitive_features="sexx").fit(X.assign(sex=sex), y)
    with pytest.raises(ValueError, match="was not told the protected attribute"):
        make_search(Linear(), {}).fit(X, y)
    scorer = FairnessScorer("estimation_calibration")  # what looks at the estimator fails in a fold
    with pytest.raises((ScorerSetupError, ValueError), match="was not told the protected"):
        make_search(
            Linear(), {}, objectives={"ba": "balanced_accuracy", "e": scorer}, thresholds=None
        ).fit(X, y)


def test_names_of_scikit_learn_look_at_the_positive_class():
    X, y, _ = people(classes=("no", "yes"))
    search = make_search(
        Linear(), {}, objectives=["f1", "average_precision"], pos_label="no", thresholds=None
    ).fit(X, y)
    rows, own = [], []
    for train, test in StratifiedKFold(3).split(X, y):
        rows.append(test)
        own.append(Linear().fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test]))
    expected = f1_score(y.iloc[np.concatenate(rows)], np.concatenate(own), pos_label="no")
    assert search.pareto_front_["f1"][0] == pytest.approx(expected)
    with pytest.raises(ValueError, match="'f1' looks at one class, and the labels"):
        search.set_params(pos_label=None).fit(X, y)


def test_an_ensemble_is_one_of_classifiers(data):
    X, y, _ = data
    objectives = {"r2": "r2", "error": "neg_mean_absolute_error"}
    search = make_search(Ridge(), {}, objectives=objectives, refit="ensemble", thresholds=None)
    with pytest.raises(ValueError, match="averages classifiers; pass refit=True"):
        search.fit(X, y)


def test_labels_that_do_not_tell_the_positive_class():
    X, y, sex = people(classes=("no", "yes"))
    with pytest.raises(ValueError, match="pass pos_label="):
        make_search(Linear(), {}, sensitive_features=sex).fit(X, y)
    constraints = {"selection_rate": (0.3, None)}
    objectives = ["balanced_accuracy", "matthews_corrcoef"]
    with pytest.raises(ValueError, match="do not tell whose selection_rate it is"):
        make_search(Linear(), {}, objectives=objectives, constraints=constraints).fit(X, y)


# -- thresholds and constraints -------------------------------------------------------------------


def test_a_callable_has_no_thresholds_and_says_so(data):
    X, y, sex = data
    gap = FairnessScorer("demographic_parity_difference", sensitive_features=sex)
    search = make_search(Linear(), {}, objectives={"ba": balanced, "dp": gap})
    with pytest.warns(UserWarning, match="nobody can tell how 'ba' depends on it"):
        search.fit(X, y)
    assert search.pareto_front_["threshold"].isna().all()


def test_a_front_of_constant_predictors_is_reported(data):
    X, y, sex = data
    settings = {
        "objectives": ["roc_auc", "demographic_parity_difference"],
        "sensitive_features": sex,
        "n_evaluations": 6,
    }
    with pytest.warns(UserWarning, match="predict the same for everybody.*selection_rate"):
        make_search(Linear(), {"shift": [-9.0, 0.0, 9.0]}, constraints=None, **settings).fit(X, y)
    search = make_search(Linear(), {"shift": [-9.0, 0.0, 9.0]}, **settings).fit(X, y)
    assert search.pareto_front_["selection_rate"].between(0.05, 0.95).all()


def test_constraints_hold_on_the_front(data):
    X, y, sex = data
    constraints = {
        "selection_rate": (0.2, 0.4),
        "roc_auc": (0.7, None),
        "demographic_parity_difference": (-0.3, None),
    }
    search = make_search(Linear(), SPACE, sensitive_features=sex, constraints=constraints)
    front = search.fit(X, y).pareto_front_
    assert front["selection_rate"].between(0.2, 0.4).all()
    assert (front["roc_auc"] >= 0.7).all()
    assert (front["demographic_parity_difference"] >= -0.3).all()
    i = int(front["cv_index"][0])
    assert front["roc_auc"][0] == search.cv_results_["mean_test_roc_auc"][i]


def test_constraints_that_nobody_meets(data):
    X, y, sex = data
    constraints = {"roc_auc": (0.999, None)}
    settings = {"sensitive_features": sex, "constraints": constraints, "n_evaluations": 6}
    search = make_search(Linear(), SPACE, **settings)
    with pytest.raises(ValueError, match=r"no candidate meets the constraints \(roc_auc in"):
        search.fit(X, y)
    assert len(search.cv_results_["params"]) == 6  # what was found is not lost
    search = make_search(Linear(), SPACE, infeasible="least", **settings)
    with pytest.warns(UserWarning, match="the least violating one misses them by"):
        search.fit(X, y)
    best = search.cv_results_["mean_test_roc_auc"].max()
    assert search.pareto_front_["roc_auc"].tolist() == pytest.approx(
        [best] * len(search.pareto_front_)
    )


# -- spaces ---------------------------------------------------------------------------------------


def test_points_go_there_and_back():
    space = SearchSpace(
        LogisticRegression(),
        {
            "C": uniform(1, 9),
            "max_iter": randint(5, 12),
            "class_weight": [None, "balanced", {0: 1, 1: 3}],
            "tol": [1e-4, 1e-3, 1e-2],
        },
    )
    for point in space.draw(50, np.random.default_rng(0)):
        params = space.decode(point)
        assert 1 <= params["C"] <= 10
        assert params["max_iter"] in range(5, 12)
        assert type(params["max_iter"]) is int
        again = space.decode(space.encode(params))
        assert again["C"] == pytest.approx(params.pop("C"))
        assert again.items() >= params.items()
    assert space.encode({"C": 20.0, "max_iter": 7, "class_weight": None, "tol": 1e-3}) is None


def test_points_near_parameters_that_are_not_in_the_space():
    forest = RandomForestClassifier(max_depth=None, n_estimators=30)
    space = SearchSpace(
        forest,
        [{"max_depth": randint(2, 9)}, {"max_depth": randint(2, 9), "n_estimators": [10, 30]}],
    )
    own = forest.get_params()
    assert space.encode(own) is None
    assert space.decode(space.encode(own, nearly=True)) == {"max_depth": 5, "n_estimators": 30}
    assert SearchSpace(forest, {"max_depth": [2, 3]}).encode(own, nearly=True) is None


def test_all_points_of_a_finite_space():
    space = SearchSpace(LogisticRegression(), [{"C": [0.1, 1.0]}, {"max_iter": randint(3, 6)}])
    found = [space.decode(point) for point in space.every()]
    assert found == [{"C": 0.1}, {"C": 1.0}, {"max_iter": 3}, {"max_iter": 4}, {"max_iter": 5}]
    assert space.size == 5
    assert SearchSpace(LogisticRegression(), {"C": norm()}).size == np.inf


def test_draws_follow_the_distributions():
    space = SearchSpace(LogisticRegression(), {"C": norm(3, 2), "max_iter": [1, 2, 3, 4]})
    points = space.draw(4000, np.random.default_rng(0))
    values = np.array([list(space.decode(point).values()) for point in points])
    assert values[:, 0].mean() == pytest.approx(3, abs=0.15)
    assert values[:, 0].std() == pytest.approx(2, abs=0.15)
    share = np.bincount(values[:, 1].astype(int))[1:] / 4000
    np.testing.assert_allclose(share, 0.25, atol=0.03)
    even = np.array([space.decode(point)["C"] for point in space.spread(64, 0)])
    assert np.abs(np.sort(norm(3, 2).cdf(even)) - (np.arange(64) + 0.5) / 64).max() < 0.02


def test_scorers_of_other_kinds_are_told_apart():
    sex = "sex"
    assert kind_of(FairnessScorer("equal_opportunity", sensitive_features=sex)) == "counts"
    assert kind_of(FairnessScorer("cramers_v", sensitive_features=sex)) == "fold"
    assert kind_of(FairnessScorer("cramers_v", of="y_pred", sensitive_features=sex)) == "counts"
    assert kind_of(FairnessScorer("estimation_calibration", sensitive_features=sex)) is None
    assert kind_of(make_scorer(roc_auc_score, response_method="predict_proba")) == "fold"
    assert kind_of(make_scorer(lambda y, p: 0.0)) == "rows"
    assert kind_of(balanced) is None


# -- what is said of objectives that have no value ------------------------------------------------


def refused(data, **settings):
    X, y, sex = data
    settings = {"sensitive_features": sex, "y": y} | settings
    labels = settings.pop("y")
    with pytest.raises(ValueError) as caught:
        make_search(Linear(), SPACE, **settings).fit(X, labels)
    return str(caught.value)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("role", ["objectives", "constraints"])
def test_what_is_undefined_whatever_is_predicted_is_refused_before_a_fit(data, role):
    X, _, sex = data
    gap = "demographic_parity_difference"
    settings = {"objectives": ["accuracy", gap]}
    if role == "constraints":
        settings = {"objectives": ["accuracy", "f1"], "constraints": {gap: (-0.1, None)}}
    alone = sex.where(sex == "f", "f")
    fitted = []

    class Counted(Linear):
        def fit(self, X, y, sample_weight=None):
            fitted.append(1)
            return super().fit(X, y)

    search = make_search(Counted(), SPACE, sensitive_features=alone, **settings)
    with pytest.raises(ValueError, match="is undefined for these rows, whatever is predicted"):
        search.fit(X, data[1])
    assert not fitted


@pytest.mark.filterwarnings("ignore:an objective failed")
def test_an_objective_that_always_fails_is_named_with_its_error(data):
    def broken(estimator, X, y):
        raise RuntimeError("no such thing")

    found = refused(data, objectives={"accuracy": "accuracy", "broken": broken}, thresholds=None)
    assert "'broken' is undefined" in found
    assert "RuntimeError: no such thing" in found


@pytest.mark.parametrize("value", ["x", np.array([1.0, 2.0]), None])
def test_an_objective_that_returns_no_number_is_named(data, value):
    odd = {"accuracy": "accuracy", "odd": lambda estimator, X, y: value}
    found = refused(data, objectives=odd, thresholds=None)
    assert f"'odd' must return a number; it returned a {type(value).__name__}" in found


def test_a_constraint_that_is_undefined_for_all_candidates_is_no_miss_of_a_number(data):
    settings = {
        "objectives": {"accuracy": "accuracy", "f1": "f1"},
        "constraints": {"r2": (0.5, None)},
        "thresholds": None,
    }
    X, y, sex = data
    search = make_search(Linear(), SPACE, sensitive_features=sex, **settings)
    search.objectives["empty"] = lambda estimator, X, y: np.nan
    search.constraints = {"empty": (0.5, None)}
    with pytest.raises(ValueError, match="'empty' is undefined") as caught:
        search.fit(X, y)
    assert "e+10" not in str(caught.value)


def test_the_positive_class_is_asked_for_by_its_own_argument(data):
    labels = data[1].map({0: "no", 1: "yes"})
    found = refused(data, objectives=["f1", "accuracy"], y=labels)
    assert "'f1' looks at one class" in found
    assert "pass pos_label=" in found


def test_missing_protected_values_have_a_remedy_that_there_is(data):
    sex = data[2].mask(data[2].index < 5)
    found = refused(data, sensitive_features=sex)
    assert "5 of 120 values are missing" in found
    assert "missing='group'" in found
    X, y, _ = data
    gap = FairnessScorer("demographic_parity_difference", sensitive_features=sex, missing="group")
    search = make_search(Linear(), SPACE, objectives={"accuracy": "accuracy", "gap": gap})
    assert len(search.fit(X, y).pareto_front_)


def test_missing_labels_are_named_in_any_dtype(data):
    for dtype in (float, "Int64", object):
        y = data[1].astype(dtype).mask(data[1].index < 3)
        assert "y holds missing labels" in refused(data, y=y)


def test_a_target_of_one_column_is_that_column(data):
    X, y, sex = data
    expected = make_search(Linear(), SPACE, sensitive_features=sex).fit(X, y).pareto_front_
    for table in (y.to_frame(), y.to_numpy()[:, None]):
        search = make_search(Linear(), SPACE, sensitive_features=sex)
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            search.fit(X, table)
        assert search.pareto_front_.equals(expected)


def test_a_row_that_refit_cannot_choose(data):
    X, y, sex = data
    search = make_search(Linear(), SPACE, sensitive_features=sex, refit=lambda results: 10_000)
    with pytest.raises(IndexError, match="refit must return a row of cv_results_, 0 to"):
        search.fit(X, y)


def test_an_index_error_of_the_callable_is_its_own(data):
    X, y, sex = data
    search = make_search(Linear(), SPACE, sensitive_features=sex, refit=lambda results: [][0])
    with pytest.raises(IndexError, match="list index out of range"):
        search.fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_an_objective_with_a_score_for_the_undefined_is_searched(data):
    X, y, sex = data
    gap = FairnessScorer(
        "demographic_parity_difference",
        sensitive_features=sex.map(lambda _: "f"),
        undefined_score=-1.0,
    )
    search = make_search(Linear(), SPACE, objectives={"accuracy": "accuracy", "gap": gap})
    assert (search.fit(X, y).pareto_front_["gap"] == -1.0).all()


def test_the_remedy_for_constant_predictors_fits_the_number_of_classes():
    X, y, sex = people(150, classes=("a", "b", "c"))
    search = make_search(
        DummyClassifier(strategy="constant"),
        {"constant": ["a"]},
        objectives=["accuracy", "overall_disparity"],
        sensitive_features=sex,
        thresholds=None,
    )
    with pytest.warns(UserWarning, match="predict the same for everybody") as caught:
        search.fit(X, y)
    assert "selection_rate" not in str(caught[0].message)
