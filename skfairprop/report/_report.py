"""The fairness report: every metric of a model or data set, and how sure of it one can be."""

import hashlib
import json
import warnings
from collections.abc import Hashable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from skfairprop._checks import check_choice, check_integer, check_number
from skfairprop._random import RandomState
from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.inference._calls import NULLS
from skfairprop.inference._infer import METHODS
from skfairprop.inference._multiple import MIN_DRAWS
from skfairprop.report._complete import Wanted, complete
from skfairprop.report._failure import failure_message
from skfairprop.report._findings import Findings
from skfairprop.report._from_estimator import fits_of, read_rows, seen_columns
from skfairprop.report._plain import report_dict
from skfairprop.report._rules import Check, failed_checks, run_check
from skfairprop.report._source import Section, Source
from skfairprop.report._text import report_text
from skfairprop.report._view import UNDEFINED_POLICIES, Settings, make_view


class FairnessReport(Findings):
    """Every count metric of some predictions, by protected columns, with intervals and chance.

    Made by :func:`~skfairprop.report.fairness_report`, :meth:`from_counts` or
    :meth:`from_estimator`.

    Parameters
    ----------
    views : list of View
        The intersection of all protected columns first, then each column alone.
    settings : Settings
        How it was computed.
    pos_label : hashable or None
        The positive class.
    notes : sequence of str
        What was left out or is undefined, one line each.
    drivers : Drivers, optional
        The model without protected columns, and the columns that can stand in for them.

    Attributes
    ----------
    views, settings, pos_label, notes, drivers
        As given.
    before_after : BeforeAfter or None
        The same model fitted on reweighted rows, and what that changes.
    explanations : Explanations or None
        How stable the explanations of the model are for each group.
    estimations : Estimations or None
        How much each protected column can move what the model says.
    counts : GroupCounts
        Counts of the first view.
    by_group : DataFrame
        Rates per group of the first view, with denominators and intervals.
    metrics : DataFrame
        One row for each view and metric: ``value``, ``lower``, ``upper`` (interval), ``corrected``
        (the value corrected for chance), ``chance`` (mean of a group-blind model of this size),
        ``chance_95`` (exceeded by it one time in twenty), ``p``, ``q`` (false discovery rate over
        the report), and which rate, class and pair of groups drives it.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> report = fairness_report(
    ...     [1, 0, 1, 0, 1, 0, 1, 0], [1, 0, 1, 1, 0, 0, 1, 0], sensitive_features=list("aaaabbbb")
    ... )
    >>> float(report.metrics.loc[("sensitive_features", "demographic_parity_difference"), "value"])
    0.5
    """

    @classmethod
    def from_counts(
        cls,
        counts: GroupCounts,
        *,
        pos_label: Hashable | None = None,
        metrics: str | Sequence[str] = "all",
        confidence: float = 0.95,
        bootstrap: int = 1000,
        interval: str = "tilted",
        null: str | None = None,
        min_count: int = 50,
        undefined: str = "drop",
        correction: str = "bh",
        random_state: RandomState = 0,
    ) -> "FairnessReport":
        """Report on a table of counts.

        Parameters
        ----------
        counts : GroupCounts
            With or without predictions; several protected columns give a view each and one of
            their intersection.
        pos_label : hashable, optional
            The positive class.
        metrics : "all" or sequence of str, default="all"
            Which metrics; "all": every metric of the registry that is a function of the counts.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        bootstrap : int, default=1000
            Number of random tables behind intervals and p-values; 0: none.
        interval : {"tilted", "max_t", "percentile"}, default="tilted"
            How intervals are made, see :func:`~skfairprop.inference.infer`.
        null : {"independence", "separation", "sufficiency"}, optional
            One null for all metrics; default: what each metric declares.
        min_count : int, default=50
            Groups and denominators below it are marked as small.
        undefined : {"drop", "zero"}, default="drop"
            Whether rates that are 0/0 are left out, with a note, or count as 0.
        correction : {"bh", "by"}, default="bh"
            Benjamini-Hochberg or Benjamini-Yekutieli for q, over all metrics of the report.
        random_state : int, RandomState, Generator or None, default=0
            Seed of the random tables. It is 0 here, where other functions have None, as a report
            that is made twice must be the same page.

        Returns
        -------
        FairnessReport

        Raises
        ------
        TypeError
            If `counts` is no table of counts.
        ValueError
            If a setting is not allowed, or the positive class is not known.
        """
        if not isinstance(counts, GroupCounts):
            raise TypeError(
                f"counts must be GroupCounts; got {type(counts).__name__}; count the rows of a "
                "frame with GroupCounts.from_frame, of arrays with GroupCounts.from_arrays"
            )
        settings = _checked(
            metrics=metrics,
            confidence=confidence,
            bootstrap=bootstrap,
            interval=interval,
            null=null,
            min_count=min_count,
            undefined=undefined,
            correction=correction,
            random_state=random_state,
        )
        return cls._of(counts, pos_label, settings)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        pos_label: Hashable | None = None,
        cv: Any = 5,
        refit: bool = True,
        reweight: Any = False,
        explain: bool = False,
        benn: bool = False,
        metrics: str | Sequence[str] = "all",
        confidence: float = 0.95,
        bootstrap: int = 1000,
        interval: str = "tilted",
        null: str | None = None,
        min_count: int = 50,
        undefined: str = "drop",
        correction: str = "bh",
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> "FairnessReport":
        """Report on the out-of-fold predictions of a classifier.

        Parameters
        ----------
        estimator : classifier
            Cloned and fitted on each fold.
        X : array-like or DataFrame of shape (n, d)
            What it predicts from.
        y : array-like of shape (n,)
            True classes.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes
            Protected columns, as for :func:`~skfairprop.report.fairness_report`; or the name (or
            names) of columns of X, or a callable of X.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows in the counts; the estimator is fitted without them.
        pos_label : hashable, optional
            The positive class.
        cv : int, splitter or iterable, default=5
            As in :func:`sklearn.model_selection.cross_val_predict`.
        refit : bool, default=True
            Whether to fit once more, on all folds, without each protected column that is a column
            of X, and without all of them: the gap that stays. The column is made constant, so
            that a pipeline that names it still runs.
        reweight : bool or Reweighter, default=False
            Whether to fit once more, on all folds, with the weights of a Reweighter, and to put
            both side by side. True: ``Reweighter(empty_cells="ignore")``. The groups are those of
            the report, whatever columns the Reweighter names.
        explain : bool, default=False
            Whether to explain 200 rows of one fold by its model, and to compare the groups in how
            stable that is: see :func:`~skfairprop.metrics.mesd`. The background is the rows of
            that fold: the first with rows of the most groups, as a sorted table may have folds of
            one group.
        benn : bool, default=False
            Whether to ask the same model about changed rows, at most 2,000, and to estimate how
            much each protected column of X can move what it says: see
            :class:`~skfairprop.benn.BENNEstimator`. Needs torch.
        metrics : "all" or sequence of str, default="all"
            Which metrics; "all": every metric of the registry that is a function of the counts.
        confidence : float, default=0.95
            Level of the intervals, in (0, 1).
        bootstrap : int, default=1000
            Number of random tables behind intervals and p-values; 0: none.
        interval : {"tilted", "max_t", "percentile"}, default="tilted"
            How intervals are made, see :func:`~skfairprop.inference.infer`.
        null : {"independence", "separation", "sufficiency"}, optional
            One null for all metrics; default: what each metric declares.
        min_count : int, default=50
            Groups and denominators below it are marked as small.
        undefined : {"drop", "zero"}, default="drop"
            Whether rates that are 0/0 are left out, with a note, or count as 0.
        correction : {"bh", "by"}, default="bh"
            Benjamini-Hochberg or Benjamini-Yekutieli for q, over all metrics of the report.
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with missing protected values.
        n_jobs : int, optional
            Number of folds fitted at a time.
        random_state : int, RandomState, Generator or None, default=0
            Seed of the random tables, of `explain` and of `benn`; the estimator and `cv` have
            their own. It is 0 here, where other functions have None, as a report that is made
            twice must be the same page.

        Returns
        -------
        FairnessReport
            Its `drivers` hold the refits and how closely the other columns of X follow the groups;
            its `before_after` what reweighting changes; its `explanations` their stability; its
            `estimations` those of BENN.

        Raises
        ------
        TypeError
            If `reweight` is neither a boolean nor a Reweighter, or a model without continuous
            output is to be explained.
        ValueError
            If the inputs do not fit together, or the estimator takes no weights to be reweighted.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from skfairprop import FairnessReport
        >>> from skfairprop.datasets import make_biased_classification
        >>> data = make_biased_classification(300, random_state=0)
        >>> report = FairnessReport.from_estimator(
        ...     LogisticRegression(),
        ...     data.data,
        ...     data.target,
        ...     sensitive_features=data.sensitive_features,
        ...     pos_label=1,
        ... )
        >>> report.drivers.associations.index.name
        'column'
        """
        settings = _checked(
            metrics=metrics,
            confidence=confidence,
            bootstrap=bootstrap,
            interval=interval,
            null=null,
            min_count=min_count,
            undefined=undefined,
            correction=correction,
            random_state=random_state,
        )
        rows = read_rows(X, y, sensitive_features, sample_weight, missing)
        seen = seen_columns(X, rows, benn=benn)
        fits = fits_of(estimator, X, y, cv=cv, n_jobs=n_jobs, reweight=reweight)
        wanted = Wanted(refit, fits.reweighter is not None, explain, benn)
        predicted = fits.predict()
        report = cls._of(rows.count(predicted), pos_label, settings)
        others = X.drop(columns=seen) if isinstance(X, pd.DataFrame) else None
        complete(report, rows, predicted, fits, wanted, others=others, seen=seen)
        return report

    @classmethod
    def _of(
        cls, counts: GroupCounts, pos_label: Hashable | None, settings: Settings
    ) -> "FairnessReport":
        _check_names(counts)
        tables = [counts]
        if counts.groups.nlevels > 1:
            tables += [counts.collapse(name) for name in counts.groups.names]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            views = [make_view(table, pos_label, settings) for table in tables]
        notes = _data_notes(counts, settings) + [str(w.message) for w in caught]
        notes += [f"by {view.name}: {note}" for view in views for note in view.notes]
        return cls(views, settings=settings, pos_label=pos_label, notes=list(dict.fromkeys(notes)))

    def to_dict(self) -> dict:
        """Everything as plain lists, dicts, numbers and strings.

        Returns
        -------
        dict
            NaN becomes None.
        """
        return report_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Everything as JSON text.

        Parameters
        ----------
        indent : int, optional
            Of each level; default: all on one line.

        Returns
        -------
        str
            NaN becomes null.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        source: Source | None = None,
        checks: Sequence[Check] = (),
        sections: Sequence[Section] = (),
    ) -> str:
        """The report as one HTML page without script, that needs no network.

        Parameters
        ----------
        path : str or path-like, optional
            Where to write it, as UTF-8.
        source : Source, optional
            Title, data, model and versions to name on the page.
        checks : sequence of Check
            Outcomes of :meth:`check`, to show.
        sections : sequence of Section
            What to add: paragraphs, tables, pictures.

        Returns
        -------
        str
            The page.

        Raises
        ------
        ImportError
            If jinja2 is not installed; it comes with the extra "report".
        """
        from skfairprop.report._page import build_page, render_page

        page = build_page(self, source or Source(), checks=checks, sections=sections)
        html = render_page(page)
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def check(self, rule: str) -> "Check":
        """What a rule says of this report.

        Parameters
        ----------
        rule : str
            ``METRIC[GROUP].FIELD > NUMBER``, several joined by ``and``; see
            :func:`~skfairprop.report.parse_rule`.

        Returns
        -------
        Check
            True where what the rule says is true. Its truth value raises ValueError where the
            value could not be computed.

        Raises
        ------
        RuleError
            If the rule cannot be read, or names what the report does not have.

        Examples
        --------
        >>> from skfairprop import fairness_report
        >>> report = fairness_report(
        ...     [1, 0] * 40, [1, 0] * 20 + [0, 0] * 20, sensitive_features=["a"] * 40 + ["b"] * 40
        ... )
        >>> bool(report.check("equal_opportunity.lower > 0.05"))
        True
        >>> report.check("equal_opportunity.lower > 0.05").verdict
        'over the limit'
        """
        return run_check(self, rule)

    def assert_not(self, *rules: str, undefined: str = "fail") -> None:
        """Raise AssertionError if what one of the rules says is true, for a test suite.

        Parameters
        ----------
        *rules : str
            As for :meth:`check`.
        undefined : {"fail", "ignore"}, default="fail"
            Whether a value that could not be computed fails.

        Raises
        ------
        AssertionError
            With the rules that failed, the groups behind them, and all group rates.
        RuleError
            If a rule cannot be read, or names what the report does not have.

        Examples
        --------
        >>> from skfairprop import fairness_report
        >>> report = fairness_report([1, 0] * 40, [1, 0] * 40, sensitive_features=list("aabb") * 20)
        >>> report.assert_not("equalized_odds_difference.lower > 0.1", "tpr[a] < 0.6")
        """
        __tracebackhide__ = True  # pytest shows the line of the test

        check_choice("undefined", undefined, ("fail", "ignore"))
        checks = [self.check(rule) for rule in rules]
        failed = failed_checks(checks, undefined)
        if failed:
            raise AssertionError(failure_message(self, checks, failed))

    def _repr_html_(self) -> str | None:
        """The report in a notebook; None, which means the text, without jinja2."""
        from skfairprop.report._page import build_page, render_notebook

        page = build_page(self, Source())
        key = hashlib.sha256(page["json"]["base64"].encode()).hexdigest()[:8]
        try:
            return render_notebook(page, f"sfp-{key}-")
        except ImportError:
            return None

    def __repr__(self) -> str:
        return report_text(self)


