"""How stable the explanations are for each group, and which pairs of groups make MESD."""

import math
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.inspection import _style as style
from skfairprop.inspection._display import Display
from skfairprop.inspection._extremes import extremes
from skfairprop.metrics import mesd
from skfairprop.metrics._mesd_result import MESDResult

_MAX_PAIRS = 12
_INTERVAL = {"linewidth": 2.2, "solid_capstyle": "butt", "zorder": 2}


class ExplanationStabilityDisplay(Display):
    """Stability of the explanations of each group with intervals, and the pairs that make MESD.

    The first panel has one row a group, the least stable first: 1 is an explanation that does not
    move where the row moves a little. A group of few rows is a hollow orange diamond instead of a
    blue disc. The second panel has the pairs of groups that carry weight in MESD, the heaviest
    first, with the difference in stability beside each bar; it is left out where there are none.

    Use :meth:`from_result` or :meth:`from_estimator`.

    Parameters
    ----------
    frame : DataFrame
        One row a group: ``group``, ``n``, ``stability``, ``lower``, ``upper``.
    pairs : DataFrame
        One row a pair of groups: ``first``, ``second``, ``D`` (difference), ``R`` (instability of
        the less stable one) and ``weight``.
    value, null_mean, p_value : float, default=nan
        MESD, its mean by chance and its p-value, for the legend.
    confidence : float, default=0.95
        Level of the intervals in `frame`.
    min_count : int, default=20
        Groups of fewer rows are marked.

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn, in the order of drawing.
    pairs_ : DataFrame
        The rows of `pairs` that are drawn.
    ax_ : matplotlib Axes
        The panel of the groups.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    See Also
    --------
    skfairprop.metrics.mesd : The numbers behind it.

    Notes
    -----
    Intervals of two groups that overlap do not say that the groups do not differ: the p-value in
    the legend asks that of all groups at once. The axis does not start at 0. With fewer than 20
    rows in a group the intervals lean on Student's t, and with one on the spread of the others.

    Examples
    --------
    >>> from skfairprop.inspection import ExplanationStabilityDisplay
    >>> from skfairprop.metrics import mesd_from_stability
    >>> found = mesd_from_stability(
    ...     [0.9, 0.8, 0.7], [1, 1, 1], sensitive_features=list("abc"), shrinkage=0
    ... )
    >>> display = ExplanationStabilityDisplay.from_result(found)
    >>> display.frame_["group"].tolist()
    ['c', 'b', 'a']
    >>> display.pairs_[["first", "second", "weight"]].to_numpy().tolist()
    [['a', 'c', 0.5], ['b', 'c', 0.5]]
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        pairs: pd.DataFrame,
        *,
        value: float = math.nan,
        null_mean: float = math.nan,
        p_value: float = math.nan,
        confidence: float = 0.95,
        min_count: int = 20,
    ) -> None:
        self.frame = frame
        self.pairs = pairs
        self.value = value
        self.null_mean = null_mean
        self.p_value = p_value
        self.confidence = confidence
        self.min_count = min_count

    @classmethod
    def from_result(cls, result: MESDResult, *, min_count: int = 20, ax: Any = None) -> Self:
        """Draw a result of :func:`~skfairprop.metrics.mesd`.

        Parameters
        ----------
        result : MESDResult
            Of :func:`~skfairprop.metrics.mesd` or :func:`~skfairprop.metrics.mesd_from_stability`.
        min_count : int, default=20
            Groups of fewer rows are marked.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        ExplanationStabilityDisplay

        Raises
        ------
        TypeError
            If `result` is something else.
        """
        if not isinstance(result, MESDResult):
            raise TypeError(
                f"{cls.__name__}: result must be what mesd returns; got {type(result).__name__}"
            )
        table = result.to_frame()
        frame = table[["n", "stability", "lower", "upper"]].reset_index(drop=True)
        frame.insert(0, "group", table.index.to_flat_index())
        pairs = result.pairs.reset_index()
        return cls(
            frame,
            pairs,
            value=result.value,
            null_mean=result.null_mean,
            p_value=result.p_value,
            confidence=result.confidence,
            min_count=min_count,
        ).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        min_count: int = 20,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Explain rows of `X` and draw what is found.

        Parameters
        ----------
        estimator : fitted classifier or callable
            With ``predict_proba`` or ``decision_function``.
        X : data frame, array or sparse matrix of shape (n, d)
            Rows that it did not learn from.
        y : array-like of shape (n,)
            Labels.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes
            One or several protected columns.
        min_count : int, default=20
            Groups of fewer rows are marked.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.
        **options
            Of :func:`~skfairprop.metrics.mesd`, as ``n_samples`` and ``random_state``.

        Returns
        -------
        ExplanationStabilityDisplay
        """
        style.require_matplotlib()
        result = mesd(estimator, X, y, sensitive_features=sensitive_features, **options)
        return cls.from_result(result, min_count=min_count, ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for each panel, or one that is divided. Default: a new figure.

        Returns
        -------
        ExplanationStabilityDisplay
        """
        ordered = self.frame.sort_values("stability", kind="stable")
        chosen, note = extremes(ordered["stability"].to_numpy(float))
        self.frame_ = ordered.iloc[chosen].reset_index(drop=True)
        heavy = self.pairs[self.pairs["weight"] > 0]
        heavy = heavy.sort_values(["weight", "D"], ascending=False, kind="stable")
        self.pairs_ = heavy.iloc[:_MAX_PAIRS].reset_index(drop=True)
        n_panels = 1 + bool(len(self.pairs_))
        groups, pairs = style.names_of(self.frame_["group"]), _pair_names(self.pairs_)
        panels = self._panels(ax, n_panels, n_columns=n_panels, size=_size(groups, pairs))
        self._draw_groups(panels.axes[0], groups)
        if n_panels > 1:
            self._draw_pairs(panels.axes[1], pairs)
        style.legend_below(panels, self._legend(note, len(heavy)), drop=48)
        return self

    def _draw_groups(self, ax: Any, names: list[str]) -> None:
        style.clean(ax, grid="x")
        style.label_rows(ax, names)
        style.title(ax, "Stability of explanations")
        column = {"transform": ax.get_yaxis_transform(), "ha": "left"}
        style.say(ax, 1.03, -0.62, "n", style="italic", color=style.SOFT, **column)
        for y, row in enumerate(style.rows_of(self.frame_)):
            few = row.n < self.min_count
            mark = style.marker_style(small=few)
            if not np.isnan(row.lower):
                ax.plot([row.lower, row.upper], [y, y], color=mark["color"], **_INTERVAL)
            ax.plot([row.stability], [y], **mark, zorder=3)
            colour = style.ORANGE if few else style.SOFT
            style.say(ax, 1.03, y, style.number(row.n), color=colour, **column)
        lowest = float(np.nanmin(self.frame_[["stability", "lower"]].to_numpy(float)))
        room = max(1 - lowest, 0.01)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xlim(max(lowest - 0.12 * room, -0.02), 1 + 0.04 * room)
        ax.set_xlabel("1: the explanation does not move", fontsize=style.MEDIUM, color=style.SOFT)

    def _draw_pairs(self, ax: Any, names: list[str]) -> None:
        style.clean(ax, grid="x")
        style.label_rows(ax, names)
        style.title(ax, "Pairs that make MESD")
        ax.barh(range(len(names)), self.pairs_["weight"], height=0.55, color=style.BLUE, zorder=2)
        highest = float(self.pairs_["weight"].max())
        for y, row in enumerate(style.rows_of(self.pairs_)):
            text = f"differ by {row.D:.3f}"
            look = {"ha": "left", "color": style.SOFT}
            style.say(ax, row.weight + 0.02 * highest, y, text, **look)
        ax.set_xlim(0, 1.42 * highest)  # room for the words
        style.percent_ticks(ax.xaxis)
        ax.set_xlabel("weight in MESD", fontsize=style.MEDIUM, color=style.SOFT)

    def _legend(self, note: str | None, n_heavy: int) -> list:
        handles = []
        if self.frame_["lower"].notna().any():
            look = style.marker_style(small=False) | _INTERVAL
            handles.append(style.entry(f"{100 * self.confidence:g}% interval", **look))
        if (self.frame_["n"] < self.min_count).any():
            look = style.marker_style(small=True) | _INTERVAL
            handles.append(style.entry(f"n below {self.min_count}", **look))
        if not math.isnan(self.value):
            text = f"MESD {self.value:.3f}"
            if not math.isnan(self.p_value):
                text += f", by chance {self.null_mean:.3f}, p = {self.p_value:.3g}"
            handles.append(style.entry(text))
        if note is not None:
            handles.append(style.entry(note))
        if n_heavy > len(self.pairs_):
            handles.append(style.entry(f"the {len(self.pairs_)} heaviest of {n_heavy} pairs"))
        return handles


def _pair_names(pairs: pd.DataFrame) -> list[str]:
    """Names of pairs: "a against b", each no longer than needed."""
    both = style.names_of([*pairs["first"], *pairs["second"]], width=18)
    half = len(pairs)
    return [f"{a} against {b}" for a, b in zip(both[:half], both[half:], strict=True)]


def _size(groups: list[str], pairs: list[str]) -> tuple[float, float]:
    """Of a figure in inches: room for the names, and the same pitch for every row."""
    width = 3.6 + 0.078 * max(map(len, groups))
    if pairs:
        width += 3.0 + 0.078 * max(map(len, pairs))
    return width, 1.5 + 0.32 * max(len(groups), len(pairs))
