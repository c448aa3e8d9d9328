import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from skfairprop.explain import ShapExplainer, _shap_paths
from skfairprop.explain._coalitions import Route, all_coalitions, evaluate
from skfairprop.explain._shap_paths import three_dimensional

X, y = make_classification(300, 6, n_informative=5, n_redundant=1, random_state=0)
THREE = np.digitize(X[:, 0] + X[:, 1], [-1, 1])
ROWS, BACKGROUND = X[:20] + 0.05, X[100:150]
FRAME = pd.DataFrame(
    {
        "x": X[:, 0],
        "z": X[:, 1],
        "s": np.array(["u", "v", "w"])[np.digitize(X[:, 2], [-1, 1])],
        "c": pd.Categorical(np.where(X[:, 3] > 0, "yes", "no")),
    }
)


def encoder(*, sparse=False):
    return ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["x", "z"]),
            ("labels", OneHotEncoder(sparse_output=sparse), ["s", "c"]),
        ],
        sparse_threshold=float(sparse),
    )


def enumerated(score, rows, background):
    """Interventional Shapley values of a score of raw arrays, all coalitions."""

    def outputs(Z):
        return score(Z)[:, None]

    design = all_coalitions(rows.shape[1], len(background))
    route = Route(outputs, rows, background, np.arange(rows.shape[1]))
    return evaluate(design, route, np.zeros(len(rows), dtype=int))


def enumerated_frame(score, rows, background):
    """The same for a data frame, through row numbers: any column type."""
    table = pd.concat([rows, background], ignore_index=True)

    def by_number(Z):
        cells = {name: table[name].take(Z[:, j]).array for j, name in enumerate(table)}
        return score(pd.DataFrame(cells))

    number = np.arange(len(table))[:, None].repeat(table.shape[1], axis=1)
    return enumerated(by_number, number[: len(rows)], number[len(rows) :])


# linear models


@pytest.mark.parametrize("labels", [y, THREE])
@pytest.mark.parametrize("estimator", [LogisticRegression(), RidgeClassifier()])
def test_linear_equals_the_shap_package(labels, estimator):
    shap = pytest.importorskip("shap")
    model = estimator.fit(X, labels)
    expected = shap.LinearExplainer(model, BACKGROUND).shap_values(ROWS)
    expected = three_dimensional(expected, *ROWS.shape)
    explainer = ShapExplainer().fit(BACKGROUND)
    if expected.shape[2] == 1:
        expected = np.concatenate([-expected, expected], axis=2)
    for k in range(expected.shape[2]):
        got = explainer.attribute(model, ROWS, target=k)
        assert np.allclose(got, expected[:, :, k], rtol=0, atol=1e-12)


def test_linear_does_not_need_the_shap_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    model = LogisticRegression().fit(X, y)
    assert ShapExplainer().fit(BACKGROUND).attribute(model, ROWS).shape == ROWS.shape


@pytest.mark.parametrize("sparse", [False, True])
def test_one_hot_parts_of_a_linear_model_are_summed(sparse):
    model = make_pipeline(encoder(sparse=sparse), LogisticRegression()).fit(FRAME, y)
    got = ShapExplainer().fit(FRAME[:40]).attribute(model, FRAME[50:60])
    expected = enumerated_frame(model.decision_function, FRAME[50:60], FRAME[:40])
    assert np.allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "step", [SplineTransformer(n_knots=4), PCA(3), MinMaxScaler()], ids=lambda s: type(s).__name__
)
def test_additive_preprocessing_is_exact(step):
    model = make_pipeline(step, LogisticRegression()).fit(X, y)
    got = ShapExplainer().fit(BACKGROUND).attribute(model, ROWS)
    assert np.allclose(got, enumerated(model.decision_function, ROWS, BACKGROUND), atol=1e-10)


def test_preprocessing_that_is_not_additive_is_noticed():
    model = make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=2_000))
    model.fit(X[:, :4], y)
    got = ShapExplainer().fit(BACKGROUND[:, :4]).attribute(model, ROWS[:, :4])
    expected = enumerated(lambda Z: model.predict_proba(Z)[:, 1], ROWS[:, :4], BACKGROUND[:, :4])
    assert np.allclose(got, expected, atol=1e-12)


def test_search_is_seen_through():
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2).fit(X, y)
    explainer = ShapExplainer().fit(BACKGROUND)
    got = explainer.attribute(search, ROWS)
    assert (got == explainer.attribute(search.best_estimator_, ROWS)).all()


