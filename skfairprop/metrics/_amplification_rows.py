"""Rows of the amplification metrics: classes, label sets or scores, in either direction."""

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from skfairprop._checks import check_choice
from skfairprop._columns import Column, blockwise_bincount, read_column, read_columns
from skfairprop._labels import check_weights, encode_classes
from skfairprop.counts import GroupCounts
from skfairprop.groups import Groups, align_columns, name_some

DIRECTIONS = ("a_to_t", "t_to_a")
_BLOCK = 1 << 15


@dataclass(frozen=True)
class Labels:
    """One class a row: integer codes of shape (n,) and their labels."""

    codes: np.ndarray
    labels: pd.Index
    kind = "classes"

    def take(self, rows) -> "Labels":
        return replace(self, codes=self.codes[rows])

    def sizes(self, weight: np.ndarray | None) -> np.ndarray:
        """Weighted number of rows of each label, (K,)."""
        return blockwise_bincount([self.codes], [len(self.labels)], weight)

    def values(self) -> np.ndarray:
        """Labels of the rows; of an intersection as tuples."""
        return self.labels.to_numpy()[self.codes]


@dataclass(frozen=True)
class LabelSets:
    """A set of labels a row: a sparse 0/1 matrix of shape (n, L) and the names of the labels."""

    matrix: sparse.csr_matrix
    names: list
    kind = "label sets"

    def take(self, rows) -> "LabelSets":
        return replace(self, matrix=self.matrix[rows])

    def values(self) -> np.ndarray:
        return self.matrix.toarray()


@dataclass(frozen=True)
class Scores:
    """Numbers that are no classes, such as scores or embeddings: float array of shape (n, d)."""

    matrix: np.ndarray
    kind = "scores"

    def take(self, rows) -> "Scores":
        return replace(self, matrix=self.matrix[rows])

    def values(self) -> np.ndarray:
        return self.matrix


Variable = Labels | LabelSets | Scores


@dataclass(frozen=True)
class Rows:
    """Row-aligned truth, prediction, groups, predicted groups and weights; None where not given."""

    truth: Variable
    pred: Variable | None
    group: Labels
    group_pred: Labels | None
    weight: np.ndarray | None

    def targets(self, direction: str) -> tuple[Variable, Variable, Variable]:
        """Prior, target in the data and target of the model."""
        found: dict[str, tuple[Variable, Variable, Variable | None]] = {
            "a_to_t": (self.group, self.truth, self.pred),
            "t_to_a": (self.truth, self.group, self.group_pred),
        }
        prior, data, model = found[direction]
        assert model is not None  # read_rows requires it
        return prior, data, model


def count_rows(
    prior: Variable, data: Variable, model: Variable | None, weight: np.ndarray | None
) -> GroupCounts:
    """Table prior x data (x model) of classes; data and model share their labels."""
    assert isinstance(prior, Labels)
    assert isinstance(data, Labels)
    return GroupCounts.from_codes(
        prior.codes,
        data.codes,
        model.codes if isinstance(model, Labels) else None,
        groups=prior.labels,
        classes=data.labels,
        sample_weight=weight,
    )


def read_rows(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sensitive_pred: Any = None,
    direction: str = "a_to_t",
    sample_weight: Any = None,
    missing: str = "raise",
    scores: bool = False,
) -> Rows:
    """Read and align the inputs of an amplification metric.

    Parameters
    ----------
    scores : bool, default=False
        Whether continuous values are allowed: only an attacker can read them.

    Raises
    ------
    ValueError
        If the inputs do not fit together or are of the wrong kind; one line with the remedy.
    """
    check_choice("direction", direction, DIRECTIONS)
    _require_predictions(y_pred, sensitive_pred, direction)
    inputs = {"y_true": _Input.read(y_true, "y_true")}
    if y_pred is not None:
        inputs["y_pred"] = _Input.read(y_pred, "y_pred")
    columns = {what: [data.row_column()] for what, data in inputs.items()}
    columns["sensitive_features"] = read_columns(sensitive_features, what="sensitive_features")
    if sensitive_pred is not None:
        columns["sensitive_pred"] = read_columns(sensitive_pred, what="sensitive_pred")
    if sample_weight is not None:
        columns["sample_weight"] = [read_column(sample_weight, what="sample_weight")]
    aligned = align_columns(columns)
    group = Groups.from_columns(aligned["sensitive_features"], missing=missing)
    group_pred = None
    if sensitive_pred is not None:
        group_pred = Groups.from_columns(aligned["sensitive_pred"], name="sensitive_pred")
    truth, pred = _read_pair(inputs, aligned, scores)
    rows = Rows(
        truth,
        pred,
        *_encode_groups(group, group_pred),
        _weights(aligned),
    )
    return _without_missing(rows, group)


