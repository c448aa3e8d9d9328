"""One metric from rows: its null against a plain shuffle of the rows, and what is refused."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.inference import infer, metric_interval, null_baseline
from tests.inference.data import loop_gap, rows, shuffled_gaps


@pytest.mark.parametrize("gap", [0.0, 0.3])
@pytest.mark.parametrize(
    ("metric", "truth"),
    [("demographic_parity_difference", None), ("equal_opportunity_difference", 1)],
)
def test_null_is_a_shuffle_of_the_rows(metric, truth, gap):
    y_true, y_pred, group = rows(gap=gap)
    value = loop_gap(y_true, y_pred, group, truth)
    loop = shuffled_gaps(y_true, y_pred, group, truth)
    found = null_baseline(
        metric, y_true, y_pred, sensitive_features=group, n_draws=2000, random_state=0
    )
    assert found.value == pytest.approx(value)
    assert found.draws.shape == (2000,)
    error = loop.std() / np.sqrt(len(loop))
    assert found.mean == pytest.approx(loop.mean(), abs=4 * error)
    p = (1 + np.sum(loop >= value - 1e-10)) / (len(loop) + 1)
    assert found.p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(loop)) + 1e-3)
    assert found.point_95 == pytest.approx(np.quantile(loop, 0.95), abs=0.05)


def test_a_ratio_is_mirrored():
    y_true, y_pred, group = rows(n=400, gap=0.5, groups="ab")
    given = {"sensitive_features": group, "random_state": 0}
    ratio = metric_interval("demographic_parity_ratio", y_true, y_pred, **given)
    difference = metric_interval("demographic_parity_difference", y_true, y_pred, **given)
    assert 0 <= ratio.lower <= ratio.value <= ratio.corrected <= ratio.upper < 1
    assert ratio.p_value == difference.p_value  # two groups: the same order of the tables
    chance = null_baseline("demographic_parity_ratio", y_true, y_pred, **given)
    assert ratio.value < chance.point_95 < chance.mean < 1


def test_a_ratio_that_is_not_settled_reaches_one():
    y_true, y_pred, group = rows()
    found = metric_interval(
        "demographic_parity_ratio", y_true, y_pred, sensitive_features=group, random_state=0
    )
    assert found.p_value > 0.05
    assert found.upper == 1
    assert not found.open_at_zero


def test_as_from_counts():
    y_true, y_pred, group = rows(gap=0.3)
    name = "equalized_odds_difference"
    counts = GroupCounts.from_arrays(y_true, y_pred, sensitive_features=group)
    found = metric_interval(name, y_true, y_pred, sensitive_features=group, random_state=3)
    assert found == infer(counts, name, random_state=3)[name]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"confidence": 0.0}, "confidence must be a number in .0, 1."),
        ({"confidence": 1.0}, "confidence must be a number in .0, 1."),
        ({"n_draws": 0}, "n_draws must be an integer of at least 1"),
        ({"n_draws": 10.5}, "n_draws must be an integer of at least 1"),
        ({"interval": "wald"}, "interval must be one of"),
        ({"null": "chance"}, "null must be one of"),
        ({"undefined": "ignore"}, "undefined must be"),
        ({"random_state": "seed"}, "random_state must be"),
        ({"metric": "mesd"}, "is no function of counts"),
        ({"metric": "equal_odds"}, "no metric 'equal_odds'"),
        ({"metric": "cramers_v", "interval": "max_t"}, "is for gaps between rates"),
        ({"colour": "red"}, "has no option 'colour'"),
        ({"sensitive_features": ["a"]}, "different numbers of rows"),
        ({"y_true": [], "y_pred": [], "sensitive_features": []}, "0 rows"),
    ],
)
def test_bad_input(changes, message):
    y_true, y_pred, group = rows()
    given = {
        "metric": "equalized_odds_difference",
        "y_true": y_true,
        "y_pred": y_pred,
        "sensitive_features": group,
    }
    with pytest.raises(ValueError, match=message):
        metric_interval(**(given | changes))


def test_sizes_of_groups_have_no_null():
    y_true, _, group = rows()
    with pytest.raises(ValueError, match="ens_bias has no null"):
        null_baseline("ens_bias", y_true, sensitive_features=group)
    found = metric_interval("ens_bias", y_true, sensitive_features=group, random_state=0)
    assert np.isnan([found.p_value, found.corrected, found.null_mean]).all()
    assert found.lower <= found.value <= found.upper


def test_one_group_is_undefined_and_said():
    y_true, y_pred, _ = rows()
    with pytest.warns(UndefinedMetricWarning, match="there is only one: 'a'"):
        found = metric_interval(
            "equalized_odds_difference", y_true, y_pred, sensitive_features=["a"] * len(y_true)
        )
    assert np.isnan([found.value, found.lower, found.upper, found.p_value]).all()
    assert not found.reliable
    assert found.state(0.1) == "not settled"


def test_baselines_are_equal_by_value():
    y, group = [0, 1, 1, 0] * 5, ["a"] * 8 + ["b"] * 12

    def baseline(seed, metric="demographic_parity_difference", pred=y):
        return null_baseline(
            metric, y, pred, sensitive_features=group, n_draws=20, random_state=seed
        )

    chance = baseline(0)
    assert chance == baseline(0)
    assert chance != baseline(1)
    assert chance != "chance"
    with pytest.warns(UserWarning, match="is undefined"):
        undefined = [baseline(0, "demographic_parity_ratio", [0] * 20) for _ in range(2)]
    assert np.isnan(undefined[0].value)
    assert undefined[0] == undefined[1]
    with pytest.raises(TypeError, match="unhashable type: 'NullBaseline'"):
        hash(chance)
