"""What a fairness scorer computes on a fold: from counts, from scores, or by a function."""

import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import Parameter, signature
from numbers import Real
from typing import Any

from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._checks import check_choice
from skfairprop._columns import Column, read_column
from skfairprop.exceptions import ScorerSetupError
from skfairprop.metrics import METRICS, Metric, evaluate
from skfairprop.metrics._metric import UNDEFINED_POLICIES
from skfairprop.metrics._score_estimation import (
    CALIBRATION,
    check_score_options,
    describe_undefined_score,
    estimate_scores,
    score_rows,
)
from skfairprop.scorers._fold import Fold, bare, setup_errors
from skfairprop.scorers._group_scorer import Measure

OBJECTIVES = ("abs", "signed")
SCORE_OPTIONS = ("convention", "threshold", "use_y_true", "min_group_size")


def make_measure(
    metric: Metric | Callable,
    *,
    sensitive_features: Any,
    pos_label: Hashable | None,
    undefined: str,
    missing: str,
    of: str,
    objective: str,
    groups: Sequence[Hashable] | None,
    greater_is_better: bool | None,
    undefined_score: float,
    options: Mapping[str, Any],
) -> Measure:
    """The measure of a metric, all of whose settings are checked; see ``FairnessScorer``."""
    check_choice("of", of, ("y_true", "y_pred"))
    check_choice("objective", objective, OBJECTIVES)
    common: dict[str, Any] = {
        "sensitive_features": sensitive_features,
        "missing": missing,
        "undefined_score": undefined_score,
    }
    if not isinstance(metric, Metric):
        _require_direction(metric, greater_is_better)
        given: dict[str, Any] = {"pos_label": pos_label, "groups": groups}
        given = {key: value for key, value in given.items() if value is not None}
        given |= {} if undefined == "drop" else {"undefined": undefined}
        given |= {} if missing == "raise" else {"missing": missing}
        sign = 1 if greater_is_better else -1
        return FunctionMeasure(metric, options=given | dict(options), sign=sign, **common)
    if greater_is_better is not None:
        raise ValueError(f"{metric.name}: greater_is_better follows from the metric; leave it out")
    common |= {"pos_label": pos_label, "sign": 1 if metric.best == 1 else -1}
    if metric.inputs == "scores":
        if undefined != "drop" or groups is not None:
            raise ValueError(f"{metric.name} has no options 'undefined' and 'groups'")
        _check_score_options(metric, options)
        return ScoreMeasure(metric, **common, **options)
    if not metric.counts_suffice:
        remedy = "a metric of your own must be of 'counts' or 'labels'"
        if metric.name in METRICS:
            remedy = f"use MESDScorer({metric.name!r})"
        raise ValueError(f"{metric.name} needs {metric.inputs}; {remedy}")
    settings: dict[str, Any] = {
        "undefined": undefined,
        "of": of,
        "objective": objective,
        "groups": groups,
    }
    return CountMeasure(metric, options=options, **settings, **common)


def _require_direction(function: Callable, greater_is_better: bool | None) -> None:
    if greater_is_better is None:
        raise ValueError(
            f"{function!r} is not in the registry; say whether greater_is_better is True or False"
        )


def _check_score_options(metric: Metric, options: Mapping[str, Any]) -> None:
    unknown = [key for key in options if key not in SCORE_OPTIONS]
    if unknown:
        raise ValueError(
            f"{metric.name} has no option {unknown[0]!r}; it knows {', '.join(SCORE_OPTIONS)}"
        )


class CountMeasure(Measure):
    """A metric of the registry that is a function of counts.

    Parameters
    ----------
    metric : Metric
    pos_label, undefined, of
        As for :func:`skfairprop.metrics.evaluate`.
    objective : {"abs", "signed"}
        Whether the size of a signed metric counts, or its value.
    groups : sequence, optional
        For the data set metrics: groups that count whether they occur or not.
    options : mapping
        The metric's own.
    **common
        As for :class:`Measure`.
    """

    def __init__(
        self,
        metric: Metric,
        *,
        pos_label: Hashable | None,
        undefined: str,
        of: str,
        objective: str,
        groups: Sequence[Hashable] | None,
        options: Mapping[str, Any],
        **common: Any,
    ) -> None:
        declared = None if groups is None else tuple(groups)
        super().__init__(metric.name, declared=declared, **common)
        metric.check_options(options)
        check_choice("undefined", undefined, UNDEFINED_POLICIES)
        if groups is not None and metric.inputs != "labels":
            raise ValueError(f"{metric.name} has no option 'groups'; data set metrics have")
        self.metric = metric
        self.pos_label = pos_label
        self.undefined = undefined
        self.of = of
        self.absolute = metric.signed and objective == "abs"
        self.options = dict(options)
        self.needs_predictions = metric.inputs != "labels" or of == "y_pred"

    def value(self, fold: Fold) -> float:
        counts = fold.counts if self.needs_predictions else fold.label_counts
        if self.metric.needs_positive:
            counts, _ = fold.positive(self.pos_label, what=self.metric.name)
        value = evaluate(
            counts,
            self.metric,
            of=self.of,
            pos_label=self.pos_label,
            undefined=self.undefined,
            **self.options,
        )
        return abs(value) if self.absolute else value


