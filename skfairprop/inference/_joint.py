"""The joint table of two models on the same rows: group x truth x first x second prediction."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._columns import blockwise_bincount, blockwise_moments
from skfairprop._labels import check_weights, encode_classes
from skfairprop._tables import union_labels
from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups, align
from skfairprop.inference._layout import Layout, effective_counts

Array = np.ndarray
# A larger table, times the replicates, would not fit the memory.
_MAX_CELLS = 1 << 22


@dataclass(frozen=True)
class Joint:
    """How often each pair of predictions met each truth in each group.

    Parameters
    ----------
    counts_a, counts_b : GroupCounts
        The tables of both models.
    layout : Layout
        Whole counts of shape (1, G, K * K * K), for the draws.
    """

    counts_a: GroupCounts
    counts_b: GroupCounts
    layout: Layout

    @property
    def rates(self) -> Array:
        """Rates of each group, smoothed towards the pooled ones with the weight of one row."""
        counts = self.layout.counts.astype(float)
        pooled = counts.sum((0, 1)) / counts.sum()
        return (counts + pooled) / (counts.sum(-1, keepdims=True) + 1)

    def tensors(self, tables: Array) -> tuple[Array, Array]:
        """Replicates (B, 1, G, K * K * K) as tables of both models, (B, G, K, K) each."""
        scaled = tables if self.layout.scale is None else tables * self.layout.scale
        k = self.layout.n_classes
        joint = scaled.reshape(len(tables), -1, k, k, k).astype(float)
        return joint.sum(-1), joint.sum(-2)

    def swapped(self, b: int, rng: np.random.Generator) -> Array:
        """Tables in which the predictions of every row are swapped, or not, at random."""
        k = self.layout.n_classes
        counts = self.layout.counts.reshape(-1, k, k, k)
        upper, lower = np.triu_indices(k, 1)
        both = (counts + counts.swapaxes(-1, -2))[..., upper, lower]
        out = np.broadcast_to(counts, (b, *counts.shape)).copy()
        stay = rng.binomial(both, 0.5, size=(b, *both.shape))
        out[..., upper, lower] = stay
        out[..., lower, upper] = both - stay
        return out.reshape(b, *self.layout.counts.shape)


def count_joint(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any,
    missing: str,
) -> Joint:
    """Count rows by group, truth and both predictions.

    Raises
    ------
    ValueError
        If inputs are empty, misaligned or have missing values, or make too large a table.
    """
    columns = align(
        y_true=y_true,
        y_pred_a=y_pred_a,
        y_pred_b=y_pred_b,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
    )
    groups = Groups.from_columns(columns["sensitive_features"], missing=missing)
    codes, classes = _encode(*(columns[name][0] for name in ("y_true", "y_pred_a", "y_pred_b")))
    # made for its checks, and its warnings of rows that are left out
    GroupCounts.from_arrays(
        y_true,
        y_pred_a,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        missing=missing,
    )
    shape = (len(groups.labels), *[len(classes)] * 3)
    if np.prod(shape, dtype=object) > _MAX_CELLS:
        raise ValueError(
            f"{shape[0]:,} groups and {len(classes):,} classes make too large a joint table; "
            "cut or merge the groups or the classes"
        )
    squared = None
    if sample_weight is None:
        values = blockwise_bincount([groups.codes, *codes], shape).reshape(shape)
    else:
        weight = check_weights(columns["sample_weight"][0])
        found = blockwise_moments([groups.codes, *codes], shape, weight)
        values, squared = (table.reshape(shape) for table in found)
    keep = np.flatnonzero(values.reshape(len(values), -1).any(1))  # groups without weight go
    values = values[keep]
    squared = None if squared is None else squared[keep]
    labels: dict[str, pd.Index] = {"groups": groups.labels[keep], "classes": classes}
    counts_a, counts_b = (
        GroupCounts(
            values.sum(axis), squared=None if squared is None else squared.sum(axis), **labels
        )
        for axis in (3, 2)
    )
    flat = (1, len(values), -1)
    whole, scale = effective_counts(
        values.reshape(flat), None if squared is None else squared.reshape(flat)
    )
    return Joint(counts_a, counts_b, Layout("swap", whole, scale, len(classes)))


def _encode(true, first, second) -> tuple[list[Array], pd.Index]:
    """Codes of three label columns over their common classes."""
    (true_a, code_a), classes_a = encode_classes({"y_true": true, "y_pred_a": first})
    (_, code_b), classes_b = encode_classes({"y_true": true, "y_pred_b": second})
    classes = union_labels(classes_a, classes_b)
    place_a, place_b = (classes.get_indexer(own) for own in (classes_a, classes_b))
    return [place_a[true_a], place_a[code_a], place_b[code_b]], classes
