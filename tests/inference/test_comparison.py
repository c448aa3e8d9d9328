"""Two models or two tables: against loops over rows, and the law that ties p to the interval."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.inference import compare_counts, compare_models
from skfairprop.metrics import (
    cramers_v,
    demographic_parity_difference,
    demographic_parity_ratio,
    equalized_odds_difference,
)
from tests.inference.data import loop_gap, rows


def two_models(n=160, gap_a=0.0, gap_b=0.0, seed=0, agree=0.6):
    """Truth, two predictions that agree on many rows, group."""
    y_true, first, group = rows(n, gap_a, seed)
    second = rows(n, gap_b, seed)[1]  # from the same draws
    other = rows(n, gap_b, seed + 1000)[1]
    same_truth = rows(n, gap_b, seed + 1000)[0] == y_true
    take = same_truth & (np.random.default_rng(seed).random(n) > agree)
    return y_true, first, np.where(take, other, second), group


def compare(metric, y_true, a, b, group, **options):
    return compare_models(
        metric, y_true, a, b, sensitive_features=group, **({"random_state": 0} | options)
    )


def check_laws(found):
    assert found.lower <= found.difference <= found.upper
    assert found.difference == pytest.approx(found.value_b - found.value_a)
    assert 0 < found.p_value <= 1
    assert found.excludes_zero() == (found.p_value <= 1 - found.confidence)
    if not found.excludes_zero():
        assert found.lower <= 0 <= found.upper


def test_null_is_a_swap_of_the_predictions_of_a_row():
    y_true, a, b, group = two_models(gap_a=0.4)
    found = compare("demographic_parity_difference", y_true, a, b, group, n_draws=2000)
    difference = loop_gap(y_true, b, group) - loop_gap(y_true, a, group)
    assert found.difference == pytest.approx(difference)
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        swap = rng.random(len(group)) < 0.5
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        drawn = loop_gap(y_true, second, group) - loop_gap(y_true, first, group)
        hits += abs(drawn) >= abs(difference) - 1e-10
    p = (1 + hits) / 401
    assert found.p_exchange == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 400) + 1e-3)


@pytest.mark.parametrize(
    "function", [equalized_odds_difference, demographic_parity_ratio, demographic_parity_difference]
)
@pytest.mark.parametrize("gaps", [(0, 0), (0.5, 0), (0.2, 0.5)])
def test_values_and_laws(function, gaps):
    y_true, a, b, group = two_models(400, *gaps)
    found = compare(function.__name__, y_true, a, b, group, n_draws=300)
    assert found.value_a == pytest.approx(function(y_true, a, sensitive_features=group))
    assert found.value_b == pytest.approx(function(y_true, b, sensitive_features=group))
    check_laws(found)


def test_a_difference_that_is_there_is_found():
    y_true, a, b, group = two_models(1600, 0.6, 0.0)
    found = compare("equalized_odds_difference", y_true, a, b, group)
    assert found.p_value < 0.01
    assert found.upper < 0
    back = compare("equalized_odds_difference", y_true, b, a, group)
    assert back.difference == pytest.approx(-found.difference)
    assert back.lower > 0


def test_a_model_is_no_other_than_itself():
    y_true, a, _, group = two_models()
    found = compare("equalized_odds_difference", y_true, a, a, group)
    assert (found.difference, found.p_value) == (0, 1)
    check_laws(found)


def test_p_is_uniform_without_a_difference():
    found = [
        compare("demographic_parity_difference", *two_models(seed=s), n_draws=99) for s in range(60)
    ]
    p = np.array([c.p_exchange for c in found])
    assert 0.3 < np.mean(p) < 0.75  # ties make it cautious
    assert np.mean(p <= 0.1) < 0.25
    assert all(c.p_value >= c.p_exchange for c in found)


def test_metrics_of_a_data_set_read_the_predictions():
    y_true, a, b, group = two_models(gap_a=0.5)
    found = compare("cramers_v", y_true, a, b, group)
    assert found.value_a == pytest.approx(cramers_v(a, sensitive_features=group))
    assert found.value_b == pytest.approx(cramers_v(b, sensitive_features=group))
    check_laws(found)


def test_several_classes_and_words():
    rng = np.random.default_rng(0)
    y_true, a, b = np.array(["x", "y", "z"])[rng.integers(3, size=(3, 300))]
    group = np.repeat(["f", "m"], 150)
    found = compare("demographic_parity_difference", y_true, a, b, group, pos_label="y")
    expected = demographic_parity_difference(y_true, b, sensitive_features=group, pos_label="y")
    assert found.value_b == pytest.approx(expected)
    check_laws(compare("overall_disparity", y_true, a, b, group))


def test_a_class_that_one_model_alone_predicts():
    y_true, a, _, group = two_models()
    found = compare("demographic_parity_difference", y_true, a, np.zeros_like(a), group)
    assert found.value_b == 0
    check_laws(found)
    nothing = np.zeros_like(a)
    alone = compare("demographic_parity_difference", nothing, nothing, nothing, group)
    assert (alone.difference, alone.p_value) == (0, 1)


def test_weights_of_two_are_no_more_rows():
    y_true, a, b, group = two_models(gap_a=0.5)
    plain = compare("equalized_odds_difference", y_true, a, b, group)
    weighted = compare(
        "equalized_odds_difference", y_true, a, b, group, sample_weight=np.full(len(a), 2)
    )
    assert weighted.p_value == plain.p_value
    assert (weighted.lower, weighted.upper) == pytest.approx((plain.lower, plain.upper))


def test_rows_with_missing_groups_are_left_out_and_said():
    y_true, a, b, group = two_models()
    group = group.astype(object)
    group[:5] = None
    name = "demographic_parity_difference"
    with pytest.raises(ValueError, match="5 of 160 values are missing"):
        compare(name, y_true, a, b, group)
    with pytest.warns(UserWarning, match="left out 5 of 160 rows"):
        found = compare(name, y_true, a, b, group, missing="drop")
    assert found == compare(name, y_true[5:], a[5:], b[5:], group[5:])


def test_undefined_stays_undefined():
    y_true, a, b, _ = two_models()
    with pytest.warns(UndefinedMetricWarning, match="there is only one"):
        found = compare("equalized_odds_difference", y_true, a, b, ["a"] * len(a))
    assert np.isnan([found.difference, found.lower, found.upper, found.p_value]).all()
    assert not found.excludes_zero()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric": "mesd"}, "is no function of counts"),
        ({"y_pred_b": [0, 1]}, "different numbers of rows"),
        ({"confidence": 2}, "confidence must be a number in .0, 1."),
        ({"n_draws": 0}, "n_draws must be an integer of at least 1"),
        ({"agg": "median"}, "equalized_odds_difference"),
        ({"y_pred_a": np.linspace(0, 1, 160)}, "y_pred_a holds continuous values"),
    ],
)
def test_bad_input(changes, message):
    y_true, a, b, group = two_models()
    given = {"metric": "equalized_odds_difference", "y_true": y_true, "y_pred_a": a, "y_pred_b": b}
    with pytest.raises(ValueError, match=message):
        compare_models(**(given | {"sensitive_features": group} | changes))


# -- two tables -----------------------------------------------------------------------------------


def counted(n, gap, seed):
    y_true, y_pred, group = rows(n, gap, seed)
    return GroupCounts.from_arrays(y_true, y_pred, sensitive_features=group)


def test_tables_are_exchanged_within_groups():
    first, second = rows(160, 0.5, 0), rows(240, 0.0, 1)
    tables = [GroupCounts.from_arrays(t, p, sensitive_features=g) for t, p, g in (first, second)]
    found = compare_counts("demographic_parity_difference", *tables, n_draws=2000, random_state=0)
    difference = loop_gap(*second) - loop_gap(*first)
    assert found.difference == pytest.approx(difference)
    y_true, y_pred, group = (np.concatenate(pair) for pair in zip(first, second, strict=True))
    time = np.repeat([0, 1], [160, 240])
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        moved = time.copy()
        for g in "abcd":
            moved[group == g] = rng.permutation(time[group == g])
        gaps = [loop_gap(*(x[moved == k] for x in (y_true, y_pred, group))) for k in (0, 1)]
        hits += abs(gaps[1] - gaps[0]) >= abs(difference) - 1e-10
    p = (1 + hits) / 401
    assert found.p_exchange == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 400) + 1e-3)


@pytest.mark.parametrize("gaps", [(0, 0), (0.6, 0)])
@pytest.mark.parametrize(
    "metric", ["equalized_odds_difference", "precision_difference", "cramers_v", "ens_bias"]
)
def test_laws_of_tables(metric, gaps):
    tables = [counted(800, gap, seed) for seed, gap in enumerate(gaps)]
    check_laws(compare_counts(metric, *tables, n_draws=300, random_state=0))


def test_other_shares_of_classes_are_no_other_odds():
    few = GroupCounts([[[80, 20], [2, 8]], [[80, 20], [2, 8]]], groups=["a", "b"], classes=[0, 1])
    many = GroupCounts([[[8, 2], [20, 80]], [[8, 2], [20, 80]]], groups=["a", "b"], classes=[0, 1])
    found = compare_counts("equalized_odds_difference", few, many, random_state=0)
    assert found.p_value > 0.5


def test_groups_that_one_table_alone_has():
    first = counted(160, 0.3, 0)
    found = compare_counts(
        "demographic_parity_difference", first.select([0, 1, 2]), first, random_state=0
    )
    expected = loop_gap(*rows(160, 0.3, 0))
    assert found.value_b == pytest.approx(expected)
    check_laws(found)


def test_tables_that_cannot_be_compared():
    first = counted(160, 0.3, 0)
    with pytest.raises(TypeError, match="counts_b must be GroupCounts; got list"):
        compare_counts("cramers_v", first, [first])
    with pytest.raises(ValueError, match="with predictions cannot be merged"):
        compare_counts("cramers_v", first, first.of_labels())
    with pytest.raises(ValueError, match="needs predictions"):
        compare_counts("equalized_odds_difference", first.of_labels(), first.of_labels())
    many = GroupCounts(np.stack([first.values] * 2), groups=first.groups, classes=first.classes)
    with pytest.raises(ValueError, match="replicate axes"):
        compare_counts("cramers_v", first, many)


def test_equal_but_opposite_gaps_are_no_difference():
    """Models that favour the two groups by as much are not exchangeable, yet equally biased."""
    rng = np.random.default_rng(0)
    found = []
    for seed in range(20):
        group, y = rng.integers(0, 2, 600), rng.integers(0, 2, 600)
        a = (rng.random(600) < np.where(group == 0, 0.6, 0.4)).astype(int)
        b = (rng.random(600) < np.where(group == 0, 0.4, 0.6)).astype(int)
        found.append(
            compare_models(
                "demographic_parity_difference", y, a, b,
                sensitive_features=group, n_draws=200, random_state=seed,
            )
        )  # fmt: skip
    assert sum(c.p_value <= 0.05 for c in found) <= 2
    assert all(c.excludes_zero() == (c.p_value <= 0.05) for c in found)
    assert sum(c.lower <= 0 <= c.upper for c in found) >= 18
