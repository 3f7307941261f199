"""Scores, models, methods and oracles of others: each is written here and used without a change anywhere else."""

import math
import sys
from dataclasses import dataclass
from typing import ClassVar
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
import orderspn.models
from helpers.data import gaussian_data
from helpers.files import forge, read_members
from orderspn.core.errors import ImpossibleEvidence, InvalidType, InvalidValue, Unavailable
from orderspn.core.workers import Workers
from orderspn.methods.memory import Demand
from orderspn.methods.problem import Solution
from orderspn.methods.registry import METHODS
from orderspn.methods.report import Report
from orderspn.models.registry import MODELS
from orderspn.oracles.partitions import fill_up, gather, once_each, split_orders
from orderspn.posterior import Posterior
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, graph_as_event
from orderspn.queries.sampling import GraphSamples, orders_of_graphs
from orderspn.scores.local import LocalScore
from orderspn.scores.registry import SCORES

NAMES = ["A", "B", "C", "D", "E"]
VALUES = gaussian_data(5, 40, seed=3)


@pytest.fixture(autouse=True)
def own_registries():
    """What a test registers is forgotten after it."""
    with patch.dict(SCORES._classes), patch.dict(MODELS._classes), patch.dict(METHODS._classes):
        yield


# --- a score


@dataclass(frozen=True)
class BIC:
    """Linear regressions, with a penalty for each weight."""

    penalty: float = 0.5

    name: ClassVar[str] = "own bic"

    def fit(self, data):
        centred = data.values - data.values.mean(axis=0)
        return FittedBIC(centred.T @ centred / data.n_rows, data.n_rows, self.penalty)

    @classmethod
    def restore(cls, settings, arrays):
        covariance = arrays["covariance"]
        if covariance.ndim != 2 or not np.isfinite(covariance).all():
            raise ValueError("its covariances are not a matrix of finite numbers")
        return FittedBIC(covariance, settings["rows"], settings["penalty"])


@dataclass(frozen=True, eq=False)
class FittedBIC:
    covariance: np.ndarray
    n_rows: int
    penalty: float

    @property
    def n_variables(self):
        return len(self.covariance)

    def log_likelihoods(self, child, candidates, max_parents, always=()):
        sets = (
            [*always, *candidates[[bool(mask >> b & 1) for b in range(candidates.size)]]]
            for mask in range(1 << candidates.size)
        )
        return np.array([self._of(child, parents) if len(parents) <= max_parents else -np.inf for parents in sets])

    def log_likelihoods_with_one_more(self, child, parents):
        others = set(range(self.n_variables)) - {child, *parents}
        return np.array([self._of(child, [*parents, v]) if v in others else -np.inf for v in range(self.n_variables)])

    def _of(self, child, parents):
        inner, outer = self.covariance[np.ix_(parents, parents)], self.covariance[parents, child]
        residual = self.covariance[child, child] - outer @ np.linalg.solve(inner, outer)
        return -self.n_rows / 2 * math.log(residual) - self.penalty * len(parents) * math.log(self.n_rows)

    def settings(self):
        return {"name": BIC.name, "penalty": self.penalty, "rows": self.n_rows}

    def arrays(self):
        return {"covariance": self.covariance}


@pytest.fixture
def by_bic():
    return osp.learn(VALUES, variables=NAMES, score=BIC(penalty=0.75), n_jobs=1)


def assert_same_answers(one, other):
    assert type(one.model) is type(other.model)
    assert dict(one.settings) == dict(other.settings)
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.most_probable_graph().edges == other.most_probable_graph().edges
    np.testing.assert_array_equal(one.sample(20, rng=1).adjacency, other.sample(20, rng=1).adjacency)
    assert one.summary() == other.summary()


def test_a_score_is_saved_and_read_again(by_bic, tmp_path):
    osp.scores.register(BIC)
    by_bic.save(tmp_path / "p.npz")
    assert read_members(tmp_path / "p.npz")[1]["score_class"] == f"{__name__}:BIC"
    again = osp.load(tmp_path / "p.npz", n_jobs=1)
    assert_same_answers(again, by_bic)
    assert again.log_evidence == by_bic.log_evidence
    assert "own bic (penalty=0.75), fair prior" in again.summary()


def test_a_registered_score_has_a_name(by_bic):
    with pytest.raises(InvalidValue, match="score must be one of"):
        osp.learn(VALUES, score="own bic")
    osp.scores.register(BIC)
    named = osp.learn(VALUES, variables=NAMES, score="own bic", n_jobs=1)
    assert named.settings["score"] == {"name": "own bic", "penalty": 0.5, "rows": 40}
    assert named.log_evidence > by_bic.log_evidence  # the smaller penalty


