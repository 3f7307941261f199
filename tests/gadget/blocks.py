"""Blocks of variables to be put into layers, with random families, and their brute-force twins."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helpers.families import parents_of, random_families, scores_of
from orderspn.core.workers import Workers
from orderspn.gadget.parent_scores import parent_scores_of, tables_of
from orderspn.leaves.tables import LeafTables
from orderspn.search.order_scores import order_scores_of
from reference import layers
from search.order_scores import make_families

ONE = Workers(1)


@dataclass(frozen=True, eq=False)
class Block:
    """Families, who comes before, and who is put into layers."""

    families: list
    before: list
    variables: list

    @cached_property
    def parent_scores(self):
        before = np.array(self.before, dtype=np.int64)
        return parent_scores_of(self.families, tables_of(self.families, ONE), before, np.array(self.variables))

    @cached_property
    def order_scores(self):
        before = np.array(self.before, dtype=np.int64)
        return order_scores_of(LeafTables.of(self.families, ONE), before, np.array(self.variables))

    @cached_property
    def scores(self):
        return scores_of(self.families)

    @cached_property
    def partitions(self):
        return layers.PartitionList(self.scores, self.before, self.variables)

    def among(self, levels, level, last):
        """Variables, S_1 included, on levels before the child's; if `last`, those just before it."""
        allowed = {v for v, at in zip(self.variables, levels, strict=True) if (at == level - 1 if last else at < level)}
        return allowed if last else allowed | set(self.before)

    def parent_sets(self, j, levels, level, must):
        """Numbers of the parent sets of j that are possible -> log score, by listing them."""
        before, last = self.among(levels, level, False), self.among(levels, level, True)
        family, found = self.families[self.variables[j]], {}
        for number, log_score in enumerate(family.log_score.tolist()):
            parents = parents_of(family, number)
            if parents <= before and (not must or parents & last) and log_score > -np.inf:
                found[number] = log_score
        return found

    def log_tau(self, j, levels, level, must):
        last = self.among(levels, level, True) if must else None
        return layers.log_tau(self.scores[self.variables[j]], self.among(levels, level, False), last)

    def as_numbers(self, dag):
        """A DAG of the twin as numbers of parent sets."""
        return [self._numbers[j][parents] for j, parents in enumerate(dag)]

    @cached_property
    def _numbers(self):
        own = [self.families[v] for v in self.variables]
        return [{parents_of(f, number): number for number in range(f.log_score.size)} for f in own]

    def as_dags(self, parent_sets):
        """Rows of numbers of parent sets (m, n) as DAGs of the twin."""
        own = [self.families[v] for v in self.variables]
        return [tuple(map(parents_of, own, row)) for row in parent_sets.tolist()]


def complete(d, spread=1.5, before=(), impossible=0.0, seed=0):
    """All variables are candidates of each other."""
    rng = np.random.default_rng([seed, d])
    families = random_families(rng, [[v for v in range(d) if v != child] for child in range(d)], spread, impossible)
    return Block(families, list(before), [v for v in range(d) if v not in before])


def mixed(d, before, variables, **options):
    """Few candidates, and rows of outsiders: options of `search.order_scores.make_families`."""
    return Block(make_families(d, len(variables), **options), list(before), list(variables))


def without_empty_sets(block, children):
    """The same, but some variables must have parents."""
    for child in children:
        block.families[child].log_score[0] = -np.inf
    return block


SMALL = {
    "complete": complete(4),
    "one before": complete(4, before=[1], seed=1),
    "impossible sets": complete(4, impossible=0.3, seed=2),
    "outsiders alone": mixed(4, [], range(4), largest=1, at_once=1, spread=1.5, seed=3),
    "outsiders in pairs, two before": mixed(6, [0, 4], [1, 2, 5], largest=2, at_once=2, spread=1.0, seed=4),
    "some in neither": mixed(7, [6], [0, 2, 5], largest=3, at_once=2, spread=1.5, impossible=0.1, seed=5),
}
"""Four variables at most in layers, so that all DAGs can be listed."""

DEMANDING = {"no roots but two": without_empty_sets(complete(4, seed=6), [1, 2])}
"""Some variables must have parents, and in some graphs none are left for them."""

WIDE = {
    **{
        f"{n_candidates} candidates, rows of {at_once}": mixed(
            8, [1, 6], [0, 2, 3, 5, 7], largest=n_candidates, at_once=at_once, seed=n_candidates
        )
        for n_candidates in range(6)
        for at_once in (0, 1, 2)
    },
    **{
        f"{what}, rows of {at_once}": mixed(8, [1, 6], [0, 2, 3, 5, 7], largest=5, at_once=at_once, **options)
        for what, options in {
            "impossible sets": {"impossible": 0.5, "seed": 1},
            "hundreds apart": {"spread": 300.0, "seed": 2},
            "thousands apart": {"spread": 3000.0, "seed": 3},
            "thousands apart, impossible sets": {"spread": 3000.0, "impossible": 0.5, "seed": 4},
        }.items()
        for at_once in (0, 1, 2)
    },
    "row 0 impossible": mixed(
        8, [1, 6], [0, 2, 3, 5, 7], largest=3, at_once=2, demanded=[(3, 0), (2, 5), (6, 7)], spread=10.0
    ),
    "row 0 impossible, thousands apart": mixed(
        8, [1, 6], [0, 2, 3, 5, 7], largest=3, at_once=2, demanded=[(3, 0), (2, 5)], spread=2000.0, impossible=0.3
    ),
}
"""Blocks of five variables out of eight, two before and one in neither."""


def random_levels(n, rng):
    """Any levels, with gaps or without."""
    return rng.integers(0, rng.integers(1, n + 1) + 1, size=n)


def situations(block, count, seed=0):
    """So often a variable of the block, levels of all, and whether it must have one of the last as a parent."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        levels = random_levels(len(block.variables), rng)
        j = int(rng.integers(len(levels)))
        yield j, levels, bool(levels[j] > 0 and rng.random() < 0.75)
