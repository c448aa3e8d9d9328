"""Scorers by the names of their metrics, one or several at once."""

from collections.abc import Iterable
from typing import Any

from skfairprop._suggest import closest
from skfairprop.metrics import METRICS
from skfairprop.scorers._fairness_scorer import FairnessScorer
from skfairprop.scorers._mesd_scorer import MESDScorer


def get_scorer(
    name: str, *, sensitive_features: Any = None, **options: Any
) -> FairnessScorer | MESDScorer:
    """Get the scorer of a metric by its name.

    Parameters
    ----------
    name : str
        One of :func:`get_scorer_names`.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute, see :class:`FairnessScorer`.
    **options
        As for :class:`FairnessScorer`, or for :class:`MESDScorer` where the metric is about
        explanations.

    Returns
    -------
    FairnessScorer or MESDScorer

    Raises
    ------
    ValueError
        If there is no such scorer; the closest name is given.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from skfairprop.scorers import get_scorer
    >>> scorer = get_scorer("cramers_v")
    >>> classifier = DummyClassifier().fit([[0], [0], [0], [0]], [0, 0, 1, 1])
    >>> scorer(classifier, [[0], [0], [0], [0]], [0, 0, 1, 1], sensitive_features=list("aabb"))
    -1.0
    """
    if name not in get_scorer_names():
        raise ValueError(f"no scorer {name!r}{closest(name, get_scorer_names())}")
    if METRICS[name].inputs == "attributions":
        return MESDScorer(name, sensitive_features=sensitive_features, **options)
    return FairnessScorer(name, sensitive_features=sensitive_features, **options)


def get_scorers(
    names: Iterable[str], *, sensitive_features: Any = None, **options: Any
) -> dict[str, FairnessScorer | MESDScorer]:
    """Get several scorers by name, for multimetric scoring.

    Parameters
    ----------
    names : iterable of str
        Of :func:`get_scorer_names`.
    sensitive_features : str, list of str, Series, DataFrame or callable, optional
        How to find the protected attribute, see :class:`FairnessScorer`.
    **options
        As for :class:`FairnessScorer`; every one of the metrics has to know them.

    Returns
    -------
    dict of str to FairnessScorer or MESDScorer
        To be given as ``scoring=``, also together with others: a fold is predicted and counted
        once for all of them.

    Raises
    ------
    TypeError, ValueError
        If `names` is one text, or there is no such scorer.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from skfairprop.datasets import make_biased_classification
    >>> from skfairprop.scorers import get_scorers
    >>> problem = make_biased_classification(random_state=0)
    >>> X, y, groups = problem.data, problem.target, problem.sensitive_features
    >>> scoring = get_scorers(
    ...     ["demographic_parity_difference", "equal_opportunity"], sensitive_features=groups
    ... )
    >>> found = cross_validate(
    ...     LogisticRegression(), X, y, cv=3, scoring={"accuracy": "accuracy", **scoring}
    ... )
    >>> [name for name in found if name.startswith("test_")]
    ['test_accuracy', 'test_demographic_parity_difference', 'test_equal_opportunity']
    """
    if isinstance(names, str):
        raise TypeError(f"names must be several; for one use get_scorer({names!r})")
    return {
        name: get_scorer(name, sensitive_features=sensitive_features, **options) for name in names
    }


def get_scorer_names() -> list[str]:
    """Names of all scorers, sorted: those of the metrics they compute.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from skfairprop.scorers import get_scorer_names
    >>> [name for name in get_scorer_names() if name.startswith("dsap")]
    ['dsap_evenness_bias', 'dsap_representational_bias', 'dsap_stereotypical_bias']
    """
    return sorted(METRICS)
