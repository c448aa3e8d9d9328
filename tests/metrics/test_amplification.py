"""Amplification of pairs: golden values, exact ties, slow loops, other libraries, and bad input."""

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.metrics import (
    METRICS,
    Rates,
    differential_fairness_bias_amplification,
    directional_bias_amplification,
    evaluate,
    mals_bias_amplification,
)
from skfairprop.metrics._amplification_kernels import sign_of_difference

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "amplification.json").read_text())
TABLES = {case["name"]: case for case in GOLDEN["cases"] if "cells" in case}
# Kept to the digits that the golden values have.
CLOSE = {"rel": 1e-9, "abs": 1e-9}


def rows_of(case):
    """Groups, truth and prediction of a table of [group, truth, prediction, count]."""
    cells = np.asarray(case["cells"])
    return tuple(np.repeat(cells[:, k], cells[:, 3]) for k in range(3))


def some_rows(seed=0, n=300, n_groups=3, n_classes=4):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n)
    truth = np.where(rng.random(n) < 0.3, group % n_classes, rng.integers(0, n_classes, n))
    pred = np.where(rng.random(n) < 0.6, truth, rng.integers(0, n_classes, n))
    return group, truth, pred


# -- golden values ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_directional_bias_agrees_with_the_golden_values(name):
    group, truth, pred = rows_of(TABLES[name])
    value = directional_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(TABLES[name]["expected"]["A_to_T"]["ba"], **CLOSE)


@pytest.mark.parametrize("name", TABLES)
def test_mals_agrees_with_the_golden_values(name):
    group, truth, pred = rows_of(TABLES[name])
    value = mals_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(TABLES[name]["expected"]["mals_A_fixed"], **CLOSE)


@pytest.mark.parametrize(
    "name", [n for n in TABLES if TABLES[n]["expected"]["df_bias_amplification_pos1"] is not None]
)
def test_differential_fairness_agrees_with_the_golden_values(name):
    group, truth, pred = rows_of(TABLES[name])
    value = differential_fairness_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(TABLES[name]["expected"]["df_bias_amplification_pos1"], **CLOSE)


def test_from_task_to_attribute_agrees_with_the_golden_values():
    case = TABLES["t_to_a_amplified"]
    group, truth, pred = rows_of(case)
    guess = np.asarray(case["A_hat"])
    value = directional_bias_amplification(
        truth, pred, sensitive_features=group, sensitive_pred=guess, direction="t_to_a"
    )
    assert value == pytest.approx(case["expected"]["T_to_A"]["ba"], **CLOSE)
    value = mals_bias_amplification(truth, pred, sensitive_features=group, sensitive_pred=guess)
    assert value == pytest.approx(case["expected"]["mals"], **CLOSE)


@pytest.mark.parametrize("row", GOLDEN["paint_sweep"]["rows"], ids=lambda row: f"p={row['p']:.2f}")
def test_the_painting_example_of_wang_and_russakovsky(row):
    painted = round(60 * row["p"])  # everyone twice: a quarter of 30 women is no whole number
    more = max(painted - 60, 0)
    cells = [[0, 1, 1, painted - more], [0, 1, 0, 60 - painted + more], [0, 0, 1, more]]
    cells += [[0, 0, 0, 20 - more], [1, 1, 1, 20], [1, 0, 0, 60]]
    group, truth, pred = rows_of({"cells": cells})
    value = directional_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(row["ba_a_to_t"], **CLOSE)
    value = mals_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(row["mals"], **CLOSE)


def test_the_published_multi_label_example():
    case = next(c for c in GOLDEN["cases"] if c["name"] == "hf_evaluate_readme_example")
    group = np.argmax(case["A"], axis=1)
    value = directional_bias_amplification(case["T"], case["T_hat"], sensitive_features=group)
    assert value == pytest.approx(0.8 / 3)
    both = [np.hstack([case[k], case[k]]) for k in ("T", "T_hat")]
    found = directional_bias_amplification(*both, sensitive_features=group, return_details=True)
    assert found.value == pytest.approx(0.8 / 3)
    pairs = found.pairs.pivot(index="prior", columns="target", values="contribution")
    np.testing.assert_allclose(pairs[[0]], case["expected"]["pairs"])


# -- slow loops over the definitions ------------------------------------------------------------


