"""The work that `before_after` measures with two states of the sources.

A case has several inputs: the first compiles or loads kernels and is not measured. Cases about a posterior are asked of
one that is stored, by `trust` with default settings; the others learn.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

if TYPE_CHECKING:
    import orderspn as osp

REPEATS = 2
"""Most inputs that are measured."""

SMALL, WHOLE = "small", "whole"
"""The inputs of the cases that learn: a small problem, and the one that is measured."""

LIMIT = 16 * 2**30
"""Bytes that an exact posterior may take."""

Quality = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Work on some inputs, and what there is to say about the quality of its result."""

    name: str
    d: int
    work: Callable[[Any, str], Any]  # of the stored posterior, if there is one, and an input
    inputs: Callable[[Any], list[str]] = lambda _: [SMALL, WHOLE]
    quality: Callable[[Any], Quality] = lambda _: {}
    degree: int = 0  # of the simulated graph; 0: the default
    stored: bool = True
    """Whether it is about a stored posterior."""

    @property
    def group(self) -> str:
        """A process measures the cases of a group."""
        return f"{self.d} stored" if self.stored else self.name


@cache
def simulated(d: int, n_rows: int = 1000, degree: int = 0) -> osp.simulate.Simulation:
    """The paper's kind of data; with a degree, weaker effects and noise of several sizes, as in the files of BOSS."""
    import orderspn as osp

    if not degree:
        return osp.simulate.linear_gaussian(d, n_rows, rng=1)
    noise = np.random.default_rng(degree).uniform(1.0, 4.0, size=d)
    return osp.simulate.linear_gaussian(
        d, n_rows, expected_degree=degree, weight_scale=0.5, noise_variances=noise, rng=1
    )


# --- learning ---------------------------------------------------------------------------------------------------------


def learn(d: int, degree: int = 0) -> osp.Posterior:
    """Learn a posterior by `trust` with default settings."""
    import orderspn as osp

    return osp.learn(simulated(d, degree=degree).data, method="trust")


def learning(d: int, _: None, size: str) -> osp.Posterior:
    """Learn and compute the probabilities of all edges."""
    posterior = learn(26 if size == SMALL else d)
    posterior.edge_probabilities()
    return posterior


def of_learning(d: int, posterior: osp.Posterior) -> Quality:
    import orderspn as osp

    edges, network = posterior.edge_probabilities().to_numpy(), simulated(d).network
    return {
        "AUROC": osp.metrics.auroc(edges, network),
        "expected SHD": float(osp.metrics.expected_shd(edges, network, between="dag")),
        "mass left out": float(posterior.settings["lost_share"]),
    }


def sampling_graphs(d: int, _: None, size: str) -> osp.Posterior:
    """Sample DAGs with the default effort."""
    import orderspn as osp

    if size == SMALL:
        method = osp.methods.Gadget(n_graphs=16, effort=0.001)
        return osp.learn(simulated(18, 100).data, method=method, standardize=False)
    return osp.learn(simulated(d, 100).data, method="gadget", standardize=False)


def of_sampled_graphs(posterior: osp.Posterior) -> Quality:
    found = posterior.settings["diagnostics"]
    return {"R-hat, worst edge": found["rhat_edges"], "effective draws, worst edge": found["ess_edges"]}


def exact_posterior(d: int, _: None, size: str) -> osp.Posterior:
    """Learn the exact posterior within a limit of memory; compute all edges."""
    import orderspn as osp

    posterior = osp.learn(simulated(12 if size == SMALL else d).data, method="exact", memory_limit=LIMIT)
    posterior.edge_probabilities()
    return posterior


