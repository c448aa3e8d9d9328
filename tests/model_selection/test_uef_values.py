"""The numbers of a search, against slow and independent computations."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import uniform
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    make_scorer,
    matthews_corrcoef,
    roc_auc_score,
)
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_validate

from skfairprop.metrics import demographic_parity_difference, equalized_odds_difference
from skfairprop.model_selection import UEFSearchCV
from skfairprop.model_selection._uef._points import cut_points
from skfairprop.scorers import FairnessScorer
from tests.model_selection.uef_data import Linear, make_search, people

SPACE = {"tilt": uniform(-2, 4), "shift": uniform(-1, 2)}
CV = StratifiedKFold(3)


def out_of_fold(model, X, y, cv=CV):
    """Test rows, scores and own predictions of the models of the folds, one after another."""
    rows, scores, predicted = [], [], []
    for train, test in cv.split(X, y):
        fitted = clone(model).fit(X.iloc[train], y.iloc[train])
        rows.append(test)
        scores.append(fitted.predict_proba(X.iloc[test])[:, 1])
        predicted.append(fitted.predict(X.iloc[test]))
    return rows, scores, predicted


def slowly_nondominated(losses):
    return [
        i for i, a in enumerate(losses) if not any((b <= a).all() and (b < a).any() for b in losses)
    ]


def params_of(point, search):
    return search.cv_results_["params"][int(point["cv_index"])]


def predictions_of(point, search, X, y):
    """What the point of a front predicts out of fold, by fold."""
    model = clone(search.estimator).set_params(**params_of(point, search))
    rows, scores, predicted = out_of_fold(model, X, y)
    if not np.isnan(point["threshold"]):
        predicted = [(s >= point["threshold"]).astype(int) for s in scores]
    return rows, predicted


@pytest.fixture(scope="module")
def data():
    return people()


@pytest.mark.parametrize("pooled", [True, False])
def test_the_points_have_the_values_of_the_public_functions(data, pooled):
    X, y, sex = data
    objectives = {
        "ba": "balanced_accuracy",
        "eod": FairnessScorer("equalized_odds_difference", sensitive_features=sex),
        "mcc": make_scorer(matthews_corrcoef),
        "f1": "f1",
        "auc": "roc_auc",
    }
    search = make_search(Linear(), SPACE, objectives=objectives, pooled=pooled, n_evaluations=6)
    search.fit(X, y)
    functions = {
        "ba": lambda y, p, s: balanced_accuracy_score(y, p),
        "eod": lambda y, p, s: -equalized_odds_difference(y, p, sensitive_features=s),
        "mcc": lambda y, p, s: matthews_corrcoef(y, p),
        "f1": lambda y, p, s: f1_score(y, p),
    }
    assert search.pareto_front_["threshold"].notna().any()
    for _, point in search.pareto_front_.iloc[::7].iterrows():
        rows, predicted = predictions_of(point, search, X, y)
        parts = list(zip(rows, predicted, strict=True))
        if pooled:
            parts = [(np.concatenate(rows), np.concatenate(predicted))]
        for name, function in functions.items():
            expected = np.mean([function(y[r], p, sex[r].array) for r, p in parts])
            assert point[name] == pytest.approx(expected, abs=1e-12), name
        share = np.concatenate(predicted).mean()
        assert point["selection_rate"] == pytest.approx(share, abs=1e-12)
        model = clone(Linear()).set_params(**params_of(point, search))
        rows, scores, _ = out_of_fold(model, X, y)
        auc = np.mean([roc_auc_score(y[r], s) for r, s in zip(rows, scores, strict=True)])
        assert point["auc"] == pytest.approx(auc, abs=1e-12)


def test_cv_results_has_the_folds_of_cross_validate_and_the_pooled_values(data):
    X, y, sex = data
    scorer = FairnessScorer("demographic_parity_difference", sensitive_features=sex)
    scoring = {"ba": "balanced_accuracy", "dp": scorer, "auc": "roc_auc"}
    search = make_search(
        Linear(), SPACE, objectives=scoring, n_evaluations=4, return_train_score=True
    ).fit(X, y)
    results = search.cv_results_
    assert len(results["params"]) == 4
    for i, params in enumerate(results["params"]):
        model = Linear(**params)
        found = cross_validate(model, X, y, scoring=scoring, cv=CV, return_train_score=True)
        for name in scoring:
            for part in ("test", "train"):
                folds = [results[f"split{f}_{part}_{name}"][i] for f in range(3)]
                np.testing.assert_allclose(folds, found[f"{part}_{name}"], rtol=0, atol=1e-12)
            mean = found[f"test_{name}"].mean()
            assert results[f"mean_test_{name}"][i] == pytest.approx(mean)
        rows, _, predicted = out_of_fold(model, X, y)
        rows, predicted = np.concatenate(rows), np.concatenate(predicted)
        gap = demographic_parity_difference(y[rows], predicted, sensitive_features=sex[rows].array)
        assert results["pooled_test_dp"][i] == pytest.approx(-gap)
        assert "pooled_test_auc" not in results
    assert results["rank_test_ba"].min() == 1


def test_the_sweep_is_the_slow_loop_over_thresholds(data):
    """One candidate: the front is that of every threshold by a loop, with the constraint."""
    X, y, sex = data
    search = make_search(
        Linear(tilt=0.5), {}, sensitive_features=sex, thresholds=15, choice="knee"
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 1
    rows, scores, predicted = out_of_fold(Linear(tilt=0.5), X, y)
    rows, scores = np.concatenate(rows), np.concatenate(scores)
    falling = np.sort(scores)[::-1]
    choices = [np.concatenate(predicted)]
    for rate in np.linspace(0.05, 0.95, 15):
        k = min(max(round(rate * len(y)), int(np.ceil(0.05 * len(y)))), int(0.95 * len(y)))
        choices.append((scores >= (falling[k - 1] + falling[k]) / 2).astype(int))
    losses = []
    for choice in choices:
        if not 0.05 <= choice.mean() <= 0.95:
            losses.append([np.inf, np.inf])
            continue
        gap = demographic_parity_difference(y[rows], choice, sensitive_features=sex[rows].array)
        losses.append([-balanced_accuracy_score(y[rows], choice), gap])
    losses = np.array(losses)
    expected = losses[slowly_nondominated(losses)]
    found = -search.pareto_front_[["balanced_accuracy", "demographic_parity_difference"]]
    np.testing.assert_allclose(
        found.sort_values(list(found.columns)).to_numpy(),
        expected[np.lexsort(expected.T[::-1])],
        atol=1e-12,
    )


def test_with_everything_off_the_front_is_that_of_the_mean_scores(data):
    X, y, sex = data
    search = make_search(
        Linear(),
        SPACE,
        sensitive_features=sex,
        thresholds=None,
        pooled=False,
        lazy=False,
        constraints=None,
        choice="chebyshev",
        n_evaluations=40,
    ).fit(X, y)
    names = ["balanced_accuracy", "demographic_parity_difference"]
    means = np.column_stack([search.cv_results_[f"mean_test_{name}"] for name in names])
    expected = slowly_nondominated(-means)
    assert len(means) == 40
    assert search.pareto_index_.tolist() == expected
    assert search.pareto_front_["threshold"].isna().all()
    front = search.pareto_front_.set_index("cv_index")[names].loc[expected]
    np.testing.assert_allclose(front.to_numpy(), means[expected], rtol=0, atol=0)
    assert np.isnan(search.best_threshold_)
    assert isinstance(search.best_estimator_, Linear)


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_the_positive_class_may_be_either(pos_label):
    X, y, sex = people(classes=("no", "yes"))
    search = make_search(
        Linear(),
        {},
        objectives=["balanced_accuracy", "equal_opportunity"],
        sensitive_features=sex,
        pos_label=pos_label,
    ).fit(X, y)
    scorer = FairnessScorer("equal_opportunity", sensitive_features=sex, pos_label=pos_label)
    at_threshold = 0
    for _, point in search.pareto_front_.iterrows():
        rows, scores, own = out_of_fold(Linear(), X, y)
        rows, scores, own = map(np.concatenate, (rows, scores, own))
        if not np.isnan(point["threshold"]):
            at_threshold += 1
            positive = (scores if pos_label == "yes" else 1 - scores) >= point["threshold"]
            other = "no" if pos_label == "yes" else "yes"
            own = np.where(positive, pos_label, other)
        assert point["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y[rows], own))
        assert point["selection_rate"] == pytest.approx((own == pos_label).mean())
        gap = scorer.measure(y[rows], own, sensitive_features=sex[rows])
        assert point["equal_opportunity"] == pytest.approx(-gap)
    assert at_threshold


def test_weights_and_missing_groups_are_counted_as_the_scorer_does(data):
    X, y, sex = data
    sex = sex.mask(np.arange(len(sex)) % 10 == 0)
    scorer = FairnessScorer("equal_opportunity", sensitive_features=sex, missing="drop")
    weight = np.random.default_rng(1).random(len(y))
    search = make_search(Linear(), {}, objectives={"ba": "balanced_accuracy", "eo": scorer})
    search.fit(X, y, sample_weight=weight)
    rows, scores, own = map(np.concatenate, out_of_fold(Linear(), X, y))
    for _, point in search.pareto_front_.iloc[::5].iterrows():
        choice = own if np.isnan(point["threshold"]) else (scores >= point["threshold"]).astype(int)
        ba = balanced_accuracy_score(y[rows], choice, sample_weight=weight[rows])
        assert point["ba"] == pytest.approx(ba)
        kept = sex[rows].notna().to_numpy()
        value = FairnessScorer("equal_opportunity").measure(
            y[rows].to_numpy()[kept],
            choice[kept],
            sensitive_features=sex[rows].to_numpy()[kept],
            sample_weight=weight[rows][kept],
        )
        assert point["eo"] == pytest.approx(-value)


def test_functions_of_rows_are_computed_on_the_rows(data):
    X, y, sex = data

    def cost(y_true, y_pred):
        return float(np.mean(np.where(y_true == 1, 3, 1) * (y_true != y_pred)))

    def gap(y_true, y_pred, *, sensitive_features):
        group = np.asarray(sensitive_features)
        return abs(y_pred[group == "f"].mean() - y_pred[group == "m"].mean())

    objectives = {
        "cost": make_scorer(cost, greater_is_better=False),
        "gap": FairnessScorer(gap, sensitive_features=sex, greater_is_better=False),
        "strict": FairnessScorer("equal_opportunity", sensitive_features=sex, undefined="nan"),
    }
    search = make_search(Linear(), {}, objectives=objectives, thresholds=6).fit(X, y)
    rows, scores, own = map(np.concatenate, out_of_fold(Linear(), X, y))
    for _, point in search.pareto_front_.iterrows():
        choice = own if np.isnan(point["threshold"]) else (scores >= point["threshold"]).astype(int)
        assert point["cost"] == pytest.approx(-cost(y[rows].to_numpy(), choice))
        assert point["gap"] == pytest.approx(-gap(None, choice, sensitive_features=sex[rows]))


def test_groups_that_an_objective_leaves_out_are_named_once(data):
    X, y, sex = data
    lonely = sex.where(np.arange(len(sex)) % 20 > 0, "x")
    y = y.where(lonely != "x", 0)  # nobody of x is positive
    search = make_search(
        Linear(),
        {"tilt": [0.0, 1.0]},
        objectives=[
            "balanced_accuracy",
            "equal_opportunity_difference",
            "demographic_parity_ratio",
        ],
        sensitive_features=lonely,
    )
    said = "leaves out: recall is 0/0 in group 'x'"
    with pytest.warns(UndefinedMetricWarning, match=said) as caught:
        search.fit(X, y)
    assert len(caught) == 1
    rows, _, own = map(np.concatenate, out_of_fold(Linear(), X, y))
    kept = lonely[rows] != "x"
    gap = FairnessScorer("equal_opportunity_difference").measure(
        y[rows][kept], own[kept], sensitive_features=lonely[rows][kept]
    )
    assert search.cv_results_["pooled_test_equal_opportunity_difference"][0] == pytest.approx(-gap)


def test_splits_whose_test_rows_overlap_are_pooled_as_they_come(data):
    X, y, sex = data
    cv = ShuffleSplit(3, test_size=0.4, random_state=0)
    search = make_search(Linear(), {}, sensitive_features=sex, cv=cv, thresholds=None).fit(X, y)
    rows, _, own = map(np.concatenate, out_of_fold(Linear(), X, y, cv))
    gap = demographic_parity_difference(y[rows], own, sensitive_features=sex[rows].array)
    assert search.pareto_front_["demographic_parity_difference"][0] == pytest.approx(-gap)


def test_more_than_two_classes_have_no_thresholds_and_say_so():
    X, y, sex = people(classes=("x", "y", "z"))
    search = UEFSearchCV(
        LogisticRegression(),
        {"C": [0.01, 1.0]},
        objectives=["accuracy", "demographic_parity"],
        sensitive_features=sex,
        random_state=0,
    )
    with pytest.warns(UserWarning, match="thresholds are not swept: the target has 3 classes"):
        search.fit(X, y)
    assert search.pareto_front_["threshold"].isna().all()
    assert "selection_rate" not in search.pareto_front_
    rows, _, own = map(
        np.concatenate, out_of_fold(LogisticRegression(C=1.0), X, y, StratifiedKFold(5))
    )
    i = search.cv_results_["params"].index({"C": 1.0})
    assert search.cv_results_["pooled_test_accuracy"][i] == pytest.approx((own == y[rows]).mean())


def test_many_equal_scores_are_selected_together():
    scores = np.repeat([0.1, 0.5, 0.9], [50, 30, 20])
    cuts = cut_points(scores, np.linspace(0.05, 0.95, 10))
    assert {(scores >= cut).sum() for cut in cuts} == {20, 50, 100}
    assert pd.Series(cuts).is_monotonic_increasing
