"""Every metric as a scorer: values, signs, options, and how scorers are made."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_validate
from sklearn.svm import LinearSVC

from skfairprop import metrics
from skfairprop.exceptions import ScorerSetupError
from skfairprop.metrics import METRICS, Metric
from skfairprop.scorers import (
    FairnessScorer,
    MESDScorer,
    get_scorer,
    get_scorer_names,
    get_scorers,
    make_fairness_scorer,
)
from tests.scorers.people import (
    CV,
    DPD,
    GROUP,
    MODEL,
    ON_SCORES,
    RATIOS,
    RoundedDistances,
    RoundedScores,
    X,
    Y,
    gap_of_mean,
    selection_gap,
)

# -- every metric is a scorer ------------------------------------------------------------------


def test_there_is_a_scorer_for_every_metric():
    assert get_scorer_names() == sorted(METRICS)
    assert len(get_scorer_names()) >= 45
    for name in get_scorer_names():
        explained = METRICS[name].inputs == "attributions"
        assert isinstance(get_scorer(name), MESDScorer if explained else FairnessScorer)


OF_PREDICTIONS = [n for n in get_scorer_names() if METRICS[n].inputs != "attributions"]


@pytest.mark.parametrize("name", OF_PREDICTIONS)
def test_a_scorer_is_its_metric_with_the_sign_that_makes_larger_better(name):
    model = RoundedScores().fit(X, Y)
    y_pred, score = model.predict(X), model.predict_proba(X)[:, 1]
    found = get_scorer(name, sensitive_features=GROUP)(model, X, Y)
    if name in ON_SCORES:
        method = name.removeprefix("estimation_")
        value = metrics.bias_estimation(
            Y, y_pred, method=method, sensitive_features=GROUP, y_score=score
        )
    elif hasattr(metrics, name) and METRICS[name].inputs == "labels":
        value = getattr(metrics, name)(Y, sensitive_features=GROUP)
    elif hasattr(metrics, name):
        value = getattr(metrics, name)(Y, y_pred, sensitive_features=GROUP)
    else:
        method = name.removeprefix("estimation_")
        value = metrics.bias_estimation(Y, y_pred, method=method, sensitive_features=GROUP)
    if name == "multi_attribute_bias_amplification":
        value, _ = value  # the function returns a variance too
    assert found == pytest.approx(value if name in RATIOS else -abs(value), abs=1e-12)
    assert not np.isnan(found)


SMALL = {"explainers": ["lime"], "n_samples": 12, "n_perturbations": 2, "n_permutations": 9}


@pytest.mark.parametrize("name", get_scorer_names())
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_every_scorer_can_be_copied_and_sent(name, duplicate):
    options = SMALL | {"random_state": 0} if METRICS[name].inputs == "attributions" else {}
    scorer = get_scorer(name, sensitive_features=GROUP, **options)
    other = duplicate(scorer)
    assert repr(other) == repr(scorer)
    model = RoundedScores().fit(X, Y)
    assert other(model, X, Y) == scorer(model, X, Y)


def test_a_value_by_hand():
    model = DummyClassifier(strategy="prior").fit([[0]] * 4, [1, 1, 1, 0])
    scorer = get_scorer("cramers_v")
    assert scorer(model, [[0]] * 4, [1, 1, 0, 0], sensitive_features=list("aabb")) == -1.0
    assert str(scorer(model, [[0]] * 4, [1, 0, 1, 0], sensitive_features=list("aabb"))) == "0.0"


def test_signed_metrics_score_their_size_or_their_negated_value():
    signed = Metric(
        "signed_gap",
        lambda rates: rates.positive_rate("prediction_rate")[..., 0, 0] - 0.75,
        family="amplification",
        formula="",
        source="",
        misleads="",
        needs_positive=True,
        signed=True,
        range=(-1.0, 1.0),
    )
    model = DummyClassifier(strategy="constant", constant=0).fit([[0]] * 4, [0, 0, 1, 1])
    rows = ([[0]] * 4, [0, 0, 1, 1])
    groups = list("aabb")
    assert make_fairness_scorer(signed)(model, *rows, sensitive_features=groups) == -0.75
    scorer = make_fairness_scorer(signed, objective="signed")
    assert scorer(model, *rows, sensitive_features=groups) == 0.75


def test_data_set_metrics_score_the_labels_or_the_predictions():
    model = LogisticRegression().fit(X, Y)
    labels = make_fairness_scorer("cramers_v", sensitive_features="group")
    predictions = make_fairness_scorer("cramers_v", sensitive_features="group", of="y_pred")
    assert labels(model, X, Y) == -metrics.cramers_v(Y, sensitive_features=GROUP)
    y_pred = pd.Series(model.predict(X), index=X.index)
    assert predictions(model, X, Y) == -metrics.cramers_v(y_pred, sensitive_features=GROUP)


def test_the_labels_of_a_fold_need_no_prediction():
    unfitted = LogisticRegression()
    assert get_scorer("ens_bias", sensitive_features="group")(unfitted, X, Y) <= 0


def test_declared_groups_count():
    scorer = make_fairness_scorer("ens_bias", sensitive_features=GROUP, groups=["f", "m", "x"])
    value = metrics.ens_bias(Y, sensitive_features=GROUP, groups=["f", "m", "x"])
    assert scorer(MODEL, X, Y) == -value


def test_options_of_the_metric():
    model = LogisticRegression().fit(X, Y)
    scorer = make_fairness_scorer(
        "equalized_odds_difference", sensitive_features=X["group"], agg="mean"
    )
    value = metrics.equalized_odds_difference(
        Y, model.predict(X), sensitive_features=GROUP, agg="mean"
    )
    assert scorer(model, X, Y) == -value


@pytest.mark.parametrize("method", ["calibration", "prediction_parity", "erbs"])
@pytest.mark.parametrize("options", [{}, {"threshold": 0.4}, {"use_y_true": True}])
@pytest.mark.parametrize("model", [RoundedScores(), RoundedDistances()])
def test_scores_of_the_positive_class(method, options, model):
    names = Y.map({0: "bad", 1: "good"})
    model = clone(model).fit(X, names)
    if isinstance(model, LinearSVC):
        score = -model.decision_function(X)
    else:
        score = model.predict_proba(X)[:, 0]
    common = {"pos_label": "bad"} | options
    scorer = make_fairness_scorer(f"estimation_{method}", sensitive_features="group", **common)
    value = metrics.bias_estimation(
        names, model.predict(X), method=method, sensitive_features=GROUP, y_score=score, **common
    )
    assert scorer(model, X, names) == pytest.approx(-value)


def test_scores_with_weights_and_rows_that_are_left_out():
    model = LogisticRegression().fit(X, Y)
    weight = np.arange(len(X)) % 3
    groups = GROUP.where(np.arange(len(X)) % 10 > 0)
    scorer = make_fairness_scorer(
        "estimation_prediction_parity", sensitive_features=groups, missing="drop", use_y_true=True
    )
    keep = groups.notna().to_numpy()
    value = metrics.bias_estimation(
        Y[keep],
        model.predict(X[keep]),
        method="prediction_parity",
        sensitive_features=groups[keep],
        y_score=model.predict_proba(X[keep])[:, 1],
        sample_weight=weight[keep],
        use_y_true=True,
    )
    with pytest.warns(UserWarning, match="24 of 240 rows with a missing protected value"):
        found = scorer(model, X, Y, sample_weight=weight)
    assert found == pytest.approx(-value)


def test_a_model_without_scores_says_so():
    class NoScores(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def predict(self, X):
            return X["group"].to_numpy()

    scorer = get_scorer("estimation_erbs", sensitive_features="group")
    with pytest.raises(
        ScorerSetupError, match="NoScores has neither of predict_proba and decision"
    ):
        scorer(NoScores(), X, Y)


def test_scores_of_a_class_that_the_model_does_not_know():
    three = Y.where(np.arange(len(Y)) % 4 > 0, 2)
    scorer = get_scorer("estimation_erbs", sensitive_features="group", pos_label=2)
    with pytest.raises(ScorerSetupError, match="scores of the class 2; LogisticRegression knows 0"):
        scorer(LogisticRegression().fit(X, Y), X, three)


def test_scores_of_one_group_are_undefined():
    scorer = get_scorer("estimation_erbs")
    with pytest.warns(UndefinedMetricWarning, match=r"estimation_erbs is undefined \(NaN\)"):
        found = scorer(LogisticRegression().fit(X, Y), X, Y, sensitive_features=["a"] * len(X))
    assert np.isnan(found)


# -- making them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [DPD, METRICS[DPD], metrics.demographic_parity_difference])
def test_a_metric_may_be_a_name_a_record_or_the_function(metric):
    scorer = make_fairness_scorer(metric, sensitive_features="group")
    assert scorer.metric is METRICS[DPD]
    assert repr(scorer) == f"FairnessScorer('{DPD}', sensitive_features='group')"


def test_any_function_can_be_a_scorer():
    scorer = make_fairness_scorer(
        gap_of_mean, sensitive_features="group", greater_is_better=False, power=2
    )
    model = LogisticRegression().fit(X, Y)
    expected = selection_gap(model.predict(X), X["group"]) ** 2
    assert scorer(model, X, Y) == pytest.approx(-expected)
    found = cross_validate(MODEL, X, Y, scoring={"f": scorer, "accuracy": "accuracy"}, cv=CV)
    assert not np.isnan(found["test_f"]).any()


def test_a_function_that_is_better_when_greater():
    scorer = make_fairness_scorer(gap_of_mean, sensitive_features="group", greater_is_better=True)
    assert scorer(MODEL.fit(X, Y), X, Y) > 0


def test_a_function_of_fairlearn():
    fairlearn = pytest.importorskip("fairlearn.metrics")
    scorer = make_fairness_scorer(
        fairlearn.equalized_odds_difference, sensitive_features="group", greater_is_better=False
    )
    ours = make_fairness_scorer("equalized_odds_difference", sensitive_features="group")
    model = LogisticRegression().fit(X, Y)
    weight = np.arange(len(X)) % 3
    assert scorer(model, X, Y, sample_weight=weight) == pytest.approx(
        ours(model, X, Y, sample_weight=weight)
    )


ATTRIBUTIONS = Metric(
    "m", len, family="procedural", formula="", source="", misleads="", inputs="attributions"
)


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: get_scorer("demographic_party"), ValueError, "did you mean 'demographic_parity'"),
        (lambda: make_fairness_scorer("demographic_party"), ValueError, "did you mean"),
        (lambda: get_scorers(DPD), TypeError, "use get_scorer"),
        (lambda: make_fairness_scorer(3), TypeError, "must be a name, a Metric or a function"),
        (
            lambda: get_scorer(DPD, sensitive_features=0),
            TypeError,
            "is a position, which is another",
        ),
        (
            lambda: get_scorer(DPD, sensitive_features=np.zeros(3)),
            TypeError,
            "neither column names",
        ),
        (lambda: get_scorer(DPD, agg="mean"), ValueError, "has no option 'agg'"),
        (lambda: get_scorer(DPD, undefined="skip"), ValueError, "undefined must be one of"),
        (lambda: get_scorer(DPD, missing="skip"), ValueError, "missing must be one of"),
        (lambda: get_scorer(DPD, objective="max"), ValueError, "objective must be one of"),
        (lambda: get_scorer(DPD, of="X"), ValueError, "of must be"),
        (lambda: get_scorer(DPD, groups=["a"]), ValueError, "no option 'groups'"),
        (lambda: get_scorer(DPD, greater_is_better=True), ValueError, "follows from the metric"),
        (
            lambda: get_scorer(DPD, undefined_score="no"),
            TypeError,
            "undefined_score must be a number",
        ),
        (lambda: get_scorer("estimation_erbs", agg="mean"), ValueError, "has no option 'agg'; it"),
        (
            lambda: get_scorer("estimation_erbs", undefined="zero"),
            ValueError,
            "no options 'undefin",
        ),
        (lambda: get_scorer("estimation_erbs", min_group_size=2), ValueError, "'min_group_size'"),
        (lambda: make_fairness_scorer(ATTRIBUTIONS), ValueError, "must be of 'counts' or 'labels'"),
        (lambda: make_fairness_scorer("mesd"), ValueError, r"use MESDScorer\('mesd'\)"),
        (lambda: make_fairness_scorer(gap_of_mean), ValueError, "say whether greater_is_better"),
        (
            lambda: make_fairness_scorer(accuracy_score, greater_is_better=True),
            TypeError,
            r"accuracy_score cannot be called as f\(y_true, y_pred, sensitive_features=\.\.\.\)",
        ),
        (
            lambda: make_fairness_scorer(gap_of_mean, greater_is_better=False, powr=2),
            TypeError,
            "unexpected keyword argument 'powr'",
        ),
        (
            lambda: make_fairness_scorer(gap_of_mean, greater_is_better=False, undefined="zero"),
            TypeError,
            "unexpected keyword argument 'undefined'",
        ),
    ],
)
def test_mistakes_when_made_are_refused_at_once(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_function_that_returns_no_number():
    def pair(y_true, y_pred, *, sensitive_features):
        return 1, 2

    scorer = make_fairness_scorer(pair, sensitive_features="group", greater_is_better=False)
    with pytest.raises(
        ScorerSetupError, match=r"pair must return a number to be a score; .* tuple"
    ):
        scorer(MODEL.fit(X, Y), X, Y)


def test_reprs():
    assert repr(get_scorer(DPD, pos_label="good", undefined_score=-np.inf)) == (
        f"FairnessScorer('{DPD}', pos_label='good', undefined_score=-inf)"
    )
    assert "sensitive_features=<['sex'] of 240 rows>" in repr(
        get_scorer(DPD, sensitive_features=GROUP)
    )
    assert "sensitive_features=gap_of_mean" in repr(get_scorer(DPD, sensitive_features=gap_of_mean))
