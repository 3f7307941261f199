"""How large a model of orders is, and how much of the posterior it covers."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Coverage:
    """How much of the order mass a posterior covers, before any evidence.

    Attributes
    ----------
    elbo : float
        Evidence lower bound of the weights; at most `log_covered`, and equal to it for weights "elbo".
    log_covered : float
        Log of the summed scores of all (order, graph) pairs covered.
    share : float
        Covered share of the mass of all orders.
    standard_error : float
        Of the share; 0 where it is exact. Where it is estimated, with one order more of either kind than was seen, so
        that it is not 0 at the ends; and a lower bound, since orders of a Markov chain are correlated.
    basis : {"exact", "sampled orders"}
        Whether the mass of all orders was computed, or the share is that of orders sampled by an independent Markov
        chain.
    """

    elbo: float
    log_covered: float
    share: float
    standard_error: float
    basis: str

    def shifted(self, log_scale: float) -> Coverage:
        """The same with all scores multiplied."""
        return replace(self, elbo=self.elbo + log_scale, log_covered=self.log_covered + log_scale)


@dataclass(frozen=True)
class Size:
    """How large a model of orders is.

    Attributes
    ----------
    nodes, edges : int
        As stored: regions with the same sets are one node.
    unfolded_nodes, unfolded_edges : float
        As a tree, in which every node has one parent: the paper's compactness formula counts these. A block counts
        as one node.
    blocks : int
        Exact blocks at the bottom.
    log_number_of_orders : float
        Log of the number of orders covered.
    """

    nodes: int
    edges: int
    unfolded_nodes: float
    unfolded_edges: float
    blocks: int
    log_number_of_orders: float
