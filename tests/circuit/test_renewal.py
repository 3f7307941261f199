"""Circuits under evidence: what is taken over from the circuit before equals a computation from scratch, bit by bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.examples import costly
from orderspn.circuit.weighing import weigh_circuit
from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.workers import Workers

pytestmark = pytest.mark.kernels

D = 9
METHODS = {
    "outsiders": (3, osp.methods.Trust(n_orders=8, effort=0.01, block_size=4, outsiders=1)),
    "pairs of outsiders": (2, osp.methods.Trust(n_orders=8, effort=0.01, block_size=4, outsiders=2)),
    "shared tables": (8, osp.methods.Trust(n_orders=8, effort=0.01, block_size=4)),
}


@pytest.fixture(scope="module", params=METHODS)
def posterior(request):
    candidates, method = METHODS[request.param]
    data = osp.simulate.linear_gaussian(D, 80, rng=3).data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so short searches do not agree
        return osp.learn(data, method=method, candidates=candidates, check=False)


def test_the_cases_are_what_their_names_say(posterior, request):
    tables = posterior.model.orders._tables
    assert tables.shared == ("shared" in request.node.name)
    assert posterior.model.orders._blocks.count > 5


def from_scratch(orders, n_jobs=1):
    """The same circuit under the same evidence, with nothing taken over."""
    before = orders.circuit
    anew = weigh_circuit(before.structure, orders.families, before.log_weights, Workers(n_jobs))
    object.__setattr__(anew, "circuit", before)  # evidence is relative to the masses before it
    object.__setattr__(anew, "parent", None)
    anew.__dict__["log_block_masses"] = anew._blocks.totals(anew._log_prefix)
    return anew


def assert_as_from_scratch(orders):
    anew = from_scratch(orders)
    np.testing.assert_array_equal(orders.log_block_masses, anew.log_block_masses)
    assert orders.log_mass == anew.log_mass
    np.testing.assert_array_equal(orders._log_prefix, anew._log_prefix)
    np.testing.assert_array_equal(orders._log_suffix, anew._log_suffix)
    np.testing.assert_array_equal(orders._log_leaves, anew._log_leaves)
    visits, expected = orders.visits(), anew.visits()
    np.testing.assert_array_equal(visits.edges, expected.edges)
    np.testing.assert_array_equal(visits.precedence, expected.precedence)
    for found, wanted in zip(visits.parent_sets, expected.parent_sets, strict=True):
        np.testing.assert_array_equal(found, wanted)


PAIRS = st.lists(
    st.tuples(st.integers(0, D - 1), st.integers(0, D - 1), st.sampled_from("pab")), min_size=1, max_size=3
)


def edges_of(pairs, names):
    kinds = {"p": "present", "a": "absent", "b": "before"}
    chosen = {kind: [] for kind in kinds.values()}
    for one, other, kind in pairs:
        if one != other:
            chosen[kinds[kind]].append((names[one], names[other]))
    return osp.Edges(**chosen)


@costly
@given(first=PAIRS, second=PAIRS)
def test_random_evidence_twice(posterior, first, second):
    under = posterior
    for pairs in (first, second):
        try:
            under = under.given(edges_of(pairs, posterior.variables))
        except ImpossibleEvidence:
            continue
        if under is not posterior:
            assert_as_from_scratch(under.model.orders)


def test_evidence_that_changes_nothing(posterior):
    """A constraint that holds anyway leaves every family as it is."""
    families = posterior.model.families
    again = posterior.model.orders.with_families(families)
    assert not again._renewal.chosen.any()
    assert_as_from_scratch(again)


def test_only_blocks_with_changed_families_are_computed(posterior):
    orders = posterior.model.orders
    child = orders.families[0]
    under = orders.with_families([child.restricted(child.candidates[:1], child.candidates[1:]), *orders.families[1:]])
    structure = orders.circuit.structure
    np.testing.assert_array_equal(under._renewal.chosen, structure.variables[structure.blocks][:, 0])
    assert_as_from_scratch(under)


def test_the_number_of_threads_changes_no_bit(posterior):
    names = posterior.variables
    one = posterior.given(osp.Edges([(names[1], names[0])])).model.orders
    other = from_scratch(one, n_jobs=2)
    np.testing.assert_array_equal(one.visits().edges, other.visits().edges)
