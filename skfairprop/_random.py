"""One way to read `random_state` that never touches NumPy's global generator."""

import numpy as np

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
