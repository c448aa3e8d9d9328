"""What an audit writes: report.json, metrics.csv, by_group.csv, JUnit XML, Markdown."""

import csv
import html
import json
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn

from skfairprop._visible import visible
from skfairprop.report._audit import Audit
from skfairprop.report._errors import UsageError, first_line
from skfairprop.report._failure import check_line
from skfairprop.report._page import build_page, render_page
from skfairprop.report._page._numbers import decimal, percent, span
from skfairprop.report._plain import SCHEMA_VERSION, flat_rates, plain
from skfairprop.report._rules import Check
from skfairprop.report._text import shown_rates

DECIMALS = 10  # of the numbers in CSV files


def audit_dict(audit: Audit, version: str) -> dict:
    """Everything about an audit as plain data, ready for JSON."""
    report = audit.report.to_dict()
    change = audit.change
    facts = {
        "table": audit.table.name,
        "sha256": audit.table.sha256,
        "rows": audit.table.n_rows,
        "columns": audit.table.frame.shape[1],
        "rows_left_out": audit.report.counts.n_dropped,
        "target": audit.target,
        "model": audit.model,
    }
    return {
        "skfairprop": version,
        "versions": versions(),
        "data": plain(facts),
        "report": report,
        "data_to_model": None if change is None else plain(vars(change)),
        "checks": [plain(_check_dict(check)) for check in audit.checks],
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that the numbers rest on."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "pandas": pd.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _check_dict(check: Check) -> dict:
    return vars(check) | {"verdict": check.verdict}


def check_writable(path: Path) -> None:
    """Raise UsageError if a file cannot be written, before any work is done.

    The nearest folder above it that exists must be one that can be written to.
    """
    try:
        if path.is_dir():
            raise UsageError(not_writable(path, "Is a directory"))
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass  # it is to be made; what stands in the way is named below
    except (OSError, ValueError) as exc:  # a name that is too long, or with a null character in it
        reason = getattr(exc, "strerror", None) or first_line(exc)
        raise UsageError(not_writable(path, reason)) from None
    for folder in path.absolute().parents:
        if folder.is_dir():
            if not os.access(folder, os.W_OK):
                raise UsageError(not_writable(folder, "Permission denied"))
            return
        if folder.exists():
            raise UsageError(not_writable(folder, "Not a directory"))


def not_writable(path: object, reason: str) -> str:
    """The message on a place that cannot be written to."""
    return f"{str(path)!r} cannot be written: {reason}; name another place"


def write_text(path: Path, text: str) -> None:
    """Write a text file, making its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read_report(path: Path) -> dict:
    """Read a report.json.

    Raises
    ------
    UsageError
        If it cannot be read, or is none.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise UsageError(f"{str(path)!r} cannot be read: {exc.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{str(path)!r} is no JSON; a report.json of an audit is needed") from None
    schema = document.get("report", {}).get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA_VERSION:
        raise UsageError(
            f"{str(path)!r} is no report.json of this version of skfairprop; make it again with "
            "skfairprop audit"
        )
    return document


def audit_page(audit: Audit, document: dict) -> str:
    """The page of an audit, which carries `document` along.

    Raises
    ------
    ImportError
        If jinja2 is not installed.
    """
    page = build_page(
        audit.report,
        replace(audit.source, versions={"skfairprop": document["skfairprop"]} | versions()),
        checks=audit.checks,
        document=document,
    )
    return render_page(page)


def write_files(audit: Audit, folder: Path, version: str) -> tuple[list[Path], str | None]:
    """Write an audit into a folder, making it if need be.

    Returns
    -------
    paths : list of Path
        report.html, report.json, metrics.csv and by_group.csv.
    left_out : str or None
        Why report.html was left out: a missing dependency.
    """
    folder.mkdir(parents=True, exist_ok=True)
    document = audit_dict(audit, version)
    paths = [folder / name for name in ("report.json", "metrics.csv", "by_group.csv")]
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    paths[0].write_text(text + "\n", encoding="utf-8")
    _write_csv(audit.report.to_frame(), paths[1])
    tables = []
    for view in audit.report.views:
        table = flat_rates(view.by_group, view.counts)
        table.insert(0, "attributes", view.name)
        tables.append(table)
    _write_csv(pd.concat(tables, ignore_index=True), paths[2])
    try:
        page = audit_page(audit, document)
    except ImportError as exc:
        return paths, str(exc)
    paths.insert(0, folder / "report.html")
    write_text(paths[0], page)
    return paths, None


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    """CSV that a spreadsheet reads as data: text that looks like a formula is quoted with '."""
    safe = table.copy()
    for name in safe.columns:  # times and dates are not rounded
        if safe[name].dtype.kind in "biuf":
            safe[name] = safe[name].round(DECIMALS)
        else:
            safe[name] = safe[name].map(_no_formula)
    safe.to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)


