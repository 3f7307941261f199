"""Posteriors of rows under interventions, from the data to the answers."""

import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import discrete_data
from helpers.examples import costly
from helpers.interventions import chain_of_categories, chain_of_numbers, one_at_a_time, random_mask
from orderspn import metrics, storage
from orderspn.cli.main import main
from orderspn.core.errors import InvalidValue
from orderspn.data.dataset import Dataset
from reference import bge as reference_bge
from reference import interventions as reference
from reference.bdeu import mean_table
from reference.dags import DagList, adjacency_of
from reference.enumeration import Enumeration

NAMES = letters(4)
ARITIES = (2, 3, 2, 2)


def numbers(seed, n=40):
    return gaussian_data(4, n, seed)


def categories(seed, n=40):
    """Text; level k of every column sorts as k."""
    codes = discrete_data(ARITIES, n, seed)
    return codes, pd.DataFrame(codes.astype(str), columns=NAMES)


def dag_edges(scores):
    """Edge probabilities by all 543 graphs, each counted once."""
    listed = DagList(scores)
    assert len(listed.p) == 543
    return np.einsum("g,gij->ij", listed.p, adjacency_of(listed.masks))


def order_edges(scores):
    """By all pairs of an order and a graph."""
    brute = Enumeration.of(scores)
    p = np.exp(brute.log_weight - brute.log_weight.max())
    return np.einsum("g,gij->ij", p / p.sum(), adjacency_of(brute.masks))


EDGES = {"dag": dag_edges, "order": order_edges}
QUIET = pytest.mark.filterwarnings("ignore:.*intervened on in every row", "ignore:.*vary so little")


@QUIET
@pytest.mark.parametrize("target", EDGES)
@pytest.mark.parametrize("prior", ["fair", "uniform"])
@pytest.mark.parametrize("seed", range(4))
class TestBruteForce:
    """Random masks; with the last seed one variable is intervened on in every row."""

    def mask(self, seed):
        mask = random_mask(np.random.default_rng(seed), 40, 4, share=1.0)
        mask[:, 1] |= seed == 3
        return mask

    def test_numbers(self, seed, prior, target):
        values, mask = numbers(seed), self.mask(seed)
        scores = reference.local_scores(lambda i, parents: reference.bge_score(values, mask, i, parents), 4, prior)
        posterior = osp.learn(
            values,
            variables=NAMES,
            interventions=mask,
            method=osp.methods.Exact(target=target),
            prior=prior,
            n_jobs=1,
            standardize=False,
        )
        np.testing.assert_allclose(posterior.edge_probabilities(), EDGES[target](scores), atol=1e-9)

    def test_categories(self, seed, prior, target):
        (codes, table), mask = categories(seed), self.mask(seed)
        scores = reference.local_scores(lambda i, p: reference.bdeu_score(codes, mask, ARITIES, i, p), 4, prior)
        posterior = osp.learn(
            table, interventions=mask, method=osp.methods.Exact(target=target), prior=prior, n_jobs=1, standardize=False
        )
        np.testing.assert_allclose(posterior.edge_probabilities(), EDGES[target](scores), atol=1e-9)


