"""MESD: disparity of the stability of explanations between groups and their intersections."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._checks import check_choice, check_integer, check_number
from skfairprop._columns import Column
from skfairprop._random import RandomState, as_generator
from skfairprop._rows import count_rows
from skfairprop.explain import Model
from skfairprop.groups import align, name_some
from skfairprop.metrics._mesd_result import MESDResult, summarise
from skfairprop.metrics._mesd_rows import StableRows, code_rows
from skfairprop.metrics._procedural_kernels import TAILS
from skfairprop.metrics._stability import Plan, check_sampling, sample_rows, take


def mesd_from_stability(
    stability: Any,
    y: Any,
    *,
    sensitive_features: Any,
    groups: Sequence[Hashable] | None = None,
    shrinkage: float = 10.0,
    alpha: float = 0.1,
    tail: str = "continuous",
    confidence: float = 0.95,
    n_permutations: int = 0,
    n_resamples: int = 0,
    missing: str = "raise",
    random_state: RandomState = None,
) -> MESDResult:
    """MESD of explanations whose stability is known.

    Parameters
    ----------
    stability : array-like of shape (n,)
        Stability of the explanation of each row, in [0, 1], 1 = stable; see
        :func:`explanation_stability`.
    y : array-like of shape (n,)
        Labels. Groups are compared at equal shares of the labels, those of all rows.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make the groups of their observed combinations.
    groups : sequence, optional
        Groups to compare, also such as have no rows: those have the mean of each label.
    shrinkage : float, default=10.0
        Rows with the label's mean that each cell of group and label is thought to have besides its
        own; at least 0.
    alpha : float, default=0.1
        Share of the pairs in the tail, in (0, 1).
    tail : {"continuous", "literal", "tail_mean"}, default="continuous"
        Weights of the pairs, see the notes.
    confidence : float, default=0.95
        Of the intervals, in (0, 1).
    n_permutations : int, default=0
        Number of random deals of the rows of each label to the groups, for the null.
    n_resamples : int, default=0
        Number of resamples within groups, for the intervals.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        For permutations and resamples.

    Returns
    -------
    MESDResult

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, if a stability is outside [0, 1],
        or if an option is not allowed.

    Warns
    -----
    UndefinedMetricWarning
        If there is one group: the disparity is NaN.

    Notes
    -----
    The stability of a group, S(g), is the mean over labels of its cells' shrunken means. A pair of
    groups has the difference D = abs(S(i) - S(j)) and the risk R = 1 - min(S(i), S(j)); tau is the
    (1 - alpha)-quantile of R, and MESD the weighted mean of D over the pairs in the tail:

    - "continuous": weights in proportion to the excess max(R - tau, 0). Where every excess is 0
      the pairs with the largest R weigh the same, which is the limit.
    - "literal": the excess over its sum + 1e-12, as printed. It is *0 for every data set* when
      ``alpha <= 2 / (G + 1)`` for G groups, so always for two groups.
    - "tail_mean": all pairs with R >= tau weigh the same.

    It is a plug-in: with few rows it is above 0 without any bias. Compare it with ``null_mean``.
    ``worst_group_instability`` is steadier from draw to draw.

    Table II of [1]_ prints .02, .13, .21 and .12 beside group stabilities from which .023, .130,
    .140 and .130 follow. The third is impossible for any weights, since its largest difference is
    .16; the others agree within the rounding of the table.

    References
    ----------
    .. [1] Popoola & Sheppard (2026), "MESD". The printed weights are ``tail="literal"``; the
       default continues them to where they are 0/0.

    Examples
    --------
    >>> from skfairprop.metrics import mesd_from_stability
    >>> found = mesd_from_stability(
    ...     [0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1], sensitive_features=list("aabb"), shrinkage=0
    ... )
    >>> round(found.value, 3)
    0.2
    >>> found
    MESD 0.2000
      4 rows; tail 'continuous', alpha 0.1, shrinkage 0
      instability: mean 0.2500, worst group 0.3500
      largest difference 0.2000: 'a' against 'b'
      b  S = 0.6500, 2 rows
      a  S = 0.8500, 2 rows
    """
    options = check_summary_options(
        shrinkage=shrinkage,
        alpha=alpha,
        tail=tail,
        n_permutations=n_permutations,
        n_resamples=n_resamples,
        confidence=confidence,
    )
    columns = align(stability=stability, y=y, sensitive_features=sensitive_features)
    values = _read_stability(columns["stability"][0])
    coded = code_rows(columns, groups=groups, missing=missing)
    kept = coded.groups >= 0
    labels = coded.labels[kept]
    rows = StableRows(
        values[kept],
        coded.groups[kept],
        labels,
        coded.group_labels,
        coded.label_values,
        np.bincount(labels, minlength=len(coded.label_values)) / len(labels),
    )
    result = summarise(rows, rng=as_generator(random_state), **options)
    warn_of(result)
    return result


def mesd(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    explainers: Sequence = ("shap", "lime"),
    weights: Sequence[float] | None = None,
    background: Any = None,
    n_samples: int | None = 200,
    n_perturbations: int = 10,
    sigma: float = 0.1,
    mask_probability: float = 0.2,
    noise_on_masked: bool = False,
    categorical: str = "mask",
    distance: str = "l2",
    stability: str = "linear",
    pos_label: Hashable | None = None,
    shrinkage: float = 10.0,
    alpha: float = 0.1,
    tail: str = "continuous",
    sampling: str = "stratified",
    confidence: float = 0.95,
    n_permutations: int = 1000,
    n_resamples: int = 1000,
    missing: str = "raise",
    random_state: RandomState = None,
) -> MESDResult:
    """Disparity of the stability of a classifier's explanations between groups.

    Parameters
    ----------
    estimator : fitted classifier or callable
        With ``predict_proba`` or ``decision_function``, or a function of a table that returns
        scores of shape (n,) or (n, K).
    X : data frame, array or sparse matrix of shape (n, d)
        What the estimator takes.
    y : array-like of shape (n,)
        Labels. Groups are compared at equal shares of the labels, those of all rows.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make the groups of their observed combinations.
    explainers, weights
        How rows are explained, see :func:`explanation_stability`.
    background : table with the columns of `X`, optional
        Default: all rows of `X`.
    n_samples : int or None, default=200
        Number of rows to explain; None: all.
    n_perturbations, sigma, mask_probability, noise_on_masked, categorical, distance, stability, \
