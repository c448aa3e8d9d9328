"""One integer from any random_state."""

import numpy as np
from sklearn.utils import check_random_state

RandomState = int | np.random.RandomState | np.random.Generator | None


def resolve_seed(random_state: RandomState) -> int:
    """Return an integer seed; an integer is its own seed.

    Explainers settle their seed once, at ``fit``, so that every later call repeats the draw.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        None draws fresh entropy and never touches NumPy's global generator.

    Returns
    -------
    int
    """
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    check_random_state(random_state)  # raises the message users know for anything but a seed
    return int(random_state)
