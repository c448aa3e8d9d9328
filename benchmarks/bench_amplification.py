"""Bias amplification: COMPAS in both directions, the coloured digits, and what the counting costs.

    python benchmarks/bench_amplification.py --data FOLDER     # some two minutes
    python benchmarks/bench_amplification.py --only speed      # without COMPAS

FOLDER holds compas_two_years.csv.gz (or ProPublica's own file, see ``fetch_compas``). The tables:

1. COMPAS, African-American and Caucasian after ProPublica's filter, out-of-fold predictions of a
   logistic regression for the task (without race) and for race (without race and the task), mean
   and standard deviation over shuffled folds. Beside it the attribute model with the task left in.
2. Coloured digits: DPA against its analytic curve for a perfect classifier of which a share beta
   follows the colour.
3. Processor seconds for 1e6 rows, and as a multiple of counting the rows once (target: 1.5).
4. Combinations of up to 4 of 80 labels on 40,000 rows (targets: 10 s, 1 GiB).

Set OMP_NUM_THREADS=1 to keep other threads out of the times.
"""

import argparse
import multiprocessing
import resource
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop import GroupCounts, metrics
from skfairprop.datasets import fetch_compas, make_colored_digits
from skfairprop.meta import DirectionalClassifier

COMPAS_COLUMNS = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
COMPAS_COLUMNS += ["c_charge_degree", "sex"]
RACES = ["African-American", "Caucasian"]
N_FOLDS, PER_CELL = 5, 822


# -- COMPAS -------------------------------------------------------------------------------------


def compas_table(folder: str, n_repeats: int) -> None:
    data = fetch_compas(data_home=folder, subset="propublica", download_if_missing=False)
    race, task = data.sensitive_features["race"], data.target
    two = race.isin(RACES)
    X, race, task = data.data.loc[two, COMPAS_COLUMNS], race[two], task[two]
    print(f"COMPAS, {len(X):,} rows, {N_FOLDS} folds, {n_repeats} times shuffled")
    print(f"{'':38}{'A -> T':>18}{'T -> A':>18}")
    balanced = [_balanced_rows(race, task, seed) for seed in range(n_repeats)]
    everyone = [np.arange(len(X))] * n_repeats
    for what, drawn in ((f"balanced, {PER_CELL} a cell", balanced), ("all rows", everyone)):
        runs = [_amplification(X, race, task, rows, seed) for seed, rows in enumerate(drawn)]
        _print_compas(what, runs)
    known = X.assign(known_task=task)  # under a name that is not hidden
    for what, drawn in (("balanced", balanced), ("all rows", everyone)):
        runs = [_amplification(known, race, task, rows, seed) for seed, rows in enumerate(drawn)]
        _print_compas(f"{what}, the task among the features", runs, only_attribute=True)


def _balanced_rows(race: pd.Series, task: pd.Series, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    cells = [np.flatnonzero((race == r) & (task == t)) for r in RACES for t in (0, 1)]
    return np.sort(np.concatenate([rng.choice(c, PER_CELL, replace=False) for c in cells]))


def _amplification(X, race, task, rows, seed: int) -> dict[tuple[str, str], float]:
    """DPA and BA in both directions, of predictions out of fold."""
    X, race, task = X.iloc[rows], race.iloc[rows], task.iloc[rows]
    texts = ["c_charge_degree", "sex"]
    columns = make_column_transformer(
        (OneHotEncoder(drop="if_binary"), texts), remainder="passthrough"
    )
    logistic = make_pipeline(columns, StandardScaler(), LogisticRegression(max_iter=1000))
    model = DirectionalClassifier(logistic, sensitive_features=race)
    predicted, guessed = np.empty(len(X), dtype=int), np.empty(len(X), dtype=object)
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, task):
        model.fit(X.iloc[train], task.iloc[train])
        predicted[test] = model.predict(X.iloc[test])
        guessed[test] = model.predict_attribute(X.iloc[test])
    out = {}
    for way in ("a_to_t", "t_to_a"):
        kwargs = {"sensitive_features": race, "sensitive_pred": guessed, "direction": way}
        found = metrics.directional_predictability_amplification(
            task, predicted, return_details=True, **kwargs
        )
        out["DPA", way] = found.value
        out["Psi of the model", way] = found.psi_model
        out["  its majority share", way] = found.majority_share_model
        out["BA", way] = metrics.directional_bias_amplification(task, predicted, **kwargs)
    return out


def _print_compas(what: str, runs: list[dict], only_attribute: bool = False) -> None:
    print(f"  {what}")
    for name in dict.fromkeys(name for name, _ in runs[0]):
        cells = []
        for way in ("a_to_t", "t_to_a"):
            values = [run[name, way] for run in runs]
            cell = f"{np.mean(values):+.3f} ({np.std(values, ddof=1):.3f})"
            if all(value == 0 for value in values):
                cell = "exactly 0"
            cells.append("" if only_attribute and way == "a_to_t" else cell)
        print(f"    {name:34}{cells[0]:>18}{cells[1]:>18}")


# -- coloured digits ----------------------------------------------------------------------------


