"""Tokens of the DOT language of Graphviz and of DAGitty, which are written alike."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from orderspn.core.errors import InvalidValue
from orderspn.display.text import cut

Kind = Literal["name", "arrow", "sign"]


class Token(NamedTuple):
    """A name, an arrow or another sign, whether it was quoted, and the line that it is on."""

    kind: Kind
    text: str
    quoted: bool
    line: int


_PIECE = re.compile(
    r"""(?P<space> \s+ | //[^\n]* | /\*.*?\*/ | \#[^\n]* )
      | "(?P<quoted> (?:[^"\\]|\\.)* )"
      | (?P<arrow> <-> | <-@ | @-> | @-@ | @-- | --@ | <- | -> | -- )
      | (?P<name> -?(?:\.\d+|\d+(?:\.\d*)?)(?![\w.%]) | [\w.%]+ )
      | (?P<sign> [{}\[\];,=:+] )""",
    re.VERBOSE | re.DOTALL,
)


def tokens_of(name: str, text: str) -> list[Token]:
    """Split text into tokens, without comments; errors call the argument `name`.

    Examples
    --------
    >>> [token.text for token in tokens_of("graph", 'digraph { "heart rate" -> B; // why not')]
    ['digraph', '{', 'heart rate', '->', 'B', ';']
    """
    found: list[Token] = []
    position, line = 0, 1
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            rest = cut(text[position:].splitlines()[0], 40)
            raise InvalidValue(
                f"{name} cannot be read at {rest!r} in line {line}. Put names with spaces or punctuation in double "
                "quotes; labels in HTML are not read."
            )
        kind = piece.lastgroup
        if kind == "quoted":
            found.append(Token("name", _unescaped(piece["quoted"]), True, line))
        elif kind == "arrow":
            found.append(Token("arrow", piece["arrow"], False, line))
        elif kind == "name":
            found.append(Token("name", piece["name"], False, line))
        elif kind == "sign":
            found.append(Token("sign", piece["sign"], False, line))
        line += piece[0].count("\n")
        position = piece.end()
    return found


def _unescaped(text: str) -> str:
    """Undo escapes: quotes, backslashes, and a line that goes on after a backslash; others are kept."""
    return re.sub(r'\\(\n|["\\])', lambda found: "" if found[1] == "\n" else found[1], text)
