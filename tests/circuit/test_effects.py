"""Effects on circuits do not depend on the number of threads."""

import threading

import pytest

import orderspn as osp
import orderspn.circuit.effects
from helpers.data import gaussian_data, letters
from helpers.levels import parameters


def learn(n_jobs, candidates="auto"):
    return osp.learn(
        gaussian_data(8, 40, seed=5),
        variables=letters(8),
        candidates=candidates,
        method=osp.methods.Trust(n_orders=6, effort=0.01, outsiders=1, refine=0, block_size=3),
        rng=0,
        n_jobs=n_jobs,
        standardize=False,
    )


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:independent searches disagree")
@pytest.mark.parametrize("tasks", parameters([1, 3, 1000], test=[3]))
@pytest.mark.parametrize("candidates", ["auto", 3], ids=["shared", "outsiders"])
def test_threads_and_shares_change_nothing(monkeypatch, candidates, tasks):
    expected = learn(1, candidates).causal_effects()
    monkeypatch.setattr(orderspn.circuit.effects, "TASKS", tasks)
    for n_jobs in (1, 2, 1000):  # with more threads than blocks they work within blocks
        assert learn(n_jobs, candidates).causal_effects().equals(expected)


@pytest.mark.filterwarnings("ignore:independent searches disagree")
def test_each_block_is_the_work_of_one_thread(monkeypatch):
    """Levels of small blocks are not divided: that takes longer than it saves."""
    posterior = learn(2)
    seen = []
    original = orderspn.circuit.effects.path_effects

    def note(*arguments):
        seen.append((threading.current_thread(), arguments[-2].n_jobs))
        return original(*arguments)

    monkeypatch.setattr(orderspn.circuit.effects, "path_effects", note)
    posterior.causal_effects()
    assert {n_jobs for _, n_jobs in seen} == {1}
    assert all(thread is not threading.main_thread() for thread, _ in seen)
