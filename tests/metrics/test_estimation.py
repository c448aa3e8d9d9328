"""The 21 bias estimations: golden values, loops written from the paper's table, edge cases."""

import json
import math
from itertools import permutations
from pathlib import Path
from statistics import pvariance

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.metrics import (
    METRICS,
    bias_estimation,
    bias_estimations,
    ensemble_bias_estimation,
    evaluate,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "ensemble.json").read_text())
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

# In the order of the paper's table.
METHODS = [
    "equalized_odds",
    "disparate_impact",
    "demographic_parity",
    "sensitivity",
    "specificity",
    "balance_error_rate",
    "lr_plus",
    "equal_ppv",
    "equal_npv",
    "equal_accuracy",
    "equal_opportunity",
    "treatment_equality",
    "equal_fpr",
    "equal_fnr",
    "error_rate_balance",
    "normalized_difference",
    "mutual_information",
    "balance_residuals",
    "calibration",
    "prediction_parity",
    "erbs",
]
WITHOUT_TRUTH = [
    "disparate_impact",
    "demographic_parity",
    "normalized_difference",
    "mutual_information",
]


# -- golden values --------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("convention", ["corrected", "paper"])
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_values(name, convention):
    inputs = GOLDEN[name]["inputs"]
    found = bias_estimations(
        inputs["y_true"],
        inputs["y_pred"],
        sensitive_features=inputs["group"],
        y_score=inputs.get("score"),
        pos_label=inputs.get("positive", 1),
        convention=convention,
    )
    expected = GOLDEN[name]["expected"][convention]
    assert set(expected) <= set(found.index)
    for method, value in expected.items():
        expected_value = np.nan if value is None else value
        assert found[method] == pytest.approx(expected_value, abs=1e-8, nan_ok=True), method


# -- loops over groups, from the paper's table ----------------------------------------------------


def share(part, whole):
    return part / whole if whole else None


def gap(values):
    values = [v for v in values if v is not None]
    return max(values) - min(values) if len(values) >= 2 else None


