"""Before and after reweighting: measures, rates and a picture of the leading rate."""

from collections.abc import Callable

import numpy as np

from skfairprop.report._before_after import BeforeAfter
from skfairprop.report._findings import Findings
from skfairprop.report._page._gaps import SURE
from skfairprop.report._page._groups import column_hint, column_title, group_order
from skfairprop.report._page._numbers import (
    decimal,
    is_missing,
    name,
    percent,
    points,
    probability,
    signed_decimal,
    span,
    tight_span,
    to,
)
from skfairprop.report._page._slopes import slopes
from skfairprop.report._rates import (
    RateColumn,
    RateTable,
    accuracy_column,
    has_one_class,
    positive_columns,
)
from skfairprop.report._wording import measure_title, measure_words

_SHOWN = ("selection_rate", "tpr", "fpr", "accuracy")


def before_after_part(report: Findings, positive: str) -> dict | None:
    """Everything of the section; None where nothing was reweighted."""
    found = report.before_after
    if found is None:
        return None
    before = _columns(report.views[0], report.pos_label)
    after = _columns(found, report.pos_label)
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0].key in _SHOWN]
    return {
        "sentence": reweighting_sentence(report),
        "measures": [_measure(metric, row, positive) for metric, row in found.measures.iterrows()],
        "accuracy": _accuracy(found),
        "slopes": slopes(report, *pairs[0]),
        "heads": [(column_title(a), column_hint(a)) for a, _ in pairs],
        "rows": [
            {
                "name": name(report.counts.group_texts[g]),
                "cells": [_cell(*pair, g, report.settings.min_count) for pair in pairs],
            }
            for g in group_order(pairs[0][0])
        ],
    }


def reweighting_sentence(report: Findings) -> str:
    """What reweighting does to the leading measure, and to right predictions."""
    found = report.before_after
    if found is None:
        return ""
    metric, row = found.measures.index[0], found.measures.iloc[0]
    if is_missing(row["before"]) or is_missing(row["after"]):
        return ""
    level = f"{100 * report.settings.confidence:g}% interval"
    text = (
        f"Fitted with reweighted rows, the same model has a {measure_title(metric).lower()} of "
        f"{points(row['after'])} points instead of {points(row['before'])}"
    )
    if not is_missing(row["lower"]):
        ends = to(row["lower"], row["upper"], lambda v: points(v, sign=True))
        text += f" (change {points(row['change'], sign=True)}, {level} {ends})"
        if row["p"] > 1 - report.settings.confidence:
            text += ", a change that this sample cannot tell from chance"
    change = found.accuracy
    ends = to(change["lower"], change["upper"], lambda v: points(v, sign=True))
    return (
        f"{text}; {percent(change['after'], 1)} of its predictions are right instead of "
        f"{percent(change['before'], 1)} (change {points(change['change'], sign=True)} points, "
        f"{ends})."
    )


def _columns(table: RateTable, pos_label) -> list[RateColumn]:
    if has_one_class(table):
        return positive_columns(table, pos_label)
    return [accuracy_column(table)]


def _measure(metric: str, row, positive: str) -> dict:
    return {
        "title": measure_title(metric),
        "words": measure_words(metric, positive),
        "before": decimal(row["before"]),
        "before_span": span(row["before_lower"], row["before_upper"]),
        "after": decimal(row["after"]),
        "after_span": span(row["after_lower"], row["after_upper"]),
        "change": signed_decimal(row["change"]),
        "change_span": _change_span(row["lower"], row["upper"], signed_decimal),
        "p": probability(row["p"]),
        "q": probability(row["q"]),
        "sure": bool(row["q"] <= SURE),
    }


def _accuracy(found: BeforeAfter) -> dict:
    change = found.accuracy
    return {
        "before": percent(change["before"], 1),
        "after": percent(change["after"], 1),
        "change": points(change["change"], sign=True),
        "change_span": _change_span(
            change["lower"], change["upper"], lambda v: points(v, sign=True)
        ),
    }


def _change_span(lower: float, upper: float, write: Callable[[float], str]) -> str:
    """An interval of numbers with signs, which a dash would hide."""
    return "" if is_missing(lower) else to(lower, upper, write)


def _cell(before: RateColumn, after: RateColumn, g: int, small: float) -> dict:
    sides = [(c.values[g], c.lower[g], c.upper[g]) for c in (before, after)]
    shown = ["n = 0" if np.isnan(value) else percent(value, 1) for value, *_ in sides]
    return {
        "before": shown[0],
        "after": shown[1],
        "before_span": tight_span(*sides[0][1:]),
        "after_span": tight_span(*sides[1][1:]),
        "few": bool(min(before.n[g], after.n[g]) < small),
    }
