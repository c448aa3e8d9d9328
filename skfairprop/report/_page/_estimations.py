"""How much each protected feature can move what the model says, and what chance gives."""

import pandas as pd

from skfairprop.report._estimations import Estimations
from skfairprop.report._findings import Findings
from skfairprop.report._page._numbers import (
    TO,
    decimal,
    in_words,
    is_missing,
    name,
    quoted,
    whole,
)

MAX_PROXIES = 6
TIE = 0.05  # estimates that are closer are ties: see BENNEstimator


def estimations_part(report: Findings) -> dict | None:
    """Everything of the section; None where nothing was examined."""
    found = report.estimations
    if found is None:
        return None
    return {
        "what": name(found.model),
        "n_rows": whole(found.n_rows),
        "sentences": [estimation_sentence(found, feature) for feature in found.frame.index],
        "rows": [_row(feature, row) for feature, row in found.frame.iterrows()],
        "ensemble": bool(found.frame["ensemble"].notna().any()),
        "proxies": _proxies(found),
        "notes": [name(note) for note in found.notes],
    }


def estimation_sentence(found: Estimations, feature) -> str:
    """What the estimate of a feature says beside its placebo, and whether it is through others."""
    row = found.frame.loc[feature]
    label = quoted(feature)
    if is_missing(row["estimate"]):
        return f"{label} has one value in these rows: nothing can be compared."
    text = f"{label}: {decimal(row['estimate'])}, where a placebo gives {decimal(row['null'])}"
    if row["estimate"] - row["null"] < TIE:
        return f"{text}. That is a tie: nothing is found that chance does not give."
    if is_missing(row["direct"]) or is_missing(row["total"]):
        return f"{text}."
    if row["direct"] < TIE:
        return (
            f"{text}. The column by itself moves {decimal(row['direct'])}: what moves the model "
            "goes with it in other columns."
        )
    if row["total"] - row["direct"] >= TIE:
        return f"{text}. By itself it moves {decimal(row['direct'])}, the rest goes with it."
    return f"{text}. The column by itself moves {decimal(row['direct'])}."


def _row(feature, row: pd.Series) -> dict:
    method = row["ensemble_method"]
    named = isinstance(method, str)
    return {
        "name": name(feature),
        "estimate": decimal(row["estimate"]),
        "sd": decimal(row["sd"]),
        "null": decimal(row["null"]),
        "direct": decimal(row["direct"]),
        "total": decimal(row["total"]),
        "mean": decimal(row["mean"]),
        "slice": name(row["slice"]) if isinstance(row["slice"], str) else TO,
        "slice_rows": whole(float(row["slice_rows"])),
        "ensemble": decimal(row["ensemble"]),
        "method": method.replace("_", " ") if named else "",
        "chance": decimal(row["ensemble_null"]),
        "chance_95": decimal(row["ensemble_null_95"]),
    }


def _proxies(found: Estimations) -> list[dict]:
    """The columns that go with each feature, the closest first."""
    out = []
    for feature, part in found.proxies.groupby("feature", sort=False):
        part = part.sort_values("cramers_v", ascending=False, kind="stable")
        named = [
            f"{name(p)} ({v:.2f})" for p, v in zip(part["proxy"], part["cramers_v"], strict=True)
        ]
        out.append({"name": name(feature), "text": in_words(named, MAX_PROXIES)})
    return out
