"""Counts made where the data are: engines against their own group-by, and 1e8 rows in a file.

    python benchmarks/bench_engines.py            # some 10 minutes and 1 GB in a temporary folder
    python benchmarks/bench_engines.py --quick    # 1e5 and 1e6 rows
    python benchmarks/bench_engines.py --data DIR # where the temporary files go

Each line runs in a process of its own. "peak" is the most memory that it held (VmHWM), with the
imports and, in the first table, the data themselves (PySpark's are in Java, and not counted);
"imports" is what there is before any data. Times are the better of two.
The peer of an engine is the shortest query in its own words that counts the same cells, without
weights, checks and policies. The first table is of texts, integers with nulls, weights and three
protected columns; all engines must give the same table. The program exits with 1 if they do not, or
if a target is missed: 1 GiB, and twice the time of the peer, on the large file.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

KEYS = ["sex", "age", "region", "y", "pred"]
NAMES = {"y_true": "y", "y_pred": "pred", "sensitive_features": ["sex", "age", "region"]}
ENGINES = ["pandas", "polars", "polars lazy", "pyarrow", "duckdb", "dask", "ibis", "pyspark"]
FILE_ENGINES = ["polars", "duckdb", "pyarrow"]
CHUNK = 1_000_000
GIB = 1024**2  # in kB, as the kernel counts


# -- data ---------------------------------------------------------------------------------------


def write(path: Path, n: int) -> None:
    """People in row groups of a million: texts with nulls, integers with nulls, and weights."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n, CHUNK):
        m = min(CHUNK, n - start)
        group = rng.integers(0, 2, m)
        y = rng.integers(0, 2, m)
        table = pa.table(
            {
                "sex": pa.DictionaryArray.from_arrays(
                    pa.array(group, mask=rng.random(m) < 0.02), ["female", "male"]
                ).cast(pa.string()),
                "age": pa.array(rng.choice([20, 30, 40, 50, 60], m), mask=rng.random(m) < 0.02),
                "region": pa.DictionaryArray.from_arrays(
                    rng.integers(0, 4, m), ["north", "east", "south", "west"]
                ).cast(pa.string()),
                "y": y,
                "pred": np.where(rng.random(m) < 0.8 - 0.1 * group, y, 1 - y),
                "weight": rng.integers(1, 9, m) / 4,
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def load(engine: str, path: str):
    """The file as a frame of an engine; lazy ones read it later."""
    if engine == "pandas":
        import pandas as pd

        return pd.read_parquet(path)
    if engine in ("polars", "polars lazy"):
        import polars as pl

        return pl.read_parquet(path) if engine == "polars" else pl.scan_parquet(path)
    if engine == "pyarrow":
        import pyarrow.parquet as pq

        return pq.read_table(path)
    if engine == "duckdb":
        import duckdb

        return duckdb.read_parquet(path)
    if engine == "dask":
        import dask.dataframe as dd

        return dd.read_parquet(path)
    if engine == "ibis":
        import ibis

        return ibis.duckdb.connect().read_parquet(path)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    return session.read.parquet(path)


def bare(engine: str, frame) -> None:
    """The peer: the cells of the keys, counted in the engine's own words."""
    if engine == "pandas":
        frame.groupby(KEYS, dropna=False).size()
    elif engine == "polars":
        frame.group_by(KEYS).len()
    elif engine == "polars lazy":
        frame.group_by(KEYS).len().collect(engine="streaming")
    elif engine == "pyarrow":
        frame.group_by(KEYS).aggregate([([], "count_all")])
    elif engine == "duckdb":
        frame.aggregate(", ".join([*KEYS, "count(*)"])).fetchall()
    elif engine == "dask":
        frame.groupby(KEYS, dropna=False).size().compute()
    elif engine == "ibis":
        frame.group_by(KEYS).agg(n=frame.count()).to_pyarrow()
    else:
        frame.groupBy(*KEYS).count().collect()


# -- one measurement, in a process of its own ---------------------------------------------------


def high_water() -> int:
    """The most memory of this process so far, in kB."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def measure(job: dict) -> dict:
    import warnings

    warnings.simplefilter("ignore")
    from skfairprop import GroupCounts

    engine, path = job["engine"], job["path"]
    before = high_water()
    settings = {**NAMES, "missing": "group"}
    counts = None
    if job["what"] == "frame":
        frame = load(engine, path)
        seconds, counts = timed(lambda: GroupCounts.from_frame(frame, **settings))
        settings["sample_weight"] = "weight"
        extra, weighted = timed(lambda: GroupCounts.from_frame(frame, **settings))
        return {
            "seconds": seconds,
            "weighted": extra,
            "peer": timed(lambda: bare(engine, frame))[0],
            "imports": before,
            "peak": high_water(),
            "table": digest(counts) + digest(weighted),
        }
    start = time.perf_counter()
    if job["what"] == "file":
        counts = GroupCounts.from_parquet(path, **settings, engine=engine)
    else:
        lazy = {"polars": "polars lazy"}.get(engine, engine)
        bare(lazy, load(lazy, path))
    return {
        "seconds": time.perf_counter() - start,
        "peak": high_water(),
        "imports": before,
        "table": "" if counts is None else digest(counts),
    }


def timed(function) -> tuple:
    """The better of two times, and the last result."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        found = function()
        seconds.append(time.perf_counter() - start)
    return min(seconds), found


def digest(counts) -> str:
    """Of labels, counts and squares: the same where all is the same; 20 and 20.0 are one label."""
    parts = [counts.group_texts, counts.classes.tolist(), counts.values.tolist()]
    parts.append(None if counts.squared is None else counts.squared.tolist())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def run(**job) -> dict:
    """Run a measurement; {"error": ...} where the engine is not installed or fails."""
    done = subprocess.run(
        [sys.executable, __file__, "--job", json.dumps(job)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1][:70]}
    return json.loads(done.stdout.strip().splitlines()[-1])


# -- tables -------------------------------------------------------------------------------------


def frames(path: Path, n: int) -> bool:
    print(f"{n:,} rows, three protected columns with nulls, two classes; times in seconds")
    head = f"{'engine':12s}{'counts':>9s}{'weighted':>10s}{'own group-by':>14s}{'ratio':>8s}"
    print(f"{head}{'peak MB':>9s}{'imports':>9s}  table")
    tables = set()
    for engine in ENGINES:
        found = run(what="frame", engine=engine, path=str(path))
        if "error" in found:
            print(f"{engine:12s}  not run: {found['error']}")
            continue
        tables.add(found["table"])
        print(
            f"{engine:12s}{found['seconds']:9.2f}{found['weighted']:10.2f}{found['peer']:14.2f}"
            f"{found['seconds'] / found['peer']:8.2f}{found['peak'] / 1024:9.0f}"
            f"{found['imports'] / 1024:9.0f}  {found['table']}"
        )
    print(f"equal tables: {'yes' if len(tables) == 1 else 'NO'}\n")
    return len(tables) == 1


def files(path: Path, n: int, rounds: int) -> bool:
    size = path.stat().st_size / 1024**2
    print(f"{n:,} rows in a Parquet file of {size:,.0f} MB; best of {rounds}")
    print(
        f"{'engine':12s}{'from_parquet':>14s}{'own group-by':>14s}{'ratio':>8s}{'peak MB':>9s}  met"
    )
    fine, tables = True, set()
    for engine in FILE_ENGINES:
        ours = [run(what="file", engine=engine, path=str(path)) for _ in range(rounds)]
        if "error" in ours[0]:
            print(f"{engine:12s}  not run: {ours[0]['error']}")
            continue
        tables.add(ours[0]["table"])
        seconds, peak = min(o["seconds"] for o in ours), max(o["peak"] for o in ours)
        line, met = f"{engine:12s}{seconds:14.2f}", peak < GIB
        if engine == "pyarrow":  # it has no group-by that does not hold all rows
            line += f"{'':22s}"
        else:
            peers = [run(what="bare", engine=engine, path=str(path)) for _ in range(rounds)]
            peer = min(p["seconds"] for p in peers)
            line += f"{peer:14.2f}{seconds / peer:8.2f}"
            met = met and seconds < 2 * peer
        fine = fine and met
        print(f"{line}{peak / 1024:9.0f}  {'yes' if met else 'NO'}")
    print(f"equal tables: {'yes' if len(tables) == 1 else 'NO'}")
    return fine and len(tables) == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", help="folder for the temporary files")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        print(json.dumps(measure(json.loads(args.job))))
        return 0
    small, large = (100_000, 1_000_000) if args.quick else (2_000_000, 100_000_000)
    folder = Path(tempfile.mkdtemp(prefix="bench_engines_", dir=args.data))
    try:
        need = 20 * large
        if shutil.disk_usage(folder).free < need:
            print(f"{folder}: {need / 1024**3:.0f} GiB of free space are needed", file=sys.stderr)
            return 2
        write(folder / "small.parquet", small)
        same = frames(folder / "small.parquet", small)
        write(folder / "large.parquet", large)
        fine = files(folder / "large.parquet", large, 1 if args.quick else 3)
    finally:
        shutil.rmtree(folder)
    return 0 if same and fine else 1


if __name__ == "__main__":
    sys.exit(main())
