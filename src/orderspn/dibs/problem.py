"""A block `(S_1, S_2)` as arrays: its possible edges, and the places of the scores of parent sets.

The *targets* are the n variables of S_2, the *sources* all d variables. Of the candidates of a target only those in S_1
or S_2 can be its parents. Those that are in every possible set are *certain* and never sampled. The others have
*slots*, in ascending order, each with its bit in the masks of the family. The scores of all families are in one array,
which blocks share.

Parent sets with outsiders are left out: in the graphs of DiBS all parents are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.leaves.family import Family

LARGEST_NUMBER = 2**31 - 1
"""Numbers of parent sets are 32-bit integers."""


class Block(NamedTuple):
    """The arrays of one block; blocks of the same size have arrays of the same shapes."""

    targets: np.ndarray  # (n,): the variables of S_2
    place: np.ndarray  # (d,): of a source in S_2; n for others
    allowed: np.ndarray  # (d, n), bool: which edges are possible, and not certain
    certain: np.ndarray  # (d, n), bool: which edges are in every possible parent set
    slot: np.ndarray  # (d, n): of an allowed edge among those of its target; 0 for others
    source: np.ndarray  # (n, slots): the variable of each slot; 0 where there is none
    bit: np.ndarray  # (n, slots): its bit in the mask; 0 where there is none
    start: np.ndarray  # (n,): number of the parent set of each target that has its certain edges alone


class Problem(NamedTuple):
    """A block, and the scores that it shares with others."""

    log_score: np.ndarray  # (sets,): of the parent sets of all variables, relative to the best of the family
    block: Block


class Tables(NamedTuple):
    """Scores of the parent sets of all families one after the other, for any number of problems."""

    families: tuple[Family, ...]
    log_score: np.ndarray  # (sets,)
    starts: np.ndarray  # (d,)
    in_some: np.ndarray  # (d,): a mask over the candidates of each: those in any possible parent set
    in_all: np.ndarray  # (d,): those in all of them


def tables_of(families: Sequence[Family]) -> Tables:
    """Lay out the scores of all variables, without sets that have outsiders."""
    wrong = [i for i, family in enumerate(families) if family.child != i]
    if wrong:
        raise InvalidValue(
            f"families must be those of variables 0, 1, 2, ... in this order; number {wrong[0]} is of variable "
            f"{families[wrong[0]].child}."
        )
    sizes = np.array([family.n_masks for family in families], dtype=np.int64)
    if sizes.sum() > LARGEST_NUMBER:
        raise InvalidValue(
            f"DiBS needs fewer than {LARGEST_NUMBER} parent sets in all; got {sizes.sum()}. Pass fewer candidates."
        )
    rows = [family.log_score[: family.n_masks] for family in families]
    possible = [np.flatnonzero(row > -np.inf) for row in rows]
    in_some = np.array([np.bitwise_or.reduce(masks) for masks in possible])
    in_all = np.array([np.bitwise_and.reduce(masks) if masks.size else 0 for masks in possible])
    log_score = np.concatenate(rows).astype(np.float64)
    return Tables(tuple(families), log_score, np.cumsum(sizes) - sizes, in_some, in_all)


def problem_of(tables: Tables, before: np.ndarray, variables: np.ndarray) -> Problem:
    """Return the arrays of one block.

    Parameters
    ----------
    tables : Tables
        The scores of all variables.
    before, variables : numpy.ndarray
        Indices of the variables in S_1 and in S_2.

    Examples
    --------
    >>> import numpy as np
    >>> families = [Family(i, np.delete(np.arange(3), i), np.zeros(4)) for i in range(3)]
    >>> problem_of(tables_of(families), np.array([2]), np.array([0])).block.allowed[:, 0]
    array([False, False,  True])
    """
    return Problem(tables.log_score, _block(tables, *_checked(before, variables, len(tables.families))))


def _checked(before: np.ndarray, variables: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    before, variables = np.asarray(before, dtype=np.int64), np.asarray(variables, dtype=np.int64)
    both = np.concatenate([before, variables])
    if variables.size == 0:
        raise InvalidValue("a block must have at least one variable; got none.")
    if both.min() < 0 or both.max() >= d:
        raise InvalidValue(f"a block must have variables from 0 to {d - 1}; got {both.tolist()}.")
    if np.unique(both).size < both.size:
        raise InvalidValue(f"a block must name every variable once; got {before.tolist()} before {variables.tolist()}.")
    return before, variables


def _block(tables: Tables, before: np.ndarray, variables: np.ndarray) -> Block:
    d, n = len(tables.families), variables.size
    # The number of slots depends only on sizes, so that blocks of one size share a compiled program.
    most = max(family.candidates.size for family in tables.families)
    width = max(1, min(most, before.size + n - 1))
    inside = np.zeros(d, dtype=bool)
    inside[before] = inside[variables] = True
    place = np.full(d, n, dtype=np.int32)
    place[variables] = np.arange(n)
    allowed, certain = np.zeros((2, d, n), dtype=bool)
    slot = np.zeros((d, n), dtype=np.int32)
    source, bit = np.zeros((2, n, width), dtype=np.int32)
    start = tables.starts[variables].astype(np.int32)
    for j, target in enumerate(variables):
        candidates = tables.families[target].candidates
        in_some, in_all = ((masks[target] >> np.arange(candidates.size) & 1).astype(bool) for masks in tables[-2:])
        fixed = np.flatnonzero(inside[candidates] & in_all)
        certain[candidates[fixed], j] = True
        start[j] += (1 << fixed).sum()
        bits = np.flatnonzero(inside[candidates] & in_some & ~in_all)
        own = candidates[bits]
        allowed[own, j] = True
        slot[own, j] = np.arange(own.size)
        source[j, : own.size] = own
        bit[j, : own.size] = 1 << bits
    return Block(variables.astype(np.int32), place, allowed, certain, slot, source, bit, start)
