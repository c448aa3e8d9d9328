"""Counts of group x true class x predicted class: the one table that every outcome metric reads."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from skfairprop._columns import factorize
from skfairprop._counting import tabulate_codes, tabulate_rows
from skfairprop._frame_constructors import FrameConstructors
from skfairprop._tables import as_index, same_labels, spread, sum_by, union_labels
from skfairprop.groups import label_texts, name_some

__all__ = ["GroupCounts"]


class GroupCounts(FrameConstructors):
    """How often each true class met each predicted class, per group.

    Every outcome metric is a function of this small table. It is made in one pass over the data
    (:meth:`from_arrays`; :meth:`from_frame`, :meth:`from_parquet` and :meth:`from_batches` for data
    that lie elsewhere), merged with ``+``, and resampled by giving `values` leading replicate axes.

    Parameters
    ----------
    values : array of shape (..., G, K, K), or (..., G, K) with ``predicted=False``
        Counts or sums of weights: group x true class x predicted class. Not negative.
    groups : sequence of length G
        Labels of the groups; an Index or MultiIndex is kept.
    classes : sequence of length K
        Labels of the classes.
    squared : array like `values`, optional
        Sums of squared weights, where the rows had weights; the inference needs them.
    predicted : bool, default=True
        Whether there is a predicted class. Counts of a data set alone have none.
    n_dropped : int, default=0
        Rows that were left out because a protected value was missing.

    Attributes
    ----------
    values, groups, classes, squared, predicted, n_dropped
        As given; `groups` and `classes` as Index, the arrays as copies.

    Raises
    ------
    ValueError
        If the shapes do not fit, a count is negative or not finite, or a label occurs twice.

    Examples
    --------
    >>> from skfairprop import GroupCounts
    >>> counts = GroupCounts.from_arrays(
    ...     [1, 0, 1, 1], [1, 0, 0, 1], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> counts.values.tolist()
    [[[1, 0], [0, 1]], [[0, 0], [1, 1]]]
    >>> (counts + counts).values.sum()
    np.int64(8)
    """

    def __init__(
        self,
        values: Any,
        *,
        groups: Sequence[Hashable] | pd.Index,
        classes: Sequence[Hashable] | pd.Index,
        squared: Any = None,
        predicted: bool = True,
        n_dropped: int = 0,
    ) -> None:
        # copies: what is written to the arrays later is not checked
        self.values = np.array(values)
        self.groups = as_index(groups)
        self.classes = as_index(classes)
        self.squared = None if squared is None else np.array(squared)
        self.predicted = predicted
        self.n_dropped = n_dropped
        self._check()

    def _check(self) -> None:
        n_groups, n_classes = len(self.groups), len(self.classes)
        core = (n_groups, n_classes, n_classes) if self.predicted else (n_groups, n_classes)
        if self.values.shape[-len(core) :] != core:
            raise ValueError(
                f"values of shape {self.values.shape} do not end in {core}: {n_groups} groups, "
                f"{n_classes} classes"
            )
        if self.squared is not None and self.squared.shape != self.values.shape:
            raise ValueError(
                f"squared has shape {self.squared.shape}; values have {self.values.shape}"
            )
        if self.values.dtype.kind not in "biuf" or not np.all(
            (self.values >= 0) & np.isfinite(self.values)
        ):
            raise ValueError("counts must be numbers that are finite and not negative")
        for what, labels in (("group", self.groups), ("class", self.classes)):
            if not labels.is_unique:
                twice = name_some(labels[labels.duplicated()][:1])
                raise ValueError(f"{what} {twice} occurs more than once")

    # -- construction ---------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        groups: Sequence[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
        missing: str = "raise",
    ) -> Self:
        """Count the rows of arrays, Series or frames.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True classes: numbers, booleans, strings or categories.
        y_pred : array-like of shape (n,), optional
            Predicted classes. Without them the counts describe the data set alone.
        sensitive_features : array-like, Series, DataFrame or dict of array-likes
            One or several protected columns.
        sample_weight : array-like of shape (n,), optional
            Not negative. Integer weights give integer counts.
        groups, classes : sequence, optional
            Labels to have in the table, in this order, whether they occur or not. Refused if the
            data hold others. Default: those that occur, sorted.
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with missing protected values, see :class:`~skfairprop.groups.Groups`.

        Returns
        -------
        GroupCounts

        Raises
        ------
        ValueError
            If inputs are empty, of different lengths or indexes, have missing labels, continuous
            predictions, or negative weights; the message names the argument and the remedy.

        Notes
        -----
        pandas inputs are aligned on their index; arrays go by position.
        """
        labels = {"y_true": y_true} if y_pred is None else {"y_true": y_true, "y_pred": y_pred}
        table = tabulate_rows(
            labels,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            groups=groups,
            classes=classes,
            missing=missing,
        )
        return cls(**table)

    @classmethod
    def from_codes(
        cls,
        group_codes: Any,
        true_codes: Any,
        pred_codes: Any = None,
        *,
        groups: Sequence[Hashable] | pd.Index,
        classes: Sequence[Hashable] | pd.Index,
        sample_weight: Any = None,
    ) -> Self:
        """Count rows that are coded already: the fastest way in.

        Parameters
        ----------
        group_codes, true_codes, pred_codes : arrays of int of shape (n,)
            Positions in `groups` and `classes`.
        groups, classes : sequence
            Labels of the codes.
        sample_weight : array-like of shape (n,), optional
            Not negative.

        Returns
        -------
        GroupCounts

        Raises
        ------
        ValueError
            If a code is out of range or lengths differ.
        """
        codes = {"group_codes": group_codes, "true_codes": true_codes}
        if pred_codes is not None:
            codes["pred_codes"] = pred_codes
        return cls(
            **tabulate_codes(codes, groups=groups, classes=classes, sample_weight=sample_weight)
        )

    # -- views ----------------------------------------------------------------------------------

    @property
    def n_groups(self) -> int:
        """Number of groups, G."""
        return len(self.groups)

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.classes)

    @property
    def group_texts(self) -> list[str]:
        """Labels of the groups as text."""
        return label_texts(self.groups)

    @property
    def attributes(self) -> list[str]:
        """Names of the protected columns."""
        return ["sensitive_features" if n is None else str(n) for n in self.groups.names]

    def names_beside(self, taken: Collection[str]) -> list[str]:
        """Names of the protected columns in a table that has columns of other names, too.

        Parameters
        ----------
        taken : collection of str
            The other names.

        Returns
        -------
        list of str
            A protected column of one of these names gets the prefix ``group_``.
        """
        return [f"group_{name}" if name in taken else name for name in self.attributes]

    @property
    def total(self) -> Any:
        """Sum of all counts; an array where there are replicate axes."""
        return self.values.sum(axis=(-3, -2, -1) if self.predicted else (-2, -1))

    def of_labels(self) -> Self:
        """Group x true class: the data set alone.

        Returns
        -------
        GroupCounts
            With values of shape (..., G, K).
        """
        return self._summed(-1) if self.predicted else self

    def of_predictions(self) -> Self:
        """Group x predicted class: the predictions as a data set.

        Returns
        -------
        GroupCounts
            With values of shape (..., G, K).

        Raises
        ------
        ValueError
            If there are no predictions.
        """
        self.require_predictions("this view")
        return self._summed(-2)

    def _summed(self, axis: int) -> Self:
        squared = None if self.squared is None else self.squared.sum(axis)
        return self._with(self.values.sum(axis), squared=squared, predicted=False)

    def _with(self, values: Any, **changes) -> Self:
        kept = {
            name: getattr(self, name)
            for name in ("groups", "classes", "squared", "predicted", "n_dropped")
        }
        return type(self)(values, **(kept | changes))

    def require_predictions(self, what: str) -> None:
        """Refuse counts of a data set alone.

        Parameters
        ----------
        what : str
            What needs the predictions, for the message.

        Raises
        ------
        ValueError
            If there are no predictions.
        """
        if not self.predicted:
            raise ValueError(f"{what} needs predictions; these counts describe the data set alone")

    def select(self, keep: Any) -> Self:
        """Only some of the groups.

        Parameters
        ----------
        keep : bool array of shape (G,), or positions
            The groups that stay.

        Returns
        -------
        GroupCounts
        """
        axis = -3 if self.predicted else -2
        keep = np.flatnonzero(keep) if np.asarray(keep).dtype == bool else np.asarray(keep)
        squared = None if self.squared is None else np.take(self.squared, keep, axis)
        return self._with(
            np.take(self.values, keep, axis), groups=self.groups[keep], squared=squared
        )

    def collapse(self, attribute: Hashable) -> Self:
        """Counts by one of several protected columns, summed over the others.

        Parameters
        ----------
        attribute : hashable
            A name in ``groups.names``.

        Returns
        -------
        GroupCounts

        Raises
        ------
        ValueError
            If there is no such column.
        """
        if attribute not in self.groups.names:
            raise ValueError(
                f"no protected column {attribute!r}; there are {list(self.groups.names)}"
            )
        codes, labels = factorize(
            self.groups.get_level_values(attribute).array, what=str(attribute)
        )
        axis = -3 if self.predicted else -2
        return self._with(
            sum_by(self.values, codes, len(labels), axis),
            groups=labels.rename(attribute),
            squared=None
            if self.squared is None
            else sum_by(self.squared, codes, len(labels), axis),
        )

    def declare_classes(self, classes: Sequence[Hashable] | pd.Index) -> Self:
        """The same counts over more classes, 0 for those that are new.

        Parameters
        ----------
        classes : sequence
            Labels of the classes, in this order.

        Returns
        -------
        GroupCounts

        Raises
        ------
        ValueError
            If a class of these counts is not among them.
        """
        labels = as_index(classes)
        extra = self.classes[~self.classes.isin(labels)]
        if len(extra):
            raise ValueError(f"the counts hold classes that are not declared: {name_some(extra)}")
        squared = None if self.squared is None else self._spread(self.squared, self.groups, labels)
        return self._with(
            self._spread(self.values, self.groups, labels), classes=labels, squared=squared
        )

    def drop_unused(self) -> Self:
        """Without groups that have no rows and classes that are neither true nor predicted.

        Returns
        -------
        GroupCounts
        """
        lead = tuple(range(self.values.ndim - (3 if self.predicted else 2)))
        table = self.values.sum(lead) if lead else self.values
        by_class = table.sum((0, 1)) + table.sum((0, 2)) if self.predicted else table.sum(0)
        by_group = table.reshape(len(table), -1).sum(1)
        if by_class.all() and by_group.all():
            return self
        groups, classes = np.flatnonzero(by_group), np.flatnonzero(by_class)
        axes = (-3, -2, -1) if self.predicted else (-2, -1)

        def cut(array):
            for axis, keep in zip(axes, (groups, classes, classes), strict=False):
                array = np.take(array, keep, axis)
            return array

        return self._with(
            cut(self.values),
            groups=self.groups[groups],
            classes=self.classes[classes],
            squared=None if self.squared is None else cut(self.squared),
        )

    # -- merging --------------------------------------------------------------------------------

    def __add__(self, other: "GroupCounts") -> Self:
        """Merge two tables by label: chunks, processes, time windows."""
        if not isinstance(other, GroupCounts):
            return NotImplemented
        if self.predicted != other.predicted:
            raise ValueError("counts with predictions cannot be merged with counts without")
        if list(self.groups.names) != list(other.groups.names):
            raise ValueError(
                f"counts by {list(self.groups.names)} cannot be merged with counts by "
                f"{list(other.groups.names)}"
            )
        groups, classes = (
            union_labels(self.groups, other.groups),
            union_labels(self.classes, other.classes),
        )
        squared = None
        if self.squared is not None or other.squared is not None:
            squared = sum(c._spread(c._squares, groups, classes) for c in (self, other))
        return type(self)(
            sum(c._spread(c.values, groups, classes) for c in (self, other)),
            groups=groups,
            classes=classes,
            squared=squared,
            predicted=self.predicted,
            n_dropped=self.n_dropped + other.n_dropped,
        )

    @property
    def _squares(self) -> np.ndarray:
        """Sums of squared weights; an unweighted row weighs 1."""
        return self.values if self.squared is None else self.squared

    def _spread(self, values: np.ndarray, groups: pd.Index, classes: pd.Index) -> np.ndarray:
        """An array like `values`, laid out over more groups and classes."""
        axes = 2 if self.predicted else 1
        return spread(values, [self.groups, *[self.classes] * axes], [groups, *[classes] * axes])

    def __radd__(self, other: Any) -> "GroupCounts":
        return (
            self if isinstance(other, int) and other == 0 else NotImplemented
        )  # sum() starts at 0

    def __eq__(self, other) -> bool:
        if not isinstance(other, GroupCounts):
            return NotImplemented
        return (
            self.predicted == other.predicted
            and same_labels(self.groups, other.groups)
            and same_labels(self.classes, other.classes)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self._squares, other._squares)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value and holds arrays

    def to_frame(self) -> pd.DataFrame:
        """Tidy table: one row for each group, true class and predicted class.

        Returns
        -------
        DataFrame
            With the protected columns, ``y_true``, ``y_pred`` (where there are predictions) and
            ``count``; a protected column of one of these names gets the prefix ``group_``.

        Raises
        ------
        ValueError
            If there are replicate axes.
        """
        core = 3 if self.predicted else 2
        if self.values.ndim != core:
            raise ValueError(
                "counts with replicate axes have no single table; select one replicate"
            )
        positions = np.indices(self.values.shape).reshape(core, -1)
        frame = self.groups.take(positions[0]).to_frame(index=False)
        frame.columns = pd.Index(self.names_beside(("y_true", "y_pred", "count")))
        for name, where in zip(("y_true", "y_pred"), positions[1:], strict=False):
            frame[name] = self.classes.take(where)
        frame["count"] = self.values.ravel()
        return frame

    def __repr__(self) -> str:
        lead = self.values.shape[: -3 if self.predicted else -2]
        total = f"{self.total:,}" if not lead else f"{lead} replicates"
        return (
            f"GroupCounts({self.n_groups} groups by {' x '.join(self.attributes)}, "
            f"{self.n_classes} classes, total {total})"
        )


def count_rows(labels: Mapping[str, Any], *, stacklevel: int = 3, **rows: Any) -> GroupCounts:
    """As :meth:`GroupCounts.from_arrays`, with the labels by the names that messages shall use.

    A warning points to the caller of the caller, unless `stacklevel` is larger.
    """
    return GroupCounts(**tabulate_rows(labels, stacklevel=stacklevel + 1, **rows))
