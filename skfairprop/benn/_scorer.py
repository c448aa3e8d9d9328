"""BENNScorer: the largest bias estimate of the protected features, as a score."""

import math
import warnings
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from skfairprop._columns import Column
from skfairprop._random import RandomState, own_seed
from skfairprop._rows import take_rows
from skfairprop.benn._estimator import BENNEstimator
from skfairprop.benn._options import check_options, training_settings
from skfairprop.exceptions import ScorerSetupError
from skfairprop.explain._table import as_container
from skfairprop.scorers._fold import Fold, setup_errors
from skfairprop.scorers._group_scorer import GroupScorer, Measure

_NAME = "benn"


class BENNScorer(GroupScorer):
    """Score of a classifier by how much its protected features can move what it says.

    The score is the negative of the largest estimate of :class:`BENNEstimator` over the protected
    features. A protected column that is not in X is set beside it, where only its proxies can
    change a prediction. Labels are not read.

    Parameters
    ----------
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute, see :class:`~skfairprop.scorers.FairnessScorer`. Each
        column is a feature of its own.
    effect, response_method, n_init, max_steps, max_queries, device
        See :class:`BENNEstimator`.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    undefined_score : float, default=NaN
        Score in place of an undefined value: that of a fold in which no protected feature has two
        values.
    random_state : int, RandomState, Generator or None, default=None
        Settled when the scorer is made: every candidate of a search is asked the same.

    Raises
    ------
    TypeError, ValueError
        At once, for what does not exist or is not allowed.
    ScorerSetupError
        When scoring, if the protected attribute cannot be found, torch or skorch is not installed,
        or the device is not there.

    See Also
    --------
    skfairprop.scorers.FairnessScorer : Gaps of outcomes between groups, in a thousandth of the
        time.

    Notes
    -----
    It takes seconds a fold. It misleads as an objective where the base rates of the groups differ:
    it falls with every use of the feature and its proxies, whether justified or not. A constant
    model has the best score, 0; a warning says so. Thresholds cannot be tuned with it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skfairprop.benn import BENNScorer
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"sex": rng.integers(0, 2, 200), "skill": rng.normal(size=200)})
    >>> scorer = BENNScorer(sensitive_features="sex", n_init=1, max_steps=60, random_state=0)
    >>> for used in (["skill"], ["skill", "sex"]):
    ...     y = (X[used].sum(axis=1) > 0.5).astype(int)
    ...     model = DecisionTreeClassifier(random_state=0).fit(X, y)
    ...     print(scorer(model, X, y) > -0.2)
    True
    False
    """

    def __init__(
        self,
        *,
        sensitive_features: Any = None,
        effect: str = "total",
        response_method: str = "predict",
        n_init: int = 4,
        max_steps: int = 300,
        max_queries: int = 2_000_000,
        device: str = "auto",
        missing: str = "raise",
        undefined_score: float = math.nan,
        random_state: RandomState = None,
    ) -> None:
        options: dict[str, Any] = {
            "effect": effect,
            "response_method": response_method,
            "n_init": n_init,
            "max_steps": max_steps,
            "max_queries": max_queries,
            "device": device,
        }
        check_options(BENNEstimator(None, **options))
        plain = signature(BENNScorer).parameters
        changed = {k: v for k, v in options.items() if v != plain[k].default}
        self._shown = "".join(f", {name}={value!r}" for name, value in changed.items())
        super().__init__(
            _LargestEstimate(
                _NAME,
                options=options | {"random_state": own_seed(random_state)},
                sensitive_features=sensitive_features,
                missing=missing,
                undefined_score=undefined_score,
            )
        )

    def __repr__(self) -> str:
        return f"BENNScorer({(self._describe() + self._shown).removeprefix(', ')})"


class _LargestEstimate(Measure):
    """Largest estimate of the protected features of a fold; NaN where none is defined."""

    needs_predictions = False
    accepts_weight = False

    def __init__(self, name: str, *, options: dict[str, Any], **common: Any) -> None:
        super().__init__(name, **common)
        self.options = options

    def value(self, fold: Fold) -> float:
        if fold.estimator is None:
            raise ScorerSetupError(
                f"{self.__name__} scorer needs the estimator and X, which are not passed to it here"
            )
        if fold.sample_weight is not None:
            raise ScorerSetupError(f"{self.__name__} scorer takes no sample_weight; leave it out")
        rows = np.flatnonzero(fold.groups.codes >= 0)  # missing ones are refused or left out
        X, protected = fold.X, fold.protected
        if len(rows) < len(fold.groups.codes):
            X = take_rows(X, rows)
            protected = [Column(c.values[rows], c.name) for c in protected]
            warnings.warn(
                f"{self.__name__} scorer left out {len(fold.groups.codes) - len(rows):,} of "
                f"{len(fold.groups.codes):,} rows with missing protected values",
                UserWarning,
                stacklevel=2,
            )
        with setup_errors():
            beside = Beside(fold.estimator, X, protected)
            benn = BENNEstimator(beside, features=beside.features, **self.options)
            try:
                training_settings(benn)
            except ImportError as exc:  # error_score would turn it into a score
                raise ScorerSetupError(str(exc)) from exc
        estimates = benn.fit(beside.frame).bias_estimates_.to_numpy(float)
        return float(np.nanmax(estimates)) if np.isfinite(estimates).any() else math.nan


class Beside:
    """A model as a function of a data frame that holds the protected columns as well.

    Parameters
    ----------
    model : fitted classifier
    X : data frame, array or sparse matrix of shape (n, d)
    protected : list of Column

    Attributes
    ----------
    frame : DataFrame
        X, and after it the protected columns that are not in it.
    features : list of str
        Names of the protected columns.
    """

    def __init__(self, model: Any, X: Any, protected: list[Column]) -> None:
        rows = as_container(X)
        self.model = model
        self.names = rows.columns if isinstance(rows, pd.DataFrame) else None
        self.container = type(rows)
        self.dtype = None if self.names is not None else rows.dtype
        self.classes_ = getattr(model, "classes_", None)
        if self.names is None:
            dense = rows.toarray() if sparse.issparse(rows) else rows
            rows = pd.DataFrame(dense, columns=[f"x{j}" for j in range(dense.shape[1])])
        self.width = rows.shape[1]
        self.frame = rows.set_axis([str(name) for name in rows.columns], axis=1)
        self.features = [self._add(column) for column in protected]

    def predict(self, frame: pd.DataFrame) -> Any:
        """Labels."""
        return self.model.predict(self._restore(frame))

    def predict_proba(self, frame: pd.DataFrame) -> Any:
        """Probabilities."""
        return self.model.predict_proba(self._restore(frame))

    def _add(self, column: Column) -> str:
        """The name of a column in the frame, to which it is added unless it is there."""
        name = "sensitive_feature" if column.name is None else str(column.name)
        values = pd.Series(column.values).set_axis(self.frame.index)
        if name in self.frame.columns and _same(self.frame[name], values):
            return name
        while name in self.frame.columns:
            name += "_"
        self.frame = self.frame.assign(**{name: values})
        return name

    def _restore(self, frame: pd.DataFrame) -> Any:
        own = frame.iloc[:, : self.width]
        if self.names is not None:
            return own.set_axis(self.names, axis=1)
        values = own.to_numpy(dtype=self.dtype)
        return (
            self.container(values)
            if issubclass(self.container, sparse.sparray | sparse.spmatrix)
            else values
        )


def _same(a: pd.Series, b: pd.Series) -> bool:
    return bool(((a.astype(object) == b.astype(object)) | (a.isna() & b.isna())).all())
