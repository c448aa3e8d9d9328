"""Any classifier as one function from raw columns to continuous outputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from skfairprop._scores import check_scores

from ._nets import NetScores, is_net
from ._table import Table, as_container, block_rows

SCORES = ("predict_proba", "decision_function")


class Model:
    """One output function for any estimator or callable.

    Parameters
    ----------
    estimator : fitted classifier or callable
        A classifier with ``predict_proba`` or ``decision_function`` (a Pipeline, a search, a
        skorch net, ...), or a function of a table that returns scores of shape (n,) or (n, K).
        One column of scores is read as the score of the second of two classes.

    Attributes
    ----------
    estimator : object
        As given.
    classes : ndarray or None
        Class of each output column, None for a callable.

    Raises
    ------
    TypeError
        If the estimator has neither method (``predict`` alone has nothing to attribute).

    Examples
    --------
    >>> import numpy as np
    >>> from skfairprop.explain import Model
    >>> model = Model(lambda rows: rows[:, 0])
    >>> model.outputs(np.array([[0.25, 7.0], [-0.5, 7.0]]))
    array([[-0.25,  0.25],
           [ 0.5 , -0.5 ]])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self._function = _output_function(estimator)
        self.classes = getattr(estimator, "classes_", None)

    def __repr__(self) -> str:
        return f"Model({self.estimator!r})"

    def outputs(self, X: Any) -> np.ndarray:
        """Scores: probabilities where the model has them.

        Parameters
        ----------
        X : table of shape (n, d)
            The rows, in a container that the model takes.

        Returns
        -------
        float64 array of shape (n, K)
            Two columns, ``-score`` and ``score``, where the model returns a single score.
        """
        return check_scores(_as_columns(self._function(X)), self.estimator)

    @property
    def has_margins(self) -> bool:
        """Whether the estimator has ``decision_function``."""
        return hasattr(self.estimator, "decision_function")

    def margins(self, X: Any) -> np.ndarray:
        """Columns of ``decision_function``.

        Parameters
        ----------
        X : table of shape (n, d)
            The rows, in a container that the model takes.

        Returns
        -------
        float64 array of shape (n, K)
        """
        return check_scores(_as_columns(self.estimator.decision_function(X)), self.estimator)

    def column(self, label: Any) -> int:
        """Output column of a class.

        Parameters
        ----------
        label : hashable
            The class.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the model does not know the class.
        """
        if self.classes is None:
            raise ValueError("a callable has no class labels; give the output column as target")
        found = np.flatnonzero(np.asarray(self.classes) == label)
        if len(found) != 1:
            raise ValueError(f"{label!r} is not a class of the model: {list(self.classes)}")
        return int(found[0])

    def predicted(self, X: Any) -> np.ndarray:
        """Output column of the class with the highest score.

        Parameters
        ----------
        X : table of shape (n, d)
            The rows.

        Returns
        -------
        array of int of shape (n,)
        """
        return self.outputs(as_container(X)).argmax(axis=1)

    def steps(self) -> tuple[Callable[[Any], Any] | None, Any]:
        """Preprocessing (None if there is none) and the final estimator behind it.

        Looks through pipelines, searches (``best_estimator_``) and meta-estimators that wrap one
        estimator of the same columns (``estimator_``). What is found there is a hint: whoever
        uses it must check its outputs against :meth:`outputs`.

        Returns
        -------
        transform : callable or None
            From a table to the input of the final estimator.
        final : estimator
            The last step.
        """
        transforms, final = _split(self.estimator)
        return partial(_apply, transforms) if transforms else None, final


