"""Data of known origin: random graphs, and linear Gaussian networks to draw rows from."""

from orderspn.simulate.network import NETWORKS, LinearGaussianNetwork, load_network
from orderspn.simulate.simulation import Simulation, erdos_renyi, linear_gaussian, scale_free

__all__ = [
    "NETWORKS",
    "LinearGaussianNetwork",
    "Simulation",
    "erdos_renyi",
    "linear_gaussian",
    "load_network",
    "scale_free",
]


def __dir__() -> list[str]:
    return __all__
