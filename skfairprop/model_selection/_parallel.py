"""Results of parallel calls as they finish, on every backend of joblib."""

from collections.abc import Iterator, Sequence
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel


def as_finished(calls: Sequence[Any], *, n_jobs: int | None) -> Iterator[Any]:
    """Yield the results of delayed calls, in any order.

    A backend that cannot give them one at a time, as Ray's, gives them some calls at a time: what
    is finished can still be kept before the rest is.

    Parameters
    ----------
    calls : sequence of delayed calls
    n_jobs : int or None
        As for :class:`joblib.Parallel`.
    """
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:
        size = 2 * effective_n_jobs(n_jobs)
        with Parallel(n_jobs=n_jobs) as parallel:
            for start in range(0, len(calls), size):
                yield from parallel(calls[start : start + size])
    else:
        yield from parallel(calls)
