import numpy as np

from skfairprop.explain._explanation import drop_rounding, signed_l1


def test_signed_l1_keeps_signs_and_zero_rows():
    values = np.array([[3.0, -1.0], [0.0, 0.0], [-1e-300, 0.0]])
    assert signed_l1(values).tolist() == [[0.75, -0.25], [0.0, 0.0], [-1.0, 0.0]]


def test_rounding_errors_become_zero():
    values = np.array([[1e-16, -2e-16], [1e-3, 0.0]])
    assert drop_rounding(values, np.array([0.5, 0.4])).tolist() == [[0, 0], [1e-3, 0]]


def test_small_scores_have_small_attributions():
    values = np.array([[1e-16, -2e-16]])
    assert (drop_rounding(values, np.array([1e-15])) == values).all()
