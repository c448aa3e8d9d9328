"""Metadata, copies and containers: what all scorers with a protected attribute share."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, check_scoring, make_scorer
from sklearn.model_selection import cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop.scorers import FairnessScorer, get_scorer, get_scorers, make_fairness_scorer
from tests.scorers.people import (
    CV,
    DPD,
    GROUP,
    MODEL,
    X,
    Y,
    expected_scores,
    gap_of_mean,
    selection_gap,
)

# -- metadata and predictions ----------------------------------------------------------------------


class PerGroup(ClassifierMixin, BaseEstimator):
    """Needs the protected attribute to predict, as post-processing does."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X, *, sensitive_features):
        return (np.asarray(sensitive_features) == "m").astype(int)


@pytest.mark.parametrize("several", [False, True])
def test_an_estimator_whose_predict_needs_the_attribute(several):  # B21
    scorer = get_scorer(DPD, sensitive_features=GROUP)
    scoring = get_scorers([DPD, "cramers_v"], sensitive_features=GROUP) if several else scorer
    found = cross_validate(PerGroup(), X, Y, cv=CV, scoring=scoring)
    assert found[f"test_{DPD}" if several else "test_score"].tolist() == [-1.0] * 3


def test_an_attribute_that_is_routed_reaches_predict(routing):  # B21
    found = cross_validate(
        PerGroup(), X, Y, cv=CV, scoring=get_scorer(DPD), params={"sensitive_features": GROUP}
    )
    assert found["test_score"].tolist() == [-1.0] * 3
    pipeline = make_pipeline(
        StandardScaler(), PerGroup().set_predict_request(sensitive_features=True)
    )
    found = cross_validate(
        pipeline, X, Y, cv=CV, scoring=get_scorer(DPD), params={"sensitive_features": GROUP}
    )
    assert found["test_score"].tolist() == [-1.0] * 3


def test_sample_weight(routing):
    weight = pd.Series(np.arange(len(X)) % 3, index=X.index)
    scorer = get_scorer(DPD).set_score_request(sample_weight=True)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    found = cross_validate(
        model,
        X,
        Y,
        cv=CV,
        scoring=scorer,
        params={"sensitive_features": GROUP, "sample_weight": weight},
    )
    for score, (train, test) in zip(found["test_score"], CV.split(X, Y), strict=True):
        y_pred = clone(MODEL).fit(X.iloc[train], Y.iloc[train]).predict(X.iloc[test])
        rates = [
            np.average(y_pred[mask], weights=weight.iloc[test][mask])
            for mask in (GROUP.iloc[test] == "f", GROUP.iloc[test] == "m")
        ]
        assert score == pytest.approx(min(rates) - max(rates))


def test_weights_without_routing_reach_the_scorers_that_take_them():
    weight = np.arange(len(X)) % 3
    model = LogisticRegression().fit(X, Y)
    scorer = get_scorer(DPD, sensitive_features=GROUP)
    found = permutation_importance(
        model,
        X[["b"]].assign(group=0, a=0)[X.columns],
        Y,
        scoring=scorer,
        sample_weight=weight,
        n_repeats=1,
    )
    assert found.importances_mean.shape == (3,)
    plain = make_fairness_scorer(gap_of_mean, sensitive_features=GROUP, greater_is_better=False)
    both = {"weighted": scorer, "plain": plain}
    found = permutation_importance(model, X, Y, scoring=both, sample_weight=weight, n_repeats=1)
    assert set(found) == {"weighted", "plain"}


def test_requests(routing):
    scorer = get_scorer(DPD)
    requests = scorer.get_metadata_routing().score.requests
    assert requests == {"sensitive_features": True, "sample_weight": None}
    assert scorer.set_score_request(sensitive_features="race") is scorer
    assert scorer.get_metadata_routing().score.requests["sensitive_features"] == "race"
    found = cross_validate(MODEL, X, Y, cv=CV, scoring=scorer, params={"race": GROUP})
    assert found["test_score"] == pytest.approx(expected_scores())
    with pytest.raises(TypeError, match="unexpected keyword argument 'groups'"):
        scorer.set_score_request(groups=True)
    unweighted = make_fairness_scorer(gap_of_mean, greater_is_better=False)
    assert list(unweighted.get_metadata_routing().score.requests) == ["sensitive_features"]


