"""ROC curves and calibration of scores, group by group, with how sure of them one can be."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import auc, roc_curve

from skfairprop._labels import check_weights, encode_classes
from skfairprop._random import RandomState, as_generator
from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups, align
from skfairprop.inference import rate_interval
from skfairprop.metrics._metric import find_positive

# Points of a curve that are drawn at most.
_MAX_POINTS = 300


@dataclass(frozen=True)
class ScoredRows:
    """Scores of the rows, whether they are of the positive class, their groups and weights.

    Attributes
    ----------
    score : float array of shape (n,)
    positive : bool array of shape (n,)
    group : int array of shape (n,)
        Positions in `names`.
    names : list of str
    weight : float array of shape (n,), or None
    label : hashable
        The positive class.
    """

    score: np.ndarray
    positive: np.ndarray
    group: np.ndarray
    names: list[str]
    weight: np.ndarray | None
    label: Hashable

    def of(self, group: int | None) -> "ScoredRows":
        """The rows of one group; None: all."""
        if group is None:
            return self
        rows = np.flatnonzero(self.group == group)
        weight = None if self.weight is None else self.weight[rows]
        part = (self.score[rows], self.positive[rows], self.group[rows])
        return ScoredRows(*part, self.names, weight, self.label)

    @property
    def weights(self) -> np.ndarray:
        """Weights, 1 where there are none."""
        return np.ones(len(self.score)) if self.weight is None else self.weight


def read_scores(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any,
    pos_label,
    missing: str,
    owner: str,
) -> ScoredRows:
    """Read and align scores, true classes, protected columns and weights.

    Raises
    ------
    ValueError
        If the inputs do not fit together, the positive class is not known, or the scores are no
        finite numbers, one a row, of two values at least.
    """
    if y_score is None:
        raise ValueError(f"{owner}: y_score is missing; pass the score of the positive class")
    if np.ndim(y_score) == 2 and np.shape(y_score)[1] > 1:
        raise ValueError(
            f"{owner}: y_score has {np.shape(y_score)[1]} columns; pass that of the positive class"
        )
    columns = align(
        y_true=y_true,
        y_score=y_score,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
    )
    score = np.asarray(columns["y_score"][0].values)
    if score.dtype.kind not in "biuf" or not np.isfinite(score).all():
        raise ValueError(f"{owner}: y_score must hold finite numbers, one a row")
    groups = Groups.from_columns(columns["sensitive_features"], missing=missing)
    kept = groups.codes >= 0
    codes, classes = encode_classes({"y_true": columns["y_true"][0]})
    weight = None if sample_weight is None else check_weights(columns["sample_weight"][0])
    counts = GroupCounts.from_codes(
        groups.codes[kept], codes[0][kept], groups=groups.labels, classes=classes
    )
    found, position = find_positive(counts, pos_label, owner)
    label = found.classes[position]
    if len(np.unique(score[kept])) < 2:
        raise ValueError(
            f"{owner}: y_score holds the one value {score[kept][0]:g}, which ranks nothing"
        )
    return ScoredRows(
        score=score[kept].astype(float),
        positive=np.asarray(classes == label)[codes[0][kept]],
        group=groups.codes[kept],
        names=groups.texts,
        weight=None if weight is None else weight[kept].astype(float),
        label=label,
    )


# -- ROC ----------------------------------------------------------------------------------------


def roc_tables(
    rows: ScoredRows, *, confidence: float, n_draws: int, random_state: RandomState
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """ROC curves of everyone and of each group, and a line on each.

    Returns
    -------
    curves : DataFrame
        ``group`` (missing: everyone), ``fpr``, ``tpr``, ``lower`` and ``upper``.
    summary : DataFrame
        ``group``, ``n``, ``n_positive``, ``auc``, ``lower`` and ``upper``; NaN, and no curve, where
        a group lacks positives or negatives.
    """
    rng = as_generator(random_state)
    curves, summary = [], []
    for g in (None, *range(len(rows.names))):
        part = rows.of(g)
        name = None if g is None else rows.names[g]
        line = {"group": name, "n": len(part.score), "n_positive": int(part.positive.sum())}
        total = [float(part.weights[part.positive == side].sum()) for side in (True, False)]
        if min(total) == 0:
            summary.append(line | dict.fromkeys(("auc", "lower", "upper"), np.nan))
            continue
        fpr, tpr, _ = roc_curve(part.positive, part.score, sample_weight=part.weight)
        area = auc(fpr, tpr)
        if len(fpr) > _MAX_POINTS:
            some = np.unique(np.linspace(0, len(fpr) - 1, _MAX_POINTS).astype(int))
            fpr, tpr = fpr[some], tpr[some]
        curve = {"group": name, "fpr": fpr, "tpr": tpr, "lower": np.nan, "upper": np.nan}
        line |= {"auc": area, "lower": np.nan, "upper": np.nan}
        if g is not None:
            draws, areas = roc_replicates(part, fpr, n_draws, rng)
            ends = [(1 - confidence) / 2, (1 + confidence) / 2]
            line["lower"], line["upper"] = np.quantile(areas, ends)
            low, high = np.quantile(draws, ends, axis=0)
            # at the foot of a step as well as at its top
            curve |= {"lower": np.minimum(low, tpr), "upper": np.maximum(high, tpr)}
        curves.append(pd.DataFrame(curve).astype({"group": object}))
        summary.append(line)
    return pd.concat(curves, ignore_index=True), pd.DataFrame(summary).astype({"group": object})


def roc_replicates(
    rows: ScoredRows, fpr: np.ndarray, n_draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """ROC curves of resampled rows.

    Returns
    -------
    tpr : array of shape (b, len(fpr))
        At the given false positive rates; b is `n_draws`, less the replicates that lack positives
        or negatives.
    areas : array of shape (b,)
        Areas under the curves.
    """
    order = np.argsort(-rows.score, kind="stable")
    score, n = rows.score[order], len(order)
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    weight = rows.weights[order]
    sides = [np.where(rows.positive[order] == side, weight, 0.0) for side in (True, False)]
    tpr, areas = [], []
    for _ in range(n_draws):
        times = np.bincount(rng.integers(n, size=n), minlength=n)
        found = [np.append(0.0, np.cumsum(side * times)[last]) for side in sides]
        if min(f[-1] for f in found) > 0:
            y, x = (f / f[-1] for f in found)
            tpr.append(np.interp(fpr, x, y))
            areas.append(((y[1:] + y[:-1]) * np.diff(x)).sum() / 2)
    return np.array(tpr), np.array(areas)


# -- calibration --------------------------------------------------------------------------------


def calibration_tables(
    rows: ScoredRows, *, confidence: float, n_bins: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Share of positives by score, of everyone and of each group, and a line on each.

    Returns
    -------
    curves : DataFrame
        ``group`` (missing: everyone), ``score`` (mean in the bin), ``positive_rate``, ``lower``,
        ``upper`` and ``n`` (Kish's effective size); bins without rows are left out.
    summary : DataFrame
        ``group``, ``n``, ``n_positive``, ``mean_score`` and ``positive_rate``.
    """
    edges = np.unique(np.quantile(rows.score, np.linspace(0, 1, n_bins + 1)[1:-1]))
    curves, summary = [], []
    for g in (None, *range(len(rows.names))):
        part = rows.of(g)
        name = None if g is None else rows.names[g]
        curves.append(_calibration(part, name, edges, confidence))
        weight = part.weights
        known = weight.sum() > 0
        summary.append(
            {
                "group": name,
                "n": len(part.score),
                "n_positive": int(part.positive.sum()),
                "mean_score": np.average(part.score, weights=weight) if known else np.nan,
                "positive_rate": np.average(part.positive, weights=weight) if known else np.nan,
            }
        )
    return pd.concat(curves, ignore_index=True), pd.DataFrame(summary).astype({"group": object})


def _calibration(rows: ScoredRows, name: Any, edges: np.ndarray, confidence: float) -> pd.DataFrame:
    where = np.searchsorted(edges, rows.score, side="right")
    weight, size = rows.weights, len(edges) + 1
    sums = [
        np.bincount(where, weights=values, minlength=size)
        for values in (weight, weight**2, weight * rows.score, weight * rows.positive)
    ]
    total, squares, score, positive = (values[sums[0] > 0] for values in sums)
    n = total**2 / squares
    lower, upper = rate_interval(positive, total, confidence=confidence, effective_n=n)
    curve = {
        "group": name,
        "score": score / total,
        "positive_rate": positive / total,
        "lower": lower,
        "upper": upper,
        "n": n,
    }
    return pd.DataFrame(curve).astype({"group": object})
