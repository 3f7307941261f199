"""All DAGs of a few variables, each listed once, as a distribution whose every answer is a plain sum."""

import numpy as np

from reference.enumeration import Enumeration


def every_dag(scores):
    """The pairs of an order and a DAG, of which one is left for each DAG: what it counts for is its score."""
    pairs = Enumeration.of(scores)
    _, first = np.unique(pairs.masks, axis=0, return_index=True)
    return Enumeration(pairs.orders[first], pairs.masks[first], pairs.log_weight[first])


def masks_of(adjacency):
    """Graphs (n, d, d) as tuples of the parents of each variable."""
    return list(map(tuple, np.einsum("sij,i->sj", adjacency, 1 << np.arange(adjacency.shape[1])).tolist()))
