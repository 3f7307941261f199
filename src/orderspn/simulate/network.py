"""Linear Gaussian networks: every variable a weighted sum of its causes plus noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.matrices import Matrices, check_names, read_graph, read_matrices, single
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RandomState, spawn_generators

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


COPIES = 4
"""Arrays of the size of all rows that there are at once while rows are drawn."""


@dataclass(frozen=True, eq=False)
class LinearGaussianNetwork:
    """A causal graph with weights: `x_j = intercept_j + sum_i x_i weights[i, j] + noise_j`.

    Parameters
    ----------
    weights : DataFrame or array
        Shape (d, d), [cause, effect]; the entries that are not 0 form a graph without cycles.
    noise_variances : float or sequence of float, default 1
        Of each variable; one number for all.
    intercepts : float or sequence of float, default 0
        Of each variable; one number for all.
    variables : sequence of str, optional
        Names, where `weights` has none; default `X1`, `X2`, ...
    adjacency : DataFrame, array or networkx.DiGraph, optional
        The graph, where it has edges of weight 0.

    Attributes
    ----------
    variables : tuple of str
    adjacency : numpy.ndarray
        Shape (d, d), bool, [cause, effect].
    weights : numpy.ndarray
        Shape (d, d), [cause, effect].
    intercepts, noise_variances : numpy.ndarray
        Shape (d,).

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.LinearGaussianNetwork([[0, 2, 0], [0, 0, 3], [0, 0, 0]], variables=["A", "B", "C"])
    >>> list(network.graph.edges)
    [('A', 'B'), ('B', 'C')]
    """

    variables: tuple[str, ...]
    adjacency: np.ndarray  # (d, d) bool, [cause, effect]
    weights: np.ndarray  # (d, d)
    intercepts: np.ndarray  # (d,)
    noise_variances: np.ndarray  # (d,)

    def __init__(
        self,
        weights: Any,
        noise_variances: float | Sequence[float] | np.ndarray = 1.0,
        intercepts: float | Sequence[float] | np.ndarray = 0.0,
        *,
        variables: Sequence[str] | None = None,
        adjacency: Any = None,
    ) -> None:
        matrix = single("weights", read_matrices("weights", weights))
        names = _names(matrix, variables)
        values = matrix.values.astype(np.float64)
        if not np.isfinite(values).all():
            raise InvalidValue("weights must be finite numbers; got NaN or infinity.")
        if adjacency is None:
            edges = values != 0.0
        else:
            edges = read_graph("adjacency", adjacency).in_order_of(Matrices(values, names), "adjacency", "weights")
            if (values[~edges] != 0.0).any():
                raise InvalidValue("adjacency must have an edge wherever weights is not 0.")
        noise = per_variable("noise_variances", noise_variances, names)
        if (noise <= 0.0).any():
            raise InvalidValue(f"noise_variances must be greater than 0; got {noise.min():g}.")
        topological_order("the graph of weights", edges, names)
        object.__setattr__(self, "variables", names)
        object.__setattr__(self, "adjacency", _frozen(edges))
        object.__setattr__(self, "weights", _frozen(values))
        object.__setattr__(self, "intercepts", _frozen(per_variable("intercepts", intercepts, names)))
        object.__setattr__(self, "noise_variances", _frozen(noise))

    @property
    def graph(self) -> nx.DiGraph[str]:
        """The graph with named nodes and the attribute `weight` on its edges."""
        import networkx as nx

        names = self.variables
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_weighted_edges_from(
            (names[c], names[e], float(self.weights[c, e])) for c, e in zip(*np.nonzero(self.adjacency), strict=True)
        )
        return graph

    @cached_property
    def total_effects(self) -> np.ndarray:
        """Change of j per unit change of i set from outside: `(I - B)^-1` for weights B, [cause, effect]."""
        # Column by column along the graph instead of a general inverse: no effect without a path is exactly 0.
        effects = np.eye(len(self.variables))
        for child in topological_order("graph", self.adjacency):
            parents = np.flatnonzero(self.adjacency[:, child])
            effects[:, child] += effects[:, parents] @ self.weights[parents, child]
        return _frozen(effects)

    def sample(self, n_rows: int, rng: RandomState = None) -> pd.DataFrame:
        """Draw independent rows.

        Parameters
        ----------
        n_rows : int
        rng : int, SeedSequence, Generator or None

        Returns
        -------
        pandas.DataFrame
            A column for each variable.

        Examples
        --------
        >>> import orderspn as osp
        >>> network = osp.simulate.LinearGaussianNetwork([[0, 2], [0, 0]], intercepts=[0, 5], variables=["A", "B"])
        >>> rows = network.sample(10_000, rng=0)
        >>> rows.shape, float(rows["B"].mean().round(1)), float(rows["B"].var().round())
        ((10000, 2), 5.0, 5.0)
        """
        import pandas as pd

        n_rows = check_integer("n_rows", n_rows, 1)
        d = len(self.variables)
        check_answer(COPIES * 8 * n_rows * d, f"{n_rows:,} rows of {d} variables", "Draw fewer, n_rows=.")
        noise = spawn_generators(rng, 1)[0].normal(size=(n_rows, len(self.variables)))
        values = (self.intercepts + noise * np.sqrt(self.noise_variances)) @ self.total_effects
        return pd.DataFrame(values, columns=list(self.variables))

    def __repr__(self) -> str:
        return f"<LinearGaussianNetwork: {len(self.variables)} variables, {int(self.adjacency.sum())} edges>"


def per_variable(name: str, value: Any, variables: Sequence[str]) -> np.ndarray:
    """One finite number for each variable, shape (d,), from these or from one for all."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(f"{name} must be a number, or a number for each variable; got {value!r}.") from None
    if numbers.shape not in ((), (len(variables),)):
        raise InvalidValue(
            f"{name} must be one number, or one for each of the {len(variables)} variables; got shape {numbers.shape}."
        )
    if not np.isfinite(numbers).all():
        raise InvalidValue(f"{name} must be finite; got NaN or infinity.")
    return np.broadcast_to(numbers, len(variables)).copy()


def _names(matrix: Matrices, variables: Sequence[str] | None) -> tuple[str, ...]:
    if variables is None:
        return matrix.variables or tuple(f"X{i + 1}" for i in range(matrix.n_variables))
    if matrix.variables is not None:
        raise InvalidValue("variables cannot be given together with a table or graph that has its names already.")
    names = check_names("variables", variables)
    if len(names) != matrix.n_variables:
        raise InvalidValue(f"variables must name each of the {matrix.n_variables} variables; got {len(names)} names.")
    return names


def _frozen(values: np.ndarray) -> np.ndarray:
    values = np.array(values, order="C")
    values.setflags(write=False)
    return values
