"""Metrics of bias: in the data set, in the predictions, and from one to the other."""

from skfairprop.metrics._amplification import (
    differential_fairness_bias_amplification,
    directional_bias_amplification,
    mals_bias_amplification,
)
from skfairprop.metrics._bias_estimations import (
    bias_estimation,
    bias_estimations,
    ensemble_bias_estimation,
)
from skfairprop.metrics._by_group import group_rates
from skfairprop.metrics._classical import (
    demographic_parity_difference,
    demographic_parity_ratio,
    equal_opportunity_difference,
    equal_opportunity_ratio,
    equalized_odds_difference,
    equalized_odds_ratio,
)
from skfairprop.metrics._dataset import (
    cramers_v,
    dsap_evenness_bias,
    dsap_representational_bias,
    dsap_stereotypical_bias,
    ens_bias,
    shannon_evenness_bias,
)
from skfairprop.metrics._disparity import (
    classwise_equalized_odds,
    combined_error_variance,
    demographic_parity,
    equal_opportunity,
    overall_disparity,
    symmetric_distance_error,
    term_by_term_equalized_odds,
)
from skfairprop.metrics._mesd_result import MESDResult
from skfairprop.metrics._metric import Driver, Metric
from skfairprop.metrics._multi_attribute import multi_attribute_bias_amplification
from skfairprop.metrics._predictability import (
    directional_predictability_amplification,
    leakage_amplification,
    predictability,
)
from skfairprop.metrics._procedural import mesd, mesd_from_stability
from skfairprop.metrics._rate_differences import (
    accuracy_difference,
    false_negative_rate_difference,
    false_positive_rate_difference,
    precision_difference,
)
from skfairprop.metrics._rates import Rates
from skfairprop.metrics._registry import METRICS, evaluate, get_metric, register_metric
from skfairprop.metrics._stability import explanation_stability

__all__ = [
    "METRICS",
    "Driver",
    "MESDResult",
    "Metric",
    "Rates",
    "accuracy_difference",
    "bias_estimation",
    "bias_estimations",
    "classwise_equalized_odds",
    "combined_error_variance",
    "cramers_v",
    "demographic_parity",
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "differential_fairness_bias_amplification",
    "directional_bias_amplification",
    "directional_predictability_amplification",
    "dsap_evenness_bias",
    "dsap_representational_bias",
    "dsap_stereotypical_bias",
    "ens_bias",
    "ensemble_bias_estimation",
    "equal_opportunity",
    "equal_opportunity_difference",
    "equal_opportunity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
    "evaluate",
    "explanation_stability",
    "false_negative_rate_difference",
    "false_positive_rate_difference",
    "get_metric",
    "group_rates",
    "leakage_amplification",
    "mals_bias_amplification",
    "mesd",
    "mesd_from_stability",
    "multi_attribute_bias_amplification",
    "overall_disparity",
    "precision_difference",
    "predictability",
    "register_metric",
    "shannon_evenness_bias",
    "symmetric_distance_error",
    "term_by_term_equalized_odds",
]
