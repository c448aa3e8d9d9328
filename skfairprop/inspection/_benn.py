"""BENN in pictures: direct beside total effects, the course of the training, mitigation."""

from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.inspection import _style as style
from skfairprop.inspection._display import Display

_PARTS = {
    "change": "prediction change",
    "selection": "feature selection",
    "similarity": "similarity",
    "loss": "loss",
}
_MOST_ROWS = 30


class DirectTotalDisplay(Display):
    """Direct beside total bias of every feature: which of them work through proxies.

    One row a feature: a hollow disc for what the feature does alone, a filled one for what it does
    with all that goes with it, and a grey bar for a placebo. Direct near 0 with a high total is a
    proxy. Of more than 30 features those with the largest totals are drawn.

    Use :meth:`from_benn`.

    Parameters
    ----------
    frame : DataFrame
        Indexed by feature: ``direct``, ``total`` and ``null``.

    Attributes
    ----------
    frame_ : DataFrame
        The rows drawn, the largest total first.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    Notes
    -----
    The direct effect tries single values, the total one whole groups: direct above total is no
    contradiction.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import DirectTotalDisplay
    >>> frame = pd.DataFrame(
    ...     {"direct": [0.0, 0.4], "total": [0.9, 0.4], "null": [0.1, 0.0]}, index=["sex", "race"]
    ... )
    >>> DirectTotalDisplay(frame).plot().frame_.index.tolist()
    ['sex', 'race']
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_benn(cls, benn: Any, *, ax: Any = None) -> Self:
        """Draw what a BENNEstimator found.

        Parameters
        ----------
        benn : fitted BENNEstimator
            Of the targeted formulation.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        DirectTotalDisplay

        Raises
        ------
        ValueError
            If the formulation is the paper's, which has no direct and total effect.
        """
        table = benn.summary()
        if "direct" not in table:
            raise ValueError(
                f"{cls.__name__}: formulation='paper' has no direct and total effect; use "
                "formulation='targeted'"
            )
        return cls(table[["direct", "total", "null"]]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        DirectTotalDisplay
        """
        ordered = self.frame.sort_values("total", ascending=False, kind="stable")
        self.frame_ = ordered.iloc[:_MOST_ROWS]
        names = style.names_of(self.frame_.index)
        size = (6.6 + 0.05 * max(map(len, names)), 1.2 + 0.34 * len(names))
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        style.clean(axes, grid="x")
        style.label_rows(axes, names)
        for y, row in enumerate(style.rows_of(self.frame_)):
            if np.isnan(row.total):
                style.say(axes, 0, y, "  one value only", ha="left", color=style.SOFT)
                continue
            axes.barh(y, row.null, height=0.56, color=style.GRID, zorder=1)
            axes.plot([row.direct, row.total], [y, y], color=style.BLUE, linewidth=1.4, zorder=2)
            for value, filled in ((row.direct, False), (row.total, True)):
                look = style.marker_style(small=False, filled=filled) | {"markersize": 7.5}
                axes.plot([value], [y], linestyle="none", zorder=3 - filled / 2, **look)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel("bias estimate on the worst slice", fontsize=style.MEDIUM, color=style.SOFT)
        style.legend_below(panels, self._legend())
        return self

    def _legend(self) -> list:
        band = {"color": style.GRID, "linewidth": 9, "solid_capstyle": "butt"}
        look = {"linestyle": "none"}
        handles = [
            style.entry("direct: alone", **look, **style.marker_style(small=False, filled=False)),
            style.entry("total: with its proxies", **look, **style.marker_style(small=False)),
            style.entry("placebo", **band),
        ]
        if len(self.frame) > _MOST_ROWS:
            text = f"the {_MOST_ROWS} largest totals of {len(self.frame)} features"
            handles.append(style.entry(text))
        return handles


class BENNLearningCurveDisplay(Display):
    """Parts of BENN's loss over the steps of the training.

    One panel a part. Prediction change and feature selection should level off before the end;
    where they still rise, more steps will give larger estimates. In the targeted formulation they
    are of rows that a network is not trained on, and the best step of each network counts.

    Use :meth:`from_benn`.

    Parameters
    ----------
    frame : DataFrame
        ``step``, and any of ``change``, ``selection``, ``similarity`` and ``loss``.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn.
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import BENNLearningCurveDisplay
    >>> frame = pd.DataFrame({"step": [15, 30, 45], "change": [0.1, 0.3, 0.35]})
    >>> BENNLearningCurveDisplay(frame).plot().axes_.shape
    (1,)
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_benn(cls, benn: Any, *, ax: Any = None) -> Self:
        """Draw the training of a BENNEstimator.

        Parameters
        ----------
        benn : fitted BENNEstimator
            What was trained.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        BENNLearningCurveDisplay

        Raises
        ------
        ValueError
            If no network was trained, as nothing changed the output, or the training was stopped
            before its first check.
        """
        if not len(benn.loss_curve_):
            why = "no network was trained: nothing changed the output"
            if benn.n_steps_:
                why = f"training was stopped after {benn.n_steps_} steps, before its first check"
            raise ValueError(f"{cls.__name__}: {why}")
        return cls(benn.loss_curve_).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        BENNLearningCurveDisplay
        """
        self.frame_ = self.frame
        parts = [name for name in _PARTS if name in self.frame]
        size = (0.4 + 2.5 * len(parts), 2.5)
        panels = self._panels(ax, len(parts), n_columns=4, size=size)
        for axes, name in zip(panels.axes, parts, strict=True):
            style.clean(axes, grid="y")
            axes.plot(self.frame["step"], self.frame[name], color=style.BLUE, linewidth=1.6)
            style.title(axes, _PARTS[name])
            axes.set_xlim(0, self.frame["step"].max())
            axes.set_xlabel("step", fontsize=style.MEDIUM, color=style.SOFT)
        return self


