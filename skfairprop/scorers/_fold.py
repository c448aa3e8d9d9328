"""One estimator and the rows it is scored on: counted once, for all the scorers of a call."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.utils.metadata_routing import get_routing_for_object

from skfairprop._columns import Column, read_column, read_columns
from skfairprop._labels import check_weights
from skfairprop._resolve import match_rows, resolve_sensitive_features
from skfairprop._scores import check_scores
from skfairprop.counts import GroupCounts
from skfairprop.exceptions import ScorerSetupError
from skfairprop.groups import Groups, name_some
from skfairprop.metrics._metric import find_positive


@contextmanager
def setup_errors() -> Iterator[None]:
    """Raise what is wrong with the set-up of a scorer past scikit-learn's ``error_score``."""
    try:
        yield
    except (TypeError, ValueError) as exc:
        raise ScorerSetupError(str(exc)) from exc


class Fold:
    """One estimator and the rows it is scored on.

    Parameters
    ----------
    estimator : estimator or None
        None where only the labels are known, as in the tuning of a threshold.
    X, y_true : array-likes of n rows
    sensitive_features : DataFrame of shape (n, n_columns)
        In the order of the rows of X.
    sample_weight : array of shape (n,), optional
    missing : {"raise", "group", "drop"}
    declared : sequence, optional
        Groups that count in the data set metrics whether they occur or not.

    Attributes
    ----------
    y_pred : array of shape (n,) or None
        Set by the scorer when a metric needs it.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y_true: Any,
        *,
        sensitive_features: pd.DataFrame,
        sample_weight: np.ndarray | None = None,
        missing: str = "raise",
        declared: Sequence[Hashable] | None = None,
    ) -> None:
        self.estimator = estimator
        self.X = X
        self.y_true = y_true
        self.sensitive_features = sensitive_features
        self.sample_weight = sample_weight
        self.missing = missing
        self.declared = declared
        self.y_pred: Any = None
        self._positive: dict[Hashable | None, tuple[GroupCounts, Hashable]] = {}
        self._responses: dict[str, np.ndarray] = {}

    # -- counts ---------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> GroupCounts:
        """Group x true class x predicted class, over the classes of the estimator."""
        return self._count(bare(self.y_pred, "y_pred"))

    @cached_property
    def label_counts(self) -> GroupCounts:
        """Group x true class."""
        return self._count(None) if self.y_pred is None else self.counts.of_labels()

    def _count(self, y_pred: Column | None) -> GroupCounts:
        with setup_errors():
            counts = GroupCounts.from_arrays(
                bare(self.y_true, "y_true"),
                y_pred,
                sensitive_features=self.protected,
                sample_weight=self.sample_weight,
                groups=self.declared,
                missing=self.missing,
            )
        found = counts.classes.tolist()
        absent = [label for label in known_classes(self.estimator) if label not in found]
        return counts.declare_classes([*found, *absent]) if absent else counts

    def positive(self, pos_label: Hashable | None, *, what: str) -> tuple[GroupCounts, Hashable]:
        """Counts that have the positive class, and its label.

        Without `pos_label` the classes of the estimator decide, where it tells them, so that folds
        which lack one of them agree with the others.
        """
        with setup_errors():
            if pos_label not in self._positive:
                known = known_classes(self.estimator)
                if pos_label is None and not (set(known) <= {0, 1} or set(known) <= {-1, 1}):
                    raise ValueError(
                        f"{what} needs a positive class, and the classes {name_some(known)} of the "
                        "estimator do not tell which it is; pass pos_label= (that class against "
                        "the rest)"
                    )
                counts, position = find_positive(self.counts, pos_label, what)
                self._positive[pos_label] = counts, counts.classes.tolist()[position]
        return self._positive[pos_label]

    # -- rows -----------------------------------------------------------------------------------

    @cached_property
    def protected(self) -> list[Column]:
        """The protected columns, by position."""
        return [Column(c.values, c.name) for c in read_columns(self.sensitive_features, what="X")]

    @cached_property
    def groups(self) -> Groups:
        """The group of every row."""
        with setup_errors():
            return Groups.from_columns(self.protected, missing=self.missing)

    def scores(self, label: Hashable, *, what: str) -> np.ndarray:
        """Score of the class `label`, larger for more positive, shape (n,)."""
        if self.estimator is None:
            raise ScorerSetupError(f"{what} needs scores, and is passed no estimator here")
        method = next((m for m in SCORES if hasattr(self.estimator, m)), None)
        if method is None:
            raise ScorerSetupError(
                f"{what} needs scores, and {type(self.estimator).__name__} has neither of "
                f"{' and '.join(SCORES)}"
            )
        classes = known_classes(self.estimator)
        if label not in classes:
            raise ScorerSetupError(
                f"{what} needs scores of the class {label!r}; {type(self.estimator).__name__} "
                f"knows {name_some(classes)}"
            )
        if method not in self._responses:
            response = np.asarray(respond(self, method))
            with setup_errors():
                self._responses[method] = check_scores(response, self.estimator)
        response, position = self._responses[method], classes.index(label)
        if response.ndim == 2:
            return response[:, position]
        return response if position == 1 else -response


# Methods that give scores, the first that an estimator has is used.
SCORES = ("predict_proba", "decision_function")


def known_classes(estimator: Any) -> list:
    """The classes that a fitted classifier has seen; none if it does not tell."""
    classes = getattr(estimator, "classes_", None)
    return classes.tolist() if isinstance(classes, np.ndarray) and classes.ndim == 1 else []


def respond(fold: Fold, method: str, method_caller: Callable | None = None) -> Any:
    """Call a method of the estimator, with the protected attribute if it asks for that.

    scikit-learn's scorers cannot pass metadata to ``predict``, which post-processors need.
    """
    if _asks_for_groups(fold.estimator, method):
        frame = fold.sensitive_features
        given = frame if frame.shape[1] > 1 else frame.iloc[:, 0]
        return getattr(fold.estimator, method)(fold.X, sensitive_features=given)
    if method_caller is None:
        return getattr(fold.estimator, method)(fold.X)
    return method_caller(fold.estimator, method, fold.X)  # scikit-learn's, shared by all scorers


def _asks_for_groups(estimator: Any, method: str) -> bool:
    if "sensitive_features" in signature(getattr(estimator, method)).parameters:
        return True
    if not get_config()["enable_metadata_routing"]:
        return False
    return bool(get_routing_for_object(estimator).consumes(method, ["sensitive_features"]))


def bare(labels: Any, what: str) -> Column:
    """Labels by position: an estimator's predictions, and a permuted y, keep no true index."""
    with setup_errors():
        return Column(read_column(labels, what=what).values)


