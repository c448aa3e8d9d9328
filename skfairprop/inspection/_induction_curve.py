"""Bias of the data and of the model against the bias that was induced."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice
from skfairprop.inspection import _style as style
from skfairprop.inspection._display import Display
from skfairprop.inspection._titles import metric_title
from skfairprop.metrics import METRICS

KINDS = ("dataset", "model", "score")
# Experiments are told apart by dashes and markers, as hues would be by few.
_LOOKS = (
    {"linestyle": "-", "marker": "o", "markerfacecolor": style.BLUE},
    {"linestyle": "--", "marker": "s", "markerfacecolor": "white"},
    {"linestyle": "-.", "marker": "^", "markerfacecolor": style.BLUE},
    {"linestyle": ":", "marker": "D", "markerfacecolor": "white"},
)
_COLUMNS = ("experiment", "f", "metric", "mean", "lower", "upper", "n")


class InductionCurveDisplay(Display):
    """Metrics of the data, or of the models trained on them, against the bias factor f.

    One panel a metric, one line an experiment: the mean over the repeats, with its interval as a
    band. With ``kind="dataset"`` it shows what the induction did to the data (Figure 3 of [1]_),
    with ``kind="model"`` what the models made of it (Figure 4).

    Use :meth:`from_propagation`.

    Parameters
    ----------
    frame : DataFrame
        One row for each experiment, factor and metric: ``experiment``, ``f``, ``metric``, ``mean``,
        ``lower``, ``upper`` and ``n`` (repeats).
    confidence : float, default=0.95
        Level of the intervals in `frame`.

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
    CorrelationDisplay : Which metric of the data goes with which of the model.
    skfairprop.model_selection.bias_propagation : The study.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.inspection import InductionCurveDisplay
    >>> from skfairprop.model_selection import PropagationResult
    >>> data = [[[10, 10], [20 - n, n]] for n in (10, 14, 18)]
    >>> model = [[[[9, 1], [1, 9]], [[10 - n // 3, n // 3], [1, 9]]] for n in (3, 7, 11)]
    >>> labels = {"groups": ["a", "b"], "classes": [0, 1]}
    >>> study = PropagationResult.from_counts(
    ...     GroupCounts(data, predicted=False, **labels),
    ...     GroupCounts(model, **labels),
    ...     f=[0.0, 0.4, 0.8],
    ... )
    >>> display = InductionCurveDisplay.from_propagation(study, metrics=["cramers_v"])
    >>> display.frame_[["f", "mean"]].round(2).to_numpy().tolist()
    [[0.0, 0.0], [0.4, 0.2], [0.8, 0.44]]
    """

    def __init__(self, frame: pd.DataFrame, *, confidence: float = 0.95) -> None:
        self.frame = frame
        self.confidence = confidence

    @classmethod
    def from_propagation(
        cls,
        study: Any,
        *,
        kind: str = "dataset",
        metrics: str | Sequence[str] | None = None,
        experiments: Sequence[Hashable] | None = None,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> Self:
        """Draw a propagation study.

        Parameters
        ----------
        study : PropagationResult
            Made by :func:`~skfairprop.model_selection.bias_propagation`.
        kind : {"dataset", "model", "score"}, default="dataset"
            Metrics of the training data, of the predictions, or scores such as the accuracy.
        metrics : str or sequence of str, optional
            Default: all of the kind; of the model those of disparity, if the study has them.
        experiments : sequence, optional
            At most four. Default: all.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        InductionCurveDisplay

        Raises
        ------
        ValueError
            If the study has no such kind, metric or experiment, or there are more than four of
            these.
        """
        check_choice("kind", kind, KINDS)
        table = study.summary(confidence)
        table = table[table["kind"] == kind]
        names = chosen_metrics(study, kind, metrics)
        wanted = study.experiments if experiments is None else list(experiments)
        for name in wanted:
            if name not in study.experiments:
                raise ValueError(
                    f"experiment {name!r} is not in the study; it has {study.experiments}"
                )
        if len(wanted) > len(_LOOKS):
            raise ValueError(
                f"{cls.__name__} draws {len(_LOOKS)} experiments at most, and the study has "
                f"{len(wanted)}; name some of them with experiments="
            )
        rank = {name: i for i, name in enumerate(names)}
        table = table[table["metric"].isin(names) & table["experiment"].isin(wanted)]
        table = table.sort_values(["experiment", "f"], kind="stable", key=_by(wanted))
        table = table.sort_values("metric", kind="stable", key=lambda column: column.map(rank))
        return cls(table[list(_COLUMNS)].reset_index(drop=True), confidence=confidence).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        InductionCurveDisplay
        """
        self.frame_ = self.frame
        parts = {str(name): part for name, part in self.frame.groupby("metric", sort=False)}
        n_columns = 3 if len(parts) in (3, 5, 6, 9) else 4
        size = (
            0.4 + 2.6 * max(min(len(parts), n_columns), 2),
            0.5 + 2.1 * -(-len(parts) // n_columns),
        )
        panels = self._panels(ax, len(parts), n_columns=n_columns, size=size)
        looks = dict(zip(pd.unique(self.frame["experiment"]), _LOOKS, strict=False))
        for i, (axes, (name, part)) in enumerate(zip(panels.axes, parts.items(), strict=True)):
            _draw_metric(axes, name, part, looks)
            if panels.is_bottom(i):
                axes.set_xlabel("induced bias f", fontsize=style.MEDIUM, color=style.SOFT)
        style.legend_below(panels, self._legend(looks))
        return self

    def _legend(self, looks: dict) -> list:
        handles = [
            style.entry(style.name_of(name), color=style.BLUE, markersize=4.5, **look)
            for name, look in looks.items()
        ]
        if (self.frame_["upper"] - self.frame_["lower"]).max() > 1e-9:
            n = int(self.frame_["n"].max())
            band = {"color": style.BLUE, "alpha": 0.2, "linewidth": 8, "solid_capstyle": "butt"}
            text = f"{100 * self.confidence:g}% interval of the mean of {n} repeats"
            handles.append(style.entry(text, **band))
        return handles


def chosen_metrics(study: Any, kind: str, metrics: str | Sequence[str] | None) -> list[str]:
    """Names of the metrics of a kind to draw.

    Raises
    ------
    ValueError
        If the study has none, or not one that is named.
    """
    known = study.metrics(kind)
    if not known:
        raise ValueError(f"the study has no metrics of the kind {kind!r}")
    if metrics is None:
        main = [n for n in known if n in METRICS and METRICS[n].family == "disparity"]
        return main if kind == "model" and main else known
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        what = f"no metric {unknown[0]!r}" if unknown else "to be told at least one metric"
        raise ValueError(f"the study has {what} of the kind {kind!r}; it has {', '.join(known)}")
    return names


def _by(experiments: list) -> Any:
    rank = {name: i for i, name in enumerate(experiments)}
    return lambda column: column.map(rank) if column.name == "experiment" else column


def _draw_metric(ax: Any, name: str, part: pd.DataFrame, looks: dict) -> None:
    style.clean(ax, grid="both", keep=("bottom",))
    for experiment, rows in part.groupby("experiment", sort=False):
        x, mean = rows["f"].to_numpy(float), rows["mean"].to_numpy(float)
        ends = rows["lower"].to_numpy(float), rows["upper"].to_numpy(float)
        if not np.isnan(ends).all():
            ax.fill_between(x, *ends, color=style.BLUE, alpha=0.13, linewidth=0)
        ax.plot(x, mean, color=style.BLUE, linewidth=1.5, markersize=4.5, **looks[experiment])
    ax.set_ylim(*_range(part))
    ax.set_xlim(-1.05, 1.05)
    ax.set_xticks([-1, -0.5, 0, 0.5, 1], ["\u22121", "", "0", "", "1"])
    style.title(ax, metric_title(name))


def _range(part: pd.DataFrame) -> tuple[float, float]:
    """From 0, or from the lowest mean where that is below; bands may be cut off."""
    low, high = min(part["mean"].min(), 0.0), part["mean"].max()
    top = max(high + 0.35 * (high - low), 1e-3) if high > 0 else 1e-3
    highest = part["upper"].max()
    return low - 0.05 * (top - low), min(top, highest * 1.05) if highest > high else high * 1.1
