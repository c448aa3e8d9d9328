"""Predictability of one thing from another, and its amplification by a model.

Source: Tokas, Nair and Kerner, "DPA: A one-stop metric to measure bias amplification in
classification datasets", NeurIPS 2025.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skfairprop._checks import check_number, check_switch
from skfairprop._random import RandomState
from skfairprop.metrics._amplification_kernels import (
    EPS,
    change,
    majority_share,
    psi,
)
from skfairprop.metrics._amplification_rows import (
    Labels,
    Rows,
    count_rows,
    read_prior,
    read_rows,
    warn_if_alone,
)
from skfairprop.metrics._attackers import tabulate
from skfairprop.metrics._comparison import (
    Contrast,
    Judge,
    check_equalization,
    plug_in_bias,
    psi_pair,
    warn_if_inflated,
)
from skfairprop.metrics._rates import Rates


def predictability(
    prior: Any,
    target: Any,
    *,
    method: Any = "contingency",
    quality: str | Callable[..., float] = "accuracy",
    cv: Any = 5,
    n_repeats: int = 1,
    sample_weight: Any = None,
    missing: str = "raise",
    random_state: RandomState = None,
    return_details: bool = False,
) -> float | Bunch:
    """How well `target` can be guessed from `prior`: the quality of the best attacker, Psi.

    Parameters
    ----------
    prior : array-like of shape (n,) or (n, n_columns)
        What is known. Counted (`method` a string): classes, several columns being intersected.
        With an estimator also scores, embeddings or a 0/1 matrix of label sets.
    target : array-like of shape (n,) or (n, n_labels)
        What is guessed: classes; with a classifier also a 0/1 matrix of label sets, with a
        regressor numbers.
    method : {"contingency", "crossfit"} or estimator, default="contingency"
        "contingency": the accuracy of the commonest target of each prior, in closed form.
        "crossfit": the same rule learned on the other folds. An estimator: any scikit-learn
        classifier or regressor, cloned and judged out of fold.
    quality : {"accuracy", "balanced_accuracy", "brier", "inverse_log_loss"} or callable, \