pos_label
        How rows are perturbed and compared, see :func:`explanation_stability`.
    shrinkage, alpha, tail
        How stabilities become MESD, see :func:`mesd_from_stability`.
    sampling : {"stratified", "simple"}, default="stratified"
        How the rows to explain are drawn. "stratified": each group has its share, and at least
        one row where `n_samples` allows it.
    confidence : float, default=0.95
        Of the intervals, in (0, 1).
    n_permutations, n_resamples : int, default=1000
        Number of replicates for the null and for the intervals; they cost no explanation.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives every model the same rows, neighbours and explainer draws.

    Returns
    -------
    MESDResult

    Raises
    ------
    TypeError
        If the estimator has neither ``predict_proba`` nor ``decision_function``.
    ValueError
        If inputs are empty, misaligned or have missing values, the background has other columns
        than `X`, or an option is not allowed.

    Warns
    -----
    UndefinedMetricWarning
        If there is one group: the disparity is NaN.
    UserWarning
        If all attributions are zero, as those of a constant model: MESD is 0 and says nothing. If
        weights do not sum to 1, or rows are left out.

    See Also
    --------
    skfairprop.scorers.MESDScorer : The same in a search.

    Notes
    -----
    It misleads where it is compared with 0: with 200 rows it was .003 to .024 by chance, which
    ``null_mean`` shows. ``p_value`` answers whether the groups differ: for a model that treats
    them alike it is uniform. It misleads, too, where two models are compared, as it changes from
    draw to draw: ``worst_group_instability`` is steady.

    References
    ----------
    .. [1] Popoola & Sheppard (2026), "MESD".

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.metrics import mesd
    >>> problem = make_biased_classification(400, random_state=0)
    >>> model = LogisticRegression().fit(problem.data, problem.target)
    >>> found = mesd(
    ...     model,
    ...     problem.data,
    ...     problem.target,
    ...     sensitive_features=problem.sensitive_features,
    ...     n_samples=50,
    ...     random_state=0,
    ... )
    >>> 0 <= found.value <= found.max <= 1
    True
    """
    options = check_summary_options(
        shrinkage=shrinkage,
        alpha=alpha,
        tail=tail,
        n_permutations=n_permutations,
        n_resamples=n_resamples,
        confidence=confidence,
    )
    check_sampling(n_samples, sampling)
    plan = Plan.make(
        explainers=explainers,
        weights=weights,
        background=background,
        n_perturbations=n_perturbations,
        sigma=sigma,
        mask_probability=mask_probability,
        noise_on_masked=noise_on_masked,
        categorical=categorical,
        distance=distance,
        stability=stability,
        pos_label=pos_label,
        random_state=random_state,
    )
    columns = align(X=_row_numbers(X), y=y, sensitive_features=sensitive_features)
    coded = code_rows(columns, missing=missing)
    rows = sample_rows(coded.groups, n_samples, sampling, plan.seed)
    found = plan.fitted(X).explain(Model(estimator), take(X, rows))
    result = summarise(coded.explained(rows, found), rng=as_generator(plan.seed), **options)
    warn_of(result)
    return result


def _row_numbers(X: Any) -> Any:
    """The index of `X` where it has one, as a column that can be aligned with others."""
    numbers = np.arange(count_rows(X))
    return pd.Series(numbers, index=X.index) if isinstance(X, pd.DataFrame) else numbers


def check_summary_options(
    *,
    shrinkage: float,
    alpha: float,
    tail: str,
    n_permutations: int = 0,
    n_resamples: int = 0,
    confidence: float = 0.95,
) -> dict:
    """The options of :func:`summarise`, checked."""
    check_choice("tail", tail, TAILS)
    return {
        "shrinkage": check_number("shrinkage", shrinkage, "[0, inf)"),
        "alpha": check_number("alpha", alpha, "(0, 1)"),
        "tail": tail,
        "n_permutations": check_integer("n_permutations", n_permutations, least=0),
        "n_resamples": check_integer("n_resamples", n_resamples, least=0),
        "confidence": check_number("confidence", confidence, "(0, 1)"),
    }


def warn_of(result: MESDResult, *, comparing: bool = True, stacklevel: int = 3) -> None:
    """Say so where there is one group, or where a constant model was explained."""
    if result.degenerate:
        warnings.warn(
            "all attributions are zero, as those of a constant model: every explanation is "
            "perfectly stable and mesd is degenerate",
            UserWarning,
            stacklevel=stacklevel,
        )
    if comparing and len(result.group_stability) < 2:
        warnings.warn(
            "mesd is undefined (NaN): it compares groups, and there is only one: "
            f"{name_some(result.group_stability.index)}",
            UndefinedMetricWarning,
            stacklevel=stacklevel,
        )


def _read_stability(column: Column) -> np.ndarray:
    try:
        values = pd.Series(column.values).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError("stability must hold numbers in [0, 1]") from None
    if np.isnan(values).any():
        raise ValueError(
            f"stability: {np.count_nonzero(np.isnan(values)):,} of {len(values):,} values are "
            "missing; leave those rows out"
        )
    outside = (values < -1e-9) | (values > 1 + 1e-9)
    if outside.any():
        raise ValueError(
            f"stability: {np.count_nonzero(outside):,} of {len(values):,} values are outside "
            f"[0, 1], as {values[outside][0]:g}; 1 is perfectly stable"
        )
    return values
