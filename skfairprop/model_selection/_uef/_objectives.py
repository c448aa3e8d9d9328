"""The scorers of a search: what each depends on, and its values from counts or rows."""

import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics as sk
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop import scorers as ours
from skfairprop._suggest import closest
from skfairprop.counts import GroupCounts
from skfairprop.metrics import METRICS
from skfairprop.metrics._metric import rates_of
from skfairprop.metrics._rates import divide
from skfairprop.model_selection._uef._views import View
from skfairprop.scorers._fold import Fold
from skfairprop.scorers._group_scorer import GroupScorer
from skfairprop.scorers._measures import CountMeasure, FunctionMeasure
from skfairprop.scorers._sklearn import Parts, Scorer, function_of, parts_of

COUNTS, ROWS, FOLD, EXPLANATION = "counts", "rows", "fold", "explanation"


def read_objectives(
    objectives: Any,
    *,
    sensitive_features: Any = None,
    pos_label: Hashable | None = None,
    seed: int | None = None,
    what: str = "objectives",
) -> dict[str, Any]:
    """Scorers by name, from names, scorers, or a dict of them.

    Parameters
    ----------
    objectives : sequence, or dict of str -> name or scorer
        Names are those of scikit-learn's scorers, and of :func:`skfairprop.get_scorer_names`.
    sensitive_features, pos_label
        For the scorers that are given by name.
    seed : int, optional
        For those of explanations that are given by name.
    what : str
        Name of the argument, for the messages.

    Raises
    ------
    TypeError, ValueError
        If one is no scorer, or two have the same name.
    """
    out: dict[str, Any] = {}
    for name, one in _pairs(objectives, what):
        out[name] = _find_scorer(one, sensitive_features, pos_label, seed, what)
    return out


def objective_names(objectives: Any) -> list[str]:
    """Names of objectives, in their order."""
    return [name for name, _ in _pairs(objectives, "objectives")]


def _pairs(objectives: Any, what: str) -> list[tuple[str, Any]]:
    if isinstance(objectives, str) or not isinstance(objectives, Mapping | Sequence):
        raise TypeError(f"{what} must be a list or a dict of scorers; got {objectives!r}")
    if isinstance(objectives, Mapping):
        pairs = list(objectives.items())
    else:
        pairs = [(_name_of(one, what), one) for one in objectives]
    names = [name for name, _ in pairs]
    for name in names:
        if not isinstance(name, str) or names.count(name) > 1:
            raise ValueError(f"{what}: {name!r} must be a text that occurs once; pass a dict")
    return pairs


def _name_of(one: Any, what: str) -> str:
    if isinstance(one, str):
        return one
    name = getattr(function_of(one), "__name__", None)
    if name is None or name == "<lambda>":
        raise ValueError(f"{what}: {one!r} has no name; pass a dict of name -> scorer")
    return str(name)


def _find_scorer(one: Any, sensitive_features: Any, pos_label: Any, seed: Any, what: str) -> Any:
    if callable(one):
        return one
    known = [*sk.get_scorer_names(), *METRICS]
    if what == "constraints":
        known.append("selection_rate")
    if not isinstance(one, str) or one not in known:
        hint = closest(one, known) if isinstance(one, str) else ""
        raise ValueError(f"{what}: {one!r} is no scorer{hint}")
    if one not in METRICS:
        return _with_positive(sk.get_scorer(one), pos_label)
    options: dict[str, Any] = {"sensitive_features": sensitive_features}
    if METRICS[one].inputs == "attributions":
        options["random_state"] = seed
    if METRICS[one].needs_positive or METRICS[one].inputs in ("scores", "attributions"):
        options["pos_label"] = pos_label
    return ours.get_scorer(one, **options)


def _with_positive(scorer: Any, pos_label: Hashable | None) -> Any:
    """A scorer of scikit-learn for this positive class, where it looks at one."""
    parts = parts_of(scorer)
    one_class = parts.kwargs.get("average", "binary") == "binary"
    if pos_label is None or not one_class or "pos_label" not in parts.parameters:
        return scorer
    return parts.remade(pos_label=pos_label)


def kind_of(scorer: Any) -> str | None:
    """What the scorer is a function of.

    Returns
    -------
    "counts" or "rows"
        Of predicted classes, and so of the threshold.
    "fold"
        Of a fitted estimator and rows, but not of the threshold.
    "explanation"
        Likewise, and it takes long.
    None
        Nobody can tell.
    """
    if isinstance(scorer, ours.MESDScorer):
        return EXPLANATION
    if isinstance(scorer, ours.DirectionalScorer):
        return None
    if isinstance(scorer, GroupScorer):
        measure = scorer.measure
        if not measure.needs_predictions:
            return FOLD
        if isinstance(measure, CountMeasure):
            return COUNTS if measure.undefined in ("drop", "zero") else ROWS
        return ROWS if isinstance(measure, FunctionMeasure) else None
    if not isinstance(scorer, Scorer):
        return None
    parts = parts_of(scorer)
    if parts.response_method != "predict":
        return FOLD
    return COUNTS if parts.is_of_counts else ROWS


