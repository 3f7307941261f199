"""Variables that must come before the one of a family: what its tables, samples and best sets make of them."""

import itertools

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.families import as_predecessors, parents_of, random_families, random_outsiders, scores_of
from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.leaves.mass_lines import lines_of_one
from orderspn.leaves.order_constraints import with_needs
from reference.dags import adjacency_of, all_dags
from reference.enumeration import Enumeration
from reference.lattice import log_leaf

pytestmark = pytest.mark.kernels

D, CHILD = 6, 2
CANDIDATES = np.array([0, 1, 4])


def family(needs, at_once=0, seed=0):
    rng = np.random.default_rng([seed, at_once])
    outsiders = random_outsiders(rng, D, CHILD, CANDIDATES.tolist(), at_once)
    log_score = rng.normal(scale=1.5, size=(1 + len(outsiders)) << 3)
    log_score[rng.random(log_score.size) < 0.2] = -np.inf
    return Family(CHILD, CANDIDATES, log_score, 0.0, outsiders, np.array(needs, dtype=np.int64))


def all_predecessors():
    others = [v for v in range(D) if v != CHILD]
    return [set(u) for size in range(D) for u in itertools.combinations(others, size)]


def scores(f):
    return scores_of([f])


@pytest.fixture(params=itertools.product([0, 1, 2], [[], [1], [0, 4], [0, 1, 4]]), ids=str)
def both(request):
    """A family with needs, and the same without."""
    at_once, needs = request.param
    return family(needs, at_once), family([], at_once)


def test_mass_and_best_are_gone_where_a_need_is_missing(both):
    needy, free = both
    masks = np.tile(np.arange(8), free.n_rows)
    enough = np.array([all(mask >> CANDIDATES.tolist().index(v) & 1 for v in needy.needs.tolist()) for mask in masks])
    for kind in ("log_mass", "log_best"):
        np.testing.assert_array_equal(getattr(needy, kind), np.where(enough, getattr(free, kind), -np.inf))
    np.testing.assert_array_equal(needy.log_score, free.log_score)


def test_possible_after(both):
    needy, free = both
    found = []
    for u in all_predecessors():
        before = as_predecessors(u, D)
        found.append(needy.possible_after(before))
        assert found[-1] == (free.possible_after(before) and set(needy.needs.tolist()) <= u)
        assert free.possible_after(before) == (log_leaf(scores(free), CHILD, u) > -np.inf)
    assert any(found)


def test_samples_and_best_sets_are_those_of_the_family_without(both):
    """After all needs, the family is the same as without them."""
    needy, free = both
    before = np.array([as_predecessors(u, D) for u in all_predecessors() if set(needy.needs.tolist()) <= u])
    before = before[[free.possible_after(row) for row in before]]
    drawn = [f.sample_parents(before, np.random.default_rng(3)) for f in both]
    np.testing.assert_array_equal(*drawn)
    for row in before:
        assert needy.best_parents(row, np.arange(D)) == free.best_parents(row, np.arange(D))


def test_sets_without_the_needed_are_drawn():
    """A variable that comes before need not be a parent."""
    f = family([1], at_once=1)
    before = np.tile(as_predecessors({0, 1, 3, 4}, D), (20_000, 1))
    drawn = [parents_of(f, number) for number in f.sample_parents(before, np.random.default_rng(0)).tolist()]
    weights = {p: np.exp(s) for p, s in scores(f)[CHILD].items() if p <= {0, 1, 3, 4} and s > -np.inf}
    total = sum(weights.values())
    assert chi_square_p(drawn, {p: w / total for p, w in weights.items()}) > THRESHOLD
    assert any(1 not in parents for parents in drawn)


def test_evidence_keeps_the_needs(both):
    needy, free = both
    no_variables = np.empty(0, dtype=np.int64)
    for required, forbidden in (
        (np.array([1]), no_variables),
        (no_variables, np.array([0, 1])),
        (np.array([4]), np.array([3])),
    ):
        under = needy.restricted(required, forbidden)
        np.testing.assert_array_equal(under.needs, needy.needs)
        np.testing.assert_array_equal(under.log_score, free.restricted(required, forbidden).log_score)


