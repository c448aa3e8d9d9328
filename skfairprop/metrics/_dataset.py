"""Bias of a data set: how unevenly the groups, and the classes within them, are represented.

Sources: Dominguez-Catena et al. 2025, "Biased Heritage" [H], section 3.1.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from skfairprop.counts import GroupCounts, count_rows
from skfairprop.metrics._metric import Driver, Metric, driver_of, evaluate
from skfairprop.metrics._rates import Array, Rates, divide, sum_of_others

# -- kernels: (..., G, K) -> (...) --------------------------------------------------------------


def _shares(rates: Rates) -> Array:
    """Share of the rows that each group has, (..., G)."""
    return divide(rates.by_group, rates.by_group.sum(-1, keepdims=True))


def _entropy(shares: Array) -> Array:
    return -np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0).sum(-1)


def ens_bias_kernel(rates: Rates, *, normalize: bool = False) -> Array:
    shares = _shares(rates)
    n_groups = shares.shape[-1]
    value = np.maximum(n_groups - np.exp(_entropy(shares)), 0.0)
    return value / (n_groups - 1) if normalize and n_groups > 1 else value


def shannon_evenness_kernel(rates: Rates) -> Array:
    n_present = np.count_nonzero(rates.present, axis=-1)
    log_n = np.log(np.maximum(n_present, 1))
    evenness = divide(_entropy(_shares(rates)), log_n)
    return np.where(n_present < 2, 0.0, np.maximum(1 - evenness, 0.0))


def dsap_representational_kernel(rates: Rates) -> Array:
    shares = _shares(rates)
    return 0.5 * np.abs(shares - 1 / shares.shape[-1]).sum(-1)


def dsap_evenness_kernel(rates: Rates) -> Array:
    n_present = np.count_nonzero(rates.present, axis=-1)[..., None]
    even = divide(rates.present, n_present)
    return 0.5 * np.abs(_shares(rates) - even).sum(-1)


def cramers_v_kernel(rates: Rates) -> Array:
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


def dsap_stereotypical_kernel(rates: Rates) -> Array:
    table = rates.by_true
    inside = divide(table, table.sum(-2, keepdims=True))
    outside = sum_of_others(table)
    outside = divide(outside, outside.sum(-2, keepdims=True))
    distance = 0.5 * np.abs(inside - outside).sum(-2)  # 1 - Renkonen similarity, per class
    used = ~np.isnan(distance)
    value = divide(np.where(used, distance, 0.0).sum(-1), np.count_nonzero(used, axis=-1))
    return np.where(np.count_nonzero(rates.used, axis=-1) < 2, 0.0, value)


# -- what drives them ---------------------------------------------------------------------------


def _share_driver(counts: GroupCounts, rates: Rates, **options) -> Driver | None:
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


def _association_driver(counts: GroupCounts, rates: Rates, **options) -> Driver | None:
    return driver_of(counts.groups, rates["base_rate"], "share of class", counts.classes.tolist())


# -- public functions ---------------------------------------------------------------------------


def _measure(name, y, sensitive_features, groups, sample_weight, missing, **options) -> float:
    counts = count_rows(
        {"y": y},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        groups=groups,
        missing=missing,
    )
    return evaluate(counts, BY_NAME[name], **options)


def ens_bias(
    y,
    *,
    sensitive_features,
    groups: Sequence[Hashable] | None = None,
    sample_weight=None,
    normalize: bool = False,
    missing: str = "raise",
) -> float:
    """Number of groups that are missing in effect: declared minus effective number of groups.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes; only their number of rows is used. Predictions give the bias of the predictions.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    groups : sequence, optional
        Groups that should be there, whether they occur or not; they count in \\|A\\|.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    normalize : bool, default=False
        Divide by \\|A\\| - 1, so that the value lies in [0, 1].
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        \\|A\\| - exp(entropy of the group shares), in [0, \\|A\\| - 1]; 0 for one declared group.

    Raises
    ------
    ValueError
        If the input is empty, misaligned, or has missing protected values.

    Notes
    -----
    Effective number of species bias [1]_. It says nothing about classes: a data set where each
    class belongs to one group can have the value 0.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.1.

    Examples
    --------
    >>> from skfairprop.metrics import ens_bias
    >>> ens_bias([0, 1, 0, 1], sensitive_features=["a", "a", "b", "b"])
    0.0
    >>> ens_bias([0, 1], sensitive_features=["a", "a"], groups=["a", "b", "c"])
    2.0
    """
    return _measure(
        "ens_bias", y, sensitive_features, groups, sample_weight, missing, normalize=normalize
    )


def shannon_evenness_bias(
    y,
    *,
    sensitive_features,
    groups: Sequence[Hashable] | None = None,
    sample_weight=None,
    missing: str = "raise",
) -> float:
    """How unevenly the rows are spread over the groups that are present.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes; only their number of rows is used.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    groups : sequence, optional
        Declared groups; those that do not occur do not change this value.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        1 - entropy / ln(number of present groups), in [0, 1]; 0 for one present group.

    Raises
    ------
    ValueError
        If the input is empty, misaligned, or has missing protected values.

    Notes
    -----
    One minus Shannon's evenness index [1]_. A group that is absent altogether does not count: a
    data set of one group has the value 0. Read it beside :func:`ens_bias`.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.1.

    Examples
    --------
    >>> from skfairprop.metrics import shannon_evenness_bias
    >>> round(shannon_evenness_bias([0] * 4, sensitive_features=["a", "a", "a", "b"]), 3)
    0.189
    """
    return _measure("shannon_evenness_bias", y, sensitive_features, groups, sample_weight, missing)


def dsap_representational_bias(
    y,
    *,
    sensitive_features,
    groups: Sequence[Hashable] | None = None,
    sample_weight=None,
    missing: str = "raise",
) -> float:
    """Share of the rows that would have to change group for all declared groups to be even.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes; only their number of rows is used.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    groups : sequence, optional
        Groups that should be there, whether they occur or not.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        1 - Renkonen similarity of the group shares and the uniform ones, in [0, 1).

    Raises
    ------
    ValueError
        If the input is empty, misaligned, or has missing protected values.

    Notes
    -----
    DSAP representational bias [1]_. Even shares are a convention, not a goal: groups that are
    rare in the population are rare in a faithful sample.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.1.

    Examples
    --------
    >>> from skfairprop.metrics import dsap_representational_bias
    >>> dsap_representational_bias([0] * 4, sensitive_features=["a", "a", "a", "b"])
    0.25
    """
    return _measure(
        "dsap_representational_bias", y, sensitive_features, groups, sample_weight, missing
    )


def dsap_evenness_bias(
    y,
    *,
    sensitive_features,
    groups: Sequence[Hashable] | None = None,
    sample_weight=None,
    missing: str = "raise",
) -> float:
    """Share of the rows that would have to change group for the present groups to be even.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes; only their number of rows is used.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    groups : sequence, optional
        Declared groups; those that do not occur do not change this value.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        1 - Renkonen similarity of the group shares and the uniform ones over the groups that
        are present, in [0, 1).

    Raises
    ------
    ValueError
        If the input is empty, misaligned, or has missing protected values.

    Notes
    -----
    DSAP evenness [1]_. Blind to groups that are absent altogether.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.1.

    Examples
    --------
    >>> from skfairprop.metrics import dsap_evenness_bias
    >>> dsap_evenness_bias([0, 0], sensitive_features=["a", "a"], groups=["a", "b"])
    0.0
    """
    return _measure("dsap_evenness_bias", y, sensitive_features, groups, sample_weight, missing)


def cramers_v(
    y,
    *,
    sensitive_features,
    groups: Sequence[Hashable] | None = None,
    sample_weight=None,
    missing: str = "raise",
) -> float:
    """Association between groups and classes: Cramer's V, without continuity correction.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    groups : sequence, optional
        Declared groups; those that do not occur do not change this value.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        sqrt(chi2 / n / min(present groups - 1, present classes - 1)), in [0, 1]; 0 for fewer than
        two groups or classes.

    Raises
    ------
    ValueError
        If the input is empty, misaligned, or has missing protected values.

    Notes
    -----
    Stereotypical bias in [1]_. Biased upwards in small samples: with 4 groups, 2 classes and 100
    independent rows it is about 0.17. Compare it with its null.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.1.

    Examples
    --------
    >>> from skfairprop.metrics import cramers_v
    >>> cramers_v([0, 0, 1, 1], sensitive_features=["a", "a", "b", "b"])
    1.0
    """
    return _measure("cramers_v", y, sensitive_features, groups, sample_weight, missing)


def dsap_stereotypical_bias(
    y,
    *,
    sensitive_features,
    groups: Sequence[Hashable] | None = None,
    sample_weight=None,
    missing: str = "raise",
) -> float:
    """How much the groups within a class differ from those outside it, over the classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    groups : sequence, optional
        Declared groups; those that do not occur do not change this value.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        1 - mean over classes of the Renkonen similarity between the group shares within the class
        and outside it, in [0, 1]; 0 for one class.

    Raises
    ------
    ValueError
        If the input is empty, misaligned, or has missing protected values.

    Notes
    -----
    DSAP stereotypical bias [1]_; every class counts alike, however rare. Biased upwards in small
    samples, as :func:`cramers_v`.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.1.

    Examples
    --------
    >>> from skfairprop.metrics import dsap_stereotypical_bias
    >>> dsap_stereotypical_bias([0, 0, 1, 1], sensitive_features=["a", "b", "a", "b"])
    0.0
    """
    return _measure(
        "dsap_stereotypical_bias", y, sensitive_features, groups, sample_weight, missing
    )


_SECTION = "Dominguez-Catena et al. 2025, section 3.1"
METRICS = (
    Metric(
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
    ),
    Metric(
        "shannon_evenness_bias",
        shannon_evenness_kernel,
        family="dataset",
        inputs="labels",
        compares_groups=False,
        driver=_share_driver,
        formula="1 - entropy of the group shares / ln(number of present groups)",
        source=_SECTION,
        misleads="Blind to groups that are absent altogether.",
    ),
    Metric(
        "dsap_representational_bias",
        dsap_representational_kernel,
        family="dataset",
        inputs="labels",
        compares_groups=False,
        driver=_share_driver,
        formula="half the absolute difference of the group shares from even ones (declared groups)",
        source=_SECTION,
        misleads="Groups that are rare in the population are rare in a faithful sample.",
    ),
    Metric(
        "dsap_evenness_bias",
        dsap_evenness_kernel,
        family="dataset",
        inputs="labels",
        compares_groups=False,
        driver=_share_driver,
        formula="half the absolute difference of the group shares from even ones (present groups)",
        source=_SECTION,
        misleads="Blind to groups that are absent altogether.",
    ),
    Metric(
        "cramers_v",
        cramers_v_kernel,
        family="dataset",
        inputs="labels",
        compares_groups=False,
        null="independence",
        driver=_association_driver,
        formula="sqrt(chi2 / n / min(groups - 1, classes - 1))",
        source=_SECTION,
        misleads="Biased upwards in small samples: compare it with its null.",
    ),
    Metric(
        "dsap_stereotypical_bias",
        dsap_stereotypical_kernel,
        family="dataset",
        inputs="labels",
        compares_groups=False,
        null="independence",
        driver=_association_driver,
        formula="1 - mean over classes of the similarity of group shares within and outside it",
        source=_SECTION,
        misleads="Biased upwards in small samples; a rare class counts as much as a common one.",
    ),
)
BY_NAME = {metric.name: metric for metric in METRICS}
