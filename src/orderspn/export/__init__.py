"""Results for other tools: networkx, DoWhy, pgmpy, causal-learn, xarray and ArviZ. Importing it loads only networkx."""

from orderspn.export.draws import to_arviz, to_xarray
from orderspn.export.named_graph import to_networkx
from orderspn.export.other_packages import to_causal_learn, to_pgmpy
from orderspn.export.probable_edges import edges_frame, threshold_graph
from orderspn.export.text_formats import to_dot, to_gml

__all__ = [
    "edges_frame",
    "threshold_graph",
    "to_arviz",
    "to_causal_learn",
    "to_dot",
    "to_gml",
    "to_networkx",
    "to_pgmpy",
    "to_xarray",
]


def __dir__() -> list[str]:
    return __all__
