"""How a search goes through its space: which points to try next, given what others were worth."""

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from skfairprop._optional import import_optional
from skfairprop.model_selection._uef._space import Point, SearchSpace

ALGORITHMS = ("nsga2", "random")
# Loss and violation of a candidate that failed: pymoo takes a NaN for the best there is.
FAILED = 1e10
# How often to ask for points that were not tried before, until the space is taken for empty.
_TRIES = 20


class Strategy(Protocol):
    """Proposes points and is told their worth."""

    def propose(self, n: int) -> list[Point]:
        """Points to try next; some may have been tried, and there may be fewer or none."""
        ...

    def tell(self, points: list[Point], losses: list[np.ndarray], excess: list[np.ndarray]) -> None:
        """Worth of points: losses (k, m) and violations (k,) of the k choices that each offers."""
        ...


def make_strategy(
    algorithm: str,
    space: SearchSpace,
    *,
    start: list[Point],
    population_size: int,
    listed: bool,
    n_objectives: int,
    seed: int,
) -> Strategy:
    """The strategy of a name; where `listed`, the space is gone through in its order."""
    if listed:
        return _Listed(start, space.every())
    if algorithm == "random":
        return _Random(start, space, seed)
    spread = space.spread(max(population_size - len(start), 0), seed)
    return _Nsga2(space, [*start, *spread], population_size, n_objectives, seed)


class Proposer:
    """New points only: those a strategy proposes that were not tried before."""

    def __init__(self, strategy: Strategy, space: SearchSpace, seed: int) -> None:
        self.strategy = strategy
        self.space = space
        self.seen: set[tuple[Any, ...]] = set()
        self.rng = np.random.default_rng([seed, 2])

    def ask(self, n: int) -> list[Point]:
        """At most n points, all different and all new; none if there are no more."""
        fresh: list[Point] = []
        for _ in range(_TRIES):
            self._keep_new(self.strategy.propose(n), fresh, n)
            if len(fresh) == n or len(self.seen) >= self.space.size:
                return fresh
        for _ in range(_TRIES):
            self._keep_new(self.space.draw(n, self.rng), fresh, n)
        if len(fresh) < n and np.isfinite(self.space.size):  # there are a few left somewhere
            self._keep_new(self.space.every(), fresh, n)
        return fresh

    def _keep_new(self, points: Iterable[Point], fresh: list[Point], n: int) -> None:
        for point in points:
            if len(fresh) == n:
                return
            key = self.space.key(point)
            if key not in self.seen:
                self.seen.add(key)
                fresh.append(point)


class _Listed:
    """Points that are known from the start."""

    def __init__(self, start: list[Point], points: Iterable[Point]) -> None:
        self.start = start
        self.points = iter(points)

    def propose(self, n: int) -> list[Point]:
        first, self.start = self.start[:n], self.start[n:]
        return first or [point for point, _ in zip(self.points, range(n), strict=False)]

    def tell(self, points: list[Point], losses: list[np.ndarray], excess: list[np.ndarray]) -> None:
        pass


class _Random(_Listed):
    """Independent draws, after those to start from."""

    def __init__(self, start: list[Point], space: SearchSpace, seed: int) -> None:
        super().__init__(start, [])
        self.space = space
        self.rng = np.random.default_rng([seed, 1])

    def propose(self, n: int) -> list[Point]:
        first, self.start = self.start[:n], self.start[n:]
        return first + self.space.draw(n - len(first), self.rng)


class _Nsga2:
    """NSGA-II of pymoo by ask and tell, with variables of several kinds.

    A candidate that offers several choices (thresholds) is in the population once for each of them
    that survives, so that those with many good ones are mated more often.
    """

    def __init__(
        self, space: SearchSpace, start: list[Point], size: int, n_objectives: int, seed: int
    ) -> None:
        nsga2 = import_optional("pymoo.algorithms.moo.nsga2", extra="search")
        mixed = import_optional("pymoo.core.mixed", extra="search")
        tournament = import_optional("pymoo.operators.selection.tournament", extra="search")
        problem = import_optional("pymoo.core.problem", extra="search")
        self.population = import_optional("pymoo.core.population", extra="search").Population
        self.names = list(space.variables())
        self.start = start
        # pymoo's own class for such variables selects parents at random.
        different = mixed.MixedVariableDuplicateElimination()
        self.algorithm = nsga2.NSGA2(
            pop_size=size,
            sampling=self.population.new(X=[self._genes(point) for point in start]),
            mating=mixed.MixedVariableMating(
                selection=tournament.TournamentSelection(func_comp=nsga2.binary_tournament),
                eliminate_duplicates=different,
            ),
            eliminate_duplicates=different,
        )
        self.algorithm.setup(
            problem.Problem(vars=space.variables(), n_obj=n_objectives, n_ieq_constr=1),
            termination=("n_gen", np.inf),
            seed=seed,
        )

    def propose(self, n: int) -> list[Point]:
        if not self.algorithm.is_initialized:
            first, self.start = self.start[:n], self.start[n:]
            return first
        found = self.algorithm.ask()
        return [] if found is None else [dict(individual.X) for individual in found]

    def tell(self, points: list[Point], losses: list[np.ndarray], excess: list[np.ndarray]) -> None:
        if not self.algorithm.is_initialized:
            self.algorithm.ask()  # sets the algorithm up; the points are ours
        told = self.population.new(
            X=[self._genes(p) for p, rows in zip(points, losses, strict=True) for _ in rows],
            F=np.concatenate(losses),
            G=np.concatenate(excess)[:, None],
            H=np.empty((sum(map(len, losses)), 0)),
        )
        for individual in told:
            individual.evaluated.update(("F", "G", "H"))
        self.algorithm.tell(infills=told)

    def _genes(self, point: Point) -> Point:
        return {name: point.get(name, 0) for name in self.names}
