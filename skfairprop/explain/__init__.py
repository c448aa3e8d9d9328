"""Attributions in batches: SHAP, LIME, their ensembles, and perturbed rows to compare them on."""

from ._ensemble import ExplainerEnsemble
from ._explanation import Explanation
from ._lime import LimeExplainer
from ._model import Model
from ._perturbation import Perturbation
from ._shap import ShapExplainer

__all__ = [
    "ExplainerEnsemble",
    "Explanation",
    "LimeExplainer",
    "Model",
    "Perturbation",
    "ShapExplainer",
]
