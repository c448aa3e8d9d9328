"""Rates of a table of counts: every metric kernel reads its rates here, computed once each."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray


def gap(rates: Array) -> Array:
    """Largest minus smallest over the groups; NaN where fewer than two groups are defined.

    Parameters
    ----------
    rates : array of shape (..., G, C)

    Returns
    -------
    array of shape (..., C)
    """
    return _at_least_two(np.fmax.reduce(rates, -2) - np.fmin.reduce(rates, -2), rates)


def ratio(rates: Array) -> Array:
    """Smallest divided by largest over the groups, of the same shapes as :func:`gap`.

    NaN where 0/0, or where fewer than two groups are defined.
    """
    return _at_least_two(divide(np.fmin.reduce(rates, -2), np.fmax.reduce(rates, -2)), rates)


def _at_least_two(values: Array, rates: Array) -> Array:
    """The values (..., C) where two groups have a rate, else NaN."""
    return np.where(np.count_nonzero(~np.isnan(rates), axis=-2) >= 2, values, np.nan)


def divide(numerator: Array, denominator: Array) -> Array:
    """Elementwise quotient, NaN where the denominator is 0 or NaN."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.full_like(numerator, np.nan, dtype=float)  # in the memory order of its input
    return np.divide(numerator, denominator, out=out, where=denominator > 0)


def _share(part: Array, whole: Array) -> Array:
    """Quotient of a part and its whole, which rounding may have made the smaller one."""
    return np.minimum(divide(part, whole), 1.0)


def _others(n_classes: int) -> Array:
    """1 for every pair of different classes, 0 on the diagonal."""
    return 1.0 - np.eye(n_classes)


def sum_of_others(table: Array) -> Array:
    """For each class on the last axis, the sum over all others; same shape."""
    return np.tensordot(table, _others(table.shape[-1]), 1)


def entropy(shares: Array) -> Array:
    """Entropy in nats over the last axis; shares of 0 add nothing."""
    shares = np.minimum(shares, 1.0)  # rounding may make them more
    return -np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0).sum(-1)


def mean_defined(values: Array, axis: int = -1) -> Array:
    """Mean over the entries that are not NaN; NaN where there is none."""
    defined = ~np.isnan(values)
    total = np.where(defined, values, 0.0).sum(axis)
    return divide(total, np.count_nonzero(defined, axis=axis))


