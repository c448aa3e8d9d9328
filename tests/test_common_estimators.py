"""Every estimator of the package goes through scikit-learn's checks, where its own tests lie."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

import skfairprop
from skfairprop import GroupCounts
from skfairprop.explain import ExplainerEnsemble, LimeExplainer, Perturbation, ShapExplainer
from skfairprop.preprocessing import Reweighter, RowReplicator
from tests.public import CLASSES

TESTS = Path(__file__).parent
ESTIMATORS = sorted({c.__name__ for c in CLASSES.values() if issubclass(c, BaseEstimator)})
# They learn a background and take a model besides the rows, so that the checks that fit on X and y
# and predict do not apply; those of parameters and attributes do, and are run below.
EXPLAINERS = [ExplainerEnsemble, LimeExplainer, Perturbation, ShapExplainer]


def names_behind(node, definitions, seen):
    """All names that an expression leads to, through what a test module defines."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and child.id not in seen:
            seen.add(child.id)
            if child.id in definitions:
                names_behind(definitions[child.id], definitions, seen)
    return seen


def checked_names(path):
    """Names behind what a test file gives to ``parametrize_with_checks``."""
    tree = ast.parse(path.read_text("utf-8"))
    definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            definitions[node.targets[0].id] = node.value
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "parametrize_with_checks":
            names_behind(node.args[0], definitions, found)
    return found


CHECKED = set().union(*(checked_names(path) for path in TESTS.rglob("test_*.py")))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_scikit_learn_s_checks_are_run(name):
    assert name in CHECKED | {explainer.__name__ for explainer in EXPLAINERS}


def test_no_estimator_hides():
    """What is an estimator and not public is made by another one, and never by a user."""
    pytest.importorskip("torch")  # which some of the modules need at once
    hidden = set()
    for found in pkgutil.walk_packages(skfairprop.__path__, "skfairprop."):
        if found.name.endswith("__main__"):
            continue
        for thing in vars(importlib.import_module(found.name)).values():
            ours = inspect.isclass(thing) and thing.__module__.startswith("skfairprop.")
            if ours and issubclass(thing, BaseEstimator):
                hidden.add(thing.__name__)
    assert hidden - set(ESTIMATORS) <= {
        "DelegatingClassifier",  # a base class
        "FittedSearch",  # a base class
        "FixedPredictions",  # predictions as a model, for a scorer
        "FoldEnsemble",  # the models of a search, as one
        "TableEncoder",  # the columns of a report, for a linear model
        "_Replayed",  # a model whose predictions are kept
    }


# -- explainers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", EXPLAINERS)
@pytest.mark.parametrize(
    "check",
    [
        check_parameters_default_constructible,
        check_no_attributes_set_in_init,
        check_get_params_invariance,
        check_set_params,
    ],
)
def test_parameters_of_an_explainer(cls, check):
    check(cls.__name__, cls())


@pytest.mark.parametrize("cls", EXPLAINERS)
def test_what_an_explainer_learns(cls):
    X = np.random.default_rng(0).normal(size=(20, 3))
    explainer = cls(random_state=0)
    before = explainer.get_params()
    assert explainer.fit(X) is explainer
    assert explainer.get_params() == before
    learned = {name for name in vars(explainer) if name not in before}
    assert all(name.endswith("_") or name.startswith("_") for name in learned)
    assert not vars(clone(explainer)).keys() & learned


# -- a second fit ---------------------------------------------------------------------------------


class Repeating(BaseEstimator):
    """A sampler that does not tell the positions of its rows, as those that make rows do not."""

    def fit_resample(self, X, y):
        return np.repeat(np.asarray(X), 2, axis=0), np.repeat(np.asarray(y), 2)


RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"]).assign(
    sex=RNG.permutation(60) % 2
)
ARRAY = RNG.normal(size=(40, 4))
TEXTS = [f"word{i % 7} word{i % 3}" for i in range(48)]  # rows without columns
LINEAR, OF_TEXTS = LogisticRegression(), make_pipeline(CountVectorizer(), LogisticRegression())
NET = {"n_init": 1, "max_steps": 15, "hidden_layers": (4,), "random_state": 0}
SEARCH = {
    "estimator": LINEAR,
    "param_distributions": {"C": [0.1, 1.0]},
    "objectives": ["accuracy", "balanced_accuracy"],
    "cv": 2,
    "constraints": None,
    "thresholds": None,
    "random_state": 0,
}


