"""Directed paths by Warshall's algorithm, one graph after the other, and events about them."""

import numpy as np


def closure(graph):
    """Which variables (d, d), bool, are reached from which along the edges of one graph."""
    reached = np.array(graph, dtype=bool)
    for between in range(len(reached)):
        reached |= np.outer(reached[:, between], reached[between])
    return reached


def closures(graphs):
    return np.array([closure(graph) for graph in graphs])


class Relations:
    """All (order, graph) pairs of an enumeration with their probabilities, and the paths in each graph."""

    def __init__(self, brute):
        self.p, self.graphs, self.reached = brute.p, brute.adjacency, closures(brute.adjacency)
        self.places = np.argsort(brute.orders, axis=1)

    def holds(self, text, names):
        """Which pairs satisfy `"A ~> B, C !-> D"`, with all words apart."""
        keep = np.ones(len(self.p), dtype=bool)
        for statement in filter(None, (part.split() for part in text.split(","))):
            for left, sign, right in zip(statement[:-2:2], statement[1::2], statement[2::2], strict=True):
                a, b = names.index(left), names.index(right)
                keep &= {
                    "->": self.graphs[:, a, b],
                    "!->": ~self.graphs[:, a, b],
                    "--": self.graphs[:, a, b] | self.graphs[:, b, a],
                    "~>": self.reached[:, a, b],
                    "!~>": ~self.reached[:, a, b],
                    "<": self.places[:, a] < self.places[:, b],
                }[sign]
        return keep

    def probability(self, event, names, given=""):
        among = self.holds(given, names)
        return self.p[among & self.holds(event, names)].sum() / self.p[among].sum()

    def matrix(self, names, given=""):
        p = np.where(self.holds(given, names), self.p, 0.0)
        return np.einsum("p,pij->ij", p / p.sum(), self.reached)

    def edges(self, names, given=""):
        p = np.where(self.holds(given, names), self.p, 0.0)
        return np.einsum("p,pij->ij", p / p.sum(), self.graphs)

    def descendant_sets(self, source, names, given=""):
        among = self.holds(given, names)
        found = {}
        for row, p in zip(self.reached[among, source], self.p[among] / self.p[among].sum(), strict=True):
            key = tuple(name for name, own in zip(names, row, strict=True) if own)
            found[key] = found.get(key, 0.0) + p
        return found
