"""A graph with directed and undirected edges between named variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.dag import find_cycle
from orderspn.core.errors import InvalidValue, unknown_name
from orderspn.core.names import quoted
from orderspn.display.text import counted, listed
from orderspn.queries.edges import Edge, Edges


@dataclass(frozen=True, repr=False)
class PartialGraph:
    """A graph without directed cycles, some of whose edges may have no direction, as in a CPDAG.

    Attributes
    ----------
    variables : tuple of str
    directed : tuple of (cause, effect)
    undirected : tuple of pairs

    Examples
    --------
    >>> PartialGraph.of("graph", ["A", "B", "C"], [("A", "B"), ("B", "C"), ("C", "B")])
    <PartialGraph: 2 edges among 3 variables
     A -> B, B -- C>
    """

    variables: tuple[str, ...]
    directed: tuple[Edge, ...]
    undirected: tuple[Edge, ...] = ()

    @classmethod
    def of(
        cls, name: str, variables: Iterable[str], directed: Iterable[Edge], undirected: Iterable[Edge] = ()
    ) -> PartialGraph:
        """Check edges; errors call the argument `name`. An edge in both directions is an undirected one."""
        arrows, lines = dict.fromkeys(directed), {_sorted(edge): None for edge in undirected}
        for cause, effect in (*arrows, *lines):
            if cause == effect:
                raise InvalidValue(f"{name} must have no edge from a variable to itself; got one at {cause!r}.")
        for cause, effect in arrows:
            if (effect, cause) in arrows:
                lines[_sorted((cause, effect))] = None
            elif _sorted((cause, effect)) in lines:
                raise InvalidValue(
                    f"{name} must give an edge a direction or none; got both between {cause!r} and {effect!r}."
                )
        one_way = tuple(edge for edge in arrows if _sorted(edge) not in lines)
        cycle = find_cycle(one_way)
        if cycle:
            shown = " -> ".join([*(cause for cause, _ in cycle), cycle[-1][1]])
            raise InvalidValue(f"{name} must be a graph without directed cycles; got the cycle {shown}.")
        names = dict.fromkeys([*variables, *(end for edge in (*arrows, *lines) for end in edge)])
        return cls(tuple(names), one_way, tuple(lines))

    def over(self, name: str, variables: Sequence[str], isolated: bool) -> PartialGraph:
        """Return the graph over all these variables, in their order; those it lacks are `isolated` or an error."""
        for own in self.variables:
            if own not in variables:
                raise InvalidValue(
                    f"{name} must be over the variables of the posterior; {unknown_name(own, variables)}"
                )
        missing = [variable for variable in variables if variable not in self.variables]
        if missing and not isolated:
            raise InvalidValue(
                f"{name} must name every variable of the posterior; {quoted(missing)} "
                f"{'is' if len(missing) == 1 else 'are'} missing. If they have no edges in it, pass "
                "missing_variables='isolated'."
            )
        return PartialGraph(tuple(variables), self.directed, self.undirected)

    @property
    def edges(self) -> Edges:
        """The graph as an event: its edges present, its undirected ones in either direction, all others absent."""
        joined = {*self.directed, *self.undirected, *((b, a) for a, b in self.undirected)}
        absent = [(a, b) for a in self.variables for b in self.variables if a != b and (a, b) not in joined]
        return Edges(self.directed, absent, adjacent=self.undirected)

    @property
    def arrows(self) -> np.ndarray:
        """The directed edges as a matrix (d, d), bool, [cause, effect]."""
        return self._matrix(self.directed)

    @property
    def lines(self) -> np.ndarray:
        """The undirected edges as a symmetric matrix (d, d), bool."""
        one_way = self._matrix(self.undirected)
        return one_way | one_way.T

    def __repr__(self) -> str:
        edges = [*(str(Edges([edge])) for edge in self.directed), *(str(Edges(adjacent=[e])) for e in self.undirected)]
        about = f"{counted(len(edges), 'edge')} among {counted(len(self.variables), 'variable')}"
        return f"<PartialGraph: {about}\n {listed(edges)}>" if edges else f"<PartialGraph: {about}>"

    def __str__(self) -> str:
        return str(Edges(self.directed, adjacent=self.undirected)) or "no edges"

    def _matrix(self, edges: Iterable[Edge]) -> np.ndarray:
        place = {variable: v for v, variable in enumerate(self.variables)}
        matrix = np.zeros((len(place), len(place)), dtype=bool)
        for cause, effect in edges:
            matrix[place[cause], place[effect]] = True
        return matrix


def _sorted(edge: Edge) -> Edge:
    return min(edge), max(edge)
