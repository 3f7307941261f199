"""Total effects, for scores with weights of edges: means given graphs or orders, and draws from their posterior.

Weights `B` [cause, effect] have the total effects `(I - B)^-1`. Given a graph or an order, the weights of different
variables are independent, and a path visits each variable once. So the expectation of `(I - B)^-1` is `(I - E[B])^-1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.matrix_root import root_of
from orderspn.core.names import variable_index
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Steps, Workers
from orderspn.display.edges import edges_html
from orderspn.display.html import titled
from orderspn.display.text import counted
from orderspn.lattice.block_effects import BLOCK_MEMORY, block_bytes
from orderspn.lattice.expected_weights import MeanWeights
from orderspn.lattice.path_effects import level_bytes
from orderspn.leaves.context import context_first, root_block
from orderspn.leaves.explained_parts import ExplainedParts
from orderspn.leaves.family import Family
from orderspn.queries.marginals import square_frame
from orderspn.queries.order_model import DrawsOrders
from orderspn.queries.path_sums import effects_of
from orderspn.queries.sampling import GraphSamples, credible_ends, distinct_graphs, places_in, predecessors
from orderspn.scores.capabilities import weights_of
from orderspn.scores.local import LocalScore

if TYPE_CHECKING:
    import pandas as pd

BYTES_PER_NUMBER = 8
"""Bytes of a number in double precision."""

GRAPHS_BATCH_BYTES = 256 * 2**20
"""Bytes of the matrices of the graphs that are inverted together."""

ORDERS_BATCH_BYTES = 2**29
"""Bytes of the expected weights of a batch of orders. Averages over families are computed once per batch, so large
batches save time."""

SHARE_OF_MEMORY = 8
"""Largest part of the memory for a batch, as a denominator."""

INVERTED_AT_ONCE = 20
"""Number of orders whose matrices are inverted together."""

COPIES = 2
"""Number of tables of a family during averaging: weights given parent sets, and their means."""


@dataclass(frozen=True, eq=False)
class EffectEstimate:
    """Mean total effects over sampled orders.

    Attributes
    ----------
    mean, standard_error : pandas.DataFrame
        Row = cause, column = effect. The standard error is that of sampling orders; given an order, the expectation is
        exact.
    n_orders : int
    """

    mean: pd.DataFrame
    standard_error: pd.DataFrame
    n_orders: int

    def __repr__(self) -> str:
        return f"<EffectEstimate: {self._about()}>"

    def _repr_html_(self) -> str:
        means = edges_html(self.mean.to_numpy(), list(self.mean.index), "mean effect")
        return titled(f"Estimated effects: {self._about()}", means)

    def _about(self) -> str:
        largest = float(self.standard_error.to_numpy().max())
        return (
            f"means among {counted(len(self.mean), 'variable')} over {counted(self.n_orders, 'order')}, "
            f"standard errors up to {largest:.3g}"
        )


@dataclass(frozen=True, eq=False)
class EffectSamples:
    """Draws of all total effects.

    Attributes
    ----------
    variables : list of str
    values : numpy.ndarray
        Shape (n, d, d): `values[s, i, j]` is the effect of i on j in draw s; 1 on the diagonal.
    graphs : GraphSamples
        The graph of each draw, with the weights of the draws if these are not equal.
    """

    variables: list[str]
    values: np.ndarray
    graphs: GraphSamples

    def __repr__(self) -> str:
        return f"<EffectSamples: {self._about()}>"

    def _repr_html_(self) -> str:
        means = self.mean.to_numpy()
        return titled(f"Sampled effects: {self._about()}", edges_html(means, self.variables, "mean effect"))

    def _about(self) -> str:
        weighted = "" if self.graphs.weights is None else ", weighted"
        return f"{counted(len(self.values), 'draw')} of the effects among {len(self.variables)} variables{weighted}"

    @property
    def mean(self) -> pd.DataFrame:
        """Mean effects, row = cause, column = effect."""
        return square_frame(np.average(self.values, axis=0, weights=self.graphs.weights), self.variables)

    def interval(self, level: float = 0.9) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the lower and upper ends of central credible intervals, as two tables like `mean`.

        Examples
        --------
        >>> import orderspn as osp
        >>> effects = osp.learn(osp.load_sachs(log=True).data).effect_samples(100, rng=0)
        >>> low, high = effects.interval(0.5)
        >>> bool((low <= high).to_numpy().all())
        True
        """
        low, high = credible_ends(self.values, level, self.graphs.weights)
        return square_frame(low, self.variables), square_frame(high, self.variables)

    def of(self, cause: str, effect: str) -> np.ndarray:
        """Return the draws of one effect, shape (n,).

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.learn(osp.load_sachs(log=True).data).effect_samples(100, rng=0).of("Erk", "Akt").shape
        (100,)
        """
        i, j = variable_index(cause, self.variables), variable_index(effect, self.variables)
        draws: np.ndarray = self.values[:, i, j]
        return draws


