"""Demographic parity, equalized odds and equal opportunity, for one class against the rest.

Names and values are fairlearn's, except that a rate 0/0, and a gap of one group, are undefined.
"""

from collections.abc import Hashable
from typing import Any

from skfairprop.metrics._classical_kernels import BY_NAME
from skfairprop.metrics._classical_kernels import METRICS as METRICS
from skfairprop.metrics._metric import measure


def demographic_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Largest minus smallest selection rate over the groups.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class; with more than two classes, that class against the rest. Required
        unless the labels are {0, 1}, {-1, 1} or booleans.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names the groups,
        count them as 0, refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or the positive class is not known.

    Notes
    -----
    max - min over groups of P(pred = pos | group) [1]_. Blind to the truth: a perfect
    classifier has this gap where base rates differ. The maximum over groups is well above 0 by
    chance alone when groups are small.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Calders and Verwer, "Three naive Bayes approaches for discrimination-free
       classification", Data Mining and Knowledge Discovery, 2010.

    Examples
    --------
    >>> from skfairprop.metrics import demographic_parity_difference
    >>> demographic_parity_difference(
    ...     [1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return measure(
        BY_NAME["demographic_parity_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )


def demographic_parity_ratio(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Smallest divided by largest selection rate over the groups.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class; with more than two classes, that class against the rest. Required
        unless the labels are {0, 1}, {-1, 1} or booleans.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names the groups,
        count them as 0, refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 1 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or the positive class is not known.

    Notes
    -----
    min / max over groups of P(pred = pos | group) [1]_. Undefined (NaN) when nobody is selected
    in any group. Where selection is rare, a small absolute gap gives a low ratio.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Feldman et al., "Certifying and removing disparate impact", KDD 2015.

    Examples
    --------
    >>> from skfairprop.metrics import demographic_parity_ratio
    >>> demographic_parity_ratio([1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb"))
    0.5
    """
    return measure(
        BY_NAME["demographic_parity_ratio"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )


def equalized_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    agg: str = "worst_case",
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Gap of the true and of the false positive rates, the worse of both or their mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class; with more than two classes, that class against the rest. Required
        unless the labels are {0, 1}, {-1, 1} or booleans.
    agg : {"worst_case", "mean"}, default="worst_case"
        How the two gaps are joined: the worse one, or their mean.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names the groups,
        count them as 0, refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or the positive class is not known.

    Notes
    -----
    max (or mean) of the gaps of TPR and FPR over the groups [1]_. A half that is undefined is
    left out with a warning. The worse of two maxima over groups: well above 0 by chance alone
    when groups are small.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016.

    Examples
    --------
    >>> from skfairprop.metrics import equalized_odds_difference
    >>> equalized_odds_difference(
    ...     [1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 0, 1, 1, 0, 0, 0], sensitive_features=list("aaaabbbb")
    ... )
    0.5
    """
    return measure(
        BY_NAME["equalized_odds_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
        agg=agg,
    )


def equalized_odds_ratio(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    agg: str = "worst_case",
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Ratio of the true and of the false positive rates, the worse of both or their mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class; with more than two classes, that class against the rest. Required
        unless the labels are {0, 1}, {-1, 1} or booleans.
    agg : {"worst_case", "mean"}, default="worst_case"
        How the two gaps are joined: the worse one, or their mean.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names the groups,
        count them as 0, refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 1 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or the positive class is not known.

    Notes
    -----
    min (or mean) of the min / max ratios of TPR and FPR over the groups [1]_. A half that is 0/0,
    as when no group has a false positive, is left out; groups that lack a rate, with a warning.

    With two groups or more, no rate 0/0 and neither of the two ratios 0/0, equal to fairlearn's
    function of this name, which counts such rates as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016.

    Examples
    --------
    >>> from skfairprop.metrics import equalized_odds_ratio
    >>> equalized_odds_ratio(
    ...     [1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 0, 1, 1, 0, 0, 1], sensitive_features=list("aaaabbbb")
    ... )
    0.5
    """
    return measure(
        BY_NAME["equalized_odds_ratio"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
        agg=agg,
    )


def equal_opportunity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Largest minus smallest true positive rate over the groups.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class; with more than two classes, that class against the rest. Required
        unless the labels are {0, 1}, {-1, 1} or booleans.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names the groups,
        count them as 0, refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 0 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or the positive class is not known.

    Notes
    -----
    max - min over groups of P(pred = pos | y = pos, group) [1]_. Looks at the positive class
    only, and rests on the positives of each group: few of them make it noisy.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016.

    Examples
    --------
    >>> from skfairprop.metrics import equal_opportunity_difference
    >>> equal_opportunity_difference(
    ...     [1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return measure(
        BY_NAME["equal_opportunity_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )


def equal_opportunity_ratio(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Smallest divided by largest true positive rate over the groups.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class; with more than two classes, that class against the rest. Required
        unless the labels are {0, 1}, {-1, 1} or booleans.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0: leave them out with a warning that names the groups,
        count them as 0, refuse them, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        In [0, 1]; 1 without bias. NaN, with a warning, for one group.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or the positive class is not known.

    Notes
    -----
    min / max over groups of P(pred = pos | y = pos, group) [1]_. Undefined (NaN) when no
    positive is found in any group.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016.

    Examples
    --------
    >>> from skfairprop.metrics import equal_opportunity_ratio
    >>> equal_opportunity_ratio([1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=list("aabb"))
    0.5
    """
    return measure(
        BY_NAME["equal_opportunity_ratio"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )
