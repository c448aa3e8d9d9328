"""Tables of prior and target in the data and from a model, and their worst pair."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from skfairprop.counts import GroupCounts
from skfairprop.groups import name_some
from skfairprop.metrics._amplification_kernels import over_represented
from skfairprop.metrics._amplification_rows import (
    Labels,
    LabelSets,
    Rows,
    Variable,
    count_rows,
    read_rows,
)
from skfairprop.metrics._attackers import tabulate
from skfairprop.metrics._label_sets import sum_by_group
from skfairprop.metrics._rates import Array, divide


class PairChange(NamedTuple):
    """How often a target goes with a prior, in the data and from the model."""

    prior: Hashable
    target: Hashable
    p_data: float
    p_model: float


def worst_pair(pairs: pd.DataFrame) -> PairChange | None:
    """The pair with the largest contribution; None where none is defined."""
    if pairs["contribution"].isna().all():
        return None
    row = pairs.iloc[int(np.nanargmax(pairs["contribution"]))]
    return PairChange(row["prior"], row["target"], float(row["p_data"]), float(row["p_model"]))


def most_risen(before: Array, after: Array, labels: tuple[pd.Index, pd.Index]) -> PairChange:
    """The prior whose best guess is right so much more often from the model, and that guess."""
    row = int((after.max(1) - before.max(1)).argmax())
    column = int(after[row].argmax())
    shares = [float(divide(t[row, column], t[row].sum())) for t in (before, after)]
    return PairChange(labels[0].tolist()[row], labels[1].tolist()[column], *shares)


def most_changed(before: Array, after: Array, labels: tuple[pd.Index, pd.Index]) -> PairChange:
    """The pair whose rate changed by the largest factor; rates of shape (I, K), above 0."""
    row, column = np.unravel_index(np.abs(np.log(after / before)).argmax(), before.shape)
    pair = (labels[0].tolist()[row], labels[1].tolist()[column])
    return PairChange(*pair, float(before[row, column]), float(after[row, column]))


@dataclass(frozen=True)
class Pairs:
    """Counts of prior and target, of those priors and targets that occur.

    Parameters
    ----------
    data, model : array of shape (I, K)
        Rows with a prior and, in the data or from the model, a target.
    prior, target, total : arrays of shapes (I,), (K,) and ()
        Rows with a prior; with a target in the data; all rows. They are no sums of the table
        where rows have several labels.
    priors, targets : Index
        Labels.
    """

    data: Array
    model: Array
    prior: Array
    target: Array
    total: Array
    priors: pd.Index
    targets: pd.Index

    def frame(self, **columns: Array) -> pd.DataFrame:
        """A row for each pair: ``prior``, ``target``, ``p_data``, ``p_model`` and more columns."""
        rates = {
            "p_data": divide(self.data, self.prior[:, None]),
            "p_model": divide(self.model, self.prior[:, None]),
        }
        return long_table(self.priors, self.targets, **rates, **columns)


def long_table(priors: pd.Index, targets: pd.Index, **columns: Array) -> pd.DataFrame:
    """Arrays of shape (I, K) as the columns of a table with a row for each prior and target."""
    place = np.indices((len(priors), len(targets))).reshape(2, -1)
    labels = {
        "prior": _objects(priors)[place[0]],
        "target": _objects(targets)[place[1]],
    }
    return pd.DataFrame(labels | {name: np.ravel(values) for name, values in columns.items()})


def _objects(labels: pd.Index) -> np.ndarray:
    out = np.empty(len(labels), dtype=object)  # of an intersection: tuples
    out[:] = labels.tolist()
    return out


def count_pairs(
    prior: Variable, data: Variable, model: Variable, weight: np.ndarray | None
) -> Pairs:
    """Count the pairs of classes or labels.

    The prior or both targets may be label sets, each label then being a prior or a target.
    """
    before, after = tables_of(prior, data, model, weight)
    rows, columns = before.sum(axis=1), before.sum(axis=0)
    if isinstance(data, LabelSets):
        rows = _sizes(prior, weight)
    elif isinstance(prior, LabelSets):
        columns = _sizes(data, weight)
    kept = (rows > 0).to_numpy(), (columns + after.sum(axis=0) > 0).to_numpy()
    return Pairs(
        before.to_numpy()[np.ix_(*kept)],
        after.to_numpy()[np.ix_(*kept)],
        rows.to_numpy()[kept[0]],
        columns.to_numpy()[kept[1]],
        np.asarray(columns.sum() if isinstance(prior, LabelSets) else rows.sum()),
        before.index[kept[0]],
        before.columns[kept[1]],
    )


def _sizes(variable: Variable, weight: np.ndarray | None) -> pd.Series:
    assert isinstance(variable, Labels)
    return pd.Series(variable.sizes(weight), index=variable.labels)


def tables_of(
    prior: Variable, data: Variable, model: Variable, weight: np.ndarray | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Weighted number of rows that have a prior and a target, in the data and from the model."""
    if all(isinstance(v, Labels) for v in (prior, data, model)):
        counts = count_rows(prior, data, model, weight)  # once for both
        before, after = (
            pd.DataFrame(counts.values.sum(axis), index=counts.groups, columns=counts.classes)
            for axis in (-1, -2)
        )
        return before, after
    return table_of(prior, data, weight), table_of(prior, model, weight)


