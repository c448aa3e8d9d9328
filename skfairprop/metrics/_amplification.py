"""Bias amplification by counting how often groups and classes go together."""

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skfairprop._checks import check_choice, check_number
from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.metrics._amplification_kernels import (
    TIES,
    mals,
    pair_changes,
    pair_signs,
    widest_log_ratio,
)
from skfairprop.metrics._amplification_rows import (
    Labels,
    count_rows,
    read_rows,
    warn_if_alone,
)
from skfairprop.metrics._metric import UNDEFINED_POLICIES, find_positive, say_undefined
from skfairprop.metrics._pairs import (
    count_pairs,
    most_changed,
    over_same_labels,
    read_reference,
    share_table,
    table_of,
    tables_of,
    worst_pair,
)
from skfairprop.metrics._rates import Array


def directional_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_pred: Any = None,
    direction: str = "a_to_t",
    tie: str = "zero",
    sample_weight: Any = None,
    missing: str = "raise",
    return_details: bool = False,
) -> float | Bunch:
    """How much a model strengthens the associations that attribute and task have in the data (BA).

    Parameters
    ----------
    y_true : array-like, sparse matrix or DataFrame of shape (n,) or (n, n_labels)
        True classes, or a 0/1 column for each label.
    y_pred : as `y_true`, or None
        Predicted classes or label sets. Not used, and may be None, in "t_to_a".
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sensitive_pred : array-like, Series or DataFrame, optional
        Predicted protected values, as many columns as `sensitive_features`. For "t_to_a".
    direction : {"a_to_t", "t_to_a"}, default="a_to_t"
        "a_to_t": how often a task is predicted for a group, against how often it is true of it.
        "t_to_a": how often a group is predicted for a task, against how often it has it.
    tie : {"zero", "paper"}, default="zero"
        What a pair counts that is exactly independent in the data: nothing, or, as printed, the
        negative of its change.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    return_details : bool, default=False
        Return a Bunch instead of the float.

    Returns
    -------
    float, or Bunch if `return_details`
        In [-1, 1]; positive where associations become stronger. NaN, with a warning, for one
        group. The Bunch has ``value``; ``pairs``, a DataFrame with a row for each prior and target:
        ``p_data``, ``p_model``, ``sign`` (1 if they go together in the data, -1 if they avoid each
        other, 0 for a tie) and ``contribution``; and ``worst_pair``, the one with the largest
        contribution.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, have missing values or are of different kinds; if
        `sensitive_pred` is wanting in "t_to_a"; if an option is not known.

    Warns
    -----
    UndefinedMetricWarning
        For one group, or one class.

    Notes
    -----
    Mean over attributes a and tasks t of y_at D_at - (1 - y_at) D_at, where
    D_at = P(predicted t | a) - P(t | a) and y_at = [P(a, t) > P(a) P(t)] [1]_. Deviation: a tie,
    P(a, t) = P(a) P(t), counts 0 instead of -D_at, which would depend on what is called the task.
    Ties are decided in exact integer arithmetic; only where weights are fractions, products that
    differ by less than 1e-9 of the larger one are ties.

    It says where associations grow, but only those there are: on exactly balanced data it is 0,
    whatever the model does. Opposite changes cancel; look at the pairs.

    References
    ----------
    .. [1] Wang and Russakovsky, "Directional Bias Amplification", ICML 2021, equation 1.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.metrics import directional_bias_amplification
    >>> n = [15, 35, 150, 9, 13, 78]
    >>> sex = np.repeat(["m", "m", "m", "f", "f", "f"], n)
    >>> hired, predicted = np.repeat([1, 1, 0, 1, 1, 0], n), np.repeat([1, 0, 0, 1, 0, 0], n)
    >>> round(directional_bias_amplification(hired, predicted, sensitive_features=sex), 4)
    -0.0225
    """
    check_choice("tie", tie, TIES)
    name = "directional_bias_amplification"
    rows = read_rows(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sensitive_pred=sensitive_pred,
        direction=direction,
        sample_weight=sample_weight,
        missing=missing,
    )
    alone = warn_if_alone(name, rows)
    pairs = count_pairs(*rows.targets(direction), rows.weight)
    changes = pair_changes(pairs.data, pairs.model, pairs.prior)
    signs = pair_signs(pairs.data, pairs.prior, pairs.target, pairs.total, tie=tie)
    value = math.nan if alone else float((signs * changes).mean())
    if not return_details:
        return value
    table = pairs.frame(sign=signs, contribution=signs * changes)
    return Bunch(value=value, pairs=table, worst_pair=worst_pair(table))


