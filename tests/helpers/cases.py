"""Posteriors over four variables, each with its brute-force twin, and evidence to ask them about."""

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from reference.circuit import circuit_enumeration
from reference.enumeration import Enumeration
from reference.forward_selection import forward_selection
from reference.local_scores import all_mean_weights, local_scores

NAMES = letters(4)
UNEQUAL = {"A": ["B", "C"], "B": ["A", "C", "D"], "C": [], "D": ["A", "B"]}
HYPERPARAMETERS = {"alpha_mu": 0.5, "alpha_w": 9.0, "t": 0.2}


def sparse(size):
    return 0.4**size


def with_a_hole(size):
    return (1.0, 2.0, 0.0, 1.0)[size]


@dataclass(frozen=True)
class Case:
    """How to learn, in the words of both sides."""

    prior: object = "fair"
    candidates: object = "auto"
    max_parents: int | None = None
    outsiders: int = 0
    hyperparameters: tuple = ()
    standardize: bool = False
    seed: int = 0
    circuit: tuple = ()

    @property
    def modular(self):
        """Whether the posterior is proportional to the scores on the pairs it covers."""
        settings = dict(self.circuit)
        complete = "elbo" if "expansion" in settings else "sampled"  # by default, where all orders are covered
        return not settings or settings.get("weights", complete) == "elbo"

    @property
    def method(self):
        """The method of the package."""
        kind = osp.methods.Trust if self.circuit else osp.methods.Exact
        return kind(outsiders=self.outsiders, **dict(self.circuit))


def circuit(**settings):
    return tuple(settings.items())


CASES = {
    "fair": Case(),
    "uniform": Case(prior="uniform", seed=1),
    "callable": Case(prior=sparse, seed=2),
    "callable with weight 0": Case(prior=with_a_hole, seed=3),
    "unequal candidates": Case(candidates="UNEQUAL", seed=4),
    "two candidates": Case(candidates=2, prior="uniform", seed=5),
    "one parent": Case(max_parents=1, seed=6),
    "all at once": Case(
        prior=sparse,
        candidates="UNEQUAL",
        max_parents=2,
        hyperparameters=tuple(HYPERPARAMETERS.items()),
        standardize=True,
        seed=7,
    ),
    "circuit of all orders": Case(circuit=circuit(expansion=[6, 2], block_size=1), seed=8),
    "circuit of all orders, blocks": Case(
        circuit=circuit(expansion=[6], block_size=2), prior="uniform", candidates="UNEQUAL", seed=9
    ),
    "part of the orders": Case(
        circuit=circuit(expansion=[4, 1], block_size=1, oracle="random", weights="elbo"), seed=10
    ),
    "part of the orders, blocks": Case(
        circuit=circuit(expansion=[3], block_size=2, oracle="order-mcmc", weights="elbo"), seed=11
    ),
    "part, sampled": Case(
        circuit=circuit(expansion=[5], block_size=2, oracle="order-mcmc", weights="sampled"), seed=12
    ),
    "part, uniform": Case(
        circuit=circuit(expansion=[4, 2], block_size=1, oracle="random", weights="uniform"), max_parents=2, seed=13
    ),
    "one outsider": Case(candidates=1, outsiders=1, seed=14),
    "two outsiders, no candidates": Case(candidates=0, outsiders=2, prior="uniform", seed=15),
    "one outsider, unequal candidates": Case(candidates="UNEQUAL", outsiders=1, prior=sparse, seed=16),
    "one outsider, one parent": Case(candidates=1, outsiders=1, max_parents=1, seed=17),
    "outsiders, prior with weight 0": Case(candidates=1, outsiders=2, prior=with_a_hole, seed=18),
    "one outsider, circuit of all orders": Case(
        candidates=1, outsiders=1, circuit=circuit(expansion=[6, 2], block_size=1, refine=0), seed=19
    ),
    "one outsider, part of the orders": Case(
        candidates=1,
        outsiders=1,
        circuit=circuit(expansion=[4, 1], block_size=1, refine=0, oracle="random", weights="elbo"),
        seed=20,
    ),
    "one outsider, blocks": Case(  # the same as all others as candidates
        candidates=2, outsiders=1, circuit=circuit(expansion=[6], block_size=2, refine=0), seed=21
    ),
    "two outsiders, part, blocks": Case(
        candidates=0,
        outsiders=2,
        circuit=circuit(expansion=[3], block_size=2, refine=0, oracle="order-mcmc", weights="sampled"),
        seed=22,
    ),
    "sampled orders": Case(circuit=circuit(n_orders=6, effort=0.01, block_size=2, weights="sampled"), seed=23),
    "sampled orders, elbo": Case(circuit=circuit(n_orders=6, effort=0.01, block_size=2, weights="elbo"), seed=24),
    "sampled orders, single variables": Case(
        circuit=circuit(n_orders=9, effort=0.01, block_size=1), max_parents=2, seed=25
    ),
    "sampled orders, one outsider": Case(
        candidates=1,
        outsiders=1,
        circuit=circuit(n_orders=6, effort=0.01, block_size=2, refine=0, weights="sampled"),
        seed=26,
    ),
    "sampled orders, refined candidates": Case(
        candidates=1,
        outsiders=1,
        circuit=circuit(n_orders=6, effort=0.01, block_size=2, refine=2, weights="elbo"),
        seed=27,
    ),
    "sampled orders, two outsiders, one parent": Case(
        candidates=1,
        outsiders=2,
        max_parents=1,
        circuit=circuit(n_orders=8, effort=0.01, block_size=3, refine=0, weights="uniform"),
        seed=28,
    ),
}

