"""What runs say about each other: agreement, disagreement, constant traces, and errors that come true."""

import json
import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp

from helpers.levels import parameters
from orderspn.chains.diagnostics import (
    DISAGREEMENT,
    FALSE_ALARMS,
    HIGHEST_LIMIT,
    LARGEST_RHAT,
    MOST_EDGES,
    UNCERTAIN,
    _rhats,
    diagnose,
    largest_rhat,
    rhat_limit_of,
)
from orderspn.chains.sample import Sample, kept_runs
from orderspn.core.workers import Workers
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.order_edges import edges_given_orders
from orderspn.search.scored_orders import ScoredOrders
from search.clocks import NEVER
from search.order_scores import make_block, two_modes

RUNS, N_DRAWS = 4, 200


def rng(seed=0):
    return np.random.default_rng(seed)


def sample_of(log_scores):
    means = log_scores.mean(axis=1)
    kept = log_scores[kept_runs(means)]
    return Sample(np.tile([0, 1], (*kept.shape, 1)), kept, means)


def edge(draws):
    """Draws (runs, n_draws) of the only edge, in two variables."""
    edges = np.zeros((*draws.shape, 2, 2), dtype=np.float32)
    edges[..., 0, 1] = draws
    return edges.reshape(-1, 2, 2)


def per_run(*values, n_draws=N_DRAWS):
    """A constant trace for each run."""
    return np.repeat(np.array(values, dtype=float)[:, None], n_draws, axis=1)


def autocorrelated(seed, correlation, n_draws=N_DRAWS):
    """Stationary traces of variance 1, shape (RUNS, n_draws)."""
    generator = rng(seed)
    trace = np.empty((RUNS, n_draws))
    trace[:, 0] = generator.normal(size=RUNS)
    for draw in range(1, n_draws):
        noise = generator.normal(size=RUNS)
        trace[:, draw] = correlation * trace[:, draw - 1] + math.sqrt(1 - correlation**2) * noise
    return trace


class TestAgreement:
    @pytest.mark.parametrize("seed", range(5))
    def test_runs_from_one_distribution(self, seed):
        found = diagnose(sample_of(rng(seed).normal(size=(RUNS, N_DRAWS))), edge(rng(seed + 9).random((RUNS, N_DRAWS))))
        assert found.rhat_score == pytest.approx(1.0, abs=0.03)
        assert found.rhat_edges == pytest.approx(1.0, abs=0.03)
        assert found.ess_score == pytest.approx(RUNS * N_DRAWS, rel=0.4)
        assert found.ess_edges == pytest.approx(RUNS * N_DRAWS, rel=0.4)
        assert found.edge_standard_error == pytest.approx(math.sqrt(1 / 12 / (RUNS * N_DRAWS)), rel=0.25)
        assert (found.runs, found.runs_kept, found.orders) == (RUNS, RUNS, RUNS * N_DRAWS)
        assert found.warning is None

    def test_correlated_draws_count_less(self):
        found = diagnose(sample_of(autocorrelated(0, 0.6)), edge(0.5 + 0.1 * autocorrelated(1, 0.6)))
        assert found.ess_score == pytest.approx(RUNS * N_DRAWS / 4, rel=0.5)
        assert found.ess_edges == pytest.approx(RUNS * N_DRAWS / 4, rel=0.5)

    def test_chains_over_a_block(self):
        block = make_block(6, [], range(6), {"at_once": 1, "spread": 2.0})
        ensemble = Ensemble.started(
            ScoredOrders.known(block.order_scores), Effort(4, 3, 200, 5), np.random.SeedSequence(0), Workers(1)
        )
        ensemble.burn_in("search", NEVER)
        sample = ensemble.sample(800, "orders", NEVER)
        found = diagnose(sample, edges_given_orders(sample.all_states, block.order_scores, Workers(1)))
        assert found.rhat_score < 1.05
        assert found.rhat_edges < 1.05
        assert found.warning is None

    def test_the_worst_edge_counts(self):
        """Good, stuck, certain and constant ones: of the uncertain the stuck one is the worst."""
        generator = rng(2)
        edges = np.zeros((RUNS, N_DRAWS, 3, 3), dtype=np.float32)
        edges[..., 0, 1] = generator.random((RUNS, N_DRAWS))
        edges[..., 0, 2] = 0.4 + 0.1 * generator.random((RUNS, N_DRAWS)) + 0.2 * per_run(0, 0, 1, 1)
        edges[..., 1, 2] = 0.5
        found = diagnose(sample_of(generator.normal(size=(RUNS, N_DRAWS))), edges.reshape(-1, 3, 3))
        alone = diagnose(sample_of(generator.normal(size=(RUNS, N_DRAWS))), edge(edges[..., 0, 2]))
        assert found.rhat_edges == alone.rhat_edges > 1.3
        assert found.ess_edges == alone.ess_edges < 10
        assert found.edge_standard_error == alone.edge_standard_error

    @pytest.mark.parametrize("mean", [0.5 * UNCERTAIN, 1.0 - 0.5 * UNCERTAIN])
    def test_almost_certain_edges_are_not_watched(self, mean):
        draws = mean + 1e-3 * per_run(-1, -1, 1, 1) + 1e-4 * rng().random((RUNS, N_DRAWS))
        found = diagnose(sample_of(rng().normal(size=(RUNS, N_DRAWS))), edge(draws))
        assert (found.rhat_edges, found.ess_edges, found.edge_standard_error) == (1.0, RUNS * N_DRAWS, 0.0)

    @pytest.mark.thorough
    def test_of_many_edges_those_that_vary_most_are_watched(self):
        """More uncertain ones than are watched; the one left out, which varies least, is stuck."""
        n, n_draws = 22, 8
        assert n * n > MOST_EDGES
        generator = rng(3)
        edges = generator.random((RUNS, n_draws, n, n)).astype(np.float32)
        sample = sample_of(generator.normal(size=(RUNS, n_draws)))
        found = []
        for stuck in (0.0, 1e-3, 0.3):
            edges[..., 5, 7] = 0.5 + stuck * (per_run(-1, -1, 1, 1, n_draws=n_draws) + 0.1 * edges[..., 5, 8])
            found.append(diagnose(sample, edges.reshape(-1, n, n)))
        assert found[0] == found[1]
        assert found[2].rhat_edges > found[0].rhat_edges


