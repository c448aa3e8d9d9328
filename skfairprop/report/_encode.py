"""The columns of a table as numbers, each by itself, and the same for rows that come later."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

_MAX_CATEGORIES = 50


@dataclass(frozen=True)
class Scaling:
    """How numbers are filled and scaled, as the rows to learn from tell.

    Attributes
    ----------
    columns : int array of shape (k,)
        Positions of the numbers among the encoded columns.
    middle, mean, scale : float arrays of shape (k,)
        What takes the place of a missing one; what is taken off; what it is divided by.
    """

    columns: np.ndarray
    middle: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    def apply(self, values: np.ndarray) -> np.ndarray:
        """A copy of encoded rows with their numbers filled and scaled."""
        out = values.copy()
        numbers = out[:, self.columns]
        numbers = np.where(np.isfinite(numbers), numbers, self.middle)
        out[:, self.columns] = (numbers - self.mean) / self.scale
        return out


@dataclass(frozen=True)
class Encoded:
    """The columns of a table as numbers, each by itself.

    Attributes
    ----------
    values : float array of shape (n, m)
        Numbers as they are, NaN where missing; everything else one-hot.
    origin : int array of shape (m,)
        Position of the column of the table that each comes from.
    categories : list of (Index or None)
        By column of the table: the values that have an encoded column, the last of which is for
        all others where there are more of them; None for numbers.
    """

    values: np.ndarray
    origin: np.ndarray
    categories: list[pd.Index | None]

    @property
    def is_number(self) -> np.ndarray:
        """Whether an encoded column holds numbers, (m,)."""
        return np.array([c is None for c in self.categories])[self.origin]

    def scaling(self, train: np.ndarray) -> Scaling:
        """How to fill and scale the numbers, by some rows."""
        columns = np.flatnonzero(self.is_number)
        middle, mean, scale = np.zeros(len(columns)), np.zeros(len(columns)), np.ones(len(columns))
        for i, j in enumerate(columns):
            values = self.values[train, j]
            known = values[np.isfinite(values)]
            middle[i] = np.median(known) if known.size else 0.0
            filled = np.where(np.isfinite(values), values, middle[i])
            mean[i], spread = filled.mean(), filled.std()
            scale[i] = spread if spread > 0 else 1.0
        return Scaling(columns, middle, mean, scale)


def encode(X: pd.DataFrame) -> Encoded:
    """Encode every column of a table by itself."""
    values, origin, categories = [], [], []
    for position in range(X.shape[1]):
        column = X.iloc[:, position]
        if pd.api.types.is_numeric_dtype(column):  # booleans as well
            known, block = None, _numbers(column)
        else:
            known, codes = _by_size(_as_objects(column))
            block = _one_hot(codes, len(known))
        values.append(block)
        origin += [position] * block.shape[1]
        categories.append(known)
    return Encoded(np.hstack(values), np.array(origin), categories)


def _as_objects(column: pd.Series) -> pd.Index:
    """Values of any dtype, NaN for whatever stands for a missing one."""
    values = column.astype(object)
    return pd.Index(values.where(column.notna(), np.nan), dtype=object)


def _by_size(values: pd.Index) -> tuple[pd.Index, np.ndarray]:
    """The different values, the commonest first, and the place of each row's among them."""
    codes, labels = pd.factorize(values, use_na_sentinel=False)
    order = np.argsort(-np.bincount(codes, minlength=len(labels)), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return pd.Index(labels, dtype=object).take(order), place[codes]


def _numbers(column: pd.Series) -> np.ndarray:
    return column.to_numpy(dtype=float, na_value=np.nan)[:, None]


def _one_hot(codes: np.ndarray, n: int) -> np.ndarray:
    """One column for each value, one for all rarer ones; nothing for a value that is not known."""
    out = np.zeros((len(codes), min(n, _MAX_CATEGORIES)))
    rows = np.flatnonzero(codes >= 0)
    out[rows, np.minimum(codes[rows], _MAX_CATEGORIES - 1)] = 1.0
    return out


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode rows as those of a table were, for a Pipeline with the model that was fitted on them.

    Parameters
    ----------
    encoded : Encoded
    scaling : Scaling
    """

    def __init__(self, encoded: Encoded, scaling: Scaling) -> None:
        self.encoded = encoded
        self.scaling = scaling

    def fit(self, X, y=None) -> "TableEncoder":
        """Nothing is left to learn."""
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """Encoded rows."""
        blocks = []
        for j, known in enumerate(self.encoded.categories):
            column = X.iloc[:, j]
            if known is None:
                blocks.append(_numbers(column))
            else:
                blocks.append(_one_hot(known.get_indexer(_as_objects(column)), len(known)))
        return self.scaling.apply(np.hstack(blocks))
