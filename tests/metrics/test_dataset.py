"""Bias of a data set: golden values, loops written from the definitions, degenerate tables."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import contingency

from skfairprop import GroupCounts
from skfairprop.metrics import (
    cramers_v,
    dsap_evenness_bias,
    dsap_representational_bias,
    dsap_stereotypical_bias,
    ens_bias,
    evaluate,
    shannon_evenness_bias,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "heritage.json").read_text())["cases"]
GOLDEN_NAMES = {
    "bias_ENS": ens_bias,
    "bias_SEI": shannon_evenness_bias,
    "bias_DS_R": dsap_representational_bias,
    "bias_DS_E": dsap_evenness_bias,
    "bias_V": cramers_v,
    "bias_DS_S": dsap_stereotypical_bias,
}
TABLES = arrays(
    np.int64,
    st.tuples(st.integers(1, 5), st.integers(1, 4)),
    elements=st.integers(0, 9),
).filter(np.any)


def rows_of(table):
    """Group and class of every row of a table of counts."""
    group, label = np.nonzero(table)
    repeats = np.asarray(table)[group, label]
    return np.repeat(group, repeats), np.repeat(label, repeats)


def counts_of(table):
    n_groups, n_classes = np.shape(table)
    return GroupCounts(table, groups=range(n_groups), classes=range(n_classes), predicted=False)


# -- loops over groups and classes, from the definitions ------------------------------------------


def entropy(shares):
    return -sum(p * math.log(p) for p in shares if p > 0)


def group_shares(table):
    total = sum(map(sum, table))
    return [sum(row) / total for row in table]


def unlike(p, q):
    """1 - Renkonen similarity."""
    return 0.5 * sum(abs(a - b) for a, b in zip(p, q, strict=True))


def slow_ens(table):
    return len(table) - math.exp(entropy(group_shares(table)))


def slow_shannon(table):
    present = [p for p in group_shares(table) if p > 0]
    return 1 - entropy(present) / math.log(len(present)) if len(present) > 1 else 0.0


def slow_representational(table):
    return unlike(group_shares(table), [1 / len(table)] * len(table))


def slow_evenness(table):
    present = [p for p in group_shares(table) if p > 0]
    return unlike(present, [1 / len(present)] * len(present))


def slow_stereotypical(table):
    classes = [c for c in range(len(table[0])) if sum(row[c] for row in table)]
    if len(classes) < 2:
        return 0.0
    distances = []
    for c in classes:
        inside = [row[c] for row in table]
        outside = [sum(row) - row[c] for row in table]
        distances.append(
            unlike([x / sum(inside) for x in inside], [x / sum(outside) for x in outside])
        )
    return sum(distances) / len(distances)


SLOW = {
    "ens_bias": slow_ens,
    "shannon_evenness_bias": slow_shannon,
    "dsap_representational_bias": slow_representational,
    "dsap_evenness_bias": slow_evenness,
    "dsap_stereotypical_bias": slow_stereotypical,
}


@pytest.mark.parametrize("name", SLOW)
@given(table=TABLES)
def test_equals_the_loop(name, table):
    assert evaluate(counts_of(table), name) == pytest.approx(SLOW[name](table.tolist()), abs=1e-12)


@given(table=TABLES)
def test_cramers_v_equals_scipy(table):
    used = table[table.any(1)][:, table.any(0)]
    expected = contingency.association(used, method="cramer") if min(used.shape) > 1 else 0.0
    assert evaluate(counts_of(table), "cramers_v") == pytest.approx(expected, abs=1e-12)


CASES = [case for case in GOLDEN if case["kind"] == "dataset"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("key", GOLDEN_NAMES)
def test_golden_values(case, key):
    group, label = rows_of(case["contingency"])
    value = GOLDEN_NAMES[key](
        label, sensitive_features=group, groups=range(len(case["contingency"]))
    )
    assert value == pytest.approx(case["expected"][key], abs=1e-9)


# -- declared groups, one group, one class --------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (ens_bias, 1.0),  # two groups in effect of three
        (shannon_evenness_bias, 0.0),
        (dsap_representational_bias, 1 / 3),
        (dsap_evenness_bias, 0.0),
        (cramers_v, 0.0),
        (dsap_stereotypical_bias, 0.0),
    ],
)
def test_a_declared_group_counts_only_where_the_definition_says_so(function, expected):
    value = function([0, 1, 0, 1], sensitive_features=list("aabb"), groups=list("abc"))
    assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("function", GOLDEN_NAMES.values(), ids=lambda f: f.__name__)
def test_one_group_is_zero_without_a_warning(function):
    assert function([0, 1, 1], sensitive_features=list("aaa")) == 0.0


def test_one_group_of_several_that_are_declared():
    given = {"sensitive_features": list("aaa"), "groups": list("abcd")}
    assert ens_bias([0, 1, 1], **given) == pytest.approx(3.0)
    assert ens_bias([0, 1, 1], normalize=True, **given) == pytest.approx(1.0)
    assert dsap_representational_bias([0, 1, 1], **given) == pytest.approx(0.75)


def test_groups_that_are_not_declared_are_refused():
    with pytest.raises(ValueError, match="hold groups that are not declared: 'b'"):
        ens_bias([0, 1], sensitive_features=["a", "b"], groups=["a", "c"])


def test_intersections_are_declared_as_tuples():
    columns = {"sex": ["f", "m"], "age": ["old", "young"]}
    declared = [(s, a) for s in "fm" for a in ("old", "young")]
    assert ens_bias([0, 1], sensitive_features=columns) == pytest.approx(0.0)
    assert ens_bias([0, 1], sensitive_features=columns, groups=declared) == pytest.approx(2.0)


def test_normalized_ens_of_one_declared_group():
    assert ens_bias([0, 1], sensitive_features=["a", "a"], normalize=True) == 0.0


@pytest.mark.parametrize("function", GOLDEN_NAMES.values(), ids=lambda f: f.__name__)
def test_messages_call_the_labels_y(function):
    with pytest.raises(ValueError, match=r"^y: 1 of 2 values are missing; leave those rows out$"):
        function([0, None], sensitive_features=["a", "b"])


def test_the_predictions_are_a_data_set_too():
    counts = GroupCounts.from_arrays(
        [0, 1, 0, 1], [0, 0, 1, 1], sensitive_features=["a", "a", "b", "b"]
    )
    assert evaluate(counts, "cramers_v") == 0.0
    assert evaluate(counts, "cramers_v", of="y_pred") == 1.0


@pytest.mark.parametrize("scale", [1e-140, 1e-30, 1e140])
def test_cramers_v_does_not_depend_on_the_scale_of_the_weights(scale):
    rng = np.random.default_rng(0)
    y, group, weight = rng.integers(3, size=50), rng.integers(3, size=50), rng.random(50)
    expected = cramers_v(y, sensitive_features=group, sample_weight=weight)
    found = cramers_v(y, sensitive_features=group, sample_weight=weight * scale)
    assert found == pytest.approx(expected, rel=1e-9)
