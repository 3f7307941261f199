"""Blocks `(S_1, S_2)` as arrays: which edges are possible, and where the scores of parent sets are.

Targets are the n variables of S_2, sources all d variables. Of the candidates of a target only those in S_1 or S_2 can
be its parents. Those that every possible set has are *certain*, and nobody asks about them; the others sit in *slots*,
in ascending order, and each knows its bit in the family's masks. The scores of all families are one array that every
block shares.

Sets with outsiders are left out: a graph here has candidates as parents only.
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
    """Everything that differs between blocks; those of one size have arrays of one shape."""

    targets: np.ndarray  # (n,): the variables of S_2
    place: np.ndarray  # (d,): of a source in S_2; n for others
    allowed: np.ndarray  # (d, n), bool: which edges are possible, and not certain
    certain: np.ndarray  # (d, n), bool: which edges are in every possible parent set
    slot: np.ndarray  # (d, n): of an allowed edge among those of its target; 0 for others
    source: np.ndarray  # (n, slots): the variable of each slot; 0 where there is none
    bit: np.ndarray  # (n, slots): what it adds to the mask; 0 where there is none
    start: np.ndarray  # (n,): number of the parent set of each target that has its certain edges alone


class Problem(NamedTuple):
    """Blocks of the same number of targets, and the scores that they share."""

    log_score: np.ndarray  # (sets,): of the parent sets of all variables, relative to the best of the family
    blocks: tuple[Block, ...]


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


def problem_of(tables: Tables, blocks: Sequence[tuple[np.ndarray, np.ndarray]]) -> Problem:
    """Arrays of blocks given as pairs `(before, variables)` of variable indices.

    Parameters
    ----------
    tables : Tables
        The scores of all variables.
    blocks : sequence of pairs of arrays
        S_1 and S_2 of each block; all S_2 have the same size.

    Examples
    --------
    >>> import numpy as np
    >>> families = [Family(i, np.delete(np.arange(3), i), np.zeros(4)) for i in range(3)]
    >>> problem = problem_of(tables_of(families), [(np.array([2]), np.array([0]))])
    >>> problem.blocks[0].allowed[:, 0]
    array([False, False,  True])
    """
    d = len(tables.families)
    pairs = [_checked(before, variables, d) for before, variables in blocks]
    sizes = {variables.size for _, variables in pairs}
    if len(sizes) != 1:
        raise InvalidValue(
            f"blocks must all have the same number of variables; got {sorted(sizes) or 'no blocks'}. "
            "Make one problem for each size."
        )
    return Problem(tables.log_score, tuple(_block(tables, before, variables) for before, variables in pairs))


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
    # As many slots as sizes alone make sure of, so that blocks of one size share a program.
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