def slow_directional_bias(group, truth, pred, weight=None, tie="zero"):
    """Over all pairs, in fractions."""
    weight = [1] * len(group) if weight is None else weight
    rows = list(zip(group, truth, pred, map(Fraction, weight), strict=True))
    n = sum(w for *_, w in rows)
    total, n_pairs = Fraction(0), 0
    for a, t in product(sorted(set(group)), sorted({*truth, *pred})):
        n_a = sum(w for g, *_, w in rows if g == a)
        n_t = sum(w for _, y, _, w in rows if y == t)
        n_at = sum(w for g, y, _, w in rows if g == a and y == t)
        p_at = sum(w for g, _, p, w in rows if g == a and p == t)
        change, excess = (p_at - n_at) / n_a, n_at * n - n_a * n_t
        if excess > 0:
            total += change
        elif excess < 0 or tie == "paper":
            total -= change
        n_pairs += 1
    return float(total / n_pairs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tie", ["zero", "paper"])
def test_directional_bias_equals_a_loop(seed, tie):
    rows = some_rows(seed)
    value = directional_bias_amplification(*rows[1:], sensitive_features=rows[0], tie=tie)
    assert value == pytest.approx(slow_directional_bias(*rows, tie=tie))


def test_directional_bias_with_whole_weights_equals_a_loop():
    rows = some_rows(1)
    weight = np.random.default_rng(1).integers(0, 4, 300)
    value = directional_bias_amplification(
        *rows[1:], sensitive_features=rows[0], sample_weight=weight
    )
    assert value == pytest.approx(slow_directional_bias(*rows, weight=weight.tolist()))


@pytest.mark.parametrize("seed", range(3))
def test_from_task_to_attribute_is_the_same_with_exchanged_roles(seed):
    group, truth, _ = some_rows(seed, n_classes=3)
    guess = some_rows(seed + 10, n_classes=3)[0]
    value = directional_bias_amplification(
        truth, None, sensitive_features=group, sensitive_pred=guess, direction="t_to_a"
    )
    assert value == pytest.approx(slow_directional_bias(truth, group, guess))


def slow_multi_label_bias(group, truth, pred, reverse=False):
    """Over all pairs of group and label; `reverse`: of label and group, pred being groups."""
    n, total, n_pairs = len(group), Fraction(0), 0
    for a, t in product(np.unique(group), range(truth.shape[1])):
        in_a, has = group == a, truth[:, t] == 1
        together = int(np.sum(in_a & has))
        if reverse:
            given, after = has, int(np.sum(has & (pred == a)))
        else:
            given, after = in_a, int(np.sum(in_a & (pred[:, t] == 1)))
        change = Fraction(after - together, int(given.sum()))
        excess = together * n - int(in_a.sum()) * int(has.sum())
        total += (excess > 0) * change - (excess < 0) * change
        n_pairs += 1
    return float(total / n_pairs)


def test_multi_label_bias_equals_a_loop_in_both_directions():
    rng = np.random.default_rng(0)
    group, guess = rng.integers(0, 3, (2, 200))
    truth, pred = (rng.random((2, 200, 6)) < 0.3).astype(int)
    value = directional_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(slow_multi_label_bias(group, truth, pred))
    value = directional_bias_amplification(
        truth, None, sensitive_features=group, sensitive_pred=guess, direction="t_to_a"
    )
    assert value == pytest.approx(slow_multi_label_bias(group, truth, guess, reverse=True))


def test_multi_label_bias_with_weights_equals_a_loop():
    rng = np.random.default_rng(0)
    group, weight = rng.integers(0, 2, 200), rng.random(200)
    truth, pred = (rng.random((2, 200, 3)) < 0.3).astype(int)
    total = 0.0
    for a, t in product((0, 1), range(3)):
        w = weight * (group == a)
        change = (w @ pred[:, t] - w @ truth[:, t]) / w.sum()
        excess = w @ truth[:, t] * weight.sum() - w.sum() * (weight @ truth[:, t])
        total += np.sign(excess) * change
    value = directional_bias_amplification(
        truth, pred, sensitive_features=group, sample_weight=weight
    )
    assert value == pytest.approx(total / 6)


def slow_mals(group, truth, pred, reference=None):
    ref_group, ref_truth = (group, truth) if reference is None else reference
    groups, total, n_classes = np.unique(ref_group), 0.0, 0
    for t in np.union1d(truth, pred):
        before, after = ref_truth == t, pred == t
        if not before.any() or not after.any():
            continue
        n_classes += 1
        for a in groups:
            share = np.mean(ref_group[before] == a)
            if share > 1 / len(groups):
                total += np.mean(group[after] == a) - share
    return total / n_classes


@pytest.mark.parametrize("seed", range(3))
def test_mals_equals_a_loop(seed):
    group, truth, pred = some_rows(seed)
    value = mals_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(slow_mals(group, truth, pred))


def test_mals_against_a_training_reference():
    group, truth, pred = some_rows(0)
    trained = some_rows(5, n=500)[:2]
    expected = slow_mals(group, truth, pred, reference=trained)
    counts = GroupCounts.from_arrays(trained[1], sensitive_features=trained[0])
    for reference in (counts, trained[::-1]):
        value = mals_bias_amplification(truth, pred, sensitive_features=group, reference=reference)
        assert value == pytest.approx(expected)


def test_a_reference_with_other_groups_and_classes():
    group, truth, pred = some_rows(0)
    trained = some_rows(5, n=500, n_groups=4, n_classes=5)[:2]  # one more of each
    expected = slow_mals(group, truth, pred, reference=trained)
    with pytest.warns(UndefinedMetricWarning, match="no row of y_pred has 4"):
        value = mals_bias_amplification(
            truth, pred, sensitive_features=group, reference=trained[::-1]
        )
    assert value == pytest.approx(expected)
    fewer = [column[trained[0] != 2] for column in trained]  # and one group less
    with pytest.warns(UndefinedMetricWarning, match="no row of y_pred has 4"):
        value = mals_bias_amplification(
            truth, pred, sensitive_features=group, reference=tuple(fewer[::-1])
        )
    assert value == pytest.approx(slow_mals(group, truth, pred, reference=fewer))


def test_mals_of_label_sets_counts_each_label():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 200)
    truth, pred = (rng.random((2, 200, 4)) < 0.4).astype(int)
    total = 0.0
    for t in range(4):
        for a in (0, 1):
            share = np.mean(group[truth[:, t] == 1] == a)
            total += (share > 0.5) * (np.mean(group[pred[:, t] == 1] == a) - share)
    value = mals_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(total / 4)
    again = mals_bias_amplification(truth, pred, sensitive_features=group, reference=(truth, group))
    assert again == value


