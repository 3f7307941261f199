"""The same computations with NumPy alone, vectorised but uncompiled: what the ratios are measured against.

Every parent set gets determinants of its own (batched by size), sums over subsets use `logaddexp`, the lattice
is filled level by level with fancy indexing. No code is shared with the package.
"""

from __future__ import annotations

from functools import cache
from math import lgamma, log, pi
from typing import Protocol

import numpy as np

BATCH = 1 << 15


def families(values: np.ndarray, candidates: list[np.ndarray]) -> list[np.ndarray]:
    """Log scores (BGe, fair prior) of all subsets of the candidates of each variable."""
    n, d = values.shape
    t, alpha_w = 0.5, d + 2
    mean = values.mean(axis=0)
    centred = values - mean
    r = t * np.eye(d) + centred.T @ centred + n / (n + 1) * np.outer(mean, mean)
    tables = []
    for child, causes in enumerate(candidates):
        table = np.empty(1 << causes.size)
        sizes = np.bitwise_count(np.arange(table.size))
        for size in range(causes.size + 1):
            masks = np.flatnonzero(sizes == size)
            a = alpha_w - d + size + 1
            constant = -0.5 * log(n + 1) + lgamma((n + a) / 2) - lgamma(a / 2) - n / 2 * log(pi)
            constant += (a * (size + 1) - (a - 1) * size) / 2 * log(t)
            constant -= log(d) + lgamma(d) - lgamma(size + 1) - lgamma(d - size)
            for start in range(0, masks.size, BATCH):
                batch = masks[start : start + BATCH]
                bits = (batch[:, None] >> np.arange(causes.size)) & 1
                members = causes[np.nonzero(bits)[1].reshape(batch.size, size)]
                inner = r[members[:, :, None], members[:, None, :]]
                outer = np.concatenate([members, np.full((batch.size, 1), child)], axis=1)
                whole = r[outer[:, :, None], outer[:, None, :]]
                log_inner = np.linalg.slogdet(inner)[1] if size else np.zeros(batch.size)
                log_whole = np.linalg.slogdet(whole)[1]
                table[batch] = constant + (n + a - 1) / 2 * log_inner - (n + a) / 2 * log_whole
        tables.append(table)
    return tables


def bdeu_families(codes: np.ndarray, arity: int) -> list[np.ndarray]:
    """Log scores (BDeu, fair prior) of all subsets of the others, from codes (rows, d) of equally many levels."""
    n, d = codes.shape
    powers = arity ** np.arange(d)
    tables = []
    for child in range(d):
        others = np.delete(np.arange(d), child)
        table = np.empty(1 << others.size)
        for mask in range(table.size):
            members = others[(mask >> np.arange(others.size)) & 1 == 1]
            size = members.size
            q = float(arity**size)
            seen = np.unique(codes[:, members] @ powers[:size], return_inverse=True)[1]
            counts = np.bincount(seen * arity + codes[:, child])
            of_cells = _log_gamma_ratios(1.0 / (q * arity), n)[counts].sum()
            of_rows = _log_gamma_ratios(1.0 / q, n)[np.bincount(seen)].sum()
            table[mask] = of_cells - of_rows - log(d) - lgamma(d) + lgamma(size + 1) + lgamma(d - size)
        tables.append(table)
    return tables


@cache
def _log_gamma_ratios(strength: float, n: int) -> np.ndarray:
    """Log of Gamma(strength + k) / Gamma(strength), for k up to n."""
    return np.array([lgamma(strength + k) - lgamma(strength) for k in range(n + 1)])


def subset_sum(table: np.ndarray) -> np.ndarray:
    """Log sums over the subsets of every mask."""
    sums = table.copy()
    for bit in range(table.size.bit_length() - 1):
        pairs = sums.reshape(-1, 2, 1 << bit)
        pairs[:, 1] = np.logaddexp(pairs[:, 0], pairs[:, 1])
    return sums


def superset_sum(table: np.ndarray) -> np.ndarray:
    """Log sums over the supersets of every mask."""
    sums = table.copy()
    for bit in range(table.size.bit_length() - 1):
        pairs = sums.reshape(-1, 2, 1 << bit)
        pairs[:, 0] = np.logaddexp(pairs[:, 0], pairs[:, 1])
    return sums


