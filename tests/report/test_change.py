"""From data to model: the largest gap of the labels, in the predictions."""

import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.report._change import data_to_model


def test_gaps_by_hand():
    counts = GroupCounts(
        [[[40, 10], [0, 50]], [[70, 5], [5, 20]]], groups=["high", "low"], classes=[0, 1]
    )
    change = data_to_model(counts)
    assert (change.high, change.low, change.label) == ("high", "low", None)
    assert change.data == pytest.approx(0.5 - 0.25)
    assert change.model == pytest.approx(0.6 - 0.25)
    assert change.change == pytest.approx(0.10)
    assert change.lower < 0.10 < change.upper


def test_the_interval_covers_by_simulation():
    """400 data sets with a known change; the 95 % interval holds it in 91 to 98 % of them."""
    rng = np.random.default_rng(0)
    cells = np.array([[[0.4, 0.1], [0.05, 0.45]], [[0.6, 0.05], [0.1, 0.25]]])
    base, predicted = cells.sum(2)[:, 1], cells.sum(1)[:, 1]
    truth = (predicted[0] - predicted[1]) - (base[0] - base[1])
    held = 0
    for _ in range(400):
        table = np.stack([rng.multinomial(150, p.ravel()).reshape(2, 2) for p in cells])
        change = data_to_model(GroupCounts(table, groups=["a", "b"], classes=[0, 1]))
        held += change.lower <= truth <= change.upper
    assert 0.91 <= held / 400 <= 0.98


def test_several_classes_take_the_one_with_the_largest_gap():
    values = np.zeros((2, 3, 3))
    values[0] = np.diag([10, 10, 80])
    values[1] = np.diag([20, 40, 40])
    change = data_to_model(GroupCounts(values, groups=["a", "b"], classes=["x", "y", "z"]))
    assert change.label == "z"
    assert change.data == change.model == pytest.approx(0.4)


@pytest.mark.parametrize("values", [np.ones((1, 2, 2)), np.ones((2, 2))])
def test_nothing_to_compare(values):
    predicted = values.ndim == 3
    counts = GroupCounts(
        values, groups=["a", "b"][: len(values)], classes=[0, 1], predicted=predicted
    )
    assert data_to_model(counts) is None


def test_weights_count_by_their_effective_size():
    """Rows of weight 10 are as sure as the rows they are, not as ten times as many."""
    table = np.array([[[40, 10], [5, 45]], [[60, 5], [10, 25]]])
    plain = data_to_model(GroupCounts(table, groups=["a", "b"], classes=[0, 1]))
    weighted = data_to_model(
        GroupCounts(table * 10, squared=table * 100, groups=["a", "b"], classes=[0, 1])
    )
    assert weighted.change == pytest.approx(plain.change)
    assert weighted.upper - weighted.lower == pytest.approx(plain.upper - plain.lower)


def test_a_group_without_weight_has_no_part_in_it():
    table = [[[40, 10], [0, 50]], [[0, 0], [0, 0]], [[70, 5], [5, 20]]]
    counts = GroupCounts(table, groups=["high", "empty", "low"], classes=[0, 1])
    for pos_label in (None, 1):
        change = data_to_model(counts, pos_label=pos_label)
        assert (change.high, change.low) == ("high", "low")
        assert change.data == pytest.approx(0.5 - 0.25)
    texts = GroupCounts(table, groups=["high", "empty", "low"], classes=["n", "y"])
    assert data_to_model(texts).data == pytest.approx(0.5 - 0.25)
    assert data_to_model(counts.select([0, 1])) is None


@pytest.mark.parametrize("n_groups", [2, 3])
def test_groups_that_tie_are_two_groups(n_groups):
    table = np.tile([[3, 1], [0, 4]], (n_groups, 1, 1))
    change = data_to_model(GroupCounts(table, groups=list("abc")[:n_groups], classes=[0, 1]))
    assert change.high != change.low
    assert (change.data, change.change) == (0.0, 0.0)
