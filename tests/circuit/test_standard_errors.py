"""Monte Carlo standard errors of circuits: against derivatives by hand, against repeated draws, and their laws."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.circuits import families_of_all, full_expansion
from helpers.data import gaussian_data, letters
from helpers.families import random_families
from orderspn.circuit.from_orders import structure_with_paths
from orderspn.circuit.weighing import weigh_circuit
from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.models.circuit_errors import edge_errors, event_error
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import restrict
from orderspn.queries.marginals import edge_matrix
from orderspn.queries.settled import Settled

NAMES = letters(6)
CONDITIONS = [None, "B -> A", "C < E, B !-> A"]
FAMILIES = {
    "all are candidates": lambda: families_of_all(6, seed=3, spread=1.0),
    "one outsider": lambda: few_candidates(1),
    "two outsiders": lambda: few_candidates(2),
}


def few_candidates(at_once):
    candidates = [[(child + 1) % 6, (child + 3) % 6] for child in range(6)]
    return random_families(np.random.default_rng(5), candidates, spread=1.0, at_once=at_once)


def under(families, evidence):
    return families if evidence is None else restrict(families, Edges.parse(evidence), NAMES)


def sampled_circuit(families, n_runs, n_draws, block_size, seed=0):
    """A circuit from independent draws of the exact posterior, as if runs had made them."""
    exact = ExactOrders.over_all(families, Workers())
    drawn = exact.sample(n_runs * n_draws, np.random.default_rng(seed))
    structure, paths = structure_with_paths(drawn, block_size)
    return weigh_circuit(structure, families, "sampled", Workers(), paths.reshape(n_runs, n_draws, -1))


def edges_of(orders):
    return edge_matrix(orders.families, orders.visits().parent_sets)


def with_more_of(orders, draw, extra):
    """The circuit in which one draw counts `1 + extra` times; a slow twin of the influences."""
    circuit = orders.circuit
    structure, paths = circuit.structure, circuit.paths.reshape(-1, circuit.paths.shape[2])
    counts = structure.multiplicity.astype(float)
    counts[paths[draw]] += extra
    totals = np.bincount(structure.owner, weights=counts, minlength=structure.n_regions)
    return weigh_circuit(structure, orders.families, np.log(counts / totals[structure.owner]), Workers())


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(("name", "block_size"), [*((name, 2) for name in FAMILIES), ("all are candidates", 1)])
def test_influences_are_derivatives(name, block_size, condition):
    base = sampled_circuit(FAMILIES[name](), 2, 6, block_size)
    known = base.with_families(under(base.families, condition))
    found = np.empty((12, 6, 6))

    def keep(effect, _, influences):
        found[:, :, effect] = influences.reshape(12, 6)

    known.each_edge_influence(keep)
    on_mass = known.influences.on_log_mass().ravel()
    for draw in (0, 4, 11):
        for answer, influence, tolerance in (
            (lambda orders: edges_of(orders), found[draw], 1e-6),
            (lambda orders: orders.log_mass - orders.circuit.log_covered, on_mass[draw], 1e-6),
        ):
            step = 1e-4
            values = [
                answer(changed.with_families(known.families))
                for changed in (with_more_of(base, draw, sign * step) for sign in (1.0, -1.0))
            ]
            derivative = 12 * (values[0] - values[1]) / (2 * step)
            np.testing.assert_allclose(influence, derivative, rtol=0, atol=tolerance * 12)


@pytest.mark.kernels
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", FAMILIES)
def test_edges_have_the_errors_of_events(name, condition):
    orders = sampled_circuit(FAMILIES[name](), 2, 16, 2)
    known = orders.with_families(under(orders.families, condition))
    errors = edge_errors(known)
    settled = Settled.by(known.families).edges
    for cause, effect in np.argwhere(~settled):
        event = Edges([(NAMES[cause], NAMES[effect])])
        joint = known.with_families(restrict(known.families, event, NAMES))
        assert event_error(known, joint) == pytest.approx(errors[cause, effect], rel=1e-6, abs=1e-12, nan_ok=True)
    assert (errors[~settled] > 1e-3).any()


@pytest.mark.thorough
@pytest.mark.parametrize(("block_size", "condition"), [(3, None), (2, None), (2, "C < E, B !-> A")])
def test_errors_are_of_the_right_size(block_size, condition):
    """Many circuits of independent draws: ratios of deviations to stated errors have a standard deviation near 1."""
    families = families_of_all(6, seed=3, spread=1.0)
    exact = edges_of(ExactOrders.over_all(under(families, condition), Workers()))
    uncertain = ~Settled.by(under(families, condition)).edges & (np.abs(exact - 0.5) < 0.45)
    ratios = []
    for seed in range(40):
        orders = sampled_circuit(families, 4, 16, block_size, seed)
        known = orders.with_families(under(families, condition))
        ratios.append(((edges_of(known) - exact) / edge_errors(known))[uncertain])
    assert 0.8 < np.std(ratios) < 1.25
    assert np.abs(np.mean(ratios, axis=0)).max() < 0.8  # of 40: five standard errors
    assert np.mean(np.abs(ratios) > 3.0) < 0.02


def relabelled(families, places):
    """The same families with other indices of the variables; all others are candidates."""
    d, new = len(families), [None] * len(families)
    for family in families:
        candidates = np.sort(places[family.candidates])
        bits = np.argsort(np.argsort(places[family.candidates]))
        masks = sum((np.arange(family.n_masks) >> b & 1) << bits[b] for b in range(d - 1))
        log_score = np.empty(family.n_masks)
        log_score[masks] = family.log_score
        new[places[family.child]] = Family(int(places[family.child]), candidates, log_score)
    return new


def test_errors_follow_the_variables():
    families = families_of_all(6, seed=3, spread=1.0)
    places = np.array([3, 0, 5, 1, 4, 2])
    drawn = ExactOrders.over_all(families, Workers()).sample(32, np.random.default_rng(1))
    errors = []
    for orders, own in ((drawn, families), (places[drawn], relabelled(families, places))):
        structure, paths = structure_with_paths(orders, 2)
        errors.append(edge_errors(weigh_circuit(structure, own, "sampled", Workers(), paths.reshape(4, 8, -1))))
    moved = errors[1][np.ix_(places, places)]
    off_diagonal = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(moved[off_diagonal], errors[0][off_diagonal], rtol=1e-9)


# --- learned ------------------------------------------------------------------------------------------------------


@cache
def learned(n_jobs=1, **settings):
    return osp.learn(
        gaussian_data(8, 60, seed=5, density=0.3),
        variables=letters(8),
        method=osp.methods.Trust(**{"block_size": 3, "effort": 0.2, **settings}),
        candidates=4,
        rng=1,
        n_jobs=n_jobs,
        standardize=False,
    )


@pytest.mark.parametrize("given", [None, "C -> D", "B < A"])
def test_an_event_and_its_complement_have_the_same_error(given):
    posterior = learned(n_orders=200)
    errors = posterior.edge_standard_errors(given)
    for cause, effect in ["AC", "EF", "GH"]:
        error = posterior.standard_error(f"{cause} -> {effect}", given)
        assert 0.0 < error < 0.3
        assert posterior.standard_error(f"{cause} !-> {effect}", given) == pytest.approx(error, rel=1e-6)
        assert posterior.given(given).standard_error(f"{cause} -> {effect}") == error
        assert errors.loc[cause, effect] == pytest.approx(error, rel=1e-6)
    assert posterior.standard_error("A < H", given) == pytest.approx(posterior.standard_error("H < A", given), rel=1e-6)


@pytest.mark.parametrize(
    ("event", "given"),
    [
        (None, None),
        ("A -> B", "A -> B"),
        ("B -> A", "A -> B"),
        ("B !-> A, A < B", "A -> B"),
        ("A < C", "A < B, B < C"),
        ("C -> A", "A < B, B < C"),
        ("A -> B, B -> C, C -> A", None),
        ("B -> C, C -> A", "A -> B"),
    ],
)
def test_what_is_certain_has_no_error(event, given):
    posterior = learned(n_orders=200)
    assert posterior.probability(event, given) in (0.0, 1.0)
    assert posterior.standard_error(event, given) == 0.0


def test_edges_that_are_certain_have_no_error():
    errors = learned(n_orders=200).edge_standard_errors("A -> B, C !-> D").to_numpy()
    assert not np.diag(errors).any()
    assert (errors[0, 1], errors[1, 0], errors[2, 3]) == (0.0, 0.0, 0.0)
    assert (errors > 0.0).sum() > 30


def test_threads_and_runs_with_the_same_seed_change_no_bit():
    one, two = learned(n_orders=200), learned(n_jobs=2, n_orders=200)
    assert one.edge_standard_errors("C -> D").equals(two.edge_standard_errors("C -> D"))
    assert one.standard_error("A -> B, C < D") == two.standard_error("A -> B, C < D")


@pytest.mark.thorough
def test_more_orders_make_errors_smaller():
    few, many = (learned(n_orders=n).edge_standard_errors().to_numpy().max() for n in (200, 3200))
    assert many < 0.5 * few


@pytest.mark.thorough
@pytest.mark.parametrize(
    "settings", [{"weights": "elbo", "n_orders": 200}, {"oracle": "random", "expansion": (4, 2)}, {"expansion": (8, 4)}]
)
def test_without_sampled_orders_errors_are_unknown(settings):
    posterior = learned(**settings)
    assert math.isnan(posterior.standard_error("A -> B"))
    assert math.isnan(posterior.standard_error("A -> B", "C -> D"))
    errors = posterior.edge_standard_errors().to_numpy()
    assert np.array_equal(np.isnan(errors), ~np.eye(8, dtype=bool))
    assert "unknown" in posterior.summary()


def test_circuits_of_all_orders_have_no_error():
    for settings in ({"block_size": 8}, {"block_size": 4, "expansion": tuple(full_expansion(8, 4))}):
        posterior = learned(**settings)
        assert posterior.standard_error("A -> B", "C -> D") == 0.0
        assert not posterior.edge_standard_errors().to_numpy().any()
        assert "accuracy" not in posterior.summary()
    uniform = learned(block_size=4, expansion=tuple(full_expansion(8, 4)), weights="uniform")
    assert math.isnan(uniform.standard_error("A -> B"))


def test_draws_that_agree_leave_room_for_one_that_does_not():
    """One path only: other sets of first variables may be possible, but none was drawn."""
    families = families_of_all(6, seed=3, spread=1.0)
    structure, paths = structure_with_paths(np.tile(np.arange(6), (8, 1)), 3)
    orders = weigh_circuit(structure, families, "sampled", Workers(), paths.reshape(2, 4, -1))
    edges = edges_of(orders)
    np.testing.assert_allclose(edge_errors(orders), np.sqrt(0.5 * (1 / 3 - edges * (1 - edges))) / 8, rtol=1e-9)


def test_a_single_draw_that_satisfies_the_evidence_tells_little():
    families = families_of_all(4, seed=3, spread=1.0)
    drawn = np.array([[0, 1, 2, 3]] * 7 + [[2, 3, 0, 1]])
    structure, paths = structure_with_paths(drawn, 2)
    orders = weigh_circuit(structure, families, "sampled", Workers(), paths.reshape(2, 4, -1))
    known = orders.with_families(restrict(families, Edges.parse("C -> A"), letters(4)))
    assert edge_errors(known).min() > math.sqrt(1 / 24) - 1e-9
    impossible = known.with_families(restrict(known.families, Edges.parse("B -> C"), letters(4)))
    assert event_error(known, impossible) == pytest.approx(math.sqrt(1 / 6), rel=1e-9)


def test_too_few_draws_of_each_run_tell_nothing():
    orders = sampled_circuit(families_of_all(6, seed=3), 8, 3, 3)
    assert np.isnan(edge_errors(orders)).all()
    assert math.isnan(event_error(orders, orders))


def test_the_summary_says_the_same():
    posterior = learned(n_orders=200)
    worst = posterior.edge_standard_errors().to_numpy().max()
    assert f"edges within {2 * worst:.3f}" in posterior.summary()


def test_answers_cannot_change_what_is_kept():
    posterior = learned(n_orders=200)
    posterior.model.edge_standard_errors()[:] = 7.0
    assert posterior.edge_standard_errors().to_numpy().max() < 1.0


def test_paths_lead_through_their_orders():
    rng = np.random.default_rng(2)
    drawn = np.array([rng.permutation(9) for _ in range(20)])
    structure, paths = structure_with_paths(drawn, 2)
    assert np.array_equal(np.bincount(paths.ravel(), minlength=structure.n_partitions), structure.multiplicity)
    for order, path in zip(drawn, paths, strict=True):
        for p in path:
            first, second = structure.variables[structure.first[p]], structure.variables[structure.second[p]]
            place = np.argsort(order)
            assert place[first].max() < place[second].min()
            assert np.array_equal(structure.before[structure.first[p]], place < place[first].min())


def test_a_needed_variable_is_not_always_a_parent():
    """Order constraints close sets of predecessors, but not the parent sets without the variable."""
    families = families_of_all(6, seed=3, spread=1.0)
    families[1] = replace(families[1], needs=np.array([0]))
    orders = sampled_circuit(families, 2, 8, 3)
    total = np.zeros((6, 6))

    def keep(effect, _, influences):
        total[:, effect] = np.abs(influences.mean(axis=(0, 1)))

    orders.each_edge_influence(keep)
    assert total.max() < 1e-12
    assert 0.01 < edges_of(orders)[0, 1] < 0.99