def project(masks: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Masks over all variables as masks over some of them."""
    index = np.zeros_like(masks)
    for bit, cause in enumerate(candidates):
        index |= ((masks >> int(cause)) & 1) << bit
    return index


def parents_given(table: np.ndarray, masses: np.ndarray, placement: np.ndarray) -> np.ndarray:
    """Probability of each candidate to be a parent, from the probabilities of all sets of predecessors."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(placement > 0, np.log(placement) - masses, -np.inf)
    posterior = np.exp(table + superset_sum(ratio))
    bits = range(table.size.bit_length() - 1)
    return np.array([posterior.reshape(-1, 2, 1 << bit)[:, 1].sum() for bit in bits])


class Lattice:
    """Sums over all orders, level by level."""

    def __init__(self, tables: list[np.ndarray], candidates: list[np.ndarray]) -> None:
        self.tables, self.candidates = tables, candidates
        self.masses = [subset_sum(table) for table in tables]
        self.d = len(tables)
        sizes = np.bitwise_count(np.arange(1 << self.d, dtype=np.int32))
        by_size = np.argsort(sizes, kind="stable").astype(np.int32)
        self.levels = np.split(by_size, np.cumsum(np.bincount(sizes))[:-1])
        self.prefix = np.full(1 << self.d, -np.inf)
        self.prefix[0] = 0.0
        for level in self.levels[1:]:
            for j in range(self.d):
                sets = level[(level >> j) & 1 == 1]
                rest = sets ^ (1 << j)
                terms = self.prefix[rest] + self.masses[j][self.project(rest, j)]
                self.prefix[sets] = np.logaddexp(self.prefix[sets], terms)

    def project(self, masks: np.ndarray, j: int) -> np.ndarray:
        """Masks over all variables as masks over the candidates of j."""
        return project(masks, self.candidates[j])

    def edge_probabilities(self) -> np.ndarray:
        """Row = cause, column = effect."""
        suffix = np.full(1 << self.d, -np.inf)
        suffix[-1] = 0.0
        for level in self.levels[-2::-1]:
            for j in range(self.d):
                sets = level[(level >> j) & 1 == 0]
                terms = self.masses[j][self.project(sets, j)] + suffix[sets | (1 << j)]
                suffix[sets] = np.logaddexp(suffix[sets], terms)
        result = np.zeros((self.d, self.d))
        masks = np.arange(1 << self.d, dtype=np.int32)
        for j in range(self.d):
            before = masks[(masks >> j) & 1 == 0]
            index = self.project(before, j)
            weight = np.exp(self.prefix[before] + self.masses[j][index] + suffix[before | (1 << j)] - self.prefix[-1])
            placement = np.bincount(index, weights=weight, minlength=self.masses[j].size)
            result[self.candidates[j], j] = parents_given(self.tables[j], self.masses[j], placement)
        return result

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Adjacency matrices, shape (n, d, d): orders from the end, then parents bit by bit."""
        current = np.full(n, (1 << self.d) - 1)
        before = np.empty((n, self.d), dtype=np.int64)
        for _ in range(self.d):
            logs = np.full((n, self.d), -np.inf)
            for j in range(self.d):
                has = (current >> j) & 1 == 1
                rest = current[has] ^ (1 << j)
                logs[has, j] = self.prefix[rest] + self.masses[j][self.project(rest, j)]
            gumbel = rng.gumbel(size=logs.shape)
            last = np.argmax(logs + gumbel, axis=1)
            current ^= 1 << last
            before[np.arange(n), last] = current
        adjacency = np.zeros((n, self.d, self.d), dtype=bool)
        for j in range(self.d):
            self._sample_parents(j, self.project(before[:, j], j), adjacency, rng)
        return adjacency

    def _sample_parents(self, j: int, allowed: np.ndarray, adjacency: np.ndarray, rng: np.random.Generator) -> None:
        stages = [self.tables[j]]
        n_bits = self.candidates[j].size
        for bit in range(n_bits):
            stage = stages[-1].copy()
            pairs = stage.reshape(-1, 2, 1 << bit)
            pairs[:, 1] = np.logaddexp(pairs[:, 0], pairs[:, 1])
            stages.append(stage)
        chosen = allowed.copy()
        for bit in reversed(range(n_bits)):
            share = np.exp(stages[bit][chosen] - stages[bit + 1][chosen])
            dropped = (chosen >> bit) & 1 & (rng.random(chosen.size) >= share)
            chosen ^= dropped << bit
            adjacency[:, self.candidates[j][bit], j] = (chosen >> bit) & 1


class Structure(Protocol):
    """The arrays of a circuit: regions (sum nodes and blocks) and their partitions, as in `orderspn.circuit`."""

    before: np.ndarray
    variables: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """The region of each partition."""
        ...


def circuit_edge_probabilities(
    structure: Structure,
    log_weights: np.ndarray,
    tables: list[np.ndarray],
    restricted: list[np.ndarray],
    candidates: list[np.ndarray],
) -> np.ndarray:
    """Edge probabilities of a circuit with one variable in each block, layer by layer; under evidence if restricted."""
    d = len(tables)
    owner, sizes = structure.owner, structure.variables.sum(axis=1)
    before = structure.before @ (1 << np.arange(d))
    leaves = [np.flatnonzero((sizes == 1) & structure.variables[:, j]) for j in range(d)]
    sets = [project(before[own], causes) for own, causes in zip(leaves, candidates, strict=True)]
    masses = [subset_sum(table) for table in restricted]
    values = np.zeros(sizes.size)
    for j in range(d):
        values[leaves[j]] = masses[j][sets[j]] - subset_sum(tables[j])[sets[j]]
    layers = [np.flatnonzero(sizes[owner] == size) for size in np.unique(sizes) if size > 1]
    terms = np.empty(owner.size)
    for layer in layers:
        terms[layer] = log_weights[layer] + values[structure.first[layer]] + values[structure.second[layer]]
        starts = np.flatnonzero(np.diff(owner[layer], prepend=-1))
        values[owner[layer][starts]] = np.logaddexp.reduceat(terms[layer], starts)
    passed = np.zeros(sizes.size)
    passed[0] = 1.0
    for layer in reversed(layers):
        share = np.exp(terms[layer] - values[owner[layer]]) * passed[owner[layer]]
        np.add.at(passed, structure.first[layer], share)
        np.add.at(passed, structure.second[layer], share)
    result = np.zeros((d, d))
    for j in range(d):
        placement = np.bincount(sets[j], weights=passed[leaves[j]], minlength=restricted[j].size)
        result[candidates[j], j] = parents_given(restricted[j], masses[j], placement)
    return result


def restrict(table: np.ndarray, required: int, forbidden: int) -> np.ndarray:
    """Scores under evidence."""
    masks = np.arange(table.size)
    return np.where(((masks & required) == required) & ((masks & forbidden) == 0), table, -np.inf)


def causal_effects(values: np.ndarray, lattice: Lattice) -> np.ndarray:
    """Mean of `(I - B)^-1`: full d x d matrices for each subset, level by level."""
    n, d = values.shape
    mean = values.mean(axis=0)
    centred = values - mean
    r = 0.5 * np.eye(d) + centred.T @ centred + n / (n + 1) * np.outer(mean, mean)
    weights = [_expected_weights(r, lattice, j) for j in range(d)]
    place = np.zeros(1 << d, dtype=np.int64)
    below = np.zeros((1, d, d))
    for level in lattice.levels[1:]:
        above = np.zeros((level.size, d, d))  # [subset, effect, cause]
        for j in range(d):
            at = np.flatnonzero((level >> j) & 1)
            rest = level[at] ^ (1 << j)
            index = lattice.project(rest, j)
            share = np.exp(lattice.prefix[rest] + lattice.masses[j][index] - lattice.prefix[level[at]])
            known = below[place[rest]]
            row = weights[j][index]
            known[:, j] = row + np.einsum("ski,sk->si", known, row)
            above[at] += share[:, None, None] * known
        place[level] = np.arange(level.size)
        below = above
    return below[0].T + np.eye(d)


def _expected_weights(r: np.ndarray, lattice: Lattice, j: int) -> np.ndarray:
    table, causes = lattice.tables[j], lattice.candidates[j]
    sizes = np.bitwise_count(np.arange(table.size))
    sums = np.zeros((table.size, lattice.d))
    for size in range(1, causes.size + 1):
        masks = np.flatnonzero(sizes == size)
        bits = (masks[:, None] >> np.arange(causes.size)) & 1
        members = causes[np.nonzero(bits)[1].reshape(masks.size, size)]
        inner = r[members[:, :, None], members[:, None, :]]
        solved = np.linalg.solve(inner, r[members, j][:, :, None])[:, :, 0]
        sums[masks[:, None], members] = solved
    # Signed sums stay in linear space: fine for the data of these benchmarks, not for all data.
    scale = table.max()
    sums *= np.exp(table - scale)[:, None]
    for bit in range(causes.size):
        pairs = sums.reshape(-1, 2, 1 << bit, lattice.d)
        pairs[:, 1] += pairs[:, 0]
    return sums / np.exp(lattice.masses[j] - scale)[:, None]
