"""The network of the paper as an estimator: two hidden layers, trained with skorch."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from skfairprop._checks import check_integer, check_number
from skfairprop._optional import import_optional
from skfairprop._random import RandomState, as_generator

# Half-open ranges of the parameters that are no counts.
_RANGES = {"dropout": "[0, 1)", "l2": "[0, inf)", "learning_rate": "(0, inf)"}


class NetworkClassifier(ClassifierMixin, BaseEstimator):
    """A network of two hidden layers with the parameters that the paper searches.

    Linear layers with ReLU and dropout, trained with Adam on the (weighted) cross entropy by a
    skorch net, which is kept as ``net_``. Any table of numbers goes in, in float64 and sparse too;
    labels may be texts; the size of the input and the number of classes are read from the data.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(64, 32)
        Number of units of each hidden layer.
    dropout : float in [0, 1), default=0.0
        Share of the hidden units that are left out of each step.
    l2 : float, default=0.0
        Penalty on the squared weights, at least 0 (Adam's ``weight_decay``).
    learning_rate : float, default=0.005
        Above 0.
    max_epochs : int, default=40
        Passes over the rows, at least 1; all are made.
    batch_size : int, default=128
        At least 1.
    random_state : int, RandomState, Generator or None, default=None
        Of the first weights, of the order of the rows, and of the dropout.
    device : str, default="cpu"
        Of torch, such as "cuda".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Only if X had names that are all texts.
    net_ : skorch.NeuralNet
        The fitted net; its module returns logits.
    loss_curve_ : list of float
        Mean training loss of each epoch.

    See Also
    --------
    sklearn.neural_network.MLPClassifier : No dropout.

    Notes
    -----
    The global random generator of torch is neither used nor set, so that fits in threads give what
    they give alone. On a GPU, or with another number of torch threads, sums are taken in another
    order and the last digits differ.

    Inputs should be scaled, as for every network. Sparse input is made dense.

    References
    ----------
    .. [1] Popoola & Sheppard (2026), "MESD": their search over utility, explanation and fairness
       (UEF) tunes a network of two hidden layers over its L2 penalty, learning rate, epochs and
       dropout. The sizes of the layers and the defaults here are ours.

    Examples
    --------
    >>> from scipy.stats import loguniform, randint, uniform
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import RandomizedSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skfairprop.neural_network import NetworkClassifier
    >>> X, y = make_classification(300, random_state=0)
    >>> model = make_pipeline(StandardScaler(), NetworkClassifier(random_state=0))
    >>> space = {
    ...     "networkclassifier__l2": loguniform(1e-6, 1e-2),
    ...     "networkclassifier__learning_rate": loguniform(1e-3, 1e-1),
    ...     "networkclassifier__max_epochs": randint(5, 20),
    ...     "networkclassifier__dropout": uniform(0, 0.6),
    ... }
    >>> search = RandomizedSearchCV(model, space, n_iter=3, cv=3, random_state=0).fit(X, y)
    >>> bool(search.best_score_ > 0.8)
    True
    """

    classes_: np.ndarray

    def __init__(
        self,
        *,
        hidden_layer_sizes: Sequence[int] = (64, 32),
        dropout: float = 0.0,
        l2: float = 0.0,
        learning_rate: float = 0.005,
        max_epochs: int = 40,
        batch_size: int = 128,
        random_state: RandomState = None,
        device: str = "cpu",
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.dropout = dropout
        self.l2 = l2
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.random_state = random_state
        self.device = device

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite numbers.
        y : array-like of shape (n,)
            At least two classes.
        sample_weight : array-like of shape (n,), optional
            Finite, not negative; only their ratios matter.

        Returns
        -------
        self

        Raises
        ------
        ImportError
            If torch or skorch is not installed (the extra "torch").
        ValueError
            If a parameter, the weights or the data cannot be used.
        """
        for module in ("torch", "skorch"):
            import_optional(module, extra="torch")
        from skfairprop.neural_network import _training as training

        self._check_parameters()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float32)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class, {self.classes_.tolist()[0]!r}; {type(self).__name__} needs two"
            )
        random = as_generator(self.random_state)
        self.net_ = training.train(
            _dense(X),
            codes,
            _weights(sample_weight, len(codes)),
            n_classes=len(self.classes_),
            hidden_layer_sizes=[int(size) for size in self.hidden_layer_sizes],
            dropout=float(self.dropout),
            l2=float(self.l2),
            learning_rate=float(self.learning_rate),
            max_epochs=int(self.max_epochs),
            batch_size=int(self.batch_size),
            device=self.device,
            seeds=[int(seed) for seed in random.integers(2**62, size=2)],
        )
        self.loss_curve_ = training.mean_losses(self.net_)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite numbers.

        Returns
        -------
        ndarray of float64, shape (n, n_classes)
            In the order of ``classes_``; rows sum to 1.
        """
        check_is_fitted(self, "net_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        from skfairprop.neural_network import _training as training

        return training.predict_proba(self.net_, _dense(X))

    def predict(self, X: Any) -> np.ndarray:
        """Most likely classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n,)
        """
        probabilities = self.predict_proba(X)
        out: np.ndarray = self.classes_[probabilities.argmax(axis=1)]
        return out

    def _check_parameters(self) -> None:
        for name, within in _RANGES.items():
            check_number(name, getattr(self, name), within)
        sizes = self.hidden_layer_sizes
        if isinstance(sizes, str | Integral):
            raise ValueError(f"hidden_layer_sizes must be a sequence of integers; got {sizes!r}")
        counts = [("max_epochs", self.max_epochs), ("batch_size", self.batch_size)]
        for name, value in [*counts, *[("hidden_layer_sizes", size) for size in sizes]]:
            check_integer(name, value, least=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = self.random_state is None
        return tags


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X)


def _weights(sample_weight: Any, n: int) -> np.ndarray:
    """Weights with the mean 1."""
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight has shape {weights.shape}; X has {n:,} rows")
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ValueError("sample_weight must be finite, not negative, and not zero everywhere")
    out: np.ndarray = weights / weights.mean()
    return out
