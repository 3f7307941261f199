"""What cells measure, against slow and obvious twins."""

from itertools import permutations, product

import numpy as np
import pytest

import orderspn as osp
from orderspn.core.errors import ImpossibleEvidence
from orderspn.experiments import edge_queries, exact
from orderspn.experiments.experiment import make_run
from orderspn.experiments.methods import METHODS, PAPER_MOVES, expansion_of
from orderspn.experiments.tables import Row


def obvious_auroc(probabilities, simulation, known):
    """Every true edge that is left open against every other pair that is."""
    open_pairs = [pair for pair in permutations(simulation.variables, 2) if pair not in known]
    edges = [pair for pair in open_pairs if simulation.graph.has_edge(*pair)]
    others = [pair for pair in open_pairs if not simulation.graph.has_edge(*pair)]
    wins = [np.sign(probabilities.loc[a] - probabilities.loc[b]) / 2 + 0.5 for a, b in product(edges, others)]
    return np.mean(wins)


@pytest.mark.parametrize("n", [1, 4])
def test_conditional_auroc(n):
    run = make_run(6, 2)
    posterior = osp.learn(run.simulation.data, standardize=False)
    for known in edge_queries.select_edges(run, n, 3):
        given = ", ".join(f"{i} -> {j}" for i, j in known)
        expected = obvious_auroc(posterior.edge_probabilities(given).rename_axis(None), run.simulation, known)
        assert edge_queries.conditional_auroc(posterior, run, known) == pytest.approx(expected, abs=1e-12)


class Narrow:
    """A posterior in which one edge, and all evidence with it, has probability 0."""

    def __init__(self, posterior, edge):
        self.posterior, self.edge = posterior, edge

    def edge_probabilities(self, given=None):
        if given is not None and self.edge in given.present:
            raise ImpossibleEvidence("none of the sampled graphs satisfies it")
        return self.posterior.edge_probabilities(given)


def test_without_an_answer_the_unconditional_one_stands_in():
    run = make_run(6, 2)
    posterior = osp.learn(run.simulation.data, standardize=False)
    selections = edge_queries.select_edges(run, 4, edge_queries.CONDITIONAL_SELECTIONS)
    edge = next(edge for edge in selections[0] if not all(edge in known for known in selections))
    narrow = Narrow(posterior, edge)
    ruled_out = [edge in known for known in selections]
    found = {(value.metric, value.n): value.value for value in edge_queries.measure_conditional(narrow, run).values}
    overall = osp.metrics.auroc(posterior, run.simulation)
    areas = [
        overall if out else edge_queries.conditional_auroc(posterior, run, known)
        for known, out in zip(selections, ruled_out, strict=True)
    ]
    assert found["auroc", 4] == pytest.approx(np.mean(areas))
    assert found["unanswered", 4] == pytest.approx(np.mean(ruled_out))


def test_selections_are_true_edges_and_the_same_each_time():
    run = make_run(6, 0)
    first, again = (edge_queries.select_edges(run, 4, 5) for _ in range(2))
    assert first == again
    assert all(len(set(known)) == 4 and set(known) <= set(run.simulation.graph.edges) for known in first)
    assert len({tuple(known) for known in first}) > 1


@pytest.mark.parametrize(
    ("measure", "smallest"), [(edge_queries.measure_coverage, 1), (edge_queries.measure_conditional, 4)]
)
def test_graphs_with_few_edges_are_asked_for_no_more_than_they_have(measure, smallest):
    run = make_run(5, 0)
    n_true = len(run.true_edges)
    asked = {value.n for value in measure(osp.learn(run.simulation.data, standardize=False), run).values}
    assert min(asked) == smallest
    assert max(asked) <= n_true < 16


def test_curves_are_pooled_by_the_number_of_pairs():
    def rows(run, pairs, predicted, observed):
        values = {"bin-pairs": pairs, "bin-predicted": predicted, "bin-observed": observed}
        return [Row("exact", 5, "EXACT", run, run, metric, 2, value) for metric, value in values.items()]

    predicted, observed, pairs = exact.pooled_curve(rows(0, 3, 0.2, 0.0) + rows(1, 1, 0.28, 1.0), "EXACT", 5)
    np.testing.assert_allclose(predicted, [0.22])
    np.testing.assert_allclose(observed, [0.25])
    assert pairs == [4]


@pytest.mark.parametrize("d", [16, 32])
def test_gadget_has_the_budget_of_the_paper(d):
    usual = METHODS["GADGET"].learner(d, 1.0).chains(d)
    assert usual.runs * usual.chains * usual.iterations == pytest.approx(PAPER_MOVES, rel=0.001)
    assert usual.chains == 16


def test_circuits_have_the_factors_of_the_paper():
    assert METHODS["TRUST-G"].learner(16, 1.0).expansion == (64, 16, 6, 2)
    assert METHODS["TRUST-G"].learner(32, 1.0).expansion == (32, 8, 2, 6, 2)


@pytest.mark.parametrize("d", [3, 4, 5, 8, 9, 17, 32])
def test_factors_fit_every_size(d):
    from orderspn.circuit.building import check_expansion

    check_expansion(expansion_of(d), d, 1)