class TestLaws:
    @QUIET
    @costly
    @given(st.integers(0, 2**32 - 1), st.permutations(range(4)), st.booleans())
    def test_permuting_variables_permutes_answers(self, seed, order, discrete):
        rng = np.random.default_rng(seed)
        table = categories(seed % 1000)[1] if discrete else pd.DataFrame(numbers(seed % 1000), columns=NAMES)
        mask, order = random_mask(rng, 40, 4), list(order)
        names = [NAMES[i] for i in order]
        # Some of these tables have two columns that agree in every row, of which `check` would warn.
        one = osp.learn(table, interventions=mask, n_jobs=1, standardize=False, check=False)
        other = osp.learn(table[names], interventions=mask[:, order], n_jobs=1, standardize=False, check=False)
        assert one.log_evidence == pytest.approx(other.log_evidence, rel=1e-10)
        permuted = other.edge_probabilities().loc[NAMES, NAMES]
        np.testing.assert_allclose(one.edge_probabilities(), permuted, atol=1e-9)

    @QUIET
    @costly
    @given(st.integers(0, 2**32 - 1))
    def test_shuffling_rows_changes_nothing(self, seed):
        rng = np.random.default_rng(seed)
        values, mask, order = numbers(seed % 1000), random_mask(rng, 40, 4), rng.permutation(40)
        one, other = (
            osp.learn(values[o], interventions=mask[o], n_jobs=1, standardize=False, check=False)
            for o in (np.arange(40), order)
        )
        np.testing.assert_allclose(one.edge_probabilities(), other.edge_probabilities(), atol=1e-9)

    @pytest.mark.parametrize("discrete", [False, True])
    @pytest.mark.parametrize("nothing", [np.zeros((40, 4), dtype=bool), [None] * 40])
    def test_a_mask_of_nothing_is_no_mask_to_the_last_bit(self, nothing, discrete):
        table = categories(1)[1] if discrete else pd.DataFrame(numbers(1), columns=NAMES)
        one, other = osp.learn(table, standardize=False), osp.learn(table, interventions=nothing, standardize=False)
        assert one.settings == other.settings
        assert one.settings["interventions"] is None
        assert one.log_evidence == other.log_evidence
        assert one.edge_probabilities().equals(other.edge_probabilities())

    @pytest.mark.filterwarnings("ignore:.*intervened on in every row")
    @costly
    @given(st.integers(0, 2**32 - 1), st.integers(0, 3))
    def test_a_variable_that_was_always_set_has_the_causes_of_the_prior(self, seed, child):
        """Its local scores are the prior alone."""
        rng = np.random.default_rng(seed)
        mask = random_mask(rng, 40, 4)
        mask[:, child] = True
        posterior = osp.learn(numbers(seed % 1000), variables=NAMES, interventions=mask, n_jobs=1, standardize=False)
        table = posterior.model.families[child]
        log_prior = [-math.log(4) - math.log(math.comb(3, int(m).bit_count())) for m in range(8)]
        np.testing.assert_allclose(table.log_score + table.log_scale, log_prior, atol=1e-9)

    def test_what_happens_in_rows_where_it_was_set_is_no_matter_to_its_score(self):
        """The others may depend on the values under intervention; the variable itself does not."""
        mask = np.zeros((40, 4), dtype=bool)
        mask[:15, 2] = True
        values = numbers(5)
        changed = values.copy()
        changed[:15] = np.random.default_rng(0).normal(size=(15, 4))
        one, other = (
            osp.scores.family_scores(v, "X3", interventions=mask, standardize=False) for v in (values, changed)
        )
        pd.testing.assert_frame_equal(one, other)
        one, other = (
            osp.scores.family_scores(v, "X4", interventions=mask, standardize=False) for v in (values, changed)
        )
        assert not np.allclose(one["log_score"], other["log_score"])


CHAIN = [("A", "B"), ("B", "C"), ("C", "D")]


def probability_of(posterior, edges):
    """Of this graph and no other."""
    absent = [(a, b) for a in NAMES for b in NAMES if a != b and (a, b) not in edges]
    return posterior.probability(osp.Edges(list(edges), absent))


class TestLearning:
    """A -> B -> C -> D: observations alone leave the four chains of its equivalence class, all equally probable."""

    CLASS = (
        CHAIN,
        [("B", "A"), ("B", "C"), ("C", "D")],
        [("B", "A"), ("C", "B"), ("C", "D")],
        [("B", "A"), ("C", "B"), ("D", "C")],
    )

    @pytest.mark.thorough
    @pytest.mark.parametrize("make", [chain_of_numbers, chain_of_categories])
    @pytest.mark.parametrize("target", ["dag", "order"])
    def test_interventions_tell_the_class_apart(self, make, target):
        rng = np.random.default_rng(3)
        n_each = 20_000
        intervened = one_at_a_time(4 * n_each, n_each, 4)
        rows = make(intervened, rng)
        table = pd.DataFrame(rows if make is chain_of_numbers else rows.astype(str), columns=NAMES)
        known = osp.learn(table, interventions=intervened, method=osp.methods.Auto(target=target), standardize=False)
        assert probability_of(known, CHAIN) > 0.99
        observed = osp.learn(table[: 4 * n_each], method=osp.methods.Auto(target=target), standardize=False)
        each = [probability_of(observed, edges) for edges in self.CLASS]
        assert sum(each) > 0.97
        # A chain whose root is inside follows three orders instead of one.
        expected = [0.25] * 4 if target == "dag" else [1 / 8, 3 / 8, 3 / 8, 1 / 8]
        np.testing.assert_allclose(np.array(each) / sum(each), expected, rtol=1e-6)

    def test_taking_them_for_observations_misleads(self):
        intervened = one_at_a_time(2000, 2000, 4)
        values = chain_of_numbers(intervened, np.random.default_rng(4))
        naive = osp.learn(values, variables=NAMES, method=osp.methods.Auto(target="dag"), standardize=False)
        known = osp.learn(
            values, variables=NAMES, interventions=intervened, method=osp.methods.Auto(target="dag"), standardize=False
        )
        assert probability_of(known, CHAIN) > 0.9 > 0.5 > probability_of(naive, CHAIN)

    @pytest.mark.exhaustive
    @pytest.mark.filterwarnings("ignore:.*ended with a cycle")
    @pytest.mark.parametrize(
        "method",
        [
            {"method": "trust"},
            {"method": osp.methods.Gadget(n_graphs=2000, effort=0.5)},
            {"method": osp.methods.DiBS(weights="score")},
        ],
    )
    def test_other_methods_learn_from_them_too(self, method):
        intervened = one_at_a_time(500, 500, 4)
        values = chain_of_numbers(intervened, np.random.default_rng(5))
        posterior = osp.learn(values, variables=NAMES, interventions=intervened, rng=1, **method, standardize=False)
        for cause, effect in CHAIN:
            assert posterior.probability(f"{cause} -> {effect}") > 0.95
        assert posterior.settings["interventions"] == 2000


class TestAnswers:
    def test_effects_are_those_of_the_rows_left(self):
        values, mask = numbers(2), random_mask(np.random.default_rng(2), 40, 4, share=1.0)
        posterior = osp.learn(values, variables=NAMES, interventions=mask, n_jobs=1, standardize=False)
        only = "A -> B, A !-> C, A !-> D, C !-> B, D !-> B, B !-> C, B !-> D"
        expected = reference_bge.mean_weights(reference.rows_left(values, mask, 1), 1, [0])[0]
        assert posterior.causal_effects(given=only).loc["A", "B"] == pytest.approx(expected, rel=1e-9)
        assert reference_bge.mean_weights(values, 1, [0])[0] != pytest.approx(expected, rel=1e-3)

    def test_interventional_distributions_are_those_of_the_rows_left(self):
        (codes, table), mask = categories(3), random_mask(np.random.default_rng(3), 40, 4, share=1.0)
        posterior = osp.learn(table, interventions=mask, n_jobs=1, standardize=False)
        left = reference.rows_left(codes, mask, 1)
        only = "A -> B, C !-> B, D !-> B"
        for level in range(2):
            found = posterior.interventional("B", do={"A": str(level)}, given=only)
            expected = mean_table(left, ARITIES, 1, [0])[(level,)]
            np.testing.assert_allclose(found["mean"], expected, rtol=1e-9)


class TestHeldOut:
    @pytest.fixture
    def split(self):
        rng = np.random.default_rng(6)
        values, mask = numbers(6, n=50), random_mask(rng, 50, 4, share=0.8)
        graphs = [nx.DiGraph([("A", "B"), ("B", "C")]), nx.DiGraph([("B", "A"), ("D", "C"), ("B", "C")])]
        for graph in graphs:
            graph.add_nodes_from(NAMES)
        matrices = [nx.to_numpy_array(graph, nodelist=NAMES).astype(bool) for graph in graphs]
        tables = [osp.read_table(values[rows], NAMES, interventions=mask[rows]) for rows in (slice(35), slice(35, 50))]
        return graphs, matrices, tables

    def test_marginal_likelihood(self, split):
        graphs, matrices, (train, _) = split
        expected = np.mean(
            [reference.log_likelihood_of_graph(train.values, train.intervened, graph) for graph in matrices]
        )
        assert metrics.marginal_log_likelihood(graphs, train) == pytest.approx(expected, rel=1e-10)

    def test_predictive_density(self, split):
        graphs, matrices, (train, test) = split
        expected = reference.log_predictive_density(
            train.values, train.intervened, test.values, test.intervened, matrices, [0.5, 0.5]
        )
        assert metrics.log_predictive_density(graphs, train, test) == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize("form", ["mask", "column", "array", "frozen"])
    def test_rows_may_say_apart_what_was_set(self, split, form):
        """Constant under intervention, as it is in most experiments."""
        graphs, matrices, (train, test) = split
        values = np.where([False, True, False, False], 0.5, test.values)
        intervened = np.zeros((15, 4), dtype=bool)
        intervened[:, 1] = True
        table = pd.DataFrame(values, columns=NAMES)
        rows, interventions = {
            "mask": (table, {"interventions": intervened}),
            "column": (
                table.assign(condition="drug", remark="x")[["condition", "D", "remark", "B", "A", "C"]],
                {"interventions": "condition", "targets": {"drug": "B"}},
            ),
            "array": (values, {"interventions": ["B"] * 15}),
            "frozen": (Dataset(tuple(NAMES), values), {"interventions": ["B"] * 15}),
        }[form]
        expected = reference.log_predictive_density(
            train.values, train.intervened, values, intervened, matrices, [0.5, 0.5]
        )
        found = metrics.log_predictive_density(graphs, train, rows, **interventions)
        assert found == pytest.approx(expected, rel=1e-9)
        expected = np.mean([reference.log_likelihood_of_graph(values, intervened, graph) for graph in matrices])
        assert metrics.marginal_log_likelihood(graphs, rows, **interventions) == pytest.approx(expected, rel=1e-10)
        if form != "column":
            by_position = {"interventions": intervened}
            found = metrics.marginal_log_likelihood(np.array(matrices), rows, **by_position)
            assert found == pytest.approx(expected, rel=1e-10)

    def test_a_single_row_that_was_set(self, split):
        graphs, matrices, (train, test) = split
        intervened = np.array([[False, True, True, False]])
        expected = reference.log_predictive_density(
            train.values, train.intervened, test.values[:1], intervened, matrices, [0.5, 0.5]
        )
        found = metrics.log_predictive_density(graphs, train, test.values[:1], interventions=[("B", "C")])
        assert found == pytest.approx(expected, rel=1e-9)

    def test_mistakes_in_the_interventions_of_rows(self, split):
        graphs, _, (train, test) = split
        for interventions, message in [
            ({"interventions": ["E"] * 15}, "unknown variable 'E'"),
            ({"interventions": [None] * 14}, "each of the 15 rows; got 14"),
            ({"targets": {}}, "interventions were not given"),
        ]:
            for metric in (
                lambda **interventions: metrics.log_predictive_density(graphs, train, test.values, **interventions),
                lambda **interventions: metrics.marginal_log_likelihood(graphs, test.values, **interventions),
            ):
                with pytest.raises(InvalidValue, match=message):
                    metric(**interventions)
        with pytest.raises(InvalidValue, match=r"test must have a column for each of the 4 variables .*got 3"):
            metrics.log_predictive_density(graphs, train, test.values[:, :3], interventions=["A"] * 15)
        with pytest.raises(InvalidValue, match="has them already"):
            metrics.log_predictive_density(graphs, train, test, interventions=["A"] * 15)

    def test_standardised_posteriors_measure_rows_as_they_were_learned_from(self, split):
        _, _, (train, test) = split
        stretched = [t.values * [1.0, 20.0, 0.1, 1.0] + [3.0, 0.0, 0.0, 1.0] for t in (train, test)]
        train, test = (replace(t, values=v) for t, v in zip((train, test), stretched, strict=True))
        posterior = osp.learn(train, standardize=True)
        samples = posterior.sample(1000, rng=0)
        own = [column[~flags] for column, flags in zip(train.values.T, train.intervened.T, strict=True)]
        mean, deviation = [o.mean() for o in own], [o.std() for o in own]
        known, judged = (replace(t, values=(t.values - mean) / deviation) for t in (train, test))
        counted = (~test.intervened).sum(axis=0) * np.log(deviation)
        expected = metrics.log_predictive_density(samples, known, judged) - counted.sum() / test.n_rows
        assert metrics.log_predictive_density(posterior, train, test) == pytest.approx(expected, rel=1e-10)
        expected = metrics.marginal_log_likelihood(samples, judged) - counted.sum()
        assert metrics.marginal_log_likelihood(posterior, test) == pytest.approx(expected, rel=1e-10)
        with pytest.raises(InvalidValue, match="under interventions; got 0 such rows"):
            metrics.log_predictive_density(posterior, train.values, test)

    @pytest.mark.parametrize("kind", ["numbers", "categories"])
    def test_the_same_rows_with_other_variables_set(self, kind):
        read, table = {
            "numbers": (osp.read_table, pd.DataFrame(numbers(3), columns=NAMES)),
            "categories": (osp.read_categories, categories(3)[1]),
        }[kind]
        intervened = np.where(np.arange(40) < 10, "B", "")
        posterior = osp.learn(read(table, interventions=intervened), standardize=False)
        other = read(table, interventions=np.where(intervened == "B", "C", ""))
        with pytest.raises(InvalidValue, match="in 10 of which 'B' was intervened on; got 0 such rows"):
            metrics.log_predictive_density(posterior, other, table)

    def test_portions_of_rows_keep_their_interventions(self, split, monkeypatch):
        graphs, _, (train, test) = split
        whole = metrics.log_predictive_density(graphs, train, test)
        monkeypatch.setattr("orderspn.metrics.held_out.ROWS_AT_ONCE", 4)
        assert metrics.log_predictive_density(graphs, train, test) == pytest.approx(whole, rel=1e-12)

    def test_columns_are_matched_by_name(self, split):
        graphs, _, (train, test) = split
        order = [2, 0, 3, 1]
        shuffled = osp.read_table(
            test.values[:, order], [NAMES[i] for i in order], interventions=test.intervened[:, order]
        )
        expected = metrics.log_predictive_density(graphs, train, test)
        assert metrics.log_predictive_density(graphs, train, shuffled) == pytest.approx(expected, rel=1e-12)

    def test_a_row_with_all_variables_intervened_on_has_density_one(self, split):
        graphs, _, (train, test) = split
        everything = osp.read_table(test.values, NAMES, interventions=np.ones((15, 4), dtype=bool))
        assert metrics.log_predictive_density(graphs, train, everything) == 0.0
        assert metrics.marginal_log_likelihood(graphs, everything) == pytest.approx(0.0, abs=1e-12)

    @pytest.mark.parametrize("standardize", [False, True])
    def test_a_posterior_wants_the_rows_it_was_learned_from(self, split, standardize):
        _, _, (train, test) = split
        posterior = osp.learn(train, standardize=standardize)
        assert math.isfinite(metrics.log_predictive_density(posterior, train, test))
        with pytest.raises(
            InvalidValue, match=r"under interventions; got 0 such rows.*read_table\(data, interventions"
        ):
            metrics.log_predictive_density(posterior, train.values, test)
        with pytest.raises(InvalidValue, match="0 of which under interventions"):
            metrics.log_predictive_density(osp.learn(train.values, variables=NAMES, standardize=False), train, test)


