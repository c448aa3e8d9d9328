"""The networks and their losses, against loops that are written out."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from skfairprop.benn._generator import (  # noqa: E402
    TargetedGenerator,
    TargetedLoss,
    VectorGenerator,
    halves,
    outside,
)
from skfairprop.benn._paper import BlackBox, PaperOptions  # noqa: E402
from skfairprop.benn._paper_loss import PaperLoss  # noqa: E402
from skfairprop.benn._training import (  # noqa: E402
    Settings,
    one_thread,
    pick_device,
    predict_intensity,
    train_targeted,
)

SETTINGS = Settings(2, (8, 8), 30, 16, 3e-3, (1.0, 1.0, 1.0), "cpu", 0)
SIZES = (3, 2)


def random(seed=0):
    return torch.Generator().manual_seed(seed)


def test_restarts_are_the_networks_that_they_are_one_by_one():
    net = TargetedGenerator(3, 4, (6, 5), SIZES, random())
    x = torch.randn(3, 7, 4, generator=random(1))
    b, pi = net(x)
    assert b.shape == (3, 7, 2)
    assert pi.shape == (3, 7, 5)
    for i in range(3):
        h = x[i]
        for layer in net.trunk.layers:
            h = torch.relu(h @ layer.weight[i] + layer.bias[i])
        own = torch.tanh(h @ net.intensity.weight[i] + net.intensity.bias[i])
        torch.testing.assert_close(b[i], own)
        scores = h @ net.direction.weight[i] + net.direction.bias[i]
        scores = 20 * torch.tanh(scores / 20)
        own = torch.cat([torch.softmax(s, -1) for s in scores.split(SIZES, -1)], -1)
        torch.testing.assert_close(pi[i], own)


def test_the_loss_of_a_loop_over_targets_rows_and_values():
    rng = np.random.default_rng(0)
    b = rng.uniform(-1, 1, (2, 6, 2))
    pi = rng.random((2, 6, 5))
    pi[..., :3] /= pi[..., :3].sum(-1, keepdims=True)
    pi[..., 3:] /= pi[..., 3:].sum(-1, keepdims=True)
    responses = rng.random((2, 6, 5))
    loss = TargetedLoss((0.7, 1.3, 0.4), SIZES).double()
    given = [torch.tensor(v) for v in (b, pi, responses)]
    total = float(loss((given[0], given[1]), given[2]))
    expected = 0.0
    for restart in range(2):
        for j, values in enumerate((slice(0, 3), slice(3, 5))):
            change = selection = 0.0
            w = []
            for i in range(6):
                size = abs(b[restart, i, j])
                rho = (pi[restart, i, values] * responses[restart, i, values]).sum()
                change += size * rho / 6
                selection += size**2 / 2 / 6
                w.append(size * pi[restart, i, values])
            pairs = sum(((u - v) ** 2).sum() for u in w for v in w)
            expected += (-0.7 * change + 1.3 * selection + 0.4 * pairs / (4 * 36)) / 2
    assert total == pytest.approx(expected)


def test_the_optimum_of_the_intensity_is_the_expected_change():
    responses = torch.full((1, 50, 2), 0.3, dtype=torch.float64)
    logit = torch.zeros(1, 50, 1, dtype=torch.float64, requires_grad=True)
    pi = torch.full((1, 50, 2), 0.5, dtype=torch.float64)
    loss = TargetedLoss((1.0, 1.0, 1.0), (2,)).double()
    optimizer = torch.optim.Adam([logit], lr=0.05)
    with torch.no_grad():
        logit.fill_(1.0)
    for _ in range(400):
        optimizer.zero_grad()
        loss((torch.tanh(logit), pi), responses).backward()
        optimizer.step()
    assert torch.tanh(logit).detach().numpy() == pytest.approx(0.3, abs=1e-3)


def test_restarts_do_not_see_each_other():
    net = TargetedGenerator(2, 3, (4,), SIZES, random())
    x = torch.randn(2, 5, 3, generator=random(1))
    responses = torch.rand(2, 5, 5, generator=random(2))
    loss = TargetedLoss((1.0, 1.0, 1.0), SIZES)
    loss(net(x), responses).backward()
    first = net.intensity.weight.grad[0].clone()
    net.zero_grad()
    x[1] = 0
    responses[1] = 0
    loss(net(x), responses).backward()
    torch.testing.assert_close(net.intensity.weight.grad[0], first)


@pytest.mark.parametrize("n", [2, 9, 20])
def test_two_networks_of_a_restart_share_no_row(n):
    rows = halves(n, 3, random())
    held = outside(rows, n)
    assert rows.shape == (6, n // 2)
    for k in range(3):
        assert not set(rows[2 * k].tolist()) & set(rows[2 * k + 1].tolist())
        assert bool((held[2 * k] | held[2 * k + 1]).all())  # every row is read at least once
    assert bool((held.sum(1) == n - n // 2).all())


def test_the_intensity_of_a_row_comes_from_networks_that_have_not_seen_it():
    """In pure noise nothing can be learnt but which value moves more rows; either moves most."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5)).astype(np.float32)
    noise = (rng.random((300, 2)) < 0.5).astype(np.float32)
    settings = Settings(2, (40, 40), 240, 64, 3e-3, (1.0, 1.0, 1.0), "cpu", 0)
    found = train_targeted(x, [noise], settings)
    assert found.intensity.shape == (2, 300, 1)
    best = noise.mean(axis=0).max()
    assert found.change.mean() <= best + 0.02
    assert found.intensity.mean() == pytest.approx(best, abs=0.05)
    assert noise.max(axis=1).mean() > best + 0.2
    assert found.n_steps == 240
    assert [row["step"] for row in found.curve] == list(range(15, 241, 15))


