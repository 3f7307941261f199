"""The value of experiments by simulation, where learning again takes too long: drawn orders are weighted anew.

The simulation is that of small posteriors, with M orders drawn from the posterior in its place (`drawn_orders.py`).
Graphs are drawn from these orders too, so what is known before an experiment is the mean of what is known after it,
exactly. The value is that of a posterior over M orders: on average at most the true one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.core.randomness import seed_for
from orderspn.design.drawn_orders import DrawnOrderGraphs, draw_orders
from orderspn.design.questions import Event, Question
from orderspn.design.simulation import Plan, Trial
from orderspn.models.order_graphs import OrderGraphs
from orderspn.posterior import Posterior

LOOKED_AT = 16
"""Number of outcomes whose effective number of orders is looked at."""

FEWEST = 20
"""Median effective number of orders below which there is a warning."""


def reweights(posterior: Posterior) -> bool:
    """Whether orders can be drawn from a posterior and weighted anew."""
    return isinstance(posterior.model, OrderGraphs)


def check_reweights(posterior: Posterior) -> OrderGraphs:
    """Return the model of a posterior; an error if orders cannot be drawn from it and weighted anew."""
    if isinstance(posterior.model, OrderGraphs):
        return posterior.model
    raise Unavailable(
        "method='reweight' needs sums over orders: methods.Exact(target='order') or methods.Trust(), without "
        f"neighbours and paths as evidence; this posterior {posterior.model.nature}. Use method='limit', or 'simulate' "
        "with few variables."
    )


def reweighted_trial(
    posterior: Posterior, question: Question, plans: Sequence[Plan], draws: int, seed: np.random.SeedSequence
) -> Trial:
    """Draw orders from a posterior, and graphs from them; return the trial of plans on these."""
    asked = (*question.event.present, *question.event.absent) if isinstance(question, Event) else ()
    model = draw_orders(check_reweights(posterior), posterior.evidence, asked, seed_for(seed, "orders"))
    graphs = model.sample(draws, seed_for(seed, "graphs")).adjacency
    learn = partial(model.after, evidence=posterior.evidence)
    return Trial(model, learn, question, tuple(plans), graphs, seed, question.of_model(model))


def effective_orders(trial: Trial, plan: int) -> float:
    """Return the median effective number of orders after outcomes of a plan; a warning says if it is small."""
    most = min(LOOKED_AT, len(trial.graphs))
    after: list[DrawnOrderGraphs] = [trial.learned(draw, plan) for draw in range(most)]
    median = float(np.median([model.effective_orders for model in after]))
    if median < FEWEST:
        warnings.warn(
            f"after {trial.plans[plan][0].rows} rows only {median:.1f} of {len(after[0].weights):,} drawn orders keep "
            "their weight, so values are too small. Ask for fewer rows=, or use method='limit', the value of very many "
            "rows.",
            UserWarning,
            stacklevel=2,
        )
    return median
