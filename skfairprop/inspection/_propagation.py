"""From the data to the model: the base rate and the predicted rate of every group."""

from collections.abc import Hashable
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.isotonic import isotonic_regression

from skfairprop.counts import GroupCounts
from skfairprop.inspection import _style as style
from skfairprop.inspection._counts_display import CountsDisplay, check_counts
from skfairprop.inspection._extremes import extremes
from skfairprop.inspection._rate_table import by_gap, rate_table

_MAX_PANELS = 16
_ENDS = ("base_rate", "selection_rate")


class PropagationDisplay(CountsDisplay):
    """Base rate of every group in the data, and the rate at which it is predicted: a slope chart.

    One line a group, with the interval of either rate as a thin stroke; lines that spread from left
    to right show a model that widens the gap. One panel for the positive class or, without one, for
    each class, that with the widest gap in the data first. A group of few rows is dashed and
    orange. Where there are more than 12 groups, the 6 with the lowest and the 6 with the highest
    base rate are drawn.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`.

    Parameters
    ----------
    frame : DataFrame
        One row for each class, group and rate ("base_rate", "selection_rate"): ``rate``, ``class``,
        ``group``, ``value``, ``lower``, ``upper`` and ``n_effective``.
    confidence : float, default=0.95
        Level of the intervals in `frame`.
    min_count : int, default=50
        Groups below it are marked.

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn.
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    See Also
    --------
    RepresentationDisplay : The association of group and class in the data alone.

    Notes
    -----
    The two rates of a group are of the same rows, so that their intervals overstate how unsure the
    change is. A line that falls or rises says nothing of which rows the predictions get wrong.

    Examples
    --------
    >>> from skfairprop.inspection import PropagationDisplay
    >>> display = PropagationDisplay.from_predictions(
    ...     [1, 0, 1, 0], [1, 1, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> display.frame_[["rate", "group", "value"]].to_numpy().tolist()
    [['base_rate', 'a', 0.5], ['base_rate', 'b', 0.5], ['selection_rate', 'a', 1.0], \
['selection_rate', 'b', 0.0]]
    """

    def __init__(
        self, frame: pd.DataFrame, *, confidence: float = 0.95, min_count: int = 50
    ) -> None:
        self.frame = frame
        self.confidence = confidence
        self.min_count = min_count

    @classmethod
    def from_counts(
        cls,
        counts: GroupCounts,
        *,
        pos_label: Hashable | None = None,
        confidence: float = 0.95,
        min_count: int = 50,
        ax: Any = None,
    ) -> Self:
        """Draw a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            With predictions, without replicate axes.
        pos_label : hashable, optional
            The positive class. Without it, and unless the labels are {0, 1}, {-1, 1} or booleans,
            every class has a panel.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        min_count : int, default=50
            Groups below it are marked.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        PropagationDisplay

        Raises
        ------
        ValueError
            If there are no predictions, `pos_label` does not occur, or the axes do not fit.
        """
        counts = check_counts(counts, cls.__name__, predictions=True)
        table = rate_table(counts, rates=_ENDS, pos_label=pos_label, confidence=confidence)
        frame = by_gap(table).drop(columns=["n", "everyone"])
        return cls(frame, confidence=confidence, min_count=min_count).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        PropagationDisplay
        """
        classes = pd.unique(self.frame["class"])
        parts = {c: self.frame[self.frame["class"] == c] for c in classes[:_MAX_PANELS]}
        first = parts[classes[0]]
        chosen, note = extremes(first.loc[first["rate"] == _ENDS[0], "value"].to_numpy(float))
        groups = first["group"].iloc[chosen]
        parts = {c: part[part["group"].isin(groups)] for c, part in parts.items()}
        self.frame_ = pd.concat(parts.values(), ignore_index=True)
        names = style.names_of(pd.unique(self.frame_["group"]))
        n_columns = min(len(parts), 3)
        size = (
            n_columns * (2.6 + (n_columns == 1) + 0.075 * max(map(len, names))),
            -(-len(parts) // n_columns) * (1.4 + 0.21 * max(len(names), 6)) + 0.35,
        )
        panels = self._panels(ax, len(parts), n_columns=n_columns, size=size)
        inches = size[1] / -(-len(parts) // n_columns) - 0.75
        for axes, (label, part) in zip(panels.axes, parts.items(), strict=True):
            self._draw(axes, part, style.name_of(label), names, inches)
        style.legend_below(panels, self._legend(note, len(classes)), drop=30)
        return self

    def _draw(self, ax, part: pd.DataFrame, label: str, names: list[str], inches: float) -> None:
        left, right = (part[part["rate"] == rate] for rate in _ENDS)
        low, high = _range(part)
        style.clean(ax, grid="y", keep=())
        ax.set_xlim(-0.12, 1.04)
        ax.set_ylim(low, high)
        rows = zip(style.rows_of(left), style.rows_of(right), strict=True)
        for a, b in rows:
            few = a.n_effective < self.min_count
            mark = style.marker_style(small=few)
            for x, end in ((0, a), (1, b)):
                ax.plot([x, x], [end.lower, end.upper], color=mark["color"], linewidth=1.1,
                        alpha=0.45, zorder=1)  # fmt: skip
            ax.plot([0, 1], [a.value, b.value], **mark, zorder=2,
                    linewidth=1.6, linestyle="--" if few else "-")  # fmt: skip
        places = spread(right["value"].to_numpy(float), 0.16 * (high - low) / inches, low, high)
        decimals = 0 if high - low > 0.1 else 1
        for name, value, place in zip(names, right["value"], places, strict=True):
            _label_end(ax, f"{name}: {100 * value:.{decimals}f}%", value, place)
        ax.set_xticks([0, 1], ["in the data", "predicted"], color=style.INK)
        style.percent_ticks(ax.yaxis)
        gaps = [100 * float(np.ptp(end["value"].dropna())) for end in (left, right)]
        style.title(ax, f"{label}\nwidest gap {gaps[0]:.1f} \u2192 {gaps[1]:.1f} points")

    def _legend(self, note: str | None, n_classes: int) -> list:
        line = style.marker_style(small=False) | {"linewidth": 1.6}
        handles = [style.entry(f"a group, with {100 * self.confidence:g}% intervals", **line)]
        if (self.frame_["n_effective"] < self.min_count).any():
            few = style.marker_style(small=True) | {"linewidth": 1.6, "linestyle": "--"}
            handles.append(style.entry(f"n below {self.min_count}", **few))
        if self.frame_["class"].nunique() > 1:
            handles.append(style.entry("every panel on its own scale"))
        if note is not None:
            handles.append(style.entry(f"{note} by base rate"))
        if n_classes > _MAX_PANELS:
            handles.append(style.entry(f"the {_MAX_PANELS} widest gaps of {n_classes} classes"))
        return handles


def spread(values: np.ndarray, distance: float, low: float, high: float) -> np.ndarray:
    """Places for labels, each as near as can be to its value and `distance` from the next.

    Parameters
    ----------
    values : array of shape (n,)
    distance : float
        Not negative.
    low, high : float
        Ends for the places, kept where all of them fit in between.

    Returns
    -------
    array of shape (n,)
        In the order of `values`; the sum of squared shifts is the smallest possible.
    """
    order = np.argsort(values, kind="stable")
    steps = distance * np.arange(len(values))
    out = np.empty(len(values))
    ends = (low, high - steps[-1]) if low <= high - steps[-1] else (None, None)
    placed = isotonic_regression(values[order] - steps, y_min=ends[0], y_max=ends[1])
    out[order] = placed + steps
    return out


def _label_end(ax, text: str, value: float, place: float) -> None:
    """A name at the right, joined to its value where it had to move."""
    ax.plot([1.03, 1.09], [value, place], color=style.GRID, linewidth=0.8, clip_on=False, zorder=1)
    style.say(ax, 1.11, place, text, ha="left", fontsize=style.MEDIUM)


def _range(part: pd.DataFrame) -> tuple[float, float]:
    """Shares to show: those drawn with their intervals, and a little more."""
    low, high = part["lower"].min(), part["upper"].max()
    margin = 0.05 * max(high - low, 0.01)
    return max(low - margin, -0.03 * (high - low)), high + margin
