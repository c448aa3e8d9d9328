"""What is relied upon of scikit-learn's scorers: a release that changes it fails here first."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, get_scorer, log_loss, make_scorer

from skfairprop.scorers import FairnessScorer
from skfairprop.scorers._sklearn import Scorer, function_of, parts_of, sign_of, takes_weights

Y = np.array([0, 1, 1, 0, 1, 1])
PREDICTED = np.array([0, 1, 0, 1, 1, 1])


def test_the_parts_are_those_that_make_scorer_was_given():
    made = make_scorer(fbeta_score, beta=2, greater_is_better=False)
    assert isinstance(made, Scorer)
    parts = parts_of(made)
    assert parts.function is fbeta_score
    assert parts.sign == sign_of(made) == -1
    assert parts.kwargs == {"beta": 2}
    assert parts.response_method == "predict"
    assert parts.score(Y, PREDICTED) == -fbeta_score(Y, PREDICTED, beta=2)
    loss = parts_of(make_scorer(log_loss, response_method="predict_proba"))
    assert loss.response_method == "predict_proba"


def test_a_scorer_that_is_made_again_scores_as_one_made_so():
    X = Y[:, None] + np.linspace(-1, 1, 6)[:, None]
    model = LogisticRegression().fit(X, Y)
    again = parts_of(make_scorer(f1_score)).remade(pos_label=0)
    assert again(model, X, Y) == make_scorer(f1_score, pos_label=0)(model, X, Y)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1", "matthews_corrcoef"])
def test_metrics_of_classes_are_functions_of_counts(name):
    assert parts_of(get_scorer(name)).is_of_counts
    assert takes_weights(get_scorer(name))


def test_others_are_not():
    assert not parts_of(get_scorer("r2")).is_of_counts
    weighted = make_scorer(f1_score, sample_weight=np.ones(6))
    assert not parts_of(weighted).is_of_counts
    assert not parts_of(make_scorer(lambda y, p: 0.0)).is_of_counts


def test_callables_are_themselves():
    def utility(estimator, X, y):
        return 1.0

    assert function_of(utility) is utility
    assert sign_of(utility) == sign_of(None) == 1
    assert not takes_weights(utility)
    gap = FairnessScorer("demographic_parity_difference")
    assert function_of(gap) is gap.measure
    assert takes_weights(gap)
