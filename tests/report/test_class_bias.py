"""The bias of a data set class by class."""

import json

import numpy as np
import pytest

from skfairprop import FairnessReport, GroupCounts, fairness_report
from skfairprop.metrics import cramers_v, dsap_stereotypical_bias, ens_bias


@pytest.fixture(scope="module")
def rows():
    """Three classes: "nurse" belongs to one group, "clerk" to none, "pilot" a little."""
    rng = np.random.default_rng(0)
    groups = rng.choice(["f", "m", "x"], 900, p=[0.45, 0.45, 0.1])
    chance = {"f": [0.7, 0.2, 0.1], "m": [0.1, 0.55, 0.35], "x": [0.4, 0.4, 0.2]}
    y = np.array([rng.choice(["nurse", "clerk", "pilot"], p=chance[g]) for g in groups])
    return y, groups


@pytest.fixture(scope="module")
def table(rows):
    y, groups = rows
    return fairness_report(y, sensitive_features=groups, bootstrap=200).class_bias


def test_by_hand(rows, table):
    y, groups = rows
    for label in ("nurse", "clerk", "pilot"):
        inside, outside = (np.array([np.mean(groups[m] == g) for g in "fmx"])
                           for m in (y == label, y != label))  # fmt: skip
        found = table.loc[label]
        assert found["count"] == np.sum(y == label)
        assert found["distance"] == pytest.approx(0.5 * np.abs(inside - outside).sum())
        shares = [np.mean(y[groups == g] == label) for g in "fmx"]
        assert found["most"] == "fmx"[int(np.argmax(shares))]
        assert found["most_share"] == pytest.approx(max(shares))
        assert found["least_share"] == pytest.approx(min(shares))
        kept = inside[inside > 0]
        assert found["missing"] == pytest.approx(3 - np.exp(-(kept * np.log(kept)).sum()))


def test_against_the_measures_of_data_sets(rows, table):
    y, groups = rows
    for label in table.index:
        against = np.where(y == label, "own", "rest")
        assert table.loc[label, "association"] == pytest.approx(
            cramers_v(against, sensitive_features=groups)
        )
        within = y == label
        assert table.loc[label, "missing"] == pytest.approx(
            ens_bias(y[within], sensitive_features=groups[within])
        )
    whole = dsap_stereotypical_bias(y, sensitive_features=groups)
    assert table["distance"].mean() == pytest.approx(whole)


def test_the_worst_comes_first_and_chance_is_told(table):
    assert table.index[0] == "nurse"
    assert table.loc["nurse", "p"] == pytest.approx(1 / 201)
    assert 0 < table.loc["nurse", "lower"] < table.loc["nurse", "distance"]
    assert (table["q"] >= table["p"]).all()
    assert (table["chance"] < 0.1).all()


def test_a_rare_class_does_not_lead_by_chance():
    values = np.array([[400, 300, 3], [300, 400, 0]])  # 3 rows of one group: as far as can be
    counts = GroupCounts(values, groups=["a", "b"], classes=["x", "y", "rare"], predicted=False)
    found = FairnessReport.from_counts(counts, bootstrap=200).class_bias
    assert found["distance"].idxmax() == "rare"
    assert found.loc["rare", "p"] > 0.05
    assert found.loc["rare", "chance"] > 0.2


def test_predictions_do_not_change_it(rows, table):
    y, groups = rows
    found = fairness_report(y, y[::-1], sensitive_features=groups, bootstrap=200).class_bias
    assert found.equals(table)


def test_weights_count_as_rows(rows):
    y, groups = rows
    twice = fairness_report(y, sensitive_features=groups, sample_weight=[2] * len(y), bootstrap=0)
    plain = fairness_report(y, sensitive_features=groups, bootstrap=0)
    assert twice.class_bias["distance"].to_dict() == plain.class_bias["distance"].to_dict()
    assert twice.class_bias["lower"].isna().all()


def test_one_group_has_none():
    report = fairness_report([0, 1, 1], sensitive_features=["a"] * 3, bootstrap=0)
    assert report.class_bias is None
    assert report.to_dict()["class_bias"] is None


def test_it_is_in_page_text_and_json(rows):
    y, groups = rows
    report = fairness_report(y, sensitive_features=groups, bootstrap=60)
    assert "by class, distance of its groups" in repr(report)
    assert next(iter(json.loads(report.to_json())["class_bias"])) == "nurse"
    pytest.importorskip("jinja2")
    page = report.to_html()
    assert page.index('<th scope="row">nurse</th>', page.index("Class by class")) > 0
