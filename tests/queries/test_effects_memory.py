"""The estimated memory of expected weights against what NumPy allocates."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import orderspn as osp
import orderspn.models.order_graphs
from helpers.data import gaussian_data, letters
from orderspn.core.workers import Workers
from orderspn.queries.effects import effects_memory

CUT = osp.methods.Trust(effort=0.01, refine=0)
CASES = {
    "exact": ("exact", 11),
    "circuit": (CUT.with_settings(outsiders=0, n_orders=8, block_size=4), 10),
    "circuit, outsiders": (CUT.with_settings(outsiders=1, n_orders=8, block_size=4), 9),
    "single variables": (CUT.with_settings(outsiders=0, n_orders=2, block_size=1), 11),
}


def learn(name):
    method, candidates = CASES[name]
    values = gaussian_data(12, 60, seed=1)
    return osp.learn(
        values, variables=letters(12), candidates=candidates, method=method, rng=0, n_jobs=1, standardize=False
    )


@pytest.mark.filterwarnings("ignore:independent searches disagree")
@pytest.mark.parametrize("name", CASES)
def test_it_is_what_is_used(name, monkeypatch):
    posterior = learn(name)
    posterior.causal_effects()  # compiles, and fills what is kept
    tracemalloc.start()
    posterior.causal_effects()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    told = []
    counted = lambda *arguments: told.append(effects_memory(*arguments)) or told[-1]  # noqa: E731
    monkeypatch.setattr(orderspn.models.order_graphs, "effects_memory", counted)
    posterior.causal_effects()
    assert 0.5 * peak < told[0] < 2.0 * peak


def with_memory(posterior, limit):
    return replace(posterior.model, workers=replace(posterior.model.workers, memory=limit))


@pytest.mark.filterwarnings("ignore:independent searches disagree")
def test_the_limit_counts_what_is_used():
    """With outsiders far less than a number for every variable and parent set."""
    posterior = learn("circuit, outsiders")
    all_pairs = 8 * 12 * sum(family.log_score.size for family in posterior.model.families)
    needed = effects_memory(posterior.model.families, 4, Workers(1))
    between_blocks = posterior.model.orders.effect_bytes
    assert between_blocks == 8 * 12 * posterior.model.orders.circuit.structure.sizes.sum()
    with_posterior = posterior.model.kept_bytes + between_blocks + needed
    assert np.isfinite(with_memory(posterior, with_posterior).effects()).all()
    with pytest.raises(ValueError, match=r"exact effects need about .* MiB .*Use estimate_effects\(\)"):
        with_memory(posterior, with_posterior - 1).effects()
    assert needed < 1.2 * all_pairs


def test_threads_need_room():
    families = learn("exact").model.families
    assert effects_memory(families, 12, Workers(4)) > effects_memory(families, 12, Workers(1))
