"""The text of a report: what stands in its lines."""

import pandas as pd
import pytest

from skfairprop import FairnessReport, GroupCounts
from skfairprop.report._text import _interval

COUNTS = GroupCounts(
    [
        [[11, 3], [1, 10]],
        [[77, 12], [15, 36]],
        [[52, 6], [8, 28]],
        [[7, 2], [1, 15]],
        [[32, 14], [12, 63]],
        [[24, 10], [7, 54]],
    ],
    groups=pd.Index(list("abcdef"), name="who"),
    classes=[0, 1],
)


@pytest.mark.parametrize(
    ("name", "lower", "upper", "is_open", "text"),
    [
        ("demographic_parity_difference", 0.0, 0.531, True, "(0 - 0.531]"),
        ("demographic_parity_difference", 0.0, 0.531, False, "0.000 - 0.531"),
        ("demographic_parity_ratio", 0.226, 1.0, True, "[0.226 - 1)"),
        ("demographic_parity_ratio", 0.226, 1.0, False, "0.226 - 1.000"),
        ("directional_bias_amplification", -0.3, 0.0, True, "[-0.300 - 0)"),
        ("cramers_v[y_pred]", 0.0, 0.2, True, "(0 - 0.200]"),
        ("cramers_v", float("nan"), 0.2, True, ""),
    ],
)
def test_an_interval_that_stops_short_of_no_bias_is_open_at_that_end(
    name, lower, upper, is_open, text
):
    row = pd.Series({"lower": lower, "upper": upper, "open_at_zero": is_open})
    assert _interval(name, row) == text


def test_open_intervals_are_as_in_the_table_and_explained():
    report = FairnessReport.from_counts(COUNTS, pos_label=0, random_state=0)
    row = report.metrics.loc[("who", "demographic_parity_ratio")]
    assert row["open_at_zero"]
    assert 0 < row["lower"] < row["upper"] == 1
    line = next(t for t in str(report).splitlines() if t.startswith("Demographic parity ratio"))
    assert f"[{row['lower']:.3f} - 1)" in line
    assert "( or ): the interval ends there without it" in str(report)


def test_nothing_is_explained_where_no_interval_is_open():
    counts = GroupCounts([[[50, 50], [50, 50]]] * 2, groups=["a", "b"], classes=[0, 1])
    assert "( or )" not in str(FairnessReport.from_counts(counts, bootstrap=99, random_state=0))


def test_the_name_of_a_long_column_is_cut_and_not_that_of_the_measure():
    names = ["foreign_worker", "region_of_birth"]
    groups = pd.MultiIndex.from_product([["no", "yes"], ["x", "y", "z"]], names=names)
    counts = GroupCounts(COUNTS.values, groups=groups, classes=[0, 1])
    text = str(FairnessReport.from_counts(counts, bootstrap=99, random_state=0))
    assert "fore..rker: demographic parity " in text
