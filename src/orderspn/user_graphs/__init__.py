"""Graphs as users bring them: text, files, and objects of other packages, read as one kind of graph."""

from orderspn.user_graphs.partial_graph import PartialGraph as PartialGraph
from orderspn.user_graphs.reading import read_graph_text as read_graph_text
from orderspn.user_graphs.reading import read_user_graph as read_user_graph
