"""The rule grammar and the three states of a check."""

import math

import pandas as pd
import pytest

from skfairprop import GroupCounts, fairness_report
from skfairprop.report import FairnessReport, RuleError, parse_rule, run_check
from skfairprop.report._failure import check_line
from skfairprop.report._rules import Term, check_names
from skfairprop.report._text import Style, checks_block


def make_report(table, groups=("a", "b"), **settings):
    counts = GroupCounts(table, groups=pd.Index(groups, name="sex"), classes=[0, 1])
    return FairnessReport.from_counts(counts, **({"bootstrap": 200} | settings))


@pytest.fixture(scope="module")
def far_apart():
    """Selection rates 0.2 and 0.8 in groups of 1,000: DPD 0.6, beyond doubt."""
    return make_report([[[800, 0], [0, 200]], [[200, 0], [0, 800]]])


@pytest.fixture(scope="module")
def few():
    """Selection rates 0.4 and 0.6 in groups of 10: nothing is settled."""
    return make_report([[[6, 0], [0, 4]], [[4, 0], [0, 6]]])


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("cramers_v > 0.1", Term("cramers_v", None, "value", ">", 0.1)),
        ("cramers_v>=.1", Term("cramers_v", None, "value", ">=", 0.1)),
        ("cramers_v.lower > 5%", Term("cramers_v", None, "lower", ">", 0.05)),
        ("tpr[female, 25 or under] < 0.7", Term("tpr", "female, 25 or under", "value", "<", 0.7)),
        ("tpr[a, x]].n < 7", Term("tpr", "a, x]", "n", "<", 7.0)),
        ("tpr[[a]] < 0.7", Term("tpr", "[a]", "value", "<", 0.7)),
        ("count[a and b].n <= 1e3", Term("count", "a and b", "n", "<=", 1000.0)),
        ("  overall_disparity.p < 1e-3 ", Term("overall_disparity", None, "p", "<", 0.001)),
    ],
)
def test_a_rule_is_read(text, term):
    assert parse_rule(text).terms == (term,)


def test_brackets_in_the_name_of_a_group_hide_no_other_term():
    rule = parse_rule("tpr[a]] < 0.5 and ens_bias > 1")
    assert [(t.name, t.group) for t in rule.terms] == [("tpr", "a]"), ("ens_bias", None)]


def test_terms_are_joined_by_and_outside_brackets():
    rule = parse_rule("cramers_v > 0.1 and tpr[salt and pepper] < 0.5 and ens_bias.q < .05")
    assert [t.name for t in rule.terms] == ["cramers_v", "tpr", "ens_bias"]
    assert rule.terms[1].group == "salt and pepper"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cramers_v", "write METRIC > NUMBER"),
        ("cramers_v > ", "cannot read the rule"),
        ("cramers_v = 0.1", "cannot read the rule"),
        ("> 0.1", "cannot read the rule"),
        ("", "cannot read the rule"),
        ("cramers_v > 0.1 and", "cannot read the rule"),
        ("cramers_v.mean > 0.1", "no field 'mean'; the fields are value, lower"),
        ("tpr > 0.1", r"tpr is a rate of one group; write tpr\[GROUP\]"),
        ("cramers_v[a] > 0.1", r"\[GROUP\] goes with a rate of one group"),
    ],
)
def test_a_rule_that_cannot_be_read_says_what_is_wrong(text, message):
    with pytest.raises(RuleError, match=message):
        parse_rule(text)


def test_the_caret_stands_under_the_first_character_that_does_not_fit():
    with pytest.raises(RuleError) as caught:
        parse_rule("cramers_v > 0.1 and ens_bias = 2")
    _, rule, caret, _ = str(caught.value).splitlines()
    assert rule[caret.index("^")] == "="


def test_an_unknown_metric_is_refused_with_the_closest_name():
    with pytest.raises(RuleError, match="no metric 'cramer_v'; did you mean 'cramers_v'"):
        check_names(parse_rule("cramer_v > 0.1"), ["cramers_v", "ens_bias"])


def test_over_the_limit_for_sure(far_apart):
    check = run_check(far_apart, "demographic_parity_difference > 0.1")
    assert (check.fired, check.state, check.verdict) == (True, "over", "over the limit")
    assert check.value == pytest.approx(0.6)


def test_under_the_limit_for_sure(far_apart):
    check = run_check(far_apart, "demographic_parity_difference > 0.9")
    assert (check.fired, check.state, check.verdict) == (False, "under", "under the limit")


@pytest.mark.parametrize(("limit", "fired"), [(0.1, True), (0.3, False)])
def test_not_settled_where_the_interval_holds_the_limit(few, limit, fired):
    check = run_check(few, f"demographic_parity_difference > {limit}")
    assert (check.fired, check.state) == (fired, "not settled")
    assert check.verdict == ("over, not settled" if fired else "under, not settled")


def test_the_field_named_decides_whether_a_rule_fires(few):
    assert run_check(few, "demographic_parity_difference > 0.1").fired
    assert not run_check(few, "demographic_parity_difference.lower > 0.1").fired
    assert run_check(few, "demographic_parity_difference.n < 21").fired


def test_a_ratio_is_checked_from_below(far_apart):
    check = run_check(far_apart, "demographic_parity_ratio < 0.8")
    assert (check.fired, check.state) == (True, "over")
    assert check.value == pytest.approx(0.25)


