"""Search for models that are accurate, fair in outcome, and fair in procedure."""

import time
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import check_scoring
from sklearn.model_selection import FixedThresholdClassifier

# The one private module of scikit-learn that is used: its searches have no public base class.
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import check_is_fitted

from skfairprop._progress import Progress
from skfairprop._random import RandomState, as_generator
from skfairprop._suggest import closest
from skfairprop.model_selection._checkpoint import describe, describe_estimator, digest
from skfairprop.model_selection._pareto import choose
from skfairprop.model_selection._uef_algorithm import Proposer, make_strategy
from skfairprop.model_selection._uef_candidates import SELECTION_RATE, Archive, Candidate
from skfairprop.model_selection._uef_ensemble import FoldEnsemble
from skfairprop.model_selection._uef_evaluate import Evaluator, SearchCheckpoint
from skfairprop.model_selection._uef_folds import Data, Job, prepare
from skfairprop.model_selection._uef_front import Front, fold_results
from skfairprop.model_selection._uef_objectives import (
    COUNTS,
    EXPLANATION,
    FOLD,
    ROWS,
    kind_of,
    read_objectives,
    values_of_counts,
)
from skfairprop.model_selection._uef_points import Plan
from skfairprop.model_selection._uef_settings import (
    OWNER,
    budget_of,
    check_arguments,
    check_choice,
    classes_of,
    make_splits,
    make_views,
    positive_of,
    read_constraints,
    sweep_of,
)
from skfairprop.model_selection._uef_space import Point, SearchSpace


