"""A report as plain lists, dicts, numbers and strings: what JSON and CSV can hold."""

import math
from dataclasses import asdict

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.groups import label_text
from skfairprop.report._before_after import BeforeAfter
from skfairprop.report._drivers import Drivers
from skfairprop.report._estimations import Estimations
from skfairprop.report._explanations import Explanations
from skfairprop.report._findings import Findings
from skfairprop.report._view import View

SCHEMA_VERSION = 1
MAX_COLUMNS = 200  # of those that follow the groups
MAX_PAIRS = 200  # of those behind MESD
_RATES_AFTER = ("selection_rate", "tpr", "fpr", "precision", "accuracy")


def report_dict(report: Findings) -> dict:
    """Everything in a report; NaN becomes None."""
    return {
        "schema": SCHEMA_VERSION,
        "pos_label": plain(report.pos_label),
        "classes": [plain(c) for c in report.counts.classes.tolist()],
        "predicted": report.counts.predicted,
        "settings": {k: plain(v) for k, v in asdict(report.settings).items()},
        "notes": report.notes,
        "views": [_view_dict(view, report.metrics.loc[view.name]) for view in report.views],
        "drivers": _drivers_dict(report.drivers),
        "class_bias": None if report.class_bias is None else _indexed(report.class_bias),
        "explanations": _explanations_dict(report.explanations),
        "estimations": _estimations_dict(report.estimations),
        "before_after": _before_after_dict(report.before_after),
    }


def _view_dict(view: View, metrics: pd.DataFrame) -> dict:
    counts = view.counts
    without_small = view.without_small
    return {
        "attributes": counts.attributes,
        "groups": counts.group_texts,
        "group_labels": _label_lists(counts),
        "counts": counts.values.tolist(),
        "squared": None if counts.squared is None else counts.squared.tolist(),
        "by_group": records(flat_rates(view.by_group, counts)),
        "metrics": records(metrics.reset_index()),
        "omnibus": None if view.omnibus is None else plain(view.omnibus.to_dict("index")),
        "without_small": None if without_small is None else records(without_small.reset_index()),
    }


def flat_rates(by_group: pd.DataFrame, counts: GroupCounts) -> pd.DataFrame:
    """Table of rates with the group as one text column, and the class where there is one."""
    table = by_group.reset_index(drop=True)
    per_group = len(table) // counts.n_groups
    table.insert(0, "group", np.repeat(counts.group_texts, per_group))
    if per_group > 1:
        table.insert(1, "class", by_group.index.get_level_values("class"))
    return table


def _label_lists(counts: GroupCounts) -> list[list]:
    """The labels of each group, one for each protected column."""
    labels = counts.groups.tolist()
    return [[plain(v) for v in (g if isinstance(g, tuple) else (g,))] for g in labels]


def _drivers_dict(drivers: Drivers | None) -> dict | None:
    if drivers is None:
        return None
    closest = None if drivers.associations is None else drivers.associations.iloc[:MAX_COLUMNS]
    tables = {"associations": closest, "refits": drivers.refits}
    parts = drivers.parts
    return {k: None if t is None else _indexed(t) for k, t in tables.items()} | {
        "measure": drivers.measure,
        "parts": None
        if parts is None
        else plain(vars(parts) | {"table": None}) | {"table": _indexed(parts.table)},
    }


def _before_after_dict(found: BeforeAfter | None) -> dict | None:
    if found is None:
        return None
    rates = flat_rates(found.by_group, found.counts)
    kept = [c for c in rates if c in ("group", "class") or c.startswith(_RATES_AFTER)]
    return {
        "measures": _indexed(found.measures),
        "accuracy": plain(found.accuracy),
        "counts": found.counts.values.tolist(),
        "by_group": records(rates[kept]),
    }


def _explanations_dict(found: Explanations | None) -> dict | None:
    if found is None:
        return None
    result = found.result
    numbers = ("value", "max", "var", "worst_group_instability", "mean_instability", "null_mean",
               "p_value", "fidelity_gap", "tau", "n_rows", "n_degenerate", "alpha", "tail",
               "shrinkage", "confidence")  # fmt: skip
    pairs = result.pairs[result.pairs["weight"] > 0]
    pairs = pairs.sort_values("weight", ascending=False, kind="stable").iloc[:MAX_PAIRS]
    return {
        "model": found.model,
        "notes": list(found.notes),
        **{name: plain(getattr(result, name)) for name in numbers},
        "interval": plain(result.interval),
        "groups": [
            {"group": label_text(g)} | plain(row.to_dict())
            for g, row in result.to_frame().iterrows()
        ],
        "pairs": [
            {"first": label_text(a), "second": label_text(b)} | plain(row.to_dict())
            for (a, b), row in pairs.iterrows()
        ],
    }


def _estimations_dict(found: Estimations | None) -> dict | None:
    if found is None:
        return None
    return {
        "model": found.model,
        "n_rows": found.n_rows,
        "notes": list(found.notes),
        "features": _indexed(found.frame),
        "proxies": records(found.proxies),
    }


def _indexed(table: pd.DataFrame) -> dict:
    """A table as a dict of dicts, by its index."""
    return {str(k): plain(row.to_dict()) for k, row in table.iterrows()}


def records(table: pd.DataFrame) -> list[dict]:
    return [{str(k): plain(v) for k, v in row.items()} for row in table.to_dict("records")]


def plain(value):
    """A value that JSON can hold; NaN and infinities become None."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return str(value)
