"""Which columns are examined, and together with which."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from skfairprop._checks import is_integer
from skfairprop._suggest import closest
from skfairprop.benn._effects import Block
from skfairprop.explain._table import Table

OWNER = "BENNEstimator"


def read_table(X: Any, categorical_features: Any) -> Table:
    """Layout of X.

    Raises
    ------
    TypeError, ValueError
        If a cell is no text, number, category or missing value, or `categorical_features` names
        what is not there.
    """
    try:
        return Table.of(X, categorical_features)
    except TypeError as exc:
        if "unhashable" not in str(exc):
            raise
        raise TypeError(
            f"{OWNER}: X holds cells that cannot be compared ({exc}): each argument must be a "
            "string or a number"
        ) from exc


def check_names(X: Any) -> None:
    """Raise ValueError if two columns of a data frame have one name."""
    repeated = X.columns[X.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"{OWNER}: X has several columns named {repeated[0]!r}; rename them")


def column_names(table: Table) -> list[Any]:
    """Names of the columns, x0, x1, ... where they have none."""
    if table.names is None:
        return [f"x{j}" for j in range(len(table.columns))]
    return list(table.names)


def find_blocks(table: Table, features: Any, feature_blocks: Any) -> list[Block]:
    """The blocks to examine.

    Parameters
    ----------
    table : Table
    features : None, "all", name or position, or sequence of these
        None: every column if there are no blocks, else none.
    feature_blocks : mapping of name to columns, optional

    Raises
    ------
    TypeError, ValueError
        If they name what is not there, nothing, or one thing twice.
    """
    names = column_names(table)
    blocks = []
    if feature_blocks is not None:
        if not isinstance(feature_blocks, Mapping):
            raise TypeError(
                f"{OWNER}: feature_blocks must map a name to columns, as {{'age': ['age', "
                f"'age_cat']}}; got a {type(feature_blocks).__name__}"
            )
        for name, columns in feature_blocks.items():
            found = [_position(c, names, f"feature_blocks[{name!r}]") for c in _listed(columns)]
            if not found or len(set(found)) < len(found):
                what = "names no column" if not found else "names a column twice"
                raise ValueError(f"{OWNER}: feature_blocks[{name!r}] {what}")
            blocks.append(Block(name, tuple(found)))
    used = {j for block in blocks for j in block.columns}
    if isinstance(features, str) and features == "all" and "all" not in names:
        chosen = [j for j in range(len(names)) if j not in used]
    elif features is None:
        chosen = [] if blocks else list(range(len(names)))
    else:
        chosen = [_position(feature, names, "features") for feature in _listed(features)]
    blocks += [Block(names[j], (j,)) for j in chosen]
    labels = [block.name for block in blocks]
    repeated = [name for name in labels if labels.count(name) > 1]
    if repeated or not blocks:
        what = f"name {repeated[0]!r} twice" if repeated else "name nothing to examine"
        raise ValueError(f"{OWNER}: features and feature_blocks {what}")
    return blocks


def _listed(given: Any) -> list:
    if isinstance(given, list | tuple | np.ndarray) or hasattr(given, "tolist"):
        return list(given)
    return [given]


def _position(feature: Hashable, names: list, what: str) -> int:
    if feature in names:
        return names.index(feature)
    if is_integer(feature) and 0 <= feature < len(names):
        return int(feature)
    raise ValueError(f"{OWNER}: {what}: X has no column {feature!r}{closest(feature, names)}")