class UEFSearchCV(BaseSearchCV):
    """Search."""

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        objectives: Any,
        sensitive_features: Any = None,
        pos_label: Hashable | None = None,
        algorithm: str = "nsga2",
        population_size: int | None = None,
        n_generations: int | None = None,
        n_evaluations: int | None = None,
        time_budget: float | None = None,
        start: Any = "estimator",
        thresholds: int | None = 24,
        pooled: bool = True,
        lazy: bool = True,
        constraints: Any = "auto",
        infeasible: str = "raise",
        choice: Any = "constrained",
        weights: Sequence[float] | None = None,
        within: float = 0.02,
        refit: Any = True,
        cv: Any = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        verbose: bool | int | None = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            estimator,
            scoring=None,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_distributions = param_distributions
        self.objectives = objectives
        self.sensitive_features = sensitive_features
        self.pos_label = pos_label
        self.algorithm = algorithm
        self.population_size = population_size
        self.n_generations = n_generations
        self.n_evaluations = n_evaluations
        self.time_budget = time_budget
        self.start = start
        self.thresholds = thresholds
        self.pooled = pooled
        self.lazy = lazy
        self.constraints = constraints
        self.infeasible = infeasible
        self.choice = choice
        self.weights = weights
        self.within = within
        self.checkpoint = checkpoint
        self.random_state = random_state

    # -- fit ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **params: Any) -> "UEFSearchCV":
        """Search, and fit the chosen model to all rows."""
        began = time.monotonic()
        check_arguments(self)
        X, y = indexable(X, y)
        space = SearchSpace(self.estimator, self.param_distributions)
        store, seed = self._open(X, y, space)
        scorers = self._find_scorers(seed)
        routed = self._route(scorers, params)
        plan, constraints = self._plan(X, y, scorers, routed, seed)
        job = self._job(X, y, plan, routed, seed)
        n_evaluations, size = budget_of(self, space.size)
        archive = Archive(
            self._names, plan.names(EXPLANATION), constraints, n_first=min(size, n_evaluations)
        )
        progress = Progress(OWNER, n_evaluations, unit="candidates", verbose=self._shows_progress())
        with Parallel(n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch) as parallel:
            evaluator = Evaluator(
                job,
                plan,
                archive,
                parallel=parallel,
                store=store,
                lazy=self.lazy,
                error_score=self.error_score,
                step=progress.step,
                out_of_time=lambda: _is_over(began, self.time_budget),
            )
            generations = self._run(space, evaluator, archive, n_evaluations, size, seed)
        self._keep(archive, plan, scorers, evaluator, generations)
        if self.refit is not False:
            self._choose_and_fit(X, y, routed, plan, seed)
        return self

    def _run(
        self,
        space: SearchSpace,
        evaluator: Evaluator,
        archive: Archive,
        n_evaluations: int,
        size: int,
        seed: int,
    ) -> list[int]:
        """Evaluate generation after generation; the numbers of candidates after each."""
        first = self._first_points(space)
        strategy = make_strategy(
            self.algorithm,
            space,
            start=first,
            population_size=size,
            budget=n_evaluations,
            n_objectives=len(self._names),
            seed=seed,
        )
        proposer = Proposer(strategy, space, seed)
        generations: list[int] = []
        while (n := len(archive.candidates)) < n_evaluations:
            wanted = max(size, len(first)) if not n else size
            points = proposer.ask(min(wanted, n_evaluations - n))
            if not points:
                break
            done = evaluator([(space.key(point), space.decode(point)) for point in points])
            archive.add(done)
            generations.append(len(archive.candidates))
            if len(done) < len(points):
                break
            worth = [archive.worth(candidate) for candidate in done]
            strategy.tell(points, [loss for loss, _ in worth], [excess for _, excess in worth])
        return generations

    def _first_points(self, space: SearchSpace) -> list[Point]:
        """Points to start from: the estimator's own parameters, or those that are given."""
        if isinstance(self.start, str) and self.start == "estimator":
            own = space.encode(self.estimator.get_params(deep=True))
            return [] if own is None else [own]
        own_params = self.estimator.get_params(deep=True)
        points = []
        for params in self.start or ():
            for name in params:
                if not any(name in branch for branch in space.branches):
                    known = [name for branch in space.branches for name in branch]
                    raise ValueError(f"start: {name!r} is not searched{closest(name, known)}")
            point = space.encode({**own_params, **params})
            if point is None:
                raise ValueError(f"start: {params!r} is not in the space of param_distributions")
            points.append(point)
        return points

    # -- what the work needs --------------------------------------------------------------------

    def _open(self, X: Any, y: Any, space: SearchSpace) -> tuple[SearchCheckpoint | None, int]:
        seed = int(as_generator(self.random_state).integers(2**31 - 1))
        if self.checkpoint is None:
            return None, seed
        settings = self.get_params(deep=False)
        for name in ("estimator", "param_distributions", "checkpoint", *_WITHOUT_EFFECT):
            settings.pop(name, None)
        settings["random_state"] = None if self.random_state is None else seed
        search: dict[str, Any] = {name: describe(value) for name, value in settings.items()}
        search |= {"X": digest(X), "y": digest(y), "space": space.describe()}
        search |= describe_estimator("estimator", self.estimator)
        store = SearchCheckpoint(self.checkpoint, search, seed)
        return store, store.seed

    def _find_scorers(self, seed: int | None = None) -> dict[str, Any]:
        """Scorers by name: the objectives, then those that only constraints look at."""
        options = {
            "sensitive_features": self.sensitive_features,
            "pos_label": self.pos_label,
            "seed": seed,
        }
        found = read_objectives(self.objectives, **options)
        if not 2 <= len(found) <= 5:
            raise ValueError(f"objectives must be 2 to 5 scorers; got {len(found)}")
        if isinstance(self.constraints, Mapping):
            others = [n for n in self.constraints if n not in found and n != SELECTION_RATE]
            found |= read_objectives(others, what="constraints", **options)
        return found

    @property
    def _names(self) -> list[str]:
        return list(read_objectives(self.objectives))

    def _get_scorers(self) -> tuple[Any, None]:
        """What the base class asks for its routing."""
        return self._combine(self._find_scorers()), None

    def _combine(self, scorers: Mapping[str, Any]) -> Any:
        """Scorers as one, which predicts once for all of them; None where there are none."""
        if not scorers:
            return None
        raises = self.error_score == "raise"
        return check_scoring(self.estimator, scoring=dict(scorers), raise_exc=raises)

    def _route(self, scorers: Mapping[str, Any], params: dict[str, Any]) -> Any:
        """Parameters of ``fit``, of the splitter, of all scorers, and of each of them."""
        params = {name: value for name, value in params.items() if value is not None}
        routed = self._get_routed_params_for_fit(params)
        score = dict(routed.scorer.score)
        routed.each = {name: _params_of(scorer, score) for name, scorer in scorers.items()}
        if _routing_enabled() and score:
            found = process_routing(self._combine(scorers), "score", **score)
            routed.each = {name: dict(found[name].score) for name in scorers}
        return routed

    def _plan(self, X: Any, y: Any, scorers: dict[str, Any], routed: Any, seed: int) -> Any:
        classes = classes_of(self.estimator, y)
        kinds = {name: kind_of(scorer) for name, scorer in scorers.items()}
        constraints = read_constraints(self, scorers, classes)
        rates = sweep_of(self, kinds, classes, constraints)
        kept = (COUNTS, ROWS, EXPLANATION) if classes else (EXPLANATION,)
        kinds = {name: kind if kind in kept else FOLD for name, kind in kinds.items()}
        n = len(y) if y is not None else _n_rows(X)
        views = make_views(
            {k: s for k, s in scorers.items() if kinds[k] in (COUNTS, ROWS)}, routed.each, X, y, n
        )
        groups = dict(routed.splitter.split)
        splits = make_splits(
            self.cv, X, y, groups, classifier=is_classifier(self.estimator), seed=seed
        )
        labels = np.asarray(y) if classes else np.empty(n)
        plan = Plan(
            scorers=scorers,
            kinds=kinds,
            views=views,
            splits=splits,
            y=labels,
            codes=np.searchsorted(np.asarray(classes), labels) if classes else labels,
            classes=classes,
            rates=rates,
            positive=positive_of(classes, self.pos_label),
            pooled=self.pooled,
        )
        for name in plan.names(COUNTS):  # refuse what cannot be computed before anything is fitted
            view = views[name]
            perfect = view.tabulate(np.arange(n), plan.codes, plan.codes, len(classes))
            values_of_counts(scorers[name], perfect, view, classes)
        return plan, constraints

    def _job(self, X: Any, y: Any, plan: Plan, routed: Any, seed: int) -> Job:
        late = plan.names(EXPLANATION) if self.lazy else []
        early = [*plan.names(FOLD), *([] if self.lazy else plan.names(EXPLANATION))]
        pick = lambda names: self._combine({n: plan.scorers[n] for n in names})  # noqa: E731
        return Job(
            estimator=self.estimator,
            data=Data(X, y, len(plan.y), dict(routed.estimator.fit), dict(routed.scorer.score)),
            scorer=pick(early),
            explainer=pick(late),
            train_scorer=self._combine(plan.scorers) if self.return_train_score else None,
            predicts=bool(plan.classes),
            positive=None if plan.rates is None else plan.classes[plan.positive],
            seed=None if self.random_state is None else seed,
            raises=self.error_score == "raise",
            keeps_estimator=bool(late),
        )

    def _shows_progress(self) -> bool | None:
        return None if self.verbose is None else bool(self.verbose)

    # -- what was found -------------------------------------------------------------------------

    def _keep(
        self,
        archive: Archive,
        plan: Plan,
        scorers: dict[str, Any],
        evaluator: Evaluator,
        generations: list[int],
    ) -> None:
        candidates = archive.candidates
        self.n_splits_ = len(plan.splits)
        self.multimetric_ = True
        self.scorer_ = scorers
        self.cv_results_ = self._results(candidates, plan)
        _report_failures(candidates, len(plan.splits), evaluator.scoring_error, self.error_score)
        self.n_explained_ = sum(c.explained for c in candidates) if archive.late else 0
        front = Front(archive, infeasible=self.infeasible)
        self._front = front
        self.pareto_front_ = front.table()
        self.pareto_index_ = np.unique(self.pareto_front_["cv_index"].to_numpy())
        self.hypervolume_ = front.hypervolumes(generations)

    def _results(self, candidates: list[Candidate], plan: Plan) -> dict[str, Any]:
        """One row for each candidate, as scikit-learn's searches have it."""
        rows = [row for c in candidates for row in fold_results(c, plan, self.error_score)]
        pooled = {
            f"pooled_test_{name}": [
                c.measured.pooled_values[name] if c.measured is not None else np.nan
                for c in candidates
            ]
            for name in plan.names(COUNTS, ROWS)
        }
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "One or more of the", UserWarning)
            return self._format_results(
                [c.params for c in candidates], len(plan.splits), rows, pooled
            )

    def _choose_and_fit(self, X: Any, y: Any, routed: Any, plan: Plan, seed: int) -> None:
        self._take(self._position())
        began = time.perf_counter()
        seed_used = None if self.random_state is None else seed
        fit_params = dict(routed.estimator.fit)
        if self.refit == "ensemble":
            data = Data(X, y, len(plan.y), fit_params, {})
            model: Any = FoldEnsemble(
                [
                    prepare(self.estimator, self.best_params_, seed_used, f).fit(
                        data.features(train, train, False),
                        *data.labels(train),
                        **data.params("fit_params", train),
                    )
                    for f, (train, _) in enumerate(plan.splits)
                ]
            )
        else:
            model = prepare(self.estimator, self.best_params_, seed_used, len(plan.splits))
            model.fit(X, *(() if y is None else (y,)), **fit_params)
        if not np.isnan(self.best_threshold_):
            model = FixedThresholdClassifier(
                FrozenEstimator(model),
                threshold=self.best_threshold_,
                pos_label=plan.classes[plan.positive],
            ).fit(X, y)
        self.best_estimator_ = model
        self.refit_time_ = time.perf_counter() - began
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    def _position(self) -> int:
        """Position in ``pareto_front_`` of the point to take."""
        if not callable(self.refit):
            return self._choose(self.choice, self.weights, self.within)
        row = self._select_best_index(self.refit, None, self.cv_results_)
        there = np.flatnonzero(self.pareto_front_["cv_index"] == row)
        if not len(there):
            raise ValueError(f"refit chose row {row} of cv_results_, which is not on the front")
        return int(there[self._choose(self.choice, self.weights, self.within, there)])

    def _choose(self, choice: Any, weights: Any, within: float, rows: Any = None) -> int:
        losses = -self.pareto_front_[self._names].to_numpy()
        if rows is not None:
            losses = losses[rows]
        return choose(losses, rule=choice, weights=weights, within=within)

    def _take(self, position: int) -> None:
        point = self.pareto_front_.iloc[position]
        self.best_point_ = position
        self.best_index_ = int(point["cv_index"])
        self.best_threshold_ = float(point["threshold"])
        self.best_score_ = float(point[self._names[0]])
        self.best_params_ = self.cv_results_["params"][self.best_index_]

    # -- afterwards -----------------------------------------------------------------------------

    def select(
        self, choice: Any = None, *, weights: Sequence[float] | None = None, within: float = 0.02
    ) -> pd.Series:
        """Choose another point."""
        check_is_fitted(self, "pareto_front_")
        check_choice(weights, within)
        position = self._choose(self.choice if choice is None else choice, weights, within)
        return self.pareto_front_.iloc[position]

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """First objective."""
        check_is_fitted(self, "best_estimator_")
        name = self._names[0]
        scorer = self.scorer_[name]
        given: dict[str, Any] = {}
        if params:
            if not _routing_enabled():
                raise ValueError(
                    f"{OWNER}.score takes {next(iter(params))!r} only with "
                    "sklearn.set_config(enable_metadata_routing=True)"
                )
            score = process_routing(self, "score", **params).scorer["score"]
            given = process_routing(self._combine(self.scorer_), "score", **score)[name].score
        labels = () if y is None else (y,)
        return scorer(self.best_estimator_, X, *labels, **given)