class Predictor:
    """A :class:`Model` as a function of the matrix that a :class:`Table` encodes.

    Calls go to the model in blocks of rows, so memory does not grow with the number of rows.
    """

    def __init__(self, model: Model, table: Table) -> None:
        self.model = model
        self.table = table

    def outputs(self, Z: np.ndarray) -> np.ndarray:
        """Scores of shape (n, K)."""
        return self._in_blocks(self.model.outputs, Z)

    def margins(self, Z: np.ndarray) -> np.ndarray:
        """Decision values of shape (n, K)."""
        return self._in_blocks(self.model.margins, Z)

    def call(self, function: Callable[[Any], Any], Z: np.ndarray) -> Any:
        """`function` of the decoded rows; an error over missing values names their columns."""
        try:
            return function(self.table.decode(Z))
        except ValueError as error:
            missing = self.table.missing(Z)
            if not missing.any():
                raise
            raise ValueError(
                f"the model refuses missing values, which X or the background has in "
                f"{self.table.labels(missing.any(axis=0))}; put an imputer before the model "
                "in a Pipeline or use a model that accepts them"
            ) from error

    def _in_blocks(self, function: Callable[[Any], Any], Z: np.ndarray) -> np.ndarray:
        step = block_rows(Z.shape[1])
        blocks = [self._scores(function, Z[i : i + step]) for i in range(0, len(Z), step)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _scores(self, function: Callable[[Any], Any], Z: np.ndarray) -> np.ndarray:
        scores = self.call(function, Z)
        if len(scores) != len(Z):
            raise ValueError(f"the model returned {len(scores):,} outputs for {len(Z):,} rows")
        if not np.isfinite(scores).all():
            bad = np.count_nonzero(~np.isfinite(scores).all(axis=1))
            raise ValueError(
                f"the model returned NaN or infinity for {bad:,} of {len(Z):,} rows, "
                "which cannot be explained"
            )
        return scores


def as_model(predict: Any) -> Model:
    """`predict` itself if it is a :class:`Model`, else a model around it."""
    return predict if isinstance(predict, Model) else Model(predict)


def target_columns(target: Any, n_rows: int, n_outputs: int) -> np.ndarray:
    """Output column to explain for each row.

    Parameters
    ----------
    target : int, array of int of shape (n,) or None
        None is the last column: the positive class of a binary model.
    n_rows, n_outputs : int

    Returns
    -------
    ndarray of int, shape (n_rows,)
    """
    if target is None:
        target = n_outputs - 1
    columns = np.asarray(target)
    if columns.dtype.kind not in "iu" or columns.shape not in ((), (n_rows,)):
        raise ValueError(
            f"target must be one output column or one for each of the {n_rows:,} rows; "
            f"got dtype {columns.dtype} and shape {columns.shape}"
        )
    if columns.min() < 0 or columns.max() >= n_outputs:
        raise ValueError(
            f"target must be between 0 and {n_outputs - 1}, the output columns of the model; "
            f"got {columns.min()} to {columns.max()}"
        )
    return np.broadcast_to(columns, (n_rows,)).astype(np.intp)


def has_scores(estimator: Any) -> bool:
    """Whether an estimator has one of the methods that return scores."""
    return any(hasattr(estimator, method) for method in SCORES)


def _output_function(estimator: Any) -> Callable[[Any], Any]:
    if is_net(estimator):
        return NetScores(estimator)
    for method in SCORES:
        if hasattr(estimator, method):
            return getattr(estimator, method)
    if hasattr(estimator, "predict") or not callable(estimator):
        raise TypeError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function; "
            "attributions need a continuous output: use a classifier that has one, or pass a "
            "function that returns scores"
        )
    return estimator


def _as_columns(scores: Any) -> np.ndarray:
    if isinstance(scores, list):
        raise ValueError("the model has several targets; explain one classifier a target")
    scores = np.asarray(scores)
    if scores.dtype.kind not in "biuf" or scores.ndim not in (1, 2):
        raise ValueError(
            "the model must return numbers of shape (n,) or (n, K); "
            f"got dtype {scores.dtype} and {scores.ndim} dimension(s)"
        )
    scores = scores.astype(np.float64, copy=False)
    if scores.ndim == 1 or scores.shape[1] == 1:
        score = scores.reshape(-1)
        return np.column_stack([-score, score])
    return scores


def _split(estimator: Any) -> tuple[list[Callable[[Any], Any]], Any]:
    if hasattr(estimator, "best_estimator_"):
        return _split(estimator.best_estimator_)
    if isinstance(estimator, Pipeline):
        # samplers and "passthrough" have no transform and do nothing when predicting
        outer = [step.transform for _, step in estimator.steps[:-1] if hasattr(step, "transform")]
        inner, final = _split(estimator[-1])
        return outer + inner, final
    # a fitted copy on the same columns: not the template of a bagging or boosting ensemble
    wrapped = getattr(estimator, "estimator_", None)
    n_features = getattr(estimator, "n_features_in_", None)
    if n_features is not None and getattr(wrapped, "n_features_in_", None) == n_features:
        return _split(wrapped)
    return [], estimator


def _apply(transforms: list[Callable[[Any], Any]], X: Any) -> Any:
    for transform in transforms:
        X = transform(X)
    return X
