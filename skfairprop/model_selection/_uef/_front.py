"""The front of a search: its table, its volume, and what is wrong with it."""

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.model_selection._pareto import hypervolume, nondominated
from skfairprop.model_selection._uef._candidates import SELECTION_RATE, Archive, Candidate
from skfairprop.model_selection._uef._points import Plan

# How far beyond the worst point the reference of the hypervolume lies, in ranges.
_MARGIN = 0.1


class Front:
    """Choices of all candidates that no other one dominates.

    Parameters
    ----------
    archive : Archive
    infeasible : {"raise", "least"}
        What to do if no candidate meets the constraints: refuse, or keep the least violating.
    failure : str, optional
        Traceback of an objective that failed first.

    Raises
    ------
    ValueError
        If an objective or a constraint is undefined for all candidates, or none meets the
        constraints.

    Warns
    -----
    UserWarning
        If the front has constant predictors, or the constraints are not met.
    """

    def __init__(self, archive: Archive, *, infeasible: str, failure: str | None = None) -> None:
        self.archive = archive
        done = [(i, c) for i, c in enumerate(archive.candidates) if c.measured is not None]
        sizes = [len(c.measured.thresholds) for _, c in done if c.measured is not None]
        self.candidate = np.repeat([i for i, _ in done], sizes)
        self.choice = np.concatenate([np.arange(size) for size in sizes])
        self.losses = np.concatenate([archive.losses(c) for _, c in done])
        excess = np.concatenate([archive.excess(c) for _, c in done])
        self._refuse_undefined(failure)
        usable = np.isfinite(self.losses).all(1)
        allowed = usable & (excess <= 0)
        if not allowed.any():
            allowed = usable & (excess == excess[usable].min())
            self._report_infeasible(float(excess[usable].min()), infeasible)
        self.allowed = np.flatnonzero(allowed)
        on = self.allowed[nondominated(self.losses[self.allowed])]
        self.rows = on[np.lexsort([self.choice[on], self.candidate[on], *self.losses[on].T[::-1]])]
        self._report_constant()

    def table(self) -> pd.DataFrame:
        """One row for each point: objectives, threshold, row of cv_results_, constraints, params.

        Sorted by the first objective, the best first.
        """
        archive = self.archive
        columns: dict[str, Any] = {
            name: -self.losses[self.rows, i] + 0.0 for i, name in enumerate(archive.objectives)
        }
        columns["threshold"] = self._of_rows(lambda m: m.thresholds)
        columns["cv_index"] = self.candidate[self.rows]
        if any(c.measured.selection_rates is not None for c in self._candidates()):
            columns[SELECTION_RATE] = self._of_rows(lambda m: m.selection_rates)
        for constraint in archive.constraints:
            if constraint.name not in columns:
                columns[constraint.name] = self._of_rows(constraint.value)
        params = [archive.candidates[i].params for i in self.candidate[self.rows]]
        for name in sorted({name for one in params for name in one}):
            found = np.empty(len(params), dtype=object)
            found[:] = [one.get(name) for one in params]
            columns[f"param_{name}"] = pd.Series(found, dtype=object).infer_objects()
        return pd.DataFrame(columns)

    def hypervolumes(self, generations: list[int]) -> pd.DataFrame:
        """Volume that is dominated after each generation, as a share of the box of all points.

        The box reaches from the best to a tenth beyond the worst of each objective, over the
        points that are allowed.
        """
        losses = self.losses[self.allowed]
        best, worst = losses.min(0), losses.max(0)
        scale = np.where(worst > best, worst - best, 1.0)
        unit = (losses - best) / scale / (1 + _MARGIN)
        known, volumes = np.empty((0, losses.shape[1])), []
        before = 0
        for n in generations:
            owner = self.candidate[self.allowed]
            new = unit[(owner >= before) & (owner < n)]
            known = np.concatenate([known, new])
            known = known[nondominated(known)]
            volumes.append(hypervolume(known, np.ones(losses.shape[1])))
            before = n
        return pd.DataFrame({"n_evaluations": generations, "hypervolume": volumes})

    def _candidates(self) -> Iterator[Any]:
        return (self.archive.candidates[i] for i in self.candidate[self.rows])

    def _of_rows(self, read: Any) -> np.ndarray:
        return np.array(
            [
                read(candidate.measured)[choice]
                for candidate, choice in zip(
                    self._candidates(), self.choice[self.rows], strict=True
                )
            ],
            dtype=float,
        )

    def _refuse_undefined(self, failure: str | None) -> None:
        why = "see cv_results_ for the folds"
        if failure is not None:
            why = f"the first failure was {failure.strip().splitlines()[-1]}"
        for i, name in enumerate(self.archive.objectives):
            if not np.isfinite(self.losses[:, i]).any():
                raise ValueError(
                    f"objectives: {name!r} is undefined (NaN or infinite) for all candidates; {why}"
                )
        if not np.isfinite(self.losses).all(1).any():
            raise ValueError(f"objectives: no candidate has all of them defined; {why}")
        measured = [c.measured for c in self.archive.candidates if c.measured is not None]
        for constraint in self.archive.constraints:
            if all(np.isnan(constraint.value(m)).all() for m in measured):
                raise ValueError(
                    f"constraints: {constraint.name!r} is undefined (NaN) for all candidates; "
                    f"leave it out, or mend what makes it so: {why}"
                )

    def _report_infeasible(self, least: float, infeasible: str) -> None:
        wanted = ", ".join(f"{c.name} in [{c.low:g}, {c.high:g}]" for c in self.archive.constraints)
        text = (
            f"no candidate meets the constraints ({wanted}); the least violating one misses them "
            f"by {least:.3g}"
        )
        if infeasible == "raise":
            raise ValueError(
                f"{text}; widen them, pass a larger n_evaluations, or infeasible='least' to have it"
            )
        warnings.warn(f"{text}; it is kept", UserWarning, stacklevel=5)

    def _report_constant(self) -> None:
        constant = self._of_rows(lambda m: m.constant).astype(bool)
        if constant.any():
            remedy = "a constraint on the first objective"
            if any(c.measured.selection_rates is not None for c in self._candidates()):
                remedy = "constraints={'selection_rate': (0.05, 0.95)}"
            warnings.warn(
                f"{int(constant.sum()):,} of {len(constant):,} points of the front predict the "
                f"same for everybody, which is fair and useless; pass {remedy}, or a utility that "
                "sees it",
                UserWarning,
                stacklevel=5,
            )


def fold_results(candidate: Candidate, plan: Plan, error_score: Any) -> list[dict[str, Any]]:
    """A candidate on each fold, as scikit-learn's searches format it."""
    missing = error_score if isinstance(error_score, int | float) else math.nan
    out = []
    for f in range(len(plan.splits)):
        m = candidate.measured
        scores = {
            name: missing if m is None else float(m.fold_values[name][f]) for name in plan.scorers
        }
        row: dict[str, Any] = {
            "test_scores": scores,
            "fit_time": candidate.fit_times[f],
            "score_time": candidate.score_times[f],
        }
        if candidate.train_values:
            row["train_scores"] = candidate.train_values[f]
        elif m is None:
            row["train_scores"] = dict.fromkeys(plan.scorers, missing)
        out.append(row)
    return out
