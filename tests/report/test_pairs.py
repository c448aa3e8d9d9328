"""Differences between pairs of groups."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, false_discovery_control, fisher_exact

from skfairprop.inference import rate_interval
from skfairprop.report._pairs import compare_pairs, two_sided_p
from skfairprop.report._rates import RateColumn


def column(successes, n, effective_n=None):
    """A rate of some groups."""
    successes, n = np.asarray(successes, dtype=float), np.asarray(n, dtype=float)
    lower, upper = rate_interval(successes, n)
    with np.errstate(invalid="ignore"):
        values = successes / n
    size = n if effective_n is None else np.asarray(effective_n, dtype=float)
    return RateColumn("tpr", "yes", values, lower, upper, n, size, successes.sum() / n.sum())


def test_small_tables_are_tested_exactly():
    rng = np.random.default_rng(0)
    n1, n2 = rng.integers(1, 60, 200), rng.integers(1, 200, 200)
    k1, k2 = rng.binomial(n1, 0.3), rng.binomial(n2, 0.4)
    expected = [
        fisher_exact([[a, m - a], [b, n - b]]).pvalue
        for a, m, b, n in zip(k1, n1, k2, n2, strict=True)
    ]
    np.testing.assert_allclose(two_sided_p(k1, n1, k2, n2), expected, rtol=1e-6, atol=1e-12)


def test_large_tables_are_tested_by_chi_square():
    table = np.array([[400, 600], [450, 550]])
    plain = chi2_contingency(table, correction=False).statistic
    from scipy.stats import chi2

    expected = chi2.sf(plain * 1999 / 2000, 1)
    assert two_sided_p([400], [1000], [450], [1000]) == pytest.approx([expected])


def test_the_two_tests_agree_where_one_takes_over():
    exact = fisher_exact([[60, 60], [45, 75]]).pvalue
    assert two_sided_p([60], [120], [45], [120])[0] == pytest.approx(exact, abs=0.02)


def test_no_rows_no_p_and_no_difference_p_of_one():
    found = two_sided_p([0, 0, 5], [0, 4, 5], [2, 0, 6], [4, 4, 6])
    assert np.isnan(found[0])
    assert found[1:].tolist() == [1.0, 1.0]


def test_weighted_counts_are_not_rounded():
    assert two_sided_p([3.5], [7.25], [3.5], [7.25])[0] == pytest.approx(1.0)


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
