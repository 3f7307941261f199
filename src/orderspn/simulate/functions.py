"""Simulated data of curves, and of numbers and categories together, with their true graphs."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_choice, check_integer, check_positive
from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.simulate.simulation import random_or_given

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

FUNCTIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda x: x,
    "tanh": lambda x: np.tanh(1.5 * x),
    "square": lambda x: x**2 / np.sqrt(2.0),
    "sine": np.sin,
    "absolute": lambda x: np.abs(x) - np.sqrt(2.0 / np.pi),
    "wave": lambda x: np.sin(2.0 * x),
}
"""Functions of a standardized cause, by name."""

CURVES = ("tanh", "square", "sine", "absolute")
"""Curves that turn at most twice within two standard deviations; a wave turns four times within three."""


@dataclass(frozen=True, eq=False)
class FunctionSimulation:
    """Rows of a network of functions or categories, and its true graph.

    Attributes
    ----------
    data : pandas.DataFrame
    adjacency : numpy.ndarray
        Shape (d, d), bool, [cause, effect].
    functions : dict
        Of each edge, (cause, effect), the name of the function by which the cause acts.
    kinds : dict
        Of each variable, "number" or "category".
    """

    data: pd.DataFrame
    adjacency: np.ndarray
    functions: dict[tuple[str, str], str]
    kinds: dict[str, str]

    def __repr__(self) -> str:
        edges = int(self.adjacency.sum())
        return f"<FunctionSimulation: {len(self.data):,} rows of {len(self.variables)} variables, {edges} true edges>"

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order of the columns."""
        return tuple(self.data.columns)

    @property
    def graph(self) -> nx.DiGraph[str]:
        """The true graph with named nodes and the attribute `function` on its edges."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.variables)
        for (cause, effect), function in self.functions.items():
            graph.add_edge(cause, effect, function=function)
        return graph


def nonlinear(
    graph: Any,
    n_rows: int = 1000,
    *,
    functions: Sequence[str] = CURVES,
    noise: float = 1.0,
    expected_degree: float | None = None,
    variables: Sequence[str] | None = None,
    rng: RNGLike = None,
) -> FunctionSimulation:
    """Draw rows of a network with additive noise in which every edge is a curve.

    Each variable is the sum of functions of its standardized causes, with weights between 0.7 and 1.5 and random signs,
    plus normal noise.

    Parameters
    ----------
    graph : int, DataFrame, array or networkx.DiGraph
        A number of variables for a random graph, or a graph without cycles.
    n_rows : int, default 1000
    functions : sequence of {"linear", "tanh", "square", "sine", "absolute", "wave"}
        One of these is drawn for each edge, of a standardized cause x: tanh(1.5 x), x^2, sin(x), abs(x) by default, and
        the line x or the faster sin(2 x), "wave", if you name them.
    noise : float, default 1
        Standard deviation of the noise.
    expected_degree : float, default 3
        For a random graph, the expected number of edges at each variable.
    variables : sequence of str, optional
        Names, if the graph has none (default `X1`, `X2`, ...).
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    FunctionSimulation
        With `.data`, `.adjacency`, `.graph`, `.functions` and `.variables`.

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.nonlinear(5, n_rows=100, rng=0)
    >>> truth.data.shape, sorted(set(truth.functions.values())) != ["linear"]
    ((100, 5), True)
    """
    return _simulated(graph, n_rows, functions, noise, 0.0, (2, 2), expected_degree, variables, rng)


def mixed(
    graph: Any,
    n_rows: int = 1000,
    *,
    categories: float = 0.4,
    levels: tuple[int, int] = (2, 4),
    functions: Sequence[str] = ("linear",),
    noise: float = 0.7,
    expected_degree: float | None = None,
    variables: Sequence[str] | None = None,
    rng: RNGLike = None,
) -> FunctionSimulation:
    """Draw rows of a network of numbers and categories.

    A number is a sum of functions of the numbers among its causes and of a value for each level of the categories,
    plus normal noise. A category has its levels with probabilities whose logits are such sums.

    Parameters
    ----------
    graph : int, DataFrame, array or networkx.DiGraph
        A number of variables for a random graph, or a graph without cycles.
    n_rows : int, default 1000
    categories : float, default 0.4
        Share of the variables that are categories.
    levels : (int, int), default (2, 4)
        Fewest and most levels of a category.
    functions : sequence of str, default ("linear",)
        As for `nonlinear`; one of these is drawn for each edge from a number.
    noise : float, default 0.7
        Standard deviation of the noise of numbers.
    expected_degree, variables, rng
        As for `nonlinear`.

    Returns
    -------
    FunctionSimulation
        With `.data`, `.adjacency`, `.graph`, `.kinds` and `.variables`.

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.mixed(6, n_rows=100, rng=0)
    >>> sorted(set(truth.kinds.values()))
    ['category', 'number']
    """
    if isinstance(categories, bool) or not isinstance(categories, numbers.Real) or not 0.0 <= categories <= 1.0:
        raise InvalidValue(f"categories must be a share from 0 to 1; got {categories!r}.")
    fewest, most = (check_integer("levels", bound, 2, 20) for bound in levels)
    if fewest > most:
        raise InvalidValue(f"levels must be the fewest and the most; got {levels!r}.")
    return _simulated(
        graph, n_rows, functions, noise, float(categories), (fewest, most), expected_degree, variables, rng
    )


def _simulated(
    graph: Any,
    n_rows: int,
    functions: Sequence[str],
    noise: float,
    categories: float,
    levels: tuple[int, int],
    expected_degree: float | None,
    variables: Sequence[str] | None,
    rng: RNGLike,
) -> FunctionSimulation:
    import pandas as pd

    check_integer("n_rows", n_rows, 1)
    deviation = check_positive("noise", noise)
    names_of_functions = _checked_functions(functions)
    for_graph, drawing = spawn_generators(rng, 2)
    edges = random_or_given(graph, expected_degree, variables, for_graph, default_degree=3.0)
    adjacency = np.asarray(edges.values, dtype=bool)
    d = len(adjacency)
    given = edges.variables if variables is None else variables
    names = [f"X{v + 1}" for v in range(d)] if given is None else list(given)
    kinds = np.where(drawing.permutation(d) < round(categories * d), "category", "number")
    n_levels = drawing.integers(levels[0], levels[1] + 1, size=d)
    chosen: dict[tuple[str, str], str] = {}
    columns: dict[int, np.ndarray] = {}
    for v in topological_order("graph", adjacency, names):
        width = int(n_levels[v]) if kinds[v] == "category" else 1
        total = np.zeros((n_rows, width))
        for cause in np.flatnonzero(adjacency[:, v]).tolist():
            function = "levels" if kinds[cause] == "category" else str(drawing.choice(names_of_functions))
            chosen[names[cause], names[v]] = function
            total += _effect(columns[cause], function, int(n_levels[cause]), width, drawing)
        columns[v] = _values(total, deviation, drawing, kinds[v] == "category")
    data = {names[v]: _shown(columns[v], kinds[v] == "category") for v in range(d)}
    return FunctionSimulation(
        pd.DataFrame(data), adjacency, chosen, {name: str(kind) for name, kind in zip(names, kinds, strict=True)}
    )


def _checked_functions(functions: Sequence[str]) -> list[str]:
    if isinstance(functions, str) or not isinstance(functions, Sequence) or not functions:
        raise InvalidType(f"functions must be a list of names such as ['tanh', 'square']; got {functions!r}.")
    for function in functions:
        check_choice("functions", function, tuple(FUNCTIONS))
    return list(functions)


def _effect(cause: np.ndarray, function: str, n_levels: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Return what a cause adds to the sum of each column of its effect, (rows, width)."""
    weights = rng.uniform(0.7, 1.5, size=width) * rng.choice([-1.0, 1.0], size=width)
    if function == "levels":
        values = rng.normal(size=(n_levels, width))
        values = (values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 0.3)
        return np.asarray(weights * values[cause])
    standard = (cause - cause.mean()) / max(float(cause.std()), 1e-12)
    return np.asarray(weights * FUNCTIONS[function](standard)[:, None])


def _values(total: np.ndarray, noise: float, rng: np.random.Generator, category: bool) -> np.ndarray:
    """Return the values of a variable given the sums of what its causes add: numbers, or codes of levels."""
    if category:
        return np.asarray(np.argmax(total + rng.gumbel(size=total.shape), axis=1))
    return np.asarray(total[:, 0] + noise * rng.normal(size=len(total)))


def _shown(column: np.ndarray, category: bool) -> np.ndarray:
    return np.array([f"level {code}" for code in column], dtype=object) if category else column