def read_prior(
    prior: Any, target: Any, *, categorical: bool, sample_weight: Any = None, missing: str = "raise"
) -> tuple[Variable, Variable, np.ndarray | None]:
    """Read and align what guesses, what is guessed, and the weights.

    Parameters
    ----------
    categorical : bool
        Whether the values of the prior are to be counted; several columns are then intersected.
        Otherwise an estimator reads them.
    """
    goal = _Input.read(target, "target")
    source = None if categorical else _Input.read(prior, "prior", text=True)
    columns = {"target": [goal.row_column()]}
    if source is None or source.text:
        columns["prior"] = read_columns(prior, what="prior")
    else:
        columns["prior"] = [source.row_column()]
    if sample_weight is not None:
        columns["sample_weight"] = [read_column(sample_weight, what="sample_weight")]
    aligned = align_columns(columns)
    weight = _weights(aligned)
    found = _read_variable(goal, aligned["target"][0], "target", scores=not categorical)
    if source is not None and not source.text:
        return _read_variable(source, aligned["prior"][0], "prior", scores=True), found, weight
    for column in aligned["prior"]:
        if _continuous(column):
            raise ValueError(
                "prior holds continuous values; pass an estimator as method, or cut them into "
                "classes"
            )
    group = Groups.from_columns(aligned["prior"], missing=missing, name="prior")
    kept = _kept_rows(group, 4)
    labels = Labels(group.codes, group.labels)
    if kept is None:
        return labels, found, weight
    return labels.take(kept), found.take(kept), _kept_weight(weight, kept)


def _weights(aligned: dict[str, list[Column]]) -> np.ndarray | None:
    if "sample_weight" not in aligned:
        return None
    return check_weights(aligned["sample_weight"][0])


def _read_variable(data: "_Input", column: Column, what: str, *, scores: bool) -> Variable:
    """One variable of its own, whose classes need not be those of another."""
    if data.column is None:
        return _read_matrix(data, column.values, what, scores)
    if scores and _continuous(column):
        return Scores(_finite(np.asarray(column.values, dtype=float)[:, None], what))
    codes, labels = encode_classes({what: column})
    return Labels(codes[0], labels)


def _require_predictions(y_pred: Any, sensitive_pred: Any, direction: str) -> None:
    if direction == "t_to_a" and sensitive_pred is None:
        raise ValueError(
            "direction='t_to_a' needs the predicted attribute; pass sensitive_pred= (see "
            "skfairprop.meta.DirectionalClassifier, whose predict_attribute gives it)"
        )
    if direction == "a_to_t" and y_pred is None:
        raise ValueError("y_pred is required; got None")


