"""What every metric takes and refuses: missing values, rows that do not match, containers."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import metrics
from skfairprop.metrics import METRICS
from tests.containers import GROUPS, NUMBERS
from tests.measures import (
    MEASURES,
    STABILITY,
    N,
    every_metric,
    fixed_rows,
    prediction_metrics,
    quiet,
    same,
    with_missing,
)

# -- missing values -------------------------------------------------------------------------------

MISSING = [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]


@every_metric
@pytest.mark.parametrize("value", MISSING, ids=repr)
def test_a_missing_protected_value_is_refused(name, value):
    rows = fixed_rows()
    group = pd.Series(with_missing(rows.group, value), name="sex")
    message = "sensitive_features 'sex': 2 of 600 values are missing; pass missing='group'"
    with pytest.raises(ValueError, match=message):
        MEASURES[name](replace(rows, group=group))


@quiet
@every_metric
def test_missing_protected_values_can_be_a_group(name):
    rows = fixed_rows()
    missing = with_missing(rows.group, None, range(N // 2))
    replaced = with_missing(rows.group, 17, range(N // 2))
    value = MEASURES[name](replace(rows, group=missing), missing="group")
    assert value == MEASURES[name](replace(rows, group=replaced))


@every_metric
def test_rows_with_missing_protected_values_can_be_left_out(name):
    rows = fixed_rows()
    dropped = replace(rows, group=with_missing(rows.group, None))
    with pytest.warns(UserWarning, match="left out 2 of 600 rows .*; 598 rows were used") as caught:
        value = MEASURES[name](dropped, missing="drop")
    assert len(caught) == 1
    kept = np.delete(np.arange(N), [3, 4])
    assert value == same(MEASURES[name](rows.take(kept)))


@every_metric
def test_the_policy_on_missing_values_is_checked(name):
    with pytest.raises(ValueError, match=r"missing must be one of .*; got 'typo'"):
        MEASURES[name](fixed_rows(), missing="typo")


@every_metric
@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_missing_labels_are_always_refused(name, missing):
    rows = fixed_rows()
    given = replace(rows, y_true=with_missing(rows.y_true, None))
    argument = "y" if METRICS[name].inputs == "labels" else "y_true"
    with pytest.raises(ValueError, match=f"{argument}: 2 of 600 values are missing"):
        MEASURES[name](given, missing=missing)


@prediction_metrics
@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_missing_predictions_are_always_refused(name, missing):
    rows = fixed_rows()
    given = replace(rows, y_pred=with_missing(rows.y_pred, None))
    with pytest.raises(ValueError, match="y_pred: 2 of 600 values are missing"):
        MEASURES[name](given, missing=missing)


# -- rows that do not belong together -------------------------------------------------------------


@every_metric
def test_empty_input_is_refused(name):
    rows = fixed_rows().take(np.arange(0))
    with pytest.raises(ValueError, match="empty: 0 rows; at least 1 is needed"):
        MEASURES[name](rows)


@every_metric
@pytest.mark.parametrize("part", ["y_true", "group", "weight"])
def test_unequal_lengths_are_refused(name, part):
    rows = replace(fixed_rows(), weight=np.ones(N))
    given = replace(rows, **{part: getattr(rows, part)[:-1]})
    with pytest.raises(ValueError, match=r"inputs have different numbers of rows: .* has 599"):
        MEASURES[name](given)


@every_metric
def test_series_are_aligned_by_their_index(name):
    rows = replace(fixed_rows(), weight=np.arange(1, N + 1))
    shuffled = np.random.default_rng(0).permutation(N)
    frames = rows.map(pd.Series)
    mixed = replace(frames, group=frames.group[shuffled], weight=frames.weight[shuffled])
    assert MEASURES[name](mixed) == same(MEASURES[name](rows))


@every_metric
def test_series_with_other_indexes_are_refused(name):
    frames = fixed_rows().map(pd.Series)
    other = replace(frames, group=frames.group.rename(lambda i: i + 1))
    with pytest.raises(ValueError, match=r"have different indexes: .*; give them the same index"):
        MEASURES[name](other)


@every_metric
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-1.0, "sample_weight holds 600 negative values"),
        (np.nan, "sample_weight holds values that are missing or infinite"),
        (np.inf, "sample_weight holds values that are missing or infinite"),
        (1e200, "sample_weight holds values as large as 1e\\+200; divide"),
        (1e-200, "sample_weight holds no value above 1e-200; divide"),
        ("heavy", "sample_weight must hold numbers"),
        (0, "sample_weight is zero in all rows"),
    ],
)
def test_weights_are_checked(name, weight, message):
    with pytest.raises(ValueError, match=message):
        MEASURES[name](replace(fixed_rows(), weight=[weight] * N))


# -- containers -----------------------------------------------------------------------------------


@every_metric
@pytest.mark.parametrize("container", NUMBERS)
def test_any_container_will_do(name, container):
    rows = fixed_rows()
    read = NUMBERS[container]
    labels = {"y_true": read(rows.y_true), "y_pred": read(rows.y_pred)}
    given = replace(rows, **labels, group=read(rows.group))
    assert MEASURES[name](given) == same(MEASURES[name](rows))


@every_metric
@pytest.mark.parametrize("kind", GROUPS)
def test_any_kind_of_group_will_do(name, kind):
    rows = fixed_rows()
    given = replace(rows, group=GROUPS[kind](rows.group))
    assert MEASURES[name](given) == same(MEASURES[name](rows))


@every_metric
def test_true_and_false_are_groups(name):
    rows = fixed_rows(n_groups=2)
    given = replace(rows, group=rows.group.astype(bool))
    assert MEASURES[name](given) == MEASURES[name](rows)


@every_metric
@pytest.mark.parametrize("column", ["y_true", "y_pred", "count", "sample_weight", ("a", "b"), 0])
def test_a_protected_column_may_have_any_name(name, column):
    rows = fixed_rows()
    given = replace(rows, group=pd.Series(rows.group, name=column))
    assert MEASURES[name](given) == MEASURES[name](rows)


# -- metrics of explanations: the laws that a value per row can obey ------------------------------

stability_metrics = pytest.mark.parametrize("name", sorted(STABILITY))


def of_stability(name, stability, y, group, **options):
    result = metrics.mesd_from_stability(stability, y, sensitive_features=group, **options)
    return METRICS[name].kernel(result)


def stable_rows(seed=0, n=60):
    rng = np.random.default_rng(seed)
    return rng.random(n), np.arange(n) % 2, np.arange(n) % 3


@quiet
@stability_metrics
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 60))
def test_stability_by_group_does_not_depend_on_order_and_names(name, seed, n):
    stability, y, group = stable_rows(seed, n)
    value = of_stability(name, stability, y, group)
    order = np.random.default_rng(seed).permutation(n)
    assert of_stability(name, stability[order], y[order], group[order]) == same(value)
    renamed = np.array(["yes", "no"])[y], np.array(["c", "a", "b"])[group]
    assert of_stability(name, stability, *renamed) == same(value)
    low, high = METRICS[name].range
    assert low <= value <= high


@stability_metrics
def test_equal_stability_is_no_disparity(name):
    _, y, group = stable_rows()
    value = of_stability(name, np.full(60, 0.75), y, group)
    assert value == same(METRICS[name].best if METRICS[name].compares_groups else 0.25)


@pytest.mark.parametrize("name", sorted(n for n in STABILITY if METRICS[n].compares_groups))
def test_stability_of_one_group_is_not_compared(name):
    stability, y, _ = stable_rows()
    with pytest.warns(UndefinedMetricWarning, match="only one: 'only'"):
        assert math.isnan(of_stability(name, stability, y, ["only"] * 60))


@stability_metrics
def test_stability_of_rows_with_missing_protected_values(name):
    stability, y, group = stable_rows()
    missing = with_missing(group, None)
    with pytest.raises(ValueError, match="sensitive_features: 2 of 60 values are missing"):
        of_stability(name, stability, y, missing)
    with pytest.warns(UserWarning, match="left out 2 of 60 rows"):
        dropped = of_stability(name, stability, y, missing, missing="drop")
    kept = np.delete(np.arange(60), [3, 4])
    assert dropped == same(of_stability(name, stability[kept], y[kept], group[kept]))


@stability_metrics
@pytest.mark.parametrize("container", NUMBERS)
def test_stability_in_any_container(name, container):
    stability, y, group = stable_rows()
    read = NUMBERS[container]
    value = of_stability(name, stability, read(y), read(group))
    assert value == same(of_stability(name, stability, y, group))
