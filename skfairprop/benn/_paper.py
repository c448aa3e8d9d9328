"""The formulation of the paper: one bias vector a row, added to it, and Eq. 4 as the loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.benn._effects import Block
from skfairprop.benn._encoding import Encoding
from skfairprop.benn._examined import Examined, difference
from skfairprop.benn._features import OWNER
from skfairprop.benn._slices import ALL
from skfairprop.benn._targeted import Found, Question, feature_index

# Up to so many coordinates each is moved on its own; for more, random directions are tried.
_MOST_DIFFERENCES = 8
N_DIRECTIONS = 4
_SMALLEST_BATCH = 8
# Where the model is asked for its own gradient.
_EXACT = ("auto", "exact")
# Scores of a network repeat to about 1e-7.
_NO_CHANGE = 1e-12


@dataclass(frozen=True)
class PaperOptions:
    """The options of ``BENNEstimator`` that only this formulation reads."""

    l0: str
    loss_scale: str
    gradient: str


def find_paper(
    examined: Examined,
    Z: np.ndarray,
    blocks: Sequence[Block],
    names: Sequence[Any],
    question: Question,
    settings: Any,
    rng: np.random.Generator,
    *,
    options: PaperOptions,
) -> Found:
    """Train the generator of Eq. 4 and read Eq. 5."""
    from skfairprop.benn._paper_loss import differentiable, train_paper

    base = examined.ask(Z)
    encoding = Encoding(Z, examined.table)
    points = encoding.encode(Z)
    wanted = np.isin(encoding.column, [j for block in blocks for j in block.columns])
    exact = differentiable(examined, encoding, Z) if options.gradient in _EXACT else None
    kind = _gradient(options.gradient, exact, int(wanted.sum()))
    size = _batch_size(kind, len(Z), int(wanted.sum()), question, settings)
    box = BlackBox(examined, encoding, Z, base)
    trained = train_paper(points, wanted, box, exact, kind, size, options, settings, rng)
    silent = not box.moved and all(part["change"] <= _NO_CHANGE for part in trained.curve)
    is_constant = silent and bool((base == base[0]).all())
    outputs = [np.flatnonzero(np.isin(encoding.column, block.columns)).tolist() for block in blocks]
    constant = np.array([len(np.unique(Z[:, list(b.columns)], axis=0)) < 2 for b in blocks])
    by_restart = np.zeros((settings.n_init, len(blocks)))
    if not is_constant:
        for j, places in enumerate(outputs):  # Eq. 5; of a block the largest component counts
            by_restart[:, j] = trained.intensity[:, :, places].max(axis=2).mean(axis=1)
    by_restart[:, constant] = np.nan
    table = pd.DataFrame(
        {
            "estimate": by_restart.mean(axis=0),
            "sd": by_restart.std(axis=0),
            "mean": by_restart.mean(axis=0),
            "slice": ALL,
            "slice_rows": len(Z),
        },
        index=feature_index(blocks),
    )
    return Found(
        table=table,
        rows=np.arange(len(Z)),
        curve=pd.DataFrame(trained.curve),
        generator=None if is_constant else trained.generator,
        encoding=encoding,
        center=np.zeros(points.shape[1], dtype=np.float32),
        outputs=outputs,
        constant=constant,
        is_constant=is_constant,
        n_steps=trained.n_steps,
    )


def paper_finder(l0: str, loss_scale: str, gradient: str) -> Any:
    """:func:`find_paper` with its own options settled."""
    return partial(find_paper, options=PaperOptions(l0, loss_scale, gradient))


class BlackBox:
    """How far a moved row moves the output, for points that belong to known rows.

    Parameters
    ----------
    examined : Examined
    encoding : Encoding
    Z : ndarray of shape (n, d)
    base : ndarray of n rows
        Outputs for them.

    Attributes
    ----------
    moved : bool
        Whether any output has changed so far.
    """

    def __init__(
        self, examined: Examined, encoding: Encoding, Z: np.ndarray, base: np.ndarray
    ) -> None:
        self.examined = examined
        self.encoding = encoding
        self.Z = Z
        self.base = base
        self.moved = False

    def squared_change(self, points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(M(x + b) - M(x))^2 for points of shape (q, k) of the rows at these positions."""
        moved = self.encoding.decode(points, self.Z[rows])
        outputs = self.examined.ask(moved, changed="its features")
        change = difference(outputs, self.base[rows]) ** 2
        self.moved = self.moved or bool(change.any())
        return change


def _gradient(asked: str, exact: Any, n_coordinates: int) -> str:
    if asked == "exact" and exact is None:
        raise ValueError(
            f"{OWNER}: gradient='exact' needs a torch module or skorch net on numeric columns "
            "without missing values; pass gradient='auto'"
        )
    if asked != "auto":
        return asked
    if exact is not None:
        return "exact"
    return "finite_differences" if n_coordinates <= _MOST_DIFFERENCES else "evolution"


def questions_a_row(kind: str, n_coordinates: int) -> int:
    """Questions a row and step: the change itself, and what its gradient takes."""
    if kind == "exact":
        return 0
    return 1 + 2 * (n_coordinates if kind == "finite_differences" else N_DIRECTIONS)


def _batch_size(kind: str, n: int, n_coordinates: int, question: Question, settings: Any) -> int:
    """The batch, or what of it the questions allow in all steps and restarts."""
    size = min(settings.batch_size, n)
    each = questions_a_row(kind, n_coordinates) * settings.max_steps * settings.n_init
    if each == 0:
        return size
    allowed = (question.max_queries - n) // each
    if allowed < min(size, _SMALLEST_BATCH):
        raise ValueError(
            f"{OWNER}: max_queries={question.max_queries:,} allows batches of {max(allowed, 0)} "
            f"rows, and {min(size, _SMALLEST_BATCH)} are needed; raise it, or lower max_steps or "
            "n_init"
        )
    return min(size, allowed)
