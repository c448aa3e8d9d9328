import numpy as np
import pytest
from scipy.stats import false_discovery_control

from skfairprop.inference import benjamini_hochberg, benjamini_yekutieli


@pytest.mark.parametrize(
    ("function", "method"), [(benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")]
)
@pytest.mark.parametrize("m", [1, 2, 7, 60])
def test_q_values_are_scipys(function, method, m):
    p = np.random.default_rng(m).random(m) ** 2
    np.testing.assert_allclose(function(p), false_discovery_control(p, method=method))


@pytest.mark.parametrize("function", [benjamini_hochberg, benjamini_yekutieli])
def test_what_was_not_tested_does_not_count(function):
    p = np.array([0.01, np.nan, 0.2, np.nan])
    q = function(p)
    np.testing.assert_allclose(q[[0, 2]], function(p[[0, 2]]))
    assert np.isnan(q[[1, 3]]).all()


@pytest.mark.parametrize("p", [[], [np.nan, np.nan]])
def test_nothing_tested(p):
    q = benjamini_hochberg(p)
    assert len(q) == len(p)
    assert np.isnan(q).all()


@pytest.mark.parametrize("p", [[0.2, -0.1], [1.2]])
def test_no_p_values(p):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        benjamini_hochberg(p)


def test_a_matrix_is_refused():
    with pytest.raises(ValueError, match="one-dimensional"):
        benjamini_hochberg(np.ones((2, 2)))


def test_too_few_draws_are_said():
    with pytest.warns(UserWarning, match=r"n_draws=99 makes p-values too coarse.*999"):
        benjamini_hochberg([0.1, 0.2], n_draws=99)
    benjamini_hochberg([0.1, 0.2], n_draws=999)
    benjamini_hochberg([0.1], n_draws=99)  # one look needs no correction
