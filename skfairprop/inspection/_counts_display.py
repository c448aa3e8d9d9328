"""Where the displays of counts come from: an estimator, predictions, cross-validation, a report."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Bunch

from skfairprop._columns import read_column
from skfairprop._labels import check_weights
from skfairprop._resolve import by_name_or_value, match_rows, resolve_sensitive_features
from skfairprop._rows import count_rows, take_rows
from skfairprop.counts import GroupCounts
from skfairprop.exceptions import ScorerSetupError
from skfairprop.groups import name_some
from skfairprop.inspection._display import Display
from skfairprop.inspection._style import require_matplotlib
from skfairprop.scorers._fold import Fold, respond


class CountsDisplay(Display):
    """Base of the displays of a table of counts: those that define :meth:`from_counts`."""

    # Settings of a report that are options of from_counts.
    _report_options: ClassVar[Sequence[str]] = ("confidence", "min_count")
    _has_pos_label: ClassVar[bool] = True

    @classmethod
    def from_counts(cls, counts: GroupCounts, *args: Any, **kwargs: Any) -> Self:
        """Draw a table of counts."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        missing: str = "raise",
        **options: Any,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True classes.
        y_pred : array-like of shape (n,), optional
            Predicted classes; a display of the data alone does without.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes
            One or several protected columns; several make their observed combinations.
        sample_weight : array-like of shape (n,), optional
            Not negative.
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with missing protected values.
        **options
            As for :meth:`from_counts`.

        Returns
        -------
        display
            Drawn, with `ax_`, `figure_` and `frame_`.

        Raises
        ------
        ValueError
            If inputs are empty, misaligned or have missing values, or an option is not allowed.
        ImportError
            If matplotlib is not installed.
        """
        require_matplotlib()
        counts = GroupCounts.from_arrays(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            missing=missing,
        )
        return cls.from_counts(counts, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        missing: str = "raise",
        **options: Any,
    ) -> Self:
        """Draw the predictions of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            What is looked at.
        X : array-like, sparse matrix or data frame of shape (n, d)
            What it predicts from.
        y : array-like of shape (n,)
            True classes.
        sensitive_features : str, list of str, callable, array-like, Series, DataFrame or dict
            Names of columns of X, a callable of X, or protected columns with a row for each of X.
        sample_weight : array-like of shape (n,), optional
            Not negative.
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with missing protected values.
        **options
            As for :meth:`from_counts`.

        Returns
        -------
        display
            Drawn, with `ax_`, `figure_` and `frame_`.

        Raises
        ------
        ValueError
            If the protected columns cannot be found or matched with the rows, inputs are empty or
            have missing values, or an option is not allowed.
        ImportError
            If matplotlib is not installed.
        """
        require_matplotlib()
        fold = fold_of(
            estimator, X, y, sensitive_features, sample_weight, missing, owner=cls.__name__
        )
        return cls.from_counts(predicted_counts(fold), **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        missing: str = "raise",
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold predictions of a cross-validation, the folds counted together.

        Parameters
        ----------
        cv_results : dict
            What :func:`sklearn.model_selection.cross_validate` returns with
            ``return_estimator=True`` and ``return_indices=True``.
        X, y, sensitive_features, sample_weight, missing, **options
            As for :meth:`from_estimator`; X and y as they were cross-validated.

        Returns
        -------
        display
            Drawn, with `ax_`, `figure_` and `frame_`.

        Raises
        ------
        ValueError
            As :meth:`from_estimator`; and if `cv_results` lack the estimators or the indices, or
            are of other rows.
        ImportError
            If matplotlib is not installed.
        """
        require_matplotlib()
        folds = folds_of(
            cv_results, X, y, sensitive_features, sample_weight, missing, owner=cls.__name__
        )
        counts = reduce(add, [predicted_counts(fold) for fold in folds])
        return cls.from_counts(counts, **options)

    @classmethod
    def from_report(cls, report: Any, *, view: int | str = 0, **options: Any) -> Self:
        """Draw what a report is on.

        Parameters
        ----------
        report : FairnessReport
            Made by :func:`~skfairprop.report.fairness_report` or from an estimator.
        view : int or str, default=0
            Which of the report's ways to group the rows: its position (0: all protected columns
            together), or its name, as "sex".
        **options
            As for :meth:`from_counts`; the default is what the report was made with.

        Returns
        -------
        display
            Drawn, with `ax_`, `figure_` and `frame_`.

        Raises
        ------
        ValueError
            If there is no such view.
        ImportError
            If matplotlib is not installed.
        """
        known = {name: getattr(report.settings, name) for name in cls._report_options}
        if cls._has_pos_label:
            known["pos_label"] = report.pos_label
        return cls.from_counts(find_view(report, view).counts, **(known | options))


