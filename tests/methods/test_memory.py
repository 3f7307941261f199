"""Estimates of memory: they hold, they grow with what there is, and they refuse what cannot be numbered."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK, MOST_ORDERED
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.models.memory import (
    circuit_bytes,
    exact_dag_bytes,
    exact_order_bytes,
    listed_bytes,
)
from orderspn.parents.plan import FOR_EXACT, plan_parents
from orderspn.parents.sizes import FamilySizes

MIB = 2**20

ASK = """
import json, sys
import numpy as np
import orderspn as osp

def ask(values, **arguments):
    posterior = osp.learn(values, method="exact", n_jobs=2, **arguments)
    posterior.edge_probabilities()
    given = posterior.given("X1 !-> X2")
    given.edge_probabilities()
    posterior.most_probable_graph(), given.most_probable_graph(), posterior.sample(100, rng=0)
    return posterior.settings["candidates"]

def kibibytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

values = np.random.default_rng(0).normal(size=(50, 19))
ask(values[:, :5])
with open("/proc/self/clear_refs", "w") as peaks:  # forget how much the compiler took
    peaks.write("5")
before = kibibytes("VmRSS")
candidates = ask(values, memory_limit=int(sys.argv[1]))
print(json.dumps([candidates, 1024 * (kibibytes("VmHWM") - before)]))
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="other systems do not tell peaks")
def test_learning_and_asking_stay_within_the_limit():
    """By default all 18 others are candidates, which take 400 MiB; in 256 there are fewer."""
    limit = 256 * MIB
    output = subprocess.run([sys.executable, "-c", ASK, str(limit)], check=True, capture_output=True, text=True).stdout
    candidates, peak = json.loads(output)
    assert 12 < candidates < 18
    assert 0.3 * limit < peak <= limit


def test_the_default_limit_has_room_for_the_exact_posterior_of_25_variables():
    assert exact_order_bytes(FamilySizes.of([FOR_EXACT] * 25), n_jobs=4) <= MEMORY_LIMIT


@pytest.mark.parametrize("d", [40, 100, 300])
def test_who_allows_more_memory_gets_more_candidates_and_orders(d):
    """And what is planned fits, without any learning."""
    planned = {}
    for gib in (2, 4, 16):
        limit = gib * 2**30
        method = osp.methods.Trust().resolved(d, limit)
        plan = plan_parents(
            "auto",
            method.outsiders,
            method.refine,
            d,
            limit,
            searched=True,
            needed=lambda sizes, method=method: method.demand(sizes, 1).needed,
        )
        assert method.demand(plan.sizes(d), 1).needed <= limit
        planned[gib] = plan.candidates, method.n_orders
    assert planned[16][0] > planned[4][0] >= planned[2][0]
    assert planned[16][1] > planned[4][1] >= planned[2][1]


def test_candidates_that_were_asked_for_are_refused_where_they_do_not_fit():
    with pytest.raises(InvalidValue, match=r"'exact' needs, for 19 variables with up to 18 candidates.*256\.0 MiB"):
        osp.learn(gaussian_data(19, 30, seed=0), method="exact", candidates=18, memory_limit=256 * MIB)


def test_more_of_anything_takes_more():
    sizes = FamilySizes.of([8] * 12)
    assert exact_order_bytes(FamilySizes.of([9] * 12), 1) > exact_order_bytes(sizes, 1)
    assert exact_order_bytes(FamilySizes.of([8] * 12, [1] * 12), 1) > exact_order_bytes(sizes, 1)
    assert exact_order_bytes(sizes, 4) > exact_order_bytes(sizes, 1)
    assert exact_order_bytes(sizes, 12) == exact_order_bytes(sizes, 64)  # a family is one thread's
    assert exact_dag_bytes(sizes, 1) > exact_order_bytes(sizes, 1)
    assert circuit_bytes(sizes, [6, 6, 6], 1) > circuit_bytes(sizes, [6, 6], 1)
    assert circuit_bytes(sizes, [12], 1) > exact_order_bytes(sizes, 1)  # it keeps the sums from the end
    assert listed_bytes(10, 5) < listed_bytes(11, 5) < listed_bytes(11, 6)


def test_what_cannot_be_numbered():
    many = FamilySizes.of([2] * (MOST_ORDERED + 1))
    with pytest.raises(
        InvalidValue, match=f"at most {MOST_ORDERED} variables can be summed at once; got a block of {MOST_ORDERED + 1}"
    ):
        exact_order_bytes(many, 1)
    with pytest.raises(InvalidValue, match=r"at most 16 variables; got 17.*method='gadget'"):
        exact_dag_bytes(FamilySizes.of([2] * 17), 1)
    with pytest.raises(
        InvalidValue, match=f"at most {MOST_IN_CIRCUIT_BLOCK} variables; got {MOST_IN_CIRCUIT_BLOCK + 1}"
    ):
        circuit_bytes(many, [3, MOST_IN_CIRCUIT_BLOCK + 1], 1)


def test_fewer_threads_where_all_do_not_fit():
    """What they work on is theirs: with one there is room for what eight have none for."""
    sizes = FamilySizes.of([12] * 14)
    one, eight = (exact_order_bytes(sizes, n_jobs) for n_jobs in (1, 8))
    assert one < eight
    for limit, expected in ((one, 1), ((one + eight) // 2, 4), (eight, 8)):
        posterior = osp.learn(
            gaussian_data(14, 30, seed=0), method="exact", candidates=12, n_jobs=8, memory_limit=limit
        )
        assert posterior.model.workers.n_jobs == expected
