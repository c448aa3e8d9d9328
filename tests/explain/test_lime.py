import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.svm import LinearSVC

from skfairprop.explain import LimeExplainer
from skfairprop.explain._lime import _surrogate

X, y = make_classification(400, 7, n_informative=5, random_state=0)
X[:, 1] = np.digitize(X[:, 1], [-1, 0, 1])  # labels 0 to 3
X[:, 2] = np.round(X[:, 2])  # ties at the quartiles
MODEL = LogisticRegression().fit(X, y)
ROWS = X[:15] + np.array([0.1, 0, 0.1, 0.1, 0.1, 0.1, 0.1])


def by_package(row, *, discretize, categorical, seed, n_samples, width=None, column=1):
    """The lime package itself, one row, all features."""
    lime_tabular = pytest.importorskip("lime.lime_tabular")
    explainer = lime_tabular.LimeTabularExplainer(
        X,
        categorical_features=categorical,
        discretize_continuous=discretize,
        kernel_width=width,
        feature_selection="none",
        random_state=np.random.RandomState(seed),
    )
    result = explainer.explain_instance(
        row, MODEL.predict_proba, labels=(column,), num_samples=n_samples
    )
    weights = dict(result.local_exp[column])
    return np.array([weights[j] for j in range(X.shape[1])]), result.score


@pytest.mark.parametrize("discretize", [True, False])
@pytest.mark.parametrize("categorical", [[], [1]])
@pytest.mark.parametrize("width", [None, 1.0])
def test_equal_to_the_lime_package(discretize, categorical, width):
    explainer = LimeExplainer(
        n_samples=1_000,
        discretize=discretize,
        categorical_features=categorical,
        kernel_width=width,
        random_state=3,
    )
    got = explainer.fit(X).explain(MODEL, ROWS, target=1)
    options = {"discretize": discretize, "categorical": categorical, "width": width}
    for i, row in enumerate(ROWS):
        values, score = by_package(row, seed=3, n_samples=1_000, **options)
        assert np.allclose(got.values[i], values, rtol=0, atol=1e-12)
        assert np.isclose(got.fidelity[i], score, rtol=0, atol=1e-10)


def test_one_class_for_each_row():
    explainer = LimeExplainer(n_samples=500, random_state=0).fit(X)
    both = [explainer.attribute(MODEL, ROWS, target=k) for k in (0, 1)]
    columns = np.arange(len(ROWS)) % 2
    mixed = explainer.attribute(MODEL, ROWS, target=columns)
    assert (mixed == np.where(columns[:, None] == 1, both[1], both[0])).all()
    assert np.allclose(both[0], -both[1])


@pytest.mark.parametrize("discretize", [True, False])
def test_package_as_backend(discretize):
    pytest.importorskip("lime")
    options = {"n_samples": 300, "discretize": discretize, "random_state": 0}
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    frame["b"] = np.array(["r", "s", "t", "u"])[X[:, 1].astype(int)]

    def score(rows):
        return np.tanh(rows["a"].to_numpy()) + (rows["b"] == "s").to_numpy()

    batched = LimeExplainer(**options).fit(frame).explain(score, frame[:6])
    package = LimeExplainer(backend="lime", **options).fit(frame).explain(score, frame[:6])
    assert np.allclose(batched.values, package.values, rtol=0, atol=1e-12)
    assert np.allclose(batched.fidelity, package.fidelity)


def test_package_refuses_missing_values_by_name():
    pytest.importorskip("lime")
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["u", None, "v"]})
    explainer = LimeExplainer(backend="lime", n_samples=10).fit(frame)
    with pytest.raises(ValueError, match="missing values, as in column 'b'"):
        explainer.attribute(lambda rows: np.zeros(len(rows)), frame)


def test_package_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "lime.lime_tabular", None)
    with pytest.raises(ImportError, match=r"skfairprop\[explain\]"):
        LimeExplainer(backend="lime").fit(X)


def test_batched_backend_does_not_need_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "lime", None)
    assert LimeExplainer(n_samples=50).fit(X).attribute(MODEL, ROWS).shape == ROWS.shape


def test_surrogate_is_a_weighted_ridge_regression():
    rng = np.random.default_rng(0)
    steps, changes = rng.normal(size=(3, 40)), rng.normal(size=40)
    weight = np.exp(-(steps**2).sum(axis=0) / (2 * 1.5**2))
    points = np.vstack([np.zeros(3), steps.T])
    values, weight = np.append(0, changes), np.append(1, weight)
    ridge = Ridge(alpha=0.7).fit(points, values, sample_weight=weight)
    coef, r2 = _surrogate(steps.copy(), changes, 1.5, 0.7)
    assert np.allclose(coef, ridge.coef_)
    assert np.isclose(r2, r2_score(values, ridge.predict(points), sample_weight=weight))


