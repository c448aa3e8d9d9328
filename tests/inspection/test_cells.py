"""Coloured cells: texts that can be read on every shade."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from skfairprop.inspection._cells import diverging, draw_cells, label_cells, sequential, turn_for


def luminance(colour):
    c = np.asarray(to_rgb(colour))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("colours", [diverging, sequential])
def test_texts_have_a_contrast_of_4_on_every_shade(colours):
    ax = plt.subplots()[1]
    values = np.linspace(-1, 1, 101)[None]
    mesh = draw_cells(ax, values, [["0"] * 101], colours=colours(), limits=(-1, 1))
    for value, text in zip(values[0], ax.texts, strict=True):
        light, dark = sorted(
            (luminance(mesh.cmap(mesh.norm(value))[:3]), luminance(text.get_color())), reverse=True
        )
        assert (light + 0.05) / (dark + 0.05) >= 4


def test_the_first_row_is_at_the_top():
    ax = plt.subplots()[1]
    draw_cells(ax, np.eye(2), [["a", "b"], ["c", "d"]], colours=sequential(), limits=(0, 1))
    label_cells(ax, ["one", "two"], ["left", "right"])
    low, high = ax.get_ylim()
    assert low > high
    places = {text.get_text(): text.get_position() for text in ax.texts}
    assert places == {"a": (0, 0), "b": (1, 0), "c": (0, 1), "d": (1, 1)}


def test_undefined_cells_are_white_with_a_dark_text():
    ax = plt.subplots()[1]
    mesh = draw_cells(
        ax, np.array([[np.nan, 1.0]]), [["-", "1"]], colours=diverging(), limits=(-1, 1)
    )
    ax.figure.canvas.draw()
    assert mesh.get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert luminance(ax.texts[0].get_color()) < 0.05


@pytest.mark.parametrize(
    ("names", "pitch", "turn"), [(["abc"], 0.7, 0), (["a" * 20], 0.7, 40), (["a" * 20], 0.3, 60)]
)
def test_long_names_are_turned(names, pitch, turn):
    assert turn_for(names, pitch) == turn
