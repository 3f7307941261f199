"""Data of known origin: random graphs, linear Gaussian networks to draw rows from, and time series."""

from orderspn.simulate.autoregression import SeriesSimulation, vector_autoregression
from orderspn.simulate.network import NETWORKS, LinearGaussianNetwork, load_network
from orderspn.simulate.simulation import Simulation, erdos_renyi, linear_gaussian, scale_free

__all__ = [
    "NETWORKS",
    "LinearGaussianNetwork",
    "SeriesSimulation",
    "Simulation",
    "erdos_renyi",
    "linear_gaussian",
    "load_network",
    "scale_free",
    "vector_autoregression",
]


def __dir__() -> list[str]:
    return __all__
