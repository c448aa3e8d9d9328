"""The cell of every row, (group, class): what inducing and reweighting bias have in common."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._columns import blockwise_bincount, read_column
from skfairprop._labels import encode_classes
from skfairprop._resolve import resolve_sensitive_features
from skfairprop._rows import as_indexable, count_rows
from skfairprop._suggest import closest
from skfairprop.groups import Groups, label_text


@dataclass(frozen=True)
class Cells:
    """Group and class of every row.

    Parameters
    ----------
    group_codes, class_codes : integer arrays of shape (n,)
        Positions in `groups` and `classes`; -1 for rows that were left out.
    groups, classes : Index of length G and K
    """

    group_codes: np.ndarray
    class_codes: np.ndarray
    groups: pd.Index
    classes: pd.Index

    @property
    def shape(self) -> tuple[int, int]:
        """Number of groups and of classes."""
        return len(self.groups), len(self.classes)

    @property
    def codes(self) -> np.ndarray:
        """Position of each row's cell in the flattened table, -1 for rows left out."""
        out = self.group_codes.astype(np.int64) * len(self.classes)
        out += self.class_codes
        out[(self.group_codes < 0) | (self.class_codes < 0)] = -1
        return out

    def table(self, sample_weight: np.ndarray | None = None) -> np.ndarray:
        """Counts, or sums of weights, of shape (G, K)."""
        flat = blockwise_bincount([self.codes], [self.shape[0] * self.shape[1]], sample_weight)
        return flat.reshape(self.shape)

    def frame(self, table: np.ndarray) -> pd.DataFrame:
        """A table of shape (G, K) with its labels."""
        return pd.DataFrame(table, index=self.groups, columns=self.classes)

    def restrict(
        self,
        groups: Sequence[Hashable] | None,
        classes: Sequence[Hashable] | None,
        *,
        owner: str,
    ) -> "Cells":
        """Only some groups and classes, in the order given; the other rows are left out."""
        if groups is None and classes is None:
            return self
        group_codes, group_labels = _keep(self.group_codes, self.groups, groups, "groups", owner)
        class_codes, class_labels = _keep(self.class_codes, self.classes, classes, "classes", owner)
        return Cells(group_codes, class_codes, group_labels, class_labels)

    def take(self, rows: np.ndarray) -> "Cells":
        """The cells of some rows."""
        return Cells(self.group_codes[rows], self.class_codes[rows], self.groups, self.classes)

    def recode(self, groups: pd.Index, classes: pd.Index) -> "Cells":
        """The same rows over other labels; those of labels that are not listed are left out."""
        codes = []
        for code, found, labels in (
            (self.group_codes, self.groups, groups),
            (self.class_codes, self.classes, classes),
        ):
            new = np.append(labels.get_indexer(found), -1)  # the last one serves the code -1
            codes.append(new[code])
        return Cells(codes[0], codes[1], groups, classes)

    def name(self, where: np.ndarray) -> str:
        """The cells of a boolean table, for a message: "class 'a' in group 'x'"."""
        found = [
            f"class {label_text(self.classes[k])!r} in group {label_text(self.groups[g])!r}"
            for g, k in np.argwhere(where)[:3]
        ]
        more = int(np.count_nonzero(where)) - len(found)
        return ", ".join(found) + (f" and {more:,} more cells" if more else "")


def code_cells(spec: Any, X: Any, y: Any, sensitive_features: Any, *, owner: str) -> Cells:
    """Code the cell of every row of X.

    Parameters
    ----------
    spec : str, list of str, callable, Series, DataFrame or None
        What the estimator was given as `sensitive_features`.
    X : indexable or None
    y : array-like of shape (n,)
    sensitive_features : array-like or None
        What was passed for these rows; it goes before `spec`.
    owner : str
        Name of the estimator, for the messages.

    Returns
    -------
    Cells

    Raises
    ------
    ValueError
        If y is not a column of class labels, rows do not match, or values are missing.
    """
    class_codes, classes = code_labels(y, owner=owner)
    X = as_indexable(X)
    if X is not None and count_rows(X) != len(class_codes):
        raise ValueError(f"{owner}: X has {count_rows(X):,} rows; y has {len(class_codes):,}")
    columns = resolve_sensitive_features(spec, X, y, sensitive_features, owner=owner)
    if len(columns) != len(class_codes):
        raise ValueError(
            f"{owner}: sensitive_features has {len(columns):,} rows; y has {len(class_codes):,}"
        )
    groups = Groups.from_columns(columns, missing="drop", name=f"{owner}: sensitive_features")
    if groups.n_dropped:
        _refuse_missing(columns, owner)
    return Cells(groups.codes, class_codes, groups.labels, classes)


def code_labels(y: Any, *, owner: str) -> tuple[np.ndarray, pd.Index]:
    """Codes and sorted labels of y, which must hold one class a row."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None")
    column = read_column(y, what=f"{owner}: y")
    if len(column) == 0:
        raise ValueError(f"{owner}: y is empty: 0 sample(s); at least 1 is needed")
    codes, labels = encode_classes({f"{owner}: y": column})
    return codes[0], labels


def position(label: Hashable, labels: pd.Index, what: str, *, owner: str) -> int:
    """Where `label` is among `labels`."""
    known = labels.tolist()
    if label not in known:
        texts = [label_text(v) for v in known]
        hint = closest(label_text(label), texts)
        if label_text(label) in texts:  # 1 and "1" look the same
            same = known[texts.index(label_text(label))]
            hint = (
                f" as {type(label).__name__} {label!r}; there it is {type(same).__name__} {same!r}"
            )
        raise ValueError(f"{owner}: {what} {label_text(label)!r} does not occur{hint}")
    return known.index(label)


def refuse_empty(cells: Cells, table: np.ndarray, remedy: str, *, owner: str) -> None:
    """Raise ValueError if a cell has no rows."""
    empty = table == 0
    if empty.any():
        raise ValueError(f"{owner}: there are no rows of {cells.name(empty)}; {remedy}")


def _keep(codes, found: pd.Index, wanted, what: str, owner: str) -> tuple[np.ndarray, pd.Index]:
    if wanted is None:
        return codes, found
    if isinstance(wanted, str) or not len(wanted):
        raise ValueError(f"{owner}: {what} must list at least one label; got {wanted!r}")
    single = {"groups": "group", "classes": "class"}[what]
    where = [position(label, found, single, owner=owner) for label in wanted]
    if len(set(where)) < len(where):
        twice = next(label for i, label in enumerate(wanted) if where[i] in where[:i])
        raise ValueError(f"{owner}: {what} names {label_text(twice)!r} twice")
    new = np.full(len(found) + 1, -1, dtype=np.int64)  # the last one serves the code -1
    new[where] = np.arange(len(where))
    return new[codes], found[where]


def _refuse_missing(columns: pd.DataFrame, owner: str) -> None:
    missing = columns.isna().to_numpy()
    where = int(missing.any(0).argmax())
    name = columns.columns[where]
    what = "sensitive_features" + ("" if name is None else f" {str(name)!r}")
    raise ValueError(
        f"{owner}: {what}: {missing[:, where].sum():,} of {len(missing):,} values are missing; "
        "make them a group of their own, as with .fillna('(missing)'), or leave those rows out"
    )