def task(X, names="ab"):
    """Classes and groups of these rows, in which every cell has some."""
    rows = np.arange(len(X))
    return np.array(["no", "yes"])[(rows // 2 + rows // 7) % 2], np.array(list(names))[rows % 2]


def fitted(X, method="fit", **options):
    """A fit to X and classes."""
    return lambda estimator: getattr(estimator, method)(X, task(X)[0], **options)


def by_group(X, method="fit", names="ab", **options):
    """A fit to X, classes and groups."""
    return fitted(X, method, sensitive_features=task(X, names)[1], **options)


def of_background(X):
    return lambda explainer: explainer.fit(X)


def samplings(*settings):
    """Both ways to fit a sampler, with each of some settings, to each kind of rows."""
    return [
        (own, by_group(X, method, names))
        for own in settings
        for method in ("fit_resample", "fit")
        for X, names in ((FRAME, "fm"), (ARRAY, "xy"), (TEXTS, "ab"))
    ]


# Of each estimator: settings, and how it is fitted with them.
REFITS = {
    "BENNEstimator": [
        (NET | {"estimator": LINEAR}, fitted(FRAME)),
        (NET | {"estimator": LINEAR, "formulation": "paper"}, fitted(ARRAY)),
        (NET | {"estimator": LINEAR, "features": [0]}, fitted(ARRAY)),
    ],
    "BiasInducer": samplings({"random_state": 0}, {"classes": ["no"], "random_state": 0}),
    "DirectionalClassifier": [
        ({"estimator": LINEAR, "sensitive_features": "sex", "exclude": ["a"]}, fitted(FRAME)),
        ({"estimator": LINEAR}, by_group(ARRAY, sample_weight=np.arange(1.0, 41))),
        ({"estimator": OF_TEXTS}, by_group(TEXTS)),
    ],
    "ExplainerEnsemble": [
        ({"explainers": ["shap", "lime"], "random_state": 0}, of_background(FRAME)),
        ({"explainers": ["shap"], "random_state": 0}, of_background(ARRAY)),
    ],
    "LimeExplainer": [
        ({"random_state": 0}, of_background(FRAME)),
        ({"discretize": False, "random_state": 0}, of_background(ARRAY)),
    ],
    "NetworkClassifier": [
        ({"max_epochs": 2, "random_state": 0}, fitted(FRAME)),
        ({"max_epochs": 1, "dropout": 0.5, "random_state": 0}, fitted(ARRAY)),
    ],
    "Perturbation": [
        ({"random_state": 0}, of_background(FRAME.astype({"sex": str}))),
        ({"categorical_features": [0], "random_state": 0}, of_background(ARRAY)),
    ],
    "ResampledClassifier": [
        ({"estimator": LINEAR, "sampler": RowReplicator(random_state=0)}, by_group(FRAME)),
        ({"estimator": LINEAR, "sampler": Repeating()}, fitted(ARRAY)),
        ({"estimator": OF_TEXTS, "sampler": "passthrough"}, fitted(TEXTS)),
    ],
    "ReweightedClassifier": [
        ({"estimator": LINEAR, "sensitive_features": "sex", "strength": 0.5}, fitted(FRAME)),
        ({"estimator": LINEAR}, by_group(ARRAY, sample_weight=np.arange(1.0, 41))),
        ({"estimator": OF_TEXTS, "reweighter": Reweighter(clip=2)}, by_group(TEXTS)),
    ],
    "Reweighter": [
        ({"sensitive_features": "sex"}, fitted(FRAME)),
        ({"method": "replication", "pos_label": "yes"}, by_group(ARRAY)),
        ({"empty_cells": "smooth"}, by_group(TEXTS)),
    ],
    "RowReplicator": samplings(
        {"random_state": 0}, {"reweighter": Reweighter(clip=2), "random_state": 0}
    ),
    "ShapExplainer": [
        ({"random_state": 0}, of_background(FRAME)),
        ({"n_background": 5, "max_exact_features": 1, "random_state": 0}, of_background(ARRAY)),
    ],
    "UEFSearchCV": [
        (SEARCH | {"test_size": 0.5}, fitted(FRAME)),
        (SEARCH | {"refit": False}, fitted(ARRAY)),
        (SEARCH | {"refit": "ensemble", "thresholds": 3, "pooled": True}, fitted(ARRAY)),
    ],
}
TIMES = ("refit_time_",)


def assert_same(found, expected):
    """Equal where that is cheap to tell, and else of one type."""
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    elif isinstance(expected, str | float | int | list | GroupCounts):
        assert repr(found) == repr(expected)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.filterwarnings("ignore:LogisticRegression|lbfgs|UEFSearchCV|BENNEstimator|.*threshold")
def test_a_second_fit_is_as_a_first_one(name):
    """Nothing that an earlier fit learned, with other settings or of other rows, is left."""
    if name in ("BENNEstimator", "NetworkClassifier"):
        pytest.importorskip("skorch")
    cls = next(c for c in CLASSES.values() if c.__name__ == name)
    for settings, fit in REFITS[name]:
        fresh = cls(**settings)
        names = set(fresh.get_params(deep=False))
        fit(fresh)
        for other, fit_before in REFITS[name]:
            if fit_before is fit:
                continue
            again = cls(**other)
            fit_before(again)
            fit(again.set_params(**cls(**settings).get_params(deep=False)))
            assert vars(again).keys() == vars(fresh).keys(), (other, settings)
            for learned in vars(fresh).keys() - names - set(TIMES):
                assert_same(getattr(again, learned), getattr(fresh, learned))
