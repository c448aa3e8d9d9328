"""Numbers and names as the page prints them."""

import pytest

from skfairprop.report._page._numbers import (
    MINUS,
    TO,
    decimal,
    in_words,
    name,
    percent,
    plural,
    points,
    probability,
    quoted,
    span,
    tight_span,
    whole,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (percent(0.638), "64%"),
        (percent(0.638, 1), "63.8%"),
        (percent(NAN), TO),
        (points(0.18), "18.0"),
        (points(0.18, sign=True), "+18.0"),
        (points(-0.006), f"{MINUS}0.6"),
        (points(-0.0004, sign=True), "0.0"),
        (points(NAN), TO),
        (decimal(0.1801), "0.180"),
        (decimal(-0.0001), "0.000"),
        (decimal(1234.5), "1,234"),
        (decimal(float("inf")), "∞"),
        (decimal(None), TO),
        (probability(0.0004), "< 0.001"),
        (probability(0.0234), "0.023"),
        (probability(NAN), TO),
        (whole(1000.0), "1,000"),
        (whole(12.25), "12.2"),
        (span(0.05, 0.27), f"0.050 {TO} 0.270"),
        (span(NAN, 0.27), ""),
        (tight_span(0.543, 0.724), f"54{TO}72%"),
        (tight_span(0.0, 0.004), f"0.0{TO}0.4%"),
        (tight_span(0.0, NAN), ""),
        (plural(1, "pair"), "1 pair"),
        (plural(1200, "pair"), "1,200 pairs"),
        (in_words(["a"]), "a"),
        (in_words(["a", "b", "c"]), "a, b and c"),
        (in_words(list("abcdef")), "a, b, c and 3 more"),
        (quoted("good"), "“good”"),
        (name("a\tb\u202e"), "a\\tb\\u202e"),
        (name("\N{ARABIC LETTER BEH}"), "\u2068\N{ARABIC LETTER BEH}\u2069"),
    ],
)
def test_as_printed(shown, expected):
    assert shown == expected
