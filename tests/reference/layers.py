"""Chains over ordered partitions, slowly: every parent set, graph, layering and proposal is listed one by one.

A layering is a tuple: the layer of each variable of a block, by its place there. `scores` is a dictionary
child -> {frozenset of parents: log score}, as for the enumeration of DAGs.
"""

import itertools
import math
from collections import defaultdict
from functools import cache, cached_property

import numpy as np

from reference.enumeration import log_sum_exp


def log_tau(sets, before, last=None):
    """Of the sets {parents: log score} those within `before` and, unless that is None, with one of `last`."""
    return log_sum_exp([s for parents, s in sets.items() if parents <= before and (last is None or parents & last)])


def layers_of(parents):
    """Layers of a DAG given the set of parents of each variable: the longest way to it from a root."""

    @cache
    def layer(child):
        return max((1 + layer(parent) for parent in parents[child]), default=0)

    return tuple(layer(child) for child in range(len(parents)))


def has_cycle(parents):
    """Whether a graph, given as a list of sets of parents, has a cycle: taking roots away comes to a stop."""
    left = set(range(len(parents)))
    while roots := {child for child in left if not parents[child] & left}:
        left -= roots
    return bool(left)


@cache
def all_layerings(n):
    """Every layering of n variables, without empty layers."""
    return [levels for levels in itertools.product(range(n), repeat=n) if is_layering(levels)]


def is_layering(levels):
    return set(levels) == set(range(max(levels) + 1))


def as_groups(levels):
    """A layering as a list of sets, from the first layer to the last."""
    return [frozenset(j for j, at in enumerate(levels) if at == layer) for layer in range(max(levels) + 1)]


def as_levels(groups):
    """The same as a tuple."""
    layer = {j: at for at, group in enumerate(groups) for j in group}
    return tuple(layer[j] for j in range(len(layer)))


def splits_and_merges(levels):
    """Layering -> probability that it is proposed; what is missing to 1 is that the chain stays."""
    groups, found = as_groups(levels), defaultdict(float)
    for i in range(len(groups) - 1):
        found[as_levels([*groups[:i], groups[i] | groups[i + 1], *groups[i + 2 :]])] += 0.5 / (len(groups) - 1)
    large = [i for i, group in enumerate(groups) if len(group) > 1]
    for i in large:
        size = len(groups[i])
        for n_front in range(1, size):
            for front in itertools.combinations(sorted(groups[i]), n_front):
                parts = [frozenset(front), groups[i] - set(front)]
                target = as_levels([*groups[:i], *parts, *groups[i + 1 :]])
                found[target] += 0.5 / len(large) / (size - 1) / math.comb(size, n_front)
    return found


def exchanges(levels):
    n, groups, found = len(levels), as_groups(levels), defaultdict(float)
    if len(groups) == 1:
        return found
    for first, second in itertools.pairwise(groups):
        for a, b in itertools.product(first, second):
            found[_exchanged(levels, a, b)] += 0.5 / (len(groups) - 1) / len(first) / len(second)
    for a, b in itertools.product(range(n), repeat=2):
        if levels[a] != levels[b]:
            found[_exchanged(levels, a, b)] += 0.5 / n**2
    return found


def _exchanged(levels, a, b):
    new = list(levels)
    new[a], new[b] = levels[b], levels[a]
    return tuple(new)


def relocations(levels):
    """The distance is the whole part of `m**u`, u uniform and m - 1 the largest distance."""
    n, found = len(levels), defaultdict(float)
    for j in range(n):
        others = [group - {j} for group in as_groups(levels) if group != {j}]
        row = [_put(others, j, place) for place in range(2 * len(others) + 1)]
        here = row.index(tuple(levels))
        for target, distance in ((t, abs(t - here)) for t in range(len(row))):
            if distance:
                found[row[target]] += (math.log(distance + 1) - math.log(distance)) / math.log(len(row)) / 2 / n
    return found


def _put(others, j, place):
    """Gap, layer, gap, ..., gap: j alone in a gap, or in a layer."""
    i = place // 2
    if place % 2:
        return as_levels([*others[:i], others[i] | {j}, *others[i + 1 :]])
    return as_levels([*others[:i], frozenset([j]), *others[i:]])


PROPOSALS = {"split or merge": splits_and_merges, "exchange": exchanges, "relocation": relocations}


