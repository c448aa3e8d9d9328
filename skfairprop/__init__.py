"""Follow bias from the data through the model to its explanations, with scikit-learn objects."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from skfairprop.benn import BENNEstimator, BENNScorer
    from skfairprop.counts import GroupCounts
    from skfairprop.meta import ResampledClassifier, ReweightedClassifier
    from skfairprop.metrics import explanation_stability, mesd
    from skfairprop.model_selection import UEFSearchCV, bias_propagation
    from skfairprop.preprocessing import BiasInducer, Reweighter
    from skfairprop.report import FairnessReport, fairness_report
    from skfairprop.scorers import (
        FairnessScorer,
        MESDScorer,
        get_scorer,
        get_scorer_names,
        get_scorers,
        make_fairness_scorer,
    )

# Imported when first used: a mistake on the command line is answered before pandas is loaded.
_HOMES = {
    "BENNEstimator": "skfairprop.benn",
    "BENNScorer": "skfairprop.benn",
    "BiasInducer": "skfairprop.preprocessing",
    "FairnessReport": "skfairprop.report",
    "FairnessScorer": "skfairprop.scorers",
    "GroupCounts": "skfairprop.counts",
    "MESDScorer": "skfairprop.scorers",
    "ResampledClassifier": "skfairprop.meta",
    "ReweightedClassifier": "skfairprop.meta",
    "Reweighter": "skfairprop.preprocessing",
    "UEFSearchCV": "skfairprop.model_selection",
    "bias_propagation": "skfairprop.model_selection",
    "explanation_stability": "skfairprop.metrics",
    "fairness_report": "skfairprop.report",
    "get_scorer": "skfairprop.scorers",
    "get_scorer_names": "skfairprop.scorers",
    "get_scorers": "skfairprop.scorers",
    "make_fairness_scorer": "skfairprop.scorers",
    "mesd": "skfairprop.metrics",
}

__all__ = [
    "BENNEstimator",
    "BENNScorer",
    "BiasInducer",
    "FairnessReport",
    "FairnessScorer",
    "GroupCounts",
    "MESDScorer",
    "ResampledClassifier",
    "ReweightedClassifier",
    "Reweighter",
    "UEFSearchCV",
    "bias_propagation",
    "explanation_stability",
    "fairness_report",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_fairness_scorer",
    "mesd",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
