import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skfairprop.explain import LimeExplainer, Model, ShapExplainer
from skfairprop.explain._nets import NetScores

torch = pytest.importorskip("torch")
skorch = pytest.importorskip("skorch")

X, y = make_classification(60, 5, n_informative=4, n_redundant=1, random_state=0)
X32 = X.astype(np.float32)
QUIET = {"max_epochs": 2, "verbose": 0, "train_split": None}


def layers(n_outputs, *more):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.Linear(8, n_outputs), *more
    )


def probabilities():
    module = layers(2, torch.nn.Softmax(dim=-1))
    return skorch.NeuralNetClassifier(module, **QUIET).fit(X32, y)


def logits():
    net = skorch.NeuralNetClassifier(layers(3), criterion=torch.nn.CrossEntropyLoss, **QUIET)
    return net.fit(X32, np.arange(60) % 3)


def binary():
    net = skorch.NeuralNetBinaryClassifier(layers(1, torch.nn.Flatten(0)), **QUIET)
    return net.fit(X32, y.astype(np.float32))


@pytest.mark.parametrize("make", [probabilities, logits, binary])
@pytest.mark.parametrize("rows", [X, X32], ids=["float64", "float32"])
def test_large_batches_give_the_same_probabilities(make, rows, monkeypatch):
    net = make()
    scores = NetScores(net)
    expected = net.predict_proba(X32)
    scores(rows[:20])
    monkeypatch.setattr(net, "predict_proba", None)  # not needed any more
    many = scores(np.tile(rows, (40, 1)))
    assert np.allclose(many, np.tile(expected, (40, 1)), atol=1e-6)


def test_what_is_not_understood_goes_through_predict_proba(monkeypatch):
    net = probabilities()
    monkeypatch.setattr(net, "predict_proba", lambda rows: np.full((len(rows), 2), [0.9, 0.1]))
    assert (NetScores(net)(X)[:, 0] == 0.9).all()


def test_nets_are_explained():
    net = probabilities()
    for explainer in (ShapExplainer(random_state=0), LimeExplainer(n_samples=100)):
        values = explainer.fit(X).attribute(net, X[:5])
        assert np.isfinite(values).all()
        assert (values != 0).any()


def test_nets_in_pipelines_of_frames_are_explained():
    to_float32 = FunctionTransformer(lambda rows: np.asarray(rows, dtype=np.float32))
    model = make_pipeline(StandardScaler(), to_float32, probabilities())
    frame = pd.DataFrame(X, columns=list("abcde"))
    model[0].fit(frame)
    explainer = ShapExplainer(random_state=0).fit(frame)
    got = explainer.attribute(model, frame[:5])
    through_function = explainer.attribute(model.predict_proba, frame[:5])
    assert np.allclose(got, through_function, atol=1e-5)
    assert Model(model).outputs(frame).shape == (60, 2)
