"""A report as text of 80 columns: for the terminal and for `repr`."""

import math
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from skfairprop._visible import shorten, shorten_all, visible, visible_name
from skfairprop.groups import label_text
from skfairprop.metrics import METRICS
from skfairprop.report._change import Change
from skfairprop.report._findings import Findings
from skfairprop.report._rates import outcome
from skfairprop.report._rules import Check, failed_checks
from skfairprop.report._view import View
from skfairprop.report._wording import DATA_MEASURES, measure_title

WIDTH = 80
_MAX_GROUPS = 12
_MAX_COLUMNS = 5
_RULE_WIDTH = 40


@dataclass(frozen=True)
class Style:
    """Terminal colours, or none."""

    on: bool = False

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def head(self, text: str) -> str:
        """A heading."""
        return self("1;36", text)

    def strong(self, text: str) -> str:
        """What chance does not explain."""
        return self("1", text)

    def dim(self, text: str) -> str:
        """A remark."""
        return self("2", text)

    def warn(self, text: str) -> str:
        """What is not settled, or rests on few."""
        return self("33", text)

    def bad(self, text: str) -> str:
        """What is over its limit."""
        return self("1;31", text)


def wants_colour(stream, mode: str = "auto") -> bool:
    """Whether to colour: as told, else by NO_COLOR, FORCE_COLOR and whether it is a terminal."""
    if mode != "auto":
        return mode == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def clip(text: object, width: int) -> str:
    """Visible text of at most `width` characters."""
    return shorten(visible_name(text), width)


