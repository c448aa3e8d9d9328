"""Train restarts of a generator in one private skorch net, and keep the best state of each.

Imported only when a network is trained: this file needs torch and skorch.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from skorch import NeuralNet
from skorch.callbacks import Callback, LRScheduler
from torch import nn

from skfairprop._progress import Progress
from skfairprop.benn._features import OWNER
from skfairprop.benn._generator import (
    TargetedGenerator,
    TargetedLoss,
    from_numpy,
    halves,
    outside,
)

# Steps between two looks at the rows that a network is not trained on, and most rows looked at.
CHECK_EVERY = 15
_CHECKED_ROWS = 1_000
_PREDICTED_ROWS = 4_096


@dataclass(frozen=True)
class Settings:
    """How a network is trained; see :class:`~skfairprop.benn.BENNEstimator`."""

    n_init: int
    hidden_layers: tuple[int, ...]
    max_steps: int
    batch_size: int
    learning_rate: float
    lambdas: tuple[float, float, float]
    device: str
    seed: int
    verbose: bool = False


@dataclass
class Trained:
    """A trained generator and what it says.

    Attributes
    ----------
    generator : Module
        On the CPU, each restart in its best state.
    intensity, change : ndarray of shape (n_init, n, J)
        |b|, and the expected change of the direction, on rows that were not trained on.
    curve : list of dict
        Parts of the loss at every check.
    n_steps : int
        Fewer than asked for if the training was interrupted.
    """

    generator: nn.Module
    intensity: np.ndarray
    change: np.ndarray
    curve: list[dict[str, float]] = field(default_factory=list)
    n_steps: int = 0


def train_targeted(inputs: np.ndarray, tables: Sequence[np.ndarray], settings: Settings) -> Trained:
    """Train 2 n_init generators on halves of the rows and read each on the other half.

    Parameters
    ----------
    inputs : ndarray of float32, shape (n, d)
    tables : sequence of J ndarrays of shape (n, C_j)
        Responses.
    settings : Settings
    """
    random = torch.Generator().manual_seed(settings.seed)
    x, responses = from_numpy(inputs), from_numpy(np.concatenate(tables, axis=1))
    n_values = [table.shape[1] for table in tables]
    n = len(x)
    rows = halves(n, settings.n_init, random)
    held = outside(rows, n)
    r = len(rows)
    generator = TargetedGenerator(r, x.shape[1], settings.hidden_layers, n_values, random)
    loss = TargetedLoss(settings.lambdas, n_values)
    batches = Batches(rows, settings, random, lambda i: (_rows_at(x, i), _rows_at(responses, i)))
    keeper = BestStates(loss, batches, *_held_sample(x, responses, held))
    n_steps = fit_net(generator, loss, batches, settings, [keeper])
    keeper.restore(generator)
    intensity, change = _read(generator, x, responses)
    return Trained(
        generator,
        _out_of_fold(intensity, held),
        _out_of_fold(change, held),
        keeper.curve,
        n_steps,
    )


def predict_intensity(generator: nn.Module, inputs: np.ndarray) -> np.ndarray:
    """|b| of each restart, of shape (r, n, J)."""
    with one_thread():
        x = from_numpy(inputs)
        return _in_blocks(generator, x, lambda output, _: output[0].abs()).numpy()


def predict_vectors(generator: nn.Module, inputs: np.ndarray) -> np.ndarray:
    """|b| of each restart of a VectorGenerator, of shape (r, n, k)."""
    with one_thread():
        return _in_blocks(generator, from_numpy(inputs), lambda b, _: b.abs()).numpy()


def fit_net(
    module: nn.Module,
    criterion: nn.Module,
    batches: Any,
    settings: Settings,
    callbacks: Sequence[Callback],
) -> int:
    """Train a module with Adam, whose rate falls in a line to 0; returns the steps done.

    The net of skorch moves data to the device, and stops in good order when interrupted.

    Raises
    ------
    KeyboardInterrupt
        If interrupted before the first step is done.
    """
    steps = settings.max_steps
    decay = LRScheduler(
        policy=torch.optim.lr_scheduler.LambdaLR,
        lr_lambda=lambda t: 1 - t / (steps + 1),
        step_every="batch",
    )
    net = NeuralNet(
        module,
        criterion=criterion,
        optimizer=torch.optim.Adam,
        lr=settings.learning_rate,
        optimizer__fused=True,
        max_epochs=batches.n_epochs,
        batch_size=settings.batch_size,
        iterator_train=lambda dataset, **_: batches,
        dataset=lambda X, y=None: X,
        train_split=None,
        callbacks=[
            ("decay", decay),
            *[(f"own_{i}", c) for i, c in enumerate([*callbacks, Shown(batches, settings)])],
        ],
        callbacks__print_log=None,
        device=settings.device,
        verbose=0,
    )
    with one_thread():
        net.fit(batches, None)
    if not batches.n_done:
        raise KeyboardInterrupt  # which skorch caught: of an untrained network nothing is kept
    module.to("cpu")
    return batches.n_done


class Shown(Callback):
    """A line on the terminal that tells how far the training has come, where it is wanted."""

    def __init__(self, batches: Any, settings: Settings) -> None:
        what = f"{OWNER} trains"
        unit = f"times {CHECK_EVERY} steps"
        self.progress = Progress(what, batches.n_epochs, unit=unit, verbose=settings.verbose)

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        """Show it."""
        self.progress.step()


class Batches(torch.utils.data.Dataset):
    """Batches of rows, another one for each restart; every epoch is one check's worth of steps.

    Parameters
    ----------
    rows : integer tensor of shape (r, m)
        Rows that each restart is trained on.
    settings : Settings
    random : torch.Generator
    take : callable
        From positions (r, batch) to what the net and the loss take.
    """

    def __init__(
        self,
        rows: torch.Tensor,
        settings: Settings,
        random: torch.Generator,
        take: Callable[[torch.Tensor], tuple[torch.Tensor, Any]],
    ) -> None:
        self.rows = rows
        self.random = random
        self.take = take
        self.steps = settings.max_steps
        self.size = min(settings.batch_size, rows.shape[1])
        self.n_epochs = -(-self.steps // CHECK_EVERY)
        self.n_done = 0
        self._order = rows[:, :0]

    def __len__(self) -> int:
        return self.rows.shape[1]

    def __iter__(self) -> Iterator:
        for _ in range(min(CHECK_EVERY, self.steps - self.n_done)):
            yield self.take(self._next())
            self.n_done += 1

    def _next(self) -> torch.Tensor:
        """The next rows of a shuffle of each restart; what is left of one is not used."""
        if self._order.shape[1] < self.size:
            keys = torch.rand(self.rows.shape, generator=self.random)
            self._order = self.rows.gather(1, keys.argsort(1))
        chosen, self._order = self._order[:, : self.size], self._order[:, self.size :]
        return chosen


class BestStates(Callback):
    """Looks at held-out rows between steps, and keeps the state of each restart that does best.

    Parameters
    ----------
    loss : TargetedLoss
    batches : Batches
        Which counts the steps.
    x : tensor of shape (r, h, d)
    responses : tensor of shape (r, h, V)
    """

    def __init__(
        self, loss: TargetedLoss, batches: "Batches", x: torch.Tensor, responses: torch.Tensor
    ) -> None:
        self.loss = loss
        self.batches = batches
        self.x = x
        self.responses = responses
        self.curve: list[dict[str, float]] = []
        self.best: torch.Tensor | None = None
        self.states: dict[str, torch.Tensor] = {}

    def on_epoch_end(self, net: Any, **kwargs: Any) -> None:
        """Check."""
        with torch.no_grad():
            output = net.module_(self.x.to(net.device))
            parts = net.criterion_.parts(output, self.responses.to(net.device))
        l1, l2, l3 = self.loss.lambdas
        # without the similarity, which is a property of a batch and not of a row
        held = (l2 * parts[1] - l1 * parts[0]).mean(1).cpu()
        self._keep(net.module_, held)
        change, selection, similarity = (float(part.mean()) for part in parts)
        self.curve.append(
            {
                "step": self.batches.n_done,
                "change": change,
                "selection": selection,
                "similarity": similarity,
                "loss": l2 * selection + l3 * similarity - l1 * change,
                "train_loss": float(np.mean(net.history[-1, "batches", :, "train_loss"]))
                / len(held),
            }
        )

    def _keep(self, module: nn.Module, held: torch.Tensor) -> None:
        better = torch.ones_like(held, dtype=torch.bool) if self.best is None else held < self.best
        if self.best is None:
            self.states = {k: p.detach().cpu().clone() for k, p in module.named_parameters()}
        else:
            for name, parameter in module.named_parameters():
                self.states[name][better] = parameter.detach().cpu()[better]
        self.best = held if self.best is None else torch.minimum(held, self.best)

    def restore(self, module: nn.Module) -> None:
        """Put the best states back; without a check, as when interrupted early, the last stay."""
        for name, parameter in module.named_parameters():
            if name in self.states:
                parameter.data = self.states[name]


@contextmanager
def one_thread() -> Iterator[None]:
    """The matrices are too small to share, and sums in one order are the same on every machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def pick_device(device: str) -> str:
    """The device to train on.

    Raises
    ------
    ValueError
        If it is CUDA and there is none.
    """
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(device).type
    except (RuntimeError, TypeError):
        raise ValueError(
            f"device must be 'auto', 'cpu', 'cuda' or another device of torch; got {device!r}"
        ) from None
    if kind == "cuda" and not torch.cuda.is_available():
        raise ValueError(
            f"device={device!r}, and torch finds no CUDA device here; pass device='auto' or 'cpu'"
        )
    return device


