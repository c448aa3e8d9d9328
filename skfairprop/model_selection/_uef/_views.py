"""How scorers see the rows, and their counts at every threshold in one pass."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class View:
    """How some scorers see the rows: by which groups, and with which weights.

    Attributes
    ----------
    group_codes : integer array of shape (n,)
        -1 for rows that are left out.
    groups : Index
    sample_weight : array of shape (n,) or None
    frame : DataFrame or None
        The protected columns; None for scorers that know none.
    """

    group_codes: np.ndarray
    groups: pd.Index
    sample_weight: np.ndarray | None = None
    frame: pd.DataFrame | None = None


class Cells:
    """The test rows of all folds in the cells (fold, group, true class) of a view.

    Every candidate predicts the same rows: that part of their counting is done once.

    Parameters
    ----------
    view : View
    tests : sequence of integer arrays
        Test rows of each fold.
    codes : integer array of shape (n,)
        True classes, from 0 to `n_classes` - 1.
    n_classes : int
    """

    def __init__(
        self, view: View, tests: Sequence[np.ndarray], codes: np.ndarray, n_classes: int
    ) -> None:
        self.view = view
        rows = np.concatenate(tests)
        group = view.group_codes[rows]
        fold = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
        self.shape = (len(tests), len(view.groups), n_classes)
        kept = group >= 0
        self.kept = slice(None) if kept.all() else kept
        self.cell = np.ravel_multi_index((fold[kept], group[kept], codes[rows[kept]]), self.shape)
        weight = view.sample_weight
        self.weight = None if weight is None else weight[rows[kept]]

    def count(self, predicted: np.ndarray) -> np.ndarray:
        """Counts (F, 1, G, K, K) of predicted classes, one for each test row."""
        return self._tabulate(predicted, self.shape[-1])[:, None]

    def sweep(self, passed: np.ndarray, n_thresholds: int, positive: int) -> np.ndarray:
        """Counts (F, T, G, 2, 2) at T ascending thresholds.

        Parameters
        ----------
        passed : integer array
            How many of the thresholds the score of each test row reaches.
        n_thresholds : int
        positive : {0, 1}
            The class of those that reach a threshold.
        """
        table = self._tabulate(passed, n_thresholds + 1)
        reached = table[..., ::-1].cumsum(-1)[..., ::-1][..., 1:]
        missed = table.cumsum(-1)[..., :-1]
        by_class = (reached, missed) if positive == 0 else (missed, reached)
        return np.moveaxis(np.stack(by_class, -1), 3, 1)

    def _tabulate(self, codes: np.ndarray, size: int) -> np.ndarray:
        cell = self.cell * size + codes[self.kept]
        found = np.bincount(cell, self.weight, minlength=math.prod(self.shape) * size)
        return found.reshape(*self.shape, size)
