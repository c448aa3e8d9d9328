"""Lazy explanations: how many candidates are explained, and what that costs of the front."""

import numpy as np

from skfairprop.meta import ReweightedClassifier
from skfairprop.model_selection import UEFSearchCV
from skfairprop.model_selection._pareto import hypervolume
from skfairprop.scorers import MESDScorer
from uef.data import load
from uef.search import MODELS, OBJECTIVES, space_of

TARGET_SHARE, TARGET_VOLUME = 0.65, 0.98


def search(task, n, n_samples, *, lazy):
    """A search with the worst group's instability as the third objective."""
    lever = ReweightedClassifier(MODELS["lr"], sensitive_features=task.group)
    instability = MESDScorer(
        "worst_group_instability",
        sensitive_features=task.group,
        n_samples=n_samples,
        n_perturbations=5,
        pos_label=1,
        random_state=task.seed,
    )
    scorers = {name: name for name in OBJECTIVES} | {"instability": instability}
    return UEFSearchCV(
        lever,
        space_of("lr"),
        objectives=scorers,
        sensitive_features=task.group,
        n_evaluations=n,
        cv=0.3,
        lazy=lazy,
        refit=False,
        random_state=task.seed,
    ).fit(task.X, task.y)


def losses_of(found):
    """Losses of the front, (k, 3)."""
    scores = found.pareto_front_[[*OBJECTIVES, "instability"]].to_numpy()
    return np.column_stack([1 - scores[:, 0], -scores[:, 1], -scores[:, 2]])


def run(options):
    """Print a row for each data set and seed."""
    n = 30 if options.quick else options.evaluations[0]
    n_samples = 30 if options.quick else 50
    print(f"{n} fits, {n_samples} rows explained by SHAP and LIME with 5 perturbations, holdout")
    print("    data  seed  explained   share  hypervolume         seconds")
    shares, ratios = [], []
    for name in options.only:
        for seed in range(options.seeds):
            task = load(name, options.data, seed, quick=options.quick)
            lazy, every = (search(task, n, n_samples, lazy=flag) for flag in (True, False))
            one, all_of_them = losses_of(lazy), losses_of(every)
            worst = 1.1 * np.concatenate([one, all_of_them])[:, 2].max()
            reference = np.array([0.5, 0.5, worst])
            ratio = hypervolume(one, reference) / hypervolume(all_of_them, reference)
            shares.append(lazy.n_explained_ / n)
            ratios.append(ratio)
            seconds = [s.cv_results_["mean_score_time"].sum() for s in (lazy, every)]
            print(
                f"{name:>8} {seed:>5} {lazy.n_explained_:>6}/{n:<3} {shares[-1]:>7.2f} "
                f"{ratio:>12.3f} {seconds[0]:>7.0f}/{seconds[1]:<7.0f}",
                flush=True,
            )
    print(
        f"mean share {np.mean(shares):.2f} (target at most {TARGET_SHARE}), hypervolume beside "
        f"explaining all {np.mean(ratios):.3f} (target at least {TARGET_VOLUME})"
    )
