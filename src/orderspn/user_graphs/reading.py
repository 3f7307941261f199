"""One graph of a user's, from any of its forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.models.protocol import is_posterior
from orderspn.queries.edges import Edges
from orderspn.user_graphs.dagitty import read_dagitty
from orderspn.user_graphs.dot import read_dot
from orderspn.user_graphs.files import LARGEST, is_path, read_text
from orderspn.user_graphs.gml import read_gml
from orderspn.user_graphs.objects import read_edges, read_object
from orderspn.user_graphs.partial_graph import PartialGraph

MISSING_VARIABLES = ("error", "isolated")

_COMMENTS = r"(?:\s+|//[^\n]*(?:\n|$)|/\*.*?\*/|\#[^\n]*(?:\n|$))*"
LANGUAGES: dict[str, Callable[[str, str], PartialGraph]] = {
    r"(?:dag|pdag|mag|pag)(?:\s+[^{\s]+)?\s*\{": read_dagitty,
    r"(?:strict\s+)?(?:di)?graph(?:\s+(?:\"[^\"]*\"|[^{\s]+))?\s*\{": read_dot,
    r"(?:(?:Creator|Version|comment)\s[^\n]*\n\s*)*graph\s*\[": read_gml,
}
"""How texts of each language begin, after comments."""


def read_user_graph(name: str, value: Any, variables: Sequence[str], missing: str = "error") -> PartialGraph:
    """Read one graph over these variables; errors call the argument `name`.

    Parameters
    ----------
    name : str
    value : any of the forms of `posterior.judge`
    variables : sequence of str
    missing : {"error", "isolated"}
        What variables that the graph does not name are.

    Examples
    --------
    >>> str(read_user_graph("graph", "dag { A -> B  C <- B }", ["A", "B", "C"]))
    'A -> B, B -> C'
    """
    isolated = check_choice("missing_variables", missing, MISSING_VARIABLES) == "isolated"
    if is_posterior(value):
        raise InvalidType(f"{name} must be one graph; got a posterior. Pass its most_probable_graph().")
    if isinstance(value, str | PathLike):
        read = _read_words(name, value)
    else:
        read = read_object(name, value, variables)
    return read.over(name, variables, isolated)


def _read_words(name: str, value: Any) -> PartialGraph:
    """Read text, or the file that it names."""
    if not isinstance(value, str) or is_path(value):
        return read_graph_text(name, read_text(Path(value)))
    return read_graph_text(name, value)


def read_graph_text(name: str, text: str) -> PartialGraph:
    """Read text in the language that it begins like; it is never taken for the name of a file.

    Examples
    --------
    >>> read_graph_text("graph", "digraph { A -> B }").directed
    (('A', 'B'),)
    """
    if len(text) > LARGEST:
        raise InvalidValue(f"{name} must have at most {LARGEST:,} characters; got {len(text):,}.")
    for beginning, read in LANGUAGES.items():
        if re.match(_COMMENTS + beginning, text, re.DOTALL | re.IGNORECASE):
            return read(name, text)
    if "{" in text or "[" in text:
        raise InvalidValue(
            f"{name} must begin as a graph in DOT ('digraph {{'), DAGitty ('dag {{') or GML ('graph ['), or be edges "
            f"such as 'A -> B, B -- C'; got {text[:40]!r}."
        )
    return read_edges(name, Edges.parse(text))
