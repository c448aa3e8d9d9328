"""How a fitted model does on other rows, with intervals."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._rows import count_rows, is_row_aligned, take_rows
from skfairprop.inference import MetricCall, infer, resample_rows
from skfairprop.scorers import MESDScorer
from skfairprop.scorers._fold import Fold, respond
from skfairprop.scorers._group_scorer import GroupScorer
from skfairprop.scorers._measures import CountMeasure

# What a fitted model is asked for.
_ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


@dataclass(frozen=True)
class _Found:
    """A score on test rows, its interval, and its mean where the groups differ by chance alone."""

    test: float
    lower: float = math.nan
    upper: float = math.nan
    null: float = math.nan

    @classmethod
    def of_metric(cls, sign: float, value: float, low: float, high: float, null: float) -> "_Found":
        """From a metric: the lower end of a loss is the upper end of its score."""
        low, high = (low, high) if sign == 1 else (-high, -low)
        return cls(sign * value + 0.0, low + 0.0, high + 0.0, sign * null + 0.0)


def transfer_table(
    model: Any,
    X: Any,
    y: Any,
    *,
    scorers: Mapping[str, Any],
    params: Mapping[str, Mapping[str, Any]],
    search: Mapping[str, float],
    **settings: Any,
) -> pd.DataFrame:
    """Scores of a fitted model on rows beside those of the search.

    Parameters
    ----------
    model : fitted estimator
    X, y : indexable of n rows
    scorers : mapping of str to scorer
    params : mapping of str to dict
        What each scorer is passed.
    search : mapping of str to float
        Their values in the search.
    **settings
        confidence, n_draws and random_state.

    Returns
    -------
    DataFrame
        One row for each scorer: search, test, lower, upper, null.
    """
    rows = {}
    for name, scorer in scorers.items():
        found = _look(scorer, model, X, y, params[name], **settings)
        rows[name] = {"search": search[name], **vars(found)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("objective")


def _look(
    scorer: Any, model: Any, X: Any, y: Any, params: Mapping[str, Any], **settings: Any
) -> _Found:
    if isinstance(scorer, MESDScorer):
        return _of_explanations(scorer, _fold(scorer, model, X, y, params), **settings)
    labels = () if y is None else (y,)
    value = float(scorer(model, X, *labels, **params))
    if y is None:
        return _Found(value)
    if isinstance(scorer, GroupScorer) and isinstance(scorer.measure, CountMeasure):
        return _of_counts(value, scorer, _fold(scorer, model, X, y, params), **settings)
    return _of_rows(value, scorer, model, X, y, params, **settings)


def _fold(scorer: GroupScorer, model: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Fold:
    groups, weight = params.get("sensitive_features"), params.get("sample_weight")
    return scorer.measure.fold(None, model, X, y, groups, weight)


def _of_explanations(
    scorer: MESDScorer, fold: Fold, *, confidence: float, n_draws: int, random_state: Any
) -> _Found:
    """MESD has an interval and a null of its own; the other numbers of explanations have none."""
    measure = scorer.measure
    draws = {"n_permutations": n_draws, "n_resamples": n_draws, "confidence": confidence}
    found = measure.result(fold, **draws)
    value = float(measure.metric.kernel(found))
    if math.isnan(value):
        return _Found(measure.undefined_score)
    if measure.__name__ == "mesd":
        low, high = found.interval
        return _Found.of_metric(measure.sign, value, low, high, found.null_mean)
    return _Found(measure.sign * value + 0.0)


def _of_counts(value: float, scorer: GroupScorer, fold: Fold, **settings: Any) -> _Found:
    """The interval of the metric, turned into one of the score."""
    measure: CountMeasure = scorer.measure
    if measure.needs_predictions:
        fold.y_pred = respond(fold, "predict")
    counts = fold.counts if measure.needs_predictions else fold.label_counts
    call = MetricCall(
        measure.metric,
        measure.options,
        pos_label=measure.pos_label,
        of=measure.of,
        undefined="zero" if measure.undefined == "zero" else "drop",
    )
    found = infer(counts, {"it": call}, **settings)["it"]
    low, high, null = found.lower, found.upper, found.null_mean
    if measure.absolute:  # the mean of signed values by chance is not that of their sizes
        ends = abs(low), abs(high)
        low, high, null = (0.0 if low <= 0 <= high else min(ends)), max(ends), math.nan
    shown = _Found.of_metric(measure.sign, found.value, low, high, null)
    return replace(shown, test=value)


def _of_rows(
    value: float,
    scorer: Any,
    model: Any,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
    **settings: Any,
) -> _Found:
    """By resampling rows, whose responses are computed once."""
    n = count_rows(X)
    replayed = _Replayed(model, X)

    def score(rows: np.ndarray) -> float:
        cut = {k: take_rows(v, rows) if is_row_aligned(v, n) else v for k, v in params.items()}
        return float(scorer(replayed, replayed.take(rows), take_rows(y, rows), **cut))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = resample_rows(score, np.arange(n), within=np.zeros(n, dtype=int), **settings)
    except (AttributeError, LookupError, TypeError, ValueError):  # not for every draw of rows
        return _Found(value)
    return _Found(value, found.lower, found.upper)


class _Replayed:
    """A fitted model that remembers its answers for the rows taken last, and is itself otherwise.

    Scorers that look at X, as those do that find groups in its columns, see the rows themselves.
    """

    def __init__(self, model: Any, X: Any) -> None:
        self._model, self._X = model, X
        self._rows, self._taken = np.arange(count_rows(X)), X
        self._answers: dict[str, Any] = {}

    def take(self, rows: np.ndarray) -> Any:
        """Rows of X, for which it will be asked."""
        self._rows, self._taken = rows, take_rows(self._X, rows)
        return self._taken

    def __getattr__(self, name: str) -> Any:
        if name in ("_model", "_X"):  # not there yet
            raise AttributeError(name)
        found = getattr(self._model, name)
        if name not in _ANSWERS:
            return found

        @wraps(found)
        def answer(X: Any, **params: Any) -> Any:
            if X is not self._taken or params:
                return found(X, **params)
            if name not in self._answers:
                self._answers[name] = found(self._X)
            every = self._answers[name]
            return every[self._rows] if isinstance(every, np.ndarray) else found(X)

        return answer
