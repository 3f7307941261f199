"""Real clusters of two worker processes, each started once; tests that choose one are given its name."""

import contextlib
import logging

import joblib
import pytest


@pytest.fixture(scope="session")
def loky():
    return {"backend": "loky", "n_jobs": 2}


@pytest.fixture(scope="session")
def dask():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield {"backend": "dask", "client": client}


@pytest.fixture(scope="session")
def ray():
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.CRITICAL)
    register_ray()
    yield {"backend": "ray", "n_jobs": 2}
    ray.shutdown()


@pytest.fixture
def cluster(request):
    """The cluster that a parameter names, chosen for the test."""
    chosen = request.getfixturevalue(request.param)
    if "client" in chosen:  # the test before may have killed one, and with a single worker there are no tasks
        chosen["client"].wait_for_workers(2, timeout=120)
    with contextlib.ExitStack() as stack:
        stack.enter_context(joblib.parallel_config(**chosen))
        yield request.param
