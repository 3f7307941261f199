"""Pictures of posteriors. Importing this does not import matplotlib; drawing does."""

from orderspn.plot.diagnostic_figures import calibration as calibration
from orderspn.plot.diagnostic_figures import trace as trace
from orderspn.plot.edges_figure import edges as edges
from orderspn.plot.effects_figure import effects as effects
from orderspn.plot.graph_figure import posterior_graph as posterior_graph

__all__ = ["calibration", "edges", "effects", "posterior_graph", "trace"]


def __dir__() -> list[str]:
    return __all__
