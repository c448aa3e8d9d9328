"""Associations of group and class in the data, and what the model makes of them."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.stats import binom

from skfairprop.counts import GroupCounts
from skfairprop.groups import label_texts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inspection import _style as style
from skfairprop.inspection._counts_display import CountsDisplay, check_counts
from skfairprop.metrics import evaluate
from skfairprop.metrics._amplification_kernels import pair_signs

_MAX_PAIRS = 20
_LEVEL = 0.05


class AmplificationDisplay(CountsDisplay):
    """Associations of groups and classes in the data, with arrows to what the model makes of them.

    One row a pair of group and class, the strengthened ones first; where there are more than 20,
    those that chance explains least. The hollow disc is how much more often than everyone the group
    is of the class in the data, the tip of the arrow how much more often it is predicted so. Arrows
    that lead away from 0 strengthen an association: they are orange and end in a triangle; those
    that weaken one are blue and end in a disc. What chance explains is pale.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`.

    Parameters
    ----------
    frame : DataFrame
        One row for each group and class: ``group``, ``class``, ``data`` and ``model`` (shares of
        the class in the group, minus its share in the data), ``change``, ``contribution`` (the
        change with the sign of the association in the data), ``p``, ``q`` and ``n``.
    value : float, optional
        The mean contribution.

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    skfairprop.metrics.directional_bias_amplification : The mean contribution, in either direction.

    Notes
    -----
    p is of the sign test of the rows of a group that are predicted into the class or out of it by
    mistake: without change, either is as likely. q is Benjamini and Hochberg's over all pairs.
    Where the model predicts a class too often for everybody, all groups move: that is a change of
    the class, not of its association with a group.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inspection import AmplificationDisplay
    >>> counts = GroupCounts(
    ...     [[[50, 10], [0, 40]], [[40, 0], [10, 50]]], groups=["a", "b"], classes=["no", "yes"]
    ... )
    >>> display = AmplificationDisplay.from_counts(counts)
    >>> display.frame_[["group", "class", "data", "contribution"]].round(2).to_numpy().tolist()
    [['a', 'no', 0.1, -0.1], ['a', 'yes', -0.1, -0.1], ['b', 'no', -0.1, -0.1], \
['b', 'yes', 0.1, -0.1]]
    """

    _report_options: ClassVar = ()
    _has_pos_label: ClassVar = False

    def __init__(self, frame: pd.DataFrame, *, value: float | None = None) -> None:
        self.frame = frame
        self.value = value

    @classmethod
    def from_counts(cls, counts: GroupCounts, *, ax: Any = None) -> Self:
        """Draw a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            With predictions, without replicate axes.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        AmplificationDisplay

        Raises
        ------
        ValueError
            If there are no predictions, or one group only.
        """
        counts = check_counts(counts, cls.__name__, predictions=True, compares=True)
        value = evaluate(counts, "directional_bias_amplification")
        return cls(_changes(counts), value=value).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        AmplificationDisplay
        """
        order = np.lexsort([-self.frame["change"].abs(), self.frame["p"]])
        drawn = self.frame.iloc[order[:_MAX_PAIRS]]
        drawn = drawn.sort_values("contribution", ascending=False, kind="stable")
        self.frame_ = drawn.reset_index(drop=True)
        groups, classes = (style.names_of(self.frame_[name]) for name in ("group", "class"))
        rows = [f"{a} \u00d7 {c}" for a, c in zip(groups, classes, strict=True)]
        size = (4.6 + 0.075 * max(map(len, rows)), 1.2 + 0.27 * len(rows))
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        style.clean(axes, grid="x")
        style.label_rows(axes, rows)
        axes.axvline(0, color=style.SOFT, linewidth=1, zorder=1)
        column = {"transform": axes.get_yaxis_transform(), "ha": "left", "color": style.SOFT}
        column["fontsize"] = style.MEDIUM
        for y, row in enumerate(style.rows_of(self.frame_)):
            _draw_arrow(axes, y, row)
            style.say(axes, 1.02, y, style.signed(100 * row.change), **column)
        style.say(axes, 1.02, -0.66, "change", style="italic", **column)
        style.point_ticks(axes.xaxis)
        axes.set_xlabel(
            "share of the class in the group minus its share in the data, in points",
            fontsize=style.MEDIUM,
            color=style.SOFT,
        )
        style.legend_below(panels, self._legend())
        return self

    def _legend(self) -> list:
        line = {"linewidth": 1.8}
        handles = [
            style.entry("data", linestyle="none", **_START),
            style.entry("model, stronger", color=style.ORANGE, marker=">", markersize=7, **line),
            style.entry("model, weaker", color=style.BLUE, marker="o", markersize=6, **line),
        ]
        if (self.frame_["q"] > _LEVEL).any():
            handles.append(style.entry(f"pale: q > {_LEVEL:g}"))
        if self.value is not None:
            mean = style.signed(100 * self.value)
            handles.append(style.entry(f"mean amplification: {mean} points"))
        if len(self.frame_) < len(self.frame):
            text = f"the {len(self.frame_)} smallest p of {len(self.frame)} pairs"
            handles.append(style.entry(text))
        return handles


_START = {
    "marker": "o",
    "markersize": 5.5,
    "markerfacecolor": "white",
    "markeredgecolor": style.SOFT,
    "markeredgewidth": 1.4,
}


def _changes(counts: GroupCounts) -> pd.DataFrame:
    """Association in the data and from the model of every group and class."""
    values = np.asarray(counts.values, dtype=float)
    true, pred = values.sum(2), values.sum(1)
    size, total = true.sum(1), true.sum()
    share = true.sum(0) / total
    data, model = (table / size[:, None] - share for table in (true, pred))
    sign = pair_signs(true, size, true.sum(0), np.asarray(total), tie="zero")
    effective = size if counts.squared is None else size**2 / counts.squared.sum((1, 2))
    right = np.diagonal(values, axis1=1, axis2=2)
    scale = (effective / size)[:, None]
    p = sign_test((pred - right) * scale, (true - right) * scale).ravel()
    return pd.DataFrame(
        {
            "group": np.repeat(counts.group_texts, counts.n_classes),
            "class": label_texts(counts.classes) * counts.n_groups,
            "data": data.ravel(),
            "model": model.ravel(),
            "change": (model - data).ravel(),
            "contribution": (sign * (model - data)).ravel(),
            "p": p,
            "q": benjamini_hochberg(p),
            "n": np.repeat(effective, counts.n_classes),
        }
    )


def sign_test(gained: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """P-value of as many gained and lost, two-sided and exact; 1 where there are none."""
    gained, lost = np.rint(gained), np.rint(lost)
    return np.minimum(2 * binom.cdf(np.minimum(gained, lost), gained + lost, 0.5), 1.0)


def _draw_arrow(ax: Any, y: int, row: Any) -> None:
    stronger = row.contribution > 0
    colour = style.ORANGE if stronger else style.BLUE
    alpha = 1.0 if row.q <= _LEVEL else 0.35
    ahead = ">" if row.model > row.data else "<"
    ax.plot([row.data, row.model], [y, y], color=colour, linewidth=1.8, alpha=alpha, zorder=2)
    ax.plot([row.data], [y], zorder=3, **_START)
    ax.plot(
        [row.model],
        [y],
        marker=ahead if stronger else "o",
        markersize=7 if stronger else 6,
        color=colour,
        alpha=alpha,
        zorder=4,
    )
