"""One component of a mixture: a model under its own evidence, with answers in the order of the mixture's variables.

Variables are matched by name, so components may have been learned from tables with their columns in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.models import ancestry
from orderspn.models.capabilities import GRAPH_LIST, GRAPH_SCORES, ORDERS, require
from orderspn.models.graph_probabilities import log_probabilities_of
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples, distinct_graphs

if TYPE_CHECKING:
    from orderspn.data.units import Units


@dataclass(frozen=True, eq=False, repr=False)
class Component:
    """A posterior within a mixture.

    Attributes
    ----------
    model : GraphModel
        Under the evidence.
    evidence : Edges
        All evidence on this component: what it had before it was mixed, and that of the mixture.
    settings : mapping
        The settings that it was learned with.
    units : Units, optional
        The units of its data, if these were standardized.
    places : numpy.ndarray
        Shape (d,): the index in `model` of each variable of the mixture.
    """

    model: GraphModel
    evidence: Edges
    settings: Mapping[str, Any]
    units: Units | None
    places: np.ndarray

    @classmethod
    def of(
        cls,
        model: GraphModel,
        evidence: Edges,
        settings: Mapping[str, Any],
        units: Units | None,
        variables: Sequence[str],
    ) -> Component:
        """Make one for a mixture of these variables, which are those of the model in any order."""
        index = {name: v for v, name in enumerate(model.variables)}
        return cls(model, evidence, settings, units, np.array([index[name] for name in variables], dtype=np.int64))

    @property
    def variables(self) -> list[str]:
        """Names in the order of the mixture."""
        return [self.model.variables[v] for v in self.places]

    def given(self, added: Edges) -> Component:
        """Condition the component on more evidence; raise `ImpossibleEvidence` if it cannot be."""
        evidence = self.evidence & added
        return replace(self, model=ancestry.condition(self.model, evidence, added), evidence=evidence)

    def log_probability(self, event: Edges) -> float:
        """Return the log probability of an event, also of neighbours."""
        return ancestry.log_probability(self.model, self.evidence, event)

    def standard_error(self, event: Edges) -> float:
        """Return the Monte Carlo standard error of the probability of an event."""
        return ancestry.standard_error(self.model, self.evidence, event)

    def edge_matrix(self) -> np.ndarray:
        """Return edge probabilities (d, d), [cause, effect]."""
        return self.in_order(self.model.edge_matrix())

    def edge_standard_errors(self) -> np.ndarray:
        """Return the Monte Carlo standard errors of edge probabilities (d, d)."""
        return self.in_order(self.model.edge_standard_errors())

    def precedence(self) -> np.ndarray:
        """Return the probability that one variable comes before another (d, d)."""
        return self.in_order(require(self.model, ORDERS, "precedence").precedence())

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects and their standard errors, each (d, d), in the units of the scores."""
        mean, error = self.model.estimate_effects(n, rng)
        return self.in_order(mean), self.in_order(error)

    def parent_sets(self, child: int) -> dict[tuple[str, ...], float]:
        """Return the probability of each parent set; names within a set are in the order of the mixture."""
        rank = {name: place for place, name in enumerate(self.variables)}
        sets, probabilities = self.model.parent_sets(int(self.places[child]), None)
        return {
            tuple(sorted(names, key=rank.__getitem__)): float(probability)
            for names, probability in zip(sets, probabilities, strict=True)
        }

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the most probable graph of this component."""
        return self.model.most_probable_graph()

    def best_graph(self, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Search for the best graph of this component under more evidence."""
        return ancestry.best_graph(self.model, self.evidence, added, effort, rng)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs."""
        return self.samples_in_order(self.model.sample(n, rng))

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs for the target in which each counts once, with importance weights if needed."""
        return self.samples_in_order(self.model.sample_dags(n, rng))

    def parents_matrix(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which variables are candidate parents and which are outsiders, each (d, d), bool, [cause, effect]."""
        d = len(self.places)
        inside, outside = np.zeros((d, d), dtype=bool), np.zeros((d, d), dtype=bool)
        for child, (own, rows) in enumerate(zip(self.model.candidates, self.model.outsider_rows, strict=True)):
            inside[own, child] = True
            outside[rows[rows >= 0], child] = True
        return self.in_order(inside), self.in_order(outside)

    @property
    def has_graph_probabilities(self) -> bool:
        """Whether the probabilities of single graphs can be computed without a query for each."""
        return GRAPH_SCORES.of(self.model) or GRAPH_LIST.of(self.model)

    def log_probabilities_of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log probability of each DAG (n, d, d) of the mixture's variables, shape (n,)."""
        back = np.argsort(self.places)
        own = graphs[:, back][:, :, back]
        if GRAPH_LIST.of(self.model):
            return self._log_shares_of(own)
        return log_probabilities_of(self.model, self.evidence, own, "the probability of a graph")

    def weighted_graphs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the graphs of a list (n, d, d) and their weights (n,)."""
        graphs, weights = require(self.model, GRAPH_LIST, "a list of graphs").weighted_graphs()
        return self.in_order(graphs), weights

    def _log_shares_of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log of the share of each graph in the list."""
        listed, weights = require(self.model, GRAPH_LIST, "the probability of a graph").weighted_graphs()
        n = len(listed)
        distinct, which = distinct_graphs(np.concatenate([listed, graphs]))
        shares = np.minimum(np.bincount(which[:n], weights, len(distinct)), 1.0)[which[n:]]
        return np.log(shares, out=np.full(len(shares), -np.inf), where=shares > 0.0)

    def in_order(self, matrices: np.ndarray) -> np.ndarray:
        """Return matrices (..., d, d) of this component's variables in the order of the mixture."""
        return matrices[..., self.places[:, None], self.places]

    def samples_in_order(self, samples: GraphSamples) -> GraphSamples:
        """Return graphs and orders of this component's variables in the order of the mixture."""
        places = np.argsort(self.places)  # of the model's variables in the mixture
        adjacency = self.in_order(samples.adjacency)
        return replace(samples, variables=self.variables, adjacency=adjacency, orders=places[samples.orders])
