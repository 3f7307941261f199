"""What was known before: edges that a posterior was told to have or not to have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

Edge = tuple[str, str]


class KnownEdges(NamedTuple):
    """Edges that were named as required or as forbidden."""

    required: frozenset[Edge] = frozenset()
    forbidden: frozenset[Edge] = frozenset()


def known_edges(posterior: Posterior) -> KnownEdges:
    """The edges that evidence or background knowledge names; what follows from them is not among them."""
    evidence, knowledge = posterior.evidence, posterior.knowledge
    return KnownEdges(
        frozenset(evidence.present) | frozenset(knowledge.required),
        frozenset(evidence.absent) | frozenset(knowledge.forbidden),
    )
