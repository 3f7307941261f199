"""Draws of a report read slowly: bit by bit, and statements graph by graph."""

import networkx as nx
import numpy as np

from helpers.exploring import inflated


def graphs_of(document, d):
    """Adjacency (n, d, d) of the draws of a document."""
    n, width = document["n"], -(-document["n"] // 8)
    bits = inflated(document["bits"], np.uint8, (len(document["pairs"]), width))
    found = np.zeros((n, d, d), dtype=bool)
    for row, pair in zip(bits, document["pairs"], strict=True):
        for k in range(n):
            found[k, pair // d, pair % d] = bool(int(row[k // 8]) >> (k % 8) & 1)
    return found


def places_of(document, d):
    """Place of each variable in the order of each draw, (n, d)."""
    return inflated(document["places"], "<u2", (document["n"], d))


def satisfying(document, names, given):
    """Which draws satisfy statements: one graph after the other."""
    graphs, d = graphs_of(document, len(names)), len(names)
    places = None if document["places"] is None else places_of(document, d)
    return np.array(
        [_holds(graphs[k], None if places is None else places[k], names, given) for k in range(len(graphs))]
    )


def _holds(graph, places, names, given):
    reached = nx.transitive_closure(nx.from_numpy_array(graph, create_using=nx.DiGraph), reflexive=False)
    for first, relation, second in given:
        a, b = names.index(first), names.index(second)
        truth = {
            "->": lambda a, b: graph[a, b],
            "!->": lambda a, b: not graph[a, b],
            "--": lambda a, b: graph[a, b] or graph[b, a],
            "!--": lambda a, b: not (graph[a, b] or graph[b, a]),
            "<": lambda a, b: places[a] < places[b],
            "~>": reached.has_edge,
            "!~>": lambda a, b: not reached.has_edge(a, b),
        }[relation](a, b)
        if not truth:
            return False
    return True


def edge_shares(document, names, given):
    """Shares of edges among the draws that satisfy statements, and their number."""
    left = satisfying(document, names, given)
    return graphs_of(document, len(names))[left].mean(axis=0), int(left.sum())
