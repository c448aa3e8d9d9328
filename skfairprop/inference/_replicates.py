"""Random tables: without bias, from given rates, and from the posterior of the rates.

Replicates are drawn in blocks whose size depends on the table alone, each with a generator of its
own: what is drawn does not depend on how many replicates are held in memory at a time.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from scipy.stats import random_table

from skfairprop.inference._layout import LAYOUTS, Layout

Array = np.ndarray
Draw = Callable[[int, np.random.Generator], Array]
# Cells that are drawn at a time, and those that the metrics read at a time: these fit a cache.
_BLOCK_CELLS = 1 << 19
_CHUNK_CELLS = 1 << 17
_MIN_BLOCK, _MAX_BLOCK = 10, 1000
# scipy's random_table ends the process for more rows than about this.
_MAX_ROWS = (1 << 32) - 1


def draw_blocks(
    layout: Layout, draw: Draw, n_draws: int, *, seed: int, stage: int
) -> Iterator[Array]:
    """A set of `n_draws` tables, in blocks of shape (b, S, G, C).

    Parameters
    ----------
    layout : Layout
    draw : callable
        ``draw(b, rng)`` returns b tables, (b, S, G, C).
    n_draws : int
    seed, stage : int
        With the layout they settle what is drawn.
    """
    size = int(np.clip(_BLOCK_CELLS // layout.counts.size, _MIN_BLOCK, _MAX_BLOCK))
    for block, start in enumerate(range(0, n_draws, size)):
        rng = np.random.default_rng([seed, LAYOUTS[layout.name], stage, block])
        yield draw(min(size, n_draws - start), rng)


def tensors(
    layout: Layout, blocks: Iterable[Array], chunk_size: int | None = None
) -> Iterator[Array]:
    """Blocks of tables as the metrics read them, so many replicates at a time."""
    size = chunk_size or max(1, _CHUNK_CELLS // layout.counts.size)
    held: list[Array] = []
    n = 0
    for block in blocks:
        start = 0
        while start < len(block):
            held.append(block[start : start + size - n])
            start, n = start + len(held[-1]), n + len(held[-1])
            if n == size:
                yield layout.tensor(np.concatenate(held))
                held, n = [], 0
    if held:
        yield layout.tensor(np.concatenate(held))


def permuted(layout: Layout) -> Draw:
    """Tables with the margins of every stratum: the groups exchanged within it, exactly."""
    counts = layout.counts
    total = int(counts.sum((-2, -1)).max(initial=0))
    if total > _MAX_ROWS:
        raise ValueError(
            f"{total:,} rows are more than random tables can hold ({_MAX_ROWS:,}); infer from a "
            "random part of them"
        )

    def draw(b: int, rng: np.random.Generator) -> Array:
        out = np.broadcast_to(counts, (b, *counts.shape)).copy()
        for s, table in enumerate(counts):
            rows, columns = table.sum(1), table.sum(0)
            i, j = np.flatnonzero(rows), np.flatnonzero(columns)
            # One row or one column leaves nothing to exchange; scipy's random_table returns
            # negative counts for those.
            if len(i) > 1 and len(j) > 1:
                drawn = random_table(rows[i], columns[j]).rvs(b, random_state=rng)
                out[:, s, i[:, None], j] = drawn
        return out

    return draw


def swapped(layout: Layout) -> Draw:
    """Tables in which truth and prediction are swapped, or not, in every row at random."""
    k = layout.n_classes
    counts = layout.counts.reshape(*layout.counts.shape[:-1], k, k)
    upper, lower = np.triu_indices(k, 1)
    both = (counts + counts.swapaxes(-1, -2))[..., upper, lower]

    def draw(b: int, rng: np.random.Generator) -> Array:
        out = np.broadcast_to(counts, (b, *counts.shape)).copy()
        stay = rng.binomial(both, 0.5, size=(b, *both.shape))
        out[..., upper, lower] = stay
        out[..., lower, upper] = both - stay
        return out.reshape(b, *layout.counts.shape)

    return draw


def without_bias(layout: Layout) -> Draw:
    """Tables without bias: the groups exchanged, or truth and prediction swapped."""
    return swapped(layout) if layout.name == "swap" else permuted(layout)


def multinomial(layout: Layout, probabilities: Array) -> Draw:
    """Tables with the sizes of the rows and the given probabilities of the columns, (S, G, C)."""
    p = np.maximum(probabilities, 0.0)
    p = p / p.sum(-1, keepdims=True)

    def draw(b: int, rng: np.random.Generator) -> Array:
        return rng.multinomial(layout.sizes, p, size=(b, *layout.sizes.shape))

    return draw


def posterior(layout: Layout, mass: float = 1.0) -> Draw:
    """Expected tables under draws of the rates given the counts.

    Dirichlet with a prior of total mass 1 in each row, evenly over its columns (Jeffreys' for two).
    A row without counts stays empty.
    """
    shape = layout.counts + mass / layout.counts.shape[-1]

    def draw(b: int, rng: np.random.Generator) -> Array:
        p = rng.standard_gamma(shape, size=(b, *shape.shape))
        return p * (layout.sizes[..., None] / np.maximum(p.sum(-1, keepdims=True), 1e-300))

    return draw


def bootstrapped(layout: Layout) -> Draw:
    """Tables of rows drawn with replacement from all rows, whatever their group."""
    counts = layout.counts
    flat = counts.reshape(-1) / counts.sum()

    def draw(b: int, rng: np.random.Generator) -> Array:
        drawn = rng.multinomial(counts.sum(), flat, size=b)
        return drawn.reshape(b, *counts.shape)

    return draw
