"""Walks along orders of DAGs, slowly: every DAG with every order of it, and every move between two of them."""

import itertools
import math
from collections import defaultdict
from functools import cached_property

import numpy as np

from reference.layers import log_tau


class OrderWalks:
    """All pairs of a DAG of `partitions` (a `PartitionList`) and an order of it, by places."""

    def __init__(self, partitions, beta=1.0):
        self.partitions, self.beta, self.n = partitions, beta, partitions.n
        self.pairs = [
            (dag, order)
            for dag in partitions.dags
            for order in itertools.permutations(range(self.n))
            if self.log_probability(dag, order) > -math.inf
        ]
        self.number = {pair: i for i, pair in enumerate(self.pairs)}

    def log_probability(self, dag, order):
        """Log probability that the order is drawn given the DAG, place by place among those that are free."""
        inner, total = self.partitions.inner(dag), 0.0
        for place, chosen in enumerate(order):
            free = [j for j in order[place:] if inner[j] <= set(order[:place])]
            if chosen not in free:
                return -math.inf
            total -= math.log(len(free))
        return total

    def before(self, j, order):
        """Variables that j may have as parents."""
        names = self.partitions.variables
        return self.partitions.before | {names[i] for i in order[: order.index(j)]}

    def log_mass(self, order):
        return sum(self.log_tau(j, order) for j in order)

    def log_tau(self, j, order):
        return log_tau(self.partitions.scores[self.partitions.variables[j]], self.before(j, order))

    def renewals(self, j, parents, old, new):
        """Parent sets of j -> probability, when the order changes from `old` to `new`."""
        sets = self.partitions.scores[self.partitions.variables[j]]
        earlier, now = self.before(j, old), self.before(j, new)
        if now <= earlier and parents <= now:
            return {parents: 1.0}
        log_total = log_tau(sets, now)
        allowed = {g: math.exp(s - log_total) for g, s in sets.items() if g <= now and s > -math.inf}
        if now <= earlier:
            return allowed
        found = defaultdict(float, {g: p for g, p in allowed.items() if not g <= earlier})
        found[parents] += sum(p for g, p in allowed.items() if g <= earlier)
        return found

    def moved(self, order):
        """Order -> probability: a variable goes a distance that is the whole part of `n**u`, u uniform."""
        found = {}
        for p, q in itertools.permutations(range(self.n), 2):
            others = [j for j in order if j != order[p]]
            distance = abs(p - q)
            probability = (math.log(distance + 1) - math.log(distance)) / math.log(self.n) / 2 / self.n
            new = (*others[:q], order[p], *others[q:])
            found[new] = found.get(new, 0.0) + probability
        return found

    def steps(self, exponent=1.0, tilt=0.0):
        """Matrix (pairs, pairs) of one move; wrong on purpose with another exponent of the orders' probabilities."""
        matrix = np.zeros((len(self.pairs), len(self.pairs)))
        for a, (dag, order) in enumerate(self.pairs):
            for new, probability in self.moved(order).items():
                gain = self.beta * (self.log_mass(new) - self.log_mass(order))
                if gain == -math.inf:
                    continue
                probability *= math.exp(min(0.0, gain))
                choices = [self.renewals(j, dag[j], order, new).items() for j in range(self.n)]
                for choice in itertools.product(*choices):
                    graph = tuple(parents for parents, _ in choice)
                    log_ratio = exponent * (self.log_probability(graph, new) - self.log_probability(dag, order))
                    log_ratio += tilt * (self.layers(graph)[0] - self.layers(dag)[0])
                    share = probability * math.prod(p for _, p in choice)
                    matrix[a, self.number[graph, new]] += share * math.exp(min(0.0, log_ratio))
        return matrix + np.diag(1.0 - matrix.sum(axis=1))

    def layers(self, dag):
        return self.partitions.layers[self.partitions.number[dag]]

    @cached_property
    def begun(self):
        """Matrix (layerings, pairs): a DAG given the layering, and an order of it."""
        places = {layers: i for i, layers in enumerate(self.partitions.layerings)}
        matrix = np.zeros((len(places), len(self.pairs)))
        for i, (dag, order) in enumerate(self.pairs):
            layers = self.layers(dag)
            log_share = self.partitions.log_score(dag) - self.partitions.log_masses[layers]
            matrix[places[layers], i] = math.exp(log_share + self.log_probability(dag, order))
        return matrix

    def transitions(self, count=1, **wrong):
        """Matrix (layerings, layerings) of a walk of so many moves, accepted or not at its end."""
        walked = np.linalg.matrix_power(self.steps(**wrong), count)
        surplus = np.array(
            [self.log_mass(order) - self.partitions.log_masses[self.layers(dag)] for dag, order in self.pairs]
        )
        accepted = np.exp(np.minimum(0.0, (1.0 - self.beta) * (surplus[None] - surplus[:, None])))
        matrix = self.begun @ (walked * accepted) @ (self.begun > 0.0).T
        return matrix + np.diag(1.0 - matrix.sum(axis=1))
