"""Sample sizes, against the normal formula and against the tests of simulated data."""

import numpy as np
import pytest
from scipy.stats import norm

from skfairprop import GroupCounts
from skfairprop.inference import null_baseline, required_sample_size

PILOT = GroupCounts([[[40, 10], [10, 40]], [[40, 10], [10, 40]]], groups=["f", "m"], classes=[0, 1])


def two_proportions(first, second, power):
    """Rows per group that tell two proportions apart at .05 (two-sided)."""
    mean = (first + second) / 2
    alike = norm.isf(0.025) * np.sqrt(2 * mean * (1 - mean))
    apart = norm.ppf(power) * np.sqrt(first * (1 - first) + second * (1 - second))
    return ((alike + apart) / (first - second)) ** 2


@pytest.mark.parametrize(("gap", "power"), [(0.1, 0.8), (0.2, 0.8), (0.2, 0.5)])
def test_normal_formula(gap, power):
    found = required_sample_size(
        "demographic_parity_difference", gap, counts=PILOT, power=power, random_state=0
    )
    n = two_proportions(0.5, 0.5 + gap, power)
    # an exchange of few rows is as cautious as the formula with its correction for continuity
    corrected = n / 4 * (1 + np.sqrt(1 + 4 / (n * gap))) ** 2
    assert 0.94 * 2 * n < found.total < 1.06 * 2 * corrected
    assert found.per_group.sum() == pytest.approx(found.total, abs=1)
    assert found.power >= power


def test_the_null_of_the_library_sees_the_gap_as_often():
    found = required_sample_size("demographic_parity_difference", 0.3, counts=PILOT, random_state=0)
    rng = np.random.default_rng(0)
    expected = found.expected.values.reshape(2, -1)
    truth, prediction = np.divmod(np.arange(4), 2)
    seen = 0
    for i in range(100):
        drawn = [rng.choice(4, size=round(e.sum()), p=e / e.sum()) for e in expected]
        cell = np.concatenate(drawn)
        group = np.repeat(["f", "m"], [len(d) for d in drawn])
        chance = null_baseline(
            "demographic_parity_difference",
            truth[cell],
            prediction[cell],
            sensitive_features=group,
            n_draws=199,
            random_state=i,
        )
        seen += chance.p_value <= 0.05
    assert seen / 100 == pytest.approx(0.8, abs=4 * np.sqrt(0.8 * 0.2 / 100))


def test_smaller_gaps_more_power_and_smaller_groups_cost_rows():
    name = "equalized_odds_difference"

    def total(gap=0.3, counts=PILOT, **options):
        found = required_sample_size(
            name, gap, counts=counts, n_draws=500, random_state=0, **options
        )
        return found.total

    uneven = GroupCounts(PILOT.values * [[[1]], [[9]]], groups=PILOT.groups, classes=PILOT.classes)
    assert total(0.2) > total() > total(power=0.5)
    assert total(counts=uneven) > 1.5 * total()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gap": 0}, "gap must be above 0"),
        ({"power": 1.0}, "power must lie strictly between 0 and 1"),
        ({"confidence": 0.0}, "strictly between 0 and 1"),
        ({"metric": "ens_bias"}, "has no null that exchanges groups"),
        ({"gap": 0.05, "max_rows": 50}, "rows see this gap in"),
    ],
)
def test_bad_input(changes, message):
    given = {"metric": "demographic_parity_difference", "gap": 0.2, "counts": PILOT}
    with pytest.raises(ValueError, match=message):
        required_sample_size(**(given | {"n_draws": 200, "random_state": 0} | changes))
