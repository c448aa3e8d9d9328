"""Cells of a column, pooled groups, and the association of two columns."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from skfairprop.benn._cells import MAX_GROUPS, Cells, association, cut, pool_rare
from skfairprop.explain._table import Table


def cells_of(values, n_bins=4):
    table = Table.of(pd.DataFrame({"a": values}))
    return cut(table.encode(pd.DataFrame({"a": values}))[:, 0], table.columns[0], n_bins)


def test_few_values_are_their_own_cells():
    found = cells_of([2, 0, 2, 5])
    assert found.names == ["0", "2", "5"]
    assert found.codes.tolist() == [1, 0, 1, 2]


def test_text_and_missing_values_have_cells():
    found = cells_of(["b", None, "a", "b"])
    assert found.names == ["a", "b", "missing"]
    assert found.codes.tolist() == [1, 2, 0, 1]


def test_many_numbers_are_cut_into_bins_of_about_equal_size():
    found = cells_of(np.random.default_rng(0).permutation(100))
    assert found.sizes.tolist() == [25, 25, 25, 25]
    assert found.names == ["0 to 24", "25 to 49", "50 to 74", "75 to 99"]


@pytest.mark.parametrize("common", [0, 50, 99])
def test_a_value_that_most_rows_share_still_leaves_two_cells(common):
    found = cells_of([common] * 900 + list(range(100)))
    assert len(found.names) > 1
    assert found.sizes.min() > 0


def test_bins_leave_out_missing_numbers():
    values = np.append(np.arange(40.0), np.nan)
    found = cells_of(values)
    assert found.names[-1] == "missing"
    assert found.sizes.tolist() == [10, 10, 10, 10, 1]


def test_rare_groups_are_pooled():
    cells = Cells(np.repeat([0, 1, 2, 3], [50, 40, 20, 15]), list("abcd"))
    found = pool_rare(cells, 30)
    assert found.names == ["a", "b", "other"]
    assert found.sizes.tolist() == [50, 40, 35]


def test_rare_groups_that_are_few_together_go_to_the_largest():
    found = pool_rare(Cells(np.repeat([0, 1, 2], [40, 50, 4]), list("abc")), 30)
    assert found.names == ["a", "b"]
    assert found.sizes.tolist() == [40, 54]


def test_a_single_frequent_group_is_not_left_alone():
    cells = Cells(np.repeat([0, 1], [95, 5]), list("ab"))
    assert pool_rare(cells, 30) is cells


def test_there_are_no_more_groups_than_can_be_asked_about():
    cells = Cells(np.repeat(np.arange(20), np.arange(40, 60)), [str(i) for i in range(20)])
    found = pool_rare(cells, 30)
    assert len(found.names) == MAX_GROUPS
    assert found.names[-1] == "other"
    assert found.sizes.sum() == len(cells.codes)


@pytest.mark.parametrize("seed", range(4))
def test_association_is_the_corrected_v_of_the_chi_squared(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, 400)
    b = np.where(rng.random(400) < 0.3, a, rng.integers(0, 4, 400))
    v, z = association(Cells(a, list("abc")), Cells(b, list("wxyz")))
    result = chi2_contingency(pd.crosstab(a, b), correction=False)
    n, df = 400, result.dof
    phi2 = max(0, result.statistic / n - df / (n - 1))
    sides = [3 - 4 / 399, 4 - 9 / 399]
    assert v == pytest.approx(np.sqrt(phi2 / (min(sides) - 1)))
    # Wilson and Hilferty: the score has the p-value of the statistic, but for some per cent
    from scipy.stats import norm

    assert norm.sf(z) == pytest.approx(result.pvalue, rel=0.25, abs=1e-3)


def test_a_constant_column_is_associated_with_nothing():
    assert association(Cells(np.zeros(9, int), ["a"]), Cells(np.arange(9) % 2, list("ab"))) == (
        0.0,
        0.0,
    )
