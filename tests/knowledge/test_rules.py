"""Contradictions are found before any work, with a clear message; rules agree with the slow twin for every set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.knowledge import knowledge
from orderspn.knowledge.rules import parent_rules
from orderspn.scores.structure_prior import log_prior_by_size
from reference.knowledge import allows, log_odds

NAMES = letters(4)


class NoData:
    """A score that must not be fitted."""

    def fit(self, data):
        raise AssertionError("work began before the contradiction was found")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (osp.Knowledge([("A", "B")], [("A", "B")]), "A -> B is required, but it is forbidden"),
        (osp.Knowledge([("A", "B"), ("B", "C"), ("C", "A")]), "form a cycle, A -> B -> C -> A"),
        (osp.Knowledge([("A", "B")], tiers=[["B"], ["A"]]), "A -> B is required, but 'A' is in a later tier than 'B'"),
        (osp.Knowledge([("A", "B")], tiers=[["A", "B"]], within_tiers=False), "both are in the same tier"),
        (osp.Knowledge([("A", "B")], roots=["B"]), "A -> B is required, but 'B' is a root"),
        (osp.Knowledge([("A", "B")], leaves=["A"]), "A -> B is required, but 'A' is a leaf"),
        (
            osp.Knowledge([("A", "B"), ("C", "B")], max_parents=1),
            "'B' is required to have the causes 'A', 'C', but may have at most 1",
        ),
        (osp.Knowledge([("A", "B")], max_parents={"B": 0}), "'B' is required to have the causes 'A', but may have at"),
        (osp.Knowledge((), [("A", "B")], edge_probabilities={("A", "B"): 0.4}), "has a prior probability above 0, but"),
        (osp.Knowledge([("A", "B")], edge_probabilities={("A", "B"): 0.4}), "also has a prior probability below 1"),
        (osp.Knowledge([("A", "E")]), "unknown variable 'E'"),
        (osp.Knowledge(tiers=[["A"], ["b"]]), "unknown variable 'b'"),
        (osp.Knowledge(max_parents={"F": 1}), "unknown variable 'F'"),
        ("A -> B, B -> A", "form a cycle"),
    ],
)
def test_contradictions(known, message):
    with pytest.raises(ValueError, match=message):
        osp.learn(gaussian_data(4, 20, seed=0), variables=NAMES, score=NoData(), knowledge=known, standardize=False)


def test_a_prior_that_leaves_no_graph():
    with pytest.raises(ValueError, match="prior gives weight 0 to every number of parents that 'B' can have"):
        osp.learn(
            gaussian_data(4, 20, seed=0),
            variables=NAMES,
            prior=lambda size: float(size != 1),
            knowledge=osp.Knowledge([("A", "B")], max_parents={"B": 1}),
            standardize=False,
        )


@pytest.mark.parametrize(
    "arguments",
    [
        {"candidates": {"A": ["C"], "B": ["A"], "C": ["A"], "D": ["A"]}},
        {"candidates": 1},
        {"candidates": 1, "method": osp.methods.Exact(target="dag")},
        {"candidates": 1, "method": osp.methods.Trust(outsiders=0, refine=0)},
    ],
)
def test_candidates_that_leave_no_graph(arguments):
    with pytest.raises(
        ValueError, match="'B' cannot have the parents that knowledge=, prior= and max_parents= require"
    ):
        osp.learn(
            gaussian_data(4, 20, seed=0),
            variables=NAMES,
            prior=lambda size: float(size != 1),
            knowledge="A -> B",
            **arguments,
            standardize=False,
        )


def test_required_causes_count_in_the_memory():
    names = [f"v{i}" for i in range(30)]
    known = osp.Knowledge([(name, "v0") for name in names[1:23]])
    with pytest.raises(ValueError, match=r"the limit is 512\.0 MiB"):
        osp.learn(
            gaussian_data(30, 40, seed=0),
            variables=names,
            standardize=True,
            method="trust",
            memory_limit=2**29,
            knowledge=known,
        )


def test_candidates_without_a_required_cause():
    candidates = {"A": [], "B": ["C"], "C": [], "D": []}
    with pytest.raises(ValueError, match=r"candidates\['B'\] must contain 'A', which knowledge= requires"):
        osp.learn(
            gaussian_data(4, 20, seed=0), variables=NAMES, candidates=candidates, knowledge="A -> B", standardize=False
        )


def test_named_candidates_lose_forbidden_ones():
    candidates = {"A": ["B"], "B": ["A", "C"], "C": [], "D": []}
    posterior = osp.learn(
        gaussian_data(4, 20, seed=0), variables=NAMES, candidates=candidates, knowledge="C !-> B", standardize=False
    )
    assert posterior.candidates == {"A": ["B"], "B": ["A"], "C": [], "D": []}


@given(known=knowledge(NAMES), data=st.data())
def test_weights_set_by_set(known, data):
    log_prior = log_prior_by_size("fair", 4)
    rules = parent_rules(known, NAMES, 3, log_prior)
    child = data.draw(st.integers(0, 3))
    others = [v for v in range(4) if v != child]
    candidates = np.array(sorted(data.draw(st.sets(st.sampled_from(others)))), dtype=np.int64)
    always = np.array(sorted(data.draw(st.sets(st.sampled_from(others))) - set(candidates.tolist())), dtype=np.int64)
    weights = np.broadcast_to(rules.log_weights(child, candidates, always), 1 << candidates.size)
    for mask, weight in enumerate(weights):
        parents = [int(v) for bit, v in enumerate(candidates) if mask >> bit & 1] + always.tolist()
        if not allows(known, NAMES, child, parents) and len(parents) <= rules.most[child]:
            assert weight == -np.inf
        elif weight > -np.inf:
            assert weight == pytest.approx(log_odds(known, NAMES, child, parents), abs=1e-12)
        else:  # required edges rule out the way back
            assert any(rules.required[child, p] or not rules.allowed[p, child] for p in parents)


@given(known=knowledge(NAMES), child=st.integers(0, 3))
def test_the_prior_of_all_sets_sums_to_one(known, child):
    soft = osp.Knowledge(edge_probabilities=known.edge_probabilities)
    log_prior = log_prior_by_size("fair", 4)
    rules = parent_rules(soft, NAMES, 3, log_prior)
    others = np.array([v for v in range(4) if v != child])
    sizes = np.bitwise_count(np.arange(8))
    log_weights = rules.log_weights(child, others, np.empty(0, dtype=np.int64)) + log_prior[sizes]
    assert np.exp(log_weights - rules.log_normalizer(child, log_prior)).sum() == pytest.approx(1.0, abs=1e-12)
