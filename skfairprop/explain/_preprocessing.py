"""Preprocessing seen column by column: which raw column moves which input of the model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from ._coalitions import Design, Route
from ._model import Model, Predictor, has_scores
from ._table import block_rows

PROBE_VALUES = 50  # values of a column tried to see which inputs it moves; all if it has fewer
MOST_INPUTS = 1_000  # more are kept sparse by the model's own preprocessing
CHECKED_ENTRIES = 200  # of the design, asked both ways before mixing behind preprocessing
SAME = 1e-6  # float32 models repeat their outputs to about 1e-7


class Inputs(NamedTuple):
    """What the final estimator of a model sees.

    Attributes
    ----------
    values : ndarray of shape (n, k)
    names : pandas.Index or None
        Names of the inputs if the preprocessing returns a data frame.
    """

    values: np.ndarray
    names: pd.Index | None


def final_inputs(predictor: Predictor, Z: np.ndarray) -> Inputs:
    """Inputs of the final estimator, as floats, for encoded rows.

    Raises
    ------
    ValueError
        If the final estimator takes anything but numbers.
    """
    preprocess, _ = predictor.model.steps()
    inputs = predictor.call(preprocess or (lambda X: X), Z)
    names = inputs.columns if isinstance(inputs, pd.DataFrame) else None
    if sparse.issparse(inputs):
        inputs = inputs.toarray()
    return Inputs(np.asarray(inputs, dtype=np.float64), names)


def column_sources(predictor: Predictor, rows: np.ndarray) -> np.ndarray | None:
    """Raw column that moves each input of the final estimator.

    Found by trial: in a few rows, each column takes the values it has in `rows`, one after the
    other, and the inputs that change are its own. Values of categorical columns are all tried.

    Parameters
    ----------
    predictor : Predictor
    rows : ndarray of shape (n, d)
        Encoded rows whose values are tried.

    Returns
    -------
    ndarray of int, shape (k,), or None
        -1 for an input that nothing moves; None if several columns move the same input.
    """
    d = rows.shape[1]
    if predictor.model.steps()[0] is None:
        return np.arange(d)
    missing = predictor.table.missing(rows).sum(axis=1)
    bases = rows[[0, len(rows) // 2, missing.argmax()]]  # imputers may look at other columns
    rest = final_inputs(predictor, bases).values
    moves = np.zeros((d, rest.shape[1]), dtype=bool)
    for j in range(d):
        values = _values_to_try(rows[:, j])
        tried = np.repeat(bases, len(values), axis=0)
        tried[:, j] = np.tile(values, len(bases))
        inputs = final_inputs(predictor, tried).values
        same = np.isclose(inputs, np.repeat(rest, len(values), axis=0), equal_nan=True)
        moves[j] = ~same.all(axis=0)
    if moves.sum(axis=0).max() > 1:
        return None
    return np.where(moves.any(axis=0), moves.argmax(axis=0), -1)


def route_behind_preprocessing(
    predictor: Predictor, Z: np.ndarray, background: np.ndarray, design: Design
) -> Route | None:
    """Mix coalitions behind the preprocessing, which then runs once for each row.

    The same values as mixing raw columns when each input comes from one column, and several
    times faster for text columns.

    Parameters
    ----------
    predictor : Predictor
    Z : ndarray of shape (n, d)
    background : ndarray of shape (r, d)
    design : Design
        A part of it is asked both ways first.

    Returns
    -------
    Route or None
        None if there is no preprocessing, or mixing behind it is not the same.
    """
    preprocess, final = predictor.model.steps()
    if preprocess is None or not has_scores(final):
        return None
    source = column_sources(predictor, np.concatenate([Z, background]))
    if source is None or len(source) > MOST_INPUTS:
        return None
    rows, names = final_inputs(predictor, Z)
    model = Model(final)

    def outputs(inputs: np.ndarray) -> np.ndarray:
        step = block_rows(inputs.shape[1])
        blocks = (inputs[i : i + step] for i in range(0, len(inputs), step))
        return np.concatenate([model.outputs(named(block, names)) for block in blocks])

    route = Route(outputs, rows, final_inputs(predictor, background).values, source)
    entries = slice(0, CHECKED_ENTRIES)
    mixed = np.where(design.masks[entries], Z[0], background[design.rows[entries]])
    expected = predictor.outputs(np.concatenate([Z, mixed]))
    got = outputs(np.concatenate([rows, route.mixed(design, slice(0, 1), entries)]))
    same = got.shape == expected.shape and np.allclose(got, expected, rtol=SAME, atol=SAME)
    return route if same else None


def _values_to_try(column: np.ndarray) -> np.ndarray:
    values = np.unique(column)  # one NaN at the end, if there is any
    if len(values) <= PROBE_VALUES:
        return values
    return values[np.linspace(0, len(values) - 1, PROBE_VALUES).astype(int)]


def named(inputs: np.ndarray, names: pd.Index | None) -> Any:
    """Inputs in the container that the preprocessing returns."""
    return inputs if names is None else pd.DataFrame(inputs, columns=names)
