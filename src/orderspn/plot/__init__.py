"""Pictures of posteriors. Importing this does not import matplotlib; drawing does."""

from orderspn.plot.graph_figure import posterior_graph as posterior_graph

__all__ = ["posterior_graph"]