def variance(values, corrected):
    values = [v for v in values if v is not None]
    k = len(values)
    if k < 2:
        return None
    largest = (k // 2) * ((k + 1) // 2) / k**2
    return pvariance(values) / (largest if corrected else 1)


def one_of(join, values):
    values = [v for v in values if v is not None]
    return join(values) if values else None


def minus(value):
    return None if value is None else 1 - value


class Group:
    """The cells of one group; `n` is the number of all rows."""

    def __init__(self, rows):
        self.size = len(rows)
        self.tp = sum(y and p for y, p in rows)
        self.fp = sum(not y and p for y, p in rows)
        self.fn = sum(y and not p for y, p in rows)
        self.tn = sum(not y and not p for y, p in rows)
        self.selected = self.tp + self.fp
        self.selection = self.selected / self.size
        self.tpr = share(self.tp, self.tp + self.fn)
        self.fnr = share(self.fn, self.tp + self.fn)
        self.fpr = share(self.fp, self.fp + self.tn)
        self.tnr = share(self.tn, self.fp + self.tn)
        self.errors = self.fp + self.fn


def entropy(counts):
    total = sum(counts)
    return -sum(c / total * math.log(c / total) for c in counts if c)


def disparate_impact(groups, corrected):
    if len(groups) < 2:
        return None
    ratios = [a.selection / b.selection for a, b in permutations(groups, 2) if b.selection]
    if not ratios:
        return 0.0 if corrected else None
    return 0.0 if min(ratios) > 0.8 else 1 - min(ratios) / 0.8


def normalized_difference(groups, corrected):
    if len(groups) < 2:
        return None
    worst = 0.0
    for hi, lo in permutations(groups, 2):
        if hi.selection > lo.selection:
            rows = hi.size + lo.size
            positive = (hi.selected + lo.selected) / rows
            scales = positive / (hi.size / rows), (1 - positive) / (lo.size / rows)
            scale = min(scales) if corrected else max(scales)
            worst = max(worst, (hi.selection - lo.selection) / scale)
    return worst


def mutual_information(groups, corrected):
    if len(groups) < 2:
        return None
    cells = [c for g in groups for c in (g.selected, g.size - g.selected)]
    by_pred = [sum(cells[::2]), sum(cells[1::2])]
    by_group = [g.size for g in groups]
    scale = math.sqrt(entropy(by_pred) * entropy(by_group))
    return (entropy(by_pred) + entropy(by_group) - entropy(cells)) / scale if scale else 0.0


def both(groups, name, first, second):
    return [(getattr(g, first), getattr(g, second)) for g in groups]


def lr_plus(groups, corrected):
    n = sum(g.size for g in groups)
    if not corrected:
        ratios = [share(g.tpr, 1 - g.tpr) if g.tpr is not None else None for g in groups]
        return None if gap(ratios) is None else gap(ratios) / (n / 2)
    return gap(share(g.tpr, g.tpr + g.fpr) if None not in (g.tpr, g.fpr) else None for g in groups)


def balance_error_rate(groups, corrected):
    n = sum(g.size for g in groups)
    if not corrected:
        return gap(g.errors / 2 / (n / 2) for g in groups)
    return gap((g.fpr + g.fnr) / 2 if None not in (g.fpr, g.fnr) else None for g in groups)


def treatment_equality(groups, corrected):
    if corrected:
        return gap(share(g.fn, g.errors) for g in groups)
    value = gap(share(g.fn, g.fp) for g in groups)
    return None if value is None else value / sum(g.size for g in groups)


def equal_accuracy(groups, corrected):
    n = sum(g.size for g in groups)
    return gap((g.tp + g.tn) / (g.size if corrected else n) for g in groups)


def equalized_odds(groups, corrected):
    return one_of(
        max,
        [variance([getattr(g, rate) for g in groups], corrected) for rate in ("tpr", "fpr")],
    )


def equal_opportunity(groups, corrected):
    value = variance([g.tpr for g in groups], corrected)
    return value if corrected else minus(value)


def error_rate_balance(groups, corrected):
    gaps = [gap(g.fnr for g in groups), gap(g.fpr for g in groups)]
    return one_of(max, gaps) if corrected else minus(one_of(min, gaps))


SLOW = {
    "equalized_odds": equalized_odds,
    "disparate_impact": disparate_impact,
    "demographic_parity": lambda groups, _: gap(g.selection for g in groups),
    "sensitivity": lambda groups, _: gap(g.tpr for g in groups),
    "specificity": lambda groups, _: gap(g.tnr for g in groups),
    "balance_error_rate": balance_error_rate,
    "lr_plus": lr_plus,
    "equal_ppv": lambda groups, _: gap(share(g.tp, g.selected) for g in groups),
    "equal_npv": lambda groups, _: gap(share(g.tn, g.size - g.selected) for g in groups),
    "equal_accuracy": equal_accuracy,
    "equal_opportunity": equal_opportunity,
    "treatment_equality": treatment_equality,
    "equal_fpr": lambda groups, _: gap(g.fpr for g in groups),
    "equal_fnr": lambda groups, _: gap(g.fnr for g in groups),
    "error_rate_balance": error_rate_balance,
    "normalized_difference": normalized_difference,
    "mutual_information": mutual_information,
    "balance_residuals": lambda groups, _: gap(g.errors / g.size for g in groups),
}


def slow_calibration(rows, corrected, smallest):
    by_score = []
    for score in {s for _, _, s in rows}:
        rates = []
        for group in {g for g, _, _ in rows}:
            cell = [p for g, p, s in rows if g == group and s == score]
            rates.append(sum(cell) / len(cell) if len(cell) >= smallest else None)
        by_score.append(variance(rates, corrected))
    return one_of(max if corrected else min, by_score)


def rate_by_group(rows, hit, given_that):
    rates = []
    for group in sorted({g for g, _, _ in rows}):
        cell = [(p, s) for g, p, s in rows if g == group and given_that(p, s)]
        rates.append(share(sum(bool(hit(p, s)) for p, s in cell), len(cell)))
    return rates


def slow_prediction_parity(rows, corrected, threshold):
    value = variance(rate_by_group(rows, lambda p, s: p, lambda p, s: s > threshold), corrected)
    return value if corrected else minus(value)


def slow_erbs(rows, corrected, threshold):
    high = rate_by_group(rows, lambda p, s: s > threshold, lambda p, s: not p)
    low = rate_by_group(rows, lambda p, s: s <= threshold, lambda p, s: p)
    found = [variance(high, corrected), variance(low, corrected)]
    return one_of(max, found) if corrected else minus(one_of(min, found))


ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),  # group
        st.booleans(),  # truth
        st.booleans(),  # prediction
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),  # score: exact in sums
    ),
    min_size=1,
    max_size=30,
)