def _no_formula(value):
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value


def junit(audit: Audit, failed: Sequence[Check]) -> str:
    """The checks as JUnit XML: a failure for each that is over its limit."""
    from xml.sax.saxutils import escape, quoteattr  # it imports what talks to networks

    title = f"skfairprop audit: {visible(audit.table.name)}"
    n, over = len(audit.checks), len(failed)
    out = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="skfairprop audit" tests="{n}" failures="{over}" errors="0">',
        f'  <testsuite name={quoteattr(title)} tests="{n}" failures="{over}" errors="0" '
        'skipped="0">',
        "    <properties>",
    ]
    seed = audit.report.settings.random_state
    for name, value in (("data.sha256", audit.table.sha256), ("seed", seed)):
        out.append(f'      <property name="{name}" value={quoteattr(str(value))}/>')
    out.append("    </properties>")
    for check in audit.checks:
        rule, line = visible(check.rule), check_line(check, audit.report.settings.confidence)
        body = f"<system-out>{escape(line)}</system-out>"
        if check in failed:
            kind = "undefined" if check.state == "undefined" else "limit"
            body = f'<failure type="{kind}" message={quoteattr(line)}>{escape(rule)}</failure>'
        out.append(
            f'    <testcase classname="skfairprop.audit" name={quoteattr(rule)}>{body}</testcase>'
        )
    return "\n".join([*out, "  </testsuite>", "</testsuites>", ""])


def markdown(audit: Audit, failed: Sequence[Check], version: str) -> str:
    """The checks and rates as Markdown, for a comment on a pull request."""
    report = audit.report
    level = f"{100 * report.settings.confidence:g}%"
    groups = f"{report.counts.n_groups} groups ({_cell(report.views[0].name)})"
    out = [
        f"### Fairness audit: {_cell(audit.table.name)}",
        "",
        f"{audit.table.n_rows:,} rows, {groups}; predictions: {_cell(audit.model)}.",
        "",
    ]
    if audit.checks:
        out += [
            f"| Check (fails if) | Result | Value | {level} interval | By chance |",
            "|---|---|--:|--:|--:|",
        ]
        for check in audit.checks:
            mark = "❌" if check in failed else "✅"
            interval, chance = span(check.lower, check.upper), decimal(check.chance)
            value = "undefined" if math.isnan(check.value) else decimal(check.value)
            value += f" ({_cell(check.compared)})" if check.compared else ""
            cells = (_code(check.rule), f"{mark} {check.verdict}", value, interval, chance)
            out.append(f"| {' | '.join(cells)} |")
        out.append("")
    out += _rates_table(audit)
    seed = report.settings.random_state
    digest = audit.table.sha256[:12]
    out += ["", f"<sub>skfairprop {version} · seed {seed} · data sha256 {digest}</sub>", ""]
    return "\n".join(out)


def _rates_table(audit: Audit) -> list[str]:
    """The rates of the groups, as in the terminal: of several classes the accuracy alone."""
    view, small = audit.report.views[0], audit.report.settings.min_count
    columns, rows, left_out = shown_rates(view)
    head = ["Group", "n", *columns.values()]
    out = ["<details><summary>Rates by group</summary>", "", f"| {' | '.join(head)} |"]
    out.append("|---" + "|--:" * (1 + len(columns)) + "|")
    for group, row in rows:
        cells = [_cell(group), f"{row['count']:g}"]
        for name in columns:
            if math.isnan(row[name]):
                cells.append("n = 0")
                continue
            few = " †" if row[f"n_{name}"] < small else ""
            cells.append(f"{percent(row[name])}{few}")
        out.append(f"| {' | '.join(cells)} |")
    if left_out:
        out += ["", f"{left_out} more groups between these."]
    return [*out, "", f"† fewer than {small} rows in the denominator.", "", "</details>"]


def _cell(text: object) -> str:
    """Text in a Markdown table: no markup, no line breaks, no cell borders."""
    shown = visible(text)
    for char in "\\`*_[]<>|$~#":
        shown = shown.replace(
            char, f"\\{char}" if char not in "<>" else {"<": "&lt;", ">": "&gt;"}[char]
        )
    return shown


def _code(text: str) -> str:
    """Text as inline code within a table: Markdown reads its marks there, too."""
    shown = html.escape(visible(text), quote=False)
    for char in "|*_`~[]":
        shown = shown.replace(char, f"&#{ord(char)};")
    return f"<code>{shown}</code>"
