"""What a graph claims, pair by pair: its edges and its gaps, each with the posterior probability of the claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.user_graphs.partial_graph import PartialGraph

if TYPE_CHECKING:
    import pandas as pd

AGREES = "agrees"
REVERSED, NO_EDGE, OPEN, EDGE = "reversed", "no edge", "direction open", "edge"
EVEN = 0.5
LITTLE = 0.1
"""A direction that is less probable is contradicted; one that is as probable is open."""


def edge_claims(graph: PartialGraph, probabilities: np.ndarray, errors: np.ndarray) -> pd.DataFrame:
    """Return the edges of a graph, the least probable first.

    Parameters
    ----------
    graph : PartialGraph
    probabilities, errors : numpy.ndarray
        Of each edge, and their standard errors, (d, d), [cause, effect].

    Returns
    -------
    pandas.DataFrame
        Columns `cause`, `effect`, `directed`, `probability` of the edge as it is in the graph, its `standard_error`,
        `reversed` (probability of the other direction; NaN for an undirected edge), `no_edge`, and `finding`: "no edge"
        if that is more probable than not; else "reversed" if the edge has a probability below 0.1, "direction open" if
        both directions have more, and "agrees".
    """
    import pandas as pd

    place = {name: v for v, name in enumerate(graph.variables)}
    rows = []
    for (cause, effect), directed in [*((e, True) for e in graph.directed), *((e, False) for e in graph.undirected)]:
        a, b = place[cause], place[effect]
        there, back = float(probabilities[a, b]), float(probabilities[b, a])
        none = max(0.0, 1.0 - there - back)
        if directed:
            finding = _finding(there, back, none)
            rows.append((cause, effect, True, there, float(errors[a, b]), back, none, finding))
        else:
            error = float(errors[a, b] + errors[b, a])  # at most
            finding = AGREES if there + back >= EVEN else NO_EDGE
            rows.append((cause, effect, False, min(1.0, there + back), error, np.nan, none, finding))
    columns = ["cause", "effect", "directed", "probability", "standard_error", "reversed", "no_edge", "finding"]
    return _worst_first(pd.DataFrame(rows, columns=columns))


def gap_claims(graph: PartialGraph, probabilities: np.ndarray, errors: np.ndarray) -> pd.DataFrame:
    """Return the pairs of variables without an edge, the least probable gap first.

    Returns
    -------
    pandas.DataFrame
        Columns `first`, `second`, `probability` that there is no edge between them, its `standard_error`, `forward` and
        `backward` (probabilities of the edge from the first to the second, and back), `finding`: "agrees" or "edge".
    """
    import pandas as pd

    joined = graph.arrows | graph.arrows.T | graph.lines
    rows = []
    for a, b in np.argwhere(np.triu(~joined, k=1)):
        there, back = float(probabilities[a, b]), float(probabilities[b, a])
        none = max(0.0, 1.0 - there - back)
        error = float(errors[a, b] + errors[b, a])  # at most
        finding = AGREES if none >= EVEN else EDGE
        rows.append((graph.variables[a], graph.variables[b], none, error, there, back, finding))
    columns = ["first", "second", "probability", "standard_error", "forward", "backward", "finding"]
    return _worst_first(pd.DataFrame(rows, columns=columns))


def _finding(there: float, back: float, none: float) -> str:
    if none >= EVEN:
        return NO_EDGE
    if there < LITTLE:
        return REVERSED
    return AGREES if back < LITTLE else OPEN


def _worst_first(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values("probability", kind="stable", ignore_index=True)
