"""The slope chart: both rates of a group, and labels that do not cover each other."""

import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.inference import rate_interval
from skfairprop.inspection import PropagationDisplay
from skfairprop.inspection._propagation import spread

# base rates .5 and .2; predicted rates .7 and .1
COUNTS = GroupCounts(
    [[[25, 25], [5, 45]], [[75, 5], [15, 5]], [[3, 2], [1, 4]]],
    groups=["a", "b", "c"],
    classes=[0, 1],
)


def slopes(ax):
    return [line for line in ax.lines if line.get_marker() in ("o", "D")]


def test_a_line_leads_from_the_base_rate_to_the_predicted_rate():
    display = PropagationDisplay.from_counts(COUNTS)
    lines = slopes(display.ax_)
    assert [list(line.get_ydata()) for line in lines] == [[0.5, 0.7], [0.2, 0.1], [0.5, 0.6]]
    assert [line.get_marker() for line in lines] == ["o", "o", "D"]
    assert [line.get_linestyle() for line in lines] == ["-", "-", "--"]


def test_both_ends_have_their_intervals():
    display = PropagationDisplay.from_counts(COUNTS)
    upright = [(line.get_xdata()[0], *line.get_ydata()) for line in display.ax_.lines
               if line.get_xdata()[0] == line.get_xdata()[1]]  # fmt: skip
    low, high = rate_interval([50, 70], [100, 100])
    assert upright[:2] == [pytest.approx((x, low[x], high[x])) for x in (0, 1)]


def test_names_and_values_stand_at_the_right_end():
    display = PropagationDisplay.from_counts(COUNTS)
    assert [t.get_text() for t in display.ax_.texts] == ["a: 70%", "b: 10%", "c: 60%"]
    assert display.ax_.get_title(loc="left") == "1\nwidest gap 30.0 \u2192 60.0 points"


def test_there_is_a_panel_for_each_class_the_widest_gap_in_the_data_first():
    counts = GroupCounts(
        [[[40, 0, 0], [0, 40, 0], [0, 0, 20]], [[35, 0, 0], [0, 5, 0], [0, 0, 60]]],
        groups=["a", "b"],
        classes=["x", "y", "z"],
    )
    display = PropagationDisplay.from_counts(counts)
    assert [ax.get_title(loc="left").split("\n")[0] for ax in display.axes_] == ["z", "y", "x"]


def test_of_many_groups_those_of_the_lowest_and_highest_base_rate_are_drawn():
    base = np.random.default_rng(0).permutation(15) * 5 + 10
    values = [[[100 - k, 0], [0, k]] for k in base]
    counts = GroupCounts(values, groups=[f"g{i:02d}" for i in range(15)], classes=[0, 1])
    display = PropagationDisplay.from_counts(counts)
    order = np.argsort(base)
    assert set(display.frame_["group"]) == {f"g{i:02d}" for i in [*order[:6], *order[-6:]]}
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 6 lowest and 6 highest of 15 groups by base rate" in legend


# -- labels -------------------------------------------------------------------------------------


def test_labels_that_are_apart_stay_where_they_are():
    values = np.array([0.9, 0.1, 0.5])
    np.testing.assert_allclose(spread(values, 0.2, 0, 1), values)


def test_labels_that_meet_move_as_little_as_can_be():
    found = spread(np.array([0.5, 0.5, 0.9]), 0.1, 0, 1)
    np.testing.assert_allclose(found, [0.45, 0.55, 0.9])


@pytest.mark.parametrize("seed", range(5))
def test_labels_keep_their_order_distance_and_range(seed):
    values = np.random.default_rng(seed).random(8)
    places = spread(values, 0.11, 0.0, 1.0)
    order = np.argsort(values)
    assert np.diff(places[order]).min() >= 0.11 - 1e-12
    assert places.min() >= -1e-12
    assert places.max() <= 1 + 1e-12


def test_labels_that_cannot_fit_go_beyond():
    places = spread(np.full(20, 0.5), 0.1, 0.0, 1.0)
    np.testing.assert_allclose(np.diff(places), 0.1)


def test_of_many_classes_sixteen_are_drawn_and_it_is_said():
    values = np.random.default_rng(0).integers(1, 50, (2, 20, 20))
    counts = GroupCounts(values, groups=["a", "b"], classes=[f"c{i}" for i in range(20)])
    display = PropagationDisplay.from_counts(counts)
    assert len(display.axes_) == 16
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 16 widest gaps of 20 classes" in legend
