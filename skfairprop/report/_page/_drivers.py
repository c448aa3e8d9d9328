"""What drives the measures: the pair of groups and the class behind each."""

import pandas as pd

from skfairprop.report._page._numbers import is_missing, name, percent, quoted
from skfairprop.report._report import FairnessReport
from skfairprop.report._wording import main_measures, measure_title

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


def pairs_behind(report: FairnessReport) -> list[dict]:
    """For each main measure: which rate of which class, and the groups at its two ends."""
    view = report.views[0]
    table = report.metrics.loc[view.name]
    out = []
    for metric in main_measures(view):
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
