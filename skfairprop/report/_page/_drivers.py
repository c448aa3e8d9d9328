"""What drives the measures: pairs and classes, the model without columns, and stand-ins."""

import pandas as pd

from skfairprop.report._drivers import Drivers, ScoreParts
from skfairprop.report._findings import Findings
from skfairprop.report._page._figures import Scale, bar_strip, chance_strip
from skfairprop.report._page._numbers import (
    MINUS,
    TO,
    decimal,
    in_words,
    is_missing,
    name,
    percent,
    points,
    quoted,
    whole,
)
from skfairprop.report._wording import measure_title

MAX_BARS = 10
MAX_ASSOCIATIONS = 24
SMALL_REST = 0.1  # of the gap: a larger part that belongs to no column is warned of
_RATE_WORDS = {
    "prediction_rate": "predicted",
    "recall": "found (recall)",
    "accuracy": "predicted right",
    "false_positive_rate": "wrongly predicted",
    "false_negative_rate": "missed",
    "precision": "predicted and right",
    "share of rows": "share of the rows",
    "row": "true and predicted",
}


def pairs_behind(report: Findings) -> list[dict]:
    """For each main measure: which rate of which class, and the groups at its two ends."""
    view = report.views[0]
    table = report.metrics.loc[view.name]
    out = []
    for metric in view.main_measures:
        row = table.loc[metric]
        if pd.isna(row["rate"]) or is_missing(row["lowest_value"]):
            continue
        of = "" if pd.isna(row["class"]) else f" {quoted(row['class'])}"
        is_share = 0 <= row["lowest_value"] <= row["highest_value"] <= 1
        write = percent if is_share else (lambda v: f"{v:.3g}")
        rate = _RATE_WORDS.get(row["rate"], row["rate"].replace("_", " "))
        out.append(
            {
                "title": measure_title(metric),
                "rate": f"{rate}{of}",
                "lowest": name(row["lowest"]),
                "lowest_value": write(row["lowest_value"]),
                "highest": name(row["highest"]),
                "highest_value": write(row["highest_value"]),
            }
        )
    return out


def drivers_part(report: Findings) -> dict:
    """Refits, parts of the score and stand-ins, as far as they are known."""
    found = report.drivers
    return {
        "behind": pairs_behind(report),
        "refits": None if found is None else _refits(found),
        "parts": None if found is None else _parts(found),
        "associations": None if found is None else _associations(found),
    }


def refit_sentence(drivers: Drivers | None) -> str:
    """What leaving the protected columns out of the model does to the gap."""
    if drivers is None or drivers.refits is None or len(drivers.refits) < 2:
        return ""
    before = drivers.refits["gap"].iloc[0]
    left_out, after = drivers.refits.index[-1], drivers.refits["gap"].iloc[-1]
    if is_missing(before) or is_missing(after) or before <= 0:
        return ""
    columns = in_words([quoted(c) for c in left_out.split(", ")])
    if abs(after - before) < 0.0005:
        return (
            f"Leaving {columns} out of the model does not move the gap ({points(after)} points): "
            "other columns carry it."
        )
    text = (
        f"Leaving {columns} out of the model moves the gap from {points(before)} to "
        f"{points(after)} points"
    )
    stays = after / before
    if stays > 1.1:
        return f"{text}: it grows without them."
    if stays > 0.5:
        return f"{text}: other columns carry most of it."
    if stays > 0.1:
        return f"{text}: they carry most of it, other columns the rest."
    return f"{text}: hardly any of it stays."


def _refits(found: Drivers) -> dict | None:
    if found.refits is None:
        return None
    return {
        "measure": measure_title(found.measure or ""),
        "rows": [
            (name(left_out), decimal(row["gap"]), percent(row["accuracy"], 1))
            for left_out, row in found.refits.iterrows()
        ],
    }


def _parts(found: Drivers) -> dict | None:
    """The largest parts as bars, the others together, and what belongs to no column."""
    parts = found.parts
    if parts is None:
        return None
    top, others = parts.table.iloc[:MAX_BARS], parts.table.iloc[MAX_BARS:]
    sums = [("intercepts of the folds", parts.intercepts)]
    if len(others):
        sums.insert(0, (f"{len(others)} others together", float(others["part"].sum())))
    ends = [*top["lower"], *top["upper"], *(v for _, v in sums), 0.0]
    scale = Scale(min(ends), max(ends))
    protected = set(found.refits.index) if found.refits is not None else set()
    rows = []
    for column, row in top.iterrows():
        seen = column in protected
        kind = "protected" if seen else "bar"
        strip = bar_strip(row["part"], row["lower"], row["upper"], scale, kind=kind)
        rows.append({"name": name(column), "protected": seen, "value": _signed(row["part"]),
                     "strip": strip})  # fmt: skip
    for title, value in sums:
        strip = bar_strip(value, None, None, scale, kind="rest")
        rows.append({"name": title, "protected": False, "value": _signed(value), "strip": strip})
    return {
        "rows": rows,
        "high": quoted(parts.high),
        "text": _parts_text(parts),
        "description": "; ".join(f"{r['name']} {r['value']}" for r in rows),
    }


def _parts_text(parts: ScoreParts) -> str:
    text = (
        f"On average {quoted(parts.high)} gets a score {decimal(parts.total)} log-odds above "
        f"{quoted(parts.low)}. The score of this model is a sum over columns, so the gap splits "
        "into parts."
    )
    if parts.total <= 0:
        text = (
            f"The mean scores of {quoted(parts.high)} and {quoted(parts.low)} are "
            f"{decimal(parts.total)} log-odds apart, although the first is predicted so more often."
        )
    rest = abs(parts.intercepts)
    if rest > SMALL_REST * abs(parts.total):
        return (
            f"{text} The parts of the columns do not add up to it: {_signed(parts.intercepts)} is "
            f"in the intercepts of the {parts.n_folds} models that were fitted on different rows, "
            "and belongs to no column. Read the parts with that much doubt."
        )
    return (
        f"{text} {_signed(parts.intercepts)} of it is in the intercepts of the {parts.n_folds} "
        "models, which were fitted on different rows, and belongs to no column."
    )


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", MINUS)


def _associations(found: Drivers) -> dict | None:
    table = found.associations
    if table is None or not len(table):
        return None
    beyond = table["v"] > table["chance_95"]
    top = table.iloc[:MAX_ASSOCIATIONS]
    scale = Scale(0.0, 1.0)
    return {
        "rows": [
            {
                "name": name(column),
                "value": TO if is_missing(row["v"]) else f"{row['v']:.2f}",
                "chance": "" if is_missing(row["chance"]) else f"{row['chance']:.2f}",
                "strip": chance_strip(row["v"], None, None, row["chance"], row["chance_95"], scale),
            }
            for column, row in top.iterrows()
        ],
        "n": whole(len(table)),
        "n_beyond": whole(int(beyond.sum())),
        "left_out": whole(len(table) - len(top)) if len(table) > len(top) else "",
        "description": "; ".join(
            f"{name(column)} {row['v']:.2f}, by chance {row['chance']:.2f}"
            for column, row in top.iterrows()
            if not is_missing(row["v"])
        ),
    }