def table_of(prior: Variable, target: Variable, weight: np.ndarray | None) -> pd.DataFrame:
    """Weighted number of rows that have a prior and a target."""
    if isinstance(prior, LabelSets):
        return table_of(target, prior, weight).T
    assert isinstance(prior, Labels)
    if isinstance(target, Labels):
        table = tabulate(prior, target, slice(None), weight)
        return pd.DataFrame(table, index=prior.labels, columns=target.labels)
    assert isinstance(target, LabelSets)
    names = pd.Index(target.names, tupleize_cols=False)
    sums = sum_by_group(prior.codes, len(prior.labels), target.matrix, weight)
    return pd.DataFrame(sums, index=prior.labels, columns=names)


# -- shares of the groups in each class, against a reference ------------------------------------


def read_reference(reference: GroupCounts | tuple, rows: Rows, after: pd.DataFrame) -> pd.DataFrame:
    """Counts of group x class that the model was trained on.

    Parameters
    ----------
    after : DataFrame
        Counts of group x class from the model; the reference must have its classes and groups.
    """
    check_reference(reference)
    if isinstance(reference, GroupCounts):
        counts = reference.of_labels()
        if counts.values.ndim != 2:
            raise ValueError("a reference with replicate axes is no table; select one replicate")
        if isinstance(rows.truth, LabelSets):
            raise ValueError(
                "reference counts one class a row, and y_true holds label sets; pass the training "
                "data as reference=(y, sensitive_features)"
            )
        before = pd.DataFrame(counts.values, index=counts.groups, columns=counts.classes)
    else:
        known = read_rows(reference[0], reference[0], sensitive_features=reference[1])
        if known.truth.kind != rows.truth.kind:
            raise ValueError(
                f"reference holds {known.truth.kind} and y_true {rows.truth.kind}; give both the "
                "same"
            )
        before = table_of(known.group, known.truth, None)
    _refuse_other_labels(before, after)
    return before


def check_reference(reference: object) -> None:
    """Raise ValueError unless it is a table of counts or a pair of labels and groups."""
    is_pair = isinstance(reference, tuple) and len(reference) == 2
    if not is_pair and not isinstance(reference, GroupCounts):
        raise ValueError(
            "reference must be a GroupCounts or a pair (y, sensitive_features); got "
            f"{type(reference).__name__}"
        )


def _refuse_other_labels(before: pd.DataFrame, after: pd.DataFrame) -> None:
    seen, predicted = before.columns[before.any()], after.columns[after.any()]
    new = predicted[~predicted.isin(seen)]
    if len(new):
        raise ValueError(
            f"y_pred holds classes that the reference does not: {name_some(new)} against "
            f"{name_some(seen)}; count the reference from the labels that the model was trained on"
        )
    if not after.index.isin(before.index).any():
        raise ValueError(
            f"the reference has none of the groups: {name_some(before.index)} against "
            f"{name_some(after.index)}"
        )


def over_same_labels(
    before: pd.DataFrame, after: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables over the groups and classes that occur in either."""
    if before.index.equals(after.index) and before.columns.equals(after.columns):
        return _occurring(before, after)
    groups = before.index.append(after.index).drop_duplicates()
    classes = before.columns.append(after.columns).drop_duplicates()
    both = (t.reindex(index=groups, columns=classes, fill_value=0) for t in (before, after))
    return _occurring(*both)


def _occurring(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    counts = before.to_numpy() + after.to_numpy()
    if counts.any(0).all() and counts.any(1).all():
        return before, after
    where = np.flatnonzero(counts.any(1)), np.flatnonzero(counts.any(0))
    return before.iloc[where], after.iloc[where]


def share_table(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """A row for each class (prior) and group (target): the group's shares, and what they add."""
    tables = [table.to_numpy(dtype=float) for table in (before, after)]
    shares = [divide(table, table.sum(0)) for table in tables]
    over = over_represented(tables[0])
    columns = {
        "p_data": shares[0],
        "p_model": shares[1],
        "over_represented": over,
        "contribution": np.where(over, shares[1] - shares[0], 0.0),
    }
    transposed = {name: values.T for name, values in columns.items()}
    return long_table(before.columns, before.index, **transposed)
