"""Every number of a judgement, against all 543 graphs of four variables."""

import math

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.mixtures import NAMES, VALUES, learn
from judging.cases import CASES, GRAPHS, case, frame_of
from orderspn.core.equivalent_dags import equivalent_dags
from orderspn.judging.standing import Standing
from reference.bge import log_marginal_likelihood
from reference.equivalence import equivalence_class

SOME = range(0, len(GRAPHS), 97)


def names_of(matrix):
    return {(NAMES[a], NAMES[b]) for a, b in np.argwhere(matrix)}


@pytest.mark.parametrize("name", CASES)
def test_probability_of_a_graph(name):
    posterior, log_probabilities, _ = case(name)
    for place in SOME:
        judgement = posterior.judge(frame_of(GRAPHS[place]), n_samples=20)
        assert judgement.log_probability == pytest.approx(log_probabilities[place], abs=1e-8)
        assert judgement.probability == pytest.approx(math.exp(log_probabilities[place]), abs=1e-12)
        assert judgement.standard_error == 0.0
        assert names_of(GRAPHS[place]) == set(judgement.completion.edges)


@pytest.mark.parametrize("name", CASES)
def test_tail_probability(name):
    """The share of draws at or below is the summed probability of all graphs at or below."""
    posterior, log_probabilities, _ = case(name)
    order = np.argsort(log_probabilities)
    for place in order[[-1, -3, -30, 100]]:
        tail = posterior.judge(frame_of(GRAPHS[place]), n_samples=4000, rng=1).tail
        value = log_probabilities[place]
        exact = np.exp(log_probabilities[log_probabilities <= value + 1e-9]).sum() if value > -np.inf else 0.0
        assert tail.n_draws == pytest.approx(4000)
        assert tail.probability == pytest.approx(exact, abs=4 * tail.standard_error + 1 / 4000)
    assert 0.0 < tail.standard_error < 0.02 or value == -np.inf


@pytest.mark.parametrize("name", CASES)
def test_equivalence_class(name):
    posterior, log_probabilities, _ = case(name)
    keys = [equivalence_class(graph) for graph in GRAPHS]
    of_class = {}
    for key, value in zip(keys, np.exp(log_probabilities), strict=True):
        of_class[key] = of_class.get(key, 0.0) + value
    summed = np.array([of_class[key] for key in keys])
    for place in [*np.argsort(summed)[[-1, -40]], 200]:
        found = posterior.judge(frame_of(GRAPHS[place]), n_samples=3000, rng=2).equivalence
        assert math.exp(found.log_probability) == pytest.approx(summed[place], rel=1e-7)
        assert found.n_graphs == keys.count(keys[place])
        assert found.standard_error == 0.0
        exact = np.exp(log_probabilities)[summed <= summed[place] * (1 + 1e-9)].sum()
        if summed[place] > 0.0:
            assert found.tail.probability == pytest.approx(exact, abs=4 * found.tail.standard_error + 1 / 3000)
        assert names_of(found.cpdag) == set(osp.metrics.cpdag(nx.DiGraph(list(names_of(GRAPHS[place])))).edges)


def test_members_of_every_class():
    keys = [equivalence_class(graph) for graph in GRAPHS]
    for graph, key in zip(GRAPHS, keys, strict=True):
        members, complete = equivalent_dags(graph, 100)
        assert complete
        assert len(members) == keys.count(key) == len({m.tobytes() for m in members})
        assert {equivalence_class(m) for m in members} == {key}
        few, all_of_them = equivalent_dags(graph, 2)
        assert len(few) == min(2, len(members))
        assert all_of_them == (len(members) <= 2)


@pytest.mark.parametrize("name", ["orders", "dags"])
def test_moves_are_all_graphs_one_change_away(name):
    posterior, _, log_scores = case(name)
    known = {graph.tobytes(): value for graph, value in zip(GRAPHS, log_scores, strict=True)}
    for place in SOME:
        graph = GRAPHS[place]
        expected = {}
        for other, value in zip(GRAPHS, log_scores, strict=True):
            gone, new = np.argwhere(graph & ~other), np.argwhere(other & ~graph)
            if len(gone) + len(new) == 1:
                change, edge = ("add", new[0]) if len(new) else ("remove", gone[0])
            elif len(gone) == len(new) == 1 and (gone[0] == new[0][::-1]).all():
                change, edge = "reverse", gone[0]
            else:
                continue
            expected[change, NAMES[edge[0]], NAMES[edge[1]]] = value - known[graph.tobytes()]
        moves = posterior.judge(frame_of(graph), n_samples=5).moves
        found = {(m.change, m.cause, m.effect): m.gain for m in moves.itertuples()}
        assert found == pytest.approx(expected, abs=1e-8)
        assert list(moves["gain"]) == sorted(moves["gain"], reverse=True)