class Rates:
    """Rates of counts ``(..., G, K, K)``, or ``(..., G, K)`` without predictions, by name.

    Parameters
    ----------
    values : array of shape (..., G, K, K) or (..., G, K)
        Counts: group x true class x predicted class. Leading axes are replicates.
    predicted : bool, default=True
        Whether there is an axis of predicted classes.
    positive : int, optional
        Position of the positive class, for metrics that need one.
    zero : bool, default=False
        Count an undefined rate (0/0) of a group that is present as 0, as the papers' code does,
        instead of leaving it out.

    Notes
    -----
    ``rates[name]`` has shape ``(..., G, C)``: a column for each class, or for each pair of classes
    ("row"), or one ("accuracy"). ``rates.positive_rate(name)`` is the column of the positive class,
    ``rates.positive_gap(name)`` and ``rates.positive_ratio(name)`` compare it between the groups.
    An undefined rate is NaN. So is every rate of a group that has no rows in a replicate, and of a
    class that is neither true nor predicted in it.

    Examples
    --------
    >>> from skfairprop.metrics import Rates
    >>> rates = Rates([[[8, 2], [1, 9]], [[6, 4], [0, 0]]])
    >>> rates["recall"]
    array([[0.8, 0.9],
           [0.6, nan]])
    >>> rates.undefined("recall").tolist()
    [[False, False], [False, True]]
    """

    def __init__(
        self,
        values: Any,
        *,
        predicted: bool = True,
        positive: int | None = None,
        zero: bool = False,
    ) -> None:
        self.values = np.asarray(values, dtype=float)
        self.predicted = predicted
        self.positive = positive
        self.zero = zero
        self._cache: dict[str, Array] = {}

    def __repr__(self) -> str:
        return f"Rates(values of shape {self.values.shape})"

    # -- margins --------------------------------------------------------------------------------

    @cached_property
    def by_true(self) -> Array:
        """Counts by group and true class, (..., G, K)."""
        return self.values.sum(-1) if self.predicted else self.values

    @cached_property
    def by_pred(self) -> Array:
        """Counts by group and predicted class, (..., G, K)."""
        return self.values.sum(-2)

    @cached_property
    def correct(self) -> Array:
        """Counts of correct predictions by group and class, (..., G, K)."""
        return np.diagonal(self.values, axis1=-2, axis2=-1)

    # Counts of the other classes are summed, never total minus class: with weights a difference
    # of sums is a rounding error where it should be 0, and 0/0 would become a number.

    @cached_property
    def missed(self) -> Array:
        """Counts of a true class that is predicted as another, (..., G, K)."""
        return (self.values * _others(self.values.shape[-1])).sum(-1)

    @cached_property
    def mistaken(self) -> Array:
        """Counts of other true classes that are predicted as this one, (..., G, K)."""
        return (self.values * _others(self.values.shape[-1])).sum(-2)

    @cached_property
    def rejected(self) -> Array:
        """Counts where a class is neither true nor predicted, (..., G, K)."""
        return (sum_of_others(self.values) * _others(self.values.shape[-1])).sum(-2)

    @cached_property
    def other_true(self) -> Array:
        """Counts of the other true classes, (..., G, K)."""
        return sum_of_others(self.by_true)

    @cached_property
    def other_pred(self) -> Array:
        """Counts of the other predicted classes, (..., G, K)."""
        return sum_of_others(self.by_pred)

    @cached_property
    def by_group(self) -> Array:
        """Counts by group, (..., G)."""
        return self.by_true.sum(-1)

    @cached_property
    def present(self) -> Array:
        """Whether a group has rows, (..., G)."""
        return self.by_group > 0

    @cached_property
    def used(self) -> Array:
        """Whether a class is true or predicted anywhere, (..., K)."""
        seen = self.by_true.sum(-2)
        return (seen + self.by_pred.sum(-2) if self.predicted else seen) > 0

    @cached_property
    def n_used(self) -> Array:
        """Number of classes in use, (...)."""
        return np.count_nonzero(self.used, axis=-1)

    # -- rates ----------------------------------------------------------------------------------

    def parts(self, name: str) -> tuple[Array, Array]:
        """Numerator and denominator of a rate.

        Parameters
        ----------
        name : str
            Name of the rate.

        Returns
        -------
        numerator : array of shape (..., G, C)
        denominator : array of shape (..., G, C)
        """
        numerator, denominator = np.broadcast_arrays(*RATES[name](self))
        return numerator, denominator

    def __getitem__(self, name: str) -> Array:
        return self.once(name, lambda: self._rate(name))

    def once(self, key: str, compute: Callable[[], Array]) -> Array:
        """What a function returns, computed the first time only: metrics share costly parts.

        Parameters
        ----------
        key : str
            Name under which it is kept.
        compute : callable
            Without arguments.

        Returns
        -------
        array
        """
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]

    def _rate(self, name: str) -> Array:
        numerator, denominator = self.parts(name)
        out = _share(numerator, denominator)
        if self.zero:
            out = np.where(np.isnan(out) & self._counts(name), 0.0, out)
        if name in ONE_COLUMN or bool(self.used.all()):
            return out
        return np.where(self._columns_used(name), out, np.nan)

    def _counts(self, name: str) -> Array:
        """Where an undefined rate counts as zero: groups with rows, classes in use."""
        present = self.present[..., None]
        return present if name in ONE_COLUMN else present & self._columns_used(name)

    def _columns_used(self, name: str) -> Array:
        """Whether the class of a column is in use, (..., 1, C)."""
        if name != "row":
            return self.used[..., None, :]
        pairs = self.used[..., :, None] & self.used[..., None, :]
        return pairs.reshape(*pairs.shape[:-2], 1, -1)

    def positive_rate(self, name: str) -> Array:
        """Column of the positive class.

        Unlike a class among several, the positive class counts even where no row has it: the
        selection rate is then 0, and the recall undefined.

        Parameters
        ----------
        name : str
            Name of the rate.

        Returns
        -------
        array of shape (..., G, 1)
        """
        if name in ONE_COLUMN:
            return self[name]
        return self.once(f"positive {name}", lambda: self._positive_rate(name))

    def positive_gap(self, name: str) -> Array:
        """Largest minus smallest rate of the positive class over the groups.

        Parameters
        ----------
        name : str
            Name of the rate.

        Returns
        -------
        array of shape (...)
            In [0, 1]; NaN where fewer than two groups have the rate.

        Examples
        --------
        >>> from skfairprop.metrics import Rates
        >>> rates = Rates([[[8, 2], [1, 9]], [[6, 4], [4, 6]]], positive=1)
        >>> round(float(rates.positive_gap("recall")), 3)  # 9 of 10 against 6 of 10
        0.3
        """
        return gap(self.positive_rate(name))[..., 0]  # its one column

    def positive_ratio(self, name: str) -> Array:
        """Smallest divided by largest rate of the positive class over the groups.

        Parameters
        ----------
        name : str
            Name of the rate.

        Returns
        -------
        array of shape (...)
            In [0, 1]; NaN where fewer than two groups have the rate, or it is 0 in all of them.

        Examples
        --------
        >>> from skfairprop.metrics import Rates
        >>> rates = Rates([[[8, 2], [1, 9]], [[6, 4], [4, 6]]], positive=1)
        >>> round(float(rates.positive_ratio("recall")), 3)  # 6 of 10 against 9 of 10
        0.667
        """
        return ratio(self.positive_rate(name))[..., 0]  # its one column

    def _positive_rate(self, name: str) -> Array:
        numerator, denominator = (self._positive_column(part) for part in self.parts(name))
        out = _share(numerator, denominator)
        if self.zero:
            out = np.where(np.isnan(out) & self.present[..., None], 0.0, out)
        return out

    def _positive_column(self, table: Array) -> Array:
        if self.positive is None:
            raise ValueError("this rate needs a positive class")
        return table[..., self.positive : self.positive + 1]

    def undefined(self, name: str, *, positive: bool = False) -> Array:
        """Where a rate is 0/0 although the group has rows and the class is in use.

        Parameters
        ----------
        name : str
            Name of the rate.
        positive : bool, default=False
            Look at the positive class alone.

        Returns
        -------
        bool array of shape (..., G, C)
        """
        _, denominator = self.parts(name)
        counts = self._counts(name)
        if positive and name not in ONE_COLUMN:
            denominator, counts = self._positive_column(denominator), self.present[..., None]
        holes = (denominator == 0) & np.broadcast_to(counts, denominator.shape)
        if name == "false_discovery_share":  # nobody errs in any group: nothing to compare
            holes = holes & (denominator > 0).any(-2, keepdims=True)
        return holes

    @cached_property
    def confusion(self) -> Array:
        """P(predicted | true, group), (..., G, K, K): "row" with its two class axes apart."""
        return self["row"].reshape(self.values.shape)


