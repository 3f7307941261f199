"""Weights of the partitions of sum nodes.

- `elbo`: the optimum of the evidence lower bound, in closed form: a sum node is best served by weights proportional
  to the masses of its partitions, and is then worth their sum.
- `gradient`: the same optimum by gradient ascent, the paper's way.
- `sampled`: equal weights on sampled partitions, counted as often as they were drawn: an unbiased estimate where the
  draws come from the posterior. Nodes of which *all* partitions are present are weighed by the masses covered: the
  conditional posterior itself where everything below them is complete too, otherwise a slight bias towards what is
  covered, for less variance.
- `uniform`: all partitions of a node alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orderspn.circuit.gradient import gradient_log_weights
from orderspn.circuit.passes import log_shares, upward_mean, upward_sum
from orderspn.circuit.structure import Structure

ENUMERATED = 0
"""Multiplicity of the partitions of a node that has all there are."""


def elbo_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Log weights that maximise the evidence lower bound."""
    free = np.zeros(structure.n_partitions)
    return log_shares(structure, free, upward_sum(structure, free, log_block_masses))


def gradient_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """The same by gradient ascent."""
    return gradient_log_weights(structure, log_block_masses).log_weights


def sampled_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Log weights proportional to how often each partition was drawn."""
    by_mass = elbo_weights(structure, log_block_masses)
    counts = np.where(np.isneginf(by_mass), 0, structure.multiplicity)
    return np.where(structure.multiplicity == ENUMERATED, by_mass, _log_normalised(structure, counts))


def uniform_weights(structure: Structure, log_block_masses: np.ndarray) -> np.ndarray:
    """Equal weights for the possible partitions of a node."""
    by_mass = elbo_weights(structure, log_block_masses)
    return _log_normalised(structure, np.where(np.isneginf(by_mass), 0, 1))


WEIGHTS: dict[str, Callable[[Structure, np.ndarray], np.ndarray]] = {
    "elbo": elbo_weights,
    "gradient": gradient_weights,
    "sampled": sampled_weights,
    "uniform": uniform_weights,
}


def evidence_lower_bound(structure: Structure, log_weights: np.ndarray, log_block_masses: np.ndarray) -> float:
    """`E_q[log p(order, graph)] + H(q)`, with p not normalised; never more than the log of the mass covered."""
    return float(upward_mean(structure, log_weights, log_block_masses)[0])


def _log_normalised(structure: Structure, counts: np.ndarray) -> np.ndarray:
    totals = np.bincount(structure.owner, weights=counts, minlength=structure.n_regions)[structure.owner]
    shares = np.divide(counts, totals, out=np.zeros(counts.size), where=totals > 0)
    with np.errstate(divide="ignore"):
        return np.log(shares)