default="accuracy"
        Of an estimator's guesses. "brier" is 1 - the Brier score scaled to [0, 1]. For label sets
        all are means over the labels. A callable gets true and guessed values, and
        ``sample_weight=`` where rows have weights.
    cv : int, splitter or iterable, default=5
        Folds, shuffled if an int; not used by "contingency".
    n_repeats : int, default=1
        How often to cross-fit anew; the value is the mean.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing values of a counted prior.
    random_state : int, RandomState, Generator or None, default=None
        Of the folds; an estimator keeps its own.
    return_details : bool, default=False
        Return a Bunch instead of the float.

    Returns
    -------
    float, or Bunch if `return_details`
        In [0, 1], except for a callable and "inverse_log_loss", which is positive and unbounded.
        The Bunch has ``value``; ``repeats``, the value of each, and their ``std`` (ddof=1); and
        for a categorical target ``majority_share``, the accuracy of always guessing the commonest
        target, and for a categorical prior ``goodman_kruskal_lambda``, the share of the errors
        that knowing the prior avoids, (Psi - majority share) / (1 - majority share).

    Raises
    ------
    ValueError
        If the inputs are empty, misaligned or have missing values, if an option is not known, or
        if the values cannot be guessed in this way.

    Warns
    -----
    UserWarning
        If the closed form is notably inflated for want of rows: by .02 or more, as estimated by
        resampling the table, which finds a half to a third of it where classes are balanced.

    Notes
    -----
    Psi = sum_i max_k n_ik / n is the accuracy of the Bayes-optimal attacker on the table at
    hand [1]_. It never falls below the majority share: without it beside it, the value says
    nothing about association. In a small sample each prior's largest class is partly chance, and
    the closed form too large; cross-fitting corrects that, and errs a little to the low side.

    References
    ----------
    .. [1] Tokas, Nair and Kerner, "DPA: A one-stop metric to measure bias amplification in
       classification datasets", NeurIPS 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.metrics import predictability
    >>> sex = np.repeat(["m", "m", "f", "f"], [50, 150, 22, 78])
    >>> hired = np.repeat([1, 0, 1, 0], [50, 150, 22, 78])
    >>> predictability(sex, hired)
    0.76
    """
    judge = Judge(method, quality, cv, n_repeats, random_state)
    source, goal, weight = read_prior(
        prior,
        target,
        categorical=isinstance(method, str),
        sample_weight=sample_weight,
        missing=missing,
    )
    if judge.counts and isinstance(source, Labels) and isinstance(goal, Labels):
        counts = count_rows(source, goal, None, weight)
        bias = plug_in_bias(counts, lambda rates: psi(rates.values))
        warn_if_inflated("predictability", bias, counts, stacklevel=3)
        values = np.array([psi(counts.values)])
    else:
        repeats = judge.repeats(goal)
        values = np.array([judge(source, goal, splits, weight) for splits, _ in repeats])
    if not return_details:
        return float(values.mean())
    details = _bunch(values.mean(), values)
    if isinstance(source, Labels) and isinstance(goal, Labels):
        table = tabulate(source, goal, slice(None), weight)
        share = details.majority_share = float(majority_share(table))
        rest = 1 - share
        details.goodman_kruskal_lambda = (details.value - share) / rest if rest else float("nan")
    return details


def directional_predictability_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_pred: Any = None,
    direction: str = "a_to_t",
    equalize: str | None = None,
    relative: bool = True,
    eps: float = EPS,
    method: Any = "contingency",
    quality: str | Callable[..., float] = "accuracy",
    cv: Any = 5,
    n_repeats: int = 10,
    sample_weight: Any = None,
    missing: str = "raise",
    random_state: RandomState = None,
    return_details: bool = False,
) -> float | Bunch:
    """How much better a model's output can be guessed across the attribute than the truth (DPA).

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, n_labels)
        True classes; with an estimator as `method` also a 0/1 matrix of label sets, or numbers.
    y_pred : array-like of shape (n,) or (n, n_labels), or None
        Predicted classes, label sets or numbers. Not used, and may be None, in "t_to_a".
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sensitive_pred : array-like, Series or DataFrame, optional
        Predicted protected values, as many columns as `sensitive_features`. For "t_to_a".
    direction : {"a_to_t", "t_to_a"}, default="a_to_t"
        From attribute to task: the predicted task is guessed from the attribute, and compared with
        the true task guessed from it. From task to attribute: the predicted attribute is guessed
        from the true task.
    equalize : {None, "expected", "random"}, default=None
        Give the true labels as many errors as the model makes first, so that a model is not
        called unbiased for being inaccurate: in expectation (on counts), or drawn for each repeat.
    relative : bool, default=True
        Divide the difference by the sum.
    eps : float, default=1e-10
        Added to the sum.
    method, quality, cv
        The attacker, see :func:`predictability`. Data and model are guessed on the same folds.
    n_repeats : int, default=10
        Number of random draws or cross-fits; the value is their mean.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        Of the draws and the folds; an estimator keeps its own.
    return_details : bool, default=False
        Return a Bunch instead of the float.

    Returns
    -------
    float, or Bunch if `return_details`
        In [-1, 1]; 0 where the model is as predictable as the data, positive where it is more so.
        NaN, with a warning, for one group. The Bunch has ``value``; ``repeats``, the value of
        each, and their ``std``; ``psi_data`` and ``psi_model``; ``estimated_bias``, that of the
        closed form by the size of the sample; and for classes ``accuracy``,
        ``majority_share_data`` and ``_model``, ``lambda_data`` and ``_model`` (Goodman and
        Kruskal: the share of errors that the prior avoids), and ``worst_pair`` (prior, target, and
        how often they go together in the data and from the model).

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, have missing values or are of different kinds; if
        `sensitive_pred` is wanting in "t_to_a"; if an option is not known, or not possible for
        this method.

    Warns
    -----
    UndefinedMetricWarning
        For one group, or one class.
    UserWarning
        If the closed form is notably biased for want of rows (as for :func:`predictability`); if
        equalisation meets a model worse than chance, where it reverses the associations.

    Notes
    -----
    (Psi_M - Psi_D) / (Psi_M + Psi_D + eps), Psi being the :func:`predictability` of the target
    from the prior for the data D and the model M [1]_.

    Psi rises with *any* concentration of the predictions: a model that always predicts one class
    has Psi_M = 1 and the largest DPA there is. Compare the majority shares and lambdas in the
    details before reading an association into it. It is blind to a reversed association: a model
    that turns round who is preferred may have DPA 0. In small samples the closed form of Psi is
    inflated, more so where groups and classes are many and Psi is small: with ten of each and
    300 rows a DPA of .47 comes out as .21 on average, and with ``method="crossfit"`` as .46. For
    searches, minimise the absolute value.

    References
    ----------
    .. [1] Tokas, Nair and Kerner, "DPA: A one-stop metric to measure bias amplification in
       classification datasets", NeurIPS 2025. The degraded labels are those of its equalisation,
       here also in closed form.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.metrics import directional_predictability_amplification
    >>> n = [15, 35, 150, 9, 13, 78]
    >>> sex = np.repeat(["m", "m", "m", "f", "f", "f"], n)
    >>> hired, predicted = np.repeat([1, 1, 0, 1, 1, 0], n), np.repeat([1, 0, 0, 1, 0, 0], n)
    >>> value = directional_predictability_amplification(
    ...     hired, predicted, sensitive_features=sex
    ... )
    >>> round(value, 4)
    0.0952
    """
    judge = dpa_judge(
        method=method,
        quality=quality,
        cv=cv,
        n_repeats=n_repeats,
        random_state=random_state,
        equalize=equalize,
        relative=relative,
        eps=eps,
    )
    rows = read_rows(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sensitive_pred=sensitive_pred,
        direction=direction,
        sample_weight=sample_weight,
        missing=missing,
        scores=not isinstance(method, str),
    )
    prior, data, model = rows.targets(direction)
    return _amplification(
        "directional_predictability_amplification",
        rows,
        Contrast((prior, data), (prior, model), role=1, weight=rows.weight),
        judge,
        equalize,
        lambda before, after: change(before, after, relative=relative, eps=eps),
        return_details,
    )


def dpa_judge(*, equalize: Any, relative: Any, eps: Any, **attack: Any) -> Judge:
    """The judge of DPA; ValueError for an option of it, or of the judge, that is not allowed."""
    judge = Judge(**attack)
    check_equalization(equalize, judge)
    check_switch("relative", relative)
    check_number("eps", eps, "(0, inf)")
    return judge


def leakage_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    equalize: str | None = None,
    method: Any = "contingency",
    quality: str | Callable[..., float] = "accuracy",
    cv: Any = 5,
    n_repeats: int = 10,
    sample_weight: Any = None,
    missing: str = "raise",
    random_state: RandomState = None,
    return_details: bool = False,
) -> float | Bunch:
    """How much better the attribute can be guessed from the predictions than from the truth.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, n_labels)
        True classes; with an estimator as `method` also a 0/1 matrix of label sets.
    y_pred : array-like of shape (n,), (n, n_labels) or (n, n_features)
        Predicted classes or label sets; with an estimator also scores or embeddings.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    equalize : {None, "expected", "random"}, default=None
        Give the true labels as many errors as the model makes first: in expectation (on counts),
        or drawn for each repeat.
    method, quality, cv
        The attacker, see :func:`predictability`. Truth and predictions are read on the same folds.
    n_repeats : int, default=10
        Number of random draws or cross-fits; the value is their mean.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    random_state : int, RandomState, Generator or None, default=None
        Of the draws and the folds; an estimator keeps its own.
    return_details : bool, default=False
        Return a Bunch instead of the float.

    Returns
    -------
    float, or Bunch if `return_details`
        In [-1, 1]; positive where the predictions tell more about the attribute than the truth.
        NaN, with a warning, for one group. The Bunch is that of
        :func:`directional_predictability_amplification`, prior and target being task and
        attribute.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, have missing values or are of different kinds; if an
        option is not known, or not possible for this method.

    Warns
    -----
    UndefinedMetricWarning
        For one group, or one class.
    UserWarning
        If the closed form is notably biased for want of rows; if equalisation meets a model worse
        than chance.

    Notes
    -----
    Psi(predicted T -> A) - Psi(T -> A), Psi being the :func:`predictability` [1]_; the closed form
    and the equalisation are those of [2]_. It has no direction in the causal sense: it rises with
    a model's bias from attribute to task just as directional measures do, also on balanced data.
    It is 0 wherever the largest group is the best guess for every class, whatever the association:
    look at ``lambda_data`` and ``lambda_model`` in the details.

    References
    ----------
    .. [1] Wang, Zhao, Yatskar, Chang and Ordonez, "Balanced datasets are not enough", ICCV 2019.
    .. [2] Tokas, Nair and Kerner, "DPA: A one-stop metric to measure bias amplification in
       classification datasets", NeurIPS 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.metrics import leakage_amplification
    >>> n = [500, 300, 200, 500, 300, 200]
    >>> sex = np.repeat(["m", "m", "m", "f", "f", "f"], n)
    >>> truth, predicted = np.repeat([0, 1, 1, 1, 0, 0], n), np.repeat([0, 1, 0, 1, 0, 1], n)
    >>> round(leakage_amplification(truth, predicted, sensitive_features=sex), 3)
    0.2
    """
    judge = Judge(method, quality, cv, n_repeats, random_state)
    check_equalization(equalize, judge)
    rows = read_rows(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
        scores=not isinstance(method, str),
    )
    assert rows.pred is not None  # read_rows requires it
    return _amplification(
        "leakage_amplification",
        rows,
        Contrast((rows.truth, rows.group), (rows.pred, rows.group), role=0, weight=rows.weight),
        judge,
        equalize,
        lambda before, after: after - before,
        return_details,
    )


def _amplification(
    name: str,
    rows: Rows,
    contrast: Contrast,
    judge: Judge,
    equalize: str | None,
    difference: Callable[[Any, Any], Any],
    return_details: bool,
) -> float | Bunch:
    """Value of `difference` between the qualities in the data and of the model, with details."""
    alone = warn_if_alone(name, rows, stacklevel=4)
    counts, bias = contrast.counts(), float("nan")
    errors = contrast.errors(equalize)
    if judge.counts and counts is not None and equalize != "random":
        role = contrast.role
        bias = plug_in_bias(counts, lambda rates: difference(*psi_pair(rates, role, errors)))
        warn_if_inflated(name, bias, counts, stacklevel=4)
        qualities = np.array([psi_pair(Rates(counts.values), role, errors)])
    else:
        qualities = contrast.qualities(judge, equalize, errors)
    values = difference(*qualities.T)
    value = float("nan") if alone else float(values.mean())
    if not return_details:
        return value
    found = _bunch(value, values)
    found.psi_data, found.psi_model = (float(q) for q in qualities.mean(0))
    found.update(contrast.describe(), estimated_bias=bias)
    return found


def _bunch(value: float, values: np.ndarray) -> Bunch:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return Bunch(value=float(value), repeats=values, std=spread)
