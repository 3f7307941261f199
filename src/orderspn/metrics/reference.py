"""A reference network in any of its forms: pairs of names, text, `Edges`, a graph, a network, or a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orderspn.core.arguments import is_listing
from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import Matrices, read_graph, read_matrices
from orderspn.models.protocol import is_posterior
from orderspn.queries.edges import Edge, Edges, as_edges

FORMS = (
    "a list of (cause, effect) pairs of names, a networkx.DiGraph, a network, a matrix of 0 and 1, or a string such as "
    "'A -> B'"
)


def read_truth(name: str, value: Any, other_name: str, other: Any) -> Matrices:
    """Read a reference network as a matrix; pairs of names are edges between the variables of the argument `other`.

    Examples
    --------
    >>> import networkx as nx
    >>> read_truth("truth", [("A", "B")], "graphs", nx.DiGraph(["BA", "CA"])).values.astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    """
    if is_graph(value) or is_posterior(value):
        return read_graph(name, value)
    variables = names_of(other_name, other)
    if variables is None:
        raise InvalidType(
            f"{name} must be a graph or a matrix if {other_name} has no names of variables; got {type(value).__name__}."
        )
    edges = read_reference(name, value, variables)
    return Matrices(np.array([[(a, b) in edges for b in variables] for a in variables]), tuple(variables))


def names_of(name: str, value: Any) -> Sequence[str] | None:
    """Return the names of the variables of a posterior, of graphs, or of a mapping by names; None without names."""
    if isinstance(value, Mapping):
        return list(value)
    if isinstance(value, Matrices):
        return value.variables
    if isinstance(value, Edges | str) or _are_pairs(value):
        return None
    if is_posterior(value):
        return [str(variable) for variable in value.variables]
    return read_matrices(name, value).variables


def read_reference(name: str, value: Any, variables: Sequence[str]) -> set[Edge]:
    """Return the edges of a reference network, from any of its forms; errors call the argument `name`.

    Examples
    --------
    >>> read_reference("highlight", "A -> B", ["A", "B", "C"])
    {('A', 'B')}
    """
    if is_posterior(value):
        raise InvalidType(f"{name} must be one graph; got a posterior. Pass its most_probable_graph().")
    if isinstance(value, Edges | str):
        value = _present(name, as_edges(name, value))
    edges = _edges_of_graph(name, value, variables) if is_graph(value) else _edges_of_pairs(name, value)
    known = set(variables)
    for edge in edges:
        for end in edge:
            if end not in known:
                raise InvalidValue(f"{name} must be edges between the variables; {unknown_name(end, variables)}")
    return edges


def _present(name: str, edges: Edges) -> tuple[Edge, ...]:
    if Edges(edges.present) != edges:
        raise InvalidValue(f"{name} must name edges that are present, and nothing else; got '{edges}'.")
    return edges.present


def _are_pairs(value: Any) -> bool:
    first = value[0] if isinstance(value, list | tuple) and value else None
    return isinstance(first, list | tuple) and all(isinstance(name, str) for name in first)


def is_graph(value: Any) -> bool:
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


def _edges_of_graph(name: str, value: Any, variables: Sequence[str]) -> set[Edge]:
    read = read_graph(name, value)
    if read.variables is None and read.n_variables != len(variables):
        raise InvalidValue(
            f"{name} must have a row and a column for each of the {len(variables)} variables, as it names none; "
            f"got {read.n_variables}."
        )
    names = variables if read.variables is None else read.variables
    return {(names[cause], names[effect]) for cause, effect in np.argwhere(read.values)}


def _edges_of_pairs(name: str, value: Any) -> set[Edge]:
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
