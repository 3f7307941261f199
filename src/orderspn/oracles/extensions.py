"""Random orders of DAGs given as matrices."""

from __future__ import annotations

import numpy as np

from orderspn.gadget.dags import Dag
from orderspn.gadget.random_orders import draw_order
from orderspn.kernels.kernel import kernel


@kernel
def random_extensions(adjacency, rng):
    """Draw an order of each DAG (m, n, n), [cause, effect]: shape (m, n), first to last."""
    count, n, _ = adjacency.shape
    orders = np.empty((count, n), np.int64)
    dag = Dag(np.zeros(n, np.int64), np.empty((n, n), np.int64), np.zeros(n, np.int64))
    for which in range(count):
        for j in range(n):
            dag.n_parents[j] = 0
            for i in range(n):
                if adjacency[which, i, j]:
                    dag.parents[j, dag.n_parents[j]] = i
                    dag.n_parents[j] += 1
        draw_order(dag, rng, orders[which])
    return orders