class PartitionList:
    """All DAGs over `variables` with `before` in front, and their layerings; parents by their place in `variables`.

    A DAG is a tuple of parent sets, each a frozenset of variables.
    """

    def __init__(self, scores, before, variables):
        self.scores, self.before, self.variables = scores, frozenset(before), list(variables)
        self.n = len(self.variables)
        variables = self.before | set(self.variables)
        choices = [[g for g, s in scores[v].items() if g <= variables and s > -math.inf] for v in self.variables]
        self.dags = [dag for dag in itertools.product(*choices) if not has_cycle(self.inner(dag))]
        self.layers = [layers_of(self.inner(dag)) for dag in self.dags]
        self.log_scores = np.array([self.log_score(dag) for dag in self.dags])
        self.number = {dag: i for i, dag in enumerate(self.dags)}

    def inner(self, dag):
        """Parents within the block, by place."""
        return [{self.variables.index(v) for v in parents - self.before} for parents in dag]

    def log_score(self, dag):
        return sum(self.scores[v][parents] for v, parents in zip(self.variables, dag, strict=True))

    def dag_probabilities(self):
        p = np.exp(self.log_scores - log_sum_exp(self.log_scores))
        return dict(zip(self.dags, p.tolist(), strict=True))

    @cached_property
    def log_masses(self):
        """Possible layering -> log of the summed scores of its DAGs."""
        found = defaultdict(list)
        for layers, log_score in zip(self.layers, self.log_scores, strict=True):
            found[layers].append(log_score)
        return {layers: log_sum_exp(parts) for layers, parts in sorted(found.items())}

    @property
    def layerings(self):
        return list(self.log_masses)

    def probabilities(self, beta=1.0):
        """Probability of each possible layering, in proportion to its mass to the power beta."""
        log_weights = beta * np.array(list(self.log_masses.values()))
        return np.exp(log_weights - log_sum_exp(log_weights))

    def transitions(self, kind, beta=1.0, hastings=1.0, tilt=0.0):
        """Matrix (layerings, layerings): one step of a chain with one kind of move.

        Wrong on purpose where the log ratio of proposal probabilities is taken `hastings` times, or `tilt` is added to
        the log of the acceptance ratio for every layer by which the first variable rises.
        """
        if kind == "edge reversal":
            return self.reversals(beta, hastings, tilt)
        places, log_masses = {layers: i for i, layers in enumerate(self.layerings)}, list(self.log_masses.values())
        proposals = [PROPOSALS[kind](layers) for layers in self.layerings]
        matrix = np.zeros((len(places), len(places)))
        for a, old in enumerate(self.layerings):
            for new, there in proposals[a].items():
                if new in places:
                    b = places[new]
                    log_ratio = hastings * (math.log(proposals[b][old]) - math.log(there))
                    log_ratio += beta * (log_masses[b] - log_masses[a]) + tilt * (new[0] - old[0])
                    matrix[a, b] = there * math.exp(min(0.0, log_ratio))
        return matrix + np.diag(1.0 - matrix.sum(axis=1))

    def reversals(self, beta=1.0, hastings=1.0, tilt=0.0, steps=1):
        """The same for reversals of edges: a DAG given the layering, so many reversals, and its layering."""
        places = {layers: i for i, layers in enumerate(self.layerings)}
        within = np.zeros((len(places), len(self.dags)))  # probabilities of the DAGs of a layering
        for i, layers in enumerate(self.layers):
            within[places[layers], i] = math.exp(self.log_scores[i] - self.log_masses[layers])
        turned = np.linalg.matrix_power(self._turns(beta, hastings, tilt), steps)
        return within @ turned @ (within > 0.0).T

    def _turns(self, beta, hastings, tilt):
        proposals = self._reversals
        matrix = np.zeros((len(self.dags), len(self.dags)))
        for a, old in enumerate(self.dags):
            for new, there in proposals[a].items():
                b = self.number[new]
                log_ratio = hastings * (math.log(proposals[b][old]) - math.log(there))
                log_ratio += self.log_scores[b] - self.log_scores[a]
                log_ratio += (beta - 1.0) * (self.log_masses[self.layers[b]] - self.log_masses[self.layers[a]])
                log_ratio += tilt * (self.layers[b][0] - self.layers[a][0])
                matrix[a, b] = there * math.exp(min(0.0, log_ratio))
        return matrix + np.diag(1.0 - matrix.sum(axis=1))

    @cached_property
    def _reversals(self):
        return [self._reversed(dag) for dag in self.dags]

    def _reversed(self, dag):
        """DAG -> probability that it is proposed: an edge i -> j, parents of i with j among them, and those of j."""
        edges = [(i, j) for j, parents in enumerate(self.inner(dag)) for i in parents]
        found = defaultdict(float)
        for i, j in edges:
            orphaned = list(dag)
            orphaned[i] = orphaned[j] = frozenset()
            for parents_i, p_i in self._parent_sets(i, orphaned, self.variables[j]):
                half = list(orphaned)
                half[i] = parents_i
                for parents_j, p_j in self._parent_sets(j, half):
                    new = list(half)
                    new[j] = parents_j
                    found[tuple(new)] += p_i * p_j / len(edges)
        return found

    def _parent_sets(self, j, graph, required=None):
        """Parent sets of j, with their probabilities, by which a graph in which it has none stays without a cycle."""
        variables, found = self.before | set(self.variables), {}
        for parents, log_score in self.scores[self.variables[j]].items():
            if parents <= variables and (required is None or required in parents) and log_score > -math.inf:
                new = list(graph)
                new[j] = parents
                if not has_cycle(self.inner(new)):
                    found[parents] = log_score
        log_total = log_sum_exp(list(found.values()))
        return [(parents, math.exp(log_score - log_total)) for parents, log_score in found.items()]
