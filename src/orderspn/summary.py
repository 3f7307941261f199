"""The summary of a posterior in a few lines, as text and as a table of a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from orderspn.core.names import quoted
from orderspn.display.edges import edges_html
from orderspn.display.html import note, titled
from orderspn.display.summaries import Summary
from orderspn.methods.registry import METHODS, report_of
from orderspn.models.capabilities import MASSES
from orderspn.models.protocol import Lines

if TYPE_CHECKING:
    from orderspn.knowledge.statement import Knowledge
    from orderspn.posterior import Posterior


TARGETS = {"order": "every graph counts once for each of its orders", "dag": "every graph counts once"}

OVER = {"order": "(order, graph)", "dag": "graphs"}
"""What a posterior is a distribution over, by the target."""


QUICK = 15
"""Most variables for which a notebook shows edge probabilities and the summary unasked; they take seconds for more."""

HINT = "posterior.summary() tells more; posterior.edge_probabilities() has the probability of every edge."


def describe(posterior: Posterior) -> Summary:
    """Describe a posterior: its variables, how it was learned, and how certain it is."""
    edges = posterior.edge_probabilities().to_numpy()
    lines = [
        *_method(posterior),
        *posterior.model.lines(),
        *_parent_sets(posterior),
        *_masses(posterior),
        ("expected edges", f"{edges.sum():.3f} ({int((edges > 0.5).sum())} more probable than not)"),
    ]
    return Summary(_title(posterior), [*lines, *_given(posterior), *_warnings(posterior)])


def posterior_html(posterior: Posterior) -> str:
    """Return the summary and the most probable edges as tables; how it was learned, if these would take long."""
    if len(posterior.variables) > QUICK:
        lines = [*_method(posterior), *_parent_sets(posterior), *_given(posterior), *_warnings(posterior)]
        return Summary(_title(posterior), lines).as_html() + note(HINT)
    edges = edges_html(posterior.edge_probabilities().to_numpy(), posterior.variables, "probability")
    return describe(posterior).as_html() + titled("Most probable edges", edges)


def _title(posterior: Posterior) -> str:
    rows = _rows(posterior.settings)
    return f"Posterior over causal graphs of {len(posterior.variables)} variables, learned from {rows}"


def _context(posterior: Posterior) -> Lines:
    """Return how many variables are context, and the names of the first."""
    if not posterior.context:
        return []
    explained = f"{len(posterior.explained)} are explained"
    return [
        ("context variables", f"{len(posterior.context)}, only ever causes: {quoted(posterior.context)}; {explained}")
    ]


def _method(posterior: Posterior) -> Lines:
    """Return the lines about the method."""
    settings = posterior.settings
    return [("method", f"{settings['method']}, {TARGETS[posterior.model.target]}"), *_how_made(settings)]


def _parent_sets(posterior: Posterior) -> Lines:
    """Return the lines about parent sets: their scores, and which there are."""
    settings = posterior.settings
    return [
        *_context(posterior),
        ("score", f"{_score(settings['score'])}, {settings['prior']} prior"),
        ("candidate parents", f"{_candidates(posterior)}, at most {posterior.model.score.most_parents} at once"),
        *_known(posterior.knowledge),
        *_left_out(settings),
    ]


def _warnings(posterior: Posterior) -> Lines:
    """Return the warnings of learning."""
    return [("warning", message) for message in posterior.warnings]


def _given(posterior: Posterior) -> Lines:
    """Return the evidence."""
    return [("given", str(posterior.evidence))] if posterior.evidence else []


def _rows(settings: Mapping[str, Any]) -> str:
    """Return the number of rows, and whether they were standardized or under interventions."""
    about = ["standardized"] if settings["standardized"] else []
    if settings.get("interventions"):
        about.append(f"{settings['interventions']} under interventions")
    return f"{settings['rows']} rows" + (f" ({', '.join(about)})" if about else "")


def _known(knowledge: Knowledge) -> Lines:
    """Return the amount of background knowledge."""
    counts = {
        ("required edge", "required edges"): knowledge.required,
        ("forbidden edge", "forbidden edges"): knowledge.forbidden,
        ("tier", "tiers"): knowledge.tiers,
        ("root", "roots"): knowledge.roots,
        ("leaf", "leaves"): knowledge.leaves,
        ("edge with a prior probability", "edges with a prior probability"): knowledge.edge_probabilities,
    }
    stated = [f"{len(found)} {names[len(found) > 1]}" for names, found in counts.items() if found]
    if isinstance(knowledge.max_parents, int):
        stated.append(f"at most {knowledge.max_parents} parents")
    elif knowledge.max_parents:
        stated.append(f"numbers of parents of {len(knowledge.max_parents)} variables")
    return [("known", ", ".join(stated))] if stated else []


def _how_made(settings: Mapping[str, Any]) -> Lines:
    """Return the lines of the method."""
    return report_of(settings).lines() if settings["method"] in METHODS else []


def _score(settings: Mapping[str, Any]) -> str:
    """Return the name and the hyperparameters of a score."""
    about = {key: value for key, value in settings.items() if key not in ("name", "rows")}
    parameters = [f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in about.items()]
    return f"{settings['name']} ({', '.join(parameters)})" if parameters else str(settings["name"])


def _masses(posterior: Posterior) -> Lines:
    """Return log evidence and entropy, which samples of graphs do not have."""
    if not MASSES.of(posterior.model):
        return []
    return [
        ("log evidence", f"{posterior.log_evidence:.4f}"),
        ("entropy", f"{posterior.entropy():.3f} nats over {OVER[posterior.model.target]}"),
    ]


def _left_out(settings: Mapping[str, Any]) -> Lines:
    """Return the share of families with outsiders, and the share of the mass that is left out."""
    parts = []
    if settings.get("outsiders"):
        parts.append(f"up to {settings['outsiders']} at once")
    if "outsider_share" in settings:
        parts.append(f"in {100 * settings['outsider_share']:.1f}% of families")
    if "lost_share" in settings:
        parts.append(f"about {100 * settings['lost_share']:.1f}% left out")
    return [("outsiders", ", ".join(parts))] if parts else []


def _candidates(posterior: Posterior) -> str:
    sizes = sorted({len(posterior.candidates[name]) for name in posterior.explained})
    if sizes == [len(posterior.variables) - 1]:
        return "all other variables"
    return f"{sizes[0]} per variable" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} per variable"
