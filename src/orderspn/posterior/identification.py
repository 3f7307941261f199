"""What data can identify: neighbours, colliders, equivalence classes, and one graph for all of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.dag import all_dags
from orderspn.core.equivalence import essential_graphs
from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike
from orderspn.display.progress import Progress
from orderspn.models import orientations
from orderspn.models.class_shares import ClassShares, most_probable_classes
from orderspn.models.collider_events import likely_colliders
from orderspn.models.graph_shares import LISTED_UP_TO, GraphShares, graph_shares, is_exact
from orderspn.queries.consensus import (
    ConsensusGraph,
    Loss,
    describe_loss,
    least_loss_dag,
    read_loss,
)
from orderspn.queries.cpdag_consensus import JoinedPairs, distances_to, least_loss_cpdag
from orderspn.queries.edges import EdgesLike
from orderspn.queries.equivalence_classes import EquivalenceClasses, named_graph

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

from orderspn.posterior.graphs import GraphQueries
from orderspn.posterior.probabilities import ProbabilityQueries

DRAWS = 4000
"""Number of graphs to draw where graphs cannot be enumerated."""

TRIPLES_UP_TO = 6
"""Largest number of variables for which all v-structures are looked at."""


class IdentificationQueries(ProbabilityQueries, GraphQueries):
    """Questions up to Markov equivalence, and the graph that stands for a posterior."""

    def adjacency_probabilities(self, given: EdgesLike = None, *, progress: Progress = "auto") -> pd.DataFrame:
        """Return the probability that two variables are joined by an edge, in whichever direction.

        Data without interventions often tell that two variables are joined but not which is the cause. These are as
        exact as `edge_probabilities`; the standard error of one is `standard_error("A -- B")`.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Symmetric; 0 on the diagonal, and between context variables.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> joined = posterior.adjacency_probabilities()
        >>> bool(joined.loc["Raf", "Mek"] > 0.999), round(posterior.probability("Raf -> Mek"), 2)
        (True, 0.5)
        """
        edges = self.edge_probabilities(given, progress=progress).to_numpy()
        # Sums may exceed 1 by rounding; probabilities may not.
        frame = self._square_frame(np.minimum(edges + edges.T, 1.0))
        return frame.rename_axis(index="variable", columns="neighbour")

    def v_structure_probabilities(
        self,
        given: EdgesLike = None,
        top: int | None = None,
        *,
        min_probability: float = 0.01,
        n_samples: int = DRAWS,
        rng: RNGLike = 0,
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Return the probable v-structures: two causes of a common effect, not joined to each other.

        Together with the neighbours they are what data without interventions identify. Exact posteriors give the exact
        probability of the event "A -> C, B -> C, A !-- B": of all of them with up to 6 variables, otherwise of those
        whose share in sampled graphs is at least half of `min_probability`. For circuits (`method="trust"`) the shares
        of sampled graphs are the answers, with the standard errors of these draws.

        Two context variables are no v-structure, because what joins them is not modelled.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        top : int, optional
            Number of v-structures to return, the most probable ones (default: all).
        min_probability : float, default 0.01
            Leave out those that are less probable.
        n_samples : int, default 4000
            Graphs to draw, to find the probable ones.
        rng : int, SeedSequence, Generator or None, default 0
            For these draws.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Columns `a`, `collider`, `b`, `probability` and `standard_error`, the most probable first.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_asia().data)
        >>> table = posterior.v_structure_probabilities(top=1)
        >>> table[["a", "collider", "b"]].to_numpy().tolist()
        [['bronc', 'dysp', 'either']]
        """
        import pandas as pd

        limit = None if top is None else check_integer("top", top, 1)
        least = _checked_share("min_probability", min_probability)
        count = check_integer("n_samples", n_samples, 1)
        base = self.given(given)
        with self._showing(progress):
            exact = is_exact(base._model)
            every = exact and len(self.variables) <= TRIPLES_UP_TO
            shares = None if every else base._graph_shares(count, rng)
            found = likely_colliders(base._model.variables, base._context_places(), shares, least / 2.0)
            by_event = exact or (shares is not None and shares.basis == "listed graphs")
            rows = []
            for collider in found:
                if shares is None or by_event:
                    p = math.exp(orientations.log_probability(base._model, base._evidence, collider.event))
                    error = orientations.standard_error(base._model, collider.event)
                else:
                    holds = collider.holds_in(shares.graphs)
                    p, error = float(shares.weights @ holds), shares.error_of(holds)
                rows.append((*collider.names, p, error))
        rows = [row for row in rows if row[3] >= least and row[3] > 0.0]
        rows = sorted(rows, key=lambda row: (-round(row[3], 9), *row[:3]))[:limit]
        return pd.DataFrame(rows, columns=["a", "collider", "b", "probability", "standard_error"])

    def cpdags(
        self,
        top: int = 5,
        given: EdgesLike = None,
        *,
        n_samples: int = DRAWS,
        rng: RNGLike = 0,
        target: str | None = None,
        progress: Progress = "auto",
    ) -> EquivalenceClasses:
        """Return the most probable Markov equivalence classes, each as its CPDAG.

        Graphs of one class imply the same independences, so that data without interventions do not tell them apart.
        With up to 5 variables all graphs are enumerated. Otherwise classes are found in sampled graphs. For exact
        posteriors their probabilities are then summed over their members, unless one of the classes has more than 2000;
        a class that was never drawn is not found.
        For circuits (`method="trust"`) they are shares of the draws, with the standard errors of these. A sample
        (`method="gadget"`, "dibs") has the shares of its own graphs. Edges from context variables have the same
        direction in all members.

        Parameters
        ----------
        top : int, default 5
            Number of classes.
        given : str or Edges, optional
            Evidence to condition on. Graphs that do not satisfy it count for nothing, also as members of a class.
        n_samples : int, default 4000
            Graphs to draw where they are not enumerated.
        rng : int, SeedSequence, Generator or None, default 0
            For these draws.
        target : {"dag"}, optional
            As for `sample`: every graph counts once, by the weights of draws.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        EquivalenceClasses
            A sequence of classes, each with `.graph` (a CPDAG: both directions where members differ), `.probability`,
            `.standard_error`, `.representative` (a DAG) and `.n_members`; `.to_frame()` is a table of them.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]])
        >>> best = posterior.cpdags(top=1)[0]
        >>> best.edges, best.n_members
        (['Raf -- Mek', 'Erk -- Akt'], 4)
        """
        limit, count = check_integer("top", top, 1), check_integer("n_samples", n_samples, 1)
        base = self.given(given)
        with self._showing(progress):
            shares = base._graph_shares(count, rng, target)
            drawn = shares.basis == "sampled graphs"
            summed = drawn and not base._counts_otherwise(target) and is_exact(base._model)
            return most_probable_classes(
                base._model, base._evidence, shares, limit, base._context_places(), summed=summed
            )

    def consensus(
        self,
        loss: Loss = "shd",
        given: EdgesLike = None,
        *,
        n_samples: int = DRAWS,
        rng: RNGLike = 0,
        progress: Progress = "auto",
    ) -> ConsensusGraph:
        """Return the graph with the smallest expected loss: the one to show if it must be one.

        With "shd", the structural Hamming distance, a DAG that differs from the graphs of the posterior in the smallest
        number of pairs of variables, on average. Its expected loss follows from `edge_probabilities` and is as exact as
        these. The search is exact, too, unless the edges that compete for directions tie more than 16 variables
        together; `.optimal` tells. The graph need not be possible under background knowledge or evidence.

        With "shd-cpdag" the distance is between CPDAGs, for which directions that data cannot tell do not count. With
        up to 5 variables all are enumerated; otherwise expected losses are those of sampled graphs, with a standard
        error, and the CPDAG is the best of a search.

        Parameters
        ----------
        loss : {"shd", "shd-cpdag"} or mapping, default "shd"
            Or the loss of each pair of variables with an "extra", a "missing" or a "reversed" edge, 1 unless given:
            `{"extra": 2}` leaves out edges of which one is not sure.
        given : str or Edges, optional
            Evidence to condition on.
        n_samples : int, default 4000
            Graphs to draw for "shd-cpdag".
        rng : int, SeedSequence, Generator or None, default 0
            For these draws.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        ConsensusGraph
            With `.graph` (networkx.DiGraph), `.expected_loss`, its `.standard_error`, a `.lower_bound` for all graphs,
            and whether it is known to be `.optimal`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> one = posterior.consensus()
        >>> best = posterior.most_probable_graph().graph
        >>> one.optimal, one.expected_loss < osp.metrics.expected_shd(posterior, best, between="dag")
        (True, True)
        >>> osp.learn(osp.load_asia().data).consensus("shd-cpdag").edges[:2]
        ['tub -> either', 'lung -> either']
        """
        pair_loss = read_loss(loss)
        count = check_integer("n_samples", n_samples, 1)
        base = self.given(given)
        with self._showing(progress):
            if loss == "shd-cpdag":
                return base._consensus_cpdag(count, rng)
            probabilities = base._model.edge_matrix()
            chosen = least_loss_dag(probabilities, pair_loss, base._model.variables)
            error = 0.0 if is_exact(base._model) else math.nan
        graph = base._with_probabilities(chosen.adjacency, probabilities)
        return ConsensusGraph(
            graph, describe_loss(loss), chosen.expected_loss, error, chosen.lower_bound, chosen.optimal
        )

    def _consensus_cpdag(self, count: int, rng: RNGLike) -> ConsensusGraph:
        context, names = self._context_places(), self._model.variables
        shares = self._graph_shares(count, rng)
        found = ClassShares(shares, context)
        pairs = JoinedPairs.of(found.cpdags, found.probabilities)
        every = len(names) <= LISTED_UP_TO
        starts = _without_causes_of(all_dags(len(names)), context) if every else found.representatives
        if not every:
            dag = least_loss_dag(self._model.edge_matrix(), read_loss("shd"), names).adjacency
            starts = np.concatenate([starts, _without_causes_of(dag[None], context)])
        chosen = least_loss_cpdag(pairs, starts, context, all_of_them=every)
        error = shares.error_of(distances_to(essential_graphs(shares.graphs, context), chosen.adjacency))
        graph = self._with_probabilities(chosen.adjacency, pairs.directed + pairs.undirected)
        return ConsensusGraph(graph, "shd-cpdag", chosen.expected_loss, error, chosen.lower_bound, chosen.optimal)

    def _with_probabilities(self, adjacency: np.ndarray, probabilities: np.ndarray) -> nx.DiGraph[str]:
        graph = named_graph(adjacency, self._model.variables)
        place = {name: v for v, name in enumerate(self._model.variables)}
        for cause, effect in graph.edges:
            graph.edges[cause, effect]["probability"] = float(probabilities[place[cause], place[effect]])
        return graph

    def _graph_shares(self, count: int, rng: RNGLike, target: str | None = None) -> GraphShares:
        """Return graphs with weights: all of them, those of a list, or draws."""
        if target is not None:
            check_choice("target", target, ("dag",))
        return graph_shares(
            self._model,
            self._evidence,
            lambda: self.sample(count, rng=rng, target=target, progress=False),
            drawn_only=self._counts_otherwise(target),
        )

    def _counts_otherwise(self, target: str | None) -> bool:
        """Whether draws for a target need other weights than the posterior."""
        return target is not None and target != self._model.target

    def _context_places(self) -> list[int]:
        context = set(self.context)
        return [v for v, name in enumerate(self._model.variables) if name in context]


def _without_causes_of(dags: np.ndarray, variables: list[int]) -> np.ndarray:
    """Return the DAGs (n, d, d) in which some variables have no causes."""
    return dags[~dags[:, :, variables].any(axis=(1, 2))]


def _checked_share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 <= value <= 1.0:
        raise InvalidValue(f"{name} must be a number from 0 to 1; got {value!r}.")
    return float(value)
