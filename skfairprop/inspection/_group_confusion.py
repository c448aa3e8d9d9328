"""A confusion matrix for every group."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice
from skfairprop.counts import GroupCounts
from skfairprop.groups import label_texts
from skfairprop.inspection import _style as style
from skfairprop.inspection._cells import draw_cells, label_cells, sequential, turn_for
from skfairprop.inspection._counts_display import CountsDisplay, check_counts
from skfairprop.inspection._extremes import extremes

EVERYONE = "everyone"
# What the cells are shares of: the axes of a table true x predicted that are summed.
_SHARES = {"true": -1, "pred": -2, "all": (-2, -1)}
_MEANINGS = {
    "true": "percent predicted (columns) of each true class (rows), n at the right",
    "pred": "percent truly (rows) of each predicted class (columns)",
    "all": "percent of the group: true (rows) and predicted class (columns)",
    None: "number of rows: true (rows) and predicted class (columns)",
}


class GroupConfusionDisplay(CountsDisplay):
    """A confusion matrix for every group, after that of everyone.

    Rows are true classes, columns predicted ones. A cell says what share of its true class is
    predicted so, in percent; beside each row is the number it rests on, in orange where that is
    small. Where there are more than 12 groups, the 6 with the lowest and the 6 with the highest
    accuracy are drawn.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`.

    Parameters
    ----------
    frame : DataFrame
        One row for each group (missing: everyone), true class and predicted class: ``group``,
        ``true``, ``pred``, ``count``, ``n`` (the denominator) and ``value``.
    normalize : {"true", "pred", "all"} or None, default="true"
        What `value` is a share of; None: it is the count itself.
    min_count : int, default=50
        Denominators below it are marked.

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
    sklearn.metrics.ConfusionMatrixDisplay : One matrix.

    Examples
    --------
    >>> from skfairprop.inspection import GroupConfusionDisplay
    >>> display = GroupConfusionDisplay.from_predictions(
    ...     [1, 0, 1, 0], [1, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> of_b = display.frame_[display.frame_["group"] == "b"]
    >>> of_b[["true", "pred", "value"]].to_numpy().tolist()
    [['0', '0', 1.0], ['0', '1', 0.0], ['1', '0', 1.0], ['1', '1', 0.0]]
    """

    _report_options: ClassVar = ("min_count",)
    _has_pos_label: ClassVar = False

    def __init__(
        self, frame: pd.DataFrame, *, normalize: str | None = "true", min_count: int = 50
    ) -> None:
        self.frame = frame
        self.normalize = normalize
        self.min_count = min_count

    @classmethod
    def from_counts(
        cls,
        counts: GroupCounts,
        *,
        normalize: str | None = "true",
        min_count: int = 50,
        ax: Any = None,
    ) -> Self:
        """Draw a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            With predictions, without replicate axes.
        normalize : {"true", "pred", "all"} or None, default="true"
            Shares of the true class, of the predicted class, of the group, or counts.
        min_count : int, default=50
            Denominators below it are marked.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        GroupConfusionDisplay

        Raises
        ------
        ValueError
            If there are no predictions, `normalize` is not allowed, or the axes do not fit.
        """
        check_choice("normalize", normalize, ("true", "pred", "all", None))
        counts = check_counts(counts, cls.__name__, predictions=True)
        frame = _matrices(counts, normalize)
        return cls(frame, normalize=normalize, min_count=min_count).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        GroupConfusionDisplay
        """
        parts = [part for _, part in self.frame.groupby("group", sort=False, dropna=False)]
        chosen, note = extremes(np.array([_accuracy(part) for part in parts[1:]]))
        drawn = [parts[0], *(parts[1 + i] for i in chosen)]
        self.frame_ = pd.concat(drawn, ignore_index=True)
        classes = style.names_of(pd.unique(self.frame["true"]), 18)
        groups = style.names_of([part["group"].iloc[0] for part in drawn[1:]], 24)
        n_columns = 3 if len(drawn) in (3, 5, 6) or len(classes) > 10 else 4
        size = _size(len(drawn), n_columns, classes)
        panels = self._panels(ax, len(drawn), n_columns=n_columns, size=size)
        everything = zip(panels.axes, drawn, [EVERYONE, *groups], strict=True)
        for i, (axes, part, name) in enumerate(everything):
            self._draw(
                axes, part, name, classes if panels.is_left(i) else [""] * len(classes), classes
            )
        style.legend_below(panels, self._legend(note), drop=8)
        return self

    def _draw(self, ax, part: pd.DataFrame, name: str, rows: list[str], columns: list[str]) -> None:
        k = len(columns)
        value, n = (part[c].to_numpy(float).reshape(k, k) for c in ("value", "n"))
        end = 1.0 if self.normalize else max(float(np.nanmax(value, initial=0.0)), 1.0)
        draw_cells(
            ax,
            value,
            [[self._text(v) for v in row] for row in value],
            colours=sequential(),
            limits=(0.0, end),
            fontsize=style.MEDIUM if k <= 5 else style.SMALL if k <= 9 else 6.0,
        )
        label_cells(ax, rows, columns, turn=turn_for(columns, _pitch(k)))
        if self.normalize == "true":
            for i in range(k):
                few = n[i, 0] < self.min_count
                colour = style.ORANGE if few else style.SOFT
                style.say(ax, k - 0.4, i, style.number(n[i, 0]), ha="left", color=colour)
        right = _accuracy(part)
        text = f"{name}\n{100 * right:.0f}% right, n = {style.number(part['count'].sum())}"
        style.title(ax, text)

    def _text(self, value: float) -> str:
        if np.isnan(value):
            return "\u2013"
        return f"{100 * value:.0f}" if self.normalize else style.number(value)

    def _legend(self, note: str | None) -> list:
        handles = [style.entry(_MEANINGS[self.normalize])]
        if self.normalize == "true" and (self.frame_["n"] < self.min_count).any():
            handles.append(style.entry(f"n in orange: below {self.min_count}"))
        return handles + ([] if note is None else [style.entry(f"{note} by accuracy")])


def _matrices(counts: GroupCounts, normalize: str | None) -> pd.DataFrame:
    """Counts and shares of everyone and of each group, one row a cell."""
    values = np.concatenate([counts.values.sum(0, keepdims=True), counts.values])
    n = values.sum(_SHARES[normalize or "all"], keepdims=True)  # type: ignore[call-overload]
    n = np.broadcast_to(n, values.shape)
    share = np.divide(values, n, out=np.full(values.shape, np.nan), where=n > 0)
    labels, k = label_texts(counts.classes), counts.n_classes
    groups = [None, *counts.group_texts]
    frame = pd.DataFrame(
        {
            "group": [group for group in groups for _ in range(k * k)],
            "true": [label for label in labels for _ in range(k)] * len(groups),
            "pred": labels * k * len(groups),
            "count": values.ravel(),
            "n": n.ravel(),
            "value": share.ravel() if normalize else values.ravel(),
        }
    )
    return frame.astype({"group": object})


def _accuracy(part: pd.DataFrame) -> float:
    right = part.loc[part["true"] == part["pred"], "count"].sum()
    return float(right / part["count"].sum())


def _pitch(n_classes: int) -> float:
    """Width of a column in inches: the title of a panel needs room, and so do its numbers."""
    return max(2.1 / n_classes, 0.42 if n_classes <= 9 else 0.3)


def _size(n_panels: int, n_columns: int, classes: list[str]) -> tuple[float, float]:
    n_columns = min(n_columns, n_panels)
    pitch = _pitch(len(classes))
    names = 0.07 * max(map(len, classes))
    width = 0.3 + names + n_columns * (len(classes) * pitch + 0.5)
    height = (
        -(-n_panels // n_columns) * (len(classes) * min(pitch, 0.36) + 0.75 * names + 0.75) + 0.35
    )
    return width, height