class TestFiles:
    @pytest.fixture(params=["numbers", "categories", "all in the same rows", "sampled"])
    def posterior(self, request):
        mask = random_mask(np.random.default_rng(7), 40, 4, share=1.0)
        if request.param == "categories":
            return osp.learn(categories(7)[1], interventions=mask)
        if request.param == "all in the same rows":
            mask[:] = np.arange(40)[:, None] < 10
        method = {"method": osp.methods.Gadget(n_graphs=100, effort=0.1)} if request.param == "sampled" else {}
        return osp.learn(numbers(7), variables=NAMES, interventions=mask, **method, standardize=False)

    @pytest.mark.thorough
    def test_round_trip(self, posterior, tmp_path):
        posterior.save(tmp_path / "p.npz")
        again = osp.load(tmp_path / "p.npz")
        assert again.settings == posterior.settings
        assert again.settings["interventions"] > 0
        assert again.edge_probabilities().equals(posterior.edge_probabilities())
        assert again.best_graph(effort=0.1).edges == posterior.best_graph(effort=0.1).edges
        again.save(tmp_path / "again.npz")
        assert osp.load(tmp_path / "again.npz").edge_probabilities().equals(posterior.edge_probabilities())
        assert storage.read_manifest(tmp_path / "p.npz")["format_version"] == storage.FORMAT_VERSION


CONDITIONS = np.array(["control", "drug", "both", "control"] * 10)
TARGETS = {"control": [], "drug": ["B"], "both": ["A", "C"]}


def labelled(n=40):
    return pd.DataFrame(numbers(9, n), columns=NAMES).assign(condition=CONDITIONS)


def learned(**arguments):
    return osp.learn(**{"data": labelled()[NAMES], **arguments}, standardize=False)


