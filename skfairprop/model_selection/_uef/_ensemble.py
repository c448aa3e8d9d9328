"""The models of all folds as one classifier."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted


def _all_have(method: str) -> Any:
    return available_if(lambda self: all(hasattr(one, method) for one in self.estimators))


class FoldEnsemble(ClassifierMixin, BaseEstimator):
    """Mean of the scores of classifiers that are fitted already.

    A threshold that was found out of fold belongs to the scores of the models of the folds, and
    not to those of a net that is fitted again: their mean keeps it.

    Parameters
    ----------
    estimators : sequence of fitted classifiers
        With the same classes.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    """

    def __init__(self, estimators: Sequence[Any]) -> None:
        self.estimators = estimators

    @property
    def classes_(self) -> np.ndarray:
        """Class labels."""
        return self.estimators[0].classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns of X."""
        return self.estimators[0].n_features_in_

    def fit(self, X: Any, y: Any) -> "FoldEnsemble":
        """Check that `estimators` are fitted, to the same classes; there is nothing else to do."""
        for one in self.estimators:
            check_is_fitted(one)
            if not np.array_equal(one.classes_, self.classes_):
                raise ValueError(
                    "refit='ensemble': the folds do not have the same classes; pass a stratified cv"
                )
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @_all_have("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean of the probabilities, shape (n, n_classes)."""
        return np.mean([one.predict_proba(X) for one in self.estimators], axis=0)

    @_all_have("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Mean of the scores, shape (n,) or (n, n_classes)."""
        return np.mean([one.decision_function(X) for one in self.estimators], axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """Classes of the largest mean score, shape (n,); a majority where there are no scores."""
        for method in ("predict_proba", "decision_function"):
            if hasattr(self, method):
                scores = getattr(self, method)(X)
                best = scores.argmax(1) if scores.ndim == 2 else (scores > 0).astype(int)
                return self.classes_[best]
        votes = np.stack([one.predict(X) for one in self.estimators])
        return self.classes_[
            np.stack([(votes == label).sum(0) for label in self.classes_]).argmax(0)
        ]
