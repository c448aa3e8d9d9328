"""On a local Ray of two processes: the same results, and what is finished outlives a worker."""

import gc
import os
import shutil
import signal
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from joblib import parallel_config

from tests.distributed import work

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms here"),
    pytest.mark.filterwarnings("ignore"),  # of Ray, in threads of its own
]

SETTINGS = {
    "RAY_AUTH_MODE": "disabled",  # no token in the home folder
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is sent
    "RAY_memory_monitor_refresh_ms": "0",  # no worker is killed but by a test
}


@pytest.fixture(scope="module")
def ray():
    folder = tempfile.mkdtemp(prefix="ray-")  # short: the paths of sockets have a limit
    root = str(Path(__file__).parents[2])
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        patch.delenv("RAY_ADDRESS", raising=False)  # no cluster but this one
        patch.setenv("PYTHONPATH", root, prepend=os.pathsep)  # where workers find these tests
        ray = pytest.importorskip("ray", reason="Ray is not installed", exc_type=ImportError)
        from ray.util.joblib import register_ray

        try:
            with work.within(120):
                ray.init(
                    num_cpus=2,
                    include_dashboard=False,
                    log_to_driver=False,
                    object_store_memory=100 * 2**20,
                    _temp_dir=folder,
                )
        except (Exception, work.Late) as exc:
            _end(ray, folder)
            pytest.skip(f"no Ray can be started here: {type(exc).__name__}: {exc}")
        register_ray()
        yield ray
        _end(ray, folder)


def _end(ray, folder) -> None:
    with suppress(Exception, work.Late), work.within(60):
        ray.shutdown()
    for _ in range(20):  # its processes write their last lines while they end
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            break
        time.sleep(0.2)
    gc.collect()


@pytest.mark.parametrize("name", work.WORK)
def test_results_are_those_of_one_process(ray, name):
    run, same = work.WORK[name]
    with parallel_config(backend="ray"), work.within(120):
        there = run(n_jobs=2)
    same(work.alone(name), there)


def test_a_worker_that_is_killed_ends_a_search_that_goes_on_from_its_checkpoint(ray, tmp_path):
    folder = tmp_path / "work"
    model = work.deadly(folder, "one")
    with (
        parallel_config(backend="ray"),
        pytest.raises(ray.exceptions.RayActorError, match="actor died unexpectedly"),
        work.within(120),
    ):
        work.search(model, n_jobs=2, checkpoint=folder / "kept.jsonl")
    assert work.kept(folder) == 4  # the first generation was finished
    there = work.search(model, checkpoint=folder / "kept.jsonl")
    assert work.kept(folder) == 8
    work.same_search(work.alone("search"), there)
