"""The page as data: everything that its template prints."""

import base64
import json
from collections.abc import Sequence

from skfairprop.report._findings import Findings
from skfairprop.report._page._before_after import before_after_part, reweighting_sentence
from skfairprop.report._page._data import data_part
from skfairprop.report._page._drivers import drivers_part, refit_sentence
from skfairprop.report._page._estimations import estimations_part
from skfairprop.report._page._explanations import explanations_part
from skfairprop.report._page._gaps import gaps_part
from skfairprop.report._page._groups import alone_blocks, blocks_part, make_blocks
from skfairprop.report._page._methods import facts, methods, reading
from skfairprop.report._page._numbers import TIMES, decimal, name, quoted, span
from skfairprop.report._page._pairs import pairs_part
from skfairprop.report._page._short import cards, sentences
from skfairprop.report._plain import report_dict
from skfairprop.report._rates import has_one_class, positive_label
from skfairprop.report._rules import Check
from skfairprop.report._source import PLACES, Section, Source

_DIGITS = 5  # of the numbers in the data that the page carries; counts are whole


def build_page(
    report: Findings,
    source: Source,
    *,
    checks: Sequence[Check] = (),
    sections: Sequence[Section] = (),
    document: dict | None = None,
) -> dict:
    """Everything that the template prints, as text and numbers."""
    view = report.views[0]
    positive = "the class"
    if has_one_class(view):
        positive = quoted(positive_label(view.counts, report.pos_label))
    blocks = make_blocks(view, report.pos_label)
    data = data_part(report, blocks, positive)
    pairs = pairs_part(report, blocks)
    added = {place: [_section(s) for s in sections if s.place == place] for place in PLACES}
    return {
        "title": name(source.title or "Fairness audit"),
        "view_name": f" {TIMES} ".join(map(name, view.counts.attributes)),
        "n_groups": view.counts.n_groups,
        "predicted": view.counts.predicted,
        "level": f"{100 * report.settings.confidence:g}%",
        "small": report.settings.min_count,
        "facts": facts(report, source),
        "short": sentences(
            report,
            blocks,
            change=data["change"],
            checks=checks,
            more=[refit_sentence(report.drivers), reweighting_sentence(report)],
        ),
        "cards": cards(report, positive, data["change"], pairs),
        "checks": [_check(check) for check in checks],
        "blocks": blocks_part(report, view, blocks),
        "alone": _alone(report),
        "gaps": gaps_part(report, positive),
        "pairs": pairs,
        "data": data,
        "drivers": drivers_part(report),
        "before_after": before_after_part(report, positive),
        "explanations": explanations_part(report),
        "estimations": estimations_part(report),
        "sections": added,
        "nav": _nav(report, added),
        "notes": [name(note) for note in report.notes],
        "reading": reading(report, source, positive),
        "methods": methods(report, source),
        "command": None if source.command is None else name(source.command),
        "json": _json(document if document is not None else report_dict(report)),
    }


def _alone(report: Findings) -> list[dict]:
    """The rates for each protected column by itself, where there are several."""
    return [
        {
            "name": name(view.name),
            "blocks": blocks_part(report, view, alone_blocks(view, report.pos_label)),
        }
        for view in report.views[1:]
    ]


def _nav(report: Findings, added: dict) -> list[tuple[str, str]]:
    """Ids and titles of the sections that there are."""
    predicted = report.counts.predicted
    titles = {
        "short": "In short",
        "checks": "Your checks",
        "groups": "Groups",
        "gaps": "Gap measures" if predicted else "Measures",
        "pairs": "Pairs",
        "data": "Data to model" if predicted else "The data set",
        "before_after": "Before and after",
        "drivers": "What drives it",
        "explanations": "Explanations",
        "estimations": "Estimations",
        "read": "How to read",
        "methods": "Methods",
    }
    known = {
        "before_after": report.before_after,
        "explanations": report.explanations,
        "estimations": report.estimations,
    }
    empty = [p for p, found in known.items() if found is None and not added[p]]
    return [(key, title) for key, title in titles.items() if key not in empty]


def _section(section: Section) -> dict:
    """What was added, as the template prints it."""
    table = None
    if section.table is not None:
        frame = section.table.reset_index()
        table = {
            "heads": [name(c) for c in frame.columns],
            "rows": [[_cell(v) for v in row] for row in frame.itertuples(index=False)],
        }
    return vars(section) | {
        "title": name(section.title),
        "text": [name(t) for t in section.text],
        "table": table,
    }


def _cell(value) -> str:
    return decimal(value) if isinstance(value, float) else name(value)


def _check(check: Check) -> dict:
    return {
        "rule": name(check.rule),
        "verdict": check.verdict,
        "fired": check.fired,
        "state": check.state,
        "value": decimal(check.value),
        "compared": name(check.compared),
        "span": span(check.lower, check.upper),
        "chance": decimal(check.chance),
    }


def _json(document: dict) -> dict:
    """The data of the report, as a link can carry them."""
    text = json.dumps(_rounded(document), separators=(",", ":"), allow_nan=False)
    return {"base64": base64.b64encode(text.encode()).decode(), "kb": max(1, len(text) // 1000)}


def _rounded(value):
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return value
