"""False discovery rates over many metrics and attributes."""

import warnings

import numpy as np

from skfairprop._typing import Numbers

MIN_DRAWS = 999  # fewer make p too coarse for q


def benjamini_hochberg(p_values: Numbers, *, n_draws: int | None = None) -> np.ndarray:
    """Benjamini-Hochberg q-values: the false discovery rate at which each finding would count.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In [0, 1]; NaN for what could not be tested: it stays NaN and does not count in m.
    n_draws : int, optional
        Number of replicates behind the p-values; below 999 a warning says that they are too
        coarse.

    Returns
    -------
    ndarray of shape (m,)
        In [0, 1], never below the p-value.

    Raises
    ------
    ValueError
        If a p-value is outside [0, 1].

    Warns
    -----
    UserWarning
        If `n_draws` is below 999.

    Notes
    -----
    Valid for tests that are independent or positively dependent [1]_, as gaps of one model mostly
    are. :func:`benjamini_yekutieli` holds under any dependence, at a price.

    References
    ----------
    .. [1] Benjamini and Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995.

    Examples
    --------
    >>> from skfairprop.inference import benjamini_hochberg
    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan")]).round(3)
    array([0.03, 0.04, 0.04,  nan])
    """
    return _step_up(p_values, n_draws, harmonic=False)


def benjamini_yekutieli(p_values: Numbers, *, n_draws: int | None = None) -> np.ndarray:
    """Benjamini-Yekutieli q-values: the false discovery rate under any dependence of the tests.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In [0, 1]; NaN stays NaN and does not count in m.
    n_draws : int, optional
        Number of replicates behind the p-values.

    Returns
    -------
    ndarray of shape (m,)
        The q-values of :func:`benjamini_hochberg` times 1 + 1/2 + ... + 1/m, at most 1.

    Raises
    ------
    ValueError
        If a p-value is outside [0, 1].

    Warns
    -----
    UserWarning
        If `n_draws` is below 999.

    References
    ----------
    .. [1] Benjamini and Yekutieli, "The control of the false discovery rate in multiple testing
       under dependency", Annals of Statistics 29, 2001.

    Examples
    --------
    >>> from skfairprop.inference import benjamini_yekutieli
    >>> benjamini_yekutieli([0.01, 0.04]).round(3)
    array([0.03, 0.06])
    """
    return _step_up(p_values, n_draws, harmonic=True)


def _step_up(p_values: Numbers, n_draws: int | None, *, harmonic: bool) -> np.ndarray:
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ValueError(f"p_values must be one-dimensional; got shape {p.shape}")
    tested = np.flatnonzero(~np.isnan(p))
    if np.any((p[tested] < 0) | (p[tested] > 1)):
        raise ValueError("p_values must lie in [0, 1]")
    if n_draws is not None and n_draws < MIN_DRAWS and len(tested) > 1:
        warnings.warn(
            f"n_draws={n_draws:,} makes p-values too coarse for {len(tested)} tests at once: none "
            f"is below {1 / (n_draws + 1):.3g}; take {MIN_DRAWS} or more",
            UserWarning,
            stacklevel=3,
        )
    out = np.full(p.shape, np.nan)
    if not len(tested):
        return out
    m = len(tested)
    order = tested[np.argsort(p[tested])]
    scaled = p[order] * m / np.arange(1, m + 1)
    if harmonic:
        scaled = scaled * (1 / np.arange(1, m + 1)).sum()
    out[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return out
