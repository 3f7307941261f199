"""The best graph by search, along all orders, against a list of all graphs."""

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.cases import CASES, EVIDENCE, NAMES, both
from helpers.data import gaussian_data, letters
from helpers.evidence import as_edges, as_indices
from helpers.families import parents_of
from reference.enumeration import Enumeration

SEARCHED = ["fair", "one outsider", "part of the orders", "one outsider, part of the orders", "sampled orders, elbo"]
CONDITIONS = ["nothing", "one present", "fork", "absent in every family", "only one order"]


def all_graphs(posterior):
    """Every pair of an order and a graph of the families, whatever the circuit covers."""
    return Enumeration.of(
        {
            f.child: {parents_of(f, n): float(s) + f.log_scale for n, s in enumerate(f.log_score)}
            for f in posterior._families
        }
    )


@pytest.mark.parametrize("evidence", CONDITIONS)
@pytest.mark.parametrize("case", SEARCHED)
def test_it_is_the_best_of_all(case, evidence):
    posterior = both(case).posterior
    indices = as_indices(EVIDENCE[evidence], NAMES)
    given = as_edges(*indices, NAMES)
    if posterior.probability(given) == 0.0:
        with pytest.raises(osp.ImpossibleEvidence, match="cannot condition on"):
            posterior.best_graph(given, effort=0.05)
        return
    twin = all_graphs(posterior).given(*indices)
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


def test_the_cases_cover_only_a_part():
    """Otherwise the search would have nothing to find beyond the circuit."""
    covered = [len(np.unique(both(case).brute.orders, axis=0)) for case in SEARCHED]
    assert covered[:2] == [24, 24]
    assert max(covered[2:]) < 24
    assert set(SEARCHED) <= set(CASES)


def test_it_is_never_worse_than_the_best_of_the_circuit():
    posterior = osp.learn(
        gaussian_data(9, 40, seed=2),
        variables=letters(9),
        method="trust",
        candidates=3,
        refine=0,
        expansion=[3, 1],
        block_size=3,
        oracle="random",
        rng=0,
        n_jobs=1,
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
