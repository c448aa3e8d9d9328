"""What to audit, and how."""

from collections.abc import Sequence
from dataclasses import dataclass

from skfairprop.report._rules import Rule


@dataclass(frozen=True)
class AuditOptions:
    """What to audit, as the command's flags say it; see ``skfairprop audit --help``."""

    table: str | None = None
    target: str | None = None
    sensitive: Sequence[str] = ()
    pos_label: str | None = None
    pred: str | None = None
    model: str | None = None
    trust: Sequence[str] = ()
    estimator: str | None = None
    refit: bool = True
    reweight: bool = False
    explain: bool = False
    benn: bool = False
    weight: str | None = None
    sep: str = ","
    encoding: str = "utf-8"
    cv: int = 5
    seed: int = 0
    bootstrap: int = 1000
    min_count: int = 50
    max_groups: int = 200
    confidence: float = 0.95
    missing: str = "raise"
    rules: Sequence[Rule] = ()
    command: str | None = None
    made: str | None = None
