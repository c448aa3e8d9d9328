"""One number to minimise: how badly a model predicts, and how biased it is."""

import math
from collections.abc import Callable, Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from skfairprop.exceptions import ScorerSetupError
from skfairprop.groups import name_some
from skfairprop.metrics import Metric, get_metric
from skfairprop.scorers import FairnessScorer


class Objective:
    """Loss of an estimator: minus its performance, plus what its bias exceeds a tolerance by.

    Parameters
    ----------
    metric : str, Metric or callable
        As for :class:`~skfairprop.scorers.FairnessScorer`.
    performance : str, callable or None
        A scorer, larger being better; None: the bias alone.
    weight : float
        Of the bias.
    tolerance : float
        Bias that costs nothing.
    **options
        As for :class:`~skfairprop.scorers.FairnessScorer`.
    """

    def __init__(
        self,
        metric: str | Metric | Callable,
        *,
        performance: str | Callable | None,
        weight: float,
        tolerance: float,
        **options: Any,
    ) -> None:
        for name, value in (("weight", weight), ("tolerance", tolerance)):
            if not isinstance(value, Real) or not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a number, 0 or more; got {value!r}")
        self.fairness = FairnessScorer(metric, **options)
        self.performance = None if performance is None else get_scorer(performance)
        self.weight = float(weight)
        self.tolerance = float(tolerance)
        found = self.fairness.metric
        self.registered = isinstance(found, Metric)
        if isinstance(found, Metric):
            self.name, self.best, self.greater_is_better = found.name, found.best, found.best == 1
        else:
            self.name, self.best = getattr(found, "__name__", "bias"), 0.0
            self.greater_is_better = bool(options["greater_is_better"])
            if self.greater_is_better and performance is not None:
                raise ValueError(
                    f"metric {self.name!r} is a function of yours with greater_is_better=True: its "
                    "best value is not known, so that it cannot be weighed against a performance; "
                    "return a bias, of which 0 is none, or pass performance=None"
                )
        self.performance_name = performance if isinstance(performance, str) else "performance"

    def measure(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
    ) -> tuple[float, dict[str, float]]:
        """The loss, and the performance and the value of the metric by name.

        An undefined value is NaN, and its loss infinite: it never is the best.
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        score = self.fairness(estimator, X, y, sensitive_features=sensitive_features, **weights)
        found = {self.name: self._value(score)}
        if self.performance is not None and not self.registered and self._bias(score) < 0:
            raise ScorerSetupError(
                f"{self.name}: a bias that is weighed against a performance must be 0 or more; the "
                f"function returned {self._bias(score):g}; return its absolute value"
            )
        loss = self.weight * max(self._bias(score) - self.tolerance, 0.0)
        if self.performance is None:
            loss = self._bias(score)
        else:
            performance = float(self.performance(estimator, X, y, **weights))
            found[self.performance_name] = performance
            loss -= performance
        return (math.inf if math.isnan(score) or math.isnan(loss) else loss), found

    def _bias(self, score: float) -> float:
        """How far the score is from that without bias."""
        return self.best - score

    def _value(self, score: float) -> float:
        """The value of the metric itself, as far as the score tells it."""
        return (score if self.greater_is_better else -score) + 0.0  # no negative zero


class FixedPredictions(ClassifierMixin, BaseEstimator):
    """A classifier whose predictions somebody else has made.

    Parameters
    ----------
    labels : array of shape (n,)
    """

    def __init__(self, labels: Any) -> None:
        self.labels = labels
        self.classes_ = np.unique(labels)

    def predict(self, X: Any) -> np.ndarray:
        """The predictions, for the rows that they were made for."""
        return self.labels


def positive_code(
    metric: str | Metric | Callable,
    pos_label: Hashable | None,
    classes: Sequence[Hashable] | None,
    options: dict[str, Any],
    *,
    tool: str,
) -> int | None:
    """Code of the positive class for a tool that codes the classes 0, 1, ... in sorted order.

    Raises
    ------
    ValueError
        If a positive class is needed and not known: the code 1 may stand for any label.
    """
    record = get_metric(metric) if isinstance(metric, str | Metric) else None
    needs = record is not None and record.with_options(options).needs_positive
    if classes is None:
        if needs or pos_label is not None:
            raise ValueError(
                f"{tool} passes codes 0, 1, ... in place of the labels; pass classes=np.unique(y) "
                "to tell which of them is the positive class"
            )
        return None
    labels = np.unique(np.asarray(classes)).tolist()
    if pos_label is None:
        if needs and not (set(labels) <= {0, 1} or set(labels) <= {-1, 1}):
            raise ValueError(
                f"pos_label is required: the classes {name_some(labels)} do not tell which is the "
                "positive one"
            )
        return 1 if needs else None
    if pos_label not in labels:
        raise ValueError(f"pos_label {pos_label!r} is not among the classes {name_some(labels)}")
    return labels.index(pos_label)
