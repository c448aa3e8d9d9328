"""The report on predictions, or on a data set alone, in one call."""

from collections.abc import Hashable, Sequence
from typing import Any

from skfairprop._random import RandomState
from skfairprop.counts import GroupCounts
from skfairprop.report._report import FairnessReport


def fairness_report(
    y_true: Any,
    y_pred: Any = None,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    metrics: str | Sequence[str] = "all",
    confidence: float = 0.95,
    bootstrap: int = 1000,
    interval: str = "tilted",
    null: str | None = None,
    min_count: int = 50,
    undefined: str = "drop",
    correction: str = "bh",
    missing: str = "raise",
    random_state: RandomState = 0,
) -> FairnessReport:
    """Every metric that applies to some predictions (or to a data set alone), by group.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, two or more.
    y_pred : array-like of shape (n,), optional
        Predicted classes. Without them the report is on the data set alone.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several give a view each, and one of the intersection.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        The positive class: the classical measures need it, unless the labels are {0, 1}, {-1, 1}
        or booleans.
    metrics : "all" or sequence of str, default="all"
        Which metrics; "all": every metric of the registry that is a function of the counts.
    confidence : float, default=0.95
        Level of the intervals, in (0, 1).
    bootstrap : int, default=1000
        Number of random tables behind intervals and p-values; 0: none.
    interval : {"tilted", "max_t", "percentile"}, default="tilted"
        How intervals are made, see :func:`~skfairprop.inference.infer`.
    null : {"independence", "separation", "sufficiency"}, optional
        One null for all metrics; default: what each metric declares.
    min_count : int, default=50
        Groups and denominators below it are marked as small.
    undefined : {"drop", "zero"}, default="drop"
        Whether rates that are 0/0 are left out, with a note, or count as 0.
    correction : {"bh", "by"}, default="bh"
        Benjamini-Hochberg or Benjamini-Yekutieli for q, over all metrics of the report.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the random tables. It is 0 here, where other functions have None, as a report
        that is made twice must be the same page.

    Returns
    -------
    FairnessReport

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or a setting is not allowed.

    Notes
    -----
    Intervals and p-values are conditional on the predictions: refitting the model, and rows that
    depend on each other, are not in them.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> report = fairness_report(
    ...     ["yes", "no", "yes", "no"],
    ...     ["yes", "no", "no", "no"],
    ...     sensitive_features={"sex": list("ffmm")},
    ...     pos_label="yes",
    ...     bootstrap=0,
    ... )
    >>> report.by_group[["count", "selection_rate"]].to_dict("index")
    {'f': {'count': 2, 'selection_rate': 0.5}, 'm': {'count': 2, 'selection_rate': 0.0}}
    """
    counts = GroupCounts.from_arrays(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    return FairnessReport.from_counts(
        counts,
        pos_label=pos_label,
        metrics=metrics,
        confidence=confidence,
        bootstrap=bootstrap,
        interval=interval,
        null=null,
        min_count=min_count,
        undefined=undefined,
        correction=correction,
        random_state=random_state,
    )
