"""Counts and rates of every group, as a table."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.metrics._metric import find_positive
from skfairprop.metrics._rates import Rates

# Names of the columns of the table, in order, and the rates behind them.
RATE_COLUMNS = {
    "base_rate": "base_rate",
    "selection_rate": "prediction_rate",
    "accuracy": "accuracy",
    "tpr": "recall",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "tnr": "true_negative_rate",
    "precision": "precision",
}


def group_rates(
    counts: GroupCounts, *, pos_label: Hashable | None = None, denominators: bool = False
) -> pd.DataFrame:
    """Counts and rates per group; per group and class where there is no positive class.

    Parameters
    ----------
    counts : GroupCounts
        Without replicate axes.
    pos_label : hashable, optional
        The positive class. Without it, and unless the labels are {0, 1}, {-1, 1} or booleans,
        there is one row for each group and class, that class against the rest.
    denominators : bool, default=False
        Add a column ``n_<rate>`` with the denominator of each rate.

    Returns
    -------
    DataFrame
        Indexed by group (and class), with the columns ``count``, ``base_rate``,
        ``selection_rate``, ``accuracy``, ``tpr``, ``fpr``, ``fnr``, ``tnr`` and ``precision``, in
        [0, 1]; ``count`` and ``base_rate`` alone for a data set without predictions. An undefined
        rate is NaN. The accuracy is that of all classes, whatever the class of the row. A
        protected column of one of these names gets the prefix ``group_``.

    Raises
    ------
    ValueError
        If `pos_label` is not among the classes, or there are replicate axes.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> from skfairprop.metrics import group_rates
    >>> counts = GroupCounts(
    ...     [[[8, 2], [1, 9]], [[6, 4], [1, 9]]], groups=["a", "b"], classes=[0, 1]
    ... )
    >>> group_rates(counts)[["count", "tpr", "fpr"]].round(2).to_dict("index")
    {'a': {'count': 20, 'tpr': 0.9, 'fpr': 0.2}, 'b': {'count': 20, 'tpr': 0.9, 'fpr': 0.4}}
    """
    if counts.values.ndim > (3 if counts.predicted else 2):
        raise ValueError("counts with replicate axes have no single table; select one replicate")
    if pos_label is not None or has_positive(counts):
        counts, positive = find_positive(counts, pos_label, "group_rates")
        return _one_class(counts, positive, denominators)
    tables = [_one_class(counts, k, denominators) for k in range(counts.n_classes)]
    keys = counts.classes.tolist()
    table = pd.concat(tables, keys=keys, names=["class", *tables[0].index.names])
    order = [*range(1, table.index.nlevels), 0]
    table = table.reorder_levels(order)
    n, k = counts.n_groups, counts.n_classes
    return table.iloc[np.arange(n * k).reshape(k, n).T.ravel()]


def has_positive(counts: GroupCounts) -> bool:
    """Whether the labels themselves tell the positive class."""
    try:
        find_positive(counts, None, "")
    except ValueError:
        return False
    return True


def _one_class(counts: GroupCounts, positive: int, denominators: bool) -> pd.DataFrame:
    rates = Rates(counts.values, predicted=counts.predicted, positive=positive)
    index = counts.groups.set_names(counts.names_beside((*RATE_COLUMNS, "count", "class")))
    by_group = counts.values.sum((-2, -1) if counts.predicted else -1)
    table = pd.DataFrame({"count": by_group}, index=index)
    names = RATE_COLUMNS if counts.predicted else {"base_rate": "base_rate"}
    for column, rate in names.items():
        table[column] = rates.positive_rate(rate)[:, 0]
    if denominators:
        for column, rate in names.items():
            part = rates.parts(rate)[1]
            table[f"n_{column}"] = part[:, 0 if rate == "accuracy" else positive]
    return table