def test_bayes_factor_and_score():
    posterior, _, log_scores = case("orders")
    judgement = posterior.judge(frame_of(GRAPHS[100]), n_samples=5)

    def log_likelihood(graph):
        return sum(log_marginal_likelihood(VALUES, c, set(np.flatnonzero(graph[:, c]).tolist())) for c in range(4))

    best = nx.to_numpy_array(judgement.best.graph, nodelist=NAMES, dtype=bool)
    assert judgement.log_bayes_factor == pytest.approx(log_likelihood(GRAPHS[100]) - log_likelihood(best), abs=1e-8)
    assert judgement.log_score_difference == pytest.approx(log_scores[100] - log_scores.max(), abs=1e-8)
    of_best = posterior.judge(judgement.best, n_samples=5)
    assert of_best.log_score_difference == 0.0
    assert of_best.log_bayes_factor == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_edges_and_gaps_have_the_posterior_probabilities(name):
    posterior, log_probabilities, _ = case(name)
    edges = np.einsum("g,gij->ij", np.exp(log_probabilities), GRAPHS)
    judgement = posterior.judge("A -> B, B -- C", missing_variables="isolated", n_samples=5)
    frame = judgement.edges.set_index(["cause", "effect"])
    assert frame.loc[("A", "B"), "probability"] == pytest.approx(edges[0, 1], abs=1e-9)
    assert frame.loc[("A", "B"), "reversed"] == pytest.approx(edges[1, 0], abs=1e-9)
    assert frame.loc[("B", "C"), "probability"] == pytest.approx(edges[1, 2] + edges[2, 1], abs=1e-9)
    assert list(judgement.edges["probability"]) == sorted(judgement.edges["probability"])
    gaps = {(row.first, row.second): row.probability for row in judgement.gaps.itertuples()}
    expected = {(NAMES[a], NAMES[b]): 1 - edges[a, b] - edges[b, a] for a, b in [(0, 2), (0, 3), (1, 3), (2, 3)]}
    assert gaps == pytest.approx(expected, abs=1e-9)
    assert list(judgement.gaps["probability"]) == sorted(judgement.gaps["probability"])


@pytest.mark.parametrize("name", CASES)
def test_a_partial_graph_is_all_its_dags(name):
    posterior, log_probabilities, _ = case(name)
    text = "A -- B, B -- C, C -- A, D -> C"
    judgement = posterior.judge(text, n_samples=5)
    joined = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]], dtype=bool)
    matching = ((GRAPHS | GRAPHS.transpose(0, 2, 1)) == joined).all(axis=(1, 2)) & GRAPHS[:, 3, 2]
    assert matching.sum() == 6
    assert judgement.probability == pytest.approx(np.exp(log_probabilities[matching]).sum(), abs=1e-12)
    event = osp.Edges.parse(f"{text}, A !-- D, B !-- D")
    assert judgement.log_probability == pytest.approx(posterior.log_probability(event), abs=1e-8)
    completion = nx.to_numpy_array(judgement.completion, nodelist=NAMES, dtype=bool)
    best = log_probabilities[matching].max()
    assert log_probabilities[(completion == GRAPHS).all(axis=(1, 2))] == pytest.approx(best, abs=1e-8)


def test_the_suggestion_is_the_best_graph_with_what_is_kept():
    posterior, _, log_scores = case("orders")
    judgement = posterior.judge("A -> B", keep="D -> C, A -> B", missing_variables="isolated", n_samples=5)
    with_both = GRAPHS[:, 3, 2] & GRAPHS[:, 0, 1]
    assert judgement.suggestion.log_score == pytest.approx(log_scores[with_both].max(), abs=1e-8)
    probable = posterior.edge_probabilities()
    kept = posterior.judge(posterior.most_probable_graph(), n_samples=5).kept
    best = posterior.most_probable_graph().graph
    assert set(kept.present) == {(a, b) for a, b in best.edges if probable.loc[a, b] > 0.5}
    kept_by_all = posterior.judge(
        "A -> B", keep=posterior.best_graph().edges, missing_variables="isolated", n_samples=5
    )
    assert kept_by_all.suggestion.log_score == pytest.approx(log_scores.max(), abs=1e-8)
    with pytest.raises(ValueError, match="unknown variable 'E'"):
        posterior.judge("A -> B", keep="A -> E", missing_variables="isolated", n_samples=5)
    with pytest.raises(osp.ImpossibleEvidence):
        posterior.judge("A -> B", keep="D -> C, C -> D", missing_variables="isolated", n_samples=5)


