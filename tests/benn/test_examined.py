"""The model: asked once about equal rows, and refused where its answers cannot be compared."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from skfairprop.benn._examined import Examined, difference, is_fitted, unique_rows
from skfairprop.explain._table import Table


def examined(model, X, **options):
    table = Table.of(X)
    return Examined(model, table, **options), table.encode(X)


def test_distinct_rows_in_order():
    Z = np.array([[1.0, 2], [0, 5], [1, 2], [-0.0, 5], [np.nan, 1], [np.nan, 1]])
    first, inverse = unique_rows(Z)
    assert first.tolist() == [0, 1, 4]
    assert inverse.tolist() == [0, 1, 0, 1, 2, 2]


def test_equal_rows_are_asked_once():
    asked = []

    def model(X):
        asked.append(len(X))
        return X[:, 0] > 0

    one, Z = examined(model, np.array([[1.0], [0.0], [1.0], [1.0]]))
    assert one.ask(Z).tolist() == [1, 0, 1, 1]
    assert asked == [2]
    assert one.n_queries == 2


def test_large_tables_are_asked_in_batches():
    asked = []

    def model(X):
        asked.append(len(X))
        return X[:, 0] > 0

    one, Z = examined(model, np.arange(45_000.0)[:, None])
    assert one.ask(Z).sum() == 44_999
    assert max(asked) <= 20_000
    assert sum(asked) == 45_000


def test_rows_that_do_not_change_are_not_asked():
    one, Z = examined(lambda X: X[:, 0] > 0, np.array([[1.0], [-1.0], [2.0]]))
    base = one.ask(Z)
    change = one.change(-Z, base, np.array([False, True, True]), "it")
    assert change.tolist() == [1, 0, 0]
    assert one.n_queries == 4


def test_labels_that_come_later_get_codes_of_their_own():
    one, Z = examined(lambda X: np.where(X[:, 0] > 5, "c", "a"), np.array([[1.0], [2.0]]))
    base = one.ask(Z)
    assert one.classes == ["a"]
    assert difference(one.ask(Z + 5), base).tolist() == [1, 1]
    assert one.classes == ["a", "c"]


def test_scores_are_compared_by_their_total_variation():
    a = np.array([[0.2, 0.3, 0.5], [1, 0, 0]])
    b = np.array([[0.4, 0.1, 0.5], [0, 0, 1]])
    assert difference(a, b).tolist() == pytest.approx([0.2, 1.0])


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda X: X[:, 0] / 3, "continuous values, as 0.333333; examine its classes"),
        (lambda X: np.full(len(X), np.nan), "the model returned NaN for 2 rows"),
        (lambda X: [1, 0, 1], r"returned shape \(3,\) for 2 rows"),
        (lambda X: np.ones((2, 2)), "not negative and add up to 1"),
        (lambda X: np.array([[2.0, -1.0]] * 2), "not negative and add up to 1"),
        (lambda X: np.array([[np.nan, 1.0]] * 2), "no finite numbers"),
        (lambda X: np.ones((2, 2, 2)), r"one output a row; it returned shape \(2, 2, 2\)"),
    ],
)
def test_answers_that_cannot_be_compared_are_refused(answer, message):
    one, Z = examined(answer, np.array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match=message):
        one.ask(Z)


def test_a_model_without_the_method_is_refused():
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    with pytest.raises(TypeError, match="LinearRegression has no predict_proba; examine a class"):
        examined(LinearRegression().fit(X, y), X, response_method="predict_proba")
    one, Z = examined(LinearRegression().fit(X, y + 0.5), X)
    with pytest.raises(ValueError, match="the model returned continuous values"):
        one.ask(Z)


def test_a_failure_on_changed_rows_names_what_was_changed():
    def model(X):
        if (X["a"] > 1).any():
            raise KeyError("no such level")
        return X["a"]

    one, Z = examined(model, pd.DataFrame({"a": [0, 1]}))
    with pytest.raises(ValueError, match=r"failed on rows in which 'a' took .* KeyError: 'no"):
        one.ask(Z + 1, changed="'a'")
    with pytest.raises(KeyError):
        one.ask(Z + 1)


def test_a_refusal_of_missing_values_names_their_columns():
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, np.nan, 0.0]})
    model = LogisticRegression().fit(X.fillna(0), [0, 1, 1])
    one, Z = examined(model, X)
    with pytest.raises(ValueError, match="refuses the NaN or missing values in column 'b' of X"):
        one.ask(Z)


def test_torch_modules_are_asked_without_a_gradient():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Softmax(dim=1))
    X = np.random.default_rng(0).normal(size=(5, 2))
    one, Z = examined(module, X)
    with torch.no_grad():
        expected = module(torch.tensor(X, dtype=torch.float32)).numpy()
    np.testing.assert_allclose(one.ask(Z), expected, atol=1e-6)


def test_a_torch_module_in_training_mode_is_asked_in_evaluation_mode_and_left_as_it_was():
    torch = pytest.importorskip("torch")
    norm = torch.nn.BatchNorm1d(2)
    parts = (norm, torch.nn.Dropout(0.5), torch.nn.Linear(2, 2), torch.nn.Softmax(dim=1))
    module = torch.nn.Sequential(*parts).train()
    parts[3].eval()
    X = np.random.default_rng(0).normal(size=(50, 2))
    one, Z = examined(module, X)
    found = one.ask(Z)
    assert [part.training for part in parts] == [True, True, True, False]
    assert module.training
    assert norm.num_batches_tracked == 0  # asking teaches it nothing
    module.eval()
    with torch.no_grad():
        expected = module(torch.tensor(X, dtype=torch.float32)).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_skorch_net_is_fitted_only_after_fit():
    torch = pytest.importorskip("torch")
    skorch = pytest.importorskip("skorch")
    net = skorch.NeuralNetClassifier(torch.nn.Linear(2, 2), max_epochs=1, verbose=0,
                                     criterion=torch.nn.CrossEntropyLoss,
                                     train_split=None)  # fmt: skip
    assert not is_fitted(net)
    assert is_fitted(net.initialize())
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 2)), columns=list("ab"))
    one, Z = examined(net, X)  # a data frame of float64, which skorch refuses
    assert one.ask(Z).shape == (6,)
