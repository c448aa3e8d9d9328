"""The laws that every metric obeys: one test a law, run for every metric of the registry.

A metric that is not in ``MEASURES`` below makes a test fail. Only public names are imported.
"""

import inspect
import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import GroupCounts, metrics
from skfairprop.metrics import METRICS, Rates, bias_estimation, ensemble_bias_estimation, evaluate


def quiet(test):
    """Random tables may lack a rate, or be too small for a plug-in estimate: both are warned of."""
    for category in ("sklearn.exceptions.UndefinedMetricWarning", "UserWarning"):
        test = pytest.mark.filterwarnings(f"ignore::{category}")(test)
    return test


# -- registries: how each metric is called on rows ------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """What any metric may read of a data set."""

    y_true: Any
    y_pred: Any
    group: Any
    score: Any
    weight: Any = None
    pos_label: Any = 1

    def map(self, function):
        """The same function on everything that has one value a row."""
        names = ("y_true", "y_pred", "group", "score", "weight")
        parts = {name: getattr(self, name) for name in names}
        return replace(self, **{k: v if v is None else function(v) for k, v in parts.items()})

    def take(self, where):
        return self.map(lambda values: np.asarray(values)[where])


def of_labels(function):
    def measure(rows, **options):
        data = {"sensitive_features": rows.group, "sample_weight": rows.weight}
        return function(rows.y_true, **data, **options)

    return measure


def of_predictions(function):
    def measure(rows, **options):
        data = {"sensitive_features": rows.group, "sample_weight": rows.weight}
        return function(rows.y_true, rows.y_pred, **data, **options)

    return measure


def of_one_class(function):
    def measure(rows, **options):
        return of_predictions(function)(rows, **({"pos_label": rows.pos_label} | options))

    return measure


def estimation(method):
    def measure(rows, **options):
        given = {"method": method, "y_score": rows.score}
        return of_one_class(bias_estimation)(rows, **given, **options)

    return measure


def first_of(function):
    def measure(rows, **options):
        return of_predictions(function)(rows, **options)[0]

    return measure


def named(wrap, *names):
    return {name: wrap(getattr(metrics, name)) for name in names}


MEASURES = {
    **named(
        of_labels,
        "ens_bias",
        "shannon_evenness_bias",
        "dsap_representational_bias",
        "dsap_evenness_bias",
        "cramers_v",
        "dsap_stereotypical_bias",
    ),
    **named(
        of_predictions,
        "term_by_term_equalized_odds",
        "classwise_equalized_odds",
        "equal_opportunity",
        "demographic_parity",
        "overall_disparity",
        "combined_error_variance",
        "symmetric_distance_error",
        "accuracy_difference",
        "directional_predictability_amplification",
        "directional_bias_amplification",
        "mals_bias_amplification",
        "leakage_amplification",
        "differential_fairness_bias_amplification",
    ),
    **named(
        of_one_class,
        "demographic_parity_difference",
        "demographic_parity_ratio",
        "equalized_odds_difference",
        "equalized_odds_ratio",
        "equal_opportunity_difference",
        "equal_opportunity_ratio",
        "false_positive_rate_difference",
        "false_negative_rate_difference",
        "precision_difference",
    ),
    "multi_attribute_bias_amplification": first_of(metrics.multi_attribute_bias_amplification),
    "ensemble_bias_estimation": of_one_class(ensemble_bias_estimation),
    **{
        f"estimation_{method}": estimation(method)
        for method in (
            "equalized_odds",
            "disparate_impact",
            "demographic_parity",
            "sensitivity",
            "specificity",
            "balance_error_rate",
            "lr_plus",
            "equal_ppv",
            "equal_npv",
            "equal_accuracy",
            "equal_opportunity",
            "treatment_equality",
            "equal_fpr",
            "equal_fnr",
            "error_rate_balance",
            "normalized_difference",
            "mutual_information",
            "balance_residuals",
            "calibration",
            "prediction_parity",
            "erbs",
        )
    },
}

# Read from the stability of explanations, one value a row.
STABILITY = {"mesd", "mesd_max", "mesd_var", "worst_group_instability", "mean_instability"}
# Need a model to explain, or random permutations: tested with the explanations.
NEED_MORE_THAN_ROWS = {"mesd_excess", "fidelity_gap"}

