"""Evaluate candidates: their folds in parallel, their values here, explanations if they matter."""

import math
import traceback
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skfairprop.model_selection._checkpoint import Checkpoint
from skfairprop.model_selection._uef._candidates import Archive, Candidate
from skfairprop.model_selection._uef._folds import FoldResult, Job, explain_fold, fit_fold
from skfairprop.model_selection._uef._objectives import EXPLANATION
from skfairprop.model_selection._uef._points import Plan, measure

# Fits for each worker between two looks at the clock and writes to the checkpoint.
_FITS_A_WORKER = 8


class SearchCheckpoint(Checkpoint):
    """Finished candidates of a search."""

    kind = "skfairprop search"
    owner = "UEFSearchCV"
    work = "search"


class Evaluator:
    """Evaluates candidates, or reads them from a checkpoint.

    Parameters
    ----------
    job : Job
    plan : Plan
    archive : Archive
        Of the generations before; what is worth explaining is decided by it alone, so that it does
        not depend on the number of workers.
    parallel : Parallel
    store : SearchCheckpoint or None
    lazy : bool
    error_score : float or "raise"
    step : callable
        Called after each candidate.
    out_of_time : callable
        Whether to stop.
    """

    def __init__(
        self,
        job: Job,
        plan: Plan,
        archive: Archive,
        *,
        parallel: Parallel,
        store: SearchCheckpoint | None,
        lazy: bool,
        error_score: Any,
        step: Callable[[], None],
        out_of_time: Callable[[], bool],
    ) -> None:
        self.job = job
        self.plan = plan
        self.archive = archive
        self.parallel = parallel
        self.workers = effective_n_jobs(parallel.n_jobs)
        self.store = store
        self.recorded = [] if store is None else list(store.records)
        self.explained_late = plan.names(EXPLANATION) if lazy else []
        self.error_score = error_score
        self.step = step
        self.out_of_time = out_of_time
        self.scoring_error: str | None = None
        self.exception: Exception | None = None

    def __call__(self, todo: Sequence[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[Candidate]:
        """Candidates of the keys and parameters, as many as there was time for."""
        done = self._recorded(todo)
        left = todo[len(done) :]
        size = 1
        if self.workers > 1:
            size = math.ceil(self.workers * _FITS_A_WORKER / len(self.plan.splits))
        for start in range(0, len(left), size):
            if self.out_of_time() and (self.archive.candidates or done):
                break
            for candidate in self._evaluate(left[start : start + size]):
                if self.store is not None:
                    self.store.append(candidate.to_json())
                done.append(candidate)
                self.step()
        return done

    def _recorded(self, todo: Sequence[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[Candidate]:
        taken, self.recorded = self.recorded[: len(todo)], self.recorded[len(todo) :]
        out = []
        for record, (key, params) in zip(taken, todo, strict=False):
            if tuple(record["key"]) != key:
                raise ValueError(
                    "checkpoint: its candidates are not those of this search, for it was written "
                    "by another version of skfairprop or pymoo; delete the file to start anew"
                )
            out.append(Candidate.from_json(record, params))
        return out

    def _evaluate(self, todo: Sequence[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[Candidate]:
        tasks = [
            (self.job, params, train, test, f)
            for _, params in todo
            for f, (train, test) in enumerate(self.plan.splits)
        ]
        results = iter(self._map(fit_fold, tasks))
        folds = [[next(results) for _ in self.plan.splits] for _ in todo]
        out = [self._measure(*task, found) for task, found in zip(todo, folds, strict=True)]
        if self.explained_late:
            self._explain(out, folds)
        return out

    def _measure(
        self, key: tuple[Any, ...], params: dict[str, Any], folds: list[FoldResult]
    ) -> Candidate:
        out = Candidate(
            key, params, [fold.fit_time for fold in folds], [fold.score_time for fold in folds]
        )
        out.error = next((fold.error for fold in folds if fold.error is not None), None)
        if out.error is not None:
            found = [fold.exception for fold in folds if fold.exception is not None]
            self.exception = self.exception or (found[0] if found else None)
            return out
        shown = [self._numbers(fold.values, self.error_score) for fold in folds]
        for fold in folds:
            fold.values = self._numbers(fold.values, math.nan)
        if self.job.train_scoring is not None:
            out.train_values = [self._numbers(f.train_values, self.error_score) for f in folds]
        try:
            out.measured = measure(self.plan, folds)
        except Exception:
            if self.job.raises:
                raise
            out.error = traceback.format_exc()
        else:
            self._show(out, shown)
        return out

    def _show(self, candidate: Candidate, shown: list[dict[str, float]]) -> None:
        """The error score stands in ``cv_results_`` only: a 0 would be the best of gaps."""
        assert candidate.measured is not None
        for name in shown[0]:
            candidate.measured.fold_values[name][:] = [one[name] for one in shown]

    def _explain(self, candidates: list[Candidate], folds: list[list[FoldResult]]) -> None:
        """Look at the explanations of those that could be on the front."""
        for candidate in candidates:
            candidate.explained = False
        chosen = [i for i, one in enumerate(candidates) if self.archive.worth_explaining(one)]
        tasks = [
            (self.job, fold.estimator, test)
            for i in chosen
            for fold, (_, test) in zip(folds[i], self.plan.splits, strict=True)
        ]
        results = iter(self._map(explain_fold, tasks))
        for i, candidate in enumerate(candidates):
            if i not in chosen or candidate.measured is None:
                continue
            candidate.explained = True
            found = [next(results) for _ in self.plan.splits]
            times = zip(candidate.score_times, (seconds for _, seconds in found), strict=True)
            candidate.score_times = [a + b for a, b in times]
            values = [self._numbers(one, math.nan) for one, _ in found]
            for name in self.explained_late:
                candidate.measured.values[name][:] = np.mean([one[name] for one in values])
            self._show(candidate, [self._numbers(one, self.error_score) for one, _ in found])

    def _map(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self.workers == 1:
            return [function(*task) for task in tasks]
        return self.parallel(delayed(function)(*task) for task in tasks)

    def _numbers(self, values: dict[str, Any] | None, failed: float) -> dict[str, float]:
        """Scores as numbers; scikit-learn gives the traceback of a scorer that failed."""
        out = {}
        for name, value in (values or {}).items():
            value = value.item() if np.size(value) == 1 and hasattr(value, "item") else value
            if isinstance(value, str) and value.startswith("Traceback"):
                self.scoring_error = self.scoring_error or f"{name}: {value}"
                value = failed
            if not isinstance(value, Real):
                raise ValueError(
                    f"objectives: {name!r} must return a number; it returned a "
                    f"{type(value).__name__}"
                )
            out[name] = float(value)
        return out
