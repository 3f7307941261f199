"""Graphs of a fixed sample of orders, which rows reweight: a small stand-in for a posterior that takes long to learn.

M orders are drawn from the posterior once. Given an order, parents are summed exactly: with scores after more rows, the
weight of an order changes by the product over variables of `tau' / tau`. So a posterior after rows costs the scores of
the families and M lookups for each variable, never a lattice. The mean of the weights is the probability of the rows,
averaged over the draws.

Families have the most probable candidates alone, so that scores are few. Each of the M orders is equally probable
before the rows; all probabilities and entropies are then those of a proper posterior over these orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.core.randomness import RNGLike, generator_of, spawn_generators
from orderspn.core.workers import Workers
from orderspn.design.relearning import ONE
from orderspn.lattice.predecessors import fill_parent_sets
from orderspn.leaves.context import context_first
from orderspn.leaves.family import Family
from orderspn.leaves.scoring import score_families
from orderspn.models.family_graphs import FamilyGraphs
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.protocol import Lines, Target
from orderspn.queries.edges import Edges
from orderspn.queries.effects import estimate_effects
from orderspn.queries.evidence import restrict
from orderspn.queries.marginals import entropy
from orderspn.queries.sampling import GraphSamples, places_in, predecessors, sample_graphs
from orderspn.scores.local import LocalScore

ORDERS = 2000
"""Number of drawn orders."""

CANDIDATES = 10
"""Largest number of candidates of each variable."""


@dataclass(frozen=True, eq=False)
class DrawnOrders:
    """Orders drawn from a posterior, with the predecessors of each variable in them.

    Attributes
    ----------
    orders : numpy.ndarray
        Shape (M, ordered variables).
    places : numpy.ndarray
        Shape (M, d): the place of each variable, context variables first.
    log_drawn : numpy.ndarray
        Shape (M,): log of M times what the weight of each order was when it was drawn.
    """

    orders: np.ndarray
    places: np.ndarray
    log_drawn: np.ndarray
    _masks: dict[tuple[int, bytes], np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def masks(self, family: Family) -> np.ndarray:
        """Return the candidates of a family among the predecessors of its child in each order, (M,)."""
        key = family.child, family.candidates.tobytes()
        if key not in self._masks:  # two threads may both compute it, with the same result
            self._masks[key] = family.opened_by(predecessors(self.places, family.child))[0]
        return self._masks[key]

    def log_taus(self, families: Sequence[Family]) -> np.ndarray:
        """Return the log of the product of the masses of all families in each order, (M,)."""
        total = np.zeros(len(self.orders))
        for family in families:
            total += family.log_mass[self.masks(family)]
        return total


@dataclass(frozen=True, eq=False, repr=False)
class DrawnOrderGraphs(FamilyGraphs):
    """Graphs of drawn orders, weighted by their families.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    families : tuple of Family
        Without outsiders.
    drawn : DrawnOrders
    workers : Workers
    learned : tuple of Family
        The same families before evidence on this model; by default `families`.
    """

    kind: ClassVar[str] = "drawn orders"
    target: ClassVar[Target] = "order"
    nature: ClassVar[str] = "sums over drawn orders"

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    drawn: DrawnOrders
    workers: Workers = ONE
    learned: tuple[Family, ...] = ()

    def __post_init__(self) -> None:
        if not self.learned:
            object.__setattr__(self, "learned", self.families)

    @cached_property
    def log_mass(self) -> float:
        """Log of the summed scores of all (order, graph) pairs, as the drawn orders estimate it."""
        return float(np.logaddexp.reduce(self._log_weights))

    @cached_property
    def weights(self) -> np.ndarray:
        """The probability of each drawn order, shape (M,)."""
        return np.asarray(np.exp(self._log_weights - self.log_mass))

    @property
    def effective_orders(self) -> float:
        """The effective number of drawn orders: as precise as so many of equal weight."""
        return float(1.0 / np.square(self.weights).sum())

    @cached_property
    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Probabilities of the parent sets of every variable, in the numbering of its family."""
        found = []
        for family in self.families:
            placement = np.bincount(self.drawn.masks(family), self.weights, minlength=family.n_masks)
            own = np.zeros(family.n_masks)
            fill_parent_sets(family, placement, own)
            found.append(own)
        return found

    @cached_property
    def _log_weights(self) -> np.ndarray:
        return self.drawn.log_taus(self.families) - self.drawn.log_drawn

    def entropy(self) -> float:
        """Return the entropy over (order, graph) pairs, up to a constant that no rows change."""
        return entropy(self.log_mass, self.families, self.parent_set_probabilities)

    def with_families(self, families: Sequence[Family]) -> DrawnOrderGraphs:
        """Return the same orders with other families, as evidence changes them."""
        return replace(self, families=tuple(families))

    def after(self, likelihood: Any, evidence: Edges) -> DrawnOrderGraphs:
        """Return the model after the score was fitted to other rows, under the evidence of the posterior."""
        local = replace(self.score, likelihood=likelihood)
        families = _families(local, self.candidates, evidence, self.variables)
        return DrawnOrderGraphs(self.variables, local, families, self.drawn)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw orders, then graphs."""
        return sample_graphs(_Weighted(self), self.families, self.variables, n, rng, self.workers)

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects over draws of orders and their standard errors, each (d, d)."""
        generator = spawn_generators(rng, 1)[0]
        return estimate_effects(_Weighted(self), self.families, self._mean_weights, n, generator, self.workers)

    def _mean_weights(self, family: Family) -> np.ndarray:
        return self.score.expected_weights(family.child, family.candidates, family.outsider_rows)

    def most_probable_graph(self) -> NoReturn:
        """Not among what drawn orders tell."""
        raise Unavailable("the most probable graph is a question to the posterior, not to orders drawn from it.")

    def lines(self) -> Lines:
        """Return the lines of a summary about the model."""
        return [("covered", f"{len(self.drawn.orders):,} drawn orders")]


