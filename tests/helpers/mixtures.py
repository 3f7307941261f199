"""Mixtures of posteriors over four variables, each together with the list of all it is made of."""

import itertools
import warnings
from functools import cache
from typing import NamedTuple

import numpy as np

import orderspn as osp
from helpers.data import gaussian_data, letters
from models.all_dags import every_dag
from reference.enumeration import Enumeration
from reference.local_scores import all_mean_weights, local_scores
from reference.mixture import MixtureList, listed_graphs

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=8)
SHUFFLED = [2, 0, 3, 1]
OTHER_BGE = {"alpha_mu": 4.0, "alpha_w": 9.0}


class Part(NamedTuple):
    posterior: osp.Posterior
    rows: tuple  # orders, masks, log weights
    mean_weights: dict
    log_evidence: float | None


def learn(columns=(0, 1, 2, 3), **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such short chains cannot agree
        values, names = VALUES[:, columns], [NAMES[v] for v in columns]
        return osp.learn(values, variables=names, n_jobs=1, standardize=False, **arguments)


def exact(prior="fair", columns=(0, 1, 2, 3), **bge):
    brute = Enumeration.of(local_scores(VALUES, prior, **bge))
    posterior = learn(columns, prior=prior, score=osp.scores.BGe(**bge))
    return Part(posterior, _rows(brute), all_mean_weights(VALUES, **bge), brute.log_evidence)


def over_dags():
    brute = every_dag(local_scores(VALUES))
    posterior = learn(method=osp.methods.Exact(target="dag"))
    return Part(posterior, _rows(brute), all_mean_weights(VALUES), brute.log_evidence)


def circuit():
    """Weights are the best ones, so it is the exact posterior on the orders that it covers."""
    posterior = learn(method=osp.methods.Trust(expansion=[2], block_size=2, oracle="random"), rng=3)
    brute = Enumeration.of(local_scores(VALUES))
    covered = {
        order for order in itertools.permutations(range(4)) if posterior.probability(" < ".join(_named(order))) > 0.0
    }
    assert 1 < len(covered) < 24
    keep = np.array([tuple(order) in covered for order in brute.orders.tolist()])
    rows = brute.orders[keep], brute.masks[keep], brute.log_weight[keep]
    return Part(posterior, rows, all_mean_weights(VALUES), None)


def sample(rng, **bge):
    posterior = learn(
        method=osp.methods.Gadget(n_graphs=60, effort=0.02, n_chains=2), rng=rng, score=osp.scores.BGe(**bge)
    )
    graphs, weights = posterior.model.weighted_graphs()
    assert np.ptp(weights) == 0.0
    return Part(posterior, listed_graphs(graphs), all_mean_weights(VALUES, **bge), None)


def _rows(brute):
    return brute.orders, brute.masks, brute.log_weight


def _named(order):
    return [NAMES[v] for v in order]


class Case(NamedTuple):
    parts: list
    weights: list
    mixture: osp.Mixture

    @property
    def brute(self):
        return MixtureList.of(self.weights, [part.rows for part in self.parts])

    @property
    def mean_weights(self):
        return [part.mean_weights for part in self.parts]


def by_numbers(parts, weights):
    return Case(parts, weights, osp.mix([part.posterior for part in parts], weights))


def by_evidence(parts):
    best = max(part.log_evidence for part in parts)
    weights = [np.exp(part.log_evidence - best) for part in parts]
    return Case(parts, weights, osp.mix([part.posterior for part in parts], "evidence"))


MAKERS = {
    "two exact, by evidence": lambda: by_evidence([exact(), exact("uniform", **OTHER_BGE)]),
    "other order of columns": lambda: by_numbers(
        [exact(), exact("uniform", columns=SHUFFLED, **OTHER_BGE)], [0.3, 0.7]
    ),
    "dags and circuit": lambda: by_numbers([over_dags(), circuit()], [2, 3]),
    "orders and circuit": lambda: by_numbers([exact(), circuit()], [1, 4]),
    "samples": lambda: by_numbers([sample(1), sample(2, **OTHER_BGE)], [0.6, 0.4]),
    "orders, sample and nothing": lambda: by_numbers([exact(), sample(1), over_dags()], [0.25, 0.75, 0.0]),
}
WITH_ORDERS = ["two exact, by evidence", "other order of columns", "orders and circuit"]


@cache
def case(name):
    return MAKERS[name]()
