"""All 21 bias estimations at once, one of them, or their largest."""

import warnings
from collections.abc import Hashable

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skfairprop._labels import check_weights
from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups, align
from skfairprop.metrics._estimation import CONVENTIONS
from skfairprop.metrics._estimation import METRICS as COUNT_METRICS
from skfairprop.metrics._metric import describe_undefined, find_positive
from skfairprop.metrics._rates import Rates
from skfairprop.metrics._score_estimation import METRICS as SCORE_METRICS
from skfairprop.metrics._score_estimation import ScoreRows

METHODS = tuple(m.name.removeprefix("estimation_") for m in (*COUNT_METRICS, *SCORE_METRICS))


def bias_estimations(
    y_true,
    y_pred,
    *,
    sensitive_features,
    y_score=None,
    sample_weight=None,
    threshold: float | None = None,
    pos_label: Hashable | None = None,
    convention: str = "corrected",
    use_y_true: bool = False,
    min_group_size: int = 1,
    missing: str = "raise",
) -> pd.Series:
    """The bias estimations of BENN's ensemble that the inputs allow, by name.

    Parameters
    ----------
    y_true : array-like of shape (n,) or None
        True classes. Without them only the estimations that need no truth are computed.
    y_pred : array-like of shape (n,)
        Predicted classes: two of them, or `pos_label` against the rest.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns, any number of groups.
    y_score : array-like of shape (n,), optional
        Scores, larger for more positive. Calibration, prediction parity and ERBS need them.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    threshold : float, optional
        Scores above it count as high. Default: the (weighted) mean score.
    pos_label : hashable, optional
        The positive class. Required unless the labels are {0, 1}, {-1, 1} or booleans.
    convention : {"corrected", "paper"}, default="corrected"
        "corrected": in [0, 1], 0 exactly where the statistical rule holds. "paper": as printed,
        where some are inverted or not bounded.
    use_y_true : bool, default=False
        Use the truth in the three score estimations (the textbook form) in place of the
        prediction, as the paper prints them.
    min_group_size : int, default=1
        Calibration compares cells (group and score) of at least so many rows.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.

    Returns
    -------
    Series of float
        In the order of the paper's table. NaN where fewer than two groups are defined.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, if an option is not known, or if
        the positive class is not known.

    Warns
    -----
    UndefinedMetricWarning
        Once, naming the rates and groups that are 0/0 and so left out.

    Notes
    -----
    Appendix B of [1]_. Several of the printed forms are inverted or have a slip: equal opportunity
    is 1 - variance, the normalised difference divides by the maximum. The corrected ones are not
    comparable with each other: a variance is smaller than a gap.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020.

    Examples
    --------
    >>> from skfairprop.metrics import bias_estimations
    >>> found = bias_estimations(
    ...     [1, 0, 1, 0, 1, 1], [1, 0, 0, 1, 1, 0], sensitive_features=list("aaabbb")
    ... )
    >>> len(found), round(float(found["demographic_parity"]), 3)
    (18, 0.333)
    """
    values, holes = _estimate(
        y_true,
        y_pred,
        sensitive_features,
        y_score,
        sample_weight,
        threshold,
        pos_label,
        convention,
        use_y_true,
        min_group_size,
        missing,
    )
    if holes:
        warnings.warn(
            f"bias estimations leave out undefined rates: {'; '.join(holes)}",
            UndefinedMetricWarning,
            stacklevel=2,
        )
    return values


