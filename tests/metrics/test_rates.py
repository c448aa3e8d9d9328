"""What `Rates` says of one class, against loops over the rows of a table."""

import math
from itertools import product

import numpy as np
import pytest

from skfairprop.metrics import Rates

# What a cell of true and predicted class adds to the numerator and the denominator of a rate.
SELECTED = {
    "prediction_rate": lambda true, pred: (pred, True),
    "recall": lambda true, pred: (true and pred, true),
    "false_positive_rate": lambda true, pred: (pred and not true, not true),
    "precision": lambda true, pred: (true and pred, pred),
}


def defined_rates(table, positive, counted):
    """The rate of every group that has one."""
    found = []
    for group in table:
        parts = [0.0, 0.0]
        for true, pred in product(range(len(group)), repeat=2):
            for part, counts in enumerate(counted(true == positive, pred == positive)):
                parts[part] += group[true][pred] * counts
        if parts[1]:
            found.append(parts[0] / parts[1])
    return found


@pytest.mark.parametrize("name", SELECTED)
@pytest.mark.parametrize("weighted", [False, True])
def test_gap_and_ratio_of_the_positive_class(name, weighted):
    rng = np.random.default_rng(0)
    tables = rng.poisson(0.4, size=(4, 50, 3, 3, 3)) * (
        rng.random((4, 50, 3, 3, 3)) if weighted else 1
    )
    rates = Rates(tables, positive=2)
    gaps, ratios = rates.positive_gap(name), rates.positive_ratio(name)
    assert gaps.shape == ratios.shape == (4, 50)
    undefined = 0
    for where in np.ndindex(4, 50):
        found = defined_rates(tables[where].tolist(), 2, SELECTED[name])
        low, high = (min(found), max(found)) if len(found) > 1 else (math.nan, math.nan)
        undefined += len(found) < 2
        assert gaps[where] == pytest.approx(high - low, nan_ok=True)
        assert ratios[where] == pytest.approx(low / high if high else math.nan, nan_ok=True)
    assert undefined or name == "prediction_rate"  # the tables have what is to be left out


def test_the_accuracy_is_of_all_classes():
    table = [[[8, 2], [1, 9]], [[6, 4], [5, 5]]]  # 17 and 11 of 20
    for positive in (0, 1):
        rates = Rates(table, positive=positive)
        assert rates.positive_gap("accuracy") == pytest.approx(6 / 20)
        assert rates.positive_ratio("accuracy") == pytest.approx(11 / 17)


def test_without_a_positive_class_there_is_nothing_to_compare():
    for compare in (
        Rates(np.ones((2, 2, 2))).positive_gap,
        Rates(np.ones((2, 2, 2))).positive_ratio,
    ):
        with pytest.raises(ValueError, match="this rate needs a positive class"):
            compare("recall")
