"""Files of posteriors that know about orders: the same answers, with parents as they were learned."""

import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.files import forge, read_members
from orderspn.storage import read_manifest

NAMES = ["heart rate", "<", "x<3", "D", "E"]
HOW = {
    "exact": {},
    "two candidates": {"candidates": 2},
    "one outsider": {"candidates": 1, "method": osp.methods.Exact(outsiders=1)},
    "two outsiders": {"candidates": 1, "method": osp.methods.Exact(outsiders=2)},
    "circuit": {"method": osp.methods.Trust(expansion=[6], block_size=3, refine=0), "candidates": 2},
    "sampled orders": {"method": osp.methods.Trust(n_orders=200, block_size=2, outsiders=1), "candidates": 1},
}
EVIDENCE = osp.Edges(absent=[("D", "E")], before=[("heart rate", "<"), ("x<3", "<"), ("D", "heart rate")])


@pytest.fixture(scope="module", params=HOW)
def learned(request):
    values = gaussian_data(5, 40, seed=3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*probably have more parents")  # one candidate is few on purpose
        return osp.learn(values, variables=NAMES, rng=1, n_jobs=1, **HOW[request.param])


@pytest.fixture
def saved(learned, tmp_path):
    path = tmp_path / "under.npz"
    learned.given(EVIDENCE).save(path)
    return path


@pytest.mark.thorough
def test_the_same_answers(learned, saved):
    under, again = learned.given(EVIDENCE), osp.load(saved, n_jobs=1)
    assert again.evidence == under.evidence == EVIDENCE
    assert again.candidates == under.candidates == learned.candidates
    assert again.outsiders == under.outsiders == learned.outsiders
    assert again.log_evidence == under.log_evidence < learned.log_evidence
    assert again.entropy() == under.entropy()
    assert again.summary() == under.summary()
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        assert getattr(again, query)().equals(getattr(under, query)())
    assert again.most_probable_graph().edges == under.most_probable_graph().edges
    np.testing.assert_array_equal(again.sample(100, rng=4).orders, under.sample(100, rng=4).orders)
    assert again.precedence().loc["heart rate", "<"] == pytest.approx(1.0)


@pytest.mark.thorough
def test_parents_are_saved_as_learned(learned, saved, tmp_path):
    learned.save(tmp_path / "free.npz")
    one, other = (read_members(path)[0] for path in (saved, tmp_path / "free.npz"))
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


def test_tables_have_more_candidates_than_are_shown(learned):
    """Otherwise saving parents as learned would be no question."""
    walled = any(second not in first for first, second in _told(learned))
    grown = [
        family.candidates.size > candidates.size
        for family, candidates in zip(learned.given(EVIDENCE).model.families, learned.model.candidates, strict=True)
    ]
    assert any(grown) == walled


def _told(posterior):
    """Candidates of each variable that comes after another, and that other one."""
    return [(posterior.candidates[after], before) for before, after in EVIDENCE.before]


def test_the_manifest_says_what_comes_before(saved):
    evidence = read_manifest(saved)["evidence"]
    assert evidence["before"] == [list(pair) for pair in EVIDENCE.before]
    assert (evidence["present"], evidence["absent"]) == ([], [["D", "E"]])


@pytest.mark.parametrize("wrong", [[["D"]], [["D", "D"]], [["D", "missing"]], 5, [["D", "E"], ["E", "D"]]])
def test_damage_is_noticed(saved, wrong):
    forge(saved, lambda _, manifest: manifest["evidence"].update(before=wrong))
    with pytest.raises(ValueError, match="is damaged"):
        osp.load(saved, n_jobs=1)