def report_text(
    report: Findings,
    *,
    style: Style | None = None,
    checks: Sequence[Check] = (),
    change: Change | None = None,
    undefined: str = "fail",
) -> str:
    """The report in lines of at most 80 columns."""
    style = style or Style()
    blocks = [
        groups_block(report.views[0], report, style),
        _classes_block(report.views[0], report, style),
        _measures_block(report, style),
        _alone_block(report, style),
        _change_block(change, style),
        _drivers_block(report, style),
        _before_after_block(report, style),
        _explanations_block(report, style),
        _estimations_block(report, style),
        _data_block(report, style),
        _notes_block(report, style),
        checks_block(checks, style, undefined=undefined),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def audit_text(audit, style: Style, *, undefined: str = "fail") -> str:
    """An audit in lines of at most 80 columns: facts, then the report."""
    report = audit.report
    facts = f"{style.strong(clip(audit.table.name, 40))}  {audit.table.n_rows:,} rows"
    found = outcome(report.views[0], report.pos_label)
    if found is not None:
        label, share = found
        facts += f"   positive: {clip(audit.target, 14)} = {clip(label, 12)} ({share:.0%})"
    else:
        facts += f"   target: {clip(audit.target, 20)}, {report.counts.n_classes} classes"
    seed = f"seed: {report.settings.random_state}"
    groups = f"groups: {clip(report.views[0].name, 30)}"
    room = WIDTH - len(groups) - len(seed) - len("   model:    ")
    how = f"{groups}   model: {clip(audit.model, room)}   {seed}"
    body = report_text(
        report, style=style, checks=audit.checks, change=audit.change, undefined=undefined
    )
    return f"{facts}\n{style.dim(how)}\n\n{body}"


# -- blocks -------------------------------------------------------------------------------------


def _percent(value: float) -> str:
    return "  -" if math.isnan(value) else f"{100 * value:3.0f}%"


def _rate(row: pd.Series, name: str, small: int) -> str:
    """A rate with its interval, and a mark where it rests on few: "64% 54-72+"."""
    if math.isnan(row[name]):
        return "n = 0 "
    text = _percent(row[name])
    if f"{name}_lower" in row:
        text += f" {100 * row[f'{name}_lower']:.0f}-{100 * row[f'{name}_upper']:.0f}"
    return text + ("+" if row[f"n_{name}"] < small else " ")


def shown_rates(view: View) -> tuple[dict[str, str], list[tuple[str, pd.Series]], int]:
    """The rates that a short table shows.

    Returns
    -------
    titles : dict of str to str
        By the name of the rate.
    rows : list of (str, Series)
        Of all groups, or of the 6 lowest and 6 highest: its name and its row in the table of rates.
    left_out : int
        Number of groups between them.
    """
    counts, table = view.counts, view.by_group
    titles = {"base_rate": "in data", "selection_rate": "predicted", "tpr": "TPR", "fpr": "FPR"}
    if len(table) != counts.n_groups:
        titles = {"accuracy": "accuracy"}
        table = table.iloc[:: counts.n_classes]  # it is the same in the rows of all classes
    titles = {name: title for name, title in titles.items() if name in table}
    order = _order(table, list(titles))
    rows = [(counts.group_texts[i], table.iloc[i]) for i in order]
    return titles, rows, counts.n_groups - len(order)


def groups_block(view: View, report: Findings, style: Style) -> list[str]:
    """The groups with their rates, intervals, and marks where they rest on few rows."""
    small = report.settings.min_count
    titles, rows, left_out = shown_rates(view)
    width = WIDTH - 7 - 13 * len(titles)
    heading = f"{'GROUPS':{width}s}{'n':>7s}" + "".join(f"{t:>12s} " for t in titles.values())
    out = [style.head(heading.rstrip())]
    names = shorten_all([visible_name(group) for group, _ in rows], width - 1)
    for name_shown, (_, row) in zip(names, rows, strict=True):
        line = f"{name_shown:{width}s}{_size(row['count']):>7s}"
        for name in titles:
            cell = f"{_rate(row, name, small):>13s}"
            line += style.warn(cell) if "+" in cell else cell
        out.append(line.rstrip())
    if left_out:
        out.append(style.dim(f"  {left_out} more groups between these"))
    level = f"{100 * report.settings.confidence:g}%"
    out.append(style.dim(f"  rate and {level} interval; + rests on fewer than {small} rows"))
    return out


def _size(count: float) -> str:
    return f"{count:.0f}" if float(count).is_integer() else f"{count:.1f}"


def _order(table: pd.DataFrame, shown: list[str]) -> list[int]:
    """All groups, or the 6 lowest and 6 highest by the first rate that differs."""
    if len(table) <= _MAX_GROUPS or not shown:
        return list(range(len(table)))
    name = "selection_rate" if "selection_rate" in shown else shown[0]
    ranked = table[name].to_numpy().argsort(kind="stable")
    half = _MAX_GROUPS // 2
    return [*ranked[:half], *ranked[-half:]]


def _classes_block(view: View, report: Findings, style: Style) -> list[str]:
    """One line a class: how often it is true and predicted, and the recalls of its two ends."""
    counts, table = view.counts, view.by_group
    if len(table) == counts.n_groups or not counts.predicted:
        return []
    out = [style.head(f"{'CLASSES':22s}{'in data':>8s}{'predicted':>10s}   recall by group")]
    total = counts.values.sum()
    rows = []
    for k, label in enumerate(counts.classes):
        recall = table["tpr"].to_numpy()[k :: counts.n_classes]
        defined = [(v, g) for v, g in zip(recall, counts.group_texts, strict=True) if v == v]
        ends = "undefined"
        gap = -1.0
        if defined:
            low, high = min(defined), max(defined)
            gap = high[0] - low[0]
            ends = (
                f"{_percent(low[0])} {clip(low[1], 14)} to {_percent(high[0])} {clip(high[1], 14)}"
            )
        true, pred = counts.values[:, k, :].sum() / total, counts.values[:, :, k].sum() / total
        text = f"{clip(label, 21):22s}{_percent(true):>8s}{_percent(pred):>10s}   {ends}"
        rows.append((gap, text))
    rows.sort(key=lambda row: -row[0])
    return out + [text for _, text in rows]


def _measures_block(report: Findings, style: Style) -> list[str]:
    view = report.views[0]
    table = report.metrics.loc[view.name]
    names = view.main_measures
    if not view.counts.predicted:
        return []
    level = f"{100 * report.settings.confidence:g}%"
    out = [style.head(_measure_heading("GAP MEASURES", f"{level} interval"))]
    out += [_measure_line(name, table.loc[name], style) for name in names]
    out.append(style.dim("  by chance: mean of a group-blind model of this size;  * q <= 0.05"))
    if table.loc[list(names), "open_at_zero"].any():
        out.append(style.dim("  ( or ): the interval ends there without it: a gap, however small"))
    if view.without_small is not None:
        out += _without_small(view, names[0], report, style)
    if view.omnibus is not None:
        tests = ", ".join(f"{p:.3f} ({null})" for null, p in view.omnibus["p"].items())
        out += [style.dim(line) for line in _wrapped(f"does any group differ, p: {tests}")]
    return out


def _measure_heading(title: str, interval: str) -> str:
    return f"{title:31s}{'value':>7s}  {interval:13s}{'by chance':>11s}{'p':>7s}{'q':>7s}"


def _measure_line(name: str, row: pd.Series, style: Style, *, title: str | None = None) -> str:
    title = measure_title(name) if title is None else title
    mark = "" if row.get("reliable", True) else " (few)"
    text = f"{clip(title + mark, 30):31s}{_decimal(row['value']):>7s}  {_interval(name, row):15s}"
    text += f"{_decimal(row['chance']):>9s}{_decimal(row['p']):>7s}{_decimal(row.get('q')):>7s}"
    if row.get("q") is not None and row.get("q") <= 0.05:
        return style.strong(f"{text} *".rstrip())
    return text.rstrip()


def _decimal(value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.0f}"


def _interval(name: str, row: pd.Series) -> str:
    lower, upper = row["lower"], row["upper"]
    if not row.get("open_at_zero", False) or math.isnan(lower) or math.isnan(upper):
        return _closed(lower, upper)
    best = METRICS[name.partition("[")[0]].best
    if lower == best:
        return f"({best:g} - {_decimal(upper)}]"
    return f"[{_decimal(lower)} - {best:g})"  # ratios, and signed measures below 0


def _closed(lower: float, upper: float) -> str:
    return (
        "" if math.isnan(lower) or math.isnan(upper) else f"{_decimal(lower)} - {_decimal(upper)}"
    )


def _without_small(view: View, name: str, report: Findings, style: Style) -> list[str]:
    small = report.settings.min_count
    size = view.counts.of_labels().values.sum(-1)
    few = [g for g, n in zip(view.counts.group_texts, size, strict=True) if n < small]
    named = ", ".join(repr(clip(g, 24)) for g in few[:2])
    more = f" and {len(few) - 2} more" if len(few) > 2 else ""
    lines = [style.dim(f"  without groups under {small} rows ({named}{more}):")]
    table = view.without_small
    if table is None:
        return []
    for measure in (name, "equalized_odds_difference"):
        if measure in table.index:
            lines.append(_measure_line(measure, table.loc[measure], style))
    return lines


def _alone_block(report: Findings, style: Style) -> list[str]:
    """The main measures for each protected column alone, where there are several."""
    if len(report.views) < 2:
        return []
    out = [style.head(_measure_heading("ONE COLUMN AT A TIME", "interval"))]
    for view in report.views[1:]:
        table = report.metrics.loc[view.name]
        names = view.main_measures if view.counts.predicted else DATA_MEASURES[3:4]
        chosen = [n for n in (names[0], "equalized_odds_difference") if n in table.index]
        for name in chosen:
            title = f"{clip(view.name, 10)}: {_short_title(name)}"  # 30 with "demographic parity"
            out.append(_measure_line(name, table.loc[name], style, title=title))
    return out


def _short_title(name: str) -> str:
    return (
        measure_title(name).lower().removesuffix(" difference").replace("cramer's v", "Cramer's V")
    )


def _change_block(change: Change | None, style: Style) -> list[str]:
    if change is None:
        return []
    of = "" if change.label is None else f" of {clip(change.label, 30)!r}"
    return [
        style.head("FROM DATA TO MODEL"),
        f"  {clip(change.high, 34)}  vs  {clip(change.low, 34)}:",
        f"  {100 * change.data:.1f} points apart in the data{of}, {100 * change.model:.1f} in the "
        "predictions;",
        f"  change {100 * change.change:+.1f} "
        f"({100 * change.lower:+.1f} to {100 * change.upper:+.1f})",
    ]


def _drivers_block(report: Findings, style: Style) -> list[str]:
    """The parts of the score, the gap that stays, and the columns that follow the groups."""
    found = report.drivers
    lines: list[str] = []
    if found is None:
        return lines
    if found.parts is not None:
        top = found.parts.table["part"].iloc[:_MAX_COLUMNS]
        named = ", ".join(f"{clip(column, 24)} {part:+.2f}" for column, part in top.items())
        lines += _wrapped(f"score gap, {found.parts.total:.2f} log-odds: {named}, ...")
    if found.refits is not None and len(found.refits) > 1:
        before, after = found.refits["gap"].iloc[[0, -1]]
        measure = measure_title(found.measure or "").lower()
        lines += _wrapped(
            f"without {clip(found.refits.index[-1], 40)}: {measure} {_decimal(after)} instead of "
            f"{_decimal(before)}"
        )
    if found.associations is not None:
        table = found.associations
        top = table[table["v"] > table["chance_95"]].iloc[:_MAX_COLUMNS]
        named = ", ".join(f"{clip(column, 24)} {v:.2f}" for column, v in top["v"].items())
        if len(top):
            chance = top["chance"].max()
            lines += _wrapped(f"columns that follow the groups: {named} (by chance {chance:.2f})")
    return [style.head("WHAT DRIVES IT"), *lines] if lines else []


def _before_after_block(report: Findings, style: Style) -> list[str]:
    """The measures before and after reweighting, and their change."""
    found = report.before_after
    if found is None:
        return []
    head = f"{'BEFORE AND AFTER REWEIGHTING':30s}{'before':>7s}{'after':>8s}{'change':>9s}"
    out = [style.head(f"{head}  {'interval':16s}{'p':>6s}")]
    for metric, row in found.measures.iterrows():
        out.append(_change_line(clip(measure_title(str(metric)), 29), row, style))
    out.append(_change_line("Right predictions", pd.Series(found.accuracy), style))
    return out


def _explanations_block(report: Findings, style: Style) -> list[str]:
    """MESD, and the stability of the least and the most stable groups."""
    if report.explanations is None:
        return []
    result = report.explanations.result
    out = [
        style.head(f"{'EXPLANATIONS':31s}{'value':>7s}  {'interval':15s}{'by chance':>9s}{'p':>7s}")
    ]
    line = f"{'MESD':31s}{_decimal(result.value):>7s}  {_closed(*result.interval):15s}"
    line += f"{_decimal(result.null_mean):>9s}{_decimal(result.p_value):>7s}"
    sure = result.p_value <= 1 - result.confidence
    out.append(style.strong(line) if sure else line)
    out.append(style.dim("  stability of explanations by group, of 1, the lowest first:"))
    table = result.to_frame().sort_values("stability", kind="stable")
    for label, row in table.iloc[:_MAX_GROUPS].iterrows():
        text = f"{clip(label_text(label), 30):31s}{_decimal(row['stability']):>7s}"
        out.append(f"{text}  {_closed(row['lower'], row['upper']):15s}{int(row['n']):>9,d} rows")
    if len(table) > _MAX_GROUPS:
        out.append(f"  and {len(table) - _MAX_GROUPS} more")
    return out


def _estimations_block(report: Findings, style: Style) -> list[str]:
    """What BENN estimates for each protected column."""
    found = report.estimations
    if found is None:
        return []
    head = f"{'estimate':>9s}{'sd':>7s}{'placebo':>9s}{'direct':>8s}{'total':>7s}{'ensemble':>10s}"
    out = [style.head(f"{'ESTIMATIONS (BENN)':29s}{head}")]
    for feature, row in found.frame.iterrows():
        numbers = [
            _decimal(row[c]) for c in ("estimate", "sd", "null", "direct", "total", "ensemble")
        ]
        widths = (9, 7, 9, 8, 7, 10)
        text = "".join(f"{n:>{w}s}" for n, w in zip(numbers, widths, strict=True))
        out.append(f"{clip(feature, 28):29s}{text}")
    return [
        *out,
        style.dim("  differences below about .05 are ties; a low estimate does not mean fair"),
    ]


def _change_line(title: str, row: pd.Series, style: Style) -> str:
    text = f"{title:30s}{_decimal(row['before']):>7s}{_decimal(row['after']):>8s}"
    text += f"{row['change']:>+9.3f}  "
    ends = "" if math.isnan(row["lower"]) else f"{row['lower']:+.3f} to {row['upper']:+.3f}"
    text += f"{ends:16s}" + (f"{_decimal(row['p']):>6s}" if "p" in row else "")
    if row.get("q") is not None and row.get("q") <= 0.05:
        return style.strong(f"{text} *")
    return text.rstrip()


def _data_block(report: Findings, style: Style) -> list[str]:
    view = report.views[0]
    table = report.metrics.loc[view.name]
    names = [n for n in DATA_MEASURES if n in table.index]
    if not names:
        return []
    if view.counts.predicted:
        names = [n for n in ("cramers_v", "cramers_v[y_pred]") if n in table.index]
    out = [style.head(_measure_heading("THE DATA SET", "interval"))]
    out += [_measure_line(name, table.loc[name], style) for name in names]
    return out + _class_lines(report, style)


def _class_lines(report: Findings, style: Style) -> list[str]:
    """The classes whose groups are least like those outside it."""
    found = report.class_bias
    if found is None or len(found) < 3:  # of two classes both are equally far
        return []
    out = [style.dim("  by class, distance of its groups from those outside it:")]
    for label, row in found.iloc[:_MAX_COLUMNS].iterrows():
        out.append(_measure_line("", row.rename({"distance": "value"}), style, title=str(label)))
    return out


def _notes_block(report: Findings, style: Style) -> list[str]:
    if not report.notes:
        return []
    out = [style.head("NOTES")]
    for note in report.notes[:5]:
        out += _wrapped(f"- {visible(note)}")
    if len(report.notes) > 5:
        out.append(f"  - and {len(report.notes) - 5} more, in report.json")
    return out


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 2, initial_indent="  ", subsequent_indent="    ")


def checks_block(checks: Sequence[Check], style: Style, *, undefined: str = "fail") -> list[str]:
    """One line a check: whether it fails, its value and interval; two where its rule is long."""
    if not checks:
        return []
    out = [style.head("CHECKS")]
    for check in checks:
        failed = check in failed_checks([check], undefined)
        word = style.bad("FAIL") if failed else "pass"
        rule, room = visible(check.rule), _RULE_WIDTH
        if len(rule) > room:
            out += [f"  {word}  {line}" for line in textwrap.wrap(rule, WIDTH - 8)[:1]]
            out += [f"        {line}" for line in textwrap.wrap(rule, WIDTH - 8)[1:]]
            word, rule = "    ", ""
        line = f"  {word}  {rule:{room + 1}s}{_decimal(check.value):>6s}"
        if not math.isnan(check.lower):
            line += f" ({_decimal(check.lower)} - {_decimal(check.upper)})"
        if check.compared:
            line += f"  {visible(check.compared)}"
        if check.state in ("not settled", "undefined"):
            line += style.warn(f"  {check.state}")
        out.append(line)
    return out