SAME = {
    "column": {"data": labelled(), "interventions": "condition", "targets": TARGETS},
    "polars": {"data": pl.DataFrame(labelled().to_dict("list")), "interventions": "condition", "targets": TARGETS},
    "series": {"interventions": labelled()["condition"], "targets": TARGETS},
    "names": {"interventions": [TARGETS[label] for label in CONDITIONS]},
    "booleans": {"interventions": np.array([[v in TARGETS[label] for v in NAMES] for label in CONDITIONS])},
    "named booleans": {
        "interventions": pd.DataFrame({v: [v in TARGETS[label] for label in CONDITIONS] for v in "CBA"})
    },
    "frozen": {"data": osp.read_table(labelled(), interventions="condition", targets=TARGETS)},
}


@pytest.mark.parametrize("name", SAME)
def test_every_way_to_say_it_gives_the_same_posterior(name):
    one, other = learned(**SAME["column"]), learned(**SAME[name])
    assert one.settings == other.settings
    assert one.settings["interventions"] == 20
    assert one.settings["rows"] == 40
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert not one.edge_probabilities().equals(learned().edge_probabilities())


def test_rows_are_matched_by_their_index():
    order = np.random.default_rng(0).permutation(40)
    data = labelled().set_axis([f"cell {k}" for k in range(40)])
    expected = learned(**SAME["column"])
    mask = pd.DataFrame({v: [v in TARGETS[label] for label in CONDITIONS] for v in NAMES}, index=data.index)
    for interventions in (
        {"interventions": data["condition"].iloc[order], "targets": TARGETS},
        {"interventions": mask[::-1]},
    ):
        assert learned(data=data[NAMES], **interventions).edge_probabilities().equals(expected.edge_probabilities())
        elsewhere = data[NAMES].reset_index(drop=True)
        with pytest.raises(InvalidValue, match=r"interventions have no row 0\..*to_numpy\(\)"):
            learned(data=elsewhere, **interventions)


class TestCommandLine:
    @pytest.fixture
    def table(self, tmp_path):
        labelled().to_csv(tmp_path / "data.csv", index=False)
        return tmp_path / "data.csv"

    @pytest.fixture
    def run(self, table, tmp_path):
        runner = CliRunner(catch_exceptions=False)

        def learn(*options):
            return runner.invoke(
                main, ["learn", str(table), "-o", str(tmp_path / "p.npz"), "--no-standardize", *options]
            )

        return learn

    TARGETS = ("--targets", "control=", "--targets", "drug=B", "--targets", "both=A, C")

    def test_it_saves_the_posterior_of_the_library(self, run, tmp_path):
        done = run("--interventions", "condition", *self.TARGETS)
        assert (done.exit_code, done.stderr) == (0, "")
        saved, expected = osp.load(tmp_path / "p.npz"), learned(**SAME["column"])
        assert saved.settings == expected.settings
        assert saved.edge_probabilities().equals(expected.edge_probabilities())

    def test_a_column_of_names(self, run, table, tmp_path):
        names = np.where(CONDITIONS == "drug", "B", None)
        labelled().drop(columns="condition").assign(intervened=names).to_csv(table, index=False)
        assert run("--interventions", "intervened").exit_code == 0
        expected = learned(interventions=names)
        assert osp.load(tmp_path / "p.npz").edge_probabilities().equals(expected.edge_probabilities())

    def test_chosen_columns_and_labels_that_are_numbers(self, run, table, tmp_path):
        labelled().assign(condition=np.where(CONDITIONS == "drug", 1, 0)).to_csv(table, index=False)
        options = ["--variables", "A,B,D", "--interventions", "condition", "--targets", "1=B", "--targets", "0="]
        assert run(*options).exit_code == 0
        expected = osp.learn(
            labelled()[list("ABD")], interventions=np.where(CONDITIONS == "drug", "B", ""), standardize=False
        )
        assert osp.load(tmp_path / "p.npz").edge_probabilities().equals(expected.edge_probabilities())

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--interventions", "conditon"], "unknown column 'conditon': did you mean 'condition'"),
            (["--interventions", "condition"], "unknown variable 'control'"),
            (["--interventions", "condition"], "pass --targets with the variables"),
            (["--interventions", "condition", "--targets", "drug=B"], "got none for 'control', 'both'"),
            (["--interventions", "condition", "--targets", "drug"], "--targets must be LABEL=NAME"),
            (["--interventions", "condition", "--targets", "=B"], "--targets must be LABEL=NAME"),
            (["--variables", "A,B,C,D", "--targets", "drug=B"], "as --interventions"),
            (["--variables", "A,B,condition", "--interventions", "condition"], "cannot be one of the variables"),
        ],
    )
    def test_mistakes_are_named(self, run, options, message):
        done = run(*options)
        assert done.exit_code == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


