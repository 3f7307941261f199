"""How many true parents a model has room for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.matrices import read_graph


def parents_kept(candidates: Any, truth: Any) -> float:
    """Share of the true parents that are among the candidates.

    Parameters
    ----------
    candidates : Posterior or mapping
        A posterior, or the candidate causes of each variable.
    truth : graph
        With names: a DataFrame, a networkx.DiGraph, a network or a simulation.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx
    >>> import orderspn as osp
    >>> osp.metrics.parents_kept({"A": [], "B": ["A"], "C": ["A"]}, nx.DiGraph(["AB", "BC"]))
    0.5
    """
    if not isinstance(candidates, Mapping):
        candidates = getattr(candidates, "candidates", None)
    if not isinstance(candidates, Mapping):
        raise InvalidType("candidates must be a posterior, or a mapping {variable: [causes]}.")
    graph = read_graph("truth", truth)
    if graph.variables is None:
        raise InvalidType("truth must have names of variables: pass a DataFrame, a networkx.DiGraph or a network.")
    names = graph.variables
    unknown = [name for name in names if name not in candidates]
    if unknown:
        raise InvalidValue(
            f"candidates must name the causes of every variable of the truth; {unknown[0]!r} is missing."
        )
    kept = [names[cause] in candidates[names[effect]] for cause, effect in zip(*graph.values.nonzero(), strict=True)]
    if not kept:
        raise InvalidValue("truth must have at least one edge.")
    return sum(kept) / len(kept)
