"""Likelihoods of held-out rows of categories, against sums over all graphs, slow twins and laws."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.discrete import as_categories, discrete_data
from helpers.examples import costly
from orderspn.metrics import log_predictive_density, marginal_log_likelihood
from reference import held_out_categories as reference
from reference.bdeu import local_scores
from reference.dags import DagList, adjacency_of
from reference.local_scores import log_prior

NAMES = ("A", "B", "C", "D")
ARITIES = (3, 2, 4, 2)
STRENGTH = 2.0
CODES = discrete_data(ARITIES, 62, seed=0, concentration=2.0)
TRAIN, TEST = CODES[12:], CODES[:12]
SCORE = osp.scores.BDeu(STRENGTH)
METHODS = [
    {"method": "exact"},
    {"method": osp.methods.Exact(target="dag")},
    {"method": "trust"},
    {"method": osp.methods.Gadget(n_graphs=200, effort=0.1)},
    {"method": osp.methods.DiBS(n_particles=8, effort=0.05)},
]


def table(codes):
    return as_categories(codes, ARITIES, NAMES)


def frame(codes):
    """Text, whose levels are those that occur."""
    return pd.DataFrame({name: [f"level {k}" for k in column] for name, column in zip(NAMES, codes.T, strict=True)})


@pytest.fixture(scope="module")
def brute():
    """All 543 graphs with their probabilities after the training rows."""
    return DagList(local_scores(TRAIN, ARITIES, lambda size: log_prior("fair", size, 4), STRENGTH))


@pytest.fixture(scope="module")
def dags(brute):
    return adjacency_of(brute.masks)


@pytest.fixture(scope="module")
def every(brute, dags):
    """The same as weighted samples: an exact posterior that needs no draws."""
    return osp.GraphSamples(list(NAMES), dags, np.zeros((len(dags), 4)), weights=brute.p)


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(table(TRAIN), score=SCORE, method=osp.methods.Auto(target="dag"))


# --- all graphs


def test_marginal_likelihood_over_all_graphs(brute, dags, every):
    each = reference.log_likelihoods_of_graphs(TEST, ARITIES, dags, STRENGTH)
    assert len(dags) == 543
    found = marginal_log_likelihood(every, table(TEST), score=SCORE)
    assert found == pytest.approx(brute.p @ each, rel=1e-10)
    assert found != pytest.approx(each.mean(), rel=1e-4)  # weights count


def test_predictive_density_over_all_graphs(brute, dags, every):
    found = log_predictive_density(every, table(TRAIN), table(TEST), score=SCORE)
    by_ratios = reference.log_predictive_density(TRAIN, TEST, ARITIES, dags, brute.p, STRENGTH)
    by_tables = reference.log_predictive_density_by_tables(TRAIN, TEST, ARITIES, dags, brute.p, STRENGTH)
    assert by_tables == pytest.approx(by_ratios, rel=1e-9)
    assert found == pytest.approx(by_ratios, rel=1e-9)


@pytest.mark.thorough
def test_draws_of_a_posterior_approach_them(brute, dags, posterior):
    each = reference.log_likelihoods_of_graphs(TEST, ARITIES, dags, STRENGTH)
    mean = brute.p @ each
    error = math.sqrt(brute.p @ (each - mean) ** 2 / 4000)
    assert marginal_log_likelihood(posterior, table(TEST), n_samples=4000) == pytest.approx(mean, abs=4 * error)
    row = TEST[:1]
    alone = [reference.log_predictive_density(TRAIN, row, ARITIES, dag[None], [1.0], STRENGTH) for dag in dags]
    densities = np.exp(alone)
    expected = brute.p @ densities
    error = math.sqrt(brute.p @ (densities - expected) ** 2 / 4000)
    found = math.exp(log_predictive_density(posterior, table(TRAIN), table(row), n_samples=4000))
    assert found == pytest.approx(expected, abs=4 * error)


@pytest.mark.thorough
@pytest.mark.parametrize("how", METHODS, ids=lambda how: "-".join(str(value) for value in how.values()))
def test_every_kind_of_posterior(how):
    posterior = osp.learn(table(TRAIN), score=SCORE, **how)
    samples = posterior.sample(300, rng=3)
    weights = np.full(300, 1 / 300)
    each = reference.log_likelihoods_of_graphs(TEST, ARITIES, samples.adjacency, STRENGTH)
    found = marginal_log_likelihood(posterior, table(TEST), n_samples=300, rng=3)
    assert found == pytest.approx(each.mean(), rel=1e-10)
    predicted = log_predictive_density(posterior, table(TRAIN), table(TEST), n_samples=300, rng=3)
    expected = reference.log_predictive_density_by_tables(TRAIN, TEST, ARITIES, samples.adjacency, weights, STRENGTH)
    assert predicted == pytest.approx(expected, rel=1e-10)


# --- the score


def test_the_strength_of_the_posterior_is_used(posterior):
    for metric in (
        lambda **how: marginal_log_likelihood(posterior, table(TEST), **how),
        lambda **how: log_predictive_density(posterior, table(TRAIN), table(TEST), **how),
    ):
        assert metric() == metric(score=SCORE)
        assert metric() != pytest.approx(metric(score="bdeu"), rel=1e-6)
        assert metric(score="bdeu") == metric(score=osp.scores.BDeu(1.0))


def test_a_saved_posterior_says_the_same(posterior, tmp_path):
    posterior.save(tmp_path / "posterior.npz")
    again = osp.load(tmp_path / "posterior.npz")
    assert marginal_log_likelihood(again, frame(TEST)) == marginal_log_likelihood(posterior, frame(TEST))
    expected = log_predictive_density(posterior, frame(TRAIN), frame(TEST))
    assert log_predictive_density(again, frame(TRAIN), frame(TEST)) == expected


@costly
@given(st.lists(st.integers(2, 4), min_size=2, max_size=5), st.floats(0.05, 20.0), st.integers(0, 2**32 - 1))
def test_rows_one_after_the_other_make_the_marginal_likelihood(arities, strength, seed):
    """The chain rule: all rows together are the first one, and each other given those before."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, arities, size=(6, len(arities))).astype(np.uint16)
    graph = np.triu(rng.random((len(arities), len(arities))) < 0.5, k=1)
    rows, score = [as_categories(codes[:n], arities) for n in range(7)], osp.scores.BDeu(strength)
    nexts = [as_categories(codes[n : n + 1], arities) for n in range(6)]
    steps = [log_predictive_density(graph, rows[n], nexts[n], score=score) for n in range(1, 6)]
    first, everything = (marginal_log_likelihood(graph, rows[n], score=score) for n in (1, 6))
    assert sum(steps) == pytest.approx(everything - first, rel=1e-9, abs=1e-9)


