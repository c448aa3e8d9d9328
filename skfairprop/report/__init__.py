"""Reports on the bias of a model or a data set, and the checks that read them."""

from skfairprop.report._before_after import BeforeAfter
from skfairprop.report._drivers import Drivers, ScoreParts
from skfairprop.report._estimations import Estimations
from skfairprop.report._explanations import Explanations
from skfairprop.report._fairness_report import fairness_report
from skfairprop.report._report import FairnessReport
from skfairprop.report._rules import Check, Rule, RuleError, parse_rule, run_check
from skfairprop.report._source import Section, Source
from skfairprop.report._view import Settings, View

__all__ = [
    "BeforeAfter",
    "Check",
    "Drivers",
    "Estimations",
    "Explanations",
    "FairnessReport",
    "Rule",
    "RuleError",
    "ScoreParts",
    "Section",
    "Settings",
    "Source",
    "View",
    "fairness_report",
    "parse_rule",
    "run_check",
]
