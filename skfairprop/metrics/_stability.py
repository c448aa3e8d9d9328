"""Stability of explanations: how far they move when the rows are perturbed a little."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skfairprop._checks import check_choice, check_integer
from skfairprop._random import RandomState, as_generator, own_seed
from skfairprop._rows import count_rows, take_rows
from skfairprop.explain import ExplainerEnsemble, Model, Perturbation
from skfairprop.explain._ensemble import EXPLAINERS, check_weights
from skfairprop.explain._model import Predictor
from skfairprop.explain._table import as_container

DISTANCES = ("l2", "l1")
STABILITIES = ("linear", "reciprocal")
SAMPLINGS = ("stratified", "simple")


class Stability(NamedTuple):
    """What perturbing the explanations of some rows shows, each of shape (n,)."""

    values: np.ndarray
    fidelity: np.ndarray
    degenerate: np.ndarray


@dataclass(frozen=True)
class Plan:
    """How rows are explained and perturbed, checked; see :func:`explanation_stability`.

    Explainers that are objects are equal only if they are the same one.
    """

    explainers: tuple
    weights: tuple[float, ...] | None
    background: Any = field(compare=False)
    n_perturbations: int
    sigma: float
    mask_probability: float
    noise_on_masked: bool
    categorical: str
    distance: str
    stability: str
    pos_label: Hashable | None
    seed: int

    @classmethod
    def make(
        cls,
        *,
        explainers: Sequence,
        weights: Sequence[float] | None,
        background: Any,
        distance: str,
        stability: str,
        pos_label: Hashable | None,
        random_state: RandomState,
        **perturbation: Any,
    ) -> "Plan":
        """Check the options; weights that do not sum to 1 are divided, with a warning."""
        given = (explainers,) if isinstance(explainers, str) else tuple(explainers)
        for explainer in given:
            if isinstance(explainer, str):
                check_choice("explainers", explainer, EXPLAINERS)
        if not given or weights is not None:
            weights = tuple(check_weights(weights, len(given)).tolist())
        check_choice("distance", distance, DISTANCES)
        check_choice("stability", stability, STABILITIES)
        Perturbation(**perturbation).fit(np.zeros((1, 1)))  # checks its parameters
        return cls(
            explainers=given,
            weights=weights,
            background=background,
            distance=distance,
            stability=stability,
            pos_label=pos_label,
            seed=own_seed(random_state),
            **perturbation,
        )

    def same_as(self, other: "Plan") -> bool:
        """Whether both explain the same rows of the same model in the same way."""
        return self.background is other.background and self == other

    def fitted(self, X: Any) -> "FittedPlan":
        """Explainers and perturbation, fitted on the background, or on `X` where there is none.

        Raises
        ------
        ValueError
            If the background has other columns than `X`.
        """
        as_container(X)  # what is wrong with X is said of X, not of a background
        background = X if self.background is None else self.background
        perturbation = Perturbation(
            n_perturbations=self.n_perturbations,
            sigma=self.sigma,
            mask_probability=self.mask_probability,
            noise_on_masked=self.noise_on_masked,
            categorical=self.categorical,
            random_state=self.seed,
        ).fit(background)
        perturbation.table_.adapted(X)
        ensemble = ExplainerEnsemble(
            self.explainers, weights=self.weights, random_state=self.seed
        ).fit(background)
        return FittedPlan(self, perturbation, ensemble)


class FittedPlan(NamedTuple):
    """A plan whose draws are settled: it is the same for every model."""

    plan: Plan
    perturbation: Perturbation
    ensemble: ExplainerEnsemble

    def explain(self, model: Model, X: Any) -> Stability:
        """Explain the rows of `X` and their neighbours, all at once."""
        n, k = count_rows(X), self.plan.n_perturbations
        target = self._target(model, X)
        if isinstance(target, np.ndarray):
            target = np.repeat(target, k + 1)
        found = self.ensemble.explain(model, self.perturbation.perturb(X, original=True), target)
        phi = found.values.reshape(n, k + 1, -1)
        order = 2 if self.plan.distance == "l2" else 1
        moved = np.linalg.norm(phi[:, 1:] - phi[:, :1], ord=order, axis=2)
        if self.plan.stability == "linear":
            values = np.clip(1 - moved.mean(axis=1) / 2, 0, 1)  # of rounding
        else:
            values = (1 / (1 + moved)).mean(axis=1)
        return Stability(
            values, found.fidelity.reshape(n, k + 1)[:, 0], np.logical_not(phi.any(axis=(1, 2)))
        )

    def _target(self, model: Model, X: Any) -> int | np.ndarray | None:
        """Output column that is explained: one for all rows, or the class predicted for each."""
        if self.plan.pos_label is not None:
            return model.column(self.plan.pos_label)
        if model.classes is not None and len(model.classes) <= 2:
            return None
        table = self.perturbation.table_.adapted(X)
        outputs = Predictor(model, table).outputs(table.encode(X))
        return None if outputs.shape[1] == 2 else outputs.argmax(axis=1)


def explanation_stability(
    estimator: Any,
    X: Any,
    *,
    explainers: Sequence = ("shap", "lime"),
    weights: Sequence[float] | None = None,
    background: Any = None,
    n_perturbations: int = 10,
    sigma: float = 0.1,
    mask_probability: float = 0.2,
    noise_on_masked: bool = False,
    categorical: str = "mask",
    distance: str = "l2",
    stability: str = "linear",
    pos_label: Hashable | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Stability of the explanation of each row under small perturbations of the row.

    Parameters
    ----------
    estimator : fitted classifier or callable
        With ``predict_proba`` or ``decision_function``, or a function of a table that returns
        scores of shape (n,) or (n, K).
    X : data frame, array or sparse matrix of shape (n, d)
        Rows to explain.
    explainers : sequence of {"shap", "lime"} or explainers, default=("shap", "lime")
        See :class:`~skfairprop.explain.ExplainerEnsemble`.
    weights : sequence of float, optional
        Of the explainers; divided by their sum, with a warning where it is not 1.
    background : table with the columns of `X`, optional
        Where the explainers and the perturbation learn what is usual: absent features,
        standard deviations, baselines. Default: `X`.
    n_perturbations : int, default=10
        Neighbours of each row.
    sigma : float, default=0.1
        Noise on numeric features in units of each one's standard deviation; positive.
    mask_probability : float, default=0.2
        With which each feature is set to its baseline.
    noise_on_masked : bool, default=False
        Whether masked features carry noise, too, as the formula is printed.
    categorical : {"mask", "resample"}, default="mask"
        What a masked categorical feature becomes.
    distance : {"l2", "l1"}, default="l2"
        Between the attributions of a row and of its neighbour; at most 2.
    stability : {"linear", "reciprocal"}, default="linear"
        1 - mean distance / 2, or the mean of 1 / (1 + distance).
    pos_label : hashable, optional
        The class that is explained. Default: the second of two; of more classes the one that is
        predicted for the row, which is also the one explained for its neighbours.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives every model the same neighbours and the same explainer draws.

    Returns
    -------
    ndarray of shape (n,)
        In [0, 1], 1 = the explanation does not move.

    Raises
    ------
    TypeError
        If the estimator has neither ``predict_proba`` nor ``decision_function``.
    ValueError
        If an option is not allowed, the background has other columns than `X`, or the model
        refuses missing values that are in the rows or the background.

    Notes
    -----
    Attributions are divided by the sum of their absolute values, for each explainer, before they
    are mixed: only their direction counts. A constant model has attributions of 0 and the
    stability 1. LIME's own sampling noise is not in it, as a row and its neighbours share one
    draw.

    References
    ----------
    .. [1] Popoola & Sheppard (2026), "MESD".

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.metrics import explanation_stability
    >>> problem = make_biased_classification(200, random_state=0)
    >>> model = LogisticRegression().fit(problem.data, problem.target)
    >>> found = explanation_stability(model, problem.data[:20], random_state=0)
    >>> found.shape, bool(found.min() > 0.5)
    ((20,), True)
    """
    plan = Plan.make(
        explainers=explainers,
        weights=weights,
        background=background,
        n_perturbations=n_perturbations,
        sigma=sigma,
        mask_probability=mask_probability,
        noise_on_masked=noise_on_masked,
        categorical=categorical,
        distance=distance,
        stability=stability,
        pos_label=pos_label,
        random_state=random_state,
    )
    return plan.fitted(X).explain(Model(estimator), X).values


