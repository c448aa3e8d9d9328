"""Bias vector generators, several restarts trained together in batched products.

Imported only when a network is trained: this file needs torch.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import nn

# Largest absolute score of a value.
_BOUND = 20.0


class RestartedLinear(nn.Module):
    """One linear layer for each of r restarts, (r, m, fan_in) to (r, m, fan_out)."""

    def __init__(
        self, r: int, fan_in: int, fan_out: int, random: torch.Generator, gain: float = 2.0
    ) -> None:
        super().__init__()
        weight = torch.randn(r, fan_in, fan_out, generator=random) * (gain / fan_in) ** 0.5
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.zeros(r, 1, fan_out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.baddbmm(self.bias, x, self.weight)


class Trunk(nn.Module):
    """Hidden layers with ReLU, as in the paper 8 of width 40; (r, m, d) to (r, m, width)."""

    def __init__(self, r: int, d: int, hidden: Sequence[int], random: torch.Generator) -> None:
        super().__init__()
        sizes = [d, *hidden]
        self.layers = nn.ModuleList(RestartedLinear(r, a, b, random) for a, b in pairwise(sizes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.relu_(layer(x))
        return x


class TargetedGenerator(nn.Module):
    """From rows to an intensity b in (-1, 1) and a distribution over values, for each target.

    The hidden layers are those of all targets, as the paper's are of all features.

    Parameters
    ----------
    r : int
        Restarts.
    d : int
        Columns of the input.
    hidden : sequence of int
    n_values : sequence of int
        Values of each of the J targets.
    random : torch.Generator
    """

    segments: torch.Tensor

    def __init__(
        self,
        r: int,
        d: int,
        hidden: Sequence[int],
        n_values: Sequence[int],
        random: torch.Generator,
    ) -> None:
        super().__init__()
        self.trunk = Trunk(r, d, hidden, random)
        self.intensity = RestartedLinear(r, hidden[-1], len(n_values), random, gain=0.5)
        self.direction = RestartedLinear(r, hidden[-1], sum(n_values), random, gain=0.5)
        nn.init.constant_(self.intensity.bias, 0.3)  # tanh starts off its saddle at 0
        self.register_buffer("segments", segments_of(n_values))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Intensities (r, m, J), and the distributions one after the other, (r, m, V)."""
        h = self.trunk(x)
        # bounded, so that no maximum is needed: one target's scores must not drown another's
        weight = torch.exp(_BOUND * torch.tanh(self.direction(h) / _BOUND))
        share = weight / ((weight @ self.segments) @ self.segments.T)
        return torch.tanh(self.intensity(h)), share


def segments_of(n_values: Sequence[int]) -> torch.Tensor:
    """Which of the J targets each of their V values belongs to, one-hot (V, J)."""
    target = torch.repeat_interleave(torch.arange(len(n_values)), torch.tensor(list(n_values)))
    return nn.functional.one_hot(target, len(n_values)).to(torch.float32)


class VectorGenerator(nn.Module):
    """The generator of the paper: from rows to a bias vector in (-1, 1), (r, m, d) to (r, m, d).

    Components that are not wanted stay 0.
    """

    wanted: torch.Tensor

    def __init__(
        self,
        r: int,
        d: int,
        hidden: Sequence[int],
        wanted: torch.Tensor,
        random: torch.Generator,
    ) -> None:
        super().__init__()
        self.trunk = Trunk(r, d, hidden, random)
        self.head = RestartedLinear(r, hidden[-1], d, random, gain=1.0)
        self.register_buffer("wanted", wanted)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.head(self.trunk(x))) * self.wanted


class TargetedLoss(nn.Module):
    """Expected change, intensity and similarity of the targeted bias vectors, to be minimised.

    Parameters
    ----------
    lambdas : (float, float, float)
    n_values : sequence of int
        Values of each of the J targets.
    """

    segments: torch.Tensor

    def __init__(self, lambdas: Sequence[float], n_values: Sequence[int]) -> None:
        super().__init__()
        self.lambdas = lambdas
        self.register_buffer("segments", segments_of(n_values))

    def parts(
        self, output: tuple[torch.Tensor, torch.Tensor], responses: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Change, selection and similarity, each of shape (r, J).

        Parameters
        ----------
        output : intensities (r, m, J), distributions (r, m, V)
        responses : tensor of shape (r, m, V)
        """
        b, pi = output
        segments, m = self.segments, b.shape[1]
        intensity = b.abs()
        # sums over m: the gradient of a mean would divide every element
        change = (intensity * ((pi * responses) @ segments)).sum(1) / m
        selection = (intensity**2).sum(1) / m / 2
        # only directions are made alike: as a force on b it would pull it off its optimum
        w = (intensity.detach() @ segments.T) * pi
        similarity = ((w**2).sum(1) / m - (w.sum(1) / m) ** 2) @ segments / 2
        return change, selection, similarity

    def forward(
        self, output: tuple[torch.Tensor, torch.Tensor], responses: torch.Tensor
    ) -> torch.Tensor:
        parts = self.parts(output, responses)
        l1, l2, l3 = self.lambdas
        loss = l2 * parts[1] + l3 * parts[2] - l1 * parts[0]
        return loss.mean(1).sum()  # restarts do not see each other


def halves(n: int, n_init: int, random: torch.Generator) -> torch.Tensor:
    """Rows that each of 2 n_init networks is trained on, of shape (2 n_init, n // 2).

    Networks 2k and 2k + 1 share no row: each is read on what the other was trained on.
    """
    size = n // 2
    rows = []
    for _ in range(n_init):
        order = torch.randperm(n, generator=random)
        rows += [order[:size], order[size : 2 * size]]
    return torch.stack(rows)


def outside(rows: torch.Tensor, n: int) -> torch.Tensor:
    """Bool (r, n): which rows each network was not trained on."""
    return torch.ones(len(rows), n, dtype=torch.bool).scatter_(1, rows, False)


def from_numpy(values: np.ndarray) -> torch.Tensor:
    """A float32 tensor of its own memory."""
    return torch.tensor(np.ascontiguousarray(values), dtype=torch.float32)
