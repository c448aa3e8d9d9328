"""Pictures: positions, scales and labels."""

import re

import pytest

from skfairprop.report._page._figures import (
    UNIT,
    Scale,
    bar_strip,
    chance_strip,
    rate_strip,
    round_up,
    slope_lines,
    spread,
)


def numbers(svg, name):
    return [float(v) for v in re.findall(rf'\b{name}="(-?[\d.]+)%"', svg)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.003, 0.005), (0.01, 0.01), (0.011, 0.02), (0.21, 0.25), (3, 5), (70, 100), (0, 1.0)],
)
def test_round_numbers(value, expected):
    assert round_up(value) == pytest.approx(expected)


def test_a_scale_has_round_ticks_within_it():
    assert [v for _, v in Scale(0.37, 0.93).ticks(4)] == [0.4, 0.6, 0.8]
    assert Scale(-0.1, 0.4)(0.0) == "20%"
    assert UNIT(1.7) == "100%"
    assert UNIT.width(0.25, 2.0) == "75%"


def test_a_rate_is_a_dot_on_its_interval():
    svg = rate_strip(0.5, 0.4, 0.65, few=False)
    assert '<rect x="40%" width="25%"/>' in svg
    assert '<circle cx="50%"/>' in svg


def test_few_rows_are_another_shape():
    svg = rate_strip(0.5, 0.4, 0.65, few=True)
    assert "<circle" not in svg
    assert "<path" in svg


def test_what_is_undefined_is_not_drawn():
    assert rate_strip(float("nan"), float("nan"), float("nan"), few=True).count("<rect") == 0
    assert chance_strip(0.1, float("nan"), float("nan"), None, None, UNIT).count("<rect") == 0


def test_a_bar_starts_at_zero_on_either_side():
    scale = Scale(-1.0, 1.0)
    assert '<rect class="bar" x="50%" width="25%"/>' in bar_strip(0.5, None, None, scale)
    assert '<rect class="bar" x="25%" width="25%"/>' in bar_strip(-0.5, None, None, scale)


def test_slopes_go_up_where_the_rate_rises():
    line = {"left": (0.2, 0.1, 0.3), "right": (0.8, 0.7, 0.9), "few": False}
    svg = slope_lines([line], Scale(0.0, 1.0))
    slope = re.search(r'<line class="slope" .*?y1="(\d+)%" y2="(\d+)%"', svg)
    assert slope.groups() == ("80", "20")


def test_everything_lies_within_the_picture():
    svg = chance_strip(7.0, 0.5, 9.0, 0.2, 0.4, Scale(0.0, 1.0))
    assert all(0 <= v <= 100 for name in ("x", "width", "cx") for v in numbers(svg, name))


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([0.1, 0.5, 0.9], [0.1, 0.5, 0.9]),
        ([0.5, 0.5], [0.45, 0.55]),
        ([0.0, 0.0, 0.0], [0.0, 0.1, 0.2]),
        ([1.0, 0.98], [1.0, 0.9]),
        ([], []),
    ],
)
def test_labels_are_moved_apart_and_stay_inside(positions, expected):
    assert spread(positions, 0.1, 0.0, 1.0) == pytest.approx(expected)
