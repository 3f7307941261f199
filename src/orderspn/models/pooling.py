"""Draws from a mixture: divided among its components, and put together again in random order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.randomness import RNGLike, generator_of, seed_sequence
from orderspn.queries.precision import quality_of
from orderspn.queries.sampling import GraphSamples

FEWEST = 2
"""Fewest draws of a component whose mean gets a standard error."""


@dataclass(frozen=True, eq=False)
class Division:
    """How many draws come from which component, each with a seed of its own; components without draws are skipped.

    Attributes
    ----------
    counts : list of int
        Number of draws of each component.
    seeds : list of SeedSequence
        One for each component, so that draws depend neither on threads nor on those of other components.
    shuffled : numpy.ndarray
        A random order of all draws.
    """

    counts: list[int]
    seeds: list[np.random.SeedSequence]
    shuffled: np.ndarray

    @classmethod
    def random(cls, n: int, weights: np.ndarray, rng: RNGLike) -> Division:
        """Draw the component of each of `n` draws."""
        own, *seeds = seed_sequence(rng).spawn(1 + len(weights))
        generator = generator_of(own)
        counts = generator.multinomial(n, weights).tolist()
        return cls(counts, seeds, generator.permutation(n))

    @classmethod
    def proportional(cls, n: int, weights: np.ndarray, rng: RNGLike) -> Division:
        """Divide about `n` draws by the weights, at least two for each component of positive weight."""
        counts = [max(FEWEST, round(share * n)) if share > 0.0 else 0 for share in weights.tolist()]
        _, *seeds = seed_sequence(rng).spawn(1 + len(weights))
        return cls(counts, seeds, np.arange(sum(counts)))

    def __iter__(self) -> Iterator[tuple[int, int, np.random.SeedSequence]]:
        """Iterate over components with draws: index, number of draws and seed."""
        each = enumerate(zip(self.counts, self.seeds, strict=True))
        return ((m, count, seed) for m, (count, seed) in each if count)

    def join(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """Put the draws of the components together, in random order."""
        joined: np.ndarray = np.concatenate(parts)[self.shuffled]
        return joined

    def join_weights(self, parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
        """Put weights together: within a component they sum to its share of the draws; None if all are equal."""
        if all(own is None for own in parts):
            return None
        n = len(self.shuffled)
        counts = [count for count in self.counts if count]
        each = zip(parts, counts, strict=True)
        return self.join([np.full(count, 1.0 / n) if own is None else own * (count / n) for own, count in each])


def pooled(parts: Sequence[GraphSamples], division: Division) -> GraphSamples:
    """Put the graphs drawn from the components together."""
    weights = division.join_weights([part.weights for part in parts])
    return GraphSamples(
        parts[0].variables,
        division.join([part.adjacency for part in parts]),
        division.join([part.orders for part in parts]),
        weights,
        None if weights is None else quality_of(np.log(np.maximum(weights, np.finfo(float).tiny))),
    )
