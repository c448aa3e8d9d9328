"""The neighbourhood that LIME draws, once for all rows, and how rows look inside it.

The draws follow the lime package call by call, so the same seed gives the same neighbourhood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import truncnorm
from sklearn.preprocessing import StandardScaler

from ._table import MISSING_CODE

SMALLEST_SD = 1e-11  # added by the lime package to the spread of a bin


@dataclass(frozen=True)
class Neighbourhood:
    """Rows drawn around the background and their interpretable form.

    Attributes
    ----------
    Z : ndarray of shape (m, d)
        What the model is asked: encoded cells of the drawn rows.
    shared : ndarray of shape (d_numeric, m)
        Standardised values of the columns taken as numbers: the same for every explained row.
    labels : ndarray of shape (d_label, m)
        Bin or category of the other columns: they become "same as the explained row".
    numeric : ndarray of bool, shape (d,)
        Columns taken as numbers.
    mean, scale : ndarray of shape (d,)
        Of the background, for the columns taken as numbers.
    cuts : dict of int to ndarray
        Quartiles of each column that is cut into bins.
    """

    Z: np.ndarray
    shared: np.ndarray
    labels: np.ndarray
    numeric: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    cuts: dict[int, np.ndarray]

    def standardised(self, Z: np.ndarray) -> np.ndarray:
        """Columns taken as numbers, of shape (n, d_numeric); a missing value is the mean."""
        return _standardised(Z, self.numeric, self.mean, self.scale)

    def labelled(self, Z: np.ndarray) -> np.ndarray:
        """Bin or category of the other columns, of shape (n, d_label)."""
        labels = np.empty((len(Z), np.count_nonzero(~self.numeric)), dtype=np.int32)
        for k, j in enumerate(np.flatnonzero(~self.numeric).tolist()):
            labels[:, k] = _label(Z[:, j], self.cuts.get(j))
        return labels


def draw_neighbourhood(
    background: np.ndarray,
    is_categorical: np.ndarray,
    n_samples: int,
    discretize: bool,
    random_state: np.random.RandomState,
) -> Neighbourhood:
    """Draw the rows that every explained row is compared with.

    Parameters
    ----------
    background : ndarray of shape (r, d)
        Encoded; missing values are a bin, or a share of the draws, of their own.
    is_categorical : ndarray of bool, shape (d,)
    n_samples : int
        One more than the number of rows drawn: the explained row counts.
    discretize : bool
        Cut numeric columns into quartiles.
    random_state : RandomState

    Returns
    -------
    Neighbourhood
    """
    numeric = ~is_categorical & (not discretize)
    mean, scale = _moments(background, numeric)
    if discretize:
        Z, labels, cuts = _draw_bins(background, is_categorical, n_samples, random_state)
    else:
        Z, labels = _draw_normal(background, numeric, mean, scale, n_samples, random_state)
        cuts = {}
    return Neighbourhood(
        Z=Z,
        shared=_standardised(Z, numeric, mean, scale).T.copy(),
        labels=labels[:, ~numeric].T.astype(np.int32, order="C"),
        numeric=numeric,
        mean=mean,
        scale=scale,
        cuts=cuts,
    )


def _moments(background: np.ndarray, numeric: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean, scale = np.zeros(len(numeric)), np.ones(len(numeric))
    known = numeric & ~np.isnan(background).all(axis=0)
    if known.any():
        scaler = StandardScaler().fit(background[:, known])
        mean[known], scale[known] = scaler.mean_, scaler.scale_
    return mean, scale


def _standardised(
    Z: np.ndarray, numeric: np.ndarray, mean: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    values = (Z[:, numeric] - mean[numeric]) / scale[numeric]
    return np.where(np.isnan(values), 0.0, values)


def _draw_normal(
    background: np.ndarray,
    numeric: np.ndarray,
    mean: np.ndarray,
    scale: np.ndarray,
    n_samples: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray]:
    """Normal draws for the numeric columns, observed values for the others."""
    d = background.shape[1]
    # a constant column has no spread: the scale of 1 that it is given is not one
    spread = np.where((background == background[0]).all(axis=0), 0.0, scale)
    draws = random_state.normal(0, 1, n_samples * d).reshape(n_samples, d) * spread + mean
    for j in np.flatnonzero(~numeric):
        draws[:, j] = _draw_observed(background[:, j], n_samples, random_state)
    labels = draws.copy()
    missing = np.isnan(background).mean(axis=0)
    for j in np.flatnonzero(numeric & (missing > 0)):
        draws[random_state.random_sample(n_samples) < missing[j], j] = np.nan
    return draws[1:], labels[1:]


def _draw_bins(
    background: np.ndarray,
    is_categorical: np.ndarray,
    n_samples: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray, dict[int, np.ndarray]]:
    """Observed bins and categories; inside a bin a truncated normal."""
    d = background.shape[1]
    cuts = {j: _quartiles(background[:, j]) for j in range(d) if not is_categorical[j]}
    labels = np.empty((n_samples, d))
    for j in range(d):
        observed = _label(background[:, j], cuts.get(j))
        labels[:, j] = _draw_observed(observed, n_samples, random_state)
    labels = labels[1:]
    Z = labels.copy()
    for j, cut in cuts.items():
        Z[:, j] = _inside_bins(background[:, j], cut, labels[:, j], random_state)
    return Z, labels, cuts


def _draw_observed(
    values: np.ndarray, n_samples: int, random_state: np.random.RandomState
) -> np.ndarray:
    values, counts = np.unique(values, return_counts=True)
    return random_state.choice(values, size=n_samples, replace=True, p=counts / counts.sum())


def _quartiles(values: np.ndarray) -> np.ndarray:
    known = values[~np.isnan(values)]
    return np.unique(np.percentile(known, [25, 50, 75])) if len(known) else np.empty(0)


def _label(values: np.ndarray, cut: np.ndarray | None) -> np.ndarray:
    """Bin of a numeric column, with missing values in a bin of their own; else the code."""
    if cut is None:
        return values
    return np.where(np.isnan(values), MISSING_CODE, np.searchsorted(cut, values))


def _inside_bins(
    values: np.ndarray,
    cut: np.ndarray,
    bins: np.ndarray,
    random_state: np.random.RandomState,
) -> np.ndarray:
    """One value inside each drawn bin, from a normal cut off at the ends of the bin.

    A bin that holds a single value gives that value. The lime package gives 0 there.
    """
    out = np.full(len(bins), np.nan)
    drawn = bins != MISSING_CODE
    if not drawn.any():
        return out
    known = values[~np.isnan(values)]
    observed = np.searchsorted(cut, known)
    inside = [known[observed == k] for k in range(len(cut) + 1)]
    mean = np.array([v.mean() if len(v) else 0.0 for v in inside])
    sd = np.array([v.std() if len(v) else 0.0 for v in inside]) + SMALLEST_SD
    k = bins[drawn].astype(int)
    low = np.append(known.min(), cut)[k]
    high = np.append(cut, known.max())[k]
    lower, upper = (low - mean[k]) / sd[k], (high - mean[k]) / sd[k]
    wide = lower != upper
    cells = low.copy()
    cells[wide] = truncnorm.rvs(
        lower[wide], upper[wide], loc=mean[k][wide], scale=sd[k][wide], random_state=random_state
    )
    out[drawn] = cells
    return out