# -- values from counts ---------------------------------------------------------------------------


def values_of_counts(scorer: Any, counts: np.ndarray, view: View, classes: list) -> np.ndarray:
    """Scores (...) on counts (..., G, K, K)."""
    if isinstance(scorer, GroupScorer):
        return _values_of_measure(scorer, counts, view, classes)
    table, parts = counts.sum(-3), parts_of(scorer)
    known = _KERNELS.get(parts.function)
    positive = parts.kwargs.get("pos_label", 1)
    options = set(parts.kwargs) - {"pos_label"}
    if parts.kwargs.get("average") == "binary":
        options -= {"average"}
    if known is not None and not options and (known in _OF_ALL or positive in classes):
        at = classes.index(positive) if known not in _OF_ALL else 0
        return parts.sign * known(table.astype(float), at)
    flat = table.reshape(-1, *table.shape[-2:])
    found = [_value_of_table(parts, one, classes) for one in flat]
    return np.array(found).reshape(table.shape[:-2])


def _values_of_measure(
    scorer: GroupScorer, counts: np.ndarray, view: View, classes: list
) -> np.ndarray:
    measure: CountMeasure = scorer.measure
    metric = measure.metric.with_options(measure.options)
    held = GroupCounts(counts, groups=view.groups, classes=classes)
    if metric.inputs == "labels":
        held = held.of_predictions()
    rates = rates_of(held, metric, pos_label=measure.pos_label, zero=measure.undefined == "zero")
    values = np.asarray(metric.kernel(rates, **measure.options), dtype=float)
    values = abs(values) if measure.absolute else values
    return np.where(np.isnan(values), measure.undefined_score, measure.sign * values + 0.0)


def _value_of_table(parts: Parts, table: np.ndarray, classes: list) -> float:
    """A function of scikit-learn on one row for each cell, weighted by its count."""
    true, predicted = np.nonzero(table)
    if not len(true):
        return math.nan
    labels = np.asarray(classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of undefined values, which would come T times
        return parts.score(labels[true], labels[predicted], sample_weight=table[true, predicted])


def _accuracy(table: np.ndarray, _: int) -> np.ndarray:
    return divide(np.trace(table, axis1=-2, axis2=-1), table.sum((-2, -1)))


def _balanced_accuracy(table: np.ndarray, _: int) -> np.ndarray:
    size = table.sum(-1)
    recall = divide(np.diagonal(table, axis1=-2, axis2=-1), size)
    return divide(np.nansum(recall, -1), (size > 0).sum(-1))


def _of_positive(weight: Callable) -> Callable[[np.ndarray, int], np.ndarray]:
    """True positives over a denominator; 0/0 is 0, as scikit-learn has it."""

    def kernel(table: np.ndarray, at: int) -> np.ndarray:
        hit, true, predicted = table[..., at, at], table[..., at, :].sum(-1), table[..., at].sum(-1)
        return np.nan_to_num(divide(hit, weight(true, predicted)))

    return kernel


_KERNELS: dict[Any, Callable[[np.ndarray, int], np.ndarray]] = {
    sk.accuracy_score: _accuracy,
    sk.balanced_accuracy_score: _balanced_accuracy,
    sk.f1_score: _of_positive(lambda true, predicted: (true + predicted) / 2),
    sk.precision_score: _of_positive(lambda true, predicted: predicted),
    sk.recall_score: _of_positive(lambda true, predicted: true),
}
_OF_ALL = (_accuracy, _balanced_accuracy)


# -- values from rows -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """Stands for a fitted classifier of which only the classes matter."""

    classes_: np.ndarray


def value_of_rows(
    scorer: Any,
    y: np.ndarray,
    predicted: np.ndarray,
    *,
    rows: np.ndarray,
    view: View,
    classes: list,
) -> float:
    """Score of predicted classes on these rows."""
    weight = None if view.sample_weight is None else view.sample_weight[rows]
    if not isinstance(scorer, GroupScorer):
        weights = {} if weight is None else {"sample_weight": weight}
        return parts_of(scorer).score(y, predicted, **weights)
    measure = scorer.measure
    assert view.frame is not None  # every GroupScorer has protected columns
    fold = Fold(
        _Known(np.asarray(classes)),
        None,
        y,
        sensitive_features=view.frame.iloc[rows],
        sample_weight=weight,
        missing=measure.missing,
        declared=measure.declared,
    )
    fold.y_pred = predicted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        value = measure.value(fold)
    return measure.undefined_score if math.isnan(value) else measure.sign * value + 0.0
