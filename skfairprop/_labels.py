"""Class labels and weights of rows: what may be counted, and as which class."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._columns import Column, factorize, small_int
from skfairprop.groups import count_missing, name_some

# What pandas calls the objects that are read as numbers.
_NUMBERS = ("integer", "floating", "decimal", "mixed-integer-float", "boolean")
# The squares of larger weights, which the inference sums, would overflow; those of weights that
# are all smaller would vanish.
MAX_WEIGHT, MIN_WEIGHT = 1e150, 1e-150


def encode_classes(
    columns: dict[str, Column], *, row_counts: np.ndarray | None = None
) -> tuple[list[np.ndarray], pd.Index]:
    """Codes of one or two label columns, by argument name, over their common classes.

    Parameters
    ----------
    columns : dict of str to Column
    row_counts : integer array of shape (n,), optional
        Number of rows behind each value, where the columns are of a table of counts.

    Returns
    -------
    codes : list of integer arrays, one a column
    classes : Index
        Sorted.
    """
    coded = [_code_labels(column, name, row_counts) for name, column in columns.items()]
    if len(coded) == 1:
        return [coded[0][0]], coded[0][1]
    (true_codes, true_labels), (pred_codes, pred_labels) = coded
    if true_labels.equals(pred_labels) and true_labels.dtype == pred_labels.dtype:
        return [true_codes, pred_codes], true_labels
    _refuse_mixed_kinds(dict(zip(columns, (true_labels, pred_labels), strict=True)))
    # Python's own equality: 1 == 1.0 == True are one class, spelled as y_true spells it.
    position = {label: i for i, label in enumerate(true_labels.tolist())}
    for label in pred_labels.tolist():
        position.setdefault(label, len(position))
    every = pd.Index(list(position), tupleize_cols=False)
    codes, classes = factorize(every.array if every.dtype != object else every.to_numpy(), what="y")
    remap = codes[[position[label] for label in pred_labels.tolist()]]
    return [codes[: len(true_labels)][true_codes], remap[pred_codes]], classes


def _code_labels(
    column: Column, name: str, row_counts: np.ndarray | None
) -> tuple[np.ndarray, pd.Index]:
    codes, labels = factorize(column.values, what=name)
    if not len(labels) or codes.min() < 0:
        n_missing, n = count_missing(codes, row_counts)
        raise ValueError(f"{name}: {n_missing:,} of {n:,} values are missing; leave those rows out")
    if labels.dtype.kind == "f":
        if np.isinf(labels[-1]) or np.isinf(labels[0]):  # sorted
            raise ValueError(f"{name} holds infinite values; pass class labels")
        broken = labels[labels != np.floor(labels)]
        if len(broken):
            raise ValueError(
                f"{name} holds continuous values, as {broken[0]:g}; pass class labels, for example "
                "score >= 0.5"
            )
    return codes, labels


def _refuse_mixed_kinds(labels: dict[str, pd.Index]) -> None:
    kinds = [{isinstance(v, str) for v in found.tolist()} for found in labels.values()]
    if len(kinds[0] | kinds[1]) == 2 and len(kinds[0]) == len(kinds[1]) == 1:
        listed = " against ".join(name_some(found) for found in labels.values())
        raise ValueError(
            f"{' and '.join(labels)} have labels of different types: {listed}; give both the same "
            "labels"
        )


def declare(
    codes, found: pd.Index, declared: Sequence[Hashable] | None, what: str
) -> tuple[np.ndarray, pd.Index]:
    """Codes over the declared labels, which must hold every label found."""
    if declared is None:
        return codes, found
    if isinstance(declared, str | bytes):
        raise ValueError(f"{what} must be a sequence of labels; got the text {declared!r}")
    listed: list[Any] = list(declared)
    if isinstance(found, pd.MultiIndex):
        names = found.names
        if any(not isinstance(v, tuple) or len(v) != len(names) for v in listed):
            raise ValueError(
                f"{what} of several protected columns must be tuples of one value for each of "
                f"{list(names)}"
            )
        labels: pd.Index = pd.MultiIndex.from_tuples(listed, names=names)
    else:
        labels = pd.Index(listed, tupleize_cols=False, name=found.name)
    position = {label: i for i, label in enumerate(labels.tolist())}
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise ValueError(
            f"the data hold {what} that are not declared: {name_some(unknown)}; "
            f"{what}= names {name_some(labels)}"
        )
    new = np.array([position[label] for label in found.tolist()] + [-1], small_int(len(labels)))
    return new[codes], labels


def read_numbers(column: Column, name: str) -> np.ndarray:
    """Values that must be finite numbers, as an array of integers, booleans or floats."""
    values = np.asarray(column.values)
    if values.dtype.kind == "O" and pd.api.types.infer_dtype(values) in _NUMBERS:
        values = pd.to_numeric(pd.Series(values)).to_numpy(dtype=float, na_value=np.nan)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers")
    if values.dtype.kind == "f":
        if values.dtype.itemsize != 4:
            values = values.astype(np.float64, copy=False)
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds values that are missing or infinite")
    return values


def check_weights(column: Column) -> np.ndarray:
    """Sample weights as an array of numbers that are finite and not negative."""
    weights = read_numbers(column, "sample_weight")
    if weights.min() < 0:
        raise ValueError(
            f"sample_weight holds {np.count_nonzero(weights < 0):,} negative values; weights must "
            "be 0 or more"
        )
    if float(weights.max()) > MAX_WEIGHT:
        raise ValueError(
            f"sample_weight holds values as large as {weights.max():g}; divide all of them by the "
            "largest"
        )
    if not weights.any():
        raise ValueError("sample_weight is zero in all rows")
    if float(weights.max()) < MIN_WEIGHT:
        raise ValueError(
            f"sample_weight holds no value above {weights.max():g}; divide all of them by the "
            "largest"
        )
    return weights
