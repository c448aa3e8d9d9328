"""Multi-attribute amplification: an enumeration of all label sets, and what never occurs."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts
from skfairprop.metrics import METRICS, Rates, evaluate, multi_attribute_bias_amplification
from skfairprop.metrics._label_sets import count_combinations


def some_sets(seed=0, n=200, n_labels=5, n_groups=3):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n)
    truth = (rng.random((n, n_labels)) < 0.35).astype(int)
    pred = np.where(rng.random((n, n_labels)) < 0.8, truth, 1 - truth)
    return group, truth, pred


def slow_changes(group, truth, pred, max_size=None, weight=None):
    """Change of every combination that some row has, for every group."""
    weight = np.ones(len(group)) if weight is None else weight
    out = {}
    for size in range(1, (max_size or truth.shape[1]) + 1):
        for labels in combinations(range(truth.shape[1]), size):
            has = truth[:, labels].all(axis=1)
            if not has.any():
                continue
            for a in np.unique(group):
                w = weight * (group == a)
                change = (w[pred[:, labels].all(axis=1)].sum() - w[has].sum()) / w.sum()
                out[a, labels] = change
    return out


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_size", [None, 1, 2, 3])
def test_the_mean_and_variance_equal_an_enumeration(seed, max_size):
    group, truth, pred = some_sets(seed)
    expected = np.array(list(slow_changes(group, truth, pred, max_size).values()))
    found = multi_attribute_bias_amplification(
        truth, pred, sensitive_features=group, max_size=max_size
    )
    assert found == pytest.approx((np.abs(expected).mean(), expected.var()))


def test_weights_count():
    group, truth, pred = some_sets()
    weight = np.random.default_rng(1).random(len(group))
    expected = np.array(list(slow_changes(group, truth, pred, weight=weight).values()))
    found = multi_attribute_bias_amplification(
        truth, pred, sensitive_features=group, sample_weight=weight
    )
    assert found == pytest.approx((np.abs(expected).mean(), expected.var()))


def test_details_name_every_combination():
    group, truth, pred = some_sets()
    names = np.array(list("xyz"))
    frames = [pd.DataFrame(v, columns=["a", "b", "c", "d", "e"]) for v in (truth, pred)]
    found = multi_attribute_bias_amplification(
        *frames, sensitive_features=names[group], return_details=True
    )
    expected = {
        (names[a], tuple("abcde"[i] for i in labels)): change
        for (a, labels), change in slow_changes(group, truth, pred).items()
    }
    table = found.changes
    assert dict(
        zip(zip(table["prior"], table["target"], strict=True), table["change"], strict=True)
    ) == pytest.approx(expected)
    np.testing.assert_allclose(table["p_model"] - table["p_data"], table["change"])
    assert found.mean == pytest.approx(table["change"].abs().mean())
    assert found.variance == pytest.approx(table["change"].var(ddof=0))
    worst = max(expected, key=lambda key: abs(expected[key]))
    assert (found.worst_pair.prior, found.worst_pair.target) == worst


def test_of_one_class_a_row_the_classes_are_the_labels():
    rng = np.random.default_rng(0)
    group, truth, pred = rng.integers(0, 3, (3, 200))
    pred[truth == 2] = 2
    one_hot = [np.eye(3, dtype=int)[y] for y in (truth, pred)]
    by_class = multi_attribute_bias_amplification(truth, pred, sensitive_features=group)
    by_set = multi_attribute_bias_amplification(*one_hot, sensitive_features=group)
    assert by_class == pytest.approx(by_set)
    changes = [pd.crosstab(group, y, normalize="index").to_numpy() for y in (truth, pred)]
    assert by_class[0] == pytest.approx(np.abs(changes[1] - changes[0]).mean())


def test_the_registry_has_the_mean():
    rng = np.random.default_rng(0)
    group, truth, pred = rng.integers(0, 3, (3, 200))
    truth[truth == 2] = 0  # a class that is only predicted does not count
    mean, _ = multi_attribute_bias_amplification(truth, pred, sensitive_features=group)
    counts = GroupCounts.from_arrays(truth, pred, sensitive_features=group)
    assert evaluate(counts, "multi_attribute_bias_amplification") == pytest.approx(mean)
    tables = np.pad(np.stack([counts.values] * 2), [(0, 0), (0, 1), (0, 1), (0, 1)])
    found = METRICS["multi_attribute_bias_amplification"].kernel(Rates(tables))
    assert found == pytest.approx([mean, mean])


def test_stored_zeros_and_unsorted_columns_are_read_right():
    group, truth, pred = some_sets()
    expected = multi_attribute_bias_amplification(truth, pred, sensitive_features=group)
    stored = sparse.csr_matrix(np.ones_like(truth))
    stored.data = truth.ravel()
    turned = sparse.csr_matrix(pred[:, ::-1])[:, ::-1]
    found = multi_attribute_bias_amplification(stored, turned, sensitive_features=group)
    assert found == pytest.approx(expected)
    assert stored.nnz == truth.size  # left as it was


def test_label_sets_that_never_occur_are_not_met():
    """5,000 labels, two a row: 12 million pairs, of which 300 occur."""
    rng = np.random.default_rng(0)
    truth = sparse.lil_matrix((300, 5000), dtype=np.int8)
    for row in range(300):
        truth[row, rng.choice(5000, 2, replace=False)] = 1
    truth = truth.tocsr()
    group = rng.integers(0, 2, 300)
    parts = list(count_combinations(truth, truth, group, 2, None, None))
    pairs = sum(len(p.labels) for p in parts if p.labels.shape[1] == 2)
    assert pairs <= 300
    assert sum(len(p.labels) for p in parts if p.labels.shape[1] == 1) == len(set(truth.indices))
    assert multi_attribute_bias_amplification(truth, truth, sensitive_features=group) == (0, 0)


def test_too_many_combinations_are_refused():
    full = np.ones((50, 40), dtype=int)
    message = r"hold 5\.5e\+13 combinations of up to 40 labels, too many to count; pass a smaller"
    with pytest.raises(ValueError, match=message):
        multi_attribute_bias_amplification(full, full, sensitive_features=list("ab") * 25)
    found = multi_attribute_bias_amplification(
        full, full, sensitive_features=list("ab") * 25, max_size=2
    )
    assert found == (0, 0)


def test_bad_input():
    group, truth, pred = some_sets()
    with pytest.warns(UndefinedMetricWarning, match="there is only one: 0"):
        found = multi_attribute_bias_amplification(truth, pred, sensitive_features=group * 0)
    assert all(math.isnan(v) for v in found)
    for size in (0, 1.5, "all"):
        with pytest.raises(ValueError, match="max_size must be an integer of at least 1"):
            multi_attribute_bias_amplification(truth, pred, sensitive_features=group, max_size=size)
    with pytest.raises(ValueError, match="y_true holds label sets and y_pred classes"):
        multi_attribute_bias_amplification(truth, pred[:, 0], sensitive_features=group)
    with pytest.raises(ValueError, match="y_true has 200, y_pred has 199"):
        multi_attribute_bias_amplification(truth, pred[1:], sensitive_features=group)
    nobody = np.zeros_like(truth)
    with pytest.warns(UndefinedMetricWarning, match="no row of y_true has a label"):
        found = multi_attribute_bias_amplification(nobody, pred, sensitive_features=group)
    assert all(math.isnan(v) for v in found)
    with pytest.warns(UndefinedMetricWarning, match="no row of y_true has a label"):
        details = multi_attribute_bias_amplification(
            nobody, pred, sensitive_features=group, return_details=True
        )
    assert len(details.changes) == 0
    assert details.worst_pair is None
