"""Stability per group and the disparity between groups, on arrays with any replicate axes."""

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from scipy import stats

from skfairprop.metrics._metric import Metric

TAILS = ("continuous", "literal", "tail_mean")
TIED = 1e-12  # risks that differ by less are the same: only rounding tells them apart
_EPSILON = 1e-12  # of the printed formula
_BLOCK = 4_000_000  # cells of one block of replicates


@dataclass(frozen=True)
class Cells:
    """Sums of some rows' values in every cell of group and label.

    Parameters
    ----------
    n : array of shape (..., G, L)
        Number of rows.
    sums : array of shape (..., G, L)
        Sum of their values.
    label_share : array of shape (L,)
        Weight of each label in the mean over labels, sum 1.
    shrinkage : float
        Rows with the label's mean value that each cell is thought to have besides its own.
    """

    n: np.ndarray
    sums: np.ndarray
    label_share: np.ndarray
    shrinkage: float

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean of each cell, NaN where it has no rows."""
        return _ratio(self.sums, self.n)

    @cached_property
    def label_mean(self) -> np.ndarray:
        """Mean over all rows of a label, NaN where there are none; shape (..., 1, L)."""
        return _ratio(self.sums.sum(-2, keepdims=True), self.n.sum(-2, keepdims=True))

    @cached_property
    def shrunk(self) -> np.ndarray:
        """Means drawn towards the label's; a cell without rows has the label's mean."""
        mean = np.broadcast_to(self.label_mean, self.sums.shape)
        n = self.n + self.shrinkage
        drawn = np.divide(self.sums + self.shrinkage * mean, n, out=mean.copy(), where=n > 0)
        return np.where(self.n > 0, drawn, mean)

    @cached_property
    def group_means(self) -> np.ndarray:
        """Mean over labels, by the share of each, of shape (..., G).

        A label without rows in any group has no mean: the others share its weight.
        """
        known = ~np.isnan(self.label_mean)
        weight = np.where(known, self.label_share, 0.0)
        total = weight.sum(-1, keepdims=True)
        return (np.where(known, self.shrunk, 0.0) * weight).sum(-1) / total[..., 0]


@dataclass(frozen=True)
class Pairs:
    """Differences and risks of all pairs of groups.

    Parameters
    ----------
    stability : array of shape (..., G)
    """

    stability: np.ndarray

    @cached_property
    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the first and the second group of each pair."""
        return np.triu_indices(self.stability.shape[-1], 1)

    @cached_property
    def difference(self) -> np.ndarray:
        """D, of shape (..., P)."""
        i, j = self.members
        return np.abs(self.stability[..., i] - self.stability[..., j])

    @cached_property
    def risk(self) -> np.ndarray:
        """R: how unstable the less stable of the two is, of shape (..., P)."""
        i, j = self.members
        return 1 - np.minimum(self.stability[..., i], self.stability[..., j])

    def threshold(self, alpha: float) -> np.ndarray:
        """The (1 - alpha)-quantile of the risks, of shape (...)."""
        return np.quantile(self.risk, 1 - alpha, axis=-1)

    def weights(self, alpha: float, tail: str) -> np.ndarray:
        """Weight of each pair, of shape (..., P); sum 1, or 0 where ``tail="literal"``.

        The weight is R's excess over tau, its (1 - alpha)-quantile; equal for the pairs of R >= tau
        where ``tail="tail_mean"``. Without an excess, the pairs of the largest R share it.
        """
        tau = self.threshold(alpha)[..., None]
        if tail == "tail_mean":
            return _uniform(self.risk >= tau - TIED)
        excess = np.maximum(self.risk - tau, 0.0)
        total = excess.sum(-1, keepdims=True)
        if tail == "literal":
            return excess / (total + _EPSILON)
        at_top = _uniform(self.risk >= self.risk.max(-1, keepdims=True) - TIED)
        return np.where(total > TIED, excess / np.where(total > TIED, total, 1.0), at_top)

    def disparity(self, alpha: float, tail: str) -> np.ndarray:
        """MESD, the weighted mean of D over the pairs, of shape (...)."""
        return (self.weights(alpha, tail) * self.difference).sum(-1)


