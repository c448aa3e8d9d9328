"""BENN: how much each feature can move what a model says, without labels."""

from skfairprop.benn._ensemble import EnsembleComparison, compare_with_ensemble, guidelines
from skfairprop.benn._estimator import BENNEstimator

__all__ = ["BENNEstimator", "EnsembleComparison", "compare_with_ensemble", "guidelines"]
