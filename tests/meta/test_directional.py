"""DirectionalClassifier: what each clone sees, both predictions, cross-validation and routing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfairprop.meta import DirectionalClassifier
from skfairprop.metrics import mals_bias_amplification
from tests.protected import by_pairs


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.sample_weight_ = X, np.asarray(y), sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.seen_ = X
        return np.full(len(X), self.classes_[-1])


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    n = 400
    sex = rng.choice(["f", "m"], n)
    frame = pd.DataFrame(
        {
            "sex": sex,
            "sex_code": (sex == "m").astype(int),
            "height": rng.normal(0, 1, n) + (sex == "m"),
            "grade": rng.normal(0, 1, n),
        },
        index=rng.permutation(n) + 1000,
    )
    hired = pd.Series((frame["grade"] + frame["height"] > 0.5).astype(int), name="hired")
    return frame, hired.set_axis(frame.index)


@parametrize_with_checks([DirectionalClassifier(LogisticRegression(), sensitive_features=by_pairs)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# -- what each clone sees -----------------------------------------------------------------------


def test_the_attribute_and_what_tells_it_are_hidden_from_its_clone_only(people):
    X, y = people
    model = DirectionalClassifier(Recorder(), sensitive_features="sex", exclude=["sex_code"])
    model.fit(X, y)
    assert model.estimator_.X_.columns.tolist() == ["sex", "sex_code", "height", "grade"]
    assert model.attribute_estimator_.X_.columns.tolist() == ["height", "grade"]
    assert model.hidden_columns_ == ["sex", "sex_code"]
    model.predict_attribute(X)
    assert model.attribute_estimator_.seen_.columns.tolist() == ["height", "grade"]
    model.predict_attribute(X.drop(columns=["sex"]))
    assert model.attribute_estimator_.seen_.columns.tolist() == ["height", "grade"]


def test_a_series_hides_the_column_of_its_name(people):
    X, y = people
    model = DirectionalClassifier(Recorder(), sensitive_features=X["sex"]).fit(X, y)
    assert "sex" not in model.attribute_estimator_.X_


def test_the_task_is_hidden_from_the_attribute(people):
    X, y = people
    model = DirectionalClassifier(Recorder(), sensitive_features="sex").fit(X.assign(hired=y), y)
    assert model.hidden_columns_ == ["sex", "hired"]
    assert "hired" not in model.attribute_estimator_.X_


def test_polars_columns_are_hidden(people):
    X, y = people
    frame = pl.from_pandas(X.reset_index(drop=True))
    model = DirectionalClassifier(Recorder(), sensitive_features="sex").fit(frame, y.to_numpy())
    assert isinstance(model.attribute_estimator_.X_, pl.DataFrame)
    assert model.attribute_estimator_.X_.columns == ["sex_code", "height", "grade"]


def test_another_estimator_may_predict_the_attribute(people):
    X, y = people
    model = DirectionalClassifier(
        DummyClassifier(), DecisionTreeClassifier(), sensitive_features=X["sex"]
    )
    model.fit(X[["height", "grade"]], y)
    assert isinstance(model.attribute_estimator_, DecisionTreeClassifier)
    assert model.predict_attribute(X[["height", "grade"]]).tolist() == X["sex"].tolist()


# -- predictions --------------------------------------------------------------------------------


def test_both_predictions_are_those_of_plain_estimators(people):
    X, y = people
    numbers = X[["height", "grade"]]
    model = DirectionalClassifier(LogisticRegression(), sensitive_features=X["sex"])
    model.fit(numbers, y)
    task = LogisticRegression().fit(numbers, y)
    attribute = LogisticRegression().fit(numbers, X["sex"])
    np.testing.assert_array_equal(model.predict(numbers), task.predict(numbers))
    np.testing.assert_allclose(model.predict_proba(numbers), task.predict_proba(numbers))
    np.testing.assert_array_equal(model.predict_attribute(numbers), attribute.predict(numbers))
    assert model.classes_.tolist() == [0, 1]
    assert model.attribute_classes_.tolist() == ["f", "m"]


def test_several_columns_are_predicted_as_observed_combinations(people):
    X, y = people
    protected = pd.DataFrame({"sex": X["sex"], "tall": X["height"] > 1})
    protected = protected[~((X["sex"] == "f") & protected["tall"])]
    X, y = X.loc[protected.index, ["height", "grade"]], y[protected.index]
    model = DirectionalClassifier(DecisionTreeClassifier(), sensitive_features=protected)
    guess = model.fit(X, y).predict_attribute(X)
    assert guess.shape == (len(X), 2)
    np.testing.assert_array_equal(guess, protected.to_numpy(dtype=object))
    assert model.attribute_classes_.tolist() == [["f", False], ["m", False], ["m", True]]


def test_reference_is_the_training_contingency(people):
    X, y = people
    model = DirectionalClassifier(Recorder(), sensitive_features="sex").fit(X, y)
    expected = pd.crosstab(X["sex"], y)
    np.testing.assert_array_equal(model.reference_.values, expected)
    assert model.reference_.groups.tolist() == ["f", "m"]
    assert model.reference_.classes.tolist() == [0, 1]
    value = mals_bias_amplification(y, y, sensitive_features=X["sex"], reference=model.reference_)
    assert value == 0


# -- weights and missing values -----------------------------------------------------------------


def test_weights_reach_both_clones_and_the_reference(people):
    X, y = people
    weight = pd.Series(np.arange(len(y)) % 3, index=y.index)
    model = DirectionalClassifier(Recorder(), sensitive_features="sex")
    model.fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.estimator_.sample_weight_, weight)
    np.testing.assert_array_equal(model.attribute_estimator_.sample_weight_, weight)
    assert model.reference_.values.sum() == weight.sum()


def test_weights_are_aligned_on_the_index(people):
    X, y = people
    weight = pd.Series(np.arange(len(y)) % 3, index=y.index)
    model = DirectionalClassifier(Recorder(), sensitive_features="sex")
    model.fit(X, y, sample_weight=weight.sort_index())
    np.testing.assert_array_equal(model.estimator_.sample_weight_, weight)


def test_missing_values_are_refused_or_dropped_for_the_attribute_only(people):
    X, y = people
    sex = X["sex"].where(np.arange(len(X)) >= 3)
    numbers = X[["height", "grade"]]
    model = DirectionalClassifier(Recorder(), sensitive_features=sex)
    with pytest.raises(ValueError, match=r"3 of 400 values are missing; pass missing='group'"):
        model.fit(numbers, y)
    with pytest.warns(UserWarning, match="left out 3 of 400 rows"):
        model.set_params(missing="drop").fit(numbers, y, sample_weight=np.ones(400))
    assert len(model.estimator_.X_) == 400
    assert len(model.attribute_estimator_.X_) == 397
    assert len(model.attribute_estimator_.sample_weight_) == 397
    model.set_params(missing="group").fit(numbers, y)
    assert model.attribute_classes_.tolist() == ["f", "m", "(missing)"]


# -- inside scikit-learn ------------------------------------------------------------------------


def test_cross_validation_gives_both_predictions_out_of_fold(people):
    X, y = people
    numbers = X[["height", "grade"]]
    model = DirectionalClassifier(LogisticRegression(), sensitive_features=X["sex"])
    found = cross_validate(model, numbers, y, cv=4, return_estimator=True, return_indices=True)
    for fitted, train in zip(found["estimator"], found["indices"]["train"], strict=True):
        expected = pd.crosstab(X["sex"].iloc[train], y.iloc[train])
        np.testing.assert_array_equal(fitted.reference_.values, expected)
        plain = LogisticRegression().fit(numbers.iloc[train], X["sex"].iloc[train])
        np.testing.assert_array_equal(fitted.predict_attribute(numbers), plain.predict(numbers))


def test_searches_reach_the_inner_estimators(people):
    X, y = people
    numbers = X[["height", "grade"]]
    model = DirectionalClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()),
        KNeighborsClassifier(),
        sensitive_features=X["sex"],
    )
    grid = {"estimator__logisticregression__C": [0.1, 1], "attribute_estimator__n_neighbors": [3]}
    search = GridSearchCV(model, grid, cv=2).fit(numbers, y)
    assert search.best_estimator_.attribute_estimator_.n_neighbors == 3


def test_routed_groups_and_weights(people):
    X, y = people
    numbers, weight = X[["height", "grade"]], np.arange(len(y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = DirectionalClassifier(make_pipeline(StandardScaler(), LogisticRegression()))
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_validate(
            clone(model),
            numbers,
            y,
            cv=2,
            params={"sensitive_features": X["sex"], "sample_weight": weight},
            return_estimator=True,
            return_indices=True,
        )
        fitted, train = found["estimator"][0], found["indices"]["train"][0]
        plain = make_pipeline(StandardScaler(), LogisticRegression())
    plain.fit(
        numbers.iloc[train], X["sex"].iloc[train], logisticregression__sample_weight=weight[train]
    )
    np.testing.assert_array_equal(fitted.predict_attribute(numbers), plain.predict(numbers))
    assert fitted.reference_.values.sum() == weight[train].sum()


def test_routed_parameters_reach_the_clone_that_asks(people):
    X, y = people

    class Asking(Recorder):
        def fit(self, X, y, sample_weight=None, note=None):
            self.note_ = note
            return super().fit(X, y, sample_weight)

    with sklearn.config_context(enable_metadata_routing=True):
        asking = Asking().set_fit_request(note=True)
        model = DirectionalClassifier(Recorder(), asking, sensitive_features="sex")
        model.fit(X, y, note="noted", sample_weight=np.ones(len(y)))
    assert model.attribute_estimator_.note_ == "noted"
    assert model.attribute_estimator_.sample_weight_ is not None


# -- bad input ----------------------------------------------------------------------------------


def test_one_group_is_refused(people):
    X, y = people
    one = pd.Series("f", index=y.index)
    with pytest.raises(ValueError, match=r"one group only, 'f'; there is no other to tell it from"):
        DirectionalClassifier(Recorder(), sensitive_features=one).fit(X, y)


def test_one_excluded_column_needs_no_list(people):
    X, y = people
    one, listed = (
        DirectionalClassifier(Recorder(), sensitive_features="sex", exclude=exclude).fit(X, y)
        for exclude in ("sex_code", ["sex_code"])
    )
    assert one.hidden_columns_ == listed.hidden_columns_ == ["sex", "sex_code"]


def test_one_column_must_be_left(people):
    X, y = people
    model = DirectionalClassifier(Recorder(), sensitive_features="sex", exclude=["sex_code"])
    message = "all columns of X are hidden from the attribute's model: 'sex', 'sex_code'; leave X"
    with pytest.raises(ValueError, match=message):
        model.fit(X[["sex", "sex_code"]], y)


def test_excluded_columns_must_exist(people):
    X, y = people
    model = DirectionalClassifier(Recorder(), sensitive_features="sex", exclude=["sex_cod"])
    with pytest.raises(ValueError, match=r"no column 'sex_cod'; did you mean 'sex_code'"):
        model.fit(X, y)
    model = DirectionalClassifier(Recorder(), sensitive_features=by_pairs, exclude=["sex"])
    with pytest.raises(ValueError, match="no column 'sex', as it has no column names"):
        model.fit(X[["height", "grade"]].to_numpy(), y.to_numpy())


def test_an_unknown_attribute_says_what_to_do(people):
    X, y = people
    with pytest.raises(ValueError, match="DirectionalClassifier was not told the protected attrib"):
        DirectionalClassifier(Recorder()).fit(X, y)


def test_an_estimator_without_weights_is_named(people):
    X, y = people
    model = DirectionalClassifier(
        LogisticRegression(), KNeighborsClassifier(), sensitive_features=X["sex"]
    )
    with pytest.raises(ValueError, match=r"KNeighborsClassifier\.fit has no sample_weight"):
        model.fit(X[["height", "grade"]], y, sample_weight=np.ones(len(y)))
