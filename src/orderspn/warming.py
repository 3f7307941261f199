"""Compiling all kernels at once, by small examples of what the package does: for images, clusters and classrooms.

Each example runs in a process of its own, several at once: in a process, numba compiles one function at a time.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import orderspn as osp
from orderspn.dibs.graphs import break_cycles
from orderspn.display.progress import Progress, make_workers, showing
from orderspn.kernels.compilation import compilation
from orderspn.kernels.folders import folders_to_write


@dataclass(frozen=True)
class WarmUp:
    """Result of `warm_up`.

    Attributes
    ----------
    n_compiled : int
        Number of functions that had to be compiled.
    seconds : float
        How long it took.
    folder : str or None
        Where new kernels are kept; None if no folder can be written to, so that they are lost with their process.
    """

    n_compiled: int
    seconds: float
    folder: str | None


def warm_up(n_jobs: int | None = None, progress: Progress = "auto") -> WarmUp:
    """Compile all kernels now, so that no later call has to wait for it.

    Kernels are otherwise compiled when they are first used, once per installation. Call it when an image is built,
    before a cluster starts many processes, or before a demonstration.

    Parameters
    ----------
    n_jobs : int, optional
        Number of processes; by default one for each core.
    progress : bool, "auto" or callable
        Whether to show progress, as in `learn`.

    Returns
    -------
    WarmUp
        How many functions were compiled, how long it took, and where they are kept.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.warm_up().folder  # doctest: +SKIP
    '/opt/venv/lib/python3.13/site-packages/orderspn/__pycache__'
    """
    workers = make_workers(n_jobs, progress)
    counts: dict[str, int] = {}

    def run(name: str) -> None:
        counts[name] = int(_in_new_process(name))

    start = time.perf_counter()
    with showing(progress):
        workers.run([partial(run, name) for name in EXAMPLES], workers.steps("compiling kernels", len(EXAMPLES)))
    folder = next(map(str, folders_to_write()), None)
    return WarmUp(sum(counts.values()), time.perf_counter() - start, folder)


def _in_new_process(name: str) -> str:
    command = [sys.executable, "-m", "orderspn.warming", name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the example {name!r} failed:\n{done.stderr}")
    return done.stdout


def _gaussian(n: int, rows: int = 60) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(rows, n))


def _ask(posterior: osp.Posterior) -> None:
    """Ask what every posterior answers."""
    posterior.edge_probabilities()
    posterior.probability("X1 -> X2", given="X1 !-> X3, X2 !-> X3")
    posterior.sample(4, rng=0)


def _ask_orders(posterior: osp.Posterior) -> None:
    """Ask what posteriors over orders answer besides."""
    _ask(posterior)
    graph = posterior.most_probable_graph().graph
    posterior.probability(graph)
    posterior.precedence(given="X1 < X2")
    posterior.causal_effects()
    posterior.estimate_effects(8, rng=0)
    posterior.entropy()
    posterior.sample(4, rng=0, target="dag")
    posterior.ancestor_probabilities()
    posterior.edge_standard_errors()
    posterior.standard_error("X1 -> X2")
    osp.metrics.expected_shd(posterior, graph)
    osp.metrics.expected_shd(posterior, graph, between="cpdag")


def _exact() -> None:
    _ask_orders(osp.learn(_gaussian(5)))


def _exact_large() -> None:
    """Lattices that are divided among threads, and means far from 0."""
    _ask_orders(osp.learn(_gaussian(15), candidates=3))
    osp.learn(_gaussian(4) + 1e9, standardize=False).causal_effects()


def _outsiders() -> None:
    _ask_orders(osp.learn(_gaussian(6), candidates=2, method=osp.methods.Exact(outsiders=1)))


def _dags() -> None:
    _ask(osp.learn(_gaussian(5), method=osp.methods.Exact(target="dag")))


def _categories() -> None:
    levels = np.random.default_rng(0).integers(0, 3, size=(60, 5)).astype(str)
    posterior = osp.learn(levels)
    posterior.edge_probabilities()
    posterior.interventional("X2", {"X1": "0"}, n_graphs=4)
    osp.learn(levels, candidates=2, method=osp.methods.Trust(n_orders=8, effort=0.01))


def _best_graph() -> None:
    osp.best_graph(_gaussian(5), restarts=1)


def _circuit() -> None:
    posterior = osp.learn(_gaussian(14), method=osp.methods.Trust(n_orders=16, effort=0.01, block_size=4), candidates=5)
    _ask_orders(posterior)
    posterior.best_graph(effort=0.01)
    posterior.coverage()


def _oracles() -> None:
    for oracle in ("enumeration", "random", "order-mcmc", "gadget"):
        method = osp.methods.Trust(oracle=oracle, expansion=[3], block_size=4, effort=0.01)
        osp.learn(_gaussian(8), method=method, candidates=3).edge_probabilities()
    # Required edges leave a single order, so that oracles have to make up other partitions.
    for oracle in ("random", "order-mcmc"):
        method = osp.methods.Trust(oracle=oracle, expansion=[3], block_size=3, weights="elbo")
        osp.learn(_gaussian(6), method=method, knowledge="X1 -> X2 -> X3 -> X4 -> X5 -> X6")


def _gadget() -> None:
    cycle = np.array([[False, True], [True, False]])
    break_cycles(np.array([[0.0, 0.9], [0.6, 0.0]]), cycle, np.arange(2))  # of DiBS, which may be missing
    _ask(osp.learn(_gaussian(8), method=osp.methods.Gadget(n_graphs=40, effort=0.01), candidates=3))


EXAMPLES: dict[str, Callable[[], None]] = {  # those that take long first, so that no process waits for them in the end
    "gadget": _gadget,
    "circuit": _circuit,
    "oracles": _oracles,
    "exact": _exact,
    "best graph": _best_graph,
    "dags": _dags,
    "outsiders": _outsiders,
    "exact, large": _exact_large,
    "categories": _categories,
}


def main(name: str) -> None:
    """Run one example and print the number of functions that were compiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as that so short searches do not agree
        EXAMPLES[name]()
    sys.stdout.write(f"{compilation.count}\n")


if __name__ == "__main__":
    main(sys.argv[1])