def test_missing_values_behind_an_imputer():
    holes = X.copy()
    holes[::7, 2] = np.nan
    model = make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression()).fit(holes, y)
    got = ShapExplainer().fit(holes[:30]).attribute(model, holes[40:60])
    expected = enumerated(model.decision_function, holes[40:60], holes[:30])
    assert np.allclose(got, expected, atol=1e-12)


# trees

TREES = {
    "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra": ExtraTreesClassifier(5, max_depth=6, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=10, random_state=0),
    "histogram": HistGradientBoostingClassifier(max_iter=10, random_state=0),
}


def by_package(model, value_function, rows=ROWS):
    shap = pytest.importorskip("shap")
    if value_function == "interventional":
        # float32, which its code for this value function compares with
        explainer = shap.TreeExplainer(
            model, BACKGROUND.astype(np.float32), feature_perturbation=value_function
        )
        raw = explainer.shap_values(rows.astype(np.float32), check_additivity=False)
    else:
        raw = shap.TreeExplainer(model).shap_values(rows)
    values = three_dimensional(raw, *rows.shape)
    return np.concatenate([-values, values], axis=2) if values.shape[2] == 1 else values


@pytest.mark.parametrize("value_function", ["path_dependent", "interventional"])
@pytest.mark.parametrize("labels", [y, THREE], ids=["binary", "three"])
@pytest.mark.parametrize("name", TREES)
def test_trees_equal_the_shap_package(name, labels, value_function):
    if name == "boosting" and labels is THREE:
        pytest.skip("the shap package knows binary gradient boosting only")
    model = TREES[name].fit(X, labels)
    expected = by_package(model, value_function)
    explainer = ShapExplainer(tree=value_function, random_state=0).fit(BACKGROUND)
    columns = np.arange(len(ROWS)) % len(model.classes_)
    got = explainer.attribute(model, ROWS, target=columns)
    assert np.allclose(got, expected[np.arange(len(ROWS)), :, columns], rtol=0, atol=1e-10)


def test_trees_without_the_shap_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"skfairprop\[explain\]"):
        ShapExplainer().fit(BACKGROUND).attribute(TREES["tree"].fit(X, y), ROWS)


def test_median_baseline_is_one_background_row():
    pytest.importorskip("shap")
    model = TREES["forest"].fit(X, y)
    got = ShapExplainer(tree="median_baseline").fit(BACKGROUND).attribute(model, ROWS)
    median = np.sort(BACKGROUND, axis=0)[[24]]  # the lower one of an even number
    expected = enumerated(lambda Z: model.predict_proba(Z)[:, 1], ROWS, median)
    assert np.allclose(got, expected, atol=1e-6)  # the package sums in float32


@pytest.mark.parametrize("rows", [ROWS, X[100:120]], ids=["new", "training"])
@pytest.mark.parametrize("name", TREES)
def test_interventional_trees_equal_the_enumeration(name, rows):
    """Training rows lie on the thresholds: the package alone is off by up to 0.1 log-odds."""
    pytest.importorskip("shap")
    model = TREES[name].fit(X, y)
    got = ShapExplainer(tree="interventional").fit(BACKGROUND).attribute(model, rows)

    def score(Z):
        if hasattr(model, "decision_function"):
            return model.decision_function(Z)
        return model.predict_proba(Z)[:, 1]

    assert np.allclose(got, enumerated(score, rows, BACKGROUND), atol=1e-6)


def test_interventional_boosting_on_a_frame():
    pytest.importorskip("shap")
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = HistGradientBoostingClassifier(max_iter=5).fit(frame, y)
    explainer = ShapExplainer(tree="interventional", random_state=0)
    got = explainer.fit(frame[:30]).attribute(model, frame[40:50])
    assert np.allclose(got.sum(axis=1).std(), model.decision_function(frame[40:50]).std())


