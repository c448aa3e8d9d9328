"""A confusion matrix for every group, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skfairprop import GroupCounts
from skfairprop.inspection import GroupConfusionDisplay
from skfairprop.inspection import _style as style

RNG = np.random.default_rng(0)
GROUP = RNG.choice(["a", "b"], 300)
TRUE, PRED = RNG.choice(["x", "y", "z"], (2, 300))


def matrix(frame, group, column="value"):
    rows = frame["group"].isna() if group is None else frame["group"] == group
    return frame.loc[rows, column].to_numpy(float).reshape(3, 3)


@pytest.mark.parametrize("normalize", ["true", "pred", "all", None])
def test_the_matrices_are_scikit_learns(normalize):
    display = GroupConfusionDisplay.from_predictions(
        TRUE, PRED, sensitive_features=GROUP, normalize=normalize
    )
    for group in (None, "a", "b"):
        mine = np.full(300, True) if group is None else group == GROUP
        expected = confusion_matrix(TRUE[mine], PRED[mine], normalize=normalize)
        np.testing.assert_allclose(matrix(display.frame_, group), expected)


def test_each_panel_says_whose_it_is_and_what_it_rests_on():
    display = GroupConfusionDisplay.from_predictions(TRUE, PRED, sensitive_features=GROUP)
    titles = [ax.get_title(loc="left").split("\n") for ax in display.axes_]
    assert [t[0] for t in titles] == ["everyone", "a", "b"]
    mine = GROUP == "b"
    right = 100 * np.mean(TRUE[mine] == PRED[mine])
    assert titles[2][1] == f"{right:.0f}% right, n = {mine.sum()}"


def test_cells_are_in_percent_and_rows_have_their_n():
    display = GroupConfusionDisplay.from_predictions(
        TRUE, PRED, sensitive_features=GROUP, min_count=50
    )
    ax = display.axes_[1]
    share = confusion_matrix(TRUE[GROUP == "a"], PRED[GROUP == "a"], normalize="true")
    texts = [text.get_text() for text in ax.texts]
    assert texts[:9] == [f"{100 * v:.0f}" for v in share.ravel()]
    n = [np.count_nonzero((GROUP == "a") & (c == TRUE)) for c in "xyz"]
    assert texts[9:] == [str(v) for v in n]
    colours = [text.get_color() for text in ax.texts[9:]]
    assert colours == [style.ORANGE if v < 50 else style.SOFT for v in n]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["x", "y", "z"]


def test_a_class_that_a_group_lacks_is_a_row_of_dashes():
    counts = GroupCounts([[[3, 1], [0, 0]], [[2, 2], [1, 3]]], groups=["a", "b"], classes=[0, 1])
    display = GroupConfusionDisplay.from_counts(counts)
    texts = [text.get_text() for text in display.axes_[1].texts]
    assert texts == ["75", "25", "\u2013", "\u2013", "4", "0"]
    (mesh,) = display.axes_[1].collections
    assert np.ma.getmaskarray(mesh.get_array()).ravel().tolist() == [False, False, True, True]


def test_counts_are_coloured_up_to_the_largest_of_a_panel():
    counts = GroupCounts([[[30, 1], [2, 7]]], groups=["a"], classes=[0, 1])
    display = GroupConfusionDisplay.from_counts(counts, normalize=None)
    assert display.ax_.collections[0].get_clim() == (0, 30)
    assert [t.get_text() for t in display.ax_.texts] == ["30", "1", "2", "7"]


def test_of_many_groups_those_of_the_lowest_and_highest_accuracy_are_drawn():
    right = np.random.default_rng(0).permutation(15) * 5 + 10
    values = [[[k, 0], [100 - k, 20]] for k in right]
    counts = GroupCounts(values, groups=[f"g{i:02d}" for i in range(15)], classes=[0, 1])
    display = GroupConfusionDisplay.from_counts(counts)
    order = np.argsort(right)
    expected = [f"g{i:02d}" for i in [*order[:6], *order[-6:]]]
    assert display.frame_["group"].dropna().unique().tolist() == expected
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "the 6 lowest and 6 highest of 15 groups by accuracy" in legend


def test_normalize_is_checked():
    counts = GroupCounts([[[3, 1], [0, 0]]], groups=["a"], classes=[0, 1])
    with pytest.raises(ValueError, match=r"must be one of \('true', 'pred', 'all', None\); got 'r"):
        GroupConfusionDisplay.from_counts(counts, normalize="rows")
