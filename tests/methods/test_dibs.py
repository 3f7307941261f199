"""`learn(method="dibs")` from data to answers."""

import sys
import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from models.all_dags import every_dag
from orderspn.core.errors import InvalidValue, MissingExtra
from reference.local_scores import local_scores

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=27)


SHORT = osp.methods.DiBS(effort=0.2)


def learn(values=VALUES, method=SHORT, n_jobs=1, **arguments):
    """Few steps, after which some particles may have cycles."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\d+ of \d+ particles ended with a cycle")
        return osp.learn(
            values,
            variables=letters(values.shape[1]),
            method=method,
            n_jobs=n_jobs,
            **arguments,
            standardize=False,
        )


@pytest.fixture(scope="module")
def posterior():
    return learn(rng=3)


@pytest.mark.thorough
def test_settings(posterior):
    settings = posterior.settings
    assert (settings["method"], settings["target"], settings["seed"]) == ("dibs", "dag", 3)
    assert (settings["n_graphs"], settings["steps"], settings["weights"]) == (30, 600, "uniform")
    assert (settings["n_particles"], settings["effort"]) == (30, 0.2)
    assert 0 <= settings["cyclic_particles"] < 10
    graphs = {one.tobytes() for one in posterior.model.adjacency}
    assert settings["distinct_graphs"] == len(graphs) > 1
    assert "lost_share" not in settings
    assert f"30 in 600 steps, {settings['cyclic_particles']} with cycles" in posterior.summary()


def test_defaults_are_the_papers():
    usual = osp.methods.DiBS()
    assert (usual.descent.particles, usual.descent.steps, usual.weights) == (30, 3000, "uniform")


def test_log_scores_are_those_of_the_graphs(posterior):
    dags = every_dag(local_scores(VALUES))
    known = dict(zip(map(tuple, dags.masks.tolist()), dags.log_weight, strict=True))
    masks = np.einsum("sij,i->sj", posterior.model.adjacency, 1 << np.arange(4))
    expected = [known[tuple(row)] for row in masks.tolist()]
    np.testing.assert_allclose(posterior.model.log_scores, expected, rtol=0, atol=1e-9)


@pytest.mark.thorough
def test_edges_are_nearer_the_posterior_than_chance():
    exact = every_dag(local_scores(VALUES)).edge_probabilities()
    off = ~np.eye(4, dtype=bool)
    found = learn(method=SHORT.with_settings(weights="score")).edge_probabilities().to_numpy()
    assert np.abs(found - exact)[off].mean() < 0.5 * np.abs(0.5 - exact)[off].mean()


@pytest.mark.thorough
def test_score_weights_are_those_of_distinct_graphs(posterior):
    plus = learn(method=SHORT.with_settings(weights="score"), rng=3)
    np.testing.assert_array_equal(plus.model.adjacency, posterior.model.adjacency)
    graphs = {one.tobytes(): score for one, score in zip(plus.model.adjacency, plus.model.log_scores, strict=True)}
    total = sum(np.exp(score - max(graphs.values())) for score in graphs.values())
    for one, weight in zip(plus.model.adjacency, plus.model.weights, strict=True):
        copies = (plus.model.adjacency == one).all(axis=(1, 2)).sum()
        share = np.exp(graphs[one.tobytes()] - max(graphs.values())) / total
        assert weight * copies == pytest.approx(share)
    best = plus.most_probable_graph()
    assert best.log_probability == pytest.approx(-np.log(total))


@pytest.mark.thorough
def test_candidates_are_a_wall():
    values = gaussian_data(6, 40, seed=1)
    posterior = learn(values, SHORT.with_settings(n_particles=8), candidates=2)
    names = list(letters(6))
    for child, causes in posterior.candidates.items():
        assert len(causes) == 2
        others = [names.index(v) for v in names if v not in causes]
        assert not posterior.model.adjacency[:, others, names.index(child)].any()
    assert 0.0 < posterior.settings["lost_share"] < 1.0


@pytest.mark.thorough
def test_few_steps_leave_cycles_which_are_counted_and_broken():
    values = gaussian_data(6, 300, seed=2)
    with pytest.warns(UserWarning, match=r"\d+ of 30 particles ended with a cycle"):
        posterior = osp.learn(values, method=osp.methods.DiBS(effort=0.001), standardize=False)
    assert posterior.settings["cyclic_particles"] > 0
    orders = np.linalg.matrix_power(posterior.model.adjacency.astype(float), 6)
    assert (orders == 0).all()


@pytest.mark.thorough
def test_progress_is_told():
    told = []
    method = osp.methods.DiBS(effort=0.1, n_particles=2)
    learn(method=method, progress=lambda work, done, total: told.append((work, done, total)))
    assert [t for t in told if t[0] == "particles"][-1] == ("particles", 300, 300)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidValue, match=r"30 particles of 4 variables.*Lower n_particles= or candidates="):
        learn(memory_limit=100_000)


def test_without_jax_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingExtra, match=r'method=.dibs. needs JAX: pip install "orderspn\[jax\]"'):
        learn(method="dibs")
    with pytest.raises(MissingExtra, match=r'oracle=.dibs. needs JAX: pip install "orderspn\[jax\]"'):
        osp.learn(
            gaussian_data(6, 30, seed=0),
            method=osp.methods.Trust(oracle="dibs", expansion=[3], block_size=3),
            standardize=False,
        )
    assert osp.learn(VALUES, standardize=False).edge_probabilities().to_numpy().max() > 0.0


def test_particles_with_too_many_parents_are_trimmed(tmp_path):
    with pytest.warns(UserWarning, match="ended with a cycle"):
        posterior = osp.learn(VALUES, method=osp.methods.DiBS(effort=0.001), max_parents=1, rng=0, standardize=False)
    assert 0 < posterior.settings["trimmed_particles"] <= posterior.settings["n_graphs"] == 30
    assert np.isfinite(posterior.model.log_scores).all()
    assert (posterior.model.adjacency.sum(axis=1) <= 1).all()
    posterior.save(tmp_path / "p.npz")
    assert osp.load(tmp_path / "p.npz").edge_probabilities().equals(posterior.edge_probabilities())


def never_one(size):
    """The prior of graphs in which no variable has a single parent."""
    return float(size != 1)


@pytest.mark.thorough
def test_particles_with_impossible_graphs_are_left_out():
    with pytest.warns(
        UserWarning, match=r"\d+ of 30 particles ended with a graph that prior=, max_parents= or knowledge= forbid"
    ):
        posterior = learn(method=osp.methods.DiBS(effort=0.001), prior=never_one, knowledge="A -> B")
    left_out = posterior.settings["impossible_particles"]
    assert 0 < left_out == 30 - posterior.settings["n_graphs"] == 30 - len(posterior.model.adjacency)
    assert posterior.probability("A -> B") == 1.0
    assert (posterior.model.adjacency[:, :, 1].sum(axis=1) >= 2).all()


@pytest.mark.thorough
def test_none_may_be_left():
    one = osp.methods.DiBS(n_particles=1, effort=0.001)
    with pytest.raises(InvalidValue, match=r"none of the 1 particles ended with a graph.*Raise effort="):
        learn(method=one, prior=never_one, knowledge="A -> B, C !-> B, C -> D", rng=2)
