"""Files with a graph: which texts are paths, and their content, of bounded size."""

from __future__ import annotations

from pathlib import Path

from orderspn.core.errors import UnreadableFile
from orderspn.core.file_kinds import seems_to_be

ENDINGS = (".dot", ".gv", ".gml", ".dagitty", ".txt")
LARGEST = 4 * 2**20
"""Most bytes of a file, and most characters of a text."""


def is_path(text: str) -> bool:
    """Whether a text is the path of a file with a graph rather than a graph.

    Examples
    --------
    >>> is_path("models/mine.dot"), is_path("A -> B.dot"), is_path("digraph { a.dot }")
    (True, False, False)
    """
    return text.lower().endswith(ENDINGS) and not any(sign in text for sign in ("->", "--", "{", "\n"))


def read_text(path: Path) -> str:
    """Read a file of UTF-8 text; raise an error that names it if it cannot be, or is too large."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as problem:
        raise UnreadableFile(f"cannot read {str(path)!r}: {problem.strerror or problem}.") from None
    if len(content) > LARGEST:
        raise UnreadableFile(f"{str(path)!r} is too large for a graph: more than {LARGEST // 2**20} MiB.")
    other = seems_to_be(content)
    if other is not None:
        raise UnreadableFile(f"{str(path)!r} must be a graph in DOT, GML or DAGitty; it seems to be {other}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile(f"{str(path)!r} is not a text in UTF-8. Save it with that encoding.") from None
