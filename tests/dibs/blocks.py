"""Small blocks for the tests of DiBS, with the same numbers for the twin."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from helpers.data import gaussian_data
from helpers.families import random_candidates, random_families, scores_of
from orderspn.core.workers import Workers
from orderspn.dibs.problem import problem_of, tables_of
from orderspn.leaves.scoring import score_families
from search.networks import local_score


def all_others(d):
    return [np.delete(np.arange(d), child) for child in range(d)]


@cache
def gaussian(d, n_rows, seed):
    """Local scores of random data, and families with all others as candidates."""
    local = local_score(gaussian_data(d, n_rows, seed))
    return local, score_families(local, all_others(d), Workers(1))


def problem(families, block=None):
    """Of a pair of lists; by default the block of all variables."""
    before, variables = ([], range(len(families))) if block is None else block
    return problem_of(tables_of(families), np.array(before, dtype=int), np.array(variables, dtype=int))


def some_family_scores(d, seed, spread=1.0):
    """Random scores of all parent sets: families, and the same as child -> {parents: log score}."""
    families = random_families(np.random.default_rng(seed), [list(c) for c in all_others(d)], spread)
    return families, scores_of(families)


def random_block(rng, d_max=7):
    """Families with few candidates, and disjoint S_1 and S_2 that may leave variables out."""
    d = int(rng.integers(2, d_max + 1))
    families = random_families(rng, random_candidates(rng, d, 4), share_impossible=0.2, at_once=int(rng.integers(2)))
    shuffled = rng.permutation(d)
    n = int(rng.integers(1, d + 1))
    before = int(rng.integers(0, d - n + 1))
    return families, sorted(shuffled[n : n + before].tolist()), sorted(shuffled[:n].tolist())


def on_device(block):
    return jax.tree.map(jnp.asarray, block)


def key_of(seed):
    words = np.random.SeedSequence(seed).generate_state(2, np.uint32)
    return jnp.asarray(words[0]), jnp.asarray(words[1])
