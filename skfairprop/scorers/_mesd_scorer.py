"""Scorers of how stable explanations are, and of how that differs between groups."""

import math
from collections.abc import Hashable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from skfairprop._checks import check_choice
from skfairprop._columns import Column, read_column
from skfairprop._random import RandomState, as_generator
from skfairprop.exceptions import ScorerSetupError
from skfairprop.explain import Model
from skfairprop.metrics import METRICS
from skfairprop.metrics._mesd_result import MESDResult, summarise
from skfairprop.metrics._mesd_rows import StableRows, code_rows
from skfairprop.metrics._procedural import check_summary_options, warn_of
from skfairprop.metrics._stability import Plan, check_sampling, sample_rows, take
from skfairprop.scorers._fold import Fold, setup_errors
from skfairprop.scorers._group_scorer import GroupScorer, Measure, show_changed

MEASURES = tuple(name for name, metric in METRICS.items() if metric.inputs == "attributions")


class MESDScorer(GroupScorer):
    """Score of a classifier by how stable its explanations are for every group.

    Parameters
    ----------
    measure : {"mesd", "mesd_max", "mesd_var", "mesd_excess", "worst_group_instability", \
"mean_instability", "fidelity_gap"}, default="mesd"
        What is computed, see :class:`~skfairprop.metrics.MESDResult`. The score is its negative.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute, see :class:`FairnessScorer`.
    explainers : sequence of {"shap", "lime"} or explainers, default=("shap", "lime")
        See :class:`~skfairprop.explain.ExplainerEnsemble`.
    weights : sequence of float, optional
        Of the explainers; divided by their sum, with a warning where it is not 1.
    background : table with the columns of X, optional
        Where explainers and perturbation learn what is usual, such as the training data. Default:
        the rows that are scored, which are all that a scorer sees of the data.
    n_samples : int or None, default=200
        Number of rows to explain in each fold; None: all.
    n_perturbations, sigma, mask_probability, noise_on_masked, categorical, distance, stability
        How rows are perturbed and compared, see :func:`skfairprop.metrics.explanation_stability`.
    pos_label : hashable, optional
        The class that is explained. Default: the second of two; of more classes the one that is
        predicted for the row.
    shrinkage, alpha, tail
        How stabilities become MESD, see :func:`skfairprop.metrics.mesd_from_stability`.
    sampling : {"stratified", "simple"}, default="stratified"
        How the rows to explain are drawn.
    missing : {"raise", "group", "drop"}, default="raise"
        What to do with missing protected values.
    n_permutations : int, default=1000
        For "mesd_excess", the only measure that needs them.
    undefined_score : float, default=NaN
        Score in place of an undefined value: that of a fold with one group.
    random_state : int, RandomState, Generator or None, default=None
        Settled when the scorer is made: every candidate of a search is explained on the same rows
        and neighbours of a fold, with the same draws, whatever ``n_jobs`` is.

    Raises
    ------
    TypeError, ValueError
        At once, for what does not exist or is not allowed.
    ScorerSetupError
        When scoring, if the protected attribute cannot be found, the classifier has neither
        ``predict_proba`` nor ``decision_function``, the background has other columns, or a package
        that an explainer needs is not installed.

    See Also
    --------
    skfairprop.metrics.mesd : With null, intervals, cells and pairs.

    Notes
    -----
    Several of these scorers in one call of ``cross_validate`` or a search explain a fold once, if
    they differ in no more than `measure`, `shrinkage`, `alpha`, `tail` and `undefined_score`; with
    ``random_state=None`` each has a seed, and so an explanation, of its own.

    MESD misleads as an objective where folds are small: with 200 rows and 5 perturbations its rank
    correlation between two draws, over candidates of a search, was -.8 to .8, that of
    "worst_group_instability" .94 to 1. A constant model has perfectly stable explanations and the
    best score; a warning says so.

    Thresholds cannot be tuned with it, since they do not change the explanations.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.scorers import MESDScorer
    >>> problem = make_biased_classification(300, random_state=0)
    >>> scoring = {
    ...     measure: MESDScorer(
    ...         measure,
    ...         sensitive_features=problem.sensitive_features,
    ...         n_samples=30,
    ...         random_state=0,
    ...     )
    ...     for measure in ("mesd", "worst_group_instability")
    ... }
    >>> found = cross_validate(
    ...     LogisticRegression(), problem.data, problem.target, cv=3, scoring=scoring
    ... )
    >>> found["test_mesd"].shape, bool((found["test_worst_group_instability"] <= 0).all())
    ((3,), True)
    """

    def __init__(
        self,
        measure: str = "mesd",
        *,
        sensitive_features: Any = None,
        explainers: Sequence = ("shap", "lime"),
        weights: Sequence[float] | None = None,
        background: Any = None,
        n_samples: int | None = 200,
        n_perturbations: int = 10,
        sigma: float = 0.1,
        mask_probability: float = 0.2,
        noise_on_masked: bool = False,
        categorical: str = "mask",
        distance: str = "l2",
        stability: str = "linear",
        pos_label: Hashable | None = None,
        shrinkage: float = 10.0,
        alpha: float = 0.1,
        tail: str = "continuous",
        sampling: str = "stratified",
        missing: str = "raise",
        n_permutations: int = 1000,
        undefined_score: float = math.nan,
        random_state: RandomState = None,
    ) -> None:
        explaining: dict[str, Any] = {
            "explainers": explainers,
            "weights": weights,
            "n_perturbations": n_perturbations,
            "sigma": sigma,
            "mask_probability": mask_probability,
            "noise_on_masked": noise_on_masked,
            "categorical": categorical,
            "distance": distance,
            "stability": stability,
            "pos_label": pos_label,
            "random_state": random_state,
        }
        summary: dict[str, Any] = {
            "shrinkage": shrinkage,
            "alpha": alpha,
            "tail": tail,
            "n_permutations": n_permutations,
        }
        rows: dict[str, Any] = {"n_samples": n_samples, "sampling": sampling}
        common: dict[str, Any] = {"missing": missing, "undefined_score": undefined_score}
        self._shown = show_changed(MESDScorer, explaining | summary | rows | common)
        super().__init__(
            _StabilityMeasure(
                measure,
                plan=Plan.make(background=background, **explaining),
                summary=check_summary_options(**summary),
                sensitive_features=sensitive_features,
                **rows,
                **common,
            )
        )

    def __repr__(self) -> str:
        return f"MESDScorer({self.measure.__name__!r}{self._describe()}{self._shown})"