def slow_epsilon(group, labels, classes, concentration=1.0):
    rates = {
        (a, t): (np.sum((group == a) & (labels == t)) + concentration / len(classes))
        / (np.sum(group == a) + concentration)
        for a in np.unique(group)
        for t in classes
    }
    return max(
        abs(math.log(rates[a, t]) - math.log(rates[b, t]))
        for a, b in product(np.unique(group), repeat=2)
        for t in classes
    )


@pytest.mark.parametrize("concentration", [1.0, 0.1, 5])
def test_differential_fairness_of_several_classes_equals_a_loop(concentration):
    group, truth, pred = some_rows(2)
    value = differential_fairness_bias_amplification(
        truth, pred, sensitive_features=group, concentration=concentration
    )
    expected = [slow_epsilon(group, y, range(4), concentration) for y in (pred, truth)]
    assert value == pytest.approx(expected[0] - expected[1])


@pytest.mark.filterwarnings("ignore")  # of aif360 itself, when it is imported
@pytest.mark.parametrize("pos_label", [None, 1, 0])
@pytest.mark.parametrize("weighted", [False, True])
def test_differential_fairness_equals_aif360(pos_label, weighted):
    aif360 = pytest.importorskip("aif360.sklearn.metrics")
    group, truth, pred = some_rows(3, n_classes=2)
    weight = np.random.default_rng(0).random(300) if weighted else None
    series = pd.Series(
        truth, index=pd.MultiIndex.from_arrays([range(300), group], names=["i", "g"])
    )
    expected = aif360.df_bias_amplification(
        series,
        pred,
        prot_attr="g",
        pos_label=1 if pos_label is None else pos_label,
        sample_weight=weight,
    )
    value = differential_fairness_bias_amplification(
        truth, pred, sensitive_features=group, pos_label=pos_label, sample_weight=weight
    )
    assert value == pytest.approx(expected)


def test_one_class_against_the_rest():
    group, truth, pred = some_rows(4)
    value = differential_fairness_bias_amplification(
        truth, pred, sensitive_features=group, pos_label=2
    )
    epsilon = []
    for labels in (pred, truth):
        logs = []
        for a in np.unique(group):
            rate = (np.sum((group == a) & (labels == 2)) + 1 / 4) / (np.sum(group == a) + 1)
            logs.append([math.log(rate), math.log(1 - rate)])
        epsilon.append(np.ptp(logs, axis=0).max())
    assert value == pytest.approx(epsilon[0] - epsilon[1])


# -- exact ties ---------------------------------------------------------------------------------


def test_a_balanced_table_gives_exactly_zero():
    group, truth, pred = rows_of(TABLES["balanced_biased_model"])
    assert directional_bias_amplification(truth, pred, sensitive_features=group) == 0.0


def test_independence_that_floats_would_miss_is_a_tie():
    # 1/3 x 3/10 in floats is not 1/10
    group = np.repeat([0, 0, 1, 1], [3, 7, 6, 14])
    truth = np.repeat([1, 0, 1, 0], [3, 7, 6, 14])
    pred = np.where(group == 0, 1, truth)
    value = directional_bias_amplification(truth, pred, sensitive_features=group)
    assert value == 0.0
    found = directional_bias_amplification(
        truth, pred, sensitive_features=group, return_details=True
    )
    assert found.pairs["sign"].tolist() == [0, 0, 0, 0]


