"""Hypervolume, transfer, and the gap at an equal utility: UEFSearchCV beside random search."""

import time
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import loguniform, randint, uniform
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from skfairprop.meta import ReweightedClassifier
from skfairprop.metrics import demographic_parity_difference
from skfairprop.model_selection import UEFSearchCV
from skfairprop.model_selection._pareto import hypervolume
from uef.data import load

OBJECTIVES = ["balanced_accuracy", "demographic_parity_difference"]
# Losses: 1 - balanced accuracy, and the gap of the selection rates.
REFERENCE = np.array([0.5, 0.5])
N_PREFERENCES = 66
TARGETS = {60: 1.15, 150: 1.12}
GAP_TARGETS = {"adult": 0.8, "compas": 0.5, "nc": 0.5}
MODELS = {
    "lr": LogisticRegression(max_iter=500),
    "hgb": HistGradientBoostingClassifier(max_iter=60, random_state=0, early_stopping=False),
}
SPACES = {
    "lr": {"C": loguniform(1e-4, 1e3), "class_weight": [None, "balanced"]},
    "hgb": {
        "learning_rate": loguniform(0.02, 0.3),
        "max_iter": randint(20, 100),
        "max_leaf_nodes": randint(4, 32),
        "l2_regularization": loguniform(1e-3, 10),
    },
}


def space_of(model, prefix="estimator__"):
    """Parameters of the model behind a prefix, with the strength of the reweighing."""
    space = {f"{prefix}{name}": values for name, values in SPACES[model].items()}
    return space | {f"{prefix.removesuffix('estimator__')}strength": uniform(0, 1)}


def searches(task, model, n, names):
    """Fitted searches by name; all on the same folds, but for the holdout."""
    lever = ReweightedClassifier(MODELS[model], sensitive_features=task.group)
    both = {
        "objectives": OBJECTIVES,
        "sensitive_features": task.group,
        "n_evaluations": n,
        "random_state": task.seed,
        "refit": False,
    }
    folds = {"cv": task.folds()}
    in_space = FixedThresholdClassifier(lever, threshold=0.5)
    spaced = space_of(model, "estimator__estimator__") | {"threshold": uniform(0, 1)}
    plain = {"algorithm": "random", "thresholds": None, "constraints": None, "lazy": False}
    six = {"strength": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]}
    made = {
        "uef": lambda: UEFSearchCV(lever, space_of(model), **both, **folds),
        "sweep": lambda: UEFSearchCV(lever, space_of(model), algorithm="random", **both, **folds),
        "threshold": lambda: UEFSearchCV(in_space, spaced, **plain, **both, **folds),
        "holdout": lambda: UEFSearchCV(in_space, spaced, cv=0.25, pooled=False, **plain, **both),
        "grid": lambda: UEFSearchCV(lever, six, **both | {"n_evaluations": 6}, **folds),
    }
    out = {}
    for name in names:
        began = time.perf_counter()
        out[name] = made[name]().fit(task.X, task.y)
        out[name].seconds_ = time.perf_counter() - began
    return out


def losses_of(search):
    """Losses of the front on the data of the search, (k, 2)."""
    scores = search.pareto_front_[OBJECTIVES].to_numpy()
    return np.column_stack([1 - scores[:, 0], -scores[:, 1]])


class Tested:
    """Points of a search, refitted to all rows of the search, on the test split."""

    def __init__(self, task, search):
        self.task, self.search, self.models, self.losses = task, search, {}, {}

    def __call__(self, position):
        """Losses of a point, (2,)."""
        if position not in self.losses:
            point = self.search.pareto_front_.iloc[position]
            pred = self._predict(int(point["cv_index"]), point["threshold"])
            self.losses[position] = losses_of_prediction(self.task, pred)
        return self.losses[position]

    def _predict(self, row, threshold):
        if row not in self.models:
            model = clone(self.search.estimator).set_params(
                **self.search.cv_results_["params"][row]
            )
            self.models[row] = model.fit(self.task.X, self.task.y)
        model, X = self.models[row], self.task.X_test
        if np.isnan(threshold):
            return model.predict(X)
        return (model.predict_proba(X)[:, 1] >= threshold).astype(int)


def losses_of_prediction(task, pred):
    """1 - balanced accuracy, and the gap of the selection rates, on the test split."""
    gap = demographic_parity_difference(task.y_test, pred, sensitive_features=task.group_test)
    return np.array([1 - balanced_accuracy_score(task.y_test, pred), gap])


def r2_on_test(search, tested):
    """Mean over preferences of the test loss of the point that each prefers on the search's data.

    A preference w takes the point with the least max(w * losses), and pays that on the test split.
    """
    losses = losses_of(search) / REFERENCE
    paid = []
    for share in np.linspace(0, 1, N_PREFERENCES):
        weights = np.array([share, 1 - share])
        taken = int(np.argmin((losses * weights).max(1) + 1e-3 * (losses * weights).sum(1)))
        paid.append((tested(taken) / REFERENCE * weights).max())
    return float(np.mean(paid))


