"""Scorers in every consumer of scikit-learn, told the protected attribute in every way."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline

from skfairprop.exceptions import ScorerSetupError
from skfairprop.scorers import get_scorer
from tests.scorers.people import (
    CV,
    DPD,
    GROUP,
    MODEL,
    X,
    Y,
    expected_scores,
    scorer_and_params,
    selection_gap,
)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_cross_validate(way, n_jobs):
    scorer, params = scorer_and_params(way)
    found = cross_validate(MODEL, X, Y, cv=CV, scoring=scorer, params=params or None, n_jobs=n_jobs)
    assert found["test_score"] == pytest.approx(expected_scores())


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_cross_validate_with_several_scorers(way, n_jobs):
    scorer, params = scorer_and_params(way)
    scoring = {"gap": scorer, "v": scorer_and_params(way, "cramers_v")[0], "accuracy": "accuracy"}
    found = cross_validate(
        MODEL,
        X,
        Y,
        cv=CV,
        scoring=scoring,
        params=params or None,
        return_train_score=True,
        n_jobs=n_jobs,
    )
    assert found["test_gap"] == pytest.approx(expected_scores())
    assert not np.isnan([found["train_gap"], found["test_v"], found["test_accuracy"]]).any()


class Drop(TransformerMixin, BaseEstimator):
    """Leave one column out."""

    def __init__(self, name):
        self.name = name

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X.drop(columns=self.name).to_numpy()


def grid_means():
    return [np.mean(expected_scores(model=LogisticRegression(C=c))) for c in (0.01, 1.0)]


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
@pytest.mark.parametrize("several", [False, True])
def test_search(way, search, several):
    scorer, params = scorer_and_params(way)
    extra = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    scoring = {"score": scorer, "accuracy": "accuracy"} if several else scorer
    found = search(MODEL, {"C": [0.01, 1.0]}, cv=CV, scoring=scoring, refit="score", **extra)
    found.fit(X, Y, **params)
    means = dict(
        zip(
            [p["C"] for p in found.cv_results_["params"]],
            found.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    assert [means[0.01], means[1.0]] == pytest.approx(grid_means())
    assert found.best_params_["C"] == (0.01, 1.0)[int(np.argmax(grid_means()))]


def test_halving_search(way):
    scorer, params = scorer_and_params(way)
    search = HalvingGridSearchCV(
        MODEL, {"C": [0.01, 1.0]}, cv=CV, scoring=scorer, max_resources=240, min_resources=240
    )
    search.fit(X, Y, **params)
    assert sorted(search.cv_results_["mean_test_score"]) == pytest.approx(sorted(grid_means()))


def test_learning_curve(way):
    scorer, params = scorer_and_params(way)
    _, train, test = learning_curve(
        MODEL, X, Y, cv=CV, scoring=scorer, params=params or None, train_sizes=[0.5, 1.0]
    )
    assert test[1] == pytest.approx(expected_scores())
    assert not np.isnan(train).any()


def test_validation_curve(way):
    scorer, params = scorer_and_params(way)
    _, test = validation_curve(
        MODEL,
        X,
        Y,
        cv=CV,
        scoring=scorer,
        params=params or None,
        param_name="C",
        param_range=[0.01, 1.0],
    )
    assert test.mean(axis=1) == pytest.approx(grid_means())


def test_permutation_test_score(way):
    scorer, params = scorer_and_params(way)
    score, permuted, _ = permutation_test_score(
        MODEL, X, Y, cv=CV, scoring=scorer, params=params or None, n_permutations=3, random_state=0
    )
    assert score == pytest.approx(np.mean(expected_scores()))
    assert not np.isnan(permuted).any()
    # the groups follow X: what is permuted is y alone
    shuffled = np.random.RandomState(0).permutation(len(Y))
    assert permuted[0] == pytest.approx(
        np.mean(expected_scores(y=Y.iloc[shuffled].set_axis(Y.index)))
    )


def test_nested_cross_validation(way):
    scorer, params = scorer_and_params(way)
    inner = GridSearchCV(MODEL, {"C": [0.01, 1.0]}, cv=CV, scoring=scorer)
    found = cross_validate(inner, X, Y, cv=CV, scoring=scorer, params=params or None)
    expected = expected_scores(
        model=GridSearchCV(
            MODEL, {"C": [0.01, 1.0]}, cv=CV, scoring=get_scorer(DPD, sensitive_features="group")
        )
    )
    assert found["test_score"] == pytest.approx(expected)


def test_threshold_tuning(way):
    scorer, params = scorer_and_params(way)
    tuned = TunedThresholdClassifierCV(MODEL, scoring=scorer, cv=CV, thresholds=[0.2, 0.5, 0.8])
    if way == "column":
        with pytest.raises(
            ScorerSetupError, match="X is not passed to it here; give a pandas Seri"
        ):
            tuned.fit(X, Y)
        return
    tuned.set_params(store_cv_results=True).fit(X, Y, **params)
    for threshold, score in zip([0.2, 0.5, 0.8], tuned.cv_results_["scores"], strict=True):
        gaps = []
        for train, test in CV.split(X, Y):
            fitted = clone(MODEL).fit(X.iloc[train], Y.iloc[train])
            y_pred = fitted.predict_proba(X.iloc[test])[:, 1] >= threshold
            gaps.append(-selection_gap(y_pred, GROUP.iloc[test]))
        assert score == pytest.approx(np.mean(gaps))


def test_threshold_tuning_knows_no_scores():
    tuned = TunedThresholdClassifierCV(
        MODEL, scoring=get_scorer("estimation_erbs", sensitive_features=GROUP), cv=CV
    )
    with pytest.raises(ScorerSetupError, match="needs scores, and is passed no estimator here"):
        tuned.fit(X, Y)


def test_permutation_importance(way):
    model = LogisticRegression().fit(X, Y)
    scorer, params = scorer_and_params(way)
    scoring = scorer
    if way == "routed":  # it routes nothing: only bound to a scorer of its own

        def scoring(model, X, y):
            return scorer(model, X, y, **params)

        with pytest.raises(ScorerSetupError, match="was not told the protected attribute"):
            permutation_importance(model, X, Y, scoring=scorer, n_repeats=1)
    found = permutation_importance(model, X, Y, scoring=scoring, n_repeats=2, random_state=0)
    # a column of X is shuffled itself when its turn comes: groups become noise, and their gap small
    shuffled_with = found.importances_mean[0]
    moved = X.assign(group=np.random.default_rng(0).permutation(X["group"]))
    gap = {"column": moved["group"], "series": GROUP, "routed": GROUP}[way]
    baseline = -selection_gap(model.predict(X), GROUP)
    expected = baseline + selection_gap(model.predict(moved), gap)
    assert shuffled_with == pytest.approx(expected, abs=0.15)
    assert found.importances_mean[2] == pytest.approx(0, abs=0.05)  # "b" is noise


def test_sequential_feature_selector(way):
    scorer, params = scorer_and_params(way)
    selector = SequentialFeatureSelector(
        MODEL, n_features_to_select=2, scoring=scorer, cv=CV, direction="backward"
    )
    if way == "column":
        with pytest.raises(ScorerSetupError, match="cannot read column 'group': X is a ndarray"):
            selector.fit(X, Y)
        return
    selector.fit(X, Y, **params)
    without = [
        np.mean(expected_scores(model=make_pipeline(Drop(name), LogisticRegression())))
        for name in X
    ]
    assert selector.get_support().tolist() == [score < max(without) for score in without]


def test_rfecv(way):
    scorer, params = scorer_and_params(way)
    selector = RFECV(MODEL, scoring=scorer, cv=CV)
    if way == "routed":
        selector.fit(X, Y, **params)
        found = [selector.cv_results_[f"split{i}_test_score"][-1] for i in range(3)]
        assert found == pytest.approx(expected_scores())
        return
    with pytest.raises(ScorerSetupError, match=r"X is a ndarray|neither X nor y has an index"):
        selector.fit(X, Y)


def test_logistic_regression_cv(way):
    scorer, params = scorer_and_params(way)
    model = LogisticRegressionCV(Cs=[0.01, 1.0], scoring=scorer, cv=CV)
    modern = "use_legacy_attributes" in model.get_params()
    if modern:
        model.set_params(l1_ratios=(0.0,), use_legacy_attributes=False)
    if way == "routed":
        model.fit(X, Y, **params)
        scores = np.squeeze(model.scores_ if modern else model.scores_[1])
        assert scores.mean(axis=0) == pytest.approx(grid_means())
        return
    with pytest.raises(ScorerSetupError, match=r"X is a ndarray|neither X nor y has an index"):
        model.fit(X, Y)
