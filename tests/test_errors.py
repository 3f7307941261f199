"""Wrong arguments: each error names the argument, what was got, and what to do."""

import numpy as np
import pytest

import orderspn as osp
from helpers.cases import NAMES, both
from helpers.data import gaussian_data
from orderspn.core.memory import readable_bytes
from orderspn.models.memory import exact_order_bytes
from orderspn.parents.sizes import FamilySizes

VALUES = gaussian_data(4, 20, seed=0)


def learn(**arguments):
    return osp.learn(VALUES, variables=NAMES, **arguments)


@pytest.fixture(scope="module")
def posterior():
    return both("fair").posterior


@pytest.fixture(scope="module")
def narrow():
    """C has no candidate causes; D is none of A."""
    return both("unequal candidates").posterior


QUERIES = {
    "given": lambda p, e: p.given(e),
    "probability": lambda p, e: p.probability("A -> B", given=e),
    "edge_probabilities": lambda p, e: p.edge_probabilities(e),
    "parent_sets": lambda p, e: p.parent_sets("A", e),
    "most_probable_graph": lambda p, e: p.most_probable_graph(e),
    "sample": lambda p, e: p.sample(3, e),
    "causal_effects": lambda p, e: p.causal_effects(e),
    "precedence": lambda p, e: p.precedence(e),
    "entropy": lambda p, e: p.entropy(e),
}


@pytest.fixture(params=QUERIES)
def query(request):
    return QUERIES[request.param]


class TestEvidence:
    def test_that_contradicts_itself(self, posterior, query):
        with pytest.raises(
            osp.ImpossibleEvidence,
            match=r"cannot condition on 'A -> B, A !-> B': the edge A -> B is given as both present and absent",
        ):
            query(posterior, "A -> B, A !-> B")

    def test_that_contradicts_what_was_given_before(self, posterior, query):
        with pytest.raises(osp.ImpossibleEvidence, match="A -> B is given as both present and absent"):
            query(posterior.given("A -> B"), "A !-> B")

    def test_that_demands_a_cycle(self, posterior, query):
        with pytest.raises(osp.ImpossibleEvidence, match=r"form a cycle, (A -> B -> C -> A|B -> C -> A -> B|C -> A)"):
            query(posterior, "A -> B -> C -> A")
        with pytest.raises(osp.ImpossibleEvidence, match="form a cycle"):
            query(posterior.given("A -> B"), "B -> A")

    def test_with_an_unknown_variable(self, posterior, query):
        with pytest.raises(ValueError, match="unknown variable 'Z': the variables are 'A', 'B', 'C', 'D'"):
            query(posterior, "A -> Z")

    def test_whose_cause_is_no_candidate(self, narrow, query):
        with pytest.raises(
            osp.ImpossibleEvidence,
            match=r"'D' is not among the candidate causes of 'A'.*probability 0.*again with larger candidates=",
        ):
            query(narrow, "D -> A")

    def test_with_more_causes_than_allowed(self, query):
        with pytest.raises(
            osp.ImpossibleEvidence,
            match=r"cannot condition on 'A -> C, B -> C': no parent set of 'C' has all of .*"
            r"there are 2, more than the largest number of parents, 1; .* larger max_parents=",
        ):
            query(both("one parent").posterior, "A -> C, B -> C")

    @pytest.mark.parametrize(
        "case", ["one outsider", "one outsider, part of the orders", "sampled orders, one outsider"]
    )
    def test_with_more_outsiders_than_allowed(self, query, case):
        """One at a time: either is possible, both at once are not."""
        posterior = both(case).posterior
        effect, outsiders = next((v, o) for v, o in posterior.outsiders.items() if len(o) >= 2)
        one, two = outsiders[:2]
        with pytest.raises(
            osp.ImpossibleEvidence,
            match=rf"no parent set of '{effect}' has all of the causes .* not among its candidates.* outsiders=2",
        ):
            query(posterior, f"{one} -> {effect}, {two} -> {effect}")

    def test_with_more_outsiders_than_allowed_in_two_steps(self, query):
        posterior = both("one outsider").posterior
        effect, (one, two, *_) = next((v, o) for v, o in posterior.outsiders.items() if len(o) >= 2)
        with pytest.raises(osp.ImpossibleEvidence, match=f"no parent set of '{effect}' has all of the causes"):
            query(posterior.given(f"{one} -> {effect}"), f"{two} -> {effect}")

    def test_with_one_outsider_that_is_allowed(self, query):
        posterior = both("one outsider").posterior
        effect, (one, two, *_) = next((v, o) for v, o in posterior.outsiders.items() if len(o) >= 2)
        query(posterior, f"{one} -> {effect}, {two} !-> {effect}")

    @pytest.mark.parametrize("wrong", [["A -> B"], 5, {"A": "B"}])
    def test_of_the_wrong_type(self, posterior, query, wrong):
        with pytest.raises(TypeError, match=r"given must (be a string such as|hold \(cause, effect\) pairs).*; got "):
            query(posterior, wrong)

    def test_that_cannot_be_read(self, posterior, query):
        with pytest.raises(ValueError, match=r"cannot read 'A > B'|cannot read 'A B'|write edges as"):
            query(posterior, "A > B")

    def test_that_is_possible_does_not_raise(self, posterior, query):
        query(posterior, "A -> B, B !-> A")


