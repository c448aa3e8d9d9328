import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from skfairprop.explain import Model, _preprocessing
from skfairprop.explain._coalitions import all_coalitions
from skfairprop.explain._model import Predictor
from skfairprop.explain._preprocessing import (
    column_sources,
    final_inputs,
    route_behind_preprocessing,
)
from skfairprop.explain._table import Table

RNG = np.random.default_rng(0)
N = 120
FRAME = pd.DataFrame(
    {
        "s": ["u", "v"] * 60,
        "x": RNG.normal(size=N),
        "rare": ["common"] * (N - 1) + ["rare"],
        "z": RNG.normal(size=N),
    }
)
Y = np.arange(N) % 3 == 0
LABELS = OneHotEncoder(sparse_output=False), ["s", "rare"]


def prepared(preprocess, frame=FRAME, final=None):
    model = make_pipeline(preprocess, final or DecisionTreeClassifier(max_depth=3, random_state=0))
    predictor = Predictor(Model(model.fit(frame, Y)), Table.of(frame))
    return predictor, predictor.table.encode(frame)


def test_no_preprocessing():
    X = RNG.normal(size=(N, 3))
    predictor = Predictor(Model(GaussianNB().fit(X, Y)), Table.of(X))
    assert column_sources(predictor, X).tolist() == [0, 1, 2]
    assert route_behind_preprocessing(predictor, X, X, all_coalitions(3, N)) is None


def test_one_hot_parts_and_order_of_columns():
    """Also the part of a category that only the last row has."""
    pre = ColumnTransformer([("n", StandardScaler(), ["z", "x"]), ("l", *LABELS)])
    assert column_sources(*prepared(pre)).tolist() == [3, 1, 0, 0, 2, 2]


def test_indicators_and_bins_belong_to_their_column():
    frame = FRAME[["x", "z"]].copy()
    frame.loc[77, "x"] = np.nan
    pre = make_pipeline(SimpleImputer(add_indicator=True))
    assert column_sources(*prepared(pre, frame)).tolist() == [0, 1, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of quantile methods to come
        bins = KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")
        assert column_sources(*prepared(bins, FRAME[["x", "z"]])).tolist() == [0] * 4 + [1] * 4


def test_dropped_columns_move_nothing():
    pre = ColumnTransformer([("n", "passthrough", ["x"])])
    assert column_sources(*prepared(pre)).tolist() == [1]


def test_inputs_that_never_move():
    add_one = FunctionTransformer(lambda rows: np.column_stack([np.ones(len(rows)), rows]))
    assert column_sources(*prepared(add_one, FRAME[["x", "z"]])).tolist() == [-1, 0, 1]


@pytest.mark.parametrize("across", [PCA(2), KNNImputer()], ids=["pca", "knn"])
def test_inputs_of_several_columns_are_noticed(across):
    frame = FRAME[["x", "z"]].copy()
    if isinstance(across, KNNImputer):
        frame.loc[50:60, "x"] = np.nan
    assert column_sources(*prepared(across, frame)) is None


def test_inputs_are_dense_floats():
    predictor, Z = prepared(ColumnTransformer([("l", OneHotEncoder(), ["s"])], sparse_threshold=1))
    values, names = final_inputs(predictor, Z)
    assert isinstance(values, np.ndarray)
    assert values[:2].tolist() == [[1, 0], [0, 1]]
    assert names is None


def test_names_of_inputs_are_kept():
    pre = ColumnTransformer([("n", StandardScaler(), ["x"]), ("l", *LABELS)])
    predictor, Z = prepared(pre.set_output(transform="pandas"))
    assert "n__x" in final_inputs(predictor, Z).names
    route = route_behind_preprocessing(predictor, Z, Z[:5], all_coalitions(4, 5))
    assert np.allclose(route.outputs(route.rows), predictor.outputs(Z))


def test_mixing_on_either_side_is_the_same():
    pre = ColumnTransformer([("n", StandardScaler(), ["z", "x"]), ("l", *LABELS)])
    predictor, Z = prepared(pre)
    design = all_coalitions(4, 5)
    route = route_behind_preprocessing(predictor, Z, Z[-5:], design)
    got = route.outputs(route.mixed(design, slice(0, 3), slice(None)))
    mixed = np.where(design.masks, Z[:3, None], Z[-5:][design.rows]).reshape(-1, 4)
    assert np.allclose(got, predictor.outputs(mixed))


def test_a_model_that_disagrees_with_its_parts_is_not_trusted(monkeypatch):
    pre = ColumnTransformer([("o", OrdinalEncoder(), ["s"]), ("n", "passthrough", ["x"])])
    predictor, Z = prepared(pre)
    monkeypatch.setattr(predictor.model, "_function", lambda rows: np.zeros((len(rows), 2)))
    assert route_behind_preprocessing(predictor, Z, Z[:5], all_coalitions(4, 5)) is None


def test_many_inputs_stay_sparse(monkeypatch):
    monkeypatch.setattr(_preprocessing, "MOST_INPUTS", 3)
    predictor, Z = prepared(ColumnTransformer([("l", *LABELS)]))
    assert route_behind_preprocessing(predictor, Z, Z[:5], all_coalitions(4, 5)) is None