def test_requests_need_routing():
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        get_scorer(DPD).set_score_request(sample_weight=True)


def test_aliases_keep_two_attributes_apart(routing):
    other = pd.Series(np.arange(len(X)) % 2, index=X.index)
    scoring = {
        "sex": get_scorer(DPD).set_score_request(sensitive_features="sex"),
        "other": get_scorer(DPD).set_score_request(sensitive_features="other"),
    }
    found = cross_validate(
        MODEL, X, Y, cv=CV, scoring=scoring, params={"sex": GROUP, "other": other}
    )
    assert found["test_sex"] == pytest.approx(expected_scores())
    assert not np.allclose(found["test_sex"], found["test_other"])


def test_imbalanced_learn_may_be_imported_after_a_request(routing):
    scorer = get_scorer(DPD).set_score_request(sample_weight=True)
    pytest.importorskip("imblearn")
    found = cross_validate(MODEL, X, Y, cv=CV, scoring=scorer, params={"sensitive_features": GROUP})
    assert found["test_score"] == pytest.approx(expected_scores())


# -- copies ----------------------------------------------------------------------------------------


def clone_scorer(scorer):
    return clone(scorer, safe=False)


@pytest.mark.parametrize(
    "duplicate", [clone_scorer, copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_copies_score_the_same_and_are_independent(duplicate, routing):
    scorer = get_scorer(DPD, sensitive_features=GROUP)
    other = duplicate(scorer)
    model = LogisticRegression().fit(X, Y)
    assert other(model, X, Y) == scorer(model, X, Y)
    assert repr(other) == repr(scorer)
    other.set_score_request(sensitive_features="sex")
    assert scorer.get_metadata_routing().score.requests["sensitive_features"] is True


@pytest.mark.parametrize("duplicate", [clone_scorer, copy.deepcopy])
def test_clones_share_the_attribute(duplicate):
    scorer = get_scorer(DPD, sensitive_features=GROUP)
    assert duplicate(scorer).sensitive_features is GROUP


def test_a_scorer_is_one_of_scikit_learn():
    assert isinstance(get_scorer(DPD), type(make_scorer(accuracy_score)))
    assert isinstance(get_scorer(DPD), FairnessScorer)


# -- containers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_frames(library):
    module = pytest.importorskip(library)
    if library == "polars":
        data, y = module.from_pandas(X), module.Series(Y.to_numpy())
    else:
        data, y = module.Table.from_pandas(X, preserve_index=False), module.array(Y.to_numpy())

    class Threshold(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def predict(self, X):
            return (np.asarray(X["a"]) > 0.5).astype(int)

    expected = -selection_gap(X["a"] > 0.5, X["group"])
    assert get_scorer(DPD, sensitive_features="group")(Threshold(), data, y) == pytest.approx(
        expected
    )
    by_callable = get_scorer(DPD, sensitive_features=lambda X: X["group"])
    assert by_callable(Threshold(), data, y) == pytest.approx(expected)


def test_polars_in_cross_validation():
    polars = pytest.importorskip("polars")
    data, y = polars.from_pandas(X), polars.Series(Y.to_numpy())
    scorer = get_scorer(DPD, sensitive_features="group")
    found = cross_val_score(MODEL, data, y, cv=CV, scoring=scorer)
    assert found == pytest.approx(expected_scores())


@pytest.mark.parametrize(
    "convert",
    [np.asarray, lambda X: sparse.csr_matrix(X.to_numpy()), lambda X: X.to_numpy().tolist()],
)
def test_arrays_and_sparse_matrices(convert):  # B23
    model = LogisticRegression().fit(X.to_numpy(), Y)
    expected = -selection_gap(model.predict(X.to_numpy()), GROUP)
    by_index = get_scorer(DPD, sensitive_features=GROUP)
    assert by_index(model, convert(X), Y) == pytest.approx(expected, abs=1e-12)
    passed = get_scorer(DPD)
    found = passed(model, convert(X), Y.to_numpy(), sensitive_features=GROUP.to_numpy())
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_pipeline_that_makes_the_columns_sparse():  # B23
    data = X.assign(sex=GROUP)[["sex", "a"]]
    encode = make_column_transformer(
        (OneHotEncoder(), ["sex"]), remainder="passthrough", sparse_threshold=1
    )
    found = cross_val_score(
        make_pipeline(encode, LogisticRegression()),
        data,
        Y,
        cv=CV,
        scoring=get_scorer(DPD, sensitive_features="sex"),
    )
    encode.set_params(sparse_threshold=0)
    for score, (train, test) in zip(found, CV.split(data, Y), strict=True):
        model = make_pipeline(encode, LogisticRegression()).fit(data.iloc[train], Y.iloc[train])
        gap = selection_gap(model.predict(data.iloc[test]), GROUP.iloc[test])
        assert score == pytest.approx(-gap, abs=1e-12)


def test_intersections():
    data = X.assign(old=np.arange(len(X)) % 3 > 0)
    scorer = get_scorer(DPD, sensitive_features=["group", "old"])
    model = LogisticRegression().fit(data, Y)
    pairs = list(zip(data["group"], data["old"], strict=True))
    assert scorer(model, data, Y) == pytest.approx(-selection_gap(model.predict(data), pairs))


@pytest.mark.parametrize("name", ["y_true", "y_pred", "sample_weight", "<script>", 3, None])
def test_any_name_of_the_attribute(name):
    found = get_scorer(DPD, sensitive_features=GROUP.rename(name))(MODEL.fit(X, Y), X, Y)
    assert found == pytest.approx(-selection_gap(MODEL.predict(X), GROUP))


@pytest.mark.parametrize(
    "groups",
    [
        pd.Series(pd.Categorical(["f", "m"] * 120, categories=["f", "m", "x"])),
        pd.Series([1, "b"] * 120),
        pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"] * 120)),
        pd.Series([True, False] * 120),
    ],
    ids=["unused category", "mixed", "dates", "bool"],
)
def test_any_values_of_the_attribute(groups):
    data = X.assign(key=groups.to_numpy()).assign(key=groups.array)
    model = LogisticRegression().fit(X, Y)
    expected = -selection_gap(model.predict(X), groups)
    by_series = get_scorer(DPD, sensitive_features=groups.set_axis(X.index))
    assert by_series(model, X, Y) == pytest.approx(expected)
    passed = get_scorer(DPD)
    assert passed(model, X, Y, sensitive_features=data["key"]) == pytest.approx(expected)
    assert passed(model, X, Y, sensitive_features=list(groups)) == pytest.approx(expected)


def test_missing_values_by_policy():
    groups = GROUP.where(np.arange(len(GROUP)) % 10 > 0)
    model = LogisticRegression().fit(X, Y)
    y_pred = pd.Series(model.predict(X), index=X.index)
    grouped = get_scorer(DPD, sensitive_features=groups, missing="group")
    assert grouped(model, X, Y) == pytest.approx(-selection_gap(y_pred, groups.fillna("none")))
    dropped = get_scorers([DPD, "cramers_v"], sensitive_features=groups, missing="drop")
    kept = groups.dropna().index
    with pytest.warns(UserWarning, match="left out 24 of 240 rows") as warned:
        found = check_scoring(model, dropped)(model, X, Y)
    assert len(warned) == 1
    assert found[DPD] == pytest.approx(-selection_gap(y_pred[kept], groups[kept]))


def test_rows_shuffled_together_score_the_same():
    order = np.random.default_rng(1).permutation(len(X))
    model = LogisticRegression().fit(X, Y)
    scorer = get_scorer(DPD, sensitive_features=GROUP)
    assert scorer(model, X.iloc[order], Y.iloc[order]) == pytest.approx(scorer(model, X, Y))
