"""What graphs are ranked by: their log probability under a posterior, or how good their scores are."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from orderspn.core.linear_extensions import log_linear_extensions
from orderspn.judging.local_scores import LocalScores
from orderspn.models.capabilities import GRAPH_LIST, GRAPH_SCORES, MIXTURE
from orderspn.models.graph_probabilities import log_probabilities_of
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges
from orderspn.queries.sampling import distinct_graphs

MOST_COUNTED = 20
"""Most variables whose orders are counted to rank graphs of a circuit."""


class Standing:
    """Log probabilities of graphs under one model, and what ranks them.

    That is the log probability where the model has it. In a list of sampled graphs, the share of most graphs
    is 0; and chance decides which orders of a graph a circuit of sampled orders has. Graphs are ranked by their
    scores there, in a circuit times the number of their orders. So the rank does not suffer from that chance.

    Parameters
    ----------
    model : GraphModel
        Under the evidence.
    evidence : Edges
    """

    def __init__(self, model: GraphModel, evidence: Edges) -> None:
        self.model, self.evidence = model, evidence
        mixed = MIXTURE.optional(model)
        self.parts: list[tuple[float, Standing, np.ndarray]] = []
        self.scores: LocalScores | None = None
        if mixed is None:
            self.scores = LocalScores(model.score)
        else:
            place = {name: v for v, name in enumerate(model.variables)}
            for log_weight, part in zip(mixed.log_weights.tolist(), mixed.components, strict=True):
                if log_weight > -math.inf:
                    columns = np.array([place[name] for name in part.model.variables])
                    self.parts.append((log_weight, Standing(part.model, part.evidence), columns))

    @property
    def is_exact(self) -> bool:
        """Whether the values are log probabilities, and no estimates of them."""
        if self.parts:
            return all(part.is_exact for _, part, _ in self.parts)
        return not GRAPH_LIST.of(self.model) and GRAPH_SCORES.of(self.model)

    @cached_property
    def is_noisy(self) -> bool:
        """Whether log probabilities depend on the orders that were sampled for a circuit."""
        if self.parts:
            return any(part.is_noisy for _, part, _ in self.parts)
        return not GRAPH_LIST.of(self.model) and bool((self.model.edge_standard_errors() != 0.0).any())

    def of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log probability of each DAG (n, d, d), shape (n,); for lists an estimate from scores."""
        distinct, which = distinct_graphs(graphs)
        return self._of(distinct)[which]

    def ranks(self, graphs: np.ndarray) -> np.ndarray:
        """Return what ranks each DAG (n, d, d), shape (n,); -inf for those that the model does not have."""
        distinct, which = distinct_graphs(graphs)
        return self._ranks(distinct)[which]

    def by_scores(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log score of each DAG, whether the model covers it or not; of mixtures the weighted mean."""
        if self.scores is not None:
            return self.scores.graphs(graphs)
        # Each component has its own data or prior, so scores are compared with those of its best graph.
        parts = [w + part.by_scores(_reordered(graphs, own)) - part.best_log_score for w, part, own in self.parts]
        mean: np.ndarray = np.logaddexp.reduce(parts, axis=0)
        return mean

    @cached_property
    def best_log_score(self) -> float:
        """Log score of the most probable graph."""
        return 0.0 if self.parts else self.model.most_probable_graph().log_score

    def _ranks(self, graphs: np.ndarray) -> np.ndarray:
        if not self.is_noisy:
            return self._of(graphs)
        if self.parts:
            parts = [w + part._ranks(_reordered(graphs, columns)) for w, part, columns in self.parts]
            mixed: np.ndarray = np.logaddexp.reduce(parts, axis=0)
            return mixed
        return self.by_scores(graphs) + self._log_orders(graphs) - self.best_log_score

    def _log_orders(self, graphs: np.ndarray) -> np.ndarray | float:
        """Return the log of the number of orders of each graph, without context variables; 0 if there are too many."""
        explained = np.setdiff1d(np.arange(graphs.shape[1]), self.model.score.context)
        if self.model.target != "order" or explained.size > MOST_COUNTED:
            return 0.0
        return log_linear_extensions(graphs[:, explained[:, None], explained])

    def _of(self, graphs: np.ndarray) -> np.ndarray:
        if self.parts:
            parts = [w + part._of(_reordered(graphs, columns)) for w, part, columns in self.parts]
            mixed: np.ndarray = np.logaddexp.reduce(parts, axis=0)
            return mixed
        listed = GRAPH_LIST.optional(self.model)
        if listed is not None and self.scores is not None:
            return self.scores.graphs(graphs) + self._log_orders(graphs) - self._log_evidence
        return log_probabilities_of(self.model, self.evidence, graphs, "the rank of a graph")

    @cached_property
    def _log_evidence(self) -> float:
        """An estimate for a list of graphs: score over share of the graph that is most frequent."""
        listed = GRAPH_LIST.require(self.model, "the rank of a graph", f"this posterior {self.model.nature}")
        graphs, weights = listed.weighted_graphs()
        distinct, which = distinct_graphs(graphs)
        shares = np.bincount(which, weights)
        most = int(np.argmax(shares))
        log_weight = self.by_scores(distinct[[most]]) + self._log_orders(distinct[[most]])
        return float(log_weight[0] - math.log(shares[most]))


def _reordered(graphs: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return graphs with the variables in the order of a component."""
    return graphs[:, columns[:, None], columns]
