"""What a prompt and a notebook show: every public object briefly, without arrays, and with names escaped."""

import dataclasses
import importlib
import re
from html.parser import HTMLParser
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.mixed import mixed_data
from orderspn.comparison.comparison import VariationBound
from orderspn.data.describing import described
from orderspn.data.distributions import restored
from orderspn.display.edges import edges_html
from orderspn.display.summaries import MEANINGS, WITHIN_VALUES
from orderspn.display.text import listed
from orderspn.experiments.reproduction import Reproduction
from orderspn.lattice.coverage import Coverage, Size
from orderspn.missing.imputations import Imputations
from orderspn.queries.consensus import ConsensusGraph
from orderspn.queries.effects import EffectEstimate, EffectSamples
from orderspn.queries.equivalence_classes import EquivalenceClass
from orderspn.queries.most_probable import BestGraph, graph_as_event
from orderspn.queries.sampling import GraphSamples
from orderspn.user_graphs import PartialGraph

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"

MANY = [f"variable number {i}" for i in range(60)]
CHAIN = nx.path_graph(MANY, create_using=nx.DiGraph)
EVENT = graph_as_event(CHAIN, MANY)
GRAPHS = GraphSamples(MANY, np.ones((7, 60, 60), dtype=bool), np.zeros((7, 60), dtype=np.int64))
SQUARE = pd.DataFrame(np.ones((60, 60)), MANY, MANY)
NUMBERS = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 60)), columns=MANY)
ANSWERS = NUMBERS > 0
NETWORK = osp.simulate.LinearGaussianNetwork(np.triu(np.ones((60, 60)), 1), variables=MANY)
CLASSES_SHOWN_WHOLE = {  # texts, and a class without objects of its own
    "orderspn.Comparison",
    "orderspn.DataReport",
    "orderspn.queries.equivalence_classes.EquivalenceClasses",
    "orderspn.display.summaries.Summary",
    "orderspn.methods.Method",
}


def fitted(score, data):
    return osp.scores.fit_score(score, data)


