"""Whole runs: what particles find, within which limits, and that a seed settles the answer."""

import subprocess
import sys

import numpy as np
import pytest

from dibs.blocks import gaussian, problem, random_block, some_family_scores
from helpers.families import scores_of
from helpers.levels import parameters
from orderspn.core.errors import InvalidType, InvalidValue, MissingExtra
from orderspn.dibs import step
from orderspn.dibs.graphs import acyclic_graphs, are_cyclic, hard_graphs, log_scores
from orderspn.dibs.particles import CHUNK, DibsSettings, initial_latent, run
from reference.dags import DagList

SHORT = DibsSettings(particles=4, steps=20, graph_samples=8, acyclicity_samples=4)


def masses_held(data_seed):
    """Share of the exact posterior that distinct particles hold, that so many best DAGs hold, and 30 exact draws."""
    _, families = gaussian(4, 30, data_seed)
    logits = run(problem(families), DibsSettings(steps=1000), data_seed).logits
    exact = DagList(scores_of(families))
    found = {tuple(m) for m in np.einsum("pij,i->pj", hard_graphs(logits), 1 << np.arange(4)).tolist()}
    held = sum(exact.graph_probabilities().get(graph, 0.0) for graph in found)
    best = np.sort(exact.p)[::-1][: len(found)].sum()
    drawn = (exact.p * (1 - (1 - exact.p) ** len(logits))).sum()
    return held, best, drawn, are_cyclic(hard_graphs(logits), np.arange(4))


@pytest.mark.exhaustive
def test_particles_concentrate_on_probable_dags():
    """Of 543 DAGs so many at random would hold a twentieth; so many draws from the posterior itself are the ideal."""
    held, best, drawn, cyclic = map(np.array, zip(*map(masses_held, range(4)), strict=True))
    assert (held <= best + 1e-12).all()
    assert held.mean() > 0.5 * drawn.mean()
    assert (held > 3 * 30 / 543).all()
    assert cyclic.mean() < 0.2


def share_of_cycles(families, **options):
    logits = run(problem(families), DibsSettings(steps=1000, **options), 0).logits
    return are_cyclic(hard_graphs(logits), np.arange(len(families))).mean()


@pytest.mark.exhaustive
def test_the_penalty_keeps_cycles_away():
    """Where dependence is strong the best parents of all variables make a cyclic graph; only the penalty forbids it."""
    _, families = gaussian(4, 300, 1)
    best = np.stack([family.indicators(np.array([family.log_score.argmax()]), 4)[0] for family in families], axis=1)
    assert are_cyclic(best[None], np.arange(4)).all()
    assert share_of_cycles(families, beta=1e-9) > 0.8
    assert share_of_cycles(families) < 0.2


@pytest.mark.thorough
@pytest.mark.parametrize("seed", parameters(range(4), quick=[0], test=[0, 1]))
def test_edges_stay_within_the_block(seed):
    families, before, variables = random_block(np.random.default_rng(seed), d_max=5)
    particles = run(problem(families, (before, variables)), SHORT, seed)
    outside = [v for v in range(len(families)) if v not in {*before, *variables}]
    assert particles.logits.shape == (4, len(families), len(variables))
    np.testing.assert_array_equal(particles.logits[:, outside], -np.inf)
    np.testing.assert_array_equal(particles.probabilities[:, outside], 0)
    for j, target in enumerate(variables):
        assert (particles.logits[:, target, j] == -np.inf).all()
        candidates = np.intersect1d(families[target].candidates, [*before, *variables])
        assert np.isfinite(particles.logits[:, candidates, j]).all()


