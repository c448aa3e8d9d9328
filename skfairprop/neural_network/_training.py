"""Train a small network in a skorch net, without the global generator of torch.

Imported only when a network is trained or used: this file needs torch and skorch.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from scipy.special import softmax
from skorch import NeuralNet
from torch import nn
from torch.nn.utils import skip_init

_PREDICTED_ROWS = 16_384


class Network(nn.Module):
    """Linear layers with ReLU and dropout between them; returns logits.

    All random numbers are of generators of its own: the global one of torch would make threads
    that train at the same time disturb each other.

    Parameters
    ----------
    sizes : sequence of int
        Of the input, the hidden layers, and the output.
    dropout : float
        Share of the hidden units that are left out of a step, in [0, 1).
    seed : int
    """

    def __init__(self, sizes: Sequence[int], dropout: float, seed: int) -> None:
        super().__init__()
        self.dropout = dropout
        self.seed = seed
        self._random: torch.Generator | None = None
        random = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList([_linear(a, b, random) for a, b in pairwise(sizes)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of shape (n, n_classes)."""
        for layer in list(self.layers)[:-1]:
            x = self._drop(torch.relu(layer(x)))
        out: torch.Tensor = self.layers[-1](x)
        return out

    def _drop(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training or self.dropout == 0:
            return x
        if self._random is None:
            self._random = torch.Generator().manual_seed(self.seed + 1)
        kept = torch.rand(x.shape, generator=self._random) >= self.dropout
        return x * kept.to(x.device) / (1 - self.dropout)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the generator, which cannot be pickled everywhere."""
        return self.__dict__ | {"_random": None}


def _linear(fan_in: int, fan_out: int, random: torch.Generator) -> nn.Module:
    """A layer that starts as torch's own does, from a generator."""
    layer = skip_init(nn.Linear, fan_in, fan_out)
    bound = fan_in**-0.5
    with torch.no_grad():
        layer.weight.uniform_(-bound, bound, generator=random)
        layer.bias.uniform_(-bound, bound, generator=random)
    return layer


class WeightedCrossEntropy(nn.Module):
    """Mean over a batch of weight times cross entropy; targets (n, 2) are codes and weights."""

    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The loss."""
        losses = nn.functional.cross_entropy(logits, targets[:, 0].long(), reduction="none")
        return (losses * targets[:, 1]).mean()


class Batches:
    """Shuffled batches of two tensors, taken as a whole: a data loader goes row by row."""

    def __init__(self, dataset: Any, batch_size: int, seed: int) -> None:
        self.tensors = [torch.as_tensor(part) for part in (dataset.X, dataset.y)]
        self.batch_size = batch_size
        self.random = torch.Generator().manual_seed(seed)

    def __iter__(self) -> Iterator[list[torch.Tensor]]:
        order = torch.randperm(len(self.tensors[0]), generator=self.random)
        for rows in order.split(self.batch_size):
            yield [tensor[rows] for tensor in self.tensors]


def train(
    X: np.ndarray,
    codes: np.ndarray,
    sample_weight: np.ndarray,
    *,
    n_classes: int,
    hidden_layer_sizes: Sequence[int],
    dropout: float,
    l2: float,
    learning_rate: float,
    max_epochs: int,
    batch_size: int,
    device: str,
    seeds: Sequence[int],
) -> NeuralNet:
    """A fitted net.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
    codes : integer ndarray of shape (n,)
        Classes as 0..n_classes - 1.
    sample_weight : ndarray of shape (n,)
    seeds : sequence of 2 int
        Of the network, and of the order of the rows.
    """
    net = NeuralNet(
        Network,
        module__sizes=(X.shape[1], *hidden_layer_sizes, n_classes),
        module__dropout=dropout,
        module__seed=seeds[0],
        criterion=WeightedCrossEntropy,
        optimizer=torch.optim.Adam,
        optimizer__weight_decay=l2,
        lr=learning_rate,
        max_epochs=max_epochs,
        batch_size=batch_size,
        iterator_train=Batches,
        iterator_train__seed=seeds[1],
        train_split=None,
        callbacks="disable",
        device=device,
        verbose=0,
    )
    return net.fit(X, np.column_stack([codes, sample_weight]).astype(np.float32))


def predict_proba(net: NeuralNet, X: np.ndarray) -> np.ndarray:
    """Probabilities (n, n_classes).

    In float64, where a row's do not depend on the rows around it, as they would in the last digits
    of float32.
    """
    *hidden, last = [_weights_of(layer) for layer in list(net.module_.layers)]
    parts = []
    for start in range(0, max(len(X), 1), _PREDICTED_ROWS):
        x = X[start : start + _PREDICTED_ROWS].astype(np.float64)
        for weight, bias in hidden:
            x = np.maximum(x @ weight.T + bias, 0)
        parts.append(softmax(x @ last[0].T + last[1], axis=1))
    return np.concatenate(parts)


def _weights_of(layer: Any) -> tuple[np.ndarray, np.ndarray]:
    weight, bias = (p.detach().cpu().numpy() for p in (layer.weight, layer.bias))
    return weight.astype(np.float64), bias.astype(np.float64)


def mean_losses(net: NeuralNet) -> list[float]:
    """Mean loss of the batches of each epoch."""
    losses = [[batch["train_loss"] for batch in epoch["batches"]] for epoch in net.history]
    return [float(np.mean(epoch)) for epoch in losses]
