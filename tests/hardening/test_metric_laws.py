"""Laws of the metrics with each of their options, and those that test_common has on fixed data."""

import inspect
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts, metrics
from skfairprop.metrics import METRICS, bias_estimation, evaluate, mesd_from_stability
from tests.measures import (
    DEPEND_ON_SCALE,
    MEASURES,
    STABILITY,
    counts_of,
    data_sets,
    quiet,
    same,
)

# Every metric with each value of its options, one option at a time.
CALLS = [
    pytest.param(name, {option: value}, id=f"{name}-{option}={value}")
    for name in sorted(MEASURES)
    for option, allowed in METRICS[name].options.items()
    for value in allowed
] + [pytest.param(name, {}, id=name) for name in sorted(MEASURES) if not METRICS[name].options]
every_call = pytest.mark.parametrize(("name", "options"), CALLS)
count_calls = pytest.mark.parametrize(
    ("name", "options"), [c for c in CALLS if METRICS[c.values[0]].counts_suffice]
)


def public(name):
    return bias_estimation if name.startswith("estimation_") else getattr(metrics, name)


def on_counts(name, counts, options, **more):
    positive = {"pos_label": 1} if METRICS[name].needs_positive else {}
    return evaluate(counts, name, **positive, **options, **more)


@quiet
@every_call
@given(rows=data_sets(weights=(1, 3)), seed=st.integers(0, 99))
def test_order_names_and_repetition_do_not_matter(name, options, rows, seed):
    value = MEASURES[name](rows, **options)
    order = np.random.default_rng(seed).permutation(len(rows.group))
    shuffled = rows.take(order)
    renamed = replace(shuffled, group=np.array(list("dbca"))[shuffled.group])
    assert MEASURES[name](renamed, **options) == same(value)
    where = np.repeat(np.arange(len(rows.group)), rows.weight)
    repeated = replace(rows.take(where), weight=None)
    assert MEASURES[name](repeated, **options) == same(value)


@quiet
@every_call
@given(rows=data_sets(weights=(1, 3)), exponent=st.integers(-140, 140))
def test_the_scale_of_the_weights_does_not_matter(name, options, rows, exponent):
    if name in DEPEND_ON_SCALE or options.get("convention") == "paper":
        return  # some of the printed estimations divide by the number of rows
    scaled = replace(rows, weight=rows.weight * 10.0**exponent)
    value = MEASURES[name](rows, **options)
    assert MEASURES[name](scaled, **options) == pytest.approx(value, 1e-6, 1e-9, nan_ok=True)


@every_call
@given(rows=data_sets(weights=(0, 2)))
def test_a_value_is_in_its_range_or_a_warning_says_why_not(name, options, rows):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = MEASURES[name](rows, **options)
    said = [str(w.message) for w in caught if w.category is UndefinedMetricWarning]
    others = [w for w in caught if w.category not in (UndefinedMetricWarning, UserWarning)]
    assert not others
    low, high = METRICS[name].range
    if math.isnan(value):
        assert any(" is undefined" in text and ": " in text for text in said)
    else:
        assert low - 1e-12 <= value <= high + 1e-12
        assert not any("is undefined (NaN)" in text for text in said)


