"""Follow bias from the data through the model to its explanations, with scikit-learn objects."""

from skfairprop.counts import GroupCounts

__version__ = "0.1.0.dev0"

__all__ = ["GroupCounts"]
