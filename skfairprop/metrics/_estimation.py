"""The 21 bias estimations of BENN's ensemble baseline, and their largest.

Source: Giloni et al. 2020, "BENN: Bias Estimation Using Deep Neural Network" [B], appendix B.
Each has its printed form ("paper") and one that lies in [0, 1] and is 0 exactly where the
statistical rule holds on all defined groups ("corrected").
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from skfairprop.metrics._metric import Metric
from skfairprop.metrics._rates import Array, Rates, divide, entropy, gap

CONVENTIONS = ("corrected", "paper")
# Pairs of groups are compared in blocks of at most so many cells, which stay in the cache.
_PAIR_CELLS = 1 << 16
# Up to so many groups all pairs are quicker than to look for those that matter.
_FEW_GROUPS = 8


def spread(rates: Array, convention: str, axis: int = -1) -> Array:
    """Population variance over the defined groups; "corrected": over its largest possible value.

    For k values in [0, 1] that is floor(k/2) * ceil(k/2) / k^2. NaN for fewer than two groups.
    """
    defined = ~np.isnan(rates)
    k = np.count_nonzero(defined, axis=axis)
    filled = np.where(defined, rates, 0.0)
    mean = divide(filled.sum(axis), k)
    squares = np.where(defined, rates - np.expand_dims(mean, axis), 0.0) ** 2
    variance = divide(squares.sum(axis), k)
    if convention == "corrected":
        variance = np.minimum(divide(variance, divide((k // 2) * ((k + 1) // 2), k * k)), 1.0)
    return np.where(k >= 2, variance, np.nan)


# -- kernels on counts: (..., G, K, K) -> (...) -------------------------------------------------


def gap_kernel(rates: Rates, *, rate: str, convention: str = "corrected") -> Array:
    """Gap of one rate: the same in both forms."""
    return rates.positive_gap(rate)


def equalized_odds_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    both = [
        spread(rates.positive_rate(name)[..., 0], convention)
        for name in ("recall", "false_positive_rate")
    ]
    return np.fmax(*both)


def disparate_impact_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    selection = rates.positive_rate("prediction_rate")
    least = rates.positive_ratio("prediction_rate")
    value = np.where(least > 0.8, 0.0, 1 - least / 0.8)
    if convention == "corrected":  # nobody selected anywhere: nothing differs
        nobody = np.fmax.reduce(selection, -2)[..., 0] == 0
        value = np.where(nobody & (np.count_nonzero(rates.present, axis=-1) >= 2), 0.0, value)
    return value


def balance_error_rate_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    if convention == "paper":
        return _gap_of_shares(rates, _errors(rates))
    both = rates.positive_rate("false_positive_rate") + rates.positive_rate("false_negative_rate")
    return gap(both / 2)[..., 0]


def lr_plus_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    if convention == "paper":
        recall = rates.positive_rate("recall")
        return divide(gap(divide(recall, 1 - recall))[..., 0], rates.by_group.sum(-1) / 2)
    return rates.positive_gap("likelihood_share")


def equal_accuracy_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    if convention == "paper":
        right = _positive(rates, rates.correct) + _positive(rates, rates.rejected)
        return _gap_of_shares(rates, right)
    return balance_residuals_kernel(rates)


def equal_opportunity_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    value = spread(rates.positive_rate("recall")[..., 0], convention)
    return value if convention == "corrected" else 1 - value


def treatment_equality_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    if convention == "paper":
        balance = divide(rates.missed, rates.mistaken)[..., rates.positive, None]
        return divide(gap(balance)[..., 0], rates.by_group.sum(-1))
    return rates.positive_gap("miss_share")


def error_rate_balance_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    gaps = [rates.positive_gap(name) for name in ("false_negative_rate", "false_positive_rate")]
    return np.fmax(*gaps) if convention == "corrected" else 1 - np.fmin(*gaps)


def normalized_difference_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    return rates.once(
        f"normalized difference, {convention}", lambda: _normalized_difference(rates, convention)
    )


def _normalized_difference(rates: Rates, convention: str) -> Array:
    selected, rejected = _positive(rates, rates.by_pred), _positive(rates, rates.other_pred)
    lead, n_groups = selected.shape[:-1], selected.shape[-1]
    selected, rejected = selected.reshape(-1, n_groups), rejected.reshape(-1, n_groups)
    if convention == "corrected":
        value = np.minimum(_largest_of_either(selected, rejected), 1.0)
    else:
        value = _largest_of_both(selected, rejected)
    value = value.reshape(lead)
    return np.where(np.count_nonzero(rates.present, axis=-1) >= 2, value, np.nan)


def _largest_of_either(selected: Array, rejected: Array) -> Array:
    """Largest difference over the smaller of its two scales, over the pairs of groups, (B, G).

    That is the larger of two quotients, and each of them is at its largest with few groups: from
    groups with a lower rate, only one with fewer selected adds to the first, (p_hi - p_lo) n_hi /
    (selected of both); and the second is the first with selected and rejected in each other's
    place.
    """
    n = selected + rejected
    rate = divide(selected, n)
    step = max(1, _PAIR_CELLS // (8 * n.shape[1]))
    worst = np.zeros(len(n))
    for start in range(0, len(n), step):
        rows = slice(start, start + step)
        worst[rows] = np.maximum(
            _largest_quotient(rate[rows], selected[rows], n[rows]),
            _largest_quotient(-rate[rows], rejected[rows], n[rows]),
        )
    return worst


def _largest_quotient(rate: Array, chosen: Array, n: Array) -> Array:
    """Largest of (rate - other rate) n / (chosen of both) over the pairs, per replicate (B, G)."""
    others = _low_and_few(rate, chosen) if rate.shape[1] > _FEW_GROUPS else slice(None)
    difference = rate[:, :, None] - _taken(rate, others)[:, None, :]
    both = chosen[:, :, None] + _taken(chosen, others)[:, None, :]
    found = np.zeros(both.shape)
    np.divide(both, n[:, :, None], out=both, where=difference > 0)
    np.divide(difference, both, out=found, where=difference > 0)
    return found.max((-2, -1))


def _low_and_few(rate: Array, chosen: Array) -> Array:
    """Positions of the groups for which no other has both a lower rate and fewer chosen, (B, F)."""
    order = np.argsort(rate, axis=1, kind="stable")  # groups without rows are last
    sizes = np.take_along_axis(chosen, order, 1)
    kept = np.ones(order.shape, dtype=bool)
    kept[:, 1:] = sizes[:, 1:] < np.minimum.accumulate(sizes, axis=1)[:, :-1]
    # as many of every replicate: a group more than needed is harmless
    first = np.argsort(~kept, axis=1, kind="stable")[:, : kept.sum(1).max()]
    return np.take_along_axis(order, first, 1)


def _taken(values: Array, positions: Array | slice) -> Array:
    if isinstance(positions, slice):
        return values[:, positions]
    return np.take_along_axis(values, positions, 1)


def _largest_of_both(selected: Array, rejected: Array) -> Array:
    """Largest difference over the larger of its two scales, as printed: all pairs of groups."""
    step = max(1, _PAIR_CELLS // selected.shape[1] ** 2)
    if len(selected) == 1 or step == 1:  # equal groups are one: many small groups make few pairs
        pairs = zip(selected, rejected, strict=True)
        return np.concatenate([_worst_pair(*_distinct(*pair)) for pair in pairs])
    blocks = [slice(start, start + step) for start in range(0, len(selected), step)]
    return np.concatenate([_worst_pair(selected[rows], rejected[rows]) for rows in blocks])


def _distinct(selected: Array, rejected: Array) -> tuple[Array, Array]:
    """The distinct pairs of numbers selected and rejected, as one replicate."""
    pairs = np.unique(np.stack([selected, rejected]), axis=1)
    return pairs[:1], pairs[1:]


def _worst_pair(selected: Array, rejected: Array) -> Array:
    """Largest of the printed differences over the ordered pairs of groups, per replicate (B, G)."""
    n = selected + rejected
    rate = divide(selected, n)
    worst, step = np.zeros(len(n)), max(1, _PAIR_CELLS // n.size)
    for start in range(0, n.shape[1], step):
        high = slice(start, start + step)
        difference = rate[:, high, None] - rate[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):  # groups without rows have no rate
            # P(+) / P(hi) and P(-) / P(lo), within the rows of the pair
            scale = np.fmax(
                (selected[:, high, None] + selected[:, None, :]) / n[:, high, None],
                (rejected[:, high, None] + rejected[:, None, :]) / n[:, None, :],
            )
        found = np.divide(difference, scale, out=np.zeros(scale.shape), where=difference > 0)
        worst = np.maximum(worst, found.max((-2, -1)))
    return worst


def mutual_information_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    columns = [_positive(rates, rates.by_pred), _positive(rates, rates.other_pred)]
    table = np.stack(columns, axis=-1)  # (..., G, 2)
    total = table.sum((-2, -1), keepdims=True)
    joint = divide(table, total)
    by_pred, by_group = joint.sum(-2), joint.sum(-1)
    information = (
        entropy(by_pred) + entropy(by_group) - entropy(joint.reshape(*joint.shape[:-2], -1))
    )
    scale = np.sqrt(entropy(by_pred) * entropy(by_group))
    value = np.clip(divide(information, scale), 0.0, 1.0)
    constant = (by_pred == 0).any(-1) | (scale == 0)
    value = np.where(constant, 0.0, value)
    return np.where(np.count_nonzero(rates.present, axis=-1) >= 2, value, np.nan)


def balance_residuals_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    return rates.positive_gap("error_rate")


def _positive(rates: Rates, by_class: Array) -> Array:
    return by_class[..., rates.positive]


def _errors(rates: Rates) -> Array:
    """False negatives and false positives, (..., G)."""
    return _positive(rates, rates.missed) + _positive(rates, rates.mistaken)


def _gap_of_shares(rates: Rates, counts: Array) -> Array:
    """Gap of counts as shares of *all* rows, as the paper prints them."""
    shares = divide(counts, rates.by_group.sum(-1, keepdims=True))
    return gap(np.where(rates.present, shares, np.nan)[..., None])[..., 0]


def ensemble_kernel(rates: Rates, *, convention: str = "corrected") -> Array:
    """The largest of the 18 estimations that are functions of counts."""
    values = [m.kernel(rates, convention=convention) for m in METRICS if m.inputs == "counts"]
    return np.fmax.reduce(np.stack(values), 0)


# -- the records --------------------------------------------------------------------------------

_SOURCE = "Giloni et al. 2020, appendix B"
_TRUTH_RATES = ("recall", "false_positive_rate")
_MARGINAL = ("prediction_rate",)


# The printed forms that are 1 where there is no bias.
INVERTED = {"convention": {"paper": {"best": 1.0}}}


def _record(method: str, kernel: Callable[..., Array], **facts: Any) -> Metric:
    return Metric(
        f"estimation_{method}",
        kernel,
        family="estimation",
        needs_positive=True,
        options={"convention": CONVENTIONS},
        source=_SOURCE,
        **facts,
    )


_GAP_NOTE = "The maximum over groups is above 0 by chance when groups are small."
_VARIANCE_NOTE = "A variance: small when one of many groups differs."
METRICS = (
    _record(
        "equalized_odds",
        equalized_odds_kernel,
        rates=_TRUTH_RATES,
        null="separation",
        formula="larger of the scaled variances of TPR and FPR over groups",
        misleads=_VARIANCE_NOTE,
    ),
    _record(
        "disparate_impact",
        disparate_impact_kernel,
        rates=_MARGINAL,
        null="independence",
        formula="1 - (min / max selection rate) / 0.8; 0 above 0.8",
        misleads="0 does not mean equal: ratios above 0.8 count as 0.",
    ),
    _record(
        "demographic_parity",
        partial(gap_kernel, rate="prediction_rate"),
        rates=_MARGINAL,
        null="independence",
        formula="gap of the selection rates",
        misleads=_GAP_NOTE,
    ),
    _record(
        "sensitivity",
        partial(gap_kernel, rate="recall"),
        rates=("recall",),
        null="separation",
        formula="gap of the TPR",
        misleads=_GAP_NOTE,
    ),
    _record(
        "specificity",
        partial(gap_kernel, rate="true_negative_rate"),
        rates=("true_negative_rate",),
        null="separation",
        formula="gap of the TNR",
        misleads=_GAP_NOTE,
    ),
    _record(
        "balance_error_rate",
        balance_error_rate_kernel,
        rates=_TRUTH_RATES,
        null="separation",
        formula="gap of (FPR + FNR) / 2",
        misleads="Opposite errors cancel.",
    ),
    _record(
        "lr_plus",
        lr_plus_kernel,
        rates=(*_TRUTH_RATES, "likelihood_share"),
        null="separation",
        formula="gap of TPR / (TPR + FPR)",
        misleads="Undefined in a group where nobody is selected.",
        variants={"convention": {"paper": {"rates": ("recall",)}}},
    ),
    _record(
        "equal_ppv",
        partial(gap_kernel, rate="precision"),
        rates=("precision",),
        null="sufficiency",
        formula="gap of the precision",
        misleads=_GAP_NOTE,
    ),
    _record(
        "equal_npv",
        partial(gap_kernel, rate="negative_predictive_value"),
        rates=("negative_predictive_value",),
        null="sufficiency",
        formula="gap of the negative predictive value",
        misleads=_GAP_NOTE,
    ),
    _record(
        "equal_accuracy",
        equal_accuracy_kernel,
        rates=("error_rate",),
        null="independence",
        formula="gap of the accuracy",
        misleads="Opposite errors cancel.",
    ),
    _record(
        "equal_opportunity",
        equal_opportunity_kernel,
        rates=("recall",),
        null="separation",
        formula="scaled variance of the TPR over groups",
        misleads=_VARIANCE_NOTE,
        variants=INVERTED,
    ),
    _record(
        "treatment_equality",
        treatment_equality_kernel,
        rates=("miss_share",),
        null="independence",
        formula="gap of FN / (FN + FP)",
        misleads="Rests on the errors alone; undefined in a group without errors.",
    ),
    _record(
        "equal_fpr",
        partial(gap_kernel, rate="false_positive_rate"),
        rates=("false_positive_rate",),
        null="separation",
        formula="gap of the FPR",
        misleads=_GAP_NOTE,
    ),
    _record(
        "equal_fnr",
        partial(gap_kernel, rate="false_negative_rate"),
        rates=("false_negative_rate",),
        null="separation",
        formula="gap of the FNR",
        misleads=_GAP_NOTE,
    ),
    _record(
        "error_rate_balance",
        error_rate_balance_kernel,
        rates=_TRUTH_RATES,
        null="separation",
        formula="larger of the gaps of FNR and FPR",
        misleads=_GAP_NOTE,
        variants=INVERTED,
    ),
    _record(
        "normalized_difference",
        normalized_difference_kernel,
        rates=_MARGINAL,
        null="independence",
        formula="(p_hi - p_lo) / min(P(+) / P(hi), P(-) / P(lo)), worst pair of groups",
        misleads="Saturates on rare groups: it reaches 1 by chance.",
    ),
    _record(
        "mutual_information",
        mutual_information_kernel,
        rates=_MARGINAL,
        null="independence",
        formula="I(pred; group) / sqrt(H(pred) H(group))",
        misleads="Above 0 by chance in small samples.",
    ),
    _record(
        "balance_residuals",
        balance_residuals_kernel,
        rates=("error_rate",),
        null="independence",
        formula="gap of the mean absolute residual, |y - pred|",
        misleads="Opposite errors cancel.",
    ),
)
ENSEMBLE = Metric(
    "ensemble_bias_estimation",
    ensemble_kernel,
    family="estimation",
    rates=("prediction_rate", "recall", "false_positive_rate"),
    needs_positive=True,
    null="independence",
    options={"convention": CONVENTIONS},
    formula="largest of the bias estimations",
    source=_SOURCE,
    misleads="Nearly always the normalised difference or disparate impact; 1 on rare groups.",
)
