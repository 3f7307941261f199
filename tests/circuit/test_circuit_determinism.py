"""Circuits: the same seed gives the same bits for any number of threads, and columns may have any order."""

import numpy as np
import pytest

import orderspn as osp
from helpers.circuits import full_expansion, same_structure
from helpers.data import gaussian_data, letters
from helpers.each import check_each
from helpers.levels import parameters

pytestmark = pytest.mark.thorough

D = 12
CANDIDATES = {"outsiders": 3, "refined candidates": 3, "sampled orders, outsiders": 4}
GROWN = osp.methods.Trust(expansion=[20, 5], block_size=3, outsiders=0, refine=0)
CUT = osp.methods.Trust(n_orders=200, block_size=3, outsiders=0, refine=0)
METHODS = {
    "elbo": GROWN.with_settings(oracle="order-mcmc", weights="elbo"),
    "sampled": GROWN.with_settings(oracle="order-mcmc", weights="sampled"),
    "uniform": GROWN.with_settings(oracle="random", weights="uniform"),
    "outsiders": GROWN.with_settings(oracle="order-mcmc", weights="elbo", outsiders=1),
    "refined candidates": GROWN.with_settings(oracle="random", outsiders=2, refine=2),
    "sampled orders": CUT,
    "sampled orders, outsiders": CUT.with_settings(outsiders=1, refine=2),
}
SOME = ["uniform", "refined candidates", "sampled orders, outsiders"]


def learn(name, values, rng=7, n_jobs=2):
    return osp.learn(
        values, candidates=CANDIDATES.get(name, 6), method=METHODS[name], rng=rng, n_jobs=n_jobs, standardize=False
    )


@pytest.fixture(scope="module")
def values():
    return gaussian_data(D, 50, seed=0, density=0.3)


@pytest.fixture(scope="module", params=parameters(METHODS, test=SOME))
def posteriors(request, values):
    return [learn(request.param, values, n_jobs=n) for n in (1, 2)]


ANSWERS = {
    "log_evidence": lambda p: p.log_evidence,
    "log_weights": lambda p: p.model.orders.circuit.log_weights,
    "edge_probabilities": lambda p: p.edge_probabilities().to_numpy(),
    "precedence": lambda p: p.precedence().to_numpy(),
    "causal_effects": lambda p: p.causal_effects().to_numpy(),
    "estimate_effects": lambda p: p.estimate_effects(300, rng=1).mean.to_numpy(),
    "standard_error": lambda p: p.estimate_effects(300, rng=1).standard_error.to_numpy(),
    "entropy": lambda p: p.entropy(),
    "parent_sets": lambda p: p.parent_sets("X3")["probability"].to_numpy(),
    "most_probable_graph": lambda p: (p.most_probable_graph().edges, p.most_probable_graph().log_probability),
    "orders": lambda p: p.sample(5000, rng=5).orders,  # more than one piece of work
    "graphs": lambda p: p.sample(300, rng=5).adjacency,
    "log_probability": lambda p: p.log_probability("X1 !-> X2, X5 !-> X7"),
}


@pytest.mark.parametrize("conditional", [False, True])
def test_threads_change_no_bit(posteriors, conditional):
    one, two = posteriors
    if conditional:
        one, two = (p.given("X1 !-> X2, X7 !-> X9") for p in posteriors)

    def check(ask):
        answers = ask(one), ask(two)
        assert np.array_equal(*answers) if isinstance(answers[0], np.ndarray) else answers[0] == answers[1]

    check_each(check, ANSWERS)


def test_threads_do_not_change_the_structure(posteriors):
    one, two = (p.model.orders.circuit.structure for p in posteriors)
    assert same_structure(one, two)
    assert posteriors[0].candidates == posteriors[1].candidates
    assert posteriors[0].outsiders == posteriors[1].outsiders
    assert dict(posteriors[0].settings) == dict(posteriors[1].settings)


def test_the_seed_decides(values):
    once, again, other = (learn("uniform", values, rng) for rng in (3, 3, 4))
    assert once.edge_probabilities().equals(again.edge_probabilities())
    assert not once.edge_probabilities().equals(other.edge_probabilities())
    assert once.settings["seed"] == 3


def test_a_seed_sequence_is_its_integer_and_is_not_used_up(values):
    sequence = np.random.SeedSequence(3)
    first, second = learn("uniform", values, sequence), learn("uniform", values, sequence)
    assert first.edge_probabilities().equals(learn("uniform", values, 3).edge_probabilities())
    assert second.edge_probabilities().equals(first.edge_probabilities())


def test_a_generator_advances(values):
    generator = np.random.default_rng(3)
    first, second = learn("uniform", values, generator), learn("uniform", values, generator)
    assert not first.edge_probabilities().equals(second.edge_probabilities())


def test_the_seed_decides_what_is_sampled(values):
    once, again, other = (learn("sampled orders, outsiders", values, rng) for rng in (3, 3, 4))
    assert once.edge_probabilities().equals(again.edge_probabilities())
    assert not once.edge_probabilities().equals(other.edge_probabilities())


def test_settings_say_how_it_was_learned(values):
    posterior = learn("uniform", values, 3)
    settings = posterior.settings
    assert settings["method"] == "trust"
    assert settings["oracle"] == {"name": "random"}
    assert settings["expansion"] == [20, 5]
    assert settings["block_size"] == 3
    assert settings["weights"] == "uniform"
    assert settings["oracle_info"] == {}


@pytest.mark.parametrize("rows", [30, 100_000])
@pytest.mark.parametrize(("d", "block_size"), [(5, 1), (6, 2), (6, 3)])
def test_the_order_of_columns_does_not_matter_where_all_orders_are_covered(d, block_size, rows):
    data, names = gaussian_data(d, rows, seed=d), letters(d)
    shuffled = np.random.default_rng(d).permutation(d)

    def complete(columns):
        return osp.learn(
            data[:, columns],
            variables=[names[c] for c in columns],
            method=osp.methods.Trust(expansion=full_expansion(d, block_size), block_size=block_size),
            rng=0,
            n_jobs=1,
            standardize=False,
        )

    one, other = complete(np.arange(d)), complete(shuffled)
    evidence = "B !-> A, D !-> C"
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        for given in (None, evidence):
            expected, answer = getattr(one, query)(given), getattr(other, query)(given)
            np.testing.assert_allclose(answer.loc[names, names], expected, rtol=0, atol=1e-7, err_msg=query)
    assert other.log_evidence == pytest.approx(one.log_evidence, rel=1e-12)
    # Among graphs that score alike names decide, not columns.
    assert set(other.most_probable_graph().graph.edges) == set(one.most_probable_graph().graph.edges)