OBJECTS = {
    "orderspn.Asia": osp.load_asia,
    "orderspn.Categories": lambda: osp.read_categories(ANSWERS),
    "orderspn.Dataset": lambda: osp.read_table(NUMBERS),
    "orderspn.Edges": lambda: EVENT,
    "orderspn.Finding": lambda: osp.check_data(osp.load_sachs().data)[0],
    "orderspn.FoundGraph": lambda: osp.best_graph(NUMBERS, restarts=1, check=False),
    "orderspn.GraphSamples": lambda: GRAPHS,
    "orderspn.Knowledge": lambda: osp.Knowledge(
        required=EVENT.present, forbidden=EVENT.absent, tiers=[MANY[:30], MANY[30:]], roots=MANY, leaves=MANY
    ),
    "orderspn.Macro": osp.load_macro,
    "orderspn.MixedTable": lambda: osp.read_mixed(mixed_data()),
    "orderspn.Mixture": lambda: osp.mix([posterior(), posterior(prior="uniform")]).given(
        osp.Edges(absent=[(c, e) for c in "ABCD" for e in "ABCD" if c < e])
    ),
    "orderspn.MostProbableGraph": lambda: osp.MostProbableGraph(CHAIN, MANY, -1.5, -2000.25, EVENT),
    "orderspn.OrderSPN": lambda: osp.OrderSPN().fit(gaussian_data(4, 30, seed=0)),
    "orderspn.Penguins": osp.load_penguins,
    "orderspn.Posterior": lambda: posterior().given(
        osp.Edges(absent=[(c, e) for c in "ABCD" for e in "ABCD" if c < e])
    ),
    "orderspn.Sachs": lambda: osp.load_sachs(interventions=True),
    "orderspn.comparison.comparison.VariationBound": lambda: VariationBound(1 / 3, False, "A and B"),
    "orderspn.data.distributions.CategoryDistribution": lambda: distribution({"A": MANY, "B": NUMBERS.index[:60]}),
    "orderspn.data.distributions.GroupDistribution": lambda: distribution(NUMBERS, groups={MANY[0]: MANY[:50]}),
    "orderspn.data.distributions.NumberDistribution": lambda: distribution(NUMBERS / 3e-90),
    "orderspn.design.Campaign": lambda: osp.design.simulate_campaign(
        osp.simulate.LinearGaussianNetwork([[0, 1], [0, 0]], variables=MANY[:2]), "observe", rounds=1, rng=0
    ),
    "orderspn.experiments.Reproduction": lambda: Reproduction("exact", [None] * 999, [None] * 9, {}, [], []),
    "orderspn.judging.equivalence_class.JudgedClass": lambda: judged().equivalence,
    "orderspn.judging.judgement.Judgement": lambda: judged(),
    "orderspn.judging.tail.Tail": lambda: judged().tail,
    "orderspn.lattice.coverage.Coverage": lambda: Coverage(-1 / 3, -1 / 3, 1 / 3, 1 / 3, "sampled orders"),
    "orderspn.lattice.coverage.Size": lambda: Size(10**6, 10**6, 1e300, 1e300, 10**6, 1 / 3),
    "orderspn.methods.Auto": osp.methods.Auto,
    "orderspn.methods.DiBS": osp.methods.DiBS,
    "orderspn.methods.Exact": lambda: osp.methods.Exact(target="dag"),
    "orderspn.methods.Gadget": osp.methods.Gadget,
    "orderspn.methods.Trust": lambda: osp.methods.Trust(oracle="gadget", expansion=[64, 16, 6, 2], block_size=1),
    "orderspn.metrics.EdgeError": lambda: osp.metrics.edge_error(posterior(), posterior()),
    "orderspn.missing.imputations.Imputations": lambda: Imputations(NUMBERS, NUMBERS > 1e9, [{}] * 20),
    "orderspn.queries.consensus.ConsensusGraph": lambda: ConsensusGraph(CHAIN, "shd", 1 / 3, 0.0, 1 / 3, True),
    "orderspn.queries.effect_draws.PairDraws": lambda: posterior().effect("A", "B", n_samples=50).draws,
    "orderspn.queries.effect_report.Effect": lambda: dataclasses.replace(
        posterior().effect("A", "B", n_samples=50), about=f"total effect of {MANY[0]} on {MANY[1]}, given {EVENT}"
    ),
    "orderspn.queries.effects.EffectEstimate": lambda: EffectEstimate(SQUARE, SQUARE, 1000),
    "orderspn.queries.effects.EffectSamples": lambda: EffectSamples(MANY, np.ones((7, 60, 60)), GRAPHS),
    "orderspn.queries.equivalence_classes.EquivalenceClass": lambda: EquivalenceClass(CHAIN, CHAIN, 1 / 3, 1 / 3, 60),
    "orderspn.queries.most_probable.BestGraph": lambda: BestGraph(CHAIN, MANY, -2000.25, EVENT),
    "orderspn.scores.BDeu": osp.scores.BDeu,
    "orderspn.scores.BGe": osp.scores.BGe,
    "orderspn.scores.BIC": osp.scores.BIC,
    "orderspn.scores.BetaBinomial": lambda: osp.scores.BetaBinomial(0.25, 8),
    "orderspn.scores.FittedBDeu": lambda: fitted(osp.scores.BDeu(), osp.read_categories(ANSWERS)),
    "orderspn.scores.FittedBIC": lambda: fitted(osp.scores.BIC(), osp.read_table(NUMBERS)),
    "orderspn.scores.FittedBGe": lambda: fitted(osp.scores.BGe(), osp.read_table(NUMBERS)),
    "orderspn.scores.FittedGroupBGe": lambda: osp.scores.BGe(degree=3).fit(osp.read_mixed(mixed_data())),
    "orderspn.scores.GroupBGe": osp.scores.GroupBGe,
    "orderspn.scores.LocalScore": lambda: posterior().model.score,
    "orderspn.simulate.FunctionSimulation": lambda: osp.simulate.mixed(20, 50, rng=0),
    "orderspn.simulate.LinearGaussianNetwork": lambda: NETWORK,
    "orderspn.simulate.SeriesSimulation": lambda: osp.simulate.vector_autoregression(3, 50, rng=0),
    "orderspn.simulate.Simulation": lambda: osp.simulate.Simulation(NUMBERS, NETWORK),
    "orderspn.user_graphs.partial_graph.PartialGraph": lambda: PartialGraph.of("graph", MANY, CHAIN.edges),
    "orderspn.time_series.Lagged": lambda: osp.time_series.lagged(NUMBERS, lags=2),
}