class _StabilityMeasure(Measure):
    """One number of a :class:`~skfairprop.metrics.MESDResult`, on the rows of a fold."""

    needs_predictions = False
    accepts_weight = False

    def __init__(
        self,
        measure: str,
        *,
        plan: Plan,
        summary: dict[str, Any],
        n_samples: int | None,
        sampling: str,
        **common: Any,
    ) -> None:
        check_choice("measure", measure, MEASURES)
        check_sampling(n_samples, sampling)
        super().__init__(measure, **common)
        self.metric = METRICS[measure]
        self.plan = plan
        self.n_samples = n_samples
        self.sampling = sampling
        self.summary = summary
        if measure != "mesd_excess":
            self.summary = summary | {"n_permutations": 0}

    def value(self, fold: Fold) -> float:
        return float(self.metric.kernel(self.result(fold)))

    def result(self, fold: Fold, **options: Any) -> MESDResult:
        """All that is known of a fold; `options` are of the null and of the intervals."""
        if fold.estimator is None:
            raise ScorerSetupError(
                f"{self.__name__} scorer needs the estimator and X, which are not passed to it here"
            )
        if fold.sample_weight is not None:
            raise ScorerSetupError(f"{self.__name__} scorer takes no sample_weight; leave it out")
        rng = as_generator(self.plan.seed)
        result = summarise(self._explained(fold), rng=rng, **{**self.summary, **options})
        warn_of(result, comparing=self.metric.compares_groups)
        return result

    def _explained(self, fold: Fold) -> StableRows:
        """The explained rows of a fold, shared by the scorers of a call that explain alike."""
        known = _EXPLAINED.setdefault(fold, [])
        sampling = (self.n_samples, self.sampling)
        for plan, drawn, rows in known:
            if drawn == sampling and plan.same_as(self.plan):
                return rows
        rows = self._explain(fold)
        known.append((self.plan, sampling, rows))
        return rows

    def _explain(self, fold: Fold) -> StableRows:
        with setup_errors():
            model = Model(fold.estimator)
            if self.plan.pos_label is not None:
                model.column(self.plan.pos_label)
            labels = Column(read_column(fold.y_true, what="y_true").values)
            coded = code_rows(
                {"y": [labels], "sensitive_features": fold.protected}, missing=fold.missing
            )
            fitted = self.plan.fitted(fold.X)
        rows = sample_rows(coded.groups, self.n_samples, self.sampling, self.plan.seed)
        try:
            return coded.explained(rows, fitted.explain(model, take(fold.X, rows)))
        except ImportError as exc:  # error_score would turn it into a score
            raise ScorerSetupError(str(exc)) from exc


# What was explained of a fold, as long as the fold lives: that is one call of cross_validate or of
# a candidate of a search.
_EXPLAINED: WeakKeyDictionary[Fold, list[tuple[Plan, tuple, StableRows]]] = WeakKeyDictionary()