class TestEvents:
    @pytest.mark.parametrize("event", ["A -> B, A !-> B", "A -> B -> C -> A", "A -> B, B -> A"])
    def test_impossible_events_have_probability_zero(self, posterior, event):
        assert posterior.probability(event) == 0.0
        assert posterior.log_probability(event) == -np.inf

    def test_a_cause_that_is_no_candidate(self, narrow):
        assert narrow.probability("D -> A") == 0.0
        assert narrow.probability("D !-> A") == 1.0
        assert narrow.probability("A -> C", given="A -> B") == 0.0

    def test_too_many_causes(self):
        assert both("one parent").posterior.probability("A -> C, B -> C") == 0.0

    def test_too_many_outsiders(self):
        posterior = both("one outsider").posterior
        effect, (one, two, *_) = next((v, o) for v, o in posterior.outsiders.items() if len(o) >= 2)
        first, second = f"{one} -> {effect}", f"{two} -> {effect}"
        assert posterior.probability(f"{first}, {second}") == 0.0
        assert posterior.log_probability(f"{first}, {second}") == -np.inf
        assert posterior.probability(second, given=first) == 0.0
        assert posterior.probability(first) > 0.0
        assert posterior.probability(second) > 0.0

    def test_events_against_the_evidence(self, posterior):
        assert posterior.probability("A -> B", given="A !-> B") == 0.0
        assert posterior.probability("B -> A", given="A -> B") == 0.0
        assert posterior.given("A -> B").probability("B -> A") == 0.0
        assert posterior.probability("A -> B", given="A -> B") == 1.0

    def test_no_event_is_certain(self, posterior):
        assert posterior.probability(osp.Edges()) == 1.0
        assert posterior.probability(None) == 1.0

    def test_unknown_names_are_suggested(self):
        posterior = osp.learn(VALUES, variables=["heart rate", "Age", "C", "D"])
        with pytest.raises(ValueError, match=r"unknown variable 'heartrate': did you mean 'heart rate'\?"):
            posterior.probability("heartrate -> C")
        with pytest.raises(ValueError, match=r"unknown variable 'AGE': did you mean 'Age'\?"):
            posterior.probability("AGE -> C")
        with pytest.raises(ValueError, match=r"unknown variable 'hart rate': did you mean 'heart rate'\?"):
            posterior.parent_sets("hart rate")

    def test_wrong_type(self, posterior):
        with pytest.raises(TypeError, match=r"event must be a string such as.*got int"):
            posterior.probability(3)


class TestOtherArguments:
    @pytest.mark.parametrize("n", [0, -1])
    def test_number_of_samples(self, posterior, n):
        with pytest.raises(ValueError, match=f"n must be an integer at least 1; got {n}"):
            posterior.sample(n)

    @pytest.mark.parametrize("n", [2.0, "3", None, True])
    def test_number_of_samples_type(self, posterior, n):
        with pytest.raises(TypeError, match=f"n must be an integer at least 1; got {n!r} of type"):
            posterior.sample(n)

    def test_numbers_of_numpy_are_numbers(self, posterior):
        assert len(posterior.sample(np.int64(3), rng=np.int64(1))) == 3

    @pytest.mark.parametrize("rng", ["seed", 1.5, True, [1, 2], np.random])
    def test_rng_type(self, posterior, rng):
        with pytest.raises(TypeError, match=r"rng must be a non-negative integer.*got"):
            posterior.sample(1, rng=rng)
        with pytest.raises(TypeError, match=r"rng must be a non-negative integer.*got"):
            learn(rng=rng)

    def test_negative_rng(self, posterior):
        with pytest.raises(ValueError, match="rng must be a non-negative integer; got -3"):
            posterior.sample(1, rng=-3)

    def test_top(self, posterior):
        with pytest.raises(ValueError, match="top must be an integer at least 1; got 0"):
            posterior.parent_sets("A", top=0)
        with pytest.raises(TypeError, match="top must be an integer at least 1; got 'all'"):
            posterior.parent_sets("A", top="all")

    def test_unknown_child(self, posterior):
        with pytest.raises(ValueError, match="unknown variable 'Q': the variables are 'A'"):
            posterior.parent_sets("Q")