def test_a_rate_of_a_group(far_apart):
    check = run_check(far_apart, "selection_rate[a] < 0.5")
    assert (check.fired, check.state) == (True, "over")
    assert check.value == pytest.approx(0.2)
    assert check.lower < 0.2 < check.upper


def test_terms_joined_by_and_fire_together(far_apart):
    assert run_check(far_apart, "cramers_v > 0.1 and demographic_parity_ratio < 0.8").fired
    check = run_check(far_apart, "cramers_v > 0.1 and demographic_parity_ratio < 0.2")
    assert (check.fired, check.state) == (False, "under")


def test_an_undefined_value_is_a_state_of_its_own():
    report = make_report([[[5, 0], [0, 0]], [[5, 0], [0, 0]]], bootstrap=0)
    check = run_check(report, "equal_opportunity_difference > 0.1")
    assert (check.fired, check.state) == (False, "undefined")
    assert math.isnan(check.value)
    assert check.verdict == "could not be computed"


def test_a_group_that_is_not_there_is_refused(far_apart):
    with pytest.raises(RuleError, match="no group 'c'; there are 'a', 'b'"):
        run_check(far_apart, "tpr[c] < 0.5")


def test_a_metric_that_needs_a_positive_class_says_so():
    counts = GroupCounts(
        [[[5, 1], [1, 5]], [[5, 2], [2, 5]]], groups=["a", "b"], classes=["n", "y"]
    )
    report = FairnessReport.from_counts(counts, bootstrap=0)
    with pytest.raises(RuleError, match=r"needs a positive class: pass pos_label"):
        run_check(report, "demographic_parity_difference > 0.1")


# -- what a check shows, and what is refused before it ---------------------------------------------


@pytest.fixture(scope="module")
def credit():
    groups = ["a"] * 60 + ["b"] * 60
    y = [1, 0] * 60
    p = [1, 0] * 30 + [1, 0, 0, 0] * 15
    return fairness_report(y, p, sensitive_features=groups, random_state=0)


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("demographic_parity_difference > 0.1", ""),
        ("demographic_parity_difference.upper > 0.1", ""),
        ("demographic_parity_difference.n < 5000", "n 120"),
        ("tpr[b].n < 5000", "n 30"),
        ("tpr[b] < 0.9 and demographic_parity_difference.n > 7", "value 0.5, n 120"),
    ],
)
def test_a_check_shows_the_numbers_that_it_compared(credit, rule, shown):
    check = credit.check(rule)
    assert check.compared == shown
    assert shown in "\n".join(checks_block([check], Style()))
    assert shown in check_line(check)


def test_a_check_of_p_shows_p(credit):
    p = credit.metrics["p"].xs("demographic_parity_difference", level=-1).iloc[0]
    assert credit.check("demographic_parity_difference.p < 0.05").compared == f"p {p:.3g}"


@pytest.mark.parametrize("word", ["or", "OR", "AND", "||", "&&"])
def test_other_words_than_and_are_pointed_at(word):
    text = f"tpr[A] < 0.9 {word} tpr[B] > .2"
    with pytest.raises(RuleError, match="only 'and' joins; for 'or' give two rules") as caught:
        parse_rule(text)
    lines = str(caught.value).splitlines()
    assert lines[2].index("^") == lines[1].index(word)


def test_or_within_the_name_of_a_group_is_a_part_of_it():
    assert parse_rule("tpr[25 or under] < 0.9").terms[0].group == "25 or under"


@pytest.mark.parametrize("field", ["p", "q", "chance"])
def test_a_rate_of_one_group_has_no_p(field):
    with pytest.raises(RuleError, match=f"a rate of one group has no {field}; its fields are"):
        parse_rule(f"tpr[a].{field} < 0.05")


def test_without_random_tables_there_is_no_p():
    report = fairness_report(
        [1, 0] * 20, [1, 0] * 20, sensitive_features=["a", "b"] * 20, bootstrap=0
    )
    for field in ("p", "q", "chance", "lower", "upper"):
        with pytest.raises(RuleError, match=f"{field} comes from random tables, and there are no"):
            report.check(f"demographic_parity_difference.{field} < 0.05")
    assert report.check("tpr[a].lower < 2").fired  # rates have their own


def test_what_is_absent_for_want_of_predictions_says_so():
    report = fairness_report(
        [1, 0] * 20, sensitive_features=["a", "b"] * 20, pos_label=1, bootstrap=0
    )
    with pytest.raises(RuleError, match="it needs predictions"):
        report.check("demographic_parity_difference > 0.1")


def test_what_was_not_asked_for_says_so(credit):
    y, groups = [1, 0] * 20, ["a", "b"] * 20
    report = fairness_report(
        y, y, sensitive_features=groups, metrics=["overall_disparity"], bootstrap=0
    )
    for name in ("demographic_parity_difference", "combined_error_variance", "ens_bias"):
        with pytest.raises(RuleError, match="it was not asked for: add it to metrics="):
            report.check(f"{name} > 0.1")


@pytest.mark.parametrize("wrong", [{"interval": "foo"}, {"null": "foo"}])
def test_settings_are_refused_whether_tables_are_drawn_or_not(wrong):
    y, groups = [1, 0] * 20, ["a", "b"] * 20
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be one of"):
        fairness_report(y, y, sensitive_features=groups, bootstrap=0, **wrong)
