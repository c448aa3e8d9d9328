"""The heat map of pairwise gaps: what is framed, marked, ordered and left out."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from skfairprop import GroupCounts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inspection import PairGapDisplay
from skfairprop.inspection._rate_table import pair_table, rate_table

COUNTS = GroupCounts(
    [[[80, 20], [10, 90]], [[50, 50], [10, 90]], [[9, 1], [3, 7]]],
    groups=["a", "b", "c"],
    classes=[0, 1],
)


def cells(display):
    """Texts by row and column of the heat map."""
    found = {(int(t.get_position()[1]), int(t.get_position()[0])): t for t in display.ax_.texts}
    rows = [t.get_text() for t in display.ax_.get_yticklabels()]
    columns = [t.get_text() for t in display.ax_.get_xticklabels()]
    return {(rows[i], columns[j]): text for (i, j), text in found.items()}


def test_cells_are_the_first_rate_minus_the_second_in_points():
    found = cells(PairGapDisplay.from_counts(COUNTS, rates=["tpr", "fpr"], min_count=0))
    assert {key: text.get_text() for key, text in found.items()} == {
        ("a\n\u2212 b", "True positive rate"): "0.0",
        ("a\n\u2212 b", "False positive rate"): "\u221230.0",
        ("a\n\u2212 c", "True positive rate"): "+20.0",
        ("a\n\u2212 c", "False positive rate"): "+10.0",
        ("b\n\u2212 c", "True positive rate"): "+20.0",
        ("b\n\u2212 c", "False positive rate"): "+40.0",
    }


def test_colours_are_even_on_both_sides_of_0():
    display = PairGapDisplay.from_counts(COUNTS, rates=["tpr", "fpr"])
    (mesh,) = display.ax_.collections
    assert mesh.get_clim() == pytest.approx((-0.4, 0.4))
    orange, blue = mesh.cmap(0.0)[:3], mesh.cmap(1.0)[:3]
    assert orange[0] > orange[2]
    assert blue[2] > blue[0]


def test_frames_mark_what_survives_over_all_pairs_and_rates():
    display = PairGapDisplay.from_counts(COUNTS, rates=["tpr", "fpr"])
    table = pair_table(rate_table(COUNTS, rates=["tpr", "fpr"]))
    survives = benjamini_hochberg(table["p"]) <= 0.05
    frames = [p for p in display.ax_.patches if isinstance(p, Rectangle)]
    assert len(frames) == np.count_nonzero(survives) > 0
    rows = [t.get_text() for t in display.ax_.get_yticklabels()]
    expected = {
        (rows.index(f"{r.first}\n\u2212 {r.second}"), ["tpr", "fpr"].index(r.rate))
        for r in table[survives].itertuples()
    }
    assert {(round(p.get_y() + 0.46), round(p.get_x() + 0.47)) for p in frames} == expected


def test_a_dagger_marks_few_rows():
    found = cells(PairGapDisplay.from_counts(COUNTS, rates="tpr", min_count=50))
    marked = {row for (row, _), text in found.items() if text.get_text().endswith("\u2020")}
    assert marked == {"a\n\u2212 c", "b\n\u2212 c"}


def test_pairs_come_in_the_order_of_their_evidence_not_of_their_gap():
    counts = GroupCounts(
        [[500, 500], [600, 400], [1, 3]], groups=["a", "b", "c"], classes=[0, 1], predicted=False
    )
    display = PairGapDisplay.from_counts(counts)
    assert display.frame_["first"].tolist()[0] == "a"
    assert display.frame_["second"].tolist()[0] == "b"
    assert display.frame_["gap"].abs().idxmax() > 0


def test_classes_are_columns_where_there_is_no_positive_one():
    counts = GroupCounts(
        [[[9, 1, 0], [5, 5, 0], [0, 0, 10]], [[8, 2, 0], [0, 10, 0], [0, 3, 7]]],
        groups=["a", "b"],
        classes=["x", "y", "z"],
    )
    display = PairGapDisplay.from_counts(counts, min_count=0)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["y", "z", "x"]
    assert [t.get_text() for t in display.ax_.texts] == ["\u221250.0", "+30.0", "+10.0"]
    both = PairGapDisplay.from_counts(counts, rates=["tpr", "accuracy"], min_count=0)
    assert [t.get_text() for t in both.ax_.get_xticklabels()] == [
        "tpr, x", "tpr, y", "tpr, z", "accuracy"
    ]  # fmt: skip


def test_undefined_gaps_are_dashes():
    counts = GroupCounts([[[5, 5], [0, 0]], [[5, 5], [2, 8]]], groups=["a", "b"], classes=[0, 1])
    display = PairGapDisplay.from_counts(counts, rates=["tpr", "fpr"])
    assert [t.get_text() for t in display.ax_.texts] == ["\u2013", "0.0\u2020"]
    assert np.isnan(display.frame_["q"].iloc[0])


def test_of_many_pairs_24_are_drawn_and_it_is_said():
    rng = np.random.default_rng(0)
    counts = GroupCounts(rng.integers(20, 90, (9, 2)), groups=list("abcdefghi"), classes=[0, 1],
                         predicted=False)  # fmt: skip
    display = PairGapDisplay.from_counts(counts)
    assert len(display.frame_) == 24
    assert len(display.frame) == 36
    assert display.frame_["p"].is_monotonic_increasing
    assert display.frame_["p"].max() <= np.sort(display.frame["p"])[24]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 24 pairs with the smallest p of 36" in legend
    pd.testing.assert_frame_equal(PairGapDisplay(display.frame).plot().frame_, display.frame_)
