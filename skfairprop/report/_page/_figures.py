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


def _line(kind: str, x1: str, x2: str, y1: str = "50%", y2: str = "50%") -> str:
    return f'<line class="{kind}" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"/>'


def _upright(kind: str, x: str, y1: str = "0", y2: str = "100%") -> str:
    return _line(kind, x, x, y1, y2)


def _dot(x: str, y: str = "50%", *, few: bool = False) -> str:
    if few:  # another shape, not only another colour
        return f'<svg class="few" x="{x}" y="{y}"><path d="{_DIAMOND}"/></svg>'
    return f'<circle cx="{x}" cy="{y}" r="4.6"/>'


def _strip(parts: Sequence[str]) -> str:
    return f'<span class="plot"><svg class="strip">{"".join(parts)}</svg></span>'


def rate_strip(value, lower, upper, *, few: bool, everyone: float, scale: Scale = UNIT) -> str:
    """A rate with its interval; dashed: everyone together."""
    parts = [] if is_missing(everyone) else [_upright("ref", scale(everyone))]
    if not is_missing(value):
        if not is_missing(lower):
            parts.append(_line("iv few" if few else "iv", scale(lower), scale(upper)))
        parts.append(_dot(scale(value), few=few))
    return _strip(parts)


def chance_strip(value, lower, upper, chance, chance_95, scale: Scale) -> str:
    """A measure with its interval, over what chance reaches 19 times in 20."""
    parts = []
    if not is_missing(chance_95):
        parts.append(f'<rect class="band" x="0" y="18%" height="64%" width="{scale(chance_95)}"/>')
        parts.append(_upright("mean", scale(chance), "18%", "82%"))
    if not is_missing(lower):
        parts.append(_line("iv", scale(lower), scale(upper)))
    if not is_missing(value):
        parts.append(_dot(scale(value)))
    return _strip(parts)


def bar_strip(value: float, lower, upper, scale: Scale, *, kind: str = "") -> str:
    """A bar from zero, with its interval."""
    left, right = sorted((0.0, value))
    width = f"{100 * (right - left) / (scale.high - scale.low):.4g}%"
    parts = [
        f'<rect class="bar {kind}" x="{scale(left)}" y="20%" height="60%" width="{width}"/>',
        _upright("zero", scale(0.0)),
    ]
    if not is_missing(lower):
        parts.append(_line("whisker", scale(lower), scale(upper)))
    return _strip(parts)


def slope_lines(lines: Sequence[dict], scale: Scale) -> str:
    """Lines from a rate in the data (left) to the same rate in the predictions (right).

    Parameters
    ----------
    lines : sequence of dict
        With ``data``, ``model`` (each: value, lower, upper) and ``few``.
    scale : Scale
        From the bottom to the top.
    """
    upside_down = Scale(-scale.high, -scale.low)
    parts = [
        _line("grid", "0", "100%", upside_down(-v), upside_down(-v)) for _, v in scale.ticks(4)
    ]
    for line in lines:
        few = " few" if line["few"] else ""
        for x, (_, lower, upper) in (("0", line["data"]), ("100%", line["model"])):
            parts.append(_upright(f"thin{few}", x, upside_down(-lower), upside_down(-upper)))
        ends = [upside_down(-line[side][0]) for side in ("data", "model")]
        parts.append(_line(f"slope{few}", "0", "100%", *ends))
        parts += [_dot(x, y, few=line["few"]) for x, y in zip(("0", "100%"), ends, strict=True)]
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
