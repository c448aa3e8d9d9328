"""Attackers: how well something can be guessed from something else, out of fold."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.model_selection import KFold
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from skfairprop._checks import check_integer
from skfairprop._columns import blockwise_bincount
from skfairprop._random import RandomState, as_generator, draw_seed
from skfairprop.metrics._amplification_rows import Labels, LabelSets, Scores, Variable

# Probabilities are kept this far from 0 and 1 in the logarithmic loss.
_CLIP = np.finfo(float).eps
Split = tuple[np.ndarray, np.ndarray]


# -- qualities ----------------------------------------------------------------------------------


def _per_label(guess: np.ndarray) -> np.ndarray:
    """As (n, L): one column for each label, or one for the classes."""
    return guess[:, None] if guess.ndim == 1 else guess


def _accuracy(truth: np.ndarray, guess: np.ndarray, weight: np.ndarray) -> float:
    return float(np.average(_per_label(truth == guess).mean(1), weights=weight))


def _balanced_accuracy(truth: np.ndarray, guess: np.ndarray, weight: np.ndarray) -> float:
    recalls = []
    for true, guessed in zip(_per_label(truth).T, _per_label(guess).T, strict=True):
        size = np.bincount(true, weights=weight)
        hits = np.bincount(true, weights=weight * (true == guessed), minlength=len(size))
        recalls.append((hits[size > 0] / size[size > 0]).mean())
    return float(np.mean(recalls))


def _one_hot(truth: np.ndarray, n_classes: int) -> np.ndarray:
    return truth if truth.ndim == 2 else np.eye(n_classes)[truth]


def _brier(truth: np.ndarray, chance: np.ndarray, weight: np.ndarray) -> float:
    squares = (chance - _one_hot(truth, chance.shape[1])) ** 2
    loss = squares.mean(1) if truth.ndim == 2 else squares.sum(1) / 2
    return float(1 - np.average(loss, weights=weight))


def _inverse_log_loss(truth: np.ndarray, chance: np.ndarray, weight: np.ndarray) -> float:
    chance = np.clip(chance, _CLIP, 1 - _CLIP)
    if truth.ndim == 2:
        loss = -np.log(np.where(truth == 1, chance, 1 - chance)).mean(1)
    else:
        loss = -np.log(chance[np.arange(len(truth)), truth])
    return float(1 / np.average(loss, weights=weight))


# Name: the function, and whether it reads probabilities rather than guesses.
QUALITIES: dict[str, tuple[Callable[..., float], bool]] = {
    "accuracy": (_accuracy, False),
    "balanced_accuracy": (_balanced_accuracy, False),
    "brier": (_brier, True),
    "inverse_log_loss": (_inverse_log_loss, True),
}


def check_quality(quality: str | Callable, method: Any) -> None:
    """Raise ValueError unless `quality` can be computed with `method`."""
    if not callable(quality) and quality not in QUALITIES:
        raise ValueError(
            f"quality must be a callable or one of {tuple(QUALITIES)}; got {quality!r}"
        )
    if isinstance(method, str):
        if method not in ("contingency", "crossfit"):
            raise ValueError(
                "method must be 'contingency', 'crossfit' or a scikit-learn estimator; got "
                f"{method!r}"
            )
        if quality != "accuracy":
            raise ValueError(
                f"method={method!r} gives the accuracy alone; for quality={quality!r} pass an "
                "estimator as method"
            )
        return
    if not (hasattr(method, "fit") and hasattr(method, "predict")):
        raise ValueError(
            "method must be 'contingency', 'crossfit' or a scikit-learn estimator; got "
            f"{type(method).__name__}"
        )
    if isinstance(quality, str) and QUALITIES[quality][1] and not hasattr(method, "predict_proba"):
        raise ValueError(
            f"quality={quality!r} needs probabilities, and {type(method).__name__} has no "
            "predict_proba"
        )


# -- folds --------------------------------------------------------------------------------------


def check_folds(cv: Any) -> None:
    """Raise ValueError unless `cv` is a number of folds, a splitter or splits."""
    if isinstance(cv, Integral):
        check_integer("cv", cv, least=2)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise ValueError(f"cv must be a number of folds, a splitter or splits; got {cv!r}")


def repeated_splits(
    cv: Any, n_repeats: int, target: Variable, random_state: RandomState
) -> Iterator[tuple[list[Split], np.random.Generator]]:
    """Train and test rows of each repeat, with a generator of its own.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        Number of folds, shuffled; or scikit-learn's splitters, used as they are.
    n_repeats : int
    target : Variable
        For splitters that stratify.
    random_state : int, RandomState, Generator or None
    """
    n_rows = len(target.values())
    if isinstance(cv, Integral):
        if int(cv) > n_rows:
            raise ValueError(f"cv={cv} folds need at least {cv} rows; there are {n_rows}")
    elif not hasattr(cv, "split"):
        cv = list(cv)
    for rng in as_generator(random_state).spawn(n_repeats):
        yield list(_splits(cv, n_rows, target, rng)), rng


def _splits(cv: Any, n_rows: int, target: Variable, rng: np.random.Generator) -> Iterable[Split]:
    if isinstance(cv, list):
        return cv
    if isinstance(cv, Integral):
        cv = KFold(cv, shuffle=True, random_state=draw_seed(rng))
    return cv.split(np.zeros((n_rows, 1)), target.values())


# -- the best guess by counting -----------------------------------------------------------------


def crossfit_psi(
    prior: Labels, target: Labels, splits: list[Split], weight: np.ndarray | None, degrade=None
) -> float:
    """Accuracy, out of fold, of guessing the commonest target of each prior.

    Ties are shared; a prior that the training rows do not have gets their commonest target.

    Parameters
    ----------
    degrade : callable, optional
        Applied to the tables prior x target of the test and of the training rows.
    """
    hits = total = 0.0
    for train, test in splits:
        seen, new = (tabulate(prior, target, rows, weight) for rows in (train, test))
        if degrade is not None:
            seen, new = degrade(seen), degrade(new)
        empty = seen.sum(1) == 0
        seen[empty] = seen.sum(0)
        best = seen == seen.max(1, keepdims=True)
        hits += (new * best).sum(1) @ (1 / best.sum(1))
        total += new.sum()
    return float(hits / total)


def tabulate(prior: Labels, target: Labels, rows, weight) -> np.ndarray:
    sizes = [len(prior.labels), len(target.labels)]
    codes = [prior.codes[rows], target.codes[rows]]
    flat = blockwise_bincount(codes, sizes, None if weight is None else weight[rows])
    return flat.reshape(sizes).astype(float)


# -- estimators ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attacker:
    """An estimator that guesses a target from a prior, judged out of fold by a quality.

    Parameters
    ----------
    estimator : estimator
        Any classifier; where it cannot guess label sets, one clone is fitted for each label.
        A regressor for targets that are numbers. Weights reach those whose fit takes them.
    quality : str or callable
        A name in ``QUALITIES``, or ``quality(true, guessed)`` with labels (with a 0/1 matrix for
        label sets, numbers for scores) and ``sample_weight=`` where rows have weights.
    """

    estimator: Any
    quality: str | Callable

    def __call__(
        self, prior: Variable, target: Variable, splits: list[Split], weight: np.ndarray | None
    ) -> float:
        features, goal = as_features(prior), self._goal(target)
        n_classes = len(target.labels) if isinstance(target, Labels) else 2
        truths, guesses, weights = [], [], []
        for train, test in splits:
            known = (features[train], goal[train], None if weight is None else weight[train])
            guesses.append(self._guess(*known, features[test], n_classes))
            truths.append(goal[test])
            weights.append(np.ones(len(goal[test])) if weight is None else weight[test])
        truth, guess, tested = (np.concatenate(part) for part in (truths, guesses, weights))
        if isinstance(self.quality, str):
            return QUALITIES[self.quality][0](truth, guess, tested)
        if isinstance(target, Labels):
            truth, guess = (target.labels.to_numpy()[codes] for codes in (truth, guess))
        kwargs = {} if weight is None else {"sample_weight": tested}
        return float(self.quality(truth, guess, **kwargs))

    @property
    def _chance(self) -> bool:
        """Whether probabilities are asked for rather than guesses."""
        return isinstance(self.quality, str) and QUALITIES[self.quality][1]

    def _goal(self, target: Variable) -> np.ndarray:
        if isinstance(target, Scores):
            if not is_regressor(self.estimator) or isinstance(self.quality, str):
                raise ValueError(
                    "scores as a target need a regressor as method and a callable quality, such "
                    "as sklearn.metrics.r2_score; or pass labels, as in score >= 0.5"
                )
            matrix = target.matrix
            return matrix[:, 0] if matrix.shape[1] == 1 else matrix
        if is_regressor(self.estimator):
            raise ValueError(
                f"{type(self.estimator).__name__} is a regressor; to guess {target.kind}, pass a "
                "classifier as method"
            )
        return target.codes if isinstance(target, Labels) else target.values()

    def _guess(self, train, goal, weight, test, n_classes: int) -> np.ndarray:
        if is_regressor(self.estimator):
            return np.asarray(self._fit(train, goal, weight).predict(test), dtype=float)
        if goal.ndim == 1:
            return self._guess_classes(train, goal, weight, test, n_classes)
        out = np.tile(goal[0].astype(float), (len(test), 1))  # right for labels that never vary
        varied = np.flatnonzero((goal != goal[0]).any(0))
        if len(varied) > 1 and _guesses_label_sets(self.estimator):
            model = self._fit(train, goal[:, varied], weight)
            guess = _chances_of_labels(model, test) if self._chance else model.predict(test)
            out[:, varied] = guess
        else:
            for label in varied:
                guess = self._guess_classes(train, goal[:, label], weight, test, 2)
                out[:, label] = guess[:, 1] if self._chance else guess
        return out if self._chance else out.astype(goal.dtype)

    def _guess_classes(self, train, goal, weight, test, n_classes: int) -> np.ndarray:
        found = np.unique(goal)
        if len(found) == 1:  # most classifiers refuse to learn a single class
            guess = np.full(len(test), found[0])
            return np.eye(n_classes)[guess] if self._chance else guess
        model = self._fit(train, goal, weight)
        if not self._chance:
            return np.asarray(model.predict(test))
        out = np.zeros((len(test), n_classes))
        out[:, model.classes_] = model.predict_proba(test)
        return out

    def _fit(self, features, goal, weight):
        model = clone(self.estimator)
        weighted = weight is not None and has_fit_parameter(model, "sample_weight")
        return model.fit(features, goal, **({"sample_weight": weight} if weighted else {}))


def _guesses_label_sets(estimator: Any) -> bool:
    tags = get_tags(estimator).classifier_tags
    return tags is not None and tags.multi_label


def _chances_of_labels(model, features) -> np.ndarray:
    """Probability of each label, (n, L), from either of scikit-learn's two forms."""
    chances = model.predict_proba(features)
    if isinstance(chances, list):
        return np.column_stack([chance[:, 1] for chance in chances])
    return np.asarray(chances)


def as_features(prior: Variable) -> np.ndarray:
    """Columns for an estimator: a 0/1 column for each class or label, scores as they are."""
    if isinstance(prior, Labels):
        return np.eye(len(prior.labels))[prior.codes]
    return prior.values().astype(float) if isinstance(prior, LabelSets) else prior.values()
