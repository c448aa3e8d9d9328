"""Names of groups that are long, odd or alike, as a reader sees them."""

import pytest

from skfairprop import fairness_report
from skfairprop._visible import shorten, shorten_all, visible, visible_name

BRANCHES = [f"Ministry of Education and Research, {side}ern branch" for side in ("north", "south")]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("A ", "A\u2423"),
        ("  A", "\u2423\u2423A"),
        ("a b", "a b"),
        (" ", "\u2423"),
        ("", ""),
        ("\t", "\\t"),
        ("\u202eabc", "\\u202eabc"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),  # one sign
        (
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("ab\u200dc", "ab\\u200dc"),  # joins nothing: it hides
        ("\u200dA", "\\u200dA"),
    ],
)
def test_what_cannot_be_seen_is_shown(given, shown):
    assert visible_name(given) == shown


def test_text_that_is_no_name_keeps_its_spaces():
    assert visible("  ^ \x1b") == "  ^ \\x1b"


@pytest.mark.parametrize("width", range(3, 60))
def test_short_names_fit_and_keep_both_ends(width):
    short = [shorten(name, width) for name in BRANCHES]
    assert all(len(name) <= width for name in short)
    if width >= 32:  # half of it holds "northern branch"
        assert short[0] != short[1]
    assert shorten("abc", width) == "abc"
    if width >= 10:
        short = shorten_all([*BRANCHES, "Home"], width)
        assert len(set(short)) == 3
        assert all(len(name) <= width for name in short)


def test_long_names_are_told_apart_in_the_terminal_and_in_the_pictures():
    groups = [BRANCHES[i % 2] for i in range(200)]
    y = [i % 3 > 0 for i in range(200)]
    p = [i % 5 > 0 for i in range(200)]
    report = fairness_report(y, p, sensitive_features={"grp": groups}, bootstrap=0)
    text = str(report)
    rows = [line[:20] for line in text.splitlines() if line.startswith("Minis")]
    assert ["north" in row for row in rows] == [True, False]
    assert ["south" in row for row in rows] == [False, True]
    page = report._repr_html_()
    for name in BRANCHES:
        assert f'title="{name}"' in page
        assert shorten(name, 32, "…") in page


def test_groups_that_look_alike_are_named_in_a_note():
    names = ["A", "A ", "a", "B", "Nai\u0308ve", "Na\u00efve"]
    groups = [names[i % 6] for i in range(120)]
    y = [i % 7 > 2 for i in range(120)]
    report = fairness_report(y, y, sensitive_features={"grp": groups}, bootstrap=0)
    alike = [note for note in report.notes if "differ only in case, spaces or signs" in note]
    assert len(alike) == 2
    assert all(repr(name) in alike[0] for name in ("A", "A ", "a"))
    assert "'B'" not in alike[0]
    clear = fairness_report(y, y, sensitive_features={"grp": ["ab"[i % 2] for i in range(120)]})
    assert not any("differ only" in note for note in clear.notes)


def test_three_names_that_branch_twice_are_told_apart():
    names = [
        "Region of the north A: unit one zzzzzzzz",
        "Region of the north A: unit two zzzzzzzz",
        "Region of the south A: unit two zzzzzzzz",
    ]
    short = shorten_all(names, 20)
    assert len(set(short)) == 3
    assert all(len(name) <= 20 for name in short)