# Arguments that do not change what a candidate is worth.
_WITHOUT_EFFECT = (
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


def _routing_enabled() -> bool:
    return bool(get_config().get("enable_metadata_routing", False))


def _params_of(scorer: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """What a scorer is passed with routing off: weights, if it takes them."""
    accepts = getattr(scorer, "_accept_sample_weight", lambda: False)
    return dict(params) if accepts() else {}


def _n_rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _is_over(began: float, time_budget: float | None) -> bool:
    return time_budget is not None and time.monotonic() - began > time_budget


def _report_failures(
    candidates: list[Candidate], n_splits: int, scoring_error: str | None, error_score: Any
) -> None:
    failed = [c for c in candidates if c.error is not None]
    if failed:
        first = str(failed[0].error)
        if len(failed) == len(candidates):
            raise ValueError(
                f"all {len(failed):,} candidates failed; the first, {failed[0].params!r}:\n{first}"
            )
        warnings.warn(
            f"{len(failed):,} of {len(candidates):,} candidates failed and are not on the front; "
            f"the first, {failed[0].params!r}:\n{first}",
            FitFailedWarning,
            stacklevel=4,
        )
    if scoring_error is not None:
        warnings.warn(
            f"an objective failed for some candidates, whose score is {error_score} there; the "
            f"first: {scoring_error}",
            UserWarning,
            stacklevel=4,
        )
