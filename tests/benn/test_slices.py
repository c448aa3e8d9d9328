"""The worst slice, against all slices of a small table written out."""

import numpy as np

from skfairprop.benn._cells import Cells
from skfairprop.benn._slices import worst_slice

CLASSES = Cells(np.repeat([0, 1], 6), ["no", "yes"])
GROUPS = Cells(np.tile([0, 0, 1], 4), ["f", "m"])


def worst(values, least=2):
    return worst_slice(np.asarray(values, float), CLASSES, GROUPS, "sex", least)


def test_the_mean_of_all_rows_where_no_slice_is_above():
    found = worst(np.full(12, 0.25))
    assert found.name == "all rows"
    assert found.value == 0.25
    assert found.rows.sum() == 12


def test_a_class_a_group_and_a_group_within_a_class():
    assert worst((CLASSES.codes == 1) * 1.0).name == "predicted yes"
    assert worst((GROUPS.codes == 1) * 1.0).name == "sex m"
    both = worst(((GROUPS.codes == 1) & (CLASSES.codes == 0)) * 1.0)
    assert both.name == "sex m, predicted no"
    assert both.rows.sum() == 2
    assert both.value == 1.0


def test_a_slice_that_is_too_small_does_not_count():
    values = ((GROUPS.codes == 1) & (CLASSES.codes == 0)) * 1.0
    assert worst(values, least=3).name == "sex m"
    assert worst(values, least=3).value == 0.5
    assert worst(values, least=100).name == "all rows"
