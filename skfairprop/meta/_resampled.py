"""Fit a classifier on resampled rows, with everything that belongs to them."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from skfairprop._metadata import request_sensitive_features, takes_sensitive_features
from skfairprop._resolve import resolve_sensitive_features
from skfairprop._rows import count_rows, is_row_aligned, take_rows
from skfairprop.meta._delegating import DelegatingClassifier, routing_enabled


class ResampledClassifier(DelegatingClassifier):
    """Fit any classifier or Pipeline on the rows that a sampler makes.

    Parameters
    ----------
    estimator : estimator
        Classifier, Pipeline or search; cloned.
    sampler : sampler or "passthrough"
        With imbalanced-learn's ``fit_resample``: :class:`~skfairprop.preprocessing.BiasInducer`,
        :class:`~skfairprop.preprocessing.RowReplicator` or one of that library; cloned.
        "passthrough" leaves the rows as they are.
    sensitive_features : str, list of str, callable, Series or DataFrame, optional
        Protected columns: names of columns of X, a callable of X, or pandas data aligned on the
        index of X. What is passed or routed to ``fit`` goes before it; without either, those of the
        sampler count. Samplers that do not ask for them do not get them.

    Attributes
    ----------
    estimator_ : estimator
        Fitted.
    sampler_ : sampler or "passthrough"
        Fitted.
    sample_indices_ : integer array of shape (n_new,)
        Positions of the rows that ``estimator_`` was fitted on, if the sampler tells them.
    classes_ : array of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, where they have any.

    Raises
    ------
    ValueError
        By ``fit``: if arguments with one entry a row cannot follow the rows, as the sampler makes
        new ones; or as the sampler does.

    See Also
    --------
    ReweightedClassifier : Weigh rows instead, which loses none.

    Notes
    -----
    Rows change in ``fit`` only: scores are computed on the rows as they are. Every argument of
    ``fit`` with one entry a row (weights, groups) follows the rows.

    Examples
    --------
    Which factor of bias goes with the best cross-validated accuracy, on unbiased folds:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.meta import ResampledClassifier
    >>> from skfairprop.preprocessing import BiasInducer
    >>> data = make_biased_classification(2000, base_rates=(0.5, 0.5), random_state=0)
    >>> people = data.sensitive_features
    >>> inducer = BiasInducer("stereotypical", target_group="g1", target_classes=[1])
    >>> model = ResampledClassifier(LogisticRegression(), inducer, sensitive_features=people)
    >>> search = GridSearchCV(model, {"sampler__f": [-1, 0, 1]}).fit(data.data, data.target)
    >>> search.best_params_
    {'sampler__f': 0}
    """

    def __init__(self, estimator: Any, sampler: Any, *, sensitive_features: Any = None) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.sensitive_features = sensitive_features

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, **params: Any
    ) -> "ResampledClassifier":
        """Resample the rows and fit a clone of the estimator.

        Parameters
        ----------
        X : indexable of n rows
            What the sampler and the inner estimator take.
        y : array-like of shape (n,)
            Classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows; they go before those named at construction.
        **params
            Arguments of the inner ``fit``, as `sample_weight`; routed, if metadata routing is on.
            Those with one entry a row follow the rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See the class.
        """
        X, y = self._check_rows(X, y)
        if routing_enabled():
            if sensitive_features is not None:
                params["sensitive_features"] = sensitive_features
            params = process_routing(self, "fit", **params)["estimator"]["fit"]
        X_new, y_new, rows = self._resample(X, y, sensitive_features)
        self.estimator_ = clone(self.estimator)
        self.estimator_.fit(X_new, y_new, **self._follow(params, X, rows))
        return self

    def _resample(
        self, X: Any, y: Any, sensitive_features: Any
    ) -> tuple[Any, Any, np.ndarray | None]:
        """Rows, classes and their positions, which are None if the sampler does not tell them."""
        owner = type(self).__name__
        if isinstance(self.sampler, str) and self.sampler == "passthrough":
            self.sampler_ = "passthrough"
            self.sample_indices_ = np.arange(count_rows(X))
            return X, y, self.sample_indices_
        if not hasattr(self.sampler, "fit_resample"):
            raise ValueError(
                f"{owner}: sampler must have fit_resample, or be 'passthrough'; got "
                f"{self.sampler!r}"
            )
        sampler = self.sampler_ = clone(self.sampler)
        groups = {}
        given = self.sensitive_features is not None or sensitive_features is not None
        if given and takes_sensitive_features(sampler.fit_resample):
            groups["sensitive_features"] = resolve_sensitive_features(
                self.sensitive_features, X, y, sensitive_features, owner=owner
            )
        X_new, y_new = sampler.fit_resample(X, y, **groups)
        rows = getattr(sampler, "sample_indices_", None)
        if rows is not None:
            self.sample_indices_ = rows
        return X_new, y_new, rows

    def _follow(self, params: dict[str, Any], X: Any, rows: np.ndarray | None) -> dict[str, Any]:
        """Arguments of the inner fit, those with one entry a row for the new rows."""
        owner = type(self).__name__
        out = dict(params)
        for name, value in params.items():
            if not is_row_aligned(value, count_rows(X)):
                _refuse_weights(name, value, count_rows(X), owner)
                continue
            if rows is None:
                raise ValueError(
                    f"{owner}: {name} cannot follow the rows: {type(self.sampler_).__name__} has "
                    "no sample_indices_, as it makes rows of its own"
                )
            both_pandas = all(isinstance(v, pd.Series | pd.DataFrame) for v in (value, X))
            if both_pandas and not value.index.equals(X.index):
                raise ValueError(
                    f"{owner}: X and {name} have different indexes; give them the same one, or "
                    "pass arrays if they belong together by position"
                )
            out[name] = take_rows(value, rows)
        return out

    def get_metadata_routing(self) -> MetadataRouter:
        """What metadata ``fit`` asks for, and what the inner estimator does.

        Returns
        -------
        MetadataRouter
        """
        own = request_sensitive_features(super().get_metadata_routing(), "fit")
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return (
            MetadataRouter(owner=self)
            .add_self_request(own)
            .add(estimator=self.estimator, method_mapping=mapping)
        )


def _refuse_weights(name: str, value: Any, n_rows: int, owner: str) -> None:
    """Weights of another length would not follow the rows, and might fit the new ones by chance."""
    if name.split("__")[-1] == "sample_weight" and hasattr(value, "__len__"):
        raise ValueError(f"{owner}: {name} has {len(value):,} rows; X has {n_rows:,}")
