"""Data of known origin: random graphs, networks to draw rows from (linear, curved, mixed), and time series."""

from orderspn.simulate.autoregression import SeriesSimulation, vector_autoregression
from orderspn.simulate.functions import FunctionSimulation, mixed, nonlinear
from orderspn.simulate.network import NETWORKS, LinearGaussianNetwork, load_network
from orderspn.simulate.simulation import Simulation, erdos_renyi, linear_gaussian, scale_free

__all__ = [
    "NETWORKS",
    "FunctionSimulation",
    "LinearGaussianNetwork",
    "SeriesSimulation",
    "Simulation",
    "erdos_renyi",
    "linear_gaussian",
    "load_network",
    "mixed",
    "nonlinear",
    "scale_free",
    "vector_autoregression",
]


def __dir__() -> list[str]:
    return __all__
