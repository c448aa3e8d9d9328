"""Kernels ``(..., G, K, K) -> (...)`` and records of the bias of a multi-class model.

Each record stands below its kernel. A gap is the largest minus the smallest rate over the groups.

Source: Dominguez-Catena et al. 2025, "Biased Heritage" [H], section 3.2.
"""

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.metrics._metric import Driver, Metric, driver_of
from skfairprop.metrics._rates import Array, Rates, divide, gap, mean_defined

_SECTION = "Dominguez-Catena et al. 2025, section 3.2"
_UNBOUNDED = (0.0, float("inf"))


# -- gaps of the cells and rows of the confusion matrix ------------------------------------------


def term_by_term_kernel(rates: Rates) -> Array:
    """Mean over true and predicted classes in use of the gap of P(predicted | true, group), (...).

    A true class that fewer than two groups have is left out.
    """
    gaps = gap(rates["row"]).reshape(*rates.values.shape[:-3], *rates.values.shape[-2:])
    compared = ~np.isnan(gaps).all(-1)  # rows (true classes) that two groups have
    total = np.where(np.isnan(gaps), 0.0, gaps).sum((-2, -1))
    return divide(total, np.count_nonzero(compared, axis=-1) * rates.n_used)


TERM_BY_TERM = Metric(
    "term_by_term_equalized_odds",
    term_by_term_kernel,
    family="disparity",
    rates=("row",),
    null="separation",
    formula="mean over (true, predicted) of the gap of P(predicted | true, group)",
    source=_SECTION,
    misleads="Falls as classes are added; well above 0 by chance with small groups.",
)


def classwise_kernel(rates: Rates) -> Array:
    """Half the mean recall gap + half the mean gap of a class's share of the errors, (...)."""
    recall_half = mean_defined(gap(rates["recall"]))
    error_gaps = gap(rates["false_discovery_share"])
    total = np.where(np.isnan(error_gaps), 0.0, error_gaps).sum(-1)
    return 0.5 * recall_half + 0.5 * divide(total, rates.n_used)


CLASSWISE = Metric(
    "classwise_equalized_odds",
    classwise_kernel,
    family="disparity",
    rates=("recall", "false_discovery_share"),
    null="separation",
    formula="half the mean recall gap + half the mean gap of the shares of errors by class",
    source=f"{_SECTION}, Eq. 17",
    misleads="The second half rests on the errors alone: few errors make it noisy.",
)


def equal_opportunity_kernel(rates: Rates) -> Array:
    """Mean over classes of the gap of P(predicted = class | true = class, group), (...)."""
    return mean_defined(gap(rates["recall"]))


EQUAL_OPPORTUNITY = Metric(
    "equal_opportunity",
    equal_opportunity_kernel,
    family="disparity",
    rates=("recall",),
    null="separation",
    formula="mean over classes of the recall gap",
    source=_SECTION,
    misleads="All classes count alike; not the classical one-class measure.",
)


def demographic_parity_kernel(rates: Rates, *, normalization: str = "published") -> Array:
    """Mean over classes k of the gap of sum_y P(predicted = k | true = y, group), (...).

    "balanced" divides it by the number of classes; "raw" takes the gap of P(predicted = k | group).
    """
    table = rates["prediction_rate"] if normalization == "raw" else _balanced_predictions(rates)
    gaps = gap(table)
    value = mean_defined(np.where(rates.used, gaps, np.nan))
    return divide(value, rates.n_used) if normalization == "balanced" else value


def _balanced_predictions(rates: Rates) -> Array:
    """Sum over true classes of P(predicted | true, group), (..., G, K) [H, Eq. 21].

    Only the true classes that every present group has are summed, and the sum is scaled to the
    published one over all classes in use.
    """
    rows = rates.confusion
    defined = ~np.isnan(rows).all(-1)  # the columns of unused classes are always NaN
    everywhere = (defined | ~rates.present[..., None]).all(-2) & rates.used
    kept = np.where(everywhere[..., None, :, None], rows, 0.0)
    scale = divide(rates.n_used, np.count_nonzero(everywhere, axis=-1))
    return kept.sum(-2) * scale[..., None, None]


def _parity_driver(
    counts: GroupCounts, rates: Rates, *, normalization: str = "published"
) -> Driver | None:
    """The class whose (class-balanced) rate of prediction has the largest gap."""
    classes = counts.classes.tolist()
    if normalization == "raw":
        return driver_of(counts.groups, rates["prediction_rate"], "prediction_rate", classes)
    table = _balanced_predictions(rates)
    return driver_of(counts.groups, table, "class-balanced prediction rate", classes)


DEMOGRAPHIC_PARITY = Metric(
    "demographic_parity",
    demographic_parity_kernel,
    family="disparity",
    rates=("row",),
    null="separation",
    range=_UNBOUNDED,
    options={"normalization": ("published", "balanced", "raw")},
    variants={
        "normalization": {"raw": {"rates": ("prediction_rate",), "null": "independence"}},
    },
    driver=_parity_driver,
    formula="mean over classes of the gap of the summed P(predicted | true, group)",
    source=f"{_SECTION}, Eq. 21",
    misleads="Class-balanced: blind to unequal base rates; only 'raw' is the classical one.",
)


def overall_disparity_kernel(rates: Rates) -> Array:
    """Mean over classes and all groups but the best of 1 - recall / largest recall, (...)."""
    recall = rates["recall"]
    best = np.fmax.reduce(recall, -2)[..., None, :]
    shortfall = np.where(best == 0, 0.0, 1 - divide(recall, best))
    shortfall = np.where(np.isnan(recall), 0.0, shortfall).sum(-2)
    n_defined = np.count_nonzero(~np.isnan(recall), axis=-2)
    return mean_defined(divide(shortfall, n_defined - 1))