def _errors_shared(rates: Rates) -> tuple[Array, Array]:
    """Share of a group's (balanced) errors that predict each class [H, Eq. 17]."""
    wrong = np.where(np.isnan(rates.confusion), 0.0, rates.confusion)
    wrong = wrong * _others(wrong.shape[-1])
    into = wrong.sum(-2)
    return into, into.sum(-1, keepdims=True)


def _row(rates: Rates) -> tuple[Array, Array]:
    """P(predicted | true, group) of every pair of classes, C = K * K."""
    *lead, n_classes, _ = rates.values.shape
    flat = (*lead, n_classes * n_classes)
    denominator = np.broadcast_to(rates.by_true[..., None], rates.values.shape)
    return rates.values.reshape(flat), denominator.reshape(flat)


# Numerator and denominator of each rate, (..., G, C).
RATES: dict[str, Callable[[Rates], tuple[Array, Array]]] = {
    "base_rate": lambda r: (r.by_true, r.by_group[..., None]),
    "prediction_rate": lambda r: (r.by_pred, r.by_group[..., None]),
    "recall": lambda r: (r.correct, r.by_true),
    "false_negative_rate": lambda r: (r.missed, r.by_true),
    "false_positive_rate": lambda r: (r.mistaken, r.other_true),
    "true_negative_rate": lambda r: (r.rejected, r.other_true),
    "precision": lambda r: (r.correct, r.by_pred),
    "negative_predictive_value": lambda r: (r.rejected, r.other_pred),
    "miss_share": lambda r: (r.missed, r.missed + r.mistaken),
    "error_rate": lambda r: (r.missed + r.mistaken, r.by_group[..., None]),
    # TPR / (TPR + FPR), a likelihood ratio that stays in [0, 1]
    "likelihood_share": lambda r: (r["recall"], r["recall"] + r["false_positive_rate"]),
    "accuracy": lambda r: (r.correct.sum(-1, keepdims=True), r.by_group[..., None]),
    "row": _row,
    "false_discovery_share": _errors_shared,
}
ONE_COLUMN = frozenset({"accuracy"})
