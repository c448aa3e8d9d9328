"""What a candidate is worth at each threshold: values pooled over its folds, and constraints."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skfairprop.model_selection._uef._folds import FoldResult
from skfairprop.model_selection._uef._objectives import (
    COUNTS,
    EXPLANATION,
    ROWS,
    value_of_rows,
    values_of_counts,
)
from skfairprop.model_selection._uef._views import Cells, View


@dataclass(frozen=True)
class Plan:
    """What is measured of every candidate.

    Attributes
    ----------
    scorers : dict of str -> scorer
        Objectives first.
    kinds : dict of str -> str or None
        What each is a function of, see ``kind_of``.
    cells : dict of str -> Cells
        Of those that are functions of predicted classes, as each sees them.
    everybody : Cells
        All rows in one group, without weights.
    splits : list of (train, test)
    y : array of shape (n,)
        Labels.
    codes : array of shape (n,)
        Positions of the labels in `classes`; unused where nothing predicts classes.
    classes : list
    rates : array of shape (T,) or None
        Selection rates whose thresholds are swept.
    positive : int
        Position of the class whose scores they are.
    pooled : bool
    """

    scorers: Mapping[str, Any]
    kinds: Mapping[str, str | None]
    cells: Mapping[str, Cells]
    everybody: Cells
    splits: list[tuple[np.ndarray, np.ndarray]]
    y: np.ndarray
    codes: np.ndarray
    classes: list
    rates: np.ndarray | None
    positive: int
    pooled: bool

    def names(self, *kinds: str | None) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in kinds]


@dataclass
class Measured:
    """Values of a candidate; P choices, the first being the estimator's own decision.

    Attributes
    ----------
    thresholds : array of shape (P,)
        NaN for the estimator's own.
    fold_values : dict of str -> array of shape (n_folds,)
        Under its own decision.
    pooled_values : dict of str -> float
        Likewise, of those that are functions of predicted classes.
    values : dict of str -> array of shape (P,)
        What the search looks at.
    selection_rates : array of shape (P,) or None
        Share of the positive class of two.
    constant : array of shape (P,)
        Whether all rows get the same prediction.
    """

    thresholds: np.ndarray
    fold_values: dict[str, np.ndarray]
    pooled_values: dict[str, float]
    values: dict[str, np.ndarray]
    selection_rates: np.ndarray | None
    constant: np.ndarray


def measure(plan: Plan, folds: list[FoldResult]) -> Measured:
    """Values of a candidate from its folds, none of which failed."""
    chosen = _Choices.make(plan, folds)
    n = len(chosen.thresholds)
    out = Measured(chosen.thresholds, {}, {}, {}, None, np.zeros(n, dtype=bool))
    tables: dict[int, np.ndarray] = {}
    for name, scorer in plan.scorers.items():
        kind = plan.kinds[name]
        if kind in (COUNTS, ROWS):
            by_fold, pooled = _of_predictions(plan, chosen, name, scorer, tables)
            out.fold_values[name] = by_fold[:, 0]
            out.pooled_values[name] = float(pooled[0])
            out.values[name] = pooled if plan.pooled else by_fold.mean(0)
        elif kind == EXPLANATION and name not in (folds[0].values or {}):
            out.fold_values[name] = np.full(len(folds), math.nan)
            out.values[name] = np.full(n, math.nan)
        else:
            found = [(fold.values or {}).get(name, math.nan) for fold in folds]
            out.fold_values[name] = np.array(found, dtype=float)
            out.values[name] = np.full(n, out.fold_values[name].mean())
    if folds[0].predicted is not None:
        _look_at_shares(plan, chosen.counts(plan.everybody, tables), out)
    return out


def _of_predictions(
    plan: Plan, chosen: "_Choices", name: str, scorer: Any, tables: dict[int, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Values by fold (F, P) and on the rows of all folds (P,)."""
    cells = plan.cells[name]
    view = cells.view
    if plan.kinds[name] == ROWS:
        every = np.concatenate(chosen.tests)
        by_fold = [
            [_of_rows(plan, scorer, view, rows, labels) for labels in chosen.labels(f)]
            for f, rows in enumerate(chosen.tests)
        ]
        pooled = [_of_rows(plan, scorer, view, every, labels) for labels in chosen.labels(None)]
        return np.array(by_fold), np.array(pooled)
    counts = chosen.counts(cells, tables)
    both = np.concatenate([counts, counts.sum(0, keepdims=True)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = values_of_counts(scorer, both, view, plan.classes)
    found = np.broadcast_to(found, both.shape[:2])
    return found[:-1], found[-1]


def _of_rows(plan: Plan, scorer: Any, view: View, rows: np.ndarray, codes: np.ndarray) -> float:
    labels = np.asarray(plan.classes)
    return value_of_rows(
        scorer, plan.y[rows], labels[codes], rows=rows, view=view, classes=plan.classes
    )


def _look_at_shares(plan: Plan, counts: np.ndarray, out: Measured) -> None:
    table = counts.sum((0, 2, 3))  # (P, K)
    share = table / table.sum(-1, keepdims=True)
    out.constant = share.max(-1) == 1.0
    if len(plan.classes) == 2:
        out.selection_rates = share[:, plan.positive]


@dataclass
class _Choices:
    """Predicted classes of a candidate on its test rows: its own, and one set a threshold.

    Attributes
    ----------
    plan : Plan
    tests : list of arrays
        Test rows of each fold.
    own : list of integer arrays
        Classes that the estimator predicts.
    scores : list of arrays
        Empty without thresholds.
    thresholds : array of shape (P,)
        The first is NaN, for its own decision.
    """

    plan: Plan
    tests: list[np.ndarray]
    own: list[np.ndarray]
    scores: list[np.ndarray]
    thresholds: np.ndarray

    @classmethod
    def make(cls, plan: Plan, folds: list[FoldResult]) -> "_Choices":
        own: list[np.ndarray] = []
        if folds[0].predicted is not None:
            own = [_code(fold.predicted, plan.classes) for fold in folds]
        scores = [fold.scores for fold in folds if fold.scores is not None]
        same = len({fold.method for fold in folds}) == 1
        cuts = np.empty(0)
        if plan.rates is not None and len(scores) == len(folds) and same:
            cuts = cut_points(np.concatenate(scores), plan.rates)
        tests = [test for _, test in plan.splits]
        return cls(plan, tests, own, scores, np.concatenate([[math.nan], cuts]))

    @cached_property
    def passed(self) -> np.ndarray:
        """How many thresholds the score of each row reaches."""
        return np.searchsorted(self.thresholds[1:], np.concatenate(self.scores), side="right")

    def counts(self, cells: Cells, known: dict[int, np.ndarray]) -> np.ndarray:
        """Counts (F, P, G, K, K), kept in `known`."""
        if id(cells) not in known:
            found = cells.count(np.concatenate(self.own))
            n_cuts = len(self.thresholds) - 1
            if n_cuts:
                swept = cells.sweep(self.passed, n_cuts, self.plan.positive)
                found = np.concatenate([found, swept], axis=1)
            known[id(cells)] = found
        return known[id(cells)]

    def labels(self, fold: int | None) -> list[np.ndarray]:
        """Predicted classes, as codes, for each choice: of a fold, or of all of them."""
        pick = slice(None) if fold is None else slice(fold, fold + 1)
        own = np.concatenate(self.own[pick])
        if len(self.thresholds) == 1:
            return [own]
        scores, positive = np.concatenate(self.scores[pick]), self.plan.positive
        cut = [np.where(scores >= t, positive, 1 - positive) for t in self.thresholds[1:]]
        return [own, *cut]


def cut_points(scores: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Ascending thresholds that select about these shares of the scores.

    Each lies midway between two scores, so that a model that scores a little differently on
    another machine decides alike; where many scores are equal, they are all selected or none.
    """
    if np.isnan(scores).any():
        raise ValueError("the estimator gives scores that are NaN")
    falling = np.sort(scores)[::-1]
    n = len(falling)
    least, most = max(np.ceil(rates[0] * n), 1), max(np.floor(rates[-1] * n), 1)
    last = np.clip(np.rint(rates * n), least, most).astype(int) - 1  # the last that is selected
    upper, lower = falling[last], falling[np.minimum(last + 1, n - 1)]
    middle = lower + (upper - lower) / 2
    cuts = np.where(middle > lower, middle, upper)
    return np.unique(cuts[np.isfinite(cuts)])


def _code(predicted: np.ndarray, classes: list) -> np.ndarray:
    labels = np.asarray(classes)
    position = np.minimum(np.searchsorted(labels, predicted), len(labels) - 1)
    unknown = labels[position] != predicted
    if unknown.any():
        raise ValueError(
            f"the estimator predicts {predicted[unknown][0]!r}, which is none of the classes of y"
        )
    return position
