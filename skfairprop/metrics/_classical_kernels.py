"""Kernels ``(..., G, K, K) -> (...)`` and records of the classical measures."""

import numpy as np

from skfairprop.metrics._metric import Metric
from skfairprop.metrics._rates import Array, Rates, gap, mean_defined, ratio


def demographic_parity_difference_kernel(rates: Rates) -> Array:
    return gap(rates.positive_rate("prediction_rate"))[..., 0]


def demographic_parity_ratio_kernel(rates: Rates) -> Array:
    return ratio(rates.positive_rate("prediction_rate"))[..., 0]


def equalized_odds_difference_kernel(rates: Rates, *, agg: str = "worst_case") -> Array:
    gaps = gap(_both_rates(rates))
    return np.fmax.reduce(gaps, -1) if agg == "worst_case" else mean_defined(gaps)


def equalized_odds_ratio_kernel(rates: Rates, *, agg: str = "worst_case") -> Array:
    ratios = ratio(_both_rates(rates))
    return np.fmin.reduce(ratios, -1) if agg == "worst_case" else mean_defined(ratios)


def _both_rates(rates: Rates) -> Array:
    pair = (rates.positive_rate("recall"), rates.positive_rate("false_positive_rate"))
    return np.concatenate(pair, axis=-1)


def equal_opportunity_difference_kernel(rates: Rates) -> Array:
    return gap(rates.positive_rate("recall"))[..., 0]


def equal_opportunity_ratio_kernel(rates: Rates) -> Array:
    return ratio(rates.positive_rate("recall"))[..., 0]


def accuracy_difference_kernel(rates: Rates) -> Array:
    return gap(rates["accuracy"])[..., 0]


def false_positive_rate_difference_kernel(rates: Rates) -> Array:
    return gap(rates.positive_rate("false_positive_rate"))[..., 0]


def false_negative_rate_difference_kernel(rates: Rates) -> Array:
    return gap(rates.positive_rate("false_negative_rate"))[..., 0]


def precision_difference_kernel(rates: Rates) -> Array:
    return gap(rates.positive_rate("precision"))[..., 0]


METRICS = (
    Metric(
        "demographic_parity_difference",
        demographic_parity_difference_kernel,
        family="classical",
        rates=("prediction_rate",),
        null="independence",
        needs_positive=True,
        formula="max - min over groups of P(pred = pos | group)",
        source="Calders and Verwer 2010; as in fairlearn 0.15",
        misleads="A perfect classifier has this gap where base rates differ.",
    ),
    Metric(
        "demographic_parity_ratio",
        demographic_parity_ratio_kernel,
        family="classical",
        rates=("prediction_rate",),
        null="independence",
        best=1.0,
        needs_positive=True,
        formula="min / max over groups of P(pred = pos | group)",
        source="Feldman et al. 2015; as in fairlearn 0.15",
        misleads="Where selection is rare, a small absolute gap gives a low ratio.",
    ),
    Metric(
        "equalized_odds_difference",
        equalized_odds_difference_kernel,
        family="classical",
        rates=("recall", "false_positive_rate"),
        null="separation",
        needs_positive=True,
        options={"agg": ("worst_case", "mean")},
        formula="worse (or mean) of the gaps of TPR and FPR",
        source="Hardt, Price and Srebro 2016; as in fairlearn 0.15",
        misleads="The worse of two maxima: well above 0 by chance with small groups.",
    ),
    Metric(
        "equalized_odds_ratio",
        equalized_odds_ratio_kernel,
        family="classical",
        rates=("recall", "false_positive_rate"),
        null="separation",
        best=1.0,
        needs_positive=True,
        options={"agg": ("worst_case", "mean")},
        formula="worse (or mean) of the min / max ratios of TPR and FPR",
        source="Hardt, Price and Srebro 2016; as in fairlearn 0.15",
        misleads="A rare error makes a small absolute gap a low ratio.",
    ),
    Metric(
        "equal_opportunity_difference",
        equal_opportunity_difference_kernel,
        family="classical",
        rates=("recall",),
        null="separation",
        needs_positive=True,
        formula="max - min over groups of P(pred = pos | y = pos, group)",
        source="Hardt, Price and Srebro 2016; as in fairlearn 0.15",
        misleads="Looks at the positive class only.",
    ),
    Metric(
        "equal_opportunity_ratio",
        equal_opportunity_ratio_kernel,
        family="classical",
        rates=("recall",),
        null="separation",
        best=1.0,
        needs_positive=True,
        formula="min / max over groups of P(pred = pos | y = pos, group)",
        source="Hardt, Price and Srebro 2016; as in fairlearn 0.15",
        misleads="Looks at the positive class only.",
    ),
    Metric(
        "accuracy_difference",
        accuracy_difference_kernel,
        family="classical",
        rates=("accuracy",),
        null="independence",
        formula="max - min over groups of P(pred = y | group)",
        source="Berk et al. 2021, overall accuracy equality",
        misleads="Two groups with opposite errors have no gap.",
    ),
    Metric(
        "false_positive_rate_difference",
        false_positive_rate_difference_kernel,
        family="classical",
        rates=("false_positive_rate",),
        null="separation",
        needs_positive=True,
        formula="max - min over groups of P(pred = pos | y != pos, group)",
        source="Corbett-Davies et al. 2017, predictive equality; as in fairlearn 0.15",
        misleads="Rests on the negatives of each group.",
    ),
    Metric(
        "false_negative_rate_difference",
        false_negative_rate_difference_kernel,
        family="classical",
        rates=("false_negative_rate",),
        null="separation",
        needs_positive=True,
        formula="max - min over groups of P(pred != pos | y = pos, group)",
        source="Chouldechova 2017, error rate balance; as in fairlearn 0.15",
        misleads="The equal opportunity difference under another name.",
    ),
    Metric(
        "precision_difference",
        precision_difference_kernel,
        family="classical",
        rates=("precision",),
        null="sufficiency",
        needs_positive=True,
        formula="max - min over groups of P(y = pos | pred = pos, group)",
        source="Chouldechova 2017, predictive parity",
        misleads="Conflicts with equal error rates where base rates differ.",
    ),
)
BY_NAME = {metric.name: metric for metric in METRICS}