def test_a_seed_gives_the_same_again_and_the_global_one_is_left_alone():
    rng = np.random.default_rng(0)
    x, table = rng.random((40, 3), dtype=np.float32), rng.random((40, 3), dtype=np.float32)
    torch.manual_seed(7)
    before = torch.get_rng_state()
    first = train_targeted(x, [table], SETTINGS)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(8)
    again = train_targeted(x, [table], SETTINGS)
    np.testing.assert_array_equal(first.intensity, again.intensity)
    np.testing.assert_array_equal(
        predict_intensity(first.generator, x), predict_intensity(again.generator, x)
    )


def test_the_number_of_threads_does_not_matter_and_is_put_back():
    rng = np.random.default_rng(0)
    x, table = rng.random((40, 3), dtype=np.float32), rng.random((40, 3), dtype=np.float32)
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(train_targeted(x, [table], SETTINGS).intensity)
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(*found)


def test_threads_are_put_back_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(RuntimeError, match="stop"), one_thread():
        raise RuntimeError("stop")
    assert torch.get_num_threads() == before


def test_devices():
    assert pick_device("cpu") == "cpu"
    assert pick_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(ValueError, match="device must be 'auto', 'cpu', 'cuda' or another"):
        pick_device("gpu")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device='cuda', and torch finds no CUDA device"):
            pick_device("cuda")


# -- the loss of the paper ------------------------------------------------------------------------


class Line:
    """A model whose output is a number: its squared change is known."""

    slope = np.array([0.5, -0.25])

    def squared_change(self, points, rows):
        return ((points - self.base[rows]) @ self.slope) ** 2

    def __init__(self, base):
        self.base = base


def paper_loss(base, kind, l0="printed", scale="printed", lambdas=(1.0, 1.0, 1.0), exact=None):
    return PaperLoss(
        torch.tensor(base),
        np.array([True, True]),
        Line(base),
        exact,
        kind,
        PaperOptions(l0, scale, kind),
        lambdas,
        np.random.default_rng(0),
    )


BASE = np.random.default_rng(0).random((6, 2)).astype(np.float32)
ROWS = torch.arange(6).expand(2, -1)


def some_vectors():
    return torch.tensor(
        np.random.default_rng(1).uniform(-1, 1, (2, 6, 2)).astype(np.float32), requires_grad=True
    )


def test_the_printed_parts_are_those_of_loops():
    b = some_vectors()
    with torch.no_grad():
        b[0, 0, 1] = 0.0
    loss = paper_loss(BASE, "finite_differences")
    loss(b, ROWS)
    v = b.detach().numpy().astype(float)
    change = sum((v[r, i] @ Line.slope) ** 2 for r in range(2) for i in range(6))
    selection = sum(np.count_nonzero(v[r, i]) ** 2 for r in range(2) for i in range(6))
    pairs = sum(((v[r, i] - v[r, j]) ** 2).sum() for r in range(2) for i in range(6)
                for j in range(6))  # fmt: skip
    assert loss.last["change"] == pytest.approx(change / 2, rel=1e-5)
    assert loss.last["selection"] == selection / 2
    assert loss.last["similarity"] == pytest.approx(pairs / 2, rel=1e-5)


def test_normalized_parts_are_at_most_one():
    loss = paper_loss(BASE, "evolution", l0="smooth", scale="normalized")
    b = some_vectors()
    with torch.no_grad():
        b[:, ::2], b[:, 1::2] = 1.0, -1.0
    loss(b, ROWS)
    assert loss.last["selection"] == pytest.approx(1.0, abs=1e-4)
    assert loss.last["similarity"] == pytest.approx(1.0, abs=1e-6)


