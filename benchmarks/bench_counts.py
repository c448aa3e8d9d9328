"""What counting costs beside the least that it can cost: combined codes and one ``np.bincount``.

    python benchmarks/bench_counts.py            # some 20 seconds
    python benchmarks/bench_counts.py --quick    # fewer rounds

One thread. Times are CPU times, the two sides run in turn, and the ratio is the median over the
rounds. For strings the least includes ``pd.factorize`` of the same columns. The last column says
whether the target is met; the program exits with 1 if one is not.
"""

import argparse
import os
import statistics
import sys
import time
import tracemalloc

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from skfairprop import GroupCounts
from skfairprop.metrics import demographic_parity_difference

N, GROUPS, CLASSES = 1_000_000, 10, 2


def cpu_seconds(function) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def ratio(ours, least, rounds: int) -> tuple[float, float, float]:
    """Median ratio and times of two functions that run in turn."""
    ours()
    least()
    pairs = [(cpu_seconds(ours), cpu_seconds(least)) for _ in range(rounds)]
    return (
        statistics.median(a / b for a, b in pairs),
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
    )


def peak_bytes(function) -> int:
    """The most memory that a call holds beside what was there before."""
    function()
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def combine_and_count(group, true, pred):
    return np.bincount((group * CLASSES + true) * CLASSES + pred, minlength=GROUPS * CLASSES**2)


def factorize_and_count(group, true, pred):
    return combine_and_count(*(pd.factorize(column)[0] for column in (group, true, pred)))


def inputs(n: int):
    """Codes, and the same columns as strings in each of the types that pandas has for them."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(size, size=n) for size in (GROUPS, CLASSES, CLASSES)]
    names = [np.array([f"group {i}" for i in range(GROUPS)], dtype=object)]
    names += [np.array(["no", "yes"], dtype=object)] * 2
    objects = [names[i][code] for i, code in enumerate(codes)]
    strings = [pd.Series(column, dtype="str") for column in objects]
    return codes, objects, strings


def metric(group, true, pred, **options):
    return demographic_parity_difference(true, pred, sensitive_features=group, **options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    args = parser.parse_args()
    rounds = 3 if args.quick else 15
    codes, objects, strings = inputs(N)
    labels = {"groups": range(GROUPS), "classes": range(CLASSES)}

    def from_codes():
        return GroupCounts.from_codes(*codes, **labels)

    def on_integers():
        return metric(*codes)

    def on_objects():
        return metric(*objects, pos_label="yes")

    def on_strings():
        return metric(*strings, pos_label="yes")

    speed = [  # name, ours, the least, target
        ("from_codes", from_codes, lambda: combine_and_count(*codes), 1.5),
        ("metric of integers", on_integers, lambda: combine_and_count(*codes), 4.0),
        ("metric of object strings", on_objects, lambda: factorize_and_count(*objects), 1.5),
        ("metric of pandas strings", on_strings, lambda: factorize_and_count(*strings), 1.5),
    ]
    met = True
    print(f"{N:,} rows, {GROUPS} groups, {CLASSES} classes; CPU time, median of {rounds} rounds\n")
    print(f"{'':26s}{'ms':>8s}{'least ms':>10s}{'ratio':>7s}{'target':>8s}")
    for name, ours, theirs, target in speed:
        found, a, b = ratio(ours, theirs, rounds)
        met &= found <= target
        verdict = "met" if found <= target else "MISSED"
        print(f"{name:26s}{a * 1e3:8.1f}{b * 1e3:10.1f}{found:7.2f}{target:8.1f}  {verdict}")
    print(f"\n{'extra memory':26s}{'bytes a row':>18s}{'':7s}{'target':>8s}")
    for name, ours, *_ in speed:
        found = peak_bytes(ours) / N
        met &= found <= 16
        print(f"{name:26s}{found:18.1f}{'':7s}{16:8d}  {'met' if found <= 16 else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
