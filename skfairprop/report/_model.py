"""What a report asks of the model behind its predictions."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts


@dataclass(frozen=True)
class Rows:
    """The rows of a report: true classes, protected columns, weights."""

    y: Any
    groups: pd.DataFrame
    weight: Any
    missing: str

    @property
    def given(self) -> dict:
        """What the rows are grouped and weighted by."""
        return {
            "sensitive_features": self.groups,
            "sample_weight": self.weight,
            "missing": self.missing,
        }

    def count(self, predicted: Any) -> GroupCounts:
        """Counts of these predictions; None: of the data alone."""
        return GroupCounts.from_arrays(self.y, predicted, **self.given)


@dataclass(frozen=True)
class Examined:
    """A fitted model, and rows to look at it on.

    Attributes
    ----------
    model : fitted classifier
    X : array-like or data frame of m rows
    rows : int array of shape (m,)
        Where they are among all rows.
    what : str
        Which model on which rows.
    """

    model: Any
    X: Any
    rows: np.ndarray
    what: str


class Model(ABC):
    """A model that is looked into and stays as it is."""

    @abstractmethod
    def examined(self, groups: pd.DataFrame) -> Examined:
        """A fitted model and rows to look at it on, that it has not seen if that can be known."""


class CrossFitted(Model):
    """A model that was fitted on every fold, and is fitted again on the same ones."""

    @abstractmethod
    def without(self, columns: Sequence) -> Any:
        """Out-of-fold predictions of the same model that learns nothing from some columns."""

    @abstractmethod
    def reweighted(self, group_codes: np.ndarray) -> Any:
        """Out-of-fold predictions of the same model, fitted with the weights of a Reweighter."""


def of_fold(name: str, fold: int) -> str:
    """The model of a fold on its test rows, in words."""
    which = "of the first fold" if fold == 0 else f"of fold {fold + 1}"
    return f"The {name} {which}, on rows that it did not learn from"
