"""Candidates and outsiders where something is known: those required are in, those forbidden are nowhere."""

import itertools
import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from reference.knowledge import allows

NAMES = letters(12)
KNOWN = osp.Knowledge(
    required=[("A", "L"), ("B", "L"), ("C", "D")],
    forbidden=[("E", name) for name in NAMES if name != "E"],
    tiers=[NAMES[:4], NAMES[8:]],
    max_parents={"F": 1},
)
METHODS = {
    "exact": osp.methods.Exact(),
    "trust": osp.methods.Trust(effort=0.01, n_orders=40),
    "gadget": osp.methods.Gadget(effort=0.001, n_graphs=200),
}


def learned(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short chains
        values = gaussian_data(12, 80, seed=2)
        return osp.learn(values, variables=NAMES, knowledge=KNOWN, candidates=3, method=method, standardize=False)


@pytest.mark.thorough
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("outsiders", [0, 1, 2])
def test_candidates_and_outsiders_keep_to_it(name, outsiders):
    posterior = learned(METHODS[name].with_settings(outsiders=outsiders))
    for cause, effect in KNOWN.required:
        assert cause in posterior.candidates[effect]
    single = osp.Knowledge((), KNOWN.forbidden, KNOWN.tiers)
    for effect in NAMES:
        for cause in (*posterior.candidates[effect], *posterior.outsiders[effect]):
            assert allows(single, NAMES, NAMES.index(effect), [NAMES.index(cause)])
    graphs = posterior.sample(50, rng=0).adjacency
    for cause, effect in KNOWN.required:
        assert graphs[:, NAMES.index(cause), NAMES.index(effect)].all()
    assert not graphs[:, NAMES.index("E")].any()
    assert graphs[:, :, NAMES.index("F")].sum(axis=1).max() <= 1


def test_nothing_is_lost_where_all_that_may_be_are_candidates():
    values = gaussian_data(12, 80, seed=2)
    causes, effects = NAMES[:3], NAMES[3:]
    known = osp.Knowledge(roots=causes, tiers=[causes, effects], forbidden=itertools.permutations(effects, 2))
    some = osp.learn(values, variables=NAMES, knowledge=known, method="exact", candidates=3, standardize=False)
    everything = osp.learn(values, variables=NAMES, knowledge=known, method="exact", standardize=False)
    assert "lost_share" not in some.settings
    np.testing.assert_array_equal(some.edge_probabilities(), everything.edge_probabilities())


def test_too_many_required_causes():
    names = [f"v{i}" for i in range(30)]
    with pytest.raises(ValueError, match="'v0' has 25 required causes; at most 24 are possible"):
        osp.learn(
            gaussian_data(30, 40, seed=0),
            variables=names,
            method="trust",
            standardize=True,
            knowledge=osp.Knowledge([(name, "v0") for name in names[1:26]]),
        )
