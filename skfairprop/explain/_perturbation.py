"""Neighbours of a row: noise on numbers, masks on any column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skfairprop._checks import check_choice, check_integer, check_number
from skfairprop._random import RandomState, own_seed

from ._table import Table, as_container


class Perturbation(BaseEstimator):
    """Noise and masks around rows, drawn before any model is seen.

    A numeric column j gets normal noise of standard deviation ``sigma * sd_j``; any column is
    masked, that is set to its baseline, with probability `mask_probability`. Masked columns
    carry no noise. Standard deviations and baselines come from the background.

    The draw depends on the seed, the number of columns and the position of the row only: every
    model sees the same neighbours, and more rows do not change those of the first ones.

    Parameters
    ----------
    n_perturbations : int, default=10
        Neighbours of each row.
    sigma : float, default=0.1
        Noise in units of each column's standard deviation; positive.
    mask_probability : float, default=0.2
        Between 0 and 1.
    noise_on_masked : bool, default=False
        Add the noise to masked numeric columns, too, as the formula is printed in the paper.
    categorical : {"mask", "resample"}, default="mask"
        What a masked categorical column becomes: the most frequent value of the background, or
        a value drawn from it.
    categorical_features : "auto" or sequence of names, positions or booleans, default="auto"
        Columns whose values are labels, which get no noise. Text, categorical and boolean
        columns always are.
    random_state : int, RandomState, Generator or None, default=None
        Settled at ``fit``.

    Attributes
    ----------
    seed_ : int
    table_ : Table
        Layout of the background.
    sd_ : ndarray of shape (d,)
        Standard deviations (divided by the number of rows); 0 for categorical columns.
    baseline_ : ndarray of shape (d,)
        Means; codes of the most frequent value for categorical columns.

    References
    ----------
    .. [1] Popoola & Sheppard (2026), "MESD". The default leaves masked columns without noise, a
       deviation from the printed formula.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfairprop.explain import Perturbation
    >>> X = pd.DataFrame({"age": [20.0, 30.0, 40.0], "sex": ["f", "m", "f"]})
    >>> neighbours = Perturbation(n_perturbations=2, random_state=0).fit(X).perturb(X)
    >>> neighbours.shape
    (6, 2)
    """

    def __init__(
        self,
        *,
        n_perturbations: int = 10,
        sigma: float = 0.1,
        mask_probability: float = 0.2,
        noise_on_masked: bool = False,
        categorical: str = "mask",
        categorical_features: str | Sequence = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.n_perturbations = n_perturbations
        self.sigma = sigma
        self.mask_probability = mask_probability
        self.noise_on_masked = noise_on_masked
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.random_state = random_state

    def fit(self, background: Any) -> Perturbation:
        """Learn standard deviations, baselines and frequencies.

        Parameters
        ----------
        background : data frame, array or sparse matrix of shape (r, d)
            What is usual, such as the training data.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If `sigma` is not positive or another parameter is out of range.
        """
        self._check_parameters()
        background = as_container(background, "the background")
        self.seed_ = own_seed(self.random_state)
        self.table_ = Table.of(background, self.categorical_features)
        Z = self.table_.encode(background)
        is_categorical = self.table_.is_categorical
        self.sd_, self.baseline_ = np.zeros(Z.shape[1]), np.full(Z.shape[1], np.nan)
        for j, column in enumerate(Z.T):
            known = column[~np.isnan(column)]
            if is_categorical[j]:
                values, counts = np.unique(column, return_counts=True)
                self.baseline_[j] = values[counts.argmax()]
            elif len(known):
                self.sd_[j], self.baseline_[j] = known.std(), known.mean()
        self._sorted = np.sort(Z, axis=0)
        return self

    def perturb(self, X: Any, *, original: bool = False) -> Any:
        """Neighbours of each row, in the container of `X`.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n, d)
            The rows that get neighbours.
        original : bool, default=False
            Put each row itself before its neighbours.

        Returns
        -------
        container like `X`, of shape (n * n_perturbations, d)
            The neighbours of the first row, then those of the second, and so on. With
            ``original=True``, ``n * (n_perturbations + 1)`` rows. Integer columns that are not
            categorical become float64. A missing number stays missing unless it is masked.

        Raises
        ------
        ValueError
            If `X` has other columns than the background.
        """
        check_is_fitted(self)
        table = self.table_.adapted(X)
        Z = table.encode(X)
        n, d = Z.shape
        shape = (n, self.n_perturbations, d)
        noise_rng, mask_rng, value_rng = map(
            np.random.default_rng, np.random.SeedSequence(self.seed_).spawn(3)
        )
        noise = noise_rng.standard_normal(shape) * (self.sigma * self.sd_)
        masked = mask_rng.random(shape) < self.mask_probability
        baseline = np.broadcast_to(self.baseline_, shape)
        if self.categorical == "resample" and table.is_categorical.any():
            position = (value_rng.random(shape) * len(self._sorted)).astype(np.intp)
            drawn = np.take_along_axis(self._sorted[:, None], position.reshape(-1, 1, d), axis=0)
            baseline = np.where(table.is_categorical, drawn.reshape(shape), baseline)
        neighbours = np.where(masked, baseline, Z[:, None])
        neighbours += np.where(masked & (not self.noise_on_masked), 0.0, noise)
        if original:
            neighbours = np.concatenate([Z[:, None], neighbours], axis=1)
        return table.decode(neighbours.reshape(-1, d))

    def _check_parameters(self) -> None:
        check_integer("n_perturbations", self.n_perturbations, least=1)
        check_number("sigma", self.sigma, "(0, inf)")
        check_number("mask_probability", self.mask_probability, "[0, 1]")
        check_choice("categorical", self.categorical, ("mask", "resample"))