def mals_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_pred: Any = None,
    reference: GroupCounts | tuple | None = None,
    sample_weight: Any = None,
    undefined: str = "drop",
    missing: str = "raise",
    return_details: bool = False,
) -> float | Bunch:
    """How much larger the over-represented groups' shares of each class are among the predictions.

    Parameters
    ----------
    y_true : array-like, sparse matrix or DataFrame of shape (n,) or (n, n_labels)
        True classes, or a 0/1 column for each label.
    y_pred : as `y_true`
        Predicted classes or label sets.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sensitive_pred : array-like, Series or DataFrame, optional
        Predicted protected values, for a model that predicts both. Default: the true ones.
    reference : GroupCounts or (y, sensitive_features), optional
        The labels and groups that the model was trained on, whose shares are the standard.
        Default: the true labels of the same rows.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    undefined : {"drop", "zero", "raise", "nan"}, default="drop"
        What to do with a class that is never predicted, or not in the reference, so that the
        groups have no shares of it: leave it out of the mean with a warning, count the shares as
        0, refuse it, or return NaN.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    return_details : bool, default=False
        Return a Bunch instead of the float.

    Returns
    -------
    float, or Bunch if `return_details`
        In [-1, 1]; positive where the shares of over-represented groups rise. NaN, with a
        warning, for one group. The Bunch has ``value``; ``pairs``, a DataFrame with a row for each
        class and group: ``p_data``, ``p_model`` (the group's shares of the class in the reference
        and among the predictions), ``over_represented`` and ``contribution``; and ``worst_pair``.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, have missing values or are of different kinds; if a class
        is predicted that the reference does not have.

    Warns
    -----
    UndefinedMetricWarning
        For one group or one class, and for the classes that are left out.

    Notes
    -----
    1/|T| sum_a sum over the t with b*(a, t) > 1/|A| of b~(a, t) - b*(a, t), b being the share of
    group a among the rows of class t in the reference (*) and among the predictions (~) [1]_.
    Groups that the reference does not have are absent from it.

    What counts as associated is a share above 1/|A|: with groups of unequal size the largest
    group is called associated with everything. It has no direction and no equalisation.

    References
    ----------
    .. [1] Zhao, Wang, Yatskar, Ordonez and Chang, "Men Also Like Shopping", EMNLP 2017; with the
       attribute held fixed as in Wang and Russakovsky, "Directional Bias Amplification", 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.metrics import mals_bias_amplification
    >>> n = [15, 35, 150, 9, 13, 78]
    >>> sex = np.repeat(["m", "m", "m", "f", "f", "f"], n)
    >>> hired, predicted = np.repeat([1, 1, 0, 1, 1, 0], n), np.repeat([1, 0, 0, 1, 0, 0], n)
    >>> round(mals_bias_amplification(hired, predicted, sensitive_features=sex), 4)
    -0.0285
    """
    check_choice("undefined", undefined, UNDEFINED_POLICIES)
    name = "mals_bias_amplification"
    rows = read_rows(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sensitive_pred=sensitive_pred,
        sample_weight=sample_weight,
        missing=missing,
    )
    alone = warn_if_alone(name, rows, undefined=undefined)
    assert rows.pred is not None  # read_rows requires it
    if rows.group_pred is None:
        before, after = tables_of(rows.group, rows.truth, rows.pred, rows.weight)
    else:
        before = table_of(rows.group, rows.truth, rows.weight)
        after = table_of(rows.group_pred, rows.pred, rows.weight)
    if reference is not None:
        before = read_reference(reference, rows, after)
    before, after = over_same_labels(before, after)
    holes = [
        f"no row of {what} has {name_some(table.columns[~table.any()])}"
        for what, table in (("the reference", before), ("y_pred", after))
        if not table.any().all()
    ]
    value = float(mals(before.to_numpy(), after.to_numpy(), zero=undefined == "zero"))
    if alone:  # that has been warned of
        value = math.nan
    elif undefined != "zero":
        value = math.nan if holes and undefined == "nan" else value
        say_undefined(name, value, holes, undefined, stacklevel=3)
    if not return_details:
        return value
    table = share_table(before, after)
    worst = worst_pair(table[table["over_represented"]])
    return Bunch(value=value, pairs=table, worst_pair=worst)


