"""Simulated time series: vector autoregressions with a known graph over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.arguments import check_fraction, check_integer, check_positive
from orderspn.core.errors import InvalidValue
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.core.slices import Moment
from orderspn.simulate.simulation import erdos_renyi

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

WARM_UP = 200
"""Steps before the first row, after which the start has been forgotten."""

SERIES = "series"
"""The column that tells several series apart."""


@dataclass(frozen=True, eq=False)
class SeriesSimulation:
    """Rows of a vector autoregression, and its true weights.

    Attributes
    ----------
    data : pandas.DataFrame
        A row for each time and a column for each variable; with several series, also the column `series`.
    weights : numpy.ndarray
        Shape (d, d), [cause, effect]: effects within one time step.
    lagged_weights : numpy.ndarray
        Shape (lags, d, d), [lag - 1, cause, effect]: effects of earlier steps.
    variables : tuple of str
    """

    data: pd.DataFrame
    weights: np.ndarray
    lagged_weights: np.ndarray
    variables: tuple[str, ...]

    def __repr__(self) -> str:
        edges = int((self.weights != 0.0).sum() + (self.lagged_weights != 0.0).sum())
        return f"<SeriesSimulation: {len(self.data):,} rows of {len(self.variables)} variables, {edges} true edges>"

    @property
    def graph(self) -> nx.DiGraph[str]:
        """The true graph over time, with nodes such as `X1[t]` and `X1[t-1]` as in `time_series.lagged`."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        names = self.variables
        for lag in range(len(self.lagged_weights) + 1):
            graph.add_nodes_from(Moment(name, lag).name for name in names)
        for lag, weights in enumerate((self.weights, *self.lagged_weights)):
            for cause, effect in np.argwhere(weights != 0.0):
                ends = Moment(names[cause], lag).name, Moment(names[effect], 0).name
                graph.add_edge(*ends, weight=float(weights[cause, effect]))
        return graph


def vector_autoregression(
    d: int,
    n_rows: int = 200,
    *,
    lags: int = 1,
    n_series: int = 1,
    lagged_degree: float = 2.0,
    expected_degree: float = 1.0,
    radius: float = 0.8,
    noise_variance: float = 1.0,
    rng: RNGLike = None,
) -> SeriesSimulation:
    """Draw a random vector autoregression with effects within a time step, and rows from it.

    `x_t = x_t W_0 + x_{t-1} W_1 + ... + noise`. Every variable depends on itself one step before, and on other
    variables at random. All effects of earlier steps are scaled together so that the process is stationary.

    Parameters
    ----------
    d : int
        Number of variables, at least 2.
    n_rows : int, default 200
        Rows of each series.
    lags : int, default 1
        Number of steps back that have effects.
    n_series : int, default 1
        Number of independent series with the same weights.
    lagged_degree : float, default 2
        Expected number of causes of a variable among all variables of earlier steps, besides itself one step before.
    expected_degree : float, default 1
        Expected number of edges at each variable within a time step, in and out together; see `erdos_renyi`.
    radius : float, default 0.8
        How persistent the process is: the modulus of its largest eigenvalue, between 0 and 1.
    noise_variance : float, default 1
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    SeriesSimulation
        With `.data`, `.weights`, `.lagged_weights`, `.graph` and `.variables`.

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.vector_autoregression(4, n_rows=300, rng=0)
    >>> truth.data.shape, truth.graph.has_edge("X1[t-1]", "X1[t]")
    ((300, 4), True)
    """
    n_lags, rows, count = (
        check_integer(name, value, 1) for name, value in (("lags", lags), ("n_rows", n_rows), ("n_series", n_series))
    )
    size = check_fraction("radius", radius)
    deviation = check_positive("noise_variance", noise_variance) ** 0.5
    check_positive("lagged_degree", lagged_degree)
    for_graph, for_weights, for_rows = spawn_generators(rng, 3)
    within = erdos_renyi(d, expected_degree, for_graph)
    check_answer(8 * count * (rows + WARM_UP) * d, f"{count * rows:,} rows of {d} variables", "Ask for fewer rows.")
    present = for_graph.random((n_lags, d, d)) < lagged_degree / (n_lags * d)
    present[0][np.eye(d, dtype=bool)] = True
    weights = np.where(within, _drawn(within.shape, for_weights), 0.0)
    lagged_weights = _stationary(weights, np.where(present, _drawn(present.shape, for_weights), 0.0), size)
    values = _rows(weights, lagged_weights, for_rows.normal(scale=deviation, size=(rows + WARM_UP, count, d)))
    variables = tuple(f"X{v + 1}" for v in range(d))
    return SeriesSimulation(_frame(values[WARM_UP:], variables), weights, lagged_weights, variables)


def _drawn(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw weights uniformly in [0.4, 1], with random signs."""
    return rng.uniform(0.4, 1.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)


def _stationary(weights: np.ndarray, lagged_weights: np.ndarray, radius: float) -> np.ndarray:
    """Scale the weights of lag k by the k-th power of a factor, which scales all eigenvalues of the process by it."""
    n_lags, d, _ = lagged_weights.shape
    through = np.linalg.inv(np.eye(d) - weights)
    companion = np.zeros((n_lags * d, n_lags * d))
    companion[:, :d] = (lagged_weights @ through).reshape(n_lags * d, d)
    companion[: (n_lags - 1) * d, d:] = np.eye((n_lags - 1) * d)
    largest = float(np.abs(np.linalg.eigvals(companion)).max())
    if largest == 0.0:
        raise InvalidValue("the process has no memory: all its eigenvalues are 0. Draw another one, with another rng=.")
    factors = (radius / largest) ** np.arange(1, n_lags + 1)
    return np.asarray(lagged_weights * factors[:, None, None])


def _rows(weights: np.ndarray, lagged_weights: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the values (steps, series, d) of the process that begins at 0, given its noise of the same shape."""
    through = np.linalg.inv(np.eye(len(weights)) - weights)
    values = np.zeros_like(noise)
    for step in range(len(noise)):
        shock = noise[step].copy()
        for lag, own in enumerate(lagged_weights[:step], start=1):
            shock += values[step - lag] @ own
        values[step] = shock @ through
    return values


def _frame(values: np.ndarray, variables: tuple[str, ...]) -> pd.DataFrame:
    """Return values (rows, series, d) series by series; several have a column that tells them apart."""
    import pandas as pd

    rows, count, d = values.shape
    frame = pd.DataFrame(values.transpose(1, 0, 2).reshape(-1, d), columns=list(variables))
    if count > 1:
        frame.insert(0, SERIES, np.repeat(np.arange(count), rows))
    return frame
