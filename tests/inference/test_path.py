import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from skfairprop import GroupCounts
from skfairprop.inference._layout import make_layout
from skfairprop.inference._path import Path, merge_similar

TABLE = np.array([[80.0, 20.0], [160.0, 40.0], [41.0, 59.0]])


def distance(a, b):
    return chi2_contingency([a, b], correction=False).statistic


def test_rows_that_a_test_tells_apart_stay_apart():
    limit = chi2.ppf(0.999, 1)
    assert distance(TABLE[0], TABLE[2]) > limit
    merged = merge_similar(TABLE, limit)
    np.testing.assert_allclose(merged, [[0.8, 0.2], [0.8, 0.2], [0.41, 0.59]])


def test_the_limit_is_the_pairwise_chi_square():
    pair = TABLE[[0, 2]]
    between = distance(*pair)
    np.testing.assert_allclose(merge_similar(pair, between - 1e-6), pair / 100)
    np.testing.assert_allclose(merge_similar(pair, between + 1e-6), [[0.605, 0.395]] * 2)


def test_empty_rows_join_nothing():
    merged = merge_similar(np.array([[0.0, 0.0], [5.0, 5.0], [6.0, 4.0]]), 10.0)
    np.testing.assert_allclose(merged, [[0, 0], [0.55, 0.45], [0.55, 0.45]])


def path_of(values, name="separation"):
    values = np.asarray(values)
    counts = GroupCounts(values, groups=range(len(values)), classes=range(values.shape[1]))
    return Path(make_layout(name, counts))


def test_the_path_begins_pooled_and_ends_near_the_own_rates():
    path = path_of([[[80, 20], [0, 0]], [[10, 30], [0, 0]]])
    np.testing.assert_allclose(path.rates(0)[0], [[90 / 140, 50 / 140]] * 2)
    # one row of the pooled rates is added
    np.testing.assert_allclose(path.rates(2)[0, :, 0], [(80 + 9 / 14) / 101, (10 + 9 / 14) / 41])


@pytest.mark.parametrize("name", ["independence", "separation", "sufficiency", "swap", "sizes"])
def test_rates_sum_to_one_all_along(name):
    path = path_of(np.random.default_rng(0).integers(1, 40, size=(5, 3, 3)), name)
    for t in (0, 0.3, 1, 1.7, 2):
        np.testing.assert_allclose(path.rates(t).sum(-1), 1)


def test_a_rate_of_none_or_all_can_move():
    path = path_of([[[5, 0], [0, 0]], [[20, 20], [0, 0]]])
    assert 0 < path.rates(2)[0, 0, 1] < 0.1


def test_swapped_truth_and_prediction_begin_symmetric():
    path = path_of([[[10, 6], [2, 10]], [[5, 1], [3, 5]]], "swap")
    start = path.rates(0).reshape(2, 2, 2)
    np.testing.assert_allclose(start, start.swapaxes(1, 2))
    np.testing.assert_allclose(start[0, 0], [10 / 28, 4 / 28])
