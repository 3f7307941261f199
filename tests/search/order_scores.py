"""Blocks of variables with random families, outsiders among them, and the scores of their orders by the slow way."""

import itertools
import math
from functools import cached_property

import numpy as np

from helpers.families import random_candidates, random_families, scores_of
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.search.order_scores import order_scores_of
from reference.lattice import OrderList, log_leaf

NO_VARIABLES = np.empty(0, dtype=np.int64)

SOME_BEFORE = (8, [1, 6], [0, 3, 4, 7], {"seed": 2})
THREE_BEFORE = (7, [1, 3, 6], [0, 2, 4, 5], {"largest": 6})

PLAIN = {
    "one": (4, [0, 2], [1]),
    "two": (2, [], [0, 1]),
    "three, two before": (6, [1, 5], [0, 2, 3]),
    "four, some before, some outside": SOME_BEFORE,
    "five, impossible sets": (6, [2], [0, 1, 3, 4, 5], {"impossible": 0.4}),
    "scores hundreds apart": (6, [5], [0, 1, 2, 3, 4], {"spread": 300.0}),
    "orders ruled out": (6, [5], [0, 1, 2, 3, 4], {"required": [(3, 0), (0, 1), (4, 2)]}),
    "no candidates at all": (5, [1], [0, 2, 3, 4], {"largest": 0}),
}

DEMANDED = [(3, 0), (1, 4)]
"""Outsiders that are required: row 0 of a family is impossible."""

WITH_OUTSIDERS = {
    f"{name}, {at_once} at once": (*case[:3], {**dict(*case[3:]), "at_once": at_once})
    for name, case in PLAIN.items()
    for at_once in (1, 2)
} | {
    "few candidates": (6, [4], [0, 1, 2, 3, 5], {"largest": 1, "at_once": 2}),
    "one order by outsiders": (5, [], range(5), {"largest": 0, "at_once": 1, "demanded": [(0, 1), (1, 2), (2, 3)]}),
    "units impossible": (6, [], range(6), {"at_once": 2, "demanded": DEMANDED, "impossible": 0.3}),
    "units impossible, dozens apart": (6, [5], range(5), {"at_once": 2, "demanded": DEMANDED, "spread": 25.0}),
    "units impossible, hundreds apart": (6, [5], range(5), {"at_once": 2, "demanded": DEMANDED, "spread": 300.0}),
}

CASES = PLAIN | WITH_OUTSIDERS

WITH_NEEDS = {
    f"needs, {at_once} at once": (
        6,
        [5],
        range(5),
        {"needs": [(3, 0), (0, 1), (4, 2)], "spread": 1.0, "at_once": at_once},
    )
    for at_once in (0, 1, 2)
}
"""Order constraints: pairs of which the first must come before the second, as a parent or not."""


class Block:
    """Variables to be ordered after others, and what their orders score."""

    def __init__(self, families, before, variables):
        self.tables = LeafTables.of(families, Workers(1))
        self.before = np.array(before, dtype=np.int64)
        self.variables = np.array(variables, dtype=np.int64)

    @property
    def n(self):
        return self.variables.size

    @property
    def families(self):
        return self.tables.families

    @cached_property
    def order_scores(self):
        return order_scores_of(self.tables, self.before, self.variables)

    @cached_property
    def scores(self):
        return scores_of(self.families)

    @property
    def tolerance(self):
        """Of log scores: shares of rows are in single precision."""
        return 1e-10 if all(family.n_rows == 1 for family in self.families) else 1e-5

    def _log_leaf(self, scores, child, placed):
        """Nothing, unless all needs come before."""
        enough = set(self.families[child].needs.tolist()) <= placed
        return log_leaf(scores, child, placed) if enough else -math.inf

    def log_masses(self, order):
        """Log mass of each variable (by place in `variables`) in an order of such places."""
        placed, found = set(self.before.tolist()), np.empty(self.n)
        for place in np.asarray(order).tolist():
            child = int(self.variables[place])
            found[place] = self._log_leaf(self.scores, child, frozenset(placed))
            placed.add(child)
        return found

    def log_score(self, order):
        return float(self.log_masses(order).sum())

    def probabilities(self, beta=1.0):
        """Orders as tuples of places -> probability in proportion to `score**beta`; impossible ones are left out."""
        variables = self.variables.tolist()
        listed = OrderList(self.scores, self.before.tolist(), variables, self._log_leaf)
        weights = np.exp(beta * (listed.log_weights - listed.log_weights.max()))
        weights /= weights.sum()
        return {
            tuple(map(variables.index, order)): float(p)
            for order, p in zip(listed.orders, weights, strict=True)
            if p > 0.0
        }

    def possible_orders(self):
        orders = itertools.permutations(range(self.n))
        return [order for order in orders if self.log_score(order) > -math.inf]


def make_block(d, before, variables, options=None):
    """Random families of d variables, of which some are to be ordered."""
    return Block(make_families(d, len(variables), **(options or {})), before, variables)


def make_families(d, n, largest=4, impossible=0.0, spread=3.0, required=(), demanded=(), needs=(), at_once=0, seed=0):
    """Families with rows of up to `at_once` outsiders.

    Causes `required` and `needs` are candidates, those `demanded` outsiders.
    """
    rng = np.random.default_rng([seed, d, n])
    candidates = [set(map(int, causes)) for causes in random_candidates(rng, d, largest)]
    for cause, effect in [*required, *needs]:
        candidates[effect].add(cause)
    for cause, effect in demanded:
        candidates[effect].discard(cause)
    families = random_families(rng, [sorted(causes) for causes in candidates], spread, impossible, at_once)
    for cause, effect in demanded:
        families[effect] = with_row(rng, families[effect], cause, at_once, spread)
    for cause, effect in [*required, *demanded]:
        families[effect] = families[effect].restricted(np.array([cause]), NO_VARIABLES)
    for cause, effect in needs:
        families[effect] = families[effect].after(np.array([cause]))
    return families


def with_row(rng, family, cause, at_once, spread):
    """The same family with a row of possible sets for one outsider alone, if it has none."""
    row = [cause, *[-1] * (at_once - 1)]
    if row in family.outsider_rows.tolist():
        return family
    log_score = np.concatenate([family.log_score, rng.normal(scale=spread, size=family.n_masks)])
    outsiders = np.concatenate([family.outsider_rows.reshape(-1, at_once), [row]])
    return Family(family.child, family.candidates, log_score, outsider_rows=outsiders)


def two_modes(one, other):
    """0 and 1 are good parents of 2 and of 3, but only both of them; and the other way round."""
    sets = {0: [2, 3], 1: [2, 3], 2: [0, 1], 3: [0, 1]}
    gains = {0: other, 1: other, 2: one, 3: one}
    families = [Family(v, np.array(sets[v]), np.array([0.0, 0.0, 0.0, gains[v]])) for v in range(4)]
    return Block(families, [], range(4))


def random_orders(block, count, seed=0):
    """Possible orders, shape (count, n), with repetition."""
    possible = block.possible_orders()
    chosen = np.random.default_rng(seed).integers(len(possible), size=count)
    return np.array([possible[i] for i in chosen], dtype=np.int64)