def test_questions_that_a_score_has_no_answer_to(by_bic):
    for ask in (by_bic.causal_effects, by_bic.estimate_effects, by_bic.effect_samples):
        with pytest.raises(
            Unavailable, match="total effects need weights of edges; the score 'own bic' of this posterior"
        ):
            ask()
    with pytest.raises(Unavailable, match="needs the tables of probabilities of categories; the score 'own bic'"):
        by_bic.interventional("A", {})
    with pytest.raises(InvalidType, match=r"predictive densities.*got one whose fit returns FittedBIC"):
        osp.metrics.log_predictive_density(by_bic, VALUES, VALUES, score=BIC())


def test_a_score_that_is_not_registered_is_not_saved(by_bic, tmp_path):
    with pytest.raises(InvalidValue, match="the score 'own bic' is not registered"):
        by_bic.save(tmp_path / "p.npz")


def test_a_score_by_the_name_of_another_is_not_saved(tmp_path):
    fitted = osp.scores.BGe().fit(osp.read_table(VALUES))

    class Disguised(FittedBIC):
        def settings(self):
            return fitted.settings()

        def arrays(self):
            return fitted.arrays()

    class Disguise:
        def fit(self, data):
            own = BIC().fit(data)
            return Disguised(own.covariance, own.n_rows, own.penalty)

    with pytest.raises(InvalidValue, match="is a Disguised and would be loaded as FittedBGe"):
        osp.learn(VALUES, score=Disguise(), n_jobs=1).save(tmp_path / "p.npz")


def test_files_do_not_import_anything(by_bic, tmp_path, monkeypatch):
    """A module that tells when it is imported, named by a file."""
    osp.scores.register(BIC)
    path = tmp_path / "p.npz"
    by_bic.save(path)
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)

    def trapped(_, manifest):
        manifest["score_class"] = "trap:Score"
        manifest["settings"]["score"]["name"] = "trap"

    with pytest.raises(osp.UnreadableFile) as refusal:
        osp.load(forge(path, trapped))
    assert "its score 'trap' is the class trap:Score, which is not registered" in str(refusal.value)
    assert "from trap import Score; orderspn.scores.register(Score)" in str(refusal.value)
    assert "trap" not in sys.modules


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a, m: m.update(score_class="os; import sys:x"), "score_class"),
        (lambda a, m: a.update(covariance=a["covariance"][0]), "not a matrix of finite numbers"),
        (lambda a, m: a.update(covariance=np.full((5, 5), np.nan)), "not a matrix of finite numbers"),
        (lambda a, m: a.update(covariance=a["covariance"].astype("<c16")), "'covariance' has the type complex128"),
        (lambda a, m: a.update(log_prior=a["log_prior"].astype(int)), "'log_prior' has the type int64"),
        (lambda a, m: m["settings"]["score"].update(rows=3), "number of rows of the score"),
        (lambda a, m: m["settings"]["score"].update(penalty="much"), "damaged"),
        (lambda a, m: m.update(model="unheard of"), "an unknown model: 'unheard of'"),
        (lambda a, m: m.update(model="dags"), "its target is not 'order'"),
        (lambda a, m: m["settings"].update(method="unheard of"), "its method 'unheard of' is not known"),
    ],
)
def test_forged_files_are_refused(by_bic, tmp_path, change, says):
    osp.scores.register(BIC)
    by_bic.save(tmp_path / "p.npz")
    with pytest.raises(osp.UnreadableFile) as refusal:
        osp.load(forge(tmp_path / "p.npz", change))
    assert says in str(refusal.value)


def test_what_can_be_registered():
    with pytest.raises(InvalidType, match="takes a class, not an object of it"):
        osp.scores.register(BIC())
    with pytest.raises(InvalidType, match=r"must have the methods fit, restore; .*FittedBIC has no fit"):
        osp.scores.register(FittedBIC)
    with pytest.raises(InvalidValue, match=r"the name 'bge' is that of orderspn\.scores\.bge:BGe"):
        osp.scores.register(type("Other", (BIC,), {"name": "bge"}))
    with pytest.raises(InvalidValue, match="must have a name"):
        osp.scores.register(type("Nameless", (BIC,), {"name": None}))

    class Hidden(BIC):
        name: ClassVar[str] = "hidden"

    with pytest.raises(InvalidValue, match="must be a class that can be imported"):
        osp.scores.register(Hidden)


# --- a model, and a method that makes it


