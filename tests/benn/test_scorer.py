"""BENNScorer: one number a fold, and mistakes that are errors."""

import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

pytest.importorskip("skorch")

from skfairprop import BENNEstimator, BENNScorer
from skfairprop.exceptions import ScorerSetupError

RNG = np.random.default_rng(0)
N = 240
INDEX = pd.RangeIndex(50, 50 + N)
SEX = pd.Series(RNG.integers(0, 2, N), index=INDEX, name="sex")
X = pd.DataFrame({"skill": RNG.normal(size=N), "sex": SEX}, index=INDEX)
Y = ((X["skill"] + X["sex"]) > 0.5).astype(int)
FAST = {"n_init": 1, "max_steps": 60, "random_state": 0}
MODEL = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)


def test_the_score_is_the_negative_of_the_largest_estimate():
    scorer = BENNScorer(sensitive_features=["sex", "skill"], **FAST)
    benn = BENNEstimator(MODEL.predict, features=["sex", "skill"], **FAST).fit(X)
    assert scorer(MODEL, X, Y) == pytest.approx(-benn.bias_estimates_.max())
    assert -1 <= scorer(MODEL, X, Y) < -0.2


def test_ways_to_tell_the_protected_attribute():
    expected = BENNScorer(sensitive_features="sex", **FAST)(MODEL, X, Y)
    assert BENNScorer(sensitive_features=SEX, **FAST)(MODEL, X, Y) == expected
    shuffled = SEX.sample(frac=1, random_state=0)
    assert BENNScorer(sensitive_features=shuffled, **FAST)(MODEL, X, Y) == expected
    assert BENNScorer(**FAST)(MODEL, X, Y, sensitive_features=SEX) == expected
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(MODEL, X, Y, cv=2, scoring=BENNScorer(**FAST),
                               params={"sensitive_features": SEX})  # fmt: skip
    plain = cross_validate(MODEL, X, Y, cv=2, scoring=BENNScorer(sensitive_features=SEX, **FAST))
    np.testing.assert_array_equal(found["test_score"], plain["test_score"])


def test_a_protected_column_that_the_model_does_not_see_counts_by_its_proxies():
    proxy = pd.DataFrame({"proxy": SEX ^ (RNG.random(N) < 0.1), "noise": RNG.normal(size=N)})
    blind = DecisionTreeClassifier(max_depth=1).fit(proxy, SEX)
    assert BENNScorer(sensitive_features=SEX, **FAST)(blind, proxy, Y) < -0.6
    other = pd.Series(RNG.integers(0, 2, N), index=INDEX)
    assert BENNScorer(sensitive_features=other, **FAST)(blind, proxy, Y) == pytest.approx(0)
    direct = BENNScorer(sensitive_features=SEX, effect="direct", **FAST)
    assert direct(blind, proxy, Y) == 0


@pytest.mark.parametrize("kind", ["array", "float32", "sparse"])
def test_arrays_and_sparse_matrices(kind):
    values = {"array": X.to_numpy(), "float32": X.to_numpy(np.float32),
              "sparse": sparse.csr_array(X.to_numpy())}[kind]  # fmt: skip
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(values, Y)
    found = BENNScorer(sensitive_features=SEX, **FAST)(model, values, Y)
    assert -1 <= found <= 0
    # the column is in X, but an array does not say so: what is set beside it has proxies only
    assert found < -0.2


def test_in_a_search_the_blind_model_wins():
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    def seeing(columns):
        return make_column_transformer(("passthrough", columns))

    pipe = make_pipeline(seeing(["skill", "sex"]), LogisticRegression())
    search = GridSearchCV(
        pipe,
        {"columntransformer": [seeing(["skill", "sex"]), seeing(["skill"])]},
        scoring=BENNScorer(sensitive_features="sex", **FAST),
        cv=2,
    ).fit(X, Y)
    assert search.best_index_ == 1


def test_the_seed_is_settled_when_it_is_made():
    scorer = BENNScorer(sensitive_features="sex", n_init=1, max_steps=30)
    assert scorer(MODEL, X, Y) == scorer(MODEL, X, Y) == clone(scorer)(MODEL, X, Y)


def test_missing_protected_values():
    holes = SEX.astype(float).where(np.arange(N) % 8 > 0)
    with pytest.raises(ScorerSetupError, match="30 of 240 values are missing; pass missing="):
        BENNScorer(sensitive_features=holes, **FAST)(MODEL, X, Y)
    with pytest.warns(UserWarning, match="left out 30 of 240 rows"):
        BENNScorer(sensitive_features=holes, missing="drop", **FAST)(MODEL, X, Y)
    BENNScorer(sensitive_features=holes, missing="group", **FAST)(MODEL, X, Y)


@pytest.mark.filterwarnings("ignore:BENNEstimator. sex has a single value")
def test_one_group_is_undefined():
    one = X.assign(sex=1)
    assert np.isnan(BENNScorer(sensitive_features="sex", **FAST)(MODEL, one, Y))
    chosen = BENNScorer(sensitive_features="sex", undefined_score=-1, **FAST)
    assert chosen(MODEL, one, Y) == -1


def test_mistakes_are_errors():
    with pytest.raises(ValueError, match="effect must be one of"):
        BENNScorer(effect="both")
    with pytest.raises(ValueError, match="n_init must be an integer"):
        BENNScorer(n_init=0)
    with pytest.raises(ScorerSetupError, match="X has no column 'sexx'; did you mean 'sex'"):
        cross_validate(MODEL, X, Y, cv=2, scoring=BENNScorer(sensitive_features="sexx"))
    with pytest.raises(ScorerSetupError, match="takes no sample_weight"):
        BENNScorer(sensitive_features="sex")(MODEL, X, Y, sample_weight=np.ones(N))
    with pytest.raises(ScorerSetupError, match="device must be"):
        BENNScorer(sensitive_features="sex", device="gpu")(MODEL, X, Y)


def test_without_torch_there_is_no_score(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ScorerSetupError, match="'torch' is not installed; it comes with the extra"):
        cross_validate(MODEL, X, Y, cv=2, scoring=BENNScorer(sensitive_features="sex"))


def test_its_repr_tells_what_is_not_the_default():
    scorer = BENNScorer(sensitive_features="sex", n_init=2)
    assert repr(scorer) == "BENNScorer(sensitive_features='sex', n_init=2)"
    assert repr(BENNScorer()) == "BENNScorer()"
