"""What a finished search can be asked: other choices, other rows, its score."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

# The one private module of scikit-learn that is imported: its searches have no public base class.
# What is read of its scorers stands in scorers/_sklearn.py.
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import check_is_fitted

from skfairprop._checks import is_integer
from skfairprop._random import RandomState
from skfairprop.meta._delegating import routing_enabled
from skfairprop.model_selection._pareto import choose
from skfairprop.model_selection._uef._objectives import objective_names
from skfairprop.model_selection._uef._refit import fit_chosen
from skfairprop.model_selection._uef._settings import OWNER
from skfairprop.model_selection._uef._setup import combine, find_scorers, make_setup, params_of_each
from skfairprop.model_selection._uef._transfer import transfer_table


class FittedSearch(BaseSearchCV):
    """The part of a search that needs no data of its own; see ``UEFSearchCV``."""

    objectives: Any
    choice: Any
    weights: Sequence[float] | None
    within: float
    random_state: RandomState
    pareto_front_: pd.DataFrame
    best_point_: int
    cv_results_: dict[str, Any]
    scorer_: Mapping[str, Any]
    best_estimator_: Any
    checkpoint: Any
    _seed: int

    def select(
        self,
        choice: Any = None,
        *,
        weights: Sequence[float] | None = None,
        within: float | None = None,
    ) -> pd.Series:
        """Choose a point of the front by another rule, without another search.

        Parameters
        ----------
        choice : str or callable, optional
            As for the class; default: that of the search.
        weights : sequence of float, optional
            Of the objectives, for "chebyshev"; default: those of the search.
        within : float, optional
            Loss that is given away; default: that of the search.

        Returns
        -------
        Series
            The row of ``pareto_front_``; its name is the position, by which :meth:`fit_point` makes
            its model.

        Raises
        ------
        ValueError
            If an argument is not allowed.
        """
        check_is_fitted(self, "pareto_front_")
        choice = self.choice if choice is None else choice
        weights = self.weights if weights is None else weights
        within = self.within if within is None else within
        position = self._choose(choice, weights, within)
        return self.pareto_front_.astype(object).iloc[position]  # cv_index stays an integer

    def fit_point(self, X: Any, y: Any, point: int, **params: Any) -> Any:
        """Fit the model of any point of the front, as the search fitted that of the chosen one.

        Parameters
        ----------
        X : indexable of n rows
            What the estimator takes; the rows of the search, without those that `test_size` held
            out, which would be no test any more.
        y : array-like of shape (n,)
            Target.
        point : int
            Position in ``pareto_front_``, such as ``select(...).name``.
        **params
            As for ``fit``.

        Returns
        -------
        estimator
            Fitted, with the threshold applied; the search stays as it is.

        Raises
        ------
        ValueError
            If there is no such point.
        """
        check_is_fitted(self, "pareto_front_")
        n = len(self.pareto_front_)
        if not is_integer(point) or point not in range(n):
            raise ValueError(f"point must be a position in pareto_front_, below {n}; got {point!r}")
        search = copy.copy(self)
        search.checkpoint = None
        X, y = indexable(X, y)
        given = {name: value for name, value in params.items() if value is not None}
        setup = make_setup(search, X, y, given, self._seed)
        row = self.pareto_front_.iloc[point]
        return fit_chosen(
            setup.job,
            setup.plan,
            self.cv_results_["params"][int(row["cv_index"])],
            float(row["threshold"]),
            ensemble=self.refit == "ensemble",
        )[0]

    def transfer(
        self,
        X: Any,
        y: Any,
        *,
        confidence: float = 0.95,
        n_draws: int = 1000,
        random_state: RandomState = None,
        **params: Any,
    ) -> pd.DataFrame:
        """Score the fitted model on rows that the search never saw, beside its values there.

        Parameters
        ----------
        X : indexable of n rows
            What the estimator takes.
        y : array-like of shape (n,)
            Target.
        confidence : float, default=0.95
            Of the intervals, in (0, 1).
        n_draws : int, default=1000
            Replicates for each.
        random_state : int, RandomState, Generator or None, default=None
            For the replicates.
        **params
            Metadata of these rows for the scorers, with routing on.

        Returns
        -------
        DataFrame
            One row for each objective: ``search``, ``test``, ``lower``, ``upper`` and ``null``, all
            of them scores. Metrics of counts have the interval of
            :func:`skfairprop.inference.infer` and, as ``null``, their mean where groups differ by
            chance alone; MESD those of :func:`skfairprop.metrics.mesd`; other numbers of
            explanations have none (NaN), and the rest has the interval of resampled rows.

        Raises
        ------
        NotFittedError
            If no model was fitted.
        """
        score = process_routing(self, "score", **params).scorer["score"] if params else {}
        return self._transfer(
            X, y, score, confidence=confidence, n_draws=n_draws, random_state=random_state
        )

    def _transfer(
        self,
        X: Any,
        y: Any,
        score_params: Any,
        *,
        confidence: float = 0.95,
        n_draws: int = 1000,
        random_state: RandomState = None,
    ) -> pd.DataFrame:
        check_is_fitted(self, "best_estimator_")
        names = objective_names(self.objectives)
        seed = self.random_state if random_state is None else random_state
        return transfer_table(
            self.best_estimator_,
            X,
            y,
            scorers={name: self.scorer_[name] for name in names},
            params=params_of_each(self, self.scorer_, score_params),
            search=self.pareto_front_.iloc[self.best_point_],
            confidence=confidence,
            n_draws=n_draws,
            random_state=seed,
        )

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Utility, the first objective, of the fitted model.

        Parameters
        ----------
        X : indexable of n rows
            What the estimator takes.
        y : array-like of shape (n,), optional
            Target.
        **params
            Metadata of these rows for the scorers, with routing on.

        Returns
        -------
        float
        """
        check_is_fitted(self, "best_estimator_")
        if params and not routing_enabled():
            raise ValueError(
                f"{OWNER}.score takes {next(iter(params))!r} only with metadata routing on: "
                "sklearn.set_config(enable_metadata_routing=True)"
            )
        name = objective_names(self.objectives)[0]
        score = process_routing(self, "score", **params).scorer["score"] if params else {}
        given = params_of_each(self, self.scorer_, score)[name]
        labels = () if y is None else (y,)
        return self.scorer_[name](self.best_estimator_, X, *labels, **given)

    def _get_scorers(self) -> tuple[Any, None]:
        """What the base class asks for its routing."""
        return combine(self, find_scorers(self)), None

    def _choose(self, choice: Any, weights: Any, within: float, rows: Any = slice(None)) -> int:
        scores = self.pareto_front_[objective_names(self.objectives)].to_numpy(dtype=float)
        return choose(-scores[rows], rule=choice, weights=weights, within=within)