class MitigationDisplay(Display):
    """Bias estimates before and after something was done about it, by several estimators.

    One panel an estimator, one row a feature: a hollow disc before, a filled one after; orange
    where the estimate rose (Figure 2 of [1]_, with before and after as discs and not as bars).

    Use :meth:`from_frames`.

    Parameters
    ----------
    frame : DataFrame
        One row for each estimator and feature: ``estimator``, ``feature``, ``before``, ``after``.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn.
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    Notes
    -----
    A lower estimate after mitigation does not say that the model is fair, nor that it got fairer
    in the sense of another estimator.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import MitigationDisplay
    >>> before = pd.DataFrame({"estimate": [0.6], "ensemble": [0.4]}, index=["sex"])
    >>> after = pd.DataFrame({"estimate": [0.5], "ensemble": [0.45]}, index=["sex"])
    >>> MitigationDisplay.from_frames(before, after).frame_["after"].tolist()
    [0.5, 0.45]
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_frames(
        cls,
        before: pd.DataFrame,
        after: pd.DataFrame,
        *,
        estimators: Any = ("estimate", "ensemble"),
        ax: Any = None,
    ) -> Self:
        """Draw two frames of estimates.

        Parameters
        ----------
        before, after : DataFrame
            Indexed by feature, as ``frame`` of an EnsembleComparison; features of both are drawn.
        estimators : sequence of str, default=("estimate", "ensemble")
            Columns of both.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        MitigationDisplay

        Raises
        ------
        ValueError
            If a column is not in both frames, a feature is in one of them twice, or they have no
            feature in common.
        """
        names = [estimators] if isinstance(estimators, str) else list(estimators)
        for name in names:
            if name not in before or name not in after:
                raise ValueError(f"{cls.__name__}: {name!r} is not a column of both frames")
        for what, frame in (("before", before), ("after", after)):
            twice = frame.index[frame.index.duplicated()]
            if len(twice):
                raise ValueError(
                    f"{cls.__name__}: {what} has the feature {twice[0]!r} twice; keep one row each"
                )
        features = [f for f in before.index if f in after.index]
        if not features or not names:
            raise ValueError(f"{cls.__name__}: before and after have no feature in common")
        parts = [
            pd.DataFrame(
                {
                    "estimator": name,
                    "feature": pd.Series(features, dtype=object),
                    "before": before.loc[features, name].to_numpy(float),
                    "after": after.loc[features, name].to_numpy(float),
                }
            )
            for name in names
        ]
        return cls(pd.concat(parts, ignore_index=True)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        MitigationDisplay
        """
        self.frame_ = self.frame
        estimators = pd.unique(self.frame["estimator"])
        features = pd.unique(self.frame["feature"])
        names = style.names_of(features)
        size = (
            0.6 + 0.075 * max(map(len, names)) + 3.1 * len(estimators),
            1.3 + 0.36 * len(names),
        )
        panels = self._panels(ax, len(estimators), n_columns=len(estimators), size=size)
        numbers = self.frame[["before", "after"]].to_numpy(float)
        ends = numbers[np.isfinite(numbers)]
        low, high = (ends.min(), ends.max()) if len(ends) else (0.0, 1.0)
        margin = 0.06 * max(high, 0.05)
        for i, (axes, name) in enumerate(zip(panels.axes, estimators, strict=True)):
            part = self.frame[self.frame["estimator"] == name].set_index("feature")
            style.clean(axes, grid="x")
            style.label_rows(axes, names if panels.is_left(i) else [""] * len(names))
            for y, row in enumerate(style.rows_of(part.reindex(features))):
                _draw_change(axes, y, row.before, row.after)
            axes.set_xlim(min(0.0, low) - margin, high + margin)
            title = {"estimate": "BENN"}.get(str(name), str(name).replace("_", " "))
            style.title(axes, style.name_of(title))
        style.legend_below(panels, self._legend())
        return self

    def _legend(self) -> list:
        look = {"linestyle": "none"}
        handles = [
            style.entry("before", **look, **style.marker_style(small=False, filled=False)),
            style.entry("after", **look, **style.marker_style(small=False)),
        ]
        if (self.frame_["after"] > self.frame_["before"]).any():
            orange = {"marker": "o", "color": style.ORANGE, "markersize": 6.2}
            handles.append(style.entry("after, risen", **look, **orange))
        return handles


def _draw_change(ax: Any, y: int, before: float, after: float) -> None:
    if np.isnan(before) or np.isnan(after):
        style.say(ax, 0, y, "  undefined", ha="left", color=style.SOFT)
        return
    colour = style.ORANGE if after > before else style.BLUE
    ax.plot([before, after], [y, y], color=colour, linewidth=1.4, zorder=1)
    ax.plot([before], [y], marker="o", markersize=6.2, color=colour, markerfacecolor="white",
            markeredgewidth=1.5, zorder=2)  # fmt: skip
    ax.plot([after], [y], marker="o", markersize=6.2, color=colour, zorder=3)
