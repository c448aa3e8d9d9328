"""What inference costs, beside one draw of null tables and fairlearn's bootstrap.

    python benchmarks/bench_inference.py            # some two minutes
    python benchmarks/bench_inference.py --quick    # without fairlearn and the million rows

Every ratio is of two times measured in this run, the best of a few repetitions of each; processor
time, so that what else runs on the machine counts little.
"""

import argparse
import resource
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import random_table

from skfairprop import GroupCounts
from skfairprop.inference import MetricCall, infer
from skfairprop.metrics import METRICS


def simulate_counts(n_groups: int, n_classes: int, n_rows: int) -> GroupCounts:
    rng = np.random.default_rng(0)
    shape = (n_groups, n_classes, n_classes)
    shares = rng.dirichlet(np.full(np.prod(shape), 20.0))
    values = rng.multinomial(n_rows, shares).reshape(shape)
    return GroupCounts(values, groups=range(n_groups), classes=range(n_classes))


def simulate_rows(n_rows: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two protected columns of 2 and 5 values, true and predicted binary labels."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {"sex": rng.integers(2, size=n_rows), "age": rng.integers(5, size=n_rows)}
    )
    y_true = rng.integers(2, size=n_rows)
    return people, y_true, np.where(rng.random(n_rows) < 0.75, y_true, 1 - y_true)


def count_metrics() -> dict[str, MetricCall]:
    return {
        name: MetricCall(metric, pos_label=1 if metric.needs_positive else None)
        for name, metric in METRICS.items()
        if metric.counts_suffice
    }


def best_time(function, repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def against_one_draw() -> None:
    counts, calls = simulate_counts(10, 2, 100_000), count_metrics()
    table = counts.values.reshape(counts.n_groups, -1)
    null = random_table(table.sum(1), table.sum(0))
    draw = best_time(lambda: null.rvs(1000, random_state=0), 20)
    one = best_time(lambda: infer(counts, ["demographic_parity_difference"], random_state=0), 10)
    everything = best_time(lambda: infer(counts, calls, random_state=0), 10)
    print("10 groups, 2 classes, n = 100,000, 1,000 replicates in each set")
    print(f"  one draw of 1,000 independence null tables {draw * 1e3:8.1f} ms")
    print(f"  inference of one metric                    {one * 1e3:8.1f} ms  {one / draw:5.1f} x")
    print(
        f"  inference of all {len(calls)} count metrics         {everything * 1e3:8.1f} ms  "
        f"{everything / draw:5.1f} x  (target: under 60)"
    )


def large_table() -> None:
    counts = simulate_counts(100, 5, 100_000)
    seconds = best_time(lambda: infer(counts, count_metrics(), random_state=0), 1)
    # kilobytes on Linux, bytes on macOS
    unit = 1024**2 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    print("100 groups, 5 classes, n = 100,000, all count metrics")
    print(
        f"  {seconds:.1f} s (target: under 10), peak memory {peak:,.0f} MiB (target: under 1,024)"
    )


def growing_data() -> None:
    """Two attributes and their intersection, every metric, from rows to intervals."""

    def report(n_rows):
        people, y_true, y_pred = simulate_rows(n_rows)

        def run():
            counts = GroupCounts.from_arrays(y_true, y_pred, sensitive_features=people)
            for view in (counts, counts.collapse("sex"), counts.collapse("age")):
                infer(view, count_metrics(), random_state=0)

        return best_time(run)

    small, large = report(10_000), report(1_000_000)
    print("two attributes and their intersection, from rows, all count metrics")
    print(
        f"  n = 10,000: {small * 1e3:,.0f} ms   n = 1,000,000: {large * 1e3:,.0f} ms   "
        f"{large / small:.2f} x  (target: within 3)"
    )


def beside_fairlearn() -> None:
    from fairlearn import metrics as fl

    people, y_true, y_pred = simulate_rows(10_000)
    names = {
        "selection_rate": fl.selection_rate,
        "count": fl.count,
        "mean_prediction": fl.mean_prediction,
        "tpr": fl.true_positive_rate,
        "fpr": fl.false_positive_rate,
        "tnr": fl.true_negative_rate,
        "fnr": fl.false_negative_rate,
        "true_count": fl.count,
        "positive_share": fl.selection_rate,
        "mean": fl.mean_prediction,
    }
    frame = partial(
        fl.MetricFrame,
        metrics=names,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=people,
        n_boot=100,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    )
    theirs = best_time(frame, 1)
    ten = dict(list(count_metrics().items())[-10:])

    def ours():
        counts = GroupCounts.from_arrays(y_true, y_pred, sensitive_features=people)
        return infer(counts, ten, random_state=0)

    mine = best_time(ours)
    print("n = 10,000, 10 groups, ten metrics, from rows")
    print(f"  fairlearn MetricFrame, n_boot=100            {theirs:8.2f} s")
    print(f"  this package, 1,000 replicates in each set   {mine:8.2f} s  ({theirs / mine:,.0f} x)")


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args(argv)
    against_one_draw()
    large_table()
    if not args.quick:
        growing_data()
        beside_fairlearn()
    return 0


if __name__ == "__main__":
    sys.exit(main())
