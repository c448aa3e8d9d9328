"""What a search works with: its scorers and what they are passed, its folds, its checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import process_routing

from skfairprop._metadata import takes_sensitive_features
from skfairprop._optional import import_optional
from skfairprop._random import draw_seed
from skfairprop._rows import count_rows, is_row_aligned
from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.meta._delegating import routing_enabled
from skfairprop.metrics import evaluate
from skfairprop.model_selection._checkpoint import describe, describe_estimator, digest
from skfairprop.model_selection._pareto import choose
from skfairprop.model_selection._uef._candidates import SELECTION_RATE, Constraint
from skfairprop.model_selection._uef._evaluate import SearchCheckpoint
from skfairprop.model_selection._uef._folds import Data, Job, Scoring
from skfairprop.model_selection._uef._objectives import (
    COUNTS,
    EXPLANATION,
    FOLD,
    ROWS,
    kind_of,
    objective_names,
    read_objectives,
    values_of_counts,
)
from skfairprop.model_selection._uef._points import Plan
from skfairprop.model_selection._uef._settings import (
    budget_of,
    check_arguments,
    classes_of,
    make_splits,
    make_views,
    positive_of,
    read_constraints,
    sweep_of,
)
from skfairprop.model_selection._uef._space import SearchSpace
from skfairprop.model_selection._uef._views import Cells, View
from skfairprop.scorers._group_scorer import GroupScorer
from skfairprop.scorers._sklearn import takes_weights

# Arguments that do not change what a candidate is worth; nor, of the budgets, which come first.
_WITHOUT_EFFECT = (
    "checkpoint",
    "n_evaluations",
    "n_generations",
    "n_jobs",
    "pre_dispatch",
    "verbose",
    "time_budget",
    "choice",
    "weights",
    "within",
    "refit",
    "infeasible",
)
# Of the front, beside the objectives.
_COLUMNS = {SELECTION_RATE, "threshold", "cv_index"}


@dataclass(frozen=True)
class Setup:
    """Everything that is settled before the first fit.

    Attributes
    ----------
    names : list of str
        Of the objectives.
    space : SearchSpace
    plan : Plan
    constraints : list of Constraint
    job : Job
    store : SearchCheckpoint or None
    seed : int
    population_size : int
    listed : bool
        Whether the budget covers the space, which is then gone through in its order.
    """

    names: list[str]
    space: SearchSpace
    plan: Plan
    constraints: list[Constraint]
    job: Job
    store: SearchCheckpoint | None
    seed: int
    population_size: int
    listed: bool


def make_setup(
    search: Any, X: Any, y: Any, params: dict[str, Any], seed: int | None = None
) -> Setup:
    """Check the arguments of a search and of its ``fit``, and settle what follows from them.

    `seed` is that of an earlier run; None draws one from ``random_state``.
    """
    check_arguments(search)
    import_optional("pymoo", extra="search")  # now, and not after hours for the hypervolume
    space = SearchSpace(search.estimator, search.param_distributions)
    if seed is None:
        seed = draw_seed(search.random_state)
    cv = search.cv
    if hasattr(cv, "__iter__") and not hasattr(cv, "split"):  # a text has one
        cv = list(cv)  # a generator gives its splits once
    n_evaluations, size = budget_of(search, space.size)
    asked = search.population_size
    kept: dict[str, Any] = {"population_size": size, "listed": space.size <= n_evaluations}
    store = None
    if search.checkpoint is not None:
        study = _describe(search, cv, X, y, params, space, seed)
        store = SearchCheckpoint(search.checkpoint, study, seed, kept | {"asked": asked})
        seed, kept = store.seed, dict(store.kept)
        if asked not in (None, kept.pop("asked"), kept["population_size"]):
            raise ValueError(
                f"checkpoint {str(search.checkpoint)!r} goes on with the population of its first "
                f"run, {kept['population_size']}; leave population_size out, or pass another path"
            )
    scorers = find_scorers(search, seed)
    taken = {f"param_{name}" for branch in space.branches for name in branch}
    for name in taken & set(scorers):
        raise ValueError(f"objectives: {name!r} is another column of pareto_front_; rename it")
    names = objective_names(search.objectives)
    # refuse now what does not fit the objectives, and what another choice would use
    options: dict[str, Any] = {"weights": search.weights, "within": search.within}
    for rule in {"chebyshev", "constrained", search.choice}:
        if not callable(rule):
            choose(np.zeros((1, len(names))), rule=rule, **options)
    routed = search._get_routed_params_for_fit(params)
    n = count_rows(X) if y is None else count_rows(y)
    data = Data(X, y, n, dict(routed.estimator.fit))
    plan, constraints = _make_plan(search, cv, data, scorers, routed, seed)
    return Setup(
        names=names,
        space=space,
        plan=plan,
        constraints=constraints,
        job=_make_job(search, data, plan, dict(routed.scorer.score), seed),
        store=store,
        seed=seed,
        **kept,
    )


def _describe(
    search: Any, cv: Any, X: Any, y: Any, params: dict[str, Any], space: SearchSpace, seed: int
) -> dict[str, Any]:
    """What a checkpoint is compared by.

    Not by the population where it follows from the budget: a larger budget goes on with that of
    the first run.
    """
    settings = search.get_params(deep=False)
    for name in ("estimator", "param_distributions", "population_size", *_WITHOUT_EFFECT):
        settings.pop(name, None)
    settings["random_state"] = None if search.random_state is None else seed
    out: dict[str, Any] = {name: describe(value) for name, value in settings.items()}
    if isinstance(cv, list):
        out["cv"] = joblib.hash(cv)
    out |= {"X": digest(X), "y": digest(y), "param_distributions": space.describe()}
    out |= {
        f"fit: {name}": digest(value) if is_row_aligned(value, count_rows(X)) else describe(value)
        for name, value in params.items()
    }
    return out | describe_estimator("estimator", search.estimator)


# -- scorers --------------------------------------------------------------------------------------


def find_scorers(search: Any, seed: int | None = None) -> dict[str, Any]:
    """Scorers of a search by name: the objectives, then those that only constraints look at."""
    options = {
        "sensitive_features": search.sensitive_features,
        "pos_label": search.pos_label,
        "seed": seed,
    }
    found = read_objectives(search.objectives, **options)
    if not 2 <= len(found) <= 5:
        raise ValueError(f"objectives must be 2 to 5 scorers; got {len(found)}")
    for name in _COLUMNS & set(found):
        raise ValueError(f"objectives: {name!r} is another column of pareto_front_; rename it")
    if isinstance(search.constraints, Mapping):
        others = [n for n in search.constraints if n not in found and n != SELECTION_RATE]
        found |= read_objectives(others, what="constraints", **options)
    return found


def combine(search: Any, scorers: Mapping[str, Any]) -> Any:
    """Scorers as one, which predicts once for all of them."""
    raises = search.error_score == "raise"
    return check_scoring(search.estimator, scoring=dict(scorers), raise_exc=raises)


def params_of_each(
    search: Any, scorers: Mapping[str, Any], params: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """What each scorer is passed of the parameters of all."""
    if not params:
        return {name: {} for name in scorers}
    if routing_enabled():
        routed = process_routing(combine(search, scorers), "score", **params)
        return {name: dict(routed[name].score) for name in scorers}
    out = {}
    for name, scorer in scorers.items():  # sample_weight, if it takes it
        out[name] = dict(params) if takes_weights(scorer) else {}
    return out


def _scoring(search: Any, scorers: Mapping[str, Any], params: Mapping[str, Any]) -> Scoring | None:
    """Some of the scorers as one, with those of the parameters that they ask for."""
    if not scorers:
        return None
    scorer = combine(search, scorers)
    if routing_enabled():
        wanted = scorer.get_metadata_routing().consumes("score", params.keys())
        params = {name: value for name, value in params.items() if name in wanted}
    return Scoring(scorer, dict(params))


# -- plan and job ---------------------------------------------------------------------------------


def _make_plan(
    search: Any, cv: Any, data: Data, scorers: dict[str, Any], routed: Any, seed: int
) -> tuple[Plan, list[Constraint]]:
    classes = classes_of(search.estimator, data.y)
    if search.refit == "ensemble" and not classes:
        raise ValueError("refit='ensemble' averages classifiers; pass refit=True")
    if search.refit == "ensemble" and get_tags(search.estimator).input_tags.pairwise:
        raise ValueError(
            "refit='ensemble': each model would need the kernel with its own rows; pass refit=True"
        )
    kinds = {name: kind_of(scorer) for name, scorer in scorers.items()}
    constraints = read_constraints(search, scorers, classes)
    rates = sweep_of(search, kinds, classes, constraints)
    known = (COUNTS, ROWS, EXPLANATION) if classes else (EXPLANATION,)
    kinds = {name: kind if kind in known else FOLD for name, kind in kinds.items()}
    of_predictions = {name: s for name, s in scorers.items() if kinds[name] in (COUNTS, ROWS)}
    each = params_of_each(search, scorers, routed.scorer.score)
    n = data.n_rows
    labels = np.asarray(data.y) if classes else np.empty(n)
    everybody = View(np.zeros(n, dtype=np.intp), pd.Index([0]))
    views = make_views(of_predictions, each, data.X, data.y, everybody)
    splits = make_splits(
        cv,
        data.X,
        data.y,
        dict(routed.splitter.split),
        classifier=is_classifier(search.estimator),
        seed=seed,
    )
    codes = np.searchsorted(np.asarray(classes), labels) if classes else np.zeros(n, dtype=int)
    tests = [test for _, test in splits]
    cells = {id(v): Cells(v, tests, codes, len(classes) or 1) for v in [everybody, *views.values()]}
    plan = Plan(
        scorers=scorers,
        kinds=kinds,
        cells={name: cells[id(view)] for name, view in views.items()},
        everybody=cells[id(everybody)],
        splits=splits,
        y=labels,
        codes=codes,
        classes=classes,
        rates=rates,
        positive=positive_of(classes, search.pos_label),
        pooled=search.pooled,
    )
    _try_counts(plan)
    return plan, constraints


def _try_counts(plan: Plan) -> None:
    """Refuse what cannot be computed, and warn of what is undefined, before any fit.

    Every class is predicted equally often there: what is undefined then is so by the data, for all
    candidates, as the true positive rate of a group that has no positives.

    Raises
    ------
    ValueError
        If a metric of groups has no value at all.
    """
    n_classes = len(plan.classes)
    rows = np.concatenate([test for _, test in plan.splits])
    for name in plan.names(COUNTS):
        scorer, cells = plan.scorers[name], plan.cells[name]
        counts = cells.count(plan.codes[rows])
        try:
            values_of_counts(scorer, counts, cells.view, plan.classes)
        except ValueError as error:
            if "pos_label" not in str(error) or isinstance(scorer, GroupScorer):
                raise
            raise ValueError(
                f"{name!r} looks at one class, and the labels {name_some(plan.classes)} do not "
                "tell which; pass pos_label="
            ) from None
        if isinstance(scorer, GroupScorer):
            by_fold = counts.sum((1, -1))[..., None] / n_classes * np.ones(n_classes)
            for table in by_fold.sum(0, keepdims=True) if plan.pooled else by_fold:
                _try_metric(
                    name,
                    scorer,
                    GroupCounts(table, groups=cells.view.groups, classes=plan.classes),
                    plan,
                )


def _try_metric(name: str, scorer: GroupScorer, counts: GroupCounts, plan: Plan) -> None:
    measure = scorer.measure
    value = evaluate(
        counts,
        measure.metric,
        of=measure.of,
        pos_label=measure.pos_label,
        undefined=measure.undefined,
        **measure.options,
    )
    if np.isnan(value) and np.isnan(measure.undefined_score):
        where = "" if plan.pooled else " on each fold; pooled=True looks at all of them together"
        raise ValueError(
            f"{name!r} is undefined for these rows, whatever is predicted: it needs two groups "
            f"with rows of the classes that it compares{where}"
        )


def _make_job(search: Any, data: Data, plan: Plan, score_params: dict[str, Any], seed: int) -> Job:
    late = plan.names(EXPLANATION) if search.lazy else []
    early = [name for name in plan.names(FOLD, EXPLANATION) if name not in late]

    def pick(names: list[str]) -> Scoring | None:
        return _scoring(search, {name: plan.scorers[name] for name in names}, score_params)

    return Job(
        estimator=search.estimator,
        data=data,
        scoring=pick(early),
        explaining=pick(late),
        train_scoring=pick(list(plan.scorers)) if search.return_train_score else None,
        predicts=bool(plan.classes),
        positive=None if plan.rates is None else plan.classes[plan.positive],
        seed=None if search.random_state is None else seed,
        pairwise=get_tags(search.estimator).input_tags.pairwise,
        people=_people_for(search.estimator, plan),
        raises=search.error_score == "raise",
        keeps_estimator=bool(late),
    )


def _people_for(estimator: Any, plan: Plan) -> pd.DataFrame | None:
    """The protected columns, if the estimator's ``predict`` may ask for them, as post-processors'.

    With metadata routing a Pipeline may, too: it is asked on every fold.
    """
    frames = [c.view.frame for c in plan.cells.values() if c.view.frame is not None]
    if not frames or not hasattr(estimator, "predict"):
        return None
    may_ask = routing_enabled() or takes_sensitive_features(estimator.predict)
    return frames[0] if may_ask else None
