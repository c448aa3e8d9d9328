"""Classical differences of one rate between groups: accuracy, error rates and precision.

Those of the error rates have fairlearn's names and values, except that a rate 0/0, and a gap of one
group, are undefined here.
"""

from collections.abc import Hashable
from typing import Any

from skfairprop.metrics._classical_kernels import BY_NAME
from skfairprop.metrics._metric import measure


def accuracy_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Largest minus smallest accuracy over the groups, for any number of classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
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
        If inputs are empty, misaligned or have missing values.

    Notes
    -----
    max - min over groups of P(pred = y | group) [1]_. Hides which errors are made: two groups
    with opposite errors have no gap.

    fairlearn calls it ``accuracy_score_difference``.

    References
    ----------
    .. [1] Berk, Heidari, Jabbari, Kearns and Roth, "Fairness in Criminal Justice Risk Assessments:
       The State of the Art", Sociological Methods & Research, 2021: overall accuracy equality.

    Examples
    --------
    >>> from skfairprop.metrics import accuracy_difference
    >>> accuracy_difference([1, 0, 1, 0], [1, 0, 1, 1], sensitive_features=list("aabb"))
    0.5
    """
    return measure(
        BY_NAME["accuracy_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        undefined=undefined,
        missing=missing,
    )


def false_positive_rate_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Largest minus smallest false positive rate over the groups.

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
    max - min over groups of P(pred = pos | y != pos, group) [1]_. Rests on the negatives of
    each group.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Corbett-Davies, Pierson, Feller, Goel and Huq, "Algorithmic Decision Making and the Cost
       of Fairness", KDD 2017: predictive equality.

    Examples
    --------
    >>> from skfairprop.metrics import false_positive_rate_difference
    >>> false_positive_rate_difference(
    ...     [0, 0, 0, 0], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return measure(
        BY_NAME["false_positive_rate_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )


def false_negative_rate_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Largest minus smallest false negative rate over the groups.

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
    max - min over groups of P(pred != pos | y = pos, group) [1]_. Equal to
    :func:`equal_opportunity_difference`, under the other name.

    With two groups or more and no rate 0/0 equal to fairlearn's function of this name, which counts
    such rates as 0.

    References
    ----------
    .. [1] Chouldechova, "Fair prediction with disparate impact", Big Data, 2017: error rate
       balance.

    Examples
    --------
    >>> from skfairprop.metrics import false_negative_rate_difference
    >>> false_negative_rate_difference(
    ...     [1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return measure(
        BY_NAME["false_negative_rate_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )


def precision_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    undefined: str = "drop",
    missing: str = "raise",
) -> float:
    """Largest minus smallest precision over the groups.

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
    max - min over groups of P(y = pos | pred = pos, group) [1]_. Predictive parity. It
    conflicts with equal error rates wherever base rates differ.

    fairlearn has no function of it: there it is the difference of a ``MetricFrame`` of
    scikit-learn's ``precision_score``.

    References
    ----------
    .. [1] Chouldechova, "Fair prediction with disparate impact", Big Data, 2017: predictive parity.

    Examples
    --------
    >>> from skfairprop.metrics import precision_difference
    >>> precision_difference([1, 0, 1, 1], [1, 1, 1, 1], sensitive_features=list("aabb"))
    0.5
    """
    return measure(
        BY_NAME["precision_difference"],
        {"y_true": y_true, "y_pred": y_pred},
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        undefined=undefined,
        missing=missing,
    )
