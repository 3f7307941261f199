"""Pictures of posteriors. Importing this does not import matplotlib; drawing does."""

from orderspn.plot.graph_figure import posterior_graph as posterior_graph
from orderspn.plot.trace_figure import trace as trace

__all__ = ["posterior_graph", "trace"]