def test_no_penalty_and_a_constant_column():
    explainer = LimeExplainer(n_samples=200, alpha=0.0, discretize=False, random_state=0)
    constant = np.column_stack([X[:, 0], np.full(len(X), 5.0)])
    values = explainer.fit(constant).attribute(lambda rows: rows[:, 0], constant[:3])
    assert np.allclose(values, [[X[:, 0].std(), 0]] * 3)


@pytest.mark.parametrize("discretize", [True, False])
def test_linear_score_of_labels_is_recovered(discretize):
    """Without penalty the surrogate of sum of indicators is the sum itself."""
    frame = pd.DataFrame({"a": list("uuvw") * 20, "b": list("xyyx") * 20})

    def score(rows):
        return 2.0 * (rows["a"] == "u") - 3.0 * (rows["b"] == "x")

    explainer = LimeExplainer(n_samples=500, alpha=0.0, discretize=discretize, random_state=0)
    got = explainer.fit(frame).explain(score, frame[:1])
    assert np.allclose(got.values, [[2, -3]])
    assert np.allclose(got.fidelity, 1)


def test_a_bin_with_one_value_is_drawn_as_that_value():
    """The lime package asks the model about 0 there, which nobody observed."""
    ones = np.column_stack([X[:, 0], np.where(np.arange(len(X)) < 350, 1.0, 2.0)])
    explainer = LimeExplainer(n_samples=500, random_state=0).fit(ones)
    drawn = explainer.neighbourhood_.Z[:, 1]
    assert drawn.min() == 1
    assert np.isclose(drawn.max(), 2)


def test_draws_stay_inside_their_bins():
    draw = LimeExplainer(n_samples=500, random_state=0).fit(X).neighbourhood_
    assert (X.min(axis=0) <= draw.Z).all()
    assert (X.max(axis=0) >= draw.Z).all()
    cuts = draw.cuts[0]
    assert (np.searchsorted(cuts, draw.Z[:, 0]) == draw.labels[0]).all()


@pytest.mark.parametrize("discretize", [True, False])
def test_missing_values_are_drawn_as_often_as_they_occur(discretize):
    holes = X.copy()
    holes[:100, 0] = np.nan
    explainer = LimeExplainer(n_samples=4_000, discretize=discretize, random_state=0).fit(holes)
    share = np.isnan(explainer.neighbourhood_.Z).mean(axis=0)
    assert abs(share[0] - 0.25) < 0.03
    assert (share[1:] == 0).all()
    model = HistGradientBoostingClassifier(max_iter=5).fit(holes, y)
    values = explainer.attribute(model, holes[:20])
    assert np.isfinite(values).all()


def test_a_column_that_is_all_missing():
    holes = X.copy()
    holes[:, 3] = np.nan
    for discretize in (True, False):
        explainer = LimeExplainer(n_samples=100, discretize=discretize, random_state=0)
        values = explainer.fit(holes).attribute(lambda Z: np.nansum(Z, axis=1), holes[:5])
        assert np.isfinite(values).all()
        assert np.allclose(values[:, 3], 0)


def test_missing_text_is_a_label():
    frame = pd.DataFrame({"s": pd.Series(["a", None] * 20, dtype=object)})

    def score(rows):
        return rows["s"].isna().to_numpy(dtype=float)

    explainer = LimeExplainer(n_samples=200, alpha=0.0, random_state=0).fit(frame)
    assert np.allclose(explainer.attribute(score, frame[:2]), [[-1], [1]])


def test_decision_values_are_explained_without_probabilities():
    model = LinearSVC().fit(X, y)
    explainer = LimeExplainer(n_samples=2_000, discretize=False, alpha=1e-6, random_state=0)
    values = explainer.fit(X).attribute(model, ROWS[:3])
    assert np.allclose(values, model.coef_[0] * X.std(axis=0), rtol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "fast"}, "backend must be"),
        ({"n_samples": 1}, "n_samples must be an integer of at least 2; got 1"),
        ({"kernel_width": 0.0}, "kernel_width must be a number above 0; got 0.0"),
        ({"alpha": -1.0}, "alpha must be a number of at least 0; got -1.0"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LimeExplainer(**options).fit(X)
