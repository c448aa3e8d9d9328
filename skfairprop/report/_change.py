"""From data to model: how the largest gap in the labels changes in the predictions."""

from collections.abc import Hashable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text
from skfairprop.metrics import Rates
from skfairprop.metrics._by_group import has_positive
from skfairprop.metrics._metric import find_positive


@dataclass(frozen=True)
class Change:
    """The two groups furthest apart in the labels, and their gap in the predictions.

    Attributes
    ----------
    high, low : str
        The groups with the largest and the smallest share of the class in the data.
    label : str or None
        The class, where there are several.
    data, model : float
        Their gap in the data, 0 or more, and in the predictions (negative where it reverses).
    change, lower, upper : float
        ``model - data`` and its interval. Positive: the model widens the gap.
    """

    high: str
    low: str
    label: str | None
    data: float
    model: float
    change: float
    lower: float
    upper: float


def data_to_model(
    counts: GroupCounts, *, pos_label: Hashable | None = None, confidence: float = 0.95
) -> Change | None:
    """How the largest gap between two groups in the labels changes in the predictions.

    Parameters
    ----------
    counts : GroupCounts
        With predictions, without replicate axes.
    pos_label : hashable, optional
        The class to look at. Without it, and unless the labels tell: the one with the largest gap.
    confidence : float, default=0.95

    Returns
    -------
    Change or None
        None without predictions or with fewer than two groups.

    Notes
    -----
    Truth and prediction of a row are paired: the interval of a group's change is that of a paired
    difference, with half a row added to each cell (Agresti and Min 2005); the two groups are
    independent. With weights, Kish's effective sizes are used.
    """
    if not counts.predicted:
        return None
    counts = counts.select(counts.values.any((-2, -1)))  # a group without weight has no rate
    if counts.n_groups < 2:
        return None
    if pos_label is not None or has_positive(counts):
        counts, position = find_positive(counts, pos_label, "data_to_model")
        label = None
    else:
        base = Rates(counts.values)["base_rate"]
        position = int(np.nanargmax(np.ptp(base, axis=0)))
        label = label_text(counts.classes[position])
    rates = Rates(counts.values)
    base, predicted = rates["base_rate"][:, position], rates["prediction_rate"][:, position]
    base, predicted = np.nan_to_num(base), np.nan_to_num(predicted)
    high, low = int(base.argmax()), len(base) - 1 - int(base[::-1].argmin())  # two, even in a tie
    data, model = base[high] - base[low], predicted[high] - predicted[low]
    variance = sum(_paired_variance(counts, group, position) for group in (high, low))
    margin = NormalDist().inv_cdf(0.5 + confidence / 2) * variance**0.5
    texts = counts.group_texts
    change = float(model - data)
    return Change(
        texts[high], texts[low], label, float(data), float(model), change,
        change - margin, change + margin,
    )  # fmt: skip


def _paired_variance(counts: GroupCounts, group: int, position: int) -> float:
    """Variance of (share predicted - share true) in a group, half a row added to each cell."""
    table = counts.values[group]
    gained = table[:, position].sum() - table[position, position]
    lost = table[position, :].sum() - table[position, position]
    total = table.sum()
    scale = 1.0
    if counts.squared is not None:
        squares = counts.squared[group].sum()
        scale = total / squares if squares else 0.0
    return paired_variance(gained * scale, lost * scale, total * scale)


def paired_variance(gained: float, lost: float, total: float) -> float:
    """Variance of (gained - lost) / total, half a row added to each of the four cells."""
    gained, lost, total = gained + 0.5, lost + 0.5, total + 2
    return float((gained + lost - (gained - lost) ** 2 / total) / total**2)