def of_memory(_: osp.Posterior) -> Quality:
    return {"GiB at the peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}


# --- the best graph ---------------------------------------------------------------------------------------------------


def best_graph_alone(d: int, degree: int, _: None, size: str) -> nx.DiGraph[str]:
    """The best graph; the older state learns a posterior for it."""
    import orderspn as osp

    if size == SMALL:
        d, degree = 26, 0
    if hasattr(osp, "best_graph"):
        return osp.best_graph(simulated(d, degree=degree).data).graph
    return learn(d, degree).best_graph().graph


def best_graph_of_learned(d: int, degree: int, _: None, size: str) -> nx.DiGraph[str]:
    """A posterior, then its best graph."""
    return (learn(26) if size == SMALL else learn(d, degree)).best_graph().graph


def edges_of(graph: nx.DiGraph[str]) -> Quality:
    """The graph itself, because the older state cannot score single graphs."""
    return {"edges": list(graph.edges)}


def of_edges(case: Case, edges: list[list[str]]) -> Quality:
    """SHD to the true CPDAG, and the log score by BGe with the fair prior."""
    import orderspn as osp
    from orderspn.scores.local import LocalScore

    simulation = simulated(case.d, degree=case.degree)
    place = {name: v for v, name in enumerate(simulation.data.columns)}
    found = np.zeros((case.d, case.d), dtype=bool)
    for cause, effect in edges:
        found[place[cause], place[effect]] = True
    values = simulation.data.to_numpy()
    table = osp.read_table((values - values.mean(axis=0)) / values.std(axis=0))
    local = LocalScore(osp.scores.BGe().fit(table), osp.scores.log_prior_by_size("fair", case.d), case.d - 1)
    cpdags = osp.metrics.cpdag(found), osp.metrics.cpdag(simulation.adjacency)
    return {
        "SHD": osp.metrics.structural_hamming_distance(*cpdags),
        "log score": sum(local.of_set(child, np.flatnonzero(found[:, child])) for child in range(case.d)),
    }


def best_graph(posterior: osp.Posterior, size: str) -> Any:
    return (learn(26) if size == SMALL else posterior).best_graph()


# --- questions --------------------------------------------------------------------------------------------------------


def uncertain_edges(posterior: osp.Posterior) -> list[str]:
    """Edges that are neither certain nor impossible, as events."""
    edges, names = posterior.edge_probabilities().to_numpy(), posterior.variables
    return [f"{names[i]} -> {names[j]}" for i, j in zip(*((edges > 0.2) & (edges < 0.8)).nonzero(), strict=True)]


def eight_edges(posterior: osp.Posterior) -> list[str]:
    """Events of eight edges of the most probable graph into different variables, which are possible together."""
    into = {effect: f"{cause} -> {effect}" for cause, effect in posterior.most_probable_graph().edges.present}
    edges = sorted(into.values())
    return [", ".join(edges[start : start + 8]) for start in range(1 + REPEATS)]


def edges_given(posterior: osp.Posterior, event: str) -> Any:
    return posterior.given(event).edge_probabilities()


def probability(posterior: osp.Posterior, event: str) -> Any:
    return posterior.probability(event)


def coverage(posterior: osp.Posterior, _: str) -> Any:
    return posterior.coverage()


def all_effects(posterior: osp.Posterior, _: str) -> Any:
    return posterior.causal_effects()


DENSE = 20

CASES = [
    *(
        Case(f"learning and all edges, d={d}", d, partial(learning, d), quality=partial(of_learning, d), stored=False)
        for d in (64, 100, 500)
    ),
    *(
        Case(
            f"best graph alone, {about}",
            d,
            partial(best_graph_alone, d, degree),
            quality=edges_of,
            degree=degree,
            stored=False,
        )
        for d, degree, about in ((64, 0, "d=64"), (100, 0, "d=100"), (100, DENSE, f"d=100 of degree {DENSE}"))
    ),
    Case(
        f"learning, then its best graph, d=100 of degree {DENSE}",
        100,
        partial(best_graph_of_learned, 100, DENSE),
        quality=edges_of,
        degree=DENSE,
        stored=False,
    ),
    Case(
        "sampling graphs (gadget), d=64, 100 rows",
        64,
        partial(sampling_graphs, 64),
        quality=of_sampled_graphs,
        stored=False,
    ),
    *(Case(f"best graph of the posterior, d={d}", d, best_graph) for d in (64, 100)),
    *(Case(f"all edges given one, d={d}", d, edges_given, uncertain_edges) for d in (32, 64)),
    *(Case(f"probability of one edge, d={d}", d, probability, uncertain_edges) for d in (32, 64)),
    *(Case(f"all edges given eight, d={d}", d, edges_given, eight_edges) for d in (32, 64)),
    *(Case(f"probability of eight edges, d={d}", d, probability, eight_edges) for d in (32, 64)),
    *(Case(f"coverage, d={d}", d, coverage, uncertain_edges) for d in (32, 64)),
    Case("all causal effects, d=32", 32, all_effects, uncertain_edges),
    Case("exact posterior, d=28", 28, partial(exact_posterior, 28), quality=of_memory, stored=False),
]
