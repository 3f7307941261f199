"""Growing a circuit from the root: an oracle partitions each region until its parts are small enough for blocks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import comb

import numpy as np

from orderspn.circuit.growth import Growth
from orderspn.circuit.structure import Structure
from orderspn.circuit.validation import validate
from orderspn.circuit.weights import ENUMERATED
from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import generator_of, seed_for
from orderspn.core.workers import Workers
from orderspn.leaves.context import root_block
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.protocol import Oracle, Proposal, Question
from orderspn.oracles.registry import check_proposal
from orderspn.search.order_scores import order_scores_of
from orderspn.search.starting import greedy_order


@dataclass(frozen=True, eq=False)
class Built:
    """A structure, and the `info` of the oracle, averaged over the sum nodes."""

    structure: Structure
    info: dict[str, float]


def n_layers(d: int, block_size: int) -> int:
    """Return the number of layers of sum nodes: parts are halved, rounded up, until they fit a block."""
    layers = 0
    while d > block_size:
        d -= d // 2
        layers += 1
    return layers


def build(
    tables: LeafTables,
    oracle: Oracle,
    expansion: Sequence[int],
    block_size: int,
    seed: np.random.SeedSequence,
    *,
    distinct: bool,
    workers: Workers,
) -> Built:
    """Grow a circuit with `expansion[l]` partitions for each sum node of layer l.

    Regions with the same sets are one node. Every question to the oracle has a seed of its own, by its layer and its
    place in it, so that the number of threads does not matter.
    """
    growth = Growth(len(tables.families), root_block(tables.families)[0])
    infos: list[dict[str, float]] = []
    layer = [growth.root]
    for depth, count in enumerate(expansion):
        to_split = [region for region in layer if growth.variables[region].sum() > block_size]
        questions = [
            Question(tables, np.flatnonzero(growth.before[r]), np.flatnonzero(growth.variables[r]), 1 / len(to_split))
            for r in to_split
        ]
        seeds = seed_for(seed, f"layer {depth + 1}").spawn(len(questions))
        proposals = _ask(oracle, questions, count, seeds, distinct, workers, depth)
        known = len(growth.before)
        for region, question, proposal in zip(to_split, questions, proposals, strict=True):
            for row, multiplicity in zip(proposal.first, proposal.multiplicity.tolist(), strict=True):
                first = np.zeros(growth.d, dtype=bool)
                first[question.variables[row]] = True
                growth.divide(region, first, multiplicity)
            infos.append(proposal.info)
        layer = list(range(known, len(growth.before)))
    structure = growth.structure()
    validate(structure)
    return Built(structure, _mean_info(infos))


def _ask(
    oracle: Oracle,
    questions: Sequence[Question],
    count: int,
    seeds: Sequence[np.random.SeedSequence],
    distinct: bool,
    workers: Workers,
    depth: int,
) -> list[Proposal]:
    proposals: list[Proposal | None] = [None] * len(questions)

    def ask(i: int) -> None:
        question = questions[i]
        if question.wants_all(count):  # no oracle is needed
            proposals[i] = _without_impossible(question, _all_partitions(int(question.variables.size)))
            return
        rng = generator_of(seeds[i])
        try:
            proposal = oracle.propose(question, count, rng, distinct=distinct)
        except Exception as problem:
            problem.add_note(f"raised by the oracle {oracle!r}, asked to split {question.variables.size} variables")
            raise
        check_proposal(question, proposal, count, distinct=distinct)
        proposals[i] = _without_impossible(question, proposal)

    steps = workers.steps(f"structure, layer {depth + 1}", len(questions))
    workers.run([partial(ask, i) for i in range(len(questions))], steps)
    return [proposal for proposal in proposals if proposal is not None]


def _without_impossible(question: Question, proposal: Proposal) -> Proposal:
    """Leave out partitions under which a variable has no possible parent set: their parts could not be split."""
    if question.leaves_all_possible:
        return proposal
    order_scores = order_scores_of(question.tables, question.before, question.variables)
    possible = np.array([greedy_order(order_scores, first) is not None for first in proposal.first])
    if not possible.any():
        raise InvalidValue(
            "the oracle must propose partitions under which every variable has a possible parent set; got none. Raise "
            "expansion=, use oracle='order-mcmc', or leave oracle= out."
        )
    return replace(proposal, first=proposal.first[possible], multiplicity=proposal.multiplicity[possible])


@cache
def _all_partitions(n: int) -> Proposal:
    """Return all balanced partitions of n variables, marked as complete."""
    first = np.zeros((comb(n, n // 2), n), dtype=bool)
    for row, chosen in enumerate(itertools.combinations(range(n), n // 2)):
        first[row, list(chosen)] = True
    return Proposal(first, np.full(len(first), ENUMERATED, dtype=np.int64))


def _mean_info(infos: Sequence[dict[str, float]]) -> dict[str, float]:
    names = sorted({name for info in infos for name in info})
    return {name: float(np.mean([info[name] for info in infos if name in info])) for name in names}


def check_expansion(expansion: Sequence[int], d: int, block_size: int) -> None:
    """Raise an error unless there is one expansion factor for each layer."""
    needed = n_layers(d, block_size)
    if len(expansion) != needed:
        raise InvalidValue(
            f"expansion must have {needed} factor(s), one for each layer that halves {d} variables down to blocks of "
            f"at most {block_size}; got {len(expansion)}: {list(expansion)}."
        )


def most_blocks(d: int, expansion: Sequence[int]) -> tuple[int, int]:
    """How many blocks a circuit that is grown has at most, and how many variables each of them."""
    count, largest = 1, d
    for factor in expansion:
        count *= 2 * min(factor, comb(largest, largest // 2))
        largest -= largest // 2
    return count, largest
