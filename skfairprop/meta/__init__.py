"""Classifiers around any other classifier: on other rows, or with other weights."""

from skfairprop.meta._directional import DirectionalClassifier
from skfairprop.meta._resampled import ResampledClassifier
from skfairprop.meta._reweighted import ReweightedClassifier

__all__ = ["DirectionalClassifier", "ResampledClassifier", "ReweightedClassifier"]