@quiet
@pytest.mark.parametrize("convention", ["corrected", "paper"])
@settings(max_examples=60)
@given(rows=ROWS, use_y_true=st.booleans(), smallest=st.integers(1, 3))
def test_equals_the_loops(convention, rows, use_y_true, smallest):
    corrected = convention == "corrected"
    group, true, pred, score = map(list, zip(*rows, strict=True))
    found = bias_estimations(
        true,
        pred,
        sensitive_features=group,
        y_score=score,
        convention=convention,
        use_y_true=use_y_true,
        min_group_size=smallest,
    )
    groups = [Group([(y, p) for g, y, p, _ in rows if g == label]) for label in set(group)]
    outcome = true if use_y_true else pred
    scored = list(zip(group, outcome, score, strict=True))
    threshold = sum(score) / len(score)
    expected = {method: slow(groups, corrected) for method, slow in SLOW.items()} | {
        "calibration": slow_calibration(scored, corrected, smallest),
        "prediction_parity": slow_prediction_parity(scored, corrected, threshold),
        "erbs": slow_erbs(scored, corrected, threshold),
    }
    assert list(found.index) == list(expected)
    for method, value in expected.items():
        wanted = np.nan if value is None else value
        assert found[method] == pytest.approx(wanted, abs=1e-9, nan_ok=True), method


@pytest.mark.parametrize("convention", ["corrected", "paper"])
@pytest.mark.parametrize("rarest", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_the_worst_pair_of_many_groups_is_that_of_the_loop(convention, rarest, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 60, 40)
    chosen = rng.binomial(sizes, rng.uniform(rarest, 1 - rarest, 40))
    chosen = np.clip(chosen, rarest > 0, np.maximum(sizes - (rarest > 0), 1))
    group = np.repeat(np.arange(40), sizes)
    pred = np.concatenate([np.arange(n) < k for n, k in zip(sizes, chosen, strict=True)])
    found = bias_estimation(
        pred, pred, sensitive_features=group, method="normalized_difference", convention=convention
    )
    groups = [Group([(p, p) for p in pred[group == g]]) for g in range(40)]
    assert found == pytest.approx(normalized_difference(groups, convention == "corrected"))


# -- what is returned -----------------------------------------------------------------------------

TRUE = [1, 0, 1, 0, 1, 1]
PRED = [1, 0, 0, 1, 1, 0]
GROUP = list("aaabbb")
SCORE = [0.75, 0.25, 0.5, 0.75, 1.0, 0.0]


def test_all_of_them_in_the_order_of_the_table():
    found = bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=SCORE)
    assert list(found.index) == METHODS
    assert found.dtype == float
    without = bias_estimations(TRUE, PRED, sensitive_features=GROUP)
    assert list(without.index) == METHODS[:18]
    pd.testing.assert_series_equal(found[:18], without)