def test_central_differences_of_a_quadratic_are_its_gradient():
    loss = paper_loss(BASE, "finite_differences", lambdas=(1.0, 0.0, 0.0))
    b = some_vectors()
    loss(b, ROWS).backward()
    v = b.detach().numpy().astype(float)
    expected = -2 * (v @ Line.slope)[..., None] * Line.slope
    np.testing.assert_allclose(b.grad.numpy(), expected, atol=1e-4)


def test_random_directions_give_that_gradient_on_average():
    loss = paper_loss(BASE, "evolution", lambdas=(1.0, 0.0, 0.0))
    total = np.zeros((2, 6, 2))
    for _ in range(400):
        b = some_vectors()
        loss(b, ROWS).backward()
        total += b.grad.numpy() / 400
    v = some_vectors().detach().numpy().astype(float)
    np.testing.assert_allclose(total, -2 * (v @ Line.slope)[..., None] * Line.slope, atol=0.06)


def test_the_printed_count_has_no_gradient_and_the_smooth_one_has():
    for l0, moves in (("printed", False), ("smooth", True)):
        b = some_vectors()
        loss = paper_loss(BASE, "finite_differences", l0=l0, lambdas=(0.0, 1.0, 0.0))
        loss(b, ROWS).backward()
        assert bool(b.grad.any()) == moves


def test_the_exact_change_is_that_of_the_black_box_and_so_is_its_gradient():
    from skfairprop.benn._encoding import Encoding
    from skfairprop.benn._examined import Examined
    from skfairprop.benn._paper_loss import differentiable
    from skfairprop.explain._table import Table

    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Softmax(dim=1)).double()
    Z = np.random.default_rng(0).normal(size=(6, 2))

    class Double(torch.nn.Module):
        def forward(self, x):
            return module(x.double())

    table = Table.of(Z)
    examined = Examined(Double(), table)
    encoding = Encoding(Z, table)
    exact = differentiable(examined, encoding, Z)
    box = BlackBox(examined, encoding, Z, examined.ask(Z))
    points = encoding.encode(Z) * 0.6 + 0.2  # away from the ends, where moves are clipped
    rows = np.arange(6)[::-1].copy()
    given = torch.tensor(points, requires_grad=True)
    value = exact(given, torch.tensor(rows))
    np.testing.assert_allclose(
        value.detach(), box.squared_change(points, rows), rtol=1e-3, atol=1e-7
    )
    value.sum().backward()
    for k in range(2):
        step = np.zeros(2, np.float32)
        step[k] = 0.02
        slope = box.squared_change(points + step, rows) - box.squared_change(points - step, rows)
        np.testing.assert_allclose(given.grad[:, k], slope / 0.04, rtol=0.02, atol=3e-3)


def test_nothing_is_a_global_optimum_of_the_printed_loss():
    """With equal weights a component that flips every row pays for itself and no more."""
    zero = torch.zeros(2, 6, 2)
    one = zero.clone()
    one[..., 0] = 1.0
    loss = paper_loss(BASE, "finite_differences")
    always = lambda points, rows: np.ones(len(points))  # noqa: E731
    loss.box.squared_change = lambda points, rows: np.zeros(len(points))
    loss(zero, ROWS)
    nothing = loss.last["selection"] + loss.last["similarity"] - loss.last["change"]
    loss.box.squared_change = always
    loss(one, ROWS)
    most = loss.last["selection"] + loss.last["similarity"] - loss.last["change"]
    assert nothing == most == 0


def test_components_that_are_not_wanted_stay_zero():
    net = VectorGenerator(2, 3, (4,), torch.tensor([True, False, True]), random())
    b = net(torch.randn(2, 5, 3, generator=random(1)))
    assert not b[..., 1].any()
    assert bool(b[..., 0].any())
    assert bool(b[..., 2].any())


def test_the_black_box_remembers_whether_anything_moved():
    class Silent:
        def ask(self, Z, *, changed=None):
            return (Z[:, 0] > 2).astype(int)

    class Same:
        def decode(self, points, Z):
            return points

    box = BlackBox(Silent(), Same(), np.zeros((3, 1)), np.zeros(3, int))
    assert not box.squared_change(np.ones((3, 1)), np.arange(3)).any()
    assert not box.moved
    assert box.squared_change(np.full((3, 1), 9.0), np.arange(3)).tolist() == [1, 1, 1]
    assert box.moved