# Public names of skfairprop.metrics that are no metrics themselves.
NO_METRICS = {
    "METRICS",
    "Driver",
    "MESDResult",
    "Metric",
    "Rates",
    "bias_estimation",
    "bias_estimations",
    "evaluate",
    "explanation_stability",
    "get_metric",
    "group_rates",
    "mesd_from_stability",
    "predictability",
}
# The number of groups is part of the definition, whether they have rows or not.
COUNT_DECLARED_GROUPS = {"ens_bias", "dsap_representational_bias"}
# Smoothing adds rows, as it were: twice the weight is another value.
DEPEND_ON_SCALE = {"differential_fairness_bias_amplification"}


def metrics_where(holds):
    """Run a test for the metrics for whose record something holds."""
    return pytest.mark.parametrize("name", sorted(n for n in MEASURES if holds(METRICS[n])))


every_metric = metrics_where(lambda record: True)
count_metrics = metrics_where(lambda record: record.counts_suffice)
prediction_metrics = metrics_where(lambda record: record.inputs != "labels")
group_metrics = metrics_where(lambda record: record.compares_groups)
one_class_metrics = metrics_where(lambda record: record.needs_positive)
signed_metrics = metrics_where(lambda record: record.signed)


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


# -- data -----------------------------------------------------------------------------------------


def random_rows(seed, n, n_groups, n_classes, weights):
    """Rows in which classes 0 and 1 occur, whatever the weights; scores have exact sums."""
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(n_classes, size=(2, n))
    y_true[:2], y_pred[:2] = (1, 0), (0, 1)
    weight = None
    if weights is not None:
        weight = rng.integers(*weights, size=n, endpoint=True)
        weight[:2] = np.maximum(weight[:2], 1)
    return Rows(y_true, y_pred, rng.integers(n_groups, size=n), rng.integers(5, size=n) / 4, weight)


def data_sets(weights=None):
    """Small data sets with few or many holes; `weights` are the smallest and the largest."""
    return st.builds(
        random_rows,
        seed=st.integers(0, 2**32 - 1),
        n=st.integers(4, 30),
        n_groups=st.integers(1, 4),
        n_classes=st.integers(2, 3),
        weights=st.just(weights),
    )


N = 600  # enough for the plug-in estimates of predictability