def test_weights_that_are_fractions_have_a_tolerance():
    group = np.repeat([0, 0, 1, 1], [3, 7, 6, 14])
    truth = np.repeat([1, 0, 1, 0], [3, 7, 6, 14])
    pred = np.where(group == 0, 1, truth)
    value = directional_bias_amplification(
        truth, pred, sensitive_features=group, sample_weight=np.full(30, 0.1)
    )
    assert value == 0.0


@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_products_beyond_the_floats_are_compared_exactly(excess):
    big = 3_000_000_020
    assert float(big - 1) * float(big + 1) == float(big) * float(big)  # what floats would say
    left = (np.array([big - 1 + excess]), np.array([big + 1]))
    found = sign_of_difference(*left, np.array([big]), np.array([big]))
    assert found.tolist() == [-1 if excess <= 0 else 1]
    found = sign_of_difference(np.array([big + excess]), np.array([big]), big, big)
    assert found.tolist() == [excess]


@pytest.mark.parametrize("scale", [1e-140, 1e-9, 1e9, 1e140])
def test_weights_of_any_size_give_the_same_signs(scale):
    group, truth, pred = some_rows(0)
    weight = np.random.default_rng(0).random(len(group))
    for function in (directional_bias_amplification, mals_bias_amplification):
        values = [
            function(truth, pred, sensitive_features=group, sample_weight=w)
            for w in (weight, scale * weight)
        ]
        assert values[1] == pytest.approx(values[0])


@given(st.lists(st.integers(0, 30), min_size=12, max_size=12))
def test_signs_are_those_of_fractions(cells):
    table = np.array(cells).reshape(3, 4)
    rows, columns, n = table.sum(1), table.sum(0), table.sum()
    found = sign_of_difference(table, n, rows[:, None], columns)
    for (i, k), sign in np.ndenumerate(found):
        assert sign == np.sign(int(table[i, k]) * int(n) - int(rows[i]) * int(columns[k]))


# -- laws ---------------------------------------------------------------------------------------


COUNTED = [
    directional_bias_amplification,
    mals_bias_amplification,
    differential_fairness_bias_amplification,
]


@pytest.mark.parametrize("function", COUNTED)
def test_order_names_and_repetition_do_not_matter(function):
    group, truth, pred = some_rows(0)
    value = function(truth, pred, sensitive_features=group)
    order = np.random.default_rng(0).permutation(len(group))
    assert function(truth[order], pred[order], sensitive_features=group[order]) == value
    names = np.array(["d", "b", "a", "c"])
    renamed = function(names[truth], names[pred], sensitive_features=names[group])
    assert renamed == pytest.approx(value)
    if function is not differential_fairness_bias_amplification:  # its smoothing knows the size
        twice = function(
            truth, pred, sensitive_features=group, sample_weight=np.full(len(group), 2)
        )
        assert twice == pytest.approx(value)


@pytest.mark.parametrize("function", COUNTED)
def test_evaluate_and_replicates_agree_with_the_function(function):
    group, truth, pred = some_rows(0)
    counts = GroupCounts.from_arrays(truth, pred, sensitive_features=group)
    value = function(truth, pred, sensitive_features=group)
    assert evaluate(counts, function.__name__) == pytest.approx(value)
    stacked = np.stack([counts.values, counts.values[::-1], 3 * counts.values])
    unused = np.pad(stacked, [(0, 0), (0, 1), (0, 1), (0, 1)])  # a group and a class without rows
    for tables in (stacked, unused):
        found = METRICS[function.__name__].kernel(Rates(tables))
        assert found[:2] == pytest.approx([value, value])


