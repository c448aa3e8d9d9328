"""All 21 bias estimations at once, one of them, or their largest."""

import math
import warnings
from collections.abc import Collection, Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skfairprop._checks import check_choice
from skfairprop._columns import Column
from skfairprop.counts import GroupCounts, count_rows
from skfairprop.groups import Groups, align
from skfairprop.metrics._estimation import METRICS as COUNT_METRICS
from skfairprop.metrics._metric import (
    Metric,
    describe_no_pair,
    describe_too_few,
    describe_undefined,
    find_positive,
)
from skfairprop.metrics._rates import Rates
from skfairprop.metrics._score_estimation import METRICS as SCORE_METRICS
from skfairprop.metrics._score_estimation import (
    check_score_options,
    describe_undefined_score,
    estimate_scores,
    score_rows,
)

_PREFIX = "estimation_"
METHODS = tuple(m.name.removeprefix(_PREFIX) for m in (*COUNT_METRICS, *SCORE_METRICS))


def bias_estimations(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    y_score: Any = None,
    sample_weight: Any = None,
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
        sensitive_features=sensitive_features,
        y_score=y_score,
        sample_weight=sample_weight,
        threshold=threshold,
        pos_label=pos_label,
        convention=convention,
        use_y_true=use_y_true,
        min_group_size=min_group_size,
        missing=missing,
    )
    _warn("bias estimations leave out what is undefined", values.index, holes)
    return values


def bias_estimation(
    y_true: Any,
    y_pred: Any,
    *,
    method: str,
    sensitive_features: Any,
    y_score: Any = None,
    sample_weight: Any = None,
    threshold: float | None = None,
    pos_label: Hashable | None = None,
    convention: str = "corrected",
    use_y_true: bool = False,
    min_group_size: int = 1,
    missing: str = "raise",
) -> float:
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
    y_score, sample_weight, threshold, pos_label, convention, use_y_true, min_group_size, missing
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
    check_choice("method", method, METHODS)
    values, holes = _estimate(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        y_score=y_score,
        sample_weight=sample_weight,
        threshold=threshold,
        pos_label=pos_label,
        convention=convention,
        use_y_true=use_y_true,
        min_group_size=min_group_size,
        missing=missing,
        methods=[method],
    )
    if method not in values:
        needed = "y_score" if _PREFIX + method in _SCORE_NAMES else "y_true"
        raise ValueError(f"the bias estimation {method!r} needs {needed}")
    verdict = "is undefined (NaN)" if np.isnan(values[method]) else "leaves out"
    _warn(f"the bias estimation {method!r} {verdict}", [method], holes)
    return float(values[method])


def ensemble_bias_estimation(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    y_score: Any = None,
    sample_weight: Any = None,
    threshold: float | None = None,
    pos_label: Hashable | None = None,
    convention: str = "corrected",
    use_y_true: bool = False,
    min_group_size: int = 1,
    missing: str = "raise",
    return_details: bool = False,
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
    y_score, sample_weight, threshold, pos_label, convention, use_y_true, min_group_size, missing
        As for :func:`bias_estimations`.
    return_details : bool, default=False
        Return a Bunch with `value`, `method` (the first in the table at a tie; None if all are
        undefined) and `undefined` (the names of the methods that are NaN).

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
    values, holes = _estimate(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        y_score=y_score,
        sample_weight=sample_weight,
        threshold=threshold,
        pos_label=pos_label,
        convention=convention,
        use_y_true=use_y_true,
        min_group_size=min_group_size,
        missing=missing,
    )
    _warn("the ensemble of bias estimations leaves out what is undefined", values.index, holes)
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


def _warn(verdict: str, methods: Iterable[str], holes: dict[str, list[str]]) -> None:
    """One warning for what is undefined in some methods; none where nothing is."""
    found = dict.fromkeys(hole for method in methods for hole in holes.get(method, ()))
    if found:
        warnings.warn(f"{verdict}: {'; '.join(found)}", UndefinedMetricWarning, stacklevel=3)


def _estimate(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    y_score: Any,
    sample_weight: Any,
    pos_label: Hashable | None,
    use_y_true: bool,
    missing: str,
    methods: Collection[str] = METHODS,
    **options: Any,
) -> tuple[pd.Series, dict[str, list[str]]]:
    """Those of the methods that the inputs allow, and what is undefined in each, by method."""
    check_score_options(use_y_true=use_y_true, **options)
    if use_y_true and y_true is None:
        raise ValueError("use_y_true=True needs y_true")
    labels = {"y_true": y_true, "y_pred": y_pred}
    given = {name: data for name, data in labels.items() if data is not None or name == "y_pred"}
    columns = align(
        **given,
        y_score=y_score,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
    )
    groups, weight = columns["sensitive_features"], columns.get("sample_weight", [None])[0]
    counts = _count({name: columns[name][0] for name in given}, groups, weight, missing)
    counts, positive = find_positive(counts, pos_label, "bias_estimations")
    counting = _chosen(COUNT_METRICS, methods)
    if y_true is None:
        counting = [metric for metric in counting if _needs_no_truth(metric)]
    found, holes = _estimate_counts(counts, positive, options["convention"], counting)
    scoring = _chosen(SCORE_METRICS, methods)
    if y_score is not None and scoring:
        scored = score_rows(
            columns["y_true" if use_y_true else "y_pred"][0],
            columns["y_score"][0],
            groups=Groups.from_columns(groups, missing=missing),
            label=counts.classes[positive],
            sample_weight=weight,
            threshold=options["threshold"],
        )
        for metric in scoring:
            value = found[metric.name] = estimate_scores(scored, metric, **options)
            if np.isnan(value):
                holes[metric.name] = [describe_undefined_score(counts, metric)]
    values = pd.Series(found, dtype=float).rename(lambda name: name.removeprefix(_PREFIX))
    return values, {name.removeprefix(_PREFIX): found for name, found in holes.items()}


def _count(
    labels: dict[str, Column], groups: list[Column], weight: Column | None, missing: str
) -> GroupCounts:
    """Counts of the rows; without the truth every prediction is right, which nothing reads."""
    counts = count_rows(
        labels, sensitive_features=groups, sample_weight=weight, missing=missing, stacklevel=5
    )
    if "y_true" in labels:
        return counts
    diagonal = counts.values[..., None] * np.eye(counts.n_classes, dtype=int)
    return GroupCounts(diagonal, groups=counts.groups, classes=counts.classes)


def _chosen(metrics: Iterable[Metric], methods: Collection[str]) -> list[Metric]:
    return [metric for metric in metrics if metric.name.removeprefix(_PREFIX) in methods]


def _needs_no_truth(metric: Metric) -> bool:
    return metric.rates == ("prediction_rate",)


def _estimate_counts(
    counts: GroupCounts, positive: int, convention: str, metrics: list[Metric]
) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Estimations on counts, and what is undefined in each."""
    rates = Rates(counts.values, positive=positive)
    one_group = [describe_too_few(counts, rates)] if np.count_nonzero(rates.present) < 2 else None
    found, holes = {}, {}
    for metric in metrics:
        metric = metric.with_options({"convention": convention})
        value = found[metric.name] = float(metric.kernel(rates, convention=convention))
        holes[metric.name] = one_group or describe_undefined(counts, metric, rates)
        if math.isnan(value) and not holes[metric.name]:
            holes[metric.name] = [describe_no_pair(metric)]
    return found, holes
