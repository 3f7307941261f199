"""Same seed, same bits: on threads, on processes, and on clusters of dask and of ray with two workers."""

import joblib
import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from clusters.deadly import DeadlyScore
from clusters.problems import PROBLEMS, TRUST, content, learned, table
from helpers.levels import parameters
from orderspn.chains.away import walk_in_worker
from orderspn.climbing import iterated
from orderspn.core import tasks
from orderspn.core.errors import UserError
from orderspn.design.simulation import Trial
from orderspn.experiments import reproduce, runner
from orderspn.methods import circuits
from orderspn.search import lost_mass, refinement

pytestmark = [
    pytest.mark.thorough,
    # Of the packages of clusters, in their own threads and at their end.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
    # JAX, which other tests of the same process load, warns when ray starts its own processes.
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),
]

CLUSTERS = ["loky", "dask", "ray"]


@pytest.fixture(scope="module")
def in_threads(tmp_path_factory):
    """The file of each problem, learned in one thread."""
    return {name: content(learned(name, n_jobs=1), tmp_path_factory.mktemp("threads")) for name in PROBLEMS}


EVERY = [
    pytest.param(cluster, name, marks=() if cluster == "dask" or name == "trust" else pytest.mark.exhaustive)
    for cluster in CLUSTERS
    for name in PROBLEMS
]


@pytest.mark.parametrize(("cluster", "name"), EVERY, indirect=["cluster"])
def test_backends_change_no_bit(cluster, name, in_threads, tmp_path, monkeypatch):
    sent = []
    run = tasks.Backend.run
    monkeypatch.setattr(tasks.Backend, "run", lambda self, *given: sent.append(given) or run(self, *given))
    assert content(learned(name), tmp_path) == in_threads[name]
    walked = {len(each) for function, _, each, *_ in sent if function is walk_in_worker}
    assert walked == {PROBLEMS[name].get("runs", 4)}, "every search is as many tasks as it has runs"


@pytest.mark.parametrize("cluster", parameters(CLUSTERS, test=["dask"]), indirect=True)
def test_tables_of_searches_are_with_the_workers(cluster, in_threads, tmp_path, monkeypatch):
    """This process neither lays them out, nor asks them about the sampled orders, nor estimates what is left out."""
    for module, name in ((refinement, "all_order_scores"), (circuits, "all_order_scores"), (lost_mass, "_lost_of")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("in this process"))
    assert content(learned("trust"), tmp_path) == in_threads["trust"]


class TestLostWorkers:
    @pytest.mark.parametrize("cluster", parameters(CLUSTERS, test=["loky", "dask"]), indirect=True)
    def test_a_worker_that_is_killed_changes_no_bit(self, cluster, tmp_path):
        expected = learned("trust", score=DeadlyScore(None)).edge_probabilities()
        found = learned("trust", score=DeadlyScore(tmp_path, 1)).edge_probabilities()
        assert len(list(tmp_path.iterdir())) == 1, "a worker was killed while it worked"
        assert found.equals(expected)

    @pytest.mark.parametrize("cluster", ["loky"], indirect=True)
    def test_work_that_kills_every_worker_is_an_error(self, cluster, tmp_path):
        with pytest.raises(UserError, match="workers of the joblib backend were lost 5 times"):
            learned("trust", score=DeadlyScore(tmp_path, 1000))


@pytest.mark.exhaustive
@pytest.mark.parametrize("cluster", ["loky"], indirect=True)
def test_a_time_limit_holds_on_a_backend(cluster):
    posterior = learned("trust", time_limit=2.0, method=TRUST.with_settings(effort=1000.0))
    assert posterior.settings["time_limit_reached"]
    assert posterior.settings["shortened"]


class TestInterrupts:
    @pytest.mark.parametrize("cluster", ["loky", "dask"], indirect=True)
    def test_what_is_finished_is_kept(self, cluster, in_threads, tmp_path):
        """The next call continues, on another backend or on none."""

        def interrupt(work, done, total):
            if work == "search" and done == total:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            learned("trust", checkpoint=tmp_path / "parts", progress=interrupt)
        assert {"candidates-round-1.part"} <= {path.name for path in (tmp_path / "parts").iterdir()}
        with joblib.parallel_config(backend="threading"):
            again = learned("trust", checkpoint=tmp_path / "parts")
        assert content(again, tmp_path) == in_threads["trust"]
        assert content(learned("trust"), tmp_path) == in_threads["trust"]


@pytest.mark.parametrize("cluster", ["dask"], indirect=True)
def test_cells_of_experiments_are_tasks(cluster, tmp_path, monkeypatch):
    def results(folder):
        arguments = {"d": 5, "runs": 2, "methods": ["EXACT", "TRUST-G"], "effort": 0.02, "n_jobs": 1}
        reproduce("conditional", output=folder, **arguments)
        return [(folder / name).read_bytes() for name in ("results.csv", "results.json", "report.md")]

    with joblib.parallel_config(backend="sequential"):
        expected = results(tmp_path / "here")

    def none_here(cells, jobs):
        assert not cells, "in this process"
        yield from ()

    monkeypatch.setattr(runner, "_computed", none_here)
    assert results(tmp_path / "away") == expected


@pytest.fixture(scope="module")
def few():
    return osp.learn(table()[:, :4], check=False)


@pytest.mark.parametrize("question", ["graph", ("effect", "X1", "X2")], ids=["graph", "effect"])
@pytest.mark.parametrize("cluster", parameters(CLUSTERS, test=["loky", "dask"]), indirect=True)
def test_draws_of_experiments_are_tasks(cluster, question, few, monkeypatch):
    """The value of an experiment has the same bits wherever its draws were simulated."""
    with joblib.parallel_config(backend="threading"):
        one, two = (osp.design.experiments(few, question, draws=12, n_jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    monkeypatch.setattr(Trial, "outcome", lambda *_: pytest.fail("it was simulated in this process"))
    pd.testing.assert_frame_equal(one, osp.design.experiments(few, question, draws=12), check_exact=True)


@pytest.mark.parametrize("cluster", parameters(CLUSTERS, test=["dask"]), indirect=True)
def test_climbs_are_tasks(cluster, monkeypatch):
    """The best graph alone is found by climbs that are as many tasks, and is the same graph."""
    asked = {"climbs": 3, "restarts": 4, "check": False, "rng": 5}
    with joblib.parallel_config(backend="threading"):
        expected = osp.best_graph(table(), **asked, n_jobs=1)
    monkeypatch.setattr(iterated, "climb", lambda *_: pytest.fail("it climbed in this process"))
    found = osp.best_graph(table(), **asked)
    assert np.array_equal(found.adjacency, expected.adjacency)
    assert found.log_score == expected.log_score
