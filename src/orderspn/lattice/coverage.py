"""How much of the posterior over orders a model covers."""

from __future__ import annotations

from dataclasses import dataclass


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
        Of the share; 0 where it is exact. Orders of one Markov chain are correlated, so that it is a lower bound
        where the share is estimated.
    basis : {"exact", "sampled orders"}
        Whether the mass of all orders was computed, or the share is that of orders sampled by an independent Markov
        chain.
    """

    elbo: float
    log_covered: float
    share: float
    standard_error: float
    basis: str
