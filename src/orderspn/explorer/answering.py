"""From questions of a page to answers: documents that JSON can hold, the same for a server and a notebook."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from orderspn.core.errors import ImpossibleEvidence, Unavailable, UserError
from orderspn.explorer import documents
from orderspn.explorer.memo import Memo
from orderspn.explorer.pair_document import pair_document
from orderspn.explorer.questions import (
    Ancestry,
    AnyQuestion,
    Best,
    EdgeProbabilities,
    Judge,
    Layout,
    Pair,
    Parents,
    StandardErrors,
    Start,
    Whole,
    read_question,
)
from orderspn.explorer.start_document import start_document
from orderspn.queries.edges import Edges

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

POSTERIORS, ANSWERS = 8, 64
"""How many posteriors under evidence, and how many answers, are kept at most."""

logger = logging.getLogger(__name__)

KINDS: Mapping[type[UserError], str] = {ImpossibleEvidence: "impossible", Unavailable: "unavailable"}
"""Kinds of errors that a page tells from others."""


FAULT = "a fault of orderspn itself, which its log describes. Please report it."
"""What a page is told about an error that no user can cause."""


class Answering:
    """Answers the questions of pages about one posterior, in any number of threads."""

    def __init__(self, posterior: Posterior, source: documents.Source) -> None:
        self._posterior = posterior
        self._source = source
        self._under: Memo = Memo(POSTERIORS)
        self._answers: Memo = Memo(ANSWERS)
        self._under_way: set[object] = set()

    @property
    def is_busy(self) -> bool:
        """Whether an answer is being computed, in a thread that nobody can end."""
        return bool(self._under_way)

    def answer_text(self, content: bytes) -> dict[str, Any]:
        """Answer a question in JSON; mistakes become a document with `error`."""
        try:
            question = read_question(content)
        except UserError as problem:
            return error_document(problem)
        return self.answer(question)

    def answer(self, question: AnyQuestion) -> dict[str, Any]:
        """Answer a question, or say in `error` why it has no answer; `seconds` is what the answer took to compute."""
        try:
            found: dict[str, Any] = self._answers.get(repr(question), lambda: self._timed(question))
        except UserError as problem:
            return error_document(problem)
        except MemoryError:
            return error_document(UserError("there is not enough free memory for this answer."))
        except Exception:  # a page that gets no answer would wait for ever; what went wrong inside is not its business
            logger.exception("no answer to %s", type(question).__name__)
            return {"error": {"kind": "fault", "message": FAULT}}
        return found

    def _timed(self, question: AnyQuestion) -> dict[str, Any]:
        begin, own = time.perf_counter(), object()
        self._under_way.add(own)
        try:
            found = self._documents[type(question)](question)
        finally:
            self._under_way.discard(own)
        return {**found, "seconds": time.perf_counter() - begin}

    def under(self, evidence: Edges) -> Posterior:
        """Return the posterior under evidence."""
        found: Posterior = self._under.get(str(evidence), lambda: self._posterior.given(evidence))
        return found

    @property
    def _documents(self) -> Mapping[type, Callable[[Any], dict[str, Any]]]:
        return {
            Start: lambda _: start_document(self._posterior, self._source),
            Layout: lambda q: documents.layout(self.under(q.evidence)),
            EdgeProbabilities: lambda q: documents.edges(self._posterior, self.under(q.evidence), q.evidence),
            StandardErrors: lambda q: documents.standard_errors(self.under(q.evidence)),
            Ancestry: lambda q: documents.ancestry(self.under(q.evidence)),
            Parents: lambda q: documents.parents(self.under(q.evidence), q.variable),
            Pair: lambda q: pair_document(self.under(q.evidence), q.cause, q.effect),
            Whole: lambda q: documents.whole(self.under(q.evidence)),
            Best: lambda q: documents.best(self.under(q.evidence)),
            Judge: lambda q: documents.judgement(self.under(q.evidence), q.graph, q.missing_variables),
        }


def error_document(problem: UserError) -> dict[str, Any]:
    """Return an error as a document: its kind, and the message as everywhere else."""
    kind = next((name for kind, name in KINDS.items() if isinstance(problem, kind)), "invalid")
    return {"error": {"kind": kind, "message": str(problem)}}
