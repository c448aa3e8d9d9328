"""What metrics cost: beside fairlearn on many rows, and with many groups.

    python benchmarks/bench_metrics.py            # some minutes, most of them fairlearn's
    python benchmarks/bench_metrics.py --quick    # 200,000 rows and one round

One thread. The two sides run in turn on the same data, 10 groups of strings; times are CPU times
and the ratio is the median over the rounds. Values are compared before times are. The program
exits with 1 if a target is not met.
"""

import argparse
import os
import statistics
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from fairlearn import metrics as fl
from sklearn import metrics as sk

from skfairprop import GroupCounts
from skfairprop.metrics import bias_estimations, demographic_parity_difference, evaluate

# Ours, and the function whose difference between groups fairlearn's MetricFrame takes.
EIGHT = {
    "demographic_parity_difference": fl.selection_rate,
    "equal_opportunity_difference": fl.true_positive_rate,
    "false_positive_rate_difference": fl.false_positive_rate,
    "false_negative_rate_difference": fl.false_negative_rate,
    "estimation_specificity": fl.true_negative_rate,
    "accuracy_difference": sk.accuracy_score,
    "precision_difference": sk.precision_score,
    "estimation_balance_residuals": sk.zero_one_loss,
}


def cpu_seconds(function):
    start = time.process_time()
    value = function()
    return time.process_time() - start, value


def data(n: int, n_groups: int):
    rng = np.random.default_rng(0)
    group = np.array([f"group {i}" for i in range(n_groups)], dtype=object)
    group = group[rng.integers(n_groups, size=n)]
    true = rng.integers(2, size=n)
    pred = np.where(rng.random(n) < 0.8, true, 1 - true)
    return true, pred, group


def eight_of_ours(true, pred, group):
    counts = GroupCounts.from_arrays(true, pred, sensitive_features=group)
    return [evaluate(counts, name) for name in EIGHT]


def eight_of_fairlearn(true, pred, group):
    frame = fl.MetricFrame(metrics=EIGHT, y_true=true, y_pred=pred, sensitive_features=group)
    return frame.difference().tolist()


def one_of_ours(true, pred, group):
    return [demographic_parity_difference(true, pred, sensitive_features=group)]


def one_of_fairlearn(true, pred, group):
    return [fl.demographic_parity_difference(true, pred, sensitive_features=group)]


def beside_fairlearn(n: int, rounds: int) -> bool:
    rows = data(n, 10)
    met = True
    print(f"{n:,} rows, 10 groups of strings; CPU time, median of {rounds} rounds\n")
    print(f"{'':32s}{'ours s':>9s}{'fairlearn s':>13s}{'times':>7s}{'target':>8s}")
    for name, ours, theirs, target in (
        ("8 metrics", eight_of_ours, eight_of_fairlearn, 500),
        ("demographic_parity_difference", one_of_ours, one_of_fairlearn, 80),
    ):
        ours(*rows)
        times = []
        for _ in range(rounds):
            (a, found), (b, expected) = (cpu_seconds(lambda f=f: f(*rows)) for f in (ours, theirs))
            np.testing.assert_allclose(found, expected, atol=1e-12)
            times.append((a, b))
        ratio = statistics.median(b / a for a, b in times)
        met &= ratio >= target
        a, b = (statistics.median(side) for side in zip(*times, strict=True))
        verdict = "met" if ratio >= target else "MISSED"
        print(f"{name:32s}{a:9.4f}{b:13.2f}{ratio:7.0f}{target:8d}  {verdict}")
    return met


def with_many_groups(rounds: int) -> bool:
    true, pred, group = data(20_000, 20_000)
    met = True
    print(f"\n{'20,000 groups on 20,000 rows':32s}{'s':>9s}{'':20s}{'target':>8s}")
    for name, function, target in (
        (
            "demographic_parity_difference",
            lambda: demographic_parity_difference(true, pred, sensitive_features=group),
            1,
        ),
        (
            "all 21 estimations",
            lambda: bias_estimations(true, pred, sensitive_features=group, y_score=pred * 0.5),
            5,
        ),
    ):
        seconds = statistics.median(cpu_seconds(function)[0] for _ in range(rounds))
        met &= seconds <= target
        verdict = "met" if seconds <= target else "MISSED"
        print(f"{name:32s}{seconds:9.3f}{'':20s}{target:8d}  {verdict}")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="200,000 rows and one round")
    args = parser.parse_args()
    n, rounds = (200_000, 1) if args.quick else (1_000_000, 3)
    met = beside_fairlearn(n, rounds)
    return 0 if with_many_groups(rounds) and met else 1


if __name__ == "__main__":
    sys.exit(main())
