"""Every estimator of the package goes through scikit-learn's checks, where its own tests lie."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import (
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

import skfairprop
from skfairprop.explain import ExplainerEnsemble, LimeExplainer, Perturbation, ShapExplainer
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
