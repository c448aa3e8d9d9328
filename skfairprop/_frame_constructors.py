"""The ways to make counts of frames, files and batches: the part of GroupCounts that reads them."""

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from skfairprop._frame_counts import (
    frame_columns,
    tabulate_batches,
    tabulate_frame,
    tabulate_parquet,
)


class FrameConstructors:
    """Constructors of counts that never hold all the rows; see :class:`skfairprop.GroupCounts`."""

    if TYPE_CHECKING:  # the constructor is that of the class they are made for

        def __init__(self, **table: Any) -> None: ...

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: str,
        y_pred: str | None = None,
        sensitive_features: str | Sequence[str],
        sample_weight: str | None = None,
        groups: Sequence[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
        missing: str = "raise",
    ) -> Self:
        """Count the rows of a data frame where they are: in memory, a database or a cluster.

        Parameters
        ----------
        frame : data frame
            pandas, polars (eager or lazy), pyarrow, DuckDB, Dask, Ibis, PySpark and whatever else
            narwhals reads. Lazy frames are not collected: one group-by runs on their engine.
        y_true : str
            Column of the true classes.
        y_pred : str, optional
            Column of the predicted classes. Without it the counts describe the data set alone.
        sensitive_features : str or sequence of str
            One or several protected columns.
        sample_weight : str, optional
            Column of weights, not negative. Integers give integer counts.
        groups, classes : sequence, optional
            Labels to have in the table, in this order, whether they occur or not. Refused if the
            data hold others. Default: those that occur, sorted, whatever the order of categories.
        missing : {"raise", "group", "drop"}, default="raise"
            What to do with missing protected values, see :class:`~skfairprop.groups.Groups`. NaN
            and null are both missing, on every engine.

        Returns
        -------
        GroupCounts

        Raises
        ------
        TypeError
            If `frame` is no data frame, or a column is not given by its name.
        ValueError
            If a column is not there, labels are missing or continuous, weights are missing or
            negative, protected values are missing, or there are too many different values.
        RuntimeError
            If a lazy frame fails; the error of its engine is the cause.

        Notes
        -----
        Counts, and sums of integer weights, are the same on every engine. Other weights are added
        in the order that the engine likes: the last digits of their sums may differ.

        Examples
        --------
        >>> import pandas as pd
        >>> from skfairprop import GroupCounts
        >>> people = pd.DataFrame({"sex": list("ffmm"), "y": [0, 1, 0, 1], "pred": [0, 0, 0, 1]})
        >>> counts = GroupCounts.from_frame(
        ...     people, y_true="y", y_pred="pred", sensitive_features="sex"
        ... )
        >>> counts.values.tolist()
        [[[1, 0], [1, 0]], [[1, 0], [0, 1]]]
        """
        owner = "GroupCounts.from_frame"
        columns = frame_columns(y_true, y_pred, sensitive_features, sample_weight, owner=owner)
        return cls(
            **tabulate_frame(
                frame,
                columns,
                owner=owner,
                groups=groups,
                classes=classes,
                missing=missing,
                stacklevel=3,
            )
        )

    @classmethod
    def from_parquet(
        cls,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        y_true: str,
        y_pred: str | None = None,
        sensitive_features: str | Sequence[str],
        sample_weight: str | None = None,
        groups: Sequence[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
        missing: str = "raise",
        engine: str | None = None,
    ) -> Self:
        """Count the rows of Parquet files that need not fit into memory.

        Parameters
        ----------
        path : path, pattern or list of them
            ``"data/part-*.parquet"``; of a folder, all its Parquet files.
        y_true, y_pred, sensitive_features, sample_weight, groups, classes, missing
            As for :meth:`from_frame`.
        engine : {"duckdb", "polars", "pyarrow"}, optional
            What reads the files; default: the first of these that is installed (DuckDB together
            with pyarrow).

        Returns
        -------
        GroupCounts

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ImportError
            If the engine is not installed.
        ValueError
            As for :meth:`from_frame`; and if a column is of another type in another file.

        Examples
        --------
        >>> from skfairprop import GroupCounts
        >>> counts = GroupCounts.from_parquet(  # doctest: +SKIP
        ...     "predictions/2026-*.parquet", y_true="y", y_pred="pred", sensitive_features="sex"
        ... )
        """
        owner = "GroupCounts.from_parquet"
        columns = frame_columns(y_true, y_pred, sensitive_features, sample_weight, owner=owner)
        return cls(
            **tabulate_parquet(
                path,
                columns,
                engine=engine,
                groups=groups,
                classes=classes,
                missing=missing,
                stacklevel=3,
            )
        )

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Any],
        *,
        y_true: str | None = None,
        y_pred: str | None = None,
        sensitive_features: str | Sequence[str] | None = None,
        sample_weight: str | None = None,
        groups: Sequence[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
        missing: str = "raise",
    ) -> Self:
        """Count rows that come a batch at a time; merged by label, never by code.

        Parameters
        ----------
        batches : iterable
            Of data frames, whose columns are named by the next arguments; or, without those, of
            dicts with ``y_true``, ``sensitive_features`` and perhaps ``y_pred`` and
            ``sample_weight``, as for :meth:`from_arrays`. One batch is held at a time.
        y_true, y_pred, sensitive_features, sample_weight : optional
            Names of columns, as for :meth:`from_frame`.
        groups, classes, missing
            As for :meth:`from_frame`; missing values are said once, of all batches together.

        Returns
        -------
        GroupCounts

        Raises
        ------
        TypeError, ValueError
            As for :meth:`from_frame`; and if a column is of another type in another batch, or
            batches have different arguments.

        Examples
        --------
        >>> from skfairprop import GroupCounts
        >>> def nights():
        ...     yield {"y_true": [0, 1], "y_pred": [0, 1], "sensitive_features": ["a", "b"]}
        ...     yield {"y_true": [1, 1], "y_pred": [0, 1], "sensitive_features": ["c", "a"]}
        >>> GroupCounts.from_batches(nights())
        GroupCounts(3 groups by sensitive_features, 2 classes, total 4)
        """
        owner = "GroupCounts.from_batches"
        given = {
            "y_true": y_true,
            "y_pred": y_pred,
            "sensitive_features": sensitive_features,
            "sample_weight": sample_weight,
        }
        columns = None
        if any(value is not None for value in given.values()):
            columns = frame_columns(**given, owner=owner)
        return cls(
            **tabulate_batches(
                batches, columns, groups=groups, classes=classes, missing=missing, stacklevel=3
            )
        )
