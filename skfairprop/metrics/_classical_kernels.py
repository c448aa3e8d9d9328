"""Kernels ``(..., G, K, K) -> (...)`` and records of the classical measures.

Each record stands below its kernel. All are NaN where fewer than two groups have a rate.
"""

import numpy as np

from skfairprop.metrics._metric import Metric
from skfairprop.metrics._rates import Array, Rates, gap, mean_defined


def demographic_parity_difference_kernel(rates: Rates) -> Array:
    """Max - min over groups of P(pred = pos | group), (...)."""
    return rates.positive_gap("prediction_rate")


DEMOGRAPHIC_PARITY_DIFFERENCE = Metric(
    "demographic_parity_difference",
    demographic_parity_difference_kernel,
    family="classical",
    rates=("prediction_rate",),
    null="independence",
    needs_positive=True,
    formula="max - min over groups of P(pred = pos | group)",
    source="Calders and Verwer 2010; as in fairlearn 0.15",
    misleads="A perfect classifier has this gap where base rates differ.",
)


def demographic_parity_ratio_kernel(rates: Rates) -> Array:
    """Min / max over groups of P(pred = pos | group), (...)."""
    return rates.positive_ratio("prediction_rate")


DEMOGRAPHIC_PARITY_RATIO = Metric(
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
)


def equalized_odds_difference_kernel(rates: Rates, *, agg: str = "worst_case") -> Array:
    """Largest (or mean) of the gaps of TPR and FPR, (...); one that is undefined is left out."""
    gaps = [rates.positive_gap(name) for name in ("recall", "false_positive_rate")]
    return np.fmax(*gaps) if agg == "worst_case" else mean_defined(np.stack(gaps, axis=-1))


EQUALIZED_ODDS_DIFFERENCE = Metric(
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
)


def equalized_odds_ratio_kernel(rates: Rates, *, agg: str = "worst_case") -> Array:
    """Smallest (or mean) of the ratios of TPR and FPR, (...); one that is undefined is left out."""
    ratios = [rates.positive_ratio(name) for name in ("recall", "false_positive_rate")]
    return np.fmin(*ratios) if agg == "worst_case" else mean_defined(np.stack(ratios, axis=-1))


EQUALIZED_ODDS_RATIO = Metric(
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
)


def equal_opportunity_difference_kernel(rates: Rates) -> Array:
    """Max - min over groups of P(pred = pos | y = pos, group), (...)."""
    return rates.positive_gap("recall")


EQUAL_OPPORTUNITY_DIFFERENCE = Metric(
    "equal_opportunity_difference",
    equal_opportunity_difference_kernel,
    family="classical",
    rates=("recall",),
    null="separation",
    needs_positive=True,
    formula="max - min over groups of P(pred = pos | y = pos, group)",
    source="Hardt, Price and Srebro 2016; as in fairlearn 0.15",
    misleads="Looks at the positive class only.",
)


def equal_opportunity_ratio_kernel(rates: Rates) -> Array:
    """Min / max over groups of P(pred = pos | y = pos, group), (...)."""
    return rates.positive_ratio("recall")


EQUAL_OPPORTUNITY_RATIO = Metric(
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
)


def accuracy_difference_kernel(rates: Rates) -> Array:
    """Max - min over groups of P(pred = y | group), (...)."""
    return gap(rates["accuracy"])[..., 0]  # one column: it is of all classes together


ACCURACY_DIFFERENCE = Metric(
    "accuracy_difference",
    accuracy_difference_kernel,
    family="classical",
    rates=("accuracy",),
    null="independence",
    formula="max - min over groups of P(pred = y | group)",
    source="Berk et al. 2021, overall accuracy equality",
    misleads="Two groups with opposite errors have no gap.",
)


def false_positive_rate_difference_kernel(rates: Rates) -> Array:
    """Max - min over groups of P(pred = pos | y != pos, group), (...)."""
    return rates.positive_gap("false_positive_rate")


FALSE_POSITIVE_RATE_DIFFERENCE = Metric(
    "false_positive_rate_difference",
    false_positive_rate_difference_kernel,
    family="classical",
    rates=("false_positive_rate",),
    null="separation",
    needs_positive=True,
    formula="max - min over groups of P(pred = pos | y != pos, group)",
    source="Corbett-Davies et al. 2017, predictive equality; as in fairlearn 0.15",
    misleads="Rests on the negatives of each group.",
)


def false_negative_rate_difference_kernel(rates: Rates) -> Array:
    """Max - min over groups of P(pred != pos | y = pos, group), (...)."""
    return rates.positive_gap("false_negative_rate")


FALSE_NEGATIVE_RATE_DIFFERENCE = Metric(
    "false_negative_rate_difference",
    false_negative_rate_difference_kernel,
    family="classical",
    rates=("false_negative_rate",),
    null="separation",
    needs_positive=True,
    formula="max - min over groups of P(pred != pos | y = pos, group)",
    source="Chouldechova 2017, error rate balance; as in fairlearn 0.15",
    misleads="The equal opportunity difference under another name.",
)


def precision_difference_kernel(rates: Rates) -> Array:
    """Max - min over groups of P(y = pos | pred = pos, group), (...)."""
    return rates.positive_gap("precision")


PRECISION_DIFFERENCE = Metric(
    "precision_difference",
    precision_difference_kernel,
    family="classical",
    rates=("precision",),
    null="sufficiency",
    needs_positive=True,
    formula="max - min over groups of P(y = pos | pred = pos, group)",
    source="Chouldechova 2017, predictive parity",
    misleads="Conflicts with equal error rates where base rates differ.",
)

METRICS = (
    DEMOGRAPHIC_PARITY_DIFFERENCE,
    DEMOGRAPHIC_PARITY_RATIO,
    EQUALIZED_ODDS_DIFFERENCE,
    EQUALIZED_ODDS_RATIO,
    EQUAL_OPPORTUNITY_DIFFERENCE,
    EQUAL_OPPORTUNITY_RATIO,
    ACCURACY_DIFFERENCE,
    FALSE_POSITIVE_RATE_DIFFERENCE,
    FALSE_NEGATIVE_RATE_DIFFERENCE,
    PRECISION_DIFFERENCE,
)
BY_NAME = {metric.name: metric for metric in METRICS}
