"""Reports from an estimator: out-of-fold, with refits."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skfairprop import FairnessReport, fairness_report
from skfairprop.preprocessing import Reweighter
from skfairprop.report import _complete
from skfairprop.report._complete import Wanted, complete
from skfairprop.report._from_estimator import EstimatorFits
from skfairprop.report._model import Examined, Model, Rows

SETTINGS = {"pos_label": "yes", "bootstrap": 0}


@pytest.fixture(scope="module")
def model():
    """A pipeline that names the protected column, as most do."""
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    return make_pipeline(encode, LogisticRegression(max_iter=500))


@pytest.fixture(scope="module")
def data(loans):
    frame = loans[1]
    return frame[["sex", "age", "height"]], frame["guess"]


def test_predictions_are_out_of_fold(model, data):
    X, y = data
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    found = FairnessReport.from_estimator(
        model, X, y, sensitive_features="sex", cv=folds, **SETTINGS
    )
    predicted = cross_val_predict(model, X, y, cv=folds)
    expected = fairness_report(y, predicted, sensitive_features=X["sex"], **SETTINGS)
    pd.testing.assert_frame_equal(found.metrics, expected.metrics)


def test_protected_columns_of_x_are_refitted_without(model, data):
    X, y = data
    found = FairnessReport.from_estimator(model, X, y, sensitive_features="sex", cv=3, **SETTINGS)
    assert found.drivers.refits.index.tolist() == ["nothing", "sex"]
    without = cross_val_predict(LogisticRegression(max_iter=500), X[["age", "height"]], y, cv=3)
    rates = pd.Series(without == "yes").groupby(X["sex"].to_numpy()).mean()
    assert found.drivers.refits.loc["sex", "gap"] == pytest.approx(
        rates.max() - rates.min(), abs=0.02
    )
    assert "The gap that stays" in found.to_html()


@pytest.mark.parametrize("as_list", [True, False])
def test_protected_columns_by_name_or_by_value(model, data, as_list):
    X, y = data
    spec = ["sex"] if as_list else X[["sex"]]
    found = FairnessReport.from_estimator(model, X, y, sensitive_features=spec, cv=2, **SETTINGS)
    assert found.drivers.refits.index.tolist() == ["nothing", "sex"]
    assert found.drivers.associations.index[0] == "height"


def test_refits_only_where_the_model_sees_the_column_and_where_wanted(model, data):
    X, y = data
    hidden = FairnessReport.from_estimator(
        LogisticRegression(), X[["age", "height"]], y, sensitive_features=X["sex"], cv=2, **SETTINGS
    )
    assert hidden.drivers.refits is None
    off = FairnessReport.from_estimator(
        model, X, y, sensitive_features="sex", cv=2, refit=False, **SETTINGS
    )
    assert off.drivers.refits is None


def test_arrays_have_no_drivers():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), rng.integers(0, 2, 60)
    groups = rng.choice(list("ab"), 60)
    found = FairnessReport.from_estimator(
        LogisticRegression(), X, y, sensitive_features=groups, cv=2, bootstrap=0
    )
    assert found.drivers is None


@pytest.mark.parametrize("how", ["shuffled", "index of y", "other index", "list"])
def test_rows_belong_together_by_position_and_groups_by_their_index(model, data, how):
    X, y = data
    given = {"cv": 3, "refit": False, **SETTINGS}
    expected = FairnessReport.from_estimator(model, X, y, sensitive_features=X["sex"], **given)
    weight = pd.Series(np.ones(len(y)), index=X.index)
    groups = X["sex"]
    if how == "shuffled":
        groups, weight = groups.sample(frac=1, random_state=0), weight[::-1]
    elif how == "index of y":
        X = X.set_axis(np.arange(len(X)) + 10_000)
    elif how == "other index":
        y = y.set_axis(y.index[::-1])
    else:
        y = y.tolist()
    found = FairnessReport.from_estimator(
        model, X, y, sensitive_features=groups, sample_weight=weight, **given
    )
    assert found.metrics["value"].equals(expected.metrics["value"])
    pd.testing.assert_frame_equal(found.drivers.associations, expected.drivers.associations)


# -- rows that the model has not seen --------------------------------------------------------------


def fits_of(groups, n_folds=3):
    """Folds in the order of the rows, as of a table that is not shuffled."""
    n = len(groups)
    X, y = pd.DataFrame({"x": np.arange(n), "sex": groups}), np.tile(["no", "yes"], n // 2)
    return EstimatorFits(DummyClassifier(), X, y, list(KFold(n_folds).split(X)))


def test_a_sorted_table_is_examined_where_it_has_more_than_one_group():
    fits = fits_of(np.repeat(["a", "b"], [30, 30]))
    mixed = fits.examined(fits.X[["sex"]])
    assert mixed.what.startswith("The DummyClassifier of fold 2, ")
    assert mixed.rows.tolist() == mixed.X["x"].tolist() == list(range(20, 40))
    assert set(mixed.X["sex"]) == {"a", "b"}
    fits = fits_of(np.array(["a", "b"] * 30))
    assert fits.examined(fits.X[["sex"]]).what.startswith("The DummyClassifier of the first fold, ")


class Middle(Model):
    """A model that is looked at on the rows in the middle: half a, half b."""

    def examined(self, groups):
        rows = np.arange(100, 300)
        return Examined(
            None, pd.DataFrame({"row": rows, "sex": groups["sex"].iloc[rows]}), rows, ""
        )


def test_rows_of_a_sorted_fold_are_taken_at_random(monkeypatch):
    seen = {}
    monkeypatch.setattr(_complete, "N_EXAMINED", 30)
    monkeypatch.setattr(
        _complete, "estimate_features", lambda *a, **k: seen.update(k, X=a[1], y=a[2])
    )
    y = np.tile(["no", "yes"], 200)
    rows = Rows(y, pd.DataFrame({"sex": np.repeat(["a", "b"], 200)}), None, "raise")
    report = FairnessReport.from_counts(rows.count(None), bootstrap=0)
    wanted = Wanted(benn=True)
    complete(report, rows, None, Middle(), wanted, others=None, seen=["sex"])
    assert len(seen["X"]) == 30
    assert 5 <= (seen["groups"]["sex"] == "a").sum() <= 25
    assert seen["X"]["sex"].tolist() == seen["groups"]["sex"].tolist()
    assert seen["y"].tolist() == y[seen["X"]["row"]].tolist()


def test_what_takes_time_is_done_within_its_step(model, data):
    done = []

    @contextmanager
    def step(part):
        done.append(part)
        yield

    X, y = data
    rows = Rows(y.to_numpy(), X[["sex"]].reset_index(drop=True), None, "raise")
    fits = EstimatorFits(model, X, y, list(KFold(2).split(X)), reweighter=Reweighter())
    predicted = fits.predict()
    report = FairnessReport.from_counts(rows.count(predicted), bootstrap=0)
    wanted = Wanted(reweight=True, explain=True)
    complete(report, rows, predicted, fits, wanted, others=X[["age"]], seen=[], step=step)
    assert done == ["reweight", "explain"]
    assert report.drivers.associations.index.tolist() == ["age"]
    assert report.drivers.refits is None
    assert report.before_after is not None
    assert report.explanations is not None
    assert report.estimations is None


@pytest.mark.parametrize("setting", [{"confidence": 2}, {"benn": True}])
def test_what_cannot_be_is_refused_before_anything_is_fitted(data, setting):
    class Unfitted(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("it was fitted")

    X, y = data
    with pytest.raises(ValueError, match=r"confidence must be|X has none of the protected ones"):
        FairnessReport.from_estimator(
            Unfitted(), X[["age"]], y, sensitive_features=X["sex"], **setting
        )


def test_other_frames_are_examined_too():
    polars = pytest.importorskip("polars")
    pytest.importorskip("skorch")
    rng = np.random.default_rng(0)
    table = {"sex": rng.integers(0, 2, 60), "x": rng.normal(0, 1, 60)}
    y = (table["x"] > 0).astype(int)
    frames = [make(table) for make in (pd.DataFrame, polars.DataFrame)]
    expected, found = (
        FairnessReport.from_estimator(
            GaussianNB(), X, y, sensitive_features="sex", cv=2, benn=True, bootstrap=0, refit=False
        ).estimations.frame
        for X in frames
    )
    columns = ["estimate", "ensemble"]
    np.testing.assert_allclose(found[columns].to_numpy(float), expected[columns].to_numpy(float))
