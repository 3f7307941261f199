"""Pictures of posteriors. Importing this does not import matplotlib; drawing does."""

from orderspn.plot.calibration_figure import calibration as calibration
from orderspn.plot.comparison_figure import comparison as comparison
from orderspn.plot.curve_figure import effect_curve as effect_curve
from orderspn.plot.edges_figure import edges as edges
from orderspn.plot.effect_figure import effect as effect
from orderspn.plot.effects_figure import effects as effects
from orderspn.plot.experiments_figure import experiments as experiments
from orderspn.plot.graph_figure import posterior_graph as posterior_graph
from orderspn.plot.judgement_figure import judgement as judgement
from orderspn.plot.time_figure import time_graph as time_graph
from orderspn.plot.trace_figure import trace as trace

__all__ = [
    "calibration",
    "comparison",
    "edges",
    "effect",
    "effect_curve",
    "effects",
    "experiments",
    "judgement",
    "posterior_graph",
    "time_graph",
    "trace",
]


def __dir__() -> list[str]:
    return __all__
