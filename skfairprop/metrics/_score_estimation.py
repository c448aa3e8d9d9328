"""The three of BENN's 21 bias estimations that read scores: no function of counts.

Source: Giloni et al. 2020, "BENN" [B], appendix B.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice, check_integer, check_switch, is_number
from skfairprop._columns import Column, factorize
from skfairprop._labels import check_weights, read_numbers
from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups, align_columns
from skfairprop.metrics._estimation import CONVENTIONS, INVERTED, spread
from skfairprop.metrics._metric import Metric, describe_too_few
from skfairprop.metrics._rates import Rates

Array = np.ndarray
# Scores that differ by less, relative to their size, are the same: only rounding tells them apart.
_ROUNDING = 1e-12
CALIBRATION = "estimation_calibration"  # the one that compares cells, which may be too small


@dataclass(frozen=True, eq=False)
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


# -- from rows --------------------------------------------------------------------------------


def check_score_options(
    *,
    convention: Any = "corrected",
    threshold: Any = None,
    use_y_true: Any = False,
    min_group_size: Any = 1,
    owner: str = "",
) -> None:
    """Raise ValueError for an option of the estimations that is not allowed; `owner` is named."""
    check_choice("convention", convention, CONVENTIONS, owner=owner)
    check_integer("min_group_size", min_group_size, least=1, owner=owner)
    check_switch("use_y_true", use_y_true, owner=owner)
    if threshold is not None and (not is_number(threshold) or math.isnan(threshold)):
        start = f"{owner}: " if owner else ""
        raise ValueError(f"{start}threshold must be a number; got {threshold!r}")


def score_rows(
    outcome: Column,
    score: Column,
    *,
    groups: Groups,
    label: Hashable,
    sample_weight: Column | None,
    threshold: float | None,
    name: str = "y_score",
) -> ScoreRows:
    """Rows with a score; those without a protected value are left out, as they are from counts.

    Parameters
    ----------
    outcome : Column
        Predicted classes, or true ones in the textbook form.
    score : Column
        Larger for more positive.
    groups : Groups
    label : hashable
        The positive class.
    sample_weight : Column or None
    threshold : float or None
        None: the weighted mean score.
    name : str
        Of the scores, for the messages.

    Raises
    ------
    ValueError
        If scores or weights are no finite numbers, or not as many as the classes.
    """
    align_columns({"y_pred": [outcome], name: [score]})
    scores = read_numbers(score, name).astype(float)
    codes, labels = factorize(outcome.values, what="y_pred")
    weight = np.ones(len(scores))
    if sample_weight is not None:
        weight = check_weights(sample_weight).astype(float)
    kept = groups.codes >= 0
    scores, weight = scores[kept], weight[kept]
    return ScoreRows(
        outcome=np.isin(codes, np.flatnonzero(labels == label))[kept],
        score=scores,
        group=groups.codes[kept].astype(np.int64),
        n_groups=len(groups.labels),
        weight=weight,
        threshold=_mean_score(scores, weight) if threshold is None else float(threshold),
    )


def _mean_score(score: Array, weight: Array) -> float:
    """The weighted mean; a score that equals it but for rounding is on no side of it."""
    mean = float(np.average(score, weights=weight))
    size = float(np.average(np.abs(score), weights=weight))
    nearest = float(score[np.abs(score - mean).argmin()])
    return nearest if abs(nearest - mean) <= _ROUNDING * size else mean


def estimate_scores(
    rows: ScoreRows, metric: Metric, *, convention: str, min_group_size: int, **_: Any
) -> float:
    """Value of one of the three; of the options it is given those that its kernel has."""
    extra = {"min_group_size": min_group_size} if metric.name == CALIBRATION else {}
    return float(metric.kernel(rows, convention=convention, **extra))


def describe_undefined_score(counts: GroupCounts, metric: Metric) -> str:
    """Why an estimation on scores is undefined; `counts` are those of the same rows."""
    rates = Rates(counts.values)
    if np.count_nonzero(rates.present) < 2:
        return describe_too_few(counts, rates)
    return f"{metric.name.removeprefix('estimation_')}: no two groups have a rate to compare"


# -- kernels and records ----------------------------------------------------------------------


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
