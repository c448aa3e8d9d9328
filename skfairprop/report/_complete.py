"""What a report says besides its counts: what drives the gaps, reweighting, explanations, BENN."""

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from skfairprop._random import as_generator
from skfairprop._rows import count_rows, take_rows
from skfairprop.report._before_after import before_and_after
from skfairprop.report._drivers import (
    Drivers,
    ScoreParts,
    associations,
    gap_measure,
    refit_without,
    row_codes,
    score_parts,
)
from skfairprop.report._estimations import N_ROWS as N_EXAMINED
from skfairprop.report._estimations import Estimations, estimate_features
from skfairprop.report._explanations import Explanations, explain_groups
from skfairprop.report._findings import Findings
from skfairprop.report._model import CrossFitted, Examined, Model, Rows
from skfairprop.report._rates import positive_label
from skfairprop.report._standard import CrossFit


@dataclass(frozen=True)
class Wanted:
    """What is asked for besides; a model that stays as it is cannot be refitted or reweighted."""

    refit: bool = True
    reweight: bool = False
    explain: bool = False
    benn: bool = False


def complete(
    report: Findings,
    rows: Rows,
    predicted: Any,
    model: Model | None,
    wanted: Wanted,
    *,
    others: pd.DataFrame | None,
    seen: Sequence[Hashable],
    step: Callable[[str], AbstractContextManager] = lambda part: nullcontext(),
) -> None:
    """Add to a report on counts what its rows and its model have to say.

    Parameters
    ----------
    report : Findings
        Of the counts of `rows` and `predicted`; it is changed.
    rows : Rows
    predicted : array-like of shape (n,), or None
    model : Model or None
        What made the predictions, as far as there is something to ask.
    wanted : Wanted
    others : DataFrame of n rows, or None
        The columns besides the protected ones; None: they are not known.
    seen : sequence
        The protected columns that the model sees.
    step : callable
        Gets the name of what takes time, "reweight", "explain" or "benn", and gives what it is to
        be done within.
    """
    codes = row_codes(report.counts, rows.groups, rows.missing)
    fits = model if isinstance(model, CrossFitted) else None
    if others is not None:
        report.drivers = _drivers(report, rows, fits, codes, others, seen if wanted.refit else [])
    if fits is not None and wanted.reweight:
        with step("reweight"):
            report.before_after = before_and_after(
                report.views[0],
                report.settings,
                rows.y,
                predicted,
                # rows with a missing protected value are a group of their own to the model, too
                fits.reweighted(codes),
                rows=rows.given,
                pos_label=report.pos_label,
            )
    if model is not None and (wanted.explain or wanted.benn):
        of = model.examined(rows.groups)
        if wanted.explain:
            with step("explain"):
                report.explanations = _explained(report, rows, of)
        if wanted.benn:
            with step("benn"):
                report.estimations = _estimated(report, rows, of, seen)


def _drivers(
    report: Findings,
    rows: Rows,
    fits: CrossFitted | None,
    codes: np.ndarray,
    others: pd.DataFrame,
    left_out: Sequence[Hashable],
) -> Drivers:
    """How the other columns follow the groups; refits without protected columns, and parts."""
    found = Drivers(associations=associations(others, codes, report.counts.n_groups))
    if fits is None:
        return found
    if left_out:
        measure = gap_measure(report.views[0].metrics.index)
        refits = refit_without(
            fits.without, left_out, report.counts, rows.count, measure, report.pos_label
        )
        found = replace(found, refits=refits, measure=measure)
    return replace(found, parts=_parts(report, fits, codes))


def _parts(report: Findings, fits: CrossFitted, codes: np.ndarray) -> ScoreParts | None:
    """Of a standard model, between the groups with the highest and the lowest share of positives.

    Of any other classifier it is not known how its columns make up its score.
    """
    if not isinstance(fits, CrossFit) or report.counts.n_classes != 2:
        return None
    selected = report.by_group["selection_rate"].to_numpy(float)
    if np.isnan(selected).any():
        return None
    pair = (int(selected.argmax()), int(selected.argmin()))
    positive = positive_label(report.counts, report.pos_label)
    texts, level = report.counts.group_texts, report.settings.confidence
    return score_parts(fits, codes, texts, pair, positive, level)


def _explained(report: Findings, rows: Rows, of: Examined) -> Explanations:
    return explain_groups(
        of.model,
        of.X,
        take_rows(rows.y, of.rows),
        sensitive_features=rows.groups.iloc[of.rows],
        missing=rows.missing,
        settings=report.settings,
        what=of.what,
    )


def _estimated(
    report: Findings, rows: Rows, of: Examined, features: Sequence[Hashable]
) -> Estimations:
    rng = as_generator(report.settings.random_state)
    # not the first ones: tables may be sorted
    few = np.sort(rng.permutation(count_rows(of.X))[:N_EXAMINED])
    return estimate_features(
        of.model,
        take_rows(of.X, few),
        take_rows(rows.y, of.rows[few]),
        features=features,
        groups=rows.groups.iloc[of.rows[few]],
        pos_label=report.pos_label,
        settings=report.settings,
        what=of.what,
    )