def find_view(report: Any, view: int | str) -> Any:
    """A view of a report by position or name."""
    names = [v.name for v in report.views]
    if isinstance(view, str) and view in names:
        return report.views[names.index(view)]
    if isinstance(view, int | np.integer) and 0 <= view < len(names):
        return report.views[view]
    listed = ", ".join(map(repr, names))
    raise ValueError(f"the report has no view {view!r}; it has {listed} (0 to {len(names) - 1})")


def check_counts(
    counts: Any, owner: str, *, predictions: bool = False, compares: bool = False
) -> GroupCounts:
    """One table of counts without unused groups and classes.

    Parameters
    ----------
    counts : GroupCounts
    owner : str
        Name of the display, for the messages.
    predictions : bool, default=False
        Whether it needs predictions.
    compares : bool, default=False
        Whether it needs two groups.

    Raises
    ------
    TypeError
        If it is something else.
    ValueError
        If it has replicate axes, or lacks predictions or a second group.
    """
    if not isinstance(counts, GroupCounts):
        raise TypeError(
            f"{owner}.from_counts takes a GroupCounts; got {type(counts).__name__} (arrays go into "
            "from_predictions)"
        )
    if counts.values.ndim != (3 if counts.predicted else 2):
        raise ValueError(
            f"{owner}: counts with replicate axes cannot be drawn; select one replicate"
        )
    if predictions:
        counts.require_predictions(owner)
    counts = counts.drop_unused()
    if compares and counts.n_groups < 2:
        found = name_some(counts.groups) or "none has rows"
        raise ValueError(f"{owner} compares groups, and there is only one: {found}")
    return counts


# -- estimators ---------------------------------------------------------------------------------


def fold_of(
    estimator: Any,
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    missing: str,
    *,
    owner: str,
) -> Fold:
    """The rows that an estimator is shown on, with their protected columns and weights."""
    spec, values = by_name_or_value(sensitive_features, X)
    frame = resolve_sensitive_features(spec, X, y, values, owner=owner)
    weight = None
    if sample_weight is not None:
        columns, _ = match_rows(sample_weight, X, y, what=f"{owner}: sample_weight")
        weight = check_weights(columns[0])
    if count_rows(y) != count_rows(X):
        raise ValueError(f"{owner}: y has {count_rows(y):,} rows; X has {count_rows(X):,}")
    return Fold(estimator, X, y, sensitive_features=frame, sample_weight=weight, missing=missing)


def folds_of(
    cv_results: Any,
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    missing: str,
    *,
    owner: str,
) -> list[Fold]:
    """The test rows of every split, each with the estimator that was fitted on the others."""
    lacking = [key for key in ("estimator", "indices") if key not in cv_results]
    if lacking:
        raise ValueError(
            f"{owner}: cv_results has no {lacking[0]!r}; call cross_validate with "
            "return_estimator=True and return_indices=True"
        )
    whole = fold_of(None, X, y, sensitive_features, sample_weight, missing, owner=owner)
    indices = Bunch(**cv_results["indices"])
    n_rows = len(indices.train[0]) + len(indices.test[0])
    if n_rows != count_rows(X):
        raise ValueError(f"{owner}: cv_results are of {n_rows:,} rows; X has {count_rows(X):,}")
    return [
        Fold(
            estimator,
            take_rows(X, rows),
            take_rows(y, rows),
            sensitive_features=whole.sensitive_features.iloc[rows],
            sample_weight=None if whole.sample_weight is None else whole.sample_weight[rows],
            missing=missing,
        )
        for estimator, rows in zip(cv_results["estimator"], indices.test, strict=True)
    ]


def predicted_counts(fold: Fold) -> GroupCounts:
    """Counts of what the estimator of a fold predicts."""
    try:
        fold.y_pred = read_column(respond(fold, "predict"), what="y_pred").values
        return fold.counts
    except ScorerSetupError as exc:  # meant to pass scikit-learn's scoring; here a plain mistake
        raise ValueError(str(exc)) from None
