"""Signatures: the same names, the same order and the same defaults for the same things."""

import inspect

import pytest

from tests.public import CLASSES, FUNCTIONS, METHODS

CALLS = {
    name: call
    for name, call in (FUNCTIONS | METHODS | CLASSES).items()
    if not (inspect.isclass(call) and issubclass(call, BaseException))
}
# Results, records and settings: their fields are in the order in which they are read.
FIELDS = {n for n, c in CLASSES.items() if hasattr(c, "__dataclass_fields__")}

# Keywords that occur in many places, in the order that they have everywhere.
ORDER = (
    "sensitive_features",
    "sample_weight",
    "pos_label",
    "of",
    "confidence",
    "interval",
    "null",
    "n_draws",
    "undefined",
    "missing",
    "n_jobs",
    "random_state",
    "return_details",
)
# Their defaults, and where there is a reason for another one.
DEFAULTS = {
    "sample_weight": None,
    "pos_label": None,
    "of": "y_true",
    "confidence": 0.95,
    "interval": "tilted",
    "null": None,
    "n_draws": 1000,
    "undefined": "drop",
    "missing": "raise",
    "n_jobs": None,
    "random_state": None,
    "return_details": False,
}
OTHER_DEFAULTS = {
    ("inference.benjamini_hochberg", "n_draws"),  # what is behind the p-values, for a warning
    ("inference.benjamini_yekutieli", "n_draws"),
    ("inference.required_sample_size", "n_draws"),  # of data sets, not of resamples
    ("inference.omnibus_test", "null"),  # it has no metric that declares one
    ("inference.resample_rows", "interval"),  # without counts there is nothing to tilt
    ("inspection.GroupCurveDisplay.from_predictions", "n_draws"),  # for a band, not for its ends
    ("benn.BENNEstimator", "n_draws"),  # of other values of a feature, for each row
    ("report.FairnessReport.assert_not", "undefined"),  # whether a check fails
    ("report.fairness_report", "random_state"),  # a report made twice is the same page
    ("report.FairnessReport.from_counts", "random_state"),
    ("report.FairnessReport.from_estimator", "random_state"),
}
# Names for which the package has another one.
SYNONYMS = {
    "seed": "random_state",
    "rng": "random_state",
    "protected": "sensitive_features",
    "sensitive": "sensitive_features",
    "sensitive_attribute": "sensitive_features",
    "sensitive_attributes": "sensitive_features",
    "sample_weights": "sample_weight",
    "positive_label": "pos_label",
    "pos_class": "pos_label",
    "y": None,  # true classes beside predicted ones are y_true
    "y_prob": "y_score",
    "y_proba": "y_score",
    "level": "confidence",
    "n_boot": "n_draws",
    "n_bootstrap": "n_draws",
    "jobs": "n_jobs",
    "n_workers": "n_jobs",
}
# What is no data may come by position where the call says what it is.
BY_POSITION = {
    "ax",
    "target",
    "input_features",
    "path",
    "format_spec",
    "confidence",  # of PropagationResult.summary, its one argument
    "choice",  # of a search's select
    "dataset_metrics",  # of correlations, the two sides
    "model_metrics",
}


def parameters(name):
    found = inspect.signature(CALLS[name]).parameters
    return [p for p in found.values() if p.name not in ("self", "cls")]


def short(name):
    return name.removeprefix("skfairprop.")


@pytest.mark.parametrize("name", sorted(CALLS.keys() - FIELDS))
def test_common_keywords_have_one_order(name):
    common = [p.name for p in parameters(name) if p.name in ORDER]
    assert common == sorted(common, key=ORDER.index)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - FIELDS))
def test_common_keywords_have_one_default(name):
    for p in parameters(name):
        given = p.default is not p.empty
        if given and p.name in DEFAULTS and (short(name), p.name) not in OTHER_DEFAULTS:
            assert p.default == DEFAULTS[p.name], p.name


@pytest.mark.parametrize("name", sorted(CALLS))
def test_one_name_for_one_thing(name):
    names = {p.name for p in parameters(name)}
    assert names & set(SYNONYMS) <= {"y"}
    assert not ("y" in names and "y_pred" in names)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - CLASSES.keys()))
def test_what_is_no_data_is_given_by_name(name):
    data = ("X", "y", "y_pred", "pred_codes", "n_samples", "sample_weight", "sensitive_features")
    for p in parameters(name):
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is not p.empty:
            assert p.name in BY_POSITION.union(data)


@pytest.mark.parametrize("name", sorted(CALLS.keys() & CLASSES.keys() - FIELDS))
def test_a_class_takes_two_arguments_by_position_at_most(name):
    kinds = [p.kind for p in parameters(name)]
    if not issubclass(CLASSES[name], tuple):
        limit = 3 if "Display" in name else 2
        assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= limit
