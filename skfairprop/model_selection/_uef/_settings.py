"""What a search was told: its arguments checked, and turned into what the work needs."""

import copy
import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.model_selection import (
    PredefinedSplit,
    ShuffleSplit,
    StratifiedShuffleSplit,
    check_cv,
    train_test_split,
)
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from skfairprop._checks import (
    check_choice,
    check_integer,
    check_number,
    check_switch,
    is_number,
)
from skfairprop._columns import Column
from skfairprop._labels import check_weights, declare
from skfairprop._random import draw_seed
from skfairprop._resolve import resolve_sensitive_features
from skfairprop._rows import count_rows
from skfairprop._suggest import closest
from skfairprop.groups import Groups, name_some
from skfairprop.model_selection._pareto import RULES
from skfairprop.model_selection._uef._algorithm import ALGORITHMS
from skfairprop.model_selection._uef._candidates import SELECTION_RATE, Constraint
from skfairprop.model_selection._uef._views import View
from skfairprop.scorers._group_scorer import GroupScorer
from skfairprop.scorers._sklearn import sign_of

OWNER = "UEFSearchCV"
# Shares of the positive class that are searched where no constraint says which.
_WIDEST = (0.02, 0.98)
_DEFAULT_RATES = (0.05, 0.95)
_DEFAULT_EVALUATIONS = 60


def check_arguments(search: Any) -> None:
    """Refuse arguments that cannot be meant."""
    counts = {"population_size": 2, "n_generations": 1, "n_evaluations": 1, "thresholds": 1}
    for name, least in counts.items():
        check_integer(name, getattr(search, name), least=least, optional=True)
    for name in ("pooled", "lazy", "return_train_score"):
        check_switch(name, getattr(search, name))
    if search.n_evaluations is not None and search.n_generations is not None:
        raise ValueError("n_evaluations and n_generations both say when to stop; pass one of them")
    check_number("time_budget", search.time_budget, "(0, inf]", optional=True)
    if not (search.verbose is None or isinstance(search.verbose, Integral)):
        raise ValueError(f"verbose must be True, False or None; got {search.verbose!r}")
    check_choice("algorithm", search.algorithm, ALGORITHMS)
    check_choice("infeasible", search.infeasible, ("raise", "least"))
    if not (callable(search.choice) or search.choice in RULES):
        raise ValueError(
            f"choice must be one of {RULES} or a callable; got {search.choice!r}"
            f"{closest(search.choice, RULES) if isinstance(search.choice, str) else ''}"
        )
    if not (isinstance(search.refit, bool) or search.refit == "ensemble" or callable(search.refit)):
        raise ValueError(
            f"refit must be True, False, 'ensemble' or a callable; got {search.refit!r}"
        )
    if search.error_score != "raise" and not is_number(search.error_score):
        raise ValueError(f"error_score must be 'raise' or a number; got {search.error_score!r}")


def budget_of(search: Any, space_size: float, kept: int | None = None) -> tuple[int, int]:
    """Number of candidates, and of those in a generation: `kept`, if it is settled already.

    Measured: below 150 evaluations a population of 30 loses to random search, one of 12 to 20 does
    not; at 300 evaluations 30 is best. That is about a tenth.
    """
    size = kept or search.population_size
    if search.n_generations is not None:
        size = size or 12
        n = size * search.n_generations
    else:
        n = search.n_evaluations or _DEFAULT_EVALUATIONS
        size = size or int(np.clip(round(n / 10), 12, 30))
    n = int(min(n, space_size))
    return n, max(1, min(size, n))


def as_labels(estimator: Any, y: Any) -> Any:
    """A target of one column as the column, with scikit-learn's warning, for a classifier."""
    if not is_classifier(estimator) or getattr(y, "ndim", 1) != 2 or y.shape[1] != 1:
        return y
    column = column_or_1d(y, warn=True)
    return y.iloc[:, 0] if isinstance(y, pd.DataFrame) else column


def classes_of(estimator: Any, y: Any) -> list:
    """Sorted classes of the target; none where it is not one column of classes."""
    if y is None or not is_classifier(estimator):
        return []
    labels = np.asarray(y)
    if labels.dtype.kind in "Of" and pd.isna(labels).any():
        raise ValueError("y holds missing labels; leave these rows out")
    if labels.ndim != 1 or type_of_target(labels) not in ("binary", "multiclass"):
        return []
    return np.unique(labels).tolist()


