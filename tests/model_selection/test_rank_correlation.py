"""Spearman's rho and its interval."""

from math import asin, pi

import numpy as np
import pytest
from scipy import stats

from skfairprop.model_selection._rank_correlation import rank_correlation


@pytest.mark.parametrize("n", [5, 11, 33])
def test_rho_equals_scipys(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        x, y = rng.integers(0, 6, (2, n)).astype(float)  # with ties
        rho, lower, upper, used = rank_correlation(x, y)
        assert rho == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert -1 <= lower <= rho <= upper <= 1
        assert used == n


def test_the_interval_by_hand():
    x = np.arange(11.0)
    y = np.array([1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 10], dtype=float)
    rho = 1 - 6 * 10 / (11 * 120)  # ten differences of 1
    half = 1.959963984540054 * np.sqrt((1 + rho**2 / 2) / 8)
    found = rank_correlation(x, y)
    assert found[0] == pytest.approx(rho)
    assert found[1] == pytest.approx(np.tanh(np.arctanh(rho) - half))
    assert found[2] == pytest.approx(np.tanh(np.arctanh(rho) + half))
    assert rank_correlation(x, y, 0.5)[1] > found[1]


def test_a_perfect_correlation_of_few_points_is_not_sure():
    rho, lower, upper, _ = rank_correlation(np.arange(6.0), np.arange(6.0))
    assert rho == upper == 1.0
    assert lower < 0.9
    rho, lower, upper, _ = rank_correlation(np.arange(6.0), -np.arange(6.0))
    assert rho == lower == -1.0
    assert upper > -0.9


def test_undefined():
    nan = [np.nan] * 3
    constant = rank_correlation(np.ones(7), np.arange(7.0))
    np.testing.assert_array_equal(constant, [*nan, 7])
    np.testing.assert_array_equal(rank_correlation(np.arange(2.0), np.arange(2.0)), [*nan, 2])
    rho, lower, upper, n = rank_correlation(np.arange(4.0), np.arange(4.0))
    assert (rho, n) == (1.0, 4)
    assert np.isnan([lower, upper]).all()


def test_pairs_with_nan_are_left_out():
    x, y = np.arange(9.0), np.arange(9.0) % 4
    holes = x.copy()
    holes[[2, 5]] = np.nan
    keep = ~np.isnan(holes)
    assert rank_correlation(holes, y) == rank_correlation(x[keep], y[keep])


@pytest.mark.parametrize("n", [11, 33])
@pytest.mark.parametrize("r", [0.0, 0.6, 0.9])
def test_the_interval_covers(r, n):
    """Bivariate normal: Spearman's rho is 6 / pi asin(r / 2)."""
    rng = np.random.default_rng(1)
    true, hits = 6 / pi * asin(r / 2), 0
    for _ in range(400):
        x, noise = rng.normal(size=(2, n))
        _, lower, upper, _ = rank_correlation(x, r * x + np.sqrt(1 - r**2) * noise)
        hits += lower <= true <= upper
    assert hits / 400 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)
