"""What a finished search found, in the values of its metrics: a gap of .1, not a score of -.1."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn.utils.validation import check_is_fitted

from skfairprop._suggest import closest
from skfairprop.scorers._sklearn import sign_of

_OF_TRANSFER = ("test", "lower", "upper")


@dataclass(frozen=True)
class SearchValues:
    """The front of a search.

    Attributes
    ----------
    front : DataFrame
        One row for each point and a column for each objective.
    greater_is_better : list of str
    chosen : int or None
        Position of the chosen point; None where nothing was chosen.
    test : dict of str to (value, lower, upper), or None
        Of the chosen point on data that the search never saw.
    """

    front: pd.DataFrame
    greater_is_better: list[str]
    chosen: int | None
    test: dict[str, tuple[float, float, float]] | None

    def better(self, objectives: Sequence[str] | None) -> list[str]:
        """Those of the objectives where greater is better."""
        return [n for n in self.greater_is_better if objectives is None or n in objectives]


def read_search(
    search: Any,
    *,
    owner: str,
    test: Any = None,
    objectives: Sequence[str] | None = None,
    tested: bool = False,
) -> SearchValues:
    """Values of the front of a fitted search, and of its chosen point on test data.

    Parameters
    ----------
    search : UEFSearchCV
    test : DataFrame, optional
        What ``search.transfer`` returned; default: ``search.transfer_``, if there is one.
    objectives : sequence of str, optional
        Those whose values on test data have to be there.
    tested : bool
        Whether values on test data are wanted.

    Raises
    ------
    TypeError
        If `search` is no such search, or `test` no such table.
    NotFittedError
        If it is not fitted.
    ValueError
        If `test` has other objectives.
    """
    if not hasattr(search, "transfer"):
        raise TypeError(f"{owner} draws a UEFSearchCV; got {type(search).__name__}")
    check_is_fitted(search, "pareto_front_")
    table = search.pareto_front_
    scores = table.iloc[:, : table.columns.get_loc("threshold")]
    signs = {name: sign_of(search.scorer_[name]) for name in scores.columns}
    titles = {name: name.removeprefix("neg_") if sign < 0 else name for name, sign in signs.items()}
    for name in signs:
        if titles[name] != name and titles[name] in signs:  # another one is called so
            titles[name], signs[name] = name, 1
    front = pd.DataFrame({titles[n]: scores[n].to_numpy() * signs[n] + 0.0 for n in scores})
    transfer = getattr(search, "transfer_", None) if test is None else test
    return SearchValues(
        front=front,
        greater_is_better=[titles[name] for name, sign in signs.items() if sign > 0],
        chosen=getattr(search, "best_point_", None),
        test=_values_of(transfer, signs, titles, owner, objectives)
        if tested and transfer is not None
        else None,
    )


def _values_of(
    transfer: Any,
    signs: dict[str, int],
    titles: dict[str, str],
    owner: str,
    objectives: Sequence[str] | None,
) -> dict[str, tuple[float, float, float]]:
    """Scores of a transfer as values: a lower end of a score is an upper end of a loss."""
    if not isinstance(transfer, pd.DataFrame) or not set(_OF_TRANSFER) <= set(transfer.columns):
        raise TypeError(f"{owner}: test must be the table that the search's transfer() returns")
    out = {}
    for name, sign in signs.items():
        if name not in transfer.index:
            raise ValueError(f"test has no objective {name!r}{closest(name, transfer.index)}")
        value, low, high = (float(v) * sign + 0.0 for v in transfer.loc[name, list(_OF_TRANSFER)])
        if sign < 0:
            low, high = high, low
        out[titles[name]] = (value, low, high)
        if math.isnan(value) and (objectives is None or titles[name] in objectives):
            raise ValueError(f"test: {name!r} is NaN, so there is nothing to draw")
    return out