def check_linear(score: LocalScore) -> None:
    """Raise an error if the edges of a score have no weights, and so no total effects."""
    weights_of(score.likelihood)


def draw_effects(
    samples: GraphSamples,
    score: LocalScore,
    seed: np.random.SeedSequence,
    workers: Workers,
    scale: np.ndarray | float,
) -> EffectSamples:
    """Draw weights for each sampled graph, and compute their effects times `scale` [cause, effect]."""
    d = len(samples.variables)
    generators = [generator_of(child) for child in seed.spawn(d)]
    values = effects_of(drawn_coefficients(samples.adjacency, score, generators, workers))
    values *= scale
    return EffectSamples(samples.variables, values, samples)


def mean_effects(
    adjacency: np.ndarray, weights: np.ndarray, score: LocalScore, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean total effects over graphs (n, d, d), and their standard errors if the graphs are independent draws.

    The weights (n,) of the graphs sum to 1.
    """
    graphs, which = distinct_graphs(adjacency)
    mass = np.bincount(which, weights)
    d = adjacency.shape[1]
    total, total_squares = np.zeros((d, d)), np.zeros((d, d))
    batch = max(1, min(GRAPHS_BATCH_BYTES, workers.memory // SHARE_OF_MEMORY) // (BYTES_PER_NUMBER * d * d))
    for start in range(0, len(graphs), batch):
        piece = slice(start, start + batch)
        effects = effects_of(expected_coefficients(graphs[piece], score, workers))
        total += np.einsum("n,nij->ij", mass[piece], effects)
        total_squares += np.einsum("n,nij->ij", mass[piece], effects**2)
    spread = np.maximum(total_squares - total**2, 0.0)
    return total, np.sqrt(spread * np.sum(weights**2))


def expected_coefficients(adjacency: np.ndarray, score: LocalScore, workers: Workers) -> np.ndarray:
    """Return the posterior mean weights given each graph (n, d, d)."""
    coefficients = np.zeros(adjacency.shape)

    def fill(child: int) -> None:
        for parents, graphs in _distinct_parent_sets(adjacency[:, :, child]):
            coefficients[graphs[:, None], parents, child] = score.weights_given(child, parents)[0]

    workers.run([partial(fill, child) for child in range(adjacency.shape[1])])
    return coefficients


def drawn_coefficients(
    adjacency: np.ndarray, score: LocalScore, generators: list[np.random.Generator], workers: Workers
) -> np.ndarray:
    """Draw weights from their t distributions given each graph (n, d, d), with one generator for each variable."""
    coefficients = np.zeros(adjacency.shape)

    def fill(child: int) -> None:
        rng = generators[child]
        for parents, graphs in _distinct_parent_sets(adjacency[:, :, child]):
            location, scale, freedom = score.weights_given(child, parents)
            normal = rng.standard_normal((graphs.size, parents.size)) @ root_of(scale).T
            stretch = np.sqrt(freedom / rng.chisquare(freedom, graphs.size))
            coefficients[graphs[:, None], parents, child] = location + normal * stretch[:, None]

    workers.run([partial(fill, child) for child in range(adjacency.shape[1])])
    return coefficients


def _distinct_parent_sets(inside: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the distinct parent sets that are not empty, each with the graphs that have it.

    Row s of `inside` (n, d) marks the parents in graph s.
    """
    sets, which = np.unique(inside, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    graphs = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return [(np.flatnonzero(row), own) for row, own in zip(sets, graphs, strict=True) if row.any()]


def estimate_effects(
    orders: DrawsOrders,
    families: Sequence[Family],
    weights: MeanWeights,
    n: int,
    rng: np.random.Generator,
    workers: Workers,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and standard error of the effects over `n` draws of orders, each of shape (d, d).

    It serves posteriors that are too large for averages over all orders.
    """
    d = len(families)
    places = places_in(context_first(orders.sample(n, rng), d))
    batch = max(1, min(ORDERS_BATCH_BYTES, workers.memory // SHARE_OF_MEMORY) // (BYTES_PER_NUMBER * d * d))
    steps = workers.steps("expected weights", d * -(-n // batch))
    total, squares = np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, n, batch):
        expected = _expected_given(places[start : start + batch], families, weights, workers, steps)
        for first in range(0, len(expected), INVERTED_AT_ONCE):
            effects = effects_of(expected[first : first + INVERTED_AT_ONCE])
            total += effects.sum(axis=0)
            squares += (effects**2).sum(axis=0)
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * n / max(n - 1, 1)
    return mean, np.sqrt(variance / n)


def _expected_given(
    places: np.ndarray, families: Sequence[Family], weights: MeanWeights, workers: Workers, steps: Steps
) -> np.ndarray:
    """Return expected weights [order, cause, effect], given the places (n, d) of the variables in each order."""
    n, d = places.shape
    expected = np.zeros((n, d, d))
    _, explained = root_block(families)

    def fill(v: int) -> None:
        family = families[v]
        expected[:, :, v] = _of_family(family, predecessors(places, v), weights(family), explained)

    own = BYTES_PER_NUMBER * max(f.log_score.size * (f.candidates.size + f.outsider_rows.shape[1]) for f in families)
    at_once = max(1, min(workers.n_jobs, workers.memory // SHARE_OF_MEMORY // ((1 + COPIES) * own + 1)))
    replace(workers, n_jobs=at_once).run([partial(fill, v) for v in range(d)], steps)
    return expected


def _of_family(family: Family, before: np.ndarray, weights: np.ndarray, explained: np.ndarray) -> np.ndarray:
    """Return the expected weights of all variables given predecessors (n, d), shape (n, d)."""
    if explained.size == before.shape[1] or family.is_context or family.n_rows > 1:
        return family.expected_weights_given(before, weights)
    # Context variables are before all others, so the sums over them are taken once.
    parts = ExplainedParts.of(family, explained)
    masks, _ = parts.summed.opened_by(before)
    found = np.zeros(before.shape)
    found[:, family.candidates] = parts.summed.expected_weights(parts.means(weights))[masks]
    return found


def effects_memory(families: Sequence[Family], largest_block: int, workers: Workers) -> int:
    """Return the peak memory, in bytes, when effects are averaged exactly over all orders.

    Blocks have up to `largest_block` variables; see `lattice/expected_weights.py`. Without outsiders, all blocks read
    one table with a number for every variable and parent set. With outsiders, the averages of a family cover only its
    candidates and the outsiders of a row, and each block in progress has its own table.
    """
    d, n_jobs = len(families), workers.n_jobs
    own = [f.log_score.size * (f.candidates.size + f.outsider_rows.shape[1]) for f in families]
    at_work = n_jobs * COPIES * max(own)
    if any(f.n_rows > 1 for f in families):
        # A block takes what it takes in `lattice/block_effects.py`, or as there for all variables if that is too much.
        by_sources = BYTES_PER_NUMBER * (largest_block << (largest_block - 1)) * d
        at_once = block_bytes(largest_block)
        blocks = n_jobs * (at_once if at_once <= BLOCK_MEMORY else by_sources) // BYTES_PER_NUMBER
        masses = 3 * sum(f.log_score.size for f in families) // 2  # with their exponents
        return BYTES_PER_NUMBER * (sum(own) + masses + max(at_work, blocks))
    if largest_block == 1:  # only single entries are computed, without a table
        return BYTES_PER_NUMBER * at_work
    # Families are summed over their context parents first.
    _, explained = root_block(families)
    reduced = sum(1 << int(np.isin(families[v].candidates, explained).sum()) for v in explained)
    levels = level_bytes(largest_block, d, workers.memory)
    return BYTES_PER_NUMBER * (d * (reduced + d - explained.size) + at_work) + levels
