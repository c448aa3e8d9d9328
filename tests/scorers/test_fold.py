"""A fold is predicted and counted once, and lacks no class that the estimator knows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score, cross_validate

from skfairprop import GroupCounts, metrics
from skfairprop.exceptions import ScorerSetupError
from skfairprop.metrics import METRICS
from skfairprop.scorers import _fold, get_scorer, get_scorer_names, get_scorers
from tests.scorers.people import CV, DPD, GROUP, MODEL, X, Y, scorer_and_params, selection_gap

# -- once a fold -----------------------------------------------------------------------------------


class Counting(LogisticRegression):
    """Counts its calls, in a list that survives cloning."""

    calls = []  # noqa: RUF012

    def predict(self, X):
        Counting.calls.append("predict")
        return super().predict(X)

    def predict_proba(self, X):
        Counting.calls.append("predict_proba")
        return super().predict_proba(X).round(1)


@pytest.fixture
def calls():
    Counting.calls = []
    return Counting.calls


@pytest.fixture
def counted(monkeypatch):
    """Records every count of rows."""
    made = []
    original = GroupCounts.from_arrays.__func__

    def from_arrays(cls, y_true, y_pred=None, **kwargs):
        made.append(y_pred is not None)
        return original(cls, y_true, y_pred, **kwargs)

    monkeypatch.setattr(GroupCounts, "from_arrays", classmethod(from_arrays))
    return made


def test_a_fold_is_predicted_and_counted_once_for_all_scorers(way, calls, counted):
    names = [n for n in get_scorer_names() if METRICS[n].inputs != "attributions"]
    scoring = {name: scorer_and_params(way, name)[0] for name in names}
    params = scorer_and_params(way)[1]
    cross_validate(
        Counting(), X, Y, cv=CV, scoring={"accuracy": "accuracy", **scoring}, params=params or None
    )
    assert calls.count("predict") == 3
    assert calls.count("predict_proba") == 3
    assert counted.count(True) == 3


def test_a_score_and_a_count_metric_share_the_prediction(calls):
    scoring = get_scorers(["estimation_erbs", DPD], sensitive_features="group")
    cross_validate(Counting(), X, Y, cv=CV, scoring=scoring)
    assert calls.count("predict") == 3


def test_scorers_of_one_call_may_have_groups_and_weights_of_their_own(routing):
    other = pd.Series(np.arange(len(X)) % 2, index=X.index)
    weight = np.arange(len(X)) % 3
    scoring = {
        "group": get_scorer(DPD, sensitive_features="group"),
        "other": get_scorer(DPD, sensitive_features=other),
        "weighted": get_scorer(DPD, sensitive_features="group").set_score_request(
            sample_weight=True
        ),
    }
    for name in ("group", "other"):
        scoring[name].set_score_request(sample_weight=False)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    found = cross_validate(model, X, Y, cv=CV, scoring=scoring, params={"sample_weight": weight})
    for name, scorer in scoring.items():
        alone = cross_validate(
            model,
            X,
            Y,
            cv=CV,
            scoring=scorer,
            params={"sample_weight": weight} if name == "weighted" else None,
        )
        assert found[f"test_{name}"] == pytest.approx(alone["test_score"])
    assert not np.allclose(found["test_group"], found["test_other"])
    assert not np.allclose(found["test_group"], found["test_weighted"])


def test_nothing_is_kept_after_a_call():
    cross_validate(
        MODEL, X, Y, cv=CV, scoring=get_scorers([DPD, "cramers_v"], sensitive_features="group")
    )
    assert len(_fold._FOLDS) == 0


def test_the_estimator_may_change_between_calls():
    scorer = get_scorer(DPD, sensitive_features="group")
    model = LogisticRegression().fit(X, Y)
    before = scorer(model, X, Y)
    model.coef_ = -model.coef_
    assert scorer(model, X, Y) == pytest.approx(-selection_gap(model.predict(X), X["group"]))
    assert scorer(model, X, Y) != before


# -- classes that a fold lacks ---------------------------------------------------------------------


def test_the_positive_class_may_be_absent_from_a_fold():
    names = Y.map({0: "bad", 1: "good"})
    model = LogisticRegression().fit(X, names)
    none = names[names == "bad"].index
    rejects = DummyClassifier(strategy="constant", constant="bad").fit(X, names)
    scorer = get_scorer(DPD, sensitive_features="group", pos_label="good")
    assert scorer(rejects, X.loc[none], names[none]) == 0
    assert scorer(model, X.loc[none], names[none]) == pytest.approx(
        -selection_gap(model.predict(X.loc[none]) == "good", X["group"][none])
    )
    with pytest.raises(ScorerSetupError, match=r"pos_label='god' is not among the labels found"):
        get_scorer(DPD, sensitive_features="group", pos_label="god")(model, X, names)


def test_the_classes_of_the_estimator_decide_whether_a_positive_class_is_needed():
    three = Y.where(np.arange(len(Y)) % 4 > 0, 2)
    model = DummyClassifier(strategy="constant", constant=1).fit(X, three)
    two = three[three < 2].index  # a fold that looks binary
    scorer = get_scorer(DPD, sensitive_features="group")
    with pytest.raises(ScorerSetupError, match="do not tell which it is; pass pos_label="):
        scorer(model, X.loc[two], three[two])
    against_rest = get_scorer(DPD, sensitive_features="group", pos_label=2)
    assert against_rest(model, X.loc[two], three[two]) == 0


def test_a_class_that_is_neither_true_nor_predicted_does_not_count():
    three = Y.where(np.arange(len(Y)) % 4 > 0, 2)
    model = LogisticRegression().fit(X.drop(columns="group"), three)
    rows = X.drop(columns="group").loc[three[three < 2].index]
    y_pred = model.predict(rows)
    rows, y, y_pred = rows[y_pred < 2], three[rows.index][y_pred < 2], y_pred[y_pred < 2]
    for name in ("term_by_term_equalized_odds", "demographic_parity", "classwise_equalized_odds"):
        value = getattr(metrics, name)(y, y_pred, sensitive_features=GROUP[rows.index])
        assert get_scorer(name, sensitive_features=GROUP)(model, rows, y) == -value


def test_a_rare_group_may_be_absent_from_folds():  # B05
    rare = GROUP.where(np.arange(len(GROUP)) % 60 > 0, "x")
    scorer = get_scorer(DPD, sensitive_features=rare)
    scores = cross_val_score(MODEL, X, Y, cv=KFold(20), scoring=scorer)
    for score, (train, test) in zip(scores, KFold(20).split(X), strict=True):
        y_pred = clone(MODEL).fit(X.iloc[train], Y.iloc[train]).predict(X.iloc[test])
        assert score == pytest.approx(-selection_gap(y_pred, rare.iloc[test]))


def test_several_classes():  # B09
    y_true, y_pred, groups = [0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 2, 2], list("aaabbb")

    class Ready(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1, 2])

        def predict(self, X):
            return np.array(y_pred)

    rows = np.zeros((6, 1))
    for label, gap, odds in ((0, 0, 0), (1, 2 / 3, 1), (2, 2 / 3, 1)):
        for name, expected in ((DPD, gap), ("equalized_odds_difference", odds)):
            scorer = get_scorer(name, pos_label=label)
            assert scorer(Ready(), rows, y_true, sensitive_features=groups) == pytest.approx(
                -expected
            )
    with pytest.raises(ScorerSetupError, match="pass pos_label="):
        get_scorer(DPD)(Ready(), rows, y_true, sensitive_features=groups)


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "Float64", "int8", "category"])
def test_nullable_labels(dtype):  # B13
    y = Y.astype(dtype) if dtype != "category" else Y.astype("category")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = LogisticRegression().fit(X, y)
    scorer = get_scorer(DPD, sensitive_features=GROUP.astype("string"))
    assert scorer(model, X, y) == pytest.approx(-selection_gap(model.predict(X), GROUP))


def test_labels_with_a_blank_in_front_are_an_error_that_lists_them():  # B25
    names = Y.map({0: " <=50K", 1: " >50K"})
    scorer = get_scorer(DPD, sensitive_features="group", pos_label=">50K")
    with pytest.raises(ScorerSetupError, match=r"pos_label='>50K' .* found: ' <=50K', ' >50K'"):
        cross_validate(MODEL, X, names, cv=CV, scoring=scorer)


@pytest.mark.parametrize("labels", [(-1, 1), (False, True), (2**60, 2**60 + 1), (1, 2)])
def test_other_pairs_of_labels(labels):
    y = Y.map(dict(enumerate(labels)))
    pos_label = None if labels[1] == 1 else labels[1]
    scorer = get_scorer(DPD, sensitive_features="group", pos_label=pos_label)
    model = LogisticRegression().fit(X, y)
    expected = -selection_gap(model.predict(X) == labels[1], GROUP)
    assert scorer(model, X, y) == pytest.approx(expected)
