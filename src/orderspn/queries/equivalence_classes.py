"""Markov equivalence classes of a posterior: what data without interventions can tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import networkx as nx
import numpy as np

from orderspn.display.html import note, table, titled
from orderspn.display.text import counted, listed
from orderspn.queries.edges import Edge

if TYPE_CHECKING:
    import pandas as pd

NO_EDGES = "no edges"

SHOWN = 10
"""Number of classes in a text or in a table of a notebook."""


@dataclass(frozen=True, eq=False)
class EquivalenceClass:
    """A class of DAGs that imply the same independences, as its CPDAG, with its probability.

    Attributes
    ----------
    graph : networkx.DiGraph
        The CPDAG: an edge that has the same direction in all members has it here; others have both directions.
    representative : networkx.DiGraph
        A DAG of the class, the most probable one that was found.
    probability : float
    standard_error : float
        Monte Carlo standard error of the probability: 0 if it is exact, NaN if it is unknown.
    n_members : int or None
        Number of DAGs of the class, if there are few enough to count.
    """

    graph: nx.DiGraph[str]
    representative: nx.DiGraph[str]
    probability: float
    standard_error: float
    n_members: int | None

    @property
    def directed(self) -> list[Edge]:
        """Edges (cause, effect) with the same direction in all members."""
        return [(a, b) for a, b in self.graph.edges if not self.graph.has_edge(b, a)]

    @property
    def undirected(self) -> list[Edge]:
        """Pairs of neighbours whose direction differs among the members, each pair once."""
        place = {name: v for v, name in enumerate(self.graph.nodes)}
        return [(a, b) for a, b in self.graph.edges if self.graph.has_edge(b, a) and place[a] < place[b]]

    @property
    def edges(self) -> list[str]:
        """All edges as texts: "A -> B" for directed ones and "A -- B" for others."""
        return [f"{a} -> {b}" for a, b in self.directed] + [f"{a} -- {b}" for a, b in self.undirected]

    def __repr__(self) -> str:
        members = "" if self.n_members is None else f", {counted(self.n_members, 'member')}"
        about = f"probability {self.probability:.4g}{members}"
        return f"<EquivalenceClass: {about}\n {listed(self.edges) or NO_EDGES}>"


@dataclass(frozen=True, eq=False)
class EquivalenceClasses(Sequence[EquivalenceClass]):
    """The most probable equivalence classes, the first one first.

    Attributes
    ----------
    classes : tuple of EquivalenceClass
    basis : str
        "all graphs" if all were enumerated; "sampled, then exact" if classes were found by draws and their
        probabilities summed over their members; "sampled graphs" for shares of draws; "listed graphs" for shares of the
        graphs that the posterior consists of.
    """

    classes: tuple[EquivalenceClass, ...]
    basis: str

    def __len__(self) -> int:
        return len(self.classes)

    @overload
    def __getitem__(self, place: int) -> EquivalenceClass: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[EquivalenceClass, ...]: ...

    def __getitem__(self, place: int | slice) -> EquivalenceClass | tuple[EquivalenceClass, ...]:
        return self.classes[place]

    def __iter__(self) -> Iterator[EquivalenceClass]:
        return iter(self.classes)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each class.

        Returns
        -------
        pandas.DataFrame
            Columns `probability`, `standard_error`, `n_members`, `directed` and `undirected`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data[["Raf", "Mek", "Erk"]])
        >>> list(posterior.cpdags(top=2).to_frame().columns)
        ['probability', 'standard_error', 'n_members', 'directed', 'undirected']
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "probability": [one.probability for one in self],
                "standard_error": [one.standard_error for one in self],
                "n_members": pd.array([one.n_members for one in self], dtype="Int64"),
                "directed": [one.directed for one in self],
                "undirected": [one.undirected for one in self],
            }
        )

    def __repr__(self) -> str:
        lines = [f" {one.probability:.4f}  {listed(one.edges) or NO_EDGES}" for one in self.classes[:SHOWN]]
        more = [f" ... and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        return "\n".join([f"<EquivalenceClasses: {self._about()}", *lines, *more]) + ">"

    def _repr_html_(self) -> str:
        rows = [
            (one.probability, ", ".join(one.edges) or NO_EDGES, "?" if one.n_members is None else str(one.n_members))
            for one in self.classes[:SHOWN]
        ]
        return titled("Equivalence classes", table(["probability", "edges", "DAGs"], rows), note(self._about()))

    def _about(self) -> str:
        total = sum(one.probability for one in self)
        return f"the {len(self)} most probable, {total:.4g} together; {self.basis}"


def named_graph(adjacency: np.ndarray, variables: Sequence[str]) -> nx.DiGraph[str]:
    """Return edges (d, d) as a graph of named nodes."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(variables)
    graph.add_edges_from((variables[c], variables[e]) for c, e in np.argwhere(adjacency))
    return graph