def _rows_at(values: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Rows (r, m, k) of values (n, k) at positions (r, m), which are copied whole."""
    return values.index_select(0, positions.reshape(-1)).view(*positions.shape, -1)


def _held_sample(
    x: torch.Tensor, responses: torch.Tensor, held: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """As many held-out rows of each network, evenly spaced: rows may come sorted."""
    size = min(int(held.sum(1).min()), _CHECKED_ROWS)
    chosen = []
    for mask in held:
        positions = mask.nonzero()[:, 0]
        chosen.append(positions[torch.arange(size) * len(positions) // size])
    rows = torch.stack(chosen)
    return x[rows], responses[rows]


def _read(
    generator: TargetedGenerator, x: torch.Tensor, responses: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """|b| and the expected change of every network for every row, each (r, n, J)."""

    def read(output: tuple[torch.Tensor, torch.Tensor], rows: slice) -> torch.Tensor:
        b, pi = output
        return torch.stack([b.abs(), (pi * responses[rows]) @ generator.segments], dim=-1)

    with one_thread():
        both = _in_blocks(generator, x, read)
    return both[..., 0], both[..., 1]


def _in_blocks(generator: nn.Module, x: torch.Tensor, read: Callable) -> torch.Tensor:
    r = next(generator.parameters()).shape[0]
    out = []
    with torch.no_grad():
        for start in range(0, len(x), _PREDICTED_ROWS):
            rows = slice(start, start + _PREDICTED_ROWS)
            out.append(read(generator(x[rows].expand(r, -1, -1)), rows))
    return torch.cat(out, dim=1)


def _out_of_fold(values: torch.Tensor, held: torch.Tensor) -> np.ndarray:
    """Means of two networks, each where it was not trained: (2 k, n, J) to (k, n, J)."""
    k = len(values) // 2
    weight = held.float().unflatten(0, (k, 2))[..., None]
    return ((values.unflatten(0, (k, 2)) * weight).sum(1) / weight.sum(1)).numpy()
