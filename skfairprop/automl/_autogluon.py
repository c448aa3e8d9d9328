"""A scorer for AutoGluon."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.automl._objective import FixedPredictions, Objective
from skfairprop.exceptions import ScorerSetupError
from skfairprop.metrics import Metric


class AutogluonScore:
    """The function behind :func:`autogluon_scorer`; rows are known by the index of y."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.__name__ = objective.name

    def __call__(self, y: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Performance less bias, or the value of the metric alone."""
        if not isinstance(y, pd.Series):
            raise ScorerSetupError(
                f"{self.__name__}: AutoGluon passed y as {type(y).__name__}, without its index, so "
                "that its rows cannot be matched with sensitive_features; score the fitted models "
                "with leaderboard(data, extra_metrics=[...]) instead"
            )
        fixed = FixedPredictions(np.asarray(y_pred))
        loss, found = self.objective.measure(fixed, None, y, sample_weight=sample_weight)
        return found[self.objective.name] if self.objective.performance is None else -loss


def autogluon_scorer(
    metric: str | Metric | Callable,
    *,
    sensitive_features: pd.Series | pd.DataFrame,
    performance: str | Callable | None = "balanced_accuracy",
    weight: float = 1.0,
    tolerance: float = 0.0,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Make a scorer for ``TabularPredictor(eval_metric=...)`` of AutoGluon, or ``extra_metrics``.

    Parameters
    ----------
    metric : str, Metric or callable
        Measure of bias, as for :class:`~skfairprop.scorers.FairnessScorer`. A function of yours
        that is weighed against a performance returns 0 or more, 0 being no bias.
    sensitive_features : Series or DataFrame
        Protected columns, on the index of the data: AutoGluon shows a metric nothing but y, whose
        index tells the rows.
    performance : str, callable or None, default="balanced_accuracy"
        Scorer of scikit-learn that needs predicted classes only. None: the bias alone, which a
        model that tells nobody apart is best at.
    weight, tolerance : float, default=1.0 and 0.0
        How much performance one unit of bias is worth, and the bias that costs nothing.
    name : str, optional
        Name of the scorer.
    **options
        As for :class:`~skfairprop.scorers.FairnessScorer`, without `pos_label`.

    Returns
    -------
    autogluon.core.metrics.Scorer
        Made by AutoGluon's ``make_scorer(name, f, optimum=..., greater_is_better=...)``.

    Raises
    ------
    ImportError
        If AutoGluon is not installed.
    TypeError, ValueError
        If an argument is not allowed.
    ScorerSetupError
        When called, if y comes without its index, or has rows that `sensitive_features` lacks.

    Notes
    -----
    AutoGluon codes the classes of a binary problem as 0 and 1, 1 being the ``positive_class`` of
    the predictor: name the positive class there.

    Examples
    --------
    >>> from skfairprop.automl import autogluon_scorer
    >>> scorer = autogluon_scorer(  # doctest: +SKIP
    ...     "equalized_odds_difference", sensitive_features=people["sex"]
    ... )
    """
    if not isinstance(sensitive_features, pd.Series | pd.DataFrame):
        raise TypeError(
            "sensitive_features must be a pandas Series or DataFrame with the index of the data; "
            f"got {type(sensitive_features).__name__}: AutoGluon shows a metric nothing but y"
        )
    if "pos_label" in options:
        raise TypeError(
            "autogluon_scorer has no pos_label: AutoGluon codes the positive class as 1; name it "
            "in TabularPredictor(positive_class=...)"
        )
    objective = Objective(
        metric,
        performance=performance,
        weight=weight,
        tolerance=tolerance,
        sensitive_features=sensitive_features,
        **options,
    )
    alone = performance is None
    try:
        make_scorer = import_module("autogluon.core.metrics").make_scorer
    except ModuleNotFoundError as exc:
        raise ImportError(
            "autogluon_scorer needs AutoGluon, which no extra brings: pip install autogluon.tabular"
        ) from exc
    return make_scorer(
        name=name or objective.name,
        score_func=AutogluonScore(objective),
        optimum=objective.best if alone else 1.0,
        greater_is_better=objective.greater_is_better if alone else True,
    )
