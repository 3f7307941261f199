"""Causal paths from one variable to another: how probable each is, and how much of the effect it carries.

Given a graph, weights of edges into different variables are independent, and a path visits each variable once. So the
expected product of the weights along a path is the product of the expected ones, and the sum over all paths is the
expected total effect.

There may be very many paths. They are found best first: a beginning of a path is worth at most what all its
continuations together are worth in absolute value, so paths come out in the order of their own worth.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.queries.effect_draws import connected_pairs
from orderspn.queries.effect_numbers import share_error, weighted_error
from orderspn.queries.path_sums import effects_of
from orderspn.queries.sampling import GraphSamples

if TYPE_CHECKING:
    import pandas as pd

MOST_BEGINNINGS = 200_000
"""Beginnings of paths that are looked at before the search is given up."""

SLACK = 1e-12
"""Rounding of bounds, relative to them."""


class Path(NamedTuple):
    """Variables from cause to effect, the graphs that have all its edges, and its products of expected weights."""

    variables: tuple[int, ...]
    graphs: np.ndarray
    products: np.ndarray | None


@dataclass(frozen=True, eq=False)
class PathSearch:
    """The search for the paths from a cause to an effect.

    Attributes
    ----------
    samples : GraphSamples
    coefficients : numpy.ndarray, optional
        Shape (n, d, d): expected weights given each graph; without them, paths are sorted by their probability.
    cause, effect : int
    """

    samples: GraphSamples
    coefficients: np.ndarray | None
    cause: int
    effect: int

    @property
    def shares(self) -> np.ndarray:
        """Weights (n,) of the graphs, with sum 1."""
        n, weights = len(self.samples), self.samples.weights
        return np.full(n, 1.0 / n) if weights is None else weights

    def frame(self, top: int | None) -> pd.DataFrame:
        """Return the paths that carry most of the effect, or the most probable ones, as a table."""
        import pandas as pd

        names, shares, n = self.samples.variables, self.shares, len(self.samples)
        rows = []
        for path in itertools.islice(self.paths(), top):
            probability = float(shares[path.graphs].sum())
            row = {
                "path": tuple(names[v] for v in path.variables),
                "probability": min(probability, 1.0),
                "probability_error": float(share_error(np.asarray(probability), shares)),
            }
            if path.products is not None:
                everywhere = np.zeros(n)
                everywhere[path.graphs] = path.products
                mean = np.asarray(shares @ everywhere)
                row["contribution"] = float(mean)
                row["contribution_error"] = float(weighted_error(everywhere, mean, shares))
            rows.append(row)
        columns = ["path", "probability", "probability_error"]
        columns += [] if self.coefficients is None else ["contribution", "contribution_error"]
        return pd.DataFrame(rows, columns=columns)

    def paths(self) -> Iterator[Path]:
        """Find paths, those with the largest absolute contribution or probability first."""
        shares, onward = self.shares, self._onward()
        adjacency, coefficients = self.samples.adjacency, self.coefficients
        start = np.flatnonzero(onward[:, self.cause] > 0.0)
        number = itertools.count()  # settles ties: first found, first out
        ones = None if coefficients is None else np.ones(start.size)
        waiting = [(-np.inf, next(number), False, Path((self.cause,), start, ones))] if start.size else []
        while waiting:
            _, count, whole, path = heapq.heappop(waiting)
            if whole:
                yield path
                continue
            if count > MOST_BEGINNINGS:
                raise Unavailable(
                    f"there are too many paths from {self.samples.variables[self.cause]!r} to "
                    f"{self.samples.variables[self.effect]!r} to sort them. Ask for fewer, top=, or draw fewer graphs, "
                    "n_samples=."
                )
            end = path.variables[-1]
            for step in np.flatnonzero(adjacency[path.graphs, end].any(axis=0)).tolist():
                has_step = adjacency[path.graphs, end, step] & (onward[path.graphs, step] > 0.0)
                graphs = path.graphs[has_step]
                if not graphs.size:
                    continue
                products = None
                if coefficients is not None and path.products is not None:
                    products = path.products[has_step] * coefficients[graphs, end, step]
                longer = Path((*path.variables, step), graphs, products)
                whole = step == self.effect
                sizes = np.ones(graphs.size) if products is None else products if whole else np.abs(products)
                worth = abs(float(shares[graphs] @ (sizes * onward[graphs, step])))
                bound = worth if whole else worth * (1.0 + SLACK)
                heapq.heappush(waiting, (-bound, next(number), whole, longer))

    def _onward(self) -> np.ndarray:
        """Return a bound of what can come after each variable in each graph (n, d); 0 if the effect is not reached.

        It is the sum over all paths to the effect of their absolute products, or 1 without weights.
        """
        reached = connected_pairs(self.samples.adjacency)[:, :, self.effect]
        if self.coefficients is None:
            return reached.astype(np.float64)
        sums = effects_of(np.abs(self.coefficients))[:, :, self.effect]
        # A path with a weight of 0 is a path; a tiny number keeps it from being lost.
        return np.where(reached, np.maximum(sums, np.finfo(float).tiny), 0.0)