class TestAgreementWithin:
    def test_runs_from_one_distribution(self):
        draws = rng(1).normal(size=(4, N_DRAWS))
        found = diagnose(sample_of(draws), edge(0.5 + 0.1 * np.tanh(draws)))
        assert found.agree_within(1.05)
        assert not found.agree_within(0.5)

    def test_edges_in_two_modes(self):
        found = diagnose(sample_of(rng(2).normal(size=(4, N_DRAWS))), edge(per_run(0.2, 0.2, 0.8, 0.8)))
        assert not found.agree_within(1.05)
        assert found.agree_within(200.0)


class TestDisagreement:
    def test_edges_in_two_modes(self):
        draws = 0.3 + 0.1 * rng(4).random((RUNS, N_DRAWS)) + 0.4 * per_run(0, 0, 1, 1)
        found = diagnose(sample_of(rng(5).normal(size=(RUNS, N_DRAWS))), edge(draws))
        assert found.rhat_score < DISAGREEMENT < found.rhat_edges
        assert "disagree" in found.warning
        assert f"R-hat {found.rhat_edges:.2f}" in found.warning
        assert f"up to {4 * found.edge_standard_error:.2f}" in found.warning
        assert found.edge_standard_error > 0.05

    def test_no_probability_changes_by_more_than_one(self):
        draws = 0.001 + 0.998 * per_run(0, 0, 1, 1)
        found = diagnose(sample_of(rng(5).normal(size=(RUNS, N_DRAWS))), edge(draws))
        found = replace(found, edge_standard_error=0.27)  # of runs with fewer effective draws
        assert "may change by up to 1.00 with" in found.warning

    def test_scores_in_two_modes(self):
        scores = rng(6).normal(size=(RUNS, N_DRAWS)) + per_run(0, 0, -5, -5)
        found = diagnose(sample_of(scores), edge(rng(7).random((RUNS, N_DRAWS))))
        assert found.rhat_edges < DISAGREEMENT < found.rhat_score
        assert found.score_gap == pytest.approx(5.0, abs=0.5)
        assert found.runs_kept == RUNS
        assert "disagree" in found.warning

    def test_stuck_chains(self):
        """Two modes that a single chain cannot connect."""
        block = two_modes(30.0, 29.0)
        starts = np.array([[[0, 1, 2, 3]], [[2, 3, 0, 1]], [[1, 0, 2, 3]], [[3, 2, 0, 1]]])
        ensemble = Ensemble.started(
            ScoredOrders.known(block.order_scores), Effort(4, 1, 50, 5), np.random.SeedSequence(0), Workers(1), starts
        )
        ensemble.burn_in("search", NEVER)
        sample = ensemble.sample(200, "orders", NEVER)
        assert sample.kept.all()
        found = diagnose(sample, edges_given_orders(sample.all_states, block.order_scores, Workers(1)))
        assert found.rhat_edges > DISAGREEMENT
        assert "disagree" in found.warning

    def test_runs_far_below_are_left_out(self):
        """Their edges are not among those given, and do not count."""
        scores = rng(8).normal(size=(RUNS, N_DRAWS)) + per_run(0, -80, 0, 0)
        draws = rng(9).random((RUNS - 1, N_DRAWS))
        found = diagnose(sample_of(scores), edge(draws))
        assert (found.runs, found.runs_kept, found.orders) == (RUNS, RUNS - 1, (RUNS - 1) * N_DRAWS)
        assert found.score_gap == pytest.approx(80.0, abs=1.0)
        assert found.rhat_score < DISAGREEMENT
        assert f"1 of 4 independent searches ended {found.score_gap:.0f} nats below" in found.warning
        assert "was left out; search longer, with a larger effort=." in found.warning
        assert "disagree" not in found.warning

    def test_runs_are_dropped_and_the_others_disagree(self):
        scores = rng(8).normal(size=(5, N_DRAWS)) + per_run(0, -80, 0, 0, -40)
        draws = 0.3 + 0.1 * rng(9).random((3, N_DRAWS)) + 0.4 * per_run(0, 0, 1)
        found = diagnose(sample_of(scores), edge(draws))
        assert f"2 of 5 independent searches ended up to {found.score_gap:.0f} nats below" in found.warning
        assert "were left out; independent searches disagree" in found.warning
        assert found.warning.count("effort=") == 1

    def test_only_one_run_is_left(self):
        scores = rng(10).normal(size=(RUNS, N_DRAWS)) + per_run(0, -30, -40, -50)
        found = diagnose(sample_of(scores), edge(rng(11).random((1, N_DRAWS))))
        assert found.runs_kept == 1
        assert "3 of 4 independent searches" in found.warning
        assert "50 nats below" in found.warning
        assert "the only one left cannot be compared" in found.warning
        assert finite(found)

    def test_a_single_run_agrees_with_itself(self):
        found = diagnose(sample_of(rng(12).normal(size=(1, N_DRAWS))), edge(np.full((1, N_DRAWS), 0.5)))
        assert found.rhat_score == pytest.approx(1.0, abs=0.1)
        assert found.warning is None

    @pytest.mark.parametrize("n_draws", [N_DRAWS, N_DRAWS + 1])
    def test_a_single_run_that_does_not(self, n_draws):
        """Its first half was elsewhere."""
        scores = rng(13).normal(size=(1, n_draws)) + 5.0 * (np.arange(n_draws) < n_draws // 2)
        found = diagnose(sample_of(scores), edge(rng(14).random((1, n_draws))))
        assert found.rhat_score > 1.5
        assert "the parts of the search disagree" in found.warning


def finite(found):
    return all(map(math.isfinite, found.as_dict().values()))


class TestConstantTraces:
    """They are finite numbers, and no warnings of NumPy reach the user."""

    def test_all_alike(self):
        found = diagnose(sample_of(per_run(-3, -3, -3, -3)), edge(per_run(0.5, 0.5, 0.5, 0.5)))
        assert found.rhat_score == found.rhat_edges == 1.0
        assert found.ess_score == found.ess_edges == RUNS * N_DRAWS
        assert found.edge_standard_error == 0.0
        assert finite(found)
        assert found.warning is None

    @pytest.mark.parametrize("values", [(0, 0, 1, 1), (0, 1, 2, 3), (0, 0, 0, 1)])
    @pytest.mark.parametrize("n_draws", [4, 5, N_DRAWS])
    def test_each_run_at_a_value_of_its_own(self, values, n_draws):
        scores, draws = per_run(*values, n_draws=n_draws), 0.2 + 0.1 * per_run(*values, n_draws=n_draws)
        found = diagnose(sample_of(scores), edge(draws))
        assert finite(found)
        assert found.rhat_score > DISAGREEMENT
        assert found.rhat_edges > DISAGREEMENT
        assert max(found.rhat_score, found.rhat_edges) <= LARGEST_RHAT
        assert "disagree" in found.warning

    def test_a_constant_that_is_no_binary_fraction(self):
        """Its mean in single precision is another number, and yet it does not vary."""
        found = diagnose(sample_of(rng().normal(size=(RUNS, N_DRAWS))), edge(np.full((RUNS, N_DRAWS), 0.3)))
        assert (found.rhat_edges, found.ess_edges, found.edge_standard_error) == (1.0, RUNS * N_DRAWS, 0.0)

    def test_only_the_middle_draw_differs(self):
        """It is in neither half of a run of odd length."""
        scores = per_run(0, 0, 0, 0, n_draws=9)
        scores[2, 4] = 1.0
        found = diagnose(sample_of(scores), edge(0.2 + 0.5 * scores))
        assert found.rhat_score == found.rhat_edges == 1.0


class TestFewDraws:
    """After a deadline."""

    @pytest.mark.parametrize("n_draws", [4, 7])
    def test_enough_to_compare(self, n_draws):
        found = diagnose(sample_of(rng().normal(size=(RUNS, n_draws))), edge(rng(1).random((RUNS, n_draws))))
        assert finite(found)

    @pytest.mark.parametrize(("runs", "n_draws"), [(RUNS, 3), (RUNS, 1), (2, 2), (1, 7)])
    def test_too_few(self, runs, n_draws):
        """Undefined is not good: it is None in files, and the user is told."""
        found = diagnose(sample_of(rng().normal(size=(runs, n_draws))), edge(rng(1).random((runs, n_draws))))
        assert math.isnan(found.rhat_score)
        assert math.isnan(found.rhat_edges) == (n_draws > 1 or runs > 1)
        kept = found.as_dict()
        assert kept["rhat_score"] is None
        assert json.loads(json.dumps(kept, allow_nan=False)) == kept
        assert f"{runs * n_draws} orders are too few" in found.warning
        assert 1.0 <= found.ess_edges <= runs * n_draws

    @pytest.mark.parametrize("n_draws", [1, 3])
    def test_too_few_but_all_alike(self, n_draws):
        found = diagnose(sample_of(per_run(1, 1, n_draws=n_draws)), edge(per_run(0.5, 0.5, n_draws=n_draws)))
        assert found.rhat_score == found.rhat_edges == 1.0
        assert found.warning is None

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "drawn", parameters([(2, 10), (2, 50), (4, 6), (4, 10), (4, 20), (4, 50)], test=[(2, 50), (4, 10)])
    )
    def test_chance_raises_no_alarm(self, drawn):
        """The worst R-hat of 300 traces of independent draws is often above 1.1, and below the limit; just so."""
        runs, n_draws = drawn
        limit = rhat_limit_of(runs, n_draws, 300)
        worst = [_rhats(rng(seed).random((runs, n_draws, 300))).max() for seed in range(6)]
        assert max(worst) < limit
        assert limit - 1.0 < 5.0 * (np.mean(worst) - 1.0)
        assert np.mean(worst) > DISAGREEMENT or n_draws == 50

    def test_the_limit_falls_with_draws_and_rises_with_traces(self):
        limits = [rhat_limit_of(4, n_draws, 100) for n_draws in (3, 4, 6, 10, 20, 40, 60, 1000)]
        assert limits == sorted(limits, reverse=True)
        assert limits[0] == HIGHEST_LIMIT
        assert limits[-2:] == [DISAGREEMENT, DISAGREEMENT]
        assert rhat_limit_of(4, 10, 1) < rhat_limit_of(4, 10, 10) < rhat_limit_of(4, 10, 400)

    @pytest.mark.parametrize(
        ("runs", "n_draws", "traces"), [(4, 10, 401), (4, 20, 1), (2, 12, 50), (1, 40, 100), (3, 7, 10), (8, 9, 401)]
    )
    def test_the_limit_is_a_quantile_of_f(self, runs, n_draws, traces):
        """By the incomplete beta function with 40 digits."""
        limit = rhat_limit_of(runs, n_draws, traces)
        parts, of_each = (runs, n_draws) if runs > 1 else (2, n_draws // 2)
        n = of_each // 2
        between, within = 2 * parts - 1, 2 * parts * (n - 1)

        def above(ratio):
            return mp.betainc(within / 2, between / 2, 0, within / (within + between * ratio), regularized=True)

        with mp.workdps(40):
            wanted = mp.mpf(FALSE_ALARMS) / (2 * traces)
            ratio = mp.findroot(lambda x: mp.log(above(x) / wanted), n * limit**2 - (n - 1))
            exact = float(mp.sqrt((n - 1 + ratio) / n))
        assert DISAGREEMENT < exact < HIGHEST_LIMIT
        assert limit == pytest.approx(exact, rel=1e-9)

    def test_antithetic_draws_do_not_count_twice(self):
        draws = 0.5 + 0.1 * autocorrelated(15, -0.8)
        found = diagnose(sample_of(autocorrelated(16, -0.8)), edge(draws))
        assert found.ess_score == found.ess_edges == RUNS * N_DRAWS
        assert found.edge_standard_error == pytest.approx(draws.std() / math.sqrt(RUNS * N_DRAWS), rel=1e-6)


@pytest.mark.thorough
def test_memory():
    """No second copy of the edges is made, in any precision."""
    runs, n_draws, n = 4, 100, 60
    edges = rng().random((runs * n_draws, n, n), dtype=np.float32)
    sample = sample_of(rng().normal(size=(runs, n_draws)))
    diagnose(sample, edges[:, :3, :3].copy())  # what is imported at the first call does not count
    tracemalloc.start()
    try:
        diagnose(sample, edges)
        assert tracemalloc.get_traced_memory()[1] < 0.9 * edges.nbytes
    finally:
        tracemalloc.stop()


class TestStandardErrors:
    """They predict how far the means of independent samples are apart."""

    @pytest.mark.thorough
    @pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
    def test_correlated_traces(self, correlation):
        """The spread of 300 means is known within 4 %, and the prediction is their mean."""
        traces = [0.5 + 0.1 * autocorrelated(seed, correlation) for seed in range(300)]
        spread = np.std([trace.mean() for trace in traces])
        predicted = [diagnose(sample_of(trace), edge(trace)).edge_standard_error for trace in traces[::3]]
        exact = 0.1 * math.sqrt((1 + correlation) / (1 - correlation) / (RUNS * N_DRAWS))
        assert spread == pytest.approx(exact, rel=0.2)
        assert np.mean(predicted) == pytest.approx(exact, rel=0.15)

    @pytest.mark.thorough
    def test_chains_over_a_block(self):
        """Orders so close to each other that they are correlated."""
        block = make_block(6, [], range(6), {"seed": 1, "at_once": 1, "spread": 2.0})
        means, predicted, independent = [], [], []
        for seed in np.random.SeedSequence(3).spawn(60):
            ensemble = Ensemble.started(ScoredOrders.known(block.order_scores), Effort(4, 1, 50, 1), seed, Workers(1))
            ensemble.burn_in("search", NEVER)
            sample = ensemble.sample(400, "orders", NEVER)
            edges = edges_given_orders(sample.all_states, block.order_scores, Workers(1))
            predicted.append(diagnose(sample, edges).edge_standard_error)
            means.append(edges.mean(axis=0))
            independent.append((edges.std(axis=0) / math.sqrt(len(edges))).max())
        spread = np.std(means, axis=0).max()
        assert 0.7 * spread < np.mean(predicted) < 1.4 * spread
        assert np.mean(independent) < 0.7 * spread


def test_as_dict():
    found = diagnose(sample_of(rng().normal(size=(RUNS, N_DRAWS))), edge(rng().random((RUNS, N_DRAWS))))
    kept = found.as_dict()
    assert json.loads(json.dumps(kept)) == kept
    assert set(kept) == {
        "rhat_score",
        "ess_score",
        "rhat_edges",
        "ess_edges",
        "rhat_limit",
        "edge_standard_error",
        "runs",
        "runs_kept",
        "score_gap",
        "orders",
    }


class TestLargestRhat:
    def test_of_shares_is_no_false_alarm(self):
        """Shares of few draws are often equal by chance, and would then seem not to vary at all."""
        rng = np.random.default_rng(0)
        shares = rng.binomial(64, 0.02, size=(2, 5, 3000)) / 64
        assert largest_rhat(shares) == LARGEST_RHAT
        assert largest_rhat(shares, 64) < rhat_limit_of(2, 5, 3000)

    def test_of_runs_that_differ(self):
        rng = np.random.default_rng(0)
        shares = rng.binomial(64, np.array([0.1, 0.9])[:, None, None], size=(2, 10, 1)) / 64
        assert largest_rhat(shares, 64) > rhat_limit_of(2, 10, 16)
