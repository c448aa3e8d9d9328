"""Scorers by name, and the one class behind them: make, get, and list them."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from skfairprop import metrics
from skfairprop.metrics import METRICS, Metric, get_metric
from skfairprop.scorers._group_scorer import GroupScorer, show_all, show_changed
from skfairprop.scorers._measures import make_measure


class FairnessScorer(GroupScorer):
    """Score of an estimator by a metric of bias: larger is better, as for every scorer.

    Parameters
    ----------
    metric : str, Metric or callable
        A name of the registry, see :func:`get_scorer_names`; its record; or a function
        ``f(y_true, y_pred, *, sensitive_features, ...)``. The package's own functions are found in
        the registry.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute of the rows that are scored: column names of X (pandas,
        polars, pyarrow); pandas data on the index of X, or of y where X has none; or a callable
        that takes X and returns one or several columns. Not needed where it is routed as metadata,
        which goes before this. Integer positions are refused: inside a feature selector they
        silently mean another feature.
    pos_label : hashable, optional
        The positive class, for the metrics that look at one. Required unless the labels are
        {0, 1}, {-1, 1} or booleans. It has to be among the classes of the estimator or the labels
        found, not necessarily in every fold.
    of : {"y_true", "y_pred"}, default="y_true"
        For the data set metrics: whether the labels of the fold or its predictions are the data
        set. The labels alone need no ``predict``.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with rates that are 0/0, see :func:`skfairprop.metrics.evaluate`.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    objective : {"abs", "signed"}, default="abs"
        For signed metrics: the score is minus the size of the value, or minus the value.
    groups : sequence, optional
        For the data set metrics: groups that count whether they occur or not.
    greater_is_better : bool, optional
        Required for a function that is not in the registry, and only allowed there.
    undefined_score : float, default=NaN
        Score in place of an undefined value.
    **options
        The metric's own options, as ``agg="mean"``; for ``estimation_calibration`` and its kin
        also `threshold`, `use_y_true` and `min_group_size`; for a function its arguments.

    Attributes
    ----------
    metric : Metric or callable
        What is computed, with its options.
    sensitive_features
        As given.

    Raises
    ------
    TypeError, ValueError
        At once, for options that do not exist or are not allowed.
    ScorerSetupError
        When scoring, if the protected attribute or the positive class cannot be found:
        :class:`skfairprop.exceptions.ScorerSetupError` is not swallowed by ``error_score``.

    See Also
    --------
    get_scorers : Several at once, for multimetric scoring.

    Notes
    -----
    The score is the negated value of a bias; ratios, where 1 is best, keep their sign, and so do
    the estimations that ``convention="paper"`` inverts. In one call of ``cross_validate`` or a
    search with several scorers the estimator predicts once a fold, and the counts of the fold are
    made once.

    An undefined value is NaN, with an ``UndefinedMetricWarning``. ``GridSearchCV``,
    ``RandomizedSearchCV`` and the halving searches rank NaN last. Threshold tuning would take it
    for the best, so that the scorer gives it -inf there. ``SequentialFeatureSelector``, ``RFECV``
    and ``LogisticRegressionCV`` may take it for the best too: pass ``undefined_score=-np.inf``.

    A group that is absent from a fold is not compared in it. With small groups the folds differ by
    chance, and the mean over them lies above the value of the whole data.

    Where the protected attribute is found:

    - ``cross_validate``, the searches, the curves and ``permutation_test_score``: in a column of X,
      on the index, or as metadata (the halving searches take one metric only).
    - ``TunedThresholdClassifierCV`` and ``SequentialFeatureSelector``: on the index of y, or as
      metadata. The columns of X never reach the scorer there.
    - ``RFECV`` and ``LogisticRegressionCV``: as metadata only. X and y become arrays there.
    - ``permutation_importance``: on the index of X. A column of X is itself shuffled when its turn
      comes, and metadata are not routed.

    The index has to be the one that the data had when it was made: once X was given a new one
    from 0, the labels belong to other people, and nobody can see it.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.scorers import FairnessScorer
    >>> problem = make_biased_classification(base_rates=(0.7, 0.3), random_state=0)
    >>> scorer = FairnessScorer(
    ...     "demographic_parity_difference", sensitive_features=problem.sensitive_features
    ... )
    >>> scores = cross_val_score(
    ...     LogisticRegression(), problem.data, problem.target, scoring=scorer
    ... )
    >>> scores.shape, bool(scores.max() < -0.2)
    ((5,), True)
    """

    def __init__(
        self,
        metric: str | Metric | Callable,
        *,
        sensitive_features: Any = None,
        pos_label: Hashable | None = None,
        of: str = "y_true",
        undefined: str = "drop",
        missing: str = "raise",
        objective: str = "abs",
        groups: Sequence[Hashable] | None = None,
        greater_is_better: bool | None = None,
        undefined_score: float = math.nan,
        **options: Any,
    ) -> None:
        self.metric = _find_metric(metric)
        if isinstance(self.metric, Metric):
            self.metric = self.metric.with_options(options)  # a printed form may be best at 1
        settings: dict[str, Any] = {
            "pos_label": pos_label,
            "undefined": undefined,
            "missing": missing,
            "of": of,
            "objective": objective,
            "groups": groups,
            "greater_is_better": greater_is_better,
            "undefined_score": undefined_score,
        }
        measure = make_measure(
            self.metric, sensitive_features=sensitive_features, options=options, **settings
        )
        self._shown = show_changed(FairnessScorer, settings) + show_all(options)
        super().__init__(measure, pos_label=pos_label)

    def __repr__(self) -> str:
        return f"FairnessScorer({self.measure.__name__!r}{self._describe()}{self._shown})"


def make_fairness_scorer(
    metric: str | Metric | Callable, *, sensitive_features: Any = None, **options: Any
) -> FairnessScorer:
    """Make a scorer from a metric of bias.

    Parameters
    ----------
    metric : str, Metric or callable
        A name of the registry, its record, or a function
        ``f(y_true, y_pred, *, sensitive_features, ...)``.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute, see :class:`FairnessScorer`.
    **options
        As for :class:`FairnessScorer`.

    Returns
    -------
    FairnessScorer

    Raises
    ------
    TypeError, ValueError
        For a metric or option that does not exist or is not allowed.

    Examples
    --------
    >>> from skfairprop.metrics import equalized_odds_difference
    >>> from skfairprop.scorers import make_fairness_scorer
    >>> make_fairness_scorer(equalized_odds_difference, sensitive_features="sex", agg="mean")
    FairnessScorer('equalized_odds_difference', sensitive_features='sex', agg='mean')
    """
    return FairnessScorer(metric, sensitive_features=sensitive_features, **options)


def _find_metric(metric: str | Metric | Callable) -> Metric | Callable:
    """The record of a name or of one of the package's own functions; others as they are."""
    if isinstance(metric, str | Metric):
        return get_metric(metric)
    if not callable(metric):
        raise TypeError(f"metric must be a name, a Metric or a function; got {metric!r}")
    name = getattr(metric, "__name__", None)
    if name in METRICS and getattr(metrics, name, None) is metric:
        return METRICS[name]
    return metric
