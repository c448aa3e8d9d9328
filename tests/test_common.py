"""The laws that every metric obeys: one test a law, run for every metric of the registry.

A metric that is not in ``MEASURES`` makes a test fail. Only public names are imported. What the
containers and the bad input may be is in ``test_common_input.py``.
"""

import inspect
import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts, metrics
from skfairprop.metrics import METRICS, Rates, bias_estimation, evaluate
from tests.measures import (
    COUNT_DECLARED_GROUPS,
    DEPEND_ON_SCALE,
    MEASURES,
    NEED_MORE_THAN_ROWS,
    NO_METRICS,
    STABILITY,
    N,
    count_metrics,
    counts_of,
    data_sets,
    every_metric,
    expand,
    fixed_rows,
    group_metrics,
    metrics_where,
    on_counts,
    one_class_metrics,
    quiet,
    same,
    signed_metrics,
)


def test_every_metric_is_tested():
    assert set(MEASURES) | STABILITY | NEED_MORE_THAN_ROWS == set(METRICS)


def test_every_public_function_has_a_record():
    assert set(metrics.__all__) - set(METRICS) == NO_METRICS


@pytest.mark.parametrize("name", sorted(METRICS))
def test_the_record_says_what_there_is_to_know(name):
    record = METRICS[name]
    assert record.name == name
    for text in (record.formula, record.source, record.misleads):
        assert text.strip() == text
        assert text
        assert "\n" not in text
    families = {"dataset", "disparity", "classical", "estimation", "amplification", "procedural"}
    assert record.family in families
    assert record.inputs in {"counts", "labels", "scores", "attributions"}
    assert record.null in {"independence", "separation", "sufficiency", "swap", None}
    low, high = record.range
    assert low <= record.best <= high
    assert (low < 0) == record.signed
    assert record.best in {0.0, 1.0}


@every_metric
def test_the_default_of_an_option_comes_first_in_the_record(name):
    function = bias_estimation if name.startswith("estimation_") else getattr(metrics, name)
    parameters = inspect.signature(function).parameters
    for option, allowed in METRICS[name].options.items():
        assert parameters[option].default == allowed[0]


# -- laws of rows ---------------------------------------------------------------------------------


@every_metric
def test_the_value_is_a_float(name):
    assert type(MEASURES[name](fixed_rows())) is float


@quiet
@count_metrics
@given(rows=data_sets(weights=(1, 3)))
def test_rows_and_their_counts_give_one_value(name, rows):
    assert on_counts(name, counts_of(rows)) == same(MEASURES[name](rows))


@quiet
@every_metric
@given(rows=data_sets(weights=(1, 3)), seed=st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter(name, rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows.group))
    assert MEASURES[name](rows.take(order)) == same(MEASURES[name](rows))


@quiet
@every_metric
@given(rows=data_sets())
def test_the_names_of_groups_and_classes_do_not_matter(name, rows):
    groups, classes = np.array(list("dbca")), np.array(["yes", "no", "maybe"])
    renamed = replace(
        rows,
        y_true=classes[rows.y_true],
        y_pred=classes[rows.y_pred],
        group=groups[rows.group],
        pos_label="no",
    )
    assert MEASURES[name](renamed) == same(MEASURES[name](rows))


@quiet
@every_metric
@given(rows=data_sets(weights=(0, 3)))
def test_a_weight_is_so_many_rows(name, rows):
    if name in COUNT_DECLARED_GROUPS:  # a group of weight 0 is declared by its rows
        rows = replace(rows, weight=np.maximum(rows.weight, 1))
    repeated = replace(rows.take(np.repeat(np.arange(len(rows.group)), rows.weight)), weight=None)
    assert MEASURES[name](rows) == same(MEASURES[name](repeated))


@quiet
@every_metric
@given(rows=data_sets())
def test_equal_weights_do_not_matter(name, rows):
    scale = 1.0 if name in DEPEND_ON_SCALE else 0.37
    weighted = replace(rows, weight=np.full(len(rows.group), scale))
    assert MEASURES[name](weighted) == same(MEASURES[name](rows))


@metrics_where(lambda record: record.name not in DEPEND_ON_SCALE)
def test_the_scale_of_the_weights_does_not_matter(name):
    rows = replace(fixed_rows(), weight=np.random.default_rng(1).random(N))
    expected = MEASURES[name](rows)
    for scale in (1e-140, 1e-9, 1e9, 1e140):
        weight = (rows.weight * scale).astype(float)
        assert MEASURES[name](replace(rows, weight=weight)) == pytest.approx(expected, rel=1e-6)


@quiet
@every_metric
@given(rows=data_sets(), fold=st.integers(0, 2))
def test_a_protected_column_of_several_is_an_intersection(name, rows, fold):
    other = (np.arange(len(rows.group)) + fold) % 3
    columns = pd.DataFrame({"a": rows.group, "b": other})
    joined = columns["a"].astype(str) + "/" + columns["b"].astype(str)
    several = MEASURES[name](replace(rows, group=columns))
    assert several == same(MEASURES[name](replace(rows, group=joined)))


