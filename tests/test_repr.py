"""What is shown of an object: how it was made, or what was found, on one screen."""

from dataclasses import is_dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skfairprop import (
    GroupCounts,
    benn,
    explain,
    inference,
    meta,
    model_selection,
    neural_network,
    preprocessing,
    report,
    scorers,
)
from skfairprop.benn import BENNEstimator
from skfairprop.explain import ExplainerEnsemble, LimeExplainer, Model, Perturbation, ShapExplainer
from skfairprop.groups import Groups
from skfairprop.inference import MetricCall
from skfairprop.meta import DirectionalClassifier, ResampledClassifier, ReweightedClassifier
from skfairprop.metrics import METRICS, Driver, Metric, Rates, mesd_from_stability
from skfairprop.model_selection import PropagationResult, UEFSearchCV
from skfairprop.neural_network import NetworkClassifier
from skfairprop.preprocessing import BiasInducer, Reweighter, RowReplicator
from skfairprop.scorers import DirectionalScorer, FairnessScorer, MESDScorer
from tests.public import CLASSES

LABELS = {"groups": ["a", "b"], "classes": [0, 1]}
COUNTS = GroupCounts([[[80, 20], [10, 90]], [[50, 50], [10, 90]]], **LABELS)
FAIR = GroupCounts([[[80, 20], [10, 90]], [[80, 20], [10, 90]]], **LABELS)
ROOMS = (benn, explain, inference, meta, model_selection, neural_network, preprocessing, scorers)
NAMES = {name: getattr(module, name) for module in ROOMS for name in module.__all__} | {
    "LogisticRegression": LogisticRegression,
    "nan": np.nan,
    "inf": np.inf,
}

# -- what is made: the repr makes it again --------------------------------------------------------

ESTIMATORS = [
    BiasInducer("stereotypical", target_group="f", f={"a": 0.5}, random_state=0),
    Reweighter("reweighing", empty_cells="smooth", clip=5),
    RowReplicator(Reweighter(clip=(0.1, 10)), sensitive_features=["sex", "race"]),
    ResampledClassifier(LogisticRegression(C=2.0), BiasInducer(), sensitive_features="sex"),
    ReweightedClassifier(LogisticRegression(), Reweighter(empty_cells="ignore"), strength=0.5),
    DirectionalClassifier(LogisticRegression(), exclude=["sex_code"], missing="drop"),
    ExplainerEnsemble(("shap", LimeExplainer(n_samples=100)), weights=[0.75, 0.25]),
    LimeExplainer(kernel_width=2.0, random_state=0),
    Perturbation(sigma=0.5, noise_on_masked=True),
    ShapExplainer(method="agnostic", n_permutations=7),
    BENNEstimator(LogisticRegression(), features=["sex"], n_init=2),
    NetworkClassifier(hidden_layer_sizes=(8,), random_state=0),
    UEFSearchCV(
        LogisticRegression(),
        {"C": [0.1, 1.0]},
        objectives=["accuracy", "equalized_odds_difference"],
        sensitive_features="sex",
        n_evaluations=10,
    ),
]
SCORERS = [
    FairnessScorer("equalized_odds_difference", agg="mean", pos_label="yes", undefined="zero"),
    FairnessScorer(
        "cramers_v", sensitive_features=["sex", "race"], of="y_pred", undefined_score=-1
    ),
    DirectionalScorer("directional_bias_amplification", sensitive_features="sex"),
    DirectionalScorer("directional_bias_amplification", direction="t_to_a", objective="signed"),
    MESDScorer("worst_group_instability", n_samples=None, missing="drop", random_state=3),
]


def by_class(thing):
    return type(thing).__name__


def parameters(estimator):
    """Its parameters, and those of the estimators in them, as text that can be compared."""
    return {name: repr(value) for name, value in estimator.get_params().items()}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=by_class)
def test_the_repr_of_an_estimator_makes_it(estimator):
    again = eval(repr(estimator), dict(NAMES))
    assert type(again) is type(estimator)
    assert parameters(again) == parameters(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=by_class)
