"""The paper's Table I with its network, without columns that are known only after the outcome."""

import time

import numpy as np
import pandas as pd
from fairlearn.adversarial import AdversarialFairnessClassifier
from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
from scipy.stats import loguniform, randint, uniform
from sklearn.metrics import f1_score, roc_auc_score

from skfairprop.meta import ReweightedClassifier
from skfairprop.metrics import (
    demographic_parity_difference,
    equalized_odds_difference,
    mesd,
)
from skfairprop.model_selection import UEFSearchCV
from skfairprop.neural_network import NetworkClassifier
from skfairprop.scorers import MESDScorer
from uef.data import load

# Adult once for each protected attribute; the others as the other parts have them.
TASKS = {
    "german": [("german", None)],
    "adult": [("adult", "sex"), ("adult", "race"), ("adult", "age")],
    "compas": [("compas", None)],
    "nc": [("nc", None)],
}
COLUMNS = ["auc", "f1", "dp", "eo", "mesd", "null", "p", "selected"]
SPACE = {
    "l2": loguniform(1e-6, 1e-1),
    "learning_rate": loguniform(5e-4, 5e-2),
    "max_epochs": randint(4, 25),
    "dropout": uniform(0, 0.6),
}


def network(seed):
    """The network with the parameters that nobody tuned."""
    return NetworkClassifier(max_epochs=12, random_state=seed)


class Scores:
    """Scores and decisions of a fitted method on any rows."""

    def __init__(self, score, predict):
        self.score, self.predict = score, predict

    @classmethod
    def of(cls, model):
        """Those of a classifier."""
        return cls(lambda X: model.predict_proba(X)[:, 1], model.predict)


def plain(task, _):
    """The network."""
    return Scores.of(network(task.seed).fit(task.X, task.y))


def reweighted(task, _):
    """RW: our Reweighter."""
    model = ReweightedClassifier(network(task.seed), sensitive_features=task.group)
    return Scores.of(model.fit(task.X, task.y))


def reductions(task, sizes):
    """RD: a mixture of networks; its score is the share of the mixture that says 1."""
    model = ExponentiatedGradient(
        network(task.seed), EqualizedOdds(), max_iter=sizes["reductions"], nu=1e-3
    )
    model.fit(task.X, task.y, sensitive_features=task.group)
    parts = [(w, model.predictors_[i]) for i, w in model.weights_.items() if w > 0]

    def score(X):
        X = pd.DataFrame(np.asarray(X), columns=task.X.columns)
        return sum(weight * part.predict(X) for weight, part in parts)

    return Scores(score, lambda X: model.predict(X, random_state=task.seed))


def adversarial(task, sizes):
    """ADL: a network against an adversary that guesses the group."""
    model = AdversarialFairnessClassifier(
        backend="torch",
        predictor_model=[64, "leaky_relu", 32, "leaky_relu"],
        adversary_model=[8, "leaky_relu"],
        constraints="equalized_odds",
        epochs=sizes["epochs"],
        batch_size=128,
        learning_rate=0.001,
        alpha=1.0,
        random_state=task.seed,
    )
    values = task.X.to_numpy(dtype=np.float32)
    model.fit(values, task.y.to_numpy(), sensitive_features=task.group.to_numpy())

    def score(X):
        # it has no predict_proba
        return np.ravel(model._raw_predict(np.asarray(X, dtype=np.float32)))

    return Scores(score, lambda X: (score(X) >= 0.5).astype(int))


def searched(task, sizes, *, paper):
    """UEF: our defaults with the lever, or the procedure of the paper without it."""
    explained = MESDScorer(
        "mesd" if paper else "worst_group_instability",
        sensitive_features=task.group,
        n_samples=sizes["rows"],
        n_perturbations=5,
        pos_label=1,
        random_state=task.seed,
    )
    utility = "roc_auc" if paper else "balanced_accuracy"
    gap = "equalized_odds_difference"
    estimator, space = network(task.seed), SPACE
    if not paper:
        estimator = ReweightedClassifier(estimator, sensitive_features=task.group)
        space = {f"estimator__{k}": v for k, v in SPACE.items()} | {"strength": uniform(0, 1)}
    options = {"refit": "ensemble"}
    if paper:
        options = {
            "thresholds": None,
            "pooled": False,
            "lazy": False,
            "constraints": None,
            "choice": "chebyshev",
        }
    search = UEFSearchCV(
        estimator,
        space,
        objectives={utility: utility, gap: gap, "explained": explained},
        sensitive_features=task.group,
        n_evaluations=sizes["fits"],
        cv=0.3 if paper else task.folds(2),
        random_state=task.seed,
        **options,
    )
    return Scores.of(search.fit(task.X, task.y))