def test_impossible_graphs():
    posterior = learn(knowledge="A !-> B")
    judgement = posterior.judge("A -> B -> C", missing_variables="isolated", n_samples=50)
    assert judgement.verdict == "impossible"
    assert judgement.implausible
    assert judgement.log_probability == -math.inf
    assert "rule this graph out" in str(judgement)
    first = judgement.moves.iloc[0]
    assert {(m.change, m.cause, m.effect) for m in judgement.moves.itertuples() if m.gain == math.inf} >= {
        ("remove", "A", "B"),
        ("reverse", "A", "B"),
    }
    assert first.gain == math.inf
    assert case("orders").posterior.given("C < A").judge("A -> C, B -> D", n_samples=50).verdict == "impossible"


def test_context_variables():
    posterior = learn(context=["A"])
    assert posterior.judge("B -> A, C -> D", n_samples=50).verdict == "impossible"
    judgement = posterior.judge("A -> B, C -> D", n_samples=50)
    assert not {("add", "B", "A"), ("add", "C", "A"), ("reverse", "A", "B")} & {
        (m.change, m.cause, m.effect) for m in judgement.moves.itertuples()
    }
    assert judgement.log_probability == pytest.approx(posterior.log_probability(judgement.graph.edges), abs=1e-8)
    assert judgement.context == ("A",)


def test_a_sample_of_graphs():
    posterior = learn(method=osp.methods.Gadget(n_graphs=400, effort=0.1, n_chains=2), rng=1)
    exact = case("dags")
    graphs, _ = posterior.model.weighted_graphs()
    best = posterior.judge(posterior.most_probable_graph())
    place = (nx.to_numpy_array(best.completion, nodelist=NAMES, dtype=bool) == GRAPHS).all(axis=(1, 2))
    assert best.tail.n_draws == pytest.approx(len(graphs))
    assert best.probability == pytest.approx(math.exp(exact.log_probabilities[place][0]), abs=4 * best.standard_error)
    drawn = {graph.tobytes() for graph in graphs}
    never = next(g for g in GRAPHS[np.argsort(-exact.log_probabilities)] if g.tobytes() not in drawn)
    judgement = posterior.judge(frame_of(never))
    place = (never == GRAPHS).all(axis=(1, 2))
    assert judgement.log_probability == pytest.approx(exact.log_probabilities[place][0], abs=0.7)
    assert math.isnan(judgement.standard_error)
    assert "estimated from scores" in " ".join(judgement.notes)


def test_a_circuit_that_does_not_cover_a_graph():
    posterior = learn(method=osp.methods.Trust(expansion=[2], block_size=2, oracle="random"), rng=3)
    uncovered = [
        g
        for g in GRAPHS[::7]
        if posterior.log_probability(
            osp.Edges(
                [(NAMES[a], NAMES[b]) for a, b in np.argwhere(g)],
                [(NAMES[a], NAMES[b]) for a, b in np.argwhere(~g) if a != b],
            )
        )
        == -math.inf
    ]
    judgement = posterior.judge(frame_of(uncovered[0]), n_samples=100)
    assert 0.0 < judgement.tail.probability <= 1.0
    assert math.isnan(judgement.log_probability)
    assert "none of the orders" in " ".join(judgement.notes)


def test_a_circuit_ranks_graphs_as_the_exact_posterior_does():
    """Chance decides which orders of a graph are covered, and must not decide what is called implausible."""
    posterior = learn(method=osp.methods.Trust(expansion=[2], block_size=2, oracle="random"), rng=3)
    exact = case("orders").log_probabilities
    standing = Standing(posterior.model, posterior.evidence)
    assert standing.is_noisy
    differences = standing.ranks(GRAPHS) - exact
    assert np.ptp(differences) < 1e-8
    assert np.ptp(standing.of(GRAPHS) - exact) > 1.0


def test_parent_sets_that_were_left_out():
    posterior = learn(candidates={"A": [], "B": ["A"], "C": ["B"], "D": ["C"]}, method="exact")
    judgement = posterior.judge("D -> A, B -> C", n_samples=50)
    assert judgement.log_probability == -math.inf
    assert 0.0 < judgement.tail.probability < 1.0
    assert "leaves out some parent sets" in " ".join(judgement.notes)


def test_dibs_like_lists_and_mixtures_of_samples():
    mixture = osp.mix(
        [learn(method=osp.methods.Gadget(n_graphs=60, effort=0.02, n_chains=2), rng=seed) for seed in (1, 2)], "equal"
    )
    best = mixture.judge(mixture.most_probable_graph())
    assert best.verdict == "plausible"
    assert math.isnan(best.log_bayes_factor)
    assert math.isnan(best.tail.standard_error)
    far = mixture.judge("D -> A, C -> A, B -> D", n_samples=10)
    assert far.tail.probability < best.tail.probability


