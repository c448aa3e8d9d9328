"""On a local Ray of two processes: the same results."""

import warnings

import pytest
from joblib import parallel_config

from tests.distributed import work

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of Ray, in threads of its own
]


@pytest.fixture(scope="module")
def ray():
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_AUTH_MODE", "disabled")  # no token in the home folder
        ray = pytest.importorskip("ray", reason="Ray is not installed")
        from ray.util.joblib import register_ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        register_ray()
        yield ray
        ray.shutdown()


@pytest.mark.parametrize("name", work.WORK)
def test_results_are_those_of_one_process(ray, name):
    run, same = work.WORK[name]
    with parallel_config(backend="ray"):
        there = run(n_jobs=2)
    same(run(), there)
