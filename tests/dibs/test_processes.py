"""JAX and the process around it: Ctrl-C at any moment, and copies of a process by `fork`."""

import os
import signal
import subprocess
import sys
import traceback

import numpy as np
import pytest

import orderspn as osp
from dibs.blocks import problem, some_family_scores
from orderspn.circuit import gradient
from orderspn.circuit.structure import Structure
from orderspn.core.errors import UserError
from orderspn.dibs import particles, step
from orderspn.dibs.particles import DibsSettings, run
from orderspn.oracles.dibs import Dibs


def interrupting(work):
    """The same function with a Ctrl-C before it."""

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        return work(*arguments)

    return interrupted


def files_on_the_way(work):
    """Files that the interrupt of a piece of work has come through."""
    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    return [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.thorough
def test_an_interrupt_never_passes_through_jax_from_particles(monkeypatch):
    """JAX crashes at the end of the process, or goes on, if it does."""
    families, _ = some_family_scores(3, seed=1)
    settings = DibsSettings(particles=3, steps=5, graph_samples=7, acyclicity_samples=3)  # shapes of no other test
    monkeypatch.setattr(step, "stein_direction", interrupting(step.stein_direction))
    files = files_on_the_way(lambda: run(problem(families), settings, 0))
    assert not [file for file in files if "jax" in file.split("orderspn")[-1]]


def test_an_interrupt_never_passes_through_jax_from_weights(monkeypatch):
    structure = Structure(
        before=np.array([[False, False], [False, False], [True, False]]),
        variables=np.array([[True, True], [True, False], [False, True]]),
        partition_starts=np.array([0, 1, 1, 1]),
        first=np.array([1]),
        second=np.array([2]),
        multiplicity=np.ones(1, dtype=np.int64),
    )
    monkeypatch.setattr(gradient, "_log_softmax", interrupting(gradient._log_softmax))
    files = files_on_the_way(lambda: gradient.gradient_log_weights(structure, np.zeros(2), steps=5))
    assert not [file for file in files if "jax" in file.split("orderspn")[-1]]


INTERRUPTED = """
import os, signal, threading, time
import jax
from dibs.blocks import problem, some_family_scores
from orderspn.dibs.particles import DibsSettings, run

def particles(steps):
    run(problem(some_family_scores(3, seed=1)[0]), DibsSettings(particles=2, steps=steps, graph_samples=4), 0)

began = time.perf_counter()
particles(1)
compiling = time.perf_counter() - began
for share in (0.3, 0.6, 0.9, 1.5):
    jax.clear_caches()
    threading.Timer(share * compiling, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        particles(10**9)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.exhaustive
def test_interrupts_while_jax_compiles_and_runs_end_in_no_crash(request):
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        cwd=request.config.rootpath / "tests",
        timeout=300,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, 4 * "interrupted\n", "")


def test_pieces_of_a_run_are_short(monkeypatch):
    """A piece of a hundred steps can take half a minute, in which Ctrl-C would have no effect."""
    clock = [0.0]
    monkeypatch.setattr(particles, "perf_counter", lambda: clock[0])
    for seconds in (0.001, 0.25, 3.0):
        sizes = []
        for first, end in particles._pieces(1000):
            sizes.append(end - first)
            clock[0] += 4.0 + seconds if first == 0 else seconds * (end - first)  # the first one is compiled
        assert sum(sizes) == 1000
        assert sizes[0] == 1
        assert max(sizes) * seconds <= max(particles.SECONDS, seconds)
        assert max(sizes) * seconds >= particles.SECONDS / 2 or max(sizes) == particles.CHUNK


@pytest.fixture
def in_forked_process(monkeypatch):
    """As in a child of this process by `fork`, after this one has used JAX."""
    monkeypatch.setattr("orderspn.core.jax._users", {-1})


@pytest.mark.parametrize(
    "use",
    [
        lambda: osp.learn(np.random.default_rng(0).normal(size=(20, 3)), method="dibs"),
        lambda: Dibs(),
        lambda: osp.learn(
            np.random.default_rng(0).normal(size=(20, 4)),
            method=osp.methods.Trust(oracle="random", block_size=2, expansion=[2], weights="gradient"),
        ),
    ],
)
def test_every_use_of_jax_is_refused_in_a_forked_process(in_forked_process, use):
    with pytest.raises(UserError, match=r"forked from one that had used it.*'spawn' or 'forkserver'"):
        use()


FORKED = """
import os, warnings
from dibs.blocks import problem, some_family_scores
from orderspn.core.errors import UserError
from orderspn.dibs.particles import DibsSettings, run

def particles():
    run(problem(some_family_scores(3, seed=1)[0]), DibsSettings(particles=2, steps=1, graph_samples=4), 0)

def ending_of_child():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        particles()
    except UserError:
        os._exit(7)
    os._exit(0)

import jax
print(ending_of_child())
particles()
print(ending_of_child())
particles()
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_is_told_instead_of_waiting_forever(request):
    ended = subprocess.run(
        [sys.executable, "-c", FORKED],
        capture_output=True,
        text=True,
        cwd=request.config.rootpath / "tests",
        timeout=60,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("0\n7\n", "", 0)
