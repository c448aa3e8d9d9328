"""Rates of the groups with their intervals: a forest plot."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.inspection import _style as style
from skfairprop.inspection._counts_display import CountsDisplay, check_counts
from skfairprop.inspection._extremes import extremes
from skfairprop.inspection._rate_table import RATE_MEANINGS, RATE_TITLES, by_gap, rate_table

_MAX_PANELS = 16
_EVERYONE = {"color": style.SOFT, "linewidth": 1, "linestyle": (0, (4, 3)), "zorder": 1}
_INTERVAL = {"linewidth": 2.2, "solid_capstyle": "butt", "zorder": 2}


class GroupRatesDisplay(CountsDisplay):
    """Rates of the groups with their intervals and denominators: a forest plot.

    One panel a rate; where there is no positive class, one panel a class, the class with the widest
    gap first. The dashed line is the rate of everyone. A rate that rests on few rows is an orange
    diamond instead of a blue disc, and one that is 0/0 has no mark and n = 0.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`.

    Parameters
    ----------
    frame : DataFrame
        One row for each rate, class and group: ``rate``, ``class``, ``group``, ``value``,
        ``lower``, ``upper``, ``n``, ``n_effective`` and ``everyone``.
    confidence : float, default=0.95
        Level of the intervals in `frame`.
    min_count : int, default=50
        Denominators below it are marked.

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn, in the order of drawing.
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    See Also
    --------
    PairGapDisplay : The gaps between these rates, two groups at a time.
    skfairprop.metrics.group_rates : The same rates as a table.

    Notes
    -----
    Each interval is Wilson's, for one rate alone [1]_. Two intervals that overlap do not say that
    the groups do not differ.

    References
    ----------
    .. [1] Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", Statistical
       Science 16, 2001.

    Examples
    --------
    >>> from skfairprop.inspection import GroupRatesDisplay
    >>> display = GroupRatesDisplay.from_predictions(
    ...     [1, 0, 1, 0, 1, 0], [1, 0, 0, 0, 1, 1], sensitive_features=list("aaabbb"), rates="tpr"
    ... )
    >>> display.frame_[["group", "value", "n"]].to_numpy().tolist()
    [['a', 0.5, 2.0], ['b', 1.0, 1.0]]
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
        rates: str | Sequence[str] | None = None,
        pos_label: Hashable | None = None,
        confidence: float = 0.95,
        min_count: int = 50,
        ax: Any = None,
    ) -> Self:
        """Draw the rates of a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            Without replicate axes.
        rates : str or sequence of str, optional
            Some of "base_rate", "selection_rate", "accuracy", "tpr", "fpr", "fnr", "tnr" and
            "precision". Default: the selection rate, TPR and FPR of the positive class; without
            one the TPR of every class; the base rates of a data set without predictions.
        pos_label : hashable, optional
            The positive class. Without it, and unless the labels are {0, 1}, {-1, 1} or booleans,
            every class has a panel, that class against the rest.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        min_count : int, default=50
            Denominators below it are marked.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        GroupRatesDisplay

        Raises
        ------
        ValueError
            If a rate is not known or needs predictions that are not there, `pos_label` does not
            occur, or the axes do not fit.
        """
        counts = check_counts(counts, cls.__name__)
        table = rate_table(counts, rates=rates, pos_label=pos_label, confidence=confidence)
        return cls(by_gap(table), confidence=confidence, min_count=min_count).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        GroupRatesDisplay
        """
        parts = _panels_of(self.frame)
        first = parts[0]["value"].to_numpy(float)
        chosen, note = extremes(first)
        drawn = [part.iloc[chosen] for part in parts[:_MAX_PANELS]]
        self.frame_ = pd.concat(drawn, ignore_index=True)
        names = style.names_of(drawn[0]["group"])
        n_columns = 3 if len(drawn) in (1, 2, 3, 5, 6, 9) else 4
        size = _size(len(drawn), n_columns, names)
        panels = self._panels(ax, len(drawn), n_columns=n_columns, size=size)
        uppers = self.frame_.groupby("rate")["upper"].max()
        for i, (axes, part) in enumerate(zip(panels.axes, drawn, strict=True)):
            highest = float(uppers[part["rate"].iloc[0]])
            self._draw(axes, part, names, highest, split=note is not None)
            if not panels.is_left(i):
                axes.set_yticklabels([])
        style.legend_below(panels, self._legend(note, len(parts)), drop=48)
        return self

    def _draw(self, ax, part: pd.DataFrame, names: list[str], highest: float, split: bool) -> None:
        style.clean(ax, grid="x")
        style.label_rows(ax, names)
        upper = style.percent_axis(ax, highest)
        ax.axvline(part["everyone"].iloc[0], **_EVERYONE)
        if split:
            ax.axhline(len(part) / 2 - 0.5, color=style.GRID, linewidth=1.2, linestyle=":")
        column = {"transform": ax.get_yaxis_transform(), "ha": "left", "color": style.SOFT}
        style.say(ax, 1.05, -0.62, "n", style="italic", **column)
        for y, row in enumerate(style.rows_of(part)):
            few = row.n_effective < self.min_count
            column["color"] = style.ORANGE if few else style.SOFT
            style.say(ax, 1.05, y, style.number(row.n_effective), **column)
            if not np.isnan(row.value):
                _draw_rate(ax, y, row, few, decimals=0 if upper > 0.2 else 1)
        rate, label = part["rate"].iloc[0], part["class"].iloc[0]
        several = self.frame.loc[self.frame["rate"] == rate, "class"].nunique() > 1
        style.title(ax, style.name_of(label) if several else RATE_TITLES[rate])
        text = RATE_MEANINGS[rate].format(c=style.name_of(label, 18))
        ax.set_xlabel(text, fontsize=style.MEDIUM, color=style.SOFT, **style.PLAIN)

    def _legend(self, note: str | None, n_panels: int) -> list:
        disc, diamond = (style.marker_style(small=few) | _INTERVAL for few in (False, True))
        handles = [
            style.entry(f"{100 * self.confidence:g}% interval", **disc),
            style.entry("everyone", **_EVERYONE),
        ]
        if (self.frame_["n_effective"] < self.min_count).any():
            handles.append(style.entry(f"n below {self.min_count}", **diamond))
        if note is not None:
            handles.append(style.entry(note))
        if n_panels > _MAX_PANELS:
            handles.append(style.entry(f"the {_MAX_PANELS} widest gaps of {n_panels} panels"))
        return handles


def _draw_rate(ax, y: int, row, few: bool, decimals: int) -> None:
    """A rate and its interval."""
    mark = style.marker_style(small=few)
    ax.plot([row.lower, row.upper], [y, y], color=mark["color"], **_INTERVAL)
    ax.plot([row.value], [y], **mark, zorder=3)
    ax.annotate(
        f"{100 * row.value:.{decimals}f}",
        (row.value, y),
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=style.SMALL,
        color=style.INK,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
    )


def _panels_of(frame: pd.DataFrame) -> list[pd.DataFrame]:
    return [part for _, part in frame.groupby(["rate", "class"], sort=False, dropna=False)]


def _size(n_panels: int, n_columns: int, names: Sequence[str]) -> tuple[float, float]:
    """Of a figure in inches: room for the names, and the same pitch for every row."""
    n_columns = min(n_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    width = 0.3 + 0.078 * max(map(len, names)) + 2.6 * n_columns
    return width, n_rows * (0.95 + 0.36 * len(names)) + 0.35
