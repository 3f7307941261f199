"""The page as a report: one file that answers from draws which it carries, without a server or a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orderspn.core.arguments import check_integer
from orderspn.core.errors import UserError
from orderspn.explorer import documents
from orderspn.explorer.documents import Source
from orderspn.explorer.draws import draws_document
from orderspn.explorer.numbers import number
from orderspn.explorer.page import page
from orderspn.explorer.start_document import start_document

if TYPE_CHECKING:
    from orderspn.core.randomness import RNGLike
    from orderspn.posterior import Posterior

DRAWS = 4000
"""Default number of draws that a report carries."""

MOST_DRAWS = 100_000
"""Most draws of a report: browsers become slow with more."""

MOST_WITH_EFFECTS = 40
"""Most variables for which a report has the effects of all pairs."""

EFFECT_DRAWS = 1000
"""Number of graphs that effects are averaged over."""


def report(posterior: Posterior, title: str, n_samples: object, rng: RNGLike) -> str:
    """Return the page of a posterior with its draws."""
    count = check_integer("n_samples", n_samples, 100, MOST_DRAWS)
    return page(title, report_data(posterior, Source(title, "posterior"), count, rng))


def report_data(posterior: Posterior, source: Source, n_samples: int, rng: RNGLike) -> dict[str, Any]:
    """Return what a page without a server answers from: exact answers before evidence, and draws for all others."""
    start = start_document(posterior, source)
    samples = posterior.sample(n_samples, rng=rng, progress=False)
    return {
        "start": start,
        "draws": draws_document(samples, bool(start["orders"])),
        "parents": {name: documents.parents(posterior, name)["parent_sets"] for name in posterior.explained},
        "ancestry": documents.ancestry(posterior),
        "whole": documents.whole(posterior),
        "best": documents.best(posterior),
        "effects": _effects(posterior),
    }


def _effects(posterior: Posterior) -> list[dict[str, Any]] | None:
    """Return the effects of all pairs before evidence; None if there are too many, or they are not numbers."""
    if len(posterior.variables) > MOST_WITH_EFFECTS:
        return None
    try:
        frame = posterior.effects_frame(n_samples=EFFECT_DRAWS, progress=False)
    except UserError:
        return None
    kept = frame[["cause", "effect", "mean", "low", "high", "positive", "negative", "no_path"]]
    return [
        {str(key): value if isinstance(value, str) else number(value) for key, value in row.items()}
        for row in kept.to_dict("records")
    ]
