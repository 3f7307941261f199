"""Compare estimated coverages with exact ones, for searches of several lengths, and print a table.

python -m benchmarks.coverage_effort

21 variables are the fewest for which coverage is estimated, and all their orders can still be summed. The root mean
squared error over seeds is compared with that of 1000 independent orders. This is what `short_effort` of
`circuit/coverage.py` relies on.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace

import numpy as np

import orderspn as osp
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.coverage import covers, short_effort
from orderspn.core.deadline import Deadline
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.context import root_block
from orderspn.leaves.tables import LeafTables
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.order_scores import all_order_scores
from orderspn.search.scored_orders import ScoredOrders

D, N_ORDERS, SEEDS = 21, 1000, 8
EFFORTS = {
    "as long as learning": Effort.usual(D),
    "a quarter of both": replace(Effort.usual(D), burn_in=500, thin=10),
    "short_effort": short_effort(D),
}


def main() -> None:
    warnings.simplefilter("ignore")  # circuits of few orders vary
    print("| rows | exact share | search | CPU-s | mean | RMS error | error of independent orders |")
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: |")
    for seed, n_rows in enumerate((100, 1000, 300), start=1):
        data = osp.simulate.linear_gaussian(D, n_rows, rng=seed).data
        posterior = osp.learn(data, method=osp.methods.Trust(n_orders=2000), candidates=10)
        orders = posterior.model.orders  # type: ignore[attr-defined]
        log_all = ExactOrders.over_all(orders.families, orders.workers).log_mass
        exact = math.exp(orders.circuit.log_covered - log_all)
        for name, effort in EFFORTS.items():
            start = time.process_time()
            found = np.array([estimate(orders, effort, number) for number in range(SEEDS)])
            seconds = (time.process_time() - start) / SEEDS
            error = math.sqrt(np.mean((found - exact) ** 2))
            independent = math.sqrt(exact * (1 - exact) / N_ORDERS)
            print(
                f"| {n_rows} | {exact:.4f} | {name} | {seconds:.2f} | {found.mean():.4f} | {error:.4f} "
                f"| {independent:.4f} |",
                flush=True,
            )


def estimate(orders: CircuitOrders, effort: Effort, seed: int) -> float:
    """Return the share of sampled orders that a circuit covers."""
    order_scores = all_order_scores(LeafTables.of(orders.families, orders.workers))
    ensemble = Ensemble.started(ScoredOrders.known(order_scores), effort, np.random.SeedSequence(seed), orders.workers)
    ensemble.burn_in("search", Deadline())
    drawn = root_block(orders.families)[1][ensemble.sample(N_ORDERS, "orders", Deadline()).all_states]
    return float(covers(orders.circuit.structure, drawn).mean())


if __name__ == "__main__":
    main()