def test_probabilities_of_all_rows_sum_to_one(every):
    rows = np.array(list(np.ndindex(*ARITIES)), dtype=np.uint16)
    total = sum(
        math.exp(log_predictive_density(every, table(TRAIN), table(rows[i : i + 1]), score=SCORE))
        for i in range(len(rows))
    )
    assert total == pytest.approx(1.0, rel=1e-10)


def test_rows_are_taken_in_portions(every, monkeypatch):
    at_once = log_predictive_density(every, table(TRAIN), table(TEST), score=SCORE)
    monkeypatch.setattr("orderspn.metrics.held_out.ROWS_AT_ONCE", 5)
    assert log_predictive_density(every, table(TRAIN), table(TEST), score=SCORE) == pytest.approx(at_once, rel=1e-13)


def test_tables_that_are_too_large_are_refused(every, monkeypatch):
    monkeypatch.setattr("orderspn.scores.bdeu_predictive.LARGEST_TABLE", 47)
    with pytest.raises(ValueError, match=r"so many parents at once that a table of 384 bytes.*smaller max_parents="):
        log_predictive_density(every, table(TRAIN), table(TEST), score=SCORE)
    monkeypatch.setattr("orderspn.scores.bdeu_predictive.LARGEST_TABLE", 48)
    assert math.isfinite(log_predictive_density(every, table(TRAIN), table(TEST), score=SCORE))


# --- interventions


