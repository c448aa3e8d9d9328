"""Gaps between two rates: p by enumeration of all tables, intervals by the published ones."""

from math import comb

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from skfairprop.inference import gap_interval, gap_p_value, rate_interval


def enumerate_p(a, n_1, b, n_2):
    """Probability of all tables with these margins that are at least as far apart."""
    k, total = a + b, 0
    for x in range(max(0, k - n_2), min(k, n_1) + 1):
        gap = abs(x * n_2 - (k - x) * n_1)  # of whole numbers: exact
        if gap >= abs(a * n_2 - b * n_1):
            total += comb(n_1, x) * comb(n_2, k - x)
    return total / comb(n_1 + n_2, k)


@pytest.mark.parametrize(
    "counts",
    [(3, 10, 8, 10), (0, 5, 7, 20), (5, 5, 5, 5), (2, 7, 4, 14), (0, 3, 0, 9), (30, 90, 11, 17)],
)
def test_p_is_that_of_an_enumeration_of_all_tables(counts):
    a, n_1, b, n_2 = counts
    assert gap_p_value(a, n_1, b, n_2) == pytest.approx(enumerate_p(*counts))


def test_p_is_fishers_where_both_groups_have_one_size():
    rng = np.random.default_rng(0)
    n = rng.integers(1, 60, 100)
    a, b = rng.binomial(n, 0.3), rng.binomial(n, 0.5)
    expected = [
        fisher_exact([[x, m - x], [y, m - y]]).pvalue for x, y, m in zip(a, b, n, strict=True)
    ]
    np.testing.assert_allclose(gap_p_value(a, n, b, n), expected, rtol=1e-6, atol=1e-12)


def test_large_tables_are_close_to_the_exact_test():
    rng = np.random.default_rng(1)
    n_1, n_2 = rng.integers(500, 4000, (2, 300))
    a, b = rng.binomial(n_1, 0.3), rng.binomial(n_2, 0.32)
    expected = []
    for x, m, y, n in zip(a, n_1, b, n_2, strict=True):
        tables = np.arange(max(0, x + y - n), min(x + y, m) + 1)
        far = np.abs(tables * (m + n) - (x + y) * m) >= abs(x * (m + n) - (x + y) * m)
        expected.append(hypergeom(m + n, x + y, m).pmf(tables)[far].sum())
    np.testing.assert_allclose(gap_p_value(a, n_1, b, n_2), expected, atol=1e-3)


def test_the_two_ways_agree_where_one_takes_over():
    found = gap_p_value([398, 402], [2000, 2000], [440, 440], [2000, 2000])
    exact = [float(enumerate_p(a, 2000, 440, 2000)) for a in (398, 402)]
    np.testing.assert_allclose(found, exact, atol=1e-3)


def test_no_rows_no_p_and_no_difference_p_of_one():
    found = gap_p_value([0, 0, 5, np.nan], [0, 4, 5, 0], [2, 0, 6, 1], [4, 4, 6, 2])
    assert np.isnan(found).tolist() == [True, False, False, True]
    assert found[1:3].tolist() == [1.0, 1.0]


def test_weighted_counts_are_rounded():
    assert gap_p_value(3.4, 10.2, 7.8, 9.9) == gap_p_value(3, 10, 8, 10)


def test_the_interval_is_newcombes():
    # Newcombe 1998, Statistics in Medicine 17, table II, method 10
    for a, m, b, n, expected in (
        (56, 70, 48, 80, (0.0524, 0.3339)),
        (9, 10, 3, 10, (0.1705, 0.8090)),
        (5, 56, 0, 29, (-0.0381, 0.1926)),
        (10, 10, 0, 20, (0.6791, 1.0)),
    ):
        lower, upper = gap_interval(a / m, rate_interval(a, m), b / n, rate_interval(b, n))
        assert (lower, upper) == pytest.approx(expected, abs=6e-5)


def test_undefined_rates_have_no_interval():
    lower, upper = gap_interval(np.nan, (np.nan, np.nan), 0.5, (0.2, 0.8))
    assert np.isnan(lower)
    assert np.isnan(upper)
