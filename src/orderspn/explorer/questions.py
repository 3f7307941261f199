"""What a page may ask: the questions as JSON from the browser, checked before anything is computed."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from orderspn.core.errors import InvalidValue
from orderspn.queries.edges import Edges

MOST_STATEMENTS = 500
"""Most statements of evidence in one question."""

LONGEST_NAME = 1000
LONGEST_GRAPH = 2**20
"""Most characters of a name, and of a graph that a user brings."""

LARGEST = 2**21
"""Most bytes of a question."""

Name: TypeAlias = Annotated[str, Meta(max_length=LONGEST_NAME)]
Relation: TypeAlias = Literal["->", "!->", "--", "!--", "<", "~>", "!~>"]
Statement: TypeAlias = tuple[Name, Relation, Name]
"""A statement about two variables, for instance ("A", "->", "B")."""

Statements: TypeAlias = Annotated[list[Statement], Meta(max_length=MOST_STATEMENTS)]


class Question(Struct, tag_field="question", forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A question of a page, under evidence."""

    given: Statements = []

    @property
    def evidence(self) -> Edges:
        """The evidence as `Edges`."""
        return edges_of(self.given)


class Start(Question, tag="start", frozen=True):
    """All that a page begins with: names, positions, and probabilities without evidence."""


class Layout(Question, tag="layout", frozen=True):
    """New positions, for the probabilities under the evidence."""


class EdgeProbabilities(Question, tag="edges", frozen=True):
    """The probability of every edge, and of the evidence."""


class StandardErrors(Question, tag="errors", frozen=True):
    """The Monte Carlo standard errors of the probabilities of edges."""


class Ancestry(Question, tag="ancestry", frozen=True):
    """The probability of every pair of an ancestor and a descendant."""


class Parents(Question, tag="parents", frozen=True):
    """The most probable parent sets of a variable."""

    variable: Name


class Pair(Question, tag="pair", frozen=True):
    """The effect of one variable on another, and the paths that carry it."""

    cause: Name
    effect: Name


class Whole(Question, tag="whole", frozen=True):
    """The posterior as a whole: summary, warnings and settings."""


class Best(Question, tag="best", frozen=True):
    """The most probable graph."""


class Judge(Question, tag="judge", frozen=True):
    """How a graph that the user brings stands before the posterior."""

    graph: Annotated[str, Meta(max_length=LONGEST_GRAPH)]
    missing_variables: Literal["error", "isolated"] = "isolated"


AnyQuestion: TypeAlias = (
    Start | Layout | EdgeProbabilities | StandardErrors | Ancestry | Parents | Pair | Whole | Best | Judge
)

SLOW = (StandardErrors, Ancestry, Pair, Whole, Judge)
"""Questions that may take seconds: they never hold up the others."""


def read_question(content: bytes) -> AnyQuestion:
    """Read a question from JSON; raise an error that says what is wrong with it.

    Examples
    --------
    >>> read_question(b'{"question": "edges", "given": [["A", "->", "B"]]}').evidence
    Edges('A -> B')
    >>> read_question(b'{"question": "files"}')
    Traceback (most recent call last):
    orderspn.core.errors.InvalidValue: the question cannot be read: Invalid value 'files' - at `$.question`.
    """
    if len(content) > LARGEST:
        raise InvalidValue(f"a question must have at most {LARGEST:,} bytes; got {len(content):,}.")
    try:
        return msgspec.json.decode(content, type=AnyQuestion)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise InvalidValue(f"the question cannot be read: {problem}.") from problem


def edges_of(statements: list[Statement]) -> Edges:
    """Return statements as one conjunction.

    Examples
    --------
    >>> edges_of([("A", "->", "B"), ("B", "!--", "C")])
    Edges('A -> B, B !-> C, C !-> B')
    """
    found: dict[str, list[tuple[str, str]]] = {sign: [] for sign in ("->", "!->", "<", "--", "~>", "!~>")}
    for first, relation, second in statements:
        if relation == "!--":
            found["!->"] += [(first, second), (second, first)]
        else:
            found[relation].append((first, second))
    return Edges(found["->"], found["!->"], found["<"], found["--"], found["~>"], found["!~>"])
