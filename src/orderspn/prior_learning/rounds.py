"""Empirical Bayes: a posterior, the prior under which its graphs are most probable, and so on (EM).

Graphs are drawn from the posterior under a prior, and the next prior is the one under which these graphs, and the data
given them, are most probable. Each round raises the evidence, up to Monte Carlo error. Given its order, a graph is a
set of independent choices, so the prior is that of all graphs: no sum over acyclic graphs is needed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from orderspn.core.heard import Unheard, without_warnings
from orderspn.data.mixed import Table
from orderspn.methods.exact import Exact
from orderspn.methods.method import Method
from orderspn.methods.trust import Trust
from orderspn.posterior import Posterior
from orderspn.prior_learning.scale import families_in, has_open_scale, with_best_scale
from orderspn.prior_learning.sparsity import ParentCounts, most_probable_prior
from orderspn.scores.beta_binomial import BetaBinomial
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import LEARNED
from orderspn.solving import Request, solve

EXACT_UP_TO = 20
"""Most explained variables for which the posteriors are exact; beyond, circuits of short searches take less time."""

SHORT = Trust(effort=0.1, n_orders=64)
"""The method of the other rounds."""

CANDIDATES = 10
"""Default number of candidates of each variable: counts of parents change little with more of them."""

MOST_ROUNDS = 8
GRAPHS, GRAPHS_FOR_SCALE = 200, 40
"""Graphs from which numbers of parents are counted, and those from which the scale follows: these take longer."""

CLOSE = 0.1
"""Change of the logarithms of the scale and of the odds of an edge at which rounds end."""

FAIR = BetaBinomial(0.5, 2.0)
"""The prior of the first round."""

DEFAULT_SCALE = 0.5
"""The scale of BGe in the first round, unless other hyperparameters change it."""

SHARE_OF_TIME = 0.4
"""Share of a time limit that all rounds may take together."""


class Hyperparameters(NamedTuple):
    """A score with its scale, and a prior of parent sets."""

    score: Score
    prior: BetaBinomial

    def distance(self, other: Hyperparameters) -> float:
        """Return the largest change of the logarithms of the odds of a parent and of the scale."""
        scales = [getattr(one.score, "t", None) or DEFAULT_SCALE for one in (self, other)]
        return max(abs(math.log(scales[0] / scales[1])), abs(_log_odds(self.prior) - _log_odds(other.prior)))


def with_learned_prior(score: Score, table: Table, request: Request) -> tuple[Score, Request, dict[str, Any]]:
    """Return score and request with the hyperparameters of the highest evidence, and what the posterior records."""
    own = _short(request, table.n_variables - len(request.context or ()), table.n_variables)
    learned, state, rounds = Hyperparameters(score, FAIR), None, 0
    with without_warnings():
        for rounds in range(1, MOST_ROUNDS + 1):
            tried = own._replace(
                prior=learned.prior, resumed=state, checkpoint=own.checkpoint.within(f"prior {rounds}")
            )
            solved = solve(table, learned.score, tried, Unheard())
            before, state = learned, solved.state
            learned = _most_probable(score, table, solved.posterior)
            if rounds > 1 and learned.distance(before) < CLOSE:  # the first prior says nothing about concentrations
                break
    recorded = {"mean": learned.prior.mean, "concentration": learned.prior.concentration, "rounds": rounds}
    if own.time_limit is not None and request.time_limit is not None:
        request = request._replace(time_limit=(1.0 - SHARE_OF_TIME) * request.time_limit)
    return learned.score, request._replace(prior=learned.prior), {"prior": LEARNED, "learned_prior": recorded}


def _most_probable(score: Score, table: Table, posterior: Posterior) -> Hyperparameters:
    """Return the hyperparameters under which draws from a posterior, and the data given them, are most probable."""
    local, drawn = posterior.model.score, posterior.sample(GRAPHS, rng=0)
    counts = ParentCounts.of(drawn.adjacency, drawn.orders, local.rules, local.context)
    prior = most_probable_prior(counts, table.n_variables)
    if has_open_scale(score):
        score = with_best_scale(score, table, families_in(drawn.adjacency[:GRAPHS_FOR_SCALE], local.context))
    return Hyperparameters(score, prior)


def _short(request: Request, n_explained: int, n_variables: int) -> Request:
    """Return the request for the posterior of a round, which need not be precise."""
    method: Method = Exact() if n_explained <= EXACT_UP_TO else SHORT
    limited = request.time_limit is not None and method.heeds_time_limit
    return request.quiet()._replace(
        method=method,
        runs=None,
        candidates=min(CANDIDATES, n_variables - 1) if request.candidates == "auto" else request.candidates,
        time_limit=SHARE_OF_TIME * (request.time_limit or 0.0) / MOST_ROUNDS if limited else None,
    )


def _log_odds(prior: BetaBinomial) -> float:
    return math.log(prior.mean / (1.0 - prior.mean))
