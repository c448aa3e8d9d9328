"""The command line: ``skfairprop audit``."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PROG = "skfairprop"
EXIT_FINE, EXIT_OVER, EXIT_USAGE, EXIT_FAILED = 0, 1, 2, 3
_EXIT_TEXT = "exit status: 0 fine; 1 a check is over its limit; 2 input refused; 3 failed"


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage text before them."""

    def error(self, message: str):
        self.exit(EXIT_USAGE, f"{PROG}: error: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line; imports nothing heavy."""
    parser = _Parser(prog=PROG, description="Measure bias in data, in a model, and between them.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_audit(commands)
    return parser


def _add_audit(commands) -> None:
    audit = commands.add_parser(
        "audit",
        help="audit a table and a model, or its predictions",
        description="Audit a table (CSV, Parquet, '-' for CSV on stdin, or a shipped data set) and "
        "a model or its predictions. Without TABLE: German credit by sex and age.",
        epilog=_EXIT_TEXT,
    )
    data = audit.add_argument_group("data")
    data.add_argument("table", metavar="TABLE", nargs="?", help="file, '-', or a shipped data set")
    data.add_argument("--target", metavar="COL", help="column with the true classes")
    data.add_argument(
        "--sensitive",
        metavar="COL[:CUTS]",
        action="append",
        default=[],
        help="protected column; repeat for intersections; cut numbers as in age:25,45",
    )
    data.add_argument("--pos-label", metavar="L", help="the positive class")
    data.add_argument("--weight", metavar="COL", help="column with the weight of each row")
    data.add_argument("--sep", default=",", metavar="CHAR", help="separator of the CSV file")
    data.add_argument(
        "--missing", choices=("raise", "group", "drop"), default="raise",
        help="rows with a missing protected value",
    )  # fmt: skip
    data.add_argument("--max-groups", type=int, default=200, metavar="N")
    model = audit.add_argument_group("model: one of these; without, the data set alone is audited")
    one = model.add_mutually_exclusive_group()
    one.add_argument("--pred", metavar="COL", help="column with the predicted classes")
    one.add_argument(
        "--estimator", choices=("logistic", "forest", "boosting"), help="fit one, out of fold"
    )
    model.add_argument("--cv", type=int, default=5, metavar="K", help="number of folds")
    numbers = audit.add_argument_group("statistics")
    numbers.add_argument("--seed", type=int, default=0, metavar="N")
    numbers.add_argument(
        "--bootstrap", type=int, default=1000, metavar="B",
        help="random tables behind intervals and p; 0: none",
    )  # fmt: skip
    numbers.add_argument("--confidence", type=float, default=0.95, metavar="P")
    numbers.add_argument("--min-count", type=int, default=50, metavar="N", help="mark smaller ones")
    checks = audit.add_argument_group("checks")
    checks.add_argument(
        "--fail-on", metavar="RULE", action="append", default=[],
        help="exit with 1 if it holds: 'METRIC[GROUP].FIELD > NUMBER and ...'",
    )  # fmt: skip
    checks.add_argument(
        "--undefined", choices=("fail", "ignore"), default="fail",
        help="checks whose value cannot be computed",
    )  # fmt: skip
    out = audit.add_argument_group("output")
    out.add_argument(
        "--out", default="skfairprop-audit", metavar="DIR", help="folder for the files"
    )
    out.add_argument("--junit", metavar="FILE", help="the checks as JUnit XML")
    out.add_argument("--markdown", metavar="FILE", help="the checks as Markdown")
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    out.add_argument("-q", "--quiet", action="store_true", help="print the checks only")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; default: those of the process.

    Returns
    -------
    int
        Exit status: 0 fine; 1 a check is over its limit; 2 usage or input refused; 3 failed.
    """
    args = build_parser().parse_args(argv)
    problem = _bad_number(args)
    if problem:
        return _fail(problem, EXIT_USAGE)
    from skfairprop.report import _rules

    try:
        rules = [_rules.parse_rule(text) for text in args.fail_on]
        _check_rule_names(rules)
    except _rules.RuleError as exc:
        return _fail(f"--fail-on: {exc}", EXIT_USAGE)
    return _audit(args, rules)


def _bad_number(args) -> str | None:
    if not 0 < args.confidence < 1:
        return f"--confidence {args.confidence:g}: must lie between 0 and 1, as 0.95"
    if args.cv < 2:
        return f"--cv {args.cv}: at least 2 folds are needed"
    for flag in ("bootstrap", "min_count", "max_groups", "seed"):
        if getattr(args, flag) < 0:
            return f"--{flag.replace('_', '-')} {getattr(args, flag)}: must be 0 or more"
    return None


def _check_rule_names(rules) -> None:
    from skfairprop.metrics import METRICS
    from skfairprop.report._rules import check_names

    for rule in rules:
        check_names(rule, METRICS)


def _audit(args, rules) -> int:
    from skfairprop.report._audit import AuditError, AuditOptions, run_audit
    from skfairprop.report._rules import RuleError
    from skfairprop.report._table import UsageError

    started = time.perf_counter()
    options = AuditOptions(
        table=args.table,
        target=args.target,
        sensitive=tuple(args.sensitive),
        pos_label=args.pos_label,
        pred=args.pred,
        estimator=args.estimator,
        weight=args.weight,
        sep=args.sep.replace("\\t", "\t"),
        cv=args.cv,
        seed=args.seed,
        bootstrap=args.bootstrap,
        min_count=args.min_count,
        max_groups=args.max_groups,
        confidence=args.confidence,
        missing=args.missing,
        rules=tuple(rules),
    )
    _progress("auditing ...")
    try:
        audit = run_audit(options)
        failed = _failed(audit, args.undefined)
        paths = _write(audit, failed, args)
    except (UsageError, RuleError) as exc:
        return _fail(str(exc), EXIT_USAGE)
    except AuditError as exc:
        return _fail(str(exc), EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted", EXIT_FAILED)
    finally:
        _progress("")
    _print(audit, failed, paths, args, time.perf_counter() - started)
    return EXIT_OVER if failed else EXIT_FINE


def _failed(audit, undefined: str) -> list:
    return [c for c in audit.checks if c.fired or (c.state == "undefined" and undefined == "fail")]


def _write(audit, failed, args) -> list[Path]:
    from skfairprop import __version__
    from skfairprop.report import _files
    from skfairprop.report._table import UsageError

    folder = Path(args.out)
    try:
        paths = _files.write_files(audit, folder, __version__)
        try:
            page = _files.audit_page(audit, __version__)
        except ImportError as exc:
            print(f"{PROG}: report.html was left out: {exc}", file=sys.stderr)
        else:
            paths.insert(0, folder / "report.html")
            _write_text(paths[0], page)
        if args.junit:
            _write_text(Path(args.junit), _files.junit(audit, failed))
        if args.markdown:
            _write_text(Path(args.markdown), _files.markdown(audit, failed, __version__))
    except OSError as exc:
        where = exc.filename or folder
        raise UsageError(
            f"{str(where)!r} cannot be written: {exc.strerror}; pass another --out"
        ) from None
    return paths


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _print(audit, failed, paths, args, seconds: float) -> None:
    from skfairprop.report import _text

    style = _text.Style(_text.wants_colour(sys.stdout, args.color))
    if args.quiet:
        body = "\n".join(_text.checks_block(audit.checks, style))
    else:
        body = _text.audit_text(audit, style)
    parts = [body] if body else []
    last = ""
    if audit.checks:
        verdict = f"{len(failed)} of {len(audit.checks)} checks over their limit"
        last = (style.bad(verdict) if failed else verdict) + f"; exit status {bool(failed):d}; "
    if not args.quiet:
        last += f"files: {_text.visible(args.out)}/{', '.join(p.name for p in paths[:1])} ({seconds:.1f} s)"
    if last:
        parts.append(last.rstrip("; "))
    _emit("\n\n".join(parts))


def _emit(text: str) -> None:
    """Print, whatever the encoding of the terminal."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def _progress(text: str) -> None:
    """One line on stderr that is overwritten, on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _fail(message: str, status: int) -> int:
    from skfairprop._visible import visible

    lines = [visible(line) for line in message.splitlines()]
    print(f"{PROG}: error: " + "\n".join(lines), file=sys.stderr)
    return status
