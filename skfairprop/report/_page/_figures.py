"""Pictures as SVG that is laid out in per cent, so that it fits any width and keeps its text size.

They hold numbers only: every name is written by the template, which escapes it.
"""

import math
from collections.abc import Sequence

from skfairprop.report._page._numbers import is_missing

_DIAMOND = "M0-6.5L6.5 0L0 6.5L-6.5 0Z"


class Scale:
    """Positions in per cent on an axis from `low` to `high`."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> str:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.4g}%"

    def width(self, lower: float, upper: float) -> str:
        """The distance of two values in per cent."""
        low, high = (min(max(v, self.low), self.high) for v in (lower, upper))
        return f"{100 * (high - low) / (self.high - self.low):.4g}%"

    def ticks(self, n: int = 5) -> list[tuple[str, float]]:
        """Positions and values of about `n` round numbers."""
        step = round_up((self.high - self.low) / n)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [(self(i * step), round(i * step, 10)) for i in range(first, last + 1)]


UNIT = Scale(0.0, 1.0)


def round_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= value * (1 - 1e-9))


def _across(kind: str, left: str, width: str) -> str:
    """A bar; its height and place are in the style sheet."""
    of = f' class="{kind}"' if kind else ""
    return f'<rect{of} x="{left}" width="{width}"/>'


def _dot(x: str, *, few: bool = False) -> str:
    if few:  # another shape, not only another colour
        return f'<svg x="{x}" y="50%"><path d="{_DIAMOND}"/></svg>'
    return f'<circle cx="{x}"/>'


def _strip(parts: Sequence[str]) -> str:
    return f'<span class="plot"><svg>{"".join(parts)}</svg></span>'


def rate_strip(value, lower, upper, *, few: bool) -> str:
    """A rate in [0, 1] with its interval."""
    parts = []
    if not is_missing(value):
        if not is_missing(lower):
            parts.append(_across("few" if few else "", UNIT(lower), UNIT.width(lower, upper)))
        parts.append(_dot(UNIT(value), few=few))
    return _strip(parts)


def chance_strip(value, lower, upper, chance, chance_95, scale: Scale) -> str:
    """A measure with its interval, over what chance reaches 19 times in 20."""
    parts = []
    if not is_missing(chance_95):
        parts.append(_across("band", scale(0.0), scale.width(0.0, chance_95)))
        parts.append(_across("mean", scale(chance), "1.6"))
    if not is_missing(lower):
        parts.append(_across("", scale(lower), scale.width(lower, upper)))
    if not is_missing(value):
        parts.append(_dot(scale(value)))
    return _strip(parts)


def bar_strip(value: float, lower, upper, scale: Scale, *, kind: str = "bar") -> str:
    """A bar from zero, with its interval."""
    left, right = sorted((0.0, value))
    parts = [
        _across(kind, scale(left), scale.width(left, right)),
        _across("zero", scale(0.0), "1"),
    ]
    if not is_missing(lower):
        parts.append(_across("whisker", scale(lower), scale.width(lower, upper)))
    return _strip(parts)


def _line(kind: str, x: tuple[str, str], y: tuple[str, str]) -> str:
    return f'<line class="{kind}" x1="{x[0]}" x2="{x[1]}" y1="{y[0]}" y2="{y[1]}"/>'


def slope_lines(lines: Sequence[dict], scale: Scale) -> str:
    """Lines from a rate on the left to the same rate on the right.

    Parameters
    ----------
    lines : sequence of dict
        With ``left``, ``right`` (each: value, lower, upper) and ``few``.
    scale : Scale
        From the bottom to the top.
    """
    down = Scale(-scale.high, -scale.low)  # SVG counts from the top
    across = ("0", "100%")
    parts = [_line("grid", across, (down(-v), down(-v))) for _, v in scale.ticks(4)]
    for line in lines:
        few = " few" if line["few"] else ""
        for x, side in zip(across, ("left", "right"), strict=True):
            _, lower, upper = line[side]
            parts.append(_line(f"thin{few}", (x, x), (down(-lower), down(-upper))))
        ends = (down(-line["left"][0]), down(-line["right"][0]))
        parts.append(_line(f"slope{few}", across, ends))
        for x, y in zip(across, ends, strict=True):
            mark = f'<path d="{_DIAMOND}"/>' if line["few"] else "<circle/>"
            parts.append(f'<svg class="mark{few}" x="{x}" y="{y}">{mark}</svg>')
    return f'<svg class="slopes">{"".join(parts)}</svg>'


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions moved apart to be at least `gap` from each other, as near to where they were.

    Examples
    --------
    >>> from skfairprop.report._page._figures import spread
    >>> spread([0.5, 0.5], 0.2, 0.0, 1.0)
    [0.4, 0.6]
    """
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    blocks: list[list[float]] = []  # [mean of the wished start, size]
    for rank, i in enumerate(order):
        blocks.append([positions[i] - rank * gap, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [[(a * n + b * m) / (n + m), n + m]]
    starts = [start for start, size in blocks for _ in range(int(size))]
    highest = high - (len(positions) - 1) * gap
    out = [0.0] * len(positions)
    for rank, (i, start) in enumerate(zip(order, starts, strict=True)):
        out[i] = round(max(low, min(start, highest)) + rank * gap, 6)
    return out
