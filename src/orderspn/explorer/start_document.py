"""All that a page begins with: names, positions, probabilities before any evidence, and what can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orderspn._version import __version__
from orderspn.explorer.documents import Source, has_orders
from orderspn.explorer.numbers import packed
from orderspn.explorer.positions import positions

if TYPE_CHECKING:
    from orderspn.posterior import Posterior


def start_document(posterior: Posterior, source: Source) -> dict[str, Any]:
    """Return the document that a page begins with."""
    names, settings = posterior.variables, posterior.settings
    matrix = posterior.edge_probabilities(progress=False).to_numpy()
    place = {name: v for v, name in enumerate(names)}
    knowledge = posterior.knowledge
    return {
        "package": __version__,
        "title": source.title,
        "expression": source.expression,
        "names": names,
        "context": [place[name] for name in posterior.context],
        "evidence": str(posterior.evidence),
        "method": settings.get("method", "mixture"),
        "rows": settings.get("rows"),
        "orders": has_orders(posterior),
        "edges": packed(matrix),
        "required": [[place[a], place[b]] for a, b in knowledge.required],
        "forbidden": [[place[a], place[b]] for a, b in knowledge.forbidden],
        "distributions": settings.get("distributions", {}),
        "warnings": list(posterior.warnings),
        **positions(names, matrix),
    }