def test_arguments():
    posterior = case("orders").posterior
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        posterior.judge("A -> B, C -> D", level=1.0)
    with pytest.raises(ValueError, match="n_samples"):
        posterior.judge("A -> B, C -> D", n_samples=0)
    few = posterior.judge("A -> B, C -> D", n_samples=5)
    assert "5 draws are too few to call a graph implausible at level 0.05" in few.notes
    same = [posterior.judge("A -> B, C -> D", rng=seed).tail.probability for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


@pytest.mark.thorough
def test_other_scores():
    """Categories, and numbers beside them: the score of a graph is that of the posterior."""
    asia = osp.load_asia().data[["smoke", "lung", "bronc", "dysp"]]
    mixed = osp.simulate.mixed(4, 200, rng=0).data
    for data in (asia, mixed):
        posterior = osp.learn(data, check=False, n_jobs=1)
        best = posterior.most_probable_graph()
        judgement = posterior.judge(best, n_samples=100)
        assert judgement.log_score_difference == 0.0
        assert judgement.log_probability == pytest.approx(posterior.log_probability(best.edges), abs=1e-8)
        scores = Standing(posterior.model, posterior.evidence).scores
        matrix = nx.to_numpy_array(best.graph, nodelist=posterior.variables, dtype=bool)
        assert scores.graphs(matrix[None])[0] == pytest.approx(best.log_score, abs=1e-6)
        prior = sum(posterior.model.score.log_prior[int(n)] for n in matrix.sum(axis=0))
        assert scores.log_likelihood(matrix) == pytest.approx(best.log_score - prior, abs=1e-6)


@pytest.mark.thorough
def test_many_undirected_edges():
    """More than can be asked for at once, and more DAGs than are summed over."""
    names = [f"X{k + 1}" for k in range(14)]
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(200, 14)), axis=1)
    posterior = osp.learn(values, variables=names, method=osp.methods.Exact(target="order"), n_jobs=1, check=False)
    chain = posterior.judge(" -- ".join(names), n_samples=100)
    assert len(chain.graph.undirected) == 13
    assert any("DAGs that the graph stands for" in told for told in chain.notes)
    assert chain.standard_error > 0.0
    known = posterior.most_probable_graph(given=osp.Edges.parse(" -> ".join(names)))  # all directions score alike
    assert chain.log_score_difference >= known.log_score - posterior.most_probable_graph().log_score - 2.0
    assert chain.verdict == "plausible"


def test_the_search_for_directions_ends_at_a_summit(monkeypatch):
    """With few DAGs listed, no reversal of an undirected edge is better than the completion."""
    posterior, log_probabilities, _ = case("orders")
    monkeypatch.setattr("orderspn.judging.judging.MOST_COMPLETIONS", 2)
    values = {graph.tobytes(): value for graph, value in zip(GRAPHS, log_probabilities, strict=True)}
    for text in ("A -- B, B -- C, C -- D", "D -- A, A -- C, C -- B", "A -- B, B -- C, C -- A, D -- A"):
        judgement = posterior.judge(text, n_samples=1)
        assert any("DAGs that the graph stands for were compared" in told for told in judgement.notes)
        found = nx.to_numpy_array(judgement.completion, nodelist=NAMES, dtype=bool)
        assert {frozenset(edge) for edge in judgement.completion.edges} == set(
            map(frozenset, judgement.graph.undirected)
        )
        for cause, effect in np.argwhere(found):
            other = found.copy()
            other[cause, effect], other[effect, cause] = False, True
            assert values.get(other.tobytes(), -np.inf) <= values[found.tobytes()] + 1e-9


def test_evidence_of_ancestors():
    """Graphs that it rules out are impossible; of the others the posterior has a sample."""
    posterior = case("orders").posterior.given("A ~> D")
    assert posterior.judge("A -> B, C -> D").verdict == "impossible"
    whole, log_probabilities, _ = case("orders")
    judgement = posterior.judge(posterior.most_probable_graph())
    exact = whole.probability(judgement.graph.edges) / whole.probability("A ~> D")
    assert judgement.tail.probability > 0.5
    assert judgement.probability == pytest.approx(exact, abs=4 * judgement.standard_error)
    assert judgement.standard_error < 0.1
    standing = Standing(posterior.model, posterior.evidence)
    assert np.ptp(standing.of(GRAPHS) - log_probabilities) < 1e-8  # up to the evidence
    chain = posterior.judge("A -> B -> C -> D").moves
    assert ("remove", "C", "D") not in {(m.change, m.cause, m.effect) for m in chain.itertuples()}
