"""Checks: rules such as "demographic_parity_difference.lower > 5%", and their three states."""

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from skfairprop._suggest import closest
from skfairprop.metrics._by_group import RATE_COLUMNS
from skfairprop.report._findings import Findings

# Those that rates of a group do not have.
TABLE_FIELDS = ("chance", "p", "q")
FIELDS = ("value", "lower", "upper", *TABLE_FIELDS, "n")
GROUP_MEASURES = ("count", *RATE_COLUMNS)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_TERM = re.compile(
    r"""\s*(?P<name>[A-Za-z_]\w*)\s*
        (?:\[(?P<group>.*)\])?
        (?:\.(?P<field>[A-Za-z_]\w*))?\s*
        (?P<op>>=|<=|>|<)\s*
        (?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)\s*$""",
    re.VERBOSE,
)
# Inside of brackets it is a part of a group's name.
_OTHER_WORD = re.compile(r"\s(or|OR|Or|AND|And|\|\||&&)\s")
_EXAMPLE = "demographic_parity_difference > 0.1"


class RuleError(ValueError):
    """A rule that cannot be read, or that names what is not in the report."""


@dataclass(frozen=True)
class Term:
    """One comparison of a rule: a metric or a rate of a group, its field, and the limit."""

    name: str
    group: str | None
    field: str
    op: str
    limit: float


@dataclass(frozen=True)
class Rule:
    """A rule: it fires when all its terms are true.

    Attributes
    ----------
    text : str
        As written.
    terms : tuple of Term
        Metric, group, field, comparison and limit of each part.

    Examples
    --------
    >>> from skfairprop.report import parse_rule
    >>> rule = parse_rule("equalized_odds_difference.lower > 5% and tpr[f] < 0.7")
    >>> [(term.name, term.limit) for term in rule.terms]
    [('equalized_odds_difference', 0.05), ('tpr', 0.7)]
    """

    text: str
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Check:
    """The outcome of a rule on a report.

    Attributes
    ----------
    rule : str
        As written.
    fired : bool
        Whether what the rule says is true of the fields it names.
    state : {"over", "not settled", "under", "undefined"}
        Over or under the limit for sure, by the interval of the value; "not settled" where the
        interval holds the limit; "undefined" where the value could not be computed.
    value, lower, upper, chance : float
        Of the first term that is not sure, or of the first.
    compared : str
        The numbers that were compared, where they are not the value and its interval alone: of
        p, q, chance and n, and of rules of several terms.

    Notes
    -----
    A check is true where what its rule says is true of the report. Where the value could not be
    computed it is neither: its truth value raises ValueError, so that no gate passes by accident.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> report = fairness_report(
    ...     [1, 0] * 40, [1, 0] * 20 + [0, 0] * 20, sensitive_features=["a"] * 40 + ["b"] * 40
    ... )
    >>> found = report.check("equal_opportunity_difference > 0.1")
    >>> found.fired, found.state, found.verdict
    (True, 'over', 'over the limit')
    """

    rule: str
    fired: bool
    state: str
    value: float
    lower: float
    upper: float
    chance: float
    compared: str = ""

    def __bool__(self) -> bool:
        if self.state == "undefined":
            raise ValueError(
                f"{self.rule!r} could not be computed, so it is neither true nor false; see .state"
            )
        return self.fired

    @property
    def verdict(self) -> str:
        """In words: "over the limit", "over, not settled", "under, not settled", ..."""
        if self.state == "undefined":
            return "could not be computed"
        side = "over" if self.fired else "under"
        return f"{side}, not settled" if self.state == "not settled" else f"{side} the limit"


def failed_checks(checks: Sequence[Check], undefined: str = "fail") -> list[Check]:
    """The checks whose rules are true; those that could not be computed unless "ignore"."""
    return [c for c in checks if c.fired or (c.state == "undefined" and undefined == "fail")]


def parse_rule(text: str) -> Rule:
    """Read a rule: ``METRIC[GROUP].FIELD > NUMBER``, several joined by ``and``.

    Parameters
    ----------
    text : str
        FIELD is one of value (the default), lower, upper, chance, p, q and n; ``[GROUP]`` goes
        with a rate per group, such as ``tpr``; NUMBER may end in %.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        If it cannot be read; a caret shows where, and an example follows.

    Examples
    --------
    >>> from skfairprop.report import parse_rule
    >>> parse_rule("tpr[female, 25 or under] < 70%").terms[0]
    Term(name='tpr', group='female, 25 or under', field='value', op='<', limit=0.7)
    """
    terms, position = [], 0
    for part in _split_and(text):
        terms.append(_parse_term(part, text, position))
        position += len(part) + len("and")
    return Rule(text.strip(), tuple(terms))


