"""Is UEFSearchCV worth its time, and does what it finds hold on data that it never saw?

    python benchmarks/bench_uef.py search --data DIR      # a quarter of an hour a seed and model
    python benchmarks/bench_uef.py all --quick --data DIR # a few minutes, small numbers of rows

DIR holds adult, compas_two_years, nc_recidivism_1980 and german_credit as .csv.gz. Parts, each of
which runs by itself:

search
    Adult (8,000 rows), COMPAS, North Carolina recidivism 1980 without the columns that are known
    only after the outcome, and German credit; 60 % of the rows to search on, 40 % to test on.
    Hypervolume on the data of the search, under one reference, beside random search with the
    threshold in the space and with the sweep, at equal fits; the transfer R2t, the mean over 66
    preferences of the test loss of the point that each prefers on the data of the search; the gap
    of the chosen point on the test split, beside the plain model's with a tuned threshold; constant
    predictors. Six strengths of reweighing with the sweep, and no search, stand beside it.
explain
    Share of candidates that are explained, and the hypervolume beside explaining all of them.
table
    The paper's Table I with its network: UEF, plain, RW (ours), RD and ADL (fairlearn's).
overhead
    What the search itself costs a candidate.
workers
    Two workers beside one, on evaluations of 50 ms.
resume
    Killed at ten random moments and resumed in new processes: is the front the same to the bit?
"""

import argparse
import importlib
import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

PARTS = ("search", "explain", "table", "overhead", "workers", "resume")


def main(argv=None):
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", default="all", choices=("all", *PARTS))
    parser.add_argument("--quick", action="store_true", help="few rows, fits and seeds")
    parser.add_argument("--data", type=Path, help="folder of the data; needed by three parts")
    parser.add_argument("--seeds", type=int, help="number of seeds (5; quick: 1)")
    parser.add_argument("--only", help="data sets, such as adult,compas")
    parser.add_argument("--models", default="lr", help="of part search: lr,hgb")
    parser.add_argument("--evaluations", help="fits of a search (60,150; quick: 14)")
    options = parser.parse_args(argv)
    options.seeds = options.seeds or (1 if options.quick else 5)
    options.only = (options.only or "adult,compas,nc,german").split(",")
    options.models = options.models.split(",")
    fits = options.evaluations or ("14" if options.quick else "60,150")
    options.evaluations = [int(n) for n in fits.split(",")]
    warnings.simplefilter("ignore")
    for part in PARTS if options.part == "all" else (options.part,):
        module = importlib.import_module(f"uef.{part}")
        if getattr(module, "NEEDS_DATA", True) and options.data is None:
            parser.error(f"part {part} needs --data DIR")
        print(f"\n== {part} ==")
        module.run(options)


if __name__ == "__main__":
    main()