OVERALL_DISPARITY = Metric(
    "overall_disparity",
    overall_disparity_kernel,
    family="disparity",
    rates=("recall",),
    null="separation",
    formula="mean over classes and groups of 1 - recall / largest recall",
    source=_SECTION,
    misleads="Relative: the same gap weighs more where recalls are low.",
)


# -- error rates of each group against those of all rows ------------------------------------------


def combined_error_variance_kernel(rates: Rates, *, fpr: str = "raw") -> Array:
    """Mean over groups of the variances over classes of relative FPR and FNR changes, (...)."""
    return _mean_over_groups(_spread_per_group(rates, fpr))


def _mean_over_groups(per_group: Array) -> Array:
    """Mean of (..., G) over the groups, (...); NaN where fewer than two are defined."""
    enough = np.count_nonzero(~np.isnan(per_group), axis=-1) >= 2
    return np.where(enough, mean_defined(per_group), np.nan)


def _spread_per_group(rates: Rates, fpr: str) -> Array:
    """Mean over classes of the squared distances of both changes from their means, (..., G)."""
    d_fpr, d_fnr = _relative_changes(rates, fpr)
    squares = sum((d - mean_defined(d)[..., None]) ** 2 for d in (d_fpr, d_fnr))
    return mean_defined(squares)


def _relative_changes(rates: Rates, fpr: str) -> tuple[Array, Array]:
    """Relative changes of FPR and FNR from all rows to each group, (..., G, K) each.

    A class counts in a group where both are defined.
    """
    pooled = Rates(rates.values.sum(-3, keepdims=True), predicted=rates.predicted, zero=rates.zero)
    if fpr == "balanced":
        d_fpr = _relative_change(_balanced_fpr(rates), _balanced_fpr(pooled))
    else:
        d_fpr = _relative_change(rates["false_positive_rate"], pooled["false_positive_rate"])
    d_fnr = _relative_change(rates["false_negative_rate"], pooled["false_negative_rate"])
    either = np.isnan(d_fpr) | np.isnan(d_fnr)
    return np.where(either, np.nan, d_fpr), np.where(either, np.nan, d_fnr)


def _relative_change(own: Array, pooled: Array) -> Array:
    """(own - pooled) / pooled, (..., G, K); 0 where both are 0."""
    relative = divide(own - pooled, np.broadcast_to(pooled, own.shape))
    return np.where((pooled == 0) & ~np.isnan(own), 0.0, relative)


def _balanced_fpr(rates: Rates) -> Array:
    """Mean over the other true classes of P(this one predicted | true), (..., G, K) [H, Eq. 15]."""
    rows = rates.confusion
    diagonal = np.eye(rows.shape[-1], dtype=bool)
    return mean_defined(np.where(diagonal, np.nan, rows), axis=-2)


def _spread_driver(counts: GroupCounts, rates: Rates, *, fpr: str = "raw") -> Driver | None:
    """The groups whose error rates change most and least unevenly over the classes."""
    table = _spread_per_group(rates, fpr)[:, None]
    return driver_of(counts.groups, table, "spread of relative error rates", [None])


COMBINED_ERROR_VARIANCE = Metric(
    "combined_error_variance",
    combined_error_variance_kernel,
    family="disparity",
    rates=("false_positive_rate", "false_negative_rate"),
    null="separation",
    range=_UNBOUNDED,
    options={"fpr": ("raw", "balanced")},
    driver=_spread_driver,
    formula="mean over groups of the variance over classes of relative FPR and FNR changes",
    source=f"{_SECTION}, Eq. 14",
    misleads="Explodes where a pooled error rate is near 0.",
)


def symmetric_distance_error_kernel(rates: Rates, *, fpr: str = "raw") -> Array:
    """Mean over groups and classes of |relative FPR change - relative FNR change|, (...)."""
    return _mean_over_groups(_asymmetry_per_group(rates, fpr))


def _asymmetry_per_group(rates: Rates, fpr: str) -> Array:
    """Mean over classes of |relative FPR change - relative FNR change|, (..., G)."""
    d_fpr, d_fnr = _relative_changes(rates, fpr)
    return mean_defined(np.abs(d_fpr - d_fnr))


def _asymmetry_driver(counts: GroupCounts, rates: Rates, *, fpr: str = "raw") -> Driver | None:
    """The groups in which FPR and FNR change most and least differently."""
    table = _asymmetry_per_group(rates, fpr)[:, None]
    return driver_of(counts.groups, table, "distance of relative error rates", [None])


SYMMETRIC_DISTANCE_ERROR = Metric(
    "symmetric_distance_error",
    symmetric_distance_error_kernel,
    family="disparity",
    rates=("false_positive_rate", "false_negative_rate"),
    null="separation",
    range=_UNBOUNDED,
    options={"fpr": ("raw", "balanced")},
    driver=_asymmetry_driver,
    formula="mean over groups and classes of |relative FPR change - relative FNR change|",
    source=f"{_SECTION}, Eq. 14",
    misleads="Explodes where a pooled error rate is near 0.",
)

METRICS = (
    TERM_BY_TERM,
    CLASSWISE,
    EQUAL_OPPORTUNITY,
    DEMOGRAPHIC_PARITY,
    OVERALL_DISPARITY,
    COMBINED_ERROR_VARIANCE,
    SYMMETRIC_DISTANCE_ERROR,
)
BY_NAME = {metric.name: metric for metric in METRICS}
