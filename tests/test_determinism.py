"""The same seed gives the same bits, whatever the number of threads."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.randomness import seed_sequence, spawn_generators
from orderspn.lattice.passes import SMALLEST_TO_SPLIT

D = SMALLEST_TO_SPLIT


@pytest.fixture(scope="module")
def values():
    return gaussian_data(D, 60, seed=0, density=0.2)


@pytest.fixture(scope="module", params=[0, 1], ids=["candidates", "outsiders"])
def posteriors(request, values):
    size = 7 - 2 * request.param
    method = osp.methods.Exact(outsiders=request.param)
    return [osp.learn(values, candidates=size, method=method, n_jobs=n) for n in (1, 2)]


ANSWERS = {
    "log_evidence": lambda p: p.log_evidence,
    "edge_probabilities": lambda p: p.edge_probabilities().to_numpy(),
    "precedence": lambda p: p.precedence().to_numpy(),
    "causal_effects": lambda p: p.causal_effects().to_numpy(),
    "entropy": lambda p: p.entropy(),
    "parent_sets": lambda p: p.parent_sets("X3")["probability"].to_numpy(),
    "most_probable_graph": lambda p: (p.most_probable_graph().edges, p.most_probable_graph().log_probability),
    "orders": lambda p: p.sample(300, rng=5).orders,
    "graphs": lambda p: p.sample(300, rng=5).adjacency,
    "log_probability": lambda p: p.log_probability("X1 -> X2, X5 !-> X7"),
}


def same_bits(one, other):
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return one == other


@pytest.mark.thorough
@pytest.mark.parametrize("query", ANSWERS)
@pytest.mark.parametrize("conditional", [False, True])
def test_threads_change_no_bit(posteriors, query, conditional):
    one, two = posteriors
    if conditional:
        effect, (cause, other, *_) = next((v, c) for v, c in one.candidates.items() if len(c) > 1)
        cause = next(iter(one.outsiders[effect]), cause)
        evidence = osp.Edges([(cause, effect)], [(other, effect)])
        one, two = one.given(evidence), two.given(evidence)
    assert same_bits(ANSWERS[query](one), ANSWERS[query](two))


@pytest.fixture(scope="module")
def small():
    return osp.learn(gaussian_data(4, 30, seed=1))


def draw(posterior, rng):
    samples = posterior.sample(200, rng=rng)
    return np.concatenate([samples.adjacency.ravel(), samples.orders.ravel()])


def test_an_integer_seed_repeats(small):
    np.testing.assert_array_equal(draw(small, 7), draw(small, 7))
    assert not np.array_equal(draw(small, 7), draw(small, 8))


def test_a_seed_sequence_repeats_and_equals_its_integer(small):
    sequence = np.random.SeedSequence(7)
    np.testing.assert_array_equal(draw(small, sequence), draw(small, 7))
    np.testing.assert_array_equal(draw(small, sequence), draw(small, 7))
    assert sequence.n_children_spawned == 0


def test_children_of_a_seed_sequence_are_different(small):
    one, other = np.random.SeedSequence(7).spawn(2)
    assert not np.array_equal(draw(small, one), draw(small, other))
    assert not np.array_equal(draw(small, one), draw(small, 7))


def test_a_generator_advances(small):
    generator = np.random.default_rng(7)
    first, second = draw(small, generator), draw(small, generator)
    assert not np.array_equal(first, second)
    again = np.random.default_rng(7)
    np.testing.assert_array_equal(draw(small, again), first)
    np.testing.assert_array_equal(draw(small, again), second)


def test_no_seed_differs_every_time(small):
    assert not np.array_equal(draw(small, None), draw(small, None))


def test_no_global_state_is_touched(small):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    draw(small, None)
    draw(small, 3)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_asking_does_not_change_later_answers(small):
    fresh = osp.learn(gaussian_data(4, 30, seed=1))
    small.edge_probabilities("X1 -> X2")
    small.causal_effects("X2 !-> X3")
    small.sample(10, rng=1)
    assert small.edge_probabilities().equals(fresh.edge_probabilities())
    assert small.causal_effects().equals(fresh.causal_effects())
    np.testing.assert_array_equal(draw(small, 3), draw(fresh, 3))


def test_answers_cannot_be_changed_from_outside(small):
    edges = small.edge_probabilities()
    edges.loc["X1", "X2"] = 5.0
    assert small.edge_probabilities().loc["X1", "X2"] <= 1.0
    before = small.precedence()
    before.loc["X1", "X2"] = 5.0
    assert small.precedence().loc["X1", "X2"] <= 1.0
    small.variables.append("Y")
    assert len(small.variables) == 4
    small.candidates["X1"].clear()
    assert len(small.candidates["X1"]) == 3
    with pytest.raises(TypeError):
        small.settings["method"] = "other"


def test_the_seed_is_recorded():
    values = gaussian_data(3, 20, seed=0)
    assert osp.learn(values, rng=12).settings["seed"] == 12
    assert osp.learn(values, rng=np.int64(12)).settings["seed"] == 12
    assert osp.learn(values).settings["seed"] == 0
    assert osp.learn(values, rng=None).settings["seed"] is None
    assert osp.learn(values, rng=np.random.default_rng(0)).settings["seed"] is None


def test_settings_say_how_it_was_learned():
    values = gaussian_data(4, 20, seed=0)
    settings = osp.learn(values, candidates=2, max_parents=9, prior="uniform", standardize=True).settings
    assert settings["method"] == "exact"
    assert settings["target"] == "order"
    assert settings["prior"] == "uniform"
    assert settings["candidates"] == 2
    assert (settings["outsiders"], settings["refinements"]) == (0, 0)
    assert settings["max_parents"] == 3  # no more than there are others
    assert settings["rows"] == 20
    assert settings["standardized"] is True
    assert settings["score"] == {"name": "bge", "alpha_mu": 1.0, "alpha_w": 6.0, "t": 0.5, "rows": 20}
    assert settings["data_fingerprint"] == osp.read_table(values, standardize=True).fingerprint
    mapping = {f"X{i}": [] for i in range(1, 5)}
    assert osp.learn(values, candidates=mapping, prior=lambda k: 1.0).settings["candidates"] == "given"
    assert osp.learn(values, candidates=mapping, prior=lambda k: 1.0).settings["prior"] == "custom"


def test_spawned_generators_are_independent_of_how_many_there_are():
    few, many = spawn_generators(3, 2), spawn_generators(3, 9)
    assert [g.random() for g in few] == [g.random() for g in many[:2]]
    assert len({g.random() for g in many}) == 9


def test_seed_sequence_of_a_generator_depends_on_its_state():
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    assert seed_sequence(one).entropy == seed_sequence(other).entropy
    assert seed_sequence(one).entropy != seed_sequence(np.random.default_rng(1)).entropy