def test_variables_that_were_intervened_on_do_not_count(brute, dags, every):
    rng = np.random.default_rng(0)
    train_set, test_set = rng.random(TRAIN.shape) < 0.2, rng.random(TEST.shape) < 0.3
    train = osp.read_categories(table(TRAIN), interventions=train_set)
    test = osp.read_categories(table(TEST), interventions=test_set)
    each = reference.log_likelihoods_of_graphs(TEST, ARITIES, dags, STRENGTH, test_set)
    assert marginal_log_likelihood(every, test, score=SCORE) == pytest.approx(brute.p @ each, rel=1e-10)
    expected = reference.log_predictive_density_by_tables(
        TRAIN, TEST, ARITIES, dags, brute.p, STRENGTH, train_set, test_set
    )
    assert log_predictive_density(every, train, test, score=SCORE) == pytest.approx(expected, rel=1e-10)
    learned = osp.learn(train, score=SCORE)
    assert math.isfinite(log_predictive_density(learned, train, test))
    with pytest.raises(ValueError, match=r"under interventions; got 0 such rows.*osp.read_categories"):
        log_predictive_density(learned, table(TRAIN), test)


def test_rows_may_say_apart_what_was_set(brute, dags, every, posterior):
    """Constant under intervention, as it is in most experiments."""
    rows, intervened = TEST.copy(), np.zeros(TEST.shape, dtype=bool)
    rows[:, 2], intervened[:, 2] = 1, True
    expected = reference.log_predictive_density_by_tables(
        TRAIN, rows, ARITIES, dags, brute.p, STRENGTH, np.zeros(TRAIN.shape, dtype=bool), intervened
    )
    labels = {"interventions": "drug", "targets": {"yes": "C"}}
    forms = [
        (frame(rows), {"interventions": ["C"] * 12}),
        (frame(rows).assign(remark="none", drug="yes"), labels),
        (frame(rows).to_numpy(), {"interventions": intervened}),
        (frame(rows).to_numpy().tolist(), {"interventions": intervened}),
        (table(rows), {"interventions": intervened}),
    ]
    levels = pd.DataFrame({v: frame(TRAIN)[v] for v in NAMES})
    for judged, interventions in forms:
        found = log_predictive_density(every, table(TRAIN), judged, score=SCORE, **interventions)
        assert found == pytest.approx(expected, rel=1e-10)
        by_posterior = log_predictive_density(posterior, levels, judged, **interventions)
        assert by_posterior == log_predictive_density(posterior, levels, *forms[0][:1], **forms[0][1])
        likelihood = marginal_log_likelihood(posterior, judged, **interventions)
        assert likelihood == marginal_log_likelihood(posterior, table(rows), interventions=intervened)
    each = reference.log_likelihoods_of_graphs(rows, ARITIES, dags, STRENGTH, intervened)
    found = marginal_log_likelihood(every, table(rows), score=SCORE, interventions=intervened)
    assert found == pytest.approx(brute.p @ each, rel=1e-10)
    single = log_predictive_density(posterior, levels, frame(rows[:1]), interventions=["C"])
    assert math.isfinite(single)
    with pytest.raises(TypeError, match="test must hold categories; got a Dataset"):
        log_predictive_density(posterior, levels, osp.read_table(TEST * 1.0), interventions=intervened)
    with pytest.raises(ValueError, match="test must have a column for each of the 4 variables of graphs; got 3"):
        log_predictive_density(posterior, levels, frame(rows).to_numpy()[:, :3], interventions=["C"] * 12)


def test_interventions_follow_their_columns():
    set_in = np.zeros(TEST.shape, dtype=bool)
    set_in[:, 2] = True
    rows = osp.Categories(NAMES[::-1], TEST[:, ::-1].copy(), table(TEST).levels[::-1], set_in[:, ::-1])
    graph = osp.GraphSamples(list(NAMES), np.triu(np.ones((1, 4, 4), dtype=bool), k=1), np.zeros((1, 4)))
    expected = reference.log_likelihoods_of_graphs(TEST, ARITIES, graph.adjacency, STRENGTH, set_in)[0]
    assert marginal_log_likelihood(graph, rows, score=SCORE) == pytest.approx(expected, rel=1e-10)
    fewer = osp.GraphSamples(["A", "B"], np.zeros((1, 2, 2), dtype=bool), np.zeros((1, 2)))
    assert marginal_log_likelihood(fewer, rows, score=SCORE) == marginal_log_likelihood(fewer, table(TEST), score=SCORE)


