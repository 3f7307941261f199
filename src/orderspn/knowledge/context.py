"""Context variables: observed, only ever causes, and never explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.names import check_names, variable_index
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import arrow


def read_context(context: Any, variables: Sequence[str]) -> np.ndarray:
    """Return the indices of the context variables, ascending; None means that there are none."""
    if context is None:
        return np.empty(0, dtype=np.int64)
    names = check_names("context", context)
    chosen = np.array(sorted(variable_index(name, variables) for name in names), dtype=np.int64)
    if chosen.size == len(variables):
        raise InvalidValue(
            f"context must leave at least one variable to explain; got all {len(variables)} variables. Leave out of "
            "context= those whose causes you ask for."
        )
    return chosen


def check_about_context(edges: Edges, context: Sequence[str]) -> None:
    """Raise an error for events about context variables that make no sense: causes of them, and their place in orders.

    That an edge into a context variable is absent is true of every graph, and allowed.
    """
    named = set(context)
    for edge in edges.present:
        if edge[1] in named:
            raise InvalidValue(
                f"{edge[1]!r} is context: it is only ever a cause and has none itself, so {arrow(edge)!r} is "
                f"impossible. Ask about {arrow((edge[1], edge[0]))!r}, or learn again without {edge[1]!r} in context=."
            )
    for one, other in edges.adjacent:
        if one in named and other in named:
            raise InvalidValue(
                f"{one!r} and {other!r} are context: there are no edges between context variables, so they are never "
                "neighbours. Learn again without one of them in context=."
            )
    for ancestor, descendant in edges.ancestors:
        if descendant in named:
            raise InvalidValue(
                f"{descendant!r} is context: it is only ever a cause and has none itself, so "
                f"'{ancestor} ~> {descendant}' is impossible. Ask about '{descendant} ~> {ancestor}', or learn again "
                f"without {descendant!r} in context=."
            )
    for pair in edges.before:
        if named & set(pair):
            name = pair[1] if pair[1] in named else pair[0]
            raise InvalidValue(
                f"{name!r} is context: it comes before all variables that are explained and is not ordered, so "
                f"'{pair[0]} < {pair[1]}' cannot be asked. Leave it out, or learn again without {name!r} in context=."
            )