@dataclass(frozen=True)
class _Input:
    """One input as a column of values, or as a matrix and its index."""

    column: Column | None
    matrix: Any = None
    names: Any = None
    index: pd.Index | None = None
    text: bool = False

    @classmethod
    def read(cls, data: Any, what: str, *, text: bool = False) -> "_Input":
        """Read an input; `text` allows several columns that are no numbers, and only marks them."""
        if sparse.issparse(data):
            matrix = sparse.csr_matrix(data)
            if not matrix.has_canonical_format:  # entries of one place, which stand for their sum
                matrix = matrix.copy()
                matrix.sum_duplicates()
            return cls(None, matrix, list(range(data.shape[1])))
        if isinstance(data, np.ndarray) and data.ndim == 2 and data.shape[1] != 1:
            return cls(None, data, list(range(data.shape[1])))
        columns = read_columns(data, what=what)
        if len(columns) == 1:
            return cls(columns[0])
        named = isinstance(nw.from_native(data, pass_through=True), nw.DataFrame)
        names = [c.name for c in columns] if named else list(range(len(columns)))
        try:
            matrix = np.column_stack([np.asarray(c.values, dtype=float) for c in columns])
        except (TypeError, ValueError):
            if text:
                return cls(None, text=True)
            raise ValueError(
                f"{what} has {len(columns)} columns, which must hold numbers, 0 and 1 for labels"
            ) from None
        return cls(None, matrix, names, columns[0].index)

    def row_column(self) -> Column:
        """What stands for this input while the rows are aligned: itself, or row numbers."""
        if self.column is not None:
            return self.column
        return Column(np.arange(self.matrix.shape[0]), None, self.index)


def _read_pair(inputs: dict, aligned: dict, scores: bool) -> tuple[Variable, Variable | None]:
    columns = {w: aligned[w][0] for w in inputs if inputs[w].column is not None}
    found: dict[str, Variable] = {}
    for what, data in inputs.items():
        if data.column is None or (scores and _continuous(columns[what])):
            found[what] = _read_variable(data, aligned[what][0], what, scores=scores)
    left = {what: columns[what] for what in inputs if what not in found}
    if left:
        codes, labels = encode_classes(left)
        found |= {what: Labels(code, labels) for what, code in zip(left, codes, strict=True)}
    truth, pred = found["y_true"], found.get("y_pred")
    if pred is not None and not isinstance(pred, Scores):
        _refuse_mixed(truth, pred)
    return truth, pred


def _continuous(column: Column) -> bool:
    values = np.asarray(column.values)
    return values.dtype.kind == "f" and bool(np.any(values != np.floor(values)))


def _read_matrix(data: _Input, rows: np.ndarray, what: str, scores: bool) -> Variable:
    matrix = data.matrix
    if not np.array_equal(rows, np.arange(len(rows))):
        matrix = matrix[rows]
    entries = matrix.data if sparse.issparse(matrix) else matrix
    if entries.dtype.kind not in "biuf":
        raise ValueError(f"{what} has {matrix.shape[1]} columns, which must hold numbers")
    if np.isin(entries, (0, 1)).all():
        return LabelSets(sparse.csr_matrix(matrix, dtype=np.int64), data.names)
    _finite(entries, what)
    if not scores:
        raise ValueError(
            f"{what} holds values other than 0 and 1 in {matrix.shape[1]} columns; if they are "
            "probabilities, pass labels, as in classes[y_proba.argmax(axis=1)] or y_proba >= 0.5"
        )
    return Scores(np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=float))


def _finite(values: np.ndarray, what: str) -> np.ndarray:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{what} holds values that are missing or infinite; leave those rows out")
    return values


def _refuse_mixed(truth: Variable, pred: Variable) -> None:
    kinds = (truth.kind, pred.kind)
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"y_true holds {kinds[0]} and y_pred {kinds[1]}; give both one class a row, or both a "
            "0/1 column for each label"
        )
    if isinstance(truth, LabelSets) and isinstance(pred, LabelSets):
        wide = (len(truth.names), len(pred.names))
        if wide[0] != wide[1]:
            raise ValueError(
                f"y_true has {wide[0]} labels and y_pred {wide[1]}; give both the same"
            )
        named = [all(isinstance(n, str) for n in v.names) for v in (truth, pred)]
        if all(named) and list(truth.names) != list(pred.names):
            raise ValueError(
                f"y_true and y_pred have other labels, or in another order: "
                f"{name_some(truth.names)} against {name_some(pred.names)}"
            )


