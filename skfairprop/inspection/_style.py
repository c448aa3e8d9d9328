"""What the displays share: the palette, axes to draw on, and texts that stay what they are."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._optional import import_optional
from skfairprop._visible import visible
from skfairprop.groups import label_text

# One blue for all groups, which labels tell apart, and an orange for what asks for attention.
# Both keep a contrast of 4.5 to white, and differ for every kind of colour blindness.
BLUE, ORANGE = "#0072B2", "#B34700"
INK, SOFT, GRID, PALE = "#1a1a2e", "#5a6070", "#d5d9e0", "#f4f4f2"

# A "$" in a name is a dollar, whatever the settings of the user.
PLAIN = {"parse_math": False, "usetex": False}
SMALL, MEDIUM, LARGE = 7.5, 8.5, 9.5
# Names of groups and classes are shortened to so many characters, where they stay distinct.
_WIDTH = 28
# Ends that an axis of shares may have, and the steps of its ticks.
_STEPS = {0.02: 0.005, 0.05: 0.01, 0.1: 0.02, 0.2: 0.05, 0.3: 0.1, 0.5: 0.1, 1.0: 0.25}


def require_matplotlib() -> None:
    """Raise ImportError, with the remedy.

    Displays do so when they get their axes; what takes long before that does it first.
    """
    import_optional("matplotlib", extra="report")


@dataclass(frozen=True)
class Panels:
    """Axes of one figure in a grid, row by row.

    Attributes
    ----------
    figure : Figure or SubFigure
    axes : array of Axes, shape (n,)
    n_columns : int
        1 for axes that were given one by one: how they lie is not known.
    is_new : bool
        Whether the figure holds nothing else.
    """

    figure: Any
    axes: np.ndarray
    n_columns: int
    is_new: bool

    def is_left(self, i: int) -> bool:
        """Whether nothing is to the left of panel `i`."""
        return i % self.n_columns == 0

    def is_bottom(self, i: int) -> bool:
        """Whether nothing is below panel `i`."""
        return i + self.n_columns >= len(self.axes)

    @property
    def corner(self) -> Any:
        """The axes at the bottom left."""
        return self.axes[(len(self.axes) - 1) // self.n_columns * self.n_columns]


def make_panels(
    ax: Any, n: int, *, owner: str, n_columns: int = 1, size: tuple[float, float]
) -> Panels:
    """Axes for `n` panels: of a new figure, inside the axes given, or those given.

    Parameters
    ----------
    ax : None, Axes, or sequence of n Axes
    owner : str
        Name of the display, for the messages.
    n_columns : int
        Of the grid, where it is ours.
    size : (width, height)
        Of a new figure, in inches.

    Raises
    ------
    TypeError
        If `ax` holds something else.
    ValueError
        If there are not `n` axes, they belong to several figures, or cannot be divided.
    """
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.gridspec import GridSpecFromSubplotSpec

    n_columns = min(n, n_columns)
    n_rows = -(-n // n_columns)
    if ax is None:
        figure, grid = plt.subplots(
            n_rows,
            n_columns,
            figsize=size,
            layout="constrained",
            squeeze=False,
            facecolor="white",  # the inks are for a light ground, whatever the style of the user
        )
        for unused in grid.flat[n:]:
            unused.remove()
        return Panels(figure, grid.ravel()[:n], n_columns, True)
    given = [ax] if isinstance(ax, Axes) else _listed(ax, owner)
    if len({id(a.figure) for a in given}) > 1:
        raise ValueError(f"{owner}: the {len(given)} axes belong to several figures; give one's")
    if len(given) == n:
        return Panels(given[0].figure, _as_array(given), 1, False)
    if len(given) > 1:
        raise ValueError(f"{owner} draws {n} panels; ax holds {len(given)} axes: give 1 or {n}")
    spec = given[0].get_subplotspec()
    if spec is None:
        raise ValueError(
            f"{owner} draws {n} panels and cannot divide axes that are no subplot; give {n} axes, "
            "or one that plt.subplots made"
        )
    given[0].set_axis_off()
    cells = GridSpecFromSubplotSpec(n_rows, n_columns, subplot_spec=spec)
    parts = [given[0].figure.add_subplot(cells[divmod(i, n_columns)]) for i in range(n)]
    return Panels(given[0].figure, _as_array(parts), n_columns, False)


def _listed(ax: Any, owner: str) -> list:
    from matplotlib.axes import Axes

    found = list(np.ravel(np.asarray(ax, dtype=object))) if isinstance(ax, Iterable) else [ax]
    wrong = [a for a in found if not isinstance(a, Axes)]
    if wrong or not found:
        kind = type(wrong[0]).__name__ if wrong else "empty sequence"
        raise TypeError(f"{owner}: ax must be matplotlib Axes, or a sequence of them; got {kind}")
    return found


def _as_array(axes: list) -> np.ndarray:
    out = np.empty(len(axes), dtype=object)
    out[:] = axes
    return out


# -- names --------------------------------------------------------------------------------------


def names_of(labels: Iterable, width: int = _WIDTH) -> list[str]:
    """Labels as texts that can be drawn: visible, and no longer than needed to tell them apart.

    Those that only differ in the middle of a long text are numbered.
    """
    texts = [visible(label_text(label)) for label in labels]
    distinct = list(dict.fromkeys(texts))
    for wide in (width, width + 8, width + 16):
        short = {text: _shorten(text, wide) for text in distinct}
        if len(set(short.values())) == len(distinct):
            return [short[text] for text in texts]
    numbered = {t: f"{_shorten(t, width)} #{i}" for i, t in enumerate(distinct, start=1)}
    return [numbered[text] if len(text) > width else text for text in texts]


def name_of(label: Hashable, width: int = _WIDTH) -> str:
    """One label as a text that can be drawn."""
    return _shorten(visible(label_text(label)), width)


def _shorten(text: str, width: int) -> str:
    """Text of at most `width` characters: names differ at their ends more than in the middle."""
    if len(text) <= width:
        return text
    tail = width // 3
    return f"{text[: width - tail - 1].rstrip()}\u2026{text[-tail:].lstrip()}"


def number(value: float) -> str:
    """A count as text, with decimals only where weights made some."""
    return f"{value:,.0f}" if float(value).is_integer() or value >= 100 else f"{value:,.1f}"


def signed(value: float, decimals: int = 1) -> str:
    """A number with its sign, which tells more than the colour of a cell; 0 has none."""
    if np.isnan(value):
        return "\u2013"
    text = f"{abs(value):,.{decimals}f}"
    if not text.strip("0.,"):
        return text
    return ("+" if value > 0 else "\u2212") + text


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """The rows of a table as named tuples."""
    return list(frame.itertuples())


# -- look ---------------------------------------------------------------------------------------


def clean(ax: Any, *, grid: str | None = None, keep: Sequence[str] = ("bottom",)) -> None:
    """Take away what is no data: spines but those kept, ticks; a thin grid behind if wanted."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)
        spine.set_color(GRID)
    ax.set_facecolor("white")
    ax.tick_params(colors=SOFT, labelsize=MEDIUM, length=0, which="both")
    ax.set_axisbelow(True)
    if grid is not None:
        ax.grid(axis=grid, color=GRID, linewidth=0.6)


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """Names at y = 0, 1, ... from top to bottom."""
    ax.set_yticks(range(len(names)), names, color=INK, fontsize=LARGE, **PLAIN)
    ax.set_ylim(len(names) - 0.4, -0.7)


