"""DirectionalScorer: the same values as the functions on each fold, in both directions."""

import math

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate

from skfairprop.datasets import make_biased_classification
from skfairprop.exceptions import ScorerSetupError
from skfairprop.meta import DirectionalClassifier
from skfairprop.metrics import (
    directional_bias_amplification,
    directional_predictability_amplification,
    mals_bias_amplification,
)
from skfairprop.scorers import DirectionalScorer, get_scorer

BA = "directional_bias_amplification"
DPA = "directional_predictability_amplification"
MALS = "mals_bias_amplification"


@pytest.fixture(scope="module")
def problem():
    data = make_biased_classification(1500, base_rates=(0.7, 0.3), random_state=0)
    model = DirectionalClassifier(LogisticRegression(), sensitive_features=data.sensitive_features)
    return model, data.data, data.target, data.sensitive_features


@pytest.mark.parametrize("name", [BA, DPA])
@pytest.mark.parametrize("direction", ["a_to_t", "t_to_a"])
@pytest.mark.parametrize("objective", ["abs", "signed"])
def test_the_score_is_the_negated_value_of_the_fold(problem, name, direction, objective):
    model, X, y, people = problem
    function = {BA: directional_bias_amplification, DPA: directional_predictability_amplification}
    scorer = DirectionalScorer(
        name, direction=direction, sensitive_features=people, objective=objective
    )
    folds = list(StratifiedKFold(3).split(X, y))
    found = cross_validate(model, X, y, cv=folds, scoring=scorer, return_estimator=True)
    for score, fitted, (_, test) in zip(
        found["test_score"], found["estimator"], folds, strict=True
    ):
        rows, truth = X.iloc[test], y.iloc[test]
        value = function[name](
            truth,
            fitted.predict(rows),
            sensitive_features=people.iloc[test],
            sensitive_pred=fitted.predict_attribute(rows),
            direction=direction,
        )
        expected = -abs(value) if objective == "abs" else -value
        assert score == pytest.approx(expected)


def test_mals_takes_the_training_rows_for_its_reference(problem):
    model, X, y, people = problem
    folds = list(StratifiedKFold(3).split(X, y))
    scorer = DirectionalScorer(MALS, sensitive_features=people, objective="signed")
    found = cross_validate(model, X, y, cv=folds, scoring=scorer, return_estimator=True)
    for score, fitted, (train, test) in zip(
        found["test_score"], found["estimator"], folds, strict=True
    ):
        value = mals_bias_amplification(
            y.iloc[test],
            fitted.predict(X.iloc[test]),
            sensitive_features=people.iloc[test],
            reference=(y.iloc[train], people.iloc[train]),
        )
        assert score == pytest.approx(-value)
    plain = LogisticRegression().fit(X, y)
    value = mals_bias_amplification(y, plain.predict(X), sensitive_features=people)
    assert scorer(plain, X, y) == pytest.approx(-value)


def test_both_directions_beside_other_scorers_predict_once(problem):
    _, X, y, people = problem
    calls = []

    class Counted(DirectionalClassifier):
        def predict(self, X):
            calls.append("predict")
            return super().predict(X)

    model = Counted(LogisticRegression(), sensitive_features=people)
    scoring = {
        "forth": DirectionalScorer(BA, sensitive_features=people),
        "back": DirectionalScorer(BA, direction="t_to_a", sensitive_features=people),
        "gap": get_scorer("demographic_parity_difference", sensitive_features=people),
        "accuracy": "accuracy",
    }
    found = cross_validate(model, X, y, cv=3, scoring=scoring)
    assert len(calls) == 3
    assert all(np.isfinite(found[f"test_{name}"]).all() for name in scoring)


def test_options_reach_the_function(problem):
    model, X, y, people = problem
    fitted = model.fit(X, y)
    options = {"method": "crossfit", "random_state": 0, "equalize": "expected"}
    scorer = DirectionalScorer(DPA, sensitive_features=people, **options)
    value = directional_predictability_amplification(
        y, fitted.predict(X), sensitive_features=people, **options
    )
    assert scorer(fitted, X, y) == pytest.approx(-abs(value))


def test_weights_and_missing_values(problem):
    model, X, y, people = problem
    fitted = model.fit(X, y)
    weight = np.arange(len(y)) % 4
    scorer = DirectionalScorer(BA, direction="t_to_a", sensitive_features=people)
    value = directional_bias_amplification(
        y,
        None,
        sensitive_features=people,
        sensitive_pred=fitted.predict_attribute(X),
        direction="t_to_a",
        sample_weight=weight,
    )
    assert scorer(fitted, X, y, sample_weight=weight) == pytest.approx(-abs(value))
    column = people.iloc[:, 0].where(np.arange(len(y)) >= 5)
    scorer = DirectionalScorer(BA, sensitive_features=column)
    with pytest.raises(ScorerSetupError, match="5 of 1,500 values are missing"):
        scorer(fitted, X, y)
    scorer = DirectionalScorer(BA, sensitive_features=column, missing="drop")
    with pytest.warns(UserWarning, match="left out 5 of 1,500 rows"):
        assert scorer(fitted, X, y) <= 0