class TestEstimator:
    def test_it_is_learn(self):
        expected = learned(**SAME["column"])
        by_column = osp.OrderSPN(standardize=False).fit(labelled(), interventions="condition", targets=TARGETS)
        by_rows = osp.OrderSPN(standardize=False).fit(labelled()[NAMES], interventions=CONDITIONS, targets=TARGETS)
        for model in (by_column, by_rows):
            assert model.posterior_.settings == expected.settings
            assert model.edge_probabilities_.equals(expected.edge_probabilities())
        assert (by_column.n_features_in_, by_rows.n_features_in_) == (5, 4)

    def test_score_reads_the_column_again(self):
        model = osp.OrderSPN().fit(labelled(), interventions="condition", targets=TARGETS)
        train = osp.read_table(labelled(), interventions="condition", targets=TARGETS)
        assert model.score(labelled()) == metrics.log_predictive_density(model.posterior_, train, train)
        rows = labelled()
        by_row = [model.score(rows.iloc[[i]]) for i in range(40)]
        assert np.mean(by_row) == pytest.approx(model.score(rows))
        assert model.score(rows.assign(condition="control")) < model.score(rows)

    @pytest.mark.parametrize("kind", ["numbers", "categories"])
    def test_without_a_column_score_must_be_told(self, kind):
        table = labelled() if kind == "numbers" else categories(9)[1].assign(condition=CONDITIONS)
        model = osp.OrderSPN().fit(table[NAMES], interventions=CONDITIONS, targets=TARGETS)
        with_column = osp.OrderSPN().fit(table, interventions="condition", targets=TARGETS)
        with pytest.raises(InvalidValue, match=r"pass interventions= to score .* or put them into a column"):
            model.score(table[NAMES])
        found = model.score(table[NAMES], interventions=CONDITIONS, targets=TARGETS)
        assert found == with_column.score(table)
        mask = pd.DataFrame({v: [v in TARGETS[label] for label in CONDITIONS] for v in NAMES})
        assert model.score(table[NAMES], interventions=mask) == found
        assert model.score(table[NAMES][::-1], interventions=mask) == pytest.approx(found, rel=1e-12)
        observed = model.score(table[NAMES], interventions=[None] * 40)
        assert observed == with_column.score(table.assign(condition="control")) != found
        assert with_column.score(table, interventions=[None] * 40) == observed  # the argument replaces the column

    def test_nothing_need_be_said_where_nothing_was_set(self):
        model = osp.OrderSPN().fit(labelled()[NAMES], interventions=[None] * 40)
        assert model.score(labelled()[NAMES]) == osp.OrderSPN().fit(labelled()[NAMES]).score(labelled()[NAMES])

    def test_rows_without_an_index_are_matched_by_position(self):
        data, intervened = (
            labelled()[NAMES].to_numpy(),
            pd.Series(np.where(CONDITIONS == "drug", "X2", ""), range(40, 80)),
        )
        model = osp.OrderSPN().fit(data, interventions=intervened)
        assert model.score(data, interventions=intervened) == model.score(data, interventions=intervened.to_numpy())

    def test_a_column_that_is_named_by_a_number(self):
        numbered = labelled()[NAMES].set_axis(range(4), axis=1).assign(c=np.where(CONDITIONS == "drug", 1, np.nan))
        numbered = numbered.rename(columns={"c": 9})
        named = labelled()[NAMES].assign(c=np.where(CONDITIONS == "drug", "B", ""))
        expected = osp.OrderSPN().fit(named, interventions="c").score(named)
        assert osp.OrderSPN().fit(numbered, interventions=9).score(numbered) == expected

    def test_frozen_tables(self):
        train = osp.read_table(labelled(), interventions="condition", targets=TARGETS)
        expected = osp.OrderSPN().fit(labelled(), interventions="condition", targets=TARGETS)
        model = osp.OrderSPN().fit(train)
        assert model.edge_probabilities_.equals(expected.edge_probabilities_)
        assert model.score(train) == expected.score(train) == expected.score(labelled())
        for fitted in (model, expected):
            with pytest.raises(InvalidValue, match="pass interventions= to score"):
                fitted.score(osp.read_table(labelled()[NAMES]))
        with pytest.raises(InvalidValue, match="pass interventions= to score"):
            model.score(labelled()[NAMES])

    def test_cross_validation_splits_them(self):
        """Where scikit-learn is told that they belong to rows."""
        from sklearn import config_context
        from sklearn.model_selection import KFold, cross_val_score

        data, intervened = labelled()[NAMES], np.where(CONDITIONS == "drug", "B", "")
        with config_context(enable_metadata_routing=True):
            model = osp.OrderSPN(n_jobs=1).set_fit_request(interventions=True).set_score_request(interventions=True)
            found = cross_val_score(model, data, cv=KFold(2), params={"interventions": intervened})
        one, other = slice(20), slice(20, 40)
        expected = [
            osp.OrderSPN(n_jobs=1).fit(data[a], interventions=intervened[a]).score(data[b], interventions=intervened[b])
            for a, b in ((other, one), (one, other))
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_fitting_again_forgets_the_column(self):
        model = osp.OrderSPN().fit(labelled(), interventions="condition", targets=TARGETS).fit(labelled()[NAMES])
        assert model.score(labelled()[NAMES]) == osp.OrderSPN().fit(labelled()[NAMES]).score(labelled()[NAMES])


@pytest.fixture(scope="module")
def proteins():
    return osp.load_sachs(interventions=True)


def against_consensus(posterior, consensus):
    """Precision and recall of edges more probable than not, and the area under the ROC curve of all."""
    names = posterior.variables
    truth = pd.DataFrame(False, index=names, columns=names)
    for cause, effect in consensus:
        truth.loc[cause, effect] = True
    called = posterior.edge_probabilities().to_numpy() > 0.5
    hits = int((called & truth.to_numpy()).sum())
    return {
        "precision": hits / max(1, int(called.sum())),
        "recall": hits / len(consensus),
        "auroc": metrics.auroc(posterior, truth),
    }


class TestProteins:
    """7466 cells of nine experiments, seven of which act on a protein."""

    NAMES = osp.load_sachs().data.columns.tolist()
    ACTIVATED = ("pma", "b2camp")

    def classes(self, proteins):
        """Low, middle and high; what was inhibited is low, and what was activated high, whatever was measured of it."""
        cut = {name: np.array(pd.qcut(proteins.data[name], 3, labels=False)) for name in self.NAMES}
        for condition, names in proteins.targets.items():
            for name in names:
                cut[name][proteins.data["condition"] == condition] = 2 if condition in self.ACTIVATED else 0
        return pd.DataFrame(cut).astype(str).assign(condition=proteins.data["condition"])

    @pytest.mark.parametrize("transform", [np.asarray, np.log])
    def test_measured_values(self, proteins, transform):
        """More cells and known targets find more of the edges than observations alone."""
        table = proteins.data.copy()
        table[self.NAMES] = transform(table[self.NAMES])
        known = {"interventions": "condition", "targets": proteins.targets}
        posterior = osp.learn(table, standardize=True, check=False, **known)
        assert posterior.variables == self.NAMES
        affected = [condition for condition, names in proteins.targets.items() if names]
        assert posterior.settings["interventions"] == table["condition"].isin(affected).sum()
        observed = osp.learn(table.loc[table["condition"] == "cd3cd28", self.NAMES], standardize=True, check=False)
        ours, alone = (against_consensus(p, proteins.consensus) for p in (posterior, observed))
        assert ours["recall"] > alone["recall"]

    @pytest.mark.thorough
    @pytest.mark.parametrize("target", ["order", "dag"])
    def test_levels_of_interventions(self, proteins, target):
        """Interventions on proteins with known levels lead nearer to the consensus than the same rows without them."""
        table = self.classes(proteins)
        known = osp.learn(
            table,
            interventions="condition",
            targets=proteins.targets,
            method=osp.methods.Auto(target=target),
            standardize=False,
        )
        ignored = osp.learn(table[self.NAMES], method=osp.methods.Auto(target=target), standardize=False)
        ours, theirs = (against_consensus(p, proteins.consensus) for p in (known, ignored))
        for measure, value in ours.items():
            assert value > theirs[measure]
        assert ours["auroc"] > 0.85
