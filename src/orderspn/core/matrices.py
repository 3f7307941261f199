"""Square matrices over variables, read from arrays, DataFrames and networkx graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.names import check_names


@dataclass(frozen=True, eq=False)
class Matrices:
    """One square matrix over variables, or a stack of them.

    Attributes
    ----------
    values : numpy.ndarray
        Shape (d, d) or (n, d, d), [cause, effect].
    variables : tuple of str or None
        Names, or None if only positions are known.
    """

    values: np.ndarray  # (d, d) or (n, d, d)
    variables: tuple[str, ...] | None

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.values.shape[-1])

    def in_order_of(self, other: Matrices, name: str, other_name: str) -> np.ndarray:
        """Return the values with the variables ordered as in `other`: by name if both have names, else by position."""
        if self.n_variables != other.n_variables:
            raise InvalidValue(
                f"{name} and {other_name} must have the same variables; got {self.n_variables} in {name} "
                f"and {other.n_variables} in {other_name}."
            )
        if self.variables is None or other.variables is None or self.variables == other.variables:
            return self.values
        for here, there, where in ((self, other, name), (other, self, other_name)):
            alone = [v for v in here.variables or () if v not in (there.variables or ())]
            if alone:
                raise InvalidValue(
                    f"{name} and {other_name} must have the same variables; got {alone[0]!r} in {where} only."
                )
        places = [self.variables.index(v) for v in other.variables]
        return np.ascontiguousarray(self.values[..., places, :][..., places])


def read_matrices(name: str, value: Any) -> Matrices:
    """Read one square matrix of numbers, or a stack of them.

    Parameters
    ----------
    name : str
        The argument, for errors.
    value : array, DataFrame, networkx.DiGraph, or an object with a graph
        An array may have 2 or 3 dimensions. Objects with `variables` and `adjacency` (sampled graphs, networks) or
        with a `graph` (the most probable one) stand for these. A list of graphs or DataFrames is a stack.

    Examples
    --------
    >>> import networkx as nx
    >>> matrix = read_matrices("graph", nx.DiGraph([("A", "B")]))
    >>> matrix.variables, matrix.values.tolist()
    (('A', 'B'), [[False, True], [False, False]])
    """
    import networkx as nx
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        matrices = _from_frame(name, value)
    elif isinstance(value, nx.Graph):
        matrices = _from_networkx(name, value)
    elif isinstance(getattr(value, "adjacency", None), np.ndarray) and hasattr(value, "variables"):
        matrices = Matrices(value.adjacency, check_names(name, value.variables))
    elif isinstance(getattr(value, "graph", None), nx.Graph):
        matrices = _from_networkx(name, value.graph)
    elif isinstance(value, (list, tuple)) and value and not isinstance(value[0], (list, tuple, np.ndarray)):
        matrices = _from_list(name, value)
    else:
        matrices = _from_array(name, value)
    _check_shape(name, matrices.values)
    return matrices


def read_graphs(name: str, value: Any) -> Matrices:
    """Read a directed graph or a stack of them, as `read_matrices`: entries are 0 or 1, the diagonal is 0."""
    matrices = read_matrices(name, value)
    values = matrices.values
    if values.dtype != bool:
        wrong = values[~np.isin(values, (0, 1))]
        if wrong.size:
            raise InvalidValue(f"{name} must hold 0 and 1 (or False and True) only; got {wrong[0]:g}.")
        values = values.astype(bool)
    own = np.flatnonzero(np.diagonal(values, axis1=-2, axis2=-1).reshape(-1, matrices.n_variables).any(axis=0))
    if own.size:
        shown = own[0] if matrices.variables is None else repr(matrices.variables[own[0]])
        raise InvalidValue(f"{name} must have no edge from a variable to itself; got one at {shown}.")
    return Matrices(values, matrices.variables)


def read_graph(name: str, value: Any) -> Matrices:
    """Read one directed graph, as `read_graphs`."""
    return single(name, read_graphs(name, value))


def single(name: str, matrices: Matrices) -> Matrices:
    """Return `matrices` if it is one matrix and not a stack."""
    if matrices.values.ndim != 2:
        raise InvalidValue(f"{name} must be one square matrix or graph; got {len(matrices.values)} of them.")
    return matrices


def _from_frame(name: str, frame: Any) -> Matrices:
    try:
        values = frame.to_numpy()
        values = values if values.dtype.kind in "biuf" else frame.to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidType(f"{name} must be a DataFrame of numbers ({problem}).") from None
    if _are_positions(frame.index) and _are_positions(frame.columns):
        return Matrices(values, None)
    rows, columns = (
        check_names(f"the index of {name}", frame.index),
        check_names(f"the header of {name}", frame.columns),
    )
    if set(rows) != set(columns):
        alone = next(n for n in (*rows, *columns) if n not in rows or n not in columns)
        raise InvalidValue(
            f"{name} must have the same names in its rows (causes) and columns (effects); got {alone!r} in one of them "
            "only. A table read from a file may need index_col=0."
        )
    return Matrices(values[:, [columns.index(n) for n in rows]], rows)


def _from_networkx(name: str, graph: Any) -> Matrices:
    if not graph.is_directed():
        raise InvalidType(
            f"{name} must be a directed graph (networkx.DiGraph); got an undirected {type(graph).__name__}. "
            "Write an undirected edge as two edges, one in each direction."
        )
    nodes = list(graph.nodes)
    by_position = all(isinstance(n, int) for n in nodes) and _are_positions(sorted(nodes))
    nodes = sorted(nodes) if by_position else nodes
    place = {node: i for i, node in enumerate(nodes)}
    values = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for cause, effect in graph.edges():
        values[place[cause], place[effect]] = True
    return Matrices(values, None if by_position else check_names(f"the nodes of {name}", nodes))


def _from_list(name: str, values: Sequence[Any]) -> Matrices:
    each = [single(name, read_matrices(f"{name}[{i}]", value)) for i, value in enumerate(values)]
    rows = [matrix.in_order_of(each[0], f"{name}[{i}]", f"{name}[0]") for i, matrix in enumerate(each)]
    return Matrices(np.stack(rows), each[0].variables)


def _from_array(name: str, value: Any) -> Matrices:
    try:
        values = np.asarray(value)
    except ValueError as problem:
        raise InvalidValue(f"{name} must be a square array of numbers ({problem}).") from None
    if values.dtype.kind not in "biuf":
        raise InvalidType(
            f"{name} must be a square array of numbers, a DataFrame or a networkx.DiGraph; got {type(value).__name__}"
            + (f" of dtype {values.dtype}." if isinstance(value, np.ndarray) else ".")
        )
    return Matrices(values, None)


def _check_shape(name: str, values: np.ndarray) -> None:
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2]:
        raise InvalidValue(
            f"{name} must be square, a row for each cause and a column for each effect; got shape {values.shape}."
        )
    if values.shape[-1] < 2:
        raise InvalidValue(f"{name} must have at least 2 variables; got {values.shape[-1]}.")
    if not len(values):
        raise InvalidValue(f"{name} must hold at least one graph; got none.")


def _are_positions(labels: Iterable[Any]) -> bool:
    return all(isinstance(n, (int, np.integer)) and n == i for i, n in enumerate(labels))
