"""Rows as points of the unit cube, which a network reads and the paper's bias vectors move."""

from dataclasses import dataclass

import numpy as np

from skfairprop.explain._table import Table

# Values of a categorical column beyond the most frequent ones have no coordinate of their own.
_MOST_LEVELS = 50


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of one column.

    Attributes
    ----------
    low, high : float
        Range of a numeric column.
    levels : ndarray or None
        Codes of a categorical column that have a coordinate.
    """

    low: float = 0.0
    high: float = 1.0
    levels: np.ndarray | None = None


class Encoding:
    """Numbers scaled to [0, 1], categories one-hot.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Encoded rows that the ranges and levels are taken from.
    table : Table

    Attributes
    ----------
    column : integer array of shape (k,)
        Column of each coordinate.
    """

    def __init__(self, Z: np.ndarray, table: Table) -> None:
        self.parts = [
            _coordinates(Z[:, j], column.values is not None)
            for j, column in enumerate(table.columns)
        ]
        widths = [1 if p.levels is None else len(p.levels) for p in self.parts]
        self.column = np.repeat(np.arange(len(widths)), widths)

    def encode(self, Z: np.ndarray) -> np.ndarray:
        """Points of shape (n, k), float32; a missing number is in the middle of its range."""
        out = []
        for j, part in enumerate(self.parts):
            if part.levels is None:
                scaled = (Z[:, j] - part.low) / ((part.high - part.low) or 1.0)
                out.append(np.where(np.isnan(scaled), 0.5, np.clip(scaled, 0, 1))[:, None])
            else:
                out.append(Z[:, [j]] == part.levels)
        return np.concatenate(out, axis=1).astype(np.float32)

    def inputs(self, Z: np.ndarray) -> np.ndarray:
        """Points and, for numbers, whether they are missing: what a network reads."""
        numbers = [j for j, part in enumerate(self.parts) if part.levels is None]
        return np.concatenate([self.encode(Z), np.isnan(Z[:, numbers])], axis=1, dtype=np.float32)

    def decode(self, points: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Rows of the points, clipped to the ranges; of categories the largest coordinate counts.

        Parameters
        ----------
        points : ndarray of shape (n, k)
        Z : ndarray of shape (n, d)
            The rows that were moved: what is missing in them stays missing, and so does a
            category without a coordinate until another one reaches one half.
        """
        out = Z.copy()
        for j, part in enumerate(self.parts):
            own = points[:, self.column == j]
            if part.levels is None:
                value = part.low + np.clip(own[:, 0], 0, 1) * (part.high - part.low)
                out[:, j] = np.where(np.isnan(Z[:, j]), np.nan, value)
            elif len(part.levels):
                listed = np.isin(Z[:, j], part.levels)
                chosen = part.levels[own.argmax(axis=1)]
                out[:, j] = np.where(listed | (own.max(axis=1) >= 0.5), chosen, Z[:, j])
        return out


def _coordinates(values: np.ndarray, is_categorical: bool) -> Coordinates:
    if is_categorical:
        levels, counts = np.unique(values, return_counts=True)
        chosen = np.sort(np.argsort(-counts, kind="stable")[:_MOST_LEVELS])
        return Coordinates(levels=levels[chosen])
    known = values[~np.isnan(values)]
    if not len(known):
        return Coordinates()
    return Coordinates(float(known.min()), float(known.max()))
