"""Where the ends lie: against normal theory, Beta quantiles, numpy, and loops over rows."""

import numpy as np
import pytest
from scipy import stats

from skfairprop import GroupCounts
from skfairprop.inference import Inference, MetricCall, infer
from skfairprop.inference._intervals import agree_on_both_sides, agree_with_p, p_values, quantiles
from skfairprop.metrics import METRICS, evaluate

DPD = "demographic_parity_difference"


def binary(sizes, tpr, fpr, base_rate=0.5):
    """Expected counts, rounded."""
    sizes, tpr, fpr = (np.asarray(x, dtype=float) for x in (sizes, tpr, fpr))
    rows = np.stack([np.stack([1 - fpr, fpr], -1), np.stack([1 - tpr, tpr], -1)], axis=1)
    share = np.array([1 - base_rate, base_rate])[:, None] * sizes[:, None, None]
    return GroupCounts(np.rint(rows * share).astype(int), groups=range(len(sizes)), classes=[0, 1])


def one(counts, name=DPD, **options):
    return infer(counts, name, random_state=0, **options)[name]


# -- ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_two_large_groups_have_the_interval_of_normal_theory(confidence):
    counts = binary([4000, 6000], [0.7, 0.5], [0.5, 0.3])
    found = one(counts, confidence=confidence, n_draws=4000)
    error = np.sqrt(0.6 * 0.4 / 4000 + 0.4 * 0.6 / 6000)
    half = stats.norm.isf((1 - confidence) / 2) * error
    assert found.value == pytest.approx(0.2, abs=1e-3)
    assert found.lower == pytest.approx(0.2 - half, abs=0.25 * half)
    assert found.upper == pytest.approx(0.2 + half, abs=0.15 * half)
    assert found.corrected == pytest.approx(0.2, abs=0.2 * error)


def test_the_upper_end_is_a_quantile_of_beta_draws():
    counts = GroupCounts([[[3, 2], [1, 4]], [[20, 10], [5, 25]]], groups=["a", "b"], classes=[0, 1])
    rng = np.random.default_rng(1)
    # four columns share a prior of mass 1: each rate has the two of its columns
    first = rng.beta(6.5, 4.5, size=200_000)
    second = rng.beta(35.5, 25.5, size=200_000)
    exact = np.quantile(np.abs(first - second), 0.975)
    assert one(counts, n_draws=4000).upper == pytest.approx(exact, abs=0.01)


def test_a_group_that_is_never_selected_leaves_room():
    found = one(
        GroupCounts([[[5, 0], [5, 0]], [[40, 20], [10, 30]]], groups=["a", "b"], classes=[0, 1])
    )
    assert found.value == 0.5
    assert found.upper > found.value
    percentile = one(
        GroupCounts([[[5, 0], [5, 0]], [[40, 20], [10, 30]]], groups=["a", "b"], classes=[0, 1]),
        interval="percentile",
    )
    assert percentile.method == "percentile"
    assert percentile.lower > 0.35  # 0 of 10 never moves


def test_percentiles_are_those_of_resampled_rows():
    counts = binary([60, 100], [0.8, 0.6], [0.4, 0.3])
    rng = np.random.default_rng(0)
    group, pred = [], []
    for g, table in enumerate(counts.values):
        group += [g] * table.sum()
        pred += [0] * table[:, 0].sum() + [1] * table[:, 1].sum()
    group, pred = np.array(group), np.array(pred)
    gaps = []
    for _ in range(1500):
        rows = rng.integers(len(group), size=len(group))
        gaps.append(abs(pred[rows][group[rows] == 0].mean() - pred[rows][group[rows] == 1].mean()))
    found = one(counts, interval="percentile", n_draws=3000)
    np.testing.assert_allclose(
        [found.lower, found.upper], np.quantile(gaps, [0.025, 0.975]), atol=0.025
    )
    assert np.isnan(found.corrected)


