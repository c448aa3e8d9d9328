"""Hypervolume against evaluations."""

import numpy as np
import pandas as pd
import pytest

from skfairprop.inspection import HypervolumeDisplay

HISTORY = [(10, 0.1), (20, 0.2), (30, 0.25)]


def repeats(*volumes, at=(10, 20, 30)):
    parts = [
        pd.DataFrame({"n_evaluations": at, "hypervolume": v, "repeat": i})
        for i, v in enumerate(volumes)
    ]
    return pd.concat(parts, ignore_index=True)


def test_one_search_is_a_line_of_steps():
    display = HypervolumeDisplay.from_values({"search": HISTORY})
    (line,) = display.ax_.lines
    np.testing.assert_array_equal(line.get_xydata(), HISTORY)
    assert line.get_drawstyle() == "steps-post"
    assert not display.figure_.legends
    assert not display.ax_.collections
    low, high = display.ax_.get_ylim()
    assert low < 0.1
    assert high > 0.25
    assert display.ax_.get_xlim()[0] == 0


def test_repeats_are_shown_by_their_mean_and_range():
    frame = repeats([0.1, 0.2, 0.3], [0.3, 0.3, 0.3], [0.2, 0.4, 0.6])
    display = HypervolumeDisplay.from_values({"search": HISTORY, "random": frame})
    shown = display.frame_[display.frame_["method"] == "random"]
    np.testing.assert_allclose(shown["mean"], [0.2, 0.3, 0.4])
    assert shown["lower"].tolist() == [0.1, 0.2, 0.3]
    assert shown["upper"].tolist() == [0.3, 0.4, 0.6]
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["search", "random, mean and range of 3"]
    assert len(display.ax_.collections) == 1
    looks = {(line.get_linestyle(), line.get_marker()) for line in display.ax_.lines}
    assert len(looks) == 2


def test_repeats_keep_their_volume_until_their_next_step():
    one = pd.DataFrame({"n_evaluations": [10, 30], "hypervolume": [0.1, 0.3], "repeat": 0})
    two = pd.DataFrame({"n_evaluations": [20, 30], "hypervolume": [0.4, 0.5], "repeat": 1})
    shown = HypervolumeDisplay.from_values({"a": pd.concat([one, two])}).frame_
    assert shown["n_evaluations"].tolist() == [20, 30]
    np.testing.assert_allclose(shown["mean"], [(0.1 + 0.4) / 2, (0.3 + 0.5) / 2])


def test_four_searches_can_be_told_apart():
    display = HypervolumeDisplay.from_values({str(i): HISTORY for i in range(4)})
    assert len({(ln.get_linestyle(), ln.get_marker()) for ln in display.ax_.lines}) == 4


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "draws one to 4 searches; values has 0"),
        ({str(i): HISTORY for i in range(5)}, "draws one to 4 searches; values has 5"),
        ({"a": [0.1, 0.2]}, r"values\['a'\] must be pairs of evaluations and hypervolume"),
        ({"a": [(0.5, 0.2)]}, r"values\['a'\]: the numbers of evaluations must be whole"),
        ({"a": pd.DataFrame({"hypervolume": [1]})}, r"values\['a'\] has no column 'n_evaluations'"),
    ],
)
def test_what_is_no_history_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        HypervolumeDisplay.from_values(values)