def fixed_rows(n=N, n_groups=3, n_classes=2, seed=0):
    """Rows where every group has every rate."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % n_groups
    y_true = rng.integers(n_classes, size=n)
    y_pred = np.where(rng.random(n) < 0.7, y_true, rng.integers(n_classes, size=n))
    score = np.clip((2 * y_pred + rng.integers(-1, 2, n) + 1) / 4, 0, 1)
    return Rows(y_true, y_pred, group, score)


def expand(table):
    """Rows of a table of counts, group x true x predicted; the score follows the prediction."""
    where = np.nonzero(table)
    group, y_true, y_pred = (np.repeat(axis, np.asarray(table)[where]) for axis in where)
    return Rows(y_true, y_pred, group, np.where(y_pred == 1, 0.75, 0.25))


def same(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


def counts_of(rows, **options):
    return GroupCounts.from_arrays(
        rows.y_true,
        rows.y_pred,
        sensitive_features=rows.group,
        sample_weight=rows.weight,
        **options,
    )


def on_counts(name, counts, pos_label=1):
    """A count metric on counts, with the positive class where it needs one."""
    return evaluate(counts, name, pos_label=pos_label if METRICS[name].needs_positive else None)


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
    for scale in (1e-300, 1e-9, 1e9, 1e140):
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


# -- missing values -------------------------------------------------------------------------------

MISSING = [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]


def with_missing(values, value, where=(3, 4)):
    out = np.array(values, dtype=object)
    out[list(where)] = value
    return out


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
        ("heavy", "sample_weight must hold numbers"),
        (0, "sample_weight is zero in all rows"),
    ],
)
def test_weights_are_checked(name, weight, message):
    with pytest.raises(ValueError, match=message):
        MEASURES[name](replace(fixed_rows(), weight=[weight] * N))


# -- containers -----------------------------------------------------------------------------------


def polars(values):
    return pytest.importorskip("polars").Series("column", np.asarray(values).tolist())


def polars_enum(values):
    pl = pytest.importorskip("polars")
    texts = [str(v) for v in np.asarray(values).tolist()]
    return pl.Series("column", texts, dtype=pl.Enum(sorted(set(texts), reverse=True)))


def arrow(values):
    pa = pytest.importorskip("pyarrow")
    values = np.asarray(values)
    return pa.chunked_array([values[:7], values[7:]])


def arrow_dictionary(values):
    return arrow(values).dictionary_encode()


def arrow_table(values):
    return pytest.importorskip("pyarrow").table({"column": arrow(values)})


def pandas_arrow(values):
    pytest.importorskip("pyarrow")
    return pd.Series(values).convert_dtypes(dtype_backend="pyarrow")


def category(values, ordered=False):
    found = sorted(set(np.asarray(values).tolist()), reverse=True)
    return pd.Series(pd.Categorical(values, categories=[99, *found, 98], ordered=ordered))


def multi_index(values):
    return pd.MultiIndex.from_arrays([values, np.zeros(len(values))])


NUMBERS = {  # containers of integer labels and groups
    "list": lambda v: np.asarray(v).tolist(),
    "tuple": lambda v: tuple(np.asarray(v).tolist()),
    "int8": lambda v: np.asarray(v, dtype=np.int8),
    "uint64": lambda v: np.asarray(v, dtype=np.uint64),
    "big-endian": lambda v: np.asarray(v, dtype=">i4"),
    "float": lambda v: np.asarray(v, dtype=float),
    "float16": lambda v: np.asarray(v, dtype=np.float16),
    "longdouble": lambda v: np.asarray(v, dtype=np.longdouble),
    "object": lambda v: np.asarray(v, dtype=object),
    "column": lambda v: np.asarray(v)[:, None],
    "strided": lambda v: np.repeat(np.asarray(v), 2)[::2],
    "masked": lambda v: np.ma.masked_equal(np.asarray(v), -5),
    "Series": pd.Series,
    "Index": pd.Index,
    "DataFrame": lambda v: pd.DataFrame({"column": np.asarray(v)}),
    "nullable": lambda v: pd.Series(v).convert_dtypes(),
    "Float64": lambda v: pd.Series(v, dtype="Float64"),
    "sparse": lambda v: pd.Series(pd.arrays.SparseArray(v)),
    "category": category,
    "ordered category": lambda v: category(v, ordered=True),
    "pandas pyarrow": pandas_arrow,
    "polars": polars,
    "polars frame": lambda v: polars(v).to_frame(),
    "pyarrow": arrow,
    "pyarrow dictionary": arrow_dictionary,
    "pyarrow table": arrow_table,
}


@every_metric
@pytest.mark.parametrize("container", NUMBERS)
def test_any_container_will_do(name, container):
    rows = fixed_rows()
    read = NUMBERS[container]
    labels = {"y_true": read(rows.y_true), "y_pred": read(rows.y_pred)}
    given = replace(rows, **labels, group=read(rows.group))
    assert MEASURES[name](given) == same(MEASURES[name](rows))


GROUPS = {  # what a protected column may hold
    "str": lambda v: pd.Series([f"g{i}" for i in v]),
    "object str": lambda v: pd.Series([f"g{i}" for i in v], dtype=object),
    "string": lambda v: pd.Series([f"g{i}" for i in v], dtype="string"),
    "fixed width": lambda v: np.array([f"g{i}" for i in v]),
    "StringDType": lambda v: np.array([f"g{i}" for i in v], dtype=np.dtypes.StringDType()),
    "bytes": lambda v: np.array([b"g%d" % i for i in v]),
    "enum": polars_enum,
    "mixed": lambda v: [1 if i == 0 else "b" if i == 1 else 2.5 for i in v],
    "fractions": lambda v: np.asarray(v) / 7,
    "datetime": lambda v: pd.Timestamp("2020-01-01") + pd.to_timedelta(v, unit="D"),
    "zoned": lambda v: pd.Series(pd.date_range("2020", periods=3, tz="Asia/Tokyo")[v]),
    "datetime64": lambda v: np.datetime64("2020-01-01") + np.asarray(v).astype("m8[D]"),
    "period": lambda v: pd.Series(pd.period_range("2020", periods=3, freq="M")[v]),
    "interval": lambda v: pd.cut(pd.Series(v), [-1, 0, 1, 2]),
    "huge": lambda v: [2**80 + int(i) for i in v],
    "beyond int64": lambda v: np.uint64(2**63) + np.asarray(v, dtype=np.uint64),
    "below zero": lambda v: np.asarray(v) - 2**62,
    "tuples": lambda v: pd.Series([("g", int(i)) for i in v]),
    "MultiIndex": multi_index,
    "dict": lambda v: {"a": np.asarray(v), "b": ["same"] * len(v)},
    "markup": lambda v: [("<script>", "</td>", "&")[i] for i in v],
}


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