# --- tables


def test_columns_are_matched_by_name_and_levels_by_theirs(posterior):
    expected = (
        marginal_log_likelihood(posterior, table(TEST)),
        log_predictive_density(posterior, TRAIN_FRAME, TEST_FRAME),
    )
    assert log_predictive_density(posterior, table(TRAIN), table(TEST)) == expected[1]
    shuffled = TEST_FRAME[["C", "A", "D", "B"]].assign(remark="none", E=0.0)
    tables = (
        shuffled,
        shuffled.astype({"C": "category", "A": "string"}),
        pl.DataFrame(shuffled.to_dict("list")),
        pl.DataFrame(shuffled.to_dict("list")).with_columns(pl.col("A").cast(pl.Categorical)),
        TEST_FRAME.to_numpy(),
        TEST_FRAME.to_numpy().astype("U"),
        TEST_FRAME.to_numpy().tolist(),
        osp.read_categories(TEST_FRAME),
        osp.Categories(NAMES, 7 - TEST, tuple(tuple(f"level {7 - k}" for k in range(8)) for _ in NAMES)),
    )
    for rows in tables:
        assert marginal_log_likelihood(posterior, rows) == pytest.approx(expected[0], rel=1e-13)
        assert log_predictive_density(posterior, TRAIN_FRAME, rows) == pytest.approx(expected[1], rel=1e-13)


TRAIN_FRAME, TEST_FRAME = frame(TRAIN), frame(TEST)


@pytest.mark.parametrize(
    "convert",
    [lambda codes: codes.astype(np.int64), lambda codes: codes > 0, lambda codes: np.array(["x", "y"])[codes]],
    ids=["integers", "booleans", "text"],
)
def test_types_of_columns(convert):
    codes = discrete_data((2, 2, 2), 40, seed=1)
    posterior = osp.learn(convert(codes[:30]), score="bdeu")
    weights, samples = np.full(200, 1 / 200), posterior.sample(200, rng=0).adjacency
    expected = reference.log_predictive_density_by_tables(codes[:30], codes[30:], (2, 2, 2), samples, weights)
    for kind in (np.asarray, lambda array: pd.DataFrame(array, columns=["X1", "X2", "X3"])):
        found = log_predictive_density(posterior, kind(convert(codes[:30])), kind(convert(codes[30:])), n_samples=200)
        assert found == pytest.approx(expected, rel=1e-10)


def test_a_single_row_and_constant_columns_will_do(posterior):
    row = TEST_FRAME[:1]
    alone = log_predictive_density(posterior, TRAIN_FRAME, row)
    twice = pd.concat([row, row])
    assert log_predictive_density(posterior, TRAIN_FRAME, twice) == pytest.approx(alone, rel=1e-13)
    each = [log_predictive_density(posterior, TRAIN_FRAME, TEST_FRAME[i : i + 1]) for i in range(len(TEST))]
    assert np.mean(each) == pytest.approx(log_predictive_density(posterior, TRAIN_FRAME, TEST_FRAME), rel=1e-12)
    graph = np.zeros((1, 4, 4))
    by_hand = -sum(map(math.log, ARITIES))  # the first row, every level as probable as any other
    named = osp.GraphSamples(list(NAMES), graph.astype(bool), np.zeros((1, 4)))
    assert marginal_log_likelihood(named, table(TEST[:1]), score=SCORE) == pytest.approx(by_hand, rel=1e-12)


