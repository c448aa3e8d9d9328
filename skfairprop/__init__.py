"""Follow bias from the data through the model to its explanations, with scikit-learn objects."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from skfairprop.counts import GroupCounts
    from skfairprop.report import FairnessReport, fairness_report
    from skfairprop.scorers import (
        FairnessScorer,
        get_scorer,
        get_scorer_names,
        get_scorers,
        make_fairness_scorer,
    )

# Imported when first used: a mistake on the command line is answered before pandas is loaded.
_EXPORTS = {
    "FairnessReport": "skfairprop.report",
    "FairnessScorer": "skfairprop.scorers",
    "GroupCounts": "skfairprop.counts",
    "fairness_report": "skfairprop.report",
    "get_scorer": "skfairprop.scorers",
    "get_scorer_names": "skfairprop.scorers",
    "get_scorers": "skfairprop.scorers",
    "make_fairness_scorer": "skfairprop.scorers",
}

__all__ = [
    "FairnessReport",
    "FairnessScorer",
    "GroupCounts",
    "fairness_report",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_fairness_scorer",
]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_EXPORTS])
