"""The three of BENN's 21 bias estimations that read scores: no function of counts.

Source: Giloni et al. 2020, "BENN" [B], appendix B.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.metrics._estimation import CONVENTIONS, INVERTED, spread
from skfairprop.metrics._metric import Metric

Array = np.ndarray


@dataclass(frozen=True)
class ScoreRows:
    """Rows with a score: what the score estimations read.

    Parameters
    ----------
    outcome : bool array of shape (n,)
        Whether the prediction is positive (or the truth, in the textbook form).
    score : float array of shape (n,)
    group : integer array of shape (n,)
        Codes 0 .. n_groups - 1.
    n_groups : int
    weight : float array of shape (n,)
    threshold : float
        Scores above it count as high.
    """

    outcome: Array
    score: Array
    group: Array
    n_groups: int
    weight: Array
    threshold: float

    def share(self, what: Array, given: Array) -> Array:
        """Weighted share of `what` among the rows `given`, per group; NaN where there are none."""
        total = self._sum(given)
        out = np.full(self.n_groups, np.nan)
        return np.divide(self._sum(what & given), total, out=out, where=total > 0)

    def _sum(self, rows: Array) -> Array:
        return np.bincount(self.group[rows], weights=self.weight[rows], minlength=self.n_groups)


def calibration_kernel(
    rows: ScoreRows, *, convention: str = "corrected", min_group_size: int = 1
) -> float:
    """Largest (corrected) or smallest (paper) spread over groups of P(outcome | score, group)."""
    cell, pairs = pd.factorize(
        pd.factorize(rows.score)[0].astype(np.int64) * rows.n_groups + rows.group
    )
    total = np.bincount(cell, weights=rows.weight)
    size = np.bincount(cell, weights=rows.weight > 0)
    kept = (size >= min_group_size) & (total > 0)
    rate = np.bincount(cell, weights=rows.weight * rows.outcome)[kept] / total[kept]
    score = pd.factorize(pairs[kept] // rows.n_groups)[0]
    k = np.bincount(score)
    mean = np.bincount(score, weights=rate) / k
    variance = np.bincount(score, weights=(rate - mean[score]) ** 2) / k
    compared = k >= 2
    if not compared.any():
        return float("nan")
    k, variance = k[compared], variance[compared]
    if convention == "paper":
        return float(variance.min())
    return float((variance * k * k / ((k // 2) * ((k + 1) // 2))).max())


def prediction_parity_kernel(rows: ScoreRows, *, convention: str = "corrected") -> float:
    """Spread over groups of P(outcome | score above the threshold)."""
    value = float(spread(rows.share(rows.outcome, rows.score > rows.threshold), convention))
    return value if convention == "corrected" else 1 - value


def erbs_kernel(rows: ScoreRows, *, convention: str = "corrected") -> float:
    """Error rate balance of scores: high scores of negatives, low scores of positives."""
    high = rows.score > rows.threshold
    false_high = spread(rows.share(high, ~rows.outcome), convention)
    false_low = spread(rows.share(~high, rows.outcome), convention)
    if convention == "corrected":
        return float(np.fmax(false_high, false_low))
    return float(1 - np.fmin(false_high, false_low))


def _record(method: str, kernel: Callable[..., float], **facts: Any) -> Metric:
    return Metric(
        f"estimation_{method}",
        kernel,
        family="estimation",
        inputs="scores",
        needs_positive=True,
        options={"convention": CONVENTIONS},
        source="Giloni et al. 2020, appendix B",
        **facts,
    )


METRICS = (
    _record(
        "calibration",
        calibration_kernel,
        formula="largest scaled variance over groups of P(pred = pos | score, group)",
        misleads="With continuous scores every cell holds one row: bin them first.",
    ),
    _record(
        "prediction_parity",
        prediction_parity_kernel,
        formula="scaled variance over groups of P(pred = pos | score > threshold, group)",
        misleads="1 or 0 by construction when the prediction is the thresholded score.",
        variants=INVERTED,
    ),
    _record(
        "erbs",
        erbs_kernel,
        formula="larger of the scaled variances of P(high | pred = neg) and P(low | pred = pos)",
        misleads="0 by construction when the prediction is the thresholded score.",
        variants=INVERTED,
    ),
)
