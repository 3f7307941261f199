"""Circuits for tests: written down by hand, or grown from random families."""

from math import comb

import numpy as np

from helpers.families import random_families
from orderspn.circuit.building import build, n_layers
from orderspn.circuit.structure import Structure
from orderspn.core.workers import Workers
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.random_partitions import RandomPartitions


def rows(sets, d):
    """Sets of variables as boolean rows."""
    return np.array([[v in members for v in range(d)] for members in sets], dtype=bool).reshape(len(sets), d)


def by_hand(d, regions, partitions):
    """A structure from `(S_1, S_2)` of each region and, by region, its (first, second[, multiplicity])."""
    listed = [(*p, 1)[:3] for region in range(len(regions)) for p in partitions.get(region, ())]
    columns = np.array(listed, dtype=np.int64).reshape(-1, 3)
    counts = [len(partitions.get(region, ())) for region in range(len(regions))]
    return Structure(
        rows([before for before, _ in regions], d),
        rows([variables for _, variables in regions], d),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        *(np.ascontiguousarray(columns[:, i]) for i in range(3)),
    )


def grow(families, expansion, block_size=1, oracle=None, *, seed=0, distinct=True, n_jobs=1):
    """A structure grown by an oracle, random partitions by default."""
    workers = Workers(n_jobs)
    return build(
        LeafTables.of(families, workers),
        RandomPartitions() if oracle is None else oracle,
        expansion,
        block_size,
        np.random.SeedSequence(seed),
        distinct=distinct,
        workers=workers,
    ).structure


def families_without_candidates(d):
    """Families with the empty parent set only, for structures of any size."""
    return random_families(np.random.default_rng(0), [[] for _ in range(d)])


def families_of_all(d, seed=0, spread=2.0):
    """Random families in which all others are candidates."""
    others = [[v for v in range(d) if v != child] for child in range(d)]
    return random_families(np.random.default_rng(seed), others, spread=spread)


def full_expansion(d, block_size):
    """Factors so large that every node gets all its partitions."""
    factors = []
    for _ in range(n_layers(d, block_size)):
        factors.append(comb(d, d // 2))
        d -= d // 2
    return factors


def unshared(structure):
    """The same circuit as a tree: a region that several partitions lead to becomes several."""
    regions, partitions, sources = [], {}, [0]
    for region, source in enumerate(sources):  # which grows on the way
        sets = (np.flatnonzero(members[source]).tolist() for members in (structure.before, structure.variables))
        regions.append(tuple(sets))
        for p in own_partitions(structure, source):
            first = len(sources)
            sources += [int(structure.first[p]), int(structure.second[p])]
            partitions.setdefault(region, []).append((first, first + 1, int(structure.multiplicity[p])))
    return by_hand(structure.before.shape[1], regions, partitions)


def depths(structure):
    """By region, how many sum nodes are above it."""
    result = np.zeros(structure.n_regions, dtype=np.int64)
    for p in range(structure.n_partitions):
        result[[structure.first[p], structure.second[p]]] = result[structure.owner[p]] + 1
    return result


def own_partitions(structure, region):
    return range(structure.partition_starts[region], structure.partition_starts[region + 1])


def same_structure(one, other):
    names = ("before", "variables", "partition_starts", "first", "second", "multiplicity")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
