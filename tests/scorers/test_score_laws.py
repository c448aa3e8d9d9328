"""The scorers on scores are their function with a sign: the same values, and the same refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_validate

from skfairprop.exceptions import ScorerSetupError
from skfairprop.metrics import bias_estimation
from skfairprop.scorers import get_scorer
from tests.scorers.people import ON_SCORES

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
# The printed forms that are 1 where there is no bias.
INVERTED = [("estimation_erbs", "paper"), ("estimation_prediction_parity", "paper")]


class Told(ClassifierMixin, BaseEstimator):
    """Predictions and scores as they stand in two columns of X."""

    def __init__(self, probabilities=True):
        self.probabilities = probabilities

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return X["pred"].to_numpy()

    def decision_function(self, X):
        return X["score"].to_numpy()

    @property
    def predict_proba(self):
        if not self.probabilities:
            raise AttributeError("distances alone")
        return lambda X: np.column_stack([1 - X["score"], X["score"]])


def table(rows):
    X = pd.DataFrame(rows, columns=["group", "true", "pred", "score"])
    return X, X["true"]


def both(name, rows, *, weight=None, probabilities=True, **options):
    """The score and the value of the function."""
    X, y = table(rows)
    scorer = get_scorer(name, sensitive_features="group", **options)
    score = scorer(Told(probabilities).fit(X, y), X, y, sample_weight=weight)
    value = bias_estimation(
        y,
        X["pred"],
        method=name.removeprefix("estimation_"),
        sensitive_features=X["group"],
        y_score=X["score"],
        sample_weight=weight,
        **options,
    )
    return score, value


# -- the law --------------------------------------------------------------------------------------

BIT = st.integers(0, 1)
SCORES = {
    "few": st.sampled_from([0.1, 0.3, 0.5, 0.7]),
    "any": st.floats(0, 1),
    "distances": st.sampled_from([-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]),
}


@quiet
@pytest.mark.parametrize("convention", ["corrected", "paper"])
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("name", ON_SCORES)
@given(data=st.data())
@settings(max_examples=15)
def test_the_score_is_the_value_with_a_sign(name, kind, convention, data):
    row = st.tuples(st.sampled_from("abc"), BIT, BIT, SCORES[kind])
    rows = data.draw(st.lists(row, min_size=2, max_size=12))
    weights = st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows))
    options = {"convention": convention, "use_y_true": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        options["threshold"] = data.draw(SCORES[kind])
    if name == "estimation_calibration":
        options["min_group_size"] = data.draw(st.integers(1, 3))
    score, value = both(
        name,
        rows,
        weight=data.draw(st.none() | weights),
        probabilities=kind != "distances",
        **options,
    )
    sign = 1 if (name, convention) in INVERTED else -1
    assert score == pytest.approx(sign * value, abs=1e-12, nan_ok=True)


# -- a threshold that equals the scores but for rounding ------------------------------------------

# 20 times 0.7 has the mean 0.7000000000000001, and the mean of the distances is -1.4e-17: a score
# that lies on the threshold is not above it.
CONSTANT = [("ab"[i % 2], i % 3 == 0, i % 4 < 2, 0.7) for i in range(20)]
BALANCED = [
    ("a", 1, 0, -0.1),
    ("a", 1, 1, -0.2),
    ("a", 1, 0, 0.3),
    ("b", 1, 0, 0.0),
    ("b", 0, 1, -0.0),
    ("b", 1, 1, 0.0),
]


def test_a_constant_score_is_above_no_threshold():
    rows = [(group, int(true), int(pred), score) for group, true, pred, score in CONSTANT]
    with pytest.warns(UserWarning, match="no two groups have a rate to compare"):
        score, value = both("estimation_prediction_parity", rows)
    assert np.isnan([score, value]).all()
    with pytest.warns(UserWarning, match="no two groups have a rate to compare"):
        weighted = both("estimation_prediction_parity", rows, weight=np.arange(1, 21) / 7)
    assert np.isnan(weighted).all()
    # nothing is high, and all that is positive is low, in both groups
    assert both("estimation_erbs", rows) == (0.0, 0.0)


def test_a_distance_on_the_mean_is_not_above_it():
    # high is 0.3 alone: of the rows predicted 0, one of two in group a, and none of one in b
    score, value = both("estimation_erbs", BALANCED, probabilities=False)
    assert value == pytest.approx(4 * 0.25**2)  # a variance over its largest, 1 / 4
    assert score == -value


def test_rows_that_are_left_out_do_not_move_the_threshold():
    rows = [("a", 1, 1, 0.2), ("a", 1, 0, 0.6), ("b", 1, 0, 0.6), ("b", 1, 0, 0.6)]
    X, y = table([*rows, (None, 1, 1, 0.7)])
    scorer = get_scorer("estimation_prediction_parity", sensitive_features="group", missing="drop")
    weight = [1, 1, 1, 1, 100]  # with the last row the mean is above 0.6
    with pytest.warns(UserWarning, match="1 of 5 rows"):
        score = scorer(Told().fit(X, y), X, y, sample_weight=weight)
    assert score == both("estimation_prediction_parity", rows)[0] == 0.0


# -- refusals -------------------------------------------------------------------------------------

ROWS = [("ab"[i % 2], i % 3 % 2, i % 5 % 2, i / 60) for i in range(60)]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("probabilities", [True, False])
@pytest.mark.parametrize("name", ON_SCORES)
def test_scores_that_are_no_numbers_are_refused(name, probabilities, bad):
    X, y = table([(*ROWS[0][:3], bad), *ROWS[1:]])
    message = f"{name} scorer: the score of Told holds values that are missing or infinite"
    scorer = get_scorer(name, sensitive_features="group")
    with pytest.raises(ScorerSetupError, match=message):
        scorer(Told(probabilities).fit(X, y), X, y)
    with pytest.raises(ScorerSetupError, match=message):  # and is no score of 0 in a search
        cross_validate(Told(probabilities), X, y, cv=2, scoring={"bias": scorer}, error_score=0)
    with pytest.raises(ValueError, match="y_score holds values that are missing or infinite"):
        bias_estimation(
            y,
            X["pred"],
            method=name.removeprefix("estimation_"),
            sensitive_features=X["group"],
            y_score=X["score"],
        )


def test_as_many_scores_as_rows():
    class Short(Told):
        def decision_function(self, X):
            return X["score"].to_numpy()[1:]

    X, y = table(ROWS)
    scorer = get_scorer("estimation_erbs", sensitive_features="group")
    with pytest.raises(ScorerSetupError, match=r"y_pred has 60, .* the score of Short has 59"):
        scorer(Short(probabilities=False).fit(X, y), X, y)


@pytest.mark.parametrize("name", ON_SCORES)
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("threshold", "high", "threshold must be a number; got 'high'"),
        ("threshold", float("nan"), "threshold must be a number; got nan"),
        ("threshold", [0.5], r"threshold must be a number; got \[0\.5\]"),
        ("threshold", True, "threshold must be a number; got True"),
        ("min_group_size", "x", "min_group_size must be an integer of at least 1; got 'x'"),
        ("min_group_size", 0, "min_group_size must be an integer of at least 1; got 0"),
        ("use_y_true", "yes", "use_y_true must be True or False; got 'yes'"),
        ("convention", "printed", r"convention must be one of .*; got 'printed'"),
    ],
)
def test_options_are_refused_when_the_scorer_is_made_as_by_the_function(
    name, option, value, message
):
    with pytest.raises(ValueError, match=f"{name}: {message}"):
        get_scorer(name, **{option: value})
    X, y = table(ROWS)
    with pytest.raises(ValueError, match=f"^{message}"):
        bias_estimation(
            y,
            X["pred"],
            method=name.removeprefix("estimation_"),
            sensitive_features=X["group"],
            y_score=X["score"],
            **{option: value},
        )


# -- the direction of a search --------------------------------------------------------------------


@pytest.mark.parametrize("method", ["equal_opportunity", "error_rate_balance"])
def test_an_inverted_form_is_better_when_it_is_larger(method):
    X, y = table([("a", 1, 1, 0.5), ("a", 0, 0, 0.5), ("b", 1, 0, 0.5), ("b", 0, 1, 0.5)])
    fair = X.assign(pred=y)
    model = Told().fit(X, y)
    scorer = get_scorer(f"estimation_{method}", sensitive_features="group", convention="paper")
    assert scorer(model, fair, y) == 1.0
    assert scorer(model, X, y) < 1.0
