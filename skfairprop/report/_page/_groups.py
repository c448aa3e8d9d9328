"""The groups: a table of rates with intervals and denominators, and a picture for each rate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skfairprop.report._findings import Findings
from skfairprop.report._page._figures import UNIT, rate_strip
from skfairprop.report._page._numbers import name, percent, quoted, tight_span, whole
from skfairprop.report._rates import (
    RateColumn,
    accuracy_column,
    class_columns,
    has_one_class,
    positive_columns,
)
from skfairprop.report._view import View

MAX_PICTURED = 12
_OPEN_CLASSES = 3  # the others are folded
_TITLES = {
    "base_rate": ("{c} in the data", "share of the group"),
    "selection_rate": ("predicted {c}", "share of the group"),
    "tpr": ("true {c} found", "TPR, recall"),
    "fpr": ("others predicted {c}", "FPR"),
    "precision": ("predicted {c} and right", "precision"),
    "accuracy": ("predicted right", "accuracy"),
}


@dataclass(frozen=True)
class Block:
    """One table of rates: of the positive class, of one class of several, or of all together.

    Attributes
    ----------
    title : str
        Empty where there is one block only.
    columns : list of RateColumn
    lead : int
        The column that orders the groups where there are many.
    opened : bool
        Whether it is shown or folded; a folded one has a picture of the leading column only.
    """

    title: str
    columns: list[RateColumn]
    lead: int
    opened: bool = True


def make_blocks(view: View, pos_label) -> list[Block]:
    """The tables of rates for one way to group the rows; classes with the widest gap first."""
    if has_one_class(view):
        columns = positive_columns(view, pos_label)
        return [Block("", columns, lead=min(1, len(columns) - 1))]
    classes = range(view.counts.n_classes)
    if not view.counts.predicted:
        shares = [class_columns(view, k)[0] for k in classes]
        return [Block("", shares, lead=int(np.argmax([width(c) for c in shares])))]
    blocks = [Block("All classes together", [accuracy_column(view)], lead=0)]
    by_class = [class_columns(view, k) for k in classes]
    recalls = [[c.key for c in columns].index("tpr") for columns in by_class]
    order = np.argsort([-width(by_class[k][recalls[k]]) for k in classes], kind="stable")
    for rank, k in enumerate(order):
        title = f"Class {quoted(view.counts.classes[k])}"
        blocks.append(Block(title, by_class[k], recalls[k], opened=rank < _OPEN_CLASSES))
    return blocks


def alone_blocks(view: View, pos_label) -> list[Block]:
    """The same for one protected column alone: a single table."""
    blocks = make_blocks(view, pos_label)
    if len(blocks) == 1:
        return blocks
    columns = [blocks[0].columns[0], *(b.columns[b.lead] for b in blocks[1:])]
    return [Block("", columns, lead=0)]


def width(column: RateColumn) -> float:
    """Largest minus smallest rate; -1 where no two groups have it."""
    defined = column.values[~np.isnan(column.values)]
    return float(np.ptp(defined)) if len(defined) > 1 else -1.0


def column_title(column: RateColumn) -> str:
    """Of a rate: "Predicted “good”"."""
    text = _TITLES[column.key][0].format(c=quoted(column.label))
    return text[0].upper() + text[1:]


def column_hint(column: RateColumn) -> str:
    """What experts call it."""
    return _TITLES[column.key][1]


def group_order(column: RateColumn) -> np.ndarray:
    """Positions of the groups: as they are, or from the lowest rate to the highest if many."""
    n = len(column.values)
    if n <= MAX_PICTURED:
        return np.arange(n)
    return np.argsort(column.values, kind="stable")  # undefined ones come last


def pictured(column: RateColumn) -> np.ndarray:
    """Positions of the groups in a picture: all, or the 6 lowest and the 6 highest."""
    order = group_order(column)
    if len(order) <= MAX_PICTURED:
        return order
    defined = order[~np.isnan(column.values[order])]
    half = MAX_PICTURED // 2
    return np.concatenate([defined[:half], defined[-half:]]) if len(defined) > 2 * half else defined


def blocks_part(report: Findings, view: View, blocks: Sequence[Block]) -> list[dict]:
    """Blocks as the template prints them."""
    return [_block(report, view, block) for block in blocks]


def _block(report: Findings, view: View, block: Block) -> dict:
    counts, small = view.counts, report.settings.min_count
    names = [name(g) for g in counts.group_texts]
    sizes = counts.of_labels().values.sum(-1)
    order = group_order(block.columns[block.lead])
    rows = [
        {
            "name": names[g],
            "n": whole(sizes[g]),
            "share": percent(sizes[g] / sizes.sum(), 1 if sizes[g] < 0.1 * sizes.sum() else 0),
            "cells": [_cell(column, g, small) for column in block.columns],
        }
        for g in order
    ]
    return {
        "title": block.title,
        "opened": block.opened,
        "heads": [(column_title(c), column_hint(c)) for c in block.columns],
        "rows": rows,
        "total": {
            "n": whole(sizes.sum()),
            "cells": [percent(c.everyone, 1) for c in block.columns],
        },
        "forests": [
            forest(c, names, small)
            for i, c in enumerate(block.columns)
            if block.opened or i == block.lead
        ],
        "left_out": max(counts.n_groups - len(pictured(block.columns[block.lead])), 0),
    }


def _cell(column: RateColumn, g: int, small: float) -> dict:
    if np.isnan(column.values[g]):
        return {"text": "n = 0", "span": "", "n": "", "few": True}
    return {
        "text": percent(column.values[g], 1),
        "span": tight_span(column.lower[g], column.upper[g]),
        "n": whole(column.n[g]),
        "few": bool(column.n[g] < small),
    }


def forest(column: RateColumn, names: Sequence[str], small: float) -> dict:
    """A picture of one rate: a dot and its interval for each group."""
    rows, told = [], []
    for g in pictured(column):
        value, lower, upper = column.values[g], column.lower[g], column.upper[g]
        few = bool(column.n[g] < small)
        missing = bool(np.isnan(value))
        rows.append(
            {
                "name": names[g],
                "few": few,
                "value": "n = 0" if missing else percent(value),
                "strip": rate_strip(value, lower, upper, few=few),
            }
        )
        said = "no such rows" if missing else f"{percent(value)}, {tight_span(lower, upper)}"
        told.append(f"{names[g]} {said}")
    everyone = percent(column.everyone)
    return {
        "title": column_title(column),
        "hint": column_hint(column),
        "rows": rows,
        "everyone": everyone,
        "everyone_at": UNIT(column.everyone),
        "description": f"{column_title(column)}: {'; '.join(told)}; everyone {everyone}",
    }
