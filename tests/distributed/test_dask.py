"""On a Dask cluster of two worker processes: the same results, also when a worker dies."""

import _thread
import threading
import time
import warnings

import pytest
from joblib import parallel_config

from tests.distributed import work

distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    """Gives a fit up when two workers have died of it; Dask's own limit is four."""
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        with cluster, distributed.Client(cluster) as client:
            yield client


@pytest.fixture
def client(cluster):
    """Both workers are there again, if one has died."""
    cluster.wait_for_workers(2, timeout=60)
    return cluster


@pytest.mark.parametrize("name", work.WORK)
def test_results_are_those_of_one_process(client, name):
    run, same = work.WORK[name]
    with parallel_config(backend="dask"):
        there = run(n_jobs=2)
    same(run(), there)


def test_a_worker_that_is_killed_costs_a_study_nothing(client, tmp_path):
    folder, path = tmp_path / "fits", tmp_path / "study.jsonl"
    model = work.deadly(folder, "one")
    with parallel_config(backend="dask"):
        there = work.study(model, n_jobs=2, checkpoint=path)
    assert (folder / "deaths").read_text() == "none"
    assert len(path.read_text().splitlines()) == 1 + 6
    work.same_study(work.study(), there)


def test_a_search_goes_on_from_its_checkpoint(client, tmp_path):
    """Rows that joblib had sent to the dead worker alone are gone: then it fails, and says so."""
    folder, path = tmp_path / "fits", tmp_path / "search.jsonl"
    model = work.deadly(folder, "one")
    with parallel_config(backend="dask"):
        try:
            there = work.search(model, n_jobs=2, checkpoint=path)
        except distributed.CancelledError:
            client.wait_for_workers(2, timeout=60)
            there = work.search(model, n_jobs=2, checkpoint=path)
    assert (folder / "deaths").read_text() == "none"
    assert len(path.read_text().splitlines()) == 1 + 8
    work.same_search(work.search(), there)


def test_what_is_finished_outlives_a_study_that_cannot_end(client, tmp_path):
    """joblib waits for ever for a fit that Dask has given up; the user interrupts, and goes on."""
    folder, path = tmp_path / "fits", tmp_path / "study.jsonl"
    model = work.deadly(folder, "all")
    watch = threading.Thread(target=interrupt_after_a_death, args=(folder, path), daemon=True)
    watch.start()
    with parallel_config(backend="dask"), pytest.raises(KeyboardInterrupt):
        work.study(model, n_jobs=2, checkpoint=path)
    kept = path.read_text().splitlines()[1:]
    assert 1 <= len(kept) < 6
    (folder / "deaths").write_text("none")
    before = len(list(folder.glob("fit-*")))
    again = work.study(model, checkpoint=path)
    assert len(list(folder.glob("fit-*"))) - before == 6 - len(kept)
    work.same_study(work.study(), again)


def interrupt_after_a_death(folder, path) -> None:
    while not ((folder / "died").exists() and path.exists() and path.read_text().count("\n") > 1):
        time.sleep(0.05)
    _thread.interrupt_main()
