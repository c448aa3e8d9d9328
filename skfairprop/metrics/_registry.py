"""All metrics by name, and the evaluation of any count metric on a table of counts."""

from collections.abc import Hashable
from typing import Any

from skfairprop._checks import check_choice
from skfairprop._suggest import closest
from skfairprop.counts import GroupCounts
from skfairprop.metrics import (
    _amplification_kernels,
    _classical,
    _dataset,
    _disparity,
    _estimation,
    _metric,
    _procedural_kernels,
    _score_estimation,
)
from skfairprop.metrics._metric import Metric
from skfairprop.metrics._record import check_record

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *_dataset.METRICS,
        *_disparity.METRICS,
        *_classical.METRICS,
        *_estimation.METRICS,
        *_score_estimation.METRICS,
        _estimation.ENSEMBLE,
        *_amplification_kernels.METRICS,
        *_procedural_kernels.METRICS,
    )
}


def get_metric(metric: str | Metric) -> Metric:
    """The record of a metric.

    Parameters
    ----------
    metric : str or Metric
        A name in ``METRICS``, or a record, which is returned as it is.

    Returns
    -------
    Metric

    Raises
    ------
    ValueError
        If there is no metric of this name; the closest name is given.
    TypeError
        If it is neither a name nor a record.

    Examples
    --------
    >>> from skfairprop.metrics import get_metric
    >>> get_metric("equal_opportunity").null
    'separation'
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        kind = type(metric).__name__
        raise TypeError(f"metric must be a name, as 'cramers_v', or a Metric; got a {kind}")
    if metric not in METRICS:
        raise ValueError(f"no metric {metric!r}{closest(metric, METRICS)}")
    return METRICS[metric]


def register_metric(metric: Metric) -> Metric:
    """Make a metric known by its name: to `evaluate`, the scorers, the inference and the reports.

    Parameters
    ----------
    metric : Metric
        The record, with ``inputs`` "counts" or "labels". Its kernel is tried on a small table.

    Returns
    -------
    Metric
        The same.

    Raises
    ------
    TypeError
        If it is no record.
    ValueError
        If the name is taken, the record says what cannot be, or is of scores or of explanations,
        which only the library's own metrics read; or if the kernel does not return one value for
        each replicate: NaN where there are not two groups, if it compares groups.

    Notes
    -----
    It lasts as long as the process. Put it into a module of yours that every process imports; a
    scorer takes its metric with it.

    Examples
    --------
    >>> from skfairprop.metrics import METRICS, Metric, evaluate, register_metric
    >>> def npv_gap(rates):
    ...     return rates.positive_gap("negative_predictive_value")
    >>> known = register_metric(
    ...     Metric(
    ...         name="npv_gap",
    ...         kernel=npv_gap,
    ...         family="classical",
    ...         formula="gap of P(y != pos | predicted != pos)",
    ...         source="an example",
    ...         misleads="It is large by chance where few are predicted to be negative.",
    ...         rates=("negative_predictive_value",),
    ...         needs_positive=True,
    ...         null="sufficiency",
    ...     )
    ... )
    >>> from skfairprop import GroupCounts
    >>> counts = GroupCounts(
    ...     [[[80, 20], [20, 80]], [[60, 40], [40, 60]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> round(evaluate(counts, "npv_gap"), 3)
    0.2
    >>> del METRICS["npv_gap"]  # it was an example
    """
    if not isinstance(metric, Metric):
        raise TypeError(f"metric must be a Metric; got a {type(metric).__name__}")
    if metric.name in METRICS:
        raise ValueError(f"{metric.name}: the name is taken by {METRICS[metric.name]!r}")
    check_record(metric)
    if not metric.counts_suffice:
        raise ValueError(
            f"{metric.name}: inputs={metric.inputs!r} is for the library's own metrics, nothing "
            "else can compute one; make it a function of 'counts' or 'labels', or pass "
            "make_fairness_scorer a function f(y_true, y_pred, *, sensitive_features)"
        )
    METRICS[metric.name] = metric
    return metric


def evaluate(
    counts: GroupCounts,
    metric: str | Metric,
    *,
    pos_label: Hashable | None = None,
    of: str = "y_true",
    undefined: str = "drop",
    **options: Any,
) -> float:
    """Value of any count metric on a table of counts.

    Parameters
    ----------
    counts : GroupCounts
        Without replicate axes.
    metric : str or Metric
        A name in ``METRICS``.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    of : {"y_true", "y_pred"}, default="y_true"
        For the data set metrics: whether the labels or the predictions are the data set.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0.
    **options
        The metric's own options.

    Returns
    -------
    float
        The same as the public function of this name on the rows.

    Raises
    ------
    TypeError
        If `counts` is no table of counts.
    ValueError
        If the metric or an option is not known, the metric is no function of counts, or the
        positive class is not known.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.metrics import evaluate
    >>> counts = GroupCounts(
    ...     [[[8, 2], [1, 9]], [[6, 4], [1, 9]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> round(evaluate(counts, "demographic_parity_difference"), 3)
    0.1
    """
    record = get_metric(metric)
    if not isinstance(counts, GroupCounts):
        raise TypeError(
            f"counts must be GroupCounts; got {type(counts).__name__}; count the rows of a frame "
            "with GroupCounts.from_frame, of arrays with GroupCounts.from_arrays"
        )
    check_choice("of", of, ("y_true", "y_pred"))
    if of == "y_pred" and record.inputs == "labels":
        counts = counts.of_predictions()
    return _metric.evaluate(counts, record, pos_label=pos_label, undefined=undefined, **options)
