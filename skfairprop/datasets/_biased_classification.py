"""A classification problem whose bias is known, because it was put there."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import Bunch

from skfairprop._checks import check_integer, check_number
from skfairprop._random import RandomState, as_generator
from skfairprop._typing import Numbers

from ._base import check_switches

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def make_biased_classification(
    n_samples: int = 1000,
    *,
    group_proportions: Numbers = (0.5, 0.5),
    base_rates: Numbers = (0.6, 0.4),
    recalls: Numbers = (0.9, 0.8),
    label_bias: Numbers | None = None,
    proxy_strength: float = 0.5,
    n_noise: int = 2,
    exact: bool = False,
    return_X_y: bool = False,
    as_frame: bool = True,
    random_state: RandomState = None,
) -> Any:
    """Make a classification problem with a known bias.

    Each row gets a group, a true class given the group, a recorded class (the target) given both,
    and a *signal*: features whose largest one points at a class, the true one with a given
    probability. "The class of the largest signal" is thus a prediction whose error rates are known
    for every group, and it is the rule that a model fitted to the signals finds. The joint
    distribution of all of these, and so the true value of every metric that can be counted, is part
    of the answer.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    group_proportions : array-like of shape (n_groups,), default=(0.5, 0.5)
        Share of each group, above 0; they sum to 1.
    base_rates : array-like of shape (n_groups,) or (n_groups, n_classes), default=(0.6, 0.4)
        Probability of each true class within each group; the rows sum to 1. One value a group is
        the probability of class 1 of two.
    recalls : array-like of shape (n_groups,) or (n_groups, n_classes), default=(0.9, 0.8)
        Probability that the signal points at the true class, by group and true class; errors are
        spread evenly over the other classes. One value a group holds for all its classes. With two
        classes the columns are the true negative and the true positive rate.
    label_bias : array-like of shape (n_groups,), default=None
        Share of the rows of each group with a true class other than 0 that are recorded as class
        0. None: every row is recorded with its true class.
    proxy_strength : float, default=0.5
        Cramer's V, in [0, 1], between the group and the column ``proxy``: with this probability
        the proxy is the group's number, else it is drawn from `group_proportions`.
    n_noise : int, default=2
        Number of standard normal columns that have to do with nothing.
    exact : bool, default=False
        Do not draw groups, classes and predictions at random, but let their counts be `n_samples`
        times their probabilities, rounded. The proxy and the size of the signals stay random.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=True
        Give data frames and series; otherwise arrays.
    random_state : int, RandomState, Generator or None, default=None
        Pass an int for the same data at every call.

    Returns
    -------
    Bunch
        With the entries

        data : DataFrame or ndarray of shape (n_samples, n_classes + 1 + n_noise), float64
            ``signal_0``, ... , ``proxy`` (the number of a group: nominal with more than two
            groups), ``noise_0``, ... The group itself is not a feature.
        target : Series or ndarray of shape (n_samples,), int64
            Recorded class, from 0.
        frame : DataFrame, or None
            Features and target, if `as_frame` is True.
        sensitive_features : DataFrame of shape (n_samples, 1)
            Column ``group`` with the values ``"g0"``, ``"g1"``, ...
        prediction : Series or ndarray of shape (n_samples,), int64
            Class of the largest signal.
        unbiased_target : Series or ndarray of shape (n_samples,), int64
            True class.
        population : ndarray of shape (n_groups, n_classes, n_classes)
            Probability of each group x recorded class x prediction.
        unbiased_population : ndarray of shape (n_groups, n_classes, n_classes)
            The same with the true class for the recorded one.
        true_metrics : dict of str to float
            Values in the population, by the names of the metrics: ``cramers_v`` of group and
            recorded class; with two classes also ``base_rate_difference`` (of the recorded class),
            and, of the prediction against the recorded class, ``demographic_parity_difference``,
            ``equal_opportunity_difference``, ``false_positive_rate_difference`` and
            ``equalized_odds_difference``. NaN where fewer than two groups have the rate.
        feature_names, target_names : list of str
            Columns of `data`; the classes.

    (data, target) : tuple, if `return_X_y` is True

    Raises
    ------
    ValueError
        If an argument has the wrong shape, or probabilities are not between 0 and 1 or do not sum
        to 1.

    Notes
    -----
    The proxy's Cramer's V is `proxy_strength` whatever the groups' sizes: with P(proxy b given
    group a) = s [a = b] + (1 - s) p_b, chi2/n is s^2 sum_a p_a sum_b ([a = b] - p_b)^2 / p_b =
    s^2 (n_groups - 1).

    With a label bias, a model that is right about the true class looks unfair against the recorded
    one: compare `population` with `unbiased_population`.

    A model also sees the proxy. Where base rates differ it gains by using it, and then its
    predictions are more biased than `prediction`.

    Examples
    --------
    >>> from skfairprop.datasets import make_biased_classification
    >>> problem = make_biased_classification(
    ...     400, base_rates=(0.6, 0.4), recalls=(0.9, 0.8), exact=True, random_state=0
    ... )
    >>> problem.feature_names
    ['signal_0', 'signal_1', 'proxy', 'noise_0', 'noise_1']
    >>> round(problem.true_metrics["demographic_parity_difference"], 3)
    0.14
    >>> problem.prediction.groupby(problem.sensitive_features["group"]).mean().to_dict()
    {'g0': 0.58, 'g1': 0.44}
    """
    n_samples = check_integer("n_samples", n_samples, least=1)
    n_noise = check_integer("n_noise", n_noise, least=0)
    proxy_strength = check_number("proxy_strength", proxy_strength, "[0, 1]")
    check_switches(exact=exact, return_X_y=return_X_y, as_frame=as_frame)
    groups = _check_proportions(group_proportions)
    joint = _joint(groups, base_rates, recalls, label_bias)
    rng = as_generator(random_state)

    cells = _allocate(joint.ravel(), n_samples) if exact else rng.multinomial(n_samples, joint.flat)
    rows = rng.permutation(np.repeat(np.arange(joint.size), cells))
    group, true, recorded, predicted = np.unravel_index(rows, joint.shape)
    data = _features(group, predicted, joint.shape[1], groups, proxy_strength, n_noise, rng)
    target = pd.Series(recorded, name="target")
    population = joint.sum(axis=1)
    bunch = Bunch(
        data=data if as_frame else data.to_numpy(),
        target=target if as_frame else recorded,
        frame=data.assign(target=target) if as_frame else None,
        sensitive_features=pd.DataFrame({"group": [f"g{g}" for g in group]}),
        prediction=pd.Series(predicted, name="prediction") if as_frame else predicted,
        unbiased_target=pd.Series(true, name="unbiased_target") if as_frame else true,
        population=population,
        unbiased_population=joint.sum(axis=2),
        true_metrics=_true_metrics(population),
        feature_names=list(data),
        target_names=[str(k) for k in range(joint.shape[1])],
    )
    return (bunch.data, bunch.target) if return_X_y else bunch


def _check_numbers(name: str, values: Numbers) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers; got {values!r}") from None
    if not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"{name} must lie in [0, 1]; got {values!r}")
    return array


def _check_proportions(values: Numbers) -> FloatArray:
    groups = _check_numbers("group_proportions", values)
    if groups.ndim != 1 or len(groups) < 2:
        raise ValueError(
            f"group_proportions must have one value for each of at least two groups; got {values!r}"
        )
    if not (groups > 0).all():
        raise ValueError(f"every group needs a share above 0; got group_proportions={values!r}")
    if not np.isclose(groups.sum(), 1.0):
        raise ValueError(f"group_proportions must sum to 1; got {groups.sum():.6g}")
    return groups / groups.sum()


def _check_base_rates(values: Numbers, n_groups: int) -> FloatArray:
    """Probability of each class, of shape (n_groups, n_classes)."""
    rates = _check_numbers("base_rates", values)
    if rates.shape == (n_groups,):
        return np.column_stack([1 - rates, rates])
    if rates.ndim != 2 or len(rates) != n_groups:
        raise ValueError(
            f"base_rates must have shape ({n_groups},) or ({n_groups}, n_classes), one row for "
            f"each group; got {rates.shape}"
        )
    if rates.shape[1] < 2:
        raise ValueError("base_rates must have a column for each of at least two classes; got 1")
    if not np.allclose(rates.sum(axis=1), 1.0):
        raise ValueError(f"every row of base_rates must sum to 1; got {values!r}")
    return rates / rates.sum(axis=1, keepdims=True)


def _check_recalls(values: Numbers, n_groups: int, n_classes: int) -> FloatArray:
    recalls = _check_numbers("recalls", values)
    if recalls.shape == (n_groups,):
        recalls = np.repeat(recalls[:, None], n_classes, axis=1)
    if recalls.shape != (n_groups, n_classes):
        raise ValueError(
            f"recalls must have shape ({n_groups},) or ({n_groups}, {n_classes}); "
            f"got {recalls.shape}"
        )
    return recalls


def _joint(
    groups: FloatArray,
    base_rates: Numbers,
    recalls: Numbers,
    label_bias: Numbers | None,
) -> FloatArray:
    """Probability of each group x true class x recorded class x prediction."""
    base = _check_base_rates(base_rates, len(groups))
    n_groups, n_classes = base.shape
    hit = _check_recalls(recalls, n_groups, n_classes)
    flip = np.zeros(n_groups) if label_bias is None else _check_numbers("label_bias", label_bias)
    if flip.shape != (n_groups,):
        raise ValueError(f"label_bias must have shape ({n_groups},); got {flip.shape}")

    same = np.eye(n_classes)
    predicted = hit[:, :, None] * same + (1 - hit[:, :, None]) / (n_classes - 1) * (1 - same)
    recorded = np.repeat(same[None], n_groups, axis=0)
    recorded[:, 1:] *= 1 - flip[:, None, None]
    recorded[:, 1:, 0] = flip[:, None]
    return np.einsum("g,gt,gtr,gtp->gtrp", groups, base, recorded, predicted)


def _allocate(shares: FloatArray, n: int) -> IntArray:
    """Whole counts that sum to `n`, each less than 1 away from its share (largest remainders)."""
    ideal = n * shares
    counts = np.floor(np.round(ideal, 9)).astype(np.int64)  # 39.999999999 is 40
    largest = np.argsort(counts - ideal, kind="stable")
    counts[largest[: n - counts.sum()]] += 1
    return counts


def _features(
    group: IntArray,
    predicted: IntArray,
    n_classes: int,
    groups: FloatArray,
    proxy_strength: float,
    n_noise: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Signals, of which the largest is that of the prediction, then proxy and noise."""
    n, rows = len(group), np.arange(len(group))
    signals = rng.normal(size=(n, n_classes))
    largest = signals.argmax(axis=1)
    top, other = signals[rows, largest], signals[rows, predicted]
    signals[rows, largest] = other
    signals[rows, predicted] = top
    drawn = rng.choice(len(groups), size=n, p=groups)
    proxy = np.where(rng.random(n) < proxy_strength, group, drawn)
    names = [f"signal_{k}" for k in range(n_classes)] + ["proxy"]
    names += [f"noise_{k}" for k in range(n_noise)]
    values = np.column_stack([signals, proxy, rng.normal(size=(n, n_noise))])
    return pd.DataFrame(values, columns=names)


