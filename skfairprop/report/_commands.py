"""What the commands do once their arguments are read."""

import json
import os
import shlex
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from skfairprop import __version__
from skfairprop._exit import EXIT_FAILED, EXIT_FINE, EXIT_OVER, EXIT_USAGE, PROG, fail
from skfairprop._visible import visible
from skfairprop.metrics import METRICS
from skfairprop.report import _files, _text
from skfairprop.report._audit import Audit
from skfairprop.report._catalogue import catalogue, catalogue_text
from skfairprop.report._compare import compare_reports, comparison_text
from skfairprop.report._errors import AuditError, UsageError, first_line
from skfairprop.report._large import run_audit
from skfairprop.report._options import AuditOptions
from skfairprop.report._rules import Check, Rule, RuleError, check_names, failed_checks

# Flags that are off unless they are given.
_OFF = ("reweight", "explain", "benn")
# Flags that change where and how results are printed, and nothing in them.
_NOT_IN_COMMAND = ("command", "table", "out", "junit", "markdown", "color", "quiet")


def audit(args: Namespace, rules: Sequence[Rule]) -> int:
    """Run ``skfairprop audit``."""
    started = time.perf_counter()
    _progress("auditing ...")
    try:
        for rule in rules:
            check_names(rule, METRICS)
        for path in (Path(args.out) / "report.json", args.junit, args.markdown):
            if path is not None:
                _files.check_writable(Path(path))
        done = run_audit(_options(args, rules), progress=_progress)
        failed = failed_checks(done.checks, args.undefined)
        paths = _write(done, failed, args)
    except RuleError as exc:
        return _fail(f"--fail-on: {exc}", EXIT_USAGE)
    except UsageError as exc:
        return _fail(str(exc), EXIT_USAGE)
    except AuditError as exc:
        return _fail(str(exc), EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted", EXIT_FAILED)
    finally:
        _progress("")
    _print(done, failed, paths, args, time.perf_counter() - started)
    return EXIT_OVER if failed else EXIT_FINE


def compare(args: Namespace) -> int:
    """Run ``skfairprop compare``."""
    style = _text.Style(_text.wants_colour(sys.stdout, args.color))
    names = (args.before, args.after)
    _progress("comparing ...")
    try:
        before, after = (_files.read_report(Path(p)) for p in names)
        text = comparison_text(compare_reports(before, after), names, style)
    except UsageError as exc:
        return _fail(str(exc), EXIT_USAGE)
    except (AttributeError, LookupError, TypeError, ValueError) as exc:
        return _fail(  # parts that are written by every audit are gone, or are something else
            f"{args.before!r} and {args.after!r} cannot be compared: one was changed since it was "
            f"written ({first_line(exc)}); make it again with skfairprop audit",
            EXIT_USAGE,
        )
    finally:
        _progress("")
    emit(text)
    return EXIT_FINE


def metrics(args: Namespace) -> int:
    """Run ``skfairprop metrics``."""
    try:
        records = catalogue(args.name)
    except UsageError as exc:
        return _fail(str(exc), EXIT_USAGE)
    if args.json:
        emit(json.dumps(records, indent=1, ensure_ascii=False))
    else:
        style = _text.Style(_text.wants_colour(sys.stdout, args.color))
        emit(catalogue_text(records, style))
    return EXIT_FINE


def _options(args: Namespace, rules: Sequence[Rule]) -> AuditOptions:
    return AuditOptions(
        table=args.table,
        target=args.target,
        sensitive=tuple(args.sensitive),
        pos_label=args.pos_label,
        pred=args.pred,
        model=args.model,
        trust=tuple(args.trust),
        estimator=args.estimator,
        refit=args.refit,
        reweight=args.reweight,
        explain=args.explain,
        benn=args.benn,
        weight=args.weight,
        sep=args.sep.replace("\\t", "\t"),
        encoding=args.encoding,
        cv=args.cv,
        seed=args.seed,
        bootstrap=args.bootstrap,
        min_count=args.min_count,
        max_groups=args.max_groups,
        confidence=args.confidence,
        missing=args.missing,
        rules=tuple(rules),
        command=command_line(args),
        made=_now(),
    )


def command_line(args: Namespace) -> str:
    """The command that makes this audit again: every option that matters, but not where to."""
    words = [PROG, "audit"] + ([args.table] if args.table is not None else [])
    for name, value in vars(args).items():
        if name in _NOT_IN_COMMAND or value is None:
            continue
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            if value == (name in _OFF):  # not what it is without the flag
                words.append(flag if value else f"--no-{flag[2:]}")
            continue
        for one in value if isinstance(value, list) else [value]:
            words += [flag, str(one)]
    return shlex.join(words)


def _now() -> str:
    """The time, or the one that reproducible builds ask for."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _write(done: Audit, failed: Sequence[Check], args: Namespace) -> list[Path]:
    folder = Path(args.out)
    try:
        paths, left_out = _files.write_files(done, folder, __version__)
        if left_out:
            print(f"{PROG}: report.html was left out: {left_out}", file=sys.stderr)
        if args.junit:
            _files.write_text(Path(args.junit), _files.junit(done, failed))
        if args.markdown:
            _files.write_text(Path(args.markdown), _files.markdown(done, failed, __version__))
    except OSError as exc:
        raise UsageError(_files.not_writable(exc.filename or folder, str(exc.strerror))) from None
    return paths


def _print(done: Audit, failed: Sequence[Check], paths, args: Namespace, seconds: float) -> None:
    style = _text.Style(_text.wants_colour(sys.stdout, args.color))
    if args.quiet:
        body = "\n".join(_text.checks_block(done.checks, style, undefined=args.undefined))
    else:
        body = _text.audit_text(done, style, undefined=args.undefined)
    parts = [body] if body else []
    last = []
    if done.checks:
        verdict = f"{len(failed)} of {len(done.checks)} checks over their limit"
        last += [style.bad(verdict) if failed else verdict, f"exit status {bool(failed):d}"]
    if not args.quiet:
        last.append(f"files: {visible(args.out)}/{paths[0].name} ({seconds:.1f} s)")
    if last:
        parts.append("; ".join(last))
    if parts:
        emit("\n\n".join(parts))


def emit(text: str) -> None:
    """Print, whatever the encoding of the terminal."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def _fail(message: str, status: int) -> int:
    """Print an error on a line of its own, and return the exit status."""
    _progress("")
    return fail(message, status)


def _progress(text: str) -> None:
    """One line on stderr that is overwritten, on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
