"""A table of numbers as coloured cells, each with its text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skfairprop.inspection import _style as style

# Dark text on a cell at least this light, white on others: a contrast of 4 or more for both.
_LIGHT = 0.2


def sequential() -> Any:
    """Colour map from white to blue."""
    return _colour_map([style.PALE, "#7fb4d6", style.BLUE])


def diverging() -> Any:
    """Colour map from orange (negative) over white to blue (positive)."""
    return _colour_map([style.ORANGE, "#dba87f", style.PALE, "#7fb4d6", style.BLUE])


def _colour_map(colours: Sequence[str]) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("skfairprop", list(colours)).with_extremes(bad="white")


def draw_cells(
    ax: Any,
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    *,
    colours: Any,
    limits: tuple[float, float],
    fontsize: float = style.MEDIUM,
    framed: np.ndarray | None = None,
    marked: np.ndarray | None = None,
) -> Any:
    """Draw a table, its first row at the top.

    Parameters
    ----------
    values : array of shape (R, C)
        What the colours say; a cell that is NaN is white.
    texts : R sequences of C str
    colours : Colormap
    limits : (low, high)
        Values of the two ends of the colour map.
    framed, marked : bool array of shape (R, C), optional
        Cells to draw a frame around, and to write in italics with a dagger.

    Returns
    -------
    QuadMesh
    """
    n_rows, n_columns = values.shape
    mesh = ax.pcolormesh(
        np.arange(n_columns + 1) - 0.5,
        np.arange(n_rows + 1) - 0.5,
        np.ma.masked_invalid(values),
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors="white",
        linewidth=1.2,
    )
    shades = mesh.cmap(mesh.norm(np.ma.masked_invalid(values)))
    for i, j in np.ndindex(values.shape):
        few = marked is not None and bool(marked[i, j])
        style.say(
            ax,
            j,
            i,
            texts[i][j] + "\u2020" * few,
            color=style.INK if _luminance(shades[i, j]) > _LIGHT else "white",
            fontsize=fontsize,
            fontstyle="italic" if few else "normal",
            linespacing=1.15,
        )
    if framed is not None:
        _frame(ax, framed)
    ax.set_ylim(n_rows - 0.5, -0.5)
    ax.set_xlim(-0.5, n_columns - 0.5)
    return mesh


def _frame(ax: Any, framed: np.ndarray) -> None:
    from matplotlib.patches import Rectangle

    for i, j in np.argwhere(framed):
        box = Rectangle((j - 0.47, i - 0.46), 0.94, 0.92, fill=False, edgecolor=style.INK)
        box.set(linewidth=1.8, zorder=3)
        ax.add_patch(box)


def label_cells(ax: Any, rows: Sequence[str], columns: Sequence[str], *, turn: float = 0) -> None:
    """Names beside the rows and above the columns, these turned by some degrees."""
    style.clean(ax, keep=())
    look = {"color": style.INK, "fontsize": style.MEDIUM} | style.PLAIN
    ax.set_yticks(range(len(rows)), rows, **look)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    if turn:
        look |= {"rotation": turn, "ha": "left", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(columns)), columns, **look)


def turn_for(columns: Sequence[str], pitch: float) -> float:
    """Degrees to turn names by, so that they fit on columns `pitch` inches wide."""
    longest = 0.072 * max(map(len, columns), default=0)
    return 0 if longest < pitch else 40 if pitch > 0.35 else 60


def _luminance(colour: Sequence[float]) -> float:
    """Relative luminance of a colour (WCAG 2)."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
