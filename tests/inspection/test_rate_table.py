"""Rates, their intervals, and the gaps between two groups, against loops and published numbers."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import fisher_exact

from skfairprop import GroupCounts, fairness_report
from skfairprop.inspection._rate_table import by_gap, pair_table, rate_table

RNG = np.random.default_rng(0)
GROUP = RNG.choice(list("abc"), 400)
TRUE, PRED = RNG.choice(["x", "y", "z"], (2, 400))
COUNTS = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)

# numerator and denominator of a rate of class c, over rows of a group
LOOPS = {
    "base_rate": lambda t, p, c: (t == c, t == t),
    "selection_rate": lambda t, p, c: (p == c, t == t),
    "accuracy": lambda t, p, c: (t == p, t == t),
    "tpr": lambda t, p, c: ((t == c) & (p == c), t == c),
    "fpr": lambda t, p, c: ((t != c) & (p == c), t != c),
    "fnr": lambda t, p, c: ((t == c) & (p != c), t == c),
    "tnr": lambda t, p, c: ((t != c) & (p != c), t != c),
    "precision": lambda t, p, c: ((t == c) & (p == c), p == c),
}


@pytest.mark.parametrize("rate", LOOPS)
def test_rates_are_those_of_a_loop_over_the_rows(rate):
    table = rate_table(COUNTS, rates=rate, pos_label="y")
    assert table["group"].tolist() == ["a", "b", "c"]
    for row in table.itertuples():
        mine = row.group == GROUP
        part, whole = (np.count_nonzero(v) for v in LOOPS[rate](TRUE[mine], PRED[mine], "y"))
        assert (row.value, row.n, row.n_effective) == (part / whole, whole, whole)
    part, whole = (np.count_nonzero(v) for v in LOOPS[rate](TRUE, PRED, "y"))
    np.testing.assert_allclose(table["everyone"], part / whole)


def test_without_a_positive_class_there_is_a_row_for_each_class():
    table = rate_table(COUNTS)
    assert table["rate"].unique().tolist() == ["tpr"]
    assert table["class"].tolist() == ["x"] * 3 + ["y"] * 3 + ["z"] * 3
    alone = rate_table(COUNTS, rates="tpr", pos_label="z")
    np.testing.assert_array_equal(table["value"][6:], alone["value"])


def test_intervals_are_wilsons():
    counts = GroupCounts([[3, 17]], groups=["a"], classes=[0, 1], predicted=False)
    row = rate_table(counts).iloc[0]
    n, p, z = 20, 17 / 20, 1.959963984540054
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert row["lower"] == pytest.approx(centre - half)
    assert row["upper"] == pytest.approx(centre + half)


def test_undefined_rates_are_nan_with_a_denominator_of_0():
    counts = GroupCounts([[[5, 5], [0, 0]], [[5, 5], [2, 8]]], groups=["a", "b"], classes=[0, 1])
    row = rate_table(counts, rates="tpr").iloc[0]
    assert row["n"] == 0
    assert row[["value", "lower", "upper"]].isna().all()


def test_equal_weights_change_nothing_but_the_sums():
    weighted = GroupCounts.from_arrays(
        TRUE, PRED, sensitive_features=GROUP, sample_weight=np.full(400, 0.5)
    )
    plain = rate_table(COUNTS, rates=list(LOOPS), pos_label="y")
    half = rate_table(weighted, rates=list(LOOPS), pos_label="y")
    np.testing.assert_allclose(half["n"], plain["n"] / 2)
    same = ["value", "lower", "upper", "n_effective", "everyone"]
    np.testing.assert_allclose(half[same], plain[same])


def test_effective_sizes_are_kishs_within_each_denominator():
    weight = RNG.uniform(0.1, 3, 400)
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP, sample_weight=weight)
    for row in rate_table(counts, rates="precision", pos_label="x").itertuples():
        mine = weight[(row.group == GROUP) & (PRED == "x")]
        assert row.n_effective == pytest.approx(mine.sum() ** 2 / (mine**2).sum())


def test_the_report_says_the_same():
    report = fairness_report(
        TRUE, PRED, sensitive_features=GROUP, pos_label="x", bootstrap=0, metrics="cramers_v"
    )
    for rate in LOOPS:
        table = rate_table(COUNTS, rates=rate, pos_label="x")
        for column, name in (("value", rate), ("lower", f"{rate}_lower"), ("n", f"n_{rate}")):
            np.testing.assert_allclose(table[column], report.by_group[name])


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ("trp", "no rate 'trp'; did you mean 'tpr'"),
        ([], "rates is empty; name some of base_rate"),
    ],
)
def test_unknown_rates_are_refused(rates, message):
    with pytest.raises(ValueError, match=message):
        rate_table(COUNTS, rates=rates)


def test_rates_of_predictions_need_predictions():
    with pytest.raises(ValueError, match="the rate 'tpr' needs predictions"):
        rate_table(COUNTS.of_labels(), rates="tpr")


def test_classes_are_ordered_by_their_widest_gap():
    counts = GroupCounts(
        [[10, 30, 60], [20, 30, 50], [5, 60, 35]], groups=list("abc"), classes=list("xyz"),
        predicted=False,
    )  # fmt: skip
    ordered = by_gap(rate_table(counts))
    assert ordered["class"].tolist() == ["y"] * 3 + ["z"] * 3 + ["x"] * 3
    assert ordered["group"].tolist() == list("abc") * 3


# -- two groups ---------------------------------------------------------------------------------


def two_rates(successes_1, n_1, successes_2, n_2):
    counts = GroupCounts(
        [[n_1 - successes_1, successes_1], [n_2 - successes_2, successes_2]],
        groups=["a", "b"],
        classes=[0, 1],
        predicted=False,
    )
    return pair_table(rate_table(counts)).iloc[0]


@pytest.mark.parametrize(
    ("counts", "ends"),
    [  # Newcombe 1998, Table II, method 10
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
    ],
)
def test_intervals_of_gaps_are_those_that_newcombe_printed(counts, ends):
    found = two_rates(*counts)
    assert (found["lower"], found["upper"]) == pytest.approx(ends, abs=6e-5)


def test_p_is_fishers_where_both_groups_have_one_size():
    found = two_rates(3, 12, 9, 12)
    assert found["p"] == pytest.approx(fisher_exact([[3, 9], [9, 3]]).pvalue)


def test_all_pairs_are_compared_first_minus_second():
    pairs = pair_table(rate_table(COUNTS, rates=["tpr"], pos_label="x"))
    assert pairs[["first", "second"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    rate = {g: np.mean(PRED[(g == GROUP) & (TRUE == "x")] == "x") for g in "abc"}
    size = {g: np.count_nonzero((g == GROUP) & (TRUE == "x")) for g in "abc"}
    for row in pairs.itertuples():
        assert row.gap == pytest.approx(rate[row.first] - rate[row.second])
        assert row.n == min(size[row.first], size[row.second])