class TestLearning:
    @pytest.mark.parametrize("method", ["fast", "EXACT"])
    def test_name_of_a_method(self, method):
        with pytest.raises(ValueError, match=f"method must be one of 'auto', .*, 'gadget', 'dibs'; got {method!r}"):
            learn(method=method)

    @pytest.mark.parametrize("method", [None, 3])
    def test_value_of_a_method(self, method):
        with pytest.raises(TypeError, match=rf"or a value such as methods.Gadget\(n_graphs=500\); got {method!r}"):
            learn(method=method)

    @pytest.mark.parametrize("score", ["aic", 3, None])
    def test_score(self, score):
        with pytest.raises(ValueError, match=f"score must be one of .*bge.*got {score!r}"):
            learn(score=score)

    @pytest.mark.parametrize("prior", ["flat", 0.5, None])
    def test_prior(self, prior):
        with pytest.raises(ValueError, match=f"prior must be one of 'fair', .*, or a callable from .*got {prior!r}"):
            learn(prior=prior)

    @pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan])
    def test_weights_of_a_callable_prior(self, weight):
        with pytest.raises(ValueError, match=r"prior\(2\) must be a finite weight of at least 0; got"):
            learn(prior=lambda k: weight if k == 2 else 1.0)

    def test_callable_prior_of_the_wrong_type(self):
        with pytest.raises(TypeError, match=r"prior\(0\) must be a number; got 'x' of type str"):
            learn(prior=lambda k: "x")

    def test_callable_prior_without_any_weight(self):
        with pytest.raises(ValueError, match="prior gives weight 0 to parent sets of every size"):
            learn(prior=lambda k: 0.0)

    def test_prior_that_leaves_no_graph(self):
        """Every set needs one parent at least, but the first variable of an order has none."""
        with pytest.raises(ValueError, match="prior"):
            learn(prior=lambda k: float(k > 0))

    @pytest.mark.parametrize("value", [-1, -5])
    def test_max_parents(self, value):
        with pytest.raises(ValueError, match=f"max_parents must be an integer at least 0; got {value}"):
            learn(max_parents=value)

    @pytest.mark.parametrize("value", [1.5, "2", True])
    def test_max_parents_type(self, value):
        with pytest.raises(TypeError, match=f"max_parents must be an integer at least 0; got {value!r}"):
            learn(max_parents=value)

    @pytest.mark.parametrize("value", [0, -2])
    def test_n_jobs(self, value):
        with pytest.raises(ValueError, match=f"n_jobs must be an integer at least 1; got {value}"):
            learn(n_jobs=value)
        with pytest.raises(TypeError, match=r"n_jobs must be an integer at least 1; got 1.5"):
            learn(n_jobs=1.5)

    def test_candidates(self):
        with pytest.raises(ValueError, match=r'candidates must be "auto", a number, or a mapping.*got \'all\''):
            learn(candidates="all")
        with pytest.raises(TypeError, match=r"candidates must be a mapping .*got a sequence"):
            learn(candidates=["A", "B"])
        with pytest.raises(ValueError, match="candidates must be an integer at least 0; got -1"):
            learn(candidates=-1)
        with pytest.raises(TypeError, match=r"candidates must be an integer at least 0; got 2\.5"):
            learn(candidates=2.5)

    def test_candidates_given_as_a_mapping(self):
        full = {"A": ["B"], "B": [], "C": ["A"], "D": []}
        with pytest.raises(ValueError, match=r"causes of every variable; 'C', 'D' missing\. An empty list means"):
            learn(candidates={"A": ["B"], "B": []})
        with pytest.raises(ValueError, match="unknown variable 'Z'"):
            learn(candidates={**full, "Z": []})
        with pytest.raises(ValueError, match="unknown variable 'Z'"):
            learn(candidates={**full, "A": ["Z"]})
        with pytest.raises(ValueError, match=r"candidates\['A'\] must not contain 'A' itself"):
            learn(candidates={**full, "A": ["A", "B"]})
        with pytest.raises(TypeError, match=r"candidates\['A'\] must be a sequence of names; got 'BC'"):
            learn(candidates={**full, "A": "BC"})

    @pytest.mark.parametrize("causes", [None, 3])
    def test_candidates_that_are_no_sequence(self, causes):
        with pytest.raises(TypeError, match=r"candidates\['A'\] must be a sequence of names"):
            learn(candidates={"A": causes, "B": [], "C": [], "D": []})

    def test_too_many_variables_for_the_exact_method(self):
        with pytest.raises(ValueError, match=r"at most 30 variables .*; got a block of 40\. Use method='trust'"):
            osp.learn(gaussian_data(40, 50, seed=0), method="exact")
        values = gaussian_data(29, 50, seed=0)
        with pytest.raises(
            ValueError, match=r"'exact' needs, for 29 variables .*, about [\d.]+ GiB of memory; .*4\.0 GiB"
        ):
            osp.learn(values, method="exact")
        with pytest.raises(
            ValueError, match=r"Use method='trust', .*variables=\[\.\.\.\], lower candidates=, or raise memory_limit="
        ):
            osp.learn(values, method="exact", candidates=3)

    def test_memory_limit(self):
        needed = exact_order_bytes(FamilySizes.of([3] * 4), 1)
        message = rf"up to 3 candidates each, about {needed / 1024:.1f} KiB.*; the limit is {{}}.*lower candidates="
        with pytest.raises(ValueError, match=message.format("100 bytes")):
            learn(memory_limit=100, n_jobs=1)
        with pytest.raises(ValueError, match=message.format(readable_bytes(needed - 1))):
            learn(memory_limit=needed - 1, n_jobs=1)
        learn(memory_limit=needed, n_jobs=1)
        with pytest.raises(ValueError, match="memory_limit must be an integer at least 1; got 0"):
            learn(memory_limit=0)

    @pytest.mark.filterwarnings("ignore:the values of .* vary so much")
    def test_too_many_candidates(self):
        values = gaussian_data(27, 50, seed=0)
        with pytest.raises(ValueError, match=r"candidates may be at most 24 per variable.*got 26.*candidates=16"):
            osp.learn(values, candidates=26)

    def test_data_errors_come_through(self):
        with pytest.raises(ValueError, match="'B' has 1 missing value"):
            osp.learn(np.where(np.arange(80).reshape(20, 4) == 5, np.nan, VALUES), variables=NAMES, missing="error")