@dataclass(frozen=True)
class _Weighted:
    """Draws of the orders of a model by their weights."""

    model: DrawnOrderGraphs

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        orders: np.ndarray = self.model.drawn.orders
        return orders[rng.choice(len(orders), size=n, p=self.model.weights)]


def draw_orders(
    model: OrderGraphs, evidence: Edges, asked: Sequence[tuple[str, str]], seed: np.random.SeedSequence
) -> DrawnOrderGraphs:
    """Draw orders from a posterior; keep the most probable candidates of each variable, and edges that are asked for.

    Parameters
    ----------
    model : OrderGraphs
        Under the evidence.
    evidence : Edges
    asked : sequence of (str, str)
        Edges (cause, effect) whose causes stay candidates, however improbable.
    seed : numpy.random.SeedSequence
    """
    claims = model.edge_matrix()
    for cause, effect in asked:
        claims[model.variables.index(cause), model.variables.index(effect)] = np.inf
    candidates = [_most_probable(own, child) for child, own in enumerate(claims.T)]
    families = _families(model.score, candidates, evidence, model.variables)
    orders = model.orders.sample(ORDERS, generator_of(seed))
    places = places_in(context_first(orders, len(families)))
    unweighted = DrawnOrders(orders, places, np.zeros(len(orders)))
    mass = model.log_evidence - sum(family.log_scale for family in families)
    log_drawn = unweighted.log_taus(families) - mass + np.log(len(orders))
    return DrawnOrderGraphs(model.variables, model.score, families, replace(unweighted, log_drawn=log_drawn))


def _most_probable(claims: np.ndarray, child: int) -> np.ndarray:
    """Return the causes of a child with the largest claims, ascending; those of probability 0 are left out."""
    most = max(CANDIDATES, int((claims >= 1.0).sum()))  # all that are certain, and all that were asked for
    best = np.argsort(-claims, kind="stable")[:most]
    return np.sort(best[(claims[best] > 0.0) & (best != child)])


def _families(
    score: LocalScore, candidates: Sequence[np.ndarray], evidence: Edges, variables: Sequence[str]
) -> tuple[Family, ...]:
    return tuple(restrict(score_families(score, candidates, ONE), evidence, variables))
