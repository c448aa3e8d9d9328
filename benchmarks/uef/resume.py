"""A search that is killed at random moments, and resumed in new processes."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

NEEDS_DATA = False
N_KILLS = 10
CHILD = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from scipy.stats import uniform
from uef.overhead import make_rows
from uef.workers import Waiting
from skfairprop.model_selection import UEFSearchCV
X, y, group = make_rows(400)
search = UEFSearchCV(
    Waiting(seconds=0.02), {{name: uniform(0, 1) for name in "abc"}},
    objectives=["balanced_accuracy", "demographic_parity_difference"],
    sensitive_features=group, n_evaluations={n}, cv=2, checkpoint={checkpoint!r},
    refit=False, random_state=0,
).fit(X, y)
search.pareto_front_.to_pickle({out!r})
"""


def start(n, checkpoint, out):
    """A process of its own that searches."""
    path = [str(Path(__file__).parents[1]), *filter(None, sys.path)]
    code = CHILD.format(n=n, checkpoint=checkpoint, out=str(out), path=path)
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", code])


def run(options):
    """Print how often it was killed, and whether the front is the same."""
    n, n_kills = (40, 3) if options.quick else (240, N_KILLS)
    rng = np.random.default_rng()
    with tempfile.TemporaryDirectory() as folder:
        whole, pieces = Path(folder, "whole.pkl"), Path(folder, "pieces.pkl")
        start_up = time_of(start(2, None, whole))
        took = time_of(start(n, None, whole))
        checkpoint = Path(folder, "checkpoint")
        killed, sizes = 0, []
        while killed < n_kills:
            child = start(n, str(checkpoint), pieces)
            # at any moment from the end of its imports on
            time.sleep(start_up + rng.uniform(0, 0.8 * (took - start_up) / n_kills))
            if child.poll() is not None:
                break
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            killed += 1
            sizes.append(size_of(checkpoint))
        start(n, str(checkpoint), pieces).wait()
        same = pd.read_pickle(whole).equals(pd.read_pickle(pieces))
    print(
        f"{n} candidates, killed {killed} times (SIGKILL); bytes of the checkpoint after each: "
        f"{sizes}\nthe front is identical to that of one run: {same}"
    )


def time_of(process):
    """Seconds until a process ends."""
    began = time.perf_counter()
    process.wait()
    return time.perf_counter() - began


def size_of(path):
    """Bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())
