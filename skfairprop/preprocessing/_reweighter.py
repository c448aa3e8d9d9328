"""Weights of rows that make the groups alike in their classes."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import check_is_fitted, validate_data

from skfairprop._checks import check_choice, check_number
from skfairprop._labels import check_weights
from skfairprop._metadata import request_sensitive_features
from skfairprop._refit import forget_fit
from skfairprop.counts import GroupCounts
from skfairprop.groups import align
from skfairprop.metrics._metric import find_positive
from skfairprop.preprocessing._cells import Cells, code_cells, refuse_empty
from skfairprop.preprocessing._tags import mark_unread
from skfairprop.preprocessing._weights import (
    check_clip,
    effective_sample_size,
    replication_factors,
    reweighing_factors,
)

METHODS = ("reweighing", "replication")
EMPTY_CELLS = ("error", "ignore", "smooth")
_REMEDY = (
    "merge groups or classes, or pass empty_cells='ignore' to weigh the others alone, or "
    "empty_cells='smooth' to count one more row in every cell"
)


class Reweighter(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Weigh rows so that the groups are alike in their classes.

    A transformer that passes X through and keeps one weight a row. A Pipeline cannot hand them to
    its last step: use :class:`~skfairprop.meta.ReweightedClassifier`.

    Parameters
    ----------
    method : {"reweighing", "replication"}, default="reweighing"
        "reweighing" makes group and class independent in the weighted data [1]_. "replication"
        counts rows again and again until the share of the positive class hardly varies over the
        groups [2]_; a replicated row is a row with a larger weight.
    sensitive_features : str, list of str, callable, Series or DataFrame, optional
        Protected columns: names of columns of X, a callable of X, or pandas data aligned on the
        index of X. What is passed to a method goes before it.
    empty_cells : {"error", "ignore", "smooth"}, default="error"
        What to do where a group has no rows of a class: refuse, weigh the others (group and class
        are then not quite independent), or count one more row in every cell, which also tames the
        weights of cells with very few rows.
    clip : float or (float, float), optional
        Bounds of the weights: a number c keeps them in [1/c, c]. Clipped weights leave some of the
        association.
    pos_label : hashable, optional
        For "replication": the positive class, against all others. Not needed for labels {0, 1},
        {-1, 1} or booleans.
    threshold : float, default=1e-4
        For "replication": largest variance over the groups of the share of the positive class. 1e-4
        is a gap of .02 between two groups.

    Attributes
    ----------
    sample_weight_ : array of shape (n,)
        Weight of each row seen in ``fit``.
    weight_table_ : DataFrame of shape (G, K)
        Weight of each cell, groups x classes; NaN where there are no rows.
    effective_sample_size_ : float
        (sum w)^2 / sum w^2, at most n: how many unweighted rows are as informative.
    groups_, classes_ : Index of length G and K
        Groups and classes.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, where they have any.

    Raises
    ------
    ValueError
        By the methods: if an argument is not allowed, values are missing, or a cell has no rows.

    Warns
    -----
    ConvergenceWarning
        If "replication" cannot reach `threshold`.

    See Also
    --------
    RowReplicator : Replicate rows instead, for estimators without `sample_weight`.
    skfairprop.meta.ReweightedClassifier : Fit any classifier with these weights.

    Notes
    -----
    Reweighing: w = P(a) P(y) / P(a, y), for any number of groups and classes. It keeps the sum of
    the weights. It makes the *training data* independent of the group, not the predictions: a
    model can still tell the groups apart, and reweighing can even raise its disparity.

    Replication: see [2]_, section 5.4. In every round all rows are counted once more, with
    weight 1 if that brings the share of the positive class in their group nearer to that of
    everybody, and .1 if not. No group is taken past that share, which the paper does not rule out.

    References
    ----------
    .. [1] Kamiran and Calders, "Data preprocessing techniques for classification without
       discrimination", Knowledge and Information Systems 33, 2012.
    .. [2] Giloni et al., "BENN: Bias estimation using deep neural network", 2020, section 5.4.

    Examples
    --------
    >>> from skfairprop.preprocessing import Reweighter
    >>> y, sex = [1, 1, 1, 0, 1, 0, 0, 0], ["m", "m", "m", "m", "f", "f", "f", "f"]
    >>> reweighter = Reweighter().fit([[0]] * 8, y, sensitive_features=sex)
    >>> reweighter.weight_table_.round(3)
           0      1
    f  0.667  2.000
    m  2.000  0.667
    >>> round(reweighter.effective_sample_size_, 1)
    6.0
    """

    def __init__(
        self,
        method: str = "reweighing",
        *,
        sensitive_features: Any = None,
        empty_cells: str = "error",
        clip: float | tuple[float, float] | None = None,
        pos_label: Hashable | None = None,
        threshold: float = 1e-4,
    ) -> None:
        self.method = method
        self.sensitive_features = sensitive_features
        self.empty_cells = empty_cells
        self.clip = clip
        self.pos_label = pos_label
        self.threshold = threshold

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> "Reweighter":
        """Weigh the rows.

        Parameters
        ----------
        X : indexable of n rows
            Only its columns are read, if `sensitive_features` names some.
        y : array-like of shape (n,)
            Classes: numbers, booleans, strings or categories.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows; they go before those named at construction.
        sample_weight : array-like of shape (n,), optional
            Weights that the rows have already; the new ones multiply them.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See the class.
        """
        forget_fit(self)
        validate_data(self, X, skip_check_array=True)
        cells = self._cells(X, y, sensitive_features)
        self.sample_weight_, table = self._weigh(cells, y, sample_weight)
        self.weight_table_ = cells.frame(table)
        self.groups_, self.classes_ = cells.groups, cells.classes
        self.effective_sample_size_ = effective_sample_size(self.sample_weight_)
        return self

    def transform(self, X: Any) -> Any:
        """Pass X through.

        Parameters
        ----------
        X : indexable
            As many columns as in ``fit``.

        Returns
        -------
        X
            The very same.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If the columns are others than in ``fit``.
        """
        check_is_fitted(self)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def compute_sample_weight(
        self, y: Any, sensitive_features: Any = None, sample_weight: Any = None
    ) -> np.ndarray:
        """Weights of any rows, from these rows alone; nothing is kept.

        Parameters
        ----------
        y : array-like of shape (n,)
            Classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows. Without them, pandas data given at construction are
            aligned on the index of y.
        sample_weight : array-like of shape (n,), optional
            Weights that the rows have already.

        Returns
        -------
        array of shape (n,), float64
            Not negative.

        Raises
        ------
        ValueError
            See the class.
        """
        cells = self._cells(None, y, sensitive_features)
        return self._weigh(cells, y, sample_weight)[0]

    def _cells(self, X: Any, y: Any, sensitive_features: Any) -> Cells:
        owner = type(self).__name__
        return code_cells(self.sensitive_features, X, y, sensitive_features, owner=owner)

    def _weigh(self, cells: Cells, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the rows and of the cells."""
        given = None
        if sample_weight is not None:
            columns = align(y=y, sample_weight=sample_weight)
            given = check_weights(columns["sample_weight"][0]).astype(float)
        table = self._factors(cells, cells.table(given))
        weights = np.nan_to_num(table, nan=0.0).ravel()[cells.codes]  # NaN: rows of weight 0 only
        return weights if given is None else weights * given, table

    def _factors(self, cells: Cells, counts: np.ndarray) -> np.ndarray:
        owner = type(self).__name__
        for name, allowed in (("method", METHODS), ("empty_cells", EMPTY_CELLS)):
            check_choice(name, getattr(self, name), allowed, owner=owner)
        low, high = check_clip(self.clip, owner=owner)
        if self.empty_cells == "error":
            refuse_empty(cells, counts, _REMEDY, owner=owner)
        used = counts + 1.0 if self.empty_cells == "smooth" else counts
        if self.method == "reweighing":
            factors = reweighing_factors(used)
        else:
            factors = self._replication(cells, used, owner)
        return np.where(counts > 0, np.clip(factors, low, high), np.nan)

    def _replication(self, cells: Cells, counts: np.ndarray, owner: str) -> np.ndarray:
        check_number("threshold", self.threshold, "[0, inf)", owner=owner)
        labelled = GroupCounts(counts, groups=cells.groups, classes=cells.classes, predicted=False)
        _, positive = find_positive(labelled, self.pos_label, f"{owner}: method='replication'")
        return replication_factors(counts, positive, float(self.threshold), owner=owner)

    def get_metadata_routing(self) -> MetadataRequest:
        """Metadata that the methods ask for: `sensitive_features`, unless told otherwise.

        Returns
        -------
        MetadataRequest
        """
        return request_sensitive_features(super().get_metadata_routing(), "fit")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        mark_unread(tags)
        return tags
