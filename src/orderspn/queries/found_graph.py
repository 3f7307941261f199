"""The graph that `best_graph` found, with what was done to find it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from orderspn.core.equivalence import essential_graphs
from orderspn.display.graphs import graph_html, graph_text
from orderspn.display.text import counted
from orderspn.queries.edges import Edges
from orderspn.queries.equivalence_classes import named_graph
from orderspn.queries.most_probable import adjacency_as_event

if TYPE_CHECKING:
    import pandas as pd

SAME_SCORE = 1e-6
"""Log scores that differ by less are those of the same graph, or of equivalent ones."""


@dataclass(frozen=True, eq=False)
class FoundGraph:
    """The best graph that a search found.

    Attributes
    ----------
    graph : networkx.DiGraph
        With the names of variables as nodes.
    order : list of str
        A topological order of the graph, first to last.
    log_score : float
        Log of prior times marginal likelihood of the graph.
    edge_gains : numpy.ndarray
        Shape (d, d), [cause, effect]: what each edge is worth, the log score that is lost if it alone is taken out; 0
        where there is no edge, infinite for required ones.
    climb_scores : tuple of float
        Log scores of the best graphs of the independent climbs, highest first.
    settings : dict
        Score, prior, restarts and whatever else the graph depends on; `time_limit_reached` and `restarts_done` say
        whether the search was cut short. `warnings` is a list of the warnings that were given.
    """

    graph: nx.DiGraph[str]
    order: list[str]
    log_score: float
    edge_gains: np.ndarray
    climb_scores: tuple[float, ...]
    settings: Mapping[str, Any]

    @property
    def variables(self) -> list[str]:
        """Names of the variables, in the order of the columns."""
        return list(self.graph.nodes)

    @cached_property
    def adjacency(self) -> np.ndarray:
        """The graph as a matrix, shape (d, d), bool, [cause, effect]."""
        return np.asarray(nx.to_numpy_array(self.graph, nodelist=self.variables) > 0)

    @cached_property
    def edges(self) -> Edges:
        """The whole graph as an event: all its edges present, all others absent."""
        return adjacency_as_event(self.adjacency, self.variables)

    @cached_property
    def cpdag(self) -> nx.DiGraph[str]:
        """The CPDAG of the graph: edges whose direction data without interventions cannot tell have both directions.

        Edges from context variables have one direction.
        """
        place = {name: v for v, name in enumerate(self.variables)}
        context = [place[name] for name in self.settings["context"]]
        essential = essential_graphs(self.adjacency[None], context)[0]
        return named_graph(essential, self.variables)

    @property
    def agreement(self) -> int:
        """Number of independent climbs that ended with the highest score, this one included."""
        return sum(self.climb_scores[0] - score < SAME_SCORE for score in self.climb_scores)

    @property
    def time_limit_reached(self) -> bool:
        """Whether the time limit cut the search short."""
        return bool(self.settings["time_limit_reached"])

    def to_frame(self) -> pd.DataFrame:
        """Return a table of the edges, those that are worth most first.

        Returns
        -------
        pandas.DataFrame
            Columns `cause`, `effect`, `gain` (the log score that is lost without the edge) and `directed` (whether
            the edge has the same direction in all graphs of the equivalence class).

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.best_graph(osp.load_sachs(log=True).data).to_frame().columns.tolist()
        ['cause', 'effect', 'gain', 'directed']
        """
        import pandas as pd

        place = {name: v for v, name in enumerate(self.variables)}
        rows = [
            (cause, effect, float(self.edge_gains[place[cause], place[effect]]), not self.cpdag.has_edge(effect, cause))
            for cause, effect in self.graph.edges
        ]
        frame = pd.DataFrame(rows, columns=["cause", "effect", "gain", "directed"])
        return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)

    def summary(self) -> str:
        """Return a few lines about the graph and the search.

        Examples
        --------
        >>> import orderspn as osp
        >>> print(osp.best_graph(osp.load_sachs(log=True).data).summary().splitlines()[0])
        Best graph found: 6 edges among 11 variables
        """
        undirected = sum(self.cpdag.has_edge(e, c) for c, e in self.graph.edges)
        settings, done = self.settings, self.settings["restarts_done"]
        lines = [
            f"Best graph found: {counted(self.graph.number_of_edges(), 'edge')} among "
            f"{counted(len(self.order), 'variable')}",
            f"  log score   {self.log_score:.3f} ({settings['score']['name']}, {settings['prior']} prior, "
            f"{settings['rows']:,} rows)",
            f"  directions  {undirected} of them may be reversed: other graphs of the same equivalence class have the "
            "same independences",
            f"  search      {counted(len(self.climb_scores), 'climb')} with {counted(done, 'restart')} in all"
            + (", cut short by the time limit" if self.time_limit_reached else ""),
        ]
        if len(self.climb_scores) > 1:
            lines.append(f"  agreement   {self.agreement} of {len(self.climb_scores)} climbs ended with this score")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return graph_text("FoundGraph", len(self.order), self.graph.edges, self._facts())

    def _repr_html_(self) -> str:
        return graph_html("Best graph found", len(self.order), self.graph.edges, self._facts())

    def _facts(self) -> list[str]:
        facts = [f"log score {self.log_score:.3f}"]
        if len(self.climb_scores) > 1:
            facts.append(f"found by {self.agreement} of {len(self.climb_scores)} climbs")
        return [*facts, "cut short by the time limit"] if self.time_limit_reached else facts
