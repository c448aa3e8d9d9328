"""Change of the rates of labels and of their combinations."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skfairprop._checks import check_integer
from skfairprop.metrics._amplification_rows import (
    Labels,
    LabelSets,
    Rows,
    Scores,
    read_rows,
    warn_if_alone,
)
from skfairprop.metrics._label_sets import Combinations, count_combinations
from skfairprop.metrics._pairs import long_table, tables_of, worst_pair
from skfairprop.metrics._rates import Array


def multi_attribute_bias_amplification(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    max_size: int | None = None,
    sample_weight: Any = None,
    missing: str = "raise",
    return_details: bool = False,
) -> tuple[float, float] | Bunch:
    """How much the rates of labels and of their combinations change, over all groups.

    Parameters
    ----------
    y_true : array-like, sparse matrix or DataFrame of shape (n,) or (n, n_labels)
        True classes, or a 0/1 column for each label.
    y_pred : as `y_true`
        Predicted classes or label sets.
    sensitive_features : array-like, Series, DataFrame or dict of array-likes
        One or several protected columns; several make their observed combinations.
    max_size : int, optional
        Largest number of labels in a combination. Default: all combinations that rows have.
    sample_weight : array-like of shape (n,), optional
        Not negative.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    return_details : bool, default=False
        Return a Bunch instead of the pair.

    Returns
    -------
    (mean, variance), or Bunch if `return_details`
        The mean absolute change, in [0, 1], and the (population) variance of the signed change.
        NaN, with a warning, for one group, or if no row has a label. The Bunch has ``mean``,
        ``variance``, ``changes``, a DataFrame with a row for each group (``prior``) and
        combination (``target``, a tuple of labels): ``p_data``, ``p_model`` and ``change``; and
        ``worst_pair``, that of the largest absolute change. Registry and scorer have the mean.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned, have missing values or are of different kinds; if there
        are too many combinations to count.

    Warns
    -----
    UndefinedMetricWarning
        For one group, or one class.

    Notes
    -----
    The change of a combination m for group a is P(the prediction has m | a) - P(the truth has
    m | a), a row having m if it has all of its labels [1]_. All m that some true row has count, of
    one class a row its classes; label sets that never occur are not enumerated. Deviation: all
    groups and combinations count, not only those where a group is over-represented.

    Any change counts, also one that lessens a difference; small groups and rare combinations change
    by chance alone, so that the mean is above 0 for every imperfect model.

    References
    ----------
    .. [1] Zhao, Andrews and Xiang, "Men Also Do Laundry: Multi-Attribute Bias Amplification",
       ICML 2023.

    Examples
    --------
    >>> from skfairprop.metrics import multi_attribute_bias_amplification
    >>> truth = [[1, 1], [1, 0], [0, 1], [0, 1]]
    >>> predicted = [[1, 1], [1, 1], [0, 1], [0, 0]]
    >>> mean, variance = multi_attribute_bias_amplification(
    ...     truth, predicted, sensitive_features=list("aabb")
    ... )
    >>> round(mean, 3), round(variance, 3)
    (0.25, 0.118)
    """
    if max_size is not None:
        check_integer("max_size", max_size, least=1)
    rows = read_rows(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    alone = warn_if_alone("multi_attribute_bias_amplification", rows)
    sizes = rows.group.sizes(rows.weight)
    kept = sizes > 0
    changes, tables = _Changes(), []
    for part in _combinations(rows, max_size):
        rates = [(counts[kept].T / sizes[kept]).T for counts in (part.true, part.pred)]
        changes.add(rates[1] - rates[0])
        if return_details:
            tables.append(_rate_table(rows, kept, part, *rates))
    mean, variance = (math.nan, math.nan) if alone else (changes.mean, changes.variance)
    if not return_details:
        return mean, variance
    table = pd.concat(tables, ignore_index=True)
    worst = worst_pair(table.assign(contribution=table["change"].abs()))
    return Bunch(mean=mean, variance=variance, changes=table, worst_pair=worst)


class _Changes:
    """Running mean absolute change and variance of the change, part by part."""

    def __init__(self) -> None:
        self.n = 0
        self.sums = np.zeros(3)

    def add(self, change: np.ndarray) -> None:
        """Add changes, an array of any shape."""
        self.n += change.size
        self.sums += np.abs(change).sum(), change.sum(), (change * change).sum()

    @property
    def mean(self) -> float:
        return float(self.sums[0] / self.n)

    @property
    def variance(self) -> float:
        return float(max(self.sums[2] / self.n - (self.sums[1] / self.n) ** 2, 0.0))


def _combinations(rows: Rows, max_size: int | None) -> Iterator[Combinations]:
    """Combinations that the truth has; of one class a row, the classes."""
    if isinstance(rows.truth, LabelSets) and isinstance(rows.pred, LabelSets):
        matrices = (rows.truth.matrix, rows.pred.matrix)
        n_groups = len(rows.group.labels)
        if not matrices[0].count_nonzero():
            yield Combinations(np.empty((0, 1), dtype=np.intp), *np.empty((2, n_groups, 0)))
        yield from count_combinations(*matrices, rows.group.codes, n_groups, rows.weight, max_size)
        return
    assert rows.pred is not None  # read_rows requires it
    both = tables_of(rows.group, rows.truth, rows.pred, rows.weight)
    before, after = (table.to_numpy() for table in both)
    seen = np.flatnonzero(before.any(0))
    yield Combinations(seen[:, None], before[:, seen], after[:, seen])


def _rate_table(
    rows: Rows, kept: Array, part: Combinations, p_data: Array, p_model: Array
) -> pd.DataFrame:
    truth = rows.truth
    assert not isinstance(truth, Scores)  # read_rows refuses them
    names = truth.labels.tolist() if isinstance(truth, Labels) else truth.names
    sets = pd.Index([tuple(names[i] for i in row) for row in part.labels], tupleize_cols=False)
    columns = {"p_data": p_data, "p_model": p_model, "change": p_model - p_data}
    return long_table(rows.group.labels[kept], sets, **columns)
