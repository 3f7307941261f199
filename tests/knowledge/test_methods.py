"""No method gives a forbidden edge any probability, a required one less than 1, or violates a tier."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.knowledge import knowledge
from helpers.levels import parameters
from reference.knowledge import allows

METHODS = {
    "exact": {"method": "exact"},
    "exact over DAGs": {"method": osp.methods.Exact(target="dag")},
    "exact, few candidates": {"method": osp.methods.Exact(outsiders=1), "candidates": 1},
    "trust": {"method": osp.methods.Trust(n_orders=20, effort=0.02, block_size=2)},
    "trust, outsiders": {"method": osp.methods.Trust(n_orders=20, effort=0.02, block_size=2), "candidates": 1},
    "trust, pairs of outsiders": {
        "method": osp.methods.Trust(n_orders=20, effort=0.02, block_size=1, outsiders=2, refine=1),
        "candidates": 1,
    },
    "trust, random oracle": {"method": osp.methods.Trust(oracle="random", block_size=2)},
    "trust, order MCMC": {"method": osp.methods.Trust(oracle="order-mcmc", expansion=[4], block_size=3)},
    "trust, enumeration": {"method": osp.methods.Trust(oracle="enumeration", block_size=3)},
    "trust, Gadget": {"method": osp.methods.Trust(oracle="gadget", expansion=[4], block_size=3)},
    "gadget": {"method": osp.methods.Gadget(effort=0.002, n_graphs=400)},
    "gadget, few candidates": {"method": osp.methods.Gadget(effort=0.002, n_graphs=400), "candidates": 1},
    "dibs": {"method": osp.methods.DiBS(effort=0.01, n_particles=8)},
    "dibs, few candidates": {"method": osp.methods.DiBS(effort=0.01, n_particles=8), "candidates": 2},
}

OTHERS = [name for name in METHODS if "dibs" not in name]
LONG = {"trust, pairs of outsiders", "trust, Gadget", "gadget"}
"""Methods that take long and have siblings which do the same in less time."""


def learned(values, names, known, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short chains
        return osp.learn(values, variables=names, knowledge=known, **arguments, standardize=False)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", parameters(OTHERS, quick=["exact", "trust"], test=[name for name in OTHERS if name not in LONG])
)
@settings(max_examples=max(3, settings().max_examples // 8))  # each learns a posterior
@given(data=st.data())
def test_every_method_keeps_to_it(name, data):
    check_method(name, letters(data.draw(st.integers(4, 5))), data)


@pytest.mark.parametrize("name", parameters(["dibs", "dibs, few candidates"], quick=[], test=[]))
@settings(max_examples=max(3, settings().max_examples // 10))  # JAX compiles programs
@given(data=st.data())
def test_dibs_keeps_to_it(name, data):
    check_method(name, letters(4), data)


def check_method(name, names, data):
    known = data.draw(knowledge(names))
    values = gaussian_data(len(names), 40, seed=data.draw(st.integers(0, 1000)))
    posterior = learned(values, names, known, METHODS[name])

    edges = posterior.edge_probabilities()
    for cause, effect in known.required:
        assert edges.loc[cause, effect] == 1.0
        assert posterior.probability(osp.Edges(present=[(cause, effect)])) == 1.0
    impossible = [(c, e) for c in names for e in names if c != e and not may_be(known, c, e)]
    for cause, effect in impossible:
        assert edges.loc[cause, effect] == 0.0
        assert posterior.probability(osp.Edges(present=[(cause, effect)])) == 0.0
    graphs = [*posterior.sample(30, rng=0).to_networkx(), posterior.most_probable_graph().graph]
    for graph in graphs:
        for child, effect in enumerate(names):
            parents = [names.index(cause) for cause in graph.predecessors(effect)]
            assert allows(known, names, child, parents), (known, graph.edges)
    for child in names:
        for parents in posterior.parent_sets(child)["parents"]:
            assert allows(known, names, names.index(child), [names.index(p) for p in parents])
    assert np.isfinite(edges.to_numpy()).all()


def may_be(known, cause, effect):
    """Whether an edge alone, beside required ones, breaks nothing."""
    single = osp.Knowledge(
        (), known.forbidden, known.tiers, known.within_tiers, known.roots, known.leaves, known.max_parents
    )
    return allows(single, [cause, effect], 1, [0])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", METHODS)
def test_a_file_keeps_to_it(name, tmp_path):
    names = letters(4)
    known = osp.Knowledge(
        required=[("A", "B")], tiers=[["A"], ["C", "D"]], edge_probabilities={("B", "C"): 0.9}, max_parents={"D": 1}
    )
    posterior = learned(gaussian_data(4, 40, seed=3), names, known, METHODS[name])
    posterior.save(tmp_path / "posterior.npz")
    again = osp.load(tmp_path / "posterior.npz")
    assert again.knowledge == known
    np.testing.assert_allclose(again.edge_probabilities(), posterior.edge_probabilities(), rtol=0, atol=1e-12)
    assert again.most_probable_graph().log_score == pytest.approx(posterior.most_probable_graph().log_score)
