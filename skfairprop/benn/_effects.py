"""Tables of responses: what the model does when a feature, or all that goes with it, changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skfairprop.benn._cells import Cells, association, cut, pool_rare
from skfairprop.benn._examined import Examined
from skfairprop.explain._table import block_rows

# Bins of a numeric column: of the groups of a block, and of a column that is moved.
_GROUP_BINS, _MOVED_BINS = 4, 8


class Block(NamedTuple):
    """Columns that say the same thing, examined together.

    Attributes
    ----------
    name : hashable
    columns : tuple of int
        Positions; the first decides the groups.
    """

    name: Any
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """What is asked about one block.

    Attributes
    ----------
    block : Block
    groups : Cells
        Of the rows, by the first column of the block.
    values : ndarray of shape (C, k)
        Observed values of the block, each tried in every row.
    proxies : DataFrame
        ``column`` (position), ``cramers_v`` and ``z`` of the columns associated with the groups.
    n_draws : int
    """

    block: Block
    groups: Cells
    values: np.ndarray
    proxies: pd.DataFrame
    n_draws: int

    @property
    def is_constant(self) -> bool:
        """Whether the block has one value, so that nothing can be compared."""
        return len(self.values) < 2

    @property
    def n_queries(self) -> int:
        """Most questions a row: direct values, and the draws of the total effect and its null."""
        if self.is_constant:
            return 0
        drawn = len(self.groups.names) * self.n_draws
        return len(self.values) + drawn * (2 if len(self.proxies) else 1)


@dataclass(frozen=True)
class Responses:
    """Changes of the output, in [0, 1], of n rows.

    Attributes
    ----------
    direct : ndarray of float32, shape (n, C)
        With the block set to each of its values.
    total : ndarray of float32, shape (n, G)
        With the block and its proxies as they are in each group.
    null : ndarray of float32, shape (n, G)
        The same for a placebo: shuffled groups, the block itself left alone.
    """

    direct: np.ndarray
    total: np.ndarray
    null: np.ndarray


def plan_block(
    Z: np.ndarray,
    table: Any,
    block: Block,
    *,
    min_rows: int,
    max_values: int,
    n_draws: int,
    z_min: float,
) -> Plan:
    """Groups, values and proxies of a block; a group has `min_rows`, or a tenth of the rows."""
    columns = list(block.columns)
    first = table.columns[columns[0]]
    min_rows = fewest_rows(len(Z), min_rows)
    groups = make_groups(Z, table, block, min_rows)
    found = []
    for j in range(Z.shape[1]):
        if j in columns:
            continue
        other = pool_rare(cut(Z[:, j], table.columns[j], _MOVED_BINS), min_rows)
        v, z = association(other, groups)
        if z > z_min:
            found.append((j, v, z))
    proxies = pd.DataFrame(found, columns=["column", "cramers_v", "z"])
    is_number = len(columns) == 1 and first.values is None
    values = _values(Z[:, columns], max_values, is_number=is_number)
    return Plan(block, groups, values, proxies.astype({"column": int}), n_draws)


def fewest_rows(n: int, min_rows: int) -> int:
    """Rows that a group must have: of few rows, no more than a tenth."""
    return min(min_rows, max(1, n // 10))


def make_groups(Z: np.ndarray, table: Any, block: Block, min_rows: int) -> Cells:
    """Groups by the first column of a block."""
    j = block.columns[0]
    return pool_rare(cut(Z[:, j], table.columns[j], _GROUP_BINS), min_rows)


def group_names(Z: np.ndarray, table: Any, block: Block, min_rows: int) -> np.ndarray:
    """Name of the group of every row."""
    cells = make_groups(Z, table, block, fewest_rows(len(Z), min_rows))
    return np.array(cells.names, dtype=object)[cells.codes]


def tabulate(
    examined: Examined,
    Z: np.ndarray,
    base: np.ndarray,
    plan: Plan,
    rng: np.random.Generator,
    step: Callable[[], None] = lambda: None,
) -> Responses:
    """Ask the model all there is to ask about one block.

    Parameters
    ----------
    examined : Examined
    Z : ndarray of shape (n, d)
        Encoded rows.
    base : ndarray of n rows
        Outputs for them.
    plan : Plan
    rng : Generator
    step : callable
        Called after each of :func:`n_asks` questions.
    """
    n, n_groups = len(Z), len(plan.groups.names)
    if plan.is_constant:
        return Responses(*(np.zeros((n, 1), dtype=np.float32) for _ in range(3)))
    direct = _tabulate_direct(examined, Z, base, plan, step)
    total, null = (np.zeros((n, n_groups), dtype=np.float32) for _ in range(2))
    shuffled = Cells(rng.permutation(plan.groups.codes), plan.groups.names)
    mover = Mover(Z, examined.table, plan.block.columns, plan.proxies["column"])
    what = f"{plan.block.name!r} and what goes with it"
    for _ in range(plan.n_draws):
        for group in range(n_groups):
            moved = mover.move(plan.groups, group, rng, block_too=True)
            total[:, group] += examined.change(moved, base, _equal(moved, Z), what)
            if len(plan.proxies):
                moved = mover.move(shuffled, group, rng, block_too=False)
                null[:, group] += examined.change(moved, base, _equal(moved, Z), what)
            step()
    return Responses(direct, total / plan.n_draws, null / plan.n_draws)


def n_asks(plan: Plan, n: int, d: int) -> int:
    """How many questions of many rows :func:`tabulate` asks about a block."""
    if plan.is_constant:
        return 0
    return -(-len(plan.values) // _at_once(n, d)) + len(plan.groups.names) * plan.n_draws


def _at_once(n: int, d: int) -> int:
    """Values that are tried in one question."""
    return max(1, block_rows(d) // n)


def _tabulate_direct(
    examined: Examined, Z: np.ndarray, base: np.ndarray, plan: Plan, step: Callable[[], None]
) -> np.ndarray:
    n, columns = len(Z), list(plan.block.columns)
    out = np.zeros((n, len(plan.values)), dtype=np.float32)
    at_once = _at_once(*Z.shape)
    for start in range(0, len(plan.values), at_once):
        values = plan.values[start : start + at_once]
        changed = np.tile(Z, (len(values), 1))
        changed[:, columns] = np.repeat(values, n, axis=0)
        again = (len(values), *([1] * (base.ndim - 1)))
        same = _equal(changed, np.tile(Z, (len(values), 1)))
        change = examined.change(
            changed, np.tile(base, again if base.ndim > 1 else len(values)), same,
            repr(plan.block.name),
        )  # fmt: skip
        out[:, start : start + len(values)] = change.reshape(len(values), n).T
        step()
    return out


class Mover:
    """Moves rows into another group: the block, and the columns that go with it.

    A row that changes group takes the whole block from a random row of the other one. Each proxy
    then moves from its distribution in the old group to that in the new one by the maximal
    coupling: as few rows as possible change it.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    table : Table
    block : tuple of int
    proxies : sequence of int
    """

    def __init__(self, Z: np.ndarray, table: Any, block: Sequence[int], proxies: Any) -> None:
        self.Z = Z
        self.block = np.array(block, dtype=np.intp)
        self.proxies = [int(j) for j in proxies]
        self.cells = [cut(Z[:, j], table.columns[j], _MOVED_BINS) for j in self.proxies]

    def move(
        self, groups: Cells, group: int, rng: np.random.Generator, *, block_too: bool
    ) -> np.ndarray:
        """Rows as they would be in `group`, of shape (n, d)."""
        out = self.Z.copy()
        if block_too:
            donors = np.flatnonzero(groups.codes == group)
            others = np.flatnonzero(groups.codes != group)
            chosen = donors[rng.integers(len(donors), size=len(others))]
            out[np.ix_(others, self.block)] = self.Z[np.ix_(chosen, self.block)]
        for j, cells in zip(self.proxies, self.cells, strict=True):
            rows, donors = _couple(cells, groups, group, rng)
            out[rows, j] = self.Z[donors, j]
        return out


def _couple(
    cells: Cells, groups: Cells, group: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that change their cell of a column, and the rows of `group` whose value they take."""
    width = len(cells.names)
    counts = np.bincount(groups.codes * width + cells.codes, minlength=len(groups.names) * width)
    counts = counts.reshape(-1, width)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    own, wanted = shares[groups.codes, cells.codes], shares[group][cells.codes]
    leaves = (rng.random(len(own)) > wanted / own) & (groups.codes != group)
    rows = np.flatnonzero(leaves)
    lacking = np.clip(shares[group] - shares, 0, None)[groups.codes[rows]]
    cumulated = np.cumsum(lacking, axis=1)
    drawn = rng.random(len(rows)) * cumulated[:, -1] * (1 - 1e-12)  # never the end itself
    to = np.minimum((cumulated <= drawn[:, None]).sum(axis=1), width - 1)
    members = np.flatnonzero(groups.codes == group)
    members = members[np.argsort(cells.codes[members], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(counts[group])[:-1]])
    size = counts[group][to]
    donors = members[starts[to] + (rng.random(len(rows)) * size).astype(np.intp)]
    return rows, donors


def _values(block: np.ndarray, most: int, *, is_number: bool) -> np.ndarray:
    """At most so many observed values: quantiles of a number, else the most frequent ones."""
    known = block[~np.isnan(block).any(axis=1)] if is_number else block
    values, counts = np.unique(known, axis=0, return_counts=True)
    if len(values) <= most:
        return values
    if is_number:
        shares = np.linspace(0, 1, most)
        return np.unique(np.quantile(known[:, 0], shares, method="nearest"))[:, None]
    return values[np.sort(np.argsort(-counts, kind="stable")[:most])]


def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return ((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)