def title(ax: Any, text: str) -> None:
    """A title at the left."""
    ax.set_title(text, loc="left", fontsize=10.5, color=INK, **PLAIN)


def percent_axis(ax: Any, highest: float) -> float:
    """Percent on the x axis, from 0 to a round number above `highest`, which is returned."""
    upper = next((end for end in _STEPS if highest <= end), 1.0)
    ax.set_xlim(-0.03 * upper, 1.03 * upper)
    ax.set_xticks(np.arange(0, upper * 1.001, _STEPS[upper]))
    percent_ticks(ax.xaxis)
    return upper


def percent_ticks(axis: Any) -> None:
    """Percent at the ticks of an axis of shares, with no more decimals than they have."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g}%"))


def point_ticks(axis: Any) -> None:
    """Percentage points, with their sign, at the ticks of an axis of differences of shares."""
    from matplotlib.ticker import FuncFormatter

    def text(share: float, _: int) -> str:
        points = round(100 * share, 6)
        return signed(points, 0 if points == round(points) else 1)

    axis.set_major_formatter(FuncFormatter(text))


def legend_below(panels: Panels, handles: Sequence, *, drop: float = 36) -> None:
    """A legend below everything, or `drop` points below given axes; none without handles."""
    from matplotlib.transforms import offset_copy

    if not handles:
        return
    widest = 0.55 + 0.068 * max(len(handle.get_label()) for handle in handles)  # inches, about
    look = {
        "handles": handles,
        "ncols": max(1, min(len(handles), int(_room(panels) / widest))),
        "frameon": False,
        "fontsize": MEDIUM,
        "labelcolor": SOFT,
        "handlelength": 1.6,
        "columnspacing": 1.6,
    }
    if panels.is_new:
        legend = panels.figure.legend(loc="outside lower left", **look)
    else:
        ax = panels.corner
        corner = offset_copy(ax.transAxes, ax.figure, y=-drop, units="points")
        legend = ax.legend(
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=corner,
            borderaxespad=0,
            borderpad=0,
            **look,
        )
        # a layout engine would give the room it takes to the right of its axes to their column
        legend.set_in_layout(len(panels.axes) == 1)
    for text in legend.get_texts():
        text.set(**PLAIN)


def _room(panels: Panels) -> float:
    """Width in inches that a legend may take."""
    figure = panels.figure
    inches = figure.bbox.width / figure.dpi
    if panels.is_new:
        return inches
    ends = [(ax.get_position().x0, ax.get_position().x1) for ax in panels.axes]
    return inches * (max(x1 for _, x1 in ends) - panels.corner.get_position().x0)


def say(ax: Any, x: float, y: float, text: str, **look: Any) -> Any:
    """Write a text in the middle of a row or cell, small and in ink unless told otherwise."""
    look = {"va": "center", "ha": "center", "fontsize": SMALL, "color": INK} | look
    return ax.text(x, y, text, **look, **PLAIN)


def entry(label: str, **look: Any) -> Any:
    """An entry of a legend: a line, a marker, or only a text."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **(look or {"linestyle": "none"}), label=label)


def frame_entry(label: str) -> Any:
    """An entry of a legend for framed cells."""
    return entry(
        label,
        linestyle="none",
        marker="s",
        markersize=9,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.8,
    )


def marker_style(*, small: bool, filled: bool = True) -> dict[str, Any]:
    """Marker of a rate: a disc, or a hollow diamond in orange where it rests on few."""
    colour = ORANGE if small else BLUE
    return {
        "marker": "D" if small else "o",
        "markersize": 5.2 if small else 6.2,
        "color": colour,
        "markerfacecolor": colour if filled and not small else "white",
        "markeredgewidth": 1.5,
    }
