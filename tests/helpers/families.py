"""Random families for the tests of leaves and lattices, with the same numbers as dictionaries."""

import itertools

import numpy as np

from orderspn.leaves.family import Family
from orderspn.scores.local import NO_OUTSIDERS


def members(mask, candidates):
    return frozenset(int(c) for b, c in enumerate(candidates) if mask >> b & 1)


def parents_of(family, parent_set):
    """The variables of a parent set, from its number `row * 2**K + mask`."""
    row, mask = divmod(parent_set, 1 << family.candidates.size)
    outsiders = family.outsider_rows[row - 1] if row else []
    return members(mask, family.candidates) | {int(v) for v in outsiders if v >= 0}


def random_families(rng, candidates, spread=3.0, share_impossible=0.0, at_once=0):
    """One family per list of candidates, with rows of up to `at_once` outsiders; the empty set is always possible."""
    families = []
    for child, causes in enumerate(candidates):
        outsiders = random_outsiders(rng, len(candidates), child, causes, at_once)
        log_score = rng.normal(scale=spread, size=(1 + len(outsiders)) << len(causes))
        log_score[rng.random(log_score.size) < share_impossible] = -np.inf
        if not np.isfinite(log_score[0]):
            log_score[0] = rng.normal()
        families.append(Family(child, np.array(sorted(causes), dtype=np.int64), log_score, 0.0, outsiders))
    return families


def random_outsiders(rng, d, child, candidates, at_once):
    """Most of the variables that are no candidates, alone and in pairs, in any order; -1 for none."""
    non_candidates = [v for v in range(d) if v != child and v not in candidates]
    rows = [row for size in range(1, at_once + 1) for row in itertools.combinations(non_candidates, size)]
    if not rows:
        return NO_OUTSIDERS
    chosen = rng.permutation(len(rows))[: max(1, round(0.8 * len(rows)))]
    padded = [(*rows[i], *[-1] * (at_once - len(rows[i]))) for i in chosen]
    return np.array(padded, dtype=np.int64)


def random_candidates(rng, d, largest):
    """Unequal candidate sets, some of them empty."""
    largest = min(largest, d - 1)
    return [
        sorted(rng.choice([v for v in range(d) if v != child], size=rng.integers(0, largest + 1), replace=False))
        for child in range(d)
    ]


def scores_of(families):
    """Child -> {parents: log score}, for the reference."""
    return {f.child: {parents_of(f, number): float(s) for number, s in enumerate(f.log_score)} for f in families}


def random_weights(rng, families):
    """Weights of candidates and outsiders given each parent set, (rows * 2**K, K + width): 0 outside the set."""
    tables = []
    for f in families:
        masks = np.arange(f.log_score.size) % (1 << f.candidates.size)
        inside = masks[:, None] >> np.arange(f.candidates.size) & 1
        present = np.zeros((f.log_score.size, f.outsider_rows.shape[1]))
        present[1 << f.candidates.size :] = np.repeat(f.outsider_rows >= 0, 1 << f.candidates.size, axis=0)
        inside = np.hstack([inside, present])
        tables.append(rng.normal(size=inside.shape) * inside)
    return tables


def weights_of(families, tables):
    """The same as child -> {parents: (d,) weights}, for the reference."""
    result = {}
    for f, table in zip(families, tables, strict=True):
        result[f.child] = {}
        for number in range(f.log_score.size):
            full = np.zeros(len(families))
            full[f.candidates] = table[number, : f.candidates.size]
            row = number >> f.candidates.size
            for k, outsider in enumerate(f.outsider_rows[row - 1] if row else []):
                if outsider >= 0:
                    full[outsider] = table[number, f.candidates.size + k]
            result[f.child][parents_of(f, number)] = full
    return result


def as_predecessors(variables, d):
    """A set of variables as a boolean row."""
    before = np.zeros(d, dtype=bool)
    before[list(variables)] = True
    return before
