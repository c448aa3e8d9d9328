"""The list of metrics."""

import json

import pytest

from skfairprop._command import main
from skfairprop.metrics import METRICS
from skfairprop.report._catalogue import catalogue
from skfairprop.report._wording import FAMILIES


def test_every_metric_is_listed_with_all_that_is_known(capsys):
    assert main(["metrics"]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert set(METRICS) <= set(lines)
    assert max(map(len, lines)) <= 80
    for title in ("range", "formula", "misleads", "source"):
        assert text.count(f"\n  {title:10s}") == len(METRICS)


def test_families_come_in_the_order_of_the_report():
    order = list(FAMILIES)
    found = [order.index(r["family"]) for r in catalogue()]
    assert found == sorted(found)


def test_json_holds_the_same(capsys):
    assert main(["metrics", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {r["name"] for r in records} == set(METRICS)
    found = next(r for r in records if r["name"] == "ens_bias")
    assert found["range"] == [0.0, None]
    assert found["options"] == {"normalize": [False, True]}


def test_one_metric_or_a_part_of_a_name(capsys):
    assert [r["name"] for r in catalogue("equal_opportunity")] == ["equal_opportunity"]
    assert len(catalogue("parity")) > 2
    assert main(["metrics", "cramer_v"]) == 2
    assert "no metric 'cramer_v'; did you mean 'cramers_v'?" in capsys.readouterr().err


@pytest.mark.parametrize("record", catalogue(), ids=lambda r: r["name"])
def test_every_metric_says_what_people_need(record):
    assert record["formula"]
    assert record["source"]
    assert record["misleads"]
