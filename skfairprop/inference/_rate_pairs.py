"""The gap between two rates: its interval, and how likely chance makes it as large."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr
from scipy.stats import hypergeom

from skfairprop._typing import Numbers

# Where every expected count is this large the normal distribution is within .001 of the exact p.
_LARGE = 100


def gap_p_value(
    successes_1: Numbers, n_1: Numbers, successes_2: Numbers, n_2: Numbers
) -> np.ndarray:
    """P-value of the gap between two rates, or of each of many gaps.

    Parameters
    ----------
    successes_1, n_1, successes_2, n_2 : array-like, broadcast together
        Numerators and denominators. They are rounded: with weights, give Kish's effective sizes
        and the rates times these.

    Returns
    -------
    ndarray
        In (0, 1]; NaN where a denominator is 0.

    Notes
    -----
    The probability that the two groups, exchanged at random, are at least as far apart: over all
    tables with the same margins, which the random tables of :func:`infer` approach. Fisher's test
    orders the tables by their probability instead, and is the same for groups of one size.

    Where every expected count is 100 or more the normal distribution takes the place of the
    hypergeometric one, with a continuity correction on either side: in 60,000 random tables it was
    within .001 of the exact value.

    Examples
    --------
    >>> from skfairprop.inference import gap_p_value
    >>> gap_p_value([3, 300], [10, 1000], [8, 360], [10, 1000]).round(4)
    array([0.0698, 0.005 ])
    """
    k_1, m_1, k_2, m_2 = np.broadcast_arrays(
        *(
            np.rint(np.nan_to_num(np.asarray(v, dtype=float)))
            for v in (successes_1, n_1, successes_2, n_2)
        )
    )
    k, m = k_1 + k_2, m_1 + m_2
    expected = np.divide(k * m_1, m, out=np.zeros(m.shape), where=m > 0)
    away = np.abs(k_1 - expected) - 1e-9 * (1 + expected)  # as far, whatever the rounding
    low, high = np.floor(expected - away), np.ceil(expected + away)
    least = np.divide(
        np.minimum(k, m - k) * np.minimum(m_1, m_2), m, out=np.zeros(m.shape), where=m > 0
    )
    p = np.ones(m.shape)
    near = least >= _LARGE
    variance = k[near] * (m - k)[near] * m_1[near] * m_2[near] / (m[near] ** 2 * (m[near] - 1))
    below, above = low[near] + 0.5 - expected[near], high[near] - 0.5 - expected[near]
    p[near] = ndtr(below / np.sqrt(variance)) + ndtr(-above / np.sqrt(variance))
    exact = ~near & (m > 0)
    law = hypergeom(m[exact], k[exact], m_1[exact])
    p[exact] = law.cdf(low[exact]) + law.sf(high[exact] - 1)
    p[away <= 0] = 1.0
    p[(m_1 <= 0) | (m_2 <= 0)] = np.nan
    return np.minimum(p, 1.0)


def gap_interval(
    rate_1: Numbers,
    interval_1: Sequence[Numbers],
    rate_2: Numbers,
    interval_2: Sequence[Numbers],
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the gap between two rates, from the intervals of both.

    Parameters
    ----------
    rate_1 : array-like
        The first rate, or each of many.
    interval_1 : (lower, upper)
        Its interval, of :func:`rate_interval`, whose confidence the result has.
    rate_2 : array-like
        The second rate.
    interval_2 : (lower, upper)
        Likewise.

    Returns
    -------
    lower : ndarray
        Of `rate_1` - `rate_2`, in [-1, 1]; NaN where a rate is.
    upper : ndarray
        Likewise.

    Notes
    -----
    Newcombe's hybrid score interval, from Wilson intervals [1]_.

    References
    ----------
    .. [1] Newcombe, "Interval estimation for the difference between independent proportions",
       Statistics in Medicine 17, 1998, method 10.

    Examples
    --------
    >>> from skfairprop.inference import gap_interval, rate_interval
    >>> lower, upper = gap_interval(0.8, rate_interval(56, 70), 0.6, rate_interval(48, 80))
    >>> round(float(lower), 4), round(float(upper), 4)
    (0.0524, 0.3339)
    """
    first, second = np.asarray(rate_1, dtype=float), np.asarray(rate_2, dtype=float)
    gap = first - second
    (low_1, high_1), (low_2, high_2) = (
        (np.asarray(low, dtype=float), np.asarray(high, dtype=float))
        for low, high in (interval_1, interval_2)
    )
    below = np.hypot(first - low_1, high_2 - second)
    above = np.hypot(high_1 - first, second - low_2)
    return gap - below, gap + above
