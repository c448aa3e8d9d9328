import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from skfairprop.explain import Model
from skfairprop.explain._model import Predictor, as_model, target_columns
from skfairprop.explain._table import Table

X, y = make_classification(200, 4, n_informative=3, n_redundant=1, random_state=0)


def test_probabilities_come_first():
    model = LogisticRegression().fit(X, y)
    assert (Model(model).outputs(X) == model.predict_proba(X)).all()


def test_decision_values_stand_in_and_are_doubled():
    model = LinearSVC().fit(X, y)
    scores = model.decision_function(X)
    assert (Model(model).outputs(X) == np.column_stack([-scores, scores])).all()


def test_decision_values_of_three_classes():
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    model = Perceptron().fit(X, three)
    assert (Model(model).outputs(X) == model.decision_function(X)).all()


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_callable_with_one_score(shape):
    scores = Model(lambda rows: rows[:, 0].reshape(shape)).outputs(X)
    assert (scores == np.column_stack([-X[:, 0], X[:, 0]])).all()


def test_callable_with_two_scores():
    assert (Model(lambda rows: rows[:, :2]).outputs(X) == X[:, :2]).all()


def test_predict_alone_is_refused():
    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        Model(DecisionTreeRegressor().fit(X, y))


def test_a_number_is_no_model():
    with pytest.raises(TypeError, match="int has neither"):
        Model(3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rows: np.array(["a"] * len(rows)), "must return numbers"),
        (lambda rows: np.zeros((len(rows), 2, 2)), "3 dimension"),
        (lambda rows: [rows, rows], "several targets"),
    ],
)
def test_bad_outputs_are_refused(function, message):
    with pytest.raises(ValueError, match=message):
        Model(function).outputs(X)


def test_several_targets_are_refused():
    model = MultiOutputClassifier(LogisticRegression()).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="several targets"):
        Model(model).outputs(X)


def test_columns_of_classes():
    model = Model(LogisticRegression().fit(X, np.array(["no", "yes"])[y]))
    assert model.column("yes") == 1
    with pytest.raises(ValueError, match="'maybe' is not a class"):
        model.column("maybe")
    with pytest.raises(ValueError, match="no class labels"):
        Model(lambda rows: rows[:, 0]).column("yes")


def test_predicted_is_the_class_the_estimator_predicts():
    three = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = LogisticRegression().fit(X, three)
    assert (model.classes_[Model(model).predicted(X)] == model.predict(X)).all()


def test_a_model_is_not_wrapped_twice():
    model = Model(LogisticRegression().fit(X, y))
    assert as_model(model) is model


def test_steps_look_through_searches_pipelines_and_wrappers():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(pipeline, {"logisticregression__C": [1.0]}, cv=2)
    model = FixedThresholdClassifier(search).fit(X, y)
    preprocess, final = Model(model).steps()
    assert isinstance(final, LogisticRegression)
    assert np.allclose(final.predict_proba(preprocess(X)), model.predict_proba(X))


def test_steps_of_a_pipeline_in_a_pipeline():
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    model = make_pipeline(StandardScaler(with_mean=False), inner).fit(X, y)
    preprocess, final = Model(model).steps()
    assert np.allclose(final.predict_proba(preprocess(X)), model.predict_proba(X))


def test_samplers_do_nothing_when_predicting():
    imblearn = pytest.importorskip("imblearn.pipeline")
    from imblearn.under_sampling import RandomUnderSampler

    model = imblearn.make_pipeline(StandardScaler(), RandomUnderSampler(), LogisticRegression())
    preprocess, final = Model(model.fit(X, y)).steps()
    assert np.allclose(final.predict_proba(preprocess(X)), model.predict_proba(X))


def test_pipeline_of_one_step_has_no_preprocessing():
    preprocess, _ = Model(make_pipeline(LogisticRegression()).fit(X, y)).steps()
    assert preprocess is None


@pytest.mark.parametrize("model", [BaggingClassifier(), RandomForestClassifier(n_estimators=3)])
def test_steps_do_not_take_the_template_of_an_ensemble(model):
    assert Model(model.fit(X, y)).steps() == (None, model)


def test_frames_with_text_reach_the_pipeline():
    frame = pd.DataFrame({"x": X[:, 0], "s": np.where(X[:, 1] > 0, "u", "v")})
    pre = ColumnTransformer([("x", StandardScaler(), ["x"]), ("s", OneHotEncoder(), ["s"])])
    model = make_pipeline(pre, LogisticRegression()).fit(frame, y)
    table = Table.of(frame)
    scores = Predictor(Model(model), table).outputs(table.encode(frame))
    assert np.allclose(scores, model.predict_proba(frame))


def test_predictor_asks_in_blocks():
    sizes = []

    def score(rows):
        sizes.append(len(rows))
        return rows[:, 0]

    Z = np.zeros((45_000, 1))
    assert Predictor(Model(score), Table.of(Z)).outputs(Z).shape == (45_000, 2)
    assert sizes == [20_000, 20_000, 5_000]


def test_refused_missing_values_are_named():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = LogisticRegression().fit(frame, y)
    frame = frame.copy()  # pandas 2 would write into X
    frame.loc[3, "b"] = np.nan
    table = Table.of(frame)
    with pytest.raises(ValueError, match="has in column 'b'; put an imputer"):
        Predictor(Model(model), table).outputs(table.encode(frame))


def test_other_errors_of_the_model_pass():
    def broken(rows):
        raise ValueError("broken")

    with pytest.raises(ValueError, match=r"^broken$"):
        Predictor(Model(broken), Table.of(X)).outputs(X)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rows: np.where(rows[:, 0] > 0, np.nan, 0.5), "NaN or infinity"),
        (lambda rows: rows[:1, 0], "1 outputs for 200 rows"),
    ],
)
def test_useless_scores_are_refused(function, message):
    with pytest.raises(ValueError, match=message):
        Predictor(Model(function), Table.of(X)).outputs(X)


def test_target_is_broadcast():
    assert target_columns(None, 2, 3).tolist() == [2, 2]
    assert target_columns(1, 2, 3).tolist() == [1, 1]
    assert target_columns([0, 2], 2, 3).tolist() == [0, 2]


@pytest.mark.parametrize("target", ["yes", 0.5, [0, 1, 0], 3, -1])
def test_bad_targets_are_refused(target):
    with pytest.raises(ValueError, match="target must be"):
        target_columns(target, 2, 3)
