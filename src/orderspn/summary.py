"""The summary of a posterior in a few lines, as text and as a table of a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from orderspn.core.errors import Unavailable
from orderspn.core.names import quoted
from orderspn.display.edges import edges_html
from orderspn.display.html import note, titled
from orderspn.display.summaries import Summary
from orderspn.display.text import cut
from orderspn.methods.registry import METHODS, report_of
from orderspn.models.capabilities import MASSES, MIXTURE, require
from orderspn.models.protocol import GraphModel, Lines, Mixed, PartOfMixture

if TYPE_CHECKING:
    from orderspn.knowledge.statement import Knowledge
    from orderspn.posterior import Posterior


TARGETS = {
    "order": "every graph counts once for each of its orders",
    "dag": "every graph counts once",
    "mixed": "graphs count once in some components, once for each of their orders in others",
}

OVER = {"order": "(order, graph)", "dag": "graphs", "mixed": "graphs"}
"""What a posterior is a distribution over, by the target."""


PLURALS = {"number": "numbers", "category": "categories", "group": "groups"}
"""Kinds of variables."""

WEIGHTS = {"evidence": "weights by evidence", "equal": "equal weights", "given": "given weights"}
"""Where the weights of a mixture come from."""

LISTED = 8
"""Most components of a mixture that are listed."""

MOST_COLUMNS = 5
"""Most columns whose numbers of missing values are listed."""

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
    about = f"Posterior over causal graphs of {len(posterior.variables)} variables"
    settings = posterior.settings
    if MIXTURE.of(posterior.model) and not {"rows", "standardized"} <= settings.keys():
        return f"{about}, learned from several tables"
    return f"{about}, learned from {_rows(settings)}"


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
    if MIXTURE.of(posterior.model):
        weights = WEIGHTS.get(settings["weighting"], settings["weighting"])
        about = f"mixture of {len(settings['components'])}, {weights}, {TARGETS[posterior.model.target]}"
        return [("method", about), *_components(posterior.model)]
    return [("method", f"{settings['method']}, {TARGETS[posterior.model.target]}"), *_how_made(settings)]


def _components(model: GraphModel) -> Lines:
    """Return a line for each component of a mixture, those of the largest weights first."""
    mixed = require(model, MIXTURE, "its components")
    alike = {
        (_about(component), log_weight)
        for component, log_weight in zip(mixed.components, mixed.log_weights.tolist(), strict=True)
    }
    if len(alike) == 1 and len(mixed.components) > 1:
        return [("components", f"all of weight {math.exp(mixed.log_weights[0]):.4g}: {alike.pop()[0]}")]
    heaviest = sorted(range(len(mixed.components)), key=lambda m: -mixed.log_weights[m])
    lines = [("component", _component(m, mixed)) for m in heaviest[:LISTED]]
    more = len(heaviest) - LISTED
    return [*lines, ("component", f"and {more} more, of smaller weights")] if more > 0 else lines


def _component(m: int, mixed: Mixed) -> str:
    """Return the number of a component from 1, its weight, how it was learned, and its evidence."""
    return f"{m + 1}, weight {math.exp(mixed.log_weights[m]):.4g}: {_about(mixed.components[m])}"


def _about(component: PartOfMixture) -> str:
    """Return how a component was learned, and its evidence."""
    settings = component.settings
    about = [str(settings.get("method")), *([_score(settings["score"])] if "score" in settings else [])]
    about += [f"{settings['prior']} prior"] if "prior" in settings else []
    about += [f"given {cut(str(component.evidence))}"] if component.evidence else []
    return ", ".join(about)


def _parent_sets(posterior: Posterior) -> Lines:
    """Return the lines about parent sets: their scores, and which there are; a mixture has those of its components."""
    settings = posterior.settings
    data = [*_kinds(settings.get("kinds", {})), *_missing(settings.get("missing")), *_context(posterior)]
    if MIXTURE.of(posterior.model):
        return data
    return [
        *data,
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


def _kinds(kinds: Mapping[str, str]) -> Lines:
    """Return which variables are read as what, if there are several kinds."""
    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(PLURALS[kind], []).append(name)
    if len(by_kind) < 2 and "groups" not in by_kind:
        return []
    return [("variables", "; ".join(f"{kind} {', '.join(names)}" for kind, names in by_kind.items()))]


def _missing(about: Mapping[str, Any] | None) -> Lines:
    """Return how many values are missing, and what was done about them."""
    if not about:
        return []
    columns = about["columns"]
    where = ", ".join(f"{name} {count}" for name, count in list(columns.items())[:MOST_COLUMNS])
    more = f" and {len(columns) - MOST_COLUMNS} more" if len(columns) > MOST_COLUMNS else ""
    found = f"{about['cells']} values ({where}{more}) in {about['patterns']} patterns"
    if about["handled"] == "dropped":
        return [("missing", f"{found}; dropped all but {about['complete_rows']} complete rows")]
    rhat = about["rhat_edges"]
    agreement = "" if rhat is None else f"; R-hat {rhat:.3f} of edges"
    return [("missing", f"{found}; imputed {about['imputations']} times, {about['assumption']}{agreement}")]


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
    about = {key: value for key, value in settings.items() if key not in ("name", "rows", "variables")}
    parameters = [f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in about.items()]
    return f"{settings['name']} ({', '.join(parameters)})" if parameters else str(settings["name"])


def _masses(posterior: Posterior) -> Lines:
    """Return log evidence and entropy, which samples of graphs do not have."""
    mixed = MIXTURE.optional(posterior.model)
    if mixed is not None:
        return _masses_of_mixture(mixed, posterior.model.target)
    if not MASSES.of(posterior.model):
        return []
    return [
        ("log evidence", f"{posterior.log_evidence:.4f}"),
        ("entropy", f"{posterior.entropy():.3f} nats over {OVER[posterior.model.target]}"),
    ]


def _masses_of_mixture(mixed: Mixed, target: str) -> Lines:
    """Return the log evidence and bounds of the entropy, as far as they are known."""
    lines = [] if mixed.log_total is None else [("log evidence", f"{mixed.log_total:.4f}")]
    try:
        lower, upper = mixed.entropy_bounds()
    except Unavailable:
        return lines
    return [*lines, ("entropy", f"{lower:.3f} to {upper:.3f} nats over {OVER[target]}")]


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
