"""The page in a real browser: accessible, quiet, alone, and no wider than the screen."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skfairprop import FairnessReport, GroupCounts
from skfairprop.metrics import mesd_from_stability
from skfairprop.report import Drivers, Explanations, ScoreParts, Section, Source
from skfairprop.report._before_after import before_and_after

from .chromium import Chromium
from .test_estimations import estimations

pytest.importorskip("jinja2")
PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
AXE = os.environ.get("AXE_CORE", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed: see .ci/browser.sh"),
]
needs_axe = pytest.mark.skipif(
    not Path(AXE).is_file(), reason="AXE_CORE does not name axe.min.js: see .ci/browser.sh"
)
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "$x_1^{2}$",
    "\x1b[31mred\u202eevil",
    "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}",
    "a" * 130,
]
SCREENS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
PAPER = (794, "light", "print")  # A4
PAGES = ["binary", "classes", "many", "data", "hostile", "notebook"]


def counts(n_groups, n_classes, size=3000, **labels):
    rng = np.random.default_rng(0)
    values = rng.multinomial(size, rng.dirichlet(np.ones(n_groups * n_classes**2) * 2))
    given = {
        "groups": [f"a group with a rather long name, number {i}" for i in range(n_groups)],
        "classes": [f"class {i}" for i in range(n_classes)],
    }
    return GroupCounts(values.reshape(n_groups, n_classes, n_classes), **(given | labels))


def report_of(table, pos_label=None):
    return FairnessReport.from_counts(table, pos_label=pos_label, bootstrap=60)


def drivers(names=("age", "sex")):
    """Everything that a section on drivers can hold."""
    rng = np.random.default_rng(1)
    index = [*names, *(f"column {i}" for i in range(30))]
    refits = pd.DataFrame({"gap": [0.2, 0.15], "accuracy": 0.7}, index=["nothing", names[0]])
    table = pd.DataFrame({"part": rng.normal(0, 1, len(index))}, index=index)
    table = table.assign(lower=table["part"] - 0.1, upper=table["part"] + 0.1)
    parts = ScoreParts(names[0], names[1], table, -0.4, 1.3, 5)
    associations = pd.DataFrame(
        {"v": rng.random(len(index)), "chance": 0.1, "chance_95": 0.2}, index
    )
    return Drivers(associations, refits, "demographic_parity_difference", parts)


def add_more(report, pos_label):
    """Everything that a report can be asked for besides."""
    rng = np.random.default_rng(2)
    table = report.counts
    n = int(table.values.sum())
    cells = np.repeat(np.arange(table.values.size), table.values.astype(int).ravel())
    group, true, before = np.unravel_index(cells, table.values.shape)
    after = np.where(rng.random(n) < 0.8, before, true)
    labels = [table.classes[codes].to_numpy() for codes in (true, before, after)]
    people = table.groups[group].to_frame(index=False)
    rows = {"sensitive_features": people, "sample_weight": None, "missing": "raise"}
    report.before_after = before_and_after(
        report.views[0], report.settings, *labels, rows=rows, pos_label=pos_label
    )
    names = np.array(table.group_texts)[group]
    stability = np.clip(0.9 + 0.02 * rng.normal(size=n) - 0.1 * (group == 0), 0, 1)
    found = mesd_from_stability(
        stability, true, sensitive_features=names, n_permutations=50, n_resamples=50, random_state=0
    )
    report.explanations = Explanations(found, "The model", ("A note.",))
    report.estimations = estimations()


def binary_page():
    index = pd.MultiIndex.from_product([["female", "male"], ["over 25", "25 or under"]])
    report = report_of(counts(4, 2, 600, groups=index.set_names(["sex", "age"])), "class 1")
    report.drivers = drivers()
    add_more(report, "class 1")
    table = pd.DataFrame({"value": [0.1, 0.2]}, index=["female", "male"])
    sections = [
        Section(p, p, ["Text."], table, "A table") for p in ("explanations", "before_after")
    ]
    rules = ("cramers_v > 0", "cramers_v > 0.9", "demographic_parity_difference > 0.1")
    source = Source(
        title="Fairness audit", rows=600, columns=9, target="credit", model="a model",
        sha256="0" * 64, command="skfairprop audit " + "--sensitive x " * 20, trusted=["a.b.C"],
    )  # fmt: skip
    checks = [report.check(rule) for rule in rules]
    return report.to_html(source=source, checks=checks, sections=sections)


def page_with_more(table, pos_label=None):
    report = report_of(table, pos_label)
    add_more(report, pos_label)
    return report.to_html()


def hostile_page():
    index = pd.Index(HOSTILE, name="</title><b>")
    report = report_of(counts(len(HOSTILE), 2, groups=index, classes=HOSTILE[:2]), HOSTILE[0])
    report.drivers = drivers(HOSTILE[:2])
    add_more(report, HOSTILE[0])
    check = report.check(f"tpr[{HOSTILE[1]}] > 0.1")
    section = Section(HOSTILE[0], "data", HOSTILE, pd.DataFrame({HOSTILE[1]: HOSTILE}), HOSTILE[2])
    source = Source(*[HOSTILE[0], 5, 5, *HOSTILE[1:4]], notes=HOSTILE, command=HOSTILE[5])
    return report.to_html(source=source, checks=[check], sections=[section])


def notebook_page():
    report = report_of(counts(4, 2), "class 1")
    add_more(report, "class 1")
    body = report._repr_html_()
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>n</title></head>'
        f"<body><main>{body}</main></body></html>"
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "binary": binary_page(),
        "classes": page_with_more(counts(10, 6)),
        "many": page_with_more(counts(40, 2, 9000), "class 1"),
        "data": report_of(counts(5, 3).of_labels()).to_html(),
        "hostile": hostile_page(),
        "notebook": notebook_page(),
    }
    for name, html in made.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Chromium(PROGRAM, tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_no_complaint_no_request_no_overflow(browser, pages, name, width, scheme):
    page = browser.open(pages / f"{name}.html", width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = (
        "[...document.querySelectorAll('main *')]"
        ".filter(e => !e.closest('.scroll, .end, pre, svg') && "
        "e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 120))"
    )
    assert page.evaluate(wide) == []
    assert page.complaints() == []
    page.close()


@needs_axe
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("width", "scheme", "media"), [*(s + ("",) for s in SCREENS), PAPER], ids=str
)
def test_axe_finds_no_violation(browser, pages, name, width, scheme, media):
    page = browser.open(pages / f"{name}.html", width=width, scheme=scheme, media=media)
    page.evaluate(Path(AXE).read_text(encoding="utf-8") + ";0")
    found = page.evaluate(
        "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))]))"
    )
    assert found == []
    page.close()


def test_hostile_names_stay_text(browser, pages):
    page = browser.open(pages / "hostile.html")
    assert page.evaluate("document.querySelectorAll('img, script, title ~ b').length") == 0
    text = page.evaluate("document.body.innerText")
    for name in (HOSTILE[0], HOSTILE[1], HOSTILE[2], "\\x1b[31mred\\u202eevil", HOSTILE[4]):
        assert name in text
    assert page.evaluate("document.title") == HOSTILE[0]
    page.close()


@pytest.mark.parametrize("name", ["binary", "classes"])
def test_it_is_complete_without_script(browser, pages, name):
    texts = []
    for script in (True, False):
        page = browser.open(pages / f"{name}.html", script=script)
        texts.append(page.evaluate("document.body.textContent"))
        page.close()
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["binary", "many"])
def test_it_prints_what_is_folded(browser, pages, name):
    page = browser.open(pages / f"{name}.html", width=794, media="print")
    hidden = (
        "[...document.querySelectorAll('details:not([open]) td')]"
        ".filter(e => e.getBoundingClientRect().height === 0).length"
    )
    assert page.evaluate(hidden) == 0
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
    page.close()


def test_pictures_have_marks_of_the_size_that_they_should(browser, pages):
    page = browser.open(pages / "binary.html")
    box = "(e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height])"
    find = "document.querySelector"
    assert page.evaluate(f"{box}({find}('.forest .plot circle'))") == pytest.approx(
        [9.2, 9.2], abs=0.5
    )
    bar = page.evaluate(f"{box}({find}('.forest .plot rect'))")
    assert bar[1] == pytest.approx(2.4, abs=0.3)
    assert bar[0] > 3
    middle = (
        "[...document.querySelectorAll('.plot')].every(p => [...p.querySelectorAll('circle, path')]"
        ".every(m => Math.abs((m.getBoundingClientRect().top + m.getBoundingClientRect().bottom) - "
        "(p.getBoundingClientRect().top + p.getBoundingClientRect().bottom)) < 3))"
    )
    assert page.evaluate(middle)
    page.close()