def posterior(names="ABCD", **settings):
    return osp.learn(pd.DataFrame(gaussian_data(4, 30, seed=0), columns=list(names)), **settings)


def distribution(data, **about):
    """That of the first variable."""
    table = osp.read_mixed(pd.DataFrame(data), **about)
    return next(iter(restored(described(table)).values()))


def judged():
    return posterior().judge("A -> B, C -- D", n_samples=30)


def classes_of_the_reference():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    return set(re.findall(r"^\.\. autoclass:: (orderspn[\w.]*)$", pages, re.MULTILINE))


def test_every_public_class_has_an_example_here():
    assert classes_of_the_reference() - CLASSES_SHOWN_WHOLE == set(OBJECTS)


@pytest.mark.parametrize("name", OBJECTS)
def test_a_prompt_shows_it_briefly(name):
    shown = OBJECTS[name]()
    home, _, own = name.rpartition(".")
    assert type(shown) is getattr(importlib.import_module(home), own)
    text = repr(shown)
    assert 0 < len(text) <= 300
    assert text.count("\n") <= 2
    assert "array(" not in text
    assert " object at 0x" not in text


DATA = [
    ("METHODS", osp.methods.METHODS),
    ("EXPERIMENTS", osp.experiments.EXPERIMENTS),
    ("NETWORKS", osp.simulate.NETWORKS),
]


@pytest.mark.parametrize(("name", "value"), DATA)
def test_public_collections(name, value):
    assert len(repr(value)) <= 40 * len(value)
    assert all(str(member) in repr(value) for member in value)
    assert " object at 0x" not in repr(value)


@pytest.mark.parametrize(
    "method", [osp.methods.Exact(), osp.methods.Exact(target="dag"), osp.methods.Trust(block_size=2)]
)
def test_models(method):
    assert re.fullmatch(r"<\w+Graphs: 4 variables>", repr(posterior(method=method).model))


class TestWhatIsShown:
    def test_a_graph(self):
        graph = nx.DiGraph([("A", "B"), ("C", "B")])
        best = osp.MostProbableGraph(graph, ["A", "C", "B"], -1.5, -20.25, graph_as_event(graph, ["A", "B", "C"]))
        expected = (
            "<MostProbableGraph: 2 edges among 3 variables, log probability -1.500, log score -20.250\n A -> B, C -> B>"
        )
        assert repr(best) == expected

    def test_the_other_edges_are_counted(self):
        text = repr(OBJECTS["orderspn.MostProbableGraph"]())
        shown, _, rest = text.partition("\n")[2].partition(", ... and ")
        assert shown.count(" -> ") + int(rest.split()[0]) == 59

    def test_an_empty_graph(self):
        empty = BestGraph(nx.empty_graph(3, create_using=nx.DiGraph), ["A", "B", "C"], -1.0, osp.Edges())
        assert repr(empty) == "<BestGraph: 0 edges among 3 variables, log score -1.000>"
        assert "<table>" not in empty._repr_html_()

    def test_draws(self):
        drawn = posterior().sample(50, rng=0, target="dag")
        assert repr(drawn).startswith(
            f"<GraphSamples: 50 graphs of 4 variables, {drawn.edge_frequencies().sum():.1f} edges"
        )
        assert f"effective sample size {drawn.quality.effective_sample_size:.1f}>" in repr(drawn)

    def test_classes_of_graphs(self):
        lines = repr(posterior().cpdags(top=14)).splitlines()
        assert len(lines) == 12
        assert lines[-1] == " ... and 4 more>"

    def test_distributions(self):
        table = pd.DataFrame({"A": ["no", "yes", "no"], "B": [0.0, 1.5, 2.0]})
        assert repr(distribution(table)) == "<CategoryDistribution: 3 values; no 2, yes 1>"
        numbers = distribution(table[["B", "A"]])
        assert repr(numbers) == "<NumberDistribution: 3 values from 0 to 2, mean 1.16667, sd 0.849837, 5 bars>"

    def test_short_lists_are_whole(self):
        assert repr(osp.Edges.parse("A -> B, C !-> D")) == "Edges('A -> B, C !-> D')"
        assert repr(osp.Knowledge(roots=["A"])) == "Knowledge(roots=['A'])"
        assert listed([]) == ""
        assert listed(["x" * 500]).endswith("x ...")


