"""Input that UEFSearchCV once took for something else: each gave a wrong number or an odd error."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import expon, randint, rv_discrete, uniform
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from skfairprop.metrics import mesd
from skfairprop.model_selection._checkpoint import describe
from skfairprop.model_selection._uef._candidates import Archive, Candidate
from skfairprop.model_selection._uef._points import Measured
from skfairprop.model_selection._uef._space import SearchSpace
from skfairprop.scorers import FairnessScorer, MESDScorer
from tests.model_selection.uef_data import OBJECTIVES, Linear, make_search, people

TILT = {"tilt": uniform(0, 1)}


@pytest.fixture(scope="module")
def data():
    return people(240)


# -- what was taken for something else ------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["bool", "Int64", "boolean", "category", "string", "object", "list"]
)
def test_labels_of_every_kind_give_the_same_front(data, kind):
    X, y, sex = data
    words = pd.Series(np.where(y == 1, "yes", "no"))
    as_kind = {
        "bool": y == 1,
        "Int64": y.astype("Int64"),
        "boolean": (y == 1).astype("boolean"),
        "category": words.astype("category"),
        "string": words.astype("string"),
        "object": words.astype(object),
        "list": y.tolist(),
    }[kind]
    pos_label = "yes" if kind in ("category", "string", "object") else None
    found = make_search(sensitive_features=sex, pos_label=pos_label).fit(X, as_kind)
    expected = make_search(sensitive_features=sex).fit(X, y)
    columns = [*OBJECTIVES, "threshold", "selection_rate"]
    pd.testing.assert_frame_equal(
        found.pareto_front_[columns], expected.pareto_front_[columns], check_exact=False
    )


def test_an_objective_that_failed_is_not_the_best_of_gaps(data):
    """A score of 0 would be no gap at all."""
    X, y, _ = data

    def gap(estimator, X, y):
        if estimator.tilt > 0.5:
            raise RuntimeError("no gap for these")
        return -0.3

    objectives = {"ba": "balanced_accuracy", "gap": gap}
    settings = {"objectives": objectives, "thresholds": None, "error_score": 0.0}
    search = make_search(Linear(), {"tilt": [0.1, 0.3, 0.7, 0.9]}, **settings)
    with pytest.warns(UserWarning, match="an objective failed for some candidates, whose score"):
        search.fit(X, y)
    assert set(search.pareto_front_["gap"]) == {-0.3}
    shown = dict(
        zip([p["tilt"] for p in search.cv_results_["params"]], search.cv_results_["mean_test_gap"],
            strict=True)
    )  # fmt: skip
    assert shown == pytest.approx({0.1: -0.3, 0.3: -0.3, 0.7: 0.0, 0.9: 0.0})


def test_the_algorithm_is_not_told_that_an_undefined_loss_is_a_good_one():
    """Squared errors of prices are larger than any number that stands for an undefined one."""
    archive = Archive(["mse", "gap"], [], [], n_first=1)

    def one(mse):
        values = {"mse": np.array([mse]), "gap": np.array([0.0])}
        none = np.array([np.nan])
        return Candidate((), {}, [], [], measured=Measured(none, {}, {}, values, None, none > 0))

    (_, defined), (losses, undefined) = archive.worth(one(-1e12)), archive.worth(one(np.nan))
    assert np.isfinite(losses).all()
    assert defined[0] == 0 < undefined[0]


def test_select_has_the_weights_of_the_search(data):
    X, y, sex = data
    search = make_search(sensitive_features=sex, choice="chebyshev", weights=[1, 20]).fit(X, y)
    assert search.select().name == search.best_point_
    assert search.select(weights=[1, 1]).name != search.best_point_


def test_nothing_is_left_of_an_earlier_fit(data):
    X, y, sex = data
    search = make_search(sensitive_features=sex, test_size=0.3).fit(X, y)
    search.set_params(test_size=None, refit=False).fit(X, y)
    for name in ("transfer_", "best_estimator_", "feature_names_in_", "predict"):
        assert not hasattr(search, name)


def test_points_to_start_from_are_tried_as_they_are_or_refused(data):
    X, y, _ = data
    spaces = [{"tilt": uniform(0, 1)}, {"tilt": uniform(0, 1), "shift": uniform(-1, 2)}]
    start = [{"tilt": 0.5, "shift": 0.7}]
    objectives = ["balanced_accuracy", "roc_auc"]
    settings = {"objectives": objectives, "n_evaluations": 2, "thresholds": None}
    search = make_search(Linear(), spaces, start=start, **settings).fit(X, y)
    assert search.cv_results_["params"][0] == pytest.approx(start[0])
    for distribution, value in [
        (randint(1, 10), 2.5),
        (expon(), 1e9),
        (rv_discrete(values=([1, 5], [0.5, 0.5])), 2),
    ]:
        search = make_search(Linear(), {"tilt": distribution}, start=[{"tilt": value}], **settings)
        with pytest.raises(ValueError, match="is not in the space of param_distributions"):
            search.fit(X, y)
    for wrong in ({"tilt": 0.5}, 5, ["tilt"]):
        search = make_search(Linear(), TILT, start=wrong, **settings)
        with pytest.raises(TypeError, match="start must be 'estimator', a list of dicts or None"):
            search.fit(X, y)


def test_values_that_repeat_are_one():
    space = SearchSpace(LogisticRegression(), {"C": [1, np.int64(1), 2.0, np.float64(2), 3]})
    assert [space.decode(p)["C"] for p in space.every()] == [1, 2, 3]
    flags = SearchSpace(LogisticRegression(), {"C": [True, 1, None, "1"]})
    assert flags.size == 4
    nets = [LogisticRegression(C=2), LogisticRegression(C=2), LogisticRegression(C=3)]
    assert SearchSpace(Linear(), {"tilt": nets}).size == 2
    # so long that scikit-learn's text of them is the same
    long = [FunctionTransformer(kw_args={i: i for i in range(400)} | {"it": k}) for k in (1, 2)]
    assert repr(long[0]) == repr(long[1])
    assert SearchSpace(Linear(), {"tilt": long}).size == 2
    gaps = SearchSpace(Linear(), {"tilt": rv_discrete(values=([1, 5, 9], [0.2, 0.3, 0.5]))})
    assert [gaps.decode(p)["tilt"] for p in gaps.every()] == [1, 5, 9]


def test_one_feature_is_not_all_of_the_features(data):
    X, y, sex = data
    forest = RandomForestClassifier(3, max_features=1.0, random_state=0)
    settings = {"sensitive_features": sex, "refit": False}
    found = make_search(forest, {"max_features": [1, 1.0]}, **settings).fit(X, y)
    tried = [one["max_features"] for one in found.cv_results_["params"]]
    assert sorted(map(repr, tried)) == ["1", "1.0"]
    # nor is it where to start from
    space = {"max_features": [1, 2, 3]}
    with pytest.raises(ValueError, match="is not in the space"):
        make_search(forest, space, start=[{"max_features": 1.0}], **settings).fit(X, y)


def test_branches_that_overlap_are_not_evaluated_twice(data):
    X, y, sex = data
    space = [{"C": [1.0, 2.0]}, {"C": [2.0, 3.0]}]
    found = make_search(LogisticRegression(), space, sensitive_features=sex).fit(X, y)
    assert sorted(p["C"] for p in found.cv_results_["params"]) == [1.0, 2.0, 3.0]


# -- folds ----------------------------------------------------------------------------------------


def test_a_generator_in_a_splitter_is_not_used_up(data, tmp_path):
    X, y, sex = data
    cv = StratifiedKFold(2, shuffle=True, random_state=np.random.RandomState(0))
    settings = {"sensitive_features": sex, "cv": cv, "refit": "ensemble", "population_size": 2}
    path = tmp_path / "it.jsonl"
    make_search(Linear(), TILT, **settings, n_evaluations=2, checkpoint=path).fit(X, y)
    more = make_search(Linear(), TILT, **settings, n_evaluations=4, checkpoint=path).fit(X, y)
    whole = make_search(Linear(), TILT, **settings, n_evaluations=4).fit(X, y)
    pd.testing.assert_frame_equal(more.pareto_front_, whole.pareto_front_)
    model = more.fit_point(X, y, more.best_point_)
    np.testing.assert_array_equal(model.predict_proba(X), more.predict_proba(X))
    cv.random_state.random_sample()
    with pytest.raises(ValueError, match="is of another search: cv was"):
        make_search(Linear(), TILT, **settings, n_evaluations=4, checkpoint=path).fit(X, y)


@pytest.mark.parametrize("cv", [KFold(3, shuffle=True), ShuffleSplit(2, test_size=0.5)])
def test_a_splitter_without_a_seed_has_that_of_the_search(data, cv, tmp_path):
    X, y, sex = data
    settings = {"sensitive_features": sex, "cv": cv, "n_evaluations": 4, "refit": "ensemble"}
    fit = make_search(**settings).fit(X, y)
    again = make_search(**settings).fit(X, y)
    pd.testing.assert_frame_equal(fit.pareto_front_, again.pareto_front_)
    other = make_search(**settings | {"random_state": 1}).fit(X, y)
    key = "split0_test_balanced_accuracy"
    assert not np.array_equal(fit.cv_results_[key], other.cv_results_[key])
    assert cv.random_state is None
    # a resumed search, and the model of a point, have the same folds
    path = tmp_path / "it.jsonl"
    settings |= {"random_state": None, "checkpoint": path}
    whole = make_search(**settings).fit(X, y)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    more = make_search(**settings).fit(X, y)
    pd.testing.assert_frame_equal(more.pareto_front_, whole.pareto_front_)
    model = more.fit_point(X, y, more.best_point_)
    np.testing.assert_array_equal(model.predict(X), more.predict(X))


def test_masks_are_splits_as_well(data):
    X, y, sex = data
    first = np.arange(len(y)) < 160
    masks = make_search(sensitive_features=sex, cv=[(first, ~first)]).fit(X, y)
    rows = [(np.flatnonzero(first), np.flatnonzero(~first))]
    expected = make_search(sensitive_features=sex, cv=rows).fit(X, y)
    pd.testing.assert_frame_equal(masks.pareto_front_, expected.pareto_front_)


@pytest.mark.parametrize("kind", ["list", "predefined"])
def test_splits_that_count_rows_do_not_go_with_a_test_split(data, kind):
    """They would count those that are left, which are others."""
    X, y, sex = data
    rows = np.arange(60), np.arange(60, 120)
    cv = [rows] if kind == "list" else PredefinedSplit(np.repeat([0, 1, 2], 80))
    with pytest.raises(ValueError, match="test_size would move the rows that the splits of cv"):
        make_search(sensitive_features=sex, cv=cv, test_size=0.3).fit(X, y)


def test_a_fold_without_a_class_to_train_on(data):
    X, y, sex = data

    class OneColumn(Linear):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, : len(self.classes_)]

    rows = np.flatnonzero(y == 0)[:50], np.flatnonzero(y == 1)[:50]
    search = make_search(OneColumn(), {"tilt": [0.0]}, sensitive_features=sex, cv=[rows])
    with pytest.raises(ValueError, match="a fold has no rows of the class 1 to train on"):
        search.fit(X, y)


def test_rows_that_are_counted_from_the_end_are_refused(data):
    """They could be rows to train on and to test on at once."""
    X, y, sex = data
    n = len(y)
    for train, test in [
        (np.arange(-n, -n + 90), np.arange(60)),
        (np.arange(9), np.arange(n, n + 9)),
    ]:
        search = make_search(sensitive_features=sex, cv=[(train, test)])
        with pytest.raises(ValueError, match="cv: split 0 has rows beyond 0 to 239, those of X"):
            search.fit(X, y)


def test_a_step_that_changes_its_input_in_place_does_not_see_it_twice(data):
    X, y, sex = data
    X = X.to_numpy() * 9 + 4
    fronts = [
        make_search(
            make_pipeline(StandardScaler(copy=copies), LogisticRegression()),
            {"logisticregression__C": [0.1, 1.0]},
            objectives=["roc_auc", "demographic_parity_difference", "f1"],
            sensitive_features=sex,
            return_train_score=True,
        )
        .fit(X.copy(), y)
        .pareto_front_
        for copies in (True, False)
    ]
    pd.testing.assert_frame_equal(*fronts)


def test_kernel_matrices_are_not_cut_where_that_makes_no_sense(data):
    X, y, sex = data
    kernel = X.to_numpy() @ X.to_numpy().T
    for settings, message in [
        ({"test_size": 0.3}, "test_size cannot cut a kernel matrix"),
        ({"refit": "ensemble"}, "each model would need the kernel with its own rows"),
    ]:
        search = make_search(
            SVC(kernel="precomputed"), {"C": [0.1]}, sensitive_features=sex, **settings
        )
        with pytest.raises(ValueError, match=message):
            search.fit(kernel, y)


# -- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"constraints": {"selection_rate": (np.nan, 0.9)}}, ValueError, "must be numbers or None"),
        ({"constraints": {"selection_rate": (5, 95)}}, ValueError, "shares between 0 and 1"),
        ({"constraints": "none"}, TypeError, "constraints must be 'auto', a dict or None"),
        ({"pooled": "no"}, ValueError, "pooled must be True or False; got 'no'"),
        (
            {"objectives": {"u": "f1", "param_tilt": "recall"}},
            ValueError,
            "'param_tilt' is another",
        ),
    ],
)
def test_arguments_that_cannot_be_meant(data, settings, error, message):
    X, y, sex = data
    with pytest.raises(error, match=message):
        make_search(Linear(), TILT, sensitive_features=sex, **settings).fit(X, y)


def test_weights_and_labels_that_do_not_fit(data):
    X, y, sex = data
    search = make_search(sensitive_features=sex)
    with pytest.raises(ValueError, match="sample_weight has 239 values; there are 240 rows"):
        search.fit(X, y, sample_weight=np.ones(239))
    words = pd.Series(np.where(y == 1, "yes", "no"), dtype=object)
    words[3] = None
    with pytest.raises(ValueError, match="y holds missing labels; leave these rows out"):
        search.set_params(pos_label="yes").fit(X, words)
    fitted = make_search(sensitive_features=sex).fit(X, y)
    for point in (True, 1.0, -1):
        with pytest.raises(ValueError, match="point must be a position in pareto_front_"):
            fitted.fit_point(X, y, point)


def test_a_checkpoint_knows_the_data_that_a_scorer_holds(data, tmp_path):
    X, y, sex = data
    name = "demographic_parity_difference"
    turned = sex[::-1].set_axis(sex.index)
    one, other = (FairnessScorer(name, sensitive_features=s) for s in (sex, turned))
    assert repr(one) == repr(other)
    settings = {"checkpoint": tmp_path / "it.jsonl", "n_evaluations": 3}
    make_search(objectives=["balanced_accuracy", one], **settings).fit(X, y)
    with pytest.raises(ValueError, match="is of another search: objectives was"):
        make_search(objectives=["balanced_accuracy", other], **settings).fit(X, y)
    texts = [describe(MESDScorer(background=X + shift)) for shift in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    assert describe({"a": [LogisticRegression(C=2)]}) != describe({"a": [LogisticRegression(C=3)]})


def test_a_checkpoint_knows_the_folds_of_a_generator(data, tmp_path):
    X, y, sex = data
    settings = {"sensitive_features": sex, "n_evaluations": 4}
    settings["checkpoint"] = tmp_path / "it.jsonl"
    first, second = np.arange(120), np.arange(120, 240)
    whole = make_search(cv=(pair for pair in [(first, second)]), **settings).fit(X, y)
    again = make_search(cv=(pair for pair in [(first, second)]), **settings).fit(X, y)
    pd.testing.assert_frame_equal(again.pareto_front_, whole.pareto_front_)
    with pytest.raises(ValueError, match="is of another search: cv was"):
        make_search(cv=(pair for pair in [(second, first)]), **settings).fit(X, y)
    with pytest.raises(ValueError, match="test_size with a checkpoint needs random_state="):
        make_search(test_size=0.3, random_state=None, **settings).fit(X, y)


# -- transfer -------------------------------------------------------------------------------------


class WithoutSex(Linear):
    """Looks at the numbers only."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X[["a", "b"]], y)

    def predict_proba(self, X):
        return super().predict_proba(X[["a", "b"]])


