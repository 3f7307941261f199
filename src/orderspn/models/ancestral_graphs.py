"""A model under evidence of ancestors: graphs drawn under all other evidence, of which those that satisfy it are kept.

That A is an ancestor of B implies that A comes before B. Models over orders are conditioned on that first, which is
exact, so that more of the draws are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np

from orderspn.core.errors import ImpossibleEvidence, Unavailable
from orderspn.core.randomness import RNGLike
from orderspn.leaves.family import Family
from orderspn.models import orientations
from orderspn.models.capabilities import ORDERS
from orderspn.models.family_graphs import FamilyGraphs, log_scores_of
from orderspn.models.parts import Parts
from orderspn.models.protocol import GraphModel, Lines, Target
from orderspn.models.sampled_graphs import SampledGraphs
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import find_contradiction, satisfying
from orderspn.queries.most_probable import BestGraph
from orderspn.queries.sampling import GraphSamples, places_in

DRAWS, MOST_DRAWS = 10_000, 100_000
"""Graphs that are drawn, and the most if too few of them are kept."""

ENOUGH = 1000
"""Number of graphs after which no more than `DRAWS` are drawn."""

BATCH_BYTES = 2**27
"""Bytes of the graphs that are drawn at a time."""

SEED = 0
"""The seed of all draws, so that the same question has the same answer."""


@dataclass(frozen=True, eq=False, repr=False)
class AncestralGraphs(SampledGraphs):
    """Independent draws that satisfy evidence of ancestors.

    Attributes
    ----------
    base : GraphModel
        The model under all other evidence.
    evidence : Edges
        All evidence.
    drawn : int
        Number of draws from `base`, under the order constraints that ancestors imply.
    orders : numpy.ndarray
        Shape (m, d): an order of each graph, drawn with it if the model is one over orders.
    """

    nature: ClassVar[str] = "is under evidence of ancestors, so that it is a sample of graphs"

    base: GraphModel
    evidence: Edges
    drawn: int
    orders: np.ndarray

    @property
    def target(self) -> Target:  # type: ignore[override]
        """Whether a graph counts once for each of its orders, or once."""
        return self.base.target

    def given(self, evidence: Edges, added: Edges) -> AncestralGraphs:
        """Condition the model before ancestors on what is added, and draw again."""
        rest = added.without_ancestry
        base = orientations.condition(self.base, evidence.without_ancestry, rest) if rest else self.base
        return ancestral(base, evidence)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Return the best graph of a search if it satisfies the evidence, else the best of those drawn."""
        return best_with_ancestors(self.base, evidence.without_ancestry, evidence & added, effort, rng)

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs that count once; raise an error if they count once for each order."""
        if self.target == "order":
            raise Unavailable(
                "target='dag' is not available under evidence of ancestors. Learn with methods.Exact(target='dag') or "
                "methods.Gadget(), in which every graph counts once."
            )
        return self.sample(n, rng)

    def precedence(self) -> np.ndarray:
        """Return the share of draws in which one variable comes before another (d, d)."""
        if self.target != "order":
            raise ORDERS.missing("precedence", f"this posterior {self.nature}")
        places = places_in(self.orders)
        before: np.ndarray = (places[:, :, None] < places[:, None, :]).mean(axis=0)
        context = self.score.context
        before[np.ix_(context, context)] = 0.0
        return before

    def lines(self) -> Lines:
        """Return the lines of the model before ancestors, and how many draws satisfy the evidence."""
        return [*self.base.lines(), ("ancestors", self.kept)]

    @property
    def kept(self) -> str:
        """How many draws satisfy the evidence, in words."""
        share = self.n_graphs / self.drawn
        return f"{self.n_graphs:,} of {self.drawn:,} draws satisfy the evidence of ancestors ({100 * share:.2g}%)"

    @classmethod
    def restore(cls, parts: Parts) -> NoReturn:
        """Raise an error: files keep the model before ancestors, and the evidence."""
        raise TypeError(f"draws under evidence are made by conditioning the model of {', '.join(parts.variables)}")

    def _satisfying(self, edges: Edges) -> np.ndarray:
        """Return which graphs, with their orders, satisfy edges, shape (m,), bool."""
        holds = satisfying(self.adjacency, edges, self.variables)
        places, index = places_in(self.orders), {name: v for v, name in enumerate(self.variables)}
        for first, second in edges.before:
            holds &= places[:, index[first]] < places[:, index[second]]
        return holds


def ancestral(base: GraphModel, evidence: Edges) -> AncestralGraphs:
    """Draw graphs from a model, conditioned on all other evidence, until enough satisfy that of ancestors."""
    contradiction = find_contradiction(evidence)
    if contradiction is not None:
        raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: {contradiction}.")
    narrowed, _ = under_implied_orders(base, evidence)
    kept: list[GraphSamples] = []
    drawn = n_kept = 0
    for samples in batches(narrowed, MOST_DRAWS):
        holds = satisfying(samples.adjacency, evidence.ancestry, base.variables)
        kept.append(GraphSamples(samples.variables, samples.adjacency[holds], samples.orders[holds]))
        drawn, n_kept = drawn + len(samples), n_kept + int(holds.sum())
        if drawn >= DRAWS and n_kept >= ENOUGH:
            break
    if not n_kept:
        raise ImpossibleEvidence(
            f"cannot condition on {str(evidence)!r}: none of {drawn:,} graphs that were drawn under all other evidence "
            f"satisfies {str(evidence.ancestry)!r}, so that its probability is 0 or below about {3 / drawn:.0g}. "
            "Condition on edges or on the order instead, which needs no draws."
        )
    graphs = np.concatenate([samples.adjacency for samples in kept])
    families = families_of(base, evidence)
    return AncestralGraphs(
        base.variables,
        base.score,
        base.candidates,
        [np.unique(rows[rows >= 0]) for rows in base.outsider_rows],
        graphs,
        log_scores_of(graphs, families) + sum(family.log_scale for family in families),
        np.full(n_kept, 1.0 / n_kept),
        base.workers,
        np.ones(n_kept, dtype=bool),
        1,
        base,
        evidence,
        drawn,
        np.concatenate([samples.orders for samples in kept]),
    )


def families_of(model: GraphModel, evidence: Edges) -> Sequence[Family]:
    """Return the families of a model; raise an error if it has none."""
    found = orientations.unoriented(model)
    if not isinstance(found, FamilyGraphs):
        raise Unavailable(
            f"cannot condition on {str(evidence)!r}: this posterior {model.nature}, whose graphs have no scores. "
            "Condition on edges instead."
        )
    return found.families


def batches(model: GraphModel, most: int) -> Iterator[GraphSamples]:
    """Draw `most` graphs in all, a number at a time that fits the memory; the same ones every time."""
    size = max(1, min(DRAWS, BATCH_BYTES // len(model.variables) ** 2))
    for seed in np.random.SeedSequence(SEED).spawn(-(-most // size)):
        yield model.sample(size, seed)


def under_implied_orders(model: GraphModel, evidence: Edges) -> tuple[GraphModel, float]:
    """Condition a model over orders on those that ancestors imply; return it, and the log probability of these."""
    context = {model.variables[v] for v in model.score.context}
    implied = Edges(before=(pair for pair in evidence.ancestors if not context & set(pair)))
    if not implied or not ORDERS.of(model):
        return model, 0.0
    rest = evidence.without_ancestry
    try:
        log_probability = orientations.log_probability(model, rest, implied)
        if log_probability == -math.inf:
            return model, -math.inf
        return orientations.condition(model, rest & implied, implied), log_probability
    except Unavailable:  # a constraint would need too large a table: draw without it
        return model, 0.0


def best_with_ancestors(model: GraphModel, evidence: Edges, wanted: Edges, effort: float, rng: RNGLike) -> BestGraph:
    """Search under all evidence but that of ancestors; if the graph does not satisfy it, take the best of draws.

    `evidence` is that of the model, `wanted` all that the graph has to satisfy.
    """
    rest = wanted.without_ancestry
    found = orientations.best_graph(model, evidence, rest, effort, rng)
    adjacency = np.zeros((1, len(model.variables), len(model.variables)), dtype=bool)
    index = {name: v for v, name in enumerate(model.variables)}
    for cause, effect in found.edges.present:
        adjacency[0, index[cause], index[effect]] = True
    if satisfying(adjacency, wanted.ancestry, model.variables)[0]:
        return found
    base = orientations.condition(model, evidence & rest, rest) if rest else model
    best = ancestral(base, wanted).most_probable_graph()
    return BestGraph(best.graph, best.order, best.log_score, best.edges)
