"""The command line: ``skfairprop audit``, ``compare`` and ``metrics``. Imports nothing heavy."""

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from skfairprop import __version__
from skfairprop._config import ConfigError, config_arguments, read_config
from skfairprop._exit import EXIT_FAILED, EXIT_FINE, EXIT_USAGE, PROG, fail

_EXIT_TEXT = (
    "exit status: 0 fine; 1 a check is over its limit; 2 usage or input refused; 3 failed while "
    "running. Options can also stand in [tool.skfairprop.audit] of the pyproject.toml in the "
    "current folder; flags win."
)
_ONE_OF = ("pred", "model", "estimator")


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage text before them."""

    where = ""

    def error(self, message: str):
        if message.startswith("unrecognized arguments: ") and message[24:25] != "-":
            message += "; for several values repeat the option: --sensitive sex --sensitive age"
        self.exit(EXIT_USAGE, f"{PROG}: error: {self.where}{message}; see {self.prog} --help\n")


def build_parser() -> tuple[argparse.ArgumentParser, _Parser]:
    """The parser of the command line, and that of ``audit`` alone."""
    parser = _Parser(
        prog=PROG,
        description="Measure bias in data, in a model, and between them.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    audit = _add_audit(commands)
    _add_compare(commands)
    _add_metrics(commands)
    return parser, audit


def _add_audit(commands) -> _Parser:
    audit = commands.add_parser(
        "audit",
        help="audit a table and a model, or its predictions",
        description="Audit a table (CSV, Parquet, '-' for CSV on stdin, or a shipped data set) and "
        "a model or its predictions. Without TABLE: German credit by sex and age.",
        epilog=_EXIT_TEXT,
        allow_abbrev=False,
    )
    _add_data(audit.add_argument_group("data"))
    model = audit.add_argument_group("model: one of these; without, the data set alone is audited")
    _add_model(model)
    _add_statistics(audit.add_argument_group("statistics"))
    checks = audit.add_argument_group("checks")
    checks.add_argument(
        "--fail-on", metavar="RULE", action="append", default=[],
        help="exit with 1 if it holds: 'METRIC[GROUP].FIELD > NUMBER and ...'",
    )  # fmt: skip
    checks.add_argument(
        "--undefined", choices=("fail", "ignore"), default="fail",
        help="checks whose value cannot be computed",
    )  # fmt: skip
    _add_output(audit.add_argument_group("output"))
    return audit


def _add_data(data) -> None:
    data.add_argument("table", metavar="TABLE", nargs="?", help="file, '-', or a shipped data set")
    data.add_argument("--target", metavar="COL", help="column with the true classes")
    data.add_argument(
        "--sensitive", metavar="COL[:CUTS]", action="append", default=[],
        help="protected column; repeat for intersections; cut numbers as in age:25,45",
    )  # fmt: skip
    data.add_argument("--pos-label", metavar="L", help="the positive class")
    data.add_argument("--weight", metavar="COL", help="column with the weight of each row")
    data.add_argument("--sep", default=",", metavar="CHAR", help="separator of the CSV file")
    data.add_argument("--encoding", default="utf-8", metavar="NAME", help="of the CSV file")
    data.add_argument(
        "--missing", choices=("raise", "group", "drop"), default="raise",
        help="rows with a missing protected value",
    )  # fmt: skip
    data.add_argument(
        "--max-groups", type=int, default=200, metavar="N", help="refuse to make more (200)"
    )


def _add_model(model) -> None:
    one = model.add_mutually_exclusive_group()
    one.add_argument("--pred", metavar="COL", help="column with the predicted classes")
    one.add_argument("--model", metavar="FILE.skops", help="a fitted model, saved with skops")
    one.add_argument(
        "--estimator", choices=("logistic", "forest", "boosting"), help="fit one, out of fold"
    )
    model.add_argument(
        "--trust", metavar="TYPE", action="append", default=[],
        help="a type in the model file to trust, or 'sklearn-trees'",
    )  # fmt: skip
    model.add_argument("--cv", type=int, default=5, metavar="K", help="number of folds (5)")
    model.add_argument(
        "--refit", action=argparse.BooleanOptionalAction, default=True,
        help="fit --estimator again without each protected column",
    )  # fmt: skip
    model.add_argument(
        "--reweight", action=argparse.BooleanOptionalAction, default=False,
        help="fit --estimator again on reweighted rows, and show before and after",
    )  # fmt: skip
    model.add_argument(
        "--explain", action=argparse.BooleanOptionalAction, default=False,
        help="explain up to 200 rows, and compare how stable that is for the groups",
    )  # fmt: skip
    model.add_argument(
        "--benn", action=argparse.BooleanOptionalAction, default=False,
        help="estimate how much each protected column can move what the model says; needs the "
        "extra torch",
    )  # fmt: skip


def _add_statistics(numbers) -> None:
    numbers.add_argument("--seed", type=int, default=0, metavar="N", help="of all random draws (0)")
    numbers.add_argument(
        "--bootstrap", type=int, default=1000, metavar="B",
        help="random tables behind intervals and p (1000); 0: none",
    )  # fmt: skip
    numbers.add_argument("--confidence", type=float, default=0.95, metavar="P", help="0.95")
    numbers.add_argument(
        "--min-count", type=int, default=50, metavar="N", help="mark rates on fewer rows (50)"
    )


def _add_output(out) -> None:
    out.add_argument(
        "--out", default="skfairprop-audit", metavar="DIR", help="folder for the files"
    )
    out.add_argument("--junit", metavar="FILE", help="the checks as JUnit XML")
    out.add_argument("--markdown", metavar="FILE", help="the checks as Markdown")
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    out.add_argument("-q", "--quiet", action="store_true", help="print the checks only")


def _add_compare(commands) -> None:
    compare = commands.add_parser(
        "compare",
        help="what changed between two audits",
        description="What changed from one audit to another, with intervals: two report.json of "
        "'skfairprop audit', by the same protected columns.",
        allow_abbrev=False,
    )
    compare.add_argument("before", metavar="A.json")
    compare.add_argument("after", metavar="B.json")
    compare.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _add_metrics(commands) -> None:
    metrics = commands.add_parser(
        "metrics",
        help="every metric: range, formula, source, and when it misleads",
        description="Every metric: its range, formula, source, and when it misleads.",
        allow_abbrev=False,
    )
    metrics.add_argument("name", metavar="NAME", nargs="?", help="a metric, or a part of its name")
    metrics.add_argument("--json", action="store_true", help="as JSON")
    metrics.add_argument("--color", choices=("auto", "always", "never"), default="auto")


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
    argv = sys.argv[1:] if argv is None else list(argv)
    parser, audit = build_parser()
    args = parser.parse_args(argv)
    try:
        if args.command == "audit":
            args = _with_config(parser, audit, argv)
            return _audit(args)
        from skfairprop.report import _commands

        return getattr(_commands, args.command)(args)
    except ConfigError as exc:
        return fail(f"[tool.skfairprop.audit] in pyproject.toml: {exc}", EXIT_USAGE)
    except BrokenPipeError:  # the reader of a pipe has seen enough, as in `| head`
        sys.stderr.close()
        return EXIT_FINE
    except Exception as exc:  # Python would leave with 1, which says that a check is over its limit
        traceback.print_exc()
        return fail(f"failed, through a fault of its own: {type(exc).__name__}", EXIT_FAILED)


def _with_config(parser, audit: _Parser, argv: Sequence[str]) -> argparse.Namespace:
    """The arguments, with those of pyproject.toml before them."""
    args = parser.parse_args(argv)
    table = read_config(Path("pyproject.toml"), "audit")
    if not table:
        return args
    known = [n.replace("_", "-") for n in vars(args) if n not in ("command", "table")]
    positional = [table.pop("table", None)]
    first = [str(positional[0])] if positional[0] is not None and args.table is None else []
    more = config_arguments(table, argv, known=known, exclusive=[_ONE_OF])
    audit.where = "with [tool.skfairprop.audit] of pyproject.toml: "
    at = list(argv).index("audit") + 1
    return parser.parse_args([*argv[:at], *more, *first, *argv[at:]])


def _audit(args: argparse.Namespace) -> int:
    problem = _bad_number(args)
    if problem:
        return fail(problem, EXIT_USAGE)
    from skfairprop.report import _rules

    try:
        rules = [_rules.parse_rule(text) for text in args.fail_on]
    except _rules.RuleError as exc:
        return fail(f"--fail-on: {exc}", EXIT_USAGE)
    from skfairprop.report import _commands

    return _commands.audit(args, rules)


def _bad_number(args) -> str | None:
    if not 0 < args.confidence < 1:
        return f"--confidence {args.confidence:g}: must lie between 0 and 1, as 0.95"
    if args.cv < 2:
        return f"--cv {args.cv}: at least 2 folds are needed"
    for flag in ("bootstrap", "min_count", "max_groups", "seed"):
        if getattr(args, flag) < 0:
            return f"--{flag.replace('_', '-')} {getattr(args, flag)}: must be 0 or more"
    return None
