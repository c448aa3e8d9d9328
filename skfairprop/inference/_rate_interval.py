"""Intervals of single rates."""

import numpy as np
from scipy.stats import beta, norm

from skfairprop._checks import check_choice, check_number
from skfairprop._typing import Numbers


def rate_interval(
    successes: Numbers,
    n: Numbers,
    *,
    confidence: float = 0.95,
    method: str = "wilson",
    effective_n: Numbers | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a rate, or of each of many.

    Parameters
    ----------
    successes, n : array-like, broadcast together
        Numerators and denominators: counts, or sums of weights; 0 <= successes <= n.
    confidence : float, default=0.95
        In (0, 1).
    method : {"wilson", "jeffreys"}, default="wilson"
        The score interval, or the equal-tailed Beta(1/2, 1/2) one with its ends at 0 and 1 where
        no or all trials succeed.
    effective_n : array-like, optional
        Kish's effective size, (sum of weights)^2 / (sum of squared weights), where the
        denominators are sums of weights.

    Returns
    -------
    lower : ndarray
        In [0, 1]; NaN where n is 0.
    upper : ndarray
        Likewise.

    Raises
    ------
    ValueError
        If `confidence` or `method` is out of range, or successes do not lie in [0, n].

    Notes
    -----
    Both keep close to their confidence even at rates near 0 and 1, where the normal interval has
    length 0 [1]_.

    References
    ----------
    .. [1] Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", Statistical
       Science 16, 2001.

    Examples
    --------
    >>> from skfairprop.inference import rate_interval
    >>> lower, upper = rate_interval([0, 8], [5, 10])
    >>> lower.round(3), upper.round(3)
    (array([0.  , 0.49]), array([0.434, 0.943]))
    """
    check_number("confidence", confidence, "(0, 1)")
    check_choice("method", method, ("wilson", "jeffreys"))
    k, total = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(n, dtype=float))
    if not np.all((k >= 0) & (k <= total * (1 + 1e-12))):
        raise ValueError("successes must lie between 0 and n")
    rate = np.divide(k, total, out=np.full(k.shape, np.nan), where=total > 0)
    size = total if effective_n is None else np.asarray(effective_n, dtype=float)
    size = np.where(total > 0, size, np.nan)
    ends = _wilson if method == "wilson" else _jeffreys
    lower, upper = ends(rate, size, 1 - confidence)
    # exact at the ends, whatever the rounding
    return np.where(rate == 0, 0.0, lower), np.where(rate == 1, 1.0, upper)


def _wilson(rate: np.ndarray, n: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    z = norm.isf(alpha / 2)
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    return centre - half, centre + half


def _jeffreys(rate: np.ndarray, n: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    a, b = rate * n + 0.5, (1 - rate) * n + 0.5
    return beta.ppf(alpha / 2, a, b), beta.isf(alpha / 2, a, b)
