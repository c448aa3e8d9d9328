"""Which metric of the data goes with which metric of the model: a heat map of correlations."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop.inspection import _style as style
from skfairprop.inspection._cells import diverging, draw_cells, label_cells, turn_for
from skfairprop.inspection._display import Display
from skfairprop.inspection._induction_curve import chosen_metrics
from skfairprop.inspection._titles import metric_title

# Width of a column in inches.
_PITCH = 0.86


class CorrelationDisplay(Display):
    """Rank correlations between metrics of the data and metrics of the model: a heat map.

    One row a metric of the training data, one column a metric of the predictions. A cell holds
    Spearman's correlation over the configurations of a study, and its interval: blue above 0,
    orange below, with a frame where the interval excludes 0 (Figures 5 to 7 of [1]_).

    Use :meth:`from_propagation`.

    Parameters
    ----------
    frame : DataFrame
        One row for each pair: ``dataset_metric``, ``model_metric``, ``rho``, and ``lower`` and
        ``upper``, which may be NaN or absent.
    confidence : float, default=0.95
        Level of the intervals in `frame`.

    Attributes
    ----------
    frame_ : DataFrame
        The numbers drawn.
    ax_ : matplotlib Axes
    axes_ : ndarray of matplotlib Axes, shape (1,)
    figure_ : matplotlib Figure

    See Also
    --------
    InductionCurveDisplay : The metrics themselves.
    skfairprop.model_selection.PropagationResult.correlations : The numbers.

    Notes
    -----
    Correlations over configurations that someone chose: they say which metric of the data rises
    and falls with the bias of the model in this design, not how often it does elsewhere.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.inspection import CorrelationDisplay
    >>> frame = pd.DataFrame(
    ...     {
    ...         "dataset_metric": ["cramers_v", "ens_bias"],
    ...         "model_metric": ["equal_opportunity", "equal_opportunity"],
    ...         "rho": [0.6, -0.1],
    ...     }
    ... )
    >>> display = CorrelationDisplay(frame).plot()
    >>> [text.get_text() for text in display.ax_.texts]
    ['+0.60', '\u22120.10']
    """

    def __init__(self, frame: pd.DataFrame, *, confidence: float = 0.95) -> None:
        self.frame = frame
        self.confidence = confidence

    @classmethod
    def from_propagation(
        cls,
        study: Any,
        *,
        dataset_metrics: str | Sequence[str] | None = None,
        model_metrics: str | Sequence[str] | None = None,
        experiments: Sequence[Hashable] | None = None,
        factors: Sequence[float] | None = None,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> Self:
        """Draw a propagation study.

        Parameters
        ----------
        study : PropagationResult
            Made by :func:`~skfairprop.model_selection.bias_propagation`.
        dataset_metrics : str or sequence of str, optional
            Default: all of the study.
        model_metrics : str or sequence of str, optional
            Metrics of the model and scores. Default: those of disparity, if the study has them.
        experiments, factors : sequence, optional
            Only these configurations. Default: all.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        ax : matplotlib Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        CorrelationDisplay

        Raises
        ------
        ValueError
            If a metric, experiment or factor is not in the study.
        """
        if model_metrics is None:
            model_metrics = chosen_metrics(study, "model", None)
        frame = study.correlations(
            *([m] if isinstance(m, str) else m for m in (dataset_metrics, model_metrics)),
            experiments=experiments,
            factors=factors,
            confidence=confidence,
        )
        return cls(frame, confidence=confidence).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: a new figure.

        Returns
        -------
        CorrelationDisplay
        """
        of_data, of_model = (
            list(dict.fromkeys(self.frame[name])) for name in ("dataset_metric", "model_metric")
        )
        place = pd.MultiIndex.from_product([of_data, of_model])
        whole = self.frame.set_index(["dataset_metric", "model_metric"]).reindex(place)
        self.frame_ = whole.rename_axis(["dataset_metric", "model_metric"]).reset_index()
        rho, lower, upper = (
            whole[name].to_numpy(float).reshape(len(of_data), -1)
            if name in whole
            else np.full((len(of_data), len(of_model)), np.nan)
            for name in ("rho", "lower", "upper")
        )
        rows, columns = ([metric_title(name) for name in names] for names in (of_data, of_model))
        size = (
            max(0.6 + 0.075 * max(map(len, rows)) + _PITCH * len(columns), 4.2),
            1.9 + 0.44 * len(rows),
        )
        panels = self._panels(ax, size=size)
        axes = panels.axes[0]
        framed = (lower > 0) | (upper < 0)
        draw_cells(
            axes,
            rho,
            [
                [_text(*cell) for cell in zip(*row, strict=True)]
                for row in zip(rho, lower, upper, strict=True)
            ],
            colours=diverging(),
            limits=(-1.0, 1.0),
            framed=framed,
            fontsize=style.SMALL,
        )
        label_cells(axes, rows, columns, turn=turn_for(columns, _PITCH))
        style.legend_below(panels, self._legend(framed, lower), drop=8)
        return self

    def _legend(self, framed: np.ndarray, lower: np.ndarray) -> list:
        if np.isnan(lower).all():
            return [style.entry("Spearman's rank correlation")]
        level = f"{100 * self.confidence:g}%"
        handles = [style.entry(f"Spearman's rank correlation, {level} interval")]
        return handles + ([style.frame_entry("interval excludes 0")] if framed.any() else [])


def _text(rho: float, lower: float, upper: float) -> str:
    text = style.signed(rho, 2)
    if np.isnan(lower):
        return text
    ends = (f"{end:.2f}".replace("-", "\u2212") for end in (lower, upper))
    return f"{text}\n{' to '.join(ends)}"