@dataclass(frozen=True, eq=False)
class OneGraph:
    """All probability on one graph."""

    variables: tuple
    score: LocalScore
    candidates: list
    outsider_rows: list
    graph: np.ndarray
    workers: Workers

    kind: ClassVar[str] = "one graph"
    target: ClassVar[str] = "dag"
    nature: ClassVar[str] = "is a single graph"

    def given(self, evidence, added):
        if not self._holds(added):
            raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: the graph is another.")
        return self

    def log_probability(self, evidence, event):
        return 0.0 if self._holds(event) else -math.inf

    def standard_error(self, event):
        return 0.0

    def edge_standard_errors(self):
        return np.zeros(self.graph.shape)

    def edge_matrix(self):
        return self.graph.astype(float)

    def parent_sets(self, child, top):
        return [tuple(self.variables[v] for v in np.flatnonzero(self.graph[:, child]))], np.ones(1)

    def most_probable_graph(self):
        named = nx.DiGraph()
        named.add_nodes_from(self.variables)
        named.add_edges_from((self.variables[i], self.variables[j]) for i, j in np.argwhere(self.graph))
        order = [self.variables[v] for v in orders_of_graphs(self.graph[None])[0]]
        return MostProbableGraph(named, order, 0.0, 0.0, graph_as_event(named, self.variables))

    def best_graph(self, evidence, added, effort, rng):
        best = self.most_probable_graph()
        return BestGraph(best.graph, best.order, best.log_score, best.edges)

    def sample(self, n, rng):
        graphs = np.repeat(self.graph[None], n, axis=0)
        return GraphSamples(list(self.variables), graphs, orders_of_graphs(graphs))

    def sample_dags(self, n, rng):
        return self.sample(n, rng)

    def estimate_effects(self, n, rng):
        return np.eye(len(self.graph)), np.zeros(self.graph.shape)

    def lines(self):
        return [("graph", f"{int(self.graph.sum())} edges")]

    def arrays(self):
        return {"the_graph": self.graph}

    @classmethod
    def restore(cls, parts):
        graph, d = parts.arrays["the_graph"], len(parts.variables)
        if graph.shape != (d, d):
            raise ValueError("its graph does not match the variables")
        workers = parts.workers_for(lambda n_jobs: d * d)
        return cls(parts.variables, parts.score, parts.candidates, parts.outsider_rows, graph, workers)

    def _holds(self, edges):
        place = self.variables.index
        present = all(self.graph[place(cause), place(effect)] for cause, effect in edges.present)
        return present and not any(self.graph[place(cause), place(effect)] for cause, effect in edges.absent)


@dataclass(frozen=True, kw_only=True)
class Guess(osp.methods.Method):
    """A chain of some variables, whatever the data say."""

    name = "guess"
    target = "dag"

    length: int = 3

    def demand(self, sizes, n_jobs):
        return Demand(1000, "a guess takes", "Guess less")

    def learn(self, problem):
        families = problem.families()
        graph = np.zeros((problem.d, problem.d), dtype=bool)
        graph[range(self.length - 1), range(1, self.length)] = True
        candidates = [family.candidates for family in families]
        rows = [family.outsider_rows for family in families]
        model = OneGraph(problem.variables, problem.local, candidates, rows, graph, problem.workers)
        return Solution(model, {"guesses": [1, 2]})


@pytest.fixture
def one_graph():
    return osp.learn(VALUES, variables=NAMES, method=Guess(), n_jobs=1)


def test_a_model_answers(one_graph):
    assert one_graph.probability("A -> B, B -> C") == 1.0
    assert one_graph.probability("C -> D") == 0.0
    assert one_graph.parent_sets("B")["parents"].tolist() == [("A",)]
    assert one_graph.sample(3).adjacency.sum() == 6
    assert set(one_graph.most_probable_graph().graph.edges) == {("A", "B"), ("B", "C")}
    assert osp.metrics.expected_shd(one_graph, one_graph.most_probable_graph().graph) == 0.0
    summary = one_graph.summary()
    assert "guess, every graph counts once\n" in summary
    assert "  graph                2 edges\n" in summary
    assert "log evidence" not in summary


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda p: p.log_evidence, "the log evidence needs a sum"),
        (lambda p: p.entropy(), "the entropy needs a sum"),
        (lambda p: p.precedence(), "precedence is about orders"),
        (lambda p: p.probability("A < B"), "'A < B' is about orders"),
        (lambda p: p.causal_effects(), r"causal_effects\(\) needs"),
        (lambda p: p.size, "size describes circuits"),
        (lambda p: p.coverage(), "coverage needs"),
        (lambda p: osp.plot.trace(p), "a trace needs draws of Markov chains"),
    ],
)
def test_questions_that_a_model_has_no_answer_to(one_graph, ask, says):
    with pytest.raises(Unavailable, match=f"{says}.*; this posterior is a single graph. [A-Z].*"):
        ask(one_graph)


