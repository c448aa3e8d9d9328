"""All objectives of a Pareto front side by side."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.inspection import _front as fronts
from skfairprop.inspection import _style as style
from skfairprop.inspection._display import Display
from skfairprop.inspection._titles import metric_title

_DASHES = ("--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (8, 3)), (0, (3, 3)), "-")
_TICKS = 5


class ParallelCoordinatesDisplay(Display):
    """The points of a Pareto front as lines across their objectives, the better value on top.

    Every objective has an axis with its own scale, turned so that up is better: two lines that
    cross are a trade-off between the two objectives next to the crossing. The chosen point is a
    thick orange line with diamonds, other methods are dark and dashed with their own markers.

    Use :meth:`from_estimator` or :meth:`from_front`.

    Parameters
    ----------
    frame : DataFrame
        One row for each point and objective: ``method`` (that of the first row is the front),
        ``point``, ``on``, ``objective``, ``greater_is_better``, ``value`` and ``chosen``, as
        :class:`ParetoDisplay` has them.

    Attributes
    ----------
    frame_ : DataFrame
        The rows drawn.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    ParetoDisplay : Two or three objectives at a time, and values on test data.

    Notes
    -----
    Only neighbours can be compared; change their order with `objectives`. The scales stretch each
    objective to the same height, however little its values differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import ParallelCoordinatesDisplay
    >>> front = pd.DataFrame({"roc_auc": [0.80, 0.78, 0.70], "gap": [0.30, 0.12, 0.02]})
    >>> display = ParallelCoordinatesDisplay.from_front(
    ...     front, greater_is_better=["roc_auc"], chosen=1
    ... )
    >>> len(display.frame_)
    6
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_estimator(
        cls,
        search: Any,
        *,
        objectives: Sequence[str] | None = None,
        others: Mapping[str, Any] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the front of a search, in the values of its metrics: a gap of .1 is .1, not -.1.

        Parameters
        ----------
        search : UEFSearchCV
            Fitted.
        objectives : sequence of str, optional
            Those to draw, from left to right; "neg_log_loss" is called "log_loss". Default: all.
        others : mapping of str to points, optional
            Other methods, at most eight: a DataFrame with the objectives as columns, or a mapping
            or Series of one value for each.
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        ParallelCoordinatesDisplay

        Raises
        ------
        TypeError
            If `search` is something else.
        NotFittedError
            If `search` is not fitted.
        ValueError
            If an objective is missing.
        """
        frame = fronts.frame_of_search(
            search, owner=cls.__name__, objectives=objectives, others=others
        )
        return cls(frame).plot(ax)

    @classmethod
    def from_front(
        cls,
        front: pd.DataFrame,
        *,
        objectives: Sequence[str] | None = None,
        greater_is_better: Iterable[str] = (),
        chosen: int | None = None,
        others: Mapping[str, Any] | None = None,
        name: str = "search",
        ax: Any = None,
    ) -> Self:
        """Draw points that were found in any way.

        Parameters
        ----------
        front : DataFrame
            One row for each point and a column for each objective.
        objectives : sequence of str, optional
            Columns to draw, at least two, from left to right. Default: all.
        greater_is_better : iterable of str, default=()
            Those of the objectives where more is better; their axis is not turned.
        chosen : int, optional
            Position of the chosen point in `front`.
        others : mapping of str to points, optional
            Other methods, at most eight: a DataFrame with the objectives as columns, or a mapping
            or Series of one value for each.
        name : str, default="search"
            What the front is called in the legend.
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        ParallelCoordinatesDisplay

        Raises
        ------
        TypeError
            If `front`, or the points of a method, are of another kind.
        ValueError
            If an objective is missing, or an argument does not fit the front.
        """
        frame = fronts.front_frame(
            front,
            objectives=objectives,
            greater_is_better=greater_is_better,
            chosen=chosen,
            others=others,
            name=name,
        )
        return cls(frame).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        ParallelCoordinatesDisplay
        """
        self.frame_ = self.frame[self.frame["on"] == "search"]
        looks = fronts.method_looks(self.frame_, owner=type(self).__name__)
        ways = fronts.objectives_of(self.frame_)
        size = (max(1.55 * len(ways) + 1.2, 4.6), 3.6)
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        table = fronts.wide(self.frame_)
        scales = {name: _scale(table[name].to_numpy(), greater) for name, greater in ways.items()}
        _draw_axes(axes, ways, scales)
        _draw_lines(axes, table, scales, looks)
        style.legend_below(panels, _legend(table, looks), drop=54)
        return self


def _scale(values: np.ndarray, greater: bool) -> tuple[float, float]:
    """The values at the bottom and at the top of an axis."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.04 * (high - low) if high > low else 0.5 * (abs(low) or 1.0)
    low, high = low - margin, high + margin
    return (low, high) if greater else (high, low)


def _height(values: Any, scale: tuple[float, float]) -> Any:
    bottom, top = scale
    return (np.asarray(values, dtype=float) - bottom) / (top - bottom)


def _draw_axes(ax: Any, ways: dict[str, bool], scales: dict[str, tuple[float, float]]) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    style.clean(ax, keep=())
    for i, scale in enumerate(scales.values()):
        low, high = min(scale), max(scale)
        ax.plot([i, i], [0, 1], color=style.SOFT, linewidth=1, zorder=1)
        ticks = [t for t in MaxNLocator(_TICKS).tick_values(low, high) if low <= t <= high]
        formatter = ScalarFormatter(useOffset=False, useMathText=False)
        formatter.create_dummy_axis()
        for tick, text in zip(ticks, formatter.format_ticks(ticks), strict=True):
            at = float(_height(tick, scale))
            ax.plot([i - 0.02, i], [at, at], color=style.SOFT, linewidth=1, zorder=1)
            # white behind the number, so that it can be read on the lines
            style.say(ax, i - 0.035, at, text, ha="right", color=style.SOFT, zorder=5.5,
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75,
                            "pad": 0.8})  # fmt: skip
    ax.set_yticks([])
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlim(-0.32, len(ways) - 0.85)
    labels = [
        f"{fill(style.name_of(metric_title(name), 40), 20)}\n{'high' if greater else 'low'} on top"
        for name, greater in ways.items()
    ]
    ax.set_xticks(range(len(ways)), labels, color=style.INK, fontsize=style.MEDIUM, **style.PLAIN)
    ax.set_ylabel("better \u2192", color=style.SOFT, fontsize=style.MEDIUM)


def _draw_lines(ax: Any, table: pd.DataFrame, scales: dict, looks: dict) -> None:
    xs = np.arange(len(scales))
    front = table["method"].iloc[0]
    alpha = float(np.clip(12 / np.sqrt(len(table)) / 5, 0.25, 0.9))
    dashes = dict(zip(looks, _DASHES, strict=False))
    for row in table.to_dict("records"):
        heights = [float(_height(row[name], scale)) for name, scale in scales.items()]
        if row["method"] != front:
            look = looks[row["method"]] | {"linestyle": dashes[row["method"]]}
            ax.plot(xs, heights, **look, linewidth=1.4, zorder=5)
        elif row["chosen"]:
            look = fronts.CHOSEN | {"linestyle": "-", "linewidth": 2.6}
            ax.plot(xs, heights, **look, zorder=6)
        else:
            ax.plot(xs, heights, color=style.BLUE, linewidth=1, alpha=alpha, zorder=3)


def _legend(table: pd.DataFrame, looks: dict) -> list:
    handles = [style.entry("point of the front", color=style.BLUE, linewidth=1.2)]
    if table["chosen"].any():
        look = fronts.CHOSEN | {"linestyle": "-", "linewidth": 2.6}
        handles.append(style.entry("chosen", **look))
    for (method, look), dash in zip(looks.items(), _DASHES, strict=False):
        entry = look | {"linestyle": dash, "linewidth": 1.4}
        handles.append(style.entry(style.name_of(method), **entry))
    return handles
