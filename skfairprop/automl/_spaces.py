"""What is worth searching in our estimators, for any tool, and in the words of two of them."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from skfairprop._optional import import_optional


@dataclass(frozen=True)
class Choice:
    """One of several values, the default first."""

    values: tuple


@dataclass(frozen=True)
class Range:
    """A number between two others, both included.

    Attributes
    ----------
    low, high : float
    log : bool
        Whether ratios matter rather than differences.
    """

    low: float
    high: float
    log: bool = False


Space = dict[str, Choice | Range]

# Reweighter.method is left out: "replication" needs a positive class.
_SPACES: dict[str, Space] = {
    "BiasInducer": {"f": Range(-0.9, 0.9)},
    "ReweightedClassifier": {"strength": Range(0.0, 1.0)},
    "Reweighter": {"clip": Choice((None, 10.0, 5.0, 2.0))},
}


def search_space(estimator: Any) -> Space:
    """What is worth searching in an estimator and in those inside it that are ours.

    Parameters
    ----------
    estimator : estimator
        One of ours, or a Pipeline or meta-estimator that has one inside.

    Returns
    -------
    dict of str to Choice or Range
        By the name of the parameter, as ``"sampler__f"``.

    Raises
    ------
    TypeError
        If `estimator` is none.
    ValueError
        If there is none of ours that has something to search.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.automl import search_space
    >>> from skfairprop.meta import ReweightedClassifier
    >>> search_space(ReweightedClassifier(LogisticRegression()))
    {'strength': Range(low=0.0, high=1.0, log=False)}
    """
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        raise TypeError(f"estimator must be an estimator; got {estimator!r}")
    space: Space = {}
    inside = estimator.get_params(deep=True)
    for name, part in [("", estimator), *sorted(inside.items())]:
        if type(part).__module__.partition(".")[0] != "skfairprop":
            continue
        prefix = f"{name}__" if name else ""
        own = _SPACES.get(type(part).__name__, {})
        space |= {prefix + parameter: kind for parameter, kind in own.items()}
    if not space:
        known = ", ".join(sorted(_SPACES))
        raise ValueError(
            f"{type(estimator).__name__} holds none of {known}: describe its own parameters"
        )
    return space


def optuna_space(estimator: Any) -> dict[str, Any]:
    """The same, as distributions of Optuna: for :func:`optuna_objective` and ``OptunaSearchCV``.

    Parameters
    ----------
    estimator : estimator
        As for :func:`search_space`.

    Returns
    -------
    dict of str to optuna.distributions.BaseDistribution

    Raises
    ------
    ImportError
        If Optuna is not installed.
    ValueError
        As for :func:`search_space`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.automl import optuna_space
    >>> from skfairprop.meta import ReweightedClassifier
    >>> optuna_space(ReweightedClassifier(LogisticRegression()))  # doctest: +SKIP
    {'strength': FloatDistribution(high=1.0, log=False, low=0.0, step=None)}
    """
    found = search_space(estimator)
    kinds = import_optional("optuna.distributions", extra="automl")
    return {
        name: kinds.CategoricalDistribution(kind.values)
        if isinstance(kind, Choice)
        else kinds.FloatDistribution(kind.low, kind.high, log=kind.log)
        for name, kind in found.items()
    }


def tpot_space(estimator: Any) -> Any:
    """The same, as a ConfigurationSpace: for the nodes and wrappers of TPOT.

    Parameters
    ----------
    estimator : estimator
        As for :func:`search_space`.

    Returns
    -------
    ConfigSpace.ConfigurationSpace

    Raises
    ------
    ImportError
        If ConfigSpace, which comes with TPOT, is not installed.
    ValueError
        As for :func:`search_space`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfairprop.automl import tpot_space
    >>> from skfairprop.meta import ReweightedClassifier
    >>> list(tpot_space(ReweightedClassifier(LogisticRegression())))  # doctest: +SKIP
    ['strength']
    """
    found = search_space(estimator)
    try:
        kinds = import_module("ConfigSpace")
    except ModuleNotFoundError as exc:
        raise ImportError(
            "tpot_space needs ConfigSpace, which comes with TPOT: pip install tpot"
        ) from exc
    return kinds.ConfigurationSpace(
        {
            name: kinds.Categorical(name, list(kind.values))
            if isinstance(kind, Choice)
            else kinds.Float(name, (kind.low, kind.high), log=kind.log)
            for name, kind in found.items()
        }
    )
