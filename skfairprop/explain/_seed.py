"""One integer from any random_state."""

from numbers import Integral

from skfairprop._random import RandomState, as_generator


def resolve_seed(random_state: RandomState) -> int:
    """Return an integer seed; an integer is its own seed.

    Explainers settle their seed once, at ``fit``, so that every later call repeats the draw.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        None draws fresh entropy.

    Returns
    -------
    int
    """
    generator = as_generator(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.integers(2**31 - 1))