QUICK = {
    "fair",
    "callable with weight 0",
    "all at once",
    "circuit of all orders, blocks",
    "part, sampled",
    "one outsider",
    "outsiders, prior with weight 0",
    "two outsiders, part, blocks",
    "sampled orders, refined candidates",
}
"""One of each kind."""


def at_levels(cases):
    """Names of cases as parameters of tests; `make quick` runs one of each kind."""
    return [pytest.param(name, marks=[] if name in QUICK else pytest.mark.thorough) for name in cases]


_WHOLE = {("A", "C"), ("B", "C"), ("C", "D")}
_TOURNAMENT = {(a, b) for a in NAMES for b in NAMES if a < b}


def _all_twelve(present):
    return ", ".join(f"{c} {'->' if (c, e) in present else '!->'} {e}" for c in NAMES for e in NAMES if c != e)


EVIDENCE = {
    "nothing": "",
    "one present": "A -> B",
    "one absent": "A !-> B",
    "one present, last to first": "D -> A",
    "fork": "B -> A, B -> D",
    "collider": "A -> D, B -> D",
    "chain of two": "A -> B -> D",
    "only one order": "B -> A -> D, C !-> D, D -> C",
    "only one order, chain of all": "A -> B -> C -> D",
    "not adjacent": "A !-> B, B !-> A",
    "no causes of D": "A !-> D, B !-> D, C !-> D",
    "all causes of A": "B -> A, C -> A, D -> A",
    "present and absent, one family": "A -> D, B !-> D",
    "present and absent, three families": "B -> A, C !-> B, D !-> B, A -> D",
    "two apart": "A -> B, B !-> D",
    "absent in every family": "B !-> A, C !-> B, D !-> C, A !-> D",
    "tournament": ", ".join(f"{c} -> {e}" for c, e in sorted(_TOURNAMENT)),
    "whole graph": _all_twelve(_WHOLE),
    "whole graph of allowed edges": _all_twelve({("A", "B"), ("B", "D")}),
    "empty graph": _all_twelve(set()),
    "given twice": "A -> B, A -> B, C !-> D, C !-> D",
}


@dataclass(frozen=True)
class Both:
    """A posterior and its brute-force twin."""

    posterior: osp.Posterior
    brute: Enumeration
    weights: dict
    modular: bool = True


@cache
def both(name):
    case = CASES[name]
    values = gaussian_data(4, 30, seed=100 + case.seed)
    hyperparameters = dict(case.hyperparameters)
    mapping = UNEQUAL if case.candidates == "UNEQUAL" else case.candidates
    with warnings.catch_warnings():
        # A handful of orders is too few for runs to agree; what the circuit made of them says is exact all the same.
        warnings.filterwarnings("ignore", "independent searches disagree")
        posterior = osp.learn(
            values,
            variables=NAMES,
            score=osp.scores.BGe(**hyperparameters),
            prior=case.prior,
            candidates=mapping,
            max_parents=case.max_parents,
            standardize=case.standardize,
            n_jobs=1,
            rng=case.seed,
            method=case.method,
        )
    if case.standardize:
        values = (values - values.mean(axis=0)) / np.sqrt(((values - values.mean(axis=0)) ** 2).mean(axis=0))
    if case.candidates == "UNEQUAL":
        candidates = {i: [NAMES.index(c) for c in UNEQUAL[name]] for i, name in enumerate(NAMES)}
    elif case.candidates == "auto":
        candidates = None
    elif dict(case.circuit).get("refine"):  # chosen by a search, which tests/search checks
        candidates = {i: [NAMES.index(c) for c in posterior.candidates[name]] for i, name in enumerate(NAMES)}
    else:
        candidates = {i: forward_selection(values, i, case.candidates, **hyperparameters) for i in range(4)}
    scores = local_scores(values, case.prior, candidates, case.max_parents, case.outsiders, **hyperparameters)
    brute = Enumeration.of(scores)
    if case.circuit:
        prior = posterior.model.orders.circuit
        brute = circuit_enumeration(prior.structure, prior.log_weights, scores)
    return Both(posterior, brute, all_mean_weights(values, **hyperparameters), case.modular)
