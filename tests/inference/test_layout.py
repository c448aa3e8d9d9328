import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.inference._layout import effective_counts, make_layout

RNG = np.random.default_rng(0)
VALUES = RNG.integers(0, 30, size=(3, 4, 4))
COUNTS = GroupCounts(VALUES, groups=list("abc"), classes=range(4))


@pytest.mark.parametrize("name", ["independence", "separation", "sufficiency", "swap"])
def test_tensors_are_the_strata_put_together_again(name):
    layout = make_layout(name, COUNTS)
    tensor = layout.tensor(layout.counts[None].repeat(2, axis=0))
    assert tensor.shape == (2, 3, 4, 4)
    np.testing.assert_array_equal(tensor[1], VALUES)


def test_strata_are_what_the_null_conditions_on():
    # stratum, group, column
    assert make_layout("separation", COUNTS).counts[2, 1, 3] == VALUES[1, 2, 3]
    assert make_layout("sufficiency", COUNTS).counts[3, 1, 2] == VALUES[1, 2, 3]
    assert make_layout("independence", COUNTS).counts.shape == (1, 3, 16)


@pytest.mark.parametrize(("name", "axis"), [("labels of y_true", 2), ("labels of y_pred", 1)])
def test_labels_alone(name, axis):
    layout = make_layout(name, COUNTS)
    np.testing.assert_array_equal(layout.tensor(layout.counts[None])[0], VALUES.sum(axis))


def test_sizes_alone():
    layout = make_layout("sizes", COUNTS)
    np.testing.assert_array_equal(layout.tensor(layout.counts[None])[0, :, 0], VALUES.sum((1, 2)))


def test_effective_counts_by_hand():
    # Kish: (sum w)^2 / (sum w^2). Row 1: ten rows of weight 2: 10 rows. Row 2: weights 4 and 2 x 1
    # in the first column: 6^2 / 18 = 2.
    total = np.array([[[8.0, 12.0], [6.0, 0.0]]])
    squares = np.array([[[16.0, 24.0], [18.0, 0.0]]])
    whole, scale = effective_counts(total, squares)
    np.testing.assert_array_equal(whole, [[[4, 6], [2, 0]]])
    np.testing.assert_allclose(scale[0, :, 0], [2, 3])
    np.testing.assert_allclose(whole * scale, total)


def test_rounding_keeps_the_size_of_every_row():
    # an effective size of 4 over three equal columns
    whole, _ = effective_counts(np.full((1, 1, 3), 4 / 3), np.full((1, 1, 3), 4 / 3))
    assert sorted(whole[0, 0]) == [1, 1, 2]


def test_rows_without_weight_stay_empty():
    whole, scale = effective_counts(np.zeros((1, 2, 2)), np.zeros((1, 2, 2)))
    assert not whole.any()
    assert not scale.any()


def test_fractions_without_squares_are_refused():
    counts = GroupCounts(VALUES + 0.5, groups=list("abc"), classes=range(4))
    with pytest.raises(ValueError, match=r"not whole numbers.*squared="):
        make_layout("separation", counts)
