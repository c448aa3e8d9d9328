"""One way to read `random_state` that never touches NumPy's global generator."""

from numbers import Integral

import numpy as np

# Seeds that all take: scikit-learn, torch, NumPy's older generator.
_SEEDS = 2**31 - 1
_WIDE_SEEDS = 2**32
RandomState = int | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """A generator from None, an int, a RandomState or a Generator, which is used as it is.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        None draws fresh entropy.

    Returns
    -------
    Generator

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if isinstance(random_state, np.random.RandomState):  # numpy before 2.2 does not take one
        random_state = int(random_state.randint(np.iinfo(np.int32).max))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer of at least 0, a RandomState or a Generator; "
            f"got {random_state!r}"
        ) from None


def draw_seed(random_state: RandomState) -> int:
    """One integer from 0 to 2**31 - 2, drawn: that of 3 is not 3, and a generator moves on."""
    return int(as_generator(random_state).integers(_SEEDS))


def draw_wide_seed(random_state: RandomState) -> int:
    """As `draw_seed`, up to 2**32 - 1: another number of the same state."""
    return int(as_generator(random_state).integers(_WIDE_SEEDS))


def own_seed(random_state: RandomState) -> int:
    """An integer is its own seed; of anything else one is drawn.

    Explainers settle their seed once, at ``fit``, so that every later call repeats the draw.
    """
    generator = as_generator(random_state)  # in any case: it refuses what is none
    return int(random_state) if isinstance(random_state, Integral) else draw_seed(generator)
