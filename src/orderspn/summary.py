"""A few lines about a posterior, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orderspn.posterior import Posterior


def describe(posterior: Posterior) -> str:
    """Say what a posterior is about, how it was learned and how certain it is."""
    settings = posterior.settings
    score = settings["score"]
    parameters = ", ".join(f"{k}={score[k]:g}" for k in ("alpha_mu", "alpha_w", "t") if k in score)
    rows = f"{settings['rows']} rows" + (" (standardized)" if settings["standardized"] else "")
    edges = posterior.edge_probabilities().to_numpy()
    lines = [
        ("method", f"{settings['method']}, order-modular target"),
        *_circuit_lines(posterior),
        ("covered", _coverage(posterior)),
        ("score", f"{score['name']} ({parameters}), {settings['prior']} prior"),
        ("candidate parents", f"{_candidates(posterior)}, at most {settings['max_parents']} at once"),
        ("log evidence", f"{posterior.log_evidence:.4f}"),
        ("entropy", f"{posterior.entropy():.3f} nats over (order, graph)"),
        ("expected edges", f"{edges.sum():.3f} ({int((edges > 0.5).sum())} more probable than not)"),
    ]
    if posterior.evidence:
        lines.append(("given", str(posterior.evidence)))
    title = f"Posterior over causal graphs of {len(posterior.variables)} variables, learned from {rows}"
    return "\n".join([title, *(f"  {name:<20} {value}" for name, value in lines)])


def _circuit_lines(posterior: Posterior) -> list[tuple[str, str]]:
    settings, size = posterior.settings, posterior.size
    if settings["method"] != "trust":
        return []
    lines = [
        ("oracle", f"{settings['oracle']['name']}, expansion {settings['expansion']}, {settings['weights']} weights"),
        (
            "circuit",
            f"{size.nodes:,} nodes, {size.edges:,} edges, {size.blocks:,} blocks of up to {settings['block_size']}, "
            f"e^{size.log_number_of_orders:.1f} orders",
        ),
    ]
    info = settings["oracle_info"]
    if "acceptance" in info:
        chains = f"; {100 * info['chains_kept']:.0f}% of its chains agree" if "chains_kept" in info else ""
        lines.append(("acceptance", f"{info['acceptance']:.2f} of the oracle's moves{chains}"))
    return lines


def _coverage(posterior: Posterior) -> str:
    coverage = posterior.coverage()
    if coverage.share == 1.0 and coverage.basis == "exact":
        return "all orders"
    share = f"{100 * coverage.share:.3g}%"
    if coverage.basis != "exact":
        share = f"about {share} (+- {100 * coverage.standard_error:.2g})"
    return f"{share} of the mass of all orders; ELBO {coverage.elbo:.4f}"


def _candidates(posterior: Posterior) -> str:
    sizes = sorted({len(causes) for causes in posterior.candidates.values()})
    if sizes == [len(posterior.variables) - 1]:
        return "all other variables"
    return f"{sizes[0]} per variable" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} per variable"
