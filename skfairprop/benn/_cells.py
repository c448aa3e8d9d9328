"""Groups and cells of one encoded column, and how strongly two columns are associated."""

from dataclasses import dataclass

import numpy as np

from skfairprop.explain._table import MISSING_CODE, Column
from skfairprop.groups import label_text

# Numeric columns with more values than this are cut at quantiles.
_FEW_VALUES = 8
# More groups than this are pooled: each costs as many questions as there are rows and draws.
MAX_GROUPS = 12
OTHER, MISSING = "other", "missing"


@dataclass(frozen=True)
class Cells:
    """The cell of every row.

    Attributes
    ----------
    codes : integer array of shape (n,)
        From 0.
    names : list of str
        One a cell.
    """

    codes: np.ndarray
    names: list[str]

    @property
    def sizes(self) -> np.ndarray:
        """Rows of each cell."""
        return np.bincount(self.codes, minlength=len(self.names))


def cut(values: np.ndarray, column: Column, n_bins: int) -> Cells:
    """Cells of a column: its values, or quantile bins where a number has more than eight.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Encoded; missing is NaN, or ``MISSING_CODE`` in a column of codes.
    column : Column
    n_bins : int
        At most, where the column is cut.
    """
    missing = np.isnan(values) | ((values == MISSING_CODE) & (column.values is not None))
    known = np.unique(values[~missing])
    if column.values is not None:
        codes = np.searchsorted(known, values)
        names = [label_text(column.values[int(v)]) for v in known]
    elif len(known) <= _FEW_VALUES:
        codes = np.searchsorted(known, values)
        names = [f"{v:g}" for v in known]
    else:
        codes, names = _bins(values, missing, known, n_bins)
    if missing.any():
        codes = np.where(missing, len(names), codes)
        names = [*names, MISSING]
    return Cells(codes.astype(np.intp), names)


def _bins(
    values: np.ndarray, missing: np.ndarray, known: np.ndarray, n_bins: int
) -> tuple[np.ndarray, list[str]]:
    """Bins closed at the right; a value that half of the rows share still leaves two of them."""
    shares = np.linspace(0, 1, n_bins + 1)[1:-1]
    cuts = np.unique(np.quantile(values[~missing], shares, method="inverted_cdf"))
    cuts = cuts[cuts < known[-1]]
    if not len(cuts):
        cuts = known[-2:-1]
    codes = np.searchsorted(cuts, values, side="left")
    names = []
    for code in range(len(cuts) + 1):
        part = values[(codes == code) & ~missing]
        low, high = part.min(), part.max()
        names.append(f"{low:g}" if low == high else f"{low:g} to {high:g}")
    return codes, names


def pool_rare(cells: Cells, min_rows: int) -> Cells:
    """The same with rare cells pooled as "other", or with the largest if they are few together.

    What would leave a single cell is left as it is.
    """
    sizes = cells.sizes
    frequent = np.argsort(-sizes, kind="stable")[: MAX_GROUPS - 1]
    kept = np.zeros(len(sizes), dtype=bool)
    kept[frequent if len(sizes) > MAX_GROUPS else slice(None)] = True
    kept &= sizes >= min_rows
    if kept.all():
        return cells
    names = [name for name, keep in zip(cells.names, kept, strict=True) if keep]
    place = np.where(kept, np.cumsum(kept) - 1, len(names))
    if sizes[~kept].sum() < min_rows and names:
        place[~kept] = place[int(sizes.argmax())]
    else:
        names = [*names, OTHER]
    return Cells(place[cells.codes], names) if len(names) > 1 else cells


def association(a: Cells, b: Cells) -> tuple[float, float]:
    """Bias-corrected Cramer's V of two columns, and the normal score of their chi-squared.

    The score is Wilson and Hilferty's: how many standard deviations the statistic is above what
    independence gives, whatever the degrees of freedom.

    Returns
    -------
    v : float
        In [0, 1].
    z : float
    """
    width = len(b.names)
    table = np.bincount(a.codes * width + b.codes, minlength=len(a.names) * width)
    table = table.reshape(len(a.names), width).astype(float)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    if min(rows, columns) < 2:
        return 0.0, 0.0
    n = table.sum()
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    statistic = ((table - expected) ** 2 / expected).sum()
    df = (rows - 1) * (columns - 1)
    z = ((statistic / df) ** (1 / 3) - (1 - 2 / (9 * df))) / np.sqrt(2 / (9 * df))
    corrected = max(0.0, statistic / n - df / (n - 1))
    sides = [side - (side - 1) ** 2 / (n - 1) for side in (rows, columns)]
    v = np.sqrt(corrected / (min(sides) - 1)) if min(sides) > 1 else 0.0
    return float(min(v, 1.0)), float(z)
