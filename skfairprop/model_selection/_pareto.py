"""Pareto fronts of losses: who is on them, how much they dominate, and which point to take."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from skfairprop._checks import is_integer
from skfairprop._optional import import_optional
from skfairprop._suggest import closest

Rule = Literal["constrained", "chebyshev", "knee", "lexicographic"]
RULES = ("constrained", "chebyshev", "knee", "lexicographic")
_AUGMENTATION = 1e-3
# Rows that are held against all others at once.
_BLOCK = 128
# .70 - .68 is more than .02 in floating point: a loss of exactly `within` is allowed.
_ROUNDING = 1e-12


def nondominated(losses: ArrayLike) -> np.ndarray:
    """Tell which rows no other row dominates.

    A row dominates another if it is not larger in any objective and smaller in at least one.

    Parameters
    ----------
    losses : array-like of float, shape (n, m)
        One row for each point and one column for each objective; smaller is better.

    Returns
    -------
    mask : array of bool, shape (n,)
        Equal rows do not dominate each other: all of them are kept. Rows with a NaN or an infinite
        value are neither on the front nor dominate others.

    Raises
    ------
    ValueError
        If `losses` is no table of numbers with at least one column.

    Examples
    --------
    >>> from skfairprop.model_selection._pareto import nondominated
    >>> nondominated([[0.1, 0.4], [0.2, 0.2], [0.3, 0.3], [0.2, 0.2], [0.0, float("nan")]])
    array([ True,  True, False,  True, False])
    """
    table = _as_table(losses)
    finite = np.flatnonzero(np.isfinite(table).all(axis=1))
    # In this order nobody dominates a row before it, so that what is left of the first rows is on
    # the front. (Sums would round: a row could come before one that dominates it.)
    left = finite[np.lexsort(table[finite].T[::-1])]
    mask = np.zeros(len(table), dtype=bool)
    while len(left):
        first, left = left[:_BLOCK], left[_BLOCK:]
        first = first[~_dominated(table[first], by=table[first])]
        mask[first] = True
        left = left[~_dominated(table[left], by=table[first])]
    return mask


def hypervolume(losses: ArrayLike, reference: ArrayLike) -> float:
    """Volume that the points dominate inside the box below a reference point.

    Parameters
    ----------
    losses : array-like of float, shape (n, m)
        Points, dominated or not; smaller is better. Rows with a NaN or an infinite value, or that
        are not better than `reference` in every objective, add nothing.
    reference : array-like of float, shape (m,)
        The worst loss of each objective that still counts.

    Returns
    -------
    volume : float
        In [0, inf), in the product of the units of the objectives; 0 without points.

    Raises
    ------
    ImportError
        If pymoo is not installed (the extra "search").
    ValueError
        If `reference` is not one finite number for each objective.

    Notes
    -----
    Zitzler and Thiele, "Multiobjective Optimization Using Evolutionary Algorithms: A Comparative
    Case Study", PPSN 1998. Computed exactly by pymoo.

    The volume depends on the reference: compare fronts under one that is fixed before any of them
    is known. That a front dominates more on the data of the search says little about the point
    that will be chosen from it, on other data.

    Examples
    --------
    >>> from skfairprop.model_selection._pareto import hypervolume
    >>> hypervolume([[0.0, 0.5], [0.5, 0.0]], reference=[1, 1])
    0.75
    """
    table = _as_table(losses)
    end = np.asarray(reference, dtype=float)
    if end.shape != (table.shape[1],) or not np.isfinite(end).all():
        raise ValueError(
            f"reference must be {table.shape[1]} finite numbers, one for each objective; "
            f"got {reference!r}"
        )
    inside = table[np.isfinite(table).all(axis=1) & (table < end).all(axis=1)]
    if not len(inside):
        return 0.0
    hv = import_optional("pymoo.indicators.hv", extra="search")
    return float(hv.HV(ref_point=end)(inside[nondominated(inside)]))


def choose(
    losses: ArrayLike,
    *,
    rule: Rule | Callable[[np.ndarray], int] = "constrained",
    utility: int = 0,
    gap: int = 1,
    within: float | Sequence[float] = 0.02,
    weights: ArrayLike | None = None,
    ideal: ArrayLike | None = None,
    order: Sequence[int] | None = None,
) -> int:
    """Choose one point of the front of some losses by a stated rule.

    Parameters
    ----------
    losses : array-like of float, shape (n, m)
        One row for each point and one column for each objective; smaller is better. Only rows of
        the front (:func:`nondominated`) can be chosen.
    rule : {"constrained", "chebyshev", "knee", "lexicographic"} or callable
        - "constrained": the least loss in `gap` among the points whose loss in `utility` is at
          most `within` above the best;
        - "chebyshev": the least weighted distance to the ideal point in the worst objective;
        - "knee": the point farthest below the plane through the ends of the front;
        - "lexicographic": the objectives in `order`, one after another: points more than `within`
          above the best that is left drop out, and the last objective decides;
        - a callable that gets the losses of the front, of shape (k, m) in the order of the rows,
          and returns a position from 0 to k - 1.

        Equal choices are told apart by the other objectives (their sum, normalised), then the
        first row is taken.
    utility, gap : int, default=0 and 1
        Columns of the utility and of the gap, for "constrained".
    within : float, or one for each objective of `order`, default=0.02
        Loss that is given away, in the unit of the objective; for "constrained" and
        "lexicographic" (0 for the textbook's lexicographic order).
    weights : array-like of float, shape (m,), optional
        Of the objectives, for "chebyshev"; not negative. All 1 by default.
    ideal : array-like of float, shape (m,), optional
        The losses one would be content with, for "chebyshev"; the least loss of the front in each
        objective by default. A point that is better is not punished for it.
    order : sequence of int, optional
        Columns from the most to the least important, for "lexicographic"; those left out only
        break ties. All columns in their order by default.

    Returns
    -------
    index : int
        Row of `losses`.

    Raises
    ------
    ValueError
        If no row is finite, the rule is not known, or an argument does not fit.
    TypeError
        If the callable returns no integer.

    Notes
    -----
    "chebyshev" normalises by the ideal and the nadir of the front (a range of 0 counts as 1) and
    adds 1e-3 times the sum of the distances, so that no weakly dominated point can win: Steuer and
    Choo, "An interactive weighted Tchebycheff procedure for multiple objective programming",
    Mathematical Programming 26, 1983.

    "knee" is the point of Das, "On characterizing the 'knee' of the Pareto curve based on
    normal-boundary intersection", Structural Optimization 18, 1999. For two objectives, the plane
    is the line through the two ends of the front. For more, it is the one that meets each axis of
    the normalised objectives at the nadir: points that are best in one objective need not span a
    plane.

    Choosing by the largest or least value of noisy estimates flatters: the chosen point will
    look worse on new data, "knee" and "chebyshev" more than "constrained", as the ends of the
    front define their units.

    Examples
    --------
    >>> from skfairprop.model_selection._pareto import choose
    >>> losses = [[0.20, 0.30], [0.21, 0.10], [0.25, 0.09], [0.40, 0.00]]
    >>> choose(losses), choose(losses, within=0.1), choose(losses, rule="knee")
    (1, 2, 1)
    >>> choose(losses, rule="chebyshev", weights=[1, 10])
    3
    """
    table = _as_table(losses)
    rows = np.flatnonzero(nondominated(table))
    if not len(rows):
        raise ValueError("losses: no row is finite, so there is nothing to choose from")
    front = table[rows]
    if callable(rule):
        return int(rows[_position(rule(front.copy()), len(front))])
    if rule not in RULES:
        raise ValueError(
            f"rule must be one of {', '.join(RULES)} or a callable; got {rule!r}"
            f"{closest(rule, RULES) if isinstance(rule, str) else ''}"
        )
    total = _normalise(front, front.min(axis=0)).sum(axis=1)
    if rule == "constrained":
        columns = [_column(utility, front, "utility"), _column(gap, front, "gap")]
        if columns[0] == columns[1]:
            raise ValueError(f"utility and gap are both column {columns[0]}; they must differ")
        keys = _one_after_another(front, columns, within)
    elif rule == "lexicographic":
        keys = _one_after_another(front, _order(order, front), within)
    elif rule == "chebyshev":
        keys = [_chebyshev(front, weights, ideal)]
    else:
        keys = [total]
    return int(rows[np.lexsort([total, *reversed(keys)])[0]])


def _dominated(rows: np.ndarray, *, by: np.ndarray) -> np.ndarray:
    """Which rows any of some others dominates, shape (n,)."""
    no_worse = np.ones((len(by), len(rows)), dtype=bool)
    better = ~no_worse
    for one, other in zip(by.T, rows.T, strict=True):
        no_worse &= one[:, None] <= other
        better |= one[:, None] < other
    return np.asarray((no_worse & better).any(axis=0))


def _as_table(losses: ArrayLike) -> np.ndarray:
    table = np.asarray(losses, dtype=float)
    if table.ndim != 2 or not table.shape[1]:
        raise ValueError(
            "losses must have two dimensions, points and objectives, and at least one objective; "
            f"got the shape {table.shape}"
        )
    return table


def _normalise(front: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    """Losses beyond the ideal, in units of its distance to the nadir; better than it is 0."""
    ranges = front.max(axis=0) - ideal
    scale = np.where(ranges > _ROUNDING, ranges, 1.0)
    out: np.ndarray = np.maximum(front - ideal, 0) / scale
    return out


def _chebyshev(front: np.ndarray, weights: ArrayLike | None, ideal: ArrayLike | None) -> np.ndarray:
    """Augmented, weighted Chebyshev distance of each point to the ideal."""
    best = front.min(axis=0) if ideal is None else _per_objective(ideal, front, "ideal")
    weight = np.ones(front.shape[1])
    if weights is not None:
        weight = _per_objective(weights, front, "weights")
        if (weight < 0).any() or not weight.any():
            raise ValueError(
                f"weights must not be negative, nor all 0; got {weight.tolist()}: "
                "an objective of no interest has the weight 0"
            )
    distances = _normalise(front, best) * weight
    out: np.ndarray = distances.max(axis=1) + _AUGMENTATION * distances.sum(axis=1)
    return out


def _one_after_another(
    front: np.ndarray, columns: list[int], within: float | Sequence[float]
) -> list[np.ndarray]:
    """Keys of a sort: whether a point dropped out, and the losses from the last column on."""
    try:
        given = np.asarray(within, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"within must be a number of at least 0; got {within!r}") from None
    if given.ndim > 1 or (given.ndim == 1 and len(given) != len(columns)):
        raise ValueError(
            f"within must be a number, or {len(columns)}, one for each objective of the order; "
            f"got {within!r}"
        )
    slack = np.broadcast_to(given, len(columns))
    if not (np.isfinite(slack) & (slack >= 0)).all():
        raise ValueError(f"within must be finite and not negative; got {within!r}")
    kept = np.ones(len(front), dtype=bool)
    for column, allowed in zip(columns[:-1], slack[:-1], strict=True):
        losses = front[:, column]
        kept &= losses <= losses[kept].min() + allowed + _ROUNDING
    return [~kept, *(front[:, column] for column in reversed(columns))]


def _order(order: Sequence[int] | None, front: np.ndarray) -> list[int]:
    columns = list(range(front.shape[1])) if order is None else list(order)
    found = [_column(column, front, "order") for column in columns]
    if not found or len(set(found)) < len(found):
        raise ValueError(f"order must name at least one column, and each once; got {order!r}")
    return found


def _column(column: object, front: np.ndarray, name: str) -> int:
    m = front.shape[1]
    if not is_integer(column) or not 0 <= column < m:
        raise ValueError(f"{name} must be a column from 0 to {m - 1}; got {column!r}")
    return int(column)


def _per_objective(values: ArrayLike, front: np.ndarray, name: str) -> np.ndarray:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.array([])
    if found.shape != (front.shape[1],) or not np.isfinite(found).all():
        raise ValueError(
            f"{name} must be {front.shape[1]} finite numbers, one for each objective; "
            f"got {values!r}"
        )
    return found


def _position(position: object, n: int) -> int:
    try:
        if isinstance(position, (bool, np.bool_)):
            raise TypeError
        found = index(position)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"the rule must return a position, an integer; got {position!r}") from None
    if not 0 <= found < n:
        raise ValueError(f"the rule must return a position from 0 to {n - 1}; got {position!r}")
    return found
