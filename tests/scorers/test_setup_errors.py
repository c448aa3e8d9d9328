"""Mistakes are errors, never scores, and what is undefined is never the best."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
)

from skfairprop.exceptions import ScorerSetupError
from skfairprop.scorers import get_scorer
from tests.scorers.people import CV, DPD, GROUP, MODEL, X, Y

# -- undefined is never the best -------------------------------------------------------------------


class Selects(ClassifierMixin, BaseEstimator):
    """Predicts 1 for a share of each group: `low` of group 0, `high` of group 1."""

    def __init__(self, low=0.0, high=0.0):
        self.low = low
        self.high = high

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        group = np.asarray(X)[:, 0]
        share = np.where(group == 1, self.high, self.low)
        rank = np.where(group == 1, np.cumsum(group == 1), np.cumsum(group == 0)) % 10
        return (rank < share * 10).astype(int)


SHARES = {"low": [0.0, 0.2], "high": [0.0, 0.8]}  # (0, 0): nobody is selected, the ratio is 0/0


@pytest.mark.filterwarnings("ignore:demographic_parity_ratio is undefined")
@pytest.mark.filterwarnings("ignore:One or more of the (test|train) scores are non-finite")
@pytest.mark.parametrize(
    "search",
    [
        lambda scorer: GridSearchCV(Selects(), SHARES, cv=CV, scoring=scorer),
        lambda scorer: GridSearchCV(Selects(), SHARES, cv=CV, scoring={"r": scorer}, refit="r"),
        lambda scorer: RandomizedSearchCV(Selects(), SHARES, n_iter=4, cv=CV, scoring=scorer),
        lambda scorer: HalvingGridSearchCV(Selects(), SHARES, cv=CV, scoring=scorer, factor=2),
    ],
    ids=["grid", "several", "randomized", "halving"],
)
def test_searches_rank_undefined_last(search):
    found = search(get_scorer("demographic_parity_ratio", sensitive_features="group")).fit(X, Y)
    assert found.best_params_ == {"low": 0.2, "high": 0.8}
    key = "mean_test_r" if "mean_test_r" in found.cv_results_ else "mean_test_score"
    assert np.isnan(found.cv_results_[key]).any()


@pytest.mark.filterwarnings("ignore:demographic_parity_ratio is undefined")
def test_threshold_tuning_does_not_choose_an_undefined_value():
    scorer = get_scorer("demographic_parity_ratio", sensitive_features=GROUP)
    tuned = TunedThresholdClassifierCV(
        MODEL, scoring=scorer, cv=CV, thresholds=[0.5, 1.1], store_cv_results=True
    ).fit(X, Y)
    assert tuned.best_threshold_ == 0.5
    assert tuned.cv_results_["scores"][1] == -np.inf
    scorer = get_scorer("demographic_parity_ratio", sensitive_features=GROUP, undefined_score=-1)
    tuned.set_params(scoring=scorer).fit(X, Y)
    assert tuned.cv_results_["scores"][1] == -1


def test_undefined_is_nan_with_a_warning_or_the_score_that_was_chosen():
    rows = ([[0]] * 4, [1, 0, 1, 0])
    model = DummyClassifier(strategy="constant", constant=0).fit(*rows)
    for name in ("demographic_parity_ratio", "equal_opportunity_ratio"):
        with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined"):
            assert np.isnan(get_scorer(name)(model, *rows, sensitive_features=list("aabb")))
        worst = get_scorer(name, undefined_score=-np.inf)
        with pytest.warns(UndefinedMetricWarning):
            assert worst(model, *rows, sensitive_features=list("aabb")) == -np.inf
    gap = get_scorer(DPD)
    assert gap(model, *rows, sensitive_features=list("aabb")) == 0  # B07
    with pytest.warns(UndefinedMetricWarning, match="there is only one: 'a'"):
        assert np.isnan(gap(model, *rows, sensitive_features=list("aaaa")))
    with pytest.raises(ValueError, match="is undefined"):
        get_scorer(DPD, undefined="raise")(model, *rows, sensitive_features=list("aaaa"))


@pytest.mark.filterwarnings("ignore:demographic_parity_ratio is undefined")
def test_a_score_for_the_undefined_keeps_selectors_from_it():
    data = X[["b", "group"]].assign(b=0.0)  # without the group nobody is selected
    scorer = get_scorer(
        "demographic_parity_ratio", sensitive_features=GROUP, undefined_score=-np.inf
    )
    selector = SequentialFeatureSelector(
        Selects(low=0.0, high=0.8), n_features_to_select=1, scoring=scorer, cv=CV
    )
    assert selector.fit(data, Y).get_support().tolist() == [False, True]


# -- mistakes surface ------------------------------------------------------------------------------


MISTAKES = {
    "no column": ({"sensitive_features": "grupp"}, "X has no column 'grupp'; did you mean 'group'"),
    "not told": ({}, "was not told the protected attribute: name a column of X"),
    "other rows": (
        {"sensitive_features": GROUP[:50]},
        "rows are not in the index of sensitive_fea",
    ),
    "pos_label": (
        {"sensitive_features": "group", "pos_label": "yes"},
        "pos_label='yes' is not among the labels found: ",
    ),
    "missing": (
        {"sensitive_features": GROUP.mask(GROUP == "f")},
        r"'sex': \d+ of 80 values are missing; pass missing='group'",
    ),
    "callable": (
        {"sensitive_features": lambda X: X["grupp"]},
        "the callable sensitive_features failed on X, a DataFrame here: KeyError: 'grupp'",
    ),
}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_an_error_never_a_score(mistake, several):
    options, message = MISTAKES[mistake]
    scorer = get_scorer(DPD, **options)
    scoring = {"a": scorer, "accuracy": "accuracy"} if several else scorer
    with pytest.raises(ScorerSetupError, match=message):
        cross_validate(MODEL, X, Y, cv=CV, scoring=scoring)


def test_a_forgotten_attribute_is_an_error_with_routing_too(routing):
    with pytest.raises(ScorerSetupError, match="was not told the protected attribute"):
        cross_validate(MODEL, X, Y, cv=CV, scoring=get_scorer(DPD))


@pytest.mark.slow
def test_a_mistake_surfaces_from_other_processes():
    with pytest.raises(ScorerSetupError, match="did you mean 'group'"):
        cross_validate(
            MODEL, X, Y, cv=CV, scoring=get_scorer(DPD, sensitive_features="grupp"), n_jobs=2
        )


def test_a_failure_of_the_estimator_follows_error_score():
    class Broken(LogisticRegression):
        def predict(self, X):
            raise ValueError("no prediction today")

    scoring = {"a": get_scorer(DPD, sensitive_features="group"), "b": "accuracy"}
    with pytest.warns(UserWarning, match="no prediction today"):
        found = cross_validate(Broken(), X, Y, cv=CV, scoring=scoring)
    assert np.isnan(found["test_a"]).all()
    with pytest.raises(ValueError, match="no prediction today"):
        scoring["a"](Broken().fit(X, Y), X, Y)


@pytest.mark.parametrize(
    "y, message",
    [
        (np.column_stack([Y, Y]), "y_true must be one-dimensional; got 2 columns"),
        (Y[:-1].to_numpy(), "different numbers of rows"),
        (Y.astype(str).replace("1", "yes"), "labels of different types"),
        (Y.where(Y.index % 7 > 0), "y_true: .* values are missing"),
    ],
    ids=["2-D", "length", "types", "missing"],
)
def test_labels_that_cannot_be_counted(y, message):
    scorer = get_scorer(DPD, sensitive_features="group")
    with pytest.raises(ScorerSetupError, match=message):
        scorer(LogisticRegression().fit(X, Y), X, y)


def test_predictions_that_are_no_classes():
    with pytest.raises(ScorerSetupError, match="y_pred holds continuous values"):
        cross_validate(
            LinearRegression(), X, Y, scoring=get_scorer(DPD, sensitive_features="group")
        )


@pytest.mark.parametrize(
    "weight, message",
    [
        (np.ones(3), r"sample_weight has 3 rows; X has 240"),
        (-np.ones(240), "240 negative values"),
        (np.ones((240, 2)), "must be one-dimensional"),
        (pd.Series(np.ones(240)), "sample_weight does not have the index of the data"),
    ],
)
def test_weights_that_are_refused(weight, message):
    scorer = get_scorer(DPD, sensitive_features="group")
    with pytest.raises(ScorerSetupError, match=message):
        scorer(LogisticRegression().fit(X, Y), X, Y, sample_weight=weight)
