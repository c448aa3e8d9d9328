"""Closed forms of bias amplification on counts, and their records, each below its kernel.

A table of counts has a *prior* axis and a *target* axis: from attribute to task ("a_to_t") the
prior is the group and the target the class; from task to attribute ("t_to_a") a table with the
roles exchanged is counted, true class x group x predicted group, and the same kernels serve.

Sources: Tokas, Nair and Kerner 2025, "DPA" [D]; Wang and Russakovsky 2021 [W]; Zhao et al. 2017
[Z]; Zhao, Andrews and Xiang 2023 [ZM]; Foulds et al. 2020 [F].
"""

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.metrics._metric import Driver, Metric, driver_of
from skfairprop.metrics._rates import Array, Rates, divide, mean_defined

EPS = 1e-10
EQUALIZATIONS = (None, "expected", "random")
TIES = ("zero", "paper")
# Sums of fractional weights are rounded: a relative difference below this is a tie.
TIE_TOLERANCE = 1e-9
# Whole numbers up to here have no rounding in a float.
_EXACT = 2.0**53


# -- tables: (..., I, K), prior x target --------------------------------------------------------


def psi(table: Array) -> Array:
    """Accuracy of the best guess of the target from the prior, sum_i max_k n_ik / n [D]."""
    return divide(table.max(-1).sum(-1), table.sum((-2, -1)))


def majority_share(table: Array) -> Array:
    """Accuracy of the best guess of the target from nothing: the share of the largest class."""
    return divide(table.sum(-2).max(-1), table.sum((-2, -1)))


def goodman_kruskal_lambda(table: Array) -> Array:
    """Share of the errors of guessing the largest class that knowing the prior avoids."""
    share = majority_share(table)
    return divide(psi(table) - share, 1 - share)


def change(data: Array, model: Array, *, relative: bool = True, eps: float = EPS) -> Array:
    """Difference of two qualities, divided by their sum where `relative` [D]."""
    return (model - data) / (model + data + eps) if relative else model - data


def degrade(rates: Rates) -> Array:
    """Counts of the true classes, expected after as many random errors as the model makes [D]."""
    return degrade_table(rates.by_true, overall_accuracy(rates), rates.used)


def degrade_table(table: Array, accuracy: Array, used: Array) -> Array:
    """Expected counts where a label stays with probability `accuracy`.

    Else it becomes one of the other K - 1 classes in use, each as likely:
    n'_ik = acc n_ik + (1 - acc) / (K - 1) (n_i - n_ik).

    Parameters
    ----------
    table : array of shape (..., I, K)
    accuracy : array of shape (...)
    used : bool array of shape (..., K)
    """
    accuracy = np.asarray(accuracy)[..., None, None]
    n_other = np.maximum(np.count_nonzero(used, axis=-1) - 1, 1)[..., None, None]
    others = (table.sum(-1, keepdims=True) - table) * used[..., None, :]
    return accuracy * table + (1 - accuracy) / n_other * others


def overall_accuracy(rates: Rates) -> Array:
    """Share of correct predictions in all groups together, (...)."""
    return divide(rates.correct.sum((-2, -1)), rates.by_group.sum(-1))


