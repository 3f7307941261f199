"""The value of experiments: against sums over all outcomes, in the limit of many rows, and what is refused."""

import joblib
import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from reference.experiment_values import expected_reduction

EXACT = {"order": osp.methods.Exact(), "dag": osp.methods.Exact(target="dag")}
CHAIN = osp.simulate.LinearGaussianNetwork([[0, 1, 0], [0, 0, 1], [0, 0, 0]], variables=["A", "B", "C"])


def binary_table(names, n_rows, seed):
    rng = np.random.default_rng(seed)
    cause = rng.random(n_rows) < 0.5
    columns = [cause, *(np.where(rng.random(n_rows) < 0.8, cause, ~cause) for _ in names[1:])]
    table = pd.DataFrame({name: np.where(column, "yes", "no") for name, column in zip(names, columns, strict=True)})
    return table.apply(lambda column: pd.Categorical(column, categories=["no", "yes"]))


@pytest.fixture(scope="module")
def chain():
    return osp.learn(CHAIN.sample(60, rng=0), check=False)


ALL = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("target", "variable"),
    [
        ("order", "A"),
        ("dag", None),
        *(pytest.param(*own, marks=ALL) for own in (("order", None), ("order", "B"), ("dag", "A"), ("dag", "B"))),
    ],
)
def test_two_categories_agree_with_the_sum_over_all_outcomes(target, variable):
    data = binary_table(["A", "B"], 12, 0)
    posterior = osp.learn(data, method=EXACT[target], check=False)
    for question, uncertainty in (
        ("graph", lambda own: own.entropy()),
        ("A -> B", lambda own: _binary_entropy(own.probability("A -> B"))),
    ):
        known = expected_reduction(data, 2, variable, ["no", "yes"], EXACT[target], uncertainty)
        table = osp.design.experiments(posterior, question, rows=2, draws=1024, precision=0.005, method="simulate")
        row = table.loc["observe" if variable is None else f"do({variable})"]
        # Outcomes that are rare and tell much may be missing among 128 draws of an experiment that is worth little.
        assert abs(row["reduction"] - known) <= 4 * row["standard_error"] + 0.02 * table["reduction"].max()


@ALL
def test_three_categories_agree_with_the_sum_over_all_outcomes():
    data = binary_table(["A", "B", "C"], 15, 1)
    posterior = osp.learn(data, check=False)
    known = expected_reduction(data, 2, "B", ["no", "yes"], EXACT["order"], lambda own: own.entropy())
    row = osp.design.experiments(posterior, rows=2, draws=1024, precision=0.005).loc["do(B)"]
    assert abs(row["reduction"] - known) <= 4 * row["standard_error"] + 1e-9


def _binary_entropy(p):
    return -sum(q * np.log(q) for q in (p, 1 - p) if q > 0)


@pytest.mark.parametrize(
    ("target", "question"),
    [
        ("order", "graph"),
        ("dag", "A -> B"),
        *(pytest.param("order", question, marks=ALL) for question in ("orientation", "A -> B", "A ~> C")),
        *(pytest.param("dag", question, marks=ALL) for question in ("graph", "orientation", "A ~> C")),
    ],
)
def test_the_limit_is_that_of_very_many_rows(target, question):
    posterior = osp.learn(CHAIN.sample(60, rng=0), method=EXACT[target], check=False)
    # Weights near 0 are told from 0 late, so a hundred thousand rows are within a few percent of the limit.
    many = osp.design.experiments(posterior, question, rows=100_000, draws=512, precision=0.02)
    limit = osp.design.experiments(posterior, question, method="limit")
    for name in many.index:
        tolerance = 4 * many.loc[name, "standard_error"] + 0.06 * limit.attrs["now"]
        assert abs(many.loc[name, "reduction"] - limit.loc[name, "reduction"]) < tolerance
    assert many.index[0] in limit.index[:2]


def test_what_is_certain_has_no_value():
    posterior = osp.learn(CHAIN.sample(60, rng=0), knowledge="A -> B", check=False)
    table = osp.design.experiments(posterior, "A -> B", draws=128)
    assert (table["reduction"].abs() < 1e-9).all()


