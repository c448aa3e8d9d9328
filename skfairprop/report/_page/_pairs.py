"""Pairs of groups: a table of differences as a heat map."""

import numpy as np

from skfairprop.report._findings import Findings
from skfairprop.report._page._gaps import SURE
from skfairprop.report._page._groups import Block, column_title, width
from skfairprop.report._page._numbers import name, points, to
from skfairprop.report._pairs import PairTable, compare_pairs

MAX_PAIRS = 15
MAX_COLUMNS = 6


def pair_columns(blocks: list[Block]) -> list:
    """The rates to compare: those of the positive class, or the accuracy and every recall."""
    if len(blocks) == 1:
        return blocks[0].columns
    return [blocks[0].columns[0], *(b.columns[b.lead] for b in blocks[1:])]


def pairs_part(report: Findings, blocks: list[Block]) -> dict | None:
    """Everything of the section on pairs; None where there is one group."""
    counts = report.counts
    if counts.n_groups < 2:
        return None
    columns = pair_columns(blocks)
    table = compare_pairs(columns)
    shown = _columns_shown(columns, several=len(blocks) > 1 or not counts.predicted)
    rows = _rows_shown(table, shown)
    names = [name(g) for g in counts.group_texts]
    small = report.settings.min_count
    return {
        "heads": [column_title(columns[c]) for c in shown],
        "rows": [
            {
                "first": names[table.first[i]],
                "second": names[table.second[i]],
                "cells": [_cell(table, i, c, small) for c in shown],
            }
            for i in rows
        ],
        "n_pairs": len(table.first),
        "n_columns": len(columns),
        "n_tested": table.n_tested,
        "n_sure": int(np.count_nonzero(table.q <= SURE)),
        "complete": len(rows) == len(table.first) and len(shown) == len(columns),
    }


def _columns_shown(columns, *, several: bool) -> list[int]:
    """All rates, or of many classes those with the widest gaps."""
    if not several or len(columns) <= MAX_COLUMNS:
        return list(range(len(columns)))
    order = np.argsort([-width(c) for c in columns], kind="stable")[:MAX_COLUMNS]
    return sorted(int(i) for i in order)


def _rows_shown(table: PairTable, shown: list[int]) -> list[int]:
    """All pairs, or of many those with the strongest evidence."""
    n = len(table.first)
    if n <= MAX_PAIRS:
        return list(range(n))
    strongest = np.min(np.nan_to_num(table.p[:, shown], nan=1.0), axis=1)
    largest = np.max(np.abs(np.nan_to_num(table.difference[:, shown])), axis=1)
    return [int(i) for i in np.lexsort([-largest, strongest])[:MAX_PAIRS]]


def _cell(table: PairTable, i: int, c: int, small: float) -> dict:
    value = table.difference[i, c]
    if np.isnan(value):
        return {"text": "n = 0", "span": "", "shade": 0, "side": "pos", "sure": False, "few": True}
    return {
        "text": points(value, sign=True),
        "span": to(table.lower[i, c], table.upper[i, c], lambda v: points(v, sign=True)),
        "shade": round(min(abs(value) * 1.9, 0.5), 2),
        "side": "pos" if value > 0 else "neg",
        "sure": bool(table.q[i, c] <= SURE),
        "few": bool(table.n[i, c] < small),
    }
