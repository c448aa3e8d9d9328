"""Checks of single arguments, with one message for each fault: what must be, and what came."""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_choice(name: str, value: Any, choices: Collection[Any], *, owner: str = "") -> None:
    """Raise ValueError unless `value` is one of the choices.

    Examples
    --------
    >>> from skfairprop._checks import check_choice
    >>> check_choice("tail", "upper", ("literal", "continuous"))
    Traceback (most recent call last):
    ...
    ValueError: tail must be one of ('literal', 'continuous'); got 'upper'
    """
    plain = value is None or isinstance(value, str | Real)  # an array has no one answer
    if not plain or value not in choices:
        raise ValueError(f"{_of(owner)}{name} must be one of {tuple(choices)}; got {value!r}")


def check_integer(
    name: str, value: Any, *, least: int, most: int | None = None, owner: str = ""
) -> int:
    """`value` as an int; ValueError unless it is an integer within the limits.

    Examples
    --------
    >>> from skfairprop._checks import check_integer
    >>> check_integer("n_draws", 0.5, least=1)
    Traceback (most recent call last):
    ...
    ValueError: n_draws must be an integer of at least 1; got 0.5
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not whole or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{_of(owner)}{name} must be an integer {limits}; got {value!r}")
    return int(value)


def check_number(name: str, value: Any, within: str, *, owner: str = "") -> float:
    """`value` as a float; ValueError unless it is a number in an interval, as "(0, 1]".

    Examples
    --------
    >>> from skfairprop._checks import check_number
    >>> check_number("confidence", 95, "(0, 1)")
    Traceback (most recent call last):
    ...
    ValueError: confidence must be a number in (0, 1); got 95
    >>> check_number("sigma", 0, "(0, inf)")
    Traceback (most recent call last):
    ...
    ValueError: sigma must be a number above 0; got 0
    """
    low, high = (float(end) for end in within[1:-1].split(","))
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if (
        not is_number
        or not (value > low if within[0] == "(" else value >= low)
        or not (value < high if within[-1] == ")" else value <= high)
    ):
        limits = f"in {within}"
        if math.isinf(high):
            limits = f"above {low:g}" if within[0] == "(" else f"of at least {low:g}"
        kind = "finite number" if is_number and math.isinf(value) else "number"
        raise ValueError(f"{_of(owner)}{name} must be a {kind} {limits}; got {value!r}")
    return float(value)


def check_switch(name: str, value: Any, *, owner: str = "") -> None:
    """Raise ValueError unless `value` is True or False.

    Examples
    --------
    >>> from skfairprop._checks import check_switch
    >>> check_switch("relative", "no")
    Traceback (most recent call last):
    ...
    ValueError: relative must be True or False; got 'no'
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{_of(owner)}{name} must be True or False; got {value!r}")


def _of(owner: str) -> str:
    return f"{owner}: " if owner else ""