def test_needs_add_up():
    f = family([4])
    more = f.after(np.array([4, 0])).after(np.array([1]))
    assert more.needs.tolist() == [0, 1, 4]
    assert f.needs.tolist() == [4]
    assert more.log_score is f.log_score
    # Tables are filled again, though those of the first one are kept.
    assert np.isfinite(f.log_mass).sum() > np.isfinite(more.log_mass).sum() == 1


@pytest.mark.parametrize("at_once", [0, 1, 2])
def test_what_every_set_has(at_once):
    f = family([], at_once, seed=1)
    no_variables = np.empty(0, dtype=np.int64)
    for variable in [v for v in range(D) if v != CHILD and f.may_have(v)]:
        assert not f.always_has(variable)
        assert f.restricted(np.array([variable]), no_variables).always_has(variable)
        assert not f.restricted(no_variables, np.array([variable])).always_has(variable)


def test_lines_of_missing_predecessors_are_empty(both):
    needy, free = both
    by_line, log_unit, in_units = lines_of_one(needy)
    enough = np.isfinite(by_line).any(axis=1)
    for found, expected in zip((by_line, log_unit, in_units), lines_of_one(free), strict=True):
        np.testing.assert_array_equal(found[enough], expected[enough])
        assert np.isneginf(found[~enough]).all()
    assert enough.all() == (needy.needs.size == 0 and np.isfinite(lines_of_one(free)[1]).all())


@pytest.mark.parametrize("at_once", [0, 1, 2])
def test_orders_of_a_block(at_once):
    """Sums over orders follow from the tables: those orders are left in which all needs are met."""
    rng = np.random.default_rng(at_once)
    families = random_families(rng, [[1, 3], [0, 2], [1], [0, 1]], at_once=at_once)
    needy = [families[0].after(np.array([3])), families[1], families[2].after(np.array([1])), families[3]]
    twin = Enumeration.of(scores_of(families)).given(before=[(3, 0), (1, 2)])
    orders = ExactOrders.over_all(needy, Workers())
    assert orders.log_mass == pytest.approx(twin.log_evidence, rel=0, abs=1e-12)
    np.testing.assert_allclose(orders.visits().precedence, twin.precedence(), rtol=0, atol=1e-12)


def test_orders_of_graphs():
    """Only orders that satisfy all needs count; some graphs have no such order."""
    families = random_families(np.random.default_rng(0), [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    families[0] = families[0].after(np.array([2, 3]))
    graphs = adjacency_of(all_dags(4))
    orders = list(itertools.permutations(range(4)))

    def follows(order, graph):
        return all(order.index(c) < order.index(e) for c, e in np.argwhere(graph).tolist())

    allowed = [order for order in orders if order.index(2) < order.index(0) and order.index(3) < order.index(0)]
    counts = [sum(follows(order, graph) for order in allowed) for graph in graphs]
    found = np.exp(ExactOrders.over_all(families, Workers()).log_order_masses(graphs))
    np.testing.assert_allclose(found, counts, rtol=1e-12)
    assert 0 in counts
    joined = with_needs(graphs, families)
    np.testing.assert_array_equal(
        joined.sum(axis=(1, 2)), graphs.sum(axis=(1, 2)) + 2 - graphs[:, [2, 3], 0].sum(axis=1)
    )
    # Where none of the graphs has any order left, too.
    none = graphs[np.array(counts) == 0]
    assert np.isneginf(ExactOrders.over_all(families, Workers()).log_order_masses(none)).all()


def test_a_cycle_that_was_there_before_is_an_error():
    families = random_families(np.random.default_rng(0), [[1, 2], [0, 2], [0, 1]])
    families[0] = families[0].after(np.array([2]))
    cycle = np.zeros((1, 3, 3), dtype=bool)
    cycle[0, 0, 1] = cycle[0, 1, 0] = True
    with pytest.raises(ValueError, match="without cycles"):
        ExactOrders.over_all(families, Workers()).log_order_masses(cycle)