def differential_fairness_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    concentration: float = 1.0,
    missing: str = "raise",
    return_details: bool = False,
) -> float | Bunch:
    """Differential fairness of the predictions minus that of the labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted classes.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    pos_label : hashable, optional
        Compare this class with the rest. Default: every class.
    concentration : float, default=1.0
        Of the Dirichlet prior that smooths the rates, positive; shared evenly by the classes.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    return_details : bool, default=False
        Return a Bunch instead of the float.

    Returns
    -------
    float, or Bunch if `return_details`
        Unbounded, in units of a natural logarithm: 0.1 means that the largest ratio of two groups'
        rates is 1.1 times as large among the predictions. NaN, with a warning, for one group. The
        Bunch has ``value``, ``epsilon_data`` and ``epsilon_model``, and ``worst_pair``: group,
        class, and the group's rates of it, for the largest change of a smoothed log rate.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values; if `pos_label` does not occur or
        `concentration` is not positive.

    Warns
    -----
    UndefinedMetricWarning
        For one group, or one class.

    Notes
    -----
    epsilon = max over classes and pairs of groups of |log of the ratio of their smoothed rates|,
    (n_at + alpha) / (n_a + |T| alpha) with |T| alpha = `concentration` [1]_. For two classes equal
    to aif360's ``df_bias_amplification``, except where all rows of a group have one class: aif360
    then takes |T| for 1 in that group. For more classes epsilon is taken over all of them.

    The rarest class and the smallest group decide; small groups are far above 0 by chance.

    References
    ----------
    .. [1] Foulds, Islam, Keya and Pan, "An Intersectional Definition of Fairness", ICDE 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.metrics import differential_fairness_bias_amplification
    >>> n = [15, 35, 150, 9, 13, 78]
    >>> sex = np.repeat(["m", "m", "m", "f", "f", "f"], n)
    >>> hired, predicted = np.repeat([1, 1, 0, 1, 1, 0], n), np.repeat([1, 0, 0, 1, 0, 0], n)
    >>> value = differential_fairness_bias_amplification(
    ...     hired, predicted, sensitive_features=sex
    ... )
    >>> round(value, 4)
    0.0784
    """
    check_number("concentration", concentration, "(0, inf)")
    name = "differential_fairness_bias_amplification"
    rows = read_rows(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    if not isinstance(rows.truth, Labels):
        raise ValueError(f"{name} needs one class a row; give it one label, as in y_true[:, 0]")
    alone = warn_if_alone(name, rows)
    counts = count_rows(rows.group, rows.truth, rows.pred, rows.weight).drop_unused()
    tables = [counts.of_labels(), counts.of_predictions()]
    shares = np.full(counts.n_classes, concentration / counts.n_classes)
    values, classes = [t.values for t in tables], counts.classes
    if pos_label is not None:
        positive = find_positive(counts, pos_label, name)[1]
        values = [_against_rest(v, positive) for v in values]
        shares = _against_rest(shares, positive)
        classes = pd.Index([pos_label, "the rest"])
    epsilons = [float(widest_log_ratio(v, shares)) for v in values]
    value = math.nan if alone else epsilons[1] - epsilons[0]
    if not return_details:
        return value
    rates = [(v + shares) / (v + shares).sum(-1, keepdims=True) for v in values]
    return Bunch(
        value=value,
        epsilon_data=epsilons[0],
        epsilon_model=epsilons[1],
        worst_pair=most_changed(rates[0], rates[1], (counts.groups, classes)),
    )


# -- parts --------------------------------------------------------------------------------------


def _against_rest(values: Array, positive: int) -> Array:
    """One column and the sum of the others, (..., 2)."""
    one = values[..., positive]
    return np.stack([one, values.sum(-1) - one], axis=-1)
