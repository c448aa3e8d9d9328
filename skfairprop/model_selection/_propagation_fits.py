"""One fit of a propagation study: induce, train, predict, count."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from skfairprop._columns import factorize
from skfairprop._metadata import takes_sensitive_features
from skfairprop._random import draw_seed
from skfairprop._rows import take_rows
from skfairprop.counts import GroupCounts
from skfairprop.model_selection._propagation_data import OWNER, Part
from skfairprop.preprocessing import BiasInducer


@dataclass(frozen=True)
class Fit:
    """Which fit of the study: experiment, factor and number of the repeat, with its seeds."""

    experiment: str
    f: float
    repeat: int
    inducer_seed: int
    estimator_seed: int

    @property
    def key(self) -> tuple[str, float, int]:
        """What the fit is known by in a checkpoint."""
        return self.experiment, self.f, self.repeat


def list_fits(
    experiments: Sequence[str], factors: Sequence[float], n_repeats: int, seed: int
) -> list[Fit]:
    """All fits in their order; the seeds of one do not depend on the others."""
    fits = []
    for e, experiment in enumerate(experiments):
        for i, f in enumerate(factors):
            for repeat in range(n_repeats):
                seeds = np.random.SeedSequence([seed, e, i, repeat]).generate_state(2) >> 1
                fits.append(Fit(experiment, float(f), repeat, int(seeds[0]), int(seeds[1])))
    return fits


def with_factor(inducer: Any, f: float) -> Any:
    """A clone of the inducer with this factor, which multiplies those of single classes."""
    out = clone(inducer)
    if "f" not in out.get_params(deep=False):
        raise ValueError(f"{OWNER}: {type(inducer).__name__} has no parameter f to vary")
    template = out.f
    if isinstance(template, Mapping):
        return out.set_params(f={label: sign * f for label, sign in template.items()})
    return out.set_params(f=f)


def resample(inducer: Any, part: Part) -> tuple[Any, Any, np.ndarray]:
    """New rows, classes, and the positions they come from."""
    if type(inducer) is BiasInducer:  # the cells are coded once, not in every fit
        drawn = inducer._draw_rows(part.cells)
        return take_rows(part.X, drawn), take_rows(part.y, drawn), drawn
    groups = {}
    if takes_sensitive_features(inducer.fit_resample):
        groups["sensitive_features"] = part.people
    X, y = inducer.fit_resample(part.X, part.y, **groups)
    rows = getattr(inducer, "sample_indices_", None)
    if rows is None:
        raise ValueError(
            f"{OWNER}: {type(inducer).__name__} has no sample_indices_, so the groups of its rows "
            "are not known"
        )
    return X, y, rows


def run_fit(
    fit: Fit, estimator: Any, inducer: Any, train: Part, test: Part, scorer: Any
) -> dict[str, Any]:
    """Induce, train, predict and count; what comes back can be stored as JSON."""
    try:
        return _run_fit(fit, estimator, inducer, train, test, scorer)
    except Exception as exc:
        exc.add_note(
            f"{OWNER}: experiment {fit.experiment!r}, f={fit.f:g}, repeat {fit.repeat}; finished "
            "fits are in the checkpoint, if there is one"
        )
        raise


def _run_fit(fit, estimator: Any, inducer, train, test, scorer) -> dict[str, Any]:
    inducer = with_factor(inducer, fit.f)
    if "random_state" in inducer.get_params(deep=False):
        inducer.set_params(random_state=fit.inducer_seed)
    X, y, rows = resample(inducer, train)
    estimator = _seeded(clone(estimator), fit.estimator_seed)
    start = time.perf_counter()
    estimator.fit(X, y)
    fitted = time.perf_counter()
    predicted = np.asarray(estimator.predict(test.X))
    scores = scorer(estimator, test.X, test.y) if scorer is not None else {}
    done = time.perf_counter()
    return {
        "experiment": fit.experiment,
        "f": fit.f,
        "repeat": fit.repeat,
        "n_rows": len(rows),
        "fit_time": fitted - start,
        "score_time": done - fitted,
        "dataset": train.cells.take(rows).table().tolist(),
        "model": _count(test, predicted).values.tolist(),
        "scores": {name: float(value) for name, value in scores.items()},
    }


def _seeded(estimator: Any, seed: int) -> Any:
    """Every `random_state` that is None gets a seed of its own; those that are set stay."""
    rng = np.random.default_rng(seed)
    own = {
        name: draw_seed(rng)
        for name, value in sorted(estimator.get_params(deep=True).items())
        if name.rsplit("__")[-1] == "random_state" and value is None
    }
    return estimator.set_params(**own) if own else estimator


def _count(test: Part, predicted: np.ndarray) -> GroupCounts:
    classes = test.cells.classes
    found, labels = factorize(predicted, what=f"{OWNER}: the prediction")
    # Python's own equality: of nullable booleans scikit-learn makes 0.0 and 1.0
    known = {label: i for i, label in enumerate(classes.tolist())}
    position = np.array([known.get(label, -1) for label in labels.tolist()])
    unknown = labels[position < 0].tolist()
    if unknown or found.min() < 0:
        shown = repr(unknown[0]) if unknown else "a missing value"
        raise ValueError(
            f"{OWNER}: the estimator predicts {shown}, which is none of the classes trained on"
        )
    return GroupCounts.from_codes(
        test.cells.group_codes,
        test.cells.class_codes,
        position[found],
        groups=test.cells.groups,
        classes=classes,
    )
