"""Before and after reweighting: the same model on the same rows, and what the weights change."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.inference import benjamini_hochberg
from skfairprop.inference._comparison import compare_joint
from skfairprop.inference._joint import Joint, count_joint
from skfairprop.report._change import paired_variance
from skfairprop.report._view import Settings, View, applicable, rates_with_intervals

# Columns of the measures, and what a comparison calls them.
_COLUMNS = {
    "before": "value_a",
    "before_lower": "lower_a",
    "before_upper": "upper_a",
    "after": "value_b",
    "after_lower": "lower_b",
    "after_upper": "upper_b",
    "change": "difference",
    "lower": "lower",
    "upper": "upper",
    "p": "p_value",
}


@dataclass(frozen=True, eq=False, repr=False)
class BeforeAfter:
    """A model, and the same model fitted with the weights of a Reweighter, on the same rows.

    Attributes
    ----------
    measures : DataFrame
        Indexed by metric: ``before``, ``after``, each with its interval (``before_lower``, ...),
        ``change`` (after - before) with ``lower`` and ``upper``, ``p``, and ``q`` over the rows.
        Intervals and p-values are NaN where the report was made without random tables.
    accuracy : dict of str to float
        Share of right predictions ``before`` and ``after``, and ``change`` with ``lower`` and
        ``upper``.
    counts : GroupCounts
        With the predictions after.
    by_group : DataFrame
        Rates per group (and class) after, as the report has those before.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop import FairnessReport
    >>> from skfairprop.datasets import make_biased_classification
    >>> problem = make_biased_classification(400, base_rates=(0.7, 0.3), random_state=0)
    >>> report = FairnessReport.from_estimator(
    ...     LogisticRegression(),
    ...     problem.data,
    ...     problem.target,
    ...     sensitive_features=problem.sensitive_features,
    ...     reweight=True,
    ...     bootstrap=0,
    ... )
    >>> change = report.before_after.measures.loc["demographic_parity_difference"]
    >>> bool(change["after"] < change["before"])
    True
    """

    measures: pd.DataFrame
    accuracy: dict[str, float]
    counts: GroupCounts
    by_group: pd.DataFrame

    def __repr__(self) -> str:
        before, after = self.accuracy["before"], self.accuracy["after"]
        return (
            f"BeforeAfter({len(self.measures)} measures; accuracy {before:.3f} before and "
            f"{after:.3f} after)"
        )


def before_and_after(
    view: View,
    settings: Settings,
    y_true,
    before,
    after,
    *,
    rows: Mapping[str, Any],
    pos_label: Hashable | None,
) -> BeforeAfter:
    """Compare two models' predictions of the same rows in the main measures of a view.

    Parameters
    ----------
    view : View
        Of the predictions before.
    settings : Settings
    y_true, before, after : array-like of shape (n,)
    rows : mapping
        ``sensitive_features``, ``sample_weight`` and ``missing``.
    pos_label : hashable or None

    Notes
    -----
    The two models predict the same rows, so that everything comes from the joint table of group,
    truth and both predictions, as in :func:`skfairprop.inference.compare_models`. The models are
    held fixed. The interval of the change in right predictions is that of a paired difference, with
    half a row added to each cell (Agresti and Min 2005).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the rows were counted first
        joint = count_joint(y_true, before, after, **rows)
        measures = _measures(view, settings, joint, pos_label)
    return BeforeAfter(
        measures=measures,
        accuracy=_accuracy(joint, settings.confidence),
        counts=joint.counts_b,
        by_group=rates_with_intervals(joint.counts_b, pos_label, settings),
    )


def _measures(
    view: View, settings: Settings, joint: Joint, pos_label: Hashable | None
) -> pd.DataFrame:
    calls = applicable(joint.counts_a, pos_label, settings)
    calls = {name: calls[name] for name in view.main_measures}
    found = compare_joint(
        calls,
        joint,
        confidence=settings.confidence,
        n_draws=settings.bootstrap or 1,
        random_state=settings.random_state,
    )
    rows = [{k: getattr(c, v) for k, v in _COLUMNS.items()} for c in found.values()]
    table = pd.DataFrame(rows, index=pd.Index(found, name="metric"), columns=list(_COLUMNS))
    for column in ("lower", "upper"):  # as in the rest of the report: it has draws of its own
        table[f"before_{column}"] = view.metrics[column].reindex(table.index)
    if not settings.bootstrap:
        table.loc[:, [c for c in table if c not in ("before", "after", "change")]] = np.nan
    table["q"] = benjamini_hochberg(table["p"].to_numpy(float))
    return table


def _accuracy(joint: Joint, confidence: float) -> dict[str, float]:
    """Right predictions of both, and their paired difference."""
    right_a, right_b = (
        float(c.values.trace(axis1=1, axis2=2).sum() / c.values.sum())
        for c in (joint.counts_a, joint.counts_b)
    )
    whole = joint.layout.counts.astype(float)
    scale = 1.0 if joint.layout.scale is None else joint.layout.scale
    weights = whole * scale
    effective = weights.sum() / (weights * scale).sum()  # rows per unit of weight
    true, first, second = np.indices((joint.layout.n_classes,) * 3)
    a, b = (first == true).ravel(), (second == true).ravel()
    gained, lost = (float((weights * m).sum() * effective) for m in (b & ~a, a & ~b))
    variance = paired_variance(gained, lost, weights.sum() * effective)
    margin = NormalDist().inv_cdf(0.5 + confidence / 2) * variance**0.5
    change = right_b - right_a
    return {
        "before": right_a,
        "after": right_b,
        "change": change,
        "lower": change - margin,
        "upper": change + margin,
    }