def make_splits(cv: Any, X: Any, y: Any, groups: Any, *, classifier: bool, seed: int) -> list:
    """Pairs of training and test rows, which must not overlap; one pair for a share of the rows."""
    if isinstance(cv, float):
        check_number("cv as a share of the rows", cv, "(0, 1)")
        shuffle = StratifiedShuffleSplit if classifier else ShuffleSplit
        cv = shuffle(1, test_size=cv, random_state=seed)
    splitter = _seeded(check_cv(cv, y, classifier=classifier), seed)
    splits = [(_rows(train), _rows(test)) for train, test in splitter.split(X, y, **groups)]
    if not splits:
        raise ValueError("cv gives no split; a generator does so once only, pass a list")
    n = count_rows(X)
    for i, (train, test) in enumerate(splits):
        for rows in (train, test):
            if len(rows) and not 0 <= rows.min() <= rows.max() < n:
                raise ValueError(f"cv: split {i} has rows beyond 0 to {n - 1}, those of X")
        if np.intersect1d(train, test).size:
            raise ValueError(
                f"cv: split {i} tests on rows that it trains on; a model would be scored on what "
                "it was fitted to"
            )
    return splits


def _seeded(splitter: Any, seed: int) -> Any:
    """With a seed if it shuffles without one: `fit_point` and a resumed search need its folds."""
    state = getattr(splitter, "__dict__", {}).get("random_state", seed)
    if not getattr(splitter, "shuffle", True) or isinstance(state, Integral):
        return splitter
    out = copy.copy(splitter)
    out.random_state = seed if state is None else copy.deepcopy(state)  # not used up by a fit
    return out


def _rows(which: Any) -> np.ndarray:
    """Positions, also of a mask."""
    found = np.asarray(which)
    return np.flatnonzero(found) if found.dtype == bool else found


