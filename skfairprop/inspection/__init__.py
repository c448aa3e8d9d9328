"""Displays: pictures of rates, gaps, tables and curves, with how sure of them one can be.

``plot``, and whatever calls it, draws on ``ax`` or a new figure. It takes no style keywords: a
picture has lines, markers, cells and texts, and none would be for all of them. Change the artists
of ``ax_`` or ``axes_`` after it was drawn, as in ``display.ax_.set_title("Recall")``.
"""

from skfairprop.inspection._amplification import AmplificationDisplay
from skfairprop.inspection._benn import (
    BENNLearningCurveDisplay,
    DirectTotalDisplay,
    MitigationDisplay,
)
from skfairprop.inspection._correlation import CorrelationDisplay
from skfairprop.inspection._estimator_matrix import EstimatorMatrixDisplay
from skfairprop.inspection._explanation_stability import ExplanationStabilityDisplay
from skfairprop.inspection._gap_null import GapNullDisplay
from skfairprop.inspection._group_confusion import GroupConfusionDisplay
from skfairprop.inspection._group_curve import GroupCurveDisplay
from skfairprop.inspection._group_rates import GroupRatesDisplay
from skfairprop.inspection._hypervolume import HypervolumeDisplay
from skfairprop.inspection._induction_curve import InductionCurveDisplay
from skfairprop.inspection._pair_gap import PairGapDisplay
from skfairprop.inspection._parallel import ParallelCoordinatesDisplay
from skfairprop.inspection._pareto import ParetoDisplay
from skfairprop.inspection._propagation import PropagationDisplay
from skfairprop.inspection._representation import RepresentationDisplay

__all__ = [
    "AmplificationDisplay",
    "BENNLearningCurveDisplay",
    "CorrelationDisplay",
    "DirectTotalDisplay",
    "EstimatorMatrixDisplay",
    "ExplanationStabilityDisplay",
    "GapNullDisplay",
    "GroupConfusionDisplay",
    "GroupCurveDisplay",
    "GroupRatesDisplay",
    "HypervolumeDisplay",
    "InductionCurveDisplay",
    "MitigationDisplay",
    "PairGapDisplay",
    "ParallelCoordinatesDisplay",
    "ParetoDisplay",
    "PropagationDisplay",
    "RepresentationDisplay",
]
