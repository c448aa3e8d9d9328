"""On a Dask cluster of two worker processes: the same results, also when a worker dies."""

import gc
import multiprocessing
import os
import signal
from contextlib import ExitStack, suppress

import pytest
from joblib import parallel_config

from tests.distributed import work

distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms here"),
    pytest.mark.filterwarnings("ignore"),  # of Dask, in threads of its own
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Gives a fit up when two workers have died of it; Dask's own limit is four."""
    import dask

    settings = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.comm.timeouts.connect": "60s",
    }
    before = set(multiprocessing.active_children())
    stack = ExitStack()
    stack.enter_context(dask.config.set(settings))
    try:
        with work.within(90):
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=2,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    memory_limit=0,  # no worker is killed but by a test
                    local_directory=tmp_path_factory.mktemp("dask"),
                )
            )
            client = stack.enter_context(distributed.Client(cluster))
            client.wait_for_workers(2, timeout=60)
    except (Exception, work.Late) as exc:
        _end(stack, before)
        pytest.skip(f"no Dask cluster can be started here: {type(exc).__name__}: {exc}")
    yield client
    _end(stack, before)


def _end(stack, before) -> None:
    """Close the cluster; whatever it leaves behind is killed, and its warnings come here."""
    with suppress(Exception, work.Late), work.within(60):
        stack.close()
    for process in set(multiprocessing.active_children()) - before:
        process.kill()
        process.join(10)
    gc.collect()


@pytest.fixture
def client(cluster):
    """Both workers are there again, if one has died."""
    cluster.wait_for_workers(2, timeout=90)
    return cluster


@pytest.mark.parametrize("name", work.WORK)
def test_results_are_those_of_one_process(client, name):
    run, same = work.WORK[name]
    with parallel_config(backend="dask"), work.within(90):
        there = run(n_jobs=2)
    same(work.alone(name), there)


def test_a_worker_that_is_killed_costs_a_study_nothing(client, tmp_path):
    folder = tmp_path / "work"
    model = work.deadly(folder, "one", waits=True)
    with parallel_config(backend="dask"), work.within(90):
        there = work.study(model, n_jobs=2, checkpoint=folder / "kept.jsonl")
    assert (folder / "died").exists()
    assert work.kept(folder) == 6
    work.same_study(work.alone("study"), there)


def test_a_search_goes_on_from_its_checkpoint(client, tmp_path):
    """Rows that joblib had sent to the dead worker alone are gone: then it fails, and says so."""
    folder = tmp_path / "work"
    model = work.deadly(folder, "one")

    def search():
        with parallel_config(backend="dask"), work.within(90):
            return work.search(model, n_jobs=2, checkpoint=folder / "kept.jsonl")

    try:
        there = search()
    except distributed.CancelledError:
        assert 1 <= work.kept(folder) < 8
        client.wait_for_workers(2, timeout=90)
        there = search()
    assert (folder / "died").exists()
    assert work.kept(folder) == 8
    work.same_search(work.alone("search"), there)


def test_what_is_finished_outlives_a_study_that_cannot_end(client, tmp_path):
    """joblib waits for ever for a fit that Dask has given up; the user interrupts, and goes on."""
    folder = tmp_path / "work"
    model = work.deadly(folder, "all", waits=True)
    with (
        parallel_config(backend="dask"),
        pytest.raises((KeyboardInterrupt, distributed.KilledWorker)),
        work.within(90, interrupt=(folder / "died").exists),
    ):
        work.study(model, n_jobs=2, checkpoint=folder / "kept.jsonl")
    assert work.kept(folder) == 1
    again = work.study(model, checkpoint=folder / "kept.jsonl")
    assert len(list(folder.glob(f"fit-{os.getpid()}-*"))) == 6 - 1
    work.same_study(work.alone("study"), again)