class Cells(HTMLParser):
    """The rows of all tables of a page, and the names of its tags and attributes."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.attributes, self.titles, self._inside = [], set(), set(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {key for key, _ in attrs}
        self.titles += [value for key, value in attrs if key == "title" and value]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._inside = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.rows[-1][-1] += data


class TestNotebooks:
    EVIL = ("<script>alert(1)</script>", 'B" onclick="x', "C&amp;", "D")

    def things(self):
        found = posterior(self.EVIL, knowledge=osp.Knowledge(required=[self.EVIL[:2]]))
        estimate, effects = found.estimate_effects(20), found.effect_samples(20, rng=0)
        given = found.given(osp.Edges(absent=[self.EVIL[2:]]))
        return [
            found,
            given,
            given.summary(),
            found.most_probable_graph(),
            found.best_graph(),
            found.cpdags(),
            found.consensus(),
            osp.compare(found, given),
            found.sample(20, rng=0),
            estimate,
            effects,
        ]

    def test_names_are_escaped_and_shown(self):
        for thing in self.things():
            page = Cells(thing._repr_html_())
            assert "script" not in page.tags
            assert page.attributes <= {"style", "title"}
            if not isinstance(thing, str):
                cells = {cell for row in page.rows for cell in row}
                # Alone, or within an edge.
                assert any(name in cell for cell in cells for name in self.EVIL), thing

    def test_probabilities_of_the_table(self):
        found = posterior()
        rows = Cells(found._repr_html_()).rows
        table = rows[rows.index(["cause", "effect", "probability"]) + 1 :]
        probabilities = found.edge_probabilities()
        values = [float(row[2]) for row in table]
        assert values == sorted(values, reverse=True)
        assert [f"{probabilities.loc[cause, effect]:.3f}" for cause, effect, _ in table] == [row[2] for row in table]
        assert values[0] == round(probabilities.to_numpy().max(), 3)

    def test_effects_are_ordered_by_size_without_the_diagonal(self):
        matrix = np.array([[1.0, -3.0], [2.0, 1.0]])
        assert Cells(edges_html(matrix, ["A", "B"], "effect")).rows[1:] == [["A", "B", "-3.000"], ["B", "A", "2.000"]]

    def test_a_large_posterior_is_not_asked(self, monkeypatch):
        data = np.random.default_rng(0).normal(size=(40, 16))
        large = osp.learn(data, candidates=2, knowledge="X1 !-> X2").given("X3 !-> X4")
        monkeypatch.setattr(type(large.model), "edge_matrix", lambda self: pytest.fail("asked"))
        text = large._repr_html_()
        assert "posterior.summary() tells more" in text
        assert "X3 !-&gt; X4" in text


class TestSummary:
    def test_a_text_that_shows_itself(self):
        summary = posterior().summary()
        assert repr(summary) == str(summary) == f"{summary}"
        assert summary.splitlines()[0] == summary.headline
        assert [line[2:22].strip() for line in summary.splitlines()[1:]] == [name for name, _ in summary.lines]

    def test_a_table_with_meanings(self):
        summary = posterior().summary()
        page = Cells(summary._repr_html_())
        assert page.rows[: len(summary.lines)] == [list(line) for line in summary.lines]
        assert MEANINGS["entropy"] in page.titles
        assert "details" in page.tags

    @pytest.mark.filterwarnings("ignore")  # short chains
    @pytest.mark.parametrize(
        "method",
        [
            osp.methods.Exact(),
            osp.methods.Trust(block_size=2, n_orders=4, effort=0.01),
            osp.methods.Trust(expansion=[2], block_size=2),
            osp.methods.Trust(oracle="gadget", expansion=[2], block_size=2),
            osp.methods.Gadget(n_graphs=20, effort=0.01),
        ],
    )
    def test_the_key_has_every_name_and_nothing_else(self, method):
        summary = posterior(method=method, knowledge="A !-> B").given("C !-> D").summary()
        terms = {line[:21].strip(): line[21:] for line in summary.key.splitlines()}
        assert {name for name, _ in summary.lines} <= set(terms)
        assert all(term in str(summary) for term in terms)
        assert ("R-hat" in terms) == ("R-hat" in str(summary))

    def test_terms_are_explained_in_one_line(self):
        assert all(len(meaning) <= 120 and "\n" not in meaning for meaning in MEANINGS.values())
        assert set(WITHIN_VALUES) <= set(MEANINGS)
