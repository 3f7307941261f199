"""Neighbours in events and evidence: sums, maxima and mixtures over the directions of the edges between them.

"A -- B" means A -> B or B -> A, and no graph has both. So the probability of an event with neighbours is the sum over
their directions, and a posterior under neighbours is a mixture of posteriors that share no graph: all of its answers
are exact if those of the parts are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar, cast

import numpy as np

from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.randomness import RNGLike, generator_of, seed_sequence
from orderspn.core.workers import Workers
from orderspn.lattice.coverage import Coverage, Size
from orderspn.leaves.family import tie_tolerance
from orderspn.models.capabilities import COVERAGE, EXACT_EFFECTS, GRAPH_SCORES, MASSES, ORDERS, SIZE, require
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.parts import Parts
from orderspn.models.protocol import GraphModel, Lines, Target
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import satisfying
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples, counted_once
from orderspn.scores.local import LocalScore


def condition(model: GraphModel, evidence: Edges, added: Edges) -> GraphModel:
    """Condition a model on evidence, of which `added` is new, also on neighbours."""
    if not added.adjacent or _tests_neighbours(model):
        return model.given(evidence, added)
    base = model.given(evidence.directed, added.directed) if added.directed else model
    return oriented(base, evidence)


def log_probability(model: GraphModel, evidence: Edges, event: Edges) -> float:
    """Return the log probability of an event, also of neighbours; the model is conditioned on `evidence` already."""
    if not event.adjacent or _tests_neighbours(model):
        return model.log_probability(evidence, event)
    return _log_sum([model.log_probability(evidence, directed) for directed in event.orientations()])


def standard_error(model: GraphModel, event: Edges) -> float:
    """Return the Monte Carlo standard error of the probability of an event; for neighbours an upper bound.

    The standard deviation of a sum is at most the sum of standard deviations.
    """
    if not event.adjacent or _tests_neighbours(model):
        return model.standard_error(event)
    return sum(model.standard_error(directed) for directed in event.orientations())


def best_graph(model: GraphModel, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
    """Search for the best graph under evidence, of which `added` is new, also under neighbours."""
    if not added.adjacent or _tests_neighbours(model):
        return model.best_graph(evidence, added, effort, rng)
    return _best_oriented(model, evidence, added, effort, rng)


def unoriented(model: GraphModel) -> GraphModel:
    """Return the model without neighbours among its evidence, which files keep."""
    return model.base if isinstance(model, OrientedGraphs) else model


def oriented(base: GraphModel, evidence: Edges) -> OrientedGraphs:
    """Return a model, conditioned on all other evidence, under the neighbours of the evidence too."""
    directed = [_new(edges, evidence) for edges in evidence.orientations()]
    log_shares = np.array([base.log_probability(evidence.directed, edges) for edges in directed])
    possible = np.flatnonzero(log_shares > -np.inf)
    if not possible.size:
        raise ImpossibleEvidence(
            f"cannot condition on {str(evidence)!r}: no graph of the posterior satisfies it, in whichever direction "
            "the edges between neighbours point."
        )
    kind = OrientedOrderGraphs if isinstance(base, OrderGraphs) else OrientedGraphs
    return kind(base, evidence, tuple(directed[m] for m in possible), log_shares[possible])


@dataclass(frozen=True, eq=False)
class OrientedGraphs:
    """A mixture: a model under evidence of neighbours, with a part for each possible choice of their directions.

    Parts are built when they are needed and not kept, because each may take as much memory as the model.

    Attributes
    ----------
    base : GraphModel
        The model under all other evidence.
    evidence : Edges
        All evidence.
    directions : tuple of Edges
        The edges between neighbours in each part.
    log_shares : numpy.ndarray
        The log probability of each part under the model `base`.
    """

    base: GraphModel
    evidence: Edges
    directions: tuple[Edges, ...]
    log_shares: np.ndarray

    tests_neighbours = True

    @property
    def kind(self) -> str:
        """The name of the class of the model in files."""
        return self.base.kind

    @property
    def target(self) -> Target:
        """Whether a graph counts once for each of its orders, or once."""
        return self.base.target

    @property
    def nature(self) -> str:
        """What the model is, for messages."""
        return self.base.nature

    @property
    def variables(self) -> tuple[str, ...]:
        """Names, by index."""
        return self.base.variables

    @property
    def score(self) -> LocalScore:
        """Local scores of parent sets."""
        return self.base.score

    @property
    def workers(self) -> Workers:
        """Threads to use."""
        return self.base.workers

    @property
    def candidates(self) -> Sequence[np.ndarray]:
        """Candidate parents of each variable."""
        return self.base.candidates

    @property
    def outsider_rows(self) -> Sequence[np.ndarray]:
        """Outsiders of each variable."""
        return self.base.outsider_rows

    @property
    def log_share(self) -> float:
        """Log probability of the neighbours given all other evidence."""
        return _log_sum(self.log_shares)

    @property
    def shares(self) -> np.ndarray:
        """Probability of each part, with sum 1."""
        shares: np.ndarray = np.exp(self.log_shares - self.log_share)
        return shares / shares.sum()

    def parts(self) -> Iterator[tuple[float, GraphModel]]:
        """Build the parts one after the other, each with its probability."""
        for share, edges in zip(self.shares.tolist(), self.directions, strict=True):
            yield share, self.base.given(self.evidence.directed & edges, edges)

    def given(self, evidence: Edges, added: Edges) -> OrientedGraphs:
        """Condition the model on evidence, of which `added` is new, also on neighbours."""
        base = self.base.given(evidence.directed, added.directed) if added.directed else self.base
        return oriented(base, evidence)

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Return the log probability of an event: of the event and the neighbours, less that of the neighbours."""
        joint = event & Edges(adjacent=evidence.adjacent)
        return min(0.0, log_probability(self.base, evidence.directed, joint) - self.log_share)

    def standard_error(self, event: Edges) -> float:  # noqa: ARG002
        """Return 0 if the model has no sampling error, else NaN: that of a mixture is unknown."""
        return float(self.edge_standard_errors().max())

    def edge_standard_errors(self) -> np.ndarray:
        """Return 0 if the model has no sampling error, else NaN: those of a mixture are unknown."""
        errors = self.base.edge_standard_errors()
        return np.full(errors.shape, np.nan) if errors.any() else errors

    def edge_matrix(self) -> np.ndarray:
        """Return edge probabilities (d, d), [cause, effect]."""
        # Sums of weights may exceed 1 by rounding; probabilities may not.
        return np.minimum(_weighted_sum((share, part.edge_matrix()) for share, part in self.parts()), 1.0)

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Return parent sets and their probabilities, most probable first."""
        summed: dict[tuple[str, ...], float] = {}
        for share, part in self.parts():
            for names, probability in zip(*part.parent_sets(child, None), strict=True):
                summed[names] = summed.get(names, 0.0) + share * float(probability)
        best_first = sorted(summed, key=lambda names: -summed[names])[:top]
        return best_first, np.minimum([summed[names] for names in best_first], 1.0)

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the graph with the highest score: that of the model if it has the neighbours, else of the parts."""
        best = self.base.most_probable_graph()
        log_probability = best.log_probability
        if not _has_neighbours(best, self.evidence):
            each = [part.most_probable_graph() for _, part in self.parts()]
            log_joint = [
                graph.log_probability + log_share for graph, log_share in zip(each, self.log_shares, strict=True)
            ]
            best, log_probability = _first_of_best(each, log_joint)
        log_probability = min(0.0, float(log_probability) - self.log_share)
        return MostProbableGraph(best.graph, best.order, log_probability, best.log_score, best.edges)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Search for the best graph under evidence, of which `added` is new."""
        neighbours = Edges(adjacent=evidence.adjacent)
        return _best_oriented(self.base, evidence.directed, added & neighbours, effort, rng)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw parts, then graphs of each part."""
        own, *seeds = seed_sequence(rng).spawn(1 + len(self.directions))
        generator = generator_of(own)
        counts = generator.multinomial(n, self.shares).tolist()
        drawn = [
            self.base.given(self.evidence.directed & edges, edges).sample(count, seed)
            for edges, count, seed in zip(self.directions, counts, seeds, strict=True)
            if count
        ]
        shuffled = generator.permutation(n)
        adjacency, orders = (np.concatenate([getattr(s, name) for s in drawn]) for name in ("adjacency", "orders"))
        return GraphSamples(list(self.variables), adjacency[shuffled], orders[shuffled])

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs; no weights are needed, because every graph counts once."""
        return self.sample(n, rng)

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects and their standard errors: draws are divided among the parts by their shares."""
        seeds = seed_sequence(rng).spawn(len(self.directions))
        means, variances = [], []
        for (share, part), seed in zip(self.parts(), seeds, strict=True):
            mean, error = part.estimate_effects(max(2, round(share * n)), seed)
            means.append((share, mean))
            variances.append((share**2, error**2))
        return _weighted_sum(means), np.sqrt(_weighted_sum(variances))

    @property
    def log_evidence(self) -> float:
        """Log of the summed scores of everything covered."""
        return require(self.base, MASSES, "the log evidence").log_evidence + self.log_share

    def entropy(self) -> float:
        """Return the entropy: that of the parts, and that of the choice of a part."""
        parts = ((share, require(part, MASSES, "the entropy").entropy()) for share, part in self.parts())
        return sum(share * (entropy - math.log(share)) for share, entropy in parts if share > 0.0)

    def coverage(self, n_orders: int, rng: RNGLike) -> Coverage:
        """Return the covered share of the mass, before evidence."""
        return require(self.base, COVERAGE, "coverage").coverage(n_orders, rng)

    def log_weights_of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log weight of each DAG (n, d, d) up to a constant, shape (n,); -inf for impossible graphs."""
        log_weights = require(self.base, GRAPH_SCORES, "the weight of a graph").log_weights_of(graphs)
        neighbours = Edges(adjacent=self.evidence.adjacent)
        return np.where(satisfying(graphs, neighbours, self.variables), log_weights, -np.inf)

    def lines(self) -> Lines:
        """Return the lines of a summary about the model."""
        return self.base.lines()

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that restore the model before evidence."""
        return self.base.arrays()

    @classmethod
    def restore(cls, parts: Parts) -> NoReturn:
        """Raise an error: files keep the model before evidence, and the evidence."""
        raise TypeError(f"a mixture is made by conditioning the model of {', '.join(parts.variables)}")


