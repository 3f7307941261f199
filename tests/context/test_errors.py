"""What makes no sense with context variables is refused, and says why."""

import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data

VALUES, NAMES = gaussian_data(4, 40, seed=5), letters(4)


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(VALUES, variables=NAMES, context=["A", "C"])


ARGUMENTS = {
    "unknown": ({"context": ["age"]}, "'age'"),
    "a single name": ({"context": "A"}, "context must be a sequence of names; got 'A'"),
    "a number": ({"context": 1}, "context must be a sequence of names; got 1"),
    "twice": ({"context": ["A", "A"]}, "context must give every variable a name of its own; got 'A'"),
    "all": ({"context": NAMES}, "context must leave at least one variable to explain; got all 4"),
    "required into context": ({"context": ["A"], "knowledge": "B -> A"}, "'A' is context, which nothing causes"),
    "probable into context": (
        {"context": ["A"], "knowledge": osp.Knowledge(edge_probabilities={("B", "A"): 0.9})},
        "'A' is context, which nothing causes",
    ),
    "candidates of context": (
        {"context": ["A"], "candidates": {"A": ["B"], "B": [], "C": [], "D": []}},
        r"candidates\['A'\] must be empty or left out, because 'A' is context",
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name):
    arguments, message = ARGUMENTS[name]
    with pytest.raises(osp.UserError, match=message):
        osp.learn(VALUES, variables=NAMES, **arguments)


QUESTIONS = {
    "an edge into context": ("B -> A", "'A' is context: it is only ever a cause .* Ask about 'A -> B'"),
    "an edge between context": ("A -> C", "'C' is context"),
    "neighbours in context": ("A -- C", "'A' and 'C' are context: there are no edges between"),
    "after an explained one": ("B < A", "'A' is context: it comes before all .* is not ordered"),
    "before an explained one": ("A < B", "'A' is context: it comes before all .* is not ordered"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(posterior, name):
    edges, message = QUESTIONS[name]
    for ask in (
        posterior.probability,
        posterior.log_probability,
        posterior.standard_error,
        posterior.given,
        posterior.edge_probabilities,
        posterior.most_probable_graph,
    ):
        with pytest.raises(osp.UserError, match=message):
            ask(edges)


def test_what_is_true_of_every_graph_may_be_asked(posterior):
    assert posterior.probability("B !-> A, A !-> C") == 1.0
    assert posterior.given("B !-> A").log_evidence == posterior.log_evidence


def test_mappings_of_candidates_may_leave_context_out():
    given = {"B": ["A"], "C": ["A", "B"]}
    posterior = osp.learn(VALUES[:, :3], variables=NAMES[:3], context=["A"], candidates=given)
    assert posterior.candidates == {"A": [], **given}
    same = osp.learn(VALUES[:, :3], variables=NAMES[:3], context=["A"], candidates={"A": [], **given})
    assert same.edge_probabilities().equals(posterior.edge_probabilities())


def test_distributions_need_the_levels_of_context():
    codes = discrete_data([2, 2, 3], 60, seed=6)
    posterior = osp.learn(as_categories(codes, [2, 2, 3], letters(3)), context=["A"])
    answer = posterior.interventional("C", {"A": "level 0", "B": "level 1"}, n_graphs=20)
    assert answer["mean"].sum() == pytest.approx(1.0)
    with pytest.raises(osp.UserError, match=r"do must set the level of every context variable.*'A' missing"):
        posterior.interventional("C", {"B": "level 1"})
    with pytest.raises(osp.UserError, match="'A' is context: it is never explained"):
        posterior.interventional("A", {"B": "level 1"})


def test_effects_of_too_many_sets_are_refused_with_a_remedy(monkeypatch, posterior):
    monkeypatch.setattr("orderspn.models.order_graphs.effects_memory", lambda *_: posterior.model.workers.memory)
    with pytest.raises(osp.UserError, match="Use estimate_effects"):
        posterior.causal_effects()


def test_held_out_rows_are_predicted_without_their_context():
    frame = pd.DataFrame(VALUES, columns=NAMES)
    posterior = osp.learn(frame[:30], context=["A", "C"])
    value = osp.metrics.log_predictive_density(posterior, frame[:30], frame[30:])
    far = frame[30:].assign(A=frame["A"][30:] + 0.0)
    assert osp.metrics.log_predictive_density(posterior, frame[:30], far) == value
    everything = osp.learn(frame[:30], knowledge=osp.Knowledge(roots=["A", "C"]))
    assert osp.metrics.log_predictive_density(everything, frame[:30], frame[30:]) < value
    assert osp.metrics.marginal_log_likelihood(posterior, frame[30:]) > osp.metrics.marginal_log_likelihood(
        everything, frame[30:]
    )


def test_densities_do_not_depend_on_the_units_of_context():
    """They are densities of the explained variables in the units of the data."""
    data = osp.simulate.linear_gaussian(4, n_rows=120, rng=0).data
    other = data.assign(X1=1000.0 * data["X1"])

    def density(table, **interventions):
        posterior = osp.learn(table[:100], context=["X1"], check=False)
        return osp.metrics.log_predictive_density(posterior, table[:100], table[100:], **interventions)

    assert density(other) == pytest.approx(density(data), abs=1e-6)
    about = {"interventions": ["X2"] * 20}
    assert density(other, **about) == pytest.approx(density(data, **about), abs=1e-6)
