"""The search itself: generation after generation, until the budget or the space is used up."""

import time
from collections.abc import Mapping
from typing import Any

from sklearn.utils.parallel import Parallel

from skfairprop._progress import Progress
from skfairprop._suggest import closest
from skfairprop.model_selection._uef._algorithm import Proposer, make_strategy
from skfairprop.model_selection._uef._candidates import Archive
from skfairprop.model_selection._uef._evaluate import Evaluator
from skfairprop.model_selection._uef._objectives import EXPLANATION
from skfairprop.model_selection._uef._settings import OWNER, budget_of
from skfairprop.model_selection._uef._setup import Setup
from skfairprop.model_selection._uef._space import Point, SearchSpace


def run_search(search: Any, setup: Setup) -> tuple[Archive, list[int], Evaluator]:
    """Evaluate candidates.

    Returns
    -------
    archive : Archive
        Of all candidates.
    generations : list of int
        Number of candidates after each generation.
    evaluator : Evaluator
        What failed first.
    """
    began = time.monotonic()
    n_evaluations, size = budget_of(search, setup.space.size, setup.population_size)
    late = setup.plan.names(EXPLANATION)
    archive = Archive(setup.names, late, setup.constraints, n_first=size)
    progress = Progress(
        OWNER,
        n_evaluations,
        unit="candidates",
        done=0 if setup.store is None else len(setup.store.records),
        verbose=None if search.verbose is None else bool(search.verbose),
    )
    with Parallel(n_jobs=search.n_jobs, pre_dispatch=search.pre_dispatch) as parallel:
        evaluator = Evaluator(
            setup.job,
            setup.plan,
            archive,
            parallel=parallel,
            store=setup.store,
            lazy=search.lazy,
            error_score=search.error_score,
            step=progress.step,
            out_of_time=lambda: _is_over(began, search.time_budget),
        )
        generations = _run(search, setup, evaluator, archive, n_evaluations, size)
    return archive, generations, evaluator


def _run(
    search: Any, setup: Setup, evaluator: Evaluator, archive: Archive, n_evaluations: int, size: int
) -> list[int]:
    space = setup.space
    first = first_points(search, space)
    strategy = make_strategy(
        search.algorithm,
        space,
        start=first,
        population_size=size,
        listed=setup.listed,
        n_objectives=len(setup.names),
        seed=setup.seed,
    )
    proposer = Proposer(strategy, space, setup.seed)
    generations: list[int] = []
    while (n := len(archive.candidates)) < n_evaluations:
        wanted = size if n else max(size, len(first))
        points = proposer.ask(min(wanted, n_evaluations - n))
        if not points:
            break
        done = evaluator([(space.key(point), space.decode(point)) for point in points])
        archive.add(done)
        generations.append(len(archive.candidates))
        if len(done) < len(points):  # out of time
            break
        worth = [archive.worth(candidate) for candidate in done]
        strategy.tell(points, [loss for loss, _ in worth], [excess for _, excess in worth])
    return generations


def first_points(search: Any, space: SearchSpace) -> list[Point]:
    """Points to start from: the estimator's own parameters, or those that are given."""
    own = search.estimator.get_params(deep=True)
    if isinstance(search.start, str):
        if search.start != "estimator":
            raise ValueError(f"start must be 'estimator' or a list of dicts; got {search.start!r}")
        point = space.encode(own, nearly=True)
        return [] if point is None else [point]
    given = () if search.start is None else search.start
    if not isinstance(given, list | tuple) or not all(isinstance(one, Mapping) for one in given):
        raise TypeError(f"start must be 'estimator', a list of dicts or None; got {given!r}")
    points = []
    for params in given:
        known = {name for branch in space.branches for name in branch}
        for name in params:
            if name not in known:
                raise ValueError(f"start: {name!r} is not searched{closest(name, sorted(known))}")
        point = space.encode({**own, **params}, needed=params)
        if point is None:
            raise ValueError(f"start: {params!r} is not in the space of param_distributions")
        points.append(point)
    return points


def _is_over(began: float, time_budget: float | None) -> bool:
    return time_budget is not None and time.monotonic() - began > time_budget
