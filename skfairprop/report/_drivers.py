"""What drives a gap: the model without protected columns, the parts of its score, stand-ins."""

import warnings
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, fields
from statistics import NormalDist

import numpy as np
import pandas as pd
from scipy.stats import chi2

from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups
from skfairprop.metrics import evaluate
from skfairprop.report._standard import CrossFit

_BINS = 5  # numeric columns are cut into fifths
_MAX_VALUES = 50  # of a column; the rarer ones are taken together
_FEW_NUMBERS = 10  # numeric columns with no more values are taken as they are


@dataclass(frozen=True, eq=False, repr=False)
class ScoreParts:
    """How the columns make up the gap between two groups in the mean score of a linear model.

    Attributes
    ----------
    high, low : str
        The groups.
    table : DataFrame
        Indexed by column, largest part first: ``part``, ``lower``, ``upper`` in log-odds.
    intercepts : float
        What the different intercepts of the folds add: it belongs to no column.
    total : float
        The gap: the sum of the parts and `intercepts`.
    n_folds : int
        Number of models whose parts these are, each on the rows that it did not learn from.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.report import ScoreParts
    >>> table = pd.DataFrame({"part": [0.5, -0.125], "lower": [0.25, -0.5], "upper": [0.75, 0.25]})
    >>> parts = ScoreParts("m", "f", table, intercepts=0.125, total=0.5, n_folds=5)
    >>> bool(parts.total == parts.table["part"].sum() + parts.intercepts)
    True
    """

    high: str
    low: str
    table: pd.DataFrame
    intercepts: float
    total: float
    n_folds: int

    def __repr__(self) -> str:
        return (
            f"ScoreParts({self.high!r} above {self.low!r} by {self.total:.3f} in log-odds, from "
            f"{len(self.table)} columns)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Drivers:
    """What drives the gaps, as far as it is known.

    Attributes
    ----------
    associations : DataFrame or None
        How closely the other columns follow the groups: ``v`` (Cramér's V, in [0, 1]), ``chance``
        (root of its mean square without association), ``chance_95``; indexed by column.
    refits : DataFrame or None
        The model without protected columns: ``gap``, ``accuracy``; indexed by what was left out,
        the first row: nothing.
    measure : str or None
        The measure in ``gap``.
    parts : ScoreParts or None
        How the columns make up the gap in the score of a linear model.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop import FairnessReport
    >>> from skfairprop.datasets import make_biased_classification
    >>> problem = make_biased_classification(400, proxy_strength=0.6, random_state=0)
    >>> report = FairnessReport.from_estimator(
    ...     LogisticRegression(),
    ...     problem.data,
    ...     problem.target,
    ...     sensitive_features=problem.sensitive_features,
    ...     bootstrap=0,
    ... )
    >>> report.drivers.associations.index[0]
    'proxy'
    """

    associations: pd.DataFrame | None = None
    refits: pd.DataFrame | None = None
    measure: str | None = None
    parts: ScoreParts | None = None

    def __repr__(self) -> str:
        found = [f.name for f in fields(self) if getattr(self, f.name) is not None]
        return f"Drivers({', '.join(found) or 'nothing known'})"


# -- columns that follow the groups --------------------------------------------------------------


def row_codes(counts: GroupCounts, sensitive_features, missing: str) -> np.ndarray:
    """The position of each row's group in `counts`; -1 where it is none of them.

    The counts of a report leave out groups without weight, which the rows still have.
    """
    found = Groups.from_columns(sensitive_features, missing=missing)
    where = counts.groups.get_indexer(found.labels)
    return np.append(where, -1)[found.codes]


def associations(frame: pd.DataFrame, group_codes: np.ndarray, n_groups: int) -> pd.DataFrame:
    """How closely each column follows the groups.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        The columns; numeric ones are cut into fifths, rare values of others are taken together.
        A missing value is a value of its own.
    group_codes : int array of shape (n,)
        Rows with a negative code are left out.
    n_groups : int

    Returns
    -------
    DataFrame
        Indexed by column, strongest first: ``v``, ``chance`` and ``chance_95``. NaN where the
        column is constant.

    Notes
    -----
    Where rows are shuffled, the mean of V squared is max(r, c) / (n - 1) exactly, with r and c the
    degrees of freedom of rows and columns; ``chance`` is its root. ``chance_95`` is by the
    chi-square distribution.
    """
    used = group_codes >= 0
    codes = group_codes[used].astype(np.intp)  # a byte would overflow below
    rows = []
    for position in range(frame.shape[1]):
        values = _as_codes(frame.iloc[:, position][used])
        width = int(values.max()) + 1
        table = np.bincount(codes * width + values, minlength=n_groups * width)
        rows.append(_association(table.reshape(n_groups, width).astype(float)))
    index = frame.columns.rename("column")
    out = pd.DataFrame(rows, columns=["v", "chance", "chance_95"], index=index)
    excess = (out["v"] - out["chance"]).fillna(-1.0)
    return out.iloc[np.argsort(-excess.to_numpy(), kind="stable")]


def _as_codes(column: pd.Series) -> np.ndarray:
    """A column as few whole numbers from 0."""
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if numeric and column.nunique() > _FEW_NUMBERS:
        values = column.to_numpy(dtype=float, na_value=np.nan)
        edges = np.unique(np.nanquantile(values, np.arange(1, _BINS) / _BINS))
        codes = np.searchsorted(edges, values, side="left")
        codes[np.isnan(values)] = _BINS
        return codes
    codes, labels = pd.factorize(column, use_na_sentinel=False)
    if len(labels) <= _MAX_VALUES:
        return codes
    rank = np.empty(len(labels), dtype=int)
    rank[np.argsort(-np.bincount(codes), kind="stable")] = np.arange(len(labels))
    return np.minimum(rank[codes], _MAX_VALUES - 1)


def _association(table: np.ndarray) -> tuple[float, float, float]:
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    n, (rows, columns) = table.sum(), (d - 1 for d in table.shape)
    if min(rows, columns) < 1:
        return (np.nan,) * 3
    expected = table.sum(1, keepdims=True) * table.sum(0) / n
    least = n * min(rows, columns)
    v = np.sqrt(((table - expected) ** 2 / expected).sum() / least)
    limit = np.sqrt(chi2.isf(0.05, rows * columns) / least)
    return float(v), float(np.sqrt(max(rows, columns) / (n - 1))), float(min(limit, 1.0))


# -- the model without protected columns ---------------------------------------------------------


def gap_measure(metrics: Collection[str]) -> str:
    """The measure that refits look at: of the positive class, or of all classes together."""
    one_class = "demographic_parity_difference"
    return one_class if one_class in metrics else "accuracy_difference"


def refit_without(
    predict: Callable[[Sequence[Hashable]], pd.Series],
    protected: Sequence[Hashable],
    base: GroupCounts,
    recount: Callable[[pd.Series], GroupCounts],
    measure: str,
    pos_label: Hashable | None,
) -> pd.DataFrame:
    """The gap that stays, and the accuracy, where the model does not see protected columns.

    Parameters
    ----------
    predict : callable
        From the columns to leave out to predictions.
    protected : sequence
        Protected columns that the model sees.
    base : GroupCounts
        Of the model that sees them all.
    recount : callable
        From predictions to counts.
    measure : str
        The measure of the gap.
    pos_label : hashable or None

    Returns
    -------
    DataFrame
        ``gap`` and ``accuracy``, indexed by what was left out: nothing, each column, all of them.
    """
    sets: list[list[Hashable]] = [[column] for column in protected]
    if len(protected) > 1:
        sets.append(list(protected))
    label = pos_label if "demographic" in measure else None
    rows = {"nothing": base}
    for left_out in sets:
        labels = predict(left_out)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said when the rows were counted first
            rows[", ".join(map(str, left_out))] = recount(labels)
    return pd.DataFrame(
        {
            name: {
                "gap": evaluate(counts, measure, pos_label=label),
                "accuracy": counts.values.trace(axis1=1, axis2=2).sum() / counts.total,
            }
            for name, counts in rows.items()
        }
    ).T


# -- the parts of a linear score -----------------------------------------------------------------


def score_parts(
    fit: CrossFit,
    group_codes: np.ndarray,
    groups: Sequence[str],
    pair: tuple[int, int],
    positive: Hashable,
    confidence: float = 0.95,
) -> ScoreParts | None:
    """Split the gap in the mean log-odds between two groups by column.

    Parameters
    ----------
    fit : CrossFit
        Of a logistic regression on two classes.
    group_codes : int array of shape (n,)
    groups : sequence of str
    pair : (int, int)
        Positions of the group with the higher and the lower score.
    positive : hashable
        The class whose log-odds are meant.
    confidence : float

    Returns
    -------
    ScoreParts or None
        None for another model, or more than two classes.

    Notes
    -----
    The score of a row is that of the fold that did not learn from it. Its parts are coefficient
    times encoded value; the intercepts differ from fold to fold and are a part of their own, so
    that the parts add up. The intervals hold the models fixed.
    """
    if fit.name != "logistic" or len(fit.folds[0].model.classes_) != 2:
        return None
    high, low = (np.flatnonzero(group_codes == g) for g in pair)
    parts = np.zeros((len(group_codes), len(fit.columns)))
    intercept = np.zeros(len(group_codes))
    belongs = (fit.origin[:, None] == np.arange(len(fit.columns))).astype(float)
    for fold in fit.folds:
        sign = 1.0 if fold.model.classes_[1] == positive else -1.0
        weighted = fold.X_test * (sign * fold.model.coef_[0])
        parts[fold.test] = weighted @ belongs
        intercept[fold.test] = sign * fold.model.intercept_[0]
    part = parts[high].mean(0) - parts[low].mean(0)
    variance = parts[high].var(0) / len(high) + parts[low].var(0) / len(low)
    margin = NormalDist().inv_cdf(0.5 + confidence / 2) * np.sqrt(variance)
    table = pd.DataFrame(
        {"part": part, "lower": part - margin, "upper": part + margin},
        index=pd.Index(map(str, fit.columns), name="column"),
    )
    table = table.iloc[np.argsort(-np.abs(part), kind="stable")]
    rest = float(intercept[high].mean() - intercept[low].mean())
    return ScoreParts(
        groups[pair[0]], groups[pair[1]], table, rest, float(part.sum()) + rest, len(fit.folds)
    )
