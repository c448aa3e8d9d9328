import numpy as np
import pytest
from scipy import stats

from skfairprop.inference import rate_interval

CASES = [(0, 5), (1, 5), (5, 5), (37, 100), (999, 1000)]


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_wilson_is_scipys(confidence):
    k, n = np.transpose(CASES)
    lower, upper = rate_interval(k, n, confidence=confidence)
    for i, (a, b) in enumerate(CASES):
        exact = stats.binomtest(a, b).proportion_ci(confidence, method="wilson")
        assert lower[i] == pytest.approx(exact.low, abs=1e-12)
        assert upper[i] == pytest.approx(exact.high, abs=1e-12)


def test_jeffreys_by_the_tables_of_brown_cai_and_dasgupta():
    # their Table 5: 95 % limits for n = 7 and n = 10
    lower, upper = rate_interval([0, 1, 3, 2], [7, 7, 7, 10], method="jeffreys")
    np.testing.assert_allclose(lower, [0, 0.016, 0.139, 0.044], atol=6e-4)
    np.testing.assert_allclose(upper, [0.292, 0.501, 0.766, 0.503], atol=6e-4)


@pytest.mark.parametrize("method", ["wilson", "jeffreys"])
def test_the_ends_are_exact(method):
    lower, upper = rate_interval([0, 9], [9, 9], method=method)
    assert lower[0] == 0
    assert upper[1] == 1
    assert lower[1] < 1
    assert upper[0] > 0


def test_no_trials_no_interval():
    lower, upper = rate_interval([0, 1], [0, 2])
    assert np.isnan([lower[0], upper[0]]).all()
    assert not np.isnan([lower[1], upper[1]]).any()


def test_weights_enter_by_the_effective_size():
    weighted = rate_interval(30.0, 60.0, effective_n=20)
    np.testing.assert_allclose(weighted, rate_interval(10, 20))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 1}, "confidence must be a number in .0, 1."),
        ({"confidence": 0}, "confidence must be a number in .0, 1."),
        ({"method": "wald"}, "method must be one of .'wilson', 'jeffreys'."),
        ({"successes": 3, "n": 2}, "between 0 and n"),
        ({"successes": -1}, "between 0 and n"),
        ({"successes": np.nan}, "between 0 and n"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        rate_interval(**({"successes": 1, "n": 2} | arguments))
