"""How stable the explanations are for each group, and which pairs of groups make MESD."""

import numpy as np

from skfairprop.groups import label_text
from skfairprop.metrics._mesd_result import MESDResult
from skfairprop.report._explanations import FEW_ROWS, Explanations
from skfairprop.report._findings import Findings
from skfairprop.report._page._figures import Scale, chance_strip
from skfairprop.report._page._groups import MAX_PICTURED
from skfairprop.report._page._numbers import (
    decimal,
    is_missing,
    name,
    percent,
    probability,
    quoted,
    span,
    whole,
)

MAX_PAIRS = 10


def explanations_part(report: Findings) -> dict | None:
    """Everything of the section; None where nothing was explained."""
    found = report.explanations
    if found is None:
        return None
    result = found.result
    table = result.to_frame().sort_values("stability", kind="stable")
    rows = [_group(label, row) for label, row in table.iterrows()]
    return {
        "what": name(found.model),
        "n_rows": whole(result.n_rows),
        "sentence": explanation_sentence(found),
        "mesd": {
            "value": decimal(result.value),
            "span": span(*result.interval),
            "chance": decimal(result.null_mean),
            "p": probability(result.p_value),
            "worst": decimal(result.worst_group_instability),
            "mean": decimal(result.mean_instability),
            "fidelity": decimal(result.fidelity_gap),
        },
        "rows": rows,
        "picture": _picture(table),
        "pairs": _pairs(result),
        "few": FEW_ROWS,
        "tail": f"{100 * result.alpha:g}%",
        "notes": [name(note) for note in found.notes],
    }


def explanation_sentence(found: Explanations) -> str:
    """Whether the explanations are less stable for some groups, in a sentence or two."""
    result = found.result
    if result.degenerate:
        return "All attributions are zero, as those of a constant model: nothing can be compared."
    if is_missing(result.value):
        return "There is only one group among the rows that were explained: nothing is compared."
    worst = quoted(label_text(result.group_stability.idxmin()))
    best = quoted(label_text(result.group_stability.idxmax()))
    text = (
        f"Explanations move least for {best} (stability {decimal(result.group_stability.max())}) "
        f"and most for {worst} ({decimal(result.group_stability.min())}): MESD is "
        f"{decimal(result.value)}"
    )
    if is_missing(result.p_value):
        return f"{text}."
    text += f", where groups dealt at random give {decimal(result.null_mean)} on average"
    if result.p_value > 1 - result.confidence:
        return f"{text}: this sample cannot tell the difference from chance."
    return f"{text}; p {_equals(result.p_value)}."


def _equals(p: float) -> str:
    text = probability(p)
    return text if text[0] == "<" else f"= {text}"


def _group(label, row) -> dict:
    return {
        "name": name(label_text(label)),
        "n": whole(row["n"]),
        "stability": decimal(row["stability"]),
        "span": span(row["lower"], row["upper"]),
        "fidelity": decimal(row["fidelity"]),
        "few": bool(row["n"] < FEW_ROWS),
    }


def _picture(table) -> dict:
    """Stability with its interval, on an axis that ends at 1."""
    if len(table) > MAX_PICTURED:
        half = MAX_PICTURED // 2
        shown = table.iloc[[*range(half), *range(len(table) - half, len(table))]]
    else:
        shown = table
    lowest = float(np.nanmin(shown[["stability", "lower"]].to_numpy(float)))
    scale = Scale(max(0.0, np.floor(20 * lowest - 1e-9) / 20 - 0.05), 1.0)
    rows, told = [], []
    for label, row in shown.iterrows():
        text = name(label_text(label))
        strip = chance_strip(row["stability"], row["lower"], row["upper"], np.nan, np.nan, scale)
        rows.append({"name": text, "value": decimal(row["stability"]), "strip": strip})
        told.append(f"{text} {decimal(row['stability'])}")
    return {
        "rows": rows,
        "ticks": [(at, f"{value:g}") for at, value in scale.ticks(4)],
        "description": f"Stability of explanations: {'; '.join(told)}",
        "left_out": len(table) - len(shown),
    }


def _pairs(result: MESDResult) -> dict | None:
    """The pairs that have a weight in MESD, the heaviest first."""
    table = result.pairs[result.pairs["weight"] > 0].sort_values(
        ["weight", "D"], ascending=False, kind="stable"
    )
    if not len(table):
        return None
    shown = table.iloc[:MAX_PAIRS]
    return {
        "rows": [
            {
                "first": name(label_text(a)),
                "second": name(label_text(b)),
                "difference": decimal(row["D"]),
                "risk": decimal(row["R"]),
                "weight": percent(row["weight"], 1),
            }
            for (a, b), row in shown.iterrows()
        ],
        "n": whole(len(result.pairs)),
        "left_out": len(table) - len(shown),
    }
