"""The page: its sections, what it holds, and that names stay text."""

import base64
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from skfairprop import FairnessReport, GroupCounts, fairness_report
from skfairprop.report import Section, Source
from skfairprop.report._page._numbers import TIMES, TO

pytest.importorskip("jinja2")

SECTIONS = ["short", "checks", "groups", "gaps", "pairs", "data", "drivers", "read", "methods"]
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "$x_1^{2}$",
    "\x1b[31mred\u202eevil",
    "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}",
    "\"'`&amp;<!--",
]


class Reader(HTMLParser):
    """Tags, ids, references and text of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.ids, self.links, self.handlers, self.texts = [], [], [], [], []
        self.open = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [attrs[k] for k in ("href", "src", "xlink:href") if k in attrs]
        self.handlers += [k for k in attrs if k.startswith("on")]
        if tag not in ("meta", "br", "wbr", "path", "rect", "circle", "line", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open[-1:]:
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.texts))


def random_counts(n_groups, n_classes, size=2000, seed=0, **kwargs):
    rng = np.random.default_rng(seed)
    values = rng.multinomial(size, rng.dirichlet(np.ones(n_groups * n_classes**2) * 3))
    labels = {
        "groups": [f"group {i:03d}" for i in range(n_groups)],
        "classes": [f"class {i:02d}" for i in range(n_classes)],
    } | kwargs
    return GroupCounts(values.reshape(n_groups, n_classes, n_classes), **labels)


def make_report(counts, **settings):
    return FairnessReport.from_counts(counts, **({"bootstrap": 60} | settings))


@pytest.fixture(scope="module")
def binary():
    return make_report(random_counts(4, 2), pos_label="class 01")


@pytest.fixture(scope="module")
def two_columns():
    index = pd.MultiIndex.from_product([["f", "m"], ["old", "young"]], names=["sex", "age"])
    return make_report(random_counts(4, 2, groups=index), pos_label="class 01")


def test_the_sections_stand_in_their_order(binary):
    page = Reader(binary.to_html())
    assert [i for i in page.ids if i in SECTIONS] == SECTIONS
    for section in SECTIONS:
        assert f"#{section}" in page.links


def test_the_page_needs_nothing_from_outside(binary):
    html = binary.to_html()
    page = Reader(html)
    assert not page.handlers
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert all(link.startswith(("#", "data:application/json;base64,")) for link in page.links)
    assert "default-src 'none'" in html
    assert not re.search(r"https?://|@import|url\(", html)


def test_ids_are_unique_and_references_exist(two_columns):
    page = Reader(two_columns.to_html())
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_it_writes_the_file(binary, tmp_path):
    html = binary.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == html


def test_the_same_report_gives_the_same_bytes(binary):
    again = make_report(random_counts(4, 2), pos_label="class 01")
    assert again.to_html() == binary.to_html()


def test_every_group_is_in_the_table_with_its_numbers(binary):
    text = Reader(binary.to_html()).text
    row = binary.by_group.iloc[2]
    assert "group 002" in text
    assert f"{100 * row['tpr']:.1f}%" in text
    assert f"n = {row['n_tpr']:.0f}" in text


def test_every_main_measure_has_value_interval_chance_p_and_q(binary):
    text = Reader(binary.to_html()).text
    row = binary.metrics.loc[("sensitive_features", "demographic_parity_difference")]
    shown = f"{row['value']:.3f} ideal 0 corrected {row['corrected']:.3f} {row['lower']:.3f} {TO}"
    shown += f" {row['upper']:.3f}"
    assert f"{shown} {row['chance']:.3f} ≥ {row['chance_95']:.3f} {row['p']:.3f}" in text


def test_each_protected_column_is_shown_alone(two_columns):
    text = Reader(two_columns.to_html()).text
    assert "By sex alone" in text
    assert "One column at a time" in text
    assert f"made of sex {TIMES} age" in text


def test_the_words_are_those_of_a_measurement(two_columns):
    text = Reader(two_columns.to_html(checks=[two_columns.check("cramers_v > 0")])).text
    text = text.replace("This report measures; it does not decide what is fair.", "")
    assert not re.search(r"\b(is|are) (un)?(fair|biased)\b", text)
    assert "over the limit" in text


def test_checks_show_their_three_states(binary):
    rules = ("cramers_v > 0", "demographic_parity_difference > 0.001", "cramers_v > 0.9")
    html = binary.to_html(checks=[binary.check(r) for r in rules])
    assert all(mark in html for mark in ("● over the limit", "○ under the limit"))
    assert "cramers_<wbr>v &gt; 0.9" in html
    assert "No limits were set" in binary.to_html()


def test_the_data_can_be_taken_along(binary):
    page = Reader(binary.to_html())
    data = next(link for link in page.links if link.startswith("data:"))
    document = json.loads(base64.b64decode(data.partition("base64,")[2]))
    assert document["views"][0]["counts"] == binary.counts.values.tolist()


def test_several_classes_make_a_block_each_the_widest_gap_first():
    report = make_report(random_counts(3, 4))
    html = report.to_html()
    found = re.findall(r"<summary>Class “(class \d+)”</summary>", html)
    recall = report.by_group["tpr"].unstack("class")
    expected = (recall.max() - recall.min()).sort_values(ascending=False).index.tolist()
    assert found == expected
    assert html.count("<details open><summary>Class") == 3


def test_many_groups_are_all_in_the_table_and_twelve_in_the_pictures():
    report = make_report(random_counts(30, 2, size=9000), pos_label="class 01")
    html = report.to_html()
    assert "18 more are in the table" in html
    table = html[html.index('id="groups"') : html.index('class="figs"')]
    order = re.findall(r'<th scope="row">(group \d+)</th>', table)
    rates = report.by_group["selection_rate"]
    assert order == rates.sort_values(kind="stable").index.tolist()
    assert html.count('<span class="lab">group') % 12 == 0
    assert "the 15 pairs with the strongest evidence" in html


def test_200_groups_fit_into_a_megabyte():
    report = make_report(random_counts(200, 2, size=40_000), pos_label="class 01", bootstrap=0)
    assert len(report.to_html().encode()) <= 1_000_000


@pytest.mark.parametrize("classes", [2, 3])
def test_a_data_set_alone(classes):
    counts = random_counts(4, classes).of_labels()
    report = make_report(counts, pos_label="class 01" if classes == 2 else None)
    text = Reader(report.to_html()).text
    assert "What the data hold for 4 groups" in text
    assert "Predicted" not in text
    assert "Cramér's V of" in text


def test_undefined_rates_show_as_no_rows():
    values = [[[50, 10], [0, 0]], [[40, 5], [5, 40]], [[30, 5], [5, 40]]]
    counts = GroupCounts(values, groups=["a", "b", "c"], classes=[0, 1])
    assert "n = 0&nbsp;†" in make_report(counts).to_html()


def test_without_inference_there_are_dashes():
    report = make_report(random_counts(3, 2), pos_label="class 01", bootstrap=0)
    text = Reader(report.to_html()).text
    assert "none: computed without random tables" in text
    assert "Chance alone gives" not in text


@pytest.mark.parametrize("metrics", ["overall_disparity", "cramers_v", "ensemble_bias_estimation"])
def test_a_report_on_one_metric(metrics):
    report = make_report(random_counts(3, 2), pos_label="class 01", metrics=[metrics])
    row = report.metrics.iloc[0]
    assert f"{row['value']:.3f}" in Reader(report.to_html()).text


def test_weights_have_their_effective_sizes():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, (2, 300))
    groups, weight = rng.choice(list("ab"), 300), rng.uniform(0.5, 2, 300)
    report = fairness_report(y, p, sensitive_features=groups, sample_weight=weight, bootstrap=60)
    assert "Kish's effective sizes" in Reader(report.to_html()).text


def test_groups_without_large_rows_are_said_to_be_small():
    report = make_report(random_counts(3, 2, size=60), pos_label="class 01")
    assert "Every group rate rests on fewer than 50 rows" in Reader(report.to_html()).text


def test_small_groups_are_left_out_once_more():
    values = [[[50, 10], [20, 60]], [[40, 15], [25, 40]], [[3, 1], [1, 5]]]
    report = make_report(GroupCounts(values, groups=["a", "b", "tiny"], classes=[0, 1]))
    text = Reader(report.to_html()).text
    assert "Left out here: tiny (10)." in text
    assert "Without the groups of fewer than 50 rows, demographic parity difference is" in text


def test_hostile_names_stay_text():
    n = len(HOSTILE)
    index = pd.Index(HOSTILE, name="</title><b>")
    counts = random_counts(n, 2, groups=index, classes=[HOSTILE[0], HOSTILE[1]])
    report = make_report(counts, pos_label=HOSTILE[1])
    check = report.check(f"tpr[{HOSTILE[0]}] > 0.1")
    source = Source(
        title=HOSTILE[0], target=HOSTILE[1], model=HOSTILE[1], command=HOSTILE[1],
        notes=[HOSTILE[0]], protected_seen=[HOSTILE[0]], trusted=[HOSTILE[1]],
    )  # fmt: skip
    section = Section(
        HOSTILE[0], "data", [HOSTILE[1]], pd.DataFrame({HOSTILE[0]: [HOSTILE[1]]}), HOSTILE[1]
    )
    html = report.to_html(source=source, checks=[check], sections=[section])
    page = Reader(html)
    assert "img" not in page.tags
    assert "script" not in page.tags
    assert not page.handlers
    assert "\x1b" not in html
    assert "\u202e" not in html
    for name in (HOSTILE[0], HOSTILE[1], "$x_1^{2}$", "\\x1b[31mred\\u202eevil", "\"'`&amp;<!--"):
        assert name in page.text
    assert f"\u2068{HOSTILE[4]}\u2069" in page.text  # it must not turn the numbers beside it


def test_added_sections_appear_in_their_chapters(binary):
    table = pd.DataFrame({"stability": [0.91234, 0.8]}, index=pd.Index(["f", "m"], name="sex"))
    sections = [
        Section("How steady", "explanations", ["One.", "Two."], table, "By sex"),
        Section("Repaired", "before_after", ["Before."]),
        Section("Hidden", "estimations", svg="<svg><circle/></svg>", description="a dot"),
    ]
    html = binary.to_html(sections=sections)
    page = Reader(html)
    order = [i for i in page.ids if i in {*SECTIONS, "explanations", "before_after", "estimations"}]
    assert order == [
        "short", "checks", "groups", "gaps", "pairs", "data", "before_after", "drivers",
        "explanations", "estimations", "read", "methods",
    ]  # fmt: skip
    assert "0.912" in page.text
    assert 'aria-label="a dot"><svg><circle/></svg>' in html
    assert "Explanations" not in Reader(binary.to_html()).text


def test_an_unknown_chapter_is_refused():
    with pytest.raises(ValueError, match="place must be one of"):
        Section("x", "elsewhere")


def test_a_notebook_gets_scoped_styles_and_unique_ids(binary, two_columns):
    html = binary._repr_html_()
    page = Reader(html)
    assert "script" not in page.tags
    assert not {"html", "head", "body", "nav"} & set(page.tags)
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    outermost = re.sub(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", "", style).split()
    assert set(outermost) <= {".sfp", ".sfp-notebook"}
    assert not set(page.ids) & set(Reader(two_columns._repr_html_()).ids)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_a_notebook_without_jinja2_shows_the_text(binary, monkeypatch):
    import sys

    from skfairprop.report._page import _render

    _render._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert binary._repr_html_() is None
    with pytest.raises(ImportError, match=r"pip install 'skfairprop\[report\]'"):
        binary.to_html()
