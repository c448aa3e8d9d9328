"""Bias estimates of every feature by several estimators: a table of coloured cells."""

from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.inspection import _style as style
from skfairprop.inspection._cells import draw_cells, label_cells, sequential, turn_for
from skfairprop.inspection._display import Display

# Column of the frame -> what it is called, in the order they are drawn.
COLUMNS = {
    "estimate": "BENN",
    "mean": "mean of all rows",
    "direct": "direct",
    "total": "total",
    "null": "placebo",
    "ensemble": "ensemble of 21",
    "ensemble_null": "its chance level",
    "demographic_parity": "demographic parity",
    "disparate_impact": "disparate impact",
    "normalized_difference": "normalized difference",
}
_SPREAD = {"estimate": "sd"}
_PITCH = 0.92


class EstimatorMatrixDisplay(Display):
    """Bias estimates of every feature, by BENN and by the ensemble: a table of coloured cells.

    One row a feature, the largest estimate first, one column an estimator. The first holds BENN's
    estimate and its standard deviation over restarts, with a frame where it is above both its
    placebo and, by .05 or more, 0. The chance level of the ensemble is the mean over permuted
    groups.

    Use :meth:`from_benn` or :meth:`from_comparison`.

    Parameters
    ----------
    frame : DataFrame
        Indexed by feature; any of the columns ``estimate``, ``sd``, ``mean``, ``direct``,
        ``total``, ``null``, ``ensemble``, ``ensemble_null``, ``demographic_parity``,
        ``disparate_impact`` and ``normalized_difference``.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    DirectTotalDisplay : Which features work through proxies.

    Notes
    -----
    The columns measure different things: BENN how outputs answer to a change of the feature, the
    others how outcomes differ between groups. A higher number in one column than in another says
    nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import EstimatorMatrixDisplay
    >>> frame = pd.DataFrame(
    ...     {"estimate": [0.6, 0.02], "sd": [0.01, 0.0], "ensemble": [0.4, 0.1]},
    ...     index=["race", "sex"],
    ... )
    >>> display = EstimatorMatrixDisplay(frame).plot()
    >>> [text.get_text().split() for text in display.ax_.texts]
    [['0.60', '±', '0.01'], ['0.40'], ['0.02', '±', '0.00'], ['0.10']]
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_benn(cls, benn: Any, *, ax: Any = None) -> Self:
        """Draw what a BENNEstimator found.

        Parameters
        ----------
        benn : fitted BENNEstimator
            What was trained.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        EstimatorMatrixDisplay
        """
        return cls(benn.summary()).plot(ax)

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> Self:
        """Draw a comparison of BENN with the ensemble.

        Parameters
        ----------
        comparison : EnsembleComparison
            What :func:`~skfairprop.benn.compare_with_ensemble` returns.
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        EstimatorMatrixDisplay
        """
        return cls(comparison.frame).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        EstimatorMatrixDisplay

        Raises
        ------
        ValueError
            If the frame has none of the columns.
        """
        columns = [name for name in COLUMNS if name in self.frame]
        if not columns:
            raise ValueError(
                f"{type(self).__name__}: the frame has none of the columns {', '.join(COLUMNS)}"
            )
        self.frame_ = self.frame.sort_values(columns[0], ascending=False, kind="stable")
        values = self.frame_[columns].to_numpy(float)
        texts = [[self._text(row, name) for name in columns] for _, row in self.frame_.iterrows()]
        rows, titles = style.names_of(self.frame_.index), [COLUMNS[name] for name in columns]
        size = (
            max(0.9 + 0.075 * max(map(len, rows)) + _PITCH * len(columns), 4.2),
            1.9 + 0.44 * len(rows),
        )
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        framed = self._framed(columns)
        draw_cells(
            axes, values, texts, colours=sequential(), limits=(0.0, 1.0), framed=framed,
            fontsize=style.SMALL,
        )  # fmt: skip
        label_cells(axes, rows, titles, turn=turn_for(titles, _PITCH))
        style.legend_below(panels, self._legend(framed), drop=8)
        return self

    def _text(self, row: pd.Series, name: str) -> str:
        if np.isnan(row[name]):
            return "\u2013"
        text = f"{row[name]:.2f}"
        spread = _SPREAD.get(name)
        if spread in self.frame_ and not np.isnan(row[spread]):
            text += f"\n\u00b1 {row[spread]:.2f}"
        return text

    def _framed(self, columns: list[str]) -> np.ndarray:
        framed = np.zeros((len(self.frame_), len(columns)), dtype=bool)
        if "estimate" in columns and "null" in self.frame_:
            above = (self.frame_["estimate"] > self.frame_["null"]) & (
                self.frame_["estimate"] >= _TIE
            )
            framed[:, columns.index("estimate")] = above.to_numpy()
        return framed

    def _legend(self, framed: np.ndarray) -> list:
        handles = []
        if "sd" in self.frame_ and "estimate" in self.frame_:
            handles.append(style.entry("\u00b1 standard deviation over restarts"))
        if framed.any():
            handles.append(style.frame_entry(f"above its placebo, and {_TIE:g} or more"))
        return handles


# Estimates that differ by less are ties.
_TIE = 0.05
