"""Pareto fronts: which points are drawn where, and what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from skfairprop.inspection import ParallelCoordinatesDisplay, ParetoDisplay

FRONT = pd.DataFrame(
    {
        "roc_auc": [0.80, 0.78, 0.70, 0.75],
        "gap": [0.30, 0.12, 0.02, 0.15],
        "mesd": [0.05, 0.04, 0.06, 0.01],
    }
)
TWO = FRONT[["roc_auc", "gap"]].iloc[:3]
OTHERS = {"plain": {"roc_auc": 0.79, "gap": 0.35}, "RW": {"roc_auc": [0.7, 0.72], "gap": [0.2, 0]}}
BETTER = ["roc_auc"]


def line_of(ax, marker, filled=None):
    """Points (n, 2) of the lines with a marker."""
    found = [
        line.get_xydata()
        for line in ax.lines
        if line.get_marker() == marker
        and (filled is None or (line.get_markerfacecolor() != "white") == filled)
    ]
    return np.concatenate(found) if found else np.empty((0, 2))


# -- the table ----------------------------------------------------------------------------------


def test_the_table_has_a_row_for_each_point_and_objective():
    frame = ParetoDisplay.from_front(
        TWO,
        greater_is_better=BETTER,
        chosen=1,
        others=OTHERS,
        test={"roc_auc": 0.77, "gap": (0.15, 0.1, 0.2)},
    ).frame_
    assert len(frame) == 2 * (3 + 1 + 2 + 1)
    assert frame["method"].unique().tolist() == ["search", "plain", "RW"]
    tested = frame[frame["on"] == "test"].set_index("objective")
    assert tested.loc["gap", ["value", "lower", "upper"]].tolist() == [0.15, 0.1, 0.2]
    assert tested["lower"].isna().tolist() == [True, False]
    assert (tested["point"] == 1).all()
    assert frame.groupby("objective")["greater_is_better"].first().to_dict() == {
        "gap": False,
        "roc_auc": True,
    }
    chosen = frame[frame["chosen"] & (frame["on"] == "search")]
    assert chosen["value"].tolist() == [0.78, 0.12]


def test_objectives_are_named_and_ordered():
    wide = FRONT.assign(threshold=0.5, kind="a")
    shown = ParetoDisplay.from_front(wide, objectives=["mesd", "gap"])
    assert shown.frame_["objective"].unique().tolist() == ["mesd", "gap"]
    assert shown.ax_.get_xlabel() == "MESD\nlower is better"


# -- two at a time ------------------------------------------------------------------------------


def test_points_of_two_objectives_lie_where_their_values_are():
    ax = ParetoDisplay.from_front(TWO, greater_is_better=BETTER, chosen=1, others=OTHERS).ax_
    np.testing.assert_array_equal(line_of(ax, "o"), TWO)
    np.testing.assert_array_equal(line_of(ax, "D"), [[0.78, 0.12]])
    np.testing.assert_array_equal(line_of(ax, "s"), [[0.79, 0.35]])
    np.testing.assert_array_equal(line_of(ax, "^"), [[0.7, 0.2], [0.72, 0]])
    assert ax.get_xlabel() == "ROC AUC\nhigher is better"
    assert ax.get_ylabel() == "Gap\nlower is better"


@pytest.mark.parametrize(("greater", "steps"), [((), "steps-post"), (("a",), "steps-pre")])
def test_the_border_encloses_what_the_front_dominates(greater, steps):
    sign = -1 if greater else 1
    front = pd.DataFrame({"a": np.array([0.1, 0.2, 0.3]) * sign, "b": [0.3, 0.2, 0.1]})
    ax = ParetoDisplay.from_front(front, greater_is_better=greater).ax_
    edge = next(line for line in ax.lines if line.get_marker() == "None")
    assert edge.get_drawstyle() == steps
    path = edge.get_path().interpolated(1).vertices
    # every corner is dominated by a point of the front, or is one
    for x, y in path:
        assert ((front["a"] * sign <= x * sign + 1e-12) & (front["b"] <= y + 1e-12)).any()


def test_what_is_on_the_front_of_both_is_filled():
    display = ParetoDisplay.from_front(FRONT, greater_is_better=BETTER)
    assert len(display.axes_) == 3
    ax = display.axes_[0]  # of roc_auc and gap: the last point is worse than the second in both
    np.testing.assert_array_equal(line_of(ax, "o", filled=True), FRONT[["roc_auc", "gap"]][:3])
    np.testing.assert_array_equal(line_of(ax, "o", filled=False), FRONT[["roc_auc", "gap"]][3:])
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["on the front of both", "on it for another objective"]


def test_the_chosen_point_is_joined_to_its_value_on_test_data():
    display = ParetoDisplay.from_front(
        TWO,
        greater_is_better=BETTER,
        chosen=1,
        test=pd.Series({"gap": (0.15, 0.1, 0.2), "roc_auc": 0.77}),
    )
    ax = display.ax_
    np.testing.assert_array_equal(line_of(ax, "D", filled=False), [[0.77, 0.15]])
    plain = [line.get_xydata().tolist() for line in ax.lines if line.get_linestyle() == ":"]
    assert plain == [[[0.78, 0.12], [0.77, 0.15]]]
    bars = [line.get_xydata().tolist() for line in ax.lines]
    assert [[0.77, 0.1], [0.77, 0.2]] in bars
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend[-2:] == ["chosen", "chosen, on test data, with interval"]


def test_five_objectives_make_ten_panels():
    front = pd.DataFrame(np.random.default_rng(0).random((20, 5)), columns=list("abcde"))
    assert len(ParetoDisplay.from_front(front).axes_) == 10


# -- three at once ------------------------------------------------------------------------------


def points_3d(ax, marker):
    found = [
        np.column_stack(line.get_data_3d()) for line in ax.lines if line.get_marker() == marker
    ]
    return np.concatenate(found)


def test_three_objectives_at_once():
    display = ParetoDisplay.from_front(
        FRONT,
        greater_is_better=BETTER,
        chosen=3,
        others={"plain": {"roc_auc": 0.79, "gap": 0.35, "mesd": 0.1}},
        test={"roc_auc": 0.74, "gap": 0.2, "mesd": 0.02},
        view="3d",
    )
    ax = display.ax_
    assert ax.name == "3d"
    np.testing.assert_array_equal(points_3d(ax, "o")[:3], FRONT[:3])
    np.testing.assert_array_equal(points_3d(ax, "D"), [FRONT.loc[3], [0.74, 0.2, 0.02]])
    np.testing.assert_array_equal(points_3d(ax, "s"), [[0.79, 0.35, 0.1]])
    assert ax.get_zlabel() == "MESD\nlower is better"
    low, high = ax.get_xlim()
    assert low < 0.70
    assert high > 0.80


def test_flat_axes_are_replaced_by_axes_in_three_dimensions():
    figure, (left, right) = plt.subplots(1, 2)
    display = ParetoDisplay.from_front(FRONT, view="3d", ax=right)
    assert display.figure_ is figure
    assert left in figure.axes
    assert right not in figure.axes
    assert display.ax_ in figure.axes
    own = plt.figure().add_subplot(projection="3d")
    assert ParetoDisplay.from_front(FRONT, view="3d", ax=own).ax_ is own
    by_hand = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    assert ParetoDisplay.from_front(FRONT, view="3d", ax=by_hand).ax_.name == "3d"


def test_three_dimensions_need_three_objectives():
    with pytest.raises(ValueError, match="view='3d' needs 3 objectives; there are 2: name three"):
        ParetoDisplay.from_front(TWO, view="3d")


# -- search against test ------------------------------------------------------------------------


def test_every_point_of_the_front_is_held_against_its_test_value():
    test = FRONT + [-0.05, 0.1, 0.02]
    display = ParetoDisplay.from_front(
        FRONT, greater_is_better=BETTER, chosen=0, test=test, view="transfer"
    )
    assert len(display.axes_) == 3
    for ax, name in zip(display.axes_, FRONT, strict=True):
        expected = np.column_stack([FRONT[name], test[name]])
        np.testing.assert_array_equal(line_of(ax, "o"), expected[1:])
        np.testing.assert_array_equal(line_of(ax, "D"), expected[:1])
        assert ax.get_xlim() == ax.get_ylim()
        # all of these are worse than the search said, and so in the grey half
        (shade,) = ax.collections
        for point in expected:
            assert any(path.contains_point(point) for path in shade.get_paths())


def test_the_chosen_point_alone_is_held_against_its_interval():
    display = ParetoDisplay.from_front(
        TWO,
        greater_is_better=BETTER,
        chosen=1,
        test={"roc_auc": (0.77, 0.7, 0.8), "gap": (0.15, 0.1, 0.2)},
        view="transfer",
    )
    assert len(line_of(display.ax_, "o")) == 0
    assert [[0.78, 0.7], [0.78, 0.8]] in [ln.get_xydata().tolist() for ln in display.ax_.lines]


def test_a_transfer_needs_test_values():
    with pytest.raises(ValueError, match="view='transfer' needs values on test data; give test="):
        ParetoDisplay.from_front(TWO, view="transfer")


# -- parallel coordinates -----------------------------------------------------------------------


def test_the_better_value_is_on_top_of_every_axis():
    display = ParallelCoordinatesDisplay.from_front(
        FRONT, greater_is_better=BETTER, chosen=1, others={"plain": FRONT.iloc[[0]]}
    )
    lines = [line for line in display.ax_.lines if len(line.get_xdata()) == 3]
    assert len(lines) == 5
    heights = np.array([line.get_ydata() for line in lines[:4]])
    order = np.argsort(heights, axis=0)
    np.testing.assert_array_equal(order[:, 0], np.argsort(FRONT["roc_auc"]))
    np.testing.assert_array_equal(order[:, 1], np.argsort(-FRONT["gap"]))
    np.testing.assert_array_equal(order[:, 2], np.argsort(-FRONT["mesd"]))
    assert [line.get_marker() for line in lines] == ["None", "D", "None", "None", "s"]
    np.testing.assert_array_equal(lines[4].get_ydata(), lines[0].get_ydata())


def test_the_numbers_at_the_axes_are_where_the_values_are():
    display = ParallelCoordinatesDisplay.from_front(TWO, greater_is_better=BETTER)
    lines = [line for line in display.ax_.lines if len(line.get_xdata()) == 2][-3:]
    for i, name in enumerate(TWO):
        low, high = TWO[name].argmin(), TWO[name].argmax()
        at = {v: lines[v].get_ydata()[i] for v in (low, high)}
        scale = (at[high] - at[low]) / (TWO[name].max() - TWO[name].min())
        ticks = [t for t in display.ax_.texts if abs(t.get_position()[0] - i) < 0.1]
        assert len(ticks) >= 3
        for tick in ticks:
            value = float(tick.get_text())
            expected = at[low] + (value - TWO[name].min()) * scale
            assert tick.get_position()[1] == pytest.approx(expected)


def test_an_objective_that_is_the_same_everywhere_is_drawn():
    display = ParallelCoordinatesDisplay.from_front(FRONT.assign(mesd=0.0, gap=2.0))
    display.figure_.canvas.draw()


# -- what is refused ----------------------------------------------------------------------------

both = pytest.mark.parametrize(
    "display", [ParetoDisplay, ParallelCoordinatesDisplay], ids=lambda d: d.__name__
)


@both
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objectives": ["gap", "mesd2"]}, "front has no objective 'mesd2'; did you mean 'mesd'"),
        ({"objectives": ["gap"]}, "front has 1 objective; a picture needs two"),
        ({"greater_is_better": ["auc"]}, "greater_is_better: no objective 'auc'"),
        ({"chosen": 4}, "chosen must be a position in the front, from 0 to 3; got 4"),
        ({"others": {"search": FRONT}}, "'search' is the name of the front"),
        ({"others": {"a": {"gap": 1}}}, r"others\['a'\] has no objective 'roc_auc'"),
        ({"others": {str(i): FRONT for i in range(9)}}, "draws 8 other methods at most; others"),
    ],
)
def test_what_does_not_fit_is_refused(display, options, message):
    with pytest.raises(ValueError, match=message):
        display.from_front(FRONT, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "2d"}, "view must be one of"),
        ({"test": FRONT.iloc[:2]}, "test has 2 rows; the front has 4"),
        ({"test": {"gap": 1}}, "test holds one point; say which of the front it is with chosen="),
        ({"test": {"gap": 1}, "chosen": 0}, "test has no objective 'roc_auc'"),
        (
            {"test": dict.fromkeys(FRONT, (1, 2)), "chosen": 0},
            "test: 'roc_auc' must be a value, or",
        ),
    ],
)
def test_test_values_and_views_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ParetoDisplay.from_front(FRONT, **options)


@both
def test_another_kind_of_front_is_refused(display):
    with pytest.raises(TypeError, match="front must be a DataFrame; got ndarray"):
        display.from_front(FRONT.to_numpy())
    with pytest.raises(TypeError, match=r"others\['a'\] must be a DataFrame, or a mapping"):
        display.from_front(FRONT, others={"a": [1, 2, 3]})
    with pytest.raises(ValueError, match="front: 'kind' is not numeric; name the objectives"):
        display.from_front(FRONT.assign(kind="a"))
    with pytest.raises(ValueError, match="front has no points"):
        display.from_front(FRONT.iloc[:0])
