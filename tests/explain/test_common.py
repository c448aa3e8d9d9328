"""Laws that every explainer obeys."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skfairprop.explain import ExplainerEnsemble, LimeExplainer, Model, ShapExplainer

pytest.importorskip("shap")

X, y = make_classification(200, 6, n_informative=4, random_state=0)
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
BACKGROUND, ROWS = X[:60], X[100:110]
FRAME = pd.DataFrame(X, columns=list("abcdef"))
EXPLAINERS = {
    "shap": ShapExplainer(random_state=0),
    "agnostic": ShapExplainer(method="agnostic", n_permutations=5, random_state=0),
    "exact": ShapExplainer(
        method="agnostic", max_exact_features=6, n_background=10, random_state=0
    ),
    "lime": LimeExplainer(n_samples=200, random_state=0),
    "continuous lime": LimeExplainer(n_samples=200, discretize=False, random_state=0),
    "ensemble": ExplainerEnsemble([ShapExplainer(), LimeExplainer(n_samples=200)], random_state=0),
}
MODELS = {
    "linear": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=5),
    "decision": SVC(),
    "bayes": GaussianNB(),
    "pipeline": make_pipeline(StandardScaler(), GaussianNB()),
    "search": GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2),
}
over_explainers = pytest.mark.parametrize("explainer", EXPLAINERS.values(), ids=EXPLAINERS)
over_models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@over_models
@over_explainers
def test_shape_and_finite(explainer, model):
    result = clone(explainer).fit(BACKGROUND).explain(clone(model).fit(X, y), ROWS)
    assert result.values.shape == ROWS.shape
    assert result.values.dtype == np.float64
    assert np.isfinite(result.values).all()
    assert result.fidelity.shape == (len(ROWS),)
    assert (result.fidelity <= 1).all()


@over_models
@over_explainers
def test_rows_are_explained_on_their_own(explainer, model):
    """Neither the other rows nor their order matter."""
    explainer, model = clone(explainer).fit(BACKGROUND), clone(model).fit(X, y)
    whole = explainer.attribute(model, ROWS)
    alone = [explainer.attribute(model, ROWS[i : i + 1])[0] for i in range(len(ROWS))]
    assert np.allclose(whole, alone, rtol=0, atol=1e-10)
    assert np.allclose(whole[::-1], explainer.attribute(model, ROWS[::-1]), rtol=0, atol=1e-10)


@over_explainers
def test_same_seed_same_values(explainer):
    model = GaussianNB().fit(X, y)
    one, two = (clone(explainer).fit(BACKGROUND).attribute(model, ROWS) for _ in range(2))
    assert (one == two).all()


@over_explainers
def test_same_values_whatever_the_number_of_jobs(explainer):
    model = GaussianNB().fit(X, y)
    explainer = clone(explainer).fit(BACKGROUND)
    parts = np.array_split(ROWS, 2)
    two = Parallel(n_jobs=2)(delayed(explainer.attribute)(model, part) for part in parts)
    assert np.allclose(np.concatenate(two), explainer.attribute(model, ROWS), rtol=0, atol=1e-12)


@over_explainers
def test_the_global_generator_is_left_alone(explainer):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    unseeded = clone(explainer).set_params(random_state=None)
    unseeded.fit(BACKGROUND).attribute(GaussianNB().fit(X, y), ROWS)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@over_explainers
def test_pickled_explainers_explain_the_same(explainer):
    model = GaussianNB().fit(X, y)
    explainer = clone(explainer).fit(BACKGROUND)
    copy = pickle.loads(pickle.dumps(explainer))
    assert (copy.attribute(model, ROWS) == explainer.attribute(model, ROWS)).all()


@over_explainers
def test_generators_and_random_states_are_taken(explainer):
    for state in (np.random.default_rng(0), np.random.RandomState(0)):
        fitted = clone(explainer).set_params(random_state=state).fit(BACKGROUND)
        assert np.isfinite(fitted.attribute(GaussianNB().fit(X, y), ROWS)).all()


@over_explainers
def test_frames_and_arrays_agree(explainer):
    by_array = clone(explainer).fit(BACKGROUND).attribute(GaussianNB().fit(X, y), ROWS)
    by_frame = (
        clone(explainer).fit(FRAME[:60]).attribute(GaussianNB().fit(FRAME, y), FRAME[100:110])
    )
    assert np.allclose(by_array, by_frame, rtol=0, atol=1e-12)


@over_explainers
def test_float32_is_close_to_float64(explainer):
    model = GaussianNB().fit(X, y)
    small = [a.astype(np.float32) for a in (BACKGROUND, ROWS)]
    got = clone(explainer).fit(small[0]).attribute(model, small[1])
    expected = clone(explainer).fit(BACKGROUND).attribute(model, ROWS)
    assert np.allclose(got, expected, rtol=0, atol=1e-3)


@over_explainers
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_agrees_with_dense(explainer, kind):
    holes = np.where(X > 0.5, X, 0)
    model = LogisticRegression().fit(kind(holes), y)
    got = clone(explainer).fit(kind(holes[:60])).attribute(model, kind(holes[100:110]))
    dense = clone(explainer).fit(holes[:60]).attribute(model, holes[100:110])
    assert np.allclose(got, dense, rtol=0, atol=1e-12)


@over_explainers
def test_text_columns_reach_the_pipeline(explainer):
    frame = FRAME[["a", "b"]].assign(
        s=np.where(X[:, 2] > 0, "u", "v"), c=pd.Categorical(np.where(X[:, 3] > 0, "p", "q"))
    )
    pre = ColumnTransformer(
        [("n", StandardScaler(), ["a", "b"]), ("s", OneHotEncoder(), ["s", "c"])]
    )
    model = make_pipeline(pre, GaussianNB()).fit(frame, y)
    values = clone(explainer).fit(frame[:60]).attribute(model, frame[100:110])
    assert values.shape == (10, 4)
    assert (np.abs(values).sum(axis=0) > 0).all()


@over_explainers
def test_classes_are_chosen_by_row(explainer):
    model = LogisticRegression().fit(X, THREE)
    explainer = clone(explainer).fit(BACKGROUND)
    columns = Model(model).predicted(ROWS)
    got = explainer.attribute(model, ROWS, target=columns)
    for k in range(3):
        of_class = explainer.attribute(model, ROWS, target=k)
        assert np.allclose(got[columns == k], of_class[columns == k], rtol=0, atol=1e-12)


@over_explainers
def test_the_last_column_is_the_default(explainer):
    model = LogisticRegression().fit(X, y)
    explainer = clone(explainer).fit(BACKGROUND)
    assert (explainer.attribute(model, ROWS) == explainer.attribute(model, ROWS, target=1)).all()


@over_explainers
@pytest.mark.parametrize(
    "model",
    [DummyClassifier(), HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=200)],
    ids=["dummy", "stump"],
)
def test_constant_models_have_zero_attributions(explainer, model):
    result = clone(explainer).fit(BACKGROUND).explain(model.fit(X, y), ROWS)
    assert (result.values == 0).all()
    assert (result.fidelity == 1).all()


@over_explainers
def test_constant_score_with_rounding_errors(explainer):
    def score(Z):
        return 0.3 + 1e-16 * np.sin(1e6 * Z.sum(axis=1))

    assert (clone(explainer).fit(BACKGROUND).attribute(score, ROWS) == 0).all()


@over_explainers
def test_constant_columns_get_nothing(explainer):
    flat = X.copy()
    flat[:, 2] = 5.0
    model = GaussianNB().fit(X, y)
    values = clone(explainer).fit(flat[:60]).attribute(model, flat[100:110])
    assert np.allclose(values[:, 2], 0, atol=1e-12)


@over_explainers
def test_missing_values_where_the_model_accepts_them(explainer):
    holes = X.copy()
    holes[::3, 1] = np.nan
    for model in (
        HistGradientBoostingClassifier(max_iter=5),
        make_pipeline(SimpleImputer(), LogisticRegression()),
    ):
        model.fit(holes, y)
        values = clone(explainer).fit(holes[:60]).attribute(model, holes[100:110])
        assert np.isfinite(values).all()


@over_explainers
@pytest.mark.parametrize("where", ["background", "rows"])
def test_missing_values_that_the_model_refuses_are_named(explainer, where):
    model = GaussianNB().fit(FRAME, y)
    background, rows = FRAME[:60].copy(), FRAME[100:110].copy()
    (background if where == "background" else rows).iloc[:8, 1] = np.nan
    explainer = clone(explainer).fit(background)
    with pytest.raises(ValueError, match=r"refuses missing values.* column 'b'; put an imputer"):
        explainer.attribute(model, rows)


@over_explainers
def test_other_columns_are_refused(explainer):
    explainer = clone(explainer).fit(FRAME[:60])
    with pytest.raises(ValueError, match="X has 5 columns and the background 6"):
        explainer.attribute(GaussianNB().fit(FRAME, y), FRAME.drop(columns="c"))


@over_explainers
def test_predict_alone_is_refused(explainer):
    explainer = clone(explainer).fit(BACKGROUND)
    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        explainer.attribute(DecisionTreeRegressor().fit(X, y), ROWS)


@over_explainers
def test_unfitted_explainers_say_so(explainer):
    with pytest.raises(NotFittedError):
        clone(explainer).attribute(GaussianNB().fit(X, y), ROWS)


@pytest.mark.parametrize(
    "explainer",
    [
        ShapExplainer(method="agnostic", random_state=0),
        LimeExplainer(random_state=0),
        LimeExplainer(discretize=False, random_state=0),
    ],
    ids=["shap", "lime", "continuous lime"],
)
def test_memory_is_bounded(explainer):
    """200 columns and a background of 100 rows: far below 1 GiB, however many rows."""
    rng = np.random.default_rng(0)
    background, rows = rng.normal(size=(100, 200)), rng.normal(size=(60, 200))
    tracemalloc.start()
    try:
        explainer.fit(background).attribute(lambda Z: Z[:, 0], rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300 * 2**20


@over_explainers
def test_one_column(explainer):
    model = GaussianNB().fit(X[:, :1], y)
    values = clone(explainer).fit(BACKGROUND[:, :1]).attribute(model, ROWS[:, :1])
    assert values.shape == (10, 1)
