"""A few lines about a posterior, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from orderspn.models.listed_graphs import ListedGraphs

if TYPE_CHECKING:
    from orderspn.knowledge.statement import Knowledge
    from orderspn.posterior import Posterior


TARGETS = {"order": "every graph counts once for each of its orders", "dag": "every graph counts once"}

HYPERPARAMETERS = ("alpha_mu", "alpha_w", "t", "equivalent_sample_size")

COVERAGE_UP_TO = 20
"""Variables up to which the covered mass is part of a summary: beyond, it would take a search of its own."""


def describe(posterior: Posterior) -> str:
    """Say what a posterior is about, how it was learned and how certain it is."""
    settings = posterior.settings
    score = settings["score"]
    parameters = ", ".join(f"{k}={score[k]:g}" for k in HYPERPARAMETERS if k in score)
    rows = _rows(settings)
    edges = posterior.edge_probabilities().to_numpy()
    lines = [
        ("method", f"{settings['method']}, {TARGETS[settings['target']]}"),
        *_circuit_lines(posterior),
        *_sample_lines(posterior),
        *_coverage(posterior),
        ("score", f"{score['name']} ({parameters}), {settings['prior']} prior"),
        ("candidate parents", f"{_candidates(posterior)}, at most {posterior._model.score.most_parents} at once"),
        *_known(posterior.knowledge),
        *_left_out(settings),
        *_masses(posterior),
        ("expected edges", f"{edges.sum():.3f} ({int((edges > 0.5).sum())} more probable than not)"),
    ]
    if posterior.evidence:
        lines.append(("given", str(posterior.evidence)))
    title = f"Posterior over causal graphs of {len(posterior.variables)} variables, learned from {rows}"
    return "\n".join([title, *(f"  {name:<20} {value}" for name, value in lines)])


def _rows(settings: Mapping[str, Any]) -> str:
    """How many rows there were, and of what kind."""
    about = ["standardized"] if settings["standardized"] else []
    if settings.get("interventions"):
        about.append(f"{settings['interventions']} under interventions")
    return f"{settings['rows']} rows" + (f" ({', '.join(about)})" if about else "")


def _known(knowledge: Knowledge) -> list[tuple[str, str]]:
    """How much was known before any data."""
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


def _masses(posterior: Posterior) -> list[tuple[str, str]]:
    """What a sample of graphs does not know."""
    if isinstance(posterior._model, ListedGraphs):
        return []
    over = "(order, graph)" if posterior.settings["target"] == "order" else "graphs"
    return [
        ("log evidence", f"{posterior.log_evidence:.4f}"),
        ("entropy", f"{posterior.entropy():.3f} nats over {over}"),
    ]


def _sample_lines(posterior: Posterior) -> list[tuple[str, str]]:
    settings, model = posterior.settings, posterior._model
    if not isinstance(model, ListedGraphs):
        return []
    left = [("left by evidence", f"{model.n_graphs:,} graphs")] if posterior.evidence else []
    if settings["method"] == "dibs":
        return [("particles", _particles(settings)), *left]
    accepted = ", ".join(f"{kind} {100 * rate:.1f}%" for kind, rate in settings["acceptance"].items())
    made = f"{settings['n_graphs']:,} graphs by {settings['n_runs']} runs of {settings['n_chains']} chains"
    return [
        ("sampled", f"{made}, {settings['iterations']:,} moves each"),
        *left,
        ("accepted", accepted),
        ("agreement", _agreement(settings["diagnostics"])),
    ]


def _particles(settings: Mapping[str, Any]) -> str:
    counted = "all alike" if settings["weights"] == "uniform" else "by their scores"
    moved = f"{settings['n_graphs']:,} in {settings['steps']:,} steps"
    cycles = f"{settings['cyclic_particles']} with cycles (broken)"
    return f"{moved}, {cycles}; {settings['distinct_graphs']:,} different graphs, weighed {counted}"


def _circuit_lines(posterior: Posterior) -> list[tuple[str, str]]:
    settings = posterior.settings
    if settings["method"] != "trust":
        return []
    size = posterior.size
    made = f"{settings['n_orders']:,} sampled orders" if "n_orders" in settings else _oracle(settings)
    lines = [
        ("made from", f"{made}, {settings['weights']} weights"),
        (
            "circuit",
            f"{size.nodes:,} nodes, {size.edges:,} edges, {size.blocks:,} blocks of up to {settings['block_size']}, "
            f"e^{size.log_number_of_orders:.1f} orders",
        ),
    ]
    info = settings.get("oracle_info", {})
    if "acceptance" in info:
        chains = f"; {100 * info['chains_kept']:.0f}% of its chains agree" if "chains_kept" in info else ""
        lines.append(("acceptance", f"{info['acceptance']:.2f} of the oracle's moves{chains}"))
    if "diagnostics" in settings:
        lines.append(("agreement", _agreement(settings["diagnostics"])))
    return lines


def _oracle(settings: Mapping[str, Any]) -> str:
    return f"partitions by oracle {settings['oracle']['name']!r}, expansion {settings['expansion']}"


def _agreement(found: Mapping[str, Any]) -> str:
    return (
        f"{found['runs_kept']:.0f} of {found['runs']:.0f} searches; R-hat {_rhat(found['rhat_score'])} of scores, "
        f"{_rhat(found['rhat_edges'])} of edges; edges within {2 * found['edge_standard_error']:.3f}"
    )


def _rhat(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _left_out(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How probable parents from outside the candidates are, and how much is left out."""
    parts = []
    if settings.get("outsiders"):
        parts.append(f"up to {settings['outsiders']} at once")
    if "outsider_share" in settings:
        parts.append(f"in {100 * settings['outsider_share']:.1f}% of families")
    if "lost_share" in settings:
        parts.append(f"about {100 * settings['lost_share']:.1f}% left out")
    return [("outsiders", ", ".join(parts))] if parts else []


def _coverage(posterior: Posterior) -> list[tuple[str, str]]:
    """The covered share of the mass of all orders, where that is exact and takes no time."""
    if isinstance(posterior._model, ListedGraphs):
        return []
    if posterior.settings["method"] == "exact":
        return [("covered", "all orders" if posterior.settings["target"] == "order" else "all graphs")]
    if len(posterior.variables) > COVERAGE_UP_TO:
        return []
    coverage = posterior.coverage()
    return [("covered", f"{100 * coverage.share:.3g}% of the mass of all orders; ELBO {coverage.elbo:.4f}")]


def _candidates(posterior: Posterior) -> str:
    sizes = sorted({len(causes) for causes in posterior.candidates.values()})
    if sizes == [len(posterior.variables) - 1]:
        return "all other variables"
    return f"{sizes[0]} per variable" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} per variable"
