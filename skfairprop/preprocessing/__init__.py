"""Change the bias of a data set: induce it, or weigh it away."""

from skfairprop.preprocessing._inducer import BiasInducer

__all__ = ["BiasInducer"]
