"""The prior over graphs by itself, against enumeration; mixtures over priors begin with equal weights."""

import math
from collections import Counter

import numpy as np
import pytest
from benchmarks.calibration import arms
from benchmarks.calibration.graph_prior import prior_of_graphs

import orderspn as osp
from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.scores.structure_prior import log_prior_by_size
from reference import generative
from reference.dags import adjacency_of, all_dags

PRIORS = ("fair", "uniform", arms.Sparse(0.2))


@pytest.mark.parametrize("target", ["order", "dag"])
def test_graphs_are_drawn_from_the_prior(target):
    graphs, p = generative.prior_of_graphs(4, "fair", target)
    exact = Counter()
    for graph, share in zip(graphs, p, strict=True):
        exact[graph.astype(bool).tobytes()] += share
    drawn = prior_of_graphs(4, "fair", target).sample(4000, rng=1).adjacency.astype(bool)
    assert chi_square_p([graph.tobytes() for graph in drawn], exact) > THRESHOLD


@pytest.mark.parametrize("prior", PRIORS)
def test_mass_of_pairs_of_an_order_and_a_graph(prior):
    d = 6
    p = np.exp(log_prior_by_size(prior, d))
    tau = [sum(math.comb(k, size) * p[size] for size in range(k + 1)) for k in range(d)]
    expected = math.lgamma(d + 1) + sum(map(math.log, tau))
    assert prior_of_graphs(d, prior).log_evidence == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("prior", PRIORS)
def test_mass_of_graphs(prior):
    sizes = adjacency_of(all_dags(4)).sum(axis=1)
    expected = np.exp(log_prior_by_size(prior, 4))[sizes].prod(axis=1).sum()
    assert prior_of_graphs(4, prior, "dag").log_evidence == pytest.approx(math.log(expected), abs=1e-10)


@pytest.mark.parametrize("target", ["order", "dag"])
def test_data_that_say_nothing_leave_shares_as_they_were(target):
    """Without the correction, the densest prior would have the smallest weight."""
    parts = arms.over(arms.SPARSITIES, (0.5,), target)
    posteriors = [prior_of_graphs(5, one.prior, target) for one in parts]
    assert arms.mixed(posteriors, parts).weights == pytest.approx([1 / 3] * 3)
    assert np.ptp([posterior.log_evidence for posterior in posteriors]) > 1.0


def test_the_default_arm_is_the_default_of_learn():
    table = osp.simulate.linear_gaussian(5, 50, rng=0).data
    found = arms.edges_by_arm(table, [arms.DEFAULT])["default"]
    assert np.array_equal(found, osp.learn(table).edge_probabilities().to_numpy())


def test_mixtures_over_scales_are_those_by_evidence():
    table = osp.simulate.linear_gaussian(5, 50, rng=0).data
    scales = [osp.learn(table, score=osp.scores.BGe(t=t)) for t in arms.SCALES]
    found = arms.edges_by_arm(table, [arms.ARMS["mix-t"]])["mix-t"]
    assert found == pytest.approx(osp.mix(scales, weights="evidence").edge_probabilities().to_numpy(), abs=1e-12)
