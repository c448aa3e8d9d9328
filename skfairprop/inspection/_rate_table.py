"""Rates of every group with their intervals, and what the gaps between two groups are worth."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from skfairprop._suggest import closest
from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text
from skfairprop.inference import gap_interval, gap_p_value, rate_interval
from skfairprop.metrics import Rates
from skfairprop.metrics._by_group import RATE_COLUMNS, has_positive
from skfairprop.metrics._metric import find_positive

# What a rate is a share of, for a class {c}.
RATE_TITLES = {
    "base_rate": "Base rate",
    "selection_rate": "Selection rate",
    "accuracy": "Accuracy",
    "tpr": "True positive rate",
    "fpr": "False positive rate",
    "fnr": "False negative rate",
    "tnr": "True negative rate",
    "precision": "Precision",
}
RATE_MEANINGS = {
    "base_rate": "truly {c},\nof all",
    "selection_rate": "predicted {c},\nof all",
    "accuracy": "predicted correctly,\nof all",
    "tpr": "predicted {c},\nof those truly {c}",
    "fpr": "predicted {c},\nof the others",
    "fnr": "not predicted {c},\nof those truly {c}",
    "tnr": "not predicted {c},\nof the others",
    "precision": "truly {c},\nof those predicted {c}",
}


def check_rates(rates: str | Sequence[str] | None, counts: GroupCounts, positive: bool) -> list:
    """Names of the rates to draw; by default those that say most.

    Raises
    ------
    ValueError
        If a rate is not known, or needs predictions that are not there.
    """
    if rates is None:
        if not counts.predicted:
            return ["base_rate"]
        return ["selection_rate", "tpr", "fpr"] if positive else ["tpr"]
    names = [rates] if isinstance(rates, str) else list(rates)
    if not names:
        raise ValueError(f"rates is empty; name some of {', '.join(RATE_COLUMNS)}")
    for name in names:
        if name not in RATE_COLUMNS:
            raise ValueError(f"no rate {name!r}{closest(name, RATE_COLUMNS)}")
        if name != "base_rate":
            counts.require_predictions(f"the rate {name!r}")
    return list(dict.fromkeys(names))


def rate_table(
    counts: GroupCounts,
    *,
    rates: str | Sequence[str] | None = None,
    pos_label: Hashable | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Rates of every group, one row for each rate, class and group.

    Parameters
    ----------
    counts : GroupCounts
        Without replicate axes, and without unused groups and classes.
    rates : str or sequence of str, optional
        Columns of :func:`~skfairprop.metrics.group_rates`.
    pos_label : hashable, optional
        The positive class. Without it, and unless the labels tell, every class against the rest.
    confidence : float, default=0.95

    Returns
    -------
    DataFrame
        ``rate``, ``class`` (text; None for the accuracy), ``group`` (text), ``value`` (NaN where
        0/0), ``lower``, ``upper``, ``n`` (the denominator), ``n_effective`` (Kish's, where rows
        have weights) and ``everyone`` (the rate of all groups together).
    """
    positive = None
    if pos_label is not None or has_positive(counts):
        counts, positive = find_positive(counts, pos_label, "rates")
    names = check_rates(rates, counts, positive is not None)
    return pd.concat(
        [_one_rate(counts, name, positive, confidence) for name in names], ignore_index=True
    )


def _one_rate(counts: GroupCounts, name: str, positive: int | None, confidence) -> pd.DataFrame:
    internal, predicted = RATE_COLUMNS[name], counts.predicted
    found = Rates(counts.values, predicted=predicted)
    pooled = Rates(counts.values.sum(0, keepdims=True), predicted=predicted)
    part, whole = found.parts(internal)
    value = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    effective = np.asarray(whole, dtype=float)
    if counts.squared is not None:  # a denominator is a sum of cells, and so are its squares
        squares = Rates(counts.squared, predicted=predicted).parts(internal)[1]
        effective = np.divide(whole**2, squares, out=np.zeros(whole.shape), where=squares > 0)
    lower, upper = rate_interval(part, whole, confidence=confidence, effective_n=effective)
    if internal == "accuracy":
        columns: list[tuple[int, str | None]] = [(0, None)]
    elif positive is None:
        columns = [(k, label_text(label)) for k, label in enumerate(counts.classes)]
    else:
        columns = [(positive, label_text(counts.classes[positive]))]
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "rate": name,
                    "class": label,
                    "group": counts.group_texts,
                    "value": value[:, k],
                    "lower": lower[:, k],
                    "upper": upper[:, k],
                    "n": whole[:, k],
                    "n_effective": effective[:, k],
                    "everyone": _pooled_rate(pooled, internal, k),
                }
            ).astype({"class": object})
            for k, label in columns
        ]
    )


def _pooled_rate(pooled: Rates, name: str, k: int) -> float:
    part, whole = pooled.parts(name)
    return float(part[0, k] / whole[0, k]) if whole[0, k] > 0 else np.nan


def by_gap(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its classes in the order of their gaps between groups, the widest first."""
    spans = table.groupby(["rate", "class"], sort=False, dropna=False)["value"]
    gaps = (spans.transform("max") - spans.transform("min")).fillna(-1.0)
    place = table["rate"].map({name: i for i, name in enumerate(table["rate"].unique())})
    order = np.lexsort([np.arange(len(table)), -gaps.to_numpy(float), place.to_numpy()])
    return table.iloc[order].reset_index(drop=True)


def pair_table(table: pd.DataFrame) -> pd.DataFrame:
    """Gaps between every two groups in every rate and class of a :func:`rate_table`.

    Parameters
    ----------
    table : DataFrame
        Of :func:`rate_table`; the intervals get its confidence.

    Returns
    -------
    DataFrame
        ``rate``, ``class``, ``first``, ``second`` (groups), ``gap`` (first minus second),
        ``lower``, ``upper``, ``p`` and ``n`` (the smaller effective denominator).

    Notes
    -----
    Intervals and p are those of :func:`~skfairprop.inference.gap_interval` and
    :func:`~skfairprop.inference.gap_p_value`. Weights enter with Kish's effective sizes.
    """
    parts = [
        _pairs_of(rows) for _, rows in table.groupby(["rate", "class"], sort=False, dropna=False)
    ]
    return pd.concat(parts, ignore_index=True)


def _pairs_of(rows: pd.DataFrame) -> pd.DataFrame:
    i, j = np.triu_indices(len(rows), 1)
    value, lower, upper, n = (
        rows[name].to_numpy(float) for name in ("value", "lower", "upper", "n_effective")
    )
    ends = gap_interval(value[i], (lower[i], upper[i]), value[j], (lower[j], upper[j]))
    groups = rows["group"].to_numpy()
    return pd.DataFrame(
        {
            "rate": rows["rate"].iloc[0],
            "class": rows["class"].iloc[0],
            "first": groups[i],
            "second": groups[j],
            "gap": value[i] - value[j],
            "lower": ends[0],
            "upper": ends[1],
            "p": gap_p_value(value[i] * n[i], n[i], value[j] * n[j], n[j]),
            "n": np.minimum(n[i], n[j]),
        }
    ).astype({"class": object})
