"""BENN beside the ensemble of 21 bias estimations, and the paper's three guidelines as numbers."""

import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._checks import check_integer
from skfairprop._columns import read_column
from skfairprop._random import RandomState, as_generator
from skfairprop._resolve import match_rows, resolve_sensitive_features
from skfairprop._suggest import closest
from skfairprop.benn._estimator import BENNEstimator
from skfairprop.benn._examined import is_fitted, is_net_like, net_rows
from skfairprop.groups import label_text, name_some
from skfairprop.metrics import bias_estimations, ensemble_bias_estimation

_SHOWN = ("demographic_parity", "disparate_impact", "normalized_difference")
# Estimates that differ by less are ties.
TIE = 0.02


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleComparison:
    """Estimates of BENN beside those of the ensemble.

    Attributes
    ----------
    frame : DataFrame
        One row a feature: ``estimate``, ``sd`` and ``null`` of BENN; ``ensemble``, the
        ``ensemble_method`` that is largest, the mean ``ensemble_null`` and its 95 % quantile
        ``ensemble_null_95`` over permuted groups; ``difference`` (estimate less ensemble);
        ``demographic_parity``, ``disparate_impact`` and ``normalized_difference``; ``n_groups``.
    guidelines : Series
        See :func:`guidelines`.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.benn import EnsembleComparison
    >>> frame = pd.DataFrame({"estimate": [0.2, 0.0], "ensemble": [0.3, 0.1]}, index=["sex", "age"])
    >>> EnsembleComparison(frame)
    EnsembleComparison(2 features: 'sex', 'age')
    """

    frame: pd.DataFrame

    def __repr__(self) -> str:
        return f"EnsembleComparison({len(self.frame)} features: {name_some(self.frame.index)})"

    @property
    def guidelines(self) -> pd.Series:
        """The paper's guidelines on these features."""
        return guidelines(self.frame)


def compare_with_ensemble(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    pos_label: Hashable | None = None,
    n_permutations: int = 100,
    random_state: RandomState = None,
) -> EnsembleComparison:
    """Compare BENN's estimates with the ensemble of 21 bias estimations, feature by feature.

    Parameters
    ----------
    estimator : fitted BENNEstimator, or model
        A model is examined first, by ``BENNEstimator(estimator)`` on X.
    X : data frame or array-like of shape (n, n_features)
        Rows that BENN was fitted on, or others like them.
    y : array-like of shape (n,)
        True classes.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        Groups that the ensemble compares: names of columns of X, or columns named as the features
        that were examined. Default: for every feature the groups that BENN made of it.
    pos_label : hashable, optional
        The positive class. Required unless the labels are {0, 1}, {-1, 1} or booleans.
    n_permutations : int, default=100
        Permutations of the groups for the ensemble's null; 0: none.
    random_state : int, RandomState, Generator or None, default=None
        For the permutations and, of a model, for BENN.

    Returns
    -------
    EnsembleComparison

    Raises
    ------
    ValueError
        If a feature was not examined, or the estimations cannot be computed.

    Notes
    -----
    The ensemble is a maximum of many estimations, most often of the disparate impact or the
    normalised difference. On rare groups it is near 1 by chance, which is what its null tells.

    Agreement is no proof of either: the estimations ask how outcomes differ between groups, and
    BENN how outcomes answer to a change of the feature. On COMPAS, BENN's estimates for race, sex
    and age were above the ensemble's in every fold for a decision tree and a random forest; for
    logistic regression the ensemble's were higher in 60 % of the cases, by up to .20: for sex, in
    three of five folds, higher than the share of rows that any change flips, which no estimate of
    changes can pass. On 1,000 rows and more all estimates were above the demographic parity gap,
    as they should be. When rows were replicated by weights against bias, BENN
    moved the way the ensemble did in half of the cases: as a sign of mitigation they do not agree.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020, section 5.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skfairprop.benn import BENNEstimator, compare_with_ensemble
    >>> from skfairprop.datasets import make_biased_classification
    >>> problem = make_biased_classification(300, random_state=0)
    >>> X = problem.data.assign(group=(problem.sensitive_features == "g1").astype(int))
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, problem.target)
    >>> benn = BENNEstimator(tree, features=["group"], max_steps=30, random_state=0).fit(X)
    >>> found = compare_with_ensemble(benn, X, problem.target, n_permutations=10, random_state=0)
    >>> found.frame[["estimate", "ensemble", "ensemble_null"]].shape
    (1, 3)
    """
    check_integer("n_permutations", n_permutations, least=0)
    rng = as_generator(random_state)
    columns, _ = match_rows(y, X, what="y")
    y_true = read_column(columns[0].values, what="y").values
    benn = _as_benn(estimator, X, y_true, sensitive_features, rng)
    groups = _groups(benn, X, y_true, sensitive_features)
    y_pred = _predicted(benn, X)
    y_score = _scores(benn.estimator_, X, y_true, pos_label)
    table = benn.summary()
    records = []
    for name, codes in groups.items():
        inputs = {"y_score": y_score, "pos_label": pos_label}
        record = table.loc[name, ["estimate", "sd"]].to_dict()
        record["null"] = table.loc[name].get("null", np.nan)
        record |= _estimations(y_true, y_pred, codes, inputs)
        record |= _null(y_true, y_pred, codes, inputs, n_permutations, rng)
        record["n_groups"] = len(np.unique(codes))
        records.append(record)
    index = pd.Index(list(groups), name="feature", tupleize_cols=False)
    frame = pd.DataFrame(records, index=index)
    frame.insert(3, "difference", frame["estimate"] - frame["ensemble"])
    return EnsembleComparison(frame)


