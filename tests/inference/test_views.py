"""What a metric does not see must not change its inference."""

import numpy as np
import pytest

from skfairprop import GroupCounts
from skfairprop.inference import MetricCall, infer
from skfairprop.metrics import METRICS

RNG = np.random.default_rng(0)
CLASSES = ["high", "low", "middle"]
VALUES = RNG.integers(1, 40, size=(3, 3, 3))
COUNTS = GroupCounts(VALUES, groups=list("abc"), classes=CLASSES)


def against_the_rest(position):
    """The table with one class, at 1, against the rest, at 0."""
    out = np.zeros((3, 2, 2), dtype=int)
    for t in range(3):
        for p in range(3):
            out[:, int(t == position), int(p == position)] += VALUES[:, t, p]
    return GroupCounts(out, groups=list("abc"), classes=[0, 1])


NEED_POSITIVE = sorted(name for name, m in METRICS.items() if m.needs_positive and m.counts_suffice)


@pytest.mark.parametrize("position", range(3))
def test_one_class_against_the_rest_is_inferred_as_binary_labels(position):
    calls = {name: MetricCall(name, pos_label=CLASSES[position]) for name in NEED_POSITIVE}
    several = infer(COUNTS, calls, n_draws=60, random_state=0)
    binary = infer(against_the_rest(position), NEED_POSITIVE, n_draws=60, random_state=0)
    for name in NEED_POSITIVE:
        assert repr(several[name]) == repr(binary[name]), name


def test_accuracy_does_not_see_the_classes():
    correct = np.einsum("gkk->g", VALUES)
    table = np.zeros((3, 2, 2), dtype=int)
    table[:, 0, 0], table[:, 1, 0] = correct, VALUES.sum((1, 2)) - correct
    binary = GroupCounts(table, groups=list("abc"), classes=[0, 1])
    first, second = (
        infer(c, "accuracy_difference", n_draws=60, random_state=0) for c in (COUNTS, binary)
    )
    assert first == second


@pytest.mark.parametrize("predicted", [True, False])
def test_declared_classes_and_groups_without_rows_change_nothing(predicted):
    values = VALUES if predicted else VALUES.sum(2)
    shape = (5, 4, 4) if predicted else (5, 4)
    larger = np.zeros(shape, dtype=int)
    larger[np.ix_([0, 2, 4], *[[0, 1, 3]] * (values.ndim - 1))] = values
    labels = {"groups": list("apbqc"), "classes": ["high", "low", "lower", "middle"]}
    calls = [
        MetricCall(m, pos_label="low" if m.needs_positive else None)
        for m in METRICS.values()
        if m.counts_suffice
        and (predicted or m.inputs == "labels")
        and m.name not in ("ens_bias", "dsap_representational_bias")  # these count such groups
    ]
    plain = GroupCounts(values, groups=list("abc"), classes=CLASSES, predicted=predicted)
    first = infer(plain, calls, n_draws=60, random_state=0)
    second = infer(
        GroupCounts(larger, predicted=predicted, **labels), calls, n_draws=60, random_state=0
    )
    assert repr(first) == repr(second)


def test_labels_and_predictions_are_two_data_sets():
    calls = {of: MetricCall("cramers_v", of=of) for of in ("y_true", "y_pred")}
    found = infer(COUNTS, calls, n_draws=60, random_state=0)
    turned = GroupCounts(VALUES.swapaxes(1, 2), groups=list("abc"), classes=CLASSES)
    assert found["y_pred"].value == infer(turned, "cramers_v", n_draws=60)["cramers_v"].value
    assert found["y_true"].value != found["y_pred"].value


def test_a_positive_class_that_never_occurs():
    counts = GroupCounts([[[4, 0], [0, 0]], [[9, 0], [0, 0]]], groups=["a", "b"], classes=[0, 1])
    found = infer(counts, "demographic_parity_difference", random_state=0)
    one = found["demographic_parity_difference"]
    assert (one.value, one.p_value) == (0, 1)
    assert one.upper > 0
    with pytest.raises(ValueError, match="pos_label='no'"):
        infer(counts, MetricCall("precision_difference", pos_label="no"))