def test_sources_without_edges_do_not_keep_particles_apart():
    families, _ = some_family_scores(5, seed=0)
    block = problem(families, ([1], [0, 3])).block
    latent = initial_latent(block, 1000, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(latent[:, [2, 4]], 0)
    others = latent[:, [0, 1, 3, 5, 6]]
    assert others.std() == pytest.approx(1 / np.sqrt(3), rel=0.05)


@pytest.mark.thorough
def test_a_seed_settles_the_answer_whatever_was_run_before():
    families, _ = some_family_scores(6, seed=1)
    blocks = [([], [0, 1, 2]), ([5, 3], [0, 2, 4]), ([1], [3, 4, 5])]
    first = [run(problem(families, block), SHORT, seed).logits for block, seed in zip(blocks, (7, 8, 9), strict=True)]
    for block, seed, logits in list(zip(blocks, (7, 8, 9), first, strict=True))[::-1]:
        np.testing.assert_array_equal(run(problem(families, block), SHORT, seed).logits, logits)
    assert (run(problem(families, blocks[0]), SHORT, 8).logits != first[0]).any()


@pytest.mark.thorough
def test_a_run_does_not_depend_on_how_it_is_cut(monkeypatch):
    families, _ = some_family_scores(4, seed=1)
    whole = run(problem(families), SHORT, 0).logits
    monkeypatch.setattr("orderspn.dibs.particles.CHUNK", 7)
    np.testing.assert_array_equal(run(problem(families), SHORT, 0).logits, whole)


@pytest.mark.exhaustive
def test_blocks_of_one_size_share_a_program(monkeypatch):
    families, _ = some_family_scores(6, seed=1)
    traces, original = [], step.step

    def counted(*arguments):
        traces.append(1)
        return original(*arguments)

    monkeypatch.setattr(step, "step", counted)
    settings = DibsSettings(particles=4, steps=5, graph_samples=9, acyclicity_samples=3)  # shapes of no other test
    run(problem(families, ([], [0, 1, 2])), settings, 0)
    after_first = len(traces)
    assert after_first > 0
    run(problem(families, ([], [3, 1, 5])), settings, 1)
    run(problem(families, ([], [2, 4, 0])), settings, 2)
    run(problem(families, ([], [3, 4, 5])), DibsSettings(**{**vars(settings), "alpha": 0.3, "steps": 11}), 3)
    assert len(traces) == after_first
    run(problem(families, ([], [0, 1])), settings, 0)
    assert len(traces) > after_first


@pytest.mark.thorough
def test_progress_counts_all_steps():
    families, _ = some_family_scores(3, seed=1)
    told = []
    settings = DibsSettings(particles=2, steps=CHUNK + 10, graph_samples=4, acyclicity_samples=2)
    run(problem(families, ([], [0, 1])), settings, 0, told.append)
    assert sum(told) == settings.steps
    assert max(told) <= CHUNK


@pytest.mark.thorough
def test_impossible_sets_leave_numbers_finite():
    families, _ = some_family_scores(3, seed=1)
    for family in families:
        family.log_score[1:-1] = -np.inf
    logits = run(problem(families), SHORT, 0).logits
    assert np.isfinite(logits[:, ~np.eye(3, dtype=bool)]).all()


@pytest.mark.thorough
def test_certain_edges_stay():
    families, _ = some_family_scores(3, seed=1)
    families[0].log_score[[0, 2]] = -np.inf  # 1 -> 0 always, and so never 0 -> 1
    families[1].log_score[[1, 3]] = -np.inf
    logits = run(problem(families), SHORT, 0).logits
    assert (logits[:, 1, 0] == np.inf).all()
    assert (logits[:, 0, 1] == -np.inf).all()
    graphs, _ = acyclic_graphs(logits, np.arange(3))
    assert graphs[:, 1, 0].all()
    assert np.isfinite(log_scores(graphs, problem(families))).all()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"particles": 0}, InvalidValue),
        ({"steps": 2.5}, InvalidType),
        ({"latent": 0}, InvalidValue),
        ({"alpha": 0.0}, InvalidValue),
        ({"beta": -1.0}, InvalidValue),
        ({"graph_samples": 0}, InvalidValue),
        ({"acyclicity_samples": "many"}, InvalidType),
        ({"bandwidth": float("inf")}, InvalidValue),
        ({"rate": 0}, InvalidValue),
    ],
)
def test_settings_are_checked(wrong, error):
    with pytest.raises(error, match=next(iter(wrong))):
        DibsSettings(**wrong)


def test_says_how_to_install_what_is_absent(monkeypatch):
    families, _ = some_family_scores(3, seed=1)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingExtra, match=r'DiBS needs JAX: pip install "orderspn\[jax\]"'):
        run(problem(families), SHORT, 0)


def test_import_does_not_load_jax():
    code = "import sys, orderspn.dibs.particles, orderspn.dibs.graphs\nassert not {'jax', 'jaxlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