def test_an_estimator_is_shown_in_a_notebook_alone_and_in_a_pipeline(estimator):
    shown = [estimator, clone(estimator)]
    if hasattr(estimator, "predict"):
        shown.append(make_pipeline(StandardScaler(), estimator))
    for thing in shown:
        html = thing._repr_html_()
        assert type(estimator).__name__ in html
        assert "<div" in html
        if hasattr(estimator, "estimator"):
            assert "LogisticRegression" in html
        assert "text/html" in thing._repr_mimebundle_()


def test_a_fitted_meta_estimator_is_shown_as_fitted():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    model = ReweightedClassifier(LogisticRegression())
    assert "not fitted" in model._repr_html_().lower()
    model.fit(X, y, sensitive_features=np.arange(40) // 20)
    assert "not fitted" not in model._repr_html_().lower()


def test_every_estimator_is_shown():
    public = {c.__name__ for c in CLASSES.values() if issubclass(c, BaseEstimator)}
    assert public == {by_class(estimator) for estimator in ESTIMATORS}


@pytest.mark.parametrize("scorer", SCORERS, ids=by_class)
def test_the_repr_of_a_scorer_makes_it(scorer):
    assert repr(eval(repr(scorer), dict(NAMES))) == repr(scorer)


def test_only_what_is_no_default_is_shown():
    assert repr(SCORERS[0]) == (
        "FairnessScorer('equalized_odds_difference', pos_label='yes', undefined='zero', agg='mean')"
    )
    assert repr(SCORERS[2]) == (
        "DirectionalScorer('directional_bias_amplification', sensitive_features='sex')"
    )
    assert repr(SCORERS[4]) == (
        "MESDScorer('worst_group_instability', n_samples=None, missing='drop', random_state=3)"
    )
    assert repr(BiasInducer()) == "BiasInducer()"


def test_protected_rows_are_not_shown_one_by_one():
    people = pd.DataFrame({"sex": ["f", "m"] * 30_000})
    scorer = FairnessScorer("cramers_v", sensitive_features=people)
    assert (
        repr(scorer) == "FairnessScorer('cramers_v', sensitive_features=<['sex'] of 60,000 rows>)"
    )
    assert len(repr(ReweightedClassifier(LogisticRegression(), sensitive_features=people))) < 500


def test_the_repr_of_a_call_makes_it():
    call = MetricCall(
        "equalized_odds_difference", {"agg": "mean"}, pos_label="yes", null="separation"
    )
    assert repr(call) == (
        "MetricCall('equalized_odds_difference', options={'agg': 'mean'}, pos_label='yes', "
        "null='separation')"
    )
    assert eval(repr(call), dict(NAMES)) == call
    assert repr(MetricCall("cramers_v")) == "MetricCall('cramers_v')"


def test_a_call_of_a_metric_of_one_s_own_does_not_look_like_a_known_one():
    own = Metric("cramers_v", len, "dataset", "another formula", "here", "always")
    assert repr(MetricCall(own)) == "MetricCall(<Metric cramers_v: another formula>)"


# -- what was found -------------------------------------------------------------------------------

STABILITY = mesd_from_stability([0.9, 0.8, 0.7], [1, 1, 1], sensitive_features=list("abc"))
REPORT = report.FairnessReport.from_counts(COUNTS, bootstrap=0)

FOUND = [
    COUNTS,
    Groups.from_columns({"sex": list("fmfm"), "age": list("oyyo")}),
    Rates(COUNTS.values),
    METRICS["equalized_odds_difference"],
    Model(LogisticRegression()),
    ShapExplainer(random_state=0).fit(np.eye(3)).explain(lambda X: X[:, 0], np.eye(3)),
    STABILITY,
    inference.infer(COUNTS, "accuracy_difference", random_state=0)["accuracy_difference"],
    inference.compare_counts("accuracy_difference", COUNTS, FAIR, random_state=0),
    inference.omnibus_test(COUNTS, random_state=0),
    inference.metric_reliability("cramers_v", COUNTS),
    inference.null_baseline(
        "accuracy_difference",
        [0, 1] * 40,
        [0, 1, 1] * 26 + [0, 1],
        sensitive_features=["a", "b", "b", "c"] * 20,
        random_state=0,
    ),
    inference.required_sample_size(
        "accuracy_difference", 0.3, counts=FAIR, n_draws=100, random_state=0
    ),
    Driver("recall", "good", "female", "male", 0.62, 0.81),
    benn.EnsembleComparison(pd.DataFrame({"estimate": [0.5] * 100})),
    REPORT.settings,
    REPORT.views[0],
    REPORT.check("accuracy_difference > 0.1"),
    report.parse_rule("accuracy_difference > 0.1"),
    report.Source(title="Loans", rows=400),
    report.Section("A picture", svg="<svg>" + "x" * 10_000 + "</svg>"),
    report.Drivers(associations=pd.DataFrame({"v": [0.5] * 100})),
    report.ScoreParts("m", "f", pd.DataFrame({"part": [0.5]}), 0.0, 0.5, 5),
    report.BeforeAfter(REPORT.metrics, {"before": 0.7, "after": 0.8}, COUNTS, REPORT.by_group),
    report.Explanations(STABILITY, "a forest"),
    report.Estimations(pd.DataFrame({"estimate": [0.5] * 100}), pd.DataFrame(), "a forest", 400),
    PropagationResult.from_counts(
        GroupCounts([[[9, 9], [9, 9]], [[9, 9], [9, 1]]], predicted=False, **LABELS),
        GroupCounts([COUNTS.values, FAIR.values], **LABELS),
        f=[0.0, 0.5],
    ),
]


def test_every_result_is_looked_at():
    results = {c.__name__ for c in CLASSES.values() if is_dataclass(c) or hasattr(c, "_fields")}
    assert results - {"MetricCall"} <= {by_class(found) for found in FOUND}


@pytest.mark.parametrize("found", FOUND, ids=by_class)
def test_a_result_is_shown_on_one_screen(found):
    lines = repr(found).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 160
    assert " object at 0x" not in repr(found)
    assert "array(" not in repr(found)


def test_an_inference():
    found = inference.infer(COUNTS, "accuracy_difference", random_state=0)["accuracy_difference"]
    first, chance, *_ = repr(found).splitlines()
    assert first == (
        f"Inference: 0.150, 0.95 interval [{found.lower:.3f}, {found.upper:.3f}], "
        f"p = {found.p_value:.3g}"
    )
    assert f"by chance {found.null_mean:.3f} on average" in chance


def test_an_undefined_inference():
    one = COUNTS.select([0])
    found = inference.infer(one, "accuracy_difference", random_state=0)["accuracy_difference"]
    assert repr(found).splitlines()[0] == "Inference: undefined"
    with pytest.warns(UndefinedMetricWarning, match="only one: 'a'"):
        compared = inference.compare_counts("accuracy_difference", one, one, random_state=0)
    assert repr(compared) == "Comparison: undefined (nan and nan)"


def test_an_unreliable_inference_says_so():
    rare = GroupCounts([[[50, 2], [9, 40]], [[60, 1], [8, 30]]], **LABELS)
    found = inference.infer(rare, "combined_error_variance", random_state=0)
    assert "\n  not reliable: rests on 3 false positives" in repr(found["combined_error_variance"])


def test_many_groups_are_not_all_shown():
    counts = GroupCounts([[[8, 2], [1, 9]]] * 40, groups=range(40), classes=[0, 1])
    found = inference.required_sample_size(
        "accuracy_difference", 0.5, counts=counts, n_draws=50, random_state=0
    )
    assert "and 34 more groups" in repr(found)
    assert repr(Groups.from_columns(range(40))) == (
        "Groups(40 rows in 40: 0, 1, 2, 3, 4 and 35 more)"
    )
