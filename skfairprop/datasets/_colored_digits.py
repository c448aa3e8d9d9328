"""Handwritten digits in colours that go with the digit more or less often."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from skfairprop._checks import check_integer, check_number
from skfairprop._random import RandomState, as_generator

from ._base import check_switches

IntArray = npt.NDArray[np.int64]

# Ten hues at full brightness, about equally far apart; the index is the digit they belong to.
COLORS = {
    "red": (1.0, 0.0, 0.0),
    "orange": (1.0, 0.6, 0.0),
    "lime": (0.8, 1.0, 0.0),
    "green": (0.2, 1.0, 0.0),
    "mint": (0.0, 1.0, 0.4),
    "cyan": (0.0, 1.0, 1.0),
    "azure": (0.0, 0.4, 1.0),
    "blue": (0.2, 0.0, 1.0),
    "violet": (0.8, 0.0, 1.0),
    "pink": (1.0, 0.0, 0.6),
}


def make_colored_digits(
    alpha: float,
    *,
    beta: float = 0.0,
    n_per_digit: int | None = None,
    return_X_y: bool = False,
    random_state: RandomState = None,
) -> Any:
    """Colour scikit-learn's digits, a share `alpha` of each digit in a colour of its own.

    The colour is the protected attribute. At ``alpha=0.1`` it says nothing about the digit, at
    ``alpha=1`` everything. No image is repeated, and the counts of digits and colours are exact, up
    to rounding; only which image gets which colour, and the order of the rows, are random.

    Parameters
    ----------
    alpha : float
        Share, in [0, 1], of the images of each digit that have the digit's own colour; the rest is
        spread evenly over the other nine.
    beta : float, default=0.0
        Share, in [0, 1], of each combination of digit and colour for which `prediction`, otherwise
        perfect, is the digit that the colour belongs to: a model that amplifies the bias.
    n_per_digit : int, default=None
        Number of images of each digit, from 1 to 174; None takes all that there are (174 to 183).
        With 170, ``alpha=0.1`` gives an exactly balanced table of 17 a combination.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    random_state : int, RandomState, Generator or None, default=None
        Pass an int for the same data at every call.

    Returns
    -------
    Bunch
        With the entries

        data : ndarray of shape (n_samples, 192), float64
            The images, flattened; values in [0, 1].
        images : ndarray of shape (n_samples, 8, 8, 3), float64
            Red, green and blue of each pixel. It shares its memory with `data`.
        target : ndarray of shape (n_samples,), int64
            Digit.
        sensitive_features : DataFrame of shape (n_samples, 1)
            Column ``color``: the digit that the colour belongs to, 0 to 9.
        prediction : ndarray of shape (n_samples,), int64
            The digit, or for a share `beta` the digit that the colour belongs to.
        color_names : list of str
            Name of each digit's own colour.
        colors : ndarray of shape (10, 3), float64
            Red, green and blue of each digit's own colour.
        feature_names, target_names : list of str
            Columns of `data`, as in ``"pixel_0_7_red"`` (row, column); the digits.

    (data, target) : tuple, if `return_X_y` is True

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    In the manner of the coloured MNIST in Tokas, Nair and Kerner, DPA: A one-stop metric to measure
    bias amplification in classification datasets, NeurIPS 2025. For alpha >= 0.1 and equally many
    images of each digit, the best guess of the digit from the colour is right with probability
    alpha, and that of `prediction` with alpha + beta (1 - alpha). The directional predictability
    amplification from colour to digit is then

        beta (1 - alpha) / (2 alpha + beta (1 - alpha)).

    Images: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine
    Learning Repository, 1998, as given by :func:`sklearn.datasets.load_digits`.

    Examples
    --------
    >>> from skfairprop.datasets import make_colored_digits
    >>> digits = make_colored_digits(0.75, random_state=0)
    >>> digits.images.shape
    (1797, 8, 8, 3)
    >>> own = digits.sensitive_features["color"] == digits.target
    >>> round(float(own.mean()), 2)
    0.75
    """
    alpha, beta = check_number("alpha", alpha, "[0, 1]"), check_number("beta", beta, "[0, 1]")
    check_switches(return_X_y=return_X_y)
    gray, digit = load_digits(return_X_y=True)
    if n_per_digit is not None:
        available = int(np.bincount(digit).min())
        n_per_digit = check_integer("n_per_digit", n_per_digit, least=1, most=available)
    rng = as_generator(random_state)

    rows = rng.permutation(len(digit))
    if n_per_digit is not None:
        rows = np.concatenate([rows[digit[rows] == d][:n_per_digit] for d in range(10)])
        rows = rng.permutation(rows)
    gray, digit = gray[rows] / 16, digit[rows].astype(np.int64)
    color = _assign_colors(digit, alpha, rng)
    colors = np.array(list(COLORS.values()))
    data = (gray[:, :, None] * colors[color][:, None, :]).reshape(len(gray), -1)
    if return_X_y:
        return data, digit
    channels = ("red", "green", "blue")
    return Bunch(
        data=data,
        images=data.reshape(-1, 8, 8, 3),
        target=digit,
        sensitive_features=pd.DataFrame({"color": color}),
        prediction=_follow_color(digit, color, beta, rng),
        color_names=list(COLORS),
        colors=colors,
        feature_names=[f"pixel_{r}_{c}_{k}" for r in range(8) for c in range(8) for k in channels],
        target_names=[str(d) for d in range(10)],
    )


def _assign_colors(digit: IntArray, alpha: float, rng: np.random.Generator) -> IntArray:
    """Exactly a share `alpha` of each digit in its own colour, the others evenly, at random."""
    color = np.empty_like(digit)
    for own in range(10):
        rows = rng.permutation(np.flatnonzero(digit == own))
        n_own = round(alpha * len(rows))
        others = rng.permutation(np.delete(np.arange(10), own))
        color[rows[:n_own]] = own
        color[rows[n_own:]] = np.resize(others, len(rows) - n_own)
    return color


def _follow_color(
    digit: IntArray, color: IntArray, beta: float, rng: np.random.Generator
) -> IntArray:
    """The digit, but the colour's digit for a share `beta` of every cell of digit and colour.

    Systematic sampling: the rows lie on a line, cell after cell, and those where a multiple of
    1/beta falls are taken. So no cell is more than one row off, and rounding does not add up.
    """
    line = np.lexsort([rng.random(len(digit)), color, digit])
    multiples = np.floor(beta * np.arange(len(line) + 1) + rng.random())
    prediction = digit.copy()
    follows = line[np.diff(multiples) > 0]
    prediction[follows] = color[follows]
    return prediction
