"""Search for models that are accurate, fair in outcome, and fair in procedure."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import indexable

from skfairprop._random import RandomState
from skfairprop._refit import forget_fit
from skfairprop._rows import is_row_aligned, take_rows
from skfairprop.model_selection._uef._candidates import Archive, Candidate
from skfairprop.model_selection._uef._evaluate import Evaluator
from skfairprop.model_selection._uef._fitted import FittedSearch
from skfairprop.model_selection._uef._front import Front, fold_results
from skfairprop.model_selection._uef._objectives import COUNTS, ROWS
from skfairprop.model_selection._uef._points import Plan
from skfairprop.model_selection._uef._refit import fit_chosen
from skfairprop.model_selection._uef._run import run_search
from skfairprop.model_selection._uef._settings import OWNER, as_labels, hold_out
from skfairprop.model_selection._uef._setup import Setup, make_setup


class UEFSearchCV(FittedSearch):
    """Search for the trade-off of utility, explanations and fairness, and take one model from it.

    A search of several objectives at once, by NSGA-II [1]_, that is used as
    :class:`~sklearn.model_selection.RandomizedSearchCV` is. It finds the candidates that no other
    one beats in all objectives, and takes the one that a stated rule says.

    Parameters
    ----------
    estimator : estimator
        Classifier, Pipeline, or any estimator that the objectives can score.
    param_distributions : dict, or list of dict
        Parameter -> distribution of :mod:`scipy.stats` or list of values, which may be estimators:
        whole steps are swapped so. Each dict of a list is a space of its own, for parameters that
        only some choices have. ``{}`` searches the threshold alone.
    objectives : list or dict of str -> scorer
        2 to 5 scorers: names of scikit-learn or of :func:`skfairprop.get_scorer_names`, scorers, or
        callables ``f(estimator, X, y)``. The first is the utility, the second the gap; larger is
        better, as for every scorer. For procedural fairness "worst_group_instability" ranks
        candidates far better than "mesd".
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        Protected attribute for the objectives that are given by name, see
        :class:`~skfairprop.scorers.FairnessScorer`. With metadata routing it can be passed to
        ``fit`` instead.
    pos_label : hashable, optional
        The positive class of the objectives that are given by name, and of the selection rate.
    algorithm : {"nsga2", "random"}, default="nsga2"
        How candidates are proposed. A space that the budget covers is gone through instead.
    population_size : int, optional
        Candidates in a generation. Default: a tenth of the budget, within 12 and 30.
    n_generations, n_evaluations : int, optional
        Budget, one or the other. Default: 60 evaluations, each a fit on every fold.
    time_budget : float, optional
        Seconds after which nothing new is started. The result then depends on the machine.
    start : "estimator", list of dict or None, default="estimator"
        Parameters to try first: the estimator's own, or those of earlier searches. Parameters
        that are left out are the estimator's own.
    thresholds : int or None, default=24
        How many decision thresholds of each candidate are tried, beside its own decision; each is a
        point. They cost no fit. None: only its own decision. With more than two classes there are
        none, and a warning says so.
    pooled : bool, default=True
        Whether objectives of predicted classes are computed on the predictions of all folds
        together, and not as the mean over the folds: small groups have large gaps in small folds
        by chance. Those of scores, as AUC, stay the mean: the scores of several models have no
        common scale.
    lazy : bool, default=True
        Whether to explain (:class:`~skfairprop.scorers.MESDScorer`) only candidates that would be
        on the front if their explanations were as good as the best quarter seen so far.
    constraints : "auto", dict or None, default="auto"
        Name -> (least, largest), None for no limit: "selection_rate", the share of the positive
        class, or a scorer, in the unit of its score. "auto": a selection rate in [.05, .95] where
        there are two classes.
    infeasible : {"raise", "least"}, default="raise"
        What to do if no candidate meets the constraints: fail, or keep the least violating one.
    choice : {"constrained", "chebyshev", "knee", "lexicographic"} or callable, \
