from itertools import permutations

import numpy as np
import pytest

from skfairprop.explain._coalitions import Route, all_coalitions, evaluate, paired_walks

RNG = np.random.default_rng(0)
D = 4
ROWS, BACKGROUND = RNG.normal(size=(6, D)), RNG.normal(size=(5, D))


def scores(Z):
    """Two outputs with interactions of every order."""
    first = Z[:, 0] * Z[:, 1] + np.tanh(Z.sum(axis=1)) + Z[:, 2] ** 2
    return np.column_stack([first, Z.prod(axis=1) - Z[:, 3]])


def by_permutations(row, background, column):
    """Shapley values by the definition: the mean step over all orders and background rows."""
    out = np.zeros(D)
    for order in permutations(range(D)):
        for fill in background:
            mixed, before = fill.copy(), scores(fill[None])[0, column]
            for j in order:
                mixed[j] = row[j]
                after = scores(mixed[None])[0, column]
                out[j] += after - before
                before = after
    return out / (24 * len(background))


def route(rows=ROWS, background=BACKGROUND, outputs=scores):
    return Route(outputs, rows, background, np.arange(rows.shape[1]))


def test_all_coalitions_give_the_shapley_values():
    columns = np.array([0, 1, 0, 1, 1, 0])
    got = evaluate(all_coalitions(D, len(BACKGROUND)), route(), columns)
    expected = [by_permutations(x, BACKGROUND, c) for x, c in zip(ROWS, columns, strict=True)]
    assert np.allclose(got, expected, rtol=0, atol=1e-13)


def test_many_walks_come_close():
    columns = np.zeros(len(ROWS), dtype=int)
    exact = evaluate(all_coalitions(D, len(BACKGROUND)), route(), columns)
    design = paired_walks(D, len(BACKGROUND), 5_000, np.random.default_rng(0))
    assert np.abs(evaluate(design, route(), columns) - exact).max() < 0.05


def test_walks_are_unbiased():
    columns = np.zeros(len(ROWS), dtype=int)
    exact = evaluate(all_coalitions(D, len(BACKGROUND)), route(), columns)
    rng = np.random.default_rng(1)
    draws = np.array([evaluate(paired_walks(D, 5, 5, rng), route(), columns) for _ in range(400)])
    error = (draws.mean(axis=0) - exact) / (draws.std(axis=0) / 20)
    assert np.abs(error).max() < 4  # 24 normal deviates


@pytest.mark.parametrize("n_walks", [1, 3, 5, 12])
def test_walks_add_up_to_score_minus_mean_of_the_rows_visited(n_walks):
    columns = np.ones(len(ROWS), dtype=int)
    design = paired_walks(D, len(BACKGROUND), n_walks, np.random.default_rng(0))
    visits = np.bincount(design.rows, minlength=len(BACKGROUND))
    base = visits @ scores(BACKGROUND)[:, 1] / visits.sum()
    total = evaluate(design, route(), columns).sum(axis=1)
    assert np.allclose(total, scores(ROWS)[:, 1] - base)


def test_walks_visit_all_background_rows_equally():
    design = paired_walks(3, 5, 10, np.random.default_rng(0))
    assert np.bincount(design.rows).tolist() == [8] * 5  # 2 walks, 2 directions, 2 steps


def test_one_pair_is_exact_for_interactions_of_second_order():
    def quadratic(Z):
        return (Z[:, 0] * Z[:, 1] + Z[:, 2] * Z[:, 3])[:, None]

    columns = np.zeros(len(ROWS), dtype=int)
    one = BACKGROUND[:1]
    exact = evaluate(all_coalitions(D, 1), route(background=one, outputs=quadratic), columns)
    design = paired_walks(D, 1, 1, np.random.default_rng(3))
    got = evaluate(design, route(background=one, outputs=quadratic), columns)
    assert np.allclose(got, exact)


@pytest.mark.parametrize("design", [all_coalitions(1, 5), paired_walks(1, 5, 5, RNG)])
def test_one_feature_gets_everything(design):
    rows, background = ROWS[:, :1], BACKGROUND[:, :1]
    got = evaluate(design, route(rows, background, lambda Z: np.exp(Z)), np.zeros(6, dtype=int))
    assert np.allclose(got, np.exp(rows) - np.exp(background).mean())


def test_sources_tie_columns_together():
    """Two columns of one feature move as one player."""

    def doubled(Z):
        return scores(Z[:, [0, 1, 2, 4]] + Z[:, [3, 1, 2, 4]] * [1, 0, 0, 0])

    split = np.column_stack([ROWS[:, 0] / 3, ROWS[:, 1:3], ROWS[:, 0] * 2 / 3, ROWS[:, 3]])
    fill = np.column_stack(
        [BACKGROUND[:, 0] / 3, BACKGROUND[:, 1:3], BACKGROUND[:, 0] * 2 / 3, BACKGROUND[:, 3]]
    )
    columns = np.zeros(6, dtype=int)
    design = all_coalitions(D, 5)
    got = evaluate(design, Route(doubled, split, fill, np.array([0, 1, 2, 0, 3])), columns)
    assert np.allclose(got, evaluate(design, route(), columns))


def test_model_is_asked_in_small_blocks():
    sizes = []

    def counting(Z):
        sizes.append(len(Z))
        return scores(Z)

    rows = RNG.normal(size=(100, D))
    design = paired_walks(D, 5, 1_000, np.random.default_rng(0))
    whole = evaluate(design, route(rows, outputs=counting), np.zeros(100, dtype=int))
    assert max(sizes) <= 20_000
    assert sum(sizes) == 100 * 6_000 + 100 + 5
    alone = evaluate(design, route(rows[7:8]), np.zeros(1, dtype=int))
    assert np.allclose(whole[7], alone[0])


def test_designs_longer_than_a_block_are_cut():
    design = paired_walks(D, 5, 4_000, np.random.default_rng(0))
    assert len(design.masks) > 20_000
    total = evaluate(design, route(), np.zeros(6, dtype=int)).sum(axis=1)
    assert np.allclose(total, scores(ROWS)[:, 0] - scores(BACKGROUND)[:, 0].mean())
