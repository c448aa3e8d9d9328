"""Metrics of bias in the objectives of AutoML tools, and search spaces of our estimators."""

from skfairprop.automl._autogluon import autogluon_scorer
from skfairprop.automl._flaml import flaml_metric
from skfairprop.automl._mljar import mljar_metric
from skfairprop.automl._optuna import optuna_objective
from skfairprop.automl._spaces import optuna_space, search_space, tpot_space

__all__ = [
    "autogluon_scorer",
    "flaml_metric",
    "mljar_metric",
    "optuna_objective",
    "optuna_space",
    "search_space",
    "tpot_space",
]
