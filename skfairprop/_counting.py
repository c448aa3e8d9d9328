"""Rows and codes are counted here: what a table of counts is made of."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._columns import Column, blockwise_bincount, blockwise_moments
from skfairprop._labels import check_weights, declare, encode_classes
from skfairprop.groups import Groups, align, name_some

# Larger tables are refused: they come from a score or an identifier passed as a label.
_MAX_CELLS = 1 << 27
# Sums of integer weights are exact, and so integers again, below this.
MAX_EXACT = 1 << 53


def tabulate_rows(
    labels: Mapping[str, Any],
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    groups: Sequence[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    missing: str = "raise",
    stacklevel: int = 3,
) -> dict[str, Any]:
    """Count rows; see :meth:`skfairprop.GroupCounts.from_arrays` for the arguments.

    Parameters
    ----------
    labels : mapping of str to array-like
        True and, perhaps, predicted classes, by the names that messages shall use.
    stacklevel : int, default=3
        Which caller a warning points to; that of the caller, if not told otherwise.

    Returns
    -------
    dict
        The arguments of :class:`skfairprop.GroupCounts`.
    """
    columns = align(**labels, sensitive_features=sensitive_features, sample_weight=sample_weight)
    found = Groups.from_columns(columns["sensitive_features"], missing=missing)
    dropped = found.n_dropped if missing == "drop" else 0
    report_dropped(dropped, len(found), stacklevel + 1)
    codes, found_classes = encode_classes({name: columns[name][0] for name in labels})
    group_codes, group_labels = declare(found.codes, found.labels, groups, "groups")
    recoded = [declare(code, found_classes, classes, "classes") for code in codes]
    weight = None if sample_weight is None else check_weights(columns["sample_weight"][0])
    table = _tabulate(
        [group_codes, *(code for code, _ in recoded)],
        groups=group_labels,
        classes=recoded[0][1],
        sample_weight=weight,
    )
    table["n_dropped"] = dropped
    if weight is not None:
        report_weightless(table, found.labels, stacklevel + 1)
    return table


def tabulate_codes(
    codes: Mapping[str, Any], *, groups, classes, sample_weight: Any
) -> dict[str, Any]:
    """Count codes, by the names of their arguments: groups first, then one or two of classes."""
    names, arrays = list(codes), [np.asarray(code) for code in codes.values()]
    n = arrays[0].size
    for name, code in zip(names, arrays, strict=True):
        if not code.size:
            raise ValueError(f"{name} are empty: 0 rows; at least 1 is needed")
        if code.dtype.kind not in "iu" or code.shape != (n,):
            raise ValueError(f"{name} must be integers of shape {(n,)}")
    # unsigned integers of 8 bytes cannot be added to positions
    arrays = [code.astype(np.intp) if code.dtype.str[1:] == "u8" else code for code in arrays]
    if sample_weight is not None:
        sample_weight = check_weights(Column(np.asarray(sample_weight)))
        if len(sample_weight) != n:
            raise ValueError(f"sample_weight has {len(sample_weight):,} rows; the codes have {n:,}")
    return _tabulate(
        arrays, groups=groups, classes=classes, sample_weight=sample_weight, names=names
    )


def _tabulate(codes, *, groups, classes, sample_weight: Any, names=None) -> dict[str, Any]:
    sizes = check_size(groups, classes, len(codes))
    squared = None
    if sample_weight is None:
        values = blockwise_bincount(codes, sizes, names=names).reshape(sizes)
    else:
        found = blockwise_moments(codes, sizes, sample_weight, names=names)
        values, squared = (table.reshape(sizes) for table in found)
        if sample_weight.dtype.kind in "biu" and values.max() < MAX_EXACT:
            values = np.rint(values).astype(np.int64)
        if not values.any():
            raise ValueError("sample_weight is zero in all rows with a protected value")
    return {
        "values": values,
        "groups": groups,
        "classes": classes,
        "squared": squared,
        "predicted": len(codes) == 3,
    }


def check_size(groups, classes, n_axes: int) -> list[int]:
    """Lengths of the axes of a table: groups first, then classes. Refuses one that is too large."""
    sizes = [len(groups)] + [len(classes)] * (n_axes - 1)
    if np.prod(sizes, dtype=object) > _MAX_CELLS:
        raise ValueError(
            f"{len(groups):,} groups and {len(classes):,} classes make too large a table; pass "
            "class labels rather than scores, and cut or merge the groups"
        )
    return sizes


def report_dropped(dropped: int, n: int, stacklevel: int) -> None:
    """Say how many rows were left out, if any."""
    if dropped:
        warnings.warn(
            f"left out {dropped:,} of {n:,} rows with a missing protected value; "
            f"{n - dropped:,} rows were used",
            UserWarning,
            stacklevel=stacklevel,
        )


def report_weightless(table: dict[str, Any], found: pd.Index, stacklevel: int) -> None:
    """Name the groups that have rows but no weight: their rates are 0/0."""
    values, groups = table["values"], table["groups"]
    empty = groups[~values.reshape(len(groups), -1).any(1)]
    empty = empty[empty.isin(found)]
    if len(empty):
        warnings.warn(
            f"sample_weight is 0 in all rows of group{'s' * (len(empty) > 1)} {name_some(empty)}; "
            "their rates are undefined and left out",
            UndefinedMetricWarning,
            stacklevel=stacklevel,
        )