def plain_on_test(task, model):
    """Losses of the plain model whose threshold was tuned for the balanced accuracy."""
    tuned = TunedThresholdClassifierCV(
        MODELS[model], scoring="balanced_accuracy", cv=task.folds(), random_state=task.seed
    ).fit(task.X, task.y)
    return losses_of_prediction(task, tuned.predict(task.X_test))


def constant_points(search):
    """Points of the front that predict the same for everybody."""
    rates = search.pareto_front_.get("selection_rate")
    return 0 if rates is None else int(((rates <= 0) | (rates >= 1)).sum())


def measure(task, model, n):
    """One row of the table."""
    found = searches(task, model, n, ["uef", "sweep", "threshold", "holdout", "grid"])
    volumes = {
        name: hypervolume(losses_of(s), REFERENCE) / REFERENCE.prod() for name, s in found.items()
    }
    tested = {name: Tested(task, found[name]) for name in ("uef", "sweep", "holdout", "grid")}
    r2 = {name: r2_on_test(found[name], tested[name]) for name in ("uef", "sweep", "holdout")}
    plain = plain_on_test(task, model)
    chosen = {name: tested[name](found[name].best_point_) for name in ("uef", "grid")}
    return {
        "hv uef": volumes["uef"],
        "/threshold": volumes["uef"] / volumes["threshold"],
        "/sweep": volumes["uef"] / volumes["sweep"],
        "grid/uef": volumes["grid"] / volumes["uef"],
        "R2t uef": r2["uef"],
        "R2t/holdout": r2["uef"] / r2["holdout"],
        "R2t/sweep": r2["uef"] / r2["sweep"],
        "BA plain": 1 - plain[0],
        "BA uef": 1 - chosen["uef"][0],
        "BA grid": 1 - chosen["grid"][0],
        "gap plain": plain[1],
        "gap uef": chosen["uef"][1],
        "gap grid": chosen["grid"][1],
        "constant": constant_points(found["uef"]),
        "constant thr.": int((losses_of(found["threshold"])[:, 0] >= 0.5 - 1e-9).sum()),
        "s uef": found["uef"].seconds_,
        "s thr.": found["threshold"].seconds_,
    }


def run(options):
    """Print the table, a row for each data set and seed, and the means beside the targets."""
    rows = []
    try:
        for model, n in product(options.models, options.evaluations):
            # seed by seed, so that an interrupted run has all data sets
            for seed, name in product(range(options.seeds), options.only):
                task = load(name, options.data, seed, quick=options.quick)
                row = {"model": model, "fits": n, "data": name, "seed": seed}
                rows.append(row | measure(task, model, n))
                if len(rows) == 1:
                    print(" ".join(f"{c:>13}" for c in rows[0]))
                print(" ".join(_text(v) for v in rows[-1].values()), flush=True)
    except KeyboardInterrupt:
        print("interrupted; of the rows there are:")
    if rows:
        report(pd.DataFrame(rows))


def _text(value):
    return f"{value:>13.3f}" if isinstance(value, float) else f"{value:>13}"


def report(table):
    """Means, and what they should be."""
    for (model, n), part in table.groupby(["model", "fits"], sort=False):
        means = part.groupby("data", sort=False).mean(numeric_only=True)
        print(f"\n{model}, {n} fits: means over {part['seed'].nunique()} seeds")
        for name, m in means.iterrows():
            print(
                f"  {name:<8} hypervolume {m['/threshold']:.3f} of random with the threshold in "
                f"the space, {m['/sweep']:.3f} of random with the sweep; six strengths "
                f"{m['grid/uef']:.3f} of it\n"
                f"           R2t {m['R2t/holdout']:.3f} of random with a holdout "
                f"(target {0.98 if name in ('adult', 'compas') else 1.02}); test balanced "
                f"accuracy {m['BA uef']:.3f} (plain {m['BA plain']:.3f}, six strengths "
                f"{m['BA grid']:.3f})\n"
                f"           test gap {m['gap uef']:.3f}, {m['gap uef'] / m['gap plain']:.2f} of "
                f"plain's {m['gap plain']:.3f} "
                f"(target {GAP_TARGETS.get(name, '-')}); six strengths "
                f"{m['gap grid']:.3f}"
            )
        print(
            f"  all      hypervolume {means['/threshold'].mean():.3f} "
            f"(target {TARGETS.get(n, '-')}), {means['/sweep'].mean():.3f} (target 0.98); "
            f"constant predictors on the fronts: {int(part['constant'].sum())} (target 0), of "
            f"random with the threshold in the space {int(part['constant thr.'].sum())}"
        )