def sign_of_difference(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Sign of a * b - c * d: exact for whole numbers, with a tolerance for fractions.

    Parameters
    ----------
    a, b, c, d : arrays that broadcast, not negative

    Returns
    -------
    integer array of -1, 0, 1
    """
    factors = [np.asarray(x, dtype=float) for x in (a, b, c, d)]
    largest = [x.max(initial=0.0) for x in factors]
    whole = max(largest) <= _EXACT and all(np.array_equal(x, np.floor(x)) for x in factors)
    if not whole:
        scale = [max(largest[i], largest[i + 2]) or 1.0 for i in (0, 1)]  # no over- or underflow
        left, right = ((x / scale[0]) * (y / scale[1]) for x, y in (factors[:2], factors[2:]))
        tied = np.abs(left - right) <= TIE_TOLERANCE * np.maximum(left, right)
        return np.where(tied, 0, np.sign(left - right)).astype(np.int8)
    if max(largest[0] * largest[1], largest[2] * largest[3]) > _EXACT:
        factors = [x.astype(np.int64).astype(object) for x in factors]  # Python's own integers
    left, right = factors[0] * factors[1], factors[2] * factors[3]
    return (left > right).astype(np.int8) - (left < right).astype(np.int8)


def pair_changes(data: Array, model: Array, prior: Array) -> Array:
    """P(predicted target | prior) - P(target | prior), (..., I, K); NaN for an empty prior."""
    return divide(model, prior[..., None]) - divide(data, prior[..., None])


def pair_signs(data: Array, prior: Array, target: Array, total: Array, *, tie: str) -> Array:
    """1 where prior and target go together in the data, -1 where they avoid each other.

    Parameters
    ----------
    data : array of shape (..., I, K)
    prior, target, total : arrays of shapes (..., I), (..., K) and (...)
        Counts of either alone, and of all rows.
    tie : {"zero", "paper"}
        What an exact independence counts: nothing, or -1 as in the printed formula [W].

    Returns
    -------
    integer array of shape (..., I, K)
    """
    signs = sign_of_difference(
        data, total[..., None, None], prior[..., :, None], target[..., None, :]
    )
    return np.where(signs > 0, 1, -1) if tie == "paper" else signs


def mean_over_pairs(values: Array, counted: Array) -> Array:
    """Mean over the pairs of prior and target, of those targets that count (a mask, (..., K))."""
    kept = np.where(counted[..., None, :], values, np.nan)
    return mean_defined(kept.reshape(*kept.shape[:-2], -1))


def mals(data: Array, model: Array, *, zero: bool = False) -> Array:
    """Mean over targets of the change of the groups' shares where a group is over-represented [Z].

    Parameters
    ----------
    data, model : arrays of shape (..., G, K)
        Counts of group x class in the reference and in the predictions.
    zero : bool, default=False
        Count the undefined shares of a class that is never predicted as 0.
    """
    total = data.sum(-2, keepdims=True)
    before, after = divide(data, total), divide(model, model.sum(-2, keepdims=True))
    over = over_represented(data)
    rises = np.where(over, after - before, 0.0).sum(-2)
    defined = ~np.isnan(before).any(-2) & ~np.isnan(after).any(-2)
    if zero:
        counted = ~np.isnan(before).all(-2) | ~np.isnan(after).all(-2)
        falls = np.where(over & np.isnan(after), before, 0.0).sum(-2)  # to a share of 0
        return mean_defined(np.where(counted, np.where(defined, rises, -falls), np.nan))
    return mean_defined(np.where(defined, rises, np.nan))


def over_represented(data: Array) -> Array:
    """Whether a group's share of a class is above 1/|A|, |A| groups having rows, (..., G, K)."""
    total = data.sum(-2, keepdims=True)
    n_groups = np.count_nonzero(data.sum(-1) > 0, axis=-1)[..., None, None]
    return sign_of_difference(data, n_groups, total, np.ones(())) > 0


def differential_fairness(table: Array, used: Array, concentration: float) -> Array:
    """Smoothed empirical differential fairness: the largest |log ratio| of two groups' rates [F].

    Parameters
    ----------
    table : array of shape (..., G, K)
    used : bool array of shape (..., K)
        Classes that count.
    concentration : float
        Of the Dirichlet prior, shared evenly by the classes that count.
    """
    share = concentration / np.count_nonzero(used, axis=-1)[..., None, None]
    return widest_log_ratio(table, share * used[..., None, :])


def widest_log_ratio(table: Array, pseudo: Array) -> Array:
    """Largest gap between the groups' logarithms of smoothed rates, over the classes."""
    n = table.sum(-1, keepdims=True)
    rates = (table + pseudo) / (n + pseudo.sum(-1, keepdims=True))
    kept = (n > 0) & (rates > 0)
    logs = np.log(rates, out=np.full(rates.shape, np.nan), where=kept)
    gaps = np.fmax.reduce(logs, -2) - np.fmin.reduce(logs, -2)
    return np.fmax.reduce(gaps, -1)


# -- kernels: (..., G, K, K) -> (...), and records ----------------------------------------------

# n_ik are the counts of group i and class k, in the labels (D) or the predictions (M).
_BOTH = (-1.0, 1.0)


def _of_two_groups(rates: Rates, values: Array) -> Array:
    """The values where two groups have rows, else NaN."""
    return np.where(np.count_nonzero(rates.present, axis=-1) >= 2, values, np.nan)


def _widest_change(counts: GroupCounts, rates: Rates, **options) -> Driver | None:
    """The class whose rate of prediction moved away from its base rate most unequally."""
    changes = pair_changes(rates.by_true, rates.by_pred, rates.by_group)
    name = "predicted rate minus base rate"
    return driver_of(counts.groups, changes, name, counts.classes.tolist())


def directional_predictability_kernel(
    rates: Rates, *, equalize: str | None = None, relative: bool = True, eps: float = EPS
) -> Array:
    """(Psi_M - Psi_D) / (Psi_M + Psi_D), Psi = sum_i max_k n_ik / n, (...).

    Psi_D is of the labels, or of those degraded to the accuracy of the predictions.
    """
    data = rates.by_true if equalize is None else degrade(rates)
    value = change(psi(data), psi(rates.by_pred), relative=relative, eps=eps)
    return _of_two_groups(rates, value)


DIRECTIONAL_PREDICTABILITY = Metric(
    "directional_predictability_amplification",
    directional_predictability_kernel,
    family="amplification",
    null="swap",
    range=_BOTH,
    signed=True,
    options={"equalize": (None, "expected"), "relative": (True, False)},
    driver=_widest_change,
    formula="(Psi_M - Psi_D) / (Psi_M + Psi_D), Psi = sum_i max_k n_ik / n",
    source="Tokas, Nair and Kerner 2025 (DPA)",
    misleads="Rewards any concentration of the predictions; blind to a reversed association.",
)


def directional_bias_kernel(rates: Rates, *, tie: str = "zero") -> Array:
    """Mean over groups a and classes t of +-(P(pred t | a) - P(t | a)), (...).

    + where a and t go together in the labels, - where they avoid each other.
    """
    data, prior = rates.by_true, rates.by_group
    signs = pair_signs(data, prior, data.sum(-2), prior.sum(-1), tie=tie)
    changes = signs * pair_changes(data, rates.by_pred, prior)
    return _of_two_groups(rates, mean_over_pairs(changes, rates.used))


DIRECTIONAL_BIAS = Metric(
    "directional_bias_amplification",
    directional_bias_kernel,
    family="amplification",
    null="swap",
    range=_BOTH,
    signed=True,
    options={"tie": TIES},
    driver=_widest_change,
    formula="mean over (a, t) of +-(P(pred t | a) - P(t | a)), + where a and t go together",
    source="Wang and Russakovsky 2021",
    misleads="Exactly 0 on balanced data, whatever the model does: no association to amplify.",
)


def mals_kernel(rates: Rates) -> Array:
    """Mean over classes t of sum_a (P(a | pred t) - P(a | t)), a over-represented in t, (...)."""
    return _of_two_groups(rates, mals(rates.by_true, rates.by_pred, zero=rates.zero))


def classes_without_shares(counts: GroupCounts, rates: Rates) -> list[str]:
    """One phrase each for the classes of which no group has a share: not true, or not predicted."""
    tables = {"the reference": rates.by_true, "y_pred": rates.by_pred}
    gone = {what: rates.used & (table.sum(-2) == 0) for what, table in tables.items()}
    return [
        f"no row of {what} has {name_some(counts.classes[where])}"
        for what, where in gone.items()
        if where.any()
    ]


MALS = Metric(
    "mals_bias_amplification",
    mals_kernel,
    family="amplification",
    null="swap",
    range=_BOTH,
    signed=True,
    driver=_widest_change,
    holes=classes_without_shares,
    formula="mean over t of the sum over over-represented a of P(a | pred t) - P(a | t)",
    source="Zhao et al. 2017",
    misleads="Takes a group above 1/|A| as associated with a class: wrong for unequal groups.",
)


def multi_attribute_kernel(rates: Rates) -> Array:
    """Mean over groups a and true classes t of |P(pred t | a) - P(t | a)|, (...)."""
    changes = pair_changes(rates.by_true, rates.by_pred, rates.by_group)
    occurs = rates.by_true.sum(-2) > 0
    return _of_two_groups(rates, mean_over_pairs(np.abs(changes), occurs))


MULTI_ATTRIBUTE = Metric(
    "multi_attribute_bias_amplification",
    multi_attribute_kernel,
    family="amplification",
    null="swap",
    driver=_widest_change,
    formula="mean over groups a and label sets m of |P(pred has m | a) - P(truth has m | a)|",
    source="Zhao, Andrews and Xiang 2023",
    misleads="Any change of a rate counts, also one that lessens bias; grows by chance alone.",
)


def differential_fairness_kernel(rates: Rates, *, concentration: float = 1.0) -> Array:
    """Largest |log ratio of two groups' smoothed rates of a class|, M minus D, (...)."""
    data, model = (
        differential_fairness(table, rates.used, concentration)
        for table in (rates.by_true, rates.by_pred)
    )
    return _of_two_groups(rates, model - data)


DIFFERENTIAL_FAIRNESS = Metric(
    "differential_fairness_bias_amplification",
    differential_fairness_kernel,
    family="amplification",
    null="swap",
    range=(-float("inf"), float("inf")),
    signed=True,
    driver=_widest_change,
    formula="max |log ratio of two groups' smoothed rates|, predictions minus labels",
    source="Foulds et al. 2020; as in aif360",
    misleads="A ratio: the rarest class and the smallest group decide.",
)


def leakage_kernel(rates: Rates, *, equalize: str | None = None) -> Array:
    """Psi_M - Psi_D, Psi = sum_k max_i n_ik / n: how well the class tells the group, (...)."""
    data = rates.by_true if equalize is None else degrade(rates)
    leaks = [psi(np.swapaxes(table, -1, -2)) for table in (data, rates.by_pred)]
    return _of_two_groups(rates, leaks[1] - leaks[0])


LEAKAGE = Metric(
    "leakage_amplification",
    leakage_kernel,
    family="amplification",
    null="swap",
    range=_BOTH,
    signed=True,
    options={"equalize": (None, "expected")},
    driver=_widest_change,
    formula="Psi(pred T -> A) - Psi(T -> A)",
    source="Wang et al. 2019; the closed form as in Tokas, Nair and Kerner 2025",
    misleads="0 wherever the largest group is the best guess for every class.",
)

METRICS = (
    DIRECTIONAL_PREDICTABILITY,
    DIRECTIONAL_BIAS,
    MALS,
    MULTI_ATTRIBUTE,
    DIFFERENTIAL_FAIRNESS,
    LEAKAGE,
)
BY_NAME = {metric.name: metric for metric in METRICS}
