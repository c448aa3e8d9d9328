"""Classical measures of a binary decision, or of one class against the rest.

Names and values are the ecosystem's (fairlearn), except that a rate 0/0 is undefined here.
"""

from collections.abc import Hashable

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.metrics._metric import Metric, evaluate
from skfairprop.metrics._rates import Array, Rates, gap, mean_defined, ratio

# -- kernels: (..., G, K, K) -> (...) -----------------------------------------------------------


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


# -- public functions ---------------------------------------------------------------------------


def _measure(
    name,
    y_true,
    y_pred,
    sensitive_features,
    sample_weight,
    pos_label,
    undefined,
    missing,
    **options,
) -> float:
    counts = GroupCounts.from_arrays(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    return evaluate(counts, BY_NAME[name], pos_label=pos_label, undefined=undefined, **options)


def demographic_parity_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max - min over groups of P(pred = pos | group) [1]_. Blind to the truth: a perfect classifier has this gap where base rates differ. The maximum over
    groups is well above 0 by chance alone when groups are small.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import demographic_parity_difference
    >>> demographic_parity_difference(
    ...     [1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return _measure(
        "demographic_parity_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


def demographic_parity_ratio(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    min / max over groups of P(pred = pos | group) [1]_. Undefined (NaN) when nobody is selected in any group. Where selection is rare, a small absolute
    gap gives a low ratio.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import demographic_parity_ratio
    >>> demographic_parity_ratio([1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb"))
    0.5
    """
    return _measure(
        "demographic_parity_ratio",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


def equalized_odds_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max (or mean) of the gaps of TPR and FPR over the groups [1]_. A half that is undefined is left out with a warning. The worse of two
    maxima over groups: well above 0 by chance alone when groups are small.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import equalized_odds_difference
    >>> equalized_odds_difference(
    ...     [1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 0, 1, 1, 0, 0, 0], sensitive_features=list("aaaabbbb")
    ... )
    0.5
    """
    return _measure(
        "equalized_odds_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
        agg=agg,
    )


def equalized_odds_ratio(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    min (or mean) of the min / max ratios of TPR and FPR over the groups [1]_. A half that is undefined, as when no group has a false positive, is left out with
    a warning.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import equalized_odds_ratio
    >>> equalized_odds_ratio(
    ...     [1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 0, 1, 1, 0, 0, 1], sensitive_features=list("aaaabbbb")
    ... )
    0.5
    """
    return _measure(
        "equalized_odds_ratio",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
        agg=agg,
    )


def equal_opportunity_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max - min over groups of P(pred = pos | y = pos, group) [1]_. Looks at the positive class only, and rests on the positives of each group: few of them make it
    noisy.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import equal_opportunity_difference
    >>> equal_opportunity_difference(
    ...     [1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return _measure(
        "equal_opportunity_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


def equal_opportunity_ratio(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    min / max over groups of P(pred = pos | y = pos, group) [1]_. Undefined (NaN) when no positive is found in any group.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import equal_opportunity_ratio
    >>> equal_opportunity_ratio([1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=list("aabb"))
    0.5
    """
    return _measure(
        "equal_opportunity_ratio",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


def accuracy_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max - min over groups of P(pred = y | group) [1]_. Hides which errors are made: two groups with opposite errors have no gap.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import accuracy_difference
    >>> accuracy_difference([1, 0, 1, 0], [1, 0, 1, 1], sensitive_features=list("aabb"))
    0.5
    """
    return _measure(
        "accuracy_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        None,
        undefined,
        missing,
    )


def false_positive_rate_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max - min over groups of P(pred = pos | y != pos, group) [1]_. Rests on the negatives of each group.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import false_positive_rate_difference
    >>> false_positive_rate_difference(
    ...     [0, 0, 0, 0], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return _measure(
        "false_positive_rate_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


def false_negative_rate_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max - min over groups of P(pred != pos | y = pos, group) [1]_. Equal to :func:`equal_opportunity_difference`, under the other name.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import false_negative_rate_difference
    >>> false_negative_rate_difference(
    ...     [1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=list("aabb")
    ... )
    0.5
    """
    return _measure(
        "false_negative_rate_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


def precision_difference(
    y_true,
    y_pred,
    *,
    sensitive_features,
    sample_weight=None,
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
    max - min over groups of P(y = pos | pred = pos, group) [1]_. Predictive parity. It conflicts with equal error rates wherever base rates differ.
    Equal to fairlearn's function of this name wherever no rate is 0/0; fairlearn counts those as 0.

    References
    ----------
    .. [1] Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning", 2016;
       names and values as in fairlearn.

    Examples
    --------
    >>> from skfairprop.metrics import precision_difference
    >>> precision_difference([1, 0, 1, 1], [1, 1, 1, 1], sensitive_features=list("aabb"))
    0.5
    """
    return _measure(
        "precision_difference",
        y_true,
        y_pred,
        sensitive_features,
        sample_weight,
        pos_label,
        undefined,
        missing,
    )


_SOURCE = "Hardt, Price and Srebro 2016; as in fairlearn 0.15"
METRICS = (
    Metric(
        "demographic_parity_difference",
        demographic_parity_difference_kernel,
        family="classical",
        rates=("prediction_rate",),
        null="independence",
        needs_positive=True,
        formula="max - min over groups of P(pred = pos | group)",
        source=_SOURCE,
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
        source=_SOURCE,
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
        source=_SOURCE,
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
        source=_SOURCE,
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
        source=_SOURCE,
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
        source=_SOURCE,
        misleads="Looks at the positive class only.",
    ),
    Metric(
        "accuracy_difference",
        accuracy_difference_kernel,
        family="classical",
        rates=("accuracy",),
        null="independence",
        formula="max - min over groups of P(pred = y | group)",
        source=_SOURCE,
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
        source=_SOURCE,
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
        source=_SOURCE,
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
        source=_SOURCE,
        misleads="Conflicts with equal error rates where base rates differ.",
    ),
)
BY_NAME = {metric.name: metric for metric in METRICS}
