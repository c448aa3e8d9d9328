"""Kernels ``(..., G, K) -> (...)`` and records of the bias of a data set.

Each record stands below its kernel.

Source: Dominguez-Catena et al. 2025, "Biased Heritage" [H], section 3.1.
"""

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.metrics._metric import Driver, Metric, driver_of
from skfairprop.metrics._rates import Array, Rates, divide, entropy, sum_of_others

_SECTION = "Dominguez-Catena et al. 2025, section 3.1"


# -- how unequal the groups are in size ----------------------------------------------------------


def _shares(rates: Rates) -> Array:
    """Share of the rows that each group has, (..., G)."""
    return divide(rates.by_group, rates.by_group.sum(-1, keepdims=True))


def _share_driver(counts: GroupCounts, rates: Rates, **options) -> Driver | None:
    """The smallest and the largest group."""
    shares = _shares(rates)
    if len(shares) < 2:
        return None
    low, high = int(shares.argmin()), int(shares.argmax())
    return Driver(
        "share of rows",
        None,
        counts.groups[low],
        counts.groups[high],
        float(shares[low]),
        float(shares[high]),
    )


def ens_bias_kernel(rates: Rates, *, normalize: bool = False) -> Array:
    """|A| - exp(entropy of the shares of the |A| groups), divided by |A| - 1 if asked, (...)."""
    shares = _shares(rates)
    n_groups = shares.shape[-1]
    value = np.maximum(n_groups - np.exp(entropy(shares)), 0.0)
    return value / (n_groups - 1) if normalize and n_groups > 1 else value


ENS_BIAS = Metric(
    "ens_bias",
    ens_bias_kernel,
    family="dataset",
    inputs="labels",
    compares_groups=False,
    range=(0.0, float("inf")),
    options={"normalize": (False, True)},
    driver=_share_driver,
    formula="|A| - exp(entropy of the group shares)",
    source=_SECTION,
    misleads="Says nothing about classes; even group sizes are a convention, not a goal.",
)


def shannon_evenness_kernel(rates: Rates) -> Array:
    """1 - entropy of the group shares / ln(groups that have rows), (...); 0 for one group."""
    n_present = np.count_nonzero(rates.present, axis=-1)
    log_n = np.log(np.maximum(n_present, 1))
    evenness = divide(entropy(_shares(rates)), log_n)
    return np.where(n_present < 2, 0.0, np.maximum(1 - evenness, 0.0))


SHANNON_EVENNESS = Metric(
    "shannon_evenness_bias",
    shannon_evenness_kernel,
    family="dataset",
    inputs="labels",
    compares_groups=False,
    driver=_share_driver,
    formula="1 - entropy of the group shares / ln(number of present groups)",
    source=_SECTION,
    misleads="Blind to groups that are absent altogether.",
)


def dsap_representational_kernel(rates: Rates) -> Array:
    """Half the sum over groups of |share - 1 / n|, n groups being declared, (...)."""
    shares = _shares(rates)
    return 0.5 * np.abs(shares - 1 / shares.shape[-1]).sum(-1)


DSAP_REPRESENTATIONAL = Metric(
    "dsap_representational_bias",
    dsap_representational_kernel,
    family="dataset",
    inputs="labels",
    compares_groups=False,
    driver=_share_driver,
    formula="half the absolute difference of the group shares from even ones (declared groups)",
    source=_SECTION,
    misleads="Groups that are rare in the population are rare in a faithful sample.",
)


def dsap_evenness_kernel(rates: Rates) -> Array:
    """Half the sum over groups of |share - 1 / n|, n groups having rows, (...)."""
    n_present = np.count_nonzero(rates.present, axis=-1)[..., None]
    even = divide(rates.present, n_present)
    return 0.5 * np.abs(_shares(rates) - even).sum(-1)


DSAP_EVENNESS = Metric(
    "dsap_evenness_bias",
    dsap_evenness_kernel,
    family="dataset",
    inputs="labels",
    compares_groups=False,
    driver=_share_driver,
    formula="half the absolute difference of the group shares from even ones (present groups)",
    source=_SECTION,
    misleads="Blind to groups that are absent altogether.",
)


# -- how groups and classes go together -----------------------------------------------------------


def _association_driver(counts: GroupCounts, rates: Rates, **options) -> Driver | None:
    """The class whose share of a group's rows has the largest gap."""
    return driver_of(counts.groups, rates["base_rate"], "share of class", counts.classes.tolist())


def cramers_v_kernel(rates: Rates) -> Array:
    """sqrt(chi2 / n / min(groups - 1, classes - 1)), of those with rows, (...); 0 for one."""
    # shares first: products of tiny weights would vanish
    table = divide(rates.by_true, rates.by_true.sum((-2, -1), keepdims=True))
    rows, columns = table.sum(-1, keepdims=True), table.sum(-2, keepdims=True)
    expected = rows * columns
    phi2 = divide((table - expected) ** 2, expected)
    phi2 = np.where(np.isnan(phi2), 0.0, phi2).sum((-2, -1))
    n_groups = np.count_nonzero(rows[..., 0] > 0, axis=-1)
    n_classes = np.count_nonzero(columns[..., 0, :] > 0, axis=-1)
    freedom = np.minimum(n_groups, n_classes) - 1
    value = np.sqrt(divide(phi2, freedom))
    return np.where(freedom < 1, 0.0, np.minimum(value, 1.0))


CRAMERS_V = Metric(
    "cramers_v",
    cramers_v_kernel,
    family="dataset",
    inputs="labels",
    compares_groups=False,
    null="independence",
    driver=_association_driver,
    formula="sqrt(chi2 / n / min(groups - 1, classes - 1))",
    source=_SECTION,
    misleads="Above 0 by chance in small samples: compare it with its null.",
)


def dsap_stereotypical_kernel(rates: Rates) -> Array:
    """Mean over classes of half the sum over g of |P(g | class) - P(g | other classes)|, (...)."""
    table = rates.by_true
    inside = divide(table, table.sum(-2, keepdims=True))
    outside = sum_of_others(table)
    outside = divide(outside, outside.sum(-2, keepdims=True))
    distance = 0.5 * np.abs(inside - outside).sum(-2)  # 1 - Renkonen similarity, per class
    used = ~np.isnan(distance)
    value = divide(np.where(used, distance, 0.0).sum(-1), np.count_nonzero(used, axis=-1))
    return np.where(np.count_nonzero(rates.used, axis=-1) < 2, 0.0, value)


DSAP_STEREOTYPICAL = Metric(
    "dsap_stereotypical_bias",
    dsap_stereotypical_kernel,
    family="dataset",
    inputs="labels",
    compares_groups=False,
    null="independence",
    driver=_association_driver,
    formula="1 - mean over classes of the similarity of group shares within and outside it",
    source=_SECTION,
    misleads="Above 0 by chance in small samples; a rare class counts as much as a common one.",
)

METRICS = (
    ENS_BIAS,
    SHANNON_EVENNESS,
    DSAP_REPRESENTATIONAL,
    DSAP_EVENNESS,
    CRAMERS_V,
    DSAP_STEREOTYPICAL,
)
BY_NAME = {metric.name: metric for metric in METRICS}