default="constrained"
        Which point of the front to take. "constrained": the smallest gap among those whose utility
        is at most `within` below the best. "chebyshev": the nearest to the best of all objectives,
        the paper's rule. "knee": where the front bends most. "lexicographic": one objective after
        another, each up to `within`. A callable gets the losses (minus the scores) of the front,
        shape (k, m), and returns a position.
    weights : sequence of float, optional
        Of the objectives, for "chebyshev".
    within : float, default=0.02
        See `choice`.
    refit : bool, "ensemble" or callable, default=True
        Whether to fit the chosen model to all rows. "ensemble": the mean of the models of the
        folds, to which the threshold belongs; better for neural nets. A callable gets
        ``cv_results_`` and returns the row to take, which has to be on the front.
    cv : int, float, splitter or iterable, optional
        As elsewhere in scikit-learn; a float is the share of rows of one validation split. A split
        that tests on rows it trains on is refused, as are splits by row numbers with `test_size`.
    test_size : float, optional
        Share of the rows that the search never sees, and the chosen model is then scored on; see
        ``transfer_``.
    checkpoint : path-like, optional
        File of all finished candidates. A search that was killed goes on from it to the same
        result, and one that is done goes on with a larger budget. That of another search is
        refused, with the difference.
    n_jobs : int, optional
        Fits at a time, by :class:`joblib.Parallel`; the result does not depend on it. Set
        ``OMP_NUM_THREADS=1`` if the fits use threads of their own.
    pre_dispatch : int or str, default="2*n_jobs"
        See :class:`joblib.Parallel`.
    verbose : bool, optional
        Whether to show progress on stderr. Default: if that is a terminal.
    error_score : "raise" or float, default=NaN
        Score in ``cv_results_`` of a fit or an objective that fails. The candidate is not on the
        front.
    return_train_score : bool, default=False
        Whether to score the training rows, too.
    random_state : int, RandomState, Generator or None, default=None
        With a seed every ``random_state`` of the estimator that is None gets one, the same for all
        candidates on a fold, so that the search can be repeated. That of a splitter gets one in any
        case: the folds stay the same as long as the search is used.

    Attributes
    ----------
    pareto_front_ : DataFrame
        One row for each point, the best utility first: the objectives, ``threshold`` (NaN: the
        estimator's own decision), ``cv_index`` (row of ``cv_results_``), ``selection_rate``, other
        constraints, and the parameters.
    pareto_index_ : array of int
        Rows of ``cv_results_`` that have a point on the front.
    hypervolume_ : DataFrame
        ``n_evaluations`` and ``hypervolume`` after each generation, as a share of the box from the
        best to a tenth beyond the worst of the objectives.
    cv_results_ : dict of str -> array
        One row for each candidate, as in :class:`~sklearn.model_selection.GridSearchCV`, under its
        own decision. Beside the folds' own: ``pooled_test_<name>``.
    best_index_, best_params_, best_score_, best_threshold_ : int, dict, float, float
        Of the chosen point; the score is its utility, the threshold NaN for its own decision.
    best_point_ : int
        Its position in ``pareto_front_``.
    best_estimator_ : estimator
        Fitted, with the threshold applied (:class:`~sklearn.model_selection.\
FixedThresholdClassifier`). Not there with ``refit=False``.
    transfer_ : DataFrame
        With `test_size`, see :meth:`transfer`.
    n_explained_ : int
        Candidates whose explanations were computed.
    scorer_ : dict of str -> scorer
        Objectives, and what constraints look at.
    n_splits_, refit_time_, classes_, n_features_in_, feature_names_in_
        As in scikit-learn's searches.

    Raises
    ------
    TypeError, ValueError
        By ``fit``, before anything is fitted, for arguments that are not allowed; and if all
        candidates fail, an objective is undefined for all, or none meets the constraints.

    Warns
    -----
    FitFailedWarning
        If some candidates failed.
    UndefinedMetricWarning
        If an objective is undefined, or leaves groups out, whatever is predicted.
    UserWarning
        If thresholds cannot be swept, an objective failed, or points of the front predict the same
        for everybody.

    See Also
    --------
    skfairprop.meta.ReweightedClassifier : The lever that a search needs, see the example.
    skfairprop.inspection.ParetoDisplay : Pictures of the front.

    Notes
    -----
    Measured on Adult, COMPAS, German credit and recidivism data, with logistic regression,
    boosting and nets: *which* algorithm proposes the candidates hardly matters. What does: that
    thresholds are swept, on pooled counts, for free (at 60 fits of logistic regression 5, 9, 9 and
    20 % more hypervolume than random search over the threshold, on Adult, COMPAS, German credit
    and recidivism; see ``benchmarks/results/uef.txt``); that the space has a lever of fairness,
    without which no parameter brings the gap down; and that constant predictors, which are
    perfectly fair, are kept out. Six strengths of the lever and swept thresholds, without a
    search, have 93 to 99 % of its hypervolume there, and 87 to 97 % with boosting.

    To have the paper's plain procedure pass ``thresholds=None, pooled=False, lazy=False,
    constraints=None, choice="chebyshev"``. The front is then the non-dominated rows of the mean
    scores in ``cv_results_``.

    The scores of the front are those of the winners among many, and flatter; look at
    :meth:`transfer`, or at ``cross_validate(search, ...)``. Utilities that do not see the threshold
    (AUC) need a constraint on the selection rate: without one the search ends with everybody
    rejected.

    References
    ----------
    .. [1] Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE
       Transactions on Evolutionary Computation 6, 2002; by pymoo, with mixed variables.

    Examples
    --------
    The strength of reweighing is the lever: 0 is the plain model, 1 the reweighted one.

    >>> from scipy.stats import loguniform, uniform
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.meta import ReweightedClassifier
    >>> from skfairprop.model_selection import UEFSearchCV
    >>> data = make_biased_classification(1000, base_rates=(0.7, 0.3), random_state=0)
    >>> people = data.sensitive_features
    >>> search = UEFSearchCV(
    ...     ReweightedClassifier(LogisticRegression(), sensitive_features=people),
    ...     {"strength": uniform(0, 1), "estimator__C": loguniform(1e-3, 1e2)},
    ...     objectives=["balanced_accuracy", "demographic_parity_difference"],
    ...     sensitive_features=people,
    ...     n_evaluations=24,
    ...     random_state=0,
    ... )
    >>> search = search.fit(data.data, data.target)
    >>> front = search.pareto_front_
    >>> bool(search.best_score_ >= front["balanced_accuracy"].max() - 0.02)
    True
    >>> fairer = search.select(within=0.1)
    >>> bool(
    ...     fairer["demographic_parity_difference"]
    ...     > front["demographic_parity_difference"][search.best_point_]
    ... )
    True
    """

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
        test_size: float | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        verbose: bool | None = None,
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
        self.test_size = test_size
        self.checkpoint = checkpoint
        self.random_state = random_state

    # -- fit ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **params: Any) -> "UEFSearchCV":
        """Search, and fit the chosen model to all rows.

        Parameters
        ----------
        X : indexable of n rows
            What the estimator takes.
        y : array-like of shape (n,), optional
            Target.
        **params
            For the ``fit`` of the estimator, row by row where they have n rows, and `groups` for
            the splitter. With metadata routing: for those who ask for them.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            See the class.
        """
        X, y = indexable(X, as_labels(self.estimator, y))
        given = {name: value for name, value in params.items() if value is not None}
        if self.test_size is None:
            self._search(X, y, given)
            return self
        rows, held_out = hold_out(self, X, y, given)
        n = len(rows) + len(held_out)

        def part(which: np.ndarray) -> tuple[Any, Any, dict[str, Any]]:
            cut = {k: take_rows(v, which) if is_row_aligned(v, n) else v for k, v in given.items()}
            return take_rows(X, which), None if y is None else take_rows(y, which), cut

        self._search(*part(rows))
        X_test, y_test, of_test = part(held_out)
        routed = self._get_routed_params_for_fit(of_test).scorer.score
        self.transfer_ = self._transfer(X_test, y_test, routed)
        return self

    def _search(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        setup = make_setup(self, X, y, params)
        archive, generations, evaluator = run_search(self, setup)
        plan = setup.plan
        forget_fit(self)  # not before: an earlier search outlives one that cannot start
        self._seed = setup.seed
        self.n_splits_ = len(plan.splits)
        self.multimetric_ = True
        self.scorer_ = plan.scorers
        self.cv_results_ = self._results(archive.candidates, plan)
        self.n_explained_ = archive.n_explained
        _report_failures(archive, evaluator, self.error_score)
        front = Front(archive, infeasible=self.infeasible, failure=evaluator.scoring_error)
        self.pareto_front_ = front.table()
        self.pareto_index_ = np.unique(self.pareto_front_["cv_index"].to_numpy())
        self.hypervolume_ = front.hypervolumes(generations)
        self._take(self._position())
        if self.refit is not False:
            self._refit(setup)

    def _results(self, candidates: list[Candidate], plan: Plan) -> dict[str, Any]:
        """One row for each candidate, as scikit-learn's searches have it."""
        rows = [row for c in candidates for row in fold_results(c, plan, self.error_score)]
        pooled = {
            f"pooled_test_{name}": [
                np.nan if c.measured is None else c.measured.pooled_values[name] for c in candidates
            ]
            for name in plan.names(COUNTS, ROWS)
        }
        with warnings.catch_warnings():  # candidates that were not explained have no value
            warnings.filterwarnings("ignore", "One or more of the", UserWarning)
            params = [candidate.params for candidate in candidates]
            return self._format_results(params, len(plan.splits), rows, pooled)

    def _position(self) -> int:
        """Position in ``pareto_front_`` of the point to take."""
        if not callable(self.refit):
            return self._choose(self.choice, self.weights, self.within)
        try:
            row = self._select_best_index(self.refit, None, self.cv_results_)
        except IndexError as error:
            if "best_index_" not in str(error):  # of the callable itself
                raise
            n = len(self.cv_results_["params"])
            raise IndexError(f"refit must return a row of cv_results_, 0 to {n - 1}") from None
        there = np.flatnonzero(self.pareto_front_["cv_index"] == row)
        if not len(there):
            raise ValueError(f"refit chose row {row} of cv_results_, which is not on the front")
        return int(there[self._choose(self.choice, self.weights, self.within, there)])

    def _take(self, position: int) -> None:
        point = self.pareto_front_.iloc[position]
        self.best_point_ = position
        self.best_index_ = int(point["cv_index"])
        self.best_threshold_ = float(point["threshold"])
        self.best_score_ = float(point.iloc[0])
        self.best_params_ = self.cv_results_["params"][self.best_index_]

    def _refit(self, setup: Setup) -> None:
        self.best_estimator_, self.refit_time_ = fit_chosen(
            setup.job,
            setup.plan,
            self.best_params_,
            self.best_threshold_,
            ensemble=self.refit == "ensemble",
        )
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


def _report_failures(archive: Archive, evaluator: Evaluator, error_score: Any) -> None:
    n = len(archive.candidates)
    failed = [c for c in archive.candidates if c.error is not None]
    if failed:
        first = f"the first, {failed[0].params!r}"
        if len(failed) == n and evaluator.exception is not None:  # as the estimator itself says it
            evaluator.exception.add_note(f"{OWNER}: all {n:,} candidates failed; {first}")
            raise evaluator.exception
        if len(failed) == n:
            raise ValueError(f"all {n:,} candidates failed; {first}:\n{failed[0].error}")
        warnings.warn(
            f"{len(failed):,} of {n:,} candidates failed and are not on the front; {first}:\n"
            f"{failed[0].error}",
            FitFailedWarning,
            stacklevel=4,
        )
    if evaluator.scoring_error is not None:
        warnings.warn(
            f"an objective failed for some candidates, whose score is {error_score} there; the "
            f"first: {evaluator.scoring_error}",
            UserWarning,
            stacklevel=4,
        )