def test_max_t_of_two_groups_has_a_lower_end_at_a_smaller_quantile():
    counts = binary([4000, 6000], [0.7, 0.5], [0.5, 0.3])
    found = one(counts, interval="max_t", n_draws=4000)
    error = np.sqrt(0.6 * 0.4 / 4000 + 0.4 * 0.6 / 6000)
    critical = stats.norm.isf(0.025 / 2)  # |z| exceeds it with probability alpha / 2
    assert found.method == "max_t"
    assert found.lower == pytest.approx(0.2 - critical * error, abs=0.15 * error)


def test_max_t_of_several_groups_bounds_the_widest_pair():
    # five groups, one apart: the critical value is that of the range of five, in two-sided form
    counts = binary([2000] * 5, [0.6, 0.6, 0.6, 0.6, 0.3], [0.4, 0.4, 0.4, 0.4, 0.1])
    found = one(counts, interval="max_t", n_draws=4000)
    rates = np.array([0.5] * 4 + [0.2])
    variance = rates * (1 - rates) / 2000
    draws = np.random.default_rng(0).normal(size=(20_000, 5)) * np.sqrt(variance)
    pairs = np.triu_indices(5, 1)
    scale = np.sqrt(variance[pairs[0]] + variance[pairs[1]])
    largest = np.abs((draws[:, pairs[0]] - draws[:, pairs[1]]) / scale).max(1)
    critical = np.quantile(largest, 0.975)
    assert found.lower == pytest.approx(0.3 - critical * scale[-1], abs=0.003)  # with the odd one


def test_max_t_leaves_other_metrics_tilted():
    counts = binary([200, 300], [0.7, 0.5], [0.5, 0.3])
    found = infer(counts, [DPD, "overall_disparity"], interval="max_t", random_state=0)
    assert [one.method for one in found.values()] == ["max_t", "tilted"]


def test_max_t_takes_means_over_columns():
    counts = binary([4000, 4000], [0.7, 0.4], [0.4, 0.3])
    single = [
        one(counts, name, interval="max_t")
        for name in ("equal_opportunity_difference", "false_positive_rate_difference")
    ]
    both = infer(
        counts,
        MetricCall("equalized_odds_difference", {"agg": "mean"}),
        interval="max_t",
        random_state=0,
    )["equalized_odds_difference"]
    worst = one(counts, "equalized_odds_difference", interval="max_t")
    assert both.value == pytest.approx(np.mean([s.value for s in single]))
    # one critical value for both columns is a little larger than one for each
    assert np.mean([s.lower for s in single]) == pytest.approx(both.lower, abs=0.012)
    assert both.lower < np.mean([s.lower for s in single])
    assert worst.lower == pytest.approx(max(s.lower for s in single), abs=0.012)


# -- what chance gives, and the corrected value -------------------------------------------------


def test_the_corrected_value_removes_what_chance_adds():
    """On average over data sets, a gap of .2 between six small groups."""
    rng = np.random.default_rng(0)
    found = []
    for seed in range(40):
        selected = rng.binomial(60, [0.5] * 5 + [0.3])
        values = np.zeros((6, 2, 2), dtype=int)
        values[:, 0, 0], values[:, 0, 1] = 60 - selected, selected
        counts = GroupCounts(values, groups=range(6), classes=[0, 1])
        found.append(infer(counts, DPD, n_draws=300, random_state=seed)[DPD])
    assert np.mean([f.value for f in found]) > 0.25
    assert np.median([f.corrected for f in found]) == pytest.approx(0.2, abs=0.04)


