"""How well something is guessed in the data and from the model, and what goes with it."""

import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from skfairprop._checks import check_choice, check_integer
from skfairprop._random import RandomState, as_generator
from skfairprop.counts import GroupCounts
from skfairprop.metrics._amplification_kernels import (
    EQUALIZATIONS,
    degrade_table,
    goodman_kruskal_lambda,
    majority_share,
    overall_accuracy,
    psi,
)
from skfairprop.metrics._amplification_rows import Labels, LabelSets, Variable, count_rows
from skfairprop.metrics._attackers import (
    Attacker,
    Split,
    check_folds,
    check_quality,
    crossfit_psi,
    repeated_splits,
    tabulate,
)
from skfairprop.metrics._pairs import most_risen
from skfairprop.metrics._rates import Array, Rates

# A plug-in value whose estimated bias is larger than this is warned of.
_NOTABLE_BIAS = 0.02
# Cells drawn in all to estimate the bias: some milliseconds.
_BIAS_CELLS = 100_000


@dataclass(frozen=True)
class Judge:
    """A way to say how well a target is guessed from a prior.

    Parameters
    ----------
    method : "contingency", "crossfit" or estimator
    quality : str or callable
    cv : int, splitter or iterable of splits
    n_repeats : int
    random_state : int, RandomState, Generator or None
    """

    method: Any
    quality: str | Callable
    cv: Any
    n_repeats: int
    random_state: RandomState

    def __post_init__(self) -> None:
        check_quality(self.quality, self.method)
        check_integer("n_repeats", self.n_repeats, least=1)
        if not self.counts:
            check_folds(self.cv)
        as_generator(deepcopy(self.random_state))  # of a copy, from which nothing is drawn

    @property
    def counts(self) -> bool:
        """Whether the rows are only counted, once and for all."""
        return isinstance(self.method, str) and self.method == "contingency"

    def repeats(self, target: Variable) -> Iterator[tuple[list[Split], np.random.Generator]]:
        """Splits, none where the rows are only counted, and a generator for each repeat."""
        cv = [] if self.counts else self.cv
        return repeated_splits(cv, self.n_repeats, target, self.random_state)

    def __call__(
        self,
        prior: Variable,
        target: Variable,
        splits: list[Split],
        weight: np.ndarray | None,
        degrade: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> float:
        """Quality of the guesses; `degrade` is applied to tables of prior x target."""
        if not isinstance(self.method, str):
            return Attacker(self.method, self.quality)(prior, target, splits, weight)
        source, goal = (_require_labels(self.method, v) for v in (prior, target))
        if self.counts:
            return float(psi(tabulate(source, goal, slice(None), weight)))
        return crossfit_psi(source, goal, splits, weight, degrade)


def _require_labels(method: str, variable: Variable) -> Labels:
    if isinstance(variable, Labels):
        return variable
    raise ValueError(
        f"method={method!r} counts classes, and there are {variable.kind}; pass an estimator as "
        "method, such as sklearn.tree.DecisionTreeClassifier()"
    )


# -- equalisation -------------------------------------------------------------------------------


def check_equalization(equalize: str | None, judge: Judge) -> None:
    """Raise ValueError unless the labels can be degraded in this way for this judge."""
    check_choice("equalize", equalize, EQUALIZATIONS)
    if equalize == "expected" and not isinstance(judge.method, str):
        raise ValueError(
            "equalize='expected' is computed on counts; pass equalize='random' with an estimator"
        )


@dataclass(frozen=True)
class Errors:
    """Random errors as many as a model makes: how likely a label stays, and what it may become.

    Parameters
    ----------
    accuracy : float array of shape () for classes, (L,) for label sets
    used : bool array of shape (K,), or None for label sets
        Classes that are true or predicted.
    """

    accuracy: np.ndarray
    used: np.ndarray | None

    @classmethod
    def of(cls, truth: Variable, pred: Variable, weight: np.ndarray | None) -> "Errors":
        """Those of a prediction; warns where it is worse than chance."""
        if isinstance(truth, Labels) and isinstance(pred, Labels):
            accuracy = np.asarray(np.average(truth.codes == pred.codes, weights=weight))
            used = truth.sizes(weight) + pred.sizes(weight) > 0
            errors, n_classes = cls(accuracy, used), int(np.count_nonzero(used))
        elif isinstance(truth, LabelSets) and isinstance(pred, LabelSets):
            right = truth.values() == pred.values()
            errors, n_classes = cls(np.average(right, axis=0, weights=weight), None), 2
        else:
            raise ValueError(
                f"equalize= needs the accuracy of the predictions: y_true holds {truth.kind} and "
                f"y_pred {pred.kind}; pass labels for both, or equalize=None"
            )
        if np.any(errors.accuracy < 1 / n_classes):
            warnings.warn(
                f"equalize: the accuracy {errors.accuracy.min():.3g} is below chance "
                f"(1/{n_classes}), so that degrading the labels to it reverses the associations of "
                "the data; equalize=None compares with the data as they are",
                UserWarning,
                stacklevel=5,
            )
        return errors

    def expected(self, table: Array) -> Array:
        """A table prior x classes after these errors, on average."""
        assert self.used is not None
        return degrade_table(table, self.accuracy, self.used)

    def draw(self, truth: Variable, rng: np.random.Generator) -> Variable:
        """The labels after these errors, drawn row by row."""
        if isinstance(truth, LabelSets):
            values = truth.values()
            wrong = rng.random(values.shape) >= self.accuracy
            return LabelSets(sparse.csr_matrix(np.where(wrong, 1 - values, values)), truth.names)
        assert isinstance(truth, Labels)
        assert self.used is not None
        classes = np.flatnonzero(self.used)
        if len(classes) < 2:
            return truth
        place = np.cumsum(self.used) - 1  # of each class among those in use
        codes = truth.codes.astype(np.intp)
        rows = np.flatnonzero(rng.random(len(codes)) >= self.accuracy)
        step = rng.integers(1, len(classes), len(rows))
        codes[rows] = classes[(place[codes[rows]] + step) % len(classes)]
        return Labels(codes, truth.labels)


# -- data against model -------------------------------------------------------------------------


def psi_pair(rates: Rates, role: int, errors: Errors | None) -> tuple[Array, Array]:
    """Psi in the data and of the model, of a table other x truth x prediction.

    Parameters
    ----------
    role : {0, 1}
        Whether the truth and the prediction are the prior (0) or the target (1).
    """
    tables = [rates.by_true if errors is None else errors.expected(rates.by_true), rates.by_pred]
    before, after = (psi(t if role else np.swapaxes(t, -1, -2)) for t in tables)
    return before, after


@dataclass(frozen=True)
class Contrast:
    """What is guessed from what, in the data and from the model.

    Parameters
    ----------
    data, model : (prior, target)
    role : {0, 1}
        Which of the two the model predicts: the prior or the target. The other is the same in both.
    weight : float array of shape (n,), optional
    """

    data: tuple[Variable, Variable]
    model: tuple[Variable, Variable]
    role: int
    weight: np.ndarray | None

    def counts(self) -> GroupCounts | None:
        """Table other x truth x prediction; None where they are no classes."""
        other, truth, pred = self.data[1 - self.role], self.data[self.role], self.model[self.role]
        if not all(isinstance(v, Labels) for v in (other, truth, pred)):
            return None
        return count_rows(other, truth, pred, self.weight)

    def errors(self, equalize: str | None) -> Errors | None:
        """The model's errors, where the labels are to be given as many."""
        if equalize is None:
            return None
        return Errors.of(self.data[self.role], self.model[self.role], self.weight)

    def qualities(self, judge: Judge, equalize: str | None, errors: Errors | None) -> np.ndarray:
        """Quality in the data and of the model for every repeat, (n_repeats, 2)."""
        expected = self._expected(errors) if equalize == "expected" else None
        out = []
        for splits, rng in judge.repeats(self.data[1]):
            data = list(self.data)
            if errors is not None and equalize == "random":
                data[self.role] = errors.draw(data[self.role], rng)
            before = judge(data[0], data[1], splits, self.weight, expected)
            out.append((before, judge(*self.model, splits, self.weight)))
        return np.array(out)

    def _expected(self, errors: Errors | None) -> Callable[[Array], Array] | None:
        if errors is None or self.role == 1:
            return None if errors is None else errors.expected
        return lambda table: errors.expected(table.T).T

    def describe(self) -> dict[str, Any]:
        """Accuracy, majority shares, Goodman and Kruskal's lambda and the worst pair.

        Only what there is: nothing for label sets and scores.
        """
        counts = self.counts()
        if counts is None:
            return {}
        counts = counts.drop_unused()
        rates = Rates(counts.values)
        tables = {"data": rates.by_true, "model": rates.by_pred}
        labels = (counts.groups, counts.classes)
        if self.role == 0:
            tables = {what: table.T for what, table in tables.items()}
            labels = (counts.classes, counts.groups)
        out: dict[str, Any] = {"accuracy": float(overall_accuracy(rates))}
        for what, table in tables.items():
            out[f"majority_share_{what}"] = float(majority_share(table))
            out[f"lambda_{what}"] = float(goodman_kruskal_lambda(table))
        return out | {"worst_pair": most_risen(tables["data"], tables["model"], labels)}


# -- the size of the sample ---------------------------------------------------------------------


def plug_in_bias(counts: GroupCounts, kernel: Callable[[Rates], Any]) -> float:
    """How much a kernel is biased by the size of the sample: the bootstrap's estimate.

    It errs to the small side, by a factor of two to three where the data are balanced. The cells
    are drawn anew around their counts, always from the same seed: a diagnosis, which does not
    touch the value. Where rows have weights the counts are scaled to the effective size.
    """
    scale = 1.0
    if counts.squared is not None:
        squares = float(counts.squared.sum())
        if squares == 0:  # of weights too small to be squared
            return float("nan")
        scale = float(counts.values.sum()) / squares
    n_draws = int(np.clip(_BIAS_CELLS // counts.values.size, 2, 50))
    cells = np.minimum(counts.values * scale, 1e15)  # what poisson takes
    draws = np.random.default_rng(0).poisson(cells, (n_draws, *counts.values.shape))
    drawn = np.asarray(kernel(Rates(draws)))
    if np.isnan(drawn).all():
        return float("nan")
    return float(np.nanmean(drawn) - kernel(Rates(counts.values)))


def warn_if_inflated(name: str, bias: float, counts: GroupCounts, stacklevel: int) -> None:
    """Point to cross-fitting where the plug-in value is notably biased."""
    if abs(bias) > _NOTABLE_BIAS:
        n_cells = int(np.count_nonzero(counts.of_labels().values))
        warnings.warn(
            f"{name}: with {counts.total:,.0f} rows in {n_cells:,} cells of prior and target the "
            f"plug-in value is off by {bias:+.2f} or more; pass method='crossfit'",
            UserWarning,
            stacklevel=stacklevel,
        )
