"""What changed from one audit to another, with intervals: ``skfairprop compare``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from skfairprop.report._errors import UsageError
from skfairprop.report._text import Style, clip
from skfairprop.report._wording import BINARY_MEASURES, CLASS_MEASURES, DATA_MEASURES, measure_title

RATES = ("base_rate", "selection_rate", "accuracy", "tpr", "fpr", "precision")


@dataclass(frozen=True)
class Difference:
    """A number in two audits.

    Attributes
    ----------
    name : str
        Of the measure, or of the rate.
    group, label : str or None
        Where it is a rate: of which group, and class where there are several.
    before, after : float
        NaN where it is not in that audit or undefined.
    change, lower, upper : float
        ``after - before`` and its interval.
    """

    name: str
    group: str | None
    label: str | None
    before: float
    after: float
    change: float
    lower: float
    upper: float

    @property
    def settled(self) -> bool:
        """Whether the interval of the change leaves out 0."""
        return self.lower > 0 or self.upper < 0


@dataclass(frozen=True)
class Comparison:
    """Two audits side by side.

    Attributes
    ----------
    measures, rates : list of Difference
        Rates: those of the first way to group the rows.
    facts : list of (str, str, str)
        What was looked at, where it is not the same in both.
    groups_gone, groups_new : list of str
    checks : list of (str, str, str)
        Rules whose verdict is not the same in both, with the two verdicts.
    same_rows : bool
        Whether both are audits of the same table.
    confidence : float
    """

    measures: list[Difference]
    rates: list[Difference]
    facts: list[tuple[str, str, str]]
    groups_gone: list[str]
    groups_new: list[str]
    checks: list[tuple[str, str, str]]
    same_rows: bool
    confidence: float


def compare_reports(before: dict, after: dict) -> Comparison:
    """What changed between two audits.

    Parameters
    ----------
    before, after : dict
        Two report.json.

    Returns
    -------
    Comparison

    Raises
    ------
    UsageError
        If they are not by the same protected columns, or not of the same positive class.

    Notes
    -----
    The interval of a change is made of the two intervals (Zou and Donner 2008): the lower end is
    ``change - sqrt((after - lower of after)^2 + (upper of before - before)^2)``, the upper end
    likewise. It holds for different rows. On the same rows the two values mostly move together,
    and the interval is then wider than it need be.
    """
    a, b = before["report"], after["report"]
    for what, words in (("pos_label", "positive class"), ("predicted", "kind of audit")):
        if a[what] != b[what]:
            raise UsageError(f"the {words} is not the same: {a[what]!r} and {b[what]!r}")
    view_a, view_b = a["views"][0], b["views"][0]
    if view_a["attributes"] != view_b["attributes"]:
        raise UsageError(
            "the audits are not by the same protected columns: "
            f"{', '.join(view_a['attributes'])} and {', '.join(view_b['attributes'])}"
        )
    groups_a, groups_b = view_a["groups"], view_b["groups"]
    return Comparison(
        measures=_measures(view_a, view_b),
        rates=_rates(view_a, view_b),
        facts=_facts(before, after),
        groups_gone=[g for g in groups_a if g not in groups_b],
        groups_new=[g for g in groups_b if g not in groups_a],
        checks=_checks(before, after),
        same_rows=before["data"]["sha256"] == after["data"]["sha256"],
        confidence=b["settings"]["confidence"],
    )


def _measures(before: dict, after: dict) -> list[Difference]:
    known = {m["metric"]: m for m in after["metrics"]}
    return [
        difference(m["metric"], m, known[m["metric"]])
        for m in before["metrics"]
        if m["metric"] in known
    ]


def _rates(before: dict, after: dict) -> list[Difference]:
    known = {(r["group"], r.get("class")): r for r in after["by_group"]}
    out = []
    for row in before["by_group"]:
        key = (row["group"], row.get("class"))
        if key not in known:
            continue
        for rate in RATES:
            if rate in row and rate in known[key]:
                parts = [_rate_parts(r, rate) for r in (row, known[key])]
                out.append(difference(rate, *parts, group=key[0], label=key[1]))
    return out


def _rate_parts(row: dict, rate: str) -> dict:
    return {"value": row[rate], "lower": row[f"{rate}_lower"], "upper": row[f"{rate}_upper"]}


def difference(
    name: str, before: dict, after: dict, *, group: str | None = None, label=None
) -> Difference:
    """A number in two audits and the interval of its change."""
    (a, a_low, a_high), (b, b_low, b_high) = (
        [math.nan if part[k] is None else part[k] for k in ("value", "lower", "upper")]
        for part in (before, after)
    )
    change = b - a
    lower = change - math.hypot(b - b_low, a_high - a)
    upper = change + math.hypot(b_high - b, a - a_low)
    return Difference(
        name, group, None if label is None else str(label), a, b, change, lower, upper
    )


def _facts(before: dict, after: dict) -> list[tuple[str, str, str]]:
    out = []
    for key in ("table", "sha256", "rows", "target", "model"):
        pair = [str(document["data"].get(key)) for document in (before, after)]
        if pair[0] != pair[1]:
            out.append((key, pair[0], pair[1]))
    return out


def _checks(before: dict, after: dict) -> list[tuple[str, str, str]]:
    old = {c["rule"]: c["verdict"] for c in before["checks"]}
    return [
        (c["rule"], old[c["rule"]], c["verdict"])
        for c in after["checks"]
        if c["rule"] in old and old[c["rule"]] != c["verdict"]
    ]


# -- as text -------------------------------------------------------------------------------------


def comparison_text(found: Comparison, names: tuple[str, str], style: Style) -> str:
    """A comparison in lines of at most 80 columns."""
    out = [f"A: {clip(names[0], 76)}", f"B: {clip(names[1], 76)}"]
    for what, a, b in found.facts:
        out.append(style.dim(f"  {what:8s}{clip(a, 32)} -> {clip(b, 32)}"))
    for title, groups in (("only in A", found.groups_gone), ("only in B", found.groups_new)):
        if groups:
            out.append(style.warn(f"  groups {title}: {clip(', '.join(groups), 60)}"))
    level = f"{100 * found.confidence:g}% interval"
    out += ["", style.head(f"{'MEASURES':31s}{'A':>7s}{'B':>8s}{'change':>9s}  {level}")]
    main = [d for d in found.measures if d.name in (*BINARY_MEASURES, *CLASS_MEASURES)]
    shown = main or [d for d in found.measures if d.name in DATA_MEASURES]
    out += [_line(clip(measure_title(d.name), 30), d, style) for d in shown]
    moved = [d for d in found.measures if d.settled and d not in shown]
    if moved:
        out += ["", style.head("OTHER MEASURES THAT CHANGED")]
        out += [_line(clip(measure_title(d.name), 30), d, style) for d in moved]
    out += _rates_text(found.rates, style)
    if found.checks:
        out += ["", style.head("CHECKS")]
        out += [f"  {clip(rule, 36):37s}{old} -> {new}" for rule, old, new in found.checks]
    out += ["", style.dim("* the interval of the change leaves out 0")]
    if found.same_rows:
        out.append(style.dim("both are of the same table: the intervals are wider than need be"))
    return "\n".join(out)


def _rates_text(rates: Sequence[Difference], style: Style) -> list[str]:
    moved = [d for d in rates if d.settled]
    if not moved:
        return ["", style.head("GROUP RATES"), "  no change that is settled"]
    out = ["", style.head("GROUP RATES THAT CHANGED")]
    for d in moved[:40]:
        of = "" if d.label is None else f" {clip(d.label, 10)}"
        title = f"{d.name}{of}, {d.group}"
        out.append(_line(clip(title, 30), d, style))
    if len(moved) > 40:
        out.append(f"  and {len(moved) - 40} more")
    return out


def _line(title: str, d: Difference, style: Style) -> str:
    def write(value: float, sign: str = "") -> str:
        return "-" if math.isnan(value) else f"{value:{sign}.3f}"

    text = f"{title:31s}{write(d.before):>7s}{write(d.after):>8s}{write(d.change, '+'):>9s}"
    if math.isnan(d.lower):
        return text
    text += f"  {write(d.lower, '+')} to {write(d.upper, '+')}"
    return style.strong(f"{text} *") if d.settled else text
