"""Gaps between the groups, their intervals, and what chance alone gives."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop._random import RandomState
from skfairprop.counts import GroupCounts
from skfairprop.inference import MetricCall, benjamini_hochberg, infer
from skfairprop.inspection import _style as style
from skfairprop.inspection._counts_display import CountsDisplay, check_counts, find_view
from skfairprop.inspection._titles import metric_title
from skfairprop.metrics import get_metric
from skfairprop.metrics._by_group import has_positive

# Gaps between rates, all on one scale from 0 to 1.
POSITIVE_METRICS = (
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "false_positive_rate_difference",
    "equalized_odds_difference",
    "precision_difference",
    "accuracy_difference",
    "overall_disparity",
)
CLASS_METRICS = (
    "term_by_term_equalized_odds",
    "classwise_equalized_odds",
    "equal_opportunity",
    "overall_disparity",
    "accuracy_difference",
)
DATA_METRICS = ("cramers_v", "dsap_stereotypical_bias")
_COLUMNS = {
    "value": "value",
    "lower": "lower",
    "upper": "upper",
    "chance": "null_mean",
    "chance_95": "null_95",
    "p": "p_value",
    "reliable": "reliable",
    "reason": "reason",
}
_LEVEL = 0.05


class GapNullDisplay(CountsDisplay):
    """Gap measures with their intervals, beside what a model without bias shows by chance.

    One row a metric: a disc at its value, its interval, a grey band up to the value that chance
    alone exceeds one time in twenty, and a stroke at its mean by chance. The disc is filled where
    the false discovery rate over all rows is at most 5%, and hollow where chance explains the
    value; it is an orange diamond where the counts are too few for the metric to mean much.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`.

    Parameters
    ----------
    frame : DataFrame
        One row a metric, by name in the index: ``value``, ``lower``, ``upper``, ``chance`` (mean),
        ``chance_95``, ``p``, ``q``, ``reliable`` and ``reason``.
    confidence : float, default=0.95
        Level of the intervals in `frame`.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn: `frame`, with ratios as 1 - ratio.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    skfairprop.inference.infer : Where the numbers come from.

    Notes
    -----
    A gap between the best and the worst of several groups is above 0 by chance, the more so the
    smaller the groups are: it is the band that says what a value means.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.inspection import GapNullDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true, y_pred = rng.integers(2, size=(2, 200))
    >>> display = GapNullDisplay.from_predictions(
    ...     y_true,
    ...     y_pred,
    ...     sensitive_features=np.repeat(["a", "b", "c", "d"], 50),
    ...     metrics=["equalized_odds_difference"],
    ...     random_state=0,
    ... )
    >>> drawn = display.frame_.loc["equalized_odds_difference"]
    >>> bool(drawn["chance_95"] > 0.2)
    True
    """

    def __init__(self, frame: pd.DataFrame, *, confidence: float = 0.95) -> None:
        self.frame = frame
        self.confidence = confidence

    @classmethod
    def from_counts(
        cls,
        counts: GroupCounts,
        *,
        metrics: str | Sequence[str] | None = None,
        pos_label: Hashable | None = None,
        confidence: float = 0.95,
        n_draws: int = 1000,
        random_state: RandomState = None,
        ax: Any = None,
    ) -> Self:
        """Draw metrics of a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            Without replicate axes.
        metrics : str or sequence of str, optional
            Names of count metrics. Default: gaps between rates on one scale from 0 to 1, those of
            the positive class or, without one, of all classes; the associations of group and class
            of a data set without predictions.
        pos_label : hashable, optional
            The positive class, where a metric needs one.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        n_draws : int, default=1000
            Random tables behind intervals, chance and p-values.
        random_state : int, RandomState, Generator or None, default=None
            Seed of the random draws; the same one gives the same result.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        GapNullDisplay

        Raises
        ------
        ValueError
            If there is one group only, a metric is not known or is no function of these counts,
            or it needs a positive class that the labels do not tell.
        """
        style.require_matplotlib()
        counts = check_counts(counts, cls.__name__, compares=True)
        positive = pos_label is not None or has_positive(counts)
        calls = _calls(metrics, counts, positive, pos_label)
        found = infer(
            counts, calls, confidence=confidence, n_draws=n_draws, random_state=random_state
        )
        rows = [
            {name: getattr(f, field) for name, field in _COLUMNS.items()} for f in found.values()
        ]
        frame = pd.DataFrame(rows, index=pd.Index(found, name="metric"))
        frame.insert(6, "q", benjamini_hochberg(frame["p"], n_draws=n_draws))
        return cls(frame, confidence=confidence).plot(ax)

    @classmethod
    def from_report(  # type: ignore[override]
        cls,
        report: Any,
        *,
        view: int | str = 0,
        metrics: str | Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw metrics of a report, with its q-values, which are over all its metrics and columns.

        Parameters
        ----------
        report : FairnessReport
            Made by :func:`~skfairprop.report.fairness_report` or from an estimator.
        view : int or str, default=0
            Which of the report's ways to group the rows: its position or name.
        metrics : str or sequence of str, optional
            As for :meth:`from_counts`; by default those of them that the report has.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        GapNullDisplay

        Raises
        ------
        ValueError
            If there is no such view, it has one group only, or the report lacks a metric or was
            made without random tables.
        """
        found = find_view(report, view)
        check_counts(found.counts, cls.__name__, compares=True)
        if not report.settings.bootstrap:
            raise ValueError(
                f"{cls.__name__}: the report has no intervals; make it with bootstrap=1000"
            )
        table = report.metrics.loc[found.name]
        positive = report.pos_label is not None or has_positive(found.counts)
        default = [m for m in _default(found.counts, positive) if m in table.index]
        names = default if metrics is None else _listed(metrics)
        lacking = [name for name in names if name not in table.index]
        if lacking or not names:
            what = f"no metric {lacking[0]!r}" if lacking else "none of the default metrics"
            raise ValueError(f"{cls.__name__}: the report has {what}; it has {_some(table.index)}")
        columns = [*list(_COLUMNS)[:6], "q", "reliable", "reason"]
        return cls(table.loc[names, columns], confidence=report.settings.confidence).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        GapNullDisplay
        """
        self.frame_, names = _mirrored(self.frame)
        size = (8.4, 1.1 + 0.36 * len(names))
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        style.clean(axes, grid="x")
        style.label_rows(axes, names)
        column = {"transform": axes.get_yaxis_transform(), "ha": "left", "color": style.SOFT}
        column["fontsize"] = style.MEDIUM
        style.say(axes, 1.02, -0.66, "value", style="italic", **column)
        style.say(axes, 1.11, -0.66, "q", style="italic", **column)
        for y, row in enumerate(style.rows_of(self.frame_)):
            _draw_row(axes, y, row)
            values = (1.02, f"{row.value:.3f}"), (1.11, f"{row.q:.3f}")
            for x, text in values:
                style.say(axes, x, y, text.replace("nan", "\u2013"), **column)
        ends = self.frame_[["lower", "upper", "value", "chance_95"]].to_numpy(float)
        if not self._is_signed():
            axes.set_xlim(0, max(np.nanmax(ends, initial=0.0) * 1.05, 0.02))
        axes.set_xlabel("size of the gap", fontsize=style.MEDIUM, color=style.SOFT)
        style.legend_below(panels, self._legend())
        return self

    def _is_signed(self) -> bool:
        return any(_is_signed(name) for name in self.frame.index)

    def _legend(self) -> list:
        level = f"{100 * self.confidence:g}%"
        band = {"color": style.GRID, "linewidth": 9, "solid_capstyle": "butt"}
        stroke = {"linestyle": "none", "marker": "|", "markersize": 11, "markeredgewidth": 1.6}
        disc = style.marker_style(small=False) | {"linewidth": 2.2}
        hollow = style.marker_style(small=False, filled=False) | {"linewidth": 2.2}
        few = style.marker_style(small=True) | {"linewidth": 2.2}
        handles = [
            style.entry(f"{level} interval, q \u2264 {_LEVEL:g}", **disc),
            style.entry(f"q > {_LEVEL:g}", **hollow),
            style.entry("chance, 19 times in 20", **band),
            style.entry("chance, on average", color=style.SOFT, **stroke),
        ]
        unreliable = ~self.frame_["reliable"].astype(bool) & self.frame_["value"].notna()
        if unreliable.any():
            handles.append(
                style.entry("few errors: " + self.frame_["reason"][unreliable].iloc[0], **few)
            )
        return handles


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _some(names) -> str:
    return ", ".join(list(names)[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _default(counts: GroupCounts, positive: bool) -> tuple[str, ...]:
    if not counts.predicted:
        return DATA_METRICS
    return POSITIVE_METRICS if positive else CLASS_METRICS


def _calls(metrics, counts: GroupCounts, positive: bool, pos_label) -> dict[str, MetricCall]:
    names = list(_default(counts, positive)) if metrics is None else _listed(metrics)
    if not names:
        raise ValueError("metrics is empty; name at least one count metric")
    calls = {}
    for name in dict.fromkeys(names):
        metric = get_metric(name)
        label = pos_label if metric.needs_positive else None
        calls[metric.name] = MetricCall(metric, pos_label=label)
    return calls


def _is_signed(name: str) -> bool:
    return get_metric(name.partition("[")[0]).signed


def _mirrored(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The numbers to draw, 0 being no gap, and the titles of the rows."""
    out, titles = frame.copy(), []
    for name in frame.index:
        ratio = get_metric(name.partition("[")[0]).best == 1
        titles.append(f"1 \u2212 {metric_title(name).lower()}" if ratio else metric_title(name))
        if ratio:
            mirror = ["value", "upper", "lower", "chance", "chance_95"]
            out.loc[name, ["value", "lower", "upper", "chance", "chance_95"]] = 1 - frame.loc[
                name, mirror
            ].to_numpy(float)
    return out, titles


def _draw_row(ax, y: int, row) -> None:
    if np.isnan(row.value):
        style.say(ax, 0, y, "  undefined", ha="left", color=style.SOFT)
        return
    if not np.isnan(row.chance_95):
        start = -row.chance_95 if _is_signed(row.Index) else 0.0
        ax.barh(y, row.chance_95 - start, left=start, height=0.62, color=style.GRID, zorder=1)
        ax.plot([row.chance] * 2, [y - 0.31, y + 0.31], color=style.SOFT, linewidth=1.6, zorder=2)
    mark = style.marker_style(small=not row.reliable, filled=bool(row.q <= _LEVEL))
    ends = [row.lower, row.upper]
    ax.plot(ends, [y, y], color=mark["color"], linewidth=2.2, solid_capstyle="butt", zorder=3)
    ax.plot([row.value], [y], **mark, zorder=4, clip_on=False)
