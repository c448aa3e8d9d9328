"""How much each protected feature can move what a model says, as a report shows it: BENN."""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from skfairprop.report._view import Settings

N_PERMUTATIONS = 100  # of the groups, for what chance gives the ensemble
N_ROWS = 2000  # that are examined at most


@dataclass(frozen=True, eq=False, repr=False)
class Estimations:
    """Estimates of BENN, with those of the ensemble of 21 estimations beside them.

    Attributes
    ----------
    frame : DataFrame
        One row a feature, the largest estimate first: ``estimate`` (the worst slice), ``sd`` over
        restarts, ``null`` (a placebo), ``direct``, ``total``, ``mean``, ``slice`` and
        ``slice_rows``; ``ensemble``, ``ensemble_method``, ``ensemble_null`` and
        ``ensemble_null_95``, NaN where the ensemble cannot be computed.
    proxies : DataFrame
        ``feature``, ``proxy``, ``cramers_v`` and ``z``.
    model : str
        Which model was examined, and on which rows.
    n_rows : int
        Number of rows that were examined.
    notes : tuple of str
        What BENN and the ensemble warned of, and why there is no ensemble.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.report import Estimations
    >>> frame = pd.DataFrame({"estimate": [0.2, 0.01]}, index=["sex", "age"])
    >>> Estimations(frame, pd.DataFrame(), model="a forest", n_rows=400)
    Estimations(2 features of a forest, from 400 rows)
    """

    frame: pd.DataFrame
    proxies: pd.DataFrame
    model: str
    n_rows: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Estimations({len(self.frame)} features of {self.model}, from {self.n_rows:,} rows)"


def estimate_features(
    model: Any,
    X: Any,
    y: Any,
    *,
    features: Sequence[Hashable],
    groups: pd.DataFrame,
    pos_label: Hashable | None,
    settings: Settings,
    what: str,
) -> Estimations:
    """Examine a fitted model by BENN, and compare with the ensemble.

    Parameters
    ----------
    model : fitted classifier
    X : data frame of shape (n, d)
        Rows that it did not learn from, at best.
    y : array-like of shape (n,)
        True classes, for the ensemble.
    features : sequence
        Protected columns of `X`.
    groups : DataFrame of shape (n, k)
        What the ensemble compares, in columns named as the features.
    pos_label : hashable or None
    settings : Settings
        Its seed.
    what : str
        Which model on which rows.

    Raises
    ------
    ImportError
        If torch or skorch is not installed.
    ValueError
        If the model cannot be examined.
    """
    from skfairprop.benn import BENNEstimator, compare_with_ensemble

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        benn = BENNEstimator(model, features=list(features), random_state=settings.random_state)
        frame = benn.fit(X).summary()
        notes = []
        try:
            found = compare_with_ensemble(
                benn,
                X,
                y,
                # not looked up by an index: X may be a frame of polars, which has none
                sensitive_features=lambda _: groups[list(features)],
                pos_label=pos_label,
                n_permutations=N_PERMUTATIONS,
                random_state=settings.random_state,
            ).frame
        except ValueError as exc:
            notes.append(f"no ensemble: {exc}")
            found = pd.DataFrame(index=frame.index)
    columns = ["ensemble", "ensemble_method", "ensemble_null", "ensemble_null_95"]
    said = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return Estimations(
        frame=frame.join(found.reindex(columns=columns)),
        proxies=benn.proxies_,
        model=what,
        n_rows=len(benn.row_indices_),
        notes=tuple(dict.fromkeys([*notes, *said])),
    )
