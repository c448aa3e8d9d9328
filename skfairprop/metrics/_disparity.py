"""Bias of a multi-class model over several groups.

Source: Dominguez-Catena et al. 2025, "Biased Heritage" [H], section 3.2.
"""

from typing import Any

from skfairprop.metrics._disparity_kernels import BY_NAME
from skfairprop.metrics._disparity_kernels import METRICS as METRICS
from skfairprop.metrics._metric import measure


def term_by_term_equalized_odds(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Mean gap over all cells of the groups' row-normalised confusion matrices.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names groups and
        classes, count them as 0 (the paper's code), refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    Mean over (true y, predicted p) of the largest minus the smallest P(p | y, group) [1]_. True
    classes that fewer than two groups have are left out. For two classes it is the average
    absolute odds difference. Cells that nobody reaches count with a gap of 0, so that the value
    falls as classes are added; with small groups a fair model is well above 0.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import term_by_term_equalized_odds
    >>> term_by_term_equalized_odds(
    ...     [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1, 1, 1], sensitive_features=list("aaaabbbb")
    ... )
    0.25
    """
    return measure(
        BY_NAME["term_by_term_equalized_odds"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
    )


def classwise_equalized_odds(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Mean gap of the recalls and of the classes that errors fall into, half each.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    0.5 * mean over classes of the recall gap + 0.5 * mean over classes p of the gap of the share
    of (class-balanced) errors that predict p [1]_, Eq. 17. A group without errors has no such
    share and is left out of the second half; with fewer than two groups that err, it is 0.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import classwise_equalized_odds
    >>> classwise_equalized_odds(
    ...     [0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 1, 1, 0, 0, 1, 0], sensitive_features=list("aaaabbbb")
    ... )
    0.75
    """
    return measure(
        BY_NAME["classwise_equalized_odds"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
    )


def equal_opportunity(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Mean over the classes of the gap of the recalls.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    Every class counts alike [1]_. With two classes this is *not* the classical equal opportunity
    difference, which looks at the positive class only; see
    :func:`~skfairprop.metrics.equal_opportunity_difference`.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import equal_opportunity
    >>> equal_opportunity(
    ...     [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1, 1, 1], sensitive_features=list("aaaabbbb")
    ... )
    0.25
    """
    return measure(
        BY_NAME["equal_opportunity"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
    )


def demographic_parity(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    normalization: str = "published",
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Mean over the classes of the gap of how often each class is predicted.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    normalization : {"published", "balanced", "raw"}, default="published"
        The paper sums P(predicted | true, group) over the true classes ("published"); "balanced"
        divides that by the number of classes; "raw" compares P(predicted | group).
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        0 without bias. At most 1 with "balanced" and "raw"; with "published" at most 2 for two
        groups and the number of classes for more. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    Eq. 21 of [1]_. Only the true classes that every present group has are summed, and the sum is
    scaled back to all classes. Only ``normalization="raw"`` equals the classical demographic
    parity difference, for two classes; the published form is class-balanced, twice that of the
    balanced one for two classes, and does not see unequal base rates.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import demographic_parity
    >>> demographic_parity(
    ...     [0, 0, 1, 1, 0, 0, 1, 1],
    ...     [0, 0, 1, 1, 0, 1, 1, 1],
    ...     sensitive_features=list("aaaabbbb"),
    ...     normalization="raw",
    ... )
    0.25
    """
    return measure(
        BY_NAME["demographic_parity"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
        normalization=normalization,
    )


def overall_disparity(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Mean relative shortfall of the recalls against the best group's, over the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    Mean over classes of sum over groups of (1 - recall / largest recall) / (k - 1), with k groups
    that have the class [1]_. Relative: the same gap weighs more where recalls are low. A class
    that no group ever recalls counts 0.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import overall_disparity
    >>> overall_disparity(
    ...     [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1, 1, 1], sensitive_features=list("aaaabbbb")
    ... )
    0.25
    """
    return measure(
        BY_NAME["overall_disparity"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
    )


def combined_error_variance(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    fpr: str = "raw",
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """How unevenly a group's relative changes of FPR and FNR are spread over the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    fpr : {"raw", "balanced"}, default="raw"
        False positive rate from the counts (Eq. 14), or as the mean over the other true classes
        of P(predicted | true) (Eq. 15).
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        0 or more, unbounded. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    Mean over groups of the variance over classes of (rate - pooled rate) / pooled rate, summed
    over FPR and FNR [1]_. A pooled rate near 0 makes it explode: unreliable below about five
    expected errors in a class. A group that is worse by the same factor everywhere adds nothing.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import combined_error_variance
    >>> combined_error_variance(
    ...     [0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 1, 1, 0, 0, 1, 0], sensitive_features=list("aaaabbbb")
    ... )
    2.0
    """
    return measure(
        BY_NAME["combined_error_variance"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
        fpr=fpr,
    )


def symmetric_distance_error(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    fpr: str = "raw",
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """How far apart a group's relative changes of FPR and of FNR are, over the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes, two or more.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    fpr : {"raw", "balanced"}, default="raw"
        False positive rate from the counts (Eq. 14), or as the mean over the other true classes
        of P(predicted | true) (Eq. 15).
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        0 or more, unbounded. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, or have missing values.

    Notes
    -----
    Mean over groups and classes of |dFPR - dFNR|, d being the relative difference from the pooled
    rate [1]_. Unreliable where a pooled rate is near 0, as :func:`combined_error_variance`.

    References
    ----------
    .. [1] Dominguez-Catena et al., "Biased Heritage", 2025, section 3.2.

    Examples
    --------
    >>> from skfairprop.metrics import symmetric_distance_error
    >>> symmetric_distance_error(
    ...     [0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 1, 1, 0, 0, 1, 0], sensitive_features=list("aaaabbbb")
    ... )
    2.0
    """
    return measure(
        BY_NAME["symmetric_distance_error"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
        fpr=fpr,
    )
