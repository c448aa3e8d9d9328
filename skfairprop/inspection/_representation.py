"""How the groups are represented in the classes: a contingency table with residuals."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.stats import norm

from skfairprop._checks import check_choice
from skfairprop.counts import GroupCounts
from skfairprop.groups import label_texts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inspection import _style as style
from skfairprop.inspection._cells import diverging, draw_cells, label_cells, turn_for
from skfairprop.inspection._counts_display import CountsDisplay, check_counts
from skfairprop.inspection._extremes import MAX_GROUPS
from skfairprop.metrics import evaluate

_LEVEL = 0.05
# Width of a column in inches.
_PITCH = 0.74
# Below it the normal distribution says little of a residual.
_MIN_EXPECTED = 5
# Residuals at least this far from 0 have the full colour.
_FULL = 8.0


class RepresentationDisplay(CountsDisplay):
    """How often each group meets each class, and how far that is from no association.

    One row a group, one column a class. A cell holds the count and its standardised residual: how
    many standard deviations the count is above (blue) or below (orange) what it would be if the
    classes did not depend on the group. A frame marks the residuals that survive the control of
    the false discovery rate; a dagger those whose expected count is below 5. Where there are more
    than 12 groups, those with the largest residuals are drawn.

    Use :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results`,
    :meth:`from_counts` or :meth:`from_report`; with ``of="y_pred"`` for the predictions as a data
    set.

    Parameters
    ----------
    frame : DataFrame
        One row for each group and class: ``group``, ``class``, ``count``, ``expected``,
        ``residual``, ``p`` and ``q``.
    cramers_v : float, optional
        The association in the whole table, in [0, 1].

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    skfairprop.metrics.cramers_v : One number for the whole table.

    Notes
    -----
    The residual is (count - expected) / sqrt(expected (1 - share of the group) (1 - share of the
    class)), which is standard normal without association [1]_. Where rows have weights, the table
    is scaled to Kish's effective number of rows for it; `count` and `expected` are not.

    References
    ----------
    .. [1] Haberman, "The analysis of residuals in cross-classified tables", Biometrics 29, 1973.

    Examples
    --------
    >>> from skfairprop.inspection import RepresentationDisplay
    >>> display = RepresentationDisplay.from_predictions(
    ...     ["yes"] * 30 + ["no"] * 30, sensitive_features=["a"] * 40 + ["b"] * 20
    ... )
    >>> display.frame_[["group", "class", "expected", "residual"]].round(2).to_numpy().tolist()
    [['a', 'no', 20.0, -5.48], ['a', 'yes', 20.0, 5.48], ['b', 'no', 10.0, 5.48], \
['b', 'yes', 10.0, -5.48]]
    """

    _report_options: ClassVar = ()
    _has_pos_label: ClassVar = False

    def __init__(self, frame: pd.DataFrame, *, cramers_v: float | None = None) -> None:
        self.frame = frame
        self.cramers_v = cramers_v

    @classmethod
    def from_counts(cls, counts: GroupCounts, *, of: str = "y_true", ax: Any = None) -> Self:
        """Draw a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            Without replicate axes.
        of : {"y_true", "y_pred"}, default="y_true"
            Whether the labels or the predictions are the data set.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        RepresentationDisplay

        Raises
        ------
        ValueError
            If there is one group only, or ``of="y_pred"`` without predictions.
        """
        check_choice("of", of, ("y_true", "y_pred"))
        predictions = of == "y_pred"
        counts = check_counts(counts, cls.__name__, predictions=predictions, compares=True)
        table = (counts.of_predictions() if predictions else counts.of_labels()).drop_unused()
        return cls(_residuals(table), cramers_v=evaluate(table, "cramers_v")).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        RepresentationDisplay
        """
        columns = style.names_of(pd.unique(self.frame["class"]), 18)
        self.frame_, note = _strongest(self.frame)
        names = style.names_of(pd.unique(self.frame_["group"]))
        shape = (len(names), len(columns))
        table = {
            name: self.frame_[name].to_numpy(float).reshape(shape)
            for name in ("count", "expected", "residual", "q")
        }
        total = table["count"].sum(1)
        rows = [f"{a}\nn = {style.number(n)}" for a, n in zip(names, total, strict=True)]
        size = (0.7 + 0.075 * max(map(len, names)) + _PITCH * shape[1], 1.35 + 0.42 * shape[0])
        panels = self._panels(ax, size=(max(size[0], 4.6), size[1]))
        axes = panels.axes[0]
        few = table["expected"] < _MIN_EXPECTED
        framed = table["q"] <= _LEVEL
        draw_cells(
            axes,
            table["residual"],
            _texts(table["count"], table["residual"]),
            colours=diverging(),
            limits=(-_FULL, _FULL),
            framed=framed,
            marked=few,
            fontsize=style.SMALL + 0.5,
        )
        label_cells(axes, rows, columns, turn=turn_for(columns, _PITCH))
        legend = _legend(self.cramers_v, bool(framed.any()), bool(few.any()), note)
        style.legend_below(panels, legend, drop=8)
        return self


def _residuals(counts: GroupCounts) -> pd.DataFrame:
    """Counts, what they would be without association, and standardised residuals."""
    values = np.asarray(counts.values, dtype=float)
    total = values.sum()
    group, label = values.sum(1, keepdims=True) / total, values.sum(0, keepdims=True) / total
    expected = total * group * label
    effective = total if counts.squared is None else total**2 / counts.squared.sum()
    spread = np.sqrt(group * label * (1 - group) * (1 - label) / effective)
    away = (values - expected) / total
    residual = np.divide(away, spread, out=np.full(values.shape, np.nan), where=spread > 0)
    p = 2 * norm.sf(np.abs(residual.ravel()))
    return pd.DataFrame(
        {
            "group": np.repeat(counts.group_texts, counts.n_classes),
            "class": label_texts(counts.classes) * counts.n_groups,
            "count": counts.values.ravel(),
            "expected": expected.ravel(),
            "residual": residual.ravel(),
            "p": p,
            "q": benjamini_hochberg(p),
        }
    )


def _strongest(frame: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    """The rows of the groups with the largest residuals, in their order, and what is left out."""
    largest = frame["residual"].abs().groupby(frame["group"], sort=False).max()
    if len(largest) <= MAX_GROUPS:
        return frame, None
    kept = largest.sort_values(ascending=False, kind="stable").index[:MAX_GROUPS]
    note = f"the {MAX_GROUPS} largest residuals of {len(largest)} groups"
    return frame[frame["group"].isin(kept)].reset_index(drop=True), note


def _texts(counts: np.ndarray, residuals: np.ndarray) -> list[list[str]]:
    return [
        [f"{style.number(n)}\n{style.signed(r)}" for n, r in zip(*rows, strict=True)]
        for rows in zip(counts, residuals, strict=True)
    ]


def _legend(cramers_v: float | None, framed: bool, few: bool, note: str | None) -> list:
    handles = [style.entry("count, standardised residual")]
    if framed:
        handles.append(style.frame_entry(f"q \u2264 {_LEVEL:g}"))
    if few:
        handles.append(style.entry(f"\u2020 fewer than {_MIN_EXPECTED} expected"))
    if cramers_v is not None:
        handles.append(style.entry(f"Cramer's V = {cramers_v:.2f}"))
    return handles + ([] if note is None else [style.entry(note)])
