"""Shapley values of any model from one design of coalitions shared by all rows.

A design lists what the model is asked: in entry m, the features in ``masks[m]`` come from the
row to explain, the others from row ``rows[m]`` of the background. Shapley values are linear in
the answers, so one matrix turns the answers for a block of rows into their attributions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np

from ._table import block_rows


@dataclass(frozen=True)
class Design:
    """Coalitions to evaluate and the linear map from their values to attributions.

    Attributes
    ----------
    masks : ndarray of bool, shape (m, d)
        Neither empty nor full: those values are the same for every design.
    rows : ndarray of int, shape (m,)
        Row of the background that fills in the features outside the coalition.
    weights : ndarray of shape (m, d)
        Share of each value in each attribution.
    empty : ndarray of shape (r, d)
        Share of the model's output for each background row.
    full : ndarray of shape (d,)
        Share of the model's output for the row itself.
    """

    masks: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    empty: np.ndarray
    full: np.ndarray


@dataclass(frozen=True)
class Route:
    """Where the cells of coalitions are mixed and who is asked.

    Attributes
    ----------
    outputs : callable
        From a matrix of shape (m, k) to scores of shape (m, K).
    rows : ndarray of shape (n, k)
        The rows to explain.
    background : ndarray of shape (r, k)
    source : ndarray of int, shape (k,)
        Feature of the design that each column belongs to; -1 for a column that never varies.
    """

    outputs: Callable[[np.ndarray], np.ndarray]
    rows: np.ndarray
    background: np.ndarray
    source: np.ndarray

    def mixed(self, design: Design, rows: slice, entries: slice) -> np.ndarray:
        """Each of the `rows` in each of the `entries` of the design, one after the other."""
        masks = design.masks[entries][:, self.source]
        fill = self.background[design.rows[entries]]
        return np.where(masks, self.rows[rows, None, :], fill).reshape(-1, len(self.source))


def all_coalitions(n_features: int, n_rows: int) -> Design:
    """Every coalition with every background row: the exact interventional Shapley values.

    Parameters
    ----------
    n_features : int
        2**n_features - 2 coalitions are evaluated with each background row.
    n_rows : int
        Number of background rows.

    Returns
    -------
    Design
    """
    d = n_features
    codes = np.arange(1, 2**d - 1)
    masks = (codes[:, None] >> np.arange(d)) & 1 == 1
    size = masks.sum(axis=1)
    joins = np.array([0.0, *(1 / (s * comb(d, s)) for s in range(1, d + 1))])
    leaves = np.array([*(1 / ((d - s) * comb(d, s)) for s in range(d)), 0.0])
    weights = np.where(masks, joins[size][:, None], -leaves[size][:, None]) / n_rows
    return Design(
        masks=np.repeat(masks, n_rows, axis=0),
        rows=np.tile(np.arange(n_rows), len(masks)),
        weights=np.repeat(weights, n_rows, axis=0),
        empty=np.full((n_rows, d), -1 / (d * n_rows)),
        full=np.full(d, 1 / d),
    )


def paired_walks(
    n_features: int, n_rows: int, n_walks: int, random_state: np.random.Generator
) -> Design:
    """Random orders of the features and their reverses, each pair with its own background row.

    A walk turns the background row into the row to explain, one feature at a time, and credits
    each feature with its step. Pairing an order with its reverse cancels the interactions of
    second order (Mitchell et al. 2022, "Sampling permutations for Shapley value estimation",
    JMLR 23). Each pair visits one background row, in shuffled cycles, instead of all of them:
    for the same number of evaluations the error is 2 to 4 times smaller.

    Parameters
    ----------
    n_features, n_rows : int
    n_walks : int
        Number of pairs; 2 * (n_features - 1) evaluations each.
    random_state : Generator

    Returns
    -------
    Design
    """
    d = n_features
    cycles = [random_state.permutation(n_rows) for _ in range(-(-n_walks // n_rows))]
    visited = np.concatenate(cycles)[:n_walks]
    orders = random_state.permuted(np.tile(np.arange(d), (n_walks, 1)), axis=1)
    orders = np.stack([orders, orders[:, ::-1]], axis=1).reshape(-1, d)
    rows = np.repeat(visited, 2)
    share = 1 / len(orders)

    position = np.argsort(orders, axis=1)  # step at which each feature is turned on
    steps = np.arange(1, d)
    masks = position[:, None, :] < steps[:, None]
    just_on = position[:, None, :] == steps[:, None] - 1
    next_on = position[:, None, :] == steps[:, None]
    weights = share * (just_on.astype(float) - next_on)

    empty = np.zeros((n_rows, d))
    np.add.at(empty, (rows, orders[:, 0]), -share)
    full = share * np.bincount(orders[:, -1], minlength=d)
    return Design(
        masks=masks.reshape(-1, d),
        rows=np.repeat(rows, d - 1),
        weights=weights.reshape(-1, d),
        empty=empty,
        full=full,
    )


def evaluate(design: Design, route: Route, columns: np.ndarray) -> np.ndarray:
    """Attributions of the rows of a route under a design.

    Parameters
    ----------
    design : Design
    route : Route
    columns : ndarray of int, shape (n,)
        Output column to explain for each row.

    Returns
    -------
    ndarray of shape (n, d)
        Each row sums to its score minus the mean score of the background rows visited.
    """
    n = len(columns)
    scores = route.outputs(route.rows)[np.arange(n), columns]
    empty = route.outputs(route.background).T @ design.empty
    phi = scores[:, None] * design.full + empty[columns]
    size = block_rows(route.rows.shape[1])
    for m in range(0, len(design.masks), size):
        entries = slice(m, m + size)
        weights = design.weights[entries]
        step = max(1, size // len(weights))
        for i in range(0, n, step):
            rows = slice(i, i + step)
            column = np.repeat(columns[rows], len(weights))
            outputs = route.outputs(route.mixed(design, rows, entries))
            values = outputs[np.arange(len(column)), column]
            phi[rows] += values.reshape(-1, len(weights)) @ weights
    return phi
