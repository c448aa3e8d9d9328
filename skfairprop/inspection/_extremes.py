"""Which groups to draw where there are too many for a picture."""

import numpy as np

MAX_GROUPS = 12


def extremes(values: np.ndarray, limit: int = MAX_GROUPS) -> tuple[np.ndarray, str | None]:
    """Positions to draw, and what to say of it.

    Parameters
    ----------
    values : array of shape (G,)
        NaN is never among the extremes, unless there are too few others.
    limit : int

    Returns
    -------
    positions : array
        All, in their order; or the lowest half and then the highest, sorted, where there are more
        than `limit`.
    note : str or None
    """
    n = len(values)
    if n <= limit:
        return np.arange(n), None
    ranked = np.argsort(values, kind="stable")  # NaN comes last
    ranked = ranked[: max(int(np.count_nonzero(~np.isnan(values))), limit)]
    half = limit // 2
    chosen = np.concatenate([ranked[:half], ranked[-half:]])
    return chosen, f"the {half} lowest and {half} highest of {n} groups"
