"""BENN beside the ensemble, and the guidelines by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

pytest.importorskip("skorch")

from skfairprop import BENNEstimator
from skfairprop.benn import compare_with_ensemble, guidelines
from skfairprop.metrics import bias_estimations, ensemble_bias_estimation
from tests.benn.data import FAST

RNG = np.random.default_rng(0)
N = 300
X = pd.DataFrame({"sex": RNG.integers(0, 2, N), "score": RNG.normal(size=N)})
Y = pd.Series(((X["score"] + X["sex"] + RNG.normal(size=N)) > 0.5).astype(int))
MODEL = LogisticRegression().fit(X, Y)
BENN = BENNEstimator(MODEL, features=["sex", "score"], **FAST).fit(X)


@pytest.mark.filterwarnings("ignore:bias estimations leave out")
def test_the_ensemble_is_that_of_the_metrics():
    found = compare_with_ensemble(BENN, X, Y, n_permutations=0).frame
    pred, score = MODEL.predict(X), MODEL.predict_proba(X)[:, 1]
    every = bias_estimations(Y, pred, sensitive_features=X["sex"], y_score=score)
    assert found.loc["sex", "ensemble"] == every.max()
    assert found.loc["sex", "ensemble_method"] == every.idxmax()
    for name in ("demographic_parity", "disparate_impact", "normalized_difference"):
        assert found.loc["sex", name] == every[name]
    assert found.loc["sex", "estimate"] == BENN.bias_estimates_["sex"]
    assert found.loc["sex", "difference"] == BENN.bias_estimates_["sex"] - every.max()
    assert found.loc["score", "n_groups"] == 4
    assert found["ensemble_null"].isna().all()


@pytest.mark.filterwarnings("ignore:the ensemble of bias estimations leaves out")
def test_the_null_is_that_of_permuted_groups():
    found = compare_with_ensemble(
        BENN, X, Y, sensitive_features="sex", n_permutations=40, random_state=0
    ).frame
    pred, score = MODEL.predict(X), MODEL.predict_proba(X)[:, 1]
    rng = np.random.default_rng(5)
    values = [
        ensemble_bias_estimation(Y, pred, sensitive_features=rng.permutation(X["sex"]),
                                 y_score=score)
        for _ in range(40)
    ]  # fmt: skip
    assert found["ensemble_null"].item() == pytest.approx(np.mean(values), abs=0.03)
    assert found["ensemble_null_95"].item() == pytest.approx(np.quantile(values, 0.95), abs=0.08)
    assert found.index.tolist() == ["sex"]


def test_a_model_is_examined_first():
    found = compare_with_ensemble(MODEL, X, Y, sensitive_features="sex", n_permutations=0)
    assert found.frame.index.tolist() == ["sex"]
    assert 0 < found.frame["estimate"].item() <= 1


@pytest.mark.parametrize("scores", [False, True])
def test_a_function_has_predictions_too(scores):
    def function(X):
        label = (X["score"] > 0).to_numpy().astype(int)
        return np.eye(2)[label] if scores else label

    benn = BENNEstimator(function, features=["sex"], **FAST).fit(X)
    found = compare_with_ensemble(benn, X, Y, n_permutations=0).frame
    expected = bias_estimations(Y, (X["score"] > 0).astype(int), sensitive_features=X["sex"])
    assert found["ensemble"].item() == expected.max()


def test_protected_columns_by_the_names_of_features():
    people = pd.DataFrame({"sex": X["sex"].map({0: "f", 1: "m"})}).sample(frac=1, random_state=0)
    by_frame = compare_with_ensemble(BENN, X, Y, sensitive_features=people, n_permutations=0)
    by_name = compare_with_ensemble(BENN, X, Y, sensitive_features="sex", n_permutations=0)
    assert by_frame.frame["ensemble"].item() == by_name.frame["ensemble"].item()
    with pytest.raises(ValueError, match="'sexx' was not examined; did you mean 'sex'"):
        compare_with_ensemble(BENN, X, Y, sensitive_features=people.set_axis(["sexx"], axis=1))


def test_labels_in_another_order_are_matched_and_other_ones_refused():
    shuffled = Y.sample(frac=1, random_state=0)
    found = compare_with_ensemble(BENN, X, shuffled, n_permutations=0).frame
    pd.testing.assert_frame_equal(found, compare_with_ensemble(BENN, X, Y, n_permutations=0).frame)
    # a model that is not fitted yet learns from the same labels
    options = {"sensitive_features": ["sex"], "n_permutations": 0, "random_state": 0}
    made = [compare_with_ensemble(LogisticRegression(), X, y, **options) for y in (Y, shuffled)]
    pd.testing.assert_frame_equal(made[0].frame, made[1].frame)
    with pytest.raises(ValueError, match="y has 10 rows; X has 300"):
        compare_with_ensemble(BENN, X, Y[:10])
    with pytest.raises(ValueError, match="n_permutations must be an integer of at least 0; got -1"):
        compare_with_ensemble(BENN, X, Y, n_permutations=-1)


def test_text_labels_need_a_positive_class():
    y = Y.map({0: "no", 1: "yes"})
    model = LogisticRegression().fit(X, y)
    benn = BENNEstimator(model, features=["sex"], **FAST).fit(X)
    with pytest.raises(ValueError, match="pass pos_label="):
        compare_with_ensemble(benn, X, y, n_permutations=0)
    named = compare_with_ensemble(benn, X, y, pos_label="yes", n_permutations=0).frame
    numbers = compare_with_ensemble(BENN, X, Y, sensitive_features="sex", n_permutations=0).frame
    assert named["ensemble"].item() == pytest.approx(numbers["ensemble"].item())


# -- guidelines -----------------------------------------------------------------------------------


def of(estimates, ensemble):
    return guidelines(pd.DataFrame({"estimate": estimates, "ensemble": ensemble})).to_dict()


def test_guidelines_by_hand():
    found = of([0.5, 0.3, 0.2], [0.4, 0.35, 0.1])
    assert found["share_at_least"] == pytest.approx(2 / 3)
    assert found["worst_shortfall"] == pytest.approx(0.05)
    assert found["kendall_tau"] == 1
    assert found["same_ranking"] == 1
    assert found["variance_of_differences"] == pytest.approx(np.var([0.1, -0.05, 0.1]))


def test_features_that_hardly_differ_are_ties():
    assert of([0.5, 0.49], [0.3, 0.4])["same_ranking"] == 1
    assert of([0.5, 0.4], [0.3, 0.31])["same_ranking"] == 1
    assert of([0.5, 0.4], [0.3, 0.35])["same_ranking"] == 0


def test_one_feature_has_no_ranking():
    found = of([0.5], [0.4])
    assert found["share_at_least"] == 1
    assert np.isnan(found["kendall_tau"])
    assert np.isnan(found["variance_of_differences"])


def test_an_undefined_estimate_is_left_out():
    assert of([0.5, np.nan, 0.4], [0.4, 0.9, 0.3])["share_at_least"] == 1
