"""ROC curves and calibration, group by group."""

from collections.abc import Hashable, Sequence
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop._checks import check_choice, check_integer, check_number
from skfairprop._columns import Column, read_column
from skfairprop._random import RandomState
from skfairprop.exceptions import ScorerSetupError
from skfairprop.groups import name_some
from skfairprop.inspection import _style as style
from skfairprop.inspection._counts_display import fold_of, folds_of
from skfairprop.inspection._curves import calibration_tables, read_scores, roc_tables
from skfairprop.inspection._display import Display
from skfairprop.inspection._extremes import extremes
from skfairprop.metrics._metric import find_positive
from skfairprop.scorers._fold import Fold

KINDS = ("roc", "calibration")
_EVERYONE = {"color": style.SOFT, "linewidth": 1.2, "linestyle": (0, (4, 3)), "zorder": 2}
_DIAGONAL = {"color": style.GRID, "linewidth": 1.0, "zorder": 1}


class GroupCurveDisplay(Display):
    """ROC curve, or calibration, of every group: one panel each, beside the curve of everyone.

    Curves that lie on each other can only be told apart by hue, and seven hues by nobody: so each
    group has a panel of its own, in which the dashed curve of everyone is the common measure. Where
    there are more than 12 groups, the 6 with the lowest and the 6 with the highest area (or excess
    of positives over scores) are drawn. A group without positives or without negatives has no ROC
    curve; the legend names it.

    Use :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results`.

    Parameters
    ----------
    frame : DataFrame
        Points of the curves, with ``group`` (missing: everyone). ROC: ``fpr``, ``tpr``, ``lower``,
        ``upper``. Calibration: ``score``, ``positive_rate``, ``lower``, ``upper`` and ``n``.
    summary : DataFrame
        One row for everyone (first) and each group: ``group``, ``n``, ``n_positive``, and ``auc``,
        ``lower``, ``upper``, or ``mean_score`` and ``positive_rate``.
    kind : {"roc", "calibration"}, default="roc"
        What the curves show.
    pos_label : hashable, optional
        The positive class, for the axes.
    confidence : float, default=0.95
        Level of the bands in `frame`.
    min_count : int, default=50
        Points, and groups with curves, that rest on fewer rows are marked.

    Attributes
    ----------
    frame_ : DataFrame
        The rows of `frame` that are drawn.
    ax_ : matplotlib Axes
        The first panel.
    axes_ : ndarray of matplotlib Axes, shape (n_panels,)
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn.metrics.RocCurveDisplay, sklearn.calibration.CalibrationDisplay : One curve.

    Notes
    -----
    The band of a ROC curve, and the interval of its area, are percentiles over rows resampled with
    replacement within the group: it holds at each false positive rate alone. Calibration is the
    share of positives in bins of the score, the same for all groups, at quantiles of all scores;
    its intervals are Wilson's. Both are conditional on the fitted model. A band of a few rows is
    too narrow: it cannot show rows that were not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.inspection import GroupCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> display = GroupCurveDisplay.from_predictions(
    ...     y,
    ...     y + rng.normal(size=200),
    ...     sensitive_features=np.repeat(["a", "b"], 100),
    ...     random_state=0,
    ... )
    >>> display.summary[["group", "n"]].to_numpy().tolist()
    [[nan, 200], ['a', 100], ['b', 100]]
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        summary: pd.DataFrame,
        *,
        kind: str = "roc",
        pos_label: Hashable | None = None,
        confidence: float = 0.95,
        min_count: int = 50,
    ) -> None:
        self.frame = frame
        self.summary = summary
        self.kind = kind
        self.pos_label = pos_label
        self.confidence = confidence
        self.min_count = min_count

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sensitive_features: Any,
        kind: str = "roc",
        sample_weight: Any = None,
        pos_label: Hashable | None = None,
        confidence: float = 0.95,
        n_draws: int = 200,
        missing: str = "raise",
        n_bins: int = 10,
        min_count: int = 50,
        random_state: RandomState = None,
        ax: Any = None,
    ) -> Self:
        """Draw scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True classes.
        y_score : array-like of shape (n,)
            Scores of the positive class, larger for more positive; probabilities for
            ``kind="calibration"``.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes
            One or several protected columns; several make their observed combinations.
        kind : {"roc", "calibration"}, default="roc"
            What the curves show.
        sample_weight : array-like of shape (n,), optional
            Not negative.
        pos_label : hashable, optional
            The positive class, against the rest; needed unless the labels are {0, 1}, {-1, 1} or
            booleans.
        confidence : float, default=0.95
            Level of the bands, in (0, 1).
        n_draws : int, default=200
            Number of resamples behind the band of a ROC curve.
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with missing protected values.
        n_bins : int, default=10
            Number of bins of the scores, at most, for the calibration.
        min_count : int, default=50
            What rests on fewer rows is marked.
        random_state : int, RandomState, Generator or None, default=None
            For the resampling.
        ax : matplotlib Axes or sequence of Axes, optional
            As for :meth:`plot`.

        Returns
        -------
        GroupCurveDisplay
            Drawn, with `ax_`, `figure_` and `frame_`.

        Raises
        ------
        ValueError
            If inputs are empty, misaligned or have missing values; if the positive class is not
            known; if the scores are not finite or all the same, or no probabilities where these
            are needed; if no group has both positives and negatives; if a number is out of range.
        ImportError
            If matplotlib is not installed.
        """
        style.require_matplotlib()
        _check_options(kind, confidence, n_draws, n_bins, owner=cls.__name__)
        rows = read_scores(
            y_true,
            y_score,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            pos_label=pos_label,
            missing=missing,
            owner=cls.__name__,
        )
        if kind == "roc":
            tables = roc_tables(
                rows, confidence=confidence, n_draws=n_draws, random_state=random_state
            )
        else:
            _check_probabilities(rows.score, cls.__name__)
            tables = calibration_tables(rows, confidence=confidence, n_bins=n_bins)
        return cls(
            *tables, kind=kind, pos_label=rows.label, confidence=confidence, min_count=min_count
        ).plot(ax)

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
        missing: str = "raise",
        **options: Any,
    ) -> Self:
        """Draw the scores of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba`` or ``decision_function``.
        X : array-like, sparse matrix or data frame of shape (n, d)
            What it predicts from.
        y : array-like of shape (n,)
            True classes.
        sensitive_features : str, list of str, callable, array-like, Series, DataFrame or dict
            Names of columns of X, a callable of X, or protected columns with a row for each of X.
        sample_weight, pos_label, missing, **options
            As for :meth:`from_predictions`.

        Returns
        -------
        GroupCurveDisplay

        Raises
        ------
        ValueError
            As :meth:`from_predictions`; and if the estimator has neither of the two methods, or
            does not know the positive class.
        ImportError
            If matplotlib is not installed.
        """
        style.require_matplotlib()
        fold = fold_of(
            estimator, X, y, sensitive_features, sample_weight, missing, owner=cls.__name__
        )
        return cls._from_folds([fold], pos_label, missing, options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        pos_label: Hashable | None = None,
        missing: str = "raise",
        **options: Any,
    ) -> Self:
        """Draw the out-of-fold scores of a cross-validation, those of all folds together.

        Parameters
        ----------
        cv_results : dict
            What :func:`sklearn.model_selection.cross_validate` returns with
            ``return_estimator=True`` and ``return_indices=True``.
        X, y, sensitive_features, sample_weight, pos_label, missing, **options
            As for :meth:`from_estimator`; X and y as they were cross-validated.

        Returns
        -------
        GroupCurveDisplay

        Raises
        ------
        ValueError
            As :meth:`from_estimator`; and if `cv_results` lack the estimators or the indices, or
            are of other rows.
        ImportError
            If matplotlib is not installed.

        Notes
        -----
        Scores of different folds come from different models: where their scales differ, the curve
        of all is below those of each.
        """
        style.require_matplotlib()
        folds = folds_of(
            cv_results, X, y, sensitive_features, sample_weight, missing, owner=cls.__name__
        )
        return cls._from_folds(folds, pos_label, missing, options)

    @classmethod
    def _from_folds(cls, folds: list[Fold], pos_label, missing: str, options: dict) -> Self:
        try:
            truth = pd.concat([pd.Series(read_column(f.y_true, what="y").values) for f in folds])
            counts = reduce(add, [fold.label_counts for fold in folds])
            found, position = find_positive(counts, pos_label, cls.__name__)
            label = found.classes.tolist()[position]
            score = np.concatenate([fold.scores(label, what=cls.__name__) for fold in folds])
        except ScorerSetupError as exc:  # meant to pass scikit-learn's scoring; here a mistake
            raise ValueError(str(exc)) from None
        columns = [fold.protected for fold in folds]
        weights = [fold.sample_weight for fold in folds if fold.sample_weight is not None]
        return cls.from_predictions(
            truth.to_numpy(),
            score,
            sensitive_features=[_joined(parts) for parts in zip(*columns, strict=True)],
            sample_weight=np.concatenate(weights) if weights else None,
            pos_label=label,
            missing=missing,
            **options,
        )

    # -- drawing --------------------------------------------------------------------------------

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            One for all panels, which is divided, or one a panel. Default: a new figure.

        Returns
        -------
        GroupCurveDisplay

        Raises
        ------
        ValueError
            If no group has a curve, or the axes do not fit.
        """
        lines = self.summary[self.summary["group"].notna()]
        drawn = lines[lines["group"].isin(self.frame["group"])]
        if drawn.empty:
            raise ValueError(
                f"{type(self).__name__}: no group has both positives and negatives; a ROC curve "
                "needs both"
            )
        chosen, note = extremes(_ranking(drawn, self.kind))
        drawn, absent = drawn.iloc[chosen], lines[~lines["group"].isin(drawn["group"])]
        everyone = self.frame[self.frame["group"].isna()]
        parts = [self.frame[self.frame["group"] == name] for name in drawn["group"]]
        self.frame_ = pd.concat([everyone, *parts], ignore_index=True)
        n_columns = 3 if len(drawn) in (3, 5, 6) else 4
        size = (
            0.5 + 2.45 * max(min(len(drawn), n_columns), 2),
            0.75 + 2.95 * -(-len(drawn) // n_columns),
        )
        panels = self._panels(ax, len(drawn), n_columns=n_columns, size=size)
        names = style.names_of(drawn["group"], 26)
        for i, (axes, row) in enumerate(zip(panels.axes, style.rows_of(drawn), strict=True)):
            self._frame_panel(axes, panels.is_left(i), panels.is_bottom(i))
            draw = self._draw_roc if self.kind == "roc" else self._draw_calibration
            draw(axes, parts[i], everyone, row, names[i])
        style.legend_below(panels, self._legend(absent, note), drop=40)
        return self

    def _frame_panel(self, ax, is_left: bool, is_bottom: bool) -> None:
        style.clean(ax, grid="both", keep=("left", "bottom"))
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        ax.plot([0, 1], [0, 1], **_DIAGONAL)
        label = style.name_of(self.pos_label, 18)
        texts = ("false positive rate", "true positive rate")
        if self.kind == "calibration":
            texts = (f"score for {label}", f"share truly {label}")
        look = {"fontsize": style.MEDIUM, "color": style.SOFT} | style.PLAIN
        if is_bottom:
            ax.set_xlabel(texts[0], **look)
        if is_left:
            ax.set_ylabel(texts[1], **look)

    def _draw_roc(self, ax, part, everyone, row, name: str) -> None:
        few = min(row.n_positive, row.n - row.n_positive) < self.min_count
        look = _curve_style(few)
        ax.plot(everyone["fpr"], everyone["tpr"], **_EVERYONE)
        ends = part["lower"], part["upper"]
        ax.fill_between(part["fpr"], *ends, color=look["color"], alpha=0.2, linewidth=0)
        ax.plot(part["fpr"], part["tpr"], **look, zorder=3)
        text = f"AUC {row.auc:.2f} ({row.lower:.2f} to {row.upper:.2f})"
        _caption(ax, name, text, row)

    def _draw_calibration(self, ax, part, everyone, row, name: str) -> None:
        ax.plot(everyone["score"], everyone["positive_rate"], **_EVERYONE)
        ax.plot(part["score"], part["positive_rate"], color=style.BLUE, linewidth=1, alpha=0.5)
        for point in style.rows_of(part):
            mark = style.marker_style(small=point.n < self.min_count)
            ends = [point.lower, point.upper]
            ax.plot([point.score] * 2, ends, color=mark["color"], linewidth=1.6, zorder=3)
            ax.plot([point.score], [point.positive_rate], **mark | {"markersize": 4}, zorder=4)
        text = f"mean score {row.mean_score:.2f}, positive {row.positive_rate:.2f}"
        _caption(ax, name, text, row)

    def _legend(self, absent: pd.DataFrame, note: str | None) -> list:
        level = f"{100 * self.confidence:g}%"
        if self.kind == "roc":
            blue, orange = (_curve_style(few) for few in (False, True))
            texts = ("band", f"fewer than {self.min_count} positives or negatives", "area")
            shown = self.summary["group"].isin(self.frame_["group"])
            marked = _few(self.summary[shown], self.min_count)
        else:
            blue, orange = (
                style.marker_style(small=few) | {"linewidth": 1.6} for few in (False, True)
            )
            texts = ("intervals", f"n below {self.min_count}", "excess of positives")
            marked = self.frame_["n"] < self.min_count
        handles = [style.entry(f"the group, {level} {texts[0]}", **blue)]
        handles.append(style.entry("everyone", **_EVERYONE))
        if marked.any():
            handles.append(style.entry(texts[1], **orange))
        if note is not None:
            handles.append(style.entry(f"{note} by {texts[2]}"))
        return handles + [style.entry(text) for text in _absences(absent)]


def _joined(parts: Sequence[Column]) -> Column:
    """The same column of several folds, one after the other, without an index."""
    values = pd.concat([pd.Series(part.values) for part in parts])
    return Column(read_column(values, what="sensitive_features").values, parts[0].name)


def _curve_style(few: bool) -> dict[str, Any]:
    """A ROC curve: solid blue, or broken orange where it rests on few."""
    line = {"color": style.ORANGE, "linestyle": (0, (2, 1))} if few else {"color": style.BLUE}
    return line | {"linewidth": 1.8}


def _caption(ax, name: str, text: str, row) -> None:
    """The name of a group, and two lines on it in small print."""
    look = {"fontsize": style.SMALL, "color": style.SOFT} | style.PLAIN
    counts = f"n = {row.n:,}, {row.n_positive:,} positive"
    ax.text(0, 1.02, f"{text}\n{counts}", transform=ax.transAxes, va="bottom", **look)
    ax.set_title(name, loc="left", fontsize=style.LARGE, color=style.INK, pad=25, **style.PLAIN)


def _few(summary: pd.DataFrame, min_count: int) -> pd.Series:
    """Groups with few positives or few negatives."""
    return (summary["n_positive"] < min_count) | (summary["n"] - summary["n_positive"] < min_count)


def _ranking(summary: pd.DataFrame, kind: str) -> np.ndarray:
    if kind == "roc":
        return summary["auc"].to_numpy(float)
    return (summary["positive_rate"] - summary["mean_score"]).to_numpy(float)


def _absences(absent: pd.DataFrame) -> list[str]:
    """Which groups have no curve, and why."""
    out = []
    for what, lacks in (("positives", absent["n_positive"] == 0),
                        ("negatives", absent["n_positive"] == absent["n"])):  # fmt: skip
        names = style.names_of(absent.loc[lacks, "group"])
        if names:
            out.append(f"no curve without {what}: {name_some(names, 3)}")
    return out


def _check_options(kind: str, confidence: float, n_draws: int, n_bins: int, *, owner: str) -> None:
    check_choice("kind", kind, KINDS, owner=owner)
    check_number("confidence", confidence, "(0, 1)", owner=owner)
    for name, value in (("n_draws", n_draws), ("n_bins", n_bins)):
        check_integer(name, value, least=2, owner=owner)


def _check_probabilities(score: np.ndarray, owner: str) -> None:
    low, high = score.min(), score.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"{owner}: calibration needs probabilities, and y_score goes from {low:.3g} to "
            f"{high:.3g}; pass those of predict_proba, or kind='roc'"
        )
