"""What drives a value: the rate, the class and the pair of groups at its two ends."""

import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.metrics import METRICS, Driver, evaluate
from skfairprop.metrics._metric import driver_text, find_driver

COUNTS = GroupCounts(
    [[[8, 2], [1, 9]], [[5, 5], [4, 6]], [[9, 1], [3, 7]]],
    groups=["a", "b", "c"],
    classes=[0, 1],
)


def driver(name, counts=COUNTS, **options):
    return find_driver(counts, METRICS[name], **options)


def test_the_two_ends_of_a_gap():
    found = driver("equal_opportunity_difference")
    assert found == Driver("recall", None, "b", "a", 0.6, 0.9)
    assert found.high_value - found.low_value == pytest.approx(
        evaluate(COUNTS, "equal_opportunity_difference")
    )
    assert driver_text(found) == "recall: 0.6 'b' to 0.9 'a'"


def test_the_rate_with_the_larger_gap():
    assert driver("equalized_odds_difference").rate == "false_positive_rate"
    found = driver("equal_opportunity")
    assert (found.rate, found.column) == ("recall", 0)
    assert driver_text(found) == "recall of '0': 0.5 'b' to 0.9 'c'"


def test_a_ratio_is_driven_by_the_smallest_ratio_and_not_by_the_largest_gap():
    counts = GroupCounts(
        [[[99, 1], [10, 90]], [[90, 10], [50, 50]]], groups=["a", "b"], classes=[0, 1]
    )
    assert driver("equalized_odds_difference", counts).rate == "recall"
    found = driver("equalized_odds_ratio", counts)
    assert found.rate == "false_positive_rate"
    assert found.low_value / found.high_value == pytest.approx(
        evaluate(counts, "equalized_odds_ratio")
    )


def test_options_change_the_rate():
    assert driver("demographic_parity").rate == "class-balanced prediction rate"
    assert driver("demographic_parity", normalization="raw").rate == "prediction_rate"


@pytest.mark.parametrize("name", sorted(n for n in METRICS if METRICS[n].counts_suffice))
def test_every_count_metric_names_two_groups_or_nothing(name):
    found = driver(name)
    if found is not None:
        assert found.low in "abc"
        assert found.high in "abc"
        assert found.low_value <= found.high_value


@pytest.mark.parametrize("name", sorted(n for n in METRICS if METRICS[n].counts_suffice))
def test_one_group_drives_nothing(name):
    assert driver(name, COUNTS.select([0])) is None


def test_groups_without_the_rate_drive_nothing():
    counts = GroupCounts([[[8, 2], [0, 0]], [[6, 4], [4, 6]]], groups=["a", "b"], classes=[0, 1])
    assert driver("equal_opportunity_difference", counts) is None


def test_intersections_are_named_by_their_values():
    counts = GroupCounts.from_arrays(
        [1, 1, 1, 1],
        [1, 0, 1, 1],
        sensitive_features={"sex": list("ffmm"), "age": [1, 1, 2, 2]},
    )
    found = driver("equal_opportunity_difference", counts)
    assert (found.low, found.high) == (("f", 1), ("m", 2))
    assert driver_text(found) == "recall: 0.5 'f, 1' to 1 'm, 2'"


def test_the_driver_of_uneven_groups():
    found = driver("ens_bias", COUNTS.select([0, 1]))
    assert found.rate == "share of rows"
    assert np.isclose(found.low_value, 0.5)


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("cramers_v", "share of class"),
        ("combined_error_variance", "spread of relative error rates"),
        ("symmetric_distance_error", "distance of relative error rates"),
        ("mals_bias_amplification", "predicted rate minus base rate"),
    ],
)
def test_what_differs_is_named_in_words(name, rate):
    assert driver(name).rate == rate


def test_the_driver_of_relative_error_rates_by_hand():
    # FNR and FPR of a: 1/10, 2/10; b: 4/10, 5/10; c: 3/10, 1/10; of all rows: 8/30 both. Relative
    # to these the two lie 3/8, 3/8 and 6/8 apart, in each of the two classes.
    found = driver("symmetric_distance_error")
    assert found.low in "ab"
    assert found.high == "c"
    assert (found.low_value, found.high_value) == pytest.approx((3 / 8, 6 / 8))


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.family == "procedural"])
def test_the_records_of_stability_are_complete(name):
    record = METRICS[name]
    assert record.name == name
    assert record.inputs == "attributions"
    assert callable(record.kernel)
    for text in (record.formula, record.source, record.misleads):
        assert len(text) > 10
