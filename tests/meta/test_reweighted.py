"""ReweightedClassifier: which weights arrive where, with routing off and on."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from skfairprop.meta import ResampledClassifier, ReweightedClassifier
from skfairprop.preprocessing import BiasInducer, Reweighter
from tests.protected import by_content

# From the 30, 50, 60 and 20 rows of the cells.
WEIGHTS = {
    ("f", "yes"): 80 * 90 / 160 / 30,
    ("f", "no"): 80 * 70 / 160 / 50,
    ("m", "yes"): 80 * 90 / 160 / 60,
    ("m", "no"): 80 * 70 / 160 / 20,
}


def expected_weights(X, y):
    return np.array([WEIGHTS[cell] for cell in zip(X["sex"], y, strict=True)])


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


def numbers():
    return make_column_transformer((StandardScaler(), ["row", "signal"]))


# -- weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["name", "series", "callable", "fit", "reweighter"])
def test_the_inner_estimator_gets_the_weights(task, keeper, given, routing):
    X, y = task
    everybody = X["sex"].sample(frac=1, random_state=0)
    model = {
        "name": ReweightedClassifier(keeper, sensitive_features="sex"),
        "series": ReweightedClassifier(keeper, sensitive_features=everybody),
        "callable": ReweightedClassifier(keeper, sensitive_features=lambda X: X["sex"]),
        "fit": ReweightedClassifier(keeper),
        "reweighter": ReweightedClassifier(keeper, Reweighter(sensitive_features="sex")),
    }[given]
    model.fit(X, y, **({"sensitive_features": X["sex"].to_numpy()} if given == "fit" else {}))
    np.testing.assert_allclose(model.estimator_.sample_weight_, expected_weights(X, y))
    assert model.estimator_.sample_weight_ is model.sample_weight_
    assert model.estimator_.X_ is X
    assert model.estimator_.y_ is y
    weights = expected_weights(X, y)
    assert model.effective_sample_size_ == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["row", "signal", "sex"]


@pytest.mark.parametrize("strength", [0, 0.25, 1.0])
def test_strength(task, keeper, strength):
    X, y = task
    model = ReweightedClassifier(keeper, sensitive_features="sex", strength=strength).fit(X, y)
    expected = 1 + strength * (expected_weights(X, y) - 1)
    np.testing.assert_allclose(model.sample_weight_, expected)


def test_strength_zero_is_off(task):
    X, y = task
    pipe = make_pipeline(numbers(), LogisticRegression())
    off = ReweightedClassifier(pipe, sensitive_features="sex", strength=0).fit(X, y)
    on = ReweightedClassifier(pipe, sensitive_features="sex").fit(X, y)
    plain = clone(pipe).fit(X, y)
    np.testing.assert_array_equal(off.predict_proba(X), plain.predict_proba(X))
    by_hand = clone(pipe).fit(X, y, logisticregression__sample_weight=expected_weights(X, y))
    np.testing.assert_allclose(on.predict_proba(X), by_hand.predict_proba(X))
    assert not np.allclose(on.predict_proba(X), plain.predict_proba(X))


def test_weights_of_the_user_are_multiplied(task, keeper, routing):
    X, y = task
    times = pd.Series(np.resize([1, 2, 3], len(X)), index=X.index)
    model = ReweightedClassifier(keeper, sensitive_features="sex")
    model.fit(X, y, sample_weight=times.sample(frac=1, random_state=1))
    rows = np.repeat(np.arange(len(X)), times)
    repeated = Reweighter().fit(X.iloc[rows], y.iloc[rows], sensitive_features=X["sex"].iloc[rows])
    total = pd.Series(repeated.sample_weight_).groupby(rows).sum()
    np.testing.assert_allclose(model.estimator_.sample_weight_, total)


def test_other_arguments_reach_the_inner_fit(task, keeper):
    X, y = task
    model = ReweightedClassifier(keeper, sensitive_features="sex").fit(X, y, extra="this")
    assert model.estimator_.extra_ == "this"
    keeper.set_params(alpha=3.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = keeper.set_fit_request(extra=True)
        model = ReweightedClassifier(asks, sensitive_features="sex").fit(X, y, extra="that")
        assert model.estimator_.extra_ == "that"
        with pytest.raises(TypeError, match=r"unexpected argument\(s\) {'other'}"):
            model.fit(X, y, other=1)


# -- where weights go -----------------------------------------------------------------------------

INNER = {
    "pipeline": lambda last: make_pipeline(StandardScaler(), last),
    "pipeline in a pipeline": lambda last: make_pipeline(
        StandardScaler(), make_pipeline(StandardScaler(), last)
    ),
    "search": lambda last: GridSearchCV(last, {"C": [1.0]}),
    "search in a pipeline": lambda last: make_pipeline(
        StandardScaler(), GridSearchCV(last, {"C": [1.0]})
    ),
    "pipeline in a search": lambda last: GridSearchCV(
        make_pipeline(StandardScaler(), last), {"logisticregression__C": [1.0]}
    ),
    "calibration": lambda last: CalibratedClassifierCV(last, cv=3),
    "bagging": lambda last: BaggingClassifier(last, n_estimators=2, random_state=0),
    "vote": lambda last: VotingClassifier([("a", last), ("b", clone(last).set_params(C=2.0))]),
    "resampled": lambda last: ResampledClassifier(last, "passthrough"),
}


@pytest.mark.parametrize("name", INNER)
def test_weights_reach_what_finally_fits(task, name, routing):
    """Doubling the weights of a class by the reweighter moves the predictions towards it."""
    X, y = task
    X, sex = X[["row", "signal"]], X["sex"]
    inner = INNER[name](LogisticRegression())
    model = ReweightedClassifier(inner, sensitive_features=sex).fit(X, y)
    weights = expected_weights(X.assign(sex=sex), y)
    if name == "bagging":
        by_hand = clone(inner)
        if routing:
            by_hand.estimator.set_fit_request(sample_weight=True)
        expected = by_hand.fit(X, y, sample_weight=weights)
    else:
        with sklearn.config_context(enable_metadata_routing=False):
            keyword = {
                "pipeline": "logisticregression__sample_weight",
                "pipeline in a pipeline": "pipeline__logisticregression__sample_weight",
                "search in a pipeline": "gridsearchcv__sample_weight",
                "pipeline in a search": "logisticregression__sample_weight",
            }.get(name, "sample_weight")
            expected = clone(inner).fit(X, y, **{keyword: weights})
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    assert (model.predict(X) != clone(inner).fit(X, y).predict(X)).any()
    if name == "pipeline":  # the scaler is not weighted
        np.testing.assert_allclose(model.estimator_[0].mean_, X.mean())


def test_calibration_of_a_pipeline_with_routing(task):
    X, y = task
    X, sex = X[["row", "signal"]], X["sex"]
    inner = CalibratedClassifierCV(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    with sklearn.config_context(enable_metadata_routing=True):
        model = ReweightedClassifier(inner, sensitive_features=sex).fit(X, y)
    assert (model.predict(X) != clone(inner).fit(X, y).predict(X)).any()


def test_requests_of_the_users_estimator_do_not_change(task, routing):
    X, y = task
    inner = LogisticRegression()
    ReweightedClassifier(inner, sensitive_features=X["sex"]).fit(X[["signal"]], y)
    assert inner.get_metadata_routing().fit.requests == {"sample_weight": None}


def test_its_requests_can_be_looked_at(routing):
    request = ReweightedClassifier(LogisticRegression()).get_metadata_routing()
    assert request.consumes("fit", ["sensitive_features"]) == {"sensitive_features"}


def test_a_step_that_wants_the_weights_of_the_user_gets_those(task):
    X, y = task
    X, sex = X[["row", "signal"]], X["sex"]
    own = np.resize([1.0, 3.0], len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True), LogisticRegression()
        )
        model = ReweightedClassifier(pipe, sensitive_features=sex)
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"strength": [1.0]}, refit=True)
        search.fit(X, y, sample_weight=own)
    assert search.best_params_ == {"strength": 1.0}


# -- scikit-learn ---------------------------------------------------------------------------------

CHECKED = [
    ReweightedClassifier(
        LogisticRegression(),
        Reweighter(empty_cells="ignore"),
        sensitive_features=by_content,
    ),
    ReweightedClassifier(
        LogisticRegression(),
        Reweighter(empty_cells="smooth", clip=5),
        sensitive_features=by_content,
        strength=0.5,
    ),
]


@parametrize_with_checks(CHECKED)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks_generator(CHECKED[0])))
def test_estimator_checks_with_routing(estimator, check):
    with sklearn.config_context(enable_metadata_routing=True):
        check(estimator)


def test_methods_are_those_of_the_inner_estimator(task):
    X, y = task
    linear = ReweightedClassifier(
        make_pipeline(numbers(), LogisticRegression()), sensitive_features="sex"
    )
    assert hasattr(linear, "decision_function")
    assert hasattr(linear, "predict_log_proba")
    linear.fit(X, y)
    assert linear.predict_proba(X).shape == (160, 2)
    np.testing.assert_allclose(np.exp(linear.predict_log_proba(X)), linear.predict_proba(X))
    assert linear.decision_function(X).shape == (160,)
    assert linear.score(X, y) > 0.6
    assert not hasattr(ReweightedClassifier(KNeighborsClassifier()), "decision_function")


def test_grid_search_over_everything(task):
    X, y = task
    pipe = make_pipeline(numbers(), LogisticRegression())
    model = ReweightedClassifier(pipe, Reweighter(pos_label="yes"), sensitive_features="sex")
    grid = {
        "strength": [0, 1],
        "reweighter__method": ["reweighing", "replication"],
        "estimator__logisticregression__C": [0.1, 1],
    }
    search = GridSearchCV(model, grid, cv=3, n_jobs=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    swapped = GridSearchCV(model, {"reweighter": [None, Reweighter(clip=2)]}, cv=3).fit(X, y)
    assert np.isfinite(swapped.cv_results_["mean_test_score"]).all()


def test_groups_are_routed_through_a_search(task):
    X, y = task
    with sklearn.config_context(enable_metadata_routing=True):
        model = ReweightedClassifier(make_pipeline(numbers(), LogisticRegression()))
        search = GridSearchCV(model, {"strength": [0, 1]}, cv=3, n_jobs=2)
        search.fit(X, y, sensitive_features=X["sex"])
        routed = search.cv_results_["mean_test_score"]
        by_name = cross_val_predict(
            clone(model), X, y, params={"sensitive_features": X["sex"]}, cv=3
        )
    named = GridSearchCV(
        clone(model).set_params(sensitive_features="sex"), {"strength": [0, 1]}, cv=3
    ).fit(X, y)
    np.testing.assert_array_equal(routed, named.cv_results_["mean_test_score"])
    assert len(by_name) == len(X)


def test_inside_a_resampled_classifier_the_weights_are_those_of_the_new_rows(task, keeper):
    X, y = task
    model = ResampledClassifier(
        ReweightedClassifier(keeper, sensitive_features="sex"),
        BiasInducer(target_group="f", f=0.5, sensitive_features="sex", random_state=0),
    ).fit(X, y)
    inner = model.estimator_
    kept = X.iloc[model.sample_indices_]
    expected = Reweighter().compute_sample_weight(y.loc[kept.index], kept["sex"])
    np.testing.assert_allclose(inner.estimator_.sample_weight_, expected)


# -- bad input ------------------------------------------------------------------------------------


def test_an_estimator_without_weights_is_refused_with_the_remedy(task, weightless, routing):
    X, y = task
    message = (
        r"^ReweightedClassifier: Weightless.fit has no sample_weight; use ResampledClassifier with "
        r"a RowReplicator, which replicates rows instead$"
    )
    for inner in (weightless, make_pipeline(StandardScaler(), weightless)):
        with pytest.raises(ValueError, match=message):
            ReweightedClassifier(inner, sensitive_features=X["sex"]).fit(X[["signal"]], y)
    with pytest.raises(ValueError, match=r"KNeighborsClassifier\.fit has no sample_weight"):
        ReweightedClassifier(KNeighborsClassifier(), sensitive_features=X["sex"]).fit(
            X[["signal"]], y
        )
    with pytest.raises(ValueError, match=r"Pipeline\.fit has no sample_weight"):
        ReweightedClassifier(
            make_pipeline(StandardScaler(), "passthrough"), sensitive_features=X["sex"]
        ).fit(X[["signal"]], y)


def test_a_sampler_within_the_pipeline_is_refused(task):
    pipeline = pytest.importorskip("imblearn.pipeline")
    X, y = task
    inner = pipeline.make_pipeline(BiasInducer(sensitive_features="sex"), LogisticRegression())
    with pytest.raises(
        ValueError, match=r"step 'biasinducer' changes the rows, .* in a ResampledClassifier"
    ):
        ReweightedClassifier(inner, sensitive_features="sex").fit(X, y)


def test_weights_that_cannot_be_routed_are_refused(task):
    X, y = task
    inner = make_pipeline(StandardScaler(), BaggingClassifier(LogisticRegression()))
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(
            ValueError, match="weights do not reach the estimator that BaggingClassifier wraps; put"
        ),
    ):
        ReweightedClassifier(inner, sensitive_features=X["sex"]).fit(X[["signal"]], y)


@pytest.mark.parametrize("strength", [-0.1, 1.1, "full", None, True, np.nan])
def test_strength_out_of_range(task, keeper, strength):
    with pytest.raises(ValueError, match=r"strength must be a number in \[0, 1\]; got"):
        ReweightedClassifier(keeper, sensitive_features="sex", strength=strength).fit(*task)


def test_weights_by_the_name_of_the_step_are_refused(task):
    X, y = task
    model = ReweightedClassifier(
        make_pipeline(numbers(), LogisticRegression()), sensitive_features="sex"
    )
    with pytest.raises(ValueError, match="makes logisticregression__sample_weight itself; pass"):
        model.fit(X, y, logisticregression__sample_weight=np.ones(len(X)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": None}, "requires y to be passed, but the target y is None"),
        ({"y": np.linspace(0, 1, 160)}, "Unknown label type"),
        ({"y": np.array([0, 1] * 40)}, "X has 160 rows; y has 80"),
        ({"sample_weight": np.ones(3)}, "different numbers of rows"),
        ({"sample_weight": -np.ones(160)}, "160 negative values"),
        ({"sensitive_features": np.ones(3)}, "sensitive_features as passed has 3 rows"),
        ({"sensitive_features": [None, "f"] * 80}, "80 of 160 values are missing"),
    ],
)
def test_bad_input(task, keeper, changes, message):
    X, y = task
    given = {"X": X, "y": y, "sensitive_features": X["sex"]} | changes
    with pytest.raises(ValueError, match=message):
        ReweightedClassifier(keeper).fit(**given)


def test_nobody_told_the_groups(task, keeper):
    with pytest.raises(ValueError, match="ReweightedClassifier was not told the protected"):
        ReweightedClassifier(keeper).fit(*task)
