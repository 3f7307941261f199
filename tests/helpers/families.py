"""Random families for the tests of leaves and lattices, with the same numbers as dictionaries."""

import numpy as np

from orderspn.leaves.family import Family


def members(mask, candidates):
    return frozenset(int(c) for b, c in enumerate(candidates) if mask >> b & 1)


def random_families(rng, candidates, spread=3.0, share_impossible=0.0):
    """One family per list of candidates; the empty parent set is always possible."""
    families = []
    for child, causes in enumerate(candidates):
        log_score = rng.normal(scale=spread, size=1 << len(causes))
        log_score[rng.random(log_score.size) < share_impossible] = -np.inf
        if not np.isfinite(log_score[0]):
            log_score[0] = rng.normal()
        families.append(Family(child, np.array(sorted(causes), dtype=np.int64), log_score))
    return families


def random_candidates(rng, d, largest):
    """Unequal candidate sets, some of them empty."""
    largest = min(largest, d - 1)
    return [
        sorted(rng.choice([v for v in range(d) if v != child], size=rng.integers(0, largest + 1), replace=False))
        for child in range(d)
    ]


def scores_of(families):
    """Child -> {parents: log score}, for the reference."""
    return {f.child: {members(mask, f.candidates): float(s) for mask, s in enumerate(f.log_score)} for f in families}


def random_weights(rng, families):
    """Weights given each parent set, (2**K, K) per family: 0 outside the set."""
    tables = []
    for f in families:
        inside = np.arange(f.log_score.size)[:, None] >> np.arange(f.candidates.size) & 1
        tables.append(rng.normal(size=inside.shape) * inside)
    return tables


def weights_of(families, tables):
    """The same as child -> {parents: (d,) weights}, for the reference."""
    result = {}
    for f, table in zip(families, tables, strict=True):
        result[f.child] = {}
        for mask in range(f.log_score.size):
            full = np.zeros(len(families))
            full[f.candidates] = table[mask]
            result[f.child][members(mask, f.candidates)] = full
    return result
