"""What changed from one audit to another, with intervals: ``skfairprop compare``."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.inference import benjamini_hochberg, gap_interval, gap_p_value
from skfairprop.inference._comparison import compare_tables, union_tables
from skfairprop.report._errors import UsageError
from skfairprop.report._text import Style, clip
from skfairprop.report._view import Settings, applicable, effective_share
from skfairprop.report._wording import BINARY_MEASURES, CLASS_MEASURES, DATA_MEASURES, measure_title

_N_DRAWS = 1000  # where an audit was made without random tables
_SURE = 0.05  # the false discovery rate at which a change is listed
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
    p, q : float
        The p-value, and the false discovery rate over all measures, or over all rates.
    open_at_zero : bool
        Whether the interval ends at 0 without including it.
    """

    name: str
    group: str | None
    label: str | None
    before: float
    after: float
    change: float
    lower: float
    upper: float
    p: float
    q: float = math.nan
    open_at_zero: bool = False

    @property
    def settled(self) -> bool:
        """Whether the interval of the change leaves out 0."""
        return self.lower > 0 or self.upper < 0 or self.open_at_zero


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
    Measures are compared as :func:`skfairprop.inference.compare_counts` does, from the counts in
    both files; rates by :func:`skfairprop.inference.gap_p_value` and
    :func:`skfairprop.inference.gap_interval`. That is right where no row is in both audits. Two
    audits of the same rows, as of two models, are paired, but a report does not say which row got
    which prediction: the two values then mostly move together, so that the intervals are wider and
    the p-values larger than need be. :func:`skfairprop.inference.compare_models` takes the
    predictions, and is exact there.
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
        measures=_measures(a, b),
        rates=_rates(a, b),
        facts=_facts(before, after),
        groups_gone=[g for g in groups_a if g not in groups_b],
        groups_new=[g for g in groups_b if g not in groups_a],
        checks=_checks(before, after),
        same_rows=before["data"]["sha256"] == after["data"]["sha256"],
        confidence=b["settings"]["confidence"],
    )


def _counts(report: dict) -> GroupCounts:
    """The counts of the first way to group the rows."""
    view = report["views"][0]
    labels = view["group_labels"]
    groups = (
        pd.MultiIndex.from_tuples([tuple(g) for g in labels], names=view["attributes"])
        if len(view["attributes"]) > 1
        else pd.Index([g[0] for g in labels], name=view["attributes"][0])
    )
    return GroupCounts(
        np.array(view["counts"]),
        groups=groups,
        classes=report["classes"],
        squared=None if view["squared"] is None else np.array(view["squared"]),
        predicted=report["predicted"],
    )


def _measures(before: dict, after: dict) -> list[Difference]:
    """All measures that are in both audits."""
    tables = union_tables(_counts(before), _counts(after))
    settings = _settings(before, after)
    known = [{m["metric"] for m in r["views"][0]["metrics"]} for r in (before, after)]
    calls = applicable(tables[0], after["pos_label"], settings)
    calls = {name: call for name, call in calls.items() if name in known[0] & known[1]}
    if not calls:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few random tables, which the audits have said
        found = compare_tables(
            calls,
            *tables,
            confidence=settings.confidence,
            n_draws=settings.bootstrap,
            random_state=settings.random_state,
        )
    return _with_q(
        [
            Difference(
                name, None, None, c.value_a, c.value_b, c.difference, c.lower, c.upper, c.p_value,
                open_at_zero=c.open_at_zero,
            )
            for name, c in found.items()
        ]
    )  # fmt: skip


def _settings(before: dict, after: dict) -> Settings:
    """The settings of the second audit, with enough random tables."""
    given = after["settings"]
    seed = given["random_state"]
    n_draws = max(r["settings"]["bootstrap"] for r in (before, after))
    return Settings(
        confidence=given["confidence"],
        bootstrap=n_draws or _N_DRAWS,
        undefined=given["undefined"],
        null=given["null"],
        random_state=seed if isinstance(seed, int) else 0,
    )


