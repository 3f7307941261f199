"""Posteriors under evidence of ancestors: what they say, what is kept in files, and what is refused."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from reference.ancestors import closures

NAMES = letters(5)


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(gaussian_data(5, 40, seed=1), variables=NAMES, standardize=False, check=False)


@pytest.fixture(scope="module")
def under(posterior):
    return posterior.given("A ~> B, C !~> B")


def test_evidence_is_kept_and_shown(under):
    assert str(under.evidence) == "A ~> B, C !~> B"
    assert "draws satisfy the evidence of ancestors" in str(under.summary())


def test_every_draw_satisfies_it(under):
    reached = closures(under.sample(300, rng=0).adjacency)
    assert reached[:, 0, 1].all()
    assert not reached[:, 2, 1].any()


def test_same_question_same_answer(posterior, under):
    again = posterior.given("A ~> B, C !~> B")
    assert again.edge_probabilities().equals(under.edge_probabilities())


def test_in_two_steps(posterior, under):
    one_by_one = posterior.given("A ~> B").given("C !~> B")
    assert one_by_one.edge_probabilities().equals(under.edge_probabilities())
    later = posterior.given("A ~> B").given("D -> E")
    assert later.probability("D -> E") == 1.0
    assert later.edge_probabilities().equals(posterior.given("D -> E, A ~> B").edge_probabilities())


def test_orders_can_still_be_asked_about(under):
    assert under.probability("A < B") == 1.0
    assert under.probability("C < D") == pytest.approx(under.precedence().loc["C", "D"])


def test_best_graph_satisfies_it(posterior, under):
    for best in (under.best_graph(), posterior.best_graph("A ~> B, C !~> B"), under.most_probable_graph()):
        adjacency = np.array([[best.graph.has_edge(a, b) for b in NAMES] for a in NAMES])
        reached = closures(adjacency[None])[0]
        assert reached[0, 1]
        assert not reached[2, 1]
    likely = posterior.most_probable_graph()
    cause, effect = next(iter(likely.graph.edges))
    assert posterior.best_graph(f"{cause} ~> {effect}").log_score == pytest.approx(likely.log_score)


def test_effects_under_it(under):
    assert under.effect_samples(50, rng=0).values.shape == (50, 5, 5)
    assert under.causal_effects().shape == (5, 5)


def test_files(under, tmp_path):
    under.save(tmp_path / "posterior.npz")
    again = osp.load(tmp_path / "posterior.npz")
    assert again.evidence == under.evidence
    assert again.edge_probabilities().equals(under.edge_probabilities())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("A ~> B, B ~> A", "the ancestors form a cycle"),
        ("A ~> B, B -> A", "the present edges and ancestors form a cycle"),
        ("A ~> B, B < A", "the ancestors and order constraints form a cycle"),
        ("A ~> B, A !~> B", "given as no ancestor"),
        ("A -> B, B ~> C, A !~> C", "A is given as no ancestor of C, but there is A -> B ~> C"),
    ],
)
def test_contradictions(posterior, given, message):
    assert posterior.probability(given) == 0.0
    with pytest.raises(osp.ImpossibleEvidence, match=message):
        posterior.given(given)


def test_unknown_names(posterior):
    for ask in (posterior.given, posterior.probability, posterior.best_graph):
        with pytest.raises(ValueError, match="'Z'"):
            ask("A ~> Z")
    with pytest.raises(ValueError, match="'Z'"):
        posterior.descendant_sets("Z")
    with pytest.raises(ValueError, match="its own ancestor"):
        posterior.probability("A ~> A")


def test_nothing_left():
    """With strong effects and no noise to speak of, some paths are in none of the draws."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=2000)
    values = np.column_stack([a, rng.normal(size=2000)])
    posterior = osp.learn(values, variables=["A", "B"], check=False, knowledge="A !-> B")
    with pytest.raises(osp.ImpossibleEvidence):
        posterior.given("A ~> B")
    wide = osp.learn(gaussian_data(3, 2000, seed=0), variables=["A", "B", "C"], check=False, max_parents=1)
    event = "A ~> C, B ~> C, A !~> B, B !~> A"
    assert wide.probability(event) == 0.0
    with pytest.raises(osp.ImpossibleEvidence, match="none of 100,000 graphs"):
        wide.given(event)


def test_knowledge_and_metrics_refuse_ancestors(posterior):
    with pytest.raises(ValueError, match="knowledge must be about edges"):
        osp.learn(gaussian_data(3, 40, seed=0), variables=["A", "B", "C"], knowledge="A ~> B", check=False)
    del posterior


def test_context():
    values = gaussian_data(5, 60, seed=4)
    posterior = osp.learn(values, variables=NAMES, context=["A", "B"], standardize=False, check=False)
    paths = posterior.ancestor_probabilities()
    drawn = closures(posterior.sample(4000, rng=1).adjacency).mean(axis=0)
    assert np.abs(paths.to_numpy() - drawn).max() < 4.5 * np.sqrt(0.25 / 4000)
    assert not paths[["A", "B"]].to_numpy().any()
    with pytest.raises(ValueError, match="'A' is context"):
        posterior.probability("C ~> A")
    assert posterior.given("A ~> C").probability("A ~> C") == 1.0


@pytest.mark.thorough
def test_many_variables_from_draws():
    data = osp.simulate.linear_gaussian(18, n_rows=300, rng=0).data
    posterior = osp.learn(data, check=False)
    paths, errors = posterior.ancestor_probabilities(), posterior.ancestor_standard_errors()
    assert 0.0 < errors.to_numpy().max() < 0.006
    edges = posterior.edge_probabilities()
    assert (edges <= paths + 5 * errors + 1e-9).to_numpy().all()
    drawn = closures(posterior.sample(1000, rng=5).adjacency).mean(axis=0)
    assert np.abs(paths.to_numpy() - drawn).max() < 5 * np.sqrt(0.25 / 1000)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:1 of 4")
def test_particles():
    pytest.importorskip("jax")
    data = osp.simulate.linear_gaussian(4, n_rows=60, rng=0).data
    particles = osp.learn(data, method=osp.methods.DiBS(n_particles=4, effort=0.05), check=False)
    paths = particles.ancestor_probabilities().to_numpy()
    assert (particles.edge_probabilities().to_numpy() <= paths + 1e-9).all()
