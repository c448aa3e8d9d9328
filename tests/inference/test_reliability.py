import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.inference import infer, metric_reliability


def counts_of(values):
    values = np.asarray(values)
    return GroupCounts(values, groups=range(len(values)), classes=["no", "yes"])


FEW = counts_of([[[50, 2], [9, 40]], [[60, 1], [8, 30]]])  # three false positives of "yes"
ENOUGH = counts_of([[[50, 4], [9, 40]], [[60, 3], [8, 30]]])


@pytest.mark.parametrize("name", ["combined_error_variance", "symmetric_distance_error"])
def test_relative_errors_need_errors(name):
    found = metric_reliability(name, FEW)
    assert not found.reliable
    assert found.reason == ("rests on 3 false positives of class 'yes'; at least 5 are needed")
    assert metric_reliability(name, ENOUGH) == (True, "")


def test_other_metrics_do_not():
    assert metric_reliability("equalized_odds_difference", FEW).reliable


def test_the_inference_carries_the_reason():
    names = ["combined_error_variance", "overall_disparity"]
    found = infer(FEW, names, n_draws=60, random_state=0)
    assert not found[names[0]].reliable
    assert "3 false positives" in found[names[0]].reason
    assert found[names[1]].reliable


def test_weights_count_by_their_effective_number():
    # four false positives of weight 10 are four rows, however much they weigh
    values = ENOUGH.values * 10
    squared = values * 10
    few = GroupCounts(values, groups=[0, 1], classes=["no", "yes"], squared=squared)
    assert metric_reliability("combined_error_variance", few).reliable
    squared = squared.copy()
    squared[:, 0, 1] *= 2  # unequal weights: half as many
    uneven = GroupCounts(values, groups=[0, 1], classes=["no", "yes"], squared=squared)
    assert metric_reliability("combined_error_variance", uneven).reason.startswith(
        "rests on effectively 3.5 false positives of class 'yes'"
    )
