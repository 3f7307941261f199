"""How near circuits come to the exact posterior, on data sets where that is known.

    python -m benchmarks.circuit_quality            # 10 data sets of 16 variables, as in the paper

Covered share of the order mass, and largest and mean error of the edge probabilities, for each structure and each
rule for weights; mean (and worst) over data sets.
"""

from __future__ import annotations

import argparse

import numpy as np

import orderspn as osp
from benchmarks.data import linear_gaussian

STRUCTURES = {
    "regular, K=[64,16,6,2]": osp.methods.Trust(expansion=[64, 16, 6, 2], block_size=1),
    "128 partitions, blocks of 8": osp.methods.Trust(expansion=[128], block_size=8),
    "64 partitions, blocks of 8": osp.methods.Trust(expansion=[64], block_size=8),
    "64 x 4 partitions, blocks of 4": osp.methods.Trust(expansion=[64, 4], block_size=4),
    "random, K=[64,16,6,2]": osp.methods.Trust(expansion=[64, 16, 6, 2], block_size=1, oracle="random"),
}
WEIGHTS = ("elbo", "sampled", "uniform")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10)
    parser.add_argument("--d", type=int, default=16)
    arguments = parser.parse_args()
    results: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for seed in range(arguments.datasets):
        values = linear_gaussian(arguments.d, 100, seed)
        exact = osp.learn(values, method="exact", standardize=False).edge_probabilities().to_numpy()
        for name, circuit in STRUCTURES.items():
            for weights in WEIGHTS:
                posterior = osp.learn(
                    values, method=circuit.with_settings(weights=weights), rng=seed, standardize=False
                )
                error = np.abs(posterior.edge_probabilities().to_numpy() - exact)
                row = (posterior.coverage().share, float(error.max()), float(error.sum() / (error.size - len(error))))
                results.setdefault((name, weights), []).append(row)
    print(table(results))


def table(results: dict[tuple[str, str], list[tuple[float, float, float]]]) -> str:
    lines = [
        "| structure | weights | covered share | largest edge error | mean edge error |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for (name, weights), rows in results.items():
        share, largest, mean = np.array(rows).T
        lines.append(
            f"| {name} | {weights} | {share.mean():.3f} ({share.min():.3f}-{share.max():.3f}) "
            f"| {largest.mean():.3f} (worst {largest.max():.3f}) | {mean.mean():.4f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
