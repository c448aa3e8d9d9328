"""Scorers: every metric of bias in ``cross_validate``, a search, or any other ``scoring=``."""

from skfairprop.scorers._by_name import get_scorer, get_scorer_names, get_scorers
from skfairprop.scorers._directional_scorer import DirectionalScorer
from skfairprop.scorers._fairness_scorer import FairnessScorer, make_fairness_scorer
from skfairprop.scorers._mesd_scorer import MESDScorer

__all__ = [
    "DirectionalScorer",
    "FairnessScorer",
    "MESDScorer",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_fairness_scorer",
]
