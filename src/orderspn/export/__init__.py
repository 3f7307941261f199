"""Results for other tools: networkx, DoWhy, pgmpy, causal-learn, xarray, ArviZ. Of these only networkx is loaded."""

from orderspn.export.causal_learn import to_causal_learn
from orderspn.export.consensus import consensus_graph, edges_frame
from orderspn.export.dot import to_dot
from orderspn.export.draws import to_arviz, to_xarray
from orderspn.export.gml import to_gml
from orderspn.export.named_graph import to_networkx
from orderspn.export.pgmpy import to_pgmpy

__all__ = [
    "consensus_graph",
    "edges_frame",
    "to_arviz",
    "to_causal_learn",
    "to_dot",
    "to_gml",
    "to_networkx",
    "to_pgmpy",
    "to_xarray",
]