@every_metric
def test_read_only_input_is_enough_and_stays_as_it_is(name):
    def frozen(values):
        values = np.array(values)
        values.setflags(write=False)
        return values

    rows = replace(fixed_rows(), weight=np.arange(1.0, N + 1))
    kept = rows.map(np.copy)
    assert MEASURES[name](rows.map(frozen)) == MEASURES[name](kept)
    for part in ("y_true", "y_pred", "group", "score", "weight"):
        np.testing.assert_array_equal(getattr(rows, part), getattr(kept, part))


# -- laws of counts -------------------------------------------------------------------------------


@quiet
@count_metrics
@given(rows=data_sets(weights=(1, 3)), seed=st.integers(0, 99))
def test_parts_of_the_data_can_be_counted_apart(name, rows, seed):
    chunk = np.random.default_rng(seed).integers(3, size=len(rows.group))
    parts = [counts_of(rows.take(chunk == i)) for i in range(3) if np.any(chunk == i)]
    whole = counts_of(rows)
    assert sum(parts) == whole
    np.testing.assert_array_equal(sum(parts).squared, whole.squared)
    assert on_counts(name, sum(parts)) == same(on_counts(name, whole))


@quiet
@count_metrics
@given(rows=data_sets())
def test_unused_classes_and_groups_do_not_count(name, rows):
    expected = MEASURES[name](rows)
    classes = counts_of(rows, classes=[7, 2, 1, 8, 0])
    assert on_counts(name, classes) == same(expected)
    if name not in COUNT_DECLARED_GROUPS:
        groups = counts_of(rows, groups=[9, 3, 0, 1, 2])
        assert on_counts(name, groups) == same(expected)


@metrics_where(lambda record: record.needs_positive and record.counts_suffice)
def test_an_unused_class_does_not_hide_the_positive_one(name):
    counts = counts_of(fixed_rows())
    more = counts.declare_classes([0, 1, 2])
    assert on_counts(name, more, pos_label=None) == on_counts(name, counts, pos_label=None)


@quiet
@count_metrics
@given(seed=st.integers(0, 2**32 - 1), largest=st.integers(1, 4))
def test_replicates_are_computed_as_if_alone(name, seed, largest):
    tables = np.random.default_rng(seed).poisson(largest / 2, size=(2, 3, 4, 3, 3))
    tables[0, 1, 1:] = 0  # a resample may miss groups, all but one of them, or a class
    tables[1, 1, 2:] = 0
    tables[1, 2, :, 0] = 0
    record = METRICS[name]
    positive = 1 if record.needs_positive else None
    if record.inputs == "labels":
        tables = tables.sum(-1)
    predicted = record.inputs != "labels"
    together = record.kernel(Rates(tables, predicted=predicted, positive=positive))
    assert together.shape == (2, 3)
    for where in np.ndindex(2, 3):
        alone = record.kernel(Rates(tables[where], predicted=predicted, positive=positive))
        np.testing.assert_allclose(together[where], alone, rtol=1e-9, atol=1e-12)


@count_metrics
def test_counts_with_replicate_axes_are_not_one_value(name):
    counts = counts_of(fixed_rows())
    stacked = GroupCounts(
        np.stack([counts.values] * 2), groups=counts.groups, classes=counts.classes
    )
    with pytest.raises(ValueError, match="replicate axes"):
        on_counts(name, stacked)


# -- laws of values -------------------------------------------------------------------------------


@quiet
@every_metric
@given(rows=data_sets(weights=(1, 3)))
def test_the_value_is_in_its_range(name, rows):
    low, high = METRICS[name].range
    value = MEASURES[name](replace(rows, weight=rows.weight / 7))
    assert math.isnan(value) or low <= value <= high


# One table of which every group has a whole multiple: no rate differs between groups.
FAIR = np.array([[60, 20], [30, 90]])


@metrics_where(lambda record: record.family != "amplification")
@pytest.mark.parametrize("multiples", [(1, 1), (2, 2, 2)])
def test_a_fair_table_has_the_best_value(name, multiples):
    value = MEASURES[name](expand([FAIR * k for k in multiples]))
    assert value == pytest.approx(METRICS[name].best, abs=1e-12)


@metrics_where(lambda record: record.family != "amplification" and record.null is not None)
def test_sizes_of_groups_are_no_bias_where_rates_are_compared(name):
    value = MEASURES[name](expand([FAIR, FAIR * 3, FAIR * 2]))
    assert value == pytest.approx(METRICS[name].best, abs=1e-12)


@every_metric
def test_a_perfect_model_of_equal_groups_is_never_biased(name):
    with warnings.catch_warnings():  # what needs errors is undefined
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        value = MEASURES[name](expand([[[100, 0], [0, 100]]] * 2))
    assert value == same(METRICS[name].best) or math.isnan(value)


