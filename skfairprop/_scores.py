"""Scores of a classifier: one for each class, or one for the second of two."""

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

# Where an estimator whose scores are those of another one keeps that one, fitted.
_WITHIN = ("best_estimator_", "estimator_")


def check_scores(scores: np.ndarray, estimator: Any) -> np.ndarray:
    """Scores of a fitted classifier, unless they are not one for each class.

    Parameters
    ----------
    scores : array of shape (n,) or (n, K)
    estimator : fitted classifier or callable
        Whose scores they are. A support vector machine may score pairs of classes: three pairs for
        three classes look like the classes themselves.

    Returns
    -------
    array
        `scores`.

    Raises
    ------
    ValueError
        If there are as many columns as pairs of classes, or fewer or more than classes.
    """
    n_classes = len(getattr(estimator, "classes_", ()))
    if scores.ndim != 2 or scores.shape[1] == 1 or n_classes < 2:
        return scores
    if _scores_pairs(estimator) and n_classes > 2:
        raise ValueError(
            "decision_function_shape='ovo' gives a score for each pair of classes; fit the model "
            "with 'ovr', which gives one for each class"
        )
    if scores.shape[1] != n_classes:
        raise ValueError(
            f"{type(estimator).__name__} gives {scores.shape[1]} columns of scores for {n_classes} "
            "classes; pass a classifier with one for each class"
        )
    return scores


def _scores_pairs(estimator: Any) -> bool:
    if hasattr(estimator, "predict_proba"):  # which is used then
        return False
    if getattr(estimator, "decision_function_shape", None) == "ovo":
        return True
    if isinstance(estimator, Pipeline):
        return _scores_pairs(estimator.steps[-1][1])
    if isinstance(estimator, FrozenEstimator):
        return _scores_pairs(estimator.estimator)
    inner = next((getattr(estimator, name) for name in _WITHIN if hasattr(estimator, name)), None)
    return inner is not None and _scores_pairs(inner)
