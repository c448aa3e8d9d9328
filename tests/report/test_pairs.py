"""Differences between pairs of groups."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from skfairprop.inference import rate_interval
from skfairprop.report._pairs import compare_pairs
from skfairprop.report._rates import RateColumn


def column(successes, n, effective_n=None):
    """A rate of some groups."""
    successes, n = np.asarray(successes, dtype=float), np.asarray(n, dtype=float)
    lower, upper = rate_interval(successes, n)
    with np.errstate(invalid="ignore"):
        values = successes / n
    size = n if effective_n is None else np.asarray(effective_n, dtype=float)
    return RateColumn("tpr", "yes", values, lower, upper, n, size, successes.sum() / n.sum())


def test_the_interval_is_newcombes():
    # Newcombe 1998, Statistics in Medicine 17, table II, method 10: 56/70 and 48/80
    table = compare_pairs([column([56, 48], [70, 80])])
    assert table.difference[0, 0] == pytest.approx(0.2)
    assert (table.lower[0, 0], table.upper[0, 0]) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_q_is_over_all_cells():
    table = compare_pairs([column([5, 20, 35], [40, 40, 40]), column([5, 6, 30], [40, 40, 40])])
    assert (table.first.tolist(), table.second.tolist()) == ([0, 0, 1], [1, 2, 2])
    np.testing.assert_allclose(table.q.ravel(), false_discovery_control(table.p.ravel()))
    assert table.n_tested == 6


def test_an_undefined_rate_is_left_out_of_q():
    table = compare_pairs([column([5, 20, 0], [40, 40, 0])])
    assert np.isnan(table.p[:, 0]).tolist() == [False, True, True]
    assert table.q[0, 0] == table.p[0, 0]
    assert table.n_tested == 1
    assert table.n[:, 0].tolist() == [40, 0, 0]


def test_many_pairs_of_large_groups_are_quick_enough():
    rng = np.random.default_rng(0)
    n = rng.integers(20, 20_000, 200)
    table = compare_pairs([column(rng.binomial(n, 0.01), n)])
    assert len(table.p) == 19_900
    assert np.isfinite(table.p).all()