def digits_table() -> None:
    print(
        "\nColoured digits, 170 images of each: a share beta of the predictions follows the colour"
    )
    columns = (
        "alpha",
        "beta",
        "Psi data",
        "Psi model",
        "DPA",
        "curve",
        "equalized",
        "BA",
        "leakage",
    )
    print("".join(f"{c:>10}" for c in columns))
    for alpha in (0.1, 0.75):
        for beta in (0.0, 0.1, 0.2, 0.3, 0.4):
            print("".join(f"{value:>10.3f}" for value in _digits_row(alpha, beta)))
    print("\nBias of the data, Psi(colour -> digit): rises with alpha")
    for alpha in (0.1, 0.25, 0.5, 0.75, 0.9):
        print(f"{alpha:>10.2f}{_digits_row(alpha, 0.0)[2]:>10.3f}")


def _digits_row(alpha: float, beta: float) -> list[float]:
    digits = make_colored_digits(alpha, beta=beta, n_per_digit=170, random_state=0)
    args = (digits.target, digits.prediction)
    kwargs = {"sensitive_features": digits.sensitive_features}
    with warnings.catch_warnings():  # the tables are exact by design, no samples
        warnings.filterwarnings("ignore", message=".*plug-in value is off")
        found = metrics.directional_predictability_amplification(
            *args, return_details=True, **kwargs
        )
        equalized = metrics.directional_predictability_amplification(
            *args, equalize="expected", **kwargs
        )
        leakage = metrics.leakage_amplification(*args, **kwargs)
    gain = beta * (1 - alpha)
    return [
        alpha,
        beta,
        found.psi_data,
        found.psi_model,
        found.value,
        gain / (2 * alpha + gain),
        equalized,
        metrics.directional_bias_amplification(*args, **kwargs),
        leakage,
    ]


# -- speed --------------------------------------------------------------------------------------


def speed_table(n_rows: int = 1_000_000, n_times: int = 15) -> None:
    rng = np.random.default_rng(0)
    print(f"\n{n_rows:,} rows, 4 groups: seconds (best of {n_times}), and times counting them once")
    for kind, n_classes in (("integers", 2), ("integers", 10), ("texts", 2)):
        group, truth = rng.integers(0, 4, n_rows), rng.integers(0, n_classes, n_rows)
        pred = np.where(rng.random(n_rows) < 0.7, truth, group % n_classes)
        data = [group, truth, pred]
        if kind == "texts":
            data = [np.array([f"value {i}" for i in range(10)], dtype=object)[x] for x in data]
        _time_functions(f"{kind}, {n_classes} classes", *data, n_times)


def _time_functions(what: str, group, truth, pred, n_times: int) -> None:
    functions = {
        name: getattr(metrics, name)
        for name, metric in metrics.METRICS.items()
        if metric.family == "amplification"
    }
    calls = {"counting": GroupCounts.from_arrays} | functions
    best = dict.fromkeys(calls, np.inf)
    for _ in range(n_times):  # in turn, so that all meet the same load
        for name, function in calls.items():
            start = time.process_time()
            function(truth, pred, sensitive_features=group)
            best[name] = min(best[name], time.process_time() - start)
    print(f"  {what}")
    for name, seconds in best.items():
        print(f"    {name:44}{seconds:>8.4f}{seconds / best['counting']:>8.2f}")


def multi_label_table() -> None:
    print("\nCombinations of up to 4 of 80 labels, 40,000 rows: seconds and peak memory")
    for mean in (2.9, 5.0, 8.0):
        context = multiprocessing.get_context("spawn")  # a process of its own tells its peak
        with context.Pool(1) as pool:
            n_sets, seconds, before, peak = pool.apply(_count_combinations, (mean,))
        print(
            f"  {mean:.1f} labels a row: {n_sets:>10,} combinations{seconds:>8.2f} s"
            f"{peak:>8.0f} MiB at most, {before:.0f} MiB before"
        )


def _count_combinations(mean: float) -> tuple[int, float, float, float]:
    from skfairprop.metrics._label_sets import count_combinations

    rng = np.random.default_rng(0)
    share = rng.pareto(1.2, 80) + 0.2  # a few labels are common, most are rare
    share = np.minimum(share / share.sum() * mean, 0.6)
    share *= mean / share.sum()
    truth = (rng.random((40_000, 80)) < share).astype(np.int8)
    pred = np.where(rng.random(truth.shape) < 0.9, truth, rng.random(truth.shape) < share)
    group = rng.integers(0, 2, len(truth))
    before = _peak()
    start = time.process_time()
    metrics.multi_attribute_bias_amplification(truth, pred, sensitive_features=group, max_size=4)
    seconds, peak = time.process_time() - start, _peak()
    from scipy import sparse

    sets = [sparse.csr_matrix(v, dtype=np.int64) for v in (truth, pred)]
    n_sets = sum(len(p.labels) for p in count_combinations(*sets, group, 2, None, 4))
    return n_sets, seconds, before, peak


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with compas_two_years.csv.gz")
    parser.add_argument("--repeats", type=int, default=20, help="shuffles of the COMPAS folds")
    parser.add_argument("--only", choices=["compas", "digits", "speed", "labels"])
    args = parser.parse_args()
    if args.only in (None, "compas"):
        if args.data is None:
            parser.error("--data is needed for COMPAS; or pass --only digits, speed or labels")
        compas_table(args.data, args.repeats)
    tables = {"digits": digits_table, "speed": speed_table, "labels": multi_label_table}
    for name, table in tables.items():
        if args.only in (None, name):
            table()


if __name__ == "__main__":
    main()
