"""Small data with context variables, and lists of everything they allow."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data
from reference import bdeu
from reference.context import ContextDags, enumerated
from reference.local_scores import all_mean_weights, local_scores, log_prior


@dataclass(frozen=True)
class Case:
    """Data with names A, B, C, ... of which some are context, and arguments of `learn`."""

    kind: str
    d: int
    context: tuple[int, ...]
    seed: int
    max_parents: int | None = None

    @cached_property
    def names(self):
        return letters(self.d)

    @property
    def context_names(self):
        return [self.names[v] for v in self.context]

    @property
    def explained(self):
        return [v for v in range(self.d) if v not in self.context]

    @cached_property
    def arities(self):
        return [2, 3, 2, 2, 3][: self.d]

    @cached_property
    def values(self):
        if self.kind == "numbers":
            return gaussian_data(self.d, 40, seed=self.seed)
        return discrete_data(self.arities, 40, seed=self.seed)

    @property
    def data(self):
        """What `learn` takes."""
        return self.values if self.kind == "numbers" else as_categories(self.values, self.arities, self.names)

    @property
    def arguments(self):
        own = {"max_parents": self.max_parents}
        return own | ({"variables": self.names, "standardize": False} if self.kind == "numbers" else {})

    @cached_property
    def scores(self):
        if self.kind == "numbers":
            return local_scores(self.values, max_parents=self.max_parents)
        every = bdeu.local_scores(self.values, self.arities, lambda size: log_prior("fair", size, self.d))
        most = self.d if self.max_parents is None else self.max_parents
        return {child: {s: v for s, v in sets.items() if len(s) <= most} for child, sets in every.items()}

    @cached_property
    def pairs(self):
        return enumerated(self.scores, self.context)

    @cached_property
    def dags(self):
        return ContextDags(self.scores, self.context)

    @cached_property
    def mean_weights(self):
        return all_mean_weights(self.values)


CASES = {
    "numbers": ("numbers", 5, (0, 3), 1),
    "numbers, few parents": ("numbers", 5, (1, 4), 2, 2),
    "numbers, one explained": ("numbers", 3, (0, 2), 3),
    "numbers, one in context": ("numbers", 4, (2,), 4),
    "categories": ("categories", 5, (2, 3), 5),
}


@cache
def case_of(name):
    return Case(*CASES[name])


def masks_of(adjacency):
    """Graphs (n, d, d) as tuples of masks of parents."""
    bits = 1 << np.arange(adjacency.shape[1])
    return list(map(tuple, np.einsum("nij,i->nj", adjacency, bits).tolist()))
