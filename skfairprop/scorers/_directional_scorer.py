"""Scorers of bias amplification, from attribute to task and from task to attribute."""

import math
from collections.abc import Callable
from inspect import signature
from typing import Any

from skfairprop import metrics
from skfairprop._checks import check_choice
from skfairprop._columns import read_column
from skfairprop.exceptions import ScorerSetupError
from skfairprop.metrics._amplification_kernels import TIES
from skfairprop.metrics._metric import UNDEFINED_POLICIES
from skfairprop.metrics._pairs import check_reference
from skfairprop.metrics._predictability import dpa_judge
from skfairprop.scorers._fold import Fold, setup_errors
from skfairprop.scorers._group_scorer import GroupScorer, Measure, show_all, show_changed
from skfairprop.scorers._measures import OBJECTIVES

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        metrics.directional_predictability_amplification,
        metrics.directional_bias_amplification,
        metrics.mals_bias_amplification,
    )
}
DIRECTIONS = ("a_to_t", "t_to_a")


class DirectionalScorer(GroupScorer):
    """Score of an estimator by how much it amplifies bias, in either direction.

    Parameters
    ----------
    metric : {"directional_predictability_amplification", "directional_bias_amplification", \
"mals_bias_amplification"}
        What is computed.
    direction : {"a_to_t", "t_to_a"}, default="a_to_t"
        From attribute to task, by the predictions of the task; or from task to attribute, by those
        of the attribute, which :class:`~skfairprop.meta.DirectionalClassifier` makes.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute, see :class:`FairnessScorer`.
    objective : {"abs", "signed"}, default="abs"
        The score is minus the size of the value, or minus the value. A search needs "abs": with
        "signed" it would look for a model that reverses the bias.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    undefined_score : float, default=NaN
        Score in place of an undefined value.
    **options
        The function's own, as ``equalize="expected"`` or ``method="crossfit"``. For
        "mals_bias_amplification" the reference is that of the estimator, ``reference_``, where it
        has one and no other is given: the rows it was trained on.

    Raises
    ------
    TypeError, ValueError
        At once, for what does not exist or is not allowed.
    ScorerSetupError
        When scoring, if the protected attribute cannot be found, or the estimator does not predict
        it and the direction asks for that.

    See Also
    --------
    FairnessScorer : From attribute to task only, with all other metrics.

    Notes
    -----
    Smaller folds than the whole data give larger values by chance, and a smaller one from the
    closed form of Psi: see the notes of the function. For a value of the whole data, pool the
    predictions of the folds.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.meta import DirectionalClassifier
    >>> from skfairprop.scorers import DirectionalScorer
    >>> data = make_biased_classification(2000, base_rates=(0.7, 0.3), random_state=0)
    >>> people = data.sensitive_features
    >>> scoring = {
    ...     way: DirectionalScorer(
    ...         "directional_bias_amplification", direction=way, sensitive_features=people
    ...     )
    ...     for way in ("a_to_t", "t_to_a")
    ... }
    >>> model = DirectionalClassifier(LogisticRegression(), sensitive_features=people)
    >>> found = cross_validate(model, data.data, data.target, cv=3, scoring=scoring)
    >>> found["test_t_to_a"].shape
    (3,)
    """

    def __init__(
        self,
        metric: str,
        *,
        direction: str = "a_to_t",
        sensitive_features: Any = None,
        objective: str = "abs",
        missing: str = "raise",
        undefined_score: float = math.nan,
        **options: Any,
    ) -> None:
        settings: dict[str, Any] = {
            "direction": direction,
            "objective": objective,
            "missing": missing,
            "undefined_score": undefined_score,
        }
        measure = _DirectionalMeasure(
            metric, options=options, sensitive_features=sensitive_features, **settings
        )
        self._shown = show_changed(DirectionalScorer, settings) + show_all(options)
        super().__init__(measure)

    def __repr__(self) -> str:
        return f"DirectionalScorer({self.measure.__name__!r}{self._describe()}{self._shown})"


class _DirectionalMeasure(Measure):
    """One of the functions with a direction, on the rows of a fold."""

    def __init__(
        self, metric: str, *, direction: str, objective: str, options: dict[str, Any], **common: Any
    ) -> None:
        check_choice("metric", metric, tuple(_FUNCTIONS))
        check_choice("direction", direction, DIRECTIONS)
        if metric == "mals_bias_amplification" and direction == "t_to_a":
            raise ValueError(f"{metric} has no direction; leave direction out")
        check_choice("objective", objective, OBJECTIVES)
        self.function = _FUNCTIONS[metric]
        parameters = signature(self.function).parameters
        known = set(parameters) - _SET_BY_THE_SCORER
        for option in options:
            if option not in known:
                raise ValueError(
                    f"{metric} has no option {option!r}; it knows {', '.join(sorted(known))}"
                )
        defaults = {name: p.default for name, p in parameters.items() if name in known}
        _CHECKS[metric](**(defaults | options))
        super().__init__(metric, **common)
        self.direction = direction
        self.absolute = objective == "abs"
        self.options = dict(options)
        self.needs_predictions = direction == "a_to_t"

    def value(self, fold: Fold) -> float:
        options = dict(self.options)
        if self.direction == "t_to_a":
            options |= {"direction": "t_to_a", "sensitive_pred": self._guess(fold)}
        elif self.__name__ == "mals_bias_amplification":
            options.setdefault("reference", getattr(fold.estimator, "reference_", None))
        with setup_errors():
            value = self.function(
                _values(fold.y_true),
                None if fold.y_pred is None else _values(fold.y_pred),
                sensitive_features=fold.protected,
                sample_weight=fold.sample_weight,
                missing=fold.missing,
                **options,
            )
        return abs(value) if self.absolute else value

    def _guess(self, fold: Fold) -> Any:
        if not hasattr(fold.estimator, "predict_attribute"):
            raise ScorerSetupError(
                f"{self.__name__} scorer, direction='t_to_a': {type(fold.estimator).__name__} has "
                "no predict_attribute; score a skfairprop.meta.DirectionalClassifier"
            )
        return fold.estimator.predict_attribute(fold.X)


# Arguments of the functions that are no options of a scorer.
_SET_BY_THE_SCORER = {
    "y_true",
    "y_pred",
    "sensitive_features",
    "direction",
    "sensitive_pred",
    "sample_weight",
    "missing",
    "return_details",
}


def _check_mals(*, reference: Any, undefined: Any) -> None:
    check_choice("undefined", undefined, UNDEFINED_POLICIES)
    if reference is not None:
        check_reference(reference)


# What refuses the options of a function that are not allowed.
_CHECKS: dict[str, Callable[..., Any]] = {
    "directional_predictability_amplification": dpa_judge,
    "directional_bias_amplification": lambda tie: check_choice("tie", tie, TIES),
    "mals_bias_amplification": _check_mals,
}


def _values(labels: Any) -> Any:
    """Labels by position."""
    return read_column(labels, what="y").values