def _checked(**given: Any) -> Settings:
    """Settings that are allowed."""
    settings = Settings(**given)
    check_number("confidence", settings.confidence, "(0, 1)")
    check_integer("bootstrap", settings.bootstrap, least=0)
    check_integer("min_count", settings.min_count, least=0)
    check_choice("interval", settings.interval, METHODS)
    check_choice("null", settings.null, (None, *NULLS))
    check_choice("undefined", settings.undefined, UNDEFINED_POLICIES)
    check_choice("correction", settings.correction, ("bh", "by"))
    return settings


def _data_notes(counts: GroupCounts, settings: Settings) -> list[str]:
    """What makes the whole report weak: small groups only, classes that no row has."""
    out = []
    if counts.n_groups == 1:
        out.append(f"there is only one group, {counts.group_texts[0]!r}: nothing is compared")
    if 0 < settings.bootstrap < MIN_DRAWS:
        out.append(
            f"bootstrap={settings.bootstrap} makes p too coarse for q, over many measures at once; "
            f"take {MIN_DRAWS} or more"
        )
    largest = counts.of_labels().values.sum(-1).max()
    if largest < settings.min_count:
        out.append(
            f"no group has {settings.min_count} rows or more: read the intervals, not the values"
        )
    if counts.predicted:
        never = (counts.values.sum((0, 2)) == 0) & (counts.values.sum((0, 1)) > 0)
        out += [
            f"class {name_some([label])} is predicted and no row has it: its recall is undefined "
            "everywhere"
            for label in counts.classes[never]
        ]
    return out


def _check_names(counts: GroupCounts) -> None:
    """Refuse protected columns that read alike, as 1 and "1": a view is found by its name."""
    names = counts.attributes
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"several protected columns are called {repeated[0]!r}; rename them")