class ScoreMeasure(Measure):
    """One of the estimations that read scores of the positive class.

    Parameters
    ----------
    metric : Metric
    pos_label : hashable or None
    convention, threshold, use_y_true
        As for :func:`skfairprop.metrics.bias_estimation`.
    min_group_size : int
        For the calibration alone.
    **common
        As for :class:`Measure`.
    """

    def __init__(
        self,
        metric: Metric,
        *,
        pos_label: Hashable | None,
        convention: str = "corrected",
        threshold: float | None = None,
        use_y_true: bool = False,
        min_group_size: int = 1,
        **common: Any,
    ) -> None:
        super().__init__(metric.name, **common)
        check_score_options(
            convention=convention,
            threshold=threshold,
            use_y_true=use_y_true,
            min_group_size=min_group_size,
            owner=metric.name,
        )
        self.metric = metric
        self.pos_label = pos_label
        self.threshold = threshold
        self.use_y_true = use_y_true
        self.options: dict[str, Any] = {
            "convention": convention,
            "min_group_size": min_group_size,
        }
        if metric.name != CALIBRATION and min_group_size != 1:
            raise ValueError(f"{metric.name} has no option 'min_group_size'")

    def value(self, fold: Fold) -> float:
        counts, label = fold.positive(self.pos_label, what=self.metric.name)
        score = fold.scores(label, what=self.metric.name)
        name = f"{self.metric.name} scorer: the score of {type(fold.estimator).__name__}"
        with setup_errors():
            rows = score_rows(
                bare(fold.y_true if self.use_y_true else fold.y_pred, "y"),
                bare(score, name),
                groups=fold.groups,
                label=label,
                sample_weight=None if fold.sample_weight is None else Column(fold.sample_weight),
                threshold=self.threshold,
                name=name,
            )
        value = estimate_scores(rows, self.metric, **self.options)
        if math.isnan(value):
            warnings.warn(
                f"{self.metric.name} is undefined (NaN): "
                f"{describe_undefined_score(counts, self.metric)}",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        return value


class FunctionMeasure(Measure):
    """Any function of labels, predictions and protected columns.

    Parameters
    ----------
    function : callable
        ``f(y_true, y_pred, *, sensitive_features, **options)``.
    options : mapping
    **common
        As for :class:`Measure`.
    """

    def __init__(self, function: Callable, *, options: Mapping[str, Any], **common: Any) -> None:
        name = getattr(function, "__name__", None) or repr(function)
        super().__init__(name, **common)
        self.function = function
        self.options = dict(options)
        parameters = signature(function).parameters
        self.accepts_weight = "sample_weight" in parameters or any(
            p.kind is Parameter.VAR_KEYWORD for p in parameters.values()
        )
        try:
            signature(function).bind(None, None, sensitive_features=None, **options)
        except TypeError as exc:
            raise TypeError(
                f"{name} cannot be called as f(y_true, y_pred, sensitive_features=..."
                f"{''.join(f', {key}=...' for key in options)}): {exc}"
            ) from None

    def value(self, fold: Fold) -> float:
        weight = {} if fold.sample_weight is None else {"sample_weight": fold.sample_weight}
        frame = fold.sensitive_features.reset_index(drop=True)
        value = self.function(
            read_column(fold.y_true, what="y_true").values,
            read_column(fold.y_pred, what="y_pred").values,
            sensitive_features=frame if frame.shape[1] > 1 else frame.iloc[:, 0],
            **weight,
            **self.options,
        )
        if not isinstance(value, Real):
            raise ScorerSetupError(
                f"{self.__name__} must return a number to be a score; it returned a "
                f"{type(value).__name__}"
            )
        return float(value)
