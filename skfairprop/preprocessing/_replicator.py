"""Replicate rows by their weights, for estimators that take none."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import validate_data

from skfairprop._metadata import request_sensitive_features
from skfairprop._random import RandomState, as_generator
from skfairprop._refit import forget_fit
from skfairprop._resolve import resolve_sensitive_features
from skfairprop._rows import take_rows
from skfairprop.preprocessing._cells import code_cells
from skfairprop.preprocessing._reweighter import Reweighter
from skfairprop.preprocessing._tags import mark_unread


class RowReplicator(BaseEstimator):
    """Replicate rows by their weights, for estimators without `sample_weight`.

    A sampler in the manner of imbalanced-learn: each row comes as often as its weight says, and
    the fractions are settled by systematic sampling, cell by cell, so that the number of rows of
    each cell (group, class) is off by less than one.

    Parameters
    ----------
    reweighter : Reweighter, optional
        What weighs the rows; cloned. Default: ``Reweighter()``.
    sensitive_features : str, list of str, callable, Series or DataFrame, optional
        Protected columns: names of columns of X, a callable of X, or pandas data aligned on the
        index of X. What is passed to a method goes before it; without either, those of the
        reweighter count.
    random_state : int, RandomState, Generator or None, default=None
        Which rows of a cell come once more than others.

    Attributes
    ----------
    reweighter_ : Reweighter
        Fitted.
    sample_indices_ : integer array of shape (n_new,)
        Positions of the rows, ascending, with repetitions; after ``fit_resample``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, where they have any.

    Raises
    ------
    ValueError
        By the methods: as the reweighter does.

    See Also
    --------
    Reweighter : The weights themselves, which lose nothing to rounding.

    Notes
    -----
    Rows of weight below 1 are dropped at random, others repeated. Repeated rows are copies, not
    new information: cross-validation *after* replication would put the same row on both sides of
    a split, so keep the sampler inside :class:`~skfairprop.meta.ResampledClassifier` or
    imbalanced-learn's Pipeline.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.preprocessing import RowReplicator
    >>> y = np.repeat([1, 0, 1, 0], [30, 10, 10, 30])
    >>> sex = np.repeat(["m", "f"], 40)
    >>> X = np.arange(80).reshape(-1, 1)
    >>> replicator = RowReplicator(random_state=0)
    >>> X_new, y_new = replicator.fit_resample(X, y, sensitive_features=sex)
    >>> sex_new = sex[replicator.sample_indices_]
    >>> [float(y_new[sex_new == s].mean()) for s in "mf"]
    [0.5, 0.5]
    """

    def __init__(
        self,
        reweighter: Reweighter | None = None,
        *,
        sensitive_features: Any = None,
        random_state: RandomState = None,
    ) -> None:
        self.reweighter = reweighter
        self.sensitive_features = sensitive_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> "RowReplicator":
        """Weigh the rows; nothing is drawn.

        Parameters
        ----------
        X : indexable of n rows
            Only its columns are read, if `sensitive_features` names some.
        y : array-like of shape (n,)
            Classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See the class.
        """
        self._fit(X, y, sensitive_features)
        return self

    def fit_resample(self, X: Any, y: Any, *, sensitive_features: Any = None) -> tuple[Any, Any]:
        """Replicate the rows.

        Parameters
        ----------
        X : indexable of n rows
            Data frame, array of any dimension, sparse matrix or list.
        y : array-like of shape (n,)
            Classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes, optional
            Protected columns of these rows.

        Returns
        -------
        X_resampled : container like X
            Rows in their order, copies side by side. Sparse matrices come back as CSR.
        y_resampled : container like y
            Their classes.

        Raises
        ------
        ValueError
            See the class.
        """
        rng = as_generator(self.random_state)
        columns = self._fit(X, y, sensitive_features)
        codes = code_cells(None, X, y, columns, owner=type(self).__name__).codes
        self.sample_indices_ = _replicate(codes, self.reweighter_.sample_weight_, rng)
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)

    def _fit(self, X: Any, y: Any, sensitive_features: Any) -> pd.DataFrame:
        """Weigh the rows; returns their protected columns."""
        forget_fit(self)
        validate_data(self, X, skip_check_array=True)
        self.reweighter_ = Reweighter() if self.reweighter is None else clone(self.reweighter)
        spec = self.sensitive_features
        if spec is None:
            spec = self.reweighter_.sensitive_features
        columns = resolve_sensitive_features(
            spec, X, y, sensitive_features, owner=type(self).__name__
        )
        self.reweighter_.fit(X, y, sensitive_features=columns)
        return columns

    def get_metadata_routing(self) -> MetadataRequest:
        """Metadata that the methods ask for: `sensitive_features`, unless told otherwise.

        Returns
        -------
        MetadataRequest
        """
        return request_sensitive_features(super().get_metadata_routing(), "fit", "fit_resample")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "sampler"
        mark_unread(tags)
        return tags


def _replicate(codes: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Ascending positions of the rows, each as often as its weight says.

    The rows lie on a line, cell after cell and shuffled within, each as long as its weight; a row
    is taken once for every whole number that lies on it, counted from a random start.
    """
    shuffled = rng.permutation(len(codes))
    line = shuffled[np.argsort(codes[shuffled], kind="stable")]
    ends = np.floor(np.cumsum(weights[line]) + rng.random() + 1e-9)
    return np.sort(np.repeat(line, np.diff(ends, prepend=0.0).astype(np.int64)))
