"""Bias of a data set: how unevenly the groups, and the classes within them, are represented.

Source: Dominguez-Catena et al. 2025, "Biased Heritage" [H], section 3.1.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from skfairprop.metrics._dataset_kernels import BY_NAME
from skfairprop.metrics._dataset_kernels import METRICS as METRICS
from skfairprop.metrics._metric import measure


def ens_bias(
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
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
        Groups that should be there, whether they occur or not; they count.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    normalize : bool, default=False
        Divide by the number of declared groups - 1, so that the value lies in [0, 1].
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    float
        Declared groups - exp(entropy of the group shares), from 0 to the number of declared
        groups - 1; 0 for one declared group.

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
    return measure(
        BY_NAME["ens_bias"],
        {"y": y},
        sensitive_features=sensitive_features,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
        normalize=normalize,
    )


def shannon_evenness_bias(
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
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
    return measure(
        BY_NAME["shannon_evenness_bias"],
        {"y": y},
        sensitive_features=sensitive_features,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
    )


def dsap_representational_bias(
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
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
    return measure(
        BY_NAME["dsap_representational_bias"],
        {"y": y},
        sensitive_features=sensitive_features,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
    )


def dsap_evenness_bias(
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
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
    return measure(
        BY_NAME["dsap_evenness_bias"],
        {"y": y},
        sensitive_features=sensitive_features,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
    )


def cramers_v(
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
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
    return measure(
        BY_NAME["cramers_v"],
        {"y": y},
        sensitive_features=sensitive_features,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
    )


def dsap_stereotypical_bias(
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
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
    return measure(
        BY_NAME["dsap_stereotypical_bias"],
        {"y": y},
        sensitive_features=sensitive_features,
        groups=groups,
        sample_weight=sample_weight,
        missing=missing,
    )
