"""The model that is examined, of whatever kind, as one function of encoded rows."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skfairprop._checks import check_choice
from skfairprop._optional import import_optional
from skfairprop.explain._nets import is_net
from skfairprop.explain._table import Table, block_rows

RESPONSES = ("predict", "predict_proba")
_SUM_SLACK = 1e-3
# Rows that are asked twice, and by how much scores may differ then.
ASKED_AGAIN, _STEADY = 30, 1e-3


class Examined:
    """A model behind a :class:`~skfairprop.explain._table.Table`: asked in batches, and counted.

    Parameters
    ----------
    model : fitted estimator or callable
        Of a callable the output is read: labels of shape (n,), or class scores of shape (n, K).
    table : Table
        Layout of the rows that the model takes.
    response_method : {"predict", "predict_proba"}
    classes : sequence, optional
        Labels whose codes are settled. Default: those that the model knows.

    Attributes
    ----------
    n_queries : int
        Rows that the model was asked about; equal rows of one question are asked once.
    """

    def __init__(
        self,
        model: Any,
        table: Table,
        *,
        response_method: str = "predict",
        classes: Sequence[Hashable] | None = None,
    ) -> None:
        self.model = model
        self.table = table
        self.n_queries = 0
        self._is_net = is_net(model)
        self._codes: dict[Hashable, int] = {}
        self._method = _method(model, response_method)
        for label in _classes(model) if classes is None else classes:
            self._codes.setdefault(label, len(self._codes))

    def ask(self, Z: np.ndarray, *, changed: str | None = None) -> np.ndarray:
        """Outputs for encoded rows.

        Parameters
        ----------
        Z : ndarray of shape (n, d)
        changed : str, optional
            What was changed in the rows, for the message if the model fails on them.

        Returns
        -------
        ndarray
            Codes of labels, shape (n,), or scores of shape (n, K).

        Raises
        ------
        ValueError
            If the model fails on changed rows, or returns what cannot be compared.
        """
        first, inverse = unique_rows(Z)
        step = block_rows(Z.shape[1])
        blocks = [first[i : i + step] for i in range(0, len(first), step)]
        return np.concatenate([self._answer(Z[rows], changed) for rows in blocks])[inverse]

    def change(self, Z: np.ndarray, base: np.ndarray, same: np.ndarray, what: str) -> np.ndarray:
        """How far changed rows move the output, in [0, 1]: total variation, 0 or 1 for labels.

        Parameters
        ----------
        Z : ndarray of shape (n, d)
            Changed rows.
        base : ndarray of n rows
            Outputs before the change.
        same : bool array of shape (n,)
            Rows that the change left as they were: they are not asked.
        what : str
            What was changed, for messages.

        Returns
        -------
        ndarray of float32, shape (n,)
        """
        out = np.zeros(len(Z), dtype=np.float32)
        moved = np.flatnonzero(~same)
        if len(moved):
            out[moved] = difference(self.ask(Z[moved], changed=what), base[moved])
        return out

    def check_steady(self, Z: np.ndarray, base: np.ndarray) -> None:
        """Warn if some rows, asked again, are answered otherwise: chance would count as change."""
        rows = slice(ASKED_AGAIN)
        moved = difference(self.ask(Z[rows]), base[rows]) > _STEADY
        if moved.any():
            warnings.warn(
                f"the model answers at random: of {len(moved)} rows that were asked again "
                f"{np.count_nonzero(moved)} got another answer, which counts as a change by every "
                "feature; give it a fixed seed",
                UserWarning,
                stacklevel=4,
            )

    def features_of(self, outputs: np.ndarray, n_classes: int) -> np.ndarray:
        """Outputs as numbers for a network: one column a class but the first."""
        if outputs.ndim == 2:
            return outputs[:, 1:].astype(np.float32)
        return (outputs[:, None] == np.arange(1, n_classes)).astype(np.float32)

    @property
    def classes(self) -> list[Hashable]:
        """Labels, in the order of their codes."""
        return list(self._codes)

    # -- asking ---------------------------------------------------------------------------------

    def _answer(self, Z: np.ndarray, changed: str | None) -> np.ndarray:
        X = self.table.decode(Z)
        if self._is_net:
            X = net_rows(X)
        try:
            answer = self._method(X)
        except Exception as exc:
            self._explain(exc, Z, changed)
            raise
        self.n_queries += len(Z)
        return self._read(answer, len(Z))

    def _explain(self, exc: Exception, Z: np.ndarray, changed: str | None) -> None:
        """Raise what the failure of the model means; its own error stays where nothing is known."""
        missing = self.table.missing(Z).any(axis=0)
        if changed is not None:
            raise ValueError(
                f"the model failed on rows in which {changed} took values of other rows: "
                f"{type(exc).__name__}: {exc}; examine a model that takes them, or leave the "
                "column out of features="
            ) from exc
        if missing.any() and isinstance(exc, ValueError):
            raise ValueError(
                f"the model refuses the NaN or missing values in {self.table.labels(missing)} of "
                "X; put an imputer before it in a Pipeline or examine a model that accepts them"
            ) from exc

    def _read(self, answer: Any, n_rows: int) -> np.ndarray:
        if hasattr(answer, "detach"):
            answer = answer.detach().cpu().numpy()
        values = np.asarray(answer)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim not in (1, 2) or len(values) != n_rows:
            raise ValueError(
                f"the model must return one output a row; it returned shape {values.shape} for "
                f"{n_rows:,} rows"
            )
        return self._labels(values) if values.ndim == 1 else _scores(values)

    def _labels(self, values: np.ndarray) -> np.ndarray:
        codes, labels = pd.factorize(values)
        if (codes < 0).any():
            raise ValueError(f"the model returned NaN for {np.count_nonzero(codes < 0):,} rows")
        broken = values[values != np.floor(values)] if values.dtype.kind == "f" else values[:0]
        if len(broken):
            raise ValueError(
                f"the model returned continuous values, as {broken[0]:g}; examine its classes, for "
                "example score >= 0.5, or return class scores of shape (n, K)"
            )
        found = labels.tolist()
        if not self._codes:  # in an order that does not depend on that of the rows
            self._codes = {label: i for i, label in enumerate(_sorted(found))}
        place = [self._codes.setdefault(label, len(self._codes)) for label in found]
        return np.asarray(place, dtype=np.int32)[codes]


def net_rows(X: Any) -> Any:
    """Rows as a skorch net takes them: torch refuses float64, and skorch data frames."""
    if isinstance(X, pd.DataFrame) or (isinstance(X, np.ndarray) and X.dtype == np.float64):
        return np.asarray(X, dtype=np.float32)
    return X


def is_net_like(model: Any) -> bool:
    """Whether an estimator is a skorch net, fitted or not."""
    return hasattr(model, "evaluation_step") and hasattr(model, "initialized_")


def is_fitted(model: Any) -> bool:
    """Whether an estimator is fitted; a skorch net has attributes that look so from the start."""
    if not getattr(model, "initialized_", True):
        return False
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return True


def difference(outputs: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Total variation between the outputs of two sets of rows, of shape (n,)."""
    if base.ndim == 1:
        return (outputs != base).astype(np.float32)
    return (0.5 * np.abs(outputs - base).sum(axis=1)).astype(np.float32)