def test_signed_metrics_are_two_sided():
    name = "directional_predictability_amplification"
    # predictions pile up on one class: amplified; mirrored, the other way round
    values = np.array([[[40, 10], [40, 10]], [[10, 10], [5, 55]]])
    counts = GroupCounts(values, groups=["a", "b"], classes=[0, 1])
    mirrored = GroupCounts(values.swapaxes(1, 2), groups=["a", "b"], classes=[0, 1])
    first, second = (one(c, name, n_draws=2000) for c in (counts, mirrored))
    assert first.value == pytest.approx(-second.value)
    assert first.p_value == pytest.approx(second.p_value, abs=0.02)
    assert first.lower == pytest.approx(-second.upper, abs=0.02)
    assert first.upper == pytest.approx(-second.lower, abs=0.02)


def test_the_null_of_signed_metrics_swaps_truth_and_prediction_in_every_row():
    values = np.array([[[20, 9], [4, 20]], [[15, 3], [11, 30]]])
    counts = GroupCounts(values, groups=["a", "b"], classes=[0, 1])
    name = "directional_bias_amplification"
    rows = [
        (g, t, p)
        for g in range(2)
        for t in range(2)
        for p in range(2)
        for _ in range(values[g, t, p])
    ]
    group, true, pred = np.transpose(rows)
    rng = np.random.default_rng(0)
    null = []
    for _ in range(600):
        swap = rng.random(len(group)) < 0.5
        null.append(
            evaluate(
                GroupCounts.from_codes(
                    group,
                    np.where(swap, pred, true),
                    np.where(swap, true, pred),
                    groups=["a", "b"],
                    classes=[0, 1],
                ),
                name,
            )
        )
    found = one(counts, name, n_draws=3000)
    assert found.null == "swap"
    assert found.null_mean == pytest.approx(np.mean(null), abs=4 * np.std(null) / np.sqrt(600))
    p = np.mean(np.abs(null) >= abs(found.value) - 1e-12)
    assert found.p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 600) + 2e-3)
    assert found.null_95 == pytest.approx(np.quantile(np.abs(null), 0.95), abs=0.02)


def test_sizes_of_groups_start_at_even_ones():
    """Effective number of missing groups: an even sample must be covered."""
    rng = np.random.default_rng(0)
    covered = 0
    for seed in range(60):
        values = np.zeros((5, 1), dtype=int)
        values[:, 0] = rng.multinomial(100, np.full(5, 0.2))
        counts = GroupCounts(values, groups=range(5), classes=[0], predicted=False)
        found = infer(counts, "ens_bias", n_draws=300, random_state=seed)["ens_bias"]
        covered += found.lower == 0
        assert found.lower <= found.value <= found.upper
    assert covered >= 54  # .975 on average: fewer than 54 in 60 once in a thousand times


def test_a_declared_group_without_rows_counts_as_missing():
    counts = GroupCounts([[30], [30], [0]], groups=["a", "b", "c"], classes=[0], predicted=False)
    found = one(counts, "ens_bias")
    assert found.value == pytest.approx(1)
    assert 0.7 < found.lower <= 1  # even sizes would be 0


# -- parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_nan", [0, 1, 7, 19])
def test_quantiles_are_numpys(n_nan):
    values = np.random.default_rng(0).random((3, 20))
    values[:, :n_nan] = np.nan
    levels = [0.0, 0.025, 0.5, 0.9, 1.0]
    expected = np.moveaxis(np.nanquantile(values, levels, axis=1), 0, -1)
    np.testing.assert_allclose(quantiles(np.sort(values, axis=1), levels), expected)


def test_p_values_by_counting():
    null = np.array([0.1, 0.2, 0.2, 0.5, np.nan])
    np.testing.assert_allclose(
        p_values(np.array([0.0, 0.2, 0.3, 0.6, np.nan]), null), [1, 4 / 5, 2 / 5, 1 / 5, np.nan]
    )


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.01, (0.2, False)),
        (0.025, (0.2, False)),
        (0.03, (0.0, True)),
        (0.06, (0.0, False)),
        (np.nan, (0.2, False)),
    ],
)
def test_the_lower_end_agrees_with_p(p, expected):
    assert agree_with_p(0.2, p, 0.05) == expected


