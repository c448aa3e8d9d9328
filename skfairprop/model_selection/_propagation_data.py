"""The rows of a propagation study: what is trained on, and what is tested on."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._checks import is_number
from skfairprop._resolve import by_name_or_value, resolve_sensitive_features
from skfairprop._rows import take_rows
from skfairprop.groups import name_some
from skfairprop.preprocessing._cells import Cells, code_cells

OWNER = "bias_propagation"


@dataclass(frozen=True)
class Part:
    """Rows with their classes, protected columns and cells."""

    X: Any
    y: Any
    people: pd.DataFrame
    cells: Cells

    def take(self, rows: np.ndarray) -> "Part":
        """Some of the rows."""
        return Part(
            take_rows(self.X, rows),
            take_rows(self.y, rows),
            self.people.iloc[rows],
            self.cells.take(rows),
        )

    def within(self, groups: pd.Index, classes: pd.Index) -> "Part":
        """The rows of these groups and classes, coded as they are listed."""
        cells = self.cells.recode(groups, classes)
        kept = cells.codes >= 0
        part = Part(self.X, self.y, self.people, cells)
        return part if kept.all() else part.take(np.flatnonzero(kept))


def read_part(X: Any, y: Any, spec: Any, sensitive_features: Any = None) -> Part:
    """Rows whose protected columns are found by `spec`, or are given."""
    people = resolve_sensitive_features(spec, X, y, sensitive_features, owner=OWNER)
    return Part(X, y, people, code_cells(None, X, y, people, owner=OWNER))


def train_and_test(X: Any, y: Any, spec: Any, test: Any, seed: int) -> tuple[Part, Part]:
    """The rows to train on, before bias is induced, and those to test on.

    Parameters
    ----------
    X, y : rows and classes
    spec : str, list of str, callable, Series, DataFrame or array-like
        Protected columns.
    test : float, or tuple (X, y) or (X, y, sensitive_features)
        Share of every cell to test on, or the test rows.
    seed : int
        For the share.

    Returns
    -------
    train, test : Part
    """
    # Groups themselves belong to the rows of X by position, and say nothing of those of test.
    spec, groups = by_name_or_value(spec, X, on_index=True)
    whole = read_part(X, y, spec, groups)
    if isinstance(test, tuple):
        if len(test) not in (2, 3):
            raise ValueError(
                f"{OWNER}: test must be a share of the rows, (X, y) or (X, y, sensitive_features); "
                f"got a tuple of {len(test)}"
            )
        if len(test) == 2 and groups is not None:
            raise ValueError(
                f"{OWNER}: sensitive_features is an array, which says nothing of the rows of test; "
                "pass test=(X, y, sensitive_features)"
            )
        return whole, read_part(test[0], test[1], spec, test[2] if len(test) == 3 else None)
    if not is_number(test) or not 0 < test < 1:
        raise ValueError(
            f"{OWNER}: test must be a share between 0 and 1, or a tuple (X, y); got {test!r}"
        )
    chosen = _share_of_cells(whole.cells.codes, float(test), seed)
    return whole.take(np.flatnonzero(~chosen)), whole.take(np.flatnonzero(chosen))


def common_labels(train: Part, test: Part, inducers: list[Any]) -> tuple[pd.Index, pd.Index]:
    """Groups and classes that the fitted inducers keep, which must be in the test rows, too."""
    groups, classes = train.cells.groups, train.cells.classes
    restricted = [i for i in inducers if hasattr(i, "groups_") and hasattr(i, "classes_")]
    if restricted:
        groups, classes = restricted[0].groups_, restricted[0].classes_
        for other in restricted[1:]:
            same = set(other.groups_) == set(groups) and set(other.classes_) == set(classes)
            if not same:
                raise ValueError(
                    f"{OWNER}: the inducers keep different groups or classes; run one study each"
                )
    else:
        for what, known, found in (
            ("groups", groups, test.cells.groups),
            ("classes", classes, test.cells.classes),
        ):
            new = found[~found.isin(known)]
            if len(new):
                raise ValueError(
                    f"{OWNER}: test has {what} that X and y lack: {name_some(new)}; leave them out"
                )
    table = test.cells.recode(groups, classes)
    if not (table.codes >= 0).any():
        raise ValueError(f"{OWNER}: test has no rows of the groups and classes that are trained on")
    empty = table.table() == 0
    if empty.any():
        warnings.warn(
            f"{OWNER}: test has no rows of {table.name(empty)}; their rates are left out",
            UserWarning,
            stacklevel=3,
        )
    return groups, classes


def _share_of_cells(codes: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A random share of the rows of every cell, rounded to whole rows."""
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    line = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.unique(codes, return_counts=True)[1]
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = np.zeros(len(codes), dtype=bool)
    chosen[line] = rank < np.repeat(np.rint(share * sizes), sizes)
    return chosen