def test_one_group_is_an_undefined_score(problem):
    model, X, y, _ = problem
    fitted = model.fit(X, y)
    one = pd.Series("a", index=X.index)
    for undefined_score in (math.nan, -1.0):
        scorer = DirectionalScorer(BA, sensitive_features=one, undefined_score=undefined_score)
        with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="only one: 'a'"):
            np.testing.assert_equal(scorer(fitted, X, y), undefined_score)


def test_a_search_by_both_directions(problem):
    model, X, y, people = problem
    scoring = {
        way: DirectionalScorer(BA, direction=way, sensitive_features=people)
        for way in ("a_to_t", "t_to_a")
    }
    grid = {"estimator__C": [1e-4, 1.0], "attribute_estimator": [LogisticRegression(C=1e-4)]}
    search = GridSearchCV(model, grid, cv=2, scoring=scoring, refit="a_to_t").fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert (search.cv_results_["mean_test_t_to_a"] <= 0).all()


def test_routed_groups(problem):
    _, X, y, people = problem
    with sklearn.config_context(enable_metadata_routing=True):
        model = DirectionalClassifier(LogisticRegression())
        scorer = DirectionalScorer(BA, direction="t_to_a")
        found = cross_validate(
            model, X, y, cv=2, scoring=scorer, params={"sensitive_features": people}
        )
    assert np.isfinite(found["test_score"]).all()


def test_a_model_that_does_not_predict_the_attribute_is_named(problem):
    _, X, y, people = problem
    plain = LogisticRegression().fit(X, y)
    scorer = DirectionalScorer(BA, direction="t_to_a", sensitive_features=people)
    message = "LogisticRegression has no predict_attribute; score a skfairprop.meta.Directional"
    with pytest.raises(ScorerSetupError, match=message):
        scorer(plain, X, y)


def test_what_does_not_exist_is_refused_at_once():
    with pytest.raises(ValueError, match="metric must be one of"):
        DirectionalScorer("cramers_v")
    with pytest.raises(ValueError, match="direction must be one of"):
        DirectionalScorer(BA, direction="back")
    with pytest.raises(ValueError, match="has no direction; leave direction out"):
        DirectionalScorer(MALS, direction="t_to_a")
    with pytest.raises(ValueError, match="objective must be one of"):
        DirectionalScorer(BA, objective="square")
    with pytest.raises(ValueError, match="has no option 'equalize'; it knows tie"):
        DirectionalScorer(BA, equalize="expected")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (DPA, {"method": "foo"}, "method must be 'contingency', 'crossfit' or a scikit-learn est"),
        (DPA, {"method": 3}, "method must be .*; got int"),
        (DPA, {"quality": "f1"}, "quality must be a callable or one of .*; got 'f1'"),
        (DPA, {"quality": "brier"}, "gives the accuracy alone; for quality='brier' pass an"),
        (DPA, {"equalize": "all"}, "equalize must be one of .*; got 'all'"),
        (
            DPA,
            {"equalize": "expected", "method": LogisticRegression()},
            "pass equalize='random' with an estimator",
        ),
        (DPA, {"relative": "no"}, "relative must be True or False; got 'no'"),
        (DPA, {"eps": 0}, "eps must be a number above 0; got 0"),
        (DPA, {"n_repeats": 0}, "n_repeats must be an integer of at least 1; got 0"),
        (DPA, {"method": "crossfit", "cv": 1}, "cv must be an integer of at least 2; got 1"),
        (DPA, {"method": "crossfit", "cv": "kfold"}, "cv must be a number of folds, .* 'kfold'"),
        (DPA, {"random_state": "seed"}, "random_state must be None, an integer .* got 'seed'"),
        (BA, {"tie": "half"}, "tie must be one of .*; got 'half'"),
        (MALS, {"undefined": "skip"}, "undefined must be one of .*; got 'skip'"),
        (MALS, {"reference": "train"}, "reference must be a GroupCounts or a pair .*; got str"),
    ],
)
def test_options_are_refused_at_once_and_as_by_the_function(problem, name, options, message):
    with pytest.raises(ValueError, match=message):
        DirectionalScorer(name, **options)
    function = {
        BA: directional_bias_amplification,
        DPA: directional_predictability_amplification,
        MALS: mals_bias_amplification,
    }
    _, _, y, people = problem
    with pytest.raises(ValueError, match=message):
        function[name](y, y, sensitive_features=people, **options)


def test_a_check_draws_nothing_from_a_generator():
    for make in (np.random.default_rng, np.random.RandomState):
        rng = make(0)
        DirectionalScorer(DPA, method="crossfit", random_state=rng)
        assert rng.standard_normal() == make(0).standard_normal()


def test_repr_shows_what_was_set():
    scorer = DirectionalScorer(DPA, direction="t_to_a", sensitive_features="sex", relative=False)
    assert repr(scorer) == (
        f"DirectionalScorer({DPA!r}, sensitive_features='sex', direction='t_to_a', relative=False)"
    )
