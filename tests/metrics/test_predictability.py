"""Predictability, DPA and leakage: golden values, loops, attackers, equalisation and bad input."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, r2_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skfairprop import GroupCounts
from skfairprop.metrics import (
    METRICS,
    Rates,
    directional_predictability_amplification,
    evaluate,
    leakage_amplification,
    predictability,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "amplification.json").read_text())
TABLES = {case["name"]: case for case in GOLDEN["cases"] if "cells" in case}
CLOSE = {"rel": 1e-9, "abs": 1e-9}
# Balanced tables, whose plug-in values are biased if taken for samples; golden values are exact.
small = pytest.mark.filterwarnings("ignore:.*plug-in value is off")


def rows_of(case):
    """Groups, truth and prediction of a table of [group, truth, prediction, count]."""
    cells = np.asarray(case["cells"])
    return tuple(np.repeat(cells[:, k], cells[:, 3]) for k in range(3))


def some_rows(seed=0, n=3000, n_groups=3, n_classes=4):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n)
    truth = np.where(rng.random(n) < 0.3, group % n_classes, rng.integers(0, n_classes, n))
    pred = np.where(rng.random(n) < 0.6, truth, group % n_classes)
    return group, truth, pred


def slow_psi(prior, target, weight=None):
    weight = np.ones(len(prior)) if weight is None else weight
    best = [
        max(weight[(prior == i) & (target == k)].sum() for k in set(target)) for i in set(prior)
    ]
    return sum(best) / weight.sum()


# -- golden values ------------------------------------------------------------------------------


@small
@pytest.mark.parametrize("name", TABLES)
def test_from_attribute_to_task_agrees_with_the_golden_values(name):
    group, truth, pred = rows_of(TABLES[name])
    expected = TABLES[name]["expected"]["A_to_T"]
    assert predictability(group, truth) == pytest.approx(expected["psi_d"], **CLOSE)
    assert predictability(group, pred) == pytest.approx(expected["psi_m"], **CLOSE)
    for options, key in (
        ({}, "dpa"),
        ({"relative": False}, "diff"),
        ({"equalize": "expected"}, "dpa_equalized"),
    ):
        value = directional_predictability_amplification(
            truth, pred, sensitive_features=group, **options
        )
        assert value == pytest.approx(expected[key], **CLOSE)


@small
@pytest.mark.parametrize("name", TABLES)
def test_leakage_agrees_with_the_golden_values(name):
    group, truth, pred = rows_of(TABLES[name])
    expected = TABLES[name]["expected"]["LA"]
    value = leakage_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(expected["la"], **CLOSE)
    value = leakage_amplification(truth, pred, sensitive_features=group, equalize="expected")
    assert value == pytest.approx(expected["la_equalized"], **CLOSE)


def test_from_task_to_attribute_agrees_with_the_golden_values():
    case = TABLES["t_to_a_amplified"]
    group, truth, _ = rows_of(case)
    kwargs = {
        "sensitive_features": group,
        "sensitive_pred": case["A_hat"],
        "direction": "t_to_a",
        "return_details": True,
    }
    expected = case["expected"]["T_to_A"]
    found = directional_predictability_amplification(truth, None, **kwargs)
    assert found.value == pytest.approx(expected["dpa"], **CLOSE)
    assert found.accuracy == pytest.approx(expected["accuracy"])
    found = directional_predictability_amplification(truth, None, equalize="expected", **kwargs)
    assert found.value == pytest.approx(expected["dpa_equalized"], **CLOSE)


@small
@pytest.mark.parametrize("row", GOLDEN["cmnist_exact"]["rows"])
def test_the_coloured_digits_follow_the_analytic_curve(row):
    alpha, beta = row["alpha"], row["beta"]
    cells = []
    for color in range(10):
        for digit in range(10):
            n = round(3600 * (alpha if digit == color else (1 - alpha) / 9))
            follow = round(n * beta)
            cells += [[color, digit, digit, n - follow], [color, digit, color, follow]]
    group, truth, pred = rows_of({"cells": cells})
    found = directional_predictability_amplification(
        truth, pred, sensitive_features=group, return_details=True
    )
    assert found.psi_data == pytest.approx(row["psi_d"], **CLOSE)
    assert found.psi_model == pytest.approx(row["psi_m"], **CLOSE)
    assert found.value == pytest.approx(row["dpa"], **CLOSE)
    curve = beta * (1 - alpha) / (2 * alpha + beta * (1 - alpha))
    assert found.value == pytest.approx(curve)
    found = directional_predictability_amplification(
        truth, pred, sensitive_features=group, equalize="expected", return_details=True
    )
    assert found.psi_data == pytest.approx(row["psi_d_equalized"], **CLOSE)
    assert found.value == pytest.approx(row["dpa_equalized"], **CLOSE)
    for equalize, key in ((None, "la"), ("expected", "la_equalized")):
        value = leakage_amplification(truth, pred, sensitive_features=group, equalize=equalize)
        assert value == pytest.approx(row[key], **CLOSE)


# -- by counting --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_psi_equals_a_loop(seed):
    group, truth, _ = some_rows(seed)
    assert predictability(group, truth) == pytest.approx(slow_psi(group, truth))
    assert predictability(truth, group) == pytest.approx(slow_psi(truth, group))
    weight = np.random.default_rng(seed).random(len(group))
    value = predictability(group, truth, sample_weight=weight)
    assert value == pytest.approx(slow_psi(group, truth, weight))


def test_several_priors_are_intersected():
    group, truth, pred = some_rows(0)
    frame = pd.DataFrame({"group": group, "pred": np.array(list("abcd"))[pred]})
    expected = slow_psi(4 * group + pred, truth)
    assert predictability(frame, truth) == pytest.approx(expected)


def test_details_of_psi_put_it_beside_the_majority():
    group, truth, _ = rows_of(TABLES["paint_example_p0.5"])
    found = predictability(group, truth, return_details=True)
    assert found.value == 0.75
    assert found.majority_share == 0.5
    assert found.goodman_kruskal_lambda == 0.5
    assert math.isnan(found.std)
    alone = predictability(["a", "b"] * 50, ["x"] * 100, return_details=True)
    assert alone.value == alone.majority_share == 1
    assert math.isnan(alone.goodman_kruskal_lambda)


@pytest.mark.parametrize(
    "function", [directional_predictability_amplification, leakage_amplification]
)
@pytest.mark.parametrize("equalize", [None, "expected"])
def test_evaluate_and_replicates_agree_with_the_function(function, equalize):
    group, truth, pred = some_rows(0)
    counts = GroupCounts.from_arrays(truth, pred, sensitive_features=group)
    value = function(truth, pred, sensitive_features=group, equalize=equalize)
    assert evaluate(counts, function.__name__, equalize=equalize) == pytest.approx(value)
    tables = np.stack([counts.values, counts.values[::-1], 3 * counts.values])
    tables = np.pad(tables, [(0, 0), (0, 1), (0, 1), (0, 1)])  # a group and a class without rows
    found = METRICS[function.__name__].kernel(Rates(tables), equalize=equalize)
    assert found == pytest.approx([value] * 3)


@pytest.mark.parametrize(
    "function", [directional_predictability_amplification, leakage_amplification]
)
def test_order_names_and_weights_of_two(function):
    group, truth, pred = some_rows(0)
    value = function(truth, pred, sensitive_features=group)
    order = np.random.default_rng(0).permutation(len(group))
    assert function(truth[order], pred[order], sensitive_features=group[order]) == value
    names = np.array(["d", "b", "a", "c"])
    renamed = function(names[truth], names[pred], sensitive_features=names[group])
    assert renamed == pytest.approx(value)
    doubled = np.full(len(group), 2)
    twice = function(truth, pred, sensitive_features=group, sample_weight=doubled)
    assert twice == pytest.approx(value)


def test_a_constant_prediction_has_the_largest_amplification():
    group, truth, _ = some_rows(0)
    found = directional_predictability_amplification(
        truth, np.zeros_like(truth), sensitive_features=group, return_details=True
    )
    assert found.psi_model == found.majority_share_model == 1
    assert math.isnan(found.lambda_model)
    psi = slow_psi(group, truth)
    assert found.value == pytest.approx((1 - psi) / (1 + psi))


def test_a_reversed_association_is_not_seen():
    group, truth, _ = rows_of(TABLES["paint_example_p0.5"])
    truth = np.tile(truth, 20)
    group = np.tile(group, 20)
    value = directional_predictability_amplification(truth, 1 - truth, sensitive_features=group)
    assert value == 0


@small
def test_the_worst_pair_is_the_guess_that_gains_most():
    group, truth, pred = rows_of(TABLES["multiclass_3x4"])
    kwargs = {"sensitive_features": group, "return_details": True}
    found = directional_predictability_amplification(truth, pred, **kwargs)
    table = [pd.crosstab(group, y) for y in (truth, pred)]
    gain = table[1].max(axis=1) - table[0].max(axis=1)
    assert found.worst_pair.prior == gain.idxmax() == 1
    assert found.worst_pair.target == table[1].loc[1].idxmax() == 1
    assert found.worst_pair.p_data == pytest.approx(table[0].loc[1, 1] / 80)
    assert found.worst_pair.p_model == pytest.approx(table[1].loc[1, 1] / 80)
    found = leakage_amplification(truth, pred, **kwargs)
    assert (found.worst_pair.prior, found.worst_pair.target) == (1, 1)  # task, attribute
    assert found.worst_pair.p_data == pytest.approx(40 / 75)


# -- equalisation by drawing --------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [directional_predictability_amplification, leakage_amplification]
)
def test_drawn_errors_agree_with_the_expected_ones(function):
    group, truth, pred = some_rows(0, n=20_000)
    expected = function(truth, pred, sensitive_features=group, equalize="expected")
    kwargs = {"sensitive_features": group, "equalize": "random", "random_state": 0}
    found = function(truth, pred, n_repeats=20, return_details=True, **kwargs)
    assert found.value == pytest.approx(expected, abs=4 * found.std / math.sqrt(20))
    assert found.value == found.repeats.mean()
    assert found.std == pytest.approx(np.std(found.repeats, ddof=1))
    assert len(found.repeats) == 20
    again = function(truth, pred, n_repeats=20, **kwargs)
    assert again == found.value


def test_drawn_errors_keep_the_accuracy():
    from skfairprop.metrics._amplification_rows import Labels
    from skfairprop.metrics._comparison import Errors

    _, truth, pred = some_rows(0, n=50_000)
    labels = pd.Index(range(5))  # the last is never used
    errors = Errors.of(Labels(truth, labels), Labels(pred, labels), None)
    drawn = errors.draw(Labels(truth, labels), np.random.default_rng(0)).codes
    assert np.mean(drawn == truth) == pytest.approx(np.mean(pred == truth), abs=0.01)
    wrong = pd.crosstab(truth[drawn != truth], drawn[drawn != truth], normalize="index")
    assert wrong.columns.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(wrong, (1 - np.eye(4)) / 3, atol=0.03)


def test_worse_than_chance_is_warned_of():
    group, truth, _ = some_rows(0, n_classes=2)
    pred = 1 - truth
    message = r"the accuracy 0 is below chance \(1/2\), so that degrading .* reverses the assoc"
    for function in (directional_predictability_amplification, leakage_amplification):
        with pytest.warns(UserWarning, match=message):
            function(truth, pred, sensitive_features=group, equalize="expected")


def test_labels_given_expected_errors_out_of_fold():
    group, truth, pred = some_rows(0)
    kwargs = {"sensitive_features": group, "equalize": "expected"}
    plain = directional_predictability_amplification(truth, pred, **kwargs)
    crossed = directional_predictability_amplification(
        truth, pred, method="crossfit", random_state=0, **kwargs
    )
    assert crossed == pytest.approx(plain, abs=0.02)
    plain = leakage_amplification(truth, pred, **kwargs)
    crossed = leakage_amplification(truth, pred, method="crossfit", random_state=0, **kwargs)
    assert crossed == pytest.approx(plain, abs=0.02)


# -- cross-fitting ------------------------------------------------------------------------------


def slow_crossfit(prior, target, splits):
    """Ties are shared; an unseen prior gets the commonest target."""
    hits = 0.0
    for train, test in splits:
        for row in test:
            same = train[prior[train] == prior[row]]
            counts = pd.Series(target[same if len(same) else train]).value_counts()
            best = counts.index[counts == counts.max()]
            hits += (target[row] in best) / len(best)
    return hits / sum(len(test) for _, test in splits)


@pytest.mark.parametrize("n_groups", [3, 40])  # with 40, folds meet priors they have not seen
def test_crossfit_equals_a_loop(n_groups):
    group, truth, _ = some_rows(0, n=120, n_groups=n_groups)
    splits = list(KFold(4, shuffle=True, random_state=3).split(group))
    value = predictability(group, truth, method="crossfit", cv=splits)
    assert value == pytest.approx(slow_crossfit(group, truth, splits))
    value = predictability(
        group, truth, method="crossfit", cv=KFold(4, shuffle=True, random_state=3)
    )
    assert value == pytest.approx(slow_crossfit(group, truth, splits))


def test_crossfitting_corrects_what_small_samples_inflate():
    """Ten classes and groups, a fifth of the predictions following the group: DPA .474."""
    plain, crossed = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        group, truth = rng.integers(0, 10, (2, 1000))
        pred = np.where(rng.random(1000) < 0.2, group, truth)
        with pytest.warns(UserWarning, match=r"1,000 rows in 100 cells .* is off by -0\.0\d or mo"):
            plain.append(
                directional_predictability_amplification(truth, pred, sensitive_features=group)
            )
        crossed.append(
            directional_predictability_amplification(
                truth, pred, sensitive_features=group, method="crossfit", random_state=0
            )
        )
    assert np.mean(plain) < 0.35
    assert np.mean(crossed) == pytest.approx(9 / 19, abs=0.03)


def test_psi_warns_where_it_is_inflated_and_names_the_remedy():
    rng = np.random.default_rng(0)
    group, truth = rng.integers(0, 10, (2, 300))
    with pytest.warns(UserWarning, match=r"predictability: with 300 rows .* method='crossfit'"):
        value = predictability(group, truth)
    crossed = predictability(group, truth, method="crossfit", n_repeats=5, random_state=0)
    assert value > 0.18
    assert crossed == pytest.approx(0.1, abs=0.05)


def test_folds_are_the_same_for_the_same_seed():
    group, truth, pred = some_rows(0, n=500)
    for seed in (3, np.random.RandomState, np.random.default_rng):
        values = [
            directional_predictability_amplification(
                truth,
                pred,
                sensitive_features=group,
                method="crossfit",
                random_state=seed if isinstance(seed, int) else seed(3),
            )
            for _ in range(2)
        ]
        assert values[0] == values[1]


# -- estimators as attackers --------------------------------------------------------------------


def embedding(seed=0, n=400):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    return rng.normal(0, 1, (n, 3)) + group[:, None], group


def test_named_qualities_are_those_of_scikit_learn_out_of_fold():
    X, group = embedding()
    splits = list(KFold(5, shuffle=True, random_state=0).split(X))
    guess = cross_val_predict(LogisticRegression(), X, group, cv=splits)
    chance = cross_val_predict(LogisticRegression(), X, group, cv=splits, method="predict_proba")
    expected = {
        "accuracy": np.mean(guess == group),
        "balanced_accuracy": balanced_accuracy_score(group, guess),
        "brier": 1 - brier_score_loss(group, chance[:, 1]),
        "inverse_log_loss": 1 / log_loss(group, chance),
    }
    for quality, value in expected.items():
        found = predictability(X, group, method=LogisticRegression(), quality=quality, cv=splits)
        assert found == pytest.approx(value)


def test_qualities_of_several_classes_with_weights():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    X = rng.normal(0, 1, (300, 2)) + truth[:, None]
    weight = rng.random(300)
    attacker = KNeighborsClassifier(20)  # takes no weights itself
    splits = list(KFold(5).split(X))
    guess = cross_val_predict(attacker, X, truth, cv=splits)
    chance = cross_val_predict(attacker, X, truth, cv=splits, method="predict_proba")
    loss = ((chance - np.eye(3)[truth]) ** 2).sum(1) / 2
    expected = {
        "accuracy": np.average(guess == truth, weights=weight),
        "balanced_accuracy": balanced_accuracy_score(truth, guess, sample_weight=weight),
        "brier": 1 - np.average(loss, weights=weight),
        "inverse_log_loss": 1 / log_loss(truth, chance, sample_weight=weight),
    }
    for quality, value in expected.items():
        found = predictability(
            X, truth, method=attacker, quality=quality, cv=splits, sample_weight=weight
        )
        assert found == pytest.approx(value)


def test_weights_reach_an_attacker_that_takes_them():
    X, group = embedding()
    weight = np.random.default_rng(1).random(len(X))
    splits = list(KFold(4).split(X))
    guess = cross_val_predict(
        LogisticRegression(), X, group, cv=splits, params={"sample_weight": weight}
    )
    found = predictability(X, group, method=LogisticRegression(), cv=splits, sample_weight=weight)
    assert found == pytest.approx(np.average(guess == group, weights=weight))


def test_a_tree_that_sees_the_groups_is_the_crossfitted_rule():
    group, truth, pred = some_rows(0, n=1000)
    for data in (truth, pred):
        kwargs = {"cv": 5, "random_state": 0, "n_repeats": 2}
        tree = predictability(group.astype(str), data, method=DecisionTreeClassifier(), **kwargs)
        rule = predictability(group.astype(str), data, method="crossfit", **kwargs)
        assert tree == pytest.approx(rule)
    kwargs = {"sensitive_features": group, "random_state": 0, "n_repeats": 2}
    by_tree = directional_predictability_amplification(
        truth, pred, method=DecisionTreeClassifier(), **kwargs
    )
    rule = directional_predictability_amplification(truth, pred, method="crossfit", **kwargs)
    assert by_tree == pytest.approx(rule)


def test_a_callable_gets_labels_and_weights():
    X, group = embedding()
    names = np.array(["man", "woman"])[group]
    seen = []

    def share_of_women(true, guessed, sample_weight=None):
        seen.append((true, guessed, sample_weight))
        return float(np.mean(guessed == "woman"))

    found = predictability(X, names, method=LogisticRegression(), quality=share_of_women)
    assert 0 < found < 1
    assert set(seen[0][0]) == {"man", "woman"}
    assert seen[0][2] is None
    weight = np.ones(len(X))
    predictability(
        X, names, method=LogisticRegression(), quality=share_of_women, sample_weight=weight
    )
    assert seen[1][2].sum() == len(X)


def test_repeats_have_a_spread():
    X, group = embedding()
    found = predictability(
        X, group, method=LogisticRegression(), n_repeats=4, random_state=0, return_details=True
    )
    assert found.repeats.shape == (4,)
    assert found.std == pytest.approx(np.std(found.repeats, ddof=1))
    assert found.std > 0
    assert "majority_share" not in found  # the prior is no class


def test_stratified_folds_and_rare_classes():
    X, group = embedding()
    rare = np.where(np.arange(len(X)) < 1, 2, group)  # in the training rows of some folds only
    value = predictability(X, rare, method=LogisticRegression(), quality="brier")
    assert 0.5 < value < 1
    value = predictability(
        X, group, method=LogisticRegression(), cv=StratifiedKFold(3), quality="accuracy"
    )
    assert 0.7 < value < 1
    constant = np.zeros(len(X), dtype=int)
    for quality in ("accuracy", "brier"):
        assert predictability(X, constant, method=LogisticRegression(), quality=quality) == 1


@pytest.mark.parametrize("attacker", [LogisticRegression(), DecisionTreeClassifier(max_depth=2)])
@pytest.mark.parametrize("quality", ["accuracy", "balanced_accuracy", "brier", "inverse_log_loss"])
def test_label_sets_are_guessed_label_by_label(attacker, quality):
    X, group = embedding()
    rng = np.random.default_rng(0)
    sets = (rng.random((400, 3)) < 0.3 + 0.4 * group[:, None]).astype(int)
    sets[:, 2] = 0  # never varies
    splits = list(KFold(5, shuffle=True, random_state=0).split(X))
    each = [
        predictability(X, sets[:, j], method=attacker, quality=quality, cv=splits) for j in range(3)
    ]
    found = predictability(X, sets, method=attacker, quality=quality, cv=splits)
    if quality == "inverse_log_loss":
        expected = 1 / np.mean([1 / value for value in each])
    else:
        expected = np.mean(each)
    if isinstance(attacker, LogisticRegression):  # a tree splits once for all labels
        assert found == pytest.approx(expected)
    else:
        assert found == pytest.approx(expected, rel=0.2)


def test_label_sets_in_both_directions():
    group, truth, pred = some_rows(0, n=600)
    sets = [np.column_stack([y == k for k in range(4)]) for y in (truth, pred)]
    kwargs = {
        "sensitive_features": group,
        "method": LogisticRegression(),
        "n_repeats": 2,
        "random_state": 0,
    }
    amplified = directional_predictability_amplification(*sets, **kwargs)
    assert amplified > 0.02
    assert leakage_amplification(*sets, **kwargs) > 0.05
    degraded = directional_predictability_amplification(*sets, equalize="random", **kwargs)
    assert degraded > amplified  # labels with errors say less
    guess = np.where(np.random.default_rng(0).random(600) < 0.3, truth % 3, group)
    value = directional_predictability_amplification(
        sets[0], None, sensitive_pred=guess, direction="t_to_a", **kwargs
    )
    assert value > 0.02


def test_probabilities_of_label_sets_in_either_form():
    """Trees give a list with two columns a label, a network one column a label."""
    X, group = embedding()
    sets = np.column_stack([group, 1 - group])
    options = {"max_iter": 2000, "random_state": 0, "hidden_layer_sizes": (8,)}
    for attacker in (DecisionTreeClassifier(max_depth=3), MLPClassifier(**options)):
        value = predictability(X, sets, method=attacker, quality="brier", random_state=0)
        assert 0.7 < value < 1


def test_details_of_label_sets_and_weights():
    group, truth, pred = some_rows(0, n=600)
    sets = [np.column_stack([y == k for k in range(4)]) for y in (truth, pred)]
    found = directional_predictability_amplification(
        *sets,
        sensitive_features=group,
        method=LogisticRegression(),
        n_repeats=2,
        return_details=True,
    )
    assert found.psi_model > found.psi_data
    assert "worst_pair" not in found
    by_scale = [
        directional_predictability_amplification(
            truth, pred, sensitive_features=group, sample_weight=np.full(600, scale),
            return_details=True,
        ).estimated_bias
        for scale in (1.0, 2.0**-490, 2.0**490)
    ]  # fmt: skip
    assert by_scale == pytest.approx([by_scale[0]] * 3)


def test_scores_and_embeddings_leak():
    X, group = embedding()
    truth = np.random.default_rng(2).integers(0, 2, len(X))
    value = leakage_amplification(
        truth, X, sensitive_features=group, method=LogisticRegression(), random_state=0
    )
    assert value > 0.2
    known = np.where(np.arange(len(X)) < 5, None, group.astype(object))
    kwargs = {"method": LogisticRegression(), "random_state": 0}
    with pytest.warns(UserWarning, match="left out 5 of 400 rows"):
        found = leakage_amplification(truth, X, sensitive_features=known, missing="drop", **kwargs)
    assert found == leakage_amplification(truth[5:], X[5:], sensitive_features=group[5:], **kwargs)
    with pytest.raises(
        ValueError, match=r"equalize= needs the accuracy .* y_pred scores; pass lab"
    ):
        leakage_amplification(
            truth, X, sensitive_features=group, method=LogisticRegression(), equalize="random"
        )


def test_scores_as_a_target_need_a_regressor():
    X, group = embedding()
    truth, score = np.random.default_rng(2).integers(0, 2, len(X)) / 1.0, X[:, 0] / 10
    target = truth + 0.001 * X[:, 1]
    kwargs = {"sensitive_features": group, "random_state": 0, "cv": 4}
    value = directional_predictability_amplification(
        target, score, method=LinearRegression(), quality=r2_score, relative=False, **kwargs
    )
    splits = [
        predictability(
            group.astype(str),
            y,
            method=LinearRegression(),
            quality=r2_score,
            n_repeats=10,
            random_state=0,
            cv=4,
        )
        for y in (target, score)
    ]
    assert value == pytest.approx(splits[1] - splits[0])
    message = "scores as a target need a regressor as method and a callable quality"
    with pytest.raises(ValueError, match=message):
        directional_predictability_amplification(
            target, score, method=LogisticRegression(), **kwargs
        )
    with pytest.raises(ValueError, match="LinearRegression is a regressor; to guess classes, pass"):
        predictability(X, group, method=LinearRegression(), quality=r2_score)


# -- bad input ----------------------------------------------------------------------------------


BOTH = [directional_predictability_amplification, leakage_amplification]


@pytest.mark.parametrize("function", BOTH)
def test_one_group_is_undefined(function):
    y, group = [0, 1, 1] * 100, ["a"] * 300
    with pytest.warns(UndefinedMetricWarning, match=r"undefined \(NaN\): .* only one: 'a'"):
        assert math.isnan(function(y, y, sensitive_features=group))
    with pytest.warns(UndefinedMetricWarning, match=r"only one: 'a'"):
        found = function(y, y, sensitive_features=group, return_details=True)
    assert math.isnan(found.value)


@pytest.mark.parametrize("function", BOTH)
@pytest.mark.parametrize("equalize", [None, "expected", "random"])
def test_one_class_has_nothing_to_amplify(function, equalize):
    y, group = ["x"] * 400, list("aaab") * 100
    with pytest.warns(UndefinedMetricWarning, match="hold the one class 'x': there is nothing to"):
        assert function(y, y, sensitive_features=group, equalize=equalize) == 0


def test_label_sets_need_an_estimator():
    sets = np.eye(2, dtype=int)[[0, 1, 0, 1]]
    message = r"method='contingency' counts classes, and there are label sets; pass an estimator as"
    for function in BOTH:
        with pytest.raises(ValueError, match=message):
            function(sets, sets, sensitive_features=list("aabb"))
    with pytest.raises(ValueError, match="method='crossfit' counts classes"):
        predictability(list("aabb"), sets, method="crossfit", cv=2)


def test_what_an_attacker_cannot_give_is_refused():
    X, group = embedding()
    with pytest.raises(ValueError, match="needs probabilities, and LinearSVC has no predict_proba"):
        predictability(X, group, method=LinearSVC(), quality="brier")
    with pytest.raises(
        ValueError, match="'crossfit' gives the accuracy alone; for quality='brier'"
    ):
        predictability(group, group, method="crossfit", quality="brier")
    with pytest.raises(ValueError, match="quality must be a callable or one of"):
        predictability(X, group, method=DummyClassifier(), quality="auc")
    for method in ("loo", 3):
        with pytest.raises(ValueError, match="method must be 'contingency', 'crossfit' or a sci"):
            predictability(X, group, method=method)
    with pytest.raises(ValueError, match="prior holds continuous values; pass an estimator as met"):
        predictability(X[:, 0], group)
    with pytest.raises(ValueError, match="equalize='expected' is computed on counts; pass equaliz"):
        leakage_amplification(
            group, group, sensitive_features=group, equalize="expected", method=DummyClassifier()
        )


def test_folds_are_checked():
    group = list("aabb")
    for cv, message in (
        (5, "cv=5 folds need at least 5 rows; there are 4"),
        (1, "cv must be an integer of at least 2; got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            predictability(group, group, method="crossfit", cv=cv)
    with pytest.raises(ValueError, match="n_repeats must be an integer of at least 1; got 0"):
        predictability(group, group, method="crossfit", cv=2, n_repeats=0)
    for cv in (2.5, "5"):
        with pytest.raises(ValueError, match="cv must be a number of folds, a splitter or splits"):
            predictability(group, group, method="crossfit", cv=cv)
    with pytest.raises(ValueError, match="random_state must be None, an integer"):
        predictability(group, group, method="crossfit", cv=2, random_state="x")


@small
def test_options_and_inputs_are_checked():
    y, group = [0, 1, 0, 1], list("aabb")
    function = directional_predictability_amplification
    with pytest.raises(ValueError, match="equalize must be one of"):
        function(y, y, sensitive_features=group, equalize="mean")
    with pytest.raises(ValueError, match="eps must be a number above 0; got 0"):
        function(y, y, sensitive_features=group, eps=0)
    with pytest.raises(ValueError, match="needs the predicted attribute; pass sensitive_pred="):
        function(y, y, sensitive_features=group, direction="t_to_a")
    with pytest.raises(ValueError, match="y_true has 4, y_pred has 3"):
        function(y, y[:3], sensitive_features=group)
    with pytest.raises(ValueError, match=r"y_pred holds continuous values.*pass class labels"):
        function(y, [0.2, 0.7, 0.1, 0.9], sensitive_features=group)
    with pytest.raises(ValueError, match="y_true holds classes and y_pred label sets"):
        function(y, np.eye(2, dtype=int)[y], sensitive_features=group)
    with pytest.raises(ValueError, match="prior: 1 of 4 values are missing"):
        predictability(["a", None, "b", "b"], y)
    with pytest.warns(UserWarning, match="left out 1 of 4 rows"):
        assert predictability(["a", None, "b", "b"], y, missing="drop") == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="target has 3, prior has 4"):
        predictability(group, y[:3])
    with pytest.raises(ValueError, match="prior holds values that are missing or infinite"):
        predictability(np.array([[0.5, np.nan]] * 4), y, method=DummyClassifier())


def test_several_text_columns_are_read_by_an_attacker():
    group, truth, _ = some_rows(0, n=600)
    frame = pd.DataFrame({"a": np.array(list("xyz"))[group], "b": np.array(list("uv"))[group % 2]})
    kwargs = {"random_state": 0, "n_repeats": 2}
    by_tree = predictability(frame, truth, method=DecisionTreeClassifier(), **kwargs)
    assert by_tree == pytest.approx(predictability(group, truth, method="crossfit", **kwargs))
