"""What changed between two audits."""

import copy
import json
import math
import warnings

import numpy as np
import pytest
from scipy.stats import fisher_exact

from skfairprop import GroupCounts
from skfairprop._command import main
from skfairprop.inference import compare_counts
from skfairprop.report._compare import compare_reports
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


def test_measures_are_compared_as_two_tables_of_counts(documents):
    found = compare_reports(*documents)
    tables = [
        GroupCounts(
            doc["report"]["views"][0]["counts"], groups=["female", "male"], classes=["no", "yes"]
        )
        for doc in documents
    ]
    for metric in ("demographic_parity_difference", "overall_disparity", "cramers_v"):
        label = {"pos_label": "yes"} if "parity" in metric else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = compare_counts(metric, *tables, n_draws=60, random_state=0, **label)
        d = next(d for d in found.measures if d.name == metric)
        assert (d.before, d.after) == pytest.approx((expected.value_a, expected.value_b))
        assert (d.p, d.lower, d.upper) == (expected.p_value, expected.lower, expected.upper)


def test_rates_are_compared_as_two_samples(documents, loans):
    found = compare_reports(*documents)
    women = loans[1][loans[1]["sex"] == "female"]
    k, n = int((women["guess"] == "yes").sum()), len(women)
    d = next(d for d in found.rates if (d.name, d.group) == ("selection_rate", "female"))
    assert (d.before, d.after, d.change) == pytest.approx((k / n, 1.0, 1 - k / n))
    # all of 10 n and k of n: no other table with these margins is as far apart on this side
    assert d.p == pytest.approx(fisher_exact([[10 * n, 0], [k, n - k]]).pvalue, abs=1e-9)
    assert d.lower < d.change < d.upper
    assert d.q >= d.p


def test_equal_tables_of_different_rows_do_not_differ(documents):
    other = copy.deepcopy(documents[0])
    other["data"]["sha256"] = "another"
    found = compare_reports(documents[0], other)
    assert all(d.p == 1 for d in found.measures if not math.isnan(d.p))
    assert all(d.p == 1 for d in found.rates if not math.isnan(d.p))
    assert not found.same_rows


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
    view["group_labels"] = [["diverse"], ["male"]]
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
    assert "taken as two samples: intervals are wider" in capsys.readouterr().out


def test_weights_several_classes_and_several_columns(run, loans, tmp_path):
    given = ("--target", "stage", "--sensitive", "sex", "--sensitive", "age:30", "--pred",
             "guessed_stage", "--weight", "weight", "--bootstrap", "60")  # fmt: skip
    run(loans[0], *given, "--out", "a")
    run(loans[0], *given, "--out", "b", "--seed", "1")
    documents = [json.loads((tmp_path / n / "report.json").read_text()) for n in "ab"]
    found = compare_reports(*documents)
    assert {d.group for d in found.rates} == set(documents[0]["report"]["views"][0]["groups"])
    assert {d.label for d in found.rates} == {"early", "mid", "late"}
    assert all(d.change == 0 and not d.settled for d in found.rates)


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