METHODS = {
    "UEF": lambda task, sizes: searched(task, sizes, paper=False),
    "UEF (paper)": lambda task, sizes: searched(task, sizes, paper=True),
    "plain": plain,
    "RW": reweighted,
    "RD": reductions,
    "ADL": adversarial,
}


def judge(task, found, sizes):
    """The columns of the table on the test split."""
    pred = np.asarray(found.predict(task.X_test)).astype(int)
    score = np.asarray(found.score(task.X_test))
    gaps = {"sensitive_features": task.group_test}
    explained = mesd(
        found.score,
        task.X_test,
        task.y_test,
        **gaps,
        n_samples=sizes["judged"],
        n_perturbations=5,
        n_resamples=0,
        random_state=task.seed,
    )
    return {
        "auc": roc_auc_score(task.y_test, score),
        "f1": f1_score(task.y_test, pred, zero_division=0),
        "dp": demographic_parity_difference(task.y_test, pred, **gaps),
        "eo": equalized_odds_difference(task.y_test, pred, **gaps),
        "mesd": explained.value,
        "null": explained.null_mean,
        "p": explained.p_value,
        "selected": pred.mean(),
    }


def run(options):
    """Print a row for each data set, method and seed, then means with spread, and the claims."""
    sizes = {"fits": 20, "rows": 30, "judged": 100, "reductions": 8, "epochs": 100}
    if options.quick:
        sizes = {"fits": 6, "rows": 20, "judged": 40, "reductions": 3, "epochs": 10}
    print(
        f"networks of 64 and 32 units; searches of {sizes['fits']} fits; {sizes['rows']} rows "
        f"explained in them, {sizes['judged']} on the test split"
    )
    print(f"{'data':>12} {'seed':>5} {'method':>12} " + " ".join(f"{c:>9}" for c in COLUMNS))
    rows = []
    for name, by in [task for data in options.only for task in TASKS[data]]:
        label = f"{name}, {by}" if by else name
        for seed in range(options.seeds):
            task = load(name, options.data, seed, by=by, quick=options.quick)
            for method, fit in METHODS.items():
                began = time.perf_counter()
                found = judge(task, fit(task, sizes), sizes)
                rows.append({"data": label, "seed": seed, "method": method} | found)
                values = " ".join(f"{found[c]:>9.4f}" for c in COLUMNS)
                seconds = time.perf_counter() - began
                print(f"{label:>12} {seed:>5} {method:>12} {values}  {seconds:.0f} s", flush=True)
    report(pd.DataFrame(rows))


def report(table):
    """Means and standard deviations over the seeds, and what holds on each data set."""
    print("\nmean (standard deviation of the seeds)")
    for (label, method), part in table.groupby(["data", "method"], sort=False):
        text = "  ".join(
            f"{c} {part[c].mean():.4f} ({part[c].std(ddof=0):.4f})" for c in COLUMNS[:6]
        )
        print(f"{label:>12} {method:>12}  {text}")
    means = table.groupby(["data", "method"], sort=False)[COLUMNS].mean()
    print("\nclaims: is the search better than the plain network, by data set?")
    for method in ("UEF", "UEF (paper)"):
        for label in pd.unique(table["data"]):
            ours, base = means.loc[label, method], means.loc[label, "plain"]
            print(
                f"{label:>12} {method:>12}  AUC {ours['auc'] - base['auc']:+.3f}, "
                f"DP {ours['dp'] - base['dp']:+.3f}, EO {ours['eo'] - base['eo']:+.3f}, "
                f"MESD {ours['mesd'] - base['mesd']:+.4f} (null {ours['null']:.4f})"
            )
