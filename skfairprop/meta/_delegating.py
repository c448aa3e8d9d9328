"""A classifier that fits another one in its own way, and predicts as that one does."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import assert_all_finite, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from skfairprop._refit import forget_fit
from skfairprop._rows import as_indexable, count_rows


def routing_enabled() -> bool:
    """Whether scikit-learn routes metadata."""
    return bool(get_config().get("enable_metadata_routing", False))


def _inner_has(method: str) -> Callable[[Any], bool]:
    def check(self) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class DelegatingClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Predict with ``estimator_``, a fitted clone of ``estimator``."""

    estimator: Any
    estimator_: Any

    @property
    def classes_(self) -> np.ndarray:
        """Class labels, as the inner estimator has them."""
        return self.estimator_.classes_

    def predict(self, X: Any) -> np.ndarray:
        """Predict classes.

        Parameters
        ----------
        X : indexable of n rows
            What the inner estimator takes.

        Returns
        -------
        array of shape (n,)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict probabilities of the classes, if the inner estimator can.

        Parameters
        ----------
        X : indexable of n rows
            What the inner estimator takes.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @available_if(_inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Predict logarithms of the probabilities, if the inner estimator can.

        Parameters
        ----------
        X : indexable of n rows
            What the inner estimator takes.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_log_proba(X)

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes, if the inner estimator has them.

        Parameters
        ----------
        X : indexable of n rows
            What the inner estimator takes.

        Returns
        -------
        array of shape (n,) or (n, n_classes)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)

    def _check_rows(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Refuse what is no classification task; X and y come back as they are.

        The inner estimator checks the values of X, and gets it with its names and index.
        """
        owner = type(self).__name__
        if y is None:
            raise ValueError(f"{owner} requires y to be passed, but the target y is None")
        X, y = as_indexable(X), as_indexable(y)
        forget_fit(self)
        validate_data(self, X, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        if labels.dtype.kind == "f":
            assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        if count_rows(X) != len(labels):
            raise ValueError(f"{owner}: X has {count_rows(X):,} rows; y has {len(labels):,}")
        return X, labels if getattr(y, "ndim", 1) > 1 else y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        if inner.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
            tags.classifier_tags.multi_label = False  # a row belongs to one cell (group, class)
        tags.input_tags = inner.input_tags
        tags.non_deterministic = inner.non_deterministic
        return tags
