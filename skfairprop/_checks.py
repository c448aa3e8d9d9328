"""Checks of single arguments, with one message for each fault: what must be, and what came."""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, Literal, TypeGuard, overload

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


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether it is a whole number by its type; a truth value is none."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a real number by its type, NaN and inf too; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


@overload
def check_integer(
    name: str,
    value: Any,
    *,
    least: int,
    most: int | None = ...,
    owner: str = ...,
    optional: Literal[False] = ...,
) -> int: ...


@overload
def check_integer(
    name: str,
    value: Any,
    *,
    least: int,
    most: int | None = ...,
    owner: str = ...,
    optional: Literal[True],
) -> int | None: ...


def check_integer(
    name: str,
    value: Any,
    *,
    least: int,
    most: int | None = None,
    owner: str = "",
    optional: bool = False,
) -> int | None:
    """`value` as an int; ValueError unless it is an integer within the limits, or None if it may.

    Examples
    --------
    >>> from skfairprop._checks import check_integer
    >>> check_integer("n_draws", 0.5, least=1)
    Traceback (most recent call last):
    ...
    ValueError: n_draws must be an integer of at least 1; got 0.5
    """
    if optional and value is None:
        return None
    if not is_integer(value) or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        kind = f"{'None or ' if optional else ''}an integer"
        raise ValueError(f"{_of(owner)}{name} must be {kind} {limits}; got {value!r}")
    return int(value)


@overload
def check_number(
    name: str, value: Any, within: str, *, owner: str = ..., optional: Literal[False] = ...
) -> float: ...


@overload
def check_number(
    name: str, value: Any, within: str, *, owner: str = ..., optional: Literal[True]
) -> float | None: ...


def check_number(
    name: str, value: Any, within: str, *, owner: str = "", optional: bool = False
) -> float | None:
    """`value` as a float; ValueError unless it is in an interval, as "(0, 1]", or None if it may.

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
    if optional and value is None:
        return None
    low, high = (float(end) for end in within[1:-1].split(","))
    if (
        not is_number(value)
        or not (value > low if within[0] == "(" else value >= low)
        or not (value < high if within[-1] == ")" else value <= high)
    ):
        limits = f"in {within}"
        if math.isinf(high):
            limits = f"above {low:g}" if within[0] == "(" else f"of at least {low:g}"
        kind = "a finite number" if is_number(value) and math.isinf(value) else "a number"
        kind = f"None or {kind}" if optional else kind
        raise ValueError(f"{_of(owner)}{name} must be {kind} {limits}; got {value!r}")
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
