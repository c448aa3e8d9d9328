"""What a test says of the checks that fail."""

import math
from collections.abc import Sequence

import pandas as pd

from skfairprop.report._findings import Findings
from skfairprop.report._rules import Check, parse_rule
from skfairprop.report._text import Style, clip, groups_block


def failure_message(report: Findings, checks: Sequence[Check], failed: Sequence[Check]) -> str:
    """The rules that failed with their numbers and groups, then the rates of all groups."""
    lines = [f"{len(failed)} of {len(checks)} checks failed ({report.counts.total:,.10g} rows):"]
    for check in failed:
        lines += [
            f"  {clip(check.rule, 76)}",
            f"    {check_line(check, report.settings.confidence)}",
        ]
        lines += [f"    {line}" for line in _groups_behind(report, check)]
    lines += ["", *groups_block(report.views[0], report, Style())]
    return "\n".join(lines)


def check_line(check: Check, level: float = 0.95) -> str:
    """One line on a check: "value 0.180, 95% interval 0.092 to 0.284, by chance 0.072"."""
    if check.state == "undefined":
        return "could not be computed: the value is undefined for these groups"
    line = f"compared {check.compared}; " if check.compared else ""
    line += f"value {check.value:.3f}"
    if not math.isnan(check.lower):
        line += f", {100 * level:g}% interval {check.lower:.3f} to {check.upper:.3f}"
    if not math.isnan(check.chance):
        line += f", by chance {check.chance:.3f}"
    if check.state == "not settled":
        line += "; not settled: the interval holds the limit"
    return line


def _groups_behind(report: Findings, check: Check) -> list[str]:
    """The pair of groups behind each measure that the rule names."""
    view = report.views[0]
    sizes = dict(zip(view.counts.group_texts, view.counts.of_labels().values.sum(-1), strict=True))
    table = report.metrics.loc[view.name]
    out = []
    for term in parse_rule(check.rule).terms:
        if term.group is not None or pd.isna(table.loc[term.name, "rate"]):
            continue
        row = table.loc[term.name]
        of = "" if pd.isna(row["class"]) else f" of {clip(row['class'], 20)!r}"
        ends = [
            f"{row[f'{end}_value']:.3g} in {clip(row[end], 40)!r} (n = {sizes[row[end]]:g})"
            for end in ("lowest", "highest")
        ]
        out.append(f"{row['rate'].replace('_', ' ')}{of}: {' to '.join(ends)}")
    return out
