"""Every metric of the registry with the way it is called on rows, and rows to call it on."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from skfairprop import GroupCounts, metrics
from skfairprop.metrics import METRICS, bias_estimation, ensemble_bias_estimation, evaluate


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
    "register_metric",
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


def with_missing(values, value, where=(3, 4)):
    out = np.array(values, dtype=object)
    out[list(where)] = value
    return out