def _encode_groups(group: Groups, guessed: Groups | None) -> tuple[Labels, Labels | None]:
    """Groups and predicted groups over common labels: the groups' own, and new ones behind them."""
    if guessed is None:
        return Labels(group.codes, group.labels), None
    known = {label: i for i, label in enumerate(group.labels.tolist())}
    labels = guessed.labels.tolist()
    if not any(label in known for label in labels):
        raise ValueError(
            f"sensitive_pred holds none of the groups of sensitive_features: "
            f"{name_some(guessed.labels)} against {name_some(group.labels)}"
        )
    new = [label for label in labels if label not in known]
    known |= {label: len(known) + i for i, label in enumerate(new)}
    every = pd.Index(list(known), tupleize_cols=False) if new else group.labels
    codes = np.array([known[label] for label in labels])[guessed.codes]
    return Labels(group.codes, every), Labels(codes, every)


def _without_missing(rows: Rows, group: Groups) -> Rows:
    kept = _kept_rows(group, 5)
    if kept is None:
        return rows
    return Rows(
        rows.truth.take(kept),
        None if rows.pred is None else rows.pred.take(kept),
        rows.group.take(kept),
        None if rows.group_pred is None else rows.group_pred.take(kept),
        _kept_weight(rows.weight, kept),
    )


def _kept_rows(group: Groups, stacklevel: int) -> np.ndarray | None:
    """Positions of the rows whose protected value is known; None for all."""
    if group.codes.min() >= 0:
        return None
    kept = np.flatnonzero(group.codes >= 0)
    warnings.warn(
        f"left out {len(group) - len(kept):,} of {len(group):,} rows with a missing protected "
        f"value; {len(kept):,} rows were used",
        UserWarning,
        stacklevel=stacklevel,
    )
    return kept


def _kept_weight(weight: np.ndarray | None, kept: np.ndarray) -> np.ndarray | None:
    if weight is None:
        return None
    weight = weight[kept]
    if not weight.any():
        raise ValueError("sample_weight is zero in all rows with a protected value")
    return weight


def warn_if_alone(name: str, rows: Rows, *, undefined: str = "drop", stacklevel: int = 3) -> bool:
    """Whether there is only one group, or no label, and so nothing to compare; warns of that.

    Warns of a single class as well, for which every metric is 0. With ``undefined="raise"``, what
    cannot be compared is refused.
    """
    alone, reason = _only_label([rows.group], rows.weight), ""
    if alone is not None:
        reason = f"it compares groups, and there is only one: {name_some([alone])}"
    elif isinstance(rows.truth, LabelSets) and not rows.truth.matrix.count_nonzero():
        reason = "no row of y_true has a label"
    if reason and undefined == "raise":
        raise ValueError(f"{name} is undefined: {reason}")
    if reason:
        warnings.warn(
            f"{name} is undefined (NaN): {reason}", UndefinedMetricWarning, stacklevel=stacklevel
        )
        return True
    known = [v for v in (rows.truth, rows.pred) if isinstance(v, Labels)]
    alone = _only_label(known, rows.weight) if known else None
    if alone is not None:
        warnings.warn(
            f"{name}: y_true and y_pred hold the one class {name_some([alone])}: there is nothing "
            "to amplify",
            UndefinedMetricWarning,
            stacklevel=stacklevel,
        )
    return False


def _only_label(variables: list[Labels], weight: np.ndarray | None) -> Hashable | None:
    """The only label of all rows that weigh something; None if there are more.

    The rows are read in blocks, until a second label is met: mostly one block.
    """
    found: Hashable | None = None
    for variable in variables:
        labels = variable.labels.tolist()
        for start in range(0, len(variable.codes), _BLOCK):
            codes = variable.codes[start : start + _BLOCK]
            if weight is not None:
                codes = codes[weight[start : start + _BLOCK] > 0]
            if not len(codes):
                continue
            low, high = (labels[i] for i in (codes.min(), codes.max()))
            if low != high or (found is not None and found != low):
                return None
            found = low
    return found
