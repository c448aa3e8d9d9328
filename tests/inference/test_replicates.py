import numpy as np
import pytest
from scipy import stats

from skfairprop import GroupCounts
from skfairprop.inference._layout import make_layout
from skfairprop.inference._replicates import (
    bootstrapped,
    draw_blocks,
    multinomial,
    permuted,
    posterior,
    swapped,
    tensors,
)

N_DRAWS = 4000


def layout_of(values, name="independence"):
    values = np.asarray(values)
    return make_layout(
        name, GroupCounts(values, groups=range(len(values)), classes=range(values.shape[1]))
    )


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("name", ["independence", "separation", "sufficiency"])
def test_permuted_tables_keep_the_margins_of_every_stratum(name):
    layout = layout_of(rng().integers(0, 9, size=(4, 3, 3)), name)
    drawn = permuted(layout)(50, rng())
    assert drawn.min() >= 0
    np.testing.assert_array_equal(
        drawn.sum(-1), np.broadcast_to(layout.sizes, (50, 3, 4)[:1] + layout.sizes.shape)
    )
    np.testing.assert_array_equal(
        drawn.sum(-2), np.broadcast_to(layout.counts.sum(-2), (50, *layout.counts.sum(-2).shape))
    )


def test_permuted_cells_are_hypergeometric():
    layout = layout_of([[[12, 8]] * 2, [[3, 17]] * 2], "separation")
    cell = permuted(layout)(N_DRAWS, rng())[:, 0, 0, 0]
    exact = stats.hypergeom(40, 15, 20)  # 40 rows, 15 in the column, 20 in the group
    support = np.arange(16)
    seen = np.bincount(cell.astype(int), minlength=16)
    expected = exact.pmf(support) * N_DRAWS
    kept = expected > 5
    statistic = ((seen - expected)[kept] ** 2 / expected[kept]).sum()
    assert stats.chi2.sf(statistic, kept.sum() - 1) > 0.001


@pytest.mark.parametrize(
    "values",
    [
        [[[5, 3], [2, 1]]],  # one group
        [[[5, 0], [4, 0]], [[2, 0], [9, 0]]],  # one predicted class
        [[[5, 0], [0, 0]], [[2, 0], [0, 0]]],  # one cell in each group
        [[[5, 3], [0, 0]], [[0, 0], [2, 2]]],  # the groups share no stratum
        [[[0, 0], [0, 0]], [[2, 1], [1, 1]]],  # a group without rows
    ],
)
@pytest.mark.parametrize("name", ["independence", "separation", "sufficiency"])
def test_what_cannot_be_exchanged_stays(values, name):
    layout = layout_of(values, name)
    drawn = permuted(layout)(20, rng())
    assert drawn.min() >= 0
    np.testing.assert_array_equal(drawn.sum((0, -1)), 20 * layout.sizes)


def test_swapped_cells_are_binomial_and_the_diagonal_stays():
    layout = layout_of([[[10, 7], [3, 20]], [[4, 0], [6, 5]]], "swap")
    drawn = swapped(layout)(N_DRAWS, rng()).reshape(N_DRAWS, 2, 2, 2)
    np.testing.assert_array_equal(drawn[:, 0, 0, 0], 10)
    np.testing.assert_array_equal(drawn[:, :, 0, 1] + drawn[:, :, 1, 0], [[10, 6]] * N_DRAWS)
    assert drawn[:, 0, 0, 1].mean() == pytest.approx(5, abs=4 * np.sqrt(2.5 / N_DRAWS))
    assert drawn[:, 0, 0, 1].var() == pytest.approx(2.5, rel=0.1)


def test_multinomial_tables_have_the_given_rates():
    layout = layout_of([[[30, 10], [0, 0]], [[5, 15], [0, 0]]])
    rates = np.array([[[0.2, 0.8, 0, 0], [0.5, 0.25, 0.25, 0]]])
    drawn = multinomial(layout, rates)(N_DRAWS, rng())
    np.testing.assert_allclose(drawn.mean(0), rates * [[[40], [20]]], atol=0.2)
    np.testing.assert_array_equal(drawn.sum(-1), [[[40, 20]]] * N_DRAWS)


def test_posterior_rates_of_two_columns_are_beta():
    layout = layout_of([[[7, 3], [0, 0]], [[0, 20], [0, 0]]], "separation")
    drawn = posterior(layout)(N_DRAWS, rng())
    share = drawn[:, 0, 0, 0] / drawn[:, 0, 0].sum(-1)
    assert stats.kstest(share, stats.beta(7.5, 3.5).cdf).pvalue > 0.001
    np.testing.assert_allclose(drawn[:, 0].sum(-1), [[10, 20]] * N_DRAWS)
    assert not drawn[:, 1].any()  # a stratum without rows


def test_bootstrapped_rows_change_the_sizes_of_the_groups():
    layout = layout_of([[[10, 10], [0, 0]], [[60, 20], [0, 0]]])
    size = bootstrapped(layout)(N_DRAWS, rng())[:, 0, 0].sum(-1)
    assert size.mean() == pytest.approx(20, abs=0.3)
    assert size.var() == pytest.approx(100 * 0.2 * 0.8, rel=0.1)


@pytest.mark.parametrize("chunk_size", [1, 7, 100, 333, 5000])
def test_chunks_do_not_change_what_is_drawn(chunk_size):
    layout = layout_of(rng().integers(0, 9, size=(4, 3, 3)), "separation")

    def everything(size):
        blocks = draw_blocks(layout, permuted(layout), 250, seed=1, stage=2)
        chunks = list(tensors(layout, blocks, size))
        return np.concatenate(chunks), [len(c) for c in chunks]

    drawn, sizes = everything(chunk_size)
    np.testing.assert_array_equal(drawn, everything(None)[0])
    assert max(sizes) <= chunk_size
    assert len(drawn) == 250


def test_a_longer_set_begins_like_a_shorter_one_of_whole_blocks():
    layout = layout_of(rng().integers(1, 9, size=(2, 2, 2)))
    first, *_ = draw_blocks(layout, permuted(layout), 1000, seed=0, stage=0)
    longer, *_ = draw_blocks(layout, permuted(layout), 3000, seed=0, stage=0)
    np.testing.assert_array_equal(first, longer)


def test_sets_and_seeds_differ():
    layout = layout_of(rng().integers(1, 30, size=(3, 2, 2)))

    def draw(seed, stage):
        return next(draw_blocks(layout, permuted(layout), 20, seed=seed, stage=stage))

    assert not np.array_equal(draw(0, 0), draw(0, 1))
    assert not np.array_equal(draw(0, 0), draw(1, 0))