def test_an_unrelated_variable_tells_nothing_of_an_edge():
    data = CHAIN.sample(200, rng=0)
    data["D"] = np.random.default_rng(1).normal(size=200)
    posterior = osp.learn(data, knowledge="A !-> D, B !-> D, C !-> D, D !-> A, D !-> B, D !-> C", check=False)
    table = osp.design.experiments(posterior, "A -> B", rows=30)
    row, observed = table.loc["do(D)"], table.loc["observe"]
    # Rows with D set are observations of the others.
    assert abs(row["reduction"] - observed["reduction"]) <= 4 * np.hypot(
        row["standard_error"], observed["standard_error"]
    )


def test_probabilities_stay_on_average(chain):
    before = chain.edge_probabilities().to_numpy()
    changes = []
    names = chain.variables
    for seed, graph in enumerate(chain.sample(150, rng=1).adjacency):
        from orderspn.design.experiment import Experiment
        from orderspn.design.outcomes import outcomes_of
        from orderspn.design.relearning import learned_again

        after = outcomes_of(chain.model.score.likelihood, graph, np.random.default_rng(seed))
        fitted = after([Experiment("do(A)", (names.index("A"),), ((-1.0, 1.0),), 20)], np.random.SeedSequence(seed))
        changes.append(learned_again(chain.model, fitted, chain.evidence).edge_matrix() - before)
    errors = np.std(changes, axis=0) / np.sqrt(len(changes))
    assert (np.abs(np.mean(changes, axis=0)) <= 4 * errors + 1e-9).all()


@pytest.mark.parametrize("question", ["graph", ("effect", "A", "C"), ("sign", "A", "C"), ("raise", "C")])
def test_threads_change_nothing(chain, question):
    one, two = (osp.design.experiments(chain, question, draws=40, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_a_backend_changes_nothing(chain):
    here = osp.design.experiments(chain, draws=8, n_jobs=1)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        away = osp.design.experiments(chain, draws=8)
    pd.testing.assert_frame_equal(here, away)


def test_costs_divide(chain):
    plain = osp.design.experiments(chain, draws=16)
    costly = osp.design.experiments(chain, draws=16, costs={"A": 4, "observe": 2}, pairs=True)
    assert costly.loc["do(A)", "value_per_cost"] == plain.loc["do(A)", "reduction"] / 4
    assert costly.loc["observe", "cost"] == 2
    assert costly.loc["do(A, B)", "cost"] == 5


def test_a_batch_keeps_to_its_budget(chain):
    chosen = osp.design.batch(chain, budget=3, costs={"A": 2}, draws=32)
    assert chosen["cost"].iloc[-1] <= 3
    with pytest.raises(ValueError, match=r"size=.*or budget="):
        osp.design.batch(chain)


def test_campaigns_share_their_first_rows():
    tables = [osp.design.simulate_campaign(CHAIN, own, 2, rng=3).table for own in ("observe", "random", "limit")]
    assert len({table["entropy"].iloc[0] for table in tables}) == 1
    assert all(np.isfinite(table[["entropy", "expected_distance", "certainty"]].to_numpy()).all() for table in tables)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"question": "A -> Z"}, "unknown variable 'Z'"),
        ({"question": "plan"}, "cannot read 'plan'"),
        ({"question": ("effect", "A")}, "question must be"),
        ({"question": ("raise", "Z")}, "unknown variable 'Z'"),
        ({"rows": 0}, "rows must be"),
        ({"targets": ["Z"]}, "unknown variable 'Z'"),
        ({"targets": "A"}, "targets must be a list"),
        ({"targets": ["A", "A"]}, "each variable once"),
        ({"costs": {"nobody": 3}}, "unknown variable 'nobody'"),
        ({"costs": {"A": 0}}, "costs"),
        ({"values": {"A": []}}, "at least one value"),
        ({"values": {"A": [np.inf]}}, "finite numbers"),
        ({"method": "guess"}, "method must be"),
        ({"precision": 2.0}, "precision"),
        ({"question": "A < B", "method": "limit"}, "method='simulate'"),
    ],
)
def test_impossible_requests(chain, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        osp.design.experiments(chain, **arguments)


def test_context_variables_are_not_intervened_on():
    posterior = osp.learn(CHAIN.sample(60, rng=0), context=["A"], check=False)
    with pytest.raises(ValueError, match="context variable"):
        osp.design.experiments(posterior, targets=["A"])
    assert "do(A)" not in osp.design.experiments(posterior, draws=16).index
