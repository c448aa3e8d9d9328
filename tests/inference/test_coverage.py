"""Simulated data sets with known gaps: how often the intervals hold them.

``benchmarks/bench_coverage.py`` does it at length; the bounds here allow for fewer data sets.
"""

import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.inference import MetricCall, infer
from skfairprop.metrics import evaluate

SIZES = np.array([20, 66, 216, 698])
CALLS = {
    name: MetricCall(name, of="y_pred")
    for name in (
        "demographic_parity_difference",
        "equalized_odds_difference",
        "equal_opportunity",
        "term_by_term_equalized_odds",
        "overall_disparity",
        "cramers_v",
    )
}
N_DATA_SETS = 120


def counts_of(values):
    return GroupCounts(values, groups=range(len(values)), classes=[0, 1])


def simulate(gap, interval="tilted"):
    """Shares of (lower above the truth, upper below it, p <= .05), by metric."""
    t = gap * np.linspace(-0.5, 0.5, 4)
    shares = np.stack(
        [
            np.stack([0.6 * (0.75 - t), 0.6 * (0.25 + t)], -1),
            np.stack([0.4 * (0.25 - t), 0.4 * (0.75 + t)], -1),
        ],
        axis=1,
    )
    expected = counts_of(SIZES[:, None, None] * shares)
    truth = {k: evaluate(expected, c.metric, of=c.of) for k, c in CALLS.items()}
    out = {name: np.zeros(3) for name in CALLS}
    for seed in range(N_DATA_SETS):
        rng = np.random.default_rng([7, seed])
        rows = [rng.multinomial(n, p.ravel()) for n, p in zip(SIZES, shares, strict=True)]
        counts = counts_of(np.reshape(rows, (4, 2, 2)))
        found = infer(counts, CALLS, n_draws=400, interval=interval, random_state=seed)
        for name, one in found.items():
            out[name] += (
                one.lower > truth[name] + 1e-9,
                one.upper < truth[name] - 1e-9,
                one.p_value <= 0.05,
            )
    return {name: total / N_DATA_SETS for name, total in out.items()}


@pytest.mark.slow
def test_a_gap_of_zero_is_covered_and_p_is_uniform():
    for name, (low, high, small) in simulate(0.0).items():
        assert low <= 0.075, name  # .025 and four standard errors
        assert high == 0, name
        assert small <= 0.125, name  # .05 and as many


@pytest.mark.slow
def test_a_gap_is_covered():
    for name, (low, high, _) in simulate(0.3).items():
        assert low <= 0.1, name
        assert high <= 0.1, name


@pytest.mark.slow
def test_the_percentile_bootstrap_never_covers_a_gap_of_zero():
    for name, (low, *_) in simulate(0.0, "percentile").items():
        assert low > 0.95, name


@pytest.mark.slow
def test_random_weights_cost_effective_rows_and_are_covered():
    """Weights that say nothing about the labels: log-normal, an effective size of .37 n."""
    group = np.repeat(range(4), [40, 100, 300, 560])
    name = "demographic_parity_difference"
    above = small = 0
    for seed in range(100):
        rng = np.random.default_rng([8, seed])
        y_pred = rng.integers(2, size=1000)
        counts = GroupCounts.from_arrays(
            y_pred, y_pred, sensitive_features=group, sample_weight=rng.lognormal(size=1000)
        )
        found = infer(counts, name, n_draws=400, random_state=seed)[name]
        above += found.lower > 0
        small += found.p_value <= 0.05
    assert above <= 9  # .025 of 100 and four standard errors
    assert small <= 13
