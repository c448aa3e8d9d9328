"""A Pareto front: two objectives at a time, three at once, or what became of it on other data."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice
from skfairprop.inspection import _front as fronts
from skfairprop.inspection import _style as style
from skfairprop.inspection._display import Display
from skfairprop.model_selection._pareto import nondominated

VIEWS = ("pairs", "3d", "transfer")
_DIMENSIONS = 3


class ParetoDisplay(Display):
    """A Pareto front, the point chosen from it, and where other methods lie.

    With ``view="pairs"`` one panel for each two objectives: filled discs are the points that no
    other dominates in these two alone, joined by the border of what they dominate; hollow ones are
    on the front for the sake of another objective. With ``view="3d"`` three objectives at once,
    with a thread from each point to the floor. With ``view="transfer"`` one panel for each
    objective: the value of the search against that on data the search never saw; in the grey half
    the search promised too much. The chosen point is an orange diamond, and its value on test data
    a hollow one, joined to it.

    Use :meth:`from_estimator` or :meth:`from_front`.

    Parameters
    ----------
    frame : DataFrame
        One row for each point and objective: ``method`` (that of the first row is the front),
        ``point``, ``on`` ("search" or "test"), ``objective``, ``greater_is_better``, ``value``,
        ``lower``, ``upper`` (which may be NaN) and ``chosen``.
    view : {"pairs", "3d", "transfer"}, default="pairs"
        What is drawn, see :meth:`from_front`.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn.
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    See Also
    --------
    ParallelCoordinatesDisplay : All objectives side by side.
    HypervolumeDisplay : How the front grew.

    Notes
    -----
    A front is made of the luckiest of many candidates: its values flatter, and which of its points
    are still on the front on other data cannot be seen from it. Show the chosen point on a test
    split (`test`) before it is believed.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import ParetoDisplay
    >>> front = pd.DataFrame({"roc_auc": [0.80, 0.78, 0.70], "gap": [0.30, 0.12, 0.02]})
    >>> display = ParetoDisplay.from_front(
    ...     front,
    ...     greater_is_better=["roc_auc"],
    ...     chosen=1,
    ...     test={"roc_auc": 0.77, "gap": (0.15, 0.09, 0.21)},
    ... )
    >>> display.frame_.query("chosen")[["on", "objective", "value"]].to_numpy().tolist()
    [['search', 'roc_auc', 0.78], ['search', 'gap', 0.12], ['test', 'roc_auc', 0.77], \
['test', 'gap', 0.15]]
    """

    def __init__(self, frame: pd.DataFrame, *, view: str = "pairs") -> None:
        self.frame = frame
        self.view = view

    @classmethod
    def from_estimator(
        cls,
        search: Any,
        *,
        objectives: Sequence[str] | None = None,
        others: Mapping[str, Any] | None = None,
        test: Any = None,
        view: str = "pairs",
        ax: Any = None,
    ) -> Self:
        """Draw the front of a search, in the values of its metrics: a gap of .1 is .1, not -.1.

        Parameters
        ----------
        search : UEFSearchCV
            Fitted.
        objectives : sequence of str, optional
            Those to draw, at least two; "neg_log_loss" is called "log_loss". Default: all.
        others : mapping of str to points, optional
            Other methods, at most eight: a DataFrame with the objectives as columns, or a mapping
            or Series of one value for each.
        test : DataFrame, optional
            What ``search.transfer(X, y)`` returned. Default: ``search.transfer_``, if the search
            has held out a test split.
        view : {"pairs", "3d", "transfer"}, default="pairs"
            "3d" needs three objectives, "transfer" needs values on test data.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        ParetoDisplay

        Raises
        ------
        TypeError
            If `search` or `test` is something else.
        NotFittedError
            If `search` is not fitted.
        ValueError
            If an objective is missing, or an argument does not fit the view.
        """
        frame = fronts.frame_of_search(
            search, owner=cls.__name__, objectives=objectives, others=others, test=test, tested=True
        )
        return cls(frame, view=view).plot(ax)

    @classmethod
    def from_front(
        cls,
        front: pd.DataFrame,
        *,
        objectives: Sequence[str] | None = None,
        greater_is_better: Iterable[str] = (),
        chosen: int | None = None,
        others: Mapping[str, Any] | None = None,
        test: Any = None,
        name: str = "search",
        view: str = "pairs",
        ax: Any = None,
    ) -> Self:
        """Draw points that were found in any way.

        Parameters
        ----------
        front : DataFrame
            One row for each point and a column for each objective.
        objectives : sequence of str, optional
            Columns to draw, at least two. Default: all.
        greater_is_better : iterable of str, default=()
            Those of the objectives where more is better.
        chosen : int, optional
            Position of the chosen point in `front`.
        others : mapping of str to points, optional
            Other methods, at most eight: a DataFrame with the objectives as columns, or a mapping
            or Series of one value for each.
        test : DataFrame, mapping or Series, optional
            Values on data that the search never saw: a DataFrame with a row for each point of
            `front`, or the chosen point's value for each objective, which may be a
            (value, lower, upper).
        name : str, default="search"
            What the front is called in the legend.
        view : {"pairs", "3d", "transfer"}, default="pairs"
            "3d" needs three objectives, "transfer" needs `test`.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        ParetoDisplay

        Raises
        ------
        TypeError
            If `front`, or the points of a method, are of another kind.
        ValueError
            If an objective is missing, or an argument does not fit the front or the view.
        """
        frame = fronts.front_frame(
            front,
            objectives=objectives,
            greater_is_better=greater_is_better,
            chosen=chosen,
            others=others,
            test=test,
            name=name,
        )
        return cls(frame, view=view).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel; for ``view="3d"`` one that is
            three-dimensional or, if not, is replaced. Default: a new figure.

        Returns
        -------
        ParetoDisplay

        Raises
        ------
        ValueError
            If the view is not known, or lacks the objectives or test values that it needs.
        """
        check_choice("view", self.view, VIEWS)
        self.frame_ = self.frame
        looks = fronts.method_looks(self.frame, owner=type(self).__name__)
        ways = fronts.objectives_of(self.frame)
        if self.view == "pairs":
            self._pairs(ax, ways, looks)
        elif self.view == "3d":
            self._three(ax, ways, looks)
        else:
            self._transfer(ax, ways)
        return self

    # -- two at a time --------------------------------------------------------------------------

    def _pairs(self, ax: Any, ways: dict[str, bool], looks: fronts.Looks) -> None:
        pairs = list(combinations(ways, 2))
        n_columns = len(pairs) if len(pairs) <= _DIMENSIONS else 4 if len(pairs) > 6 else 3
        size = (
            max(3.1 * min(len(pairs), n_columns), 4.4) + 0.3,
            2.7 * -(-len(pairs) // n_columns) + 0.9,
        )
        panels = self._panels(ax, len(pairs), n_columns=n_columns, size=size)
        hollow = [
            self._pair(axes, x, y, ways, looks)
            for axes, (x, y) in zip(panels.axes, pairs, strict=True)
        ]
        filled = "on the front of both" if any(hollow) else "point of the front"
        handles = [style.entry(filled, **fronts.POINT)]
        if any(hollow):
            handles.append(style.entry("on it for another objective", **fronts.HOLLOW))
        style.legend_below(panels, handles + self._legend(looks))

    def _pair(self, ax: Any, x: str, y: str, ways: dict[str, bool], looks: fronts.Looks) -> bool:
        """Draw a panel; whether it has points that are on the front for another objective."""
        style.clean(ax, grid="both", keep=("bottom", "left"))
        table = fronts.wide(self.frame_)
        of_front = table["method"] == table["method"].iloc[0]
        points = table[of_front & (table["on"] == "search")]
        signs = [-1 if ways[name] else 1 for name in (x, y)]
        best = nondominated(points[[x, y]].to_numpy() * signs)
        edge = points[best].sort_values([x, y])
        ax.plot(edge[x], edge[y], color=style.BLUE, linewidth=1, alpha=0.6, zorder=2,
                drawstyle="steps-pre" if ways[x] else "steps-post")  # fmt: skip
        ax.plot(points[x][~best], points[y][~best], **fronts.HOLLOW, zorder=2.5)
        ax.plot(points[x][best], points[y][best], **fronts.POINT, zorder=3)
        for method, look in looks.items():
            own = table[table["method"] == method]
            ax.plot(own[x], own[y], **look, zorder=4)
        chosen = points[points["chosen"]]
        self._draw_test(ax, x, y, chosen, table[of_front & (table["on"] == "test")])
        ax.plot(chosen[x], chosen[y], **fronts.CHOSEN, zorder=6)
        ax.margins(0.07)
        for name, label in ((x, ax.set_xlabel), (y, ax.set_ylabel)):
            text = fronts.objective_label(name, ways[name])
            label(text, fontsize=style.MEDIUM, color=style.INK, **style.PLAIN)
        return not best.all()

    def _draw_test(self, ax: Any, x: str, y: str, chosen: pd.DataFrame, test: pd.DataFrame) -> None:
        """The chosen point on test data, with its intervals, joined to what the search said."""
        found = test[test["chosen"]]
        if found.empty or chosen.empty:
            return
        at = (found[x].iloc[0], found[y].iloc[0])
        ax.plot([chosen[x].iloc[0], at[0]], [chosen[y].iloc[0], at[1]], color=style.ORANGE,
                linewidth=1.2, linestyle=":", zorder=4.5)  # fmt: skip
        for name, along in ((x, "x"), (y, "y")):
            low, high = self._ends(name)
            if np.isfinite([low, high]).all():
                ends = ([low, high], [at[1]] * 2) if along == "x" else ([at[0]] * 2, [low, high])
                ax.plot(*ends, color=style.ORANGE, linewidth=1.3, zorder=4.5)
        ax.plot(*at, **fronts.TEST, zorder=5)

    def _ends(self, objective: str) -> tuple[float, float]:
        rows = self.frame_[
            self.frame_["chosen"]
            & (self.frame_["on"] == "test")
            & (self.frame_["objective"] == objective)
        ]
        return float(rows["lower"].iloc[0]), float(rows["upper"].iloc[0])

    def _legend(self, looks: fronts.Looks, *, intervals: bool = True) -> list:
        handles = []
        searched = self.frame_["on"] == "search"
        if self.frame_["chosen"].any():
            handles.append(style.entry("chosen", **fronts.CHOSEN))
            tested = self.frame_[self.frame_["chosen"] & ~searched]
            if len(tested):
                bars = intervals and np.isfinite(tested[["lower", "upper"]].to_numpy()).any()
                text = "chosen, on test data" + (", with interval" if bars else "")
                handles.append(style.entry(text, **fronts.TEST))
        return handles + [
            style.entry(style.name_of(method), **look) for method, look in looks.items()
        ]

    # -- three at once --------------------------------------------------------------------------

    def _three(self, ax: Any, ways: dict[str, bool], looks: fronts.Looks) -> None:
        if len(ways) != _DIMENSIONS:
            raise ValueError(
                f"{type(self).__name__}: view='3d' needs 3 objectives; there are {len(ways)}: name "
                "three with objectives="
            )
        panels = self._keep(_three_dimensional(self._panels(ax, size=(6, 4.6))))
        axes = panels.axes[0]
        table = fronts.wide(self.frame_)
        names = list(ways)
        values = table[names].to_numpy()
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        margin = np.where(high > low, high - low, 1.0) * 0.06
        floor = low[2] - margin[2]
        for row, (px, py, pz) in zip(style.rows_of(table), values, strict=True):
            axes.plot([px, px], [py, py], [floor, pz], color=style.SOFT, linewidth=0.6, alpha=0.6)
            axes.plot([px], [py], [pz], **_look(row, looks))
        self._join_test(axes, table, names)
        axes.set(xlim=(low[0] - margin[0], high[0] + margin[0]),
                 ylim=(low[1] - margin[1], high[1] + margin[1]),
                 zlim=(floor, high[2] + margin[2]))  # fmt: skip
        _dress_three(axes, ways)
        handles = [
            style.entry("point of the front", **fronts.POINT),
            *self._legend(looks, intervals=False),
        ]
        style.legend_below(panels, handles)

    def _join_test(self, ax: Any, table: pd.DataFrame, names: list[str]) -> None:
        chosen = table[table["chosen"]][names].to_numpy()
        if len(chosen) > 1:
            ax.plot(*chosen.T, color=style.ORANGE, linewidth=1.2, linestyle=":")

    # -- search against test --------------------------------------------------------------------

    def _transfer(self, ax: Any, ways: dict[str, bool]) -> None:
        table = fronts.wide(self.frame_)
        if not (table["on"] == "test").any():
            raise ValueError(
                f"{type(self).__name__}: view='transfer' needs values on test data; give test="
            )
        n_columns = min(len(ways), 3)
        size = (2.7 * n_columns + 0.3, 2.6 * -(-len(ways) // n_columns) + 0.8)
        panels = self._panels(ax, len(ways), n_columns=n_columns, size=size)
        front = table[table["method"] == table["method"].iloc[0]]
        for i, (axes, name) in enumerate(zip(panels.axes, ways, strict=True)):
            columns = front.pivot(index=["point", "chosen"], columns="on", values=name)
            self._draw_transfer(axes, columns.dropna().reset_index(), name, ways[name])
            if panels.is_left(i):
                axes.set_ylabel("on test data", fontsize=style.MEDIUM, color=style.INK)
            if panels.is_bottom(i):
                axes.set_xlabel("in the search", fontsize=style.MEDIUM, color=style.INK)
        shade = {"marker": "s", "color": style.GRID, "markersize": 8, "linestyle": "none"}
        handles = [style.entry("worse than in the search", **shade)]
        if (~table["chosen"] & (table["on"] == "test")).any():
            handles.insert(0, style.entry("point of the front", **fronts.POINT))
        if table["chosen"].any():
            handles.insert(-1, style.entry("chosen", **fronts.CHOSEN))
        style.legend_below(panels, handles)

    def _draw_transfer(self, ax: Any, points: pd.DataFrame, name: str, greater: bool) -> None:
        style.clean(ax, keep=("bottom", "left"))
        values = points[["search", "test"]].to_numpy()
        bars = self._ends(name) if points["chosen"].any() else (np.nan, np.nan)
        found = np.append(values, [v for v in bars if np.isfinite(v)])
        margin = 0.08 * (np.ptp(found) or 1.0)
        low, high = found.min() - margin, found.max() + margin
        worse = low if greater else high  # below the diagonal, or above it
        ax.fill_between([low, high], [low, high], worse, color=style.GRID, alpha=0.45, linewidth=0)
        ax.plot([low, high], [low, high], color=style.SOFT, linewidth=1, linestyle="--")
        rest, chosen = points[~points["chosen"]], points[points["chosen"]]
        ax.plot(rest["search"], rest["test"], **fronts.POINT, zorder=3)
        if np.isfinite(bars).all():
            ax.plot(list(chosen["search"]) * 2, bars, color=style.ORANGE, linewidth=1.4, zorder=3.5)
        ax.plot(chosen["search"], chosen["test"], **fronts.CHOSEN, zorder=4)
        ax.set(xlim=(low, high), ylim=(low, high))
        style.title(ax, fronts.objective_label(name, greater))


def _look(row: Any, looks: fronts.Looks) -> dict[str, Any]:
    """Marker of a point in three dimensions."""
    if row.method in looks:
        return looks[row.method]
    if row.on == "test":
        return fronts.TEST if row.chosen else {"linestyle": "none"}
    return fronts.CHOSEN if row.chosen else fronts.POINT


def _three_dimensional(panels: style.Panels) -> style.Panels:
    """Axes in three dimensions in the place of flat ones."""
    (ax,) = panels.axes
    if ax.name == "3d":
        return panels
    spec = ax.get_subplotspec()
    if spec is not None:
        made = panels.figure.add_subplot(spec, projection="3d")
    else:
        made = panels.figure.add_axes(ax.get_position(), projection="3d")
    ax.remove()
    axes = np.empty(1, dtype=object)
    axes[0] = made
    return style.Panels(panels.figure, axes, 1, panels.is_new)


def _dress_three(ax: Any, ways: dict[str, bool]) -> None:
    ax.set_facecolor("white")
    for axis, (name, greater) in zip((ax.xaxis, ax.yaxis, ax.zaxis), ways.items(), strict=True):
        axis.set_pane_color((1, 1, 1, 0))
        axis.set_tick_params(colors=style.SOFT, labelsize=style.SMALL)
        axis.set_major_locator(_few_ticks())
        label = fronts.objective_label(name, greater)
        axis.set_label_text(label, fontsize=style.MEDIUM, color=style.INK, **style.PLAIN)
        axis.labelpad = 8
    ax.view_init(elev=22, azim=-55)
    ax.set_box_aspect(None, zoom=0.95)


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)
