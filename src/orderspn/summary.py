"""A few lines about a posterior, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orderspn.posterior import Posterior


def describe(posterior: Posterior) -> str:
    """Say what a posterior is about, how it was learned and how certain it is."""
    settings = posterior.settings
    names = posterior.variables
    sizes = sorted({len(causes) for causes in posterior.candidates.values()})
    candidates = "all other variables" if sizes == [len(names) - 1] else f"{sizes[0]} to {sizes[-1]} per variable"
    if sizes[0] == sizes[-1] != len(names) - 1:
        candidates = f"{sizes[0]} per variable"
    rows = f"{settings['rows']} rows" + (" (standardized)" if settings["standardized"] else "")
    score = settings["score"]
    parameters = ", ".join(f"{k}={score[k]:g}" for k in ("alpha_mu", "alpha_w", "t") if k in score)
    edges = posterior.edge_probabilities().to_numpy()
    lines = [
        f"Posterior over causal graphs of {len(names)} variables, learned from {rows}",
        f"  method               {settings['method']}, order-modular target, every order covered",
        f"  score                {score['name']} ({parameters}), {settings['prior']} prior",
        f"  candidate parents    {candidates}, at most {settings['max_parents']} at once",
        f"  log evidence         {posterior.log_evidence:.4f}",
        f"  entropy              {posterior.entropy():.3f} nats over (order, graph)",
        f"  expected edges       {edges.sum():.3f} ({int((edges > 0.5).sum())} more probable than not)",
    ]
    if posterior.evidence:
        lines.append(f"  given                {posterior.evidence}")
    return "\n".join(lines)
