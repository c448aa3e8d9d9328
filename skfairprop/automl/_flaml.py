"""A metric for FLAML."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from skfairprop._resolve import resolve_sensitive_features
from skfairprop.automl._objective import Objective, positive_code
from skfairprop.metrics import Metric
from skfairprop.scorers._fold import setup_errors

# What FLAML writes in place of a missing text or category.
_FILLED = "__NAN__"


class FlamlMetric:
    """What :func:`flaml_metric` returns: called by FLAML for every model and fold."""

    def __init__(self, objective: Objective, sensitive_features: Any) -> None:
        self.objective = objective
        self.sensitive_features = sensitive_features
        self.__name__ = objective.name

    def __call__(
        self,
        X_val: Any,
        y_val: Any,
        estimator: Any,
        labels: Any,
        X_train: Any,
        y_train: Any,
        weight_val: Any = None,
        weight_train: Any = None,
        config: Any = None,
        groups_val: Any = None,
        groups_train: Any = None,
    ) -> tuple[float, dict[str, float]]:
        """Loss on the rows of a fold, and what to log."""
        with setup_errors():
            people = resolve_sensitive_features(
                self.sensitive_features, X_val, owner=f"{self.__name__} of FLAML"
            )
        people = people.astype(object).where(people.astype(object) != _FILLED, None)
        return self.objective.measure(
            estimator, X_val, y_val, sensitive_features=people, sample_weight=weight_val
        )


def flaml_metric(
    metric: str | Metric | Callable,
    *,
    sensitive_features: str | list[str] | Callable,
    performance: str | Callable | None = "balanced_accuracy",
    weight: float = 1.0,
    tolerance: float = 0.0,
    pos_label: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
    **options: Any,
) -> FlamlMetric:
    """Make a metric for ``AutoML.fit(metric=...)`` of FLAML.

    Parameters
    ----------
    metric : str, Metric or callable
        Measure of bias, as for :class:`~skfairprop.scorers.FairnessScorer`. A function of yours
        that is weighed against a performance returns 0 or more, 0 being no bias.
    sensitive_features : str, list of str or callable
        Protected columns: names of columns of X, or a callable of X. FLAML numbers the rows anew,
        so that a Series cannot be matched with them.
    performance : str, callable or None, default="balanced_accuracy"
        Scorer of scikit-learn, larger being better. None: the bias alone, which a model that tells
        nobody apart is best at.
    weight : float, default=1.0
        How much performance one unit of bias is worth.
    tolerance : float, default=0.0
        Bias that costs nothing.
    pos_label : hashable, optional
        The positive class, where the metric needs one.
    classes : sequence, optional
        ``np.unique(y)``; needed to find the positive class, as FLAML codes the labels 0, 1, ...
    **options
        As for :class:`~skfairprop.scorers.FairnessScorer`.

    Returns
    -------
    callable
        ``metric(X_val, y_val, estimator, labels, X_train, y_train, weight_val, weight_train,
        config, groups_val, groups_train) -> (loss, dict)``. The loss is
        ``weight * max(bias - tolerance, 0) - performance``, infinite where it is undefined; the
        dict has both parts, by name.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or the positive class is not known.
    ScorerSetupError
        When called, if X has no such column: FLAML does not swallow it.

    Notes
    -----
    FLAML drops columns with a single value, turns dates into numbers, and writes the median in
    place of missing numbers before the metric sees them: protected columns should be texts or
    categories. Missing ones are recognised there, and follow `missing`.

    Examples
    --------
    >>> from skfairprop.automl import flaml_metric
    >>> metric = flaml_metric(
    ...     "equalized_odds_difference", sensitive_features="sex", classes=[0, 1]
    ... )
    >>> metric.__name__
    'equalized_odds_difference'
    """
    if not (isinstance(sensitive_features, str | list | tuple) or callable(sensitive_features)):
        raise TypeError(
            f"sensitive_features must name columns of X, or be a callable of X; got "
            f"{type(sensitive_features).__name__}: FLAML numbers the rows anew, so that only the "
            "columns of X follow them"
        )
    objective = Objective(
        metric,
        performance=performance,
        weight=weight,
        tolerance=tolerance,
        sensitive_features=sensitive_features,
        pos_label=positive_code(metric, pos_label, classes, options, tool="FLAML"),
        **options,
    )
    return FlamlMetric(objective, sensitive_features)