@pytest.mark.parametrize("function", COUNTED)
def test_containers_and_intersections(function):
    group, truth, pred = some_rows(0, n_groups=4)
    value = function(truth, pred, sensitive_features=group)
    columns = pd.DataFrame({"a": group // 2, "b": np.array(["x", "y"])[group % 2]})
    assert function(truth, pred, sensitive_features=columns) == pytest.approx(value)
    assert function(
        pl.Series(truth), pl.Series(pred), sensitive_features=pl.from_pandas(columns)
    ) == pytest.approx(value)
    shuffled = columns.sample(frac=1, random_state=0)
    assert function(
        pd.Series(truth), pd.Series(pred), sensitive_features=shuffled
    ) == pytest.approx(value)


@pytest.mark.parametrize("function", [directional_bias_amplification, mals_bias_amplification])
def test_label_sets_come_in_any_container(function):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 60)
    truth, pred = (rng.random((2, 60, 3)) < 0.4).astype(int)
    value = function(truth, pred, sensitive_features=group)
    frames = [pd.DataFrame(v, columns=list("abc")) for v in (truth, pred)]
    forms = [
        frames,
        [pl.from_pandas(f) for f in frames],
        [sparse.csr_matrix(truth), sparse.coo_array(pred)],
        [truth.astype(bool), pred.astype(float)],
        [truth.tolist(), pred.tolist()],
        [frames[0], frames[1].sample(frac=1, random_state=0)],
    ]
    for one, other in forms:
        groups = pd.Series(group) if isinstance(one, pd.DataFrame) else group
        assert function(one, other, sensitive_features=groups) == value


@pytest.mark.parametrize("function", [directional_bias_amplification, mals_bias_amplification])
def test_sparse_label_sets_may_store_a_place_twice(function):
    """scipy sums the entries of one place, here 1 + 0."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 60)
    truth, pred = (rng.random((2, 60, 3)) < 0.4).astype(int)
    twice = sparse.csr_matrix(
        (
            np.c_[pred.ravel(), np.zeros(pred.size, int)].ravel(),
            np.tile(np.repeat(np.arange(3), 2), 60),
            np.arange(0, 361, 6),
        ),
        shape=pred.shape,
    )
    stored = twice.nnz
    value = function(truth, pred, sensitive_features=group)
    assert function(truth, twice, sensitive_features=group) == value
    assert twice.nnz == stored
    doubled = sparse.csr_matrix(([1, 1], [0, 0], [0, 2] + [2] * 59), shape=pred.shape)
    with pytest.raises(ValueError, match="y_pred holds values other than 0 and 1 in 3 columns"):
        function(truth, doubled, sensitive_features=group)


def test_label_sets_lose_the_rows_without_a_group():
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], 60).astype(object)
    truth, pred = (rng.random((2, 60, 3)) < 0.4).astype(int)
    guess = group[rng.permutation(60)]
    value = directional_bias_amplification(truth[5:], pred[5:], sensitive_features=group[5:])
    back = {"sensitive_pred": guess[5:], "direction": "t_to_a"}
    backward = directional_bias_amplification(
        truth[5:], pred[5:], sensitive_features=group[5:], **back
    )
    group[:5] = None
    kwargs = {"sensitive_features": group, "missing": "drop"}
    with pytest.warns(UserWarning, match="left out 5 of 60 rows"):
        assert directional_bias_amplification(truth, pred, **kwargs) == value
    with pytest.warns(UserWarning, match="left out 5 of 60 rows"):
        found = directional_bias_amplification(
            truth, None, sensitive_pred=guess, direction="t_to_a", **kwargs
        )
    assert found == backward


def test_a_label_nobody_has_does_not_count():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 60)
    truth, pred = (rng.random((2, 60, 3)) < 0.4).astype(int)
    padded = [np.hstack([v, np.zeros((60, 1), dtype=int)]) for v in (truth, pred)]
    for function in (directional_bias_amplification, mals_bias_amplification):
        value = function(truth, pred, sensitive_features=group)
        assert function(*padded, sensitive_features=group) == value


@pytest.mark.parametrize("function", [directional_bias_amplification, mals_bias_amplification])
def test_label_sets_without_a_label_are_undefined(function):
    nobody, group = np.zeros((4, 2), dtype=int), list("aabb")
    with pytest.warns(UndefinedMetricWarning, match="no row of y_true has a label"):
        assert math.isnan(function(nobody, nobody, sensitive_features=group))
    with pytest.warns(UndefinedMetricWarning, match="no row of y_true has a label"):
        found = function(nobody, nobody, sensitive_features=group, return_details=True)
    assert found.worst_pair is None


# -- details ------------------------------------------------------------------------------------


def test_pairs_show_where_the_bias_grows():
    group, truth, pred = rows_of(TABLES["hiring_seed002"])
    names = np.array(["men", "women"])
    found = directional_bias_amplification(
        truth, pred, sensitive_features=names[group], return_details=True
    )
    assert found.value == found.pairs["contribution"].mean()
    row = found.pairs[(found.pairs["prior"] == "men") & (found.pairs["target"] == 1)].iloc[0]
    assert row["p_data"] == 0.25
    assert row["p_model"] == 0.075
    assert row["sign"] == 1
    assert row["contribution"] == pytest.approx(-0.175)
    assert found.worst_pair.prior == "women"


def test_the_driver_is_the_class_that_moved_most_unequally():
    group, truth, pred = rows_of(TABLES["hiring_seed002"])
    counts = GroupCounts.from_arrays(truth, pred, sensitive_features=group)
    driver = METRICS["directional_bias_amplification"].driver(counts, Rates(counts.values))
    changes = {0: 0.25 - 0.075, 1: 0.22 - 0.09}  # of not being hired
    assert driver.column == 0
    assert (driver.low, driver.high) == (1, 0)
    assert driver.high_value == pytest.approx(changes[0])
    assert driver.low_value == pytest.approx(changes[1])


def test_mals_details_name_the_shares():
    group, truth, pred = rows_of(TABLES["paint_example_p0.5"])
    found = mals_bias_amplification(truth, pred, sensitive_features=group, return_details=True)
    row = found.pairs.query("prior == 0 and target == 0").iloc[0]
    assert row["p_data"] == 0.75
    assert row["p_model"] == 0.6
    assert row["over_represented"]
    assert found.value == pytest.approx(found.pairs["contribution"].sum() / 2)
    assert found.worst_pair == (0, 0, 0.75, 0.6)


def test_differential_fairness_details():
    group, truth, pred = rows_of(TABLES["hiring_seed002"])
    found = differential_fairness_bias_amplification(
        truth, pred, sensitive_features=group, return_details=True
    )
    assert found.epsilon_data == pytest.approx(math.log(50.5 / 201 * 101 / 22.5))
    assert found.value == found.epsilon_model - found.epsilon_data
    assert found.worst_pair.target == 1


def test_the_pair_of_differential_fairness_is_the_one_that_changed_most():
    truth = np.repeat(["yes", "no", "yes", "no"], [30, 70, 50, 50])
    pred = np.repeat(["yes", "no", "yes", "no"], [10, 90, 55, 45])
    group = np.repeat(["a", "b"], 100)
    found = differential_fairness_bias_amplification(
        truth, pred, sensitive_features=group, concentration=1.0, return_details=True
    )
    # smoothed by half a row a cell: 30.5 / 101 became 10.5 / 101, no other by so large a factor
    assert found.worst_pair == ("a", "yes", pytest.approx(30.5 / 101), pytest.approx(10.5 / 101))


def test_mals_pairs_against_a_training_reference_by_hand():
    trained = (
        np.repeat(["x", "x", "y", "y"], [6, 2, 3, 5]),
        np.repeat(["m", "f", "m", "f"], [6, 2, 3, 5]),
    )
    truth = np.repeat(["x", "y"], [4, 4])
    pred = np.repeat(["x", "y", "x", "y"], [3, 2, 1, 2])
    group = np.repeat(["m", "f"], [5, 3])
    counts = GroupCounts.from_arrays(trained[0], sensitive_features=trained[1])
    for reference in (trained, counts):
        found = mals_bias_amplification(
            truth, pred, sensitive_features=group, reference=reference, return_details=True
        )
        table = found.pairs.set_index(["prior", "target"])
        assert table["p_data"].to_dict() == pytest.approx(
            {("x", "m"): 6 / 8, ("x", "f"): 2 / 8, ("y", "m"): 3 / 8, ("y", "f"): 5 / 8}
        )
        assert table["p_model"].to_dict() == pytest.approx(
            {("x", "m"): 3 / 4, ("x", "f"): 1 / 4, ("y", "m"): 2 / 4, ("y", "f"): 2 / 4}
        )
        # over-represented in the training data: men in x, women in y
        assert table["contribution"].to_dict() == pytest.approx(
            {("x", "m"): 0.0, ("x", "f"): 0.0, ("y", "m"): 0.0, ("y", "f"): 2 / 4 - 5 / 8}
        )


@pytest.mark.parametrize("relative", [False, True])
def test_directional_predictability_on_counts_equals_a_loop(relative):
    group, truth, pred = some_rows(0)
    value = evaluate(
        GroupCounts.from_arrays(truth, pred, sensitive_features=group),
        "directional_predictability_amplification",
        relative=relative,
    )
    qualities = []
    for labels in (truth, pred):  # share of rows that the best guess from the group gets right
        right = sum(np.unique(labels[group == g], return_counts=True)[1].max() for g in set(group))
        qualities.append(right / len(labels))
    expected = qualities[1] - qualities[0]
    if relative:
        expected /= sum(qualities)
    assert value == pytest.approx(expected, rel=1e-5)  # a tiny constant keeps 0 / 0 away


# -- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", COUNTED)
def test_one_group_is_undefined(function):
    message = rf"{function.__name__} is undefined \(NaN\): .* there is only one: 'a'"
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert math.isnan(function([0, 1, 1], [0, 1, 0], sensitive_features=list("aaa")))


@pytest.mark.parametrize("function", COUNTED)
def test_one_class_has_nothing_to_amplify(function):
    with pytest.warns(UndefinedMetricWarning, match="hold the one class 'x': there is nothing to"):
        assert function(["x"] * 4, ["x"] * 4, sensitive_features=list("aabb")) == 0


@pytest.mark.parametrize("function", [directional_bias_amplification])
def test_a_class_that_is_never_predicted_counts(function):
    group, truth, _ = some_rows(0)
    pred = np.where(truth == 3, 0, truth)
    value = function(truth, pred, sensitive_features=group)
    assert value == pytest.approx(slow_directional_bias(group, truth, pred))


def test_mals_leaves_out_a_class_that_is_never_predicted():
    group, truth, _ = some_rows(0)
    pred = np.where(truth == 3, 0, truth)
    message = "leaves out: no row of y_pred has 3"
    with pytest.warns(UndefinedMetricWarning, match=message):
        value = mals_bias_amplification(truth, pred, sensitive_features=group)
    assert value == pytest.approx(slow_mals(group, truth, pred))
    with pytest.raises(ValueError, match="is undefined: no row of y_pred has 3"):
        mals_bias_amplification(truth, pred, sensitive_features=group, undefined="raise")
    with pytest.warns(UndefinedMetricWarning, match="no row of y_pred has 3"):
        value = mals_bias_amplification(truth, pred, sensitive_features=group, undefined="nan")
    assert math.isnan(value)
    value = mals_bias_amplification(truth, pred, sensitive_features=group, undefined="zero")
    share = pd.crosstab(truth, group, normalize="index").loc[3]
    fall = share[share > 1 / 3].sum()
    assert value == pytest.approx((3 * slow_mals(group, truth, pred) - fall) / 4)


def test_the_reference_must_have_the_classes_and_the_groups():
    group, truth, pred = some_rows(0)
    reference = GroupCounts.from_arrays(truth % 2, sensitive_features=group)
    with pytest.raises(ValueError, match="y_pred holds classes that the reference does not: 2, 3"):
        mals_bias_amplification(truth, pred, sensitive_features=group, reference=reference)
    reference = GroupCounts.from_arrays(truth, sensitive_features=group + 7)
    with pytest.raises(ValueError, match="the reference has none of the groups: 7, 8, 9 against"):
        mals_bias_amplification(truth, pred, sensitive_features=group, reference=reference)
    counts = GroupCounts.from_arrays(truth, sensitive_features=group)
    stacked = GroupCounts(
        np.stack([counts.values] * 2), groups=[0, 1, 2], classes=range(4), predicted=False
    )
    with pytest.raises(ValueError, match="a reference with replicate axes is no table; select"):
        mals_bias_amplification(truth, pred, sensitive_features=group, reference=stacked)
    with pytest.raises(ValueError, match="reference must be a GroupCounts or a pair"):
        mals_bias_amplification(truth, pred, sensitive_features=group, reference=truth)
    sets = np.eye(4, dtype=int)[truth]
    with pytest.raises(ValueError, match="reference counts one class a row, and y_true holds"):
        mals_bias_amplification(
            sets,
            sets,
            sensitive_features=group,
            reference=GroupCounts.from_arrays(truth, sensitive_features=group),
        )
    with pytest.raises(ValueError, match="reference holds classes and y_true label sets"):
        mals_bias_amplification(sets, sets, sensitive_features=group, reference=(truth, group))


def test_the_predicted_attribute_is_required_and_must_fit():
    y, group = [0, 1, 0, 1], list("aabb")
    kwargs = {"sensitive_features": group, "direction": "t_to_a"}
    with pytest.raises(ValueError, match="needs the predicted attribute; pass sensitive_pred="):
        directional_bias_amplification(y, y, **kwargs)
    with pytest.raises(
        ValueError, match=r"sensitive_pred holds none of the groups .*: 'x' against"
    ):
        directional_bias_amplification(y, y, sensitive_pred=list("xxxx"), **kwargs)
    with pytest.raises(ValueError, match=r"different numbers of rows: .*sensitive_pred has 3"):
        directional_bias_amplification(y, y, sensitive_pred=list("aab"), **kwargs)
    with pytest.raises(ValueError, match="sensitive_pred: 1 of 4 values are missing"):
        directional_bias_amplification(y, y, sensitive_pred=["a", "a", None, "b"], **kwargs)


def test_a_group_that_is_never_predicted_counts():
    group, truth, _ = some_rows(0)
    guess = np.where(group == 2, 0, group)
    value = directional_bias_amplification(
        truth, None, sensitive_features=group, sensitive_pred=guess, direction="t_to_a"
    )
    assert value == pytest.approx(slow_directional_bias(truth, group, guess))


def test_label_sets_and_classes_do_not_mix():
    sets, classes, group = np.eye(2, dtype=int)[[0, 1, 0, 1]], [0, 1, 0, 1], list("aabb")
    message = "y_true holds label sets and y_pred classes; give both one class a row, or both"
    with pytest.raises(ValueError, match=message):
        directional_bias_amplification(sets, classes, sensitive_features=group)
    with pytest.raises(ValueError, match="y_true has 2 labels and y_pred 3; give both the same"):
        directional_bias_amplification(sets, sets[:, [0, 1, 1]], sensitive_features=group)
    frames = [pd.DataFrame(sets, columns=c) for c in (["a", "b"], ["b", "a"])]
    with pytest.raises(ValueError, match="have other labels, or in another order: 'a', 'b' again"):
        directional_bias_amplification(*frames, sensitive_features=group)
    with pytest.raises(ValueError, match="needs one class a row"):
        differential_fairness_bias_amplification(sets, sets, sensitive_features=group)


def test_probabilities_are_no_labels():
    y, group = [0, 1, 0, 1], list("aabb")
    message = r"y_pred holds continuous values.*pass class labels, for example score >= 0\.5"
    with pytest.raises(ValueError, match=message):
        directional_bias_amplification(y, [0.1, 0.9, 0.2, 0.7], sensitive_features=group)
    chances = np.array([[0.1, 0.9], [0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"other than 0 and 1 in 2 columns; if .*argmax"):
        directional_bias_amplification(y, chances, sensitive_features=group)


def test_columns_must_hold_numbers():
    group = list("aabb")
    holes = np.array([[0, np.nan], [1, 0], [0, 1], [1, 1]])
    texts = pd.DataFrame({"a": list("xyxy"), "b": list("uvuv")})
    with pytest.raises(ValueError, match="y_true has 2 columns, which must hold numbers, 0 and 1"):
        directional_bias_amplification(texts, texts, sensitive_features=group)
    with pytest.raises(ValueError, match="y_true has 2 columns, which must hold numbers"):
        directional_bias_amplification(texts.to_numpy(), holes, sensitive_features=group)
    with pytest.raises(ValueError, match="y_true holds values that are missing or infinite"):
        directional_bias_amplification(holes, holes, sensitive_features=group)


def test_groups_and_classes_of_weight_zero_do_not_count():
    group, truth, pred = some_rows(0)
    weight = (group > 0).astype(int)
    for function in COUNTED:
        value = function(truth, pred, sensitive_features=group, sample_weight=weight)
        kept = group > 0
        assert value == function(truth[kept], pred[kept], sensitive_features=group[kept])
        with pytest.warns(UndefinedMetricWarning, match="there is only one: 2"):
            function(truth, pred, sensitive_features=group, sample_weight=(group == 2) * 1)


@pytest.mark.parametrize("function", COUNTED)
def test_sizes_and_missing_values(function):
    y, group = [0, 1, 0, 1], list("aabb")
    with pytest.raises(ValueError, match="y_true has 4, y_pred has 3"):
        function(y, y[:3], sensitive_features=group)
    with pytest.raises(ValueError, match="1 of 4 values are missing; pass missing='group'"):
        function(y, y, sensitive_features=["a", None, "b", "b"])
    with pytest.raises(ValueError, match="y_pred: 1 of 4 values are missing"):
        function(y, [0, 1, None, 1], sensitive_features=group)
    with pytest.raises(ValueError, match="sample_weight is zero in all rows"):
        function(y, y, sensitive_features=group, sample_weight=[0] * 4)
    with pytest.raises(ValueError, match="y_pred is required"):
        function(y, None, sensitive_features=group)
    with pytest.warns(UserWarning, match="left out 1 of 4 rows with a missing protected value"):
        function([0, 1, 0, 1], y, sensitive_features=["a", None, "b", "b"], missing="drop")
    assert isinstance(
        function(y, y, sensitive_features=["a", None, "b", "b"], missing="group"), float
    )
    weight = {"sample_weight": [0, 1, 0, 0], "missing": "drop"}  # of the row without a group
    with (
        pytest.warns(UserWarning, match="left out 1 of 4 rows"),
        pytest.raises(ValueError, match="zero in all rows with a protected value"),
    ):
        function(y, y, sensitive_features=["a", None, "b", "b"], **weight)


def test_options_are_checked():
    y, group = [0, 1, 0, 1], list("aabb")
    with pytest.raises(ValueError, match=r"tie must be one of \('zero', 'paper'\); got 'half'"):
        directional_bias_amplification(y, y, sensitive_features=group, tie="half")
    with pytest.raises(ValueError, match="direction must be one of"):
        directional_bias_amplification(y, y, sensitive_features=group, direction="a_to_b")
    with pytest.raises(ValueError, match="undefined must be one of"):
        mals_bias_amplification(y, y, sensitive_features=group, undefined="ignore")
    with pytest.raises(ValueError, match="concentration must be a number above 0; got 0"):
        differential_fairness_bias_amplification(y, y, sensitive_features=group, concentration=0)
    with pytest.raises(ValueError, match="pos_label=2 is not among the labels found"):
        differential_fairness_bias_amplification(y, y, sensitive_features=group, pos_label=2)
