"""The gap measures: value, interval, what chance gives, p and q."""

import math

import pandas as pd

from skfairprop.metrics import METRICS
from skfairprop.report._findings import Findings
from skfairprop.report._page._figures import Scale, chance_strip, round_up
from skfairprop.report._page._numbers import (
    TO,
    decimal,
    in_words,
    is_missing,
    name,
    probability,
    span,
)
from skfairprop.report._view import View
from skfairprop.report._wording import FAMILIES, measure_title, measure_words

SURE = 0.05  # the false discovery rate at which a finding is set in bold


def gaps_part(report: Findings, positive: str) -> dict:
    """Everything of the section on gap measures."""
    view = report.views[0]
    table = report.metrics.loc[view.name]
    names = view.main_measures
    rows = [measure_row(report, n, table.loc[n], positive) for n in names]
    return {
        "rows": rows,
        "picture": _picture(table.loc[list(names)]),
        "n_tests": int(report.metrics["p"].notna().sum()),
        "without_small": _without_small(report, view, names, positive),
        "omnibus": _omnibus(view),
        "alone": _alone(report, positive),
        "n_all": len(table),
        "all": _by_family(report, table, positive),
    }


def _by_family(report: Findings, table: pd.DataFrame, positive: str) -> list[dict]:
    """All measures, family by family."""
    out = []
    for family, title in FAMILIES.items():
        rows = table[table["family"] == family]
        if len(rows):
            made = [measure_row(report, n, row, positive) for n, row in rows.iterrows()]
            out.append({"title": title[0].upper() + title[1:], "rows": made})
    return out


def measure_row(report: Findings, metric: str, row: pd.Series, positive: str) -> dict:
    """A measure as the template prints it."""
    record = METRICS[metric.partition("[")[0]]
    p, q = row["p"], row.get("q")
    alpha = 1 - report.settings.confidence
    sure = not is_missing(q) and q <= SURE
    alone = not sure and not is_missing(q) and p <= alpha
    return {
        "name": metric,
        "title": measure_title(metric),
        "words": measure_words(metric, positive),
        "misleads": record.misleads,
        "value": decimal(row["value"]),
        "best": f"{record.best:g}",
        "span": interval_text(row, record.best),
        "corrected": "" if is_missing(row["corrected"]) else decimal(row["corrected"]),
        "chance": decimal(row["chance"]),
        "chance_95": chance_limit(row, record),
        "p": probability(p),
        "q": probability(q),
        "sure": sure,
        "alone": alone,
        "reason": "" if row["reliable"] else row["reason"],
    }


def interval_text(row: pd.Series, best: float) -> str:
    """The interval; "above 0" where it comes up to the value without bias and leaves it out."""
    lower, upper = row["lower"], row["upper"]
    if is_missing(lower) or not row["open_at_zero"]:
        return span(lower, upper)
    if lower == best:
        return f"above {best:g} {TO} {decimal(upper)}"
    return f"{decimal(lower)} {TO} below {best:g}"


def chance_limit(row: pd.Series, record) -> str:
    """What chance alone passes one time in twenty."""
    if is_missing(row["chance_95"]):
        return TO
    sign = "±" if record.signed else "≤" if record.best == 1 else "≥"
    return f"{sign} {decimal(row['chance_95'])}"


def _picture(table: pd.DataFrame) -> dict | None:
    """Values over what chance gives; ratios are left out, they run the other way."""
    best = [METRICS[n.partition("[")[0]].best for n in table.index]
    table = table[[b == 0 and not is_missing(v) for b, v in zip(best, table["value"], strict=True)]]
    if not len(table):
        return None
    ends = table[["value", "upper", "chance_95"]].to_numpy(float)
    scale = Scale(0.0, _axis_end(min(float(pd.Series(ends.ravel()).max()), 4 * _median(table))))
    rows, told = [], []
    for metric, row in table.iterrows():
        parts = (row["value"], row["lower"], row["upper"], row["chance"], row["chance_95"])
        rows.append({"name": measure_title(metric), "value": decimal(row["value"]),
                     "strip": chance_strip(*parts, scale)})  # fmt: skip
        by_chance = "" if is_missing(row["chance"]) else f", by chance {decimal(row['chance'])}"
        told.append(f"{measure_title(metric)} {decimal(row['value'])}{by_chance}")
    return {
        "rows": rows,
        "ticks": [(at, f"{value:g}") for at, value in scale.ticks()],
        "description": "; ".join(told),
    }


def _median(table: pd.DataFrame) -> float:
    """The median upper end: one measure that is not bounded by 1 must not flatten the others."""
    upper = table[["value", "upper"]].max(axis=1)
    return float(upper.median()) or 1.0


def _axis_end(value: float) -> float:
    step = round_up(value / 5)
    return step * math.ceil(value / step - 1e-9) if value > 0 else 1.0


def _without_small(report, view: View, names, positive: str) -> dict | None:
    if view.without_small is None:
        return None
    size = view.counts.of_labels().values.sum(-1)
    few = [
        f"{name(g)} ({n:g})"
        for g, n in zip(view.counts.group_texts, size, strict=True)
        if n < report.settings.min_count
    ]
    table = view.without_small
    rows = [measure_row(report, n, table.loc[n], positive) for n in names if n in table.index]
    return {"few": in_words(few, 8), "n": len(few), "rows": rows}


def _omnibus(view: View) -> list[tuple[str, str]]:
    if view.omnibus is None:
        return []
    words = {
        "independence": "classes and predictions" if view.counts.predicted else "classes",
        "separation": "predictions, given the true class",
        "sufficiency": "true classes, given the prediction",
    }
    return [(words[null], probability(row["p"])) for null, row in view.omnibus.iterrows()]


def _alone(report: Findings, positive: str) -> list[dict]:
    """The main measures for each protected column by itself, where there are several."""
    if len(report.views) < 2:
        return []
    names = report.views[0].main_measures
    out = []
    for view in report.views[1:]:
        table = report.metrics.loc[view.name].reindex(names)
        rows = [measure_row(report, n, row, positive) for n, row in table.iterrows()]
        out.append({"name": name(view.name), "n_groups": view.counts.n_groups, "rows": rows})
    return out
