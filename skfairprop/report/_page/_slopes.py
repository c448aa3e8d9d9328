"""A slope chart: one rate of every group in two places, as in the data and in the predictions."""

import numpy as np

from skfairprop.report._findings import Findings
from skfairprop.report._page._figures import Scale, round_up, slope_lines, spread
from skfairprop.report._page._groups import pictured
from skfairprop.report._page._numbers import name, percent, quoted
from skfairprop.report._rates import RateColumn


def slopes(report: Findings, left: RateColumn, right: RateColumn) -> dict:
    """A rate of the groups, with its intervals, on the left and on the right."""
    small = report.settings.min_count
    groups = pictured(right)
    lines: list[dict] = [
        {
            "left": (left.values[g], left.lower[g], left.upper[g]),
            "right": (right.values[g], right.lower[g], right.upper[g]),
            "few": bool(left.n[g] < small),
        }
        for g in groups
    ]
    ends = np.array([line[side] for line in lines for side in ("left", "right")])
    scale = _scale(ends)
    height = scale.high - scale.low
    wished = [1 - (line["right"][0] - scale.low) / height for line in lines]
    placed = spread(wished, min(0.075, 0.98 / max(len(lines), 1)), 0.0, 1.0)
    labels = [
        {
            "name": name(report.counts.group_texts[g]),
            "top": f"{100 * top:.4g}%",
            "few": line["few"],
            "text": f"{percent(line['left'][0])} → {percent(line['right'][0])}",
        }
        for g, top, line in zip(groups, placed, lines, strict=True)
    ]
    return {
        "svg": slope_lines(lines, scale),
        "labels": labels,
        "ticks": [
            (f"{100 * (1 - (v - scale.low) / height):.4g}%", percent(v)) for _, v in scale.ticks(4)
        ],
        "class": "" if right.label is None else quoted(right.label),
        "told": "; ".join(f"{label['name']} {label['text']}" for label in labels),
        "left_out": len(right.values) - len(labels),
    }


def _scale(ends: np.ndarray) -> Scale:
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    step = round_up(max(high - low, 0.02) / 4)
    return Scale(
        max(0.0, step * np.floor(low / step)), min(1.0, step * np.ceil(high / step - 1e-9))
    )
