"""Search for models and study them: how bias of the data propagates into a model."""

from skfairprop.model_selection._propagation import bias_propagation
from skfairprop.model_selection._propagation_result import PropagationResult
from skfairprop.model_selection._uef import UEFSearchCV

__all__ = ["PropagationResult", "UEFSearchCV", "bias_propagation"]
