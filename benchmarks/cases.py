"""What is measured: each case prepares its input, does the work, and has a NumPy-only twin that must agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

import orderspn as osp
from benchmarks import numpy_reference as numpy_only
from benchmarks.data import linear_gaussian

EVIDENCE = osp.Edges(present=[("X1", "X5"), ("X3", "X9")], absent=[("X2", "X4")])
EVENT = osp.Edges(present=[("X1", "X5"), ("X3", "X9"), ("X2", "X8"), ("X6", "X7")])


@dataclass(frozen=True)
class Problem:
    """Data of d variables and the posterior learned from them."""

    values: np.ndarray
    settings: dict[str, Any]
    posterior: osp.Posterior

    @classmethod
    def make(cls, d: int, settings: dict[str, Any]) -> Problem:
        values = linear_gaussian(d, 100)
        return cls(values, settings, osp.learn(values, **settings, standardize=False))

    def candidates(self) -> list[np.ndarray]:
        names = self.posterior.variables
        return [np.array([names.index(c) for c in self.posterior.candidates[v]]) for v in names]

    def lattice(self) -> numpy_only.Lattice:
        candidates = self.candidates()
        return numpy_only.Lattice(numpy_only.families(self.values, candidates), candidates)

    def restricted(self, lattice: numpy_only.Lattice, edges: osp.Edges) -> numpy_only.Lattice:
        return numpy_only.Lattice(self.restricted_tables(lattice, edges), lattice.candidates)

    def restricted_tables(self, lattice: numpy_only.Lattice, edges: osp.Edges) -> list[np.ndarray]:
        names = self.posterior.variables
        tables = list(lattice.tables)
        for effect in {effect for _, effect in (*edges.present, *edges.absent)}:
            bit = {names[c]: b for b, c in enumerate(lattice.candidates[names.index(effect)])}
            required = sum(1 << bit[c] for c, e in edges.present if e == effect)
            forbidden = sum(1 << bit[c] for c, e in edges.absent if e == effect)
            j = names.index(effect)
            tables[j] = numpy_only.restrict(tables[j], required, forbidden)
        return tables


Reference = Callable[[Problem, numpy_only.Lattice], np.ndarray]


@dataclass(frozen=True)
class Case:
    """One line of the table; `reference` gets a lattice that is filled outside the measured time."""

    name: str
    target: float
    d: int
    settings: dict[str, Any]
    work: Callable[[Problem], object]
    reference: Reference | None = None
    tolerance: float = 1e-9
    slow: bool = True
    published: float | None = None  # CPU-seconds of the paper's own program


def learn_and_edges(problem: Problem) -> np.ndarray:
    return osp.learn(problem.values, **problem.settings, standardize=False).edge_probabilities().to_numpy()


def learn_and_edges_reference(problem: Problem, _: numpy_only.Lattice) -> np.ndarray:
    return problem.lattice().edge_probabilities()


def candidates(n: int) -> dict[str, Any]:
    return {"candidates": n}


CIRCUIT: dict[str, Any] = {
    "method": osp.methods.Trust(expansion=[64, 16, 6, 2], block_size=1, weights="elbo"),
    "rng": 0,
}
FOUR_EDGES = "X1 -> X5, X3 -> X9, X2 -> X8, X6 -> X7"


def conditional(d: int, target: float, n_candidates: int) -> Case:
    return Case(
        f"conditional edge probabilities, d={d}",
        target,
        d,
        candidates(n_candidates),
        lambda p: p.posterior.edge_probabilities(given=EVIDENCE).to_numpy(),
        lambda p, lattice: p.restricted(lattice, EVIDENCE).edge_probabilities(),
    )


def samples(n: int, d: int, target: float, n_candidates: int, tolerance: float) -> Case:
    return Case(
        f"{n:,} samples, d={d}",
        target,
        d,
        candidates(n_candidates),
        lambda p: p.posterior.sample(n, rng=0).adjacency.mean(axis=0),
        lambda _, lattice: lattice.sample(n, np.random.default_rng(0)).mean(axis=0),
        tolerance=tolerance,  # two independent samples: four standard errors of a difference
    )


CIRCUIT_EVIDENCE = osp.Edges.parse("X1 !-> X2")


def circuit_edges_reference(problem: Problem, lattice: numpy_only.Lattice) -> np.ndarray:
    circuit = problem.posterior.model.orders.circuit  # type: ignore[attr-defined]
    return numpy_only.circuit_edge_probabilities(
        circuit.structure,
        circuit.log_weights,
        lattice.tables,
        problem.restricted_tables(lattice, CIRCUIT_EVIDENCE),
        lattice.candidates,
    )


ARITY = 3


def classes(problem: Problem) -> np.ndarray:
    """The columns of a problem cut into equally frequent classes: codes (rows, d)."""
    ranks = problem.values.argsort(axis=0).argsort(axis=0)
    return ARITY * ranks // len(ranks)


def learn_categories(problem: Problem) -> np.ndarray:
    names = np.array(["low", "middle", "high"])
    table = pd.DataFrame(names[classes(problem)])
    return osp.learn(table, score="bdeu", n_jobs=1, check=False).edge_probabilities().to_numpy()


def learn_categories_reference(problem: Problem, lattice: numpy_only.Lattice) -> np.ndarray:
    tables = numpy_only.bdeu_families(classes(problem), ARITY)
    return numpy_only.Lattice(tables, lattice.candidates).edge_probabilities()


LEARN = "learn + all edge probabilities"
CASES = [
    Case(f"{LEARN}, d=16, K=15", 0.5, 16, candidates(15), learn_and_edges, learn_and_edges_reference, slow=False),
    Case(f"{LEARN}, d=20, K=16", 2.0, 20, candidates(16), learn_and_edges, learn_and_edges_reference, slow=False),
    Case(f"{LEARN}, d=20, all 19 candidates", 8.0, 20, candidates(19), learn_and_edges, learn_and_edges_reference),
    Case(f"{LEARN}, d=25, K=16", 40.0, 25, candidates(16), learn_and_edges, learn_and_edges_reference),
    conditional(20, 0.7, 19),
    Case(
        "probability of 4 edges, d=20",
        0.2,
        20,
        candidates(19),
        lambda p: np.array([p.posterior.log_probability(EVENT)]),
        lambda p, lattice: np.array([p.restricted(lattice, EVENT).prefix[-1] - lattice.prefix[-1]]),
    ),
    samples(10_000, 20, 2.0, 19, tolerance=0.03),
    Case(
        "all causal effects, d=16",
        1.0,
        16,
        candidates(15),
        lambda p: p.posterior.causal_effects().to_numpy(),
        lambda p, lattice: numpy_only.causal_effects(p.values, lattice),
        slow=False,
    ),
    Case("all causal effects, d=20", 30.0, 20, candidates(19), lambda p: p.posterior.causal_effects()),
    Case(
        "circuit: scores, structure and weights",
        5.0,
        16,
        CIRCUIT,
        lambda p: osp.learn(p.values, **CIRCUIT, standardize=False),
        published=60,
    ),
    Case(
        "circuit: one conditional probability",
        0.05,
        16,
        CIRCUIT,
        lambda p: p.posterior.probability("X4 -> X10", given=FOUR_EDGES),
        published=0.85,
    ),
    Case(
        "circuit: all edge probabilities",
        0.2,
        16,
        CIRCUIT,
        # Of a fresh posterior: the first one has its answer already.
        lambda p: p.posterior.given(CIRCUIT_EVIDENCE).edge_probabilities().to_numpy(),
        published=200,
    ),
    Case("circuit: 1,000 samples", 0.2, 16, CIRCUIT, lambda p: p.posterior.sample(1000, rng=0), published=18),
    Case("circuit: most probable graph", 0.1, 16, CIRCUIT, lambda p: p.posterior.most_probable_graph(), published=1.4),
    Case("circuit: all causal effects", 2.0, 16, CIRCUIT, lambda p: p.posterior.causal_effects(), published=88),
]


def one_thread(case: Case) -> Case:
    """The same in one thread: how much faster than NumPy it is should not depend on the number of cores."""
    return replace(case, settings={**case.settings, "n_jobs": 1})


def named(start: str) -> Case:
    (found,) = [case for case in CASES if case.name.startswith(start)]
    return found


CHECKED = [
    one_thread(case)
    for case in (
        named(f"{LEARN}, d=16"),
        conditional(16, 0.1, 15),
        samples(5000, 16, 0.5, 15, tolerance=0.04),
        named("all causal effects, d=16"),
        replace(named("circuit: all edge probabilities"), reference=circuit_edges_reference),
        Case("BDeu: learn + all edge probabilities, d=11", 0.2, 11, {}, learn_categories, learn_categories_reference),
    )
]
"""Quick cases whose ratios `benchmarks.check` compares with recorded ones; both sides take seconds at most."""
