"""What inducing, reweighting and the propagation study cost.

    python benchmarks/bench_induction.py [--rows 1000000]

1. Inducing bias in a million rows (35 cells), as a multiple of one ``np.argsort`` of the combined
   codes (target: 3); with the selection of the rows of X, and with strings, beside it.
2. Reweighing the same rows.
3. The study's own time, all but fitting and predicting, as a share of these (target: 5 %), on Adult
   with a logistic regression on one-hot columns, for income and for the five commonest jobs. It is
   some 30 ms a fit, so that the share depends on how long a fit takes.

All times are the smallest of several, measured side by side in one run. Set OMP_NUM_THREADS=1 to
keep other threads out of them.
"""

import argparse
import time

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfairprop.datasets import load_adult
from skfairprop.model_selection import bias_propagation
from skfairprop.preprocessing import BiasInducer, Reweighter

N_GROUPS, N_CLASSES = 5, 7
METRICS = ["demographic_parity", "equal_opportunity", "term_by_term_equalized_odds"]


def fastest(*calls, repeats: int = 7) -> list[float]:
    """Smallest seconds of each call, taken in turns."""
    best = [np.inf] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def induction_table(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    groups, y = rng.integers(0, N_GROUPS, n_rows), rng.integers(0, N_CLASSES, n_rows)
    codes = groups * N_CLASSES + y
    names = np.array(list("abcde"), dtype=object)[groups]
    labels = np.array(list("tuvwxyz"), dtype=object)[y]
    wide = rng.random((n_rows, 10))
    inducer = BiasInducer(target_group=0, f=0.4, random_state=0)
    by_name = BiasInducer(target_group="a", f=0.4, random_state=0)
    reweighter = Reweighter()
    rows = {
        "np.argsort of the combined codes": lambda: np.argsort(codes),
        "inducing, integer labels": lambda: inducer.fit_resample(y, y, sensitive_features=groups),
        "inducing, and X of 10 columns": lambda: inducer.fit_resample(
            wide, y, sensitive_features=groups
        ),
        "inducing, string labels": lambda: by_name.fit_resample(
            y, labels, sensitive_features=names
        ),
        "reweighing, integer labels": lambda: reweighter.compute_sample_weight(y, groups),
    }
    seconds = fastest(*rows.values())
    print(f"{n_rows:,} rows, {N_GROUPS * N_CLASSES} cells")
    for name, value in zip(rows, seconds, strict=True):
        print(f"  {name:<34}{value * 1e3:9.1f} ms{value / seconds[0]:7.2f} x argsort")


def study_table() -> None:
    adult = load_adult()
    X = adult.data
    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_exclude="number")
    logistic = make_pipeline(
        make_column_transformer(
            (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), texts)
        ),
        LogisticRegression(max_iter=200),
    )
    inducer = BiasInducer("stereotypical", target_group="Female", target_classes=[">50K"])
    jobs = load_adult(target="occupation")
    job_inducer = BiasInducer(
        "stereotypical",
        target_group="Female",
        target_classes=["Sales"],
        classes=["Adm-clerical", "Exec-managerial", "Other-service", "Prof-specialty", "Sales"],
    )
    print(f"\nThe study's own time on Adult, {len(X):,} rows, 11 factors, 1 repeat")
    for name, data, one in (("income", adult, inducer), ("occupation", jobs, job_inducer)):
        start = time.perf_counter()
        result = bias_propagation(
            logistic,
            data.data,
            data.target,
            sensitive_features=data.sensitive_features["sex"],
            inducer=one,
            n_repeats=1,
            model_metrics=METRICS,
            random_state=0,
        )
        total = time.perf_counter() - start
        models = result.runs[["fit_time", "score_time"]].to_numpy().sum()
        own = total - models
        print(
            f"  {name} ({len(result.model_counts.classes)} classes): fitting and predicting "
            f"{models:6.2f} s, own time {own:5.2f} s, {own / models:.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    induction_table(parser.parse_args().rows)
    study_table()


if __name__ == "__main__":
    main()
