"""Arguments of figures of edges: edge probabilities, required and forbidden edges, and a reference network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.core.arguments import is_listing
from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import read_graph
from orderspn.metrics.arguments import read_probabilities
from orderspn.models.protocol import is_posterior
from orderspn.queries.edges import Edge, Edges

if TYPE_CHECKING:
    from orderspn.posterior import Posterior
    from orderspn.queries.edges import EdgesLike

FORMS = "a list of (cause, effect) pairs of names, a networkx.DiGraph, a network, or a matrix of 0 and 1"


class EdgeProbabilities(NamedTuple):
    """Edge probabilities with the names of variables, and the posterior under its evidence if they come from one."""

    names: list[str]
    values: np.ndarray  # (d, d), [cause, effect]
    posterior: Posterior | None

    @property
    def title(self) -> str:
        """The evidence of the posterior as a title; empty without evidence."""
        return f"given {self.posterior.evidence}" if self.posterior is not None and self.posterior.evidence else ""

    def known(self, marks: bool) -> KnownEdges:
        """The edges to mark as required and as forbidden; none without `marks`."""
        return known_edges(self.posterior) if marks and self.posterior is not None else KnownEdges()


def read_edge_probabilities(name: str, source: Any, given: EdgesLike) -> EdgeProbabilities:
    """Read a posterior, a DataFrame or array of probabilities, or graphs; errors call the argument `name`.

    Examples
    --------
    >>> read_edge_probabilities("probabilities", [[0.0, 0.8], [0.2, 0.0]], None).names
    ['X1', 'X2']
    """
    posterior = _conditioned(name, source, given)
    try:
        read = read_probabilities(name, source if posterior is None else posterior)
    except InvalidType as problem:
        raise InvalidType(f"{problem} A posterior and sampled graphs are taken as well.") from None
    names = [f"X{k + 1}" for k in range(read.n_variables)] if read.variables is None else list(read.variables)
    return EdgeProbabilities(names, read.values, posterior)


def _conditioned(name: str, source: Any, given: EdgesLike) -> Posterior | None:
    """The posterior conditioned on `given`; None if the source is not a posterior."""
    if is_posterior(source):
        conditioned: Posterior = source.given(given)
        return conditioned
    if given is not None:
        raise InvalidValue(
            f"given needs a posterior to condition; got a {type(source).__name__} as {name}. Pass the posterior, or "
            "posterior.edge_probabilities(given)."
        )
    return None


class KnownEdges(NamedTuple):
    """Edges that evidence or background knowledge names as required or as forbidden."""

    required: frozenset[Edge] = frozenset()
    forbidden: frozenset[Edge] = frozenset()


def known_edges(posterior: Posterior) -> KnownEdges:
    """The edges that evidence or background knowledge names, without those that only follow from them."""
    evidence, knowledge = posterior.evidence, posterior.knowledge
    return KnownEdges(
        frozenset(evidence.present) | frozenset(knowledge.required),
        frozenset(evidence.absent) | frozenset(knowledge.forbidden),
    )


def read_reference(name: str, value: Any, variables: Sequence[str]) -> set[Edge]:
    """The edges of a reference network, from pairs of names, `Edges` or one graph; errors call the argument `name`.

    Examples
    --------
    >>> import networkx as nx
    >>> read_reference("highlight", nx.DiGraph([("A", "B")]), ["A", "B", "C"])
    {('A', 'B')}
    """
    if is_posterior(value):
        raise InvalidType(f"{name} must be one graph; got a posterior. Pass its most_probable_graph().")
    if isinstance(value, Edges):
        value = _present(name, value)
    edges = _of_graph(name, value, variables) if _is_graph(value) else _of_pairs(name, value)
    known = set(variables)
    for edge in edges:
        for end in edge:
            if end not in known:
                raise InvalidValue(f"{name} must be edges between the variables; {unknown_name(end, variables)}")
    return edges


def _present(name: str, edges: Edges) -> tuple[Edge, ...]:
    if edges.absent or edges.before:
        raise InvalidValue(f"{name} must name edges that are present, and nothing else; got '{edges}'.")
    return edges.present


def _is_graph(value: Any) -> bool:
    """Whether something is read as a graph or matrix rather than as pairs of names."""
    import networkx as nx
    import pandas as pd

    if isinstance(value, pd.DataFrame | nx.Graph) or isinstance(getattr(value, "graph", None), nx.Graph):
        return True
    if isinstance(getattr(value, "adjacency", None), np.ndarray):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    rows = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], list | tuple | np.ndarray)
    return rows and not any(isinstance(cell, str) for cell in value[0])


def _of_graph(name: str, value: Any, variables: Sequence[str]) -> set[Edge]:
    read = read_graph(name, value)
    if read.variables is None and read.n_variables != len(variables):
        raise InvalidValue(
            f"{name} must have a row and a column for each of the {len(variables)} variables, as it names none; "
            f"got {read.n_variables}."
        )
    names = variables if read.variables is None else read.variables
    return {(names[cause], names[effect]) for cause, effect in np.argwhere(read.values)}


def _of_pairs(name: str, value: Any) -> set[Edge]:
    if not is_listing(value):
        raise InvalidType(f"{name} must be {FORMS}; got {value!r}.")
    edges = set()
    for pair in value:
        ends = tuple(pair) if isinstance(pair, Sequence | np.ndarray) and is_listing(pair) else ()
        if len(ends) != 2 or not all(isinstance(end, str) for end in ends):
            raise InvalidType(f"{name} must be {FORMS}; got {pair!r} among the pairs.")
        if ends[0] == ends[1]:
            raise InvalidValue(f"{name} must hold edges between two different variables; got {ends[0]!r} twice.")
        edges.add((str(ends[0]), str(ends[1])))
    return edges
