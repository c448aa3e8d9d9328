"""Which measures a report leads with, and what they are called for people."""

from collections.abc import Container

from skfairprop.metrics import METRICS

BINARY_MEASURES = (
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equal_opportunity_difference",
    "false_positive_rate_difference",
    "equalized_odds_difference",
    "precision_difference",
    "accuracy_difference",
    "overall_disparity",
    "combined_error_variance",
)
CLASS_MEASURES = (
    "accuracy_difference",
    "term_by_term_equalized_odds",
    "classwise_equalized_odds",
    "equal_opportunity",
    "demographic_parity",
    "overall_disparity",
    "combined_error_variance",
    "symmetric_distance_error",
)
DATA_MEASURES = (
    "ens_bias",
    "dsap_representational_bias",
    "shannon_evenness_bias",
    "cramers_v",
    "dsap_stereotypical_bias",
)
FAMILIES = {
    "dataset": "the data set",
    "classical": "gaps of one positive class",
    "disparity": "gaps over all classes",
    "amplification": "from data to model",
    "estimation": "estimations of hidden bias",
    "procedural": "explanations",
}
_ACRONYMS = {
    "dsap": "DSAP",
    "ens": "ENS",
    "v": "V",
    "cramers": "Cramer's",
    "lr": "LR",
    "mals": "MALS",
    "fpr": "FPR",
    "fnr": "FNR",
    "ppv": "PPV",
    "npv": "NPV",
    "mesd": "MESD",
}
# What a value means, where the formula of the registry is for experts; {c} is the positive class.
_WORDS = {
    "demographic_parity_difference": "largest gap between groups in the share predicted {c}",
    "demographic_parity_ratio": "smallest share predicted {c}, divided by the largest",
    "equal_opportunity_difference": "largest gap in how many of the true {c} are found",
    "false_positive_rate_difference": "largest gap in how many of the others are predicted {c}",
    "equalized_odds_difference": "the larger of the two gaps above",
    "precision_difference": "largest gap in how many of those predicted {c} are",
    "accuracy_difference": "largest gap in the share of right predictions",
    "overall_disparity": "mean shortfall in recall from the best group, over classes and groups",
    "combined_error_variance": "how unevenly the groups' error rates change over the classes",
    "term_by_term_equalized_odds": "mean gap over all pairs of true and predicted class",
    "classwise_equalized_odds": "half the mean gap in recall, half that in the kinds of error",
    "equal_opportunity": "mean over the classes of the gap in recall",
    "demographic_parity": "mean over the classes of the gap in class-balanced predictions",
    "symmetric_distance_error": "how unlike the groups' false positives and negatives change",
    "cramers_v": "association of group and class: 0 none, 1 full",
    "dsap_stereotypical_bias": "how unlike the groups are represented in the classes",
    "ens_bias": "number of groups minus the effective number of groups",
    "dsap_representational_bias": "share of the rows that even group sizes would move",
    "directional_predictability_amplification": "how much better the group tells the prediction "
    "than it tells the true class",
    "directional_bias_amplification": "how far predictions move the way that each group's labels "
    "already lean",
    "mals_bias_amplification": "how much more the predicted classes are over-represented in "
    "their groups",
    "multi_attribute_bias_amplification": "mean size of the change from labels to predictions, "
    "over groups and classes",
    "differential_fairness_bias_amplification": "growth of the largest log ratio of two groups' "
    "shares of a class",
    "leakage_amplification": "how much better the prediction tells the group than the true class "
    "does",
    "shannon_evenness_bias": "0: all groups of one size; 1: one group alone",
}


def main_measures(known: Container[str], *, predicted: bool) -> tuple[str, ...]:
    """The measures that a report leads with, among those it has."""
    names: tuple[str, ...] = BINARY_MEASURES if BINARY_MEASURES[0] in known else CLASS_MEASURES
    if not predicted:
        names = DATA_MEASURES
    return tuple(n for n in names if n in known)


def measure_title(name: str) -> str:
    """A metric's name for people: "Demographic parity difference"."""
    base, _, of = name.partition("[")
    words = [_ACRONYMS.get(w, w) for w in base.split("_")]
    text = " ".join(words)
    text = text[0].upper() + text[1:]
    return f"{text} (predictions)" if of else text


def measure_words(name: str, positive: str) -> str:
    """What a metric measures, in some words; `positive` names the positive class."""
    base = name.partition("[")[0]
    if base in _WORDS:
        return _WORDS[base].format(c=positive)
    return METRICS[base].formula
