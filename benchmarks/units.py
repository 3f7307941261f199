"""What standardized columns do for BGe: raw and standardized data of the paper's kind, beside the true graph.

    python -m benchmarks.units                      # 24 data sets of 14 variables with 100 rows

AUROC and Brier score (summed over pairs) of the exact edge probabilities, and their calibration: among edges with
probabilities in a range, the mean probability and the share that is true.
"""

from __future__ import annotations

import argparse

import numpy as np

import orderspn as osp
from orderspn.scores.choosing import Standardize

RANGES = ((0.05, 0.3), (0.3, 0.8), (0.8, 0.95))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=24)
    parser.add_argument("--d", type=int, default=14)
    parser.add_argument("--rows", type=int, default=100)
    arguments = parser.parse_args()
    how: dict[str, Standardize] = {"raw": False, "default": "auto"}
    print(table({name: measured(arguments, standardize) for name, standardize in how.items()}))


def measured(arguments: argparse.Namespace, standardize: Standardize) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Return edge probabilities and truths (datasets, d(d - 1)), and the AUROC of each data set."""
    found, truths, ranking = [], [], []
    off = ~np.eye(arguments.d, dtype=bool)
    for seed in range(arguments.datasets):
        simulation = osp.simulate.linear_gaussian(arguments.d, n_rows=arguments.rows, rng=seed)
        edges = osp.learn(simulation.data, method="exact", standardize=standardize).edge_probabilities()
        ranking.append(osp.metrics.auroc(edges, simulation.network))
        found.append(edges.to_numpy()[off])
        truths.append(simulation.network.adjacency[off])
    return np.array(found), np.array(truths), ranking


def table(results: dict[str, tuple[np.ndarray, np.ndarray, list[float]]]) -> str:
    ranges = [f"{low} to {high}: mean, true" for low, high in RANGES]
    lines = [
        f"| columns | AUROC | Brier score | {' | '.join(ranges)} |",
        f"| --- |{' ---: |' * (2 + len(ranges))}",
    ]
    for name, (found, truths, ranking) in results.items():
        brier = ((found - truths) ** 2).sum(axis=1).mean()
        cells = []
        for low, high in RANGES:
            inside = (found > low) & (found <= high)
            cells.append(f"{found[inside].mean():.2f}, {truths[inside].mean():.2f}")
        lines.append(f"| {name} | {np.mean(ranking):.3f} | {brier:.1f} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
