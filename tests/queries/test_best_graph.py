"""The best graph by search, along all orders, against a list of all graphs."""

from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
import orderspn.search.best_graph
from helpers.cases import CASES, EVIDENCE, NAMES, both
from helpers.data import gaussian_data, letters
from helpers.evidence import as_edges, as_indices
from helpers.families import parents_of
from orderspn.core.dag import all_dags
from orderspn.leaves.family import Family
from orderspn.queries.evidence import possible_families
from orderspn.scores.parent_rules import ParentRules
from orderspn.search.best_graph import best_within
from orderspn.search.ensemble import Ensemble
from reference.enumeration import Enumeration

SEARCHED = ["fair", "one outsider", "part of the orders", "one outsider, part of the orders", "sampled orders, elbo"]
BEYOND_FAMILIES = [("one outsider, part of the orders", "nothing")]
CONDITIONS = ["nothing", "one present", "fork", "absent in every family", "only one order"]


def all_graphs(posterior):
    """Every pair of an order and a graph of the families, covered by the circuit or not."""
    return Enumeration.of(
        {
            f.child: {parents_of(f, n): float(s) + f.log_scale for n, s in enumerate(f.log_score)}
            for f in posterior.model.families
        }
    )


def best_of_any_parents(posterior):
    """The highest score of all graphs, also of those that the families do not have."""
    local = posterior.model.score
    return max(sum(local.of_set(v, np.flatnonzero(graph[:, v])) for v in range(4)) for graph in all_dags(4))


@pytest.mark.parametrize(("case", "evidence"), sorted(set(product(SEARCHED, CONDITIONS)) - set(BEYOND_FAMILIES)))
def test_it_is_the_best_of_all(case, evidence):
    posterior = both(case).posterior
    indices = as_indices(EVIDENCE[evidence], NAMES)
    given = as_edges(*indices, NAMES)
    twin = all_graphs(posterior).given(*indices)
    if not (twin.log_weight > -np.inf).any():
        with pytest.raises(osp.ImpossibleEvidence, match="cannot condition on"):
            posterior.best_graph(given, effort=0.05)
        return
    best = posterior.best_graph(given, effort=0.05)
    assert best.log_score == pytest.approx(twin.best_log_weight(), rel=0, abs=1e-8)
    present = [(NAMES.index(c), NAMES.index(e)) for c, e in best.graph.edges]
    absent = [(c, e) for c in range(4) for e in range(4) if c != e and (c, e) not in present]
    pairs = twin.given(present, absent)
    np.testing.assert_allclose(pairs.log_weight, best.log_score, rtol=0, atol=1e-8)
    assert tuple(NAMES.index(v) for v in best.order) in set(map(tuple, pairs.orders.tolist()))
    assert set(best.edges.present) == set(best.graph.edges)
    assert len(best.edges.present) + len(best.edges.absent) == 12
    assert nx.is_directed_acyclic_graph(best.graph)
    assert set(best.graph.nodes) == set(NAMES)


def test_families_that_were_limited_to_save_memory_are_no_limit():
    """They have outsiders: any variable may be a parent, and only the number of those at once is limited."""
    ((case, _),) = BEYOND_FAMILIES
    posterior = both(case).posterior
    best = posterior.best_graph(effort=0.05)
    assert best.log_score == pytest.approx(best_of_any_parents(posterior), rel=0, abs=1e-7)
    assert best.log_score > all_graphs(posterior).best_log_weight() + 1e-3
    assert set(best.graph.nodes) == set(NAMES)
    assert set(best.edges.present) == set(best.graph.edges)
    assert len(best.edges.present) + len(best.edges.absent) == 12
    assert all(best.order.index(cause) < best.order.index(effect) for cause, effect in best.graph.edges)


def test_families_without_outsiders_are_meant_as_they_are():
    posterior = both("circuit of all orders, blocks").posterior
    best = posterior.best_graph(effort=0.05)
    assert best.log_score == pytest.approx(all_graphs(posterior).best_log_weight(), rel=0, abs=1e-8)
    assert best.log_score < best_of_any_parents(posterior) - 1e-3


def test_the_cases_cover_only_a_part():
    """Otherwise the search would have nothing to find beyond the circuit."""
    covered = [len(np.unique(both(case).brute.orders, axis=0)) for case in SEARCHED]
    assert covered[:2] == [24, 24]
    assert max(covered[2:]) < 24
    assert set(SEARCHED) <= set(CASES)


def test_some_conditions_are_not_covered():
    """Otherwise the search would not begin beyond the circuit either."""
    uncovered = [
        (case, name)
        for case in SEARCHED
        for name in CONDITIONS
        if both(case).posterior.probability(as_edges(*as_indices(EVIDENCE[name], NAMES), NAMES)) == 0.0
        and (all_graphs(both(case).posterior).given(*as_indices(EVIDENCE[name], NAMES)).log_weight > -np.inf).any()
    ]
    assert uncovered


def test_evidence_that_leaves_no_order():
    """Each variable may have its cause, but two of them only together with the other."""
    no_variables = np.empty(0, dtype=np.int64)
    demanding = [
        Family(0, np.array([1]), np.array([-np.inf, 0.0])),
        Family(1, np.array([0]), np.array([-np.inf, 0.0])),
        Family(2, no_variables, np.zeros(1)),
    ]
    with pytest.raises(osp.ImpossibleEvidence, match="no order of the variables leaves each of them"):
        possible_families(demanding, demanding, ParentRules.none(3), osp.Edges(), osp.Edges(), NAMES[:3])


def test_the_best_of_the_circuit_is_kept_when_the_search_misses_it(monkeypatch):
    """The posterior's own best order is tried, wherever the chains end."""
    posterior = both("one outsider, part of the orders").posterior
    best = posterior.most_probable_graph()

    def scores_of(orders):
        return np.array([best_within(order, posterior.model.families, np.arange(4)).log_score for order in orders])

    everything = np.array(list(permutations(range(4))))
    ends = everything[[scores_of(everything).argmin()]]
    monkeypatch.setattr(Ensemble, "coldest_draws", lambda *_: ends)
    monkeypatch.setattr(orderspn.search.best_graph, "_polish_all", lambda orders, *_: (orders, scores_of(orders)))
    found = posterior.best_graph(effort=0.05)
    assert found.log_score >= best.log_score - 1e-9
    assert scores_of(ends)[0] + sum(f.log_scale for f in posterior.model.families) < best.log_score - 1e-3


@pytest.mark.thorough
def test_it_is_never_worse_than_the_best_of_the_circuit():
    posterior = osp.learn(
        gaussian_data(9, 40, seed=2),
        variables=letters(9),
        method=osp.methods.Trust(refine=0, expansion=[3, 1], block_size=3, oracle="random"),
        candidates=3,
        rng=0,
        n_jobs=1,
        standardize=False,
    )
    for given in (None, "A !-> B, C !-> D"):
        best = posterior.best_graph(given, rng=1)
        assert best.log_score >= posterior.most_probable_graph(given).log_score - 1e-9
        assert all(not best.graph.has_edge(*edge) for edge in posterior.given(given).evidence.absent)
    again = posterior.best_graph(rng=1)
    assert again.edges == posterior.best_graph(rng=1).edges


@pytest.mark.parametrize("effort", [0, -1.0, np.inf])
def test_effort(effort):
    with pytest.raises(ValueError, match="effort must be a finite number greater than 0"):
        both("fair").posterior.best_graph(effort=effort)
