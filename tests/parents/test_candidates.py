"""Candidate parents: all others, a number of them by forward selection, or as given."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.parents.candidates import choose_candidates, forward_selection
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size
from reference.forward_selection import forward_selection as reference_selection


def local_score(values, **hyperparameters):
    d = values.shape[1]
    return LocalScore(BGe(**hyperparameters).fit(read_table(values)), log_prior_by_size("fair", d), d - 1)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hyperparameters", [{}, {"alpha_mu": 0.2, "t": 0.05}])
def test_forward_selection(seed, hyperparameters):
    values = gaussian_data(7, 30, seed=seed)
    score = local_score(values, **hyperparameters)
    for child in range(7):
        for size in range(7):
            chosen = forward_selection(score, child, size)
            assert sorted(chosen.tolist()) == reference_selection(values, child, size, **hyperparameters)
            assert chosen.dtype == np.int64


def test_a_number_takes_the_selected_ones():
    values, names = gaussian_data(6, 30, seed=1), letters(6)
    posterior = osp.learn(values, variables=names, candidates=2, standardize=False)
    for child, name in enumerate(names):
        assert posterior.candidates[name] == [names[v] for v in reference_selection(values, child, 2)]


@pytest.mark.parametrize("candidates", ["auto", 5, 99])
def test_all_others(candidates):
    posterior = osp.learn(gaussian_data(6, 30, seed=1), variables=letters(6), candidates=candidates, standardize=False)
    for name in letters(6):
        assert posterior.candidates[name] == [n for n in letters(6) if n != name]


def test_no_candidates_leave_the_empty_graph():
    posterior = osp.learn(gaussian_data(4, 30, seed=1), candidates=0, standardize=False)
    assert posterior.candidates == {f"X{i}": [] for i in range(1, 5)}
    assert posterior.edge_probabilities().to_numpy().sum() == 0.0
    np.testing.assert_allclose(posterior.precedence(), (1 - np.eye(4)) / 2, atol=1e-12)
    assert posterior.entropy() == pytest.approx(np.log(24), abs=1e-10)
    assert posterior.sample(5, rng=0).adjacency.sum() == 0
    np.testing.assert_array_equal(posterior.causal_effects(), np.eye(4))


def test_all_others_need_no_score():
    """Where nothing is chosen, nothing is computed."""
    names = letters(9)
    everyone = choose_candidates(8, names, LocalScore(None, np.zeros(9), 8), Workers())
    assert [c.tolist() for c in everyone] == [[v for v in range(9) if v != child] for child in range(9)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_number_is_selected_for_every_variable(n_jobs):
    values = gaussian_data(9, 40, seed=0, density=0.3)
    chosen = choose_candidates(4, letters(9), local_score(values), Workers(n_jobs))
    assert [c.tolist() for c in chosen] == [reference_selection(values, child, 4) for child in range(9)]


def test_a_mapping_is_taken_as_it_is():
    mapping = {"C": ("A",), "A": ["D", "B", "D"], "B": [], "D": {"C": 1}}
    posterior = osp.learn(gaussian_data(4, 30, seed=1), variables=letters(4), candidates=mapping, standardize=False)
    assert posterior.candidates == {"A": ["B", "D"], "B": [], "C": ["A"], "D": ["C"]}
    edges = posterior.edge_probabilities()
    assert edges.loc["A", "B"] == edges.loc["C", "A"] == 0.0
    assert edges.loc["A", "C"] > 0.0
