"""How long does an audit take, and how much memory?

    python benchmarks/bench_audit.py           # a minute or two
    python benchmarks/bench_audit.py --quick   # one run of each, 100,000 rows

The first table: the default audit (German credit, logistic regression, report included) as a
process of its own, beside a process that only imports the same libraries, and the time to fit and
predict the same model out of fold in an ordinary pipeline. Target: the audit within 3 times the
model plus the imports. All as it is once installed: a first run compiles modules and templates,
even where PYTHONDONTWRITEBYTECODE is set. The second: an audit of 1,000,000 rows by 3 protected
columns with given predictions. Target: 15 s and 2 GiB.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

IMPORTS = """
import numpy, pandas, scipy.stats, jinja2
import sklearn.compose, sklearn.ensemble, sklearn.impute, sklearn.linear_model
import sklearn.model_selection, sklearn.pipeline, sklearn.preprocessing
import skfairprop.report._commands, skfairprop.datasets
"""
MILLION = 1_000_000


def seconds_of(command: list[str], repeats: int, cwd: str) -> tuple[float, float]:
    """Wall and CPU seconds of a process, the best of some after a first."""
    keep = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    walls, cpus = [], []
    for _ in range(repeats + 1):
        before, started = cpu_of_children(), time.perf_counter()
        subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL, env=keep)
        walls.append(time.perf_counter() - started)
        cpus.append(cpu_of_children() - before)
    return min(walls[1:]), min(cpus[1:])


def cpu_of_children() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds_of_model(repeats: int) -> tuple[float, float]:
    """Wall and CPU seconds to fit and predict the model out of fold, the best after a first."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    from skfairprop.datasets import load_german_credit

    frame = load_german_credit().frame
    X, y = frame.drop(columns="credit"), frame["credit"]
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (encode, make_column_selector(dtype_exclude="number")),
    )
    model = make_pipeline(columns, LogisticRegression(max_iter=1000))
    walls, cpus = [], []
    for _ in range(repeats + 1):
        before, started = time.process_time(), time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cross_val_predict(model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
        walls.append(time.perf_counter() - started)
        cpus.append(time.process_time() - before)
    return min(walls), min(cpus)


def write_rows(path: Path, n: int) -> None:
    """A table with three protected columns, a target and predictions."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], n),
            "race": rng.choice(["a", "b", "c", "d", "e"], n, p=[0.6, 0.2, 0.1, 0.06, 0.04]),
            "age": rng.integers(18, 80, n),
            "y": y,
            "pred": np.where(rng.random(n) < 0.8, y, 1 - y),
        }
    ).to_csv(path, index=False)


def bench_default(repeats: int, cwd: str) -> None:
    audit = seconds_of([sys.executable, "-m", "skfairprop", "audit", "--out", "a"], repeats, cwd)
    imports = seconds_of([sys.executable, "-c", IMPORTS], repeats, cwd)
    model = seconds_of_model(repeats)
    print(f"{'default audit':40s}{'wall s':>8s}{'CPU s':>8s}")
    for what, (wall, cpu) in (("audit", audit), ("imports", imports), ("model", model)):
        print(f"  {what:36s}{wall:10.2f}{cpu:8.2f}")
    ratios = [(a - i) / m for a, i, m in zip(audit, imports, model, strict=True)]
    print(f"  {'(audit - imports) / model':36s}{ratios[0]:10.2f}{ratios[1]:8.2f}   target 3")


def bench_rows(n: int, cwd: str) -> None:
    path = Path(cwd) / "rows.csv"
    write_rows(path, n)
    given = ["--target", "y", "--pred", "pred"]
    for column in ("sex", "race", "age:30,50"):
        given += ["--sensitive", column]
    command = [sys.executable, "-m", "skfairprop", "audit", str(path), *given, "--out", "b"]
    wall, cpu = seconds_of(command, 1, cwd)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"\n{n:,} rows x 3 protected columns, predictions given")
    print(f"  {'seconds':36s}{wall:10.2f}{cpu:8.2f}   target 15")
    print(f"  {'peak memory, GiB':36s}{memory:10.2f}           target 2")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one run of each, 100,000 rows")
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as cwd:
        bench_default(1 if args.quick else 5, cwd)
        bench_rows(MILLION // 10 if args.quick else MILLION, cwd)


if __name__ == "__main__":
    main()
