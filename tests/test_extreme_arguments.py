"""Numbers beyond all bounds and arrays without dimensions, at every public door: a clear error, or an answer."""

import math
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.errors import UserError
from orderspn.core.memory import readable_bytes

HUGE = 10**30
BEYOND_FLOATS = 10**400
NOT_A_LIST = np.array(2)
NO_NAMES = np.array("A")


@cache
def data():
    return gaussian_data(4, 30, seed=0)


def learned(**settings):
    return osp.learn(data(), variables=list("ABCD"), **settings)


@cache
def posterior(kind):
    settings = {
        "orders": {},
        "dags": {"method": osp.methods.Exact(target="dag")},
        "circuit": {"method": osp.methods.Trust(n_orders=4, block_size=2)},
        "sample": {"method": osp.methods.Gadget(n_graphs=16, effort=0.01)},
    }
    return learned(**settings[kind])


def grown(**settings):
    return learned(method=osp.methods.Trust(oracle="random", block_size=2, **settings))


KINDS = ["orders", "dags", "circuit", "sample"]

REFUSED = {
    **{f"sample of {kind}": (lambda kind=kind: posterior(kind).sample(10**12)) for kind in KINDS},
    **{f"weighted sample of {kind}": (lambda kind=kind: posterior(kind).sample(HUGE, target="dag")) for kind in KINDS},
    "effect_samples": lambda: posterior("orders").effect_samples(10**12),
    "effect": lambda: posterior("orders").effect("A", "B", n_samples=10**12),
    "effects_frame": lambda: posterior("orders").effects_frame(n_samples=HUGE),
    "paths": lambda: posterior("orders").paths("A", "B", n_samples=HUGE),
    "estimate_effects": lambda: posterior("orders").estimate_effects(HUGE),
    "coverage": lambda: posterior("circuit").coverage(HUGE),
    "interventional": lambda: osp.learn(osp.load_asia().data).interventional("dysp", {}, n_graphs=HUGE),
    "expected_shd": lambda: osp.metrics.expected_shd(posterior("orders"), np.zeros((4, 4)), n_samples=HUGE),
    "cpdags": lambda: posterior("orders").cpdags(n_samples=HUGE, target="dag"),
    "erdos_renyi": lambda: osp.simulate.erdos_renyi(HUGE),
    "scale_free": lambda: osp.simulate.scale_free(HUGE),
    "linear_gaussian": lambda: osp.simulate.linear_gaussian(3, n_rows=HUGE),
    "n_orders": lambda: learned(method=osp.methods.Trust(n_orders=HUGE)),
    "n_graphs": lambda: learned(method=osp.methods.Gadget(n_graphs=HUGE)),
    "n_chains": lambda: learned(method=osp.methods.Gadget(n_chains=HUGE)),
    "block_size": lambda: learned(method=osp.methods.Trust(block_size=HUGE)),
    "refine": lambda: learned(method=osp.methods.Trust(refine=HUGE)),
    "outsiders": lambda: learned(method=osp.methods.Exact(outsiders=HUGE)),
    "expansion": lambda: grown(expansion=NOT_A_LIST),
    "n_particles": lambda: learned(method=osp.methods.DiBS(n_particles=HUGE)),
    "rng": lambda: learned(rng=NOT_A_LIST),
    "n_jobs": lambda: learned(n_jobs=NOT_A_LIST),
    "prior": lambda: learned(prior=lambda _: BEYOND_FLOATS),
    **{f"time_limit {t}": (lambda t=t: learned(method="gadget", time_limit=t)) for t in (math.nan, math.inf)},
    "time_limit beyond": lambda: learned(method="gadget", time_limit=BEYOND_FLOATS),
    "time_limit array": lambda: learned(method="gadget", time_limit=np.array(1.0)),
    **{f"effort {e}": (lambda e=e: osp.methods.Gadget(effort=e)) for e in (math.nan, math.inf, 1e308)},
    "effort beyond": lambda: osp.methods.Gadget(effort=BEYOND_FLOATS),
    "effort of best_graph": lambda: posterior("circuit").best_graph(effort=1e308),
    "effort of reproduce": lambda: osp.experiments.reproduce("coverage", d=5, runs=1, effort=1e308),
    "variables": lambda: osp.learn(data(), variables=NOT_A_LIST),
    "variables of a table": lambda: osp.learn(osp.load_sachs().data, variables=np.array("Raf")),
    "candidates": lambda: learned(candidates=NOT_A_LIST),
    "candidates of each": lambda: learned(candidates=dict.fromkeys("ABCD", NO_NAMES)),
    "interventions": lambda: learned(interventions=NO_NAMES),
    "knowledge": lambda: learned(knowledge=NO_NAMES),
    "roots": lambda: osp.Knowledge(roots=NO_NAMES),
    "tiers": lambda: osp.Knowledge(tiers=NOT_A_LIST),
    "tier": lambda: osp.Knowledge(tiers=[NO_NAMES]),
    "required": lambda: osp.Knowledge(required=NOT_A_LIST),
    "required pair": lambda: osp.Knowledge(required=[NOT_A_LIST]),
    "edges": lambda: osp.Edges(NOT_A_LIST),
    "networks": lambda: osp.simulate.LinearGaussianNetwork(np.zeros((2, 2)), variables=NOT_A_LIST),
}


@pytest.mark.parametrize("door", REFUSED)
def test_what_cannot_be_is_refused(door):
    with pytest.raises(UserError):
        REFUSED[door]()


ANSWERED = {
    "max_parents": lambda: learned(max_parents=HUGE),
    "max_parents that are known": lambda: learned(knowledge=osp.Knowledge(max_parents=HUGE)),
    "max_parents of one": lambda: learned(knowledge=osp.Knowledge(max_parents={"A": HUGE})),
    "candidates": lambda: learned(candidates=HUGE),
    "n_jobs": lambda: learned(n_jobs=HUGE),
    "memory_limit": lambda: learned(memory_limit=HUGE),
    "rng": lambda: learned(rng=HUGE),
}


@pytest.mark.parametrize("door", ANSWERED)
def test_more_than_there_is_means_all(door):
    assert ANSWERED[door]().log_evidence == posterior("orders").log_evidence


def test_all_partitions_where_more_are_asked_for():
    assert grown(expansion=[HUGE], weights="elbo").size == grown(expansion=[6], weights="elbo").size


def test_amounts_without_bounds_are_readable():
    assert readable_bytes(2**40 * BEYOND_FLOATS).startswith("10,240,000,000")
    sizes = [readable_bytes(size) for size in (0, 1023, 1536, 3 * 2**29)]
    assert sizes == ["0 bytes", "1023 bytes", "1.5 KiB", "1.5 GiB"]