def test_without_the_truth():
    found = bias_estimations(None, PRED, sensitive_features=GROUP)
    assert list(found.index) == WITHOUT_TRUTH
    known = bias_estimations(TRUE, PRED, sensitive_features=GROUP)
    pd.testing.assert_series_equal(found, known[WITHOUT_TRUTH])
    scored = bias_estimations(None, PRED, sensitive_features=GROUP, y_score=SCORE)
    assert list(scored.index) == WITHOUT_TRUTH + METHODS[18:]


@pytest.mark.parametrize("method", METHODS)
def test_one_of_them(method):
    every = bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=SCORE)
    one = bias_estimation(TRUE, PRED, method=method, sensitive_features=GROUP, y_score=SCORE)
    assert isinstance(one, float)
    assert one == every[method]
    assert METRICS[f"estimation_{method}"].family == "estimation"


def test_the_largest_of_them():
    every = bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=SCORE)
    value = ensemble_bias_estimation(TRUE, PRED, sensitive_features=GROUP, y_score=SCORE)
    assert isinstance(value, float)
    assert value == every.max()
    details = ensemble_bias_estimation(
        TRUE, PRED, sensitive_features=GROUP, y_score=SCORE, return_details=True
    )
    assert (details.value, details.method, details.undefined) == (value, every.idxmax(), [])


def test_ties_go_to_the_first_in_the_table():
    true, pred = [0, 1, 0, 1], [0, 0, 1, 1]  # every estimation that is defined is 1 or 0
    with pytest.warns(UndefinedMetricWarning, match="leaves out what is undefined"):
        details = ensemble_bias_estimation(
            true, pred, sensitive_features=list("aabb"), return_details=True
        )
    assert (details.value, details.method) == (1.0, "equalized_odds")
    assert details.undefined == ["lr_plus", "equal_ppv", "equal_npv"]


def test_the_ensemble_on_counts_is_the_one_on_rows():
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)
    rows = ensemble_bias_estimation(TRUE, PRED, sensitive_features=GROUP)
    assert evaluate(counts, "ensemble_bias_estimation") == rows


# -- what is undefined is said once, and only of what was asked for -------------------------------


def test_one_group_is_undefined_and_said_so():
    with pytest.warns(UndefinedMetricWarning, match="there is only one: 'a'") as caught:
        found = bias_estimations(TRUE, PRED, sensitive_features=list("aaaaaa"), y_score=SCORE)
    assert found.isna().all()
    assert len(caught) == 1


def test_one_method_warns_of_its_own_rates_only():
    given_rows = {"sensitive_features": list("aabb")}
    true, pred = [1, 0, 0, 0], [1, 1, 1, 0]  # no positive in b
    value = bias_estimation(true, pred, method="demographic_parity", **given_rows)
    assert value == pytest.approx(0.5)
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"'sensitivity' is undefined \(NaN\): recall is 0/0 in group 'b'$",
    ):
        value = bias_estimation(true, pred, method="sensitivity", **given_rows)
    assert np.isnan(value)


def test_scores_that_no_two_groups_share_are_undefined():
    with pytest.warns(UndefinedMetricWarning, match="calibration: no two groups have a rate"):
        value = bias_estimation(
            TRUE,
            PRED,
            method="calibration",
            sensitive_features=GROUP,
            y_score=np.arange(6) / 8,
        )
    assert np.isnan(value)


@pytest.mark.filterwarnings("error")
def test_nobody_selected_anywhere_is_no_disparate_impact():
    value = bias_estimation(TRUE, [0] * 6, method="disparate_impact", sensitive_features=GROUP)
    assert value == 0.0


# -- weights --------------------------------------------------------------------------------------


def test_nobody_rejected_in_a_pair_is_no_difference_whatever_the_weights():
    rng = np.random.default_rng(1)
    for _ in range(50):
        weight = rng.random(12) * 10.0 ** rng.integers(-8, 8, 12)
        value = bias_estimation(
            None,
            [1] * 12,
            method="normalized_difference",
            sensitive_features=np.repeat(list("abc"), 4),
            sample_weight=weight,
            pos_label=1,
        )
        assert value == 0.0