def test_values_at_the_thresholds():
    """float64 values just above a threshold go left in scikit-learn, which compares float32."""
    pytest.importorskip("shap")
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    rows = ROWS.copy()
    for tree in model.estimators_:
        inner = np.flatnonzero(tree.tree_.feature >= 0)[: len(rows)]
        threshold = tree.tree_.threshold[inner]
        rows[np.arange(len(inner)), tree.tree_.feature[inner]] = threshold * (1 + 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = ShapExplainer().fit(BACKGROUND).attribute(model, rows)
    prior = np.mean([tree.tree_.value[0, 0, 1] for tree in model.estimators_])
    assert np.allclose(got.sum(axis=1), model.predict_proba(rows)[:, 1] - prior)


@pytest.mark.parametrize("preprocess", [StandardScaler(), MinMaxScaler()])
def test_trees_behind_scaling_keep_the_exact_path(preprocess):
    model = make_pipeline(preprocess, HistGradientBoostingClassifier(max_iter=10)).fit(X, y)
    got = ShapExplainer().fit(BACKGROUND).attribute(model, ROWS)
    expected = by_package(model[-1], "path_dependent", model[0].transform(ROWS))[:, :, 1]
    assert np.allclose(got, expected, atol=1e-12)


def test_trees_behind_ordinal_codes_give_values_to_raw_columns():
    shap = pytest.importorskip("shap")
    pre = ColumnTransformer(
        [("labels", OrdinalEncoder(), ["s", "c"]), ("numbers", "passthrough", ["z", "x"])]
    )
    model = make_pipeline(pre, HistGradientBoostingClassifier(max_iter=10)).fit(FRAME, y)
    got = ShapExplainer().fit(FRAME[:40]).attribute(model, FRAME[50:60])
    inputs = np.asarray(pre.transform(FRAME[50:60]), dtype=float)
    expected = shap.TreeExplainer(model[-1]).shap_values(inputs)
    assert np.allclose(got, expected[:, [3, 2, 0, 1]], atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_trees_behind_one_hot_use_coalitions_of_raw_columns(sparse):
    model = make_pipeline(encoder(sparse=sparse), RandomForestClassifier(5, random_state=0))
    model.fit(FRAME, y)
    got = ShapExplainer().fit(FRAME[:40]).attribute(model, FRAME[50:60])
    expected = enumerated_frame(
        lambda rows: model.predict_proba(rows)[:, 1], FRAME[50:60], FRAME[:40]
    )
    assert np.allclose(got, expected, atol=1e-12)


def test_parts_of_a_column_are_summed_on_request():
    pytest.importorskip("shap")
    model = make_pipeline(encoder(), RandomForestClassifier(5, random_state=0)).fit(FRAME, y)
    got = ShapExplainer(sum_parts=True).fit(FRAME[:40]).attribute(model, FRAME[50:60])
    parts = by_package(model[-1], "path_dependent", model[0].transform(FRAME[50:60]))[:, :, 1]
    expected = [parts[:, 0], parts[:, 1], parts[:, 2:5].sum(axis=1), parts[:, 5:].sum(axis=1)]
    assert np.allclose(got, np.column_stack(expected), atol=1e-12)


def test_forest_on_a_sparse_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    pytest.importorskip("shap")
    holes = np.where(X > 0, X, 0)
    model = TREES["forest"].fit(sparse.csr_matrix(holes), y)
    explainer = ShapExplainer(random_state=0)
    got = explainer.fit(sparse.csr_matrix(holes[:50])).attribute(
        model, sparse.csr_matrix(holes[60:80])
    )
    dense = explainer.fit(holes[:50]).attribute(model, holes[60:80])
    assert np.allclose(got, dense, rtol=0, atol=1e-12)


def test_trees_with_missing_values():
    pytest.importorskip("shap")
    holes = X.copy()
    holes[::5, 1] = np.nan
    for name in ("tree", "forest", "histogram"):
        model = TREES[name].fit(holes, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = ShapExplainer().fit(holes[:50]).attribute(model, holes[50:80])
        assert np.isfinite(got).all()


# the traps of the shap package


def test_native_categories_are_not_given_to_the_package():
    """shap returns values that are off by several log-odds there, and no error."""
    codes = np.column_stack([X[:, :3], np.digitize(X[:, 3], np.linspace(-2, 2, 9)) % 4])
    model = HistGradientBoostingClassifier(max_iter=30, categorical_features=[3])
    model.fit(codes, y ^ (codes[:, 3] % 2 == 1))
    got = ShapExplainer().fit(codes[:50]).attribute(model, codes[60:80])
    expected = enumerated(lambda Z: model.predict_proba(Z)[:, 1], codes[60:80], codes[:50])
    assert np.allclose(got, expected, atol=1e-12)


def test_native_categories_of_a_frame():
    model = HistGradientBoostingClassifier(max_iter=10)
    frame = FRAME.assign(s=FRAME["s"].astype("category"))
    model.fit(frame, y)
    got = ShapExplainer().fit(frame[:40]).attribute(model, frame[50:60])
    expected = enumerated_frame(
        lambda rows: model.predict_proba(rows)[:, 1], frame[50:60], frame[:40]
    )
    assert np.allclose(got, expected, atol=1e-12)


def test_values_that_do_not_add_up_are_replaced(monkeypatch):
    shap = pytest.importorskip("shap")
    model = TREES["histogram"].fit(X, y)
    true = shap.TreeExplainer.shap_values

    def wrong(self, rows, **options):
        return true(self, rows, **options) * 1.01

    monkeypatch.setattr(shap.TreeExplainer, "shap_values", wrong)
    explainer = ShapExplainer(max_exact_features=6).fit(BACKGROUND)
    with pytest.warns(UserWarning, match="HistGradientBoostingClassifier do not add up") as caught:
        got = explainer.attribute(model, ROWS)
    assert caught[0].filename == __file__
    expected = enumerated(lambda Z: model.predict_proba(Z)[:, 1], ROWS, BACKGROUND)
    assert np.allclose(got, expected, atol=1e-12)


def test_models_that_the_package_refuses():
    pytest.importorskip("shap")
    model = GradientBoostingClassifier(n_estimators=3).fit(X[:, :4], THREE)
    explainer = ShapExplainer().fit(BACKGROUND[:, :4])
    with pytest.warns(UserWarning, match="raised InvalidModelError"):
        got = explainer.attribute(model, ROWS[:, :4], target=1)
    expected = enumerated(lambda Z: model.predict_proba(Z)[:, 1], ROWS[:, :4], BACKGROUND[:, :4])
    assert np.allclose(got, expected, atol=1e-12)


def test_one_value_function_for_all_blocks(monkeypatch):
    """A failure in a later block must not leave the earlier ones in another unit."""
    pytest.importorskip("shap")
    model = TREES["histogram"].fit(X[:, :4], y)
    rows = np.tile(X[:, :4], (70, 1))[:20_500]
    seen = []

    def second_block_is_off(predictor, Z, totals):
        seen.append(len(Z))
        return float(len(seen) == 2)

    monkeypatch.setattr(_shap_paths, "_gap", second_block_is_off)
    explainer = ShapExplainer(n_background=2).fit(BACKGROUND[:, :4])
    with pytest.warns(UserWarning, match="do not add up"):
        got = explainer.attribute(model, rows)
    assert seen == [20_000, 500]
    probability = model.predict_proba(rows)[:, 1]
    total = got.sum(axis=1)
    assert np.allclose(total - total[0], probability - probability[0])


@pytest.mark.parametrize("rows", [7, 1])
@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_shapes_of_every_version_of_shap(rows, outputs):
    values = np.arange(rows * 4 * outputs, dtype=float).reshape(rows, 4, outputs)
    shapes = [values, [values[:, :, k] for k in range(outputs)]]
    if outputs == 1:
        shapes.append(values[:, :, 0])
    if rows == 1:
        shapes += [values[0], [values[0, :, k] for k in range(outputs)]]
    if rows == 1 and outputs == 1:
        shapes.append(values[0, :, 0])
    for raw in shapes:
        assert (three_dimensional(raw, rows, 4) == values).all()


def test_as_many_rows_as_features_is_not_one_row():
    values = np.arange(16.0).reshape(4, 4)
    assert (three_dimensional(values, 4, 4)[:, :, 0] == values).all()


@pytest.mark.parametrize("shape", [(7, 5), (6, 4, 2), (7, 4, 2, 1), (5,)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="shap returned values of shape"):
        three_dimensional(np.zeros(shape), 7, 4)


@pytest.mark.parametrize(
    ("model", "labels", "shape"),
    [
        (RandomForestClassifier(3), y, (7, 4, 2)),
        (GradientBoostingClassifier(n_estimators=3), y, (7, 4)),
        (RandomForestClassifier(3), THREE, (7, 4, 3)),
    ],
)
def test_shapes_of_the_installed_trees(model, labels, shape):
    shap = pytest.importorskip("shap")
    raw = shap.TreeExplainer(model.fit(X[:, :4], labels)).shap_values(X[:7, :4])
    assert raw.shape == shape
    outputs = shape[2] if len(shape) == 3 else 1
    assert three_dimensional(raw, 7, 4).shape == (7, 4, outputs)


@pytest.mark.parametrize(
    ("labels", "rows", "single", "shape"),
    [
        (y, 7, False, (7, 4, 2)),
        (THREE, 1, False, (4, 3)),
        (y, 7, True, (7, 4)),
    ],
)
def test_shapes_of_the_installed_kernel(labels, rows, single, shape):
    shap = pytest.importorskip("shap")
    model = LogisticRegression().fit(X[:, :4], labels)

    def score(Z):
        return model.predict_proba(Z)[:, 1] if single else model.predict_proba(Z)

    data = X[:rows, :4] if rows > 1 else X[0, :4]
    raw = shap.KernelExplainer(score, X[:10, :4]).shap_values(data, nsamples=20, silent=True)
    assert np.shape(raw) == shape
    assert three_dimensional(raw, rows, 4).shape[:2] == (rows, 4)


# any model


def test_few_columns_are_exact_and_equal_the_shap_package():
    shap = pytest.importorskip("shap")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MLPClassifier((8,), max_iter=20, random_state=0).fit(X[:, :4], THREE)
    kernel = shap.KernelExplainer(model.predict_proba, BACKGROUND[:, :4])
    expected = kernel.shap_values(ROWS[:3, :4], nsamples=100, l1_reg=False, silent=True)
    explainer = ShapExplainer().fit(BACKGROUND[:, :4])
    for k in range(3):
        got = explainer.attribute(model, ROWS[:3, :4], target=k)
        assert np.allclose(got, expected[:, :, k], rtol=0, atol=1e-10)


def test_sampled_values_are_within_their_error():
    model = HistGradientBoostingClassifier(max_iter=20).fit(X, y)
    exact = enumerated(lambda Z: model.predict_proba(Z)[:, 1], ROWS, BACKGROUND)
    draws = np.array(
        [
            ShapExplainer(method="agnostic", n_permutations=50, random_state=seed)
            .fit(BACKGROUND)
            .attribute(model, ROWS)
            for seed in range(20)
        ]
    )
    error = (draws.mean(axis=0) - exact) / (draws.std(axis=0, ddof=1) / np.sqrt(20) + 1e-12)
    assert np.abs(error).max() < 5
    assert np.abs(draws[0] - exact).sum() < 0.2 * np.abs(exact).sum()


def test_mixing_behind_preprocessing_changes_nothing():
    frame = FRAME.assign(k=X[:, 4], m=X[:, 5])
    pre = ColumnTransformer(
        [("l", OneHotEncoder(), ["s", "c"]), ("n", StandardScaler(), ["x", "z", "k", "m"])]
    ).set_output(transform="default")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_pipeline(pre, MLPClassifier((8,), max_iter=20, random_state=0))
        model.fit(frame, y)
    explainer = ShapExplainer(random_state=0).fit(frame[:40])
    got = explainer.attribute(model, frame[50:60])
    through_function = explainer.attribute(model.predict_proba, frame[50:60])
    assert np.allclose(got, through_function, rtol=0, atol=1e-12)


def test_preprocessing_across_columns_is_mixed_before_it():
    holes = X.copy()
    holes[::4, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_pipeline(KNNImputer(), MLPClassifier((8,), max_iter=20, random_state=0))
        model.fit(holes, y)
    explainer = ShapExplainer(n_permutations=5, random_state=0).fit(holes[:20])
    got = explainer.attribute(model, holes[20:30])
    through_function = explainer.attribute(model.predict_proba, holes[20:30])
    assert np.allclose(got, through_function, rtol=0, atol=1e-12)


def test_agnostic_makes_models_comparable():
    model = LogisticRegression().fit(X[:, :4], y)
    got = ShapExplainer(method="agnostic").fit(BACKGROUND[:, :4]).attribute(model, ROWS[:, :4])
    expected = enumerated(lambda Z: model.predict_proba(Z)[:, 1], ROWS[:, :4], BACKGROUND[:, :4])
    assert np.allclose(got, expected, atol=1e-12)


def test_background_is_sampled_down():
    explainer = ShapExplainer(n_background=10, max_exact_features=6, random_state=0).fit(X)
    rows = explainer.background_[explainer._design_rows]
    assert len(rows) == 10

    def score(Z):
        return np.tanh(Z.sum(axis=1))

    assert np.allclose(explainer.attribute(score, ROWS), enumerated(score, ROWS, rows))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "kernel"}, "method must be"),
        ({"tree": "exact"}, "tree must be"),
        ({"n_background": 0}, "n_background must be an integer of at least 1; got 0"),
        ({"n_permutations": 0}, "n_permutations must be an integer of at least 1; got 0"),
        ({"max_exact_features": 20}, "max_exact_features must be an integer from 0 to 15; got 20"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        ShapExplainer(**options).fit(BACKGROUND)