class TestScores:
    @pytest.mark.parametrize("name", ["alpha_mu", "alpha_w", "t"])
    @pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan])
    def test_hyperparameters(self, name, value):
        with pytest.raises(ValueError, match=f"{name} must be a finite number greater than 0; got"):
            osp.scores.BGe(**{name: value})

    @pytest.mark.parametrize("name", ["alpha_mu", "alpha_w", "t"])
    def test_hyperparameters_type(self, name):
        with pytest.raises(TypeError, match=f"{name} must be a number greater than 0; got 'one' of type str"):
            osp.scores.BGe(**{name: "one"})

    def test_degrees_of_freedom_need_the_number_of_variables(self):
        with pytest.raises(ValueError, match=r"alpha_w must be greater than d \+ 1 = 5 for 4 columns; got 5"):
            learn(score=osp.scores.BGe(alpha_w=5))
        learn(score=osp.scores.BGe(alpha_w=5.5))

    def test_family_scores(self):
        def table(*args, **kwargs):
            return osp.scores.family_scores(VALUES, *args, variables=NAMES, **kwargs)

        with pytest.raises(ValueError, match="unknown variable 'Z'"):
            table("Z")
        with pytest.raises(ValueError, match="unknown variable 'Z'"):
            table("A", ["Z"])
        with pytest.raises(ValueError, match="candidates must not contain the child 'A' itself"):
            table("A", ["A", "B"])
        with pytest.raises(ValueError, match="max_parents must be an integer at least 0; got -1"):
            table("A", max_parents=-1)
        with pytest.raises(ValueError, match=r"candidates may have at most 20 members.*got 24.*Pass fewer"):
            osp.scores.family_scores(gaussian_data(25, 30, seed=1), "X1")

    def test_candidates_as_one_string(self):
        with pytest.raises(TypeError, match=r"candidates must be a sequence of names.*'BC'"):
            osp.scores.family_scores(VALUES, "A", "BC", variables=NAMES)


def test_every_error_is_a_user_error():
    for error in (osp.ImpossibleEvidence, osp.UnreadableFile):
        assert issubclass(error, osp.UserError)
        assert issubclass(error, ValueError)


def test_unknown_attributes_of_the_package():
    with pytest.raises(AttributeError, match="module 'orderspn' has no attribute 'lern'"):
        osp.lern  # noqa: B018
