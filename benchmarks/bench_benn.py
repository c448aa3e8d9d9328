"""What BENN finds on known and on real models, beside the ensemble, and what it costs.

    python benchmarks/bench_benn.py [--data FOLDER] [--quick]

1. Models whose use of the features is known (10 seeds): the synthetic data of the paper, an
   exclusive or, a model of a 90 % proxy, a constant. The paper's own loss beside it.
2. COMPAS, 5 folds: decision tree, random forest and logistic regression; the three guidelines, the
   demographic parity gap as a lower bound, the spread over seeds, and mean |b| beside rho.
3. COMPAS, Adult and German credit beside the paper's Table 1, with the ensemble's null.
4. Replication by reweighing, 3 folds: does BENN move the way the ensemble and the gap move?
5. Seconds a fold, and restarts trained together beside one after the other.

Seconds are of the CPU, in one thread. The two targets for CUDA are not measured here.

COMPAS is read from FOLDER (compas_two_years.csv.gz, or ProPublica's table), or fetched. The whole
takes about six minutes of one core; --quick, two folds and seeds, two. Set OMP_NUM_THREADS=1.
"""

import argparse
import itertools
import sys
import time
import warnings
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skfairprop import BENNEstimator
from skfairprop.benn import compare_with_ensemble, guidelines
from skfairprop.datasets import fetch_compas, load_adult, load_german_credit
from skfairprop.metrics import demographic_parity_difference
from skfairprop.preprocessing import RowReplicator

# The columns of COMPAS that most studies use; in part 3 all twelve as well.
COMPAS_COLUMNS = ["sex", "age", "age_cat", "race", "juv_fel_count", "juv_misd_count"]
COMPAS_COLUMNS += ["juv_other_count", "priors_count", "c_charge_degree"]
BLOCKS = {  # the first column of a block makes the groups
    "COMPAS": {"race": ["race"], "sex": ["sex"], "age": ["age_cat", "age"]},
    "Adult": {"race": ["race"], "sex": ["sex"]},
    "German": {"sex": ["sex"]},
}
# Table 1 of the paper: BENN and its ensemble.
PAPER = {
    ("COMPAS", "race"): (0.662, 0.4513),
    ("COMPAS", "sex"): (0.5101, 0.2955),
    ("COMPAS", "age"): (0.6529, 0.3848),
    ("Adult", "race"): (0.604, 0.5304),
    ("Adult", "sex"): (0.6905, 0.6384),
    ("German", "sex"): (0.5293, 0.2215),
}
ENOUGH_ROWS = 1_000


def encoded(classifier, *, scaled: bool = False):
    """A classifier behind one-hot columns; numbers are imputed."""
    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_exclude="number")
    number = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else SimpleImputer()
    text = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20)
    return make_pipeline(make_column_transformer((number, numbers), (text, texts)), classifier)


MODELS = {
    "decision tree": encoded(DecisionTreeClassifier(random_state=0)),
    "random forest": encoded(RandomForestClassifier(random_state=0)),
    "logistic regression": encoded(LogisticRegression(max_iter=1000), scaled=True),
}


def read_data(folder: str | None) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """X and y in {0, 1} of the three data sets."""
    compas = fetch_compas(data_home=folder, download_if_missing=folder is None)
    adult, german = load_adult(), load_german_credit()
    return {
        "COMPAS": (
            compas.data[COMPAS_COLUMNS],
            np.asarray(compas.target == compas.pos_label).astype(int),
        ),
        "COMPAS, 12 columns": (
            compas.data,
            np.asarray(compas.target == compas.pos_label).astype(int),
        ),
        "Adult": (adult.data, np.asarray(adult.target == adult.pos_label).astype(int)),
        "German": (german.data, np.asarray(german.target == german.pos_label).astype(int)),
    }


# -- 1. models that are known ---------------------------------------------------------------------


