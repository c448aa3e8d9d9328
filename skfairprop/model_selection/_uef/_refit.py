"""Fit the model of a chosen point to all rows, with its threshold."""

import math
import time
from collections.abc import Mapping
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from skfairprop.model_selection._uef._ensemble import FoldEnsemble
from skfairprop.model_selection._uef._folds import Job, prepare
from skfairprop.model_selection._uef._points import Plan


def fit_chosen(
    job: Job, plan: Plan, params: Mapping[str, Any], threshold: float, *, ensemble: bool
) -> tuple[Any, float]:
    """The model with these parameters, fitted to all rows or, as an ensemble, to each fold.

    Also the seconds that took.
    """
    began, data = time.perf_counter(), job.data
    if ensemble:
        model: Any = FoldEnsemble(
            [_fit_fold(job, params, train, f) for f, (train, _) in enumerate(plan.splits)]
        ).fit(data.X, data.y)
    else:
        model = prepare(job.estimator, params, job.seed, len(plan.splits))
        model.fit(data.X, *(() if data.y is None else (data.y,)), **data.fit_params)
    if not math.isnan(threshold):
        model = FixedThresholdClassifier(
            FrozenEstimator(model), threshold=threshold, pos_label=plan.classes[plan.positive]
        ).fit(data.X, data.y)
    return model, time.perf_counter() - began


def _fit_fold(job: Job, params: Mapping[str, Any], train: Any, fold: int) -> Any:
    data = job.data
    model = prepare(job.estimator, params, job.seed, fold)
    X = data.features(train, train, job.pairwise)
    return model.fit(X, *data.labels(train), **data.cut(data.fit_params, train))