def _gap(part: FloatArray, whole: FloatArray) -> float:
    """Largest difference of ``part / whole`` between two groups; NaN if fewer have the rate."""
    rates = part[whole > 0] / whole[whole > 0]
    return float(np.ptp(rates)) if len(rates) > 1 else float("nan")


def _true_metrics(population: FloatArray) -> dict[str, float]:
    """Metrics of a table of group x recorded class x prediction that sums to 1."""
    table = population.sum(axis=2)
    table = table[:, table.sum(axis=0) > 0]
    group = table.sum(axis=1)
    independent = np.outer(group, table.sum(axis=0))
    degrees = min(table.shape) - 1
    chi2 = ((table - independent) ** 2 / independent).sum()
    metrics = {"cramers_v": float(np.sqrt(chi2 / degrees)) if degrees else 0.0}
    if population.shape[1] > 2:
        return metrics
    negative, positive = population[:, 0], population[:, 1]
    tpr = _gap(positive[:, 1], positive.sum(axis=1))
    fpr = _gap(negative[:, 1], negative.sum(axis=1))
    return metrics | {
        "base_rate_difference": _gap(positive.sum(axis=1), group),
        "demographic_parity_difference": _gap(population[:, :, 1].sum(axis=1), group),
        "equal_opportunity_difference": tpr,
        "false_positive_rate_difference": fpr,
        "equalized_odds_difference": float(np.fmax(tpr, fpr)),
    }