def known_models(n_seeds: int) -> None:
    grid = np.array(list(itertools.product([0, 1], repeat=3)) * 38)
    X = pd.DataFrame(grid, columns=["fair", "biased", "unused"])
    tree = DecisionTreeClassifier(random_state=0)
    found: dict[tuple[str, str], list[float]] = {}

    def note(kind: str, values: pd.Series) -> None:
        for name, value in values.items():
            found.setdefault((kind, name), []).append(value)

    smooth = {"formulation": "paper", "l0": "smooth", "loss_scale": "normalized"}
    for seed in range(n_seeds):
        benn = partial(BENNEstimator, random_state=seed)
        note("biased = label", benn(tree).fit(X, X["biased"]).bias_estimates_)
        note("fair xor biased", benn(tree).fit(X, X["fair"] ^ X["biased"]).bias_estimates_)
        one = benn(tree, **smooth, lambdas=(1, 1, 0.1)).fit(X, X["biased"])
        note("paper, smooth and normalized", one.bias_estimates_)
        one = benn(tree, formulation="paper").fit(X, X["biased"])
        note("paper, as printed", one.bias_estimates_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            constant = benn(lambda X: np.zeros(len(X), int)).fit(X)
        note("constant model", constant.bias_estimates_)
        proxy_of(seed, note)
    print(
        f"\n1. Models that are known, {n_seeds} seeds (targets: fair, unused <= .05, biased >= .95,"
    )
    print("   xor >= .9, direct <= .02, total within .1 of the ensemble, constant 0)")
    print(f"   {'model':<30}{'feature':<12}{'mean':>7}{'least':>8}{'most':>8}")
    for (kind, name), values in found.items():
        print(
            f"   {kind:<30}{name:<12}{np.mean(values):>7.3f}{min(values):>8.3f}{max(values):>8.3f}"
        )


def proxy_of(seed: int, note) -> None:
    """A model that looks at a column which repeats the protected one in 90 % of the rows."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, 2000)
    X = pd.DataFrame({"sex": sex, "proxy": np.where(rng.random(2000) < 0.9, sex, 1 - sex)})
    X["noise"] = rng.normal(size=2000)
    benn = BENNEstimator(Column("proxy"), features=["sex"], random_state=seed)
    benn.fit(X)
    y = np.where(rng.random(2000) < 0.9, X["proxy"], 1 - X["proxy"])
    ensemble = compare_with_ensemble(benn, X, y, n_permutations=0).frame
    note(
        "a model of a 90 % proxy",
        pd.Series(
            {
                "direct": benn.direct_["sex"],
                "total": benn.total_["sex"],
                "ensemble": ensemble.loc["sex", "ensemble"],
            }
        ),
    )


class Column:
    """A model that says what a column says."""

    def __init__(self, name: str) -> None:
        self.name = name

    def predict(self, X):
        """That column."""
        return X[self.name].to_numpy().astype(int)


# -- 2 and 3. real data ---------------------------------------------------------------------------


def folds_of(X, y, n_folds: int):
    split = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    return list(itertools.islice(split, n_folds))


def examine(data, name: str, model, n_folds: int, *, n_permutations: int, seed: int = 0):
    """One row for each fold and feature, and the seconds of each fold."""
    X, y = data
    blocks = BLOCKS[name.partition(",")[0]]
    out, seconds = [], []
    for fold, (train, test) in enumerate(folds_of(X, y, n_folds)):
        fitted = clone(model).fit(X.iloc[train], y[train])
        start = time.process_time()
        benn = BENNEstimator(fitted, feature_blocks=blocks, random_state=seed)
        benn.fit(X.iloc[test])
        seconds.append(time.process_time() - start)
        found = compare_with_ensemble(
            benn, X.iloc[test], y[test], n_permutations=n_permutations, random_state=0
        )
        frame = found.frame.join(benn.summary()[["mean", "change", "direct", "flip_mean"]])
        groups = benn.groups_of(X.iloc[test])
        y_pred = fitted.predict(X.iloc[test])
        frame["gap"] = [
            demographic_parity_difference(y[test], y_pred, sensitive_features=groups[f])
            for f in frame.index
        ]
        out.append(frame.assign(data=name, fold=fold, n=len(test)).reset_index())
    return pd.concat(out, ignore_index=True), seconds


def report_guidelines(table: pd.DataFrame, model: str) -> None:
    mean = table.groupby("feature", sort=False)[["estimate", "ensemble"]].mean()
    over_folds = guidelines(mean)
    each = pd.DataFrame([guidelines(part) for _, part in table.groupby("fold")])
    sd = table.groupby("feature", sort=False)["estimate"].std(ddof=0)
    print(f"\n   {model}: {', '.join(f'{n} {e:.3f}/{o:.3f}' for n, e, o in mean.itertuples())}")
    print(
        f"     guideline 1: share {each['share_at_least'].mean():.2f}; worst shortfall of a fold "
        f"{each['worst_shortfall'].max():.3f}, of the means {over_folds['worst_shortfall']:.3f}"
    )
    print(
        f"     guideline 2: same ranking in {each['same_ranking'].mean():.0%} of folds, of the "
        f"means {bool(over_folds['same_ranking'])}; Kendall's tau {each['kendall_tau'].mean():.2f}"
    )
    print(
        f"     guideline 3: variance of the differences {over_folds['variance_of_differences']:.4f}"
        f" of the means, {each['variance_of_differences'].mean():.4f} in a fold; "
        f"sd over folds {', '.join(f'{n} {v:.3f}' for n, v in sd.items())}"
    )


def compas(data, n_folds: int, n_seeds: int, n_permutations: int) -> list[pd.DataFrame]:
    print(
        f"\n2. COMPAS, {n_folds} folds, BENN/ensemble (targets: shares 1, variance <= .0017, sd of"
    )
    print("   folds <= .04; logistic regression: shortfall <= .05; seeds: sd <= .03)")
    tables = []
    for name, model in MODELS.items():
        table, seconds = examine(
            data["COMPAS"], "COMPAS", model, n_folds, n_permutations=n_permutations
        )
        report_guidelines(table, name)
        apart = (table["mean"] - table["change"]).abs().mean()
        print(
            f"     mean |b| less rho, absolute: {apart:.3f} (target: .03); seconds a fold "
            f"{np.mean(seconds):.1f}, at most {max(seconds):.1f}"
        )
        tables.append(table.assign(model=name))
    by_seed = [
        examine(data["COMPAS"], "COMPAS", MODELS["decision tree"], 1, n_permutations=0, seed=seed)
        for seed in range(max(2, n_seeds // 2))
    ]
    spread = pd.concat([found for found, _ in by_seed]).groupby("feature")["estimate"].std(ddof=0)
    print(
        f"   sd over {len(by_seed)} seeds: {', '.join(f'{n} {v:.3f}' for n, v in spread.items())}"
    )
    return tables


def table_one(data, tables: list[pd.DataFrame], n_folds: int, n_permutations: int) -> pd.DataFrame:
    model = MODELS["decision tree"]
    found = tables[:1]
    for name in ("COMPAS", "COMPAS, 12 columns", "Adult", "German")[len(found) :]:
        table, _ = examine(data[name], name, model, n_folds, n_permutations=n_permutations)
        found.append(table.assign(model="decision tree"))
    every = pd.concat(found, ignore_index=True)
    print("\n3. Beside Table 1 of the paper (decision tree, means of the folds; reported, no gate)")
    print(
        f"   {'':<24}{'BENN':>7}{'(sd)':>7}{'null':>7}{'paper':>7}  {'ensemble':>9}{'null':>7}",
        end="",
    )
    print(f"{'paper':>7}{'gap':>7}{'direct':>8}{'flip':>7}")
    for (name, feature), part in every.groupby(["data", "feature"], sort=False):
        m, (benn, ensemble) = part.mean(numeric_only=True), PAPER[name.partition(",")[0], feature]
        print(
            f"   {name + ' ' + feature:<24}{m['estimate']:>7.3f}{m['sd']:>7.3f}{m['null']:>7.3f}"
            f"{benn:>7.3f}  {m['ensemble']:>9.3f}{m['ensemble_null']:>7.3f}{ensemble:>7.3f}"
            f"{m['gap']:>7.3f}{m['direct']:>8.3f}{m['flip_mean']:>7.3f}"
        )
    return every


def lower_bound(tables: list[pd.DataFrame]) -> None:
    every = pd.concat(tables)
    large = every[every["n"] >= ENOUGH_ROWS]
    above = (large["estimate"] >= large["gap"]).mean()
    print(
        f"\n   estimate >= demographic parity gap: {above:.0%} of {len(large)} rows of feature and"
    )
    print(f"   fold with {ENOUGH_ROWS:,} rows or more (target: 95 %)")


# -- 4. mitigation --------------------------------------------------------------------------------


def mitigation(data, n_folds: int) -> None:
    """Before and after rows are replicated by the weights that make group and class independent."""
    rows = []
    model = MODELS["decision tree"]
    for name, blocks in BLOCKS.items():
        X, y = data[name]
        for train, test in folds_of(X, y, n_folds):
            before = clone(model).fit(X.iloc[train], y[train])
            old = numbers(before, X.iloc[test], y[test], blocks)
            for feature, columns in blocks.items():
                X_new, y_new = RowReplicator(random_state=0).fit_resample(
                    X.iloc[train], y[train], sensitive_features=X[columns[0]].iloc[train]
                )
                after = clone(model).fit(X_new, y_new)
                new = numbers(after, X.iloc[test], y[test], {feature: columns})
                change = (new - old).loc[feature]
                rows.append({"data": name, "feature": feature, **change})
    change = pd.DataFrame(rows)
    print(f"\n4. Replication by reweighing, {len(change)} cases of data set, feature and fold:")
    for other in ("ensemble", "gap"):
        told = change[(change["BENN"].abs() >= 0.02) & (change[other].abs() >= 0.02)]
        same = (np.sign(told["BENN"]) == np.sign(told[other])).mean() if len(told) else np.nan
        every = (np.sign(change["BENN"]) == np.sign(change[other])).mean()
        print(
            f"   BENN moves as the {other:<9}: {every:.0%} of all, {same:.0%} of the {len(told)} "
            "in which both move by .02 or more"
        )
    print(f"   {'mean change':<24}{'BENN':>8}{'ensemble':>10}{'gap':>8}")
    for (name, feature), part in change.groupby(["data", "feature"], sort=False):
        m = part.mean(numeric_only=True)
        label = f"{name} {feature}"
        print(f"   {label:<24}{m['BENN']:>+8.3f}{m['ensemble']:>+10.3f}{m['gap']:>+8.3f}")


def numbers(model, X, y, blocks) -> pd.DataFrame:
    """BENN, ensemble and gap of some features."""
    benn = BENNEstimator(model, feature_blocks=blocks, random_state=0).fit(X)
    found = compare_with_ensemble(benn, X, y, n_permutations=0).frame
    y_pred, groups = model.predict(X), benn.groups_of(X)
    gaps = [demographic_parity_difference(y, y_pred, sensitive_features=groups[f]) for f in blocks]
    return pd.DataFrame(
        {
            "BENN": found.loc[list(blocks), "estimate"],
            "ensemble": found.loc[list(blocks), "ensemble"],
            "gap": gaps,
        }
    ).astype(float)


# -- 5. time --------------------------------------------------------------------------------------


def times(data, repeats: int) -> None:
    X, y = data["COMPAS"]
    train, test = folds_of(X, y, 1)[0]
    model = clone(MODELS["decision tree"]).fit(X.iloc[train], y[train])

    def seconds(**options) -> float:
        best = np.inf
        for _ in range(repeats):
            start = time.process_time()
            benn = BENNEstimator(model, feature_blocks=BLOCKS["COMPAS"], random_state=0, **options)
            benn.fit(X.iloc[test])
            best = min(best, time.process_time() - start)
        return best

    asking = seconds(n_init=1, max_steps=1)
    one, four, eight = (seconds(n_init=n) for n in (1, 4, 8))
    print(f"\n5. COMPAS, {len(test):,} rows, 3 features (target: 10 s a fold, together 2x faster)")
    print(f"   tables of responses and set-up {asking:6.2f} s; a fold in all {four:6.2f} s")
    for n, together in ((4, four), (8, eight)):
        trained = n * (one - asking) / (together - asking)
        print(
            f"   {n} restarts together {together:6.2f} s, one after the other {n * one:6.2f} s: "
            f"{n * one / together:.1f} times; of the training alone {trained:.1f} times"
        )


def main() -> None:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", help="folder that holds COMPAS; default: fetched")
    parser.add_argument("--only", type=int, nargs="*", help="parts to run, 1 to 5; default: all")
    parser.add_argument("--quick", action="store_true", help="two folds and seeds")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message="Found unknown categories")
    n_folds, n_seeds, n_permutations = (2, 2, 10) if arguments.quick else (5, 10, 20)
    data = read_data(arguments.data)
    parts = arguments.only or [1, 2, 3, 4, 5]
    if 1 in parts:
        known_models(n_seeds)
    tables: list[pd.DataFrame] = []
    if 2 in parts:
        tables = compas(data, n_folds, n_seeds, n_permutations)
        lower_bound(tables)
    if 3 in parts:
        lower_bound([table_one(data, tables, n_folds, n_permutations)])
    if 4 in parts:
        mitigation(data, min(n_folds, 3))
    if 5 in parts:
        times(data, 1 if arguments.quick else 3)


if __name__ == "__main__":
    main()
