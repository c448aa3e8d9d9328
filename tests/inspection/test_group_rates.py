"""The forest plot: marks, intervals, denominators and labels against counts by hand."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from skfairprop import GroupCounts
from skfairprop.inference import rate_interval
from skfairprop.inspection import GroupRatesDisplay
from skfairprop.inspection import _style as style

# group x true x predicted: TPR 72/90, 3/6 and 0/0
COUNTS = GroupCounts(
    [[[8, 2], [18, 72]], [[60, 34], [3, 3]], [[5, 5], [0, 0]]],
    groups=["a", "b", "c"],
    classes=[0, 1],
)


def markers(ax):
    """Marker, x and y of every point drawn."""
    return [
        (line.get_marker(), line.get_xdata()[0], line.get_ydata()[0])
        for line in ax.lines
        if line.get_marker() not in ("None", None)
    ]


def spans(ax):
    """Ends and y of every interval drawn."""
    return [
        (*line.get_xdata(), line.get_ydata()[0])
        for line in ax.lines
        if len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]
    ]


def test_marks_lie_at_the_rates_with_wilsons_intervals():
    display = GroupRatesDisplay.from_counts(COUNTS, rates="tpr")
    assert markers(display.ax_) == [("o", 0.8, 0), ("D", 0.5, 1)]
    lower, upper = rate_interval([72, 3], [90, 6])
    assert spans(display.ax_) == [pytest.approx((lower[i], upper[i], i)) for i in range(2)]


def test_few_rows_are_marked_by_shape_and_colour():
    display = GroupRatesDisplay.from_counts(COUNTS, rates="tpr", min_count=90)
    assert [marker for marker, _, _ in markers(display.ax_)] == ["o", "D"]
    display = GroupRatesDisplay.from_counts(COUNTS, rates="tpr", min_count=91)
    assert [marker for marker, _, _ in markers(display.ax_)] == ["D", "D"]
    diamonds = [line for line in display.ax_.lines if line.get_marker() == "D"]
    assert {line.get_color() for line in diamonds} == {style.ORANGE}
    assert {line.get_markerfacecolor() for line in diamonds} == {"white"}
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "n below 91" in legend


def test_denominators_and_values_are_written_and_an_undefined_rate_has_n_0():
    display = GroupRatesDisplay.from_counts(COUNTS, rates="tpr")
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts == ["n", "90", "80", "6", "50", "0"]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["a", "b", "c"]


def test_everyone_is_the_dashed_line():
    display = GroupRatesDisplay.from_counts(COUNTS, rates="tpr")
    (line,) = [line for line in display.ax_.lines if line.get_xdata()[0] == line.get_xdata()[-1]
               and line.get_marker() == "None"]  # fmt: skip
    assert line.get_xdata()[0] == pytest.approx(75 / 96)


def test_there_is_a_panel_for_each_rate_in_the_order_asked_for():
    display = GroupRatesDisplay.from_counts(COUNTS, rates=["fpr", "accuracy", "tpr"])
    titles = [ax.get_title(loc="left") for ax in display.axes_]
    assert titles == ["False positive rate", "Accuracy", "True positive rate"]
    labels = [ax.get_xlabel().replace("\n", " ") for ax in display.axes_]
    assert labels == [
        "predicted 1, of the others",
        "predicted correctly, of all",
        "predicted 1, of those truly 1",
    ]
    assert not any(t.get_text() for t in display.axes_[1].get_yticklabels())


def test_there_is_a_panel_for_each_class_the_widest_gap_first():
    counts = GroupCounts(
        [[[9, 1, 0], [5, 5, 0], [0, 0, 10]], [[8, 2, 0], [0, 10, 0], [0, 3, 7]]],
        groups=["a", "b"],
        classes=["x", "y", "z"],
    )
    display = GroupRatesDisplay.from_counts(counts)
    assert [ax.get_title(loc="left") for ax in display.axes_] == ["y", "z", "x"]
    assert [x for _, x, _ in markers(display.axes_[0])] == [0.5, 1.0]


@pytest.mark.parametrize(("n", "end"), [(1, 0.02), (3, 0.05), (40, 0.5), (70, 1.0)])
def test_axes_start_at_0_and_end_above_the_intervals(n, end):
    counts = GroupCounts([[1000 - 10 * n, 10 * n]] * 2, groups=[1, 2], classes=[0, 1],
                         predicted=False)  # fmt: skip
    ax = GroupRatesDisplay.from_counts(counts).ax_
    assert ax.get_xlim() == pytest.approx((-0.03 * end, 1.03 * end))
    assert ax.get_xticks()[0] == 0
    assert ax.get_xticks()[-1] == pytest.approx(end)


def test_of_many_groups_the_lowest_and_highest_are_drawn_and_it_is_said():
    rng = np.random.default_rng(0)
    yes = rng.permutation(20) * 3 + 10
    names = [f"group {i}" for i in range(20)]
    counts = GroupCounts(np.stack([100 - yes, yes], 1), groups=names, classes=[0, 1],
                         predicted=False)  # fmt: skip
    display = GroupRatesDisplay.from_counts(counts)
    order = np.argsort(yes)
    expected = [names[i] for i in [*order[:6], *order[-6:]]]
    assert display.frame_["group"].tolist() == expected
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == expected
    assert len(display.frame) == 20
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 6 lowest and 6 highest of 20 groups" in legend


def test_of_many_classes_sixteen_are_drawn_and_it_is_said():
    values = np.random.default_rng(0).integers(1, 50, (2, 20, 20))
    counts = GroupCounts(values, groups=["a", "b"], classes=[f"c{i}" for i in range(20)])
    display = GroupRatesDisplay.from_counts(counts)
    assert len(display.axes_) == 16
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 16 widest gaps of 20 panels" in legend


def test_a_legend_is_put_below_given_axes():
    ax = plt.subplots()[1]
    display = GroupRatesDisplay.from_counts(COUNTS, rates="tpr", ax=ax)
    assert ax.get_legend() is not None
    assert not display.figure_.legends


def test_one_group_is_drawn():
    display = GroupRatesDisplay.from_counts(COUNTS.select([0]), rates="tpr")
    assert display.frame_["value"].tolist() == [0.8]


def test_a_stored_table_can_be_drawn_again():
    first = GroupRatesDisplay.from_counts(COUNTS, rates=["tpr", "fpr"])
    again = GroupRatesDisplay(first.frame, min_count=first.min_count).plot()
    pd.testing.assert_frame_equal(first.frame_, again.frame_)


def test_rates_need_to_be_known():
    with pytest.raises(ValueError, match="no rate 'recall'"):
        GroupRatesDisplay.from_counts(COUNTS, rates="recall")
    with pytest.raises(ValueError, match="pos_label=2 is not among the labels found: 0, 1"):
        GroupRatesDisplay.from_counts(COUNTS, pos_label=2)