def _mean_gap(y_true, y_pred, *, sensitive_features):
    del y_true
    group, predicted = np.asarray(sensitive_features).ravel(), np.asarray(y_pred)
    return abs(predicted[group == "f"].mean() - predicted[group == "m"].mean())


def _gap_of_columns(estimator, X, y):
    return -_mean_gap(y, estimator.predict(X), sensitive_features=X["sex"])


def test_intervals_of_scorers_that_look_at_the_columns_of_x(data):
    X, y, sex = data
    people_ = X.assign(sex=sex)
    by_name = FairnessScorer(_mean_gap, sensitive_features="sex", greater_is_better=False)
    objectives = {"ba": "balanced_accuracy", "name": by_name, "callable": _gap_of_columns}
    search = make_search(WithoutSex(), TILT, objectives=objectives, thresholds=None)
    table = search.fit(people_, y).transfer(people_, y, n_draws=300, random_state=0)
    assert table.loc["name"].drop("search").equals(table.loc["callable"].drop("search"))
    value, low, high = table.loc["name", ["test", "lower", "upper"]]
    assert low < value < high
    predicted = search.predict(people_)
    rates = [predicted[sex == s].mean() for s in "fm"]
    sizes = [(sex == s).sum() for s in "fm"]
    error = np.sqrt(sum(p * (1 - p) / n for p, n in zip(rates, sizes, strict=True)))
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.25)


