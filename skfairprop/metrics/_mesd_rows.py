"""Rows whose explanations are compared, with their groups and labels as codes."""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from skfairprop._columns import Column
from skfairprop._labels import declare, encode_classes
from skfairprop.groups import Groups
from skfairprop.metrics._procedural_kernels import Cells, count_cells
from skfairprop.metrics._stability import Stability


@dataclass(frozen=True)
class StableRows:
    """Rows whose explanations were perturbed, as integer codes.

    Parameters
    ----------
    stability : array of shape (n,)
    groups, labels : integer arrays of shape (n,)
    group_labels, label_values : Index
    label_share : array of shape (L,)
        Share of each label in the full data.
    fidelity : array of shape (n,), optional
    n_degenerate : int
        Number of rows whose attributions are all zero.
    """

    stability: np.ndarray
    groups: np.ndarray
    labels: np.ndarray
    group_labels: pd.Index
    label_values: pd.Index
    label_share: np.ndarray
    fidelity: np.ndarray | None = None
    n_degenerate: int = 0

    def cells(self, values: np.ndarray, shrinkage: float) -> Cells:
        """Values of the rows, summed by group and label."""
        return count_cells(
            values,
            self.groups,
            self.labels,
            shape=(len(self.group_labels), len(self.label_values)),
            label_share=self.label_share,
            shrinkage=shrinkage,
        )


@dataclass(frozen=True)
class CodedRows:
    """Groups and labels of some rows as integer codes; the group of a row left out is -1."""

    groups: np.ndarray
    group_labels: pd.Index
    labels: np.ndarray
    label_values: pd.Index

    def explained(self, rows: np.ndarray, found: Stability) -> StableRows:
        """The rows with these positions and what was found of them; labels weigh as in all rows.

        Groups without a row are not compared.
        """
        kept = self.groups >= 0
        n = np.bincount(self.labels[kept], minlength=len(self.label_values))
        seen, groups = np.unique(self.groups[rows], return_inverse=True)
        return StableRows(
            found.values,
            groups,
            self.labels[rows],
            self.group_labels[seen],
            self.label_values,
            n / n.sum(),
            fidelity=found.fidelity,
            n_degenerate=int(np.count_nonzero(found.degenerate)),
        )


def code_rows(
    columns: dict[str, list[Column]],
    *,
    groups: Sequence[Hashable] | None = None,
    missing: str = "raise",
) -> CodedRows:
    """Codes of the aligned columns "y" and "sensitive_features"."""
    found = Groups.from_columns(columns["sensitive_features"], missing=missing)
    (labels,), label_values = encode_classes({"y": columns["y"][0]})
    if found.n_dropped:
        warnings.warn(
            f"left out {found.n_dropped:,} of {len(found):,} rows with a missing protected value; "
            f"{len(found) - found.n_dropped:,} rows were used",
            UserWarning,
            stacklevel=3,
        )
    codes, group_labels = declare(found.codes, found.labels, groups, "groups")
    return CodedRows(codes.astype(np.intp), group_labels, labels.astype(np.intp), label_values)
