"""Predict the task and, from the same rows, the protected attribute."""

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from skfairprop._columns import read_column
from skfairprop._labels import check_weights
from skfairprop._metadata import request_sensitive_features
from skfairprop._resolve import resolve_sensitive_features
from skfairprop._rows import is_row_aligned, take_rows
from skfairprop._suggest import closest
from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups, align, name_some
from skfairprop.meta._delegating import DelegatingClassifier, routing_enabled
from skfairprop.meta._weights import fit_with_weights, request_weights


class DirectionalClassifier(DelegatingClassifier):
    """Classify the task, and beside it the protected attribute, to measure bias in both directions.

    Bias amplification from task to attribute compares the attribute as *predicted* with the true
    one. This meta-estimator makes both predictions from the same rows, so that both directions can
    be cross-validated out of fold.

    .. caution::
        The second model guesses what people may not have told, and may not want known. Fit it to
        audit, on data whose protected values are known and may be used for that; keep its guesses
        out of records and out of decisions on anyone, and report totals only. That a guess is
        often right for a group says nothing about a person, and nothing about what the attribute
        is: the labels are those that the data happen to have.

    Parameters
    ----------
    estimator : estimator
        Classifier, Pipeline or search for the task; cloned.
    attribute_estimator : estimator, optional
        The same for the attribute. Default: another clone of `estimator`.
    sensitive_features : str, list of str, callable, Series or DataFrame, optional
        Protected columns: names of columns of X, a callable of X, or pandas data aligned on the
        index of X. What is passed or routed to ``fit`` goes before it. Several columns are
        predicted together, as one of their observed combinations.
    exclude : column name or sequence of them, optional
        More columns of X that tell the attribute (another spelling or an encoding of it), hidden
        from the attribute's clone as well. They must be in X.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values in ``fit``: refuse them, make them a group, or fit
        the attribute's clone and count the reference without those rows.

    Attributes
    ----------
    estimator_ : estimator
        Fitted for the task.
    attribute_estimator_ : estimator
        Fitted for the attribute; its classes are positions in ``attribute_classes_``.
    classes_ : array of shape (n_classes,)
        Class labels of the task.
    attribute_classes_ : array of shape (n_groups,) or (n_groups, n_columns)
        Labels of the groups, or their observed combinations.
    hidden_columns_ : list
        Columns of X that the attribute's clone does not see: those named as the protected ones or
        as y, and `exclude`.
    reference_ : GroupCounts
        Group x class of the rows of ``fit``: the training contingency, which
        :func:`~skfairprop.metrics.mals_bias_amplification` takes as `reference`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, where they have any.

    Raises
    ------
    ValueError
        By ``fit``: if the protected columns cannot be found or have one value only; if a column
        to exclude is not in X.

    See Also
    --------
    skfairprop.metrics.directional_predictability_amplification : DPA.
    skfairprop.metrics.directional_bias_amplification : BA.

    Notes
    -----
    The protected columns stay in X for the task's clone, if they are there: drop them within
    `estimator`, for example with a ColumnTransformer, if the model is not to see them. Columns can
    be hidden by name only; in an array nothing is, so leave out of X what tells the attribute.

    The attribute's clone must not see the task either, neither as a target nor as a feature: with
    it, the attribute looks less amplified than it is.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.meta import DirectionalClassifier
    >>> from skfairprop.metrics import directional_bias_amplification
    >>> data = make_biased_classification(2000, base_rates=(0.7, 0.3), random_state=0)
    >>> X, y, people = data.data, data.target, data.sensitive_features
    >>> model = DirectionalClassifier(LogisticRegression(), sensitive_features=people).fit(X, y)
    >>> to_task = directional_bias_amplification(y, model.predict(X), sensitive_features=people)
    >>> to_attribute = directional_bias_amplification(
    ...     y,
    ...     None,
    ...     sensitive_features=people,
    ...     sensitive_pred=model.predict_attribute(X),
    ...     direction="t_to_a",
    ... )
    >>> round(to_task, 2), round(to_attribute, 2)
    (-0.03, -0.09)
    """

    def __init__(
        self,
        estimator: Any,
        attribute_estimator: Any = None,
        *,
        sensitive_features: Any = None,
        exclude: str | Sequence[Hashable] | None = None,
        missing: str = "raise",
    ) -> None:
        self.estimator = estimator
        self.attribute_estimator = attribute_estimator
        self.sensitive_features = sensitive_features
        self.exclude = exclude
        self.missing = missing

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        **params: Any,
    ) -> "DirectionalClassifier":
        """Fit one clone for the task and one for the attribute.

        Parameters
        ----------
        X : indexable of n rows
            What the inner estimators take.
        y : array-like of shape (n,)
            Classes of the task.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows; they go before those named at construction.
        sample_weight : array-like of shape (n,), optional
            Handed to both clones, which must take it; counted in the reference.
        **params
            Other arguments of the task's ``fit``; routed to both, if metadata routing is on.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See the class.
        """
        owner = type(self).__name__
        X, y = self._check_rows(X, y)
        columns = resolve_sensitive_features(
            self.sensitive_features, X, y, sensitive_features, owner=owner
        )
        self.hidden_columns_ = self._columns_to_hide(X, y, columns)
        columns = columns.reset_index(drop=True)  # by position from here on
        weight = None
        if sample_weight is not None:
            weight = check_weights(align(y=y, sample_weight=sample_weight)["sample_weight"][0])
        if routing_enabled() and sensitive_features is not None:
            params["sensitive_features"] = sensitive_features
        self.estimator_ = self._fit_clone("estimator", X, y, weight, params)
        self.reference_ = GroupCounts.from_arrays(
            read_column(y, what="y").values,
            sensitive_features=columns,
            sample_weight=weight,
            missing=self.missing,
        )
        self._fit_attribute(X, columns, weight, params)
        return self

    def _fit_attribute(self, X: Any, columns: pd.DataFrame, weight, params: dict[str, Any]) -> None:
        groups = Groups.from_columns(columns, missing=self.missing)
        if len(groups.labels) < 2:
            raise ValueError(
                f"{type(self).__name__}: sensitive_features has one group only, "
                f"{name_some(groups.labels)}; there is no other to tell it from"
            )
        several = isinstance(groups.labels, pd.MultiIndex)
        frame = groups.labels.to_frame()
        self.attribute_classes_ = frame.to_numpy() if several else groups.labels.to_numpy()
        seen, codes = _without_columns(X, self.hidden_columns_), groups.codes
        kept = np.flatnonzero(codes >= 0)
        if len(kept) < len(codes):
            seen, codes = take_rows(seen, kept), codes[kept]
            params = {
                name: take_rows(value, kept) if is_row_aligned(value, len(groups)) else value
                for name, value in params.items()
            }
            weight = None if weight is None else weight[kept]
        self.attribute_estimator_ = self._fit_clone(
            "attribute_estimator", seen, codes, weight, params
        )

    def _fit_clone(self, name: str, X: Any, y: Any, weight, params: dict[str, Any]) -> Any:
        """A clone of one of the two estimators, fitted with what it asks for."""
        estimator = self._clones()[name]
        if routing_enabled():
            routed = process_routing(self, "fit", **params)
            if weight is None:
                return estimator.fit(X, y, **routed[name]["fit"])
            asked = _router(self, estimator=estimator).consumes("fit", params)
            params = {key: value for key, value in params.items() if key in asked}
        elif name == "attribute_estimator":
            params = {}
        if weight is None:
            return estimator.fit(X, y, **params)
        return fit_with_weights(estimator, X, y, weight, params, owner=type(self).__name__)

    def _clones(self) -> dict[str, Any]:
        other = self.estimator if self.attribute_estimator is None else self.attribute_estimator
        return {"estimator": clone(self.estimator), "attribute_estimator": clone(other)}

    def _columns_to_hide(self, X: Any, y: Any, columns: pd.DataFrame) -> list[Hashable]:
        """Names of the columns of X that tell the attribute or the task."""
        known = _column_names(X)
        exclude = [] if self.exclude is None else self.exclude
        exclude = [exclude] if isinstance(exclude, str) else list(exclude)
        for name in exclude:
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__}: exclude={exclude!r}: X has no column {name!r}"
                    f"{closest(name, known) if known else ', as it has no column names'}"
                )
        telling = [*columns.columns, getattr(y, "name", None), *exclude]
        hidden = [name for name in known if name in telling]
        if known and len(hidden) == len(known):
            raise ValueError(
                f"{type(self).__name__}: all columns of X are hidden from the attribute's model: "
                f"{name_some(pd.Index(hidden))}; leave X one that tells neither attribute nor task"
            )
        return hidden

    def predict_attribute(self, X: Any) -> np.ndarray:
        """Predict the group of each row; mind the caution above.

        Parameters
        ----------
        X : indexable of n rows
            With or without the hidden columns.

        Returns
        -------
        array of shape (n,), or (n, n_columns) for several protected columns

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self, "attribute_estimator_")
        seen = _without_columns(X, self.hidden_columns_)
        return self.attribute_classes_[self.attribute_estimator_.predict(seen)]

    def get_metadata_routing(self) -> MetadataRouter:
        """What metadata ``fit`` asks for, and what the inner estimators do.

        Returns
        -------
        MetadataRouter
        """
        own = request_sensitive_features(super().get_metadata_routing(), "fit")
        inner = self._clones()
        if routing_enabled():
            for estimator in inner.values():
                request_weights(estimator)  # ours: it does not ask for the user's sample_weight
        return _router(self, **inner).add_self_request(own)


def _router(owner: Any, **inner: Any) -> MetadataRouter:
    mapping = MethodMapping().add(caller="fit", callee="fit")
    return MetadataRouter(owner=owner).add(**inner, method_mapping=mapping)


def _column_names(X: Any) -> list[Hashable]:
    if isinstance(X, pd.DataFrame):
        return list(X.columns)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return list(frame.columns) if isinstance(frame, nw.DataFrame) else []


def _without_columns(X: Any, names: list[Hashable]) -> Any:
    """X without those columns that it has of `names`, in a container of the same kind."""
    present = [name for name in _column_names(X) if name in names]
    if not present:
        return X
    if isinstance(X, pd.DataFrame):
        return X.drop(columns=present)
    return nw.from_native(X, eager_only=True).drop(present).to_native()
