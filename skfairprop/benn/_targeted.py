"""The targeted formulation: tables of responses, one network over all of them, slices."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._progress import Progress
from skfairprop.benn._cells import Cells
from skfairprop.benn._effects import Block, Plan, Responses, n_asks, plan_block, tabulate
from skfairprop.benn._encoding import Encoding
from skfairprop.benn._examined import ASKED_AGAIN, Examined
from skfairprop.benn._features import OWNER
from skfairprop.benn._slices import Slice, worst_slice
from skfairprop.groups import label_text

EFFECTS = ("total", "direct", "null")
COLUMNS = (
    *("estimate", "sd", "mean", "change", "null", "direct", "total"),
    *("flip_any", "flip_mean", "flip_best", "slice", "slice_rows", "proxies"),
)
_FEWEST_ROWS = 30


@dataclass(frozen=True)
class Question:
    """What is asked, apart from how the network is trained; see ``BENNEstimator``."""

    effect: str
    max_values: int
    n_draws: int
    proxy_threshold: float
    min_slice_size: int
    max_queries: int
    verbose: bool = False


@dataclass
class Found:
    """What a formulation finds about J features and n rows.

    Attributes
    ----------
    table : DataFrame
        One row a feature, and the columns of ``summary()``.
    rows : integer array
        Positions of the rows that were asked about.
    proxies, curve : DataFrame
    generator : Module or None
    encoding : Encoding
    center : ndarray
        Subtracted from what the network reads.
    outputs : list
        For each feature the positions of its outputs of the network; none where it needs none.
    constant : bool ndarray of shape (J,)
        Features of one value.
    is_constant : bool
        Whether the model said the same of all rows, changed or not.
    n_classes : int
        Classes that the network was told of.
    n_steps : int
    """

    table: pd.DataFrame
    rows: np.ndarray
    curve: pd.DataFrame
    generator: Any
    encoding: Encoding
    center: np.ndarray
    outputs: list[list[int]]
    constant: np.ndarray
    is_constant: bool
    n_classes: int = 0
    proxies: pd.DataFrame = field(default_factory=pd.DataFrame)
    n_steps: int = 0


def find_targeted(
    examined: Examined,
    Z: np.ndarray,
    blocks: Sequence[Block],
    names: Sequence[Any],
    question: Question,
    settings: Any,
    rng: np.random.Generator,
) -> Found:
    """Tabulate the responses, train on them and summarise."""
    rows, plans = _plan_rows(Z, examined, blocks, question, rng)
    Z = Z[rows]
    base = examined.ask(Z)
    examined.check_steady(Z, base)
    n_classes = len(examined.classes)  # a change may bring others
    total = sum(n_asks(plan, *Z.shape) for plan in plans)
    progress = Progress(f"{OWNER} asks", total, unit="questions", verbose=question.verbose)
    responses = [tabulate(examined, Z, base, plan, rng, progress.step) for plan in plans]
    encoding = Encoding(Z, examined.table)
    inputs = network_inputs(encoding, examined, Z, base, n_classes)
    center = inputs.mean(axis=0)
    learnt = _Learnt(responses, inputs - center, settings)
    classes = predicted_classes(examined, base)
    records = [
        _record(plan, responses[j], learnt.of(j), classes, question, names)
        | {"change": np.nan if plan.is_constant else learnt.change(j, question.effect)}
        for j, plan in enumerate(plans)
    ]
    return Found(
        table=pd.DataFrame(records, index=feature_index(blocks))[list(COLUMNS)],
        rows=rows,
        curve=pd.DataFrame([] if learnt.trained is None else learnt.trained.curve),
        generator=None if learnt.trained is None else learnt.trained.generator,
        encoding=encoding,
        center=center,
        outputs=[learnt.places(j, question.effect) for j in range(len(plans))],
        constant=np.array([plan.is_constant for plan in plans]),
        is_constant=learnt.trained is None and bool((base == base[0]).all()),
        n_classes=n_classes,
        proxies=_proxies(plans, names),
        n_steps=0 if learnt.trained is None else learnt.trained.n_steps,
    )


class _Learnt:
    """What one network says of all tables in which something responds; of others 0 is exact.

    Parameters
    ----------
    responses : sequence of Responses
    inputs : ndarray of shape (n, d)
    settings : Settings
    """

    def __init__(self, responses: Sequence[Responses], inputs: np.ndarray, settings: Any) -> None:
        tables = {
            (j, effect): getattr(one, effect)
            for j, one in enumerate(responses)
            for effect in EFFECTS
            if getattr(one, effect).any()
        }
        self.trained: Any = None
        self.nothing = np.zeros((settings.n_init, len(inputs)), dtype=np.float32)
        self.place = {key: i for i, key in enumerate(tables)}
        if tables:
            from skfairprop.benn._training import train_targeted

            self.trained = train_targeted(inputs, list(tables.values()), settings)

    def of(self, j: int) -> dict[str, np.ndarray]:
        """|b| of a feature by effect, each of shape (n_init, n)."""
        return {
            effect: self.trained.intensity[..., self.place[j, effect]]
            if (j, effect) in self.place
            else self.nothing
            for effect in EFFECTS
        }

    def change(self, j: int, effect: str) -> float:
        """Mean expected change of the output."""
        if (j, effect) not in self.place:
            return 0.0
        return float(self.trained.change[..., self.place[j, effect]].mean())

    def places(self, j: int, effect: str) -> list[int]:
        """Positions of a feature among the outputs of the network: one, or none."""
        return [self.place[j, effect]] if (j, effect) in self.place else []


def network_inputs(
    encoding: Encoding, examined: Examined, Z: np.ndarray, base: np.ndarray, n_classes: int
) -> np.ndarray:
    """What the generator reads: the row, and what the model says of it."""
    outputs = examined.features_of(base, n_classes)
    return np.concatenate([encoding.inputs(Z), outputs], axis=1)


def predicted_classes(examined: Examined, base: np.ndarray) -> Cells:
    """Predicted class of every row; the largest score where the model gives scores."""
    if base.ndim == 2:
        known = examined.classes or list(range(base.shape[1]))
        return Cells(base.argmax(axis=1), [label_text(label) for label in known])
    return Cells(base, [label_text(label) for label in examined.classes])


def _plan(Z: np.ndarray, examined: Examined, block: Block, question: Question) -> Plan:
    return plan_block(
        Z,
        examined.table,
        block,
        min_rows=question.min_slice_size,
        max_values=question.max_values,
        n_draws=question.n_draws,
        z_min=question.proxy_threshold,
    )


def _plan_rows(
    Z: np.ndarray,
    examined: Examined,
    blocks: Sequence[Block],
    question: Question,
    rng: np.random.Generator,
) -> tuple[np.ndarray, list[Plan]]:
    """As many rows as the questions allow, drawn without replacement, and what is asked of them."""
    rows = np.arange(len(Z))
    while True:
        plans = [_plan(Z[rows], examined, block, question) for block in blocks]
        each = 1 + sum(plan.n_queries for plan in plans)
        size = max(0, question.max_queries - ASKED_AGAIN) // each
        fewest = min(len(Z), _FEWEST_ROWS)
        if size < fewest:
            raise ValueError(
                f"{OWNER}: max_queries={question.max_queries:,} allows {size:,} rows at {each:,} "
                f"questions each, and {fewest} are needed; raise it to at least "
                f"{fewest * each + ASKED_AGAIN:,}, or examine fewer features"
            )
        if size >= len(rows):
            _warn_of_part(len(rows), len(Z), question, each)
            return rows, plans
        rows = np.sort(rng.choice(rows, size, replace=False))  # whose groups are others


def _warn_of_part(n_examined: int, n: int, question: Question, each: int) -> None:
    if n_examined < n:
        warnings.warn(
            f"{OWNER}: max_queries={question.max_queries:,} allows {n_examined:,} of {n:,} rows, "
            "drawn at random (row_indices_), and rare groups may be pooled; to examine all raise "
            f"it to about {n * each + ASKED_AGAIN:,}, or examine fewer features",
            UserWarning,
            stacklevel=5,
        )


def _record(
    plan: Plan,
    responses: Responses,
    intensity: dict[str, np.ndarray],
    classes: Cells,
    question: Question,
    names: Sequence[Any],
) -> dict[str, Any]:
    """One row of the summary."""

    def worst(effect: str) -> Slice:
        mean = intensity[effect].mean(axis=0)
        return worst_slice(
            mean, classes, plan.groups, label_text(plan.block.name), question.min_slice_size
        )

    table = getattr(responses, question.effect)
    headline = worst(question.effect)
    record = {
        "estimate": headline.value,
        "sd": float(intensity[question.effect][:, headline.rows].mean(axis=1).std(ddof=0)),
        "mean": float(intensity[question.effect].mean()),
        "null": worst("null").value,
        "direct": worst("direct").value,
        "total": worst("total").value,
        "flip_any": float(table.max(axis=1).mean()),
        "flip_mean": float(table.mean()),
        "flip_best": float(table.mean(axis=0).max()),
        "slice": headline.name,
        "slice_rows": int(np.count_nonzero(headline.rows)),
        "proxies": ", ".join(label_text(names[j]) for j in plan.proxies["column"]),
    }
    if plan.is_constant:
        numbers = [key for key, value in record.items() if isinstance(value, float)]
        record |= dict.fromkeys(numbers, np.nan)
    return record


def _proxies(plans: Sequence[Plan], names: Sequence[Any]) -> pd.DataFrame:
    found = [
        {"feature": plan.block.name, "proxy": names[int(row.column)], "cramers_v": row.cramers_v,
         "z": row.z}
        for plan in plans
        for row in plan.proxies.itertuples()
    ]  # fmt: skip
    return pd.DataFrame(found, columns=["feature", "proxy", "cramers_v", "z"])


def feature_index(blocks: Sequence[Block]) -> pd.Index:
    """Names of the features."""
    return pd.Index([block.name for block in blocks], name="feature", tupleize_cols=False)
