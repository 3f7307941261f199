"""Data of known origin: random graphs, and linear Gaussian networks to draw rows from."""

from orderspn.simulate.files import NETWORKS, load_network
from orderspn.simulate.network import LinearGaussianNetwork
from orderspn.simulate.random_graphs import erdos_renyi, scale_free
from orderspn.simulate.simulation import Simulation, linear_gaussian

__all__ = [
    "NETWORKS",
    "LinearGaussianNetwork",
    "Simulation",
    "erdos_renyi",
    "linear_gaussian",
    "load_network",
    "scale_free",
]
