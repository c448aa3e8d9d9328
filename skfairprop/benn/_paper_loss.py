"""Eq. 1 to 4 of the paper for several restarts, on models with and without a gradient.

Imported only when a network is trained: this file needs torch.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from skorch.callbacks import Callback
from torch import nn

from skfairprop.benn._encoding import Encoding
from skfairprop.benn._examined import Examined, evaluating
from skfairprop.benn._generator import VectorGenerator, from_numpy
from skfairprop.benn._training import (
    Batches,
    Settings,
    Trained,
    fit_net,
    predict_vectors,
)

# Width of the smooth count: a bias of this size counts .4, of twice the size .86.
_WIDTH = 0.2
# Radius of finite differences, drawn anew at each step, and size of random directions.
_RADIUS, _SIGMA = (0.1, 1.0), 0.5
_LINKS: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    lambda raw: raw,
    lambda raw: torch.softmax(raw, dim=-1),
    lambda raw: torch.cat([1 - torch.sigmoid(raw), torch.sigmoid(raw)], dim=-1),
)


class PaperLoss(nn.Module):
    """Eq. 4: - lambda1 change + lambda2 selection + lambda3 similarity, summed over restarts.

    Parameters
    ----------
    points : tensor of shape (n, k)
    wanted : bool ndarray of shape (k,)
        Coordinates that may move.
    box : BlackBox
    exact : callable or None
        From moved points and rows to the squared change, as torch sees it.
    kind : {"exact", "finite_differences", "evolution"}
    options : PaperOptions
    lambdas : (float, float, float)
    rng : Generator
        For radii and directions.
    n_directions : int
    """

    def __init__(
        self,
        points: torch.Tensor,
        wanted: np.ndarray,
        box: Any,
        exact: Callable | None,
        kind: str,
        options: Any,
        lambdas: tuple[float, float, float],
        rng: np.random.Generator,
        n_directions: int = 4,
    ) -> None:
        super().__init__()
        self.points, self.box, self.exact, self.kind = points, box, exact, kind
        self.wanted, self.places = wanted, np.flatnonzero(wanted)
        self.options, self.lambdas, self.rng = options, lambdas, rng
        self.n_directions = n_directions
        self.last: dict[str, float] = {}

    def forward(self, b: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Loss of bias vectors (r, m, k) of the rows at positions (r, m)."""
        r, m, _ = b.shape
        change, value = self._change(b, rows)
        selection, similarity = self._selection(b), self._similarity(b)
        if self.options.loss_scale == "normalized":
            width = len(self.places)
            change, value = change / m, value / m
            selection, similarity = selection / (m * width**2), similarity / (2 * m * m * width)
        l1, l2, l3 = self.lambdas
        self.last = {
            "change": value / r,
            "selection": float(selection.detach().sum()) / r,
            "similarity": float(similarity.detach().sum()) / r,
            "intensity": float(b.detach().abs()[..., self.places].mean()),
        }
        return (l2 * selection + l3 * similarity).sum() - l1 * change

    def _selection(self, b: torch.Tensor) -> torch.Tensor:
        """Eq. 2 of each restart: squared numbers of components that are not 0."""
        if self.options.l0 == "smooth":
            counted = 1 - torch.exp(-(b**2) / (2 * _WIDTH**2))
        else:
            counted = (b != 0).to(b.dtype)  # constant almost everywhere: no gradient
        return (counted.sum(-1) ** 2).sum(-1)

    @staticmethod
    def _similarity(b: torch.Tensor) -> torch.Tensor:
        """Eq. 3 of each restart: squared distances of all pairs of rows, in O(m k)."""
        return 2 * b.shape[1] * ((b - b.mean(1, keepdim=True)) ** 2).sum((1, 2))

    def _change(self, b: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, float]:
        """Eq. 1 summed over restarts, as something with its gradient, and its value."""
        if self.kind == "exact" and self.exact is not None:
            points = self.points[rows.cpu()].to(b.device) + b
            total = self.exact(points.flatten(0, 1), rows.flatten()).sum()
            return total, float(total.detach())
        start = (self.points[rows.cpu()] + b.detach().cpu()).numpy().reshape(-1, b.shape[-1])
        where = rows.cpu().numpy().ravel()
        value = float(self.box.squared_change(start, where).sum())
        slope = self._differences if self.kind == "finite_differences" else self._evolution
        gradient = from_numpy(slope(start, where)).reshape(b.shape).to(b.device)
        return (gradient * b).sum(), value

    def _differences(self, start: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Central differences along each coordinate, with a radius drawn at random."""
        radius = self.rng.uniform(*_RADIUS)
        steps = np.zeros((len(self.places), 1, start.shape[1]), dtype=np.float32)
        steps[np.arange(len(self.places)), 0, self.places] = radius
        up, down = self._both_ways(start, rows, steps)
        out = np.zeros_like(start)
        out[:, self.places] = ((up - down) / (2 * radius)).T
        return out

    def _evolution(self, start: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Antithetic random directions: an estimate of the gradient of a smoothed model."""
        shape = (self.n_directions, *start.shape)
        directions = self.rng.standard_normal(shape).astype(np.float32) * self.wanted
        up, down = self._both_ways(start, rows, _SIGMA * directions)
        return (directions * (up - down)[..., None]).mean(axis=0) / (2 * _SIGMA)

    def _both_ways(
        self, start: np.ndarray, rows: np.ndarray, steps: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Squared changes after each step and its opposite, both of shape (steps, rows)."""
        points = np.concatenate([start + steps, start - steps]).reshape(-1, start.shape[1])
        change = self.box.squared_change(points, np.tile(rows, 2 * len(steps)))
        return change[: len(points) // 2].reshape(len(steps), -1), change[
            len(points) // 2 :
        ].reshape(len(steps), -1)


class Curve(Callback):
    """Keeps the parts of the loss at the end of every epoch."""

    def __init__(self, loss: PaperLoss, batches: Batches) -> None:
        self.loss = loss
        self.batches = batches
        self.rows: list[dict[str, float]] = []

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        """Note."""
        last, (l1, l2, l3) = self.loss.last, self.loss.lambdas
        total = l2 * last["selection"] + l3 * last["similarity"] - l1 * last["change"]
        self.rows.append({"step": self.batches.n_done, **last, "loss": total})


def train_paper(
    points: np.ndarray,
    wanted: np.ndarray,
    box: Any,
    exact: Callable | None,
    kind: str,
    size: int,
    options: Any,
    settings: Settings,
    rng: np.random.Generator,
) -> Trained:
    """Train the restarts together on all rows; |b| of every restart, row and coordinate."""
    settings = replace(settings, batch_size=size)
    random = torch.Generator().manual_seed(settings.seed)
    x = from_numpy(points)
    rows = torch.arange(len(x)).expand(settings.n_init, -1)
    generator = VectorGenerator(
        settings.n_init, x.shape[1], settings.hidden_layers, torch.from_numpy(wanted), random
    )
    loss = PaperLoss(x, wanted, box, exact, kind, options, settings.lambdas, rng)
    batches = Batches(rows, settings, random, lambda i: (x[i], i))
    curve = Curve(loss, batches)
    n_steps = fit_net(generator, loss, batches, settings, [curve])
    intensity = predict_vectors(generator, points)
    return Trained(generator, intensity, intensity, curve.rows, n_steps)


def differentiable(examined: Examined, encoding: Encoding, Z: np.ndarray) -> Callable | None:
    """The squared change of a torch module or skorch net, as torch can differentiate it.

    Returns
    -------
    callable or None
        From points (q, k) and positions of rows (q,) to squared changes (q,); None for other
        models, categories or missing values.
    """
    model = examined.model
    module = model if isinstance(model, nn.Module) else getattr(model, "module_", None)
    if not isinstance(module, nn.Module) or np.isnan(Z).any():
        return None
    if any(part.levels is not None for part in encoding.parts):
        return None
    link = _link(model, module, from_numpy(Z[:8]))
    if link is None:
        return None
    low = from_numpy(np.array([part.low for part in encoding.parts]))
    span = from_numpy(np.array([part.high - part.low for part in encoding.parts]))
    device = next((p.device for p in module.parameters()), torch.device("cpu"))
    with torch.no_grad():
        base = link(_raw(module, from_numpy(Z).to(device)))

    def squared_change(points: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        moved = low.to(points.device) + points.clamp(0, 1) * span.to(points.device)
        outputs = link(_raw(module, moved.to(device)))
        return (0.5 * (outputs - base[rows.to(device)]).abs().sum(-1)) ** 2

    return squared_change


def _raw(module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with evaluating(module):
        out = module(x)
    out = out[0] if isinstance(out, tuple) else out
    return out[:, None] if out.ndim == 1 else out


def _link(model: Any, module: nn.Module, rows: torch.Tensor) -> Callable | None:
    """What turns the output of the module into probabilities, found by comparison."""
    if model is module:
        return _LINKS[0]
    expected = torch.as_tensor(model.predict_proba(rows.numpy()))
    with torch.no_grad():
        device = next((p.device for p in module.parameters()), torch.device("cpu"))
        raw = _raw(module, rows.to(device)).cpu()
    fitting = []
    for link in _LINKS:
        got = link(raw)
        if got.shape == expected.shape and torch.allclose(got, expected, atol=1e-5):
            fitting.append(link)
    return fitting[0] if len(fitting) == 1 else None
