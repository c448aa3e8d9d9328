"""The page in short: sentences and four cards. Every sentence is a template with conditions."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from skfairprop.report._change import Change
from skfairprop.report._findings import Findings
from skfairprop.report._page._data import change_verdict
from skfairprop.report._page._gaps import SURE
from skfairprop.report._page._groups import Block, width
from skfairprop.report._page._numbers import (
    decimal,
    in_words,
    is_missing,
    percent,
    plural,
    points,
    quoted,
    to,
    whole,
)
from skfairprop.report._rates import RateColumn
from skfairprop.report._rules import Check
from skfairprop.report._wording import measure_title, measure_words


def lead_measure(report: Findings) -> str:
    """The measure that the page starts with."""
    index = report.views[0].metrics.index
    for metric in ("demographic_parity_difference", "accuracy_difference", "cramers_v"):
        if metric in index:
            return metric
    return str(index[0])


def lead_column(blocks: Sequence[Block]) -> RateColumn:
    """The rate whose gap the page starts with."""
    return blocks[0].columns[blocks[0].lead]


def gap_sentence(
    column: RateColumn, groups: Sequence[str], row: pd.Series | None, level: float, small: float
) -> str:
    """The largest gap in one rate, its interval, and what chance gives.

    Parameters
    ----------
    column : RateColumn
    groups : sequence of str
    row : Series or None
        The measure of this gap in the report; None: there is none.
    level : float
        Confidence of the intervals.
    small : float
        Fewer rows than these are named.
    """
    defined = np.flatnonzero(~np.isnan(column.values))
    if len(defined) < 2:
        return f"Fewer than two groups have a rate “{_what(column)}” to compare."
    low = defined[np.argmin(column.values[defined])]
    high = defined[np.argmax(column.values[defined])]
    gap = column.values[high] - column.values[low]
    if gap == 0:
        return f"All groups have the same share {_what(column)}: {percent(column.values[low])}."
    text = (
        f"The share {_what(column)} goes from {percent(column.values[low])} in "
        f"{_named(column, groups, low, small)} to {percent(column.values[high])} in "
        f"{_named(column, groups, high, small)}: "
        f"a gap of {points(gap)} points"
    )
    if row is None or is_missing(row["lower"]):
        return f"{text}."
    text += f" ({100 * level:g}% interval {to(row['lower'], row['upper'])})."
    if is_missing(row["chance"]):
        return text
    text += (
        f" Chance alone gives {points(row['chance'])} points on average and "
        f"{points(row['chance_95'])} one time in twenty"
    )
    return f"{text}{_chance_verdict(row, 1 - level)}"


def _chance_verdict(row: pd.Series, alpha: float) -> str:
    if row["p"] > alpha:
        return ": this sample cannot tell the gap from chance."
    if row["q"] > SURE:
        return ": alone the gap is more than chance, among all measures of this report it is not."
    return "."


def _what(column: RateColumn) -> str:
    label = quoted(column.label)
    return {
        "base_rate": f"that is {label}",
        "selection_rate": f"predicted {label}",
        "accuracy": "predicted right",
        "tpr": f"of the true {label} that is found",
    }.get(column.key, column.key)


def _named(column: RateColumn, groups: Sequence[str], g: int, small: float) -> str:
    """A group, with what its rate rests on where that is little."""
    few = f" (n = {whole(column.n[g])})" if column.n[g] < small else ""
    return f"{quoted(groups[g])}{few}"


def class_sentence(blocks: Sequence[Block], groups: Sequence[str], small: float) -> str:
    """Which of several classes has the widest gap in recall."""
    if len(blocks) < 2:
        return ""
    block = blocks[1]
    column = block.columns[block.lead]
    if width(column) < 0:
        return "No class occurs in two groups: there is no recall to compare."
    low, high = int(np.nanargmin(column.values)), int(np.nanargmax(column.values))
    return (
        f"Of {len(blocks) - 1} classes, {quoted(column.label)} has the widest gap in how many are "
        f"found: {percent(column.values[low])} in {_named(column, groups, low, small)}, "
        f"{percent(column.values[high])} in {_named(column, groups, high, small)}."
    )


def association_sentence(row: pd.Series | None, level: float) -> str:
    """How closely group and class go together in the data."""
    if row is None or is_missing(row["value"]):
        return ""
    text = f"Group and class go together with a Cramér's V of {decimal(row['value'])}"
    if is_missing(row["lower"]):
        return f"{text} (0 none, 1 full)."
    text += f" ({100 * level:g}% interval {to(row['lower'], row['upper'], decimal)}"
    text += "; 0 none, 1 full)."
    return f"{text} Chance alone gives {decimal(row['chance'])} on average."


def beyond_sentence(table: pd.DataFrame, kind: str = "gap measures") -> str:
    """How many of the main measures are larger than chance explains.

    Parameters
    ----------
    table : DataFrame
        The rows of the main measures.
    kind : str
        What they are called.
    """
    tested = table[table["q"].notna()]
    if not len(tested):
        return ""
    n, sure = len(tested), tested["q"] <= SURE
    larger = f"larger than chance explains (q ≤ {SURE:g})"
    if sure.all():
        start = f"The {measure_title(str(tested.index[0]))} is" if n == 1 else f"All {n} {kind} are"
        return f"{start} {larger}."
    not_sure = tested[~sure]
    largest = str(not_sure.index[int(np.argmax(not_sure["value"].to_numpy(float)))])
    row = tested.loc[largest]
    example = (
        f"{measure_title(largest)} is {decimal(row['value'])}, where chance alone gives "
        f"{decimal(row['chance'])} on average."
    )
    if not sure.any():
        return f"None of {n} {kind} is {larger}. {example}"
    n_sure = int(sure.sum())
    return f"{n_sure} of {n} {kind} {'are' if n_sure > 1 else 'is'} {larger}. Not so: {example}"


def change_short(change: Change | None, level: float) -> str:
    """Whether the gap is in the data already, and what the model does to it."""
    if change is None:
        return ""
    where = "" if change.label is None else f" in the share of {quoted(change.label)}"
    if change.data < 0.0005:
        start = f"There is no gap{where} in the data."
    else:
        start = f"A gap of {points(change.data)} points{where} is already in the data."
    return f"{start} {change_verdict(change, level)}"


def checks_sentence(checks: Sequence[Check]) -> str:
    """How many checks are over their limits, under, or not settled."""
    if not checks:
        return ""
    verdicts = [c.verdict for c in checks]
    parts = [f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)]
    return f"Checks: {', '.join(parts)}."


def small_sentence(columns: Sequence[RateColumn], groups: Sequence[str], small: float) -> str:
    """How many rates rest on few rows."""
    n = np.stack([c.n for c in columns])
    few = int(np.count_nonzero(n < small))
    if not few:
        return f"Every group rate rests on {small:g} rows or more."
    if few == n.size:
        return (
            f"Every group rate rests on fewer than {small:g} rows: read the intervals, not the "
            "values."
        )
    whole_group = [quoted(g) for g, rows in zip(groups, n.T, strict=True) if rows.max() < small]
    named = f"; {in_words(whole_group)} in every rate" if whole_group else ""
    return (
        f"{few:,} of {n.size:,} group rates {'rest' if few > 1 else 'rests'} on fewer than "
        f"{small:g} rows (marked †{named})."
    )


def without_small_sentence(report: Findings, metric: str) -> str:
    """The leading measure once more without the small groups."""
    table = report.views[0].without_small
    if table is None or metric not in table.index or is_missing(table.loc[metric, "value"]):
        return ""
    row, whole = table.loc[metric], report.views[0].metrics.loc[metric]
    span = (
        "" if is_missing(row["lower"]) else f", interval {to(row['lower'], row['upper'], decimal)}"
    )
    return (
        f"Without the groups of fewer than {report.settings.min_count} rows, "
        f"{measure_title(metric).lower()} is {decimal(row['value'])} instead of "
        f"{decimal(whole['value'])}{span}."
    )


def sentences(
    report: Findings,
    blocks: Sequence[Block],
    *,
    change: Change | None,
    checks: Sequence[Check] = (),
    more: Sequence[str] = (),
) -> list[str]:
    """The page in short."""
    view, level = report.views[0], report.settings.confidence
    table = report.metrics.loc[view.name]
    groups, metric = view.counts.group_texts, lead_measure(report)
    small = report.settings.min_count
    gap = table.loc[metric] if view.counts.predicted and metric in table.index else None
    columns = [c for b in blocks for c in b.columns]
    association = table.loc["cramers_v"] if "cramers_v" in table.index else None
    out = [
        gap_sentence(lead_column(blocks), groups, gap, level, small),
        class_sentence(blocks, groups, small),
        "" if view.counts.predicted else association_sentence(association, level),
        beyond_sentence(
            table.loc[list(view.main_measures)],
            "gap measures" if view.counts.predicted else "measures",
        ),
        change_short(change, level),
        *more,
        checks_sentence(checks),
        without_small_sentence(report, metric),
        small_sentence(columns, groups, small),
    ]
    return [text for text in out if text]


def cards(report: Findings, positive: str, change: Change | None, pairs: dict | None) -> list[dict]:
    """Four numbers to start with."""
    view, level = report.views[0], report.settings.confidence
    table = report.metrics.loc[view.name]
    out = [_measure_card(table, lead_measure(report), positive)]
    for metric in ("equal_opportunity_difference", "term_by_term_equalized_odds", "ens_bias"):
        if metric in table.index and len(out) < 2:
            out.append(_measure_card(table, metric, positive))
    if change is not None:
        span = to(change.lower, change.upper, lambda v: points(v, sign=True))
        out.append(
            {
                "big": f"{points(change.change, sign=True)} points",
                "range": f"{100 * level:g}% interval {span}",
                "text": "what the model adds to the largest gap of the data (0: it passes it on)",
            }
        )
    elif "shannon_evenness_bias" in table.index:
        out.append(_measure_card(table, "shannon_evenness_bias", positive))
    if pairs is not None:
        out.append(
            {
                "big": f"{pairs['n_sure']:,} of {pairs['n_tested']:,}",
                "range": f"at a false discovery rate of {SURE:.0%}",
                "text": f"differences between two groups that chance does not explain "
                f"({plural(pairs['n_pairs'], 'pair')})",
            }
        )
    return [card for card in out if card]


_CARD_WORDS = {
    "demographic_parity_difference": "largest gap between groups in the share predicted {c}",
    "equal_opportunity_difference": "largest gap in how many of the true {c} are found",
    "accuracy_difference": "largest gap in the share of right predictions",
    "term_by_term_equalized_odds": "mean gap over all pairs of true and predicted class",
    "cramers_v": "association of group and class (Cramér's V; 0 none, 1 full)",
    "ens_bias": "groups fewer than the table has, by the evenness of their sizes",
    "shannon_evenness_bias": "unevenness of the group sizes (0: all of one size)",
}
_IN_POINTS = (
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "accuracy_difference",
)


def _measure_card(table: pd.DataFrame, metric: str, positive: str) -> dict:
    row, words = table.loc[metric], _CARD_WORDS.get(metric)
    write, unit = (points, " points") if metric in _IN_POINTS else (decimal, "")
    parts = []
    if not is_missing(row["lower"]):
        parts.append(f"interval {to(row['lower'], row['upper'], write)}")
    if not is_missing(row["chance"]):
        parts.append(f"by chance {write(row['chance'])}")
    return {
        "big": "undefined" if is_missing(row["value"]) else f"{write(row['value'])}{unit}",
        "range": " · ".join(parts),
        "text": words.format(c=positive) if words else measure_words(metric, positive),
    }
