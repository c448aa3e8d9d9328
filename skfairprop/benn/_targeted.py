"""The targeted formulation: tables of responses, one network over all of them, slices."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from skfairprop.benn._cells import Cells
from skfairprop.benn._effects import Block, Plan, Responses, plan_block, tabulate
from skfairprop.benn._encoding import Encoding
from skfairprop.benn._examined import Examined
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
    n_steps : int
    groups : list of Cells
        Of the rows, by feature.
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
    proxies: pd.DataFrame = field(default_factory=pd.DataFrame)
    n_steps: int = 0
    groups: list[Cells] = field(default_factory=list)


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
    plans = [_plan(Z, examined, block, question) for block in blocks]
    rows = _rows(len(Z), plans, question, rng)
    Z, plans = Z[rows], [plan.take(rows) for plan in plans]
    base = examined.ask(Z)
    n_classes = len(examined.classes)
    responses = [tabulate(examined, Z, base, plan, rng) for plan in plans]
    encoding = Encoding(Z, examined.table)
    inputs = network_inputs(encoding, examined, Z, base, n_classes)
    center = inputs.mean(axis=0)
    tables = {
        (j, effect): getattr(one, effect)
        for j, one in enumerate(responses)
        for effect in EFFECTS
        if getattr(one, effect).any()  # where nothing responds, 0 is the optimum and exact
    }
    trained = None
    if tables:
        from skfairprop.benn._training import train_targeted

        trained = train_targeted(inputs - center, list(tables.values()), settings)
    place = {key: i for i, key in enumerate(tables)}
    intensity = {
        (j, effect): trained.intensity[..., place[j, effect]]
        if trained is not None and (j, effect) in place
        else np.zeros((settings.n_init, len(Z)), dtype=np.float32)
        for j in range(len(plans))
        for effect in EFFECTS
    }
    changes = [
        float(trained.change[..., place[j, question.effect]].mean())
        if trained is not None and (j, question.effect) in place
        else (np.nan if plan.is_constant else 0.0)
        for j, plan in enumerate(plans)
    ]
    classes = predicted_classes(examined, base)
    records = [
        _record(plan, one, {e: intensity[j, e] for e in EFFECTS}, classes, question, names)
        | {"change": changes[j]}
        for j, (plan, one) in enumerate(zip(plans, responses, strict=True))
    ]
    return Found(
        table=pd.DataFrame(records, index=feature_index(blocks))[list(COLUMNS)],
        rows=rows,
        curve=pd.DataFrame(trained.curve if trained is not None else []),
        generator=None if trained is None else trained.generator,
        encoding=encoding,
        center=center,
        outputs=[
            [place[j, question.effect]] if (j, question.effect) in place else []
            for j in range(len(plans))
        ],
        constant=np.array([plan.is_constant for plan in plans]),
        is_constant=not tables and bool((base == base[0]).all()),
        proxies=_proxies(plans, names),
        n_steps=0 if trained is None else trained.n_steps,
        groups=[plan.groups for plan in plans],
    )


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


def _rows(
    n: int, plans: Sequence[Plan], question: Question, rng: np.random.Generator
) -> np.ndarray:
    """Positions of as many rows as the questions allow, drawn without replacement."""
    each = 1 + sum(plan.n_queries for plan in plans)
    size = min(n, question.max_queries // each)
    fewest = min(n, _FEWEST_ROWS)
    if size < fewest:
        raise ValueError(
            f"{OWNER}: max_queries={question.max_queries:,} allows {size:,} rows at {each:,} "
            f"questions each, and {fewest} are needed; raise it to at least {fewest * each:,}, or "
            "examine fewer features"
        )
    return np.arange(n) if size == n else np.sort(rng.choice(n, size, replace=False))


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
