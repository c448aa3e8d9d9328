"""Checks in Python: truth values, and the assertion for test suites."""

import pytest

from skfairprop import GroupCounts
from skfairprop.report import FairnessReport, RuleError


@pytest.fixture(scope="module")
def report():
    """TPR .9 and .5 in groups of 200; FPR .2 in both."""
    counts = GroupCounts(
        [[[80, 20], [10, 90]], [[80, 20], [50, 50]]], groups=["a", "b"], classes=[0, 1]
    )
    return FairnessReport.from_counts(counts, bootstrap=200)


@pytest.fixture(scope="module")
def undefined():
    counts = GroupCounts(
        [[[80, 20], [0, 0]], [[80, 20], [50, 50]]], groups=["a", "b"], classes=[0, 1]
    )
    return FairnessReport.from_counts(counts, bootstrap=0)


def test_a_check_is_true_where_its_rule_is(report):
    assert report.check("equal_opportunity_difference.lower > 0.05")
    assert not report.check("false_positive_rate_difference > 0.05")
    assert report.check("tpr[b] < 0.6 and equal_opportunity_difference > 0.3")


def test_what_could_not_be_computed_is_neither_true_nor_false(undefined):
    check = undefined.check("equal_opportunity_difference > 0.1")
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(check)
    assert check.state == "undefined"


def test_nothing_is_raised_where_no_rule_is_true(report):
    report.assert_not("false_positive_rate_difference > 0.05", "tpr[a] < 0.8")
    report.assert_not()


def test_the_message_shows_rules_numbers_and_groups(report):
    with pytest.raises(AssertionError) as caught:
        report.assert_not("equal_opportunity_difference > 0.1", "tpr[b] < 0.6", "tpr[a] < 0.6")
    text = str(caught.value)
    assert text.startswith("2 of 3 checks failed (400 rows):")
    assert "value 0.400, 95% interval" in text
    assert "recall: 0.5 in 'b' (n = 200) to 0.9 in 'a' (n = 200)" in text
    assert "tpr[b] < 0.6\n    value 0.500" in text
    assert "tpr[a] < 0.6" not in text
    assert "GROUPS" in text


def test_what_could_not_be_computed_fails_unless_ignored(undefined):
    with pytest.raises(AssertionError, match="could not be computed"):
        undefined.assert_not("equal_opportunity_difference > 0.1")
    undefined.assert_not("equal_opportunity_difference > 0.1", undefined="ignore")
    with pytest.raises(ValueError, match=r"undefined must be one of \('fail', 'ignore'\)"):
        undefined.assert_not(undefined="skip")


def test_a_rule_that_names_what_is_not_there(report):
    with pytest.raises(RuleError, match="no group 'c'"):
        report.check("tpr[c] < 0.5")
