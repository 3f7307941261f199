"""What may be known about orders, alone and beside edges, of the four variables of `helpers.cases`."""

from helpers.evidence import as_pairs

ORDER_EVIDENCE = {
    "one": "A < B",
    "one, last to first": "D < A",
    "two before one": "A < D, B < D",
    "one before two": "C < A, C < D",
    "all others before": "B < A, C < A, D < A",
    "chain of all": "A < B < C < D",
    "another chain of all": "D < B < A < C",
    "beside the edge": "A -> B, A < B",
    "without the edge": "A < B, A !-> B",
    "not adjacent": "B < C, B !-> C, C !-> B",
    "mixed chain": "A -> B < C",
    "follows from edges": "A -> B -> C, A < C",
    "one family": "C < B, D -> B, A !-> B",
    "three families": "D < C, B !-> C, A -> D, C < B",
    "given twice": "B < D, B < D",
}
CONTRADICTIONS = {
    "two ways": ("A < B < A", "the order constraints form a cycle, A < B < A"),
    "three of them": ("A < B < C, C < A", "the order constraints form a cycle, A < B < C < A"),
    "an edge back": ("A < B, B -> A", "the present edges and order constraints form a cycle, B -> A < B"),
    "mixed": ("A -> B < C -> A", "the present edges and order constraints form a cycle, A -> B < C -> A"),
    "edges alone": ("C < D, A -> B -> A", "the present edges form a cycle, A -> B -> A"),
}
EVENTS = [
    "A < B",
    "B < A",
    "D < C",
    "A < B, C -> D",
    "C < D < A",
    "D !-> C, B < D",
    "B -> A, A < C, D !-> A",
    "B < A, A -> B",
    "C -> D",
]


def order_pairs(name, names):
    """Evidence as lists of pairs of indices, for the reference."""
    return as_pairs(ORDER_EVIDENCE[name], names)
