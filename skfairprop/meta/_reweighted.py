"""Fit a classifier with weights that make the groups alike in their classes."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from skfairprop._checks import check_number
from skfairprop._labels import check_weights
from skfairprop._metadata import request_sensitive_features
from skfairprop._resolve import resolve_sensitive_features
from skfairprop.groups import align
from skfairprop.meta._delegating import DelegatingClassifier, routing_enabled
from skfairprop.meta._weights import fit_with_weights, request_weights
from skfairprop.preprocessing import Reweighter
from skfairprop.preprocessing._weights import effective_sample_size


class ReweightedClassifier(DelegatingClassifier):
    """Fit any classifier or Pipeline with the weights of a Reweighter.

    Parameters
    ----------
    estimator : estimator
        Classifier, Pipeline or search whose final estimator takes `sample_weight`; cloned.
    reweighter : Reweighter, optional
        What weighs the rows; cloned. Default: ``Reweighter()``; give one to search over its
        parameters, as ``reweighter__method``.
    sensitive_features : str, list of str, callable, Series or DataFrame, optional
        Protected columns: names of columns of X, a callable of X, or pandas data aligned on the
        index of X. What is passed or routed to ``fit`` goes before it; without either, those of the
        reweighter count.
    strength : float, default=1.0
        How much of the reweighing to use, in [0, 1]: weights are 1 + strength * (w - 1).

    Attributes
    ----------
    estimator_ : estimator
        Fitted.
    reweighter_ : Reweighter
        Fitted.
    sample_weight_ : array of shape (n,)
        Weights that ``estimator_`` was fitted with.
    effective_sample_size_ : float
        (sum w)^2 / sum w^2 of these weights.
    classes_ : array of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, where they have any.

    Raises
    ------
    ValueError
        By ``fit``: if the final estimator takes no weights, `strength` is out of range, or as the
        reweighter does.

    See Also
    --------
    ResampledClassifier : Change the rows instead.
    Reweighter : The weights, their empty cells and their clipping.

    Notes
    -----
    The protected columns stay in X, if they are there: drop them within `estimator`, for example
    with a ColumnTransformer, if the model is not to see them.

    Weights reach the last step of a Pipeline with metadata routing off and on, and nothing needs to
    be requested for it. Reweighing works on the data; a model that fits them closely can still
    treat the groups differently, and its disparity can even rise.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.meta import ReweightedClassifier
    >>> from skfairprop.metrics import demographic_parity_difference
    >>> data = make_biased_classification(2000, base_rates=(0.7, 0.3), random_state=0)
    >>> people = data.sensitive_features
    >>> for strength in (0, 0.5, 1):
    ...     model = ReweightedClassifier(LogisticRegression(), strength=strength)
    ...     y_pred = model.fit(data.data, data.target, sensitive_features=people).predict(data.data)
    ...     gap = demographic_parity_difference(data.target, y_pred, sensitive_features=people)
    ...     print(f"{strength}: {gap:.2f}")
    0: 0.33
    0.5: 0.30
    1: 0.28

    The features still tell the groups apart, so the gap falls but does not vanish.
    """

    def __init__(
        self,
        estimator: Any,
        reweighter: Reweighter | None = None,
        *,
        sensitive_features: Any = None,
        strength: float = 1.0,
    ) -> None:
        self.estimator = estimator
        self.reweighter = reweighter
        self.sensitive_features = sensitive_features
        self.strength = strength

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        **params: Any,
    ) -> "ReweightedClassifier":
        """Weigh the rows and fit a clone of the estimator.

        Parameters
        ----------
        X : indexable of n rows
            What the inner estimator takes.
        y : array-like of shape (n,)
            Classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows; they go before those named at construction.
        sample_weight : array-like of shape (n,), optional
            Weights of your own; those of the reweighter multiply them.
        **params
            Other arguments of the inner ``fit``; routed, if metadata routing is on.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See the class.
        """
        owner = type(self).__name__
        strength = self._check_strength(owner)
        X, y = self._check_rows(X, y)
        self.reweighter_ = Reweighter() if self.reweighter is None else clone(self.reweighter)
        spec = self.sensitive_features
        if spec is None:
            spec = self.reweighter_.sensitive_features
        columns = resolve_sensitive_features(spec, X, y, sensitive_features, owner=owner)
        self.reweighter_.fit(X, y, sensitive_features=columns, sample_weight=sample_weight)
        own = _own_weights(y, sample_weight)
        self.sample_weight_ = (1 - strength) * own + strength * self.reweighter_.sample_weight_
        self.effective_sample_size_ = effective_sample_size(self.sample_weight_)
        self.estimator_ = fit_with_weights(
            clone(self.estimator), X, y, self.sample_weight_, params, owner=owner
        )
        return self

    def _check_strength(self, owner: str) -> float:
        return check_number("strength", self.strength, "[0, 1]", owner=owner)

    def get_metadata_routing(self) -> MetadataRouter:
        """What metadata ``fit`` asks for, and what the inner estimator does.

        Returns
        -------
        MetadataRouter
        """
        own = request_sensitive_features(super().get_metadata_routing(), "fit")
        inner = self.estimator
        if routing_enabled():  # it asks for our weights, not for the sample_weight of the user
            inner = clone(inner)
            request_weights(inner)
        return (
            MetadataRouter(owner=self)
            .add_self_request(own)
            .add(estimator=inner, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        )


def _own_weights(y: Any, sample_weight: Any) -> np.ndarray | float:
    """The user's weights in the order of y, or 1."""
    if sample_weight is None:
        return 1.0
    return check_weights(align(y=y, sample_weight=sample_weight)["sample_weight"][0]).astype(float)
