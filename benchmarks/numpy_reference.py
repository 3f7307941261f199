"""The same computations with NumPy alone, vectorised but uncompiled: what the ratios are measured against.

Every parent set gets determinants of its own (batched by size), sums over subsets use `logaddexp`, the lattice
is filled level by level with fancy indexing. No code is shared with the package.
"""

from __future__ import annotations

from math import lgamma, log, pi

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
        index = np.zeros_like(masks)
        for bit, cause in enumerate(self.candidates[j]):
            index |= ((masks >> int(cause)) & 1) << bit
        return index

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
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(placement > 0, np.log(placement) - self.masses[j], -np.inf)
            posterior = np.exp(self.tables[j] + superset_sum(ratio))
            for bit, cause in enumerate(self.candidates[j]):
                result[cause, j] = posterior.reshape(-1, 2, 1 << bit)[:, 1].sum()
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
