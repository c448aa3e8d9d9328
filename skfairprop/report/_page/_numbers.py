"""Numbers and names as the page prints them."""

import math
import unicodedata

from skfairprop._visible import visible_name

MINUS = "\N{MINUS SIGN}"
TO = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_ISOLATE, _END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def is_missing(value: float | None) -> bool:
    """Whether there is no number."""
    return value is None or math.isnan(value)


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


def percent(value: float, decimals: int = 0) -> str:
    """A share as a percentage: "64%"."""
    return TO if is_missing(value) else _signed(f"{100 * value:.{decimals}f}%")


def points(value: float, *, sign: bool = False) -> str:
    """A difference of shares in percentage points: "18.0", or "+18.0" with `sign`."""
    if is_missing(value):
        return TO
    scaled = 100 * value
    if abs(scaled) < 0.05:
        return "0.0"
    return _signed(f"{scaled:+.1f}" if sign else f"{scaled:.1f}")


def decimal(value: float) -> str:
    """The value of a measure: three decimals, fewer where it is large."""
    if is_missing(value):
        return TO
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if abs(value) < 0.0005:
        return "0.000"
    return _signed(f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}")


def signed_decimal(value: float) -> str:
    """A change of a measure: three decimals and its sign."""
    text = decimal(value)
    return f"+{text}" if not is_missing(value) and value >= 0.0005 else text


def probability(value: float) -> str:
    """A p-value: three decimals."""
    if is_missing(value):
        return TO
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def whole(value: float) -> str:
    """A count; one decimal for sums of weights."""
    if is_missing(value):
        return TO
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def span(lower: float, upper: float, write=decimal) -> str:
    """An interval, "0.054 - 0.272" with a longer dash; empty where there is none."""
    if is_missing(lower) or is_missing(upper):
        return ""
    return f"{write(lower)} {TO} {write(upper)}"


def tight_span(lower: float, upper: float) -> str:
    """An interval of shares, "54-72%" with a longer dash."""
    if is_missing(lower) or is_missing(upper):
        return ""
    decimals = 1 if upper - lower < 0.02 else 0
    return f"{100 * lower:.{decimals}f}{TO}{100 * upper:.{decimals}f}%"


def to(lower: float, upper: float, write=points) -> str:
    """An interval in a sentence: "9.2 to 28.4"."""
    return f"{write(lower)} to {write(upper)}"


def name(label: object) -> str:
    """A name from the data: what cannot be seen is shown, and it does not turn its neighbours."""
    text = visible_name(label)
    if any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text):
        return f"{_ISOLATE}{text}{_END_ISOLATE}"
    return text


def quoted(label: object) -> str:
    """A name from the data in quotation marks."""
    return f"“{name(label)}”"


def in_words(items: list[str], limit: int = 4) -> str:
    """A list in a sentence: "a, b and c"; "a, b and 7 more" beyond `limit`."""
    if len(items) > limit:
        return f"{', '.join(items[: limit - 1])} and {len(items) - limit + 1} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def plural(n: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 group", "4 groups"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
