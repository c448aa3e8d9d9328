"""Reports on groups and classes of every kind and name: made, shown and stored without a fault."""

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from skfairprop import fairness_report
from tests.containers import GROUPS
from tests.hardening.command_cases import HOSTILE

N = 90
CODES = np.arange(N) % 3
RNG = np.random.default_rng(0)
Y, P = RNG.integers(0, 2, (2, N))


class Text(HTMLParser):
    """The tags of a page and its text, as a browser has them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


def check(report):
    """Every way to show and to store a report; returns the page as text and the document."""
    pytest.importorskip("jinja2")
    page = Text(report._repr_html_())
    assert not page.tags & {"img", "script", "iframe"}
    assert not set(repr(report)) & set("\x07\x1b\u202e")
    assert len(report.to_frame())
    return page.text, json.loads(json.dumps(report.to_dict(), allow_nan=False))


def of_codes(values, codes=CODES):
    return np.array([values[code] for code in codes], dtype=object)


@pytest.mark.parametrize("kind", GROUPS)
def test_groups_of_every_kind(kind):
    report = fairness_report(Y, P, sensitive_features=GROUPS[kind](CODES), pos_label=1, bootstrap=0)
    _, document = check(report)
    found = document["report" if "report" in document else "views"]
    view = (found["views"] if isinstance(found, dict) else found)[0]
    expected = [float(P[code == CODES].mean()) for code in range(3)]
    assert sorted(row["selection_rate"] for row in view["by_group"]) == pytest.approx(
        sorted(expected)
    )


@pytest.mark.parametrize("start", range(0, len(HOSTILE) - 2, 3))
def test_hostile_names_stay_text(start):
    names = HOSTILE[start : start + 3]
    groups = pd.DataFrame({names[0]: of_codes(names), "other": Y})
    report = fairness_report(Y, P, sensitive_features=groups, pos_label=1, bootstrap=0)
    text, _ = check(report)
    for name in names:
        if name.strip() and name.isascii() and name.isprintable() and len(name) < 40:
            assert name in text
    labels = of_codes(names), of_codes(names, np.roll(CODES, 1))
    report = fairness_report(*labels, sensitive_features=Y, bootstrap=40)
    text, document = check(report)
    assert json.dumps(names[0]) in json.dumps(document)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "groups"),
    [
        (Y, P, np.arange(N)),
        ([0, 1], [1, 0], ["a", "b"]),
        (Y, np.zeros(N, int), CODES),
        (np.zeros(N, int), P, CODES),
        (np.zeros(N, int), np.zeros(N, int), CODES),
        (np.arange(N) % 45, np.arange(N) % 44, Y),
    ],
    ids=["a group a row", "two rows", "none selected", "one class", "all the same", "45 classes"],
)
def test_tables_with_little_in_them(y_true, y_pred, groups):
    report = fairness_report(y_true, y_pred, sensitive_features=groups, bootstrap=40)
    _, document = check(report)
    counts = np.sum(document["views"][0]["counts"], axis=0)
    right = np.mean(np.asarray(y_true) == np.asarray(y_pred))
    assert np.trace(counts) / counts.sum() == pytest.approx(right)


def test_numbers_stay_numbers_beside_a_column_of_one_group():
    groups = pd.DataFrame({"a": CODES, "same": "x"})
    report = fairness_report(Y, P, sensitive_features=groups, pos_label=1, bootstrap=0)
    table = report.to_frame()
    numbers = ["value", "lower", "upper", "chance", "p", "q", "lowest_value", "highest_value"]
    assert set(table[numbers].dtypes) == {np.dtype(float)}