def guidelines(frame: pd.DataFrame, *, tie: float = TIE) -> pd.Series:
    """The paper's three guidelines for a bias estimation without labels, as numbers.

    Parameters
    ----------
    frame : DataFrame
        ``estimate`` and ``ensemble``, one row a feature, as in :class:`EnsembleComparison`.
    tie : float, default=0.02
        Estimates that differ by less are ties.

    Returns
    -------
    Series
        ``share_at_least`` (guideline 1: features whose estimate is at least the ensemble's),
        ``worst_shortfall`` (the most by which one is below, 0 if none is), ``kendall_tau`` and
        ``same_ranking`` (guideline 2: the rank correlation, and whether no two features that
        differ by `tie` or more in both are in opposite order), ``variance_of_differences``
        (guideline 3). NaN where there are too few features.

    References
    ----------
    .. [1] Giloni et al., "BENN: Bias Estimation Using Deep Neural Network", 2020, Eq. 6 to 8.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.benn import guidelines
    >>> frame = pd.DataFrame({"estimate": [0.7, 0.5, 0.6], "ensemble": [0.5, 0.2, 0.4]})
    >>> guidelines(frame).round(4).to_dict()
    {'share_at_least': 1.0, 'worst_shortfall': 0.0, 'kendall_tau': 1.0, 'same_ranking': 1.0, \
'variance_of_differences': 0.0022}
    """
    both = frame[["estimate", "ensemble"]].astype(float).dropna().to_numpy()
    a, b = both[:, 0], both[:, 1]
    several = len(both) > 1
    difference = a - b
    return pd.Series(
        {
            "share_at_least": float((difference >= 0).mean()) if len(both) else np.nan,
            "worst_shortfall": float(max(0.0, (-difference).max())) if len(both) else np.nan,
            "kendall_tau": float(kendalltau(a, b).statistic) if several else np.nan,
            "same_ranking": float(_agree(a, b, tie)) if several else np.nan,
            "variance_of_differences": float(difference.var()) if several else np.nan,
        }
    )


def _agree(a: np.ndarray, b: np.ndarray, tie: float) -> bool:
    """Whether no pair is ordered one way by `a` and the other way by `b`, both by `tie` or more."""
    da, db = a[:, None] - a, b[:, None] - b
    return not bool(((da >= tie) & (db <= -tie)).any())


def _as_benn(
    estimator: Any, X: Any, y: Any, sensitive_features: Any, rng: np.random.Generator
) -> BENNEstimator:
    if isinstance(estimator, BENNEstimator):
        return estimator if is_fitted(estimator) else clone(estimator).fit(X, y)
    named = sensitive_features if isinstance(sensitive_features, str | list) else None
    return BENNEstimator(estimator, features=named, random_state=rng).fit(X, y)


def _groups(
    benn: BENNEstimator, X: Any, y: Any, sensitive_features: Any
) -> dict[Hashable, np.ndarray]:
    """Group codes of the rows of X, by feature."""
    known = list(benn.bias_estimates_.index)
    if sensitive_features is None:
        return benn.groups_of(X)
    frame = resolve_sensitive_features(sensitive_features, X, y, owner="compare_with_ensemble")
    for name in frame.columns:
        if name not in known:
            raise ValueError(
                f"compare_with_ensemble: {name!r} was not examined{closest(name, known)}"
            )
    texts = {name: np.array([label_text(v) for v in frame[name]]) for name in frame.columns}
    return texts


def _predicted(benn: BENNEstimator, X: Any) -> np.ndarray:
    """Predicted labels; positions of the largest score where the model gives scores alone."""
    model = benn.estimator_
    if hasattr(model, "predict"):
        return np.asarray(model.predict(net_rows(X) if is_net_like(model) else X))
    examined, _, base = benn._ask(X)
    if base.ndim == 2:
        return base.argmax(axis=1)
    return np.array(examined.classes)[base]


def _scores(model: Any, X: Any, y_true: Any, pos_label: Hashable | None) -> np.ndarray | None:
    """Scores of the positive class, where the model has probabilities of two classes."""
    classes = getattr(model, "classes_", None)
    if classes is None or not hasattr(model, "predict_proba"):
        return None
    classes = list(np.asarray(classes).tolist())
    label = pos_label if pos_label is not None else classes[-1]
    if len(classes) != 2 or label not in classes:
        return None
    rows = net_rows(X) if is_net_like(model) else X
    return np.asarray(model.predict_proba(rows))[:, classes.index(label)]


def _estimations(
    y_true: Any, y_pred: np.ndarray, groups: np.ndarray, inputs: dict[str, Any]
) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        every = bias_estimations(y_true, y_pred, sensitive_features=groups, **inputs)
    defined = every.dropna()
    return {
        "ensemble": float(defined.max()) if len(defined) else np.nan,
        "ensemble_method": defined.idxmax() if len(defined) else None,
        **{name: float(every[name]) for name in _SHOWN},
    }


def _null(
    y_true: Any,
    y_pred: np.ndarray,
    groups: np.ndarray,
    inputs: dict[str, Any],
    n_permutations: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    values = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for _ in range(n_permutations):
            permuted = rng.permutation(groups)
            values.append(
                ensemble_bias_estimation(y_true, y_pred, sensitive_features=permuted, **inputs)
            )
    return {
        "ensemble_null": float(np.mean(values)) if values else np.nan,
        "ensemble_null_95": float(np.quantile(values, 0.95)) if values else np.nan,
    }
