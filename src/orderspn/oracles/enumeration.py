"""All balanced partitions, or those with the largest exact posterior mass, or exact draws from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.workers import Workers
from orderspn.lattice.leaf_values import leaf_values
from orderspn.lattice.passes import log_prefix_sums, log_suffix_sums
from orderspn.oracles.partitions import block_of, once_each, partition_masks, rows_of_masks
from orderspn.oracles.protocol import Proposal, Question
from orderspn.search.starting import no_possible_order

MOST_VARIABLES = 20
"""A lattice of this size takes a second; each further variable doubles that."""


@dataclass(frozen=True)
class Enumeration:
    """List every partition and weight it by the mass of all its orders; up to 20 variables.

    The mass of `U | rest` is that of all orders of U after S_1, times that of all orders of the rest after both.
    Distinct partitions are those of the largest mass; ties go to those that put the first variables first.
    """

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        _check_size(question)
        masks = partition_masks(question)
        if distinct and count >= masks.size:
            return once_each(rows_of_masks(question, masks))
        log_mass = log_partition_mass(question, masks)
        if log_mass.max() == -np.inf:
            raise no_possible_order(int(question.variables.size))
        if distinct:
            heaviest = np.argsort(-log_mass, kind="stable")[:count]
            return once_each(rows_of_masks(question, masks[heaviest]))
        chosen, multiplicity = _draw(log_mass, count, rng)
        return Proposal(rows_of_masks(question, masks[chosen]), multiplicity)

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
        return {"name": "enumeration"}


def log_partition_mass(question: Question, masks: np.ndarray) -> np.ndarray:
    """Return the log sum of the scores of all (order, graph) pairs with the variables of a mask first, shape (m,)."""
    block = block_of(question)
    everything = (1 << question.variables.size) - 1
    # One thread, because the many questions of a circuit are distributed among threads.
    log_leaves = leaf_values(question.tables, block, "log_mass", Workers(), "partitions")
    log_prefix = log_prefix_sums(block, log_leaves, Workers(), "partitions")
    log_suffix = log_suffix_sums(block, log_leaves, Workers(), "partitions")
    return log_prefix[masks] + log_suffix[everything ^ masks]


def _check_size(question: Question) -> None:
    n = question.variables.size
    if n > MOST_VARIABLES:
        raise InvalidValue(
            f"the oracle 'enumeration' lists all balanced partitions of at most {MOST_VARIABLES} variables; got "
            f"{n} variables with {question.n_partitions} partitions. Use 'auto' or 'order-mcmc'."
        )


def _draw(log_mass: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw `count` times in proportion to the masses; return the different draws and their counts."""
    mass = np.exp(log_mass - log_mass.max())
    # Rounding can give the last cell a tiny probability, so it must not be an impossible partition.
    possible = np.flatnonzero(mass)
    drawn = rng.multinomial(count, mass[possible] / mass[possible].sum())
    return possible[drawn > 0], drawn[drawn > 0].astype(np.int64)
