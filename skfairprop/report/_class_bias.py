"""The bias of a data set class by class: which classes belong to some groups more than others."""

import warnings

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text
from skfairprop.inference import benjamini_hochberg, infer
from skfairprop.metrics import Rates, get_metric
from skfairprop.report._view import Settings

_DISTANCE, _ASSOCIATION, _SIZES = "dsap_stereotypical_bias", "cramers_v", "ens_bias"
_INFERRED = {"lower": "lower", "upper": "upper", "chance": "null_mean", "p": "p_value"}


def class_bias(counts: GroupCounts, settings: Settings) -> pd.DataFrame | None:
    """The measures of a data set for each class.

    Parameters
    ----------
    counts : GroupCounts
        With or without predictions, which are not read.
    settings : Settings

    Returns
    -------
    DataFrame or None
        Indexed by the text of the class, those furthest beyond chance first: ``count``;
        ``distance`` (share of the rows of the class that would have to change their group for the
        groups to be as they are in the other classes), with ``lower``, ``upper``, ``chance``,
        ``p`` and ``q``; ``association`` (Cramér's V of class and group); ``missing`` (groups that
        are missing in effect within the class) with ``missing_lower`` and ``missing_upper``; and
        the groups with the smallest and the largest share of the class: ``least``,
        ``least_share``, ``most`` and ``most_share``. None where there is one group or one class.

    Notes
    -----
    ``distance`` and ``association`` are the stereotypical bias (DSAP) and Cramér's V of the class
    against the rest; the bias of the data set is the mean of the former over the classes.
    ``missing`` is the effective-number-of-species bias of the rows of the class.
    """
    counts = counts.of_labels().drop_unused()
    if counts.n_groups < 2 or counts.n_classes < 2:
        return None
    # of two classes, each is the rest of the other
    distances = [_distance(counts, k, settings) for k in range(counts.n_classes - 1)]
    distances.append(distances[0] if len(distances) == 1 else _distance(counts, -1, settings))
    rows = [_class_row(counts, k, distances[k], settings) for k in range(counts.n_classes)]
    index = pd.Index([label_text(c) for c in counts.classes], name="class")
    table = pd.DataFrame(rows, index=index)
    table.insert(table.columns.get_loc("p") + 1, "q", _q(table["p"]))
    beyond = (table["distance"] - table["chance"].fillna(0.0)).to_numpy(float)
    return table.iloc[np.argsort(-beyond, kind="stable")]


def _distance(counts: GroupCounts, k: int, settings: Settings) -> dict[str, float]:
    """A class against the rest."""
    against = _against_rest(counts, k % counts.n_classes)
    found = _inferred(against, _DISTANCE, settings)
    return {
        "distance": found["value"],
        **{name: found[name] for name in _INFERRED},
        "association": _value(against, _ASSOCIATION),
    }


def _class_row(counts: GroupCounts, k: int, distance: dict[str, float], settings: Settings) -> dict:
    shares = Rates(counts.values, predicted=False)["base_rate"][:, k]
    low, high = int(np.nanargmin(shares)), int(np.nanargmax(shares))
    sizes = _inferred(_within(counts, k), _SIZES, settings)
    return {
        "count": float(counts.values[:, k].sum()),
        **distance,
        "missing": sizes["value"],
        "missing_lower": sizes["lower"],
        "missing_upper": sizes["upper"],
        "least": counts.group_texts[low],
        "least_share": float(shares[low]),
        "most": counts.group_texts[high],
        "most_share": float(shares[high]),
    }


def _against_rest(counts: GroupCounts, k: int) -> GroupCounts:
    """One class and all others, as a data set of two classes."""
    own = np.arange(counts.n_classes) == k
    values, squared = (
        None if t is None else np.stack([t[:, own].sum(1), t[:, ~own].sum(1)], axis=1)
        for t in (counts.values, counts.squared)
    )
    return GroupCounts(
        values, groups=counts.groups, classes=["own", "rest"], squared=squared, predicted=False
    )


def _within(counts: GroupCounts, k: int) -> GroupCounts:
    """The rows of one class alone."""
    squared = None if counts.squared is None else counts.squared[:, [k]]
    return GroupCounts(
        counts.values[:, [k]], groups=counts.groups, classes=["own"], squared=squared,
        predicted=False,
    )  # fmt: skip


def _value(counts: GroupCounts, metric: str) -> float:
    return float(get_metric(metric).kernel(Rates(counts.values, predicted=False)))


def _inferred(counts: GroupCounts, metric: str, settings: Settings) -> dict[str, float]:
    """Value, interval, chance and p; NaN without random tables."""
    if not settings.bootstrap:
        return {"value": _value(counts, metric)} | dict.fromkeys(_INFERRED, np.nan)
    with warnings.catch_warnings():  # of too few random tables: said once, with the metrics
        warnings.simplefilter("ignore", UserWarning)
        found = infer(
            counts,
            metric,
            confidence=settings.confidence,
            n_draws=settings.bootstrap,
            random_state=settings.random_state,
        )[metric]
    return {"value": found.value} | {k: getattr(found, v) for k, v in _INFERRED.items()}


def _q(p: pd.Series) -> np.ndarray:
    return benjamini_hochberg(p.to_numpy(float))