def check_sampling(n_samples: int | None, sampling: str) -> None:
    """Raise unless rows can be drawn so."""
    if n_samples is not None:
        check_integer("n_samples", n_samples, least=1)
    check_choice("sampling", sampling, SAMPLINGS)


def sample_rows(groups: np.ndarray, n_samples: int | None, sampling: str, seed: int) -> np.ndarray:
    """Positions of the rows to explain, sorted.

    Parameters
    ----------
    groups : integer array of shape (n,)
        Group of each row; -1 for rows that are never drawn.
    n_samples : int or None
        None: all rows.
    sampling : {"stratified", "simple"}
        "stratified": every group has its share of the sample, and at least one row where
        `n_samples` allows it.
    seed : int

    Returns
    -------
    integer array
    """
    rows = np.flatnonzero(groups >= 0)
    if n_samples is None or len(rows) <= n_samples:
        return rows
    rng = as_generator(seed)
    if sampling == "simple":
        return np.sort(rng.choice(rows, n_samples, replace=False))
    sizes = np.bincount(groups[rows])
    quota = _shares(sizes, n_samples)
    drawn = [
        rng.choice(np.flatnonzero(groups == g), quota[g], replace=False)
        for g in np.flatnonzero(quota)
    ]
    return np.sort(np.concatenate(drawn))


def _shares(sizes: np.ndarray, total: int) -> np.ndarray:
    """Rows of each group, in proportion to its size by largest remainder, at least one each."""
    floor = ((sizes > 0) & (total >= np.count_nonzero(sizes))).astype(np.intp)
    exact = sizes * (total / sizes.sum())
    quota = np.maximum(np.floor(exact).astype(np.intp), floor)
    order = np.argsort(-(exact - quota), kind="stable")
    while quota.sum() < total:
        open_groups = order[quota[order] < sizes[order]]
        short = open_groups[: total - quota.sum()]
        quota[short] += 1
    while quota.sum() > total:  # the rows that tiny groups were given come from the largest
        quota[np.argmax(quota)] -= 1
    return quota


def take(X: Any, rows: np.ndarray) -> Any:
    """Rows of `X`, which stays what it is where all are taken."""
    return X if len(rows) == count_rows(X) else take_rows(X, rows)
