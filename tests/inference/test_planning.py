import numpy as np
import pytest
from scipy import stats

from skfairprop import GroupCounts
from skfairprop.inference import infer, required_sample_size

PILOT = GroupCounts([[[40, 10], [10, 40]]] * 2, groups=["f", "m"], classes=[0, 1])
DPD = "demographic_parity_difference"


def normal_theory(p, q, power, alpha=0.05):
    """Rows in each of two groups for a test of equal proportions."""
    z = stats.norm.isf
    pooled = (p + q) / 2
    null, own = np.sqrt(2 * pooled * (1 - pooled)), np.sqrt(p * (1 - p) + q * (1 - q))
    return ((z(alpha / 2) * null + z(1 - power) * own) / (p - q)) ** 2


@pytest.mark.parametrize(("gap", "power"), [(0.1, 0.8), (0.2, 0.9)])
def test_two_groups_need_what_normal_theory_says(gap, power):
    found = required_sample_size(DPD, gap, counts=PILOT, power=power, random_state=0)
    assert found.total == pytest.approx(2 * normal_theory(0.5, 0.5 - gap, power), rel=0.05)
    assert found.total == found.per_group.sum()
    assert found.power == pytest.approx(power, abs=0.02)
    assert found.power in found.searched.to_numpy()


def test_the_simulated_table_has_the_gap():
    found = required_sample_size("equalized_odds_difference", 0.15, counts=PILOT, random_state=0)
    value = infer(
        GroupCounts(
            np.rint(found.expected.values * 1e6).astype(int), groups=["f", "m"], classes=[0, 1]
        ),
        "equalized_odds_difference",
        n_draws=40,
    )["equalized_odds_difference"].value
    assert value == pytest.approx(0.15, abs=1e-4)


def test_data_of_this_size_see_the_gap_as_often():
    name = "equal_opportunity_difference"
    found = required_sample_size(name, 0.25, counts=PILOT, power=0.7, random_state=0)
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(200):
        values = np.array(
            [rng.multinomial(t.sum().round(), (t / t.sum()).ravel()) for t in found.expected.values]
        )
        counts = GroupCounts(values.reshape(2, 2, 2), groups=["f", "m"], classes=[0, 1])
        seen += infer(counts, name, n_draws=199, random_state=0)[name].p_value <= 0.05
    assert seen / 200 == pytest.approx(0.7, abs=4 * np.sqrt(0.7 * 0.3 / 200))


def test_small_groups_and_small_gaps_need_more_rows():
    uneven = GroupCounts(
        [[[8, 2], [2, 8]], [[80, 20], [20, 80]]], groups=["few", "many"], classes=[0, 1]
    )
    even = required_sample_size(DPD, 0.2, counts=PILOT, random_state=0).total
    rare = required_sample_size(DPD, 0.2, counts=uneven, random_state=0)
    assert rare.total > 1.5 * even
    assert rare.per_group["many"] == pytest.approx(10 * rare.per_group["few"], rel=0.1)
    assert required_sample_size(DPD, 0.1, counts=PILOT, random_state=0).total > 3 * even


def test_the_group_that_differs_can_be_named():
    values = PILOT.values * np.array([1, 4])[:, None, None]
    counts = GroupCounts(values, groups=["f", "m"], classes=[0, 1])
    found = required_sample_size(DPD, 0.2, counts=counts, group="m", random_state=0)
    selected = found.expected.values.sum(1)[:, 1] / found.expected.values.sum((1, 2))
    assert selected[0] == pytest.approx(0.5)
    assert abs(selected[1] - 0.5) == pytest.approx(0.2, abs=1e-3)


def test_ratios_are_given_as_ratios():
    found = required_sample_size("demographic_parity_ratio", 0.8, counts=PILOT, random_state=0)
    selected = found.expected.values.sum(1)[:, 1] / found.expected.values.sum((1, 2))
    assert min(selected) / max(selected) == pytest.approx(0.8, abs=1e-3)


def test_the_labels_of_a_data_set():
    table = GroupCounts([[50, 50], [50, 50]], groups=["f", "m"], classes=[0, 1], predicted=False)
    found = required_sample_size("cramers_v", 0.2, counts=table, random_state=0)
    # V = sqrt(chi2 / n): power of a chi-square test with one degree of freedom
    noncentral = stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, found.total * 0.2**2)
    assert noncentral == pytest.approx(0.8, abs=0.04)


def test_several_classes():
    rng = np.random.default_rng(0)
    values = rng.integers(10, 30, size=(3, 4, 4)) + 60 * np.eye(4, dtype=int)
    counts = GroupCounts(values, groups=list("abc"), classes=range(4))
    found = required_sample_size("term_by_term_equalized_odds", 0.1, counts=counts, random_state=0)
    assert found.power == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gap": 0}, "gap must be a number above 0"),
        ({"gap": 0.9}, "gap=0.9 is out of reach"),
        ({"gap": 0.001, "max_rows": 5000}, "5,000 rows see this gap in .*raise max_rows"),
        ({"power": 1}, "power must be a number in .0, 1."),
        ({"confidence": 0}, "confidence must be a number in .0, 1."),
        ({"group": "x"}, "no group 'x'; there are 'f', 'm'"),
        ({"metric": "ens_bias"}, "no null that exchanges groups"),
        ({"metric": "leakage_amplification"}, "no null that exchanges groups"),
        ({"max_rows": 0}, "max_rows must be an integer of at least 1"),
        (
            {"counts": GroupCounts([[[4, 1], [1, 4]]], groups=["f"], classes=[0, 1])},
            "only one group",
        ),
    ],
)
def test_bad_input(changes, message):
    arguments = {"metric": DPD, "gap": 0.2, "counts": PILOT, "random_state": 0} | changes
    with pytest.raises(ValueError, match=message):
        required_sample_size(arguments.pop("metric"), arguments.pop("gap"), **arguments)
