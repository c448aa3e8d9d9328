"""Candidates that were evaluated: their losses, their constraints, and who is on the front."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skfairprop.model_selection._pareto import nondominated
from skfairprop.model_selection._uef._algorithm import FAILED
from skfairprop.model_selection._uef._points import Measured

SELECTION_RATE = "selection_rate"


@dataclass
class Candidate:
    """One fit of the search (on each fold).

    Attributes
    ----------
    key : tuple
        Of its point in the space.
    params : dict
    fit_times, score_times : list of float, one for each fold
    train_values : list of dict
        Scores on the training rows of each fold, where they are wanted.
    measured : Measured or None
        None if it failed.
    explained : bool
        Whether its explanations were looked at, or there are none to look at.
    error : str or None
        Traceback of the first failure.
    """

    key: tuple[Any, ...]
    params: dict[str, Any]
    fit_times: list[float]
    score_times: list[float]
    train_values: list[dict[str, float]] = field(default_factory=list)
    measured: Measured | None = None
    explained: bool = True
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """All but the parameters, as JSON values from which it is made again to the last bit."""
        record = {
            "key": list(self.key),
            "fit_times": self.fit_times,
            "score_times": self.score_times,
            "train_values": self.train_values,
            "explained": self.explained,
            "error": self.error,
        }
        if (m := self.measured) is not None:
            rates = None if m.selection_rates is None else m.selection_rates.tolist()
            record["measured"] = {
                "thresholds": m.thresholds.tolist(),
                "fold_values": {k: v.tolist() for k, v in m.fold_values.items()},
                "pooled_values": m.pooled_values,
                "values": {k: v.tolist() for k, v in m.values.items()},
                "selection_rates": rates,
                "constant": m.constant.tolist(),
            }
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any], params: dict[str, Any]) -> "Candidate":
        """The candidate of a record."""
        fields = {k: v for k, v in record.items() if k not in ("key", "measured")}
        out = cls(key=tuple(record["key"]), params=params, **fields)
        if (m := record.get("measured")) is not None:
            rates = m["selection_rates"]
            out.measured = Measured(
                np.array(m["thresholds"], dtype=float),
                {k: np.array(v, dtype=float) for k, v in m["fold_values"].items()},
                dict(m["pooled_values"]),
                {k: np.array(v, dtype=float) for k, v in m["values"].items()},
                None if rates is None else np.array(rates, dtype=float),
                np.array(m["constant"], dtype=bool),
            )
        return out


@dataclass(frozen=True)
class Constraint:
    """A range for the share of the positive class, or for a score."""

    name: str
    low: float
    high: float

    def value(self, measured: Measured) -> np.ndarray:
        """What it looks at, at each choice of a candidate, shape (P,)."""
        if self.name == SELECTION_RATE:
            if measured.selection_rates is None:
                return np.full(len(measured.thresholds), math.nan)
            return measured.selection_rates
        return measured.values[self.name]

    def excess(self, measured: Measured) -> np.ndarray:
        """How far out of its range that is; 0 inside."""
        value = self.value(measured)
        out = np.maximum(np.maximum(self.low - value, value - self.high), 0.0)
        return np.where(np.isnan(value), FAILED, out)


class Archive:
    """All candidates of a search, and what decides whether another one is worth explaining.

    Parameters
    ----------
    objectives : sequence of str
    explained : sequence of str
        Objectives that are explanations.
    constraints : sequence of Constraint
    n_first : int
        Candidates that are explained in any case.
    optimism : float
        Which quantile of the losses seen is taken for that of a candidate not yet explained.
    tolerance : float
        By how much such a candidate has to be better, as a share of the range of each objective.

    Notes
    -----
    Measured at 60 candidates with the defaults of both: logistic regression on Adult, COMPAS,
    German credit and recidivism needs 37 to 75 % of the explanations for .998 of the hypervolume,
    boosting on Adult 85 % for .993. A tolerance of .02 would save half of that again, but lost
    16 % of the hypervolume once.
    """

    def __init__(
        self,
        objectives: Sequence[str],
        explained: Sequence[str],
        constraints: Sequence[Constraint],
        *,
        n_first: int,
        optimism: float = 0.25,
        tolerance: float = 0.005,
    ) -> None:
        self.objectives = list(objectives)
        self.explained = set(explained)
        self.late = [i for i, name in enumerate(objectives) if name in explained]
        self.constraints = list(constraints)
        self.n_first = n_first
        self.optimism = optimism
        self.tolerance = tolerance
        self.candidates: list[Candidate] = []
        self._front = np.empty((0, len(self.objectives)))
        self._seen: list[np.ndarray] = []
        self._least = np.full(len(self.objectives), np.inf)
        self._most = -self._least

    @property
    def n_explained(self) -> int:
        """Number of candidates whose explanations were looked at."""
        looked_at = [c.explained and c.measured is not None for c in self.candidates]
        return sum(looked_at) if self.explained else 0

    def losses(self, candidate: Candidate) -> np.ndarray:
        """Losses (P, m), NaN where undefined; one row of NaN for a candidate that failed."""
        if candidate.measured is None:
            return np.full((1, len(self.objectives)), math.nan)
        return -np.column_stack([candidate.measured.values[name] for name in self.objectives])

    def excess(self, candidate: Candidate) -> np.ndarray:
        """By how much the choices of a candidate violate the constraints, (P,)."""
        if candidate.measured is None:
            return np.array([FAILED])
        out = np.zeros(len(candidate.measured.thresholds))
        for constraint in self.constraints:
            out += constraint.excess(candidate.measured)
        return out

    def worth_explaining(self, candidate: Candidate) -> bool:
        """Whether the candidate could be on the front if its explanations were good ones."""
        if candidate.measured is None:
            return False
        if len(self._seen) < self.n_first:
            return True
        excess = np.zeros(len(candidate.measured.thresholds))
        for constraint in self.constraints:
            if constraint.name not in self.explained:
                excess += constraint.excess(candidate.measured)
        hoped = self._hoped(candidate)[excess <= 0]
        slack = self.tolerance * np.maximum(self._most - self._least, 0)
        dominated = [(self._front <= row + slack).all(1).any() for row in hoped]
        return not all(dominated)

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Take in a generation."""
        self.candidates.extend(candidates)
        held = [self._front]
        for candidate in candidates:
            losses = self.losses(candidate)
            if self.late and candidate.measured is not None and candidate.explained:
                seen = losses[0, self.late]
                if np.isfinite(seen).all():
                    self._seen.append(seen)
            held.append(losses[self.excess(candidate) <= 0])
        rows = np.concatenate(held)
        finite = rows[np.isfinite(rows).all(1)]
        self._least = np.minimum(self._least, finite.min(0, initial=np.inf))
        self._most = np.maximum(self._most, finite.max(0, initial=-np.inf))
        self._front = rows[nondominated(rows)]

    def worth(self, candidate: Candidate) -> tuple[np.ndarray, np.ndarray]:
        """Losses and violations of the choices that the algorithm needs to know of.

        These are its non-dominated ones that meet the constraints, or the one that misses them the
        least. Everything is finite.
        """
        losses, excess = self._hoped(candidate), self.excess(candidate)
        # FAILED alone would be a good loss beside squared errors of prices
        excess = np.where(np.isfinite(losses).all(1), excess, FAILED)
        losses = np.where(np.isfinite(losses), losses, FAILED)
        allowed = np.flatnonzero(excess <= 0)
        if not len(allowed):
            allowed = np.array([int(excess.argmin())])
        kept = allowed[nondominated(losses[allowed])]
        return losses[kept], excess[kept]

    def _hoped(self, candidate: Candidate) -> np.ndarray:
        losses = self.losses(candidate)
        if self.late and not candidate.explained and self._seen:
            losses[:, self.late] = np.quantile(np.array(self._seen), self.optimism, axis=0)
        return losses
