"""The edges of a reference network, in the forms in which people have one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import read_graph
from orderspn.models.protocol import is_posterior
from orderspn.plot.layers import Edge
from orderspn.queries.edges import Edges

FORMS = "a list of (cause, effect) pairs of names, a networkx.DiGraph, a network, or a matrix of 0 and 1"


def read_reference(name: str, value: Any, variables: Sequence[str]) -> set[Edge]:
    """Edges between variables, from pairs of names, `Edges` or one graph; `name` is the argument, for errors.

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
    """Whether something is read as a graph or matrix, not as pairs of names."""
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
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidType(f"{name} must be {FORMS}; got {value!r}.")
    edges = set()
    for pair in value:
        ends = tuple(pair) if isinstance(pair, Sequence | np.ndarray) and not isinstance(pair, str) else ()
        if len(ends) != 2 or not all(isinstance(end, str) for end in ends):
            raise InvalidType(f"{name} must be {FORMS}; got {pair!r} among the pairs.")
        if ends[0] == ends[1]:
            raise InvalidValue(f"{name} must hold edges between two different variables; got {ends[0]!r} twice.")
        edges.add((str(ends[0]), str(ends[1])))
    return edges
