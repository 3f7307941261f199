"""The size of a model of orders, and its coverage of the posterior."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Coverage:
    """The share of the mass of all orders that a posterior covers, before any evidence.

    Attributes
    ----------
    elbo : float
        Evidence lower bound of the weights; at most `log_covered`, and equal to it for weights "elbo".
    log_covered : float
        Log of the summed scores of all (order, graph) pairs covered.
    share : float
        Covered share of the mass of all orders.
    standard_error : float
        Standard error of the share; 0 if it is exact. If the share is estimated, one more covered and one more
        uncovered order are added to the draws, so that the error is not 0 at the ends. It is a lower bound, since the
        orders of a Markov chain are correlated.
    basis : {"exact", "sampled orders"}
        Whether the mass of all orders was computed, or the share estimated from orders of an independent Markov chain.
    """

    elbo: float
    log_covered: float
    share: float
    standard_error: float
    basis: str

    def shifted(self, log_scale: float) -> Coverage:
        """Return the coverage with all scores multiplied by a factor."""
        return replace(self, elbo=self.elbo + log_scale, log_covered=self.log_covered + log_scale)


@dataclass(frozen=True)
class Size:
    """The size of a model of orders.

    Attributes
    ----------
    nodes, edges : int
        Number of stored nodes and edges; regions with the same sets are one node.
    unfolded_nodes, unfolded_edges : float
        Numbers in the unfolded tree, in which every node has one parent, as in the paper's compactness formula. A block
        counts as one node.
    blocks : int
        Number of blocks.
    log_number_of_orders : float
        Log of the number of orders covered.
    """

    nodes: int
    edges: int
    unfolded_nodes: float
    unfolded_edges: float
    blocks: int
    log_number_of_orders: float