def _split_and(text: str) -> list[str]:
    """Parts between the word "and", outside of brackets."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth = max(depth + {"[": 1, "]": -1}.get(text[i], 0), 0)
        word = re.compile(r"(?<=\s)and(?=\s)").match(text, i)
        if word and not depth:
            parts.append(text[start:i])
            start = i = word.end()
            continue
        i += 1
    return [*parts, text[start:]]


def _parse_term(part: str, text: str, position: int) -> Term:
    other = _OTHER_WORD.search(re.sub(r"\[[^\]]*\]", lambda m: " " * len(m[0]), part))
    if other:
        raise RuleError(_other_word(text, position + other.start(1)))
    found = _TERM.match(part)
    if not found:
        raise RuleError(_cannot_read(part, text, position))
    field = found["field"] or "value"
    if field not in FIELDS:
        raise RuleError(f"rule {text!r}: no field {field!r}; the fields are {', '.join(FIELDS)}")
    name, group = found["name"], found["group"]
    if group is not None and field in TABLE_FIELDS:
        raise RuleError(
            f"rule {text!r}: a rate of one group has no {field}; its fields are value, lower, "
            "upper, n"
        )
    if group is None and name in GROUP_MEASURES:
        raise RuleError(f"rule {text!r}: {name} is a rate of one group; write {name}[GROUP]")
    if group is not None and name not in GROUP_MEASURES:
        raise RuleError(
            f"rule {text!r}: [GROUP] goes with a rate of one group: {', '.join(GROUP_MEASURES)}"
        )
    limit = float(found["limit"]) / (100 if found["percent"] else 1)
    return Term(name, None if group is None else group.strip(), field, found["op"], limit)


def _other_word(text: str, at: int) -> str:
    caret = " " * at + "^"
    return f"cannot read the rule\n  {text}\n  {caret}\n  only 'and' joins; for 'or' give two rules"


def _cannot_read(part: str, text: str, position: int) -> str:
    """The rule with a caret under the first character that does not fit."""
    shapes = (
        r"\s*[A-Za-z_]\w*\s*",
        r"(?:\[.*\])?",
        r"(?:\.[A-Za-z_]\w*)?\s*",
        r"(?:>=|<=|>|<)\s*",
        r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*%?\s*",
    )
    at = 0
    for shape in shapes:
        found = re.compile(shape).match(part, at)
        if not found:
            break
        at = found.end()
    caret = " " * (position + at) + "^"
    return f"cannot read the rule\n  {text}\n  {caret}\n  write METRIC > NUMBER, as in '{_EXAMPLE}'"


def check_names(rule: Rule, metrics) -> None:
    """Raise RuleError if the rule names a metric that is not among `metrics`.

    Parameters
    ----------
    rule : Rule
    metrics : iterable of str
        Names of the metrics that may be named.
    """
    known = [*metrics, *GROUP_MEASURES]
    for term in rule.terms:
        if term.name not in known:
            raise RuleError(
                f"rule {rule.text!r}: no metric {term.name!r}{closest(term.name, known)}"
            )


def run_check(report: Findings, rule: str | Rule) -> Check:
    """What a rule says of a report.

    Parameters
    ----------
    report : FairnessReport
        Or what a command found.
    rule : str or Rule
        Read on the first view: the intersection of all protected columns.

    Returns
    -------
    Check

    Raises
    ------
    RuleError
        If the rule cannot be read, or names a metric or group that the report does not have.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> from skfairprop.report import run_check
    >>> report = fairness_report(
    ...     [1, 0] * 40, [1, 0] * 40, sensitive_features=["a"] * 40 + ["b"] * 40
    ... )
    >>> bool(run_check(report, "equal_opportunity_difference > 0.1"))
    False
    """
    parsed = parse_rule(rule) if isinstance(rule, str) else rule
    rows = [_row(report, term, parsed) for term in parsed.terms]
    states = [_state(term, row) for term, row in zip(parsed.terms, rows, strict=True)]
    values = [row.get(t.field, math.nan) for t, row in zip(parsed.terms, rows, strict=True)]
    fired = all(_COMPARE[t.op](v, t.limit) for t, v in zip(parsed.terms, values, strict=True))
    undefined = any(math.isnan(v) for v in values)
    state = "undefined" if undefined else _joint_state(states)
    shown = rows[states.index(state)] if state in states else rows[0]
    return Check(
        parsed.text,
        fired=fired and not undefined,
        state=state,
        **{
            name: float(shown.get(name, math.nan)) for name in ("value", "lower", "upper", "chance")
        },
        compared=_compared(parsed, values),
    )


def _compared(rule: Rule, values: list[float]) -> str:
    """The numbers that a reader would not find beside the rule."""
    if len(rule.terms) > 1:
        pairs = zip(rule.terms, values, strict=True)
        return ", ".join(f"{term.field} {_shown(value)}" for term, value in pairs)
    term, value = rule.terms[0], values[0]
    return "" if term.field in ("value", "lower", "upper") else f"{term.field} {_shown(value)}"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


def _joint_state(states: list[str]) -> str:
    """State of terms joined by "and": under if one is, over if all are."""
    if "under" in states:
        return "under"
    return "not settled" if "not settled" in states else "over"


def _row(report: Findings, term: Term, rule: Rule) -> dict:
    """Fields of what a term names."""
    if term.group is not None:
        return _group_row(report, term, rule)
    view = report.views[0]
    table = report.metrics.loc[view.name]
    if term.name not in table.index:
        raise RuleError(
            f"rule {rule.text!r}: {term.name} is not in this report"
            f"{_why_absent(term.name, report) or closest(term.name, table.index)}"
        )
    row = table.loc[term.name]
    drawn = (*TABLE_FIELDS, "lower", "upper")
    if not report.settings.bootstrap and term.field in drawn and pd.isna(row.get(term.field)):
        raise RuleError(
            f"rule {rule.text!r}: {term.field} comes from random tables, and there are none with "
            "bootstrap=0 (--bootstrap 0)"
        )
    out = {name: _number(row[name]) for name in FIELDS if name in row}
    return out | {"n": float(view.counts.total)}


def _why_absent(name: str, report: Findings) -> str:
    from skfairprop.metrics import METRICS

    metric = METRICS.get(name)
    if metric is None:
        return ""
    chosen = report.settings.metrics
    if not isinstance(chosen, str) and name not in chosen:
        return "; it was not asked for: add it to metrics="
    if metric.inputs == "counts" and not report.views[0].counts.predicted:
        return "; it needs predictions (--pred, --model or --estimator)"
    if metric.needs_positive:
        return "; it needs a positive class: pass pos_label (--pos-label)"
    needs = "predictions" if metric.inputs == "counts" else metric.inputs
    return f"; it needs {needs}"


def _group_row(report: Findings, term: Term, rule: Rule) -> dict:
    known = []
    for view in report.views:
        texts = view.counts.group_texts
        known += texts
        if term.group not in texts:
            continue
        if len(view.by_group) != len(texts):
            raise RuleError(
                f"rule {rule.text!r}: with several classes a rate per group needs pos_label "
                "(--pos-label)"
            )
        row = view.by_group.iloc[texts.index(term.group)]
        if term.name not in row:
            raise RuleError(
                f"rule {rule.text!r}: {term.name} is not in this report; it needs predictions, "
                "or a positive class"
            )
        out = {"value": _number(row[term.name]), "n": float(row["count"])}
        if f"{term.name}_lower" in row:
            out |= {end: _number(row[f"{term.name}_{end}"]) for end in ("lower", "upper")}
            out["n"] = float(row[f"n_{term.name}"])
        return out
    raise RuleError(f"rule {rule.text!r}: no group {term.group!r}{closest(term.group, known)}")


def _number(value) -> float:
    return math.nan if value is None or pd.isna(value) else float(value)


def _state(term: Term, row: dict) -> str:
    """By the interval of the value: over the limit for sure, under it, or not settled."""
    lower, upper = row.get("lower", math.nan), row.get("upper", math.nan)
    if term.field not in ("value", "lower", "upper") or math.isnan(lower) or math.isnan(upper):
        over = _COMPARE[term.op](row.get(term.field, math.nan), term.limit)
        return "over" if over else "under"
    beyond = _COMPARE[term.op]
    if beyond(lower, term.limit) and beyond(upper, term.limit):
        return "over"
    return "not settled" if beyond(lower, term.limit) or beyond(upper, term.limit) else "under"
