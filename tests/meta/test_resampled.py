"""ResampledClassifier: everything that belongs to a row follows it."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from skfairprop.meta import ResampledClassifier, ReweightedClassifier
from skfairprop.preprocessing import BiasInducer, RowReplicator
from tests.protected import one_group


def inducer(**options):
    return BiasInducer(target_group="f", f=0.5, random_state=0, **options)


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


class Mirror(BaseEstimator):
    """A sampler that makes rows of its own and so has no `sample_indices_`."""

    def fit_resample(self, X, y):
        return pd.concat([X, X]), pd.concat([y, y])


# -- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["name", "series", "callable", "fit", "sampler"])
def test_the_inner_estimator_gets_the_new_rows(task, keeper, given, routing):
    X, y = task
    everybody = X["sex"].sample(frac=1, random_state=0)
    model = {
        "name": ResampledClassifier(keeper, inducer(), sensitive_features="sex"),
        "series": ResampledClassifier(keeper, inducer(), sensitive_features=everybody),
        "callable": ResampledClassifier(keeper, inducer(), sensitive_features=lambda X: X["sex"]),
        "fit": ResampledClassifier(keeper, inducer()),
        "sampler": ResampledClassifier(keeper, inducer(sensitive_features="sex")),
    }[given]
    model.fit(X, y, **({"sensitive_features": X["sex"]} if given == "fit" else {}))
    X_new, y_new = inducer().fit_resample(X, y, sensitive_features=X["sex"])
    pd.testing.assert_frame_equal(model.estimator_.X_, X_new)
    pd.testing.assert_series_equal(model.estimator_.y_, y_new)
    np.testing.assert_array_equal(X["row"].iloc[model.sample_indices_], X_new["row"])
    # share .75 of the smaller of 30 and 60, 50 and 20
    assert model.sampler_.expected_counts_.to_numpy().tolist() == [[15, 22], [5, 7]]
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.n_features_in_ == 3


def test_scores_are_computed_on_the_rows_as_they_are(task):
    X, y = task
    model = ResampledClassifier(
        make_pipeline(
            make_column_transformer((StandardScaler(), ["signal"])), LogisticRegression()
        ),
        inducer(),
        sensitive_features="sex",
    ).fit(X, y)
    assert model.predict(X).shape == (160,)
    assert model.predict_proba(X).shape == (160, 2)
    assert model.decision_function(X).shape == (160,)
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_passthrough(task, keeper):
    X, y = task
    model = ResampledClassifier(keeper, "passthrough").fit(X, y, sample_weight=np.arange(160))
    assert model.estimator_.X_ is X
    assert model.sampler_ == "passthrough"
    np.testing.assert_array_equal(model.estimator_.sample_weight_, np.arange(160))


def test_replicated_rows_for_an_estimator_without_weights(task):
    X, y = task
    model = ResampledClassifier(
        make_pipeline(
            make_column_transformer(("passthrough", ["signal"])), KNeighborsClassifier(5)
        ),
        RowReplicator(random_state=0),
        sensitive_features="sex",
    ).fit(X, y)
    kept = model.sample_indices_
    table = pd.crosstab(X["sex"].to_numpy()[kept], y.to_numpy()[kept]).to_numpy()
    np.testing.assert_allclose(table, [[35, 45], [35, 45]], atol=1)


# -- what belongs to the rows ---------------------------------------------------------------------


def test_every_row_aligned_argument_follows_the_rows(task, keeper, routing):
    X, y = task
    if routing:
        keeper.set_fit_request(sample_weight=True, extra=True)
    model = ResampledClassifier(keeper, inducer(), sensitive_features="sex")
    for make in (np.asarray, list, lambda v: pd.Series(v, index=X.index)):
        model.fit(X, y, sample_weight=make(np.arange(160.0)), extra=make(X["row"].to_numpy()))
        rows = model.estimator_.X_["row"]
        np.testing.assert_array_equal(model.estimator_.sample_weight_, rows)
        np.testing.assert_array_equal(model.estimator_.extra_, rows)
        assert type(model.estimator_.extra_) is type(make([0.0] * 160))


def test_other_arguments_stay_as_they_are(task, keeper):
    X, y = task
    model = ResampledClassifier(keeper, inducer(), sensitive_features="sex")
    for extra in ("x" * 160, 160, [1, 2], {"a": 1}, None):
        assert model.fit(X, y, extra=extra).estimator_.extra_ is extra


def test_arguments_for_a_step_follow_the_rows(task, keeper):
    X, y = task
    pipe = make_pipeline(make_column_transformer(("passthrough", ["row"])), keeper)
    model = ResampledClassifier(pipe, inducer(), sensitive_features="sex")
    model.fit(X, y, keeper__sample_weight=np.arange(160.0))
    final = model.estimator_[-1]
    np.testing.assert_array_equal(final.sample_weight_, final.X_[:, 0])


def test_routed_groups_follow_the_rows_into_the_inner_estimator(task, keeper):
    X, y = task
    with sklearn.config_context(enable_metadata_routing=True):
        model = ResampledClassifier(ReweightedClassifier(keeper), inducer())
        model.fit(X, y, sensitive_features=X["sex"])
        # after the inducer the table is independent: three times as many women in each class
        table = pd.crosstab(model.estimator_.estimator_.X_["sex"], model.estimator_.estimator_.y_)
    expected = (
        table.sum(axis=1).to_numpy()[:, None] * table.sum().to_numpy() / table.to_numpy().sum()
    )
    weights = model.estimator_.reweighter_.weight_table_
    np.testing.assert_allclose(weights, expected / table.to_numpy())


def test_arguments_that_cannot_follow_are_refused(task, keeper):
    X, y = task
    model = ResampledClassifier(keeper, Mirror()).fit(X, y)
    assert len(model.estimator_.X_) == 320
    assert not hasattr(model, "sample_indices_")
    with pytest.raises(
        ValueError,
        match="sample_weight cannot follow the rows: Mirror has no sample_indices_, as it makes",
    ):
        model.fit(X, y, sample_weight=np.ones(160))


@pytest.mark.parametrize("n", [159, 49, 161])  # 49 rows are kept
def test_weights_of_another_length_are_refused(task, keeper, n):
    X, y = task
    model = ResampledClassifier(keeper, inducer(sensitive_features="sex"))
    with pytest.raises(ValueError, match=f"ResampledClassifier: sample_weight has {n} rows; X has"):
        model.fit(X, y, sample_weight=np.ones(n))


def test_arguments_with_another_index_are_refused(task, keeper):
    X, y = task
    model = ResampledClassifier(keeper, inducer(), sensitive_features="sex")
    with pytest.raises(ValueError, match="X and sample_weight have different indexes; give them"):
        model.fit(X, y, sample_weight=pd.Series(np.ones(160)))


# -- scikit-learn ---------------------------------------------------------------------------------

CHECKED = [
    ResampledClassifier(LogisticRegression(), BiasInducer(sensitive_features=one_group)),
    ResampledClassifier(
        DecisionTreeClassifier(random_state=0),
        RowReplicator(random_state=0),
        sensitive_features=one_group,
    ),
    ResampledClassifier(make_pipeline(StandardScaler(), LogisticRegression()), "passthrough"),
]


@parametrize_with_checks(CHECKED)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks_generator(CHECKED[0])))
def test_estimator_checks_with_routing(estimator, check):
    with sklearn.config_context(enable_metadata_routing=True):
        check(estimator)


def test_grid_search_over_the_sampler_and_the_inner_estimator(task):
    X, y = task
    pipe = make_pipeline(
        make_column_transformer((StandardScaler(), ["signal"])), LogisticRegression()
    )
    model = ResampledClassifier(pipe, inducer(), sensitive_features="sex")
    grid = {"sampler__f": [-0.5, 0.0, 0.5], "estimator__logisticregression__C": [0.1, 1.0]}
    search = GridSearchCV(model, grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    f = search.best_params_["sampler__f"]
    assert search.best_estimator_.sampler_.f == f


def test_grid_search_swaps_samplers(task):
    pytest.importorskip("imblearn")
    from imblearn.over_sampling import RandomOverSampler

    X, y = task
    pipe = make_pipeline(
        make_column_transformer((StandardScaler(), ["signal"])), LogisticRegression()
    )
    samplers = ["passthrough", inducer(), RowReplicator(random_state=0)]
    samplers.append(RandomOverSampler(random_state=0))
    model = ResampledClassifier(pipe, "passthrough", sensitive_features=X["sex"])
    search = GridSearchCV(model, {"sampler": samplers}, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4


def test_groups_are_routed_through_cross_validation(task):
    X, y = task
    pipe = make_pipeline(
        make_column_transformer((StandardScaler(), ["signal"])), LogisticRegression()
    )
    with sklearn.config_context(enable_metadata_routing=True):
        model = ResampledClassifier(pipe, inducer())
        routed = cross_val_score(model, X, y, params={"sensitive_features": X["sex"]}, cv=3)
    named = cross_val_score(clone(model).set_params(sensitive_features="sex"), X, y, cv=3)
    np.testing.assert_array_equal(routed, named)


def test_skorch_networks():
    torch = pytest.importorskip("torch")
    skorch = pytest.importorskip("skorch")
    images = np.random.default_rng(0).random((80, 3, 4, 4)).astype(np.float32)
    y = np.repeat([0, 1], 40)
    images[y == 1] += 1.0
    sex = np.tile(["f", "m"], 40)
    net = skorch.NeuralNetClassifier(
        torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 2), torch.nn.Softmax(dim=1)),
        max_epochs=2,
        train_split=None,
        verbose=0,
    )
    model = ResampledClassifier(net, inducer()).fit(images, y, sensitive_features=sex)
    assert model.predict_proba(images).shape == (80, 2)
    assert model.sampler_.expected_counts_.to_numpy().tolist() == [[15, 15], [5, 5]]
    search = GridSearchCV(
        model.set_params(sensitive_features=lambda X: sex[: len(X)]), {"sampler__f": [0, 0.2]}, cv=2
    ).fit(images, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    with pytest.raises(ValueError, match=r"NeuralNetClassifier\.fit has no sample_weight"):
        ReweightedClassifier(net).fit(images, y, sensitive_features=sex)


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", [None, "nothing", StandardScaler()])
def test_a_sampler_must_sample(task, keeper, sampler):
    with pytest.raises(ValueError, match="sampler must have fit_resample, or be 'passthrough'"):
        ResampledClassifier(keeper, sampler).fit(*task)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": None}, "ResampledClassifier requires y to be passed"),
        ({"y": np.linspace(0, 1, 160)}, "Unknown label type"),
        ({"sensitive_features": [None, "f"] * 80}, "80 of 160 values are missing"),
        ({"sensitive_features": ["f"] * 160}, "'f' is the only group"),
        ({"sensitive_features": None}, "BiasInducer was not told the protected attribute"),
    ],
)
def test_bad_input(task, keeper, changes, message):
    X, y = task
    given = {"X": X, "y": y, "sensitive_features": X["sex"]} | changes
    with pytest.raises(ValueError, match=message):
        ResampledClassifier(keeper, inducer()).fit(**given)
