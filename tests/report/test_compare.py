"""What changed between two audits."""

import copy
import json
import math

import numpy as np
import pytest

from skfairprop._command import main
from skfairprop.report._compare import compare_reports, difference
from skfairprop.report._errors import UsageError


@pytest.fixture
def documents(audit_loans, loans, tmp_path):
    """An audit of the loans, and one of ten times as many with another model."""
    audit_loans("--out", "a", "--fail-on", "demographic_parity_difference > 0.1")
    frame = loans[1].loc[np.repeat(loans[1].index, 10)]
    frame.assign(guess="yes").to_csv("more.csv", index=False)
    given = ("--target", "repaid", "--pos-label", "yes", "--sensitive", "sex", "--pred", "guess")
    rule = "demographic_parity_difference > 0.1"
    main(["audit", "more.csv", *given, "--out", "b", "--bootstrap", "60", "--fail-on", rule])
    return [json.loads((tmp_path / n / "report.json").read_text()) for n in "ab"]


def test_a_change_and_its_interval_are_made_of_both_intervals():
    a = {"value": 0.30, "lower": 0.20, "upper": 0.45}
    b = {"value": 0.10, "lower": 0.05, "upper": 0.20}
    found = difference("gap", a, b)
    assert found.change == pytest.approx(-0.2)
    assert found.lower == pytest.approx(-0.2 - math.hypot(0.05, 0.15))
    assert found.upper == pytest.approx(-0.2 + math.hypot(0.10, 0.10))
    assert found.settled


def test_what_is_undefined_has_no_change():
    nothing = {"value": None, "lower": None, "upper": None}
    found = difference("gap", nothing, {"value": 0.1, "lower": 0.0, "upper": 0.2})
    assert math.isnan(found.change)
    assert not found.settled


def test_measures_rates_facts_and_checks(documents):
    found = compare_reports(*documents)
    gap = next(d for d in found.measures if d.name == "demographic_parity_difference")
    assert gap.after == 0.0
    assert gap.change == pytest.approx(-gap.before)
    assert gap.settled
    rate = next(d for d in found.rates if (d.name, d.group) == ("selection_rate", "female"))
    assert rate.after == 1.0
    assert ("rows", "300", "3000") in found.facts
    assert found.checks == [
        ("demographic_parity_difference > 0.1", "over the limit", "under the limit")
    ]
    assert not found.same_rows


def test_the_same_audit_has_not_changed(documents):
    found = compare_reports(documents[0], documents[0])
    assert not any(d.settled for d in found.measures)
    assert not any(d.settled for d in found.rates)
    assert (found.facts, found.checks, found.same_rows) == ([], [], True)


def test_groups_that_come_and_go(documents):
    other = copy.deepcopy(documents[0])
    view = other["report"]["views"][0]
    view["groups"] = ["diverse", "male"]
    for row in view["by_group"]:
        row["group"] = row["group"].replace("female", "diverse")
    found = compare_reports(documents[0], other)
    assert (found.groups_gone, found.groups_new) == (["female"], ["diverse"])


def test_audits_that_cannot_be_compared(documents):
    other = copy.deepcopy(documents[0])
    other["report"]["pos_label"] = "no"
    with pytest.raises(UsageError, match="the positive class is not the same: 'yes' and 'no'"):
        compare_reports(documents[0], other)
    other = copy.deepcopy(documents[0])
    other["report"]["views"][0]["attributes"] = ["race"]
    with pytest.raises(UsageError, match="not by the same protected columns: sex and race"):
        compare_reports(documents[0], other)


def test_the_command_prints_what_changed(documents, capsys):
    capsys.readouterr()
    assert main(["compare", "a/report.json", "b/report.json"]) == 0
    text = capsys.readouterr().out
    assert "Demographic parity difference" in text
    assert "selection_rate, female" in text
    assert "over the limit -> under the limit" in text
    assert max(map(len, text.splitlines())) <= 80
    assert main(["compare", "a/report.json", "a/report.json"]) == 0
    assert "the intervals are wider than need be" in capsys.readouterr().out


def test_files_that_are_no_reports(documents, tmp_path, capsys):
    (tmp_path / "x.json").write_text("{")
    (tmp_path / "y.json").write_text("[]")
    (tmp_path / "z.json").write_text('{"report": {"schema": 0}}')
    for name, message in (
        ("nowhere.json", "cannot be read"),
        ("x.json", "is no JSON"),
        ("y.json", "is no report.json of this version"),
        ("z.json", "is no report.json of this version"),
    ):
        assert main(["compare", "a/report.json", name]) == 2
        assert message in capsys.readouterr().err