def test_a_model_is_saved_and_read_again(one_graph, tmp_path):
    path = tmp_path / "p.npz"
    with pytest.raises(InvalidValue, match=r"the model 'one graph' is not registered.*register\(OneGraph\)"):
        one_graph.save(path)
    orderspn.models.register(OneGraph)
    with pytest.raises(InvalidValue, match="its method 'guess' is not known"):
        one_graph.save(path)
    osp.methods.register(Guess)
    assert osp.learn(VALUES, variables=NAMES, method="guess", n_jobs=1).settings == one_graph.settings
    under = one_graph.given("A -> B")
    under.save(path)
    again = osp.load(path, n_jobs=1)
    assert_same_answers(again, under)
    assert again.settings["guesses"] == [1, 2]
    assert again.evidence == under.evidence
    del MODELS._classes["one graph"]
    with pytest.raises(osp.UnreadableFile, match=r"from \S+ import OneGraph; orderspn.models.register\(OneGraph\)"):
        osp.load(path)


class GuessReport(Report):
    """What a guess says."""

    models = ("one graph",)
    length: int
    guesses: list[int]


@dataclass(frozen=True, kw_only=True)
class StrictGuess(Guess):
    """A guess that says what it reports."""

    name = "strict guess"
    report = GuessReport


def test_a_report_is_as_strict_as_it_is_declared(tmp_path):
    orderspn.models.register(OneGraph)
    osp.methods.register(StrictGuess)
    one_graph = osp.learn(VALUES, variables=NAMES, method="strict guess", n_jobs=1)
    one_graph.save(tmp_path / "p.npz")
    assert_same_answers(osp.load(tmp_path / "p.npz", n_jobs=1), one_graph)
    changed = Posterior(one_graph.model, {**one_graph.settings, "guesses": ["many"]})
    with pytest.raises(InvalidValue, match=r"Expected `int`, got `str` - at `\$.settings.guesses"):
        changed.save(tmp_path / "p.npz")
    unsayable = Posterior(one_graph.model, {**one_graph.settings, "guesses": [{1, 2}]})
    with pytest.raises(InvalidValue, match="could not be loaded: Object of type set is not JSON"):
        unsayable.save(tmp_path / "p.npz")
    another = osp.learn(VALUES, method=osp.methods.Exact(target="dag"), n_jobs=1)
    settings = {**another.settings, "method": "strict guess", "length": 3, "guesses": []}
    with pytest.raises(InvalidValue, match="its model is not one of method 'strict guess'"):
        Posterior(another.model, settings).save(tmp_path / "p.npz")


class Clashing(OneGraph):
    """With an array that the score has, too."""

    kind: ClassVar[str] = "clashing"

    def arrays(self):
        return {"bge_matrix": self.graph}


def test_methods_that_cannot_be_registered():
    with pytest.raises(InvalidType, match=r"a method must be a subclass of orderspn.methods.Method; got OneGraph"):
        osp.methods.register(OneGraph)
    with pytest.raises(InvalidValue, match=r"the name 'exact' is that of orderspn\.methods\.exact:Exact"):
        osp.methods.register(type("Other", (Guess,), {"name": "exact"}))


def test_arrays_of_the_same_name_are_not_mixed(one_graph, tmp_path):
    orderspn.models.register(Clashing)
    clashing = Clashing(**vars(one_graph.model))
    with pytest.raises(InvalidValue, match="two parts of this posterior have an array 'bge_matrix'"):
        Posterior(clashing, one_graph.settings).save(tmp_path / "p.npz")


# --- an oracle


class Shuffles:
    """Partitions of orders that are drawn at random."""

    def propose(self, question, count, rng, *, distinct):
        orders = np.stack([rng.permutation(question.variables.size) for _ in range(count)])
        drawn = gather(split_orders(orders), {"draws": float(count)})
        return once_each(fill_up(question, drawn.first, count, rng), drawn.info) if distinct else drawn

    def settings(self):
        return {"name": "shuffles"}


def test_an_oracle_needs_no_registration(tmp_path):
    posterior = osp.learn(
        VALUES,
        variables=NAMES,
        method=osp.methods.Trust(oracle=Shuffles(), expansion=[4], block_size=3),
        n_jobs=1,
    )
    assert "oracle 'shuffles'" in posterior.summary()
    posterior.save(tmp_path / "p.npz")
    assert_same_answers(osp.load(tmp_path / "p.npz", n_jobs=1), posterior)
