"""From data to model: how a gap in the labels changes, and the data set itself."""

import numpy as np

from skfairprop.groups import label_text
from skfairprop.metrics import METRICS
from skfairprop.report._change import Change, data_to_model
from skfairprop.report._findings import Findings
from skfairprop.report._page._gaps import SURE, interval_text, measure_row
from skfairprop.report._page._groups import Block
from skfairprop.report._page._numbers import (
    TO,
    decimal,
    name,
    percent,
    points,
    probability,
    quoted,
    span,
    to,
    whole,
)
from skfairprop.report._page._slopes import slopes
from skfairprop.report._wording import DATA_MEASURES

MAX_CLASSES = 14
MAX_ROWS = 24
_FLOOR = 5.0  # residuals of cells with a smaller expected count are only rough


def change_sentence(change: Change | None, confidence: float, positive: str) -> str:
    """What the model does to the largest gap in the labels, in a sentence or three."""
    if change is None:
        return ""
    share = positive if change.label is None else quoted(change.label)
    high, low = quoted(change.high), quoted(change.low)
    if change.data < 0.0005:
        start = f"In the data the groups have the same share of {share}."
    else:
        start = (
            f"In the data {high} and {low} are {points(change.data)} points apart in the share "
            f"of {share}; in the predictions {points(change.model)} points."
        )
    return f"{start} {change_verdict(change, confidence)}"


def change_verdict(change: Change, confidence: float) -> str:
    """Whether the model widens the gap, narrows it, turns it round, or cannot be told."""
    span = to(change.lower, change.upper, lambda v: points(v, sign=True))
    moved = f"{points(change.change, sign=True)} points, {100 * confidence:g}% interval {span}"
    if change.upper < -change.data and change.data > 0:
        return f"The model turns the gap round ({moved})."
    if change.lower > 0:
        return f"The model widens the gap ({moved})."
    if change.upper < 0:
        return f"The model narrows the gap ({moved})."
    return f"This sample cannot tell whether the model widens or narrows the gap ({moved})."


def data_part(report: Findings, blocks: list[Block], positive: str) -> dict:
    """Everything of the section on the data set."""
    view = report.views[0]
    change = data_to_model(
        view.counts, pos_label=report.pos_label, confidence=report.settings.confidence
    )
    return {
        "change": change,
        "sentence": change_sentence(change, report.settings.confidence, positive),
        "slopes": _slopes(report, blocks, change),
        "contingency": contingency(report),
        "measures": _measures(report, positive),
        "classes": _classes(report),
        "amplification": _amplification(report, positive),
    }


def _slopes(report: Findings, blocks: list[Block], change: Change | None) -> dict | None:
    """Base rate to predicted rate of the class that the change is about."""
    if change is None:
        return None
    found = {(c.key, str(c.label)): c for b in blocks for c in b.columns}
    label = change.label
    columns = [
        c
        for (key, text), c in found.items()
        if key in ("base_rate", "selection_rate") and (label is None or text == label)
    ][:2]
    return slopes(report, *columns)


def contingency(report: Findings) -> dict:
    """Group x class with the counts expected without association, and standardised residuals."""
    counts = report.counts.of_labels()
    table = counts.values.astype(float)
    commonest = np.argsort(-table.sum(0), kind="stable")[:MAX_CLASSES]
    classes = np.sort(commonest).tolist()
    total = table.sum()
    rows, columns = table.sum(1, keepdims=True), table.sum(0, keepdims=True)
    expected = rows * columns / total
    with np.errstate(divide="ignore", invalid="ignore"):
        spread_ = np.sqrt(expected * (1 - rows / total) * (1 - columns / total))
        residual = np.where(spread_ > 0, (table - expected) / spread_, 0.0)
    largest = np.argsort(-np.abs(residual).max(1), kind="stable")[:MAX_ROWS]
    groups = np.sort(largest).tolist()
    return {
        "classes": [name(label_text(counts.classes[k])) for k in classes],
        "rows": [
            {
                "name": name(counts.group_texts[g]),
                "cells": [_residual(table, expected, residual, g, k) for k in classes],
            }
            for g in groups
        ],
        "groups_left_out": counts.n_groups - len(groups),
        "classes_left_out": counts.n_classes - len(classes),
        "weighted": counts.squared is not None,
    }


def _residual(table, expected, residual, g: int, k: int) -> dict:
    value = residual[g, k]
    return {
        "n": whole(table[g, k]),
        "expected": whole(round(expected[g, k], 0 if expected[g, k] >= 10 else 1)),
        "residual": points(value / 100, sign=True),
        "shade": round(min(abs(value) / 10, 0.5), 2) if expected[g, k] >= _FLOOR else 0,
        "side": "pos" if value > 0 else "neg",
        "far": bool(abs(value) >= 3 and expected[g, k] >= _FLOOR),
    }


def _measures(report: Findings, positive: str) -> list[dict]:
    """Measures of the data set, with the same of the predictions beside them."""
    view = report.views[0]
    table = report.metrics.loc[view.name]
    out = []
    for metric in DATA_MEASURES:
        if metric not in table.index:
            continue
        row = measure_row(report, metric, table.loc[metric], positive)
        row |= {"predicted": TO, "predicted_span": ""}
        after = f"{metric}[y_pred]"
        about_sizes = METRICS[metric].null is None  # the predictions do not change group sizes
        if after in table.index and not about_sizes:
            found = table.loc[after]
            row["predicted"] = decimal(found["value"])
            row["predicted_span"] = interval_text(found, METRICS[metric].best)
        out.append(row)
    return out


def _classes(report: Findings) -> dict | None:
    """The bias of the data set class by class, the worst first."""
    table = report.class_bias
    if table is None:
        return None
    shown = table.iloc[:MAX_ROWS]
    return {
        "rows": [
            {
                "name": name(label),
                "n": whole(row["count"]),
                "distance": decimal(row["distance"]),
                "span": span(row["lower"], row["upper"]),
                "chance": decimal(row["chance"]),
                "p": probability(row["p"]),
                "q": probability(row["q"]),
                "sure": bool(row["q"] <= SURE),
                "association": decimal(row["association"]),
                "missing": f"{row['missing']:.2f}",
                "missing_span": span(row["missing_lower"], row["missing_upper"], "{:.2f}".format),
                "least": name(row["least"]),
                "least_share": percent(row["least_share"], 1),
                "most": name(row["most"]),
                "most_share": percent(row["most_share"], 1),
            }
            for label, row in shown.iterrows()
        ],
        "left_out": len(table) - len(shown),
    }


def _amplification(report: Findings, positive: str) -> list[dict]:
    """Amplification measures, as far as the registry and the counts allow them."""
    view = report.views[0]
    table = report.metrics.loc[view.name]
    table = table[table["family"] == "amplification"]
    return [measure_row(report, metric, row, positive) for metric, row in table.iterrows()]
