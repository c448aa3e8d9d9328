"""What a worker does: fit a candidate on a fold, let it predict, score it, explain it."""

import pickle
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from skfairprop._rows import is_row_aligned, take_rows
from skfairprop.scorers._fold import SCORES, Fold, respond

_COPY_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3


@dataclass(frozen=True)
class Data:
    """The rows of a search, and what is passed with them.

    Attributes
    ----------
    X, y : indexable of n rows
    n_rows : int
    fit_params : dict
        Of the estimator's ``fit``.
    """

    X: Any
    y: Any
    n_rows: int
    fit_params: Mapping[str, Any]

    def cut(self, params: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
        """Parameters with some rows of those that have a value for each."""
        return {
            name: take_rows(value, rows) if is_row_aligned(value, self.n_rows) else value
            for name, value in params.items()
        }

    def labels(self, rows: np.ndarray) -> tuple[Any, ...]:
        """Y of some rows, as the last arguments of ``fit``; nothing where there is no y."""
        return () if self.y is None else (take_rows(self.y, rows),)

    def features(self, rows: np.ndarray, columns: np.ndarray, pairwise: bool) -> Any:
        """X of some rows; of a kernel matrix only the columns that were fitted."""
        found = take_rows(self.X, rows)
        return found[:, columns] if pairwise else found

    def again(self, found: Any, *which: Any) -> Any:
        """The same features as at first: a step with ``copy=False`` changes an array in place."""
        safe = _COPY_ON_WRITE and isinstance(found, pd.DataFrame)
        return found if safe else self.features(*which)


@dataclass(frozen=True)
class Scoring:
    """Several scorers as one, and the parameters that they ask for."""

    scorer: Any
    params: Mapping[str, Any]

    def __call__(self, model: Any, X: Any, data: Data, rows: np.ndarray) -> dict[str, Any]:
        """Scores on rows of `data`, whose X is given as the model takes it."""
        return self.scorer(model, X, *data.labels(rows), **data.cut(self.params, rows))


@dataclass
class FoldResult:
    """One candidate on one fold.

    Attributes
    ----------
    predicted : array of shape (n_test,) or None
        By the estimator's own ``predict``.
    scores : array of shape (n_test,) or None
        Of the positive class.
    method : str or None
        What gave them.
    values, train_values : dict of str -> float
        Of the scorers that look at the estimator.
    estimator : fitted estimator or None
        Kept only where it may have to be explained.
    error : str or None
        Traceback of a fit or prediction that failed.
    exception : Exception or None
        Itself, where it can travel between processes.
    """

    fit_time: float
    score_time: float = 0.0
    predicted: Any = None
    scores: np.ndarray | None = None
    method: str | None = None
    values: dict[str, float] | None = None
    train_values: dict[str, float] | None = None
    estimator: Any = None
    error: str | None = None
    exception: Exception | None = None


@dataclass(frozen=True)
class Job:
    """What is the same in all the fits of a search."""

    estimator: Any
    data: Data
    scoring: Scoring | None  # of what looks at the fitted estimator
    explaining: Scoring | None
    train_scoring: Scoring | None
    predicts: bool
    positive: Any  # label of the class whose scores are swept, or None
    seed: int | None  # for a random_state of None; None leaves them
    pairwise: bool  # whether X is a kernel matrix
    people: pd.DataFrame | None  # protected columns, for estimators whose ``predict`` asks for them
    raises: bool
    keeps_estimator: bool


def fit_fold(
    job: Job, params: Mapping[str, Any], train: np.ndarray, test: np.ndarray, fold: int
) -> FoldResult:
    """Fit a candidate on the rows `train`, and predict and score the rows `test`."""
    data, start = job.data, time.perf_counter()
    try:
        model = prepare(job.estimator, params, job.seed, fold)
        rows = data.features(train, train, job.pairwise)
        model.fit(rows, *data.labels(train), **data.cut(data.fit_params, train))
        fitted = time.perf_counter()
        X = data.features(test, train, job.pairwise)
        result = FoldResult(fit_time=fitted - start)
        if job.predicts:
            result.predicted = np.asarray(_predict(job, model, X, test))
        if job.positive is not None:
            X = data.again(X, test, train, job.pairwise)
            result.scores, result.method = positive_scores(model, X, job.positive)
    except Exception as exc:
        if job.raises:
            raise
        failed = FoldResult(fit_time=time.perf_counter() - start, error=traceback.format_exc())
        failed.exception = exc if _travels(exc) else None
        return failed
    if job.scoring is not None:
        X = data.again(X, test, train, job.pairwise)
        result.values = job.scoring(model, X, data, test)
    result.score_time = time.perf_counter() - fitted
    if job.train_scoring is not None:
        rows = data.again(rows, train, train, job.pairwise)
        result.train_values = job.train_scoring(model, rows, data, train)
    if job.keeps_estimator:
        result.estimator = model
    return result


def _predict(job: Job, model: Any, X: Any, rows: np.ndarray) -> Any:
    if job.people is None:
        return model.predict(X)
    fold = Fold(model, X, None, sensitive_features=job.people.iloc[rows])
    return respond(fold, "predict")


def _travels(exc: Exception) -> bool:
    """Whether an exception survives pickling, which ends the process pool if it does not."""
    try:
        return type(pickle.loads(pickle.dumps(exc))) is type(exc)
    except Exception:
        return False


def explain_fold(job: Job, model: Any, test: np.ndarray) -> tuple[dict[str, Any], float]:
    """Values of the explanations of a fitted estimator on the rows `test`, and the seconds."""
    start = time.perf_counter()
    assert job.explaining is not None
    found = job.explaining(model, take_rows(job.data.X, test), job.data, test)
    return found, time.perf_counter() - start


def prepare(estimator: Any, params: Mapping[str, Any], seed: int | None, fold: int) -> Any:
    """A clone with these parameters; with a seed, a `random_state` of None gets one of the fold."""
    model = clone(estimator).set_params(**clone(dict(params), safe=False))
    if seed is None:
        return model
    unset = sorted(
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    if unset:
        states = np.random.SeedSequence([seed, 3, fold]).generate_state(len(unset)) >> 1
        model.set_params(**dict(zip(unset, states.tolist(), strict=True)))
    return model


def positive_scores(model: Any, X: Any, label: Any) -> tuple[np.ndarray | None, str | None]:
    """Scores of the class `label` of two, larger for more likely, and the method that gave them."""
    method = next((name for name in SCORES if hasattr(model, name)), None)
    if method is None:
        return None, None
    found = np.asarray(getattr(model, method)(X), dtype=float)
    classes = model.classes_.tolist()
    if label not in classes:
        raise ValueError(f"a fold has no rows of the class {label!r} to train on; stratify cv")
    position = classes.index(label)
    if found.ndim == 2:
        return found[:, position], method
    return (found if position == 1 else -found), method