def test_an_end_at_zero_is_open_where_p_is_small():
    assert agree_with_p(0.0, 0.001, 0.05) == (0.0, True)


@pytest.mark.parametrize(
    ("value", "ends", "p", "expected"),
    [
        (0.2, (0.1, 0.3), 0.01, (0.1, 0.3, False)),
        (0.2, (0.1, 0.3), 0.2, (0.0, 0.3, False)),
        (0.2, (-0.1, 0.3), 0.01, (0.0, 0.3, True)),
        (-0.2, (-0.3, 0.1), 0.01, (-0.3, 0.0, True)),
        (-0.2, (-0.3, -0.1), 0.5, (-0.3, 0.0, False)),
        (0.2, (-0.1, 0.3), np.nan, (-0.1, 0.3, False)),
    ],
)
def test_both_ends_agree_with_p(value, ends, p, expected):
    assert agree_on_both_sides(value, *ends, p, 0.05) == expected


def result(lower, upper, **changes):
    fields = {
        "value": (lower + upper) / 2,
        "lower": lower,
        "upper": upper,
        "corrected": 0.0,
        "p_value": 0.04,
        "null_mean": 0.0,
        "null_95": 0.0,
        "open_at_zero": False,
        "reliable": True,
        "reason": "",
        "n_undefined": 0,
        "n_draws": 1,
        "confidence": 0.95,
        "method": "tilted",
        "null": "separation",
    }
    return Inference(**(fields | changes))


@pytest.mark.parametrize(
    ("ends", "changes", "state"),
    [
        ((0.11, 0.3), {}, "over"),
        ((0.1, 0.3), {}, "not settled"),
        ((0.0, 0.1), {}, "under"),
        ((0.0, 0.3), {}, "not settled"),
        ((0.01, 0.09), {"best": 1.0}, "over"),
        ((0.1, 1.0), {"best": 1.0}, "under"),
        ((0.05, 0.2), {"best": 1.0}, "not settled"),
        ((-0.3, -0.11), {"signed": True}, "over"),
        ((-0.1, 0.1), {"signed": True}, "under"),
        ((-0.2, 0.05), {"signed": True}, "not settled"),
        ((np.nan, np.nan), {}, "not settled"),
    ],
)
def test_the_state_of_a_limit(ends, changes, state):
    assert result(*ends, **changes).state(0.1) == state


@pytest.mark.parametrize(
    ("ends", "changes", "text"),
    [
        ((0.1, 0.3), {}, "[0.100, 0.300]"),
        ((0.0, 0.3), {"open_at_zero": True}, "(0.000, 0.300]"),
        ((0.4, 1.0), {"open_at_zero": True, "best": 1.0}, "[0.400, 1.000)"),
        ((-0.3, 0.0), {"open_at_zero": True, "signed": True}, "[-0.300, 0.000)"),
    ],
)
def test_the_interval_as_text(ends, changes, text):
    assert result(*ends, **changes).interval_text() == text


def test_the_printed_form_of_an_inverted_estimation_is_turned():
    counts = binary([300, 300], [0.9, 0.5], [0.2, 0.2])
    name = "estimation_equal_opportunity"
    call = MetricCall(METRICS[name], {"convention": "paper"})
    found = infer(counts, call, random_state=0)[name]
    assert found.best == 1
    assert found.value == pytest.approx(1 - 0.2**2)  # variance of two rates .4 apart
    assert found.p_value < 0.01
    assert found.upper < 1


def test_a_metric_takes_the_null_of_its_option():
    call = MetricCall("demographic_parity", {"normalization": "raw"})
    assert call.resolved_null == "independence"
    assert MetricCall("demographic_parity").resolved_null == "separation"
    assert MetricCall("demographic_parity", null="sufficiency").resolved_null == "sufficiency"
    assert MetricCall("cramers_v", null="separation").resolved_null == "independence"
