"""BENN: how much each feature can move what a model says, without labels."""

from skfairprop.benn._ensemble import EnsembleComparison, compare_with_ensemble, guidelines
from skfairprop.benn._estimator import BENNEstimator
from skfairprop.benn._scorer import BENNScorer

__all__ = [
    "BENNEstimator",
    "BENNScorer",
    "EnsembleComparison",
    "compare_with_ensemble",
    "guidelines",
]