def unique_rows(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the distinct rows, in order, and which of them each row equals."""
    rows = np.ascontiguousarray(Z, dtype=np.float64) + 0.0  # one zero, without a sign
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def _method(model: Any, response_method: str) -> Any:
    check_choice("response_method", response_method, RESPONSES)
    if hasattr(model, response_method):
        return getattr(model, response_method)
    if hasattr(model, "forward") and hasattr(model, "parameters"):
        return partial(_forward, model)
    if hasattr(model, "predict") or not callable(model):
        raise TypeError(
            f"{type(model).__name__} has no {response_method}; examine a classifier that has it, "
            "or a function of X that returns labels or class scores"
        )
    return model


def _forward(module: Any, X: Any) -> np.ndarray:
    """What a torch module says of numeric rows: class scores of shape (n, K).

    In evaluation mode, in which it says the same again and learns nothing; its own is put back.
    """
    torch = import_optional("torch", extra="torch")
    device = next((p.device for p in module.parameters()), "cpu")
    with torch.no_grad(), evaluating(module):
        rows = torch.as_tensor(np.asarray(X, dtype=np.float32), device=device)
        return module(rows).cpu().numpy()


@contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """Dropout off and batch statistics left alone in all parts of a torch module."""
    training = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _classes(model: Any) -> list[Hashable]:
    classes = getattr(model, "classes_", None)
    return classes.tolist() if isinstance(classes, np.ndarray) and classes.ndim == 1 else []


def _sorted(labels: list[Hashable]) -> list[Hashable]:
    return sorted(labels, key=lambda label: (type(label).__name__, label))


def _scores(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        raise ValueError("the model returned class scores that are no finite numbers")
    values = values.astype(np.float64, copy=False)
    if values.min() < -_SUM_SLACK or np.abs(values.sum(axis=1) - 1).max() > _SUM_SLACK:
        raise ValueError(
            "the model must return one label a row, or class scores of shape (n, K) that are not "
            "negative and add up to 1; several targets are examined one by one"
        )
    return values
