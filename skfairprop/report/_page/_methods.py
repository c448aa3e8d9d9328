"""How to read the page, and how its numbers were made."""

import math

from skfairprop.report._findings import Findings
from skfairprop.report._page._numbers import TIMES, name, points, quoted
from skfairprop.report._rates import outcome
from skfairprop.report._source import Source

_Z_SUM = 2.8  # of the two-sided 5 % and the 80 % points of the normal distribution


def reading(report: Findings, source: Source, positive: str) -> list[tuple[str, str]]:
    """What to keep in mind: a heading and a sentence or two each."""
    counts = report.counts
    sizes = counts.of_labels().values.sum(-1)
    out = [
        (
            "No verdict.",
            "Measures of fairness contradict each other when base rates differ, and which one "
            "matters depends on who is harmed by which error. That choice is yours; the report "
            "only says what was measured and how surely.",
        ),
        (
            "Not larger than chance is not the same as no gap.",
            f"With {sizes.min():,.0f} rows in the smallest group, a difference of "
            f"{points(detectable(sizes.min(), sizes.max()))} points from the largest group in a "
            "rate near one half would be found only four times in five.",
        ),
        (
            "The labels may carry bias of their own.",
            "Rates of right and wrong predictions take the true classes of the table as truth: "
            "how they came about, and who is not in the table, no measure here can see.",
        ),
        (
            "Rates on few rows.",
            f"A rate on fewer than {report.settings.min_count} rows is marked † by its own "
            "denominator, not by the size of the group. Groups are never left out.",
        ),
    ]
    if counts.predicted:
        out += [
            (
                "The 80% ratio is not a law here.",
                "The four-fifths rule is a screening rule of US hiring practice; it is no test of "
                "a model.",
            ),
            (
                "Intervals hold the predictions fixed.",
                "They cover which rows were sampled, not how training on other rows would change "
                "the model, and take the rows as independent of each other.",
            ),
        ]
    out.append(
        (
            "Groups are as recorded.",
            f"{name(', '.join(counts.attributes))} are labels of the table; what they say of "
            "people depends on how they were collected.",
        )
    )
    out += [("These data.", note) for note in source.notes]
    return out


def detectable(small: float, large: float) -> float:
    """The difference from one half that a test at 5 % finds four times in five."""
    if small <= 0 or large <= 0:
        return 1.0
    return min(_Z_SUM * math.sqrt(0.25 / small + 0.25 / large), 1.0)


def methods(report: Findings, source: Source) -> list[tuple[str, str]]:
    """How the numbers were made: a heading and a sentence each."""
    settings = report.settings
    level = f"{100 * settings.confidence:g}%"
    out = [("Intervals of rates", f"Wilson score interval, {level}")]
    if settings.bootstrap:
        out += _inference_methods(report, level)
    else:
        out.append(("Intervals of measures", "none: computed without random tables"))
    out.append(
        ("Pairs", f"Newcombe's hybrid score interval, {level}; p: how likely groups exchanged "
         "at random are at least as far apart, exact; by the normal distribution where all "
         "expected counts are 100 or more")
    )  # fmt: skip
    out += _added_methods(report)
    if report.counts.squared is not None:
        out.append(("Weights", "rows are weighted; intervals and tests use Kish's effective sizes"))
    zero = settings.undefined == "zero"
    out.append(
        ("Rates that are 0/0", "counted as 0" if zero else "left out, and named in the notes")
    )
    if report.counts.n_dropped:
        out.append(("Rows left out", f"{report.counts.n_dropped:,} with a missing protected value"))
    out.append(("Seed", str(settings.random_state)))
    if source.sha256:
        out.append(("Data", f"sha256 {source.sha256}"))
    if source.trusted:
        out.append(("Types trusted to read the model", ", ".join(map(name, source.trusted))))
    if source.versions:
        out.append(("Versions", ", ".join(f"{k} {v}" for k, v in source.versions.items())))
    if source.made:
        out.append(("Made", source.made))
    return out