def hold_out(
    search: Any, X: Any, y: Any, params: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to search on and rows to test on, with the same shares of the classes."""
    size = check_number("test_size", search.test_size, "(0, 1)", optional=True)
    if search.refit is False:
        raise ValueError("test_size needs a model to test; leave refit at True")
    if get_tags(search.estimator).input_tags.pairwise:
        raise ValueError(
            "test_size cannot cut a kernel matrix; hold out rows yourself and pass their kernel "
            "with the others to transfer()"
        )
    if "groups" in params:
        raise ValueError(
            "test_size would split groups; hold out rows yourself and pass them to transfer()"
        )
    if isinstance(search.cv, PredefinedSplit) or not (
        search.cv is None or isinstance(search.cv, Real) or hasattr(search.cv, "split")
    ):
        raise ValueError(
            "test_size would move the rows that the splits of cv count; hold out rows yourself and "
            "pass them to transfer()"
        )
    if search.checkpoint is not None and search.random_state is None:
        raise ValueError(
            "test_size with a checkpoint needs random_state=, so that the same rows are held out "
            "when it goes on"
        )
    seed = draw_seed(search.random_state)
    labels = np.asarray(y) if classes_of(search.estimator, y) else None
    rows, held_out = train_test_split(
        np.arange(count_rows(X)), test_size=size, random_state=seed, stratify=labels
    )
    return np.sort(rows), np.sort(held_out)


def read_constraints(search: Any, scorers: Mapping[str, Any], classes: list) -> list[Constraint]:
    """Constraints by name, of which "auto" is the selection rate of two classes."""
    given = search.constraints
    if isinstance(given, str) and given == "auto":
        given = {SELECTION_RATE: _DEFAULT_RATES} if len(classes) == 2 else {}
    if not (given is None or isinstance(given, Mapping)):
        raise TypeError(f"constraints must be 'auto', a dict or None; got {given!r}")
    out = []
    for name, bounds in (given or {}).items():
        if not isinstance(bounds, tuple | list) or len(bounds) != 2:
            raise ValueError(f"constraints[{name!r}] must be (low, high); got {bounds!r}")
        low, high = bounds
        if not all(end is None or (is_number(end) and not math.isnan(end)) for end in bounds):
            raise ValueError(f"constraints[{name!r}] must be numbers or None; got {bounds!r}")
        if low is not None and high is not None and low > high:
            raise ValueError(
                f"constraints[{name!r}] = {bounds!r} contradict each other: nothing is at least "
                f"{low} and at most {high}"
            )
        _check_constraint(name, low, high, scorers, classes, search.pos_label)
        out.append(
            Constraint(name, -math.inf if low is None else low, math.inf if high is None else high)
        )
    return out


def _check_constraint(
    name: str, low: Any, high: Any, scorers: Mapping[str, Any], classes: list, pos_label: Any
) -> None:
    if name == SELECTION_RATE:
        if len(classes) != 2:
            raise ValueError(
                f"constraints: {SELECTION_RATE!r} is the share of one class of two; the target has "
                f"{_count(classes)}"
            )
        if not all(end is None or 0 <= end <= 1 for end in (low, high)):
            raise ValueError(
                f"constraints[{name!r}] must be shares between 0 and 1; got {(low, high)!r}"
            )
        lopsided = not math.isclose((low or 0.0) + (1.0 if high is None else high), 1.0)
        if lopsided and pos_label is None and not set(classes) <= {-1, 0, 1}:
            raise ValueError(
                f"constraints: the labels {name_some(classes)} do not tell whose "
                f"{SELECTION_RATE} it is; pass pos_label="
            )
        return
    if sign_of(scorers.get(name)) == -1 and (
        (high is not None and high > 0) or (low is not None and low > 0)
    ):
        raise ValueError(
            f"constraints[{name!r}]: its score is minus the value, so it is never above 0; for a "
            f"value of at most {high if high is not None else low} pass "
            f"({-abs(high if high is not None else low)}, None)"
        )


def _count(classes: list) -> str:
    return "1 class" if len(classes) == 1 else f"{len(classes) or 'no'} classes"


def sweep_of(
    search: Any, kinds: Mapping[str, str | None], classes: list, constraints: list[Constraint]
) -> np.ndarray | None:
    """Selection rates whose thresholds are tried; None, with a warning, where none can be."""
    if search.thresholds is None:
        return None
    unknown = [name for name, kind in kinds.items() if kind is None]
    reason = ""
    if len(classes) != 2:
        reason = f"the target has {_count(classes)}, and a threshold decides between two"
    elif unknown:
        reason = f"nobody can tell how {unknown[0]!r} depends on it; make_scorer(...) would"
    if reason:
        warnings.warn(
            f"thresholds are not swept: {reason}; pass thresholds=None",
            UserWarning,
            stacklevel=4,
        )
        return None
    low, high = _WIDEST
    for one in constraints:
        if one.name == SELECTION_RATE:
            low, high = max(one.low, 0.0), min(one.high, 1.0)
    return np.linspace(low, high, search.thresholds)


def positive_of(classes: list, pos_label: Any) -> int:
    """Position of the class whose scores are cut: the second of two, unless it is named."""
    if pos_label is None:
        return len(classes) - 1
    if classes and pos_label not in classes:
        raise ValueError(
            f"pos_label={pos_label!r} is not among the classes of y: {name_some(classes)}"
        )
    return classes.index(pos_label) if classes else 0


def make_views(
    scorers: Mapping[str, Any],
    params: Mapping[str, Mapping[str, Any]],
    X: Any,
    y: Any,
    everybody: View,
) -> dict[str, View]:
    """How each scorer sees the rows; scorers that see them alike share one view."""
    made: list[tuple[tuple, View]] = [((None,) * 5, everybody)]
    out = {}
    for name, scorer in scorers.items():
        weight = params[name].get("sample_weight")
        if weight is not None and len(weight) != len(everybody.group_codes):
            raise ValueError(
                f"sample_weight has {len(weight):,} values; there are "
                f"{len(everybody.group_codes):,} rows"
            )
        measure = scorer.measure if isinstance(scorer, GroupScorer) else None
        key = (
            (None, None, None, None, weight)
            if measure is None
            else (
                measure.sensitive_features,
                params[name].get("sensitive_features"),
                measure.missing,
                measure.declared,
                weight,
            )
        )
        view = next((v for k, v in made if all(a is b for a, b in zip(k, key, strict=True))), None)
        if view is None:
            view = _make_view(name, measure, key, X, y, everybody)
            made.append((key, view))
        out[name] = view
    return out


def _make_view(name: str, measure: Any, key: tuple, X: Any, y: Any, everybody: View) -> View:
    weight = None if key[-1] is None else check_weights(Column(np.asarray(key[-1])))
    if measure is None:
        return replace(everybody, sample_weight=weight)
    spec, routed, missing, declared, _ = key
    frame = resolve_sensitive_features(spec, X, y, routed, owner=f"{name} scorer")
    try:
        found = Groups.from_columns(frame, missing=missing)
    except ValueError as error:
        if "missing=" not in str(error):
            raise
        raise ValueError(
            f"objectives: {str(error).partition(';')[0]}; leave these rows out, or pass "
            f"FairnessScorer({name!r}, sensitive_features=..., missing='group') as the objective"
        ) from None
    codes, labels = declare(found.codes, found.labels, declared, "groups")
    return View(np.asarray(codes, dtype=np.intp), labels, weight, frame)