def test_a_model_that_predicts_by_groups_is_transferred(data):
    X, y, sex = data

    class ByGroup(Linear):
        def predict(self, X, *, sensitive_features):
            bar = np.where(np.asarray(sensitive_features) == "f", 0.4, 0.6)
            return (self.predict_proba(X)[:, 1] >= bar).astype(int)

    gaps = ["demographic_parity_difference", "equalized_odds_difference"]
    search = make_search(
        ByGroup(), {"tilt": [0.0]}, objectives=gaps, sensitive_features=sex, thresholds=None
    ).fit(X, y)
    table = search.transfer(X, y, n_draws=200, random_state=0)
    predicted = search.best_estimator_.predict(X, sensitive_features=sex)
    expected = -_mean_gap(y, predicted, sensitive_features=sex)
    assert table.loc[gaps[0], "test"] == pytest.approx(expected)
    assert (table["lower"] <= table["test"]).all()
    assert (table["upper"] >= table["test"]).all()


def test_mesd_is_transferred_with_its_null(data):
    X, y, sex = data
    how = {"n_samples": 40, "n_perturbations": 3, "random_state": 0}
    objectives = {
        "ba": "balanced_accuracy",
        "mesd": MESDScorer(sensitive_features=sex, **how),
        "worst": MESDScorer("worst_group_instability", sensitive_features=sex, **how),
    }
    search = make_search(objectives=objectives, n_evaluations=2).fit(X, y)
    table = search.transfer(X, y, n_draws=200, random_state=0)
    found = mesd(
        search.best_estimator_,
        X,
        y,
        sensitive_features=sex,
        n_permutations=200,
        n_resamples=200,
        **how,
    )
    low, high = found.interval
    assert table.loc["mesd", ["test", "lower", "upper", "null"]].tolist() == pytest.approx(
        [-found.value, -high, -low, -found.null_mean]
    )
    assert table.loc["worst", "test"] == pytest.approx(-found.worst_group_instability)
    assert table.loc["worst", ["lower", "upper", "null"]].isna().all()
    assert np.isnan(table.loc["ba", "null"])