def _added_methods(report: Findings) -> list[tuple[str, str]]:
    """Of what was asked for besides."""
    out = []
    if report.before_after is not None:
        out.append(
            ("Before and after", "weights P(group) P(class) / P(group, class) of the rows to learn "
             "from (Kamiran and Calders 2012); intervals of changes from those of both models and "
             "their correlation over resampled rows (Zou and Donner 2008), p by swapping the "
             "predictions of rows at random")
        )  # fmt: skip
    if report.explanations is not None:
        out.append(
            ("Explanations", "MESD (Popoola and Sheppard 2026) with the continuous tail; null: the "
             "rows of each class dealt to the groups at random; intervals: rows resampled within "
             "groups")
        )  # fmt: skip
    if report.estimations is not None:
        out.append(
            ("Estimations", "BENN (Giloni et al. 2020) with the targeted loss, 4 restarts on "
             "halves of the rows; placebo: shuffled groups")
        )  # fmt: skip
    return out


def _inference_methods(report: Findings, level: str) -> list[tuple[str, str]]:
    settings = report.settings
    kinds = {
        "tilted": "the lower end by inverting the test along a path of rates from no gap to the "
        "measured one, the upper end from the posterior of the rates",
        "max_t": "the lower end of gaps from simultaneous intervals of all pairs of groups, the "
        "upper end from the posterior of the rates",
        "percentile": "bootstrap percentiles, for comparison only: they hardly ever cover a gap "
        "of zero",
    }
    within = (
        "the labels of the groups are exchanged within the true class for error rates, within the "
        "predicted class for precision, over all rows for shares of predictions"
    )
    if settings.null is not None:
        within = f"the labels of the groups are exchanged under {settings.null}"
    by = " (Benjamini-Yekutieli)" if settings.correction == "by" else " (Benjamini-Hochberg)"
    n_tests = int(report.metrics["p"].notna().sum())
    return [
        (
            "Intervals of measures",
            f"{level}, {settings.bootstrap:,} random tables: {kinds[settings.interval]}; never in "
            "contradiction to p",
        ),
        (
            "Corrected",
            "the size of the gap for which a value like the measured one would be the median: what "
            "is left of the value where chance is taken off",
        ),
        (
            "By chance, p",
            f"{settings.bootstrap:,} random tables with the sizes of the groups: {within}",
        ),
        (
            "q",
            f"false discovery rate{by} over {n_tests:,} tests: all measures of all ways to group",
        ),
    ]


def facts(report: Findings, source: Source) -> list[tuple[str, str]]:
    """What was looked at, in some words each."""
    counts = report.counts
    out = []
    if source.rows is not None:
        columns = "" if source.columns is None else f" {TIMES} {source.columns:,}"
        out.append((f"Rows {TIMES} columns" if columns else "Rows", f"{source.rows:,}{columns}"))
    else:
        out.append(("Rows", f"{counts.total:,.10g}"))
    out.append(
        ("Groups", f"{counts.n_groups:,} by {f' {TIMES} '.join(map(name, counts.attributes))}")
    )
    out.append(outcome_fact(report, source))
    if source.model is not None:
        out.append(("Model", name(source.model)))
    if source.protocol:
        out.append(("Predictions", source.protocol))
    if counts.predicted:
        right = counts.values.trace(axis1=1, axis2=2).sum() / counts.total
        out.append(("Right predictions", f"{100 * right:.1f}%"))
    if source.protected_seen is not None:
        seen = ", ".join(map(name, source.protected_seen)) or "none"
        out.append(("Protected columns the model sees", seen))
    return out


def outcome_fact(report: Findings, source: Source) -> tuple[str, str]:
    """The class that the report looks at, or how many there are."""
    counts = report.counts
    found = outcome(report.views[0], report.pos_label)
    if found is None:
        target = f"{name(source.target)}, " if source.target else ""
        return "Outcome", f"{target}{counts.n_classes} classes"
    label, share = found
    target = f"{name(source.target)} = " if source.target else ""
    return "Positive class", f"{target}{quoted(label)} ({share:.0%} of rows)"
