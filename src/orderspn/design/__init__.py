"""Which experiment next? The value of interventions and observations, before they are made."""

from orderspn.design.batches import batch as batch
from orderspn.design.campaigns import Campaign as Campaign
from orderspn.design.campaigns import simulate_campaign as simulate_campaign
from orderspn.design.experiments import experiments as experiments

__all__ = ["Campaign", "batch", "experiments", "simulate_campaign"]


def __dir__() -> list[str]:
    return sorted(__all__)
