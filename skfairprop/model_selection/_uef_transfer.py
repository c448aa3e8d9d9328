"""How a fitted model does on other rows, with intervals."""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from skfairprop._resolve import resolve_sensitive_features
from skfairprop._rows import count_rows, is_row_aligned, take_rows
from skfairprop.counts import GroupCounts
from skfairprop.inference import MetricCall, infer, resample_rows
from skfairprop.scorers import MESDScorer
from skfairprop.scorers._group_scorer import GroupScorer
from skfairprop.scorers._measures import CountMeasure

Interval = tuple[float, float]
_UNKNOWN = (math.nan, math.nan)


def transfer_table(
    model: Any,
    X: Any,
    y: Any,
    *,
    scorers: Mapping[str, Any],
    params: Mapping[str, Mapping[str, Any]],
    search: Mapping[str, float],
    confidence: float,
    n_draws: int,
    random_state: Any,
) -> pd.DataFrame:
    """Scores of a fitted model on rows beside those of the search.

    Returns
    -------
    DataFrame
        One row for each scorer: search, test, lower, upper.
    """
    rows = {}
    for name, scorer in scorers.items():
        labels = () if y is None else (y,)
        value = float(scorer(model, X, *labels, **params[name]))
        lower, upper = _interval(
            scorer,
            model,
            X,
            y,
            params[name],
            confidence=confidence,
            n_draws=n_draws,
            random_state=random_state,
        )
        rows[name] = {"search": search[name], "test": value, "lower": lower, "upper": upper}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("objective")


def _interval(
    scorer: Any, model: Any, X: Any, y: Any, params: Mapping[str, Any], **settings: Any
) -> Interval:
    if isinstance(scorer, MESDScorer) or y is None:
        return _UNKNOWN
    if isinstance(scorer, GroupScorer) and isinstance(scorer._score_func, CountMeasure):
        return _of_counts(scorer, model, X, y, params, **settings)
    return _of_rows(scorer, model, X, y, params, **settings)


def _of_counts(
    scorer: GroupScorer, model: Any, X: Any, y: Any, params: Mapping[str, Any], **settings: Any
) -> Interval:
    """The interval of the metric, turned into one of the score."""
    measure: CountMeasure = scorer._score_func
    frame = resolve_sensitive_features(
        measure.sensitive_features,
        X,
        y,
        params.get("sensitive_features"),
        owner=f"{measure.__name__} scorer",
    )
    counts = GroupCounts.from_arrays(
        np.asarray(y),
        np.asarray(model.predict(X)),
        sensitive_features=frame.reset_index(drop=True),
        sample_weight=params.get("sample_weight"),
        groups=measure.declared,
        missing=measure.missing,
    )
    call = MetricCall(
        measure.metric,
        measure.options,
        pos_label=measure.pos_label,
        of=measure.of,
        undefined="zero" if measure.undefined == "zero" else "drop",
    )
    found = infer(counts, {"it": call}, **settings)["it"]
    low, high = found.lower, found.upper
    if measure.absolute:
        ends = abs(low), abs(high)
        low, high = (0.0 if low <= 0 <= high else min(ends)), max(ends)
    return (low, high) if measure.sign == 1 else (-high + 0.0, -low + 0.0)


def _of_rows(
    scorer: Any, model: Any, X: Any, y: Any, params: Mapping[str, Any], **settings: Any
) -> Interval:
    """By resampling rows, whose responses are computed once."""
    n = count_rows(X)
    replayed = _Replayed(model, X)

    def score(rows: np.ndarray) -> float:
        cut = {k: take_rows(v, rows) if is_row_aligned(v, n) else v for k, v in params.items()}
        return float(scorer(replayed, rows, take_rows(y, rows), **cut))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = resample_rows(score, np.arange(n), within=np.zeros(n, dtype=int), **settings)
    except (AttributeError, TypeError, ValueError):  # it looks at more than the responses
        return _UNKNOWN
    return found.lower, found.upper


class _Replayed(ClassifierMixin, BaseEstimator):
    """A fitted classifier that is asked for rows by their numbers, and remembers its answers."""

    def __init__(self, model: Any, X: Any) -> None:
        self.model = model
        self.X = X
        self.classes_ = getattr(model, "classes_", None)
        self._answers: dict[str, np.ndarray] = {}
        for method in ("predict_proba", "decision_function", "predict_log_proba"):
            if hasattr(model, method):
                setattr(self, method, _Answer(self, method))

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return self.answer("predict", rows)

    def answer(self, method: str, rows: np.ndarray) -> np.ndarray:
        if method not in self._answers:
            self._answers[method] = np.asarray(getattr(self.model, method)(self.X))
        return self._answers[method][rows]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()


class _Answer:
    """A method of a replayed classifier that the model has, too."""

    def __init__(self, owner: _Replayed, method: str) -> None:
        self.owner, self.__name__ = owner, method

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return self.owner.answer(self.__name__, rows)