def test_the_default_threshold_is_the_weighted_mean_score():
    weight = [1, 1, 8, 1, 1, 8]
    given_rows = {
        "sensitive_features": GROUP,
        "y_score": SCORE,
        "sample_weight": weight,
        "method": "prediction_parity",
    }
    mean = np.average(SCORE, weights=weight)
    assert bias_estimation(TRUE, PRED, **given_rows) == bias_estimation(
        TRUE, PRED, threshold=mean, **given_rows
    )


# -- what is refused ------------------------------------------------------------------------------


def test_a_method_needs_its_inputs():
    with pytest.raises(ValueError, match="'sensitivity' needs y_true"):
        bias_estimation(None, PRED, method="sensitivity", sensitive_features=GROUP)
    with pytest.raises(ValueError, match="'calibration' needs y_score"):
        bias_estimation(TRUE, PRED, method="calibration", sensitive_features=GROUP)
    with pytest.raises(ValueError, match="use_y_true=True needs y_true"):
        bias_estimations(None, PRED, sensitive_features=GROUP, use_y_true=True)
    with pytest.raises(ValueError, match=r"method must be one of .*; got 'typo'"):
        bias_estimation(TRUE, PRED, method="typo", sensitive_features=GROUP)
    with pytest.raises(ValueError, match=r"convention must be one of .*; got 'typo'"):
        bias_estimations(TRUE, PRED, sensitive_features=GROUP, convention="typo")
    counts = GroupCounts.from_arrays(TRUE, PRED, sensitive_features=GROUP)
    with pytest.raises(ValueError, match=r"estimation_calibration .* needs scores"):
        evaluate(counts, "estimation_calibration")


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ([0.5, np.nan, 0.5, np.inf, 0.5, 0.5], "y_score holds values that are missing or infinite"),
        (list("abcdef"), "y_score must hold numbers"),
        (np.zeros((6, 2)), "y_score must be one-dimensional; got 2 columns"),
        ([0.5], "y_score has 1"),
    ],
)
def test_scores_are_checked(score, message):
    with pytest.raises(ValueError, match=message):
        bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=score)


def test_scores_may_be_any_numbers():
    expected = bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=SCORE)
    for score in (pd.Series(SCORE, dtype=object), pd.array(SCORE, dtype="Float64")):
        found = bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=score)
        pd.testing.assert_series_equal(found, expected)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("min_group_size", 0, "min_group_size must be an integer of at least 1; got 0"),
        ("min_group_size", 1.5, r"min_group_size must be an integer of at least 1; got 1\.5"),
        ("threshold", "high", "threshold must be a number; got 'high'"),
        ("threshold", float("nan"), "threshold must be a number; got nan"),
    ],
)
def test_options_of_the_scores_are_checked(option, value, message):
    with pytest.raises(ValueError, match=message):
        bias_estimations(TRUE, PRED, sensitive_features=GROUP, y_score=SCORE, **{option: value})


def test_messages_name_the_prediction_where_there_is_no_truth():
    with pytest.raises(ValueError, match=r"^y_pred: 1 of 2 values are missing"):
        bias_estimations(None, [1, None], sensitive_features=["a", "b"])


@quiet
def test_rows_without_a_protected_value_are_left_out_of_the_scores_too():
    group = [*GROUP[:-1], None]
    with pytest.warns(UserWarning, match="left out 1 of 6 rows"):
        found = bias_estimations(
            TRUE, PRED, sensitive_features=group, y_score=SCORE, missing="drop"
        )
    expected = bias_estimations(
        TRUE[:-1], PRED[:-1], sensitive_features=GROUP[:-1], y_score=SCORE[:-1]
    )
    pd.testing.assert_series_equal(found, expected)
