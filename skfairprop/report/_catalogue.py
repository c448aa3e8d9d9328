"""Every metric for people who have to choose one: ``skfairprop metrics``."""

import textwrap
from collections.abc import Sequence

from skfairprop._suggest import closest
from skfairprop.metrics import METRICS, Metric
from skfairprop.report._errors import UsageError
from skfairprop.report._text import WIDTH, Style
from skfairprop.report._wording import FAMILIES

_NEEDS = {
    "labels": "true classes",
    "counts": "true and predicted classes",
    "scores": "scores",
    "attributions": "attributions",
}


def catalogue(name: str | None = None) -> list[dict]:
    """The records of all metrics, or of those whose name holds `name`.

    Raises
    ------
    UsageError
        If there is none.
    """
    if name in METRICS:
        found = [METRICS[str(name)]]
    else:
        found = [m for m in METRICS.values() if name is None or name in m.name]
    if not found:
        raise UsageError(f"no metric {name!r}{closest(name, METRICS)}")
    order = list(FAMILIES)
    found.sort(key=lambda m: order.index(m.family) if m.family in order else len(order))
    return [_record(metric) for metric in found]


def _record(metric: Metric) -> dict:
    low, high = (None if abs(v) == float("inf") else v for v in metric.range)
    return {
        "name": metric.name,
        "family": metric.family,
        "formula": metric.formula,
        "range": [low, high],
        "best": metric.best,
        "signed": metric.signed,
        "needs": metric.inputs,
        "needs_positive_class": metric.needs_positive,
        "null": metric.null,
        "rates": list(metric.rates),
        "options": {k: list(v) for k, v in metric.options.items()},
        "source": metric.source,
        "misleads": metric.misleads,
    }


def catalogue_text(records: Sequence[dict], style: Style) -> str:
    """The metrics in lines of at most 80 columns, family by family."""
    out: list[str] = []
    family = None
    for record in records:
        if record["family"] != family:
            family = record["family"]
            out += ["", style.head(FAMILIES.get(family, family).upper())]
        out += ["", style.strong(record["name"]), *_lines(record)]
    return "\n".join(out).strip("\n")


def _lines(record: dict) -> list[str]:
    low, high = ("inf" if v is None else f"{v:g}" for v in record["range"])
    low = f"-{low}" if low == "inf" else low
    values = f"{low} to {high}, without bias {record['best']:g}"
    needs = _NEEDS.get(record["needs"], record["needs"])
    if record["needs_positive_class"]:
        needs += ", a positive class"
    rows = [
        ("range", values),
        ("formula", record["formula"]),
        ("needs", needs),
        ("chance", _chance(record["null"])),
        ("misleads", record["misleads"]),
        ("source", record["source"]),
    ]
    for option, allowed in record["options"].items():
        rows.insert(2, ("option", f"{option}: {', '.join(map(str, allowed))}"))
    return [line for title, text in rows for line in _wrapped(title, text)]


def _chance(null: str | None) -> str:
    if null is None:
        return "none"
    return {
        "independence": "groups exchanged over all rows",
        "separation": "groups exchanged within the true class",
        "sufficiency": "groups exchanged within the predicted class",
    }.get(null, null)


def _wrapped(title: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {title:10s}", subsequent_indent=" " * 12)
