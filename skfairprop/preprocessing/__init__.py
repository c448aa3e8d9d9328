"""Change the bias of a data set: induce it, or weigh it away."""

from skfairprop.preprocessing._inducer import BiasInducer
from skfairprop.preprocessing._replicator import RowReplicator
from skfairprop.preprocessing._reweighter import Reweighter

__all__ = ["BiasInducer", "Reweighter", "RowReplicator"]