@quiet
@count_calls
@given(rows=data_sets(weights=(0, 2)))
def test_raising_and_warning_are_of_one_mind(name, options, rows):
    counts = counts_of(rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = on_counts(name, counts, options)
    if not caught:
        for undefined in ("raise", "nan", "zero"):
            assert on_counts(name, counts, options, undefined=undefined) == value
        return
    with pytest.raises(ValueError, match=f"^{name} is undefined: "):
        on_counts(name, counts, options, undefined="raise")


@quiet
@pytest.mark.parametrize("undefined", ["drop", "nan", "zero", "raise"])
@pytest.mark.parametrize(
    "name",
    [n for n in sorted(MEASURES) if "undefined" in inspect.signature(public(n)).parameters],
)
@given(rows=data_sets(weights=(0, 2)))
def test_policies_of_rows_are_those_of_counts(name, undefined, rows):
    def value(measure):
        try:
            return measure()
        except ValueError:
            return "refused"

    of_rows = value(lambda: MEASURES[name](rows, undefined=undefined))
    of_counts = value(lambda: on_counts(name, counts_of(rows), {}, undefined=undefined))
    assert of_counts == (of_rows if isinstance(of_rows, str) else same(of_rows))
    assert undefined == "raise" or of_rows != "refused"


@quiet
@count_calls
@given(rows=data_sets(weights=(1, 3)), seed=st.integers(0, 99))
def test_counts_can_be_split_and_merged(name, options, rows, seed):
    whole = counts_of(rows)
    share = np.random.default_rng(seed).random(whole.values.shape)
    labels = {"groups": whole.groups, "classes": whole.classes}
    parts = [
        GroupCounts(whole.values * part, squared=whole.values * part, **labels)
        for part in (share, 1 - share)
    ]
    value = on_counts(name, whole, options)
    assert on_counts(name, parts[0] + parts[1], options) == same(value)
    assert on_counts(name, sum(parts), options) == same(value)


# -- merging groups -------------------------------------------------------------------------------

# Gaps between the largest and the smallest of some rates, each with its rows as denominator.
OF_EXTREMES = [
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
    "equal_opportunity_difference",
    "equal_opportunity_ratio",
    "accuracy_difference",
    "false_positive_rate_difference",
    "false_negative_rate_difference",
    "precision_difference",
    "term_by_term_equalized_odds",
    "equal_opportunity",
    "estimation_demographic_parity",
    "estimation_sensitivity",
    "estimation_specificity",
    "estimation_equal_fpr",
    "estimation_equal_fnr",
    "estimation_equal_ppv",
    "estimation_equal_npv",
    "estimation_equal_accuracy",
    "estimation_error_rate_balance",
]


def merged(counts):
    """The same rows with the first two groups as one."""
    values = np.concatenate([counts.values[:2].sum(0, keepdims=True), counts.values[2:]])
    return GroupCounts(values, groups=counts.groups[1:], classes=counts.classes)


@quiet
@pytest.mark.parametrize("name", OF_EXTREMES)
@given(rows=data_sets(weights=(1, 3)))
def test_merging_two_groups_cannot_widen_a_gap(name, rows):
    counts = counts_of(rows)
    if counts.n_groups < 3:
        return
    before, after = on_counts(name, counts, {}), on_counts(name, merged(counts), {})
    if math.isnan(before) or math.isnan(after):  # an undefined rate can become a defined one
        return
    bias = (lambda v: 1 - v) if METRICS[name].best == 1.0 else float
    assert bias(after) <= bias(before) + 1e-9


@quiet
@pytest.mark.parametrize("name", OF_EXTREMES)
@given(rows=data_sets(weights=(1, 3)), times=st.integers(1, 4))
def test_a_group_like_another_changes_no_gap(name, rows, times):
    counts = counts_of(rows)
    if counts.n_groups < 2:
        return
    labels = {"groups": counts.groups, "classes": counts.classes}
    whole = GroupCounts(counts.values + 1, **labels)  # every rate of every group is defined
    more = np.concatenate([whole.values[:1] * times, whole.values])
    doubled = GroupCounts(more, **labels | {"groups": ["its like", *counts.groups]})
    assert on_counts(name, doubled, {}) == same(on_counts(name, whole, {}))


# -- values per row -------------------------------------------------------------------------------


def of_stability(name, *args, **options):
    stability, y, group = args
    result = mesd_from_stability(stability, y, sensitive_features=group, **options)
    return METRICS[name].kernel(result)


@quiet
@pytest.mark.parametrize("name", sorted(STABILITY))
@pytest.mark.parametrize("tail", ["continuous", "literal", "tail_mean"])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), groups=st.integers(2, 6))
def test_stability_with_every_tail(name, tail, seed, n, groups):
    rng = np.random.default_rng(seed)
    rows = rng.random(n), rng.integers(0, 3, n), rng.integers(0, groups, n)
    rows[2][:2] = 0, 1
    options = {"tail": tail, "shrinkage": float(rng.choice([0, 1, 10])), "alpha": rng.random()}
    value = of_stability(name, *rows, **options)
    low, high = METRICS[name].range
    assert low <= value <= high + 1e-12
    order = rng.permutation(n)
    assert of_stability(name, *(part[order] for part in rows), **options) == same(value)
    names = np.array(list("fedcba"))
    assert of_stability(name, *rows[:2], names[rows[2]], **options) == same(value)