def count_cells(
    values: np.ndarray,
    groups: np.ndarray,
    labels: np.ndarray,
    *,
    shape: tuple[int, int],
    label_share: np.ndarray,
    shrinkage: float,
) -> Cells:
    """Cells of rows with these values, group codes and label codes; `shape` is (G, L)."""
    cell = groups * shape[1] + labels
    size = shape[0] * shape[1]
    n = np.bincount(cell, minlength=size).reshape(shape)
    sums = np.bincount(cell, weights=values, minlength=size).reshape(shape)
    return Cells(n, sums, label_share, shrinkage)


def permuted_group_means(
    cells: Cells,
    values: np.ndarray,
    groups: np.ndarray,
    labels: np.ndarray,
    *,
    n_permutations: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Group means when the rows of a label are dealt to the groups at random, shape (B, G).

    The cells keep their numbers of rows, so only their sums change.
    """
    order = np.lexsort((groups, labels))
    ranked = values[order]
    ends = np.cumsum(np.bincount(labels, minlength=cells.n.shape[1]))
    starts = np.concatenate([[0], ends[:-1]])
    bounds = np.concatenate([[0], np.cumsum(cells.n.T.ravel())])  # of the cells, label by label
    out = []
    for size in _blocks(n_permutations, len(values)):
        dealt = np.tile(ranked, (size, 1))
        for start, end in zip(starts, ends, strict=True):
            dealt[:, start:end] = rng.permuted(dealt[:, start:end], axis=1)
        total = np.concatenate([np.zeros((size, 1)), np.cumsum(dealt, axis=1)], axis=1)
        sums = np.diff(total[:, bounds], axis=1).reshape(size, *cells.n.T.shape)
        sums = np.swapaxes(sums, 1, 2)
        n = np.broadcast_to(cells.n, sums.shape)
        out.append(Cells(n, sums, cells.label_share, cells.shrinkage).group_means)
    return np.concatenate(out)


def resampled_group_means(
    cells: Cells,
    values: np.ndarray,
    groups: np.ndarray,
    labels: np.ndarray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Group means when each group draws its rows anew, with replacement, shape (B, G).

    They are not shrunk: shrinkage biases a difference towards 0, by more than an interval is wide.
    A row that is alone in its group shows no spread, and moves as the rows of other groups do: one
    group at least must have two rows.
    """
    shape = cells.n.shape
    moves = _moves_of_others(values, groups)
    members = [np.flatnonzero(groups == g) for g in range(shape[0])]
    out = []
    for size in _blocks(n_resamples, len(values)):
        n, sums = np.zeros((2, size, *shape))
        for g, rows in enumerate(members):
            if not len(rows):
                continue
            drawn = rows[rng.integers(len(rows), size=(size, len(rows)))]
            found = values[drawn]
            if len(rows) == 1:
                found = found + rng.choice(moves, found.shape)
            for label in range(shape[1]):
                here = labels[drawn] == label
                n[:, g, label] = here.sum(1)
                sums[:, g, label] = np.where(here, found, 0.0).sum(1)
        out.append(_additive_means(Cells(n, sums, cells.label_share, 0.0)))
    return np.concatenate(out)


def _additive_means(cells: Cells) -> np.ndarray:
    """Group means of shape (..., G), not shrunk, where a cell without rows follows its group.

    It has the label's mean plus what the group's rows of other labels are above theirs. With the
    label's mean alone, a resample that misses the one row of a cell would come near to the other
    groups.
    """
    label_mean = cells.label_mean
    above = (cells.sums - cells.n * np.nan_to_num(label_mean)).sum(-1, keepdims=True)
    n = cells.n.sum(-1, keepdims=True)
    shift = np.divide(above, n, out=np.zeros(above.shape), where=n > 0)
    filled = np.where(cells.n > 0, cells.mean, label_mean + shift)
    known = ~np.isnan(label_mean)
    weight = np.where(known, cells.label_share, 0.0)
    return (np.where(known, filled, 0.0) * weight).sum(-1) / weight.sum(-1)


def _moves_of_others(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Distances of rows from the means of their groups, of those that have several rows."""
    n = np.bincount(groups)
    mean = np.bincount(groups, weights=values) / np.maximum(n, 1)
    several = n[groups] > 1
    scale = np.sqrt(n / np.maximum(n - 1, 1))  # the mean lies nearer to its own rows
    return ((values - mean[groups]) * scale[groups])[several]


def widened(drawn: np.ndarray, cells: Cells, confidence: float) -> np.ndarray:
    """Resampled group means, spread as far as Student's t reaches rather than the normal.

    Percentiles of resamples are too narrow for few rows, by sqrt((n - 1) / n) for the spread and
    by the ratio of the quantiles for not knowing it (Hesterberg 2015, "What teachers should know
    about the bootstrap", section 5.3).

    Parameters
    ----------
    drawn : array of shape (B, G)
    cells : Cells
        Of the rows that were resampled.
    confidence : float
        Level of the intervals that they are for.
    """
    n = cells.n.sum(-1)
    degrees = np.maximum(n - 1, 1)
    end = (1 + confidence) / 2
    factor = np.sqrt(n / degrees) * stats.t.ppf(end, degrees) / stats.norm.ppf(end)
    centre = _additive_means(cells)
    wide = centre + np.where(n > 1, factor, 1.0) * (drawn - centre)
    return np.clip(wide, 0.0, 1.0)


def _ratio(sums: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Quotient, NaN where there are no rows; same shape."""
    return np.divide(sums, n, out=np.full(np.shape(sums), np.nan), where=np.asarray(n) > 0)


def _uniform(chosen: np.ndarray) -> np.ndarray:
    """The same weight for each chosen pair, of shape (..., P); sum 1."""
    return chosen / chosen.sum(-1, keepdims=True)


def _blocks(n_replicates: int, n_rows: int) -> list[int]:
    """Numbers of replicates that fit in one block."""
    step = max(1, _BLOCK // max(n_rows, 1))
    return [min(step, n_replicates - start) for start in range(0, n_replicates, step)]


_SOURCE = "Popoola & Sheppard 2026 (MESD)"


def _record(name: str, field: str, formula: str, misleads: str, **known: Any) -> Metric:
    """The record of a number that has a field of its own in what MESD returns.

    Its kernel takes that field; the number is computed in :func:`_mesd_result.summarise`, from the
    cells and the pairs above.
    """
    return Metric(
        name=name,
        kernel=attrgetter(field),
        family="procedural",
        formula=formula,
        source=known.pop("source", _SOURCE),
        misleads=misleads,
        inputs="attributions",
        **known,
    )


METRICS = (
    _record(
        "mesd",
        "value",
        "mean of |S(i) - S(j)| over the pairs of groups whose less stable one is in the tail",
        "Above 0 by chance, .003 to .024 for 200 rows; unsteady from draw to draw",
        null="separation",
    ),
    _record(
        "mesd_max",
        "max",
        "max of |S(i) - S(j)| over the pairs of groups",
        "Grows with the number of groups and with small groups, by chance",
        null="separation",
    ),
    _record(
        "mesd_var",
        "var",
        "population variance of |S(i) - S(j)| over the pairs of groups",
        "0 for two groups, however far apart; blind to a difference that all pairs share",
        null="separation",
    ),
    _record(
        "mesd_excess",
        "excess",
        "mesd - its mean when the rows of each label are dealt to the groups at random",
        "Below 0 is no better than 0: groups differ less than by chance, by chance",
        null="separation",
        range=(-1.0, 1.0),
        signed=True,
    ),
    _record(
        "worst_group_instability",
        "worst_group_instability",
        "1 - min over groups of S(g)",
        "Grows where all groups are unstable alike; no comparison of groups",
        compares_groups=False,
    ),
    _record(
        "mean_instability",
        "mean_instability",
        "1 - mean of S over the rows",
        "Says nothing of groups; 0 for a constant model",
        compares_groups=False,
    ),
    _record(
        "fidelity_gap",
        "fidelity_gap",
        "max - min over groups of the mean fidelity of the attributions",
        "SHAP values add up, with fidelity 1 in every group: the gap is LIME's by its weight",
        source="fidelity as in Ribeiro et al. 2016 (LIME), compared between groups here",
        range=(0.0, float("inf")),
    ),
)