def _rates(before: dict, after: dict) -> list[Difference]:
    """The rates of the groups that are in both audits."""
    rows_a, rows_b = (_rate_rows(report) for report in (before, after))
    out = [
        _rate_difference(rate, key, rows_a[key], rows_b[key])
        for key in rows_a
        if key in rows_b
        for rate in RATES
        if rate in rows_a[key] and rate in rows_b[key]
    ]
    return _with_q(out)


def _rate_rows(report: dict) -> dict[tuple[str, str | None], dict]:
    """Rates by group and class, with the effective rows per unit of weight."""
    rows = report["views"][0]["by_group"]
    share = effective_share(_counts(report), pd.DataFrame(index=range(len(rows))))
    return {
        (row["group"], None if row.get("class") is None else str(row["class"])): row | {"share": s}
        for row, s in zip(rows, share, strict=True)
    }


def _rate_difference(rate: str, key: tuple[str, str | None], a: dict, b: dict) -> Difference:
    values = [_number(row[rate]) for row in (b, a)]
    ends = [tuple(_number(row[f"{rate}_{end}"]) for end in ("lower", "upper")) for row in (b, a)]
    sizes = [row[f"n_{rate}"] * row["share"] for row in (b, a)]
    lower, upper = gap_interval(values[0], ends[0], values[1], ends[1])
    p = gap_p_value(values[0] * sizes[0], sizes[0], values[1] * sizes[1], sizes[1])
    change = values[0] - values[1]
    return Difference(
        rate, *key, values[1], values[0], change, float(lower), float(upper), float(p)
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _with_q(found: list[Difference]) -> list[Difference]:
    q = benjamini_hochberg([d.p for d in found])
    return [replace(d, q=float(value)) for d, value in zip(found, q, strict=True)]


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
    head = f"{'A':>7s}{'B':>8s}{'change':>9s}  {level:16s}{'p':>6s}"
    out += ["", style.head(f"{'MEASURES':30s}{head}")]
    main = [d for d in found.measures if d.name in (*BINARY_MEASURES, *CLASS_MEASURES)]
    shown = main or [d for d in found.measures if d.name in DATA_MEASURES]
    out += [_line(clip(measure_title(d.name), 29), d, style) for d in shown]
    moved = [d for d in found.measures if d.q <= _SURE and d not in shown]
    if moved:
        out += ["", style.head("OTHER MEASURES THAT CHANGED")]
        out += [_line(clip(measure_title(d.name), 29), d, style) for d in moved]
    out += _rates_text(found.rates, style)
    if found.checks:
        out += ["", style.head("CHECKS")]
        out += [f"  {clip(rule, 36):37s}{old} -> {new}" for rule, old, new in found.checks]
    out += [
        "",
        style.dim("* the interval of the change leaves out 0; other measures and rates are listed"),
        style.dim(f"  where the false discovery rate over all of them is {_SURE:g} or less"),
    ]
    if found.same_rows:
        out += [
            style.dim("Both are of the same rows, taken as two samples: intervals are wider and p"),
            style.dim("larger than need be. compare_models, on the predictions, pairs the rows."),
        ]
    return "\n".join(out)


def _rates_text(rates: Sequence[Difference], style: Style) -> list[str]:
    moved = [d for d in rates if d.q <= _SURE]
    if not moved:
        return ["", style.head("GROUP RATES"), "  no change that is settled"]
    out = ["", style.head("GROUP RATES THAT CHANGED")]
    for d in moved[:40]:
        of = "" if d.label is None else f" {clip(d.label, 10)}"
        title = f"{d.name}{of}, {d.group}"
        out.append(_line(clip(title, 29), d, style))
    if len(moved) > 40:
        out.append(f"  and {len(moved) - 40} more")
    return out


def _line(title: str, d: Difference, style: Style) -> str:
    def write(value: float, sign: str = "") -> str:
        return "-" if math.isnan(value) else f"{value:{sign}.3f}"

    text = f"{title:30s}{write(d.before):>7s}{write(d.after):>8s}{write(d.change, '+'):>9s}"
    if math.isnan(d.lower):
        return text
    text += f"  {write(d.lower, '+')} to {write(d.upper, '+')}{d.p:6.3f}"
    return style.strong(f"{text} *") if d.settled else text