# -- one fold for all the scorers of a call -----------------------------------------------------

# By the object that scikit-learn hands to all scorers of one multimetric call, and only as long as
# it lives: nothing can go stale. A fold must not refer to it.
_FOLDS: WeakKeyDictionary[Any, list[tuple[tuple, Fold]]] = WeakKeyDictionary()


def find_fold(
    method_caller: Any,
    estimator: Any,
    X: Any,
    y_true: Any,
    *,
    spec: Any,
    routed: Any,
    sample_weight: Any,
    missing: str,
    declared: Sequence[Hashable] | None,
    owner: str,
) -> Fold:
    """The fold of a call, made by its first scorer.

    Scorers of one call may still be told different groups or weights: those get folds of their
    own. The parameters are compared by identity, texts by value.
    """
    inputs = (estimator, X, y_true, spec, routed, sample_weight, missing, declared)
    known = [] if method_caller is None else _FOLDS.setdefault(method_caller, [])
    for key, fold in known:
        if all(_same(a, b) for a, b in zip(key, inputs, strict=True)):
            return fold
    with setup_errors():
        fold = Fold(
            estimator,
            X,
            y_true,
            sensitive_features=resolve_sensitive_features(spec, X, y_true, routed, owner=owner),
            sample_weight=_weights(sample_weight, X, y_true, owner),
            missing=missing,
            declared=declared,
        )
    known.append((inputs, fold))
    return fold


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, str | list | tuple) and a == b)


def _weights(sample_weight: Any, X: Any, y_true: Any, owner: str) -> np.ndarray | None:
    if sample_weight is None:
        return None
    columns, _ = match_rows(sample_weight, X, y_true, what=f"{owner}: sample_weight")
    if len(columns) > 1:
        raise ValueError(f"{owner}: sample_weight must be one-dimensional")
    return check_weights(columns[0])
