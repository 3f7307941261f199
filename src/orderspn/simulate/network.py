"""Linear Gaussian networks, from weights or from files: each variable is a weighted sum of its causes plus noise.

Files are JSON as exported from the bnlearn repository. They hold `nodes` and `arcs`, and in `cpds` for each node its
`coefficients` (of its parents and of "(Intercept)") and its residual `variance`. Numbers are in lists of one.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidType, InvalidValue, UnreadableFile, unknown_name
from orderspn.core.json_text import read_json
from orderspn.core.matrices import Matrices, read_graph, read_matrices, single
from orderspn.core.memory import check_answer
from orderspn.core.names import check_names
from orderspn.core.randomness import RNGLike, spawn_generators

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

NETWORKS = ("ecoli70", "magic-niab")
"""Names of the bundled networks."""

INTERCEPT = "(Intercept)"


COPIES = 4
"""Number of arrays of the size of all rows that exist at once while rows are drawn."""


@dataclass(frozen=True, eq=False)
class LinearGaussianNetwork:
    """A causal graph with weights: `x_j = intercept_j + sum_i x_i weights[i, j] + noise_j`.

    Parameters
    ----------
    weights : DataFrame or array
        Shape (d, d), [cause, effect]. The nonzero entries are the edges of the graph, which must have no cycle.
    noise_variances : float or sequence of float, default 1
        One number for each variable, or one for all.
    intercepts : float or sequence of float, default 0
        One number for each variable, or one for all.
    variables : sequence of str, optional
        Names, if `weights` has none (default `X1`, `X2`, ...).
    adjacency : DataFrame, array or networkx.DiGraph, optional
        The graph, if it has edges of weight 0.

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
        """Change of j per unit change of i under an intervention on i: `(I - B)^-1` for weights B, [cause, effect]."""
        # Column by column in topological order, not by a matrix inverse: effects without a path are exactly 0.
        effects = np.eye(len(self.variables))
        for child in topological_order("graph", self.adjacency):
            parents = np.flatnonzero(self.adjacency[:, child])
            effects[:, child] += effects[:, parents] @ self.weights[parents, child]
        return _frozen(effects)

    def sample(self, n_rows: int, rng: RNGLike = None, *, do: Mapping[str, float] | None = None) -> pd.DataFrame:
        """Draw independent rows.

        Parameters
        ----------
        n_rows : int
        rng : int, SeedSequence, Generator or None
        do : mapping, optional
            Values that variables are set to: rows of an experiment.

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
        >>> float(network.sample(10_000, rng=0, do={"A": 3.0})["B"].mean().round(1))
        11.0
        """
        import pandas as pd

        n_rows = check_integer("n_rows", n_rows, 1)
        d = len(self.variables)
        check_answer(COPIES * 8 * n_rows * d, f"{n_rows:,} rows of {d} variables", "Draw fewer, n_rows=.")
        noise = spawn_generators(rng, 1)[0].normal(size=(n_rows, len(self.variables)))
        own = self.intercepts + noise * np.sqrt(self.noise_variances)
        if not do:
            return pd.DataFrame(own @ self.total_effects, columns=list(self.variables))
        set_to = {_place(name, self.variables): _finite(name, value) for name, value in do.items()}
        weights = self.weights.copy()
        weights[:, list(set_to)] = 0.0
        own[:, list(set_to)] = list(set_to.values())
        return pd.DataFrame(own @ np.linalg.inv(np.eye(d) - weights), columns=list(self.variables))

    def __repr__(self) -> str:
        return f"<LinearGaussianNetwork: {len(self.variables)} variables, {int(self.adjacency.sum())} edges>"


def _place(name: str, variables: Sequence[str]) -> int:
    if name not in variables:
        raise unknown_name(str(name), variables)
    return variables.index(name)


def _finite(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise InvalidValue(f"do must set {name!r} to a finite number; got {value!r}.")
    return float(value)


def per_variable(name: str, value: Any, variables: Sequence[str]) -> np.ndarray:
    """Return one finite number for each variable, shape (d,); a single number is used for all."""
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


def load_network(source: str | PathLike[str]) -> LinearGaussianNetwork:
    """Load a linear Gaussian network by name or from a file.

    Both bundled networks are from the bnlearn repository (bnlearn.com/bnrepository).

    Parameters
    ----------
    source : str or path
        "ecoli70" (gene expression of E. coli: 46 variables, 70 edges; Schaefer and Strimmer 2005), "magic-niab"
        (traits and markers of wheat: 44 variables, 66 edges; Scutari et al. 2014), or the path of a JSON file in the
        same format.

    Returns
    -------
    LinearGaussianNetwork

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.load_network("ecoli70")
    >>> network
    <LinearGaussianNetwork: 46 variables, 70 edges>
    >>> network.sample(500, rng=0).shape
    (500, 46)
    """
    if not isinstance(source, (str, PathLike)):
        raise InvalidType(f"source must be a name or a path; got {source!r} of type {type(source).__name__}.")
    if isinstance(source, str) and source in NETWORKS:
        text = (files("orderspn.simulate") / "networks" / f"{source}.json").read_text(encoding="utf-8")
        return _network(source, text)
    path = Path(source)
    if isinstance(source, str) and not path.suffix and not path.exists():
        raise unknown_name(source, NETWORKS, "network")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UnreadableFile(f"cannot read {str(path)!r} as a network: it is not text.") from None
    except OSError as problem:
        raise InvalidValue(
            f"cannot read {str(path)!r}: {problem.strerror}. Networks by name are {', '.join(map(repr, NETWORKS))}."
        ) from None
    return _network(str(path), text)


def _network(source: str, text: str) -> LinearGaussianNetwork:
    try:
        return _parsed(read_json(text))
    except KeyError as problem:
        raise UnreadableFile(f"cannot read {source!r} as a network: {problem} is missing.") from None
    except (TypeError, ValueError) as problem:
        raise UnreadableFile(f"cannot read {source!r} as a network: {problem}") from None


def _parsed(content: dict[str, Any]) -> LinearGaussianNetwork:
    names = [str(name) for name in content["nodes"]]
    place = {name: i for i, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in content["arcs"]:
        adjacency[place[cause], place[effect]] = True
    weights = np.zeros(adjacency.shape)
    intercepts, noise_variances = np.zeros(len(names)), np.zeros(len(names))
    for name, i in place.items():
        distribution = content["cpds"][name]
        coefficients = dict(distribution["coefficients"])
        intercepts[i] = _only(coefficients.pop(INTERCEPT))
        noise_variances[i] = _only(distribution["variance"])
        parents = [place[parent] for parent in coefficients]
        if sorted(parents) != np.flatnonzero(adjacency[:, i]).tolist():
            raise InvalidValue(f"the coefficients of {name!r} do not belong to its parents.")
        weights[parents, i] = [_only(coefficient) for coefficient in coefficients.values()]
    return LinearGaussianNetwork(weights, noise_variances, intercepts, variables=names, adjacency=adjacency)


def _only(number: Any) -> float:
    """Return a number, or the only number of a list."""
    if isinstance(number, list):
        (number,) = number
    return float(number)