@every_metric
def test_a_biased_table_has_a_worse_value(name):
    record = METRICS[name]
    rows = expand([[[80, 20], [10, 90]], [[270, 30], [160, 40]]])
    # half of the scores follow the group instead of the prediction
    odd = np.arange(len(rows.group)) % 2 == 1
    score = np.where(odd, np.where(rows.group == 0, 0.75, 0.25), rows.score)
    value = MEASURES[name](replace(rows, score=score))
    assert abs(value - record.best) > 0.01


@signed_metrics
def test_amplification_has_a_sign(name):
    mild = [[[60, 0], [0, 40]], [[40, 0], [0, 60]]]
    strong = [[[0, 40], [0, 60]], [[60, 0], [40, 0]]]
    assert MEASURES[name](expand(mild)) == pytest.approx(0.0, abs=1e-9)
    amplified = expand(strong)
    assert MEASURES[name](amplified) > 0.01
    reduced = replace(amplified, y_true=amplified.y_pred, y_pred=amplified.y_true)
    assert MEASURES[name](reduced) < -0.01


@group_metrics
def test_one_group_is_undefined_with_a_warning(name):
    rows = replace(fixed_rows(), group=["only"] * N)
    with pytest.warns(UndefinedMetricWarning, match="only one: 'only'") as caught:
        value = MEASURES[name](rows)
    assert math.isnan(value)
    assert len(caught) == 1


@metrics_where(lambda record: not record.compares_groups)
def test_what_compares_no_groups_takes_one(name):
    value = MEASURES[name](replace(fixed_rows(), group=["only"] * N))
    assert math.isfinite(value)


# Group 2 has no positive and none predicted, group 3 no negative and none predicted.
HOLES = expand([[[6, 2], [3, 9]], [[5, 4], [2, 7]], [[5, 0], [0, 0]], [[0, 0], [0, 4]]])


@count_metrics
def test_policies_on_undefined_rates(name):
    needs = METRICS[name].needs_positive
    options = {"pos_label": 1} if needs else {}
    counts = counts_of(HOLES)
    try:
        refused = None
        value = evaluate(counts, name, undefined="raise", **options)
    except ValueError as exc:
        refused = str(exc)
    if refused is None:  # nothing is undefined: the policies agree, without a warning
        for undefined in ("drop", "nan", "zero"):
            assert evaluate(counts, name, undefined=undefined, **options) == value
        return
    assert refused.startswith(f"{name} is undefined: ")
    assert " in group" in refused
    with pytest.warns(UndefinedMetricWarning, match=f"{name} (leaves out|is undefined)") as caught:
        value = evaluate(counts, name, undefined="drop", **options)
    assert len(caught) == 1
    # demographic parity needs true classes that all groups have, and there is none
    assert math.isfinite(value) or name == "demographic_parity"
    with pytest.warns(UndefinedMetricWarning, match=rf"{name} is undefined \(NaN\): "):
        assert math.isnan(evaluate(counts, name, undefined="nan", **options))
    assert math.isfinite(evaluate(counts, name, undefined="zero", **options))
    with pytest.raises(ValueError, match="undefined must be one of"):
        evaluate(counts, name, undefined="typo", **options)


# -- the positive class ---------------------------------------------------------------------------


@one_class_metrics
@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [False, True], [0.0, 1.0]])
def test_the_positive_class_is_known_from_these_labels(name, labels):
    rows, labels = fixed_rows(), np.array(labels)
    expected = MEASURES[name](rows)
    given = replace(rows, y_true=labels[rows.y_true], y_pred=labels[rows.y_pred], pos_label=None)
    assert MEASURES[name](given) == expected


@one_class_metrics
@pytest.mark.parametrize("labels", [["no", "yes"], ["0", "1"], [1, 2], [0, 2], [-1, 0], [0.5, 1]])
def test_the_positive_class_is_never_guessed(name, labels):
    rows, labels = fixed_rows(), np.array(labels)
    given = replace(rows, y_true=labels[rows.y_true], y_pred=labels[rows.y_pred], pos_label=None)
    if labels[0] == 0.5:
        message = "y_true holds continuous values, as 0.5; pass class labels"
    else:
        message = "needs a positive class, and the labels .* do not tell which it is; pass pos_lab"
    with pytest.raises(ValueError, match=message):
        MEASURES[name](given)


@one_class_metrics
def test_three_classes_need_a_positive_one(name):
    rows = fixed_rows(n_classes=3)
    with pytest.raises(ValueError, match="pass pos_label= \\(that class against the rest\\)"):
        MEASURES[name](replace(rows, pos_label=None))
    two = replace(rows, y_true=rows.y_true == 2, y_pred=rows.y_pred == 2)
    assert MEASURES[name](replace(rows, pos_label=2)) == MEASURES[name](two)


@one_class_metrics
def test_a_positive_class_that_is_not_there_is_refused(name):
    with pytest.raises(ValueError, match=r"pos_label='yes' is not among the labels found: 0, 1$"):
        MEASURES[name](replace(fixed_rows(), pos_label="yes"))
