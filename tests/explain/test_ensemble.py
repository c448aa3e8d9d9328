import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from skfairprop.explain import ExplainerEnsemble, Explanation, LimeExplainer, ShapExplainer
from skfairprop.explain._ensemble import check_weights

X, y = make_classification(200, 5, n_informative=4, n_redundant=1, random_state=0)
MODEL = LogisticRegression().fit(X, y)
LIME = LimeExplainer(n_samples=200, random_state=1)


class Constant:
    """An explainer that follows the protocol and nothing else."""

    def __init__(self, row):
        self.row = row

    def fit(self, background):
        self.background_ = background
        return self

    def explain(self, predict, X, target=None):
        values = np.tile(self.row, (len(X), 1))
        return Explanation(values, np.full(len(X), 0.5))


def test_mean_of_normalised_attributions():
    ensemble = ExplainerEnsemble([ShapExplainer(), LIME], weights=[0.25, 0.75]).fit(X)
    got = ensemble.explain(MODEL, X[:10], target=1)
    shap = ShapExplainer().fit(X).attribute(MODEL, X[:10], target=1)
    lime = clone(LIME).fit(X).explain(MODEL, X[:10], target=1)
    expected = sum(
        weight * values / np.abs(values).sum(axis=1, keepdims=True)
        for weight, values in [(0.25, shap), (0.75, lime.values)]
    )
    assert np.allclose(got.values, expected)
    assert np.allclose(got.fidelity, 0.25 + 0.75 * lime.fidelity)


def test_equal_weights_by_default():
    ensemble = ExplainerEnsemble([Constant([2.0, 0.0]), Constant([0.0, -4.0])]).fit(X)
    assert ensemble.attribute(MODEL, X[:2]).tolist() == [[0.5, -0.5]] * 2


def test_zero_attributions_stay_zero():
    ensemble = ExplainerEnsemble([Constant([0.0, 0.0]), Constant([1.0, 1.0])]).fit(X)
    assert ensemble.attribute(MODEL, X[:1]).tolist() == [[0.25, 0.25]]


def test_names_stand_for_explainers_with_the_seed():
    ensemble = ExplainerEnsemble(("shap", "lime"), random_state=7).fit(X)
    assert [type(e) for e in ensemble.explainers_] == [ShapExplainer, LimeExplainer]
    assert [e.seed_ for e in ensemble.explainers_] == [7, 7]


def test_one_name_is_enough():
    ensemble = ExplainerEnsemble("shap").fit(X)
    assert len(ensemble.explainers_) == 1


def test_own_seeds_are_kept_and_given_explainers_are_not_fitted():
    ensemble = ExplainerEnsemble([LIME, LimeExplainer(n_samples=50)], random_state=7).fit(X)
    assert [e.seed_ for e in ensemble.explainers_] == [1, 7]
    assert not hasattr(LIME, "seed_")


def test_weight_zero_is_not_run():
    class Broken(Constant):
        def explain(self, predict, X, target=None):
            raise AssertionError

    ensemble = ExplainerEnsemble([Broken([1.0]), Constant([1.0])], weights=[0, 1]).fit(X)
    assert ensemble.attribute(MODEL, X[:1]).tolist() == [[1.0]]


def test_weights_that_do_not_sum_to_one_are_normalised_with_a_warning():
    with pytest.warns(UserWarning, match="weights sum to 4, not 1"):
        weights = check_weights([1, 3], 2)
    assert weights.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("weights", [[-0.5, 1.5], [0, 0], [np.nan, 1], [np.inf, 1]])
def test_weights_that_are_no_mixture_are_refused(weights):
    with pytest.raises(ValueError, match="finite, not negative and not all 0"):
        check_weights(weights, 2)


def test_number_of_weights():
    with pytest.raises(ValueError, match="one number for each of the 2 explainers"):
        check_weights([1.0], 2)


def test_no_explainer():
    with pytest.raises(ValueError, match="explainers is empty"):
        ExplainerEnsemble([]).fit(X)


def test_unknown_name():
    with pytest.raises(
        ValueError, match=r"explainers must be one of \('shap', 'lime'\); got 'anchor'"
    ):
        ExplainerEnsemble(["anchor"]).fit(X)
