"""An objective for Optuna, of one score or several."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_validate


class OptunaObjective:
    """What :func:`optuna_objective` returns.

    Attributes
    ----------
    names : list of str
        Names of the scores, in the order of the values.
    directions : list of str
        "maximize" for each: to pass to ``optuna.create_study(directions=...)``.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        space: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]],
        scoring: Mapping[str, Any],
        cv: Any,
        n_jobs: int | None,
        params: Mapping[str, Any] | None,
    ) -> None:
        self.estimator = estimator
        self.X = X
        self.y = y
        self.space = space
        self.scoring = dict(scoring)
        self.cv = cv
        self.n_jobs = n_jobs
        self.params = params
        self.names = list(self.scoring)
        self.directions = ["maximize"] * len(self.names)

    def __call__(self, trial: Any) -> float | tuple[float, ...]:
        """Mean test scores of the parameters that a trial suggests."""
        if callable(self.space):
            chosen = dict(self.space(trial))
        else:
            chosen = {name: suggest(trial, name, kind) for name, kind in self.space.items()}
        found = cross_validate(
            clone(self.estimator).set_params(**chosen),
            self.X,
            self.y,
            scoring=self.scoring,
            cv=self.cv,
            n_jobs=self.n_jobs,
            params=self.params,
            error_score="raise",
        )
        scores = {name: found[f"test_{name}"] for name in self.names}
        for name, values in scores.items():
            trial.set_user_attr(f"std_{name}", float(np.std(values)))
        means = tuple(float(np.mean(values)) for values in scores.values())
        return means if len(means) > 1 else means[0]


def suggest(trial: Any, name: str, kind: Any) -> Any:
    """What a trial suggests for a distribution of Optuna."""
    if hasattr(kind, "choices"):
        return trial.suggest_categorical(name, kind.choices)
    ask = trial.suggest_int if type(kind).__name__ == "IntDistribution" else trial.suggest_float
    return ask(name, kind.low, kind.high, step=kind.step, log=kind.log)


def optuna_objective(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    space: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]],
    scoring: Mapping[str, Any],
    cv: Any = 5,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
) -> OptunaObjective:
    """Make an objective for ``study.optimize`` of Optuna: cross-validated scores of a candidate.

    Parameters
    ----------
    estimator : classifier
        Cloned for every trial.
    X : array-like or DataFrame of shape (n, d)
        What the estimator predicts from.
    y : array-like of shape (n,)
        True classes.
    space : dict of str to distribution, or callable
        What is searched: parameters of `estimator` with distributions of Optuna, as
        :func:`optuna_space` gives them; or a function of the trial that returns the parameters.
    scoring : dict of str to scorer or str
        One score or several, larger being better, as
        ``{"accuracy": "accuracy", **get_scorers([...], sensitive_features="sex")}``.
    cv : int, splitter or iterable, default=5
        As in :func:`sklearn.model_selection.cross_validate`.
    n_jobs : int, optional
        Folds at a time.
    params : dict, optional
        Metadata, as in :func:`sklearn.model_selection.cross_validate`.

    Returns
    -------
    callable
        ``objective(trial)``, with `names` and `directions` as attributes. A trial keeps the
        standard deviation over the folds as a user attribute, ``std_<name>``.

    Raises
    ------
    TypeError, ValueError
        If `estimator` is none, `scoring` is no dict of scorers, or `space` is neither.

    Notes
    -----
    A score that is NaN, as the metric is undefined on a fold, fails the trial: Optuna leaves it
    out. All values are scores: the bias is the negative of what the study shows.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.automl import optuna_objective
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.scorers import get_scorer
    >>> data = make_biased_classification(random_state=0)
    >>> people = data.sensitive_features
    >>> gap = get_scorer("demographic_parity_difference", sensitive_features=people)
    >>> objective = optuna_objective(
    ...     LogisticRegression(),
    ...     data.data,
    ...     data.target,
    ...     space=lambda trial: {"C": trial.suggest_float("C", 1e-3, 10, log=True)},
    ...     scoring={"accuracy": "accuracy", "gap": gap},
    ... )
    >>> objective.directions
    ['maximize', 'maximize']
    """
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        raise TypeError(f"estimator must be an estimator; got {estimator!r}")
    if not isinstance(scoring, Mapping) or not scoring:
        raise TypeError(
            f"scoring must be a dict of scorers by name; got {type(scoring).__name__}; for one "
            "scorer pass {'bias': scorer}"
        )
    if not callable(space):
        if not isinstance(space, Mapping) or not space:
            raise TypeError(
                "space must be a dict of distributions, or a function of the trial; got "
                f"{type(space).__name__}"
            )
        known = estimator.get_params(deep=True)
        for name, kind in space.items():
            if name not in known:
                raise ValueError(f"space: {type(estimator).__name__} has no parameter {name!r}")
            if not (hasattr(kind, "choices") or hasattr(kind, "low")):
                raise TypeError(f"space: {name!r} must be a distribution of Optuna; got {kind!r}")
    return OptunaObjective(
        estimator, X, y, space=space, scoring=scoring, cv=cv, n_jobs=n_jobs, params=params
    )
