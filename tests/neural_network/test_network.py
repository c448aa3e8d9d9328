"""The network as an estimator: what goes in, what comes out, and who draws at random."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfairprop.meta import ReweightedClassifier
from skfairprop.neural_network import NetworkClassifier

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

X, Y = make_classification(240, 8, n_informative=5, class_sep=1.5, random_state=0)
SMALL = {"hidden_layer_sizes": (16, 8), "max_epochs": 8, "random_state": 0}
# Steps on batches: a row that comes twice is another path than a row of weight two.
BY_STEPS = {
    "check_sample_weight_equivalence_on_dense_data": "steps on batches of shuffled rows",
    "check_sample_weight_equivalence_on_sparse_data": "steps on batches of shuffled rows",
}


@parametrize_with_checks(
    [
        NetworkClassifier(
            hidden_layer_sizes=(20, 10),
            max_epochs=8,
            batch_size=32,
            learning_rate=0.03,
            random_state=0,
        )
    ],
    expected_failed_checks=lambda _: BY_STEPS,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# -- what goes in -------------------------------------------------------------------------------


def test_it_learns_what_a_line_cannot_tell():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (600, 2))
    inside = np.prod(points, axis=1) > 0
    net = NetworkClassifier(random_state=0, learning_rate=0.02)
    assert cross_val_score(net, points, inside, cv=3).mean() > 0.95
    assert cross_val_score(LogisticRegression(), points, inside, cv=3).mean() < 0.7


def test_labels_may_be_texts_and_classes_many():
    data, y = make_classification(
        300, 6, n_informative=5, n_redundant=0, n_classes=4, n_clusters_per_class=1, random_state=0
    )
    names = np.array(["d", "a", "c", "b"])[y]
    net = NetworkClassifier(random_state=0).fit(data, names)
    assert net.classes_.tolist() == ["a", "b", "c", "d"]
    probabilities = net.predict_proba(data)
    assert probabilities.shape == (300, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(net.predict(data), net.classes_[probabilities.argmax(axis=1)])
    assert net.score(data, names) > 0.8


def test_float64_frames_and_sparse_input_give_the_same():
    expected = NetworkClassifier(**SMALL).fit(X.astype(np.float32), Y).predict_proba(X)
    for data in (X, pd.DataFrame(X), sparse.csr_array(X), sparse.csc_matrix(X), X.tolist()):
        net = NetworkClassifier(**SMALL).fit(data, Y)
        np.testing.assert_array_equal(net.predict_proba(data), expected)


def test_it_works_behind_an_encoder_and_in_a_search():
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)])
    frame["kind"] = np.where(X[:, 0] > 0, "a", "b")
    encoder = make_column_transformer(
        (StandardScaler(), list(frame.columns[:8])), (OneHotEncoder(), ["kind"])
    )
    model = make_pipeline(encoder, NetworkClassifier(**SMALL))
    space = {
        "networkclassifier__l2": [0.0, 0.1],
        "networkclassifier__dropout": [0.0, 0.5],
        "networkclassifier__learning_rate": [0.005, 0.02],
        "networkclassifier__max_epochs": [10, 20],
    }
    search = RandomizedSearchCV(model, space, n_iter=4, cv=2, random_state=0).fit(frame, Y)
    assert search.best_score_ > 0.7
    assert clone(search.best_estimator_).get_params()["networkclassifier__random_state"] == 0


# -- parameters ---------------------------------------------------------------------------------


def test_the_net_has_the_layers_asked_for():
    net = NetworkClassifier(**SMALL | {"hidden_layer_sizes": [5, 3]}).fit(X, Y)
    shapes = [tuple(layer.weight.shape) for layer in net.net_.module_.layers]
    assert shapes == [(5, 8), (3, 5), (2, 3)]
    assert len(net.loss_curve_) == 8
    assert net.loss_curve_[-1] < net.loss_curve_[0]


def test_the_penalty_shrinks_the_weights():
    def size(l2):
        net = NetworkClassifier(**SMALL | {"max_epochs": 60}, l2=l2).fit(X, Y)
        return sum(float((p.detach() ** 2).sum()) for p in net.net_.module_.parameters())

    assert size(0.1) < 0.5 * size(0.0)


def test_dropout_leaves_units_out_while_it_learns_and_none_afterwards():
    from skfairprop.neural_network._training import Network

    network = Network((3, 4000, 2), dropout=0.3, seed=0)
    ones = torch.ones(50, 4000)
    dropped = network.train()._drop(ones)
    assert (dropped == 0).float().mean().item() == pytest.approx(0.3, abs=0.01)
    assert dropped.mean().item() == pytest.approx(1, abs=0.01)
    assert torch.equal(network.eval()._drop(ones), ones)


def test_the_first_weights_are_distributed_as_torchs_own():
    from skfairprop.neural_network._training import Network

    layer = Network((25, 4000, 2), dropout=0, seed=0).layers[0]
    bound = 25**-0.5
    assert layer.weight.abs().max().item() <= bound
    assert layer.weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.02)
    with torch.random.fork_rng():
        assert torch.nn.Linear(25, 4000).weight.abs().max().item() <= bound


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dropout": 1.0}, r"dropout must be a number in \[0, 1\); got 1.0"),
        ({"l2": -1}, "l2 must be a number of at least 0; got -1"),
        ({"learning_rate": 0}, "learning_rate must be a number above 0; got 0"),
        ({"learning_rate": np.nan}, "learning_rate must be a number above 0; got nan"),
        ({"max_epochs": 0}, "max_epochs must be an integer of at least 1; got 0"),
        ({"batch_size": 2.5}, "batch_size must be an integer of at least 1; got 2.5"),
        ({"hidden_layer_sizes": 3}, "hidden_layer_sizes must be a sequence of integers; got 3"),
        (
            {"hidden_layer_sizes": (3, 0)},
            "hidden_layer_sizes must be an integer of at least 1; got 0",
        ),
        ({"random_state": "a"}, "random_state must be None, an integer"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        NetworkClassifier(**options).fit(X, Y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has one class, 'a'; NetworkClassifier needs two"):
        NetworkClassifier().fit(X, ["a"] * len(X))


# -- weights ------------------------------------------------------------------------------------


def test_only_the_ratios_of_weights_matter_and_equal_ones_change_nothing():
    plain = NetworkClassifier(**SMALL).fit(X, Y).predict_proba(X)
    equal = NetworkClassifier(**SMALL).fit(X, Y, sample_weight=np.full(len(X), 7.0))
    np.testing.assert_allclose(equal.predict_proba(X), plain)
    weights = np.where(Y == 1, 5.0, 1.0)
    one, two = (
        NetworkClassifier(**SMALL).fit(X, Y, sample_weight=w).predict_proba(X)
        for w in (weights, 3 * weights)
    )
    np.testing.assert_allclose(one, two, atol=1e-6)
    assert one[:, 1].mean() > plain[:, 1].mean() + 0.02


def test_rows_of_no_weight_are_not_learnt():
    wrong = np.concatenate([Y, 1 - Y])
    weights = np.repeat([1.0, 0.0], len(Y))
    net = NetworkClassifier(**SMALL | {"max_epochs": 40})
    assert net.fit(np.vstack([X, X]), wrong, sample_weight=weights).score(X, Y) > 0.9


def test_reweighting_reaches_the_network():
    group = pd.Series(np.where(X[:, 1] > 0, "a", "b"), name="sex")
    frame = pd.DataFrame(X).rename(columns=str).assign(sex=(group == "a").astype(float))
    shares = []
    for strength in (0.0, 1.0):
        model = ReweightedClassifier(
            NetworkClassifier(**SMALL), sensitive_features="sex", strength=strength
        )
        shares.append(model.fit(frame, Y).predict_proba(frame)[:, 1])
    assert not np.allclose(*shares)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"sample_weight has shape \(3,\); X has 240 rows"),
        (np.full(240, -1.0), "sample_weight must be finite, not negative, and not zero"),
        (np.zeros(240), "sample_weight must be finite, not negative, and not zero"),
        (np.full(240, np.nan), "sample_weight must be finite, not negative, and not zero"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        NetworkClassifier(**SMALL).fit(X, Y, sample_weight=weights)


# -- random numbers -----------------------------------------------------------------------------


def test_a_seed_gives_the_same_and_another_seed_something_else():
    options = SMALL | {"dropout": 0.3}
    one, two = (NetworkClassifier(**options).fit(X, Y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    other = NetworkClassifier(**options | {"random_state": 1}).fit(X, Y)
    assert not np.allclose(one, other.predict_proba(X))
    free = NetworkClassifier(**options | {"random_state": None})
    assert not np.allclose(free.fit(X, Y).predict_proba(X), free.fit(X, Y).predict_proba(X))


def test_the_global_generators_are_left_alone():
    torch.manual_seed(3)
    before, numbers = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first = NetworkClassifier(**SMALL, dropout=0.3).fit(X, Y).predict_proba(X)
    assert torch.equal(torch.get_rng_state(), before)
    np.testing.assert_array_equal(np.random.get_state()[1], numbers)  # noqa: NPY002
    torch.manual_seed(4)
    np.testing.assert_array_equal(
        NetworkClassifier(**SMALL, dropout=0.3).fit(X, Y).predict_proba(X), first
    )


def test_threads_do_not_disturb_each_other():
    def fit(seed):
        options = SMALL | {"random_state": seed, "dropout": 0.3}
        return NetworkClassifier(**options).fit(X, Y).predict_proba(X)

    alone = [fit(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fit, range(4)))
    np.testing.assert_array_equal(together, alone)


def test_a_fitted_network_can_be_pickled():
    net = NetworkClassifier(**SMALL, dropout=0.3).fit(X, Y)
    again = pickle.loads(pickle.dumps(net))
    np.testing.assert_array_equal(again.predict_proba(X), net.predict_proba(X))


def test_without_torch_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'skfairprop\[torch\]'"):
        NetworkClassifier().fit(X, Y)