@dataclass(frozen=True, eq=False)
class OrientedOrderGraphs(OrientedGraphs):
    """The mixture for a model over orders, which answers more questions."""

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw orders and graphs, with the inverse mass of the orders of each graph as its weight."""
        return counted_once(self.sample(n, rng), cast("OrderGraphs", self.base).orders)

    def precedence(self) -> np.ndarray:
        """Return the probability that one variable comes before another (d, d)."""
        parts = ((share, require(part, ORDERS, "precedence")) for share, part in self.parts())
        return np.minimum(_weighted_sum((share, part.precedence()) for share, part in parts), 1.0)

    def effects(self) -> np.ndarray:
        """Return mean total effects (d, d), 1 on the diagonal."""
        parts = ((share, require(part, EXACT_EFFECTS, "causal_effects()")) for share, part in self.parts())
        return _weighted_sum((share, part.effects()) for share, part in parts)

    def size(self) -> Size:
        """Return the numbers of nodes, edges and orders."""
        return require(self.base, SIZE, "size").size()


def _tests_neighbours(model: GraphModel) -> bool:
    """Whether a model takes neighbours as they are."""
    return bool(getattr(model, "tests_neighbours", False))


def _new(directed: Edges, evidence: Edges) -> Edges:
    """Return the edges that a choice of directions adds to the evidence."""
    known = set(evidence.present)
    return Edges(edge for edge in directed.present if edge not in known)


def _log_sum(log_values: Sequence[float] | np.ndarray) -> float:
    """Return the log of a sum of probabilities, at most 0."""
    return min(0.0, float(np.logaddexp.reduce(log_values)))


def _weighted_sum(weighted: Iterable[tuple[float, np.ndarray]]) -> np.ndarray:
    return np.asarray(sum(weight * value for weight, value in weighted))


G = TypeVar("G", BestGraph, MostProbableGraph)


def _best_oriented(model: GraphModel, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
    """Search without the neighbours first; if the graph does not have them, under each choice of directions."""
    seed = seed_sequence(rng)
    best = model.best_graph(evidence, added.directed, effort, seed)
    if _has_neighbours(best, added):
        return best
    found = []
    for directed in added.orientations():
        try:
            found.append(model.best_graph(evidence, _new(directed, evidence) & added.directed, effort, seed))
        except ImpossibleEvidence:
            continue
    if not found:
        raise ImpossibleEvidence(
            f"cannot condition on {str(evidence & added)!r}: no graph satisfies it, in whichever direction the edges "
            "between neighbours point."
        )
    return _first_of_best(found, [graph.log_score for graph in found])[0]


def _has_neighbours(best: BestGraph | MostProbableGraph, edges: Edges) -> bool:
    return all(best.graph.has_edge(a, b) or best.graph.has_edge(b, a) for a, b in edges.adjacent)


def _first_of_best(graphs: Sequence[G], log_values: Sequence[float]) -> tuple[G, float]:
    """Return the graph with the highest value, and the value; of equal ones the first by the names of its edges."""
    highest = max(log_values)
    tied = [g for g, v in zip(graphs, log_values, strict=True) if v >= highest - tie_tolerance(g.log_score)]
    return min(tied, key=lambda graph: (len(graph.edges.present), sorted(graph.edges.present))), highest
