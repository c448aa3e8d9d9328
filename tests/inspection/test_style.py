"""Axes to draw on, names and numbers as texts."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skfairprop.inspection import _style as style


def panels(ax, n, **options):
    return style.make_panels(ax, n, owner="Display", size=(4, 3), **options)


# -- axes ---------------------------------------------------------------------------------------


def test_a_new_figure_holds_a_grid_without_empty_axes():
    found = panels(None, 5, n_columns=3)
    assert len(found.axes) == len(found.figure.axes) == 5
    assert [found.is_left(i) for i in range(5)] == [True, False, False, True, False]
    assert [found.is_bottom(i) for i in range(5)] == [False, False, True, True, True]
    assert found.corner is found.axes[3]


def test_given_axes_are_drawn_on_as_they_are():
    figure, (one, two) = plt.subplots(1, 2)
    assert panels(two, 1).axes[0] is two
    found = panels([two, one], 2)
    assert list(found.axes) == [two, one]
    assert found.figure is figure
    assert plt.get_fignums() == [figure.number]


def test_one_axes_is_divided_where_several_are_needed():
    figure, (left, right) = plt.subplots(1, 2)
    found = panels(right, 4, n_columns=2)
    assert found.figure is figure
    assert len(figure.axes) == 6
    assert not right.axison
    assert left.axison
    edge = right.get_position().x0
    assert all(ax.get_position().x0 >= edge - 1e-9 for ax in found.axes)


def test_an_array_of_axes_goes_row_by_row():
    _, grid = plt.subplots(2, 2)
    assert list(panels(grid, 4).axes) == list(grid.ravel())


def test_axes_of_several_figures_are_refused():
    one, two = plt.subplots()[1], plt.subplots()[1]
    with pytest.raises(ValueError, match="Display: the 2 axes belong to several figures"):
        panels([one, two], 2)


def test_a_wrong_number_of_axes_is_refused():
    with pytest.raises(ValueError, match="draws 3 panels; ax holds 2 axes: give 1 or 3"):
        panels(plt.subplots(1, 2)[1], 3)


@pytest.mark.parametrize(("wrong", "kind"), [(3, "int"), (["a"], "str"), ([], "empty sequence")])
def test_what_is_no_axes_is_refused(wrong, kind):
    with pytest.raises(
        TypeError, match=f"must be matplotlib Axes, or a sequence of them; got {kind}"
    ):
        panels(wrong, 1)


def test_axes_placed_by_hand_cannot_be_divided():
    ax = plt.figure().add_axes((0, 0, 1, 1))
    assert panels(ax, 1).axes[0] is ax
    with pytest.raises(ValueError, match="cannot divide axes that are no subplot; give 2 axes"):
        panels(ax, 2)


def test_a_subfigure_is_drawn_on():
    left, right = plt.figure().subfigures(1, 2)
    found = panels(right.subplots(), 3, n_columns=3)
    style.legend_below(found, [style.entry("text")])
    assert found.figure is right
    assert len(right.axes) == 4
    assert not left.axes
    right.get_figure().canvas.draw()


def test_a_dark_style_does_not_hide_the_ink():
    with plt.style.context("dark_background"):
        found = panels(None, 1)
        style.clean(found.axes[0])
    assert found.figure.get_facecolor() == found.axes[0].get_facecolor() == (1, 1, 1, 1)


# -- names and numbers --------------------------------------------------------------------------


def test_names_are_shortened_no_further_than_they_stay_distinct():
    assert style.names_of(["short", "a" * 40], 10) == ["short", "aaaaaa\u2026aaa"]
    alike = ["a" * 8 + end + "b" * 8 for end in ("x", "y")]
    assert style.names_of(alike, 10) == alike


def test_names_that_differ_in_the_middle_only_are_numbered():
    long = ["a" * 5000 + middle + "b" * 5000 for middle in ("x", "y", "x")]
    assert style.names_of(["c", *long], 10) == [
        "c",
        "aaaaaa\u2026bbb #2",
        "aaaaaa\u2026bbb #3",
        "aaaaaa\u2026bbb #2",
    ]


def test_control_characters_are_made_visible():
    assert style.names_of(["a\nb", ("x\u202e", 1)]) == ["a\\nb", "x\\u202e, 1"]
    assert style.name_of("\x1b[31m") == "\\x1b[31m"


@pytest.mark.parametrize(
    ("value", "text"),
    [(12.34, "+12.3"), (-0.04, "0.0"), (0.0, "0.0"), (-3.0, "\u22123.0"), (np.nan, "\u2013")],
)
def test_a_sign_stands_before_all_but_zero(value, text):
    assert style.signed(value) == text


@pytest.mark.parametrize(("value", "text"), [(1234, "1,234"), (1.5, "1.5"), (1234.5, "1,234")])
def test_counts_have_decimals_only_where_weights_made_some(value, text):
    assert style.number(value) == text


def test_a_legend_takes_the_columns_that_fit():
    found = panels(None, 1)
    entries = [style.entry("a long text that takes some inches", color="k") for _ in range(4)]
    style.legend_below(found, entries)
    (legend,) = found.figure.legends
    assert legend._ncols == 1


def test_no_entries_make_no_legend():
    found = panels(None, 1)
    style.legend_below(found, [])
    assert not found.figure.legends


# -- matplotlib ---------------------------------------------------------------------------------


def test_matplotlib_is_imported_when_something_is_drawn():
    code = "import sys, skfairprop.inspection; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
