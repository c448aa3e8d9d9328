"""Which groups are drawn where there are too many."""

import numpy as np

from skfairprop.inspection._extremes import extremes


def test_up_to_twelve_groups_stay_in_their_order():
    chosen, note = extremes(np.array([3.0, 1.0, np.nan, 2.0]))
    assert chosen.tolist() == [0, 1, 2, 3]
    assert note is None


def test_of_more_the_six_lowest_and_six_highest_are_chosen():
    values = np.random.default_rng(0).permutation(20).astype(float)
    chosen, note = extremes(values)
    assert values[chosen].tolist() == [0, 1, 2, 3, 4, 5, 14, 15, 16, 17, 18, 19]
    assert note == "the 6 lowest and 6 highest of 20 groups"


def test_undefined_values_are_no_extremes():
    values = np.append(np.arange(13.0), [np.nan] * 10)
    assert values[extremes(values)[0]].tolist() == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]


def test_undefined_values_fill_up_where_few_are_defined():
    values = np.append([2.0, 1.0], [np.nan] * 12)
    assert len(set(extremes(values)[0].tolist())) == 12
    assert extremes(values)[0][:2].tolist() == [1, 0]
