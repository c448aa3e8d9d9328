"""Gaps between every two groups: a heat map."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inspection import _style as style
from skfairprop.inspection._cells import diverging, draw_cells, label_cells, turn_for
from skfairprop.inspection._counts_display import CountsDisplay, check_counts
from skfairprop.inspection._rate_table import RATE_TITLES, pair_table, rate_table

_MAX_PAIRS, _MAX_COLUMNS = 24, 16
_LEVEL = 0.05
# Width of a column in inches.
_PITCH = 0.74


class PairGapDisplay(CountsDisplay):
    """Gaps between every two groups, rate by rate or class by class: a heat map.

    One row a pair, the one that chance explains least first; one column a rate, or a class where
    there is no positive one. A cell says the rate of the first group minus that of the second, in
    percentage points: blue above 0, orange below. A frame marks the gaps that survive the control
    of the false discovery rate over all pairs and columns, drawn or not; a dagger those that rest
    on few rows.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`.

    Parameters
    ----------
    frame : DataFrame
        One row for each rate, class and pair: ``rate``, ``class``, ``first``, ``second``, ``gap``,
        ``lower``, ``upper``, ``p``, ``q`` and ``n`` (the smaller effective denominator).
    min_count : int, default=50
        Denominators below it are marked.

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    GroupRatesDisplay : The rates themselves.

    Notes
    -----
    The interval of a gap is Newcombe's, made of those of its two rates [1]_. p is the probability
    that exchanging the groups at random takes them at least as far apart: exact, over all tables
    with the same margins. q is Benjamini and Hochberg's.

    References
    ----------
    .. [1] Newcombe, "Interval estimation for the difference between independent proportions",
       Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inspection import PairGapDisplay
    >>> counts = GroupCounts(
    ...     [[[80, 20], [10, 90]], [[50, 50], [10, 90]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> display = PairGapDisplay.from_counts(counts, rates=["tpr", "fpr"])
    >>> display.frame_[["rate", "gap"]].round(2).to_numpy().tolist()
    [['tpr', 0.0], ['fpr', -0.3]]
    """

    def __init__(self, frame: pd.DataFrame, *, min_count: int = 50) -> None:
        self.frame = frame
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
        """Draw the gaps of a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            Without replicate axes.
        rates : str or sequence of str, optional
            As for :meth:`GroupRatesDisplay.from_counts`.
        pos_label : hashable, optional
            The positive class. Without it, and unless the labels are {0, 1}, {-1, 1} or booleans,
            every class has a column, that class against the rest.
        confidence : float, default=0.95
            Level of the intervals in the frame, in (0, 1).
        min_count : int, default=50
            Denominators below it are marked.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        PairGapDisplay

        Raises
        ------
        ValueError
            If there is one group only, a rate is not known or needs predictions that are not
            there, or `pos_label` does not occur.
        """
        style.require_matplotlib()
        counts = check_counts(counts, cls.__name__, compares=True)
        table = rate_table(counts, rates=rates, pos_label=pos_label, confidence=confidence)
        frame = pair_table(table)
        frame.insert(8, "q", benjamini_hochberg(frame["p"]))  # beside p
        return cls(frame, min_count=min_count).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        PairGapDisplay
        """
        self.frame_, notes = _clearest(self.frame)
        groups = pd.unique(self.frame_[["first", "second"]].to_numpy().ravel())
        short = dict(zip(groups, style.names_of(groups), strict=True))
        pairs = self.frame_[["first", "second"]].drop_duplicates()
        rows = [f"{short[a]}\n\u2212 {short[b]}" for a, b in pairs.itertuples(index=False)]
        columns = _column_names(self.frame_)
        table = {
            name: self.frame_[name].to_numpy(float).reshape(len(columns), len(rows)).T
            for name in ("gap", "q", "n")
        }
        width = 0.4 + 0.07 * max(len(line) for row in rows for line in row.split("\n"))
        size = (max(width + _PITCH * len(columns), 4.2), 1.35 + 0.4 * len(rows))
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        few = (table["n"] < self.min_count) & ~np.isnan(table["gap"])
        end = max(float(np.nanmax(np.abs(table["gap"]), initial=0.0)), 0.01)
        framed = table["q"] <= _LEVEL
        draw_cells(
            axes,
            table["gap"],
            [[style.signed(100 * gap) for gap in row] for row in table["gap"]],
            colours=diverging(),
            limits=(-end, end),
            framed=framed,
            marked=few,
        )
        label_cells(axes, rows, columns, turn=turn_for(columns, _PITCH))
        style.legend_below(panels, self._legend(bool(framed.any()), bool(few.any()), notes), drop=8)
        return self

    def _legend(self, framed: bool, few: bool, notes: list[str]) -> list:
        handles = [style.entry("percentage points")]
        if framed:
            handles.append(style.frame_entry(f"q \u2264 {_LEVEL:g} over all pairs"))
        if few:
            handles.append(style.entry(f"\u2020 n below {self.min_count}"))
        return handles + [style.entry(note) for note in notes]


def _column_names(frame: pd.DataFrame) -> list[str]:
    """Titles of the columns: the rates, or the classes of one rate, or both."""
    found = frame[["rate", "class"]].drop_duplicates()
    rates, labels = found["rate"].tolist(), found["class"].tolist()
    if len(set(rates)) == len(rates):
        return [RATE_TITLES[rate] for rate in rates]
    names = style.names_of(["" if label is None else label for label in labels], 20)
    if len(set(rates)) == 1:
        return names
    return [f"{rate}, {name}" if name else rate for rate, name in zip(rates, names, strict=True)]


def _clearest(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The pairs and classes with the smallest p, in this order, and what is left out."""
    pair = frame.groupby(["first", "second"], sort=False).ngroup().to_numpy()
    column = frame.groupby(["rate", "class"], sort=False, dropna=False).ngroup().to_numpy()
    pair_rank, column_rank = _rank(frame, pair), _rank(frame, column)
    if frame["rate"].nunique() > 1 and column.max() < _MAX_COLUMNS:
        column_rank = column  # several rates stay as they were asked for
    order = np.lexsort([pair_rank, column_rank])
    order = order[(pair_rank[order] < _MAX_PAIRS) & (column_rank[order] < _MAX_COLUMNS)]
    notes = [
        f"the {limit} {what} with the smallest p of {ranks.max() + 1}"
        for what, ranks, limit in (
            ("pairs", pair_rank, _MAX_PAIRS),
            ("columns", column_rank, _MAX_COLUMNS),
        )
        if ranks.max() >= limit
    ]
    return frame.iloc[order].reset_index(drop=True), notes


def _rank(frame: pd.DataFrame, key: np.ndarray) -> np.ndarray:
    """Rank of every row's key by its smallest p, and where that is the same by its largest gap."""
    smallest = frame["p"].fillna(2.0).groupby(key).min().to_numpy()
    largest = frame["gap"].abs().fillna(0.0).groupby(key).max().to_numpy()
    order = np.lexsort([-largest, smallest])
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    return rank[key]
