"""A network with the parameters that a search for a trade-off tunes."""

from skfairprop.neural_network._network import NetworkClassifier

__all__ = ["NetworkClassifier"]