def test_levels_of_sampled_graphs_are_those_of_the_rows():
    rows = TEST[TEST[:, 2] > 0] - np.array([0, 0, 1, 0], dtype=np.uint16)  # one level of C fewer
    text, graph = frame(rows), np.triu(np.ones((4, 4), dtype=bool), k=1)
    levels = [f"level {k}" for k in range(4)]
    declared = text.assign(C=pd.Categorical(text["C"], levels, ordered=True))
    for data, arities in ((text, (3, 2, 3, 2)), (declared, ARITIES), (osp.read_categories(declared), ARITIES)):
        expected = reference.log_likelihoods_of_graphs(rows, arities, graph[None])[0]
        assert marginal_log_likelihood(graph, data, score="bdeu") == pytest.approx(expected, rel=1e-10)
    with pytest.raises(ValueError, match="column 'A' is constant"):
        marginal_log_likelihood(graph, text.assign(A="x"), score="bdeu")


def test_a_level_that_nobody_knows_is_named(posterior):
    wrong = TEST_FRAME.copy()
    wrong.loc[3, "B"] = "level 9"
    message = r"test has 'level 9' in the column 'B', whose levels are 'level 0', 'level 1'. Drop those rows, or learn"
    with pytest.raises(ValueError, match=message):
        log_predictive_density(posterior, TRAIN_FRAME, wrong)
    with pytest.raises(ValueError, match=message):
        log_predictive_density(np.zeros((4, 4)), TRAIN_FRAME, wrong, score="bdeu")
    with pytest.raises(ValueError, match=r"rows has 'level 9' in the column 'B'"):
        marginal_log_likelihood(posterior, wrong)
    with pytest.raises(ValueError, match=r"train has 'level 9' in the column 'B'"):
        log_predictive_density(posterior, wrong, TEST_FRAME)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (np.full((2, 3), "x"), ValueError, "rows must have a column for each of the 4 variables of graphs; got 3"),
        (np.full(4, "x"), ValueError, r"rows must have two dimensions \(rows, variables\); got shape \(4,\)"),
        (np.full((0, 4), "x"), ValueError, "rows must have at least one row"),
        (
            np.zeros((2, 4)),
            TypeError,
            r"column 'A' holds real numbers \(dtype [Ff]loat64\), which are not categories",
        ),
        (np.full((2, 4), 1j), TypeError, "column 'A' holds neither numbers nor categories"),
        (np.ma.masked_less(np.zeros((2, 4), dtype=int), 1), ValueError, "rows has masked"),
        ([["x"] * 4, ["x"]], ValueError, "rows must be a table whose rows have equal lengths"),
        ([["level 0", "level 0", "level 0", 1]], TypeError, "column 'D' holds neither numbers nor categories"),
        ([["level 0"] * 3 + [None]], ValueError, r"column 'D' has 1 missing value\(s\)"),
        ({"A": ["x"]}, TypeError, "rows must be a pandas or polars DataFrame.*got dict"),
        (TEST_FRAME.drop(columns="D"), ValueError, "rows must have a column for every variable of graphs: .* 'D'"),
        (osp.read_table([[0.0, 1.0], [1.0, 0.0]]), TypeError, "rows must hold categories; got a Dataset of numbers"),
    ],
)
def test_wrong_rows(posterior, rows, error, message):
    with pytest.raises(error, match=message):
        marginal_log_likelihood(posterior, rows)


def test_wrong_arguments(posterior):
    unnamed = np.zeros((4, 4))
    with pytest.raises(ValueError, match="rows must have a column for each of the 4 variables of graphs; got 5"):
        marginal_log_likelihood(unnamed, TEST_FRAME.assign(E="x"), score="bdeu")
    with pytest.raises(TypeError, match=r"rows must hold numbers; .* For categories pass score='bdeu'"):
        marginal_log_likelihood(unnamed, TEST_FRAME.to_numpy())


class Foreign:
    """A score of categories that is not known here."""

    reads = "categories"

    def fit(self, data):
        self.n_variables = data.n_variables
        return self

    def log_likelihoods(self, *family):
        raise AssertionError("it is never called")

    log_likelihoods_with_one_more = log_likelihoods

    def settings(self):
        return {"name": "foreign"}


def test_a_foreign_score_of_categories(posterior):
    with pytest.raises(TypeError, match=r"score must have predictive densities.*got one whose fit returns Foreign"):
        log_predictive_density(posterior, TRAIN_FRAME, TEST_FRAME, score=Foreign())
