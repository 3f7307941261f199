"""Weights of the partitions of sum nodes.

- `elbo`: the optimum of the evidence lower bound, in closed form. The optimal weights of a sum node are proportional to
  the masses of its partitions, and its mass is their sum.
- `gradient`: the same optimum by gradient ascent, as in the paper.
- `sampled`: weights proportional to the number of times that each partition was drawn: an unbiased estimate if the
  draws come from the posterior. Nodes with *all* their partitions have weights proportional to the covered masses. That
  is the conditional posterior if everything below them is complete too; otherwise it has a slight bias towards what is
  covered, and less variance.
- `uniform`: equal weights for all partitions of a node.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orderspn.circuit.gradient import gradient_log_weights
from orderspn.circuit.passes import log_shares, upward_mean, upward_sum
from orderspn.circuit.structure import Structure

ENUMERATED = 0
"""Multiplicity of the partitions of a node that has all of them."""


def elbo_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Return the log weights that maximise the evidence lower bound."""
    free = np.zeros(structure.n_partitions)
    return log_shares(structure, free, upward_sum(structure, free, log_block_masses))


def gradient_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Return the same log weights by gradient ascent."""
    return gradient_log_weights(structure, log_block_masses).log_weights


def sampled_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Return the logs of weights proportional to the number of draws of each partition."""
    by_mass = elbo_weights(structure, log_block_masses)
    counts = np.where(np.isneginf(by_mass), 0, structure.multiplicity)
    return np.where(structure.multiplicity == ENUMERATED, by_mass, _log_normalised(structure, counts))


def uniform_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Return the logs of equal weights for the possible partitions of each node."""
    by_mass = elbo_weights(structure, log_block_masses)
    return _log_normalised(structure, np.where(np.isneginf(by_mass), 0, 1))


WEIGHTS: dict[str, Callable[[Structure, np.ndarray], np.ndarray]] = {
    "elbo": elbo_weights,
    "gradient": gradient_weights,
    "sampled": sampled_weights,
    "uniform": uniform_weights,
}


def evidence_lower_bound(structure: Structure, log_weights: np.ndarray, log_block_masses: np.ndarray) -> float:
    """Return `E_q[log p(order, graph)] + H(q)`, with p not normalised; at most the log of the covered mass."""
    return float(upward_mean(structure, log_weights, log_block_masses)[0])


def _log_normalised(structure: Structure, counts: np.ndarray) -> np.ndarray:
    totals = np.bincount(structure.owner, weights=counts, minlength=structure.n_regions)[structure.owner]
    shares = np.divide(counts, totals, out=np.zeros(counts.size), where=totals > 0)
    with np.errstate(divide="ignore"):
        return np.log(shares)
