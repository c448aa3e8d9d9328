"""Weights of the cells (group, class) that take a bias out of a data set."""

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

# BENN, section 5.4: what a replica counts that does not bring its group nearer to the others.
_OTHER_REPLICA = 0.1
_MAX_ROUNDS = 1000


def reweighing_factors(table: np.ndarray) -> np.ndarray:
    """Weight of each cell that makes group and class independent, P(a) P(y) / P(a, y).

    Parameters
    ----------
    table : array of shape (G, K)
        Counts or sums of weights.

    Returns
    -------
    array of shape (G, K)
        NaN where a cell is empty.
    """
    table = _near_one(table)
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    return np.divide(expected, table, out=np.full(table.shape, np.nan), where=table > 0)


def replication_factors(
    table: np.ndarray, positive: int, threshold: float, *, owner: str
) -> np.ndarray:
    """Weight of each cell after rounds of replication.

    In every round all rows are replicated once. A replica that brings its group's share of the
    positive class nearer to that of everybody weighs 1, another .1; a group that would overshoot
    gets the part of a round that takes it there, and no more.

    Parameters
    ----------
    table : array of shape (G, K)
        Counts or sums of weights.
    positive : int
        Column of the positive class.
    threshold : float
        Largest variance of the groups' shares at which to stop.
    owner : str
        For the warning.

    Returns
    -------
    array of shape (G, K)
        1 plus the weights of the replicas; NaN where a cell is empty.
    """
    is_positive = np.arange(table.shape[1]) == positive
    found, rest = table[:, is_positive].sum(1), table[:, ~is_positive].sum(1)
    target = found.sum() / table.sum()
    low = found < target * (found + rest)
    helpful, other = np.where(low, found, rest), np.where(low, rest, found)
    changes = (helpful > 0) & (other > 0)  # a group of one class cannot be changed by weights
    enough = np.zeros(len(table))
    enough[changes] = _rounds_to(
        np.where(low, target, 1 - target)[changes], helpful[changes], other[changes]
    )
    for rounds in range(_MAX_ROUNDS + 1):
        n = np.minimum(rounds, enough)
        up, down = helpful * (1 + n), other * (1 + _OTHER_REPLICA * n)
        spread = np.var((np.where(low, up, down) / (up + down))[changes]) if changes.any() else 0.0
        if spread <= threshold or rounds >= enough.max():
            break
    else:
        warnings.warn(
            f"{owner}: after {_MAX_ROUNDS:,} rounds of replication the variance of the groups' "
            f"shares is {spread:.2g}, above threshold={threshold:g}: replicas cannot multiply the "
            "odds of a class by more than 10; use method='reweighing'",
            ConvergenceWarning,
            stacklevel=2,
        )
    helps = low[:, None] == is_positive
    factors = 1 + n[:, None] * np.where(helps, 1.0, _OTHER_REPLICA)
    return np.where(table > 0, factors, np.nan)


def _rounds_to(goal: np.ndarray, helpful: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Rounds, not whole, until the helpful rows have the share `goal`; infinite if never."""
    # solve helpful (1 + n) / (other (1 + n / 10)) = goal / (1 - goal)
    odds = goal / (1 - goal) * other / helpful
    out = np.full(len(goal), np.inf)
    reached = odds * _OTHER_REPLICA < 1
    out[reached] = (odds[reached] - 1) / (1 - _OTHER_REPLICA * odds[reached])
    return np.maximum(out, 0.0)


def effective_sample_size(weights: np.ndarray) -> float:
    """Kish's effective sample size, (sum w)^2 / sum w^2."""
    weights = _near_one(weights)
    return float(weights.sum() ** 2 / np.square(weights).sum())


def _near_one(weights: np.ndarray) -> np.ndarray:
    """The weights by a power of two, which rounds nothing: products neither vanish nor overflow."""
    return np.ldexp(weights, -int(np.frexp(weights.max())[1]))


def check_clip(clip: Any, *, owner: str) -> tuple[float, float]:
    """Smallest and largest weight from None, one number (c: 1/c to c) or a pair."""
    if clip is None:
        return 0.0, np.inf
    try:
        pair = (1 / float(clip), clip) if isinstance(clip, Real) else clip
        low, high = (float(bound) for bound in pair)
    except (TypeError, ValueError, ZeroDivisionError):
        low, high = np.nan, np.nan
    if not 0 <= low <= 1 <= high:
        raise ValueError(
            f"{owner}: clip must be None, a number of at least 1, or a pair (low, high) with "
            f"0 <= low <= 1 <= high; got {clip!r}"
        )
    return low, high
