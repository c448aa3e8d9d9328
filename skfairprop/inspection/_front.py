"""Points of a Pareto front as a table that displays draw."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._checks import is_integer
from skfairprop._suggest import closest
from skfairprop.inspection import _style as style
from skfairprop.inspection._search_values import read_search
from skfairprop.inspection._titles import metric_title

COLUMNS = (
    "method",
    "point",
    "on",
    "objective",
    "greater_is_better",
    "value",
    "lower",
    "upper",
    "chosen",
)
# Of a table with one row for each point, beside the objectives.
_KEYS = ("method", "on", "point", "chosen")
# Other methods are told apart by their markers, as hues would be by few.
MARKERS = ("s", "^", "X", "v", "P", "*", "<", ">")
# Keywords of the marker of each method.
Looks = dict[str, dict[str, Any]]
_INTERVAL = 3


def front_frame(
    front: Any,
    *,
    objectives: Sequence[str] | None,
    greater_is_better: Iterable[str],
    chosen: int | None,
    others: Mapping[str, Any] | None,
    test: Any = None,
    name: str = "search",
) -> pd.DataFrame:
    """One row for each point and objective.

    Parameters
    ----------
    front : DataFrame
        One row for each point and a column for each objective.
    objectives : sequence of str or None
        Columns of `front`; by default all.
    greater_is_better : iterable of str
        Those of the objectives that are.
    chosen : int or None
        Position of a point in `front`.
    others : mapping of str to values, or None
        Points of other methods: a DataFrame, or a mapping or Series with a value each objective.
    test : DataFrame, mapping, Series or None
        Values on data that the search never saw: of every point of `front`, or of the chosen one,
        where a value may also be (value, lower, upper).
    name : str
        What `front` is called.

    Returns
    -------
    DataFrame
        With the columns `COLUMNS`.

    Raises
    ------
    TypeError
        If `front` is no DataFrame.
    ValueError
        If an objective is missing or not numeric, or an argument does not fit the front.
    """
    if not isinstance(front, pd.DataFrame):
        raise TypeError(f"front must be a DataFrame; got {type(front).__name__}")
    names = [str(c) for c in front.columns] if objectives is None else list(objectives)
    for wrong in (n for n in names if n in _KEYS or names.count(n) > 1):
        what = "is a column of the display" if wrong in _KEYS else "occurs twice"
        raise ValueError(f"front: objective {wrong!r} {what}; rename it")
    points = _columns_of(front.rename(columns=str), names, "front")
    if len(names) < 2 or not len(points):
        what = f"{len(names)} objective" if len(names) < 2 else "no points"
        raise ValueError(f"front has {what}; a picture needs two objectives and a point")
    better = [greater_is_better] if isinstance(greater_is_better, str) else list(greater_is_better)
    for wrong in (b for b in better if b not in names):
        raise ValueError(f"greater_is_better: no objective {wrong!r}{closest(wrong, names)}")
    if chosen is not None and not (is_integer(chosen) and 0 <= chosen < len(points)):
        raise ValueError(
            f"chosen must be a position in the front, from 0 to {len(points) - 1}; got {chosen!r}"
        )
    parts = [_long(points, method=name, on="search", chosen=chosen)]
    for other, values in (others or {}).items():
        if other == name:
            raise ValueError(f"others: {other!r} is the name of the front; give another one")
        parts.append(_long(_table(values, names, f"others[{other!r}]"), method=other))
    if test is not None:
        parts.append(_test_points(test, names, len(points), chosen, name))
    out = pd.concat(parts, ignore_index=True)
    out["greater_is_better"] = out["objective"].isin(better)
    return out[list(COLUMNS)]


def frame_of_search(
    search: Any,
    *,
    owner: str,
    objectives: Sequence[str] | None,
    others: Mapping[str, Any] | None,
    test: Any = None,
    tested: bool = False,
) -> pd.DataFrame:
    """What :func:`front_frame` returns, of a fitted search as :func:`read_search` reads it."""
    found = read_search(search, owner=owner, test=test, objectives=objectives, tested=tested)
    return front_frame(
        found.front,
        objectives=objectives,
        greater_is_better=found.better(objectives),
        chosen=found.chosen,
        others=others,
        test=found.test,
    )


def _columns_of(table: pd.DataFrame, names: Sequence[str], what: str) -> pd.DataFrame:
    for wanted in names:
        if wanted not in table.columns:
            raise ValueError(f"{what} has no objective {wanted!r}{closest(wanted, table.columns)}")
    out = table[list(names)]
    for column in names:
        if not pd.api.types.is_numeric_dtype(out[column]):
            raise ValueError(
                f"{what}: {column!r} is not numeric; name the objectives with objectives="
            )
    return out.astype(float).reset_index(drop=True)


def _table(values: Any, names: Sequence[str], what: str) -> pd.DataFrame:
    """Values of one or many points as a table of the objectives."""
    if isinstance(values, pd.DataFrame):
        return _columns_of(values, names, what)
    if isinstance(values, pd.Series | Mapping):
        columns = {key: np.atleast_1d(value) for key, value in dict(values).items()}
        return _columns_of(pd.DataFrame(columns), names, what)
    raise TypeError(
        f"{what} must be a DataFrame, or a mapping of objectives to values; "
        f"got {type(values).__name__}"
    )


def _long(
    points: pd.DataFrame, *, method: str, on: str = "search", chosen: int | None = None
) -> pd.DataFrame:
    n, m = points.shape
    return pd.DataFrame(
        {
            "method": method,
            "point": np.repeat(np.arange(n), m),
            "on": on,
            "objective": list(points.columns) * n,
            "value": points.to_numpy().ravel(),
            "lower": np.nan,
            "upper": np.nan,
            "chosen": np.repeat(np.arange(n) == (-1 if chosen is None else chosen), m),
        }
    )


def _test_points(
    test: Any, names: Sequence[str], n: int, chosen: int | None, name: str
) -> pd.DataFrame:
    if isinstance(test, pd.DataFrame):
        table = _columns_of(test, names, "test")
        if len(table) != n:
            raise ValueError(f"test has {len(table)} rows; the front has {n}")
        return _long(table, method=name, on="test", chosen=chosen)
    if chosen is None:
        raise ValueError("test holds one point; say which of the front it is with chosen=")
    values = dict(test)
    ends = {}
    for wanted in names:
        if wanted not in values:
            raise ValueError(f"test has no objective {wanted!r}{closest(wanted, values)}")
        found = np.atleast_1d(np.asarray(values[wanted], dtype=float))
        if found.shape not in ((1,), (_INTERVAL,)):
            raise ValueError(
                f"test: {wanted!r} must be a value, or (value, lower, upper); "
                f"got {values[wanted]!r}"
            )
        ends[wanted] = found if len(found) == _INTERVAL else np.array([found[0], np.nan, np.nan])
    out = _long(pd.DataFrame({k: [v[0]] for k, v in ends.items()}), method=name, on="test")
    out["lower"], out["upper"] = (
        [ends[o][1] for o in out["objective"]],
        [ends[o][2] for o in out["objective"]],
    )
    return out.assign(point=chosen, chosen=True)


# -- what a picture takes from the table --------------------------------------------------------


def objectives_of(frame: pd.DataFrame) -> dict[str, bool]:
    """The objectives in their order, with whether greater is better."""
    rows = frame.drop_duplicates("objective")
    return dict(zip(rows["objective"], rows["greater_is_better"].astype(bool), strict=True))


def wide(frame: pd.DataFrame, column: str = "value") -> pd.DataFrame:
    """One row for each point, in the order of the table, and a column for each objective."""
    keys = list(_KEYS)
    names = list(pd.unique(frame["objective"]))
    out = frame.pivot(index=keys, columns="objective", values=column)[names]
    first = frame[keys].drop_duplicates()
    return out.loc[pd.MultiIndex.from_frame(first)].reset_index()


def objective_label(name: str, greater_is_better: bool) -> str:
    """Title of an objective and, below it, which way is better."""
    way = "higher" if greater_is_better else "lower"
    return f"{style.name_of(metric_title(name), 36)}\n{way} is better"


def method_looks(frame: pd.DataFrame, *, owner: str) -> Looks:
    """Markers of the other methods: hollow and in ink.

    Raises
    ------
    ValueError
        If there are more methods than markers.
    """
    methods = list(pd.unique(frame["method"]))[1:]
    if len(methods) > len(MARKERS):
        raise ValueError(
            f"{owner} draws {len(MARKERS)} other methods at most; others has {len(methods)}"
        )
    return {
        method: {
            "marker": marker,
            "color": style.INK,
            "markerfacecolor": "white",
            "markeredgewidth": 1.3,
            "markersize": 8 if marker == "*" else 6.5,
            "linestyle": "none",
        }
        for method, marker in zip(methods, MARKERS, strict=False)
    }


CHOSEN = {
    "marker": "D",
    "color": style.ORANGE,
    "markeredgecolor": style.INK,
    "markersize": 8.5,
    "markeredgewidth": 1.1,
    "linestyle": "none",
}
TEST = CHOSEN | {
    "markerfacecolor": "white",
    "markeredgecolor": style.ORANGE,
    "markeredgewidth": 1.6,
    "markersize": 7.5,
}
POINT = {"marker": "o", "color": style.BLUE, "markersize": 5, "linestyle": "none"}
HOLLOW = POINT | {"markerfacecolor": "white", "markeredgewidth": 1.1, "markersize": 4.5}