def bias_estimation(y_true, y_pred, *, method: str, sensitive_features, **options) -> float:
    """One of the 21 bias estimations.

    Parameters
    ----------
    y_true : array-like of shape (n,) or None
        True classes; None for the methods that need none.
    y_pred : array-like of shape (n,)
        Predicted classes.
    method : str
        Its name, as in the index of :func:`bias_estimations`.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    **options
        As for :func:`bias_estimations`.

    Returns
    -------
    float
        In [0, 1] with ``convention="corrected"``.

    Raises
    ------
    ValueError
        If the method is not known or needs an input that is not given.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020.

    Examples
    --------
    >>> from skfairprop.metrics import bias_estimation
    >>> bias_estimation(
    ...     None, [1, 0, 1, 1], method="demographic_parity", sensitive_features=list("aabb")
    ... )
    0.5
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}; got {method!r}")
    values = bias_estimations(y_true, y_pred, sensitive_features=sensitive_features, **options)
    if method not in values:
        needed = "y_score" if f"estimation_{method}" in _SCORE_NAMES else "y_true"
        raise ValueError(f"the bias estimation {method!r} needs {needed}")
    return float(values[method])


def ensemble_bias_estimation(
    y_true, y_pred, *, sensitive_features, return_details: bool = False, **options
) -> float | Bunch:
    """The largest of the bias estimations that the inputs allow.

    Parameters
    ----------
    y_true : array-like of shape (n,) or None
        True classes; None leaves out the methods that need them.
    y_pred : array-like of shape (n,)
        Predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns.
    return_details : bool, default=False
        Return a Bunch with `value`, `method` (the first in the table at a tie; None if all are
        undefined) and `undefined` (the names of the methods that are NaN).
    **options
        As for :func:`bias_estimations`.

    Returns
    -------
    float or Bunch
        In [0, 1] with ``convention="corrected"``; NaN if every estimation is undefined.

    Raises
    ------
    ValueError
        As :func:`bias_estimations`.

    Notes
    -----
    The baseline that BENN is compared with [1]_. In practice it is the normalised difference or
    the disparate impact, and reaches 1 by chance on rare groups: compare it with its null.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020.

    Examples
    --------
    >>> from skfairprop.metrics import ensemble_bias_estimation
    >>> ensemble_bias_estimation(None, [1, 0, 1, 1], sensitive_features=list("aabb"))
    1.0
    """
    values = bias_estimations(y_true, y_pred, sensitive_features=sensitive_features, **options)
    defined = values.dropna()
    value = float(defined.max()) if len(defined) else float("nan")
    if not return_details:
        return value
    return Bunch(
        value=value,
        method=defined.idxmax() if len(defined) else None,
        undefined=values.index[values.isna()].tolist(),
    )


_SCORE_NAMES = {m.name for m in SCORE_METRICS}
_NEED_NO_TRUTH = ("prediction_rate",)


def _estimate(
    y_true,
    y_pred,
    sensitive_features,
    y_score,
    sample_weight,
    threshold,
    pos_label,
    convention,
    use_y_true,
    min_group_size,
    missing,
) -> tuple[pd.Series, list[str]]:
    if convention not in CONVENTIONS:
        raise ValueError(f"convention must be one of {CONVENTIONS}; got {convention!r}")
    if use_y_true and y_true is None:
        raise ValueError("use_y_true=True needs y_true")
    counts = GroupCounts.from_arrays(
        y_pred if y_true is None else y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    counts, positive = find_positive(counts, pos_label, "bias_estimations")
    rates = Rates(counts.values, positive=positive)
    found, holes = {}, []
    for metric in COUNT_METRICS:
        if y_true is None and metric.rates != _NEED_NO_TRUTH:
            continue
        found[metric.name] = float(metric.kernel(rates, convention=convention))
        holes += describe_undefined(counts, metric, rates)
    if y_score is not None:
        label = counts.classes[positive]
        rows = _score_rows(
            y_true if use_y_true else y_pred,
            y_score,
            sensitive_features,
            sample_weight,
            label,
            missing,
            threshold,
        )
        for metric in SCORE_METRICS:
            extra = {"min_group_size": min_group_size} if "calibration" in metric.name else {}
            found[metric.name] = metric.kernel(rows, convention=convention, **extra)
    names = [name.removeprefix("estimation_") for name in found]
    return pd.Series(list(found.values()), index=names, dtype=float), list(dict.fromkeys(holes))


def _score_rows(
    outcome, y_score, sensitive_features, sample_weight, label, missing, threshold
) -> ScoreRows:
    """Rows with a score, aligned; rows with a missing protected value are left out by policy."""
    columns = align(
        y_pred=outcome,
        y_score=y_score,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
    )
    groups = Groups.from_columns(columns["sensitive_features"], missing=missing)
    score = np.asarray(columns["y_score"][0].values, dtype=float)
    if np.isnan(score).any():
        raise ValueError(f"y_score: {np.isnan(score).sum():,} of {len(score):,} values are missing")
    positive = np.asarray(columns["y_pred"][0].values == label, dtype=bool)
    weight = np.ones(len(score))
    if sample_weight is not None:
        weight = check_weights(columns["sample_weight"][0]).astype(float)
    kept = groups.codes >= 0
    if threshold is None:
        threshold = float(np.average(score[kept], weights=weight[kept]))
    return ScoreRows(
        outcome=positive[kept],
        score=score[kept],
        group=groups.codes[kept].astype(np.int64),
        n_groups=len(groups.labels),
        weight=weight[kept],
        threshold=threshold,
    )
