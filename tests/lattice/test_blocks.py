"""Every pass over a block (S_1, S_2) against lists of orders, recursion over subsets and plain NumPy.

With and without outsiders: where families have them, blocks have leaf tables of their own.
"""

import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.families import (
    members,
    parents_of,
    random_candidates,
    random_families,
    random_weights,
    scores_of,
    weights_of,
)
from helpers.levels import parameters
from orderspn.core.workers import Workers
from orderspn.lattice import exact_orders
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.lattice.leaf_values import leaf_values
from orderspn.lattice.passes import (
    ROW_BITS,
    SMALLEST_TO_SPLIT,
    log_prefix_maxima,
    log_prefix_sums,
    log_suffix_sums,
)
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from reference.lattice import OrderList, SubsetRecursion, log_best_leaf, log_leaf, prefix_table_by_levels

ONE, TWO = Workers(1), Workers(2)


NO_VARIABLES = np.empty(0, dtype=np.int64)


def require(family, cause, rng):
    """A family that needs one cause, which is made a candidate if it was no possible parent."""
    if family.may_have(cause):
        log_score = rng.normal(scale=3.0, size=family.log_score.size)
        candidates, outsiders = family.candidates, family.outsider_rows
    else:
        candidates, outsiders = np.union1d(family.candidates, [cause]).astype(np.int64), family.outsider_rows
        log_score = rng.normal(scale=3.0, size=(1 + len(outsiders)) << candidates.size)
    needing = Family(family.child, candidates, log_score, 0.0, outsiders)
    return needing.restricted(np.array([cause]), NO_VARIABLES)


class Block:
    """Random families of d variables, a block of them, and the model under test."""

    def __init__(self, d, before, variables, largest=4, impossible=0.0, seed=0, spread=3.0, required=(), at_once=0):
        rng = np.random.default_rng([seed, d, len(variables)])
        self.families = random_families(rng, random_candidates(rng, d, largest), spread, impossible, at_once)
        for cause, effect in required:
            self.families[effect] = require(self.families[effect], cause, rng)
        self.before, self.variables = np.array(before, dtype=np.int64), np.array(variables, dtype=np.int64)
        self.scores = scores_of(self.families)
        self.weights = random_weights(rng, self.families)
        self.reference_weights = weights_of(self.families, self.weights)
        self.model = self.with_workers(ONE)

    def with_workers(self, workers):
        return ExactOrders(self.families, self.before, self.variables, workers)

    def laid_out(self):
        """The leaf tables of all families, and the block alone in flat arrays."""
        tables = LeafTables.of(self.families, ONE)
        before, variables = np.zeros((2, 1, len(self.families)), dtype=bool)
        before[0, self.before] = True
        variables[0, self.variables] = True
        return tables, Blocks.of(tables, before, variables)

    def laid_out_leaves(self):
        """The block alone, and its leaf values: sums and maxima."""
        tables, blocks = self.laid_out()
        return blocks, *(leaf_values(tables, blocks, kind, ONE, "") for kind in ("log_mass", "log_best"))

    def precedence(self, reference):
        """Reference precedences among all variables: those before the block precede its own."""
        matrix = np.zeros((len(self.families),) * 2)
        matrix[np.ix_(self.variables, self.variables)] = reference.precedence()
        matrix[np.ix_(self.before, self.variables)] = 1.0
        return matrix

    def parent_sets(self, reference, child):
        """Reference posterior of every parent set."""
        family = self.families[child]
        p = np.zeros(family.log_score.size)
        for before, q in reference.placements(child).items():
            if q > 0.0:
                log_tau = log_leaf(self.scores, child, before)
                for number, log_score in enumerate(family.log_score):
                    if parents_of(family, number) <= before:
                        p[number] += q * math.exp(log_score - log_tau)
        return p


def assert_visits_equal(block, reference):
    """Precedences, and what a family derives from its visits."""
    visits = block.model.visits()
    np.testing.assert_allclose(visits.precedence, block.precedence(reference), rtol=0, atol=1e-11)
    for child in block.variables.tolist():
        p = visits.parent_sets[child]
        assert p.shape == block.families[child].log_score.shape
        np.testing.assert_allclose(p, block.parent_sets(reference, child), rtol=1e-9, atol=1e-40)
        assert p.sum() == pytest.approx(1.0, abs=1e-11)
        edges = block.families[child].edge_marginals(p, len(block.families))
        np.testing.assert_allclose(visits.edges[:, child], np.minimum(edges, 1.0), rtol=1e-14, atol=0)
    for other in set(range(len(block.families))) - set(block.variables.tolist()):
        assert not visits.parent_sets[other].any()


BLOCKS = {
    "all of four": (4, [], [0, 1, 2, 3]),
    "all of five, impossible sets": (5, [], [0, 1, 2, 3, 4], 4, 0.4),
    "one variable, nothing before": (4, [], [2]),
    "one variable, all others before": (5, [0, 1, 3, 4], [2]),
    "some before, some outside": (8, [1, 6], [0, 3, 4, 7]),
    "many before": (9, [0, 2, 3, 5, 6], [1, 4, 8]),
    "impossible sets, some before": (8, [0, 7], [1, 2, 4, 5, 6], 4, 0.5),
    "scores hundreds apart": (6, [5], [0, 1, 2, 3], 4, 0.2, 0, 300.0),
    "no candidates at all": (5, [1], [0, 2, 3, 4], 0),
    "orders ruled out": (6, [5], [0, 1, 2, 3, 4], 3, 0.0, 0, 3.0, [(3, 0), (0, 1), (4, 2)]),
    "one order left": (5, [0], [1, 2, 3, 4], 2, 0.0, 0, 3.0, [(0, 3), (3, 1), (1, 4), (4, 2)]),
}


def with_outsiders(at_once, d, before, variables, largest=2, impossible=0.0, spread=3.0, required=(), seed=0):
    return d, before, variables, largest, impossible, seed, spread, required, at_once


OUTSIDERS = {
    "one outsider, all of four": with_outsiders(1, 4, [], [0, 1, 2, 3]),
    "two outsiders, all of five": with_outsiders(2, 5, [], [0, 1, 2, 3, 4]),
    "one outsider, one variable, nothing before": with_outsiders(1, 4, [], [2], 1),
    "two outsiders, one variable, others before": with_outsiders(2, 7, [0, 1, 3, 4], [2], 1),
    "one outsider, some before, some outside": with_outsiders(1, 8, [1, 6], [0, 3, 4, 7]),
    "two outsiders, some before, some outside": with_outsiders(2, 8, [1, 6], [0, 3, 4, 7]),
    "two outsiders, many before": with_outsiders(2, 9, [0, 2, 3, 5, 6], [1, 4, 8], 3),
    "one outsider, impossible sets": with_outsiders(1, 8, [0, 7], [1, 2, 4, 5, 6], 3, 0.5),
    "two outsiders, impossible sets": with_outsiders(2, 7, [0], [1, 2, 4, 5, 6], 2, 0.6),
    "two outsiders, scores hundreds apart": with_outsiders(2, 6, [5], [0, 1, 2, 3], 2, 0.2, 300.0),
    "one outsider, no candidates": with_outsiders(1, 6, [1], [0, 2, 3, 4], 0),
    "two outsiders, no candidates": with_outsiders(2, 6, [1], [0, 2, 3, 4, 5], 0),
    "some families without outsiders": with_outsiders(1, 5, [3], [0, 1, 2, 4], 4, seed=4),
    "one outsider, orders ruled out": with_outsiders(1, 6, [5], [0, 1, 2, 3, 4], 2, 0.0, 3.0, [(3, 0), (0, 1), (4, 2)]),
    "two outsiders, one order left": with_outsiders(
        2, 5, [0], [1, 2, 3, 4], 1, 0.0, 3.0, [(0, 3), (3, 1), (1, 4), (4, 2)]
    ),
}
BLOCKS |= OUTSIDERS


@pytest.fixture(params=BLOCKS)
def block(request):
    return Block(*BLOCKS[request.param])


@pytest.fixture
def listed(block):
    return OrderList(block.scores, block.before.tolist(), block.variables.tolist())


@pytest.mark.kernels
def test_recursion_and_list_of_orders_agree(block, listed):
    """The two references check each other before they check anything else."""
    recursion = SubsetRecursion(block.scores, block.before.tolist(), block.variables.tolist())
    assert recursion.prefix(recursion.full) == pytest.approx(listed.log_mass, abs=1e-10)
    assert recursion.suffix(recursion.full) == pytest.approx(listed.log_mass, abs=1e-10)
    np.testing.assert_allclose(recursion.precedence(), listed.precedence(), atol=1e-11)
    np.testing.assert_allclose(
        recursion.effects(block.reference_weights), listed.effects(block.reference_weights), atol=1e-10
    )


@pytest.mark.kernels
def test_mass(block, listed):
    assert block.model.log_mass == pytest.approx(listed.log_mass, rel=0, abs=1e-10)


@pytest.mark.kernels
def test_tables_of_prefixes_suffixes_and_maxima(block):
    assert_tables_equal_recursion(block)


def assert_tables_equal_recursion(block):
    before, variables = block.before.tolist(), block.variables.tolist()
    recursion = SubsetRecursion(block.scores, before, variables)
    best = SubsetRecursion(block.scores, before, variables, log_best_leaf)
    blocks, log_mass, log_best = block.laid_out_leaves()
    assert_log_close(log_prefix_sums(blocks, log_mass, ONE, ""), recursion.table("prefix"))
    assert_log_close(log_suffix_sums(blocks, log_mass, ONE, ""), recursion.table("suffix"))
    assert_log_close(log_prefix_maxima(blocks, log_best, ONE, ""), best.table("best"))


def assert_log_close(answer, expected):
    np.testing.assert_array_equal(np.isneginf(answer), np.isneginf(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(answer[finite], expected[finite], rtol=1e-12, atol=1e-11)


@pytest.mark.kernels
def test_visits(block, listed):
    assert_visits_equal(block, listed)


@pytest.mark.kernels
def test_the_blocks_have_what_their_names_say():
    for name in ("orders ruled out", "one outsider, orders ruled out"):
        ruled_out = Block(*BLOCKS[name])
        assert np.isneginf(ruled_out.model._log_prefix).any()
        assert np.isfinite(ruled_out.model.log_mass)
    for name in ("one order left", "two outsiders, one order left"):
        one_left = Block(*BLOCKS[name])
        assert one_left.model.best_order(np.arange(5))[0].tolist() == [3, 1, 4, 2]
    for name in BLOCKS:
        rows = [f.n_rows for f in Block(*BLOCKS[name]).families]
        assert (max(rows) > 1) == ("outsider" in name)
    rows = [f.n_rows for f in Block(*BLOCKS["some families without outsiders"]).families]
    assert min(rows) == 1 < max(rows)


@pytest.mark.kernels
def test_outsiders_matter():
    """Otherwise blocks with them would test nothing new: without the rows the mass is another."""
    for name in OUTSIDERS:
        block = Block(*OUTSIDERS[name])
        cut = [f.restricted(NO_VARIABLES, f.outsiders) for f in block.families]
        gap = block.model.log_mass - block.model.with_families(cut).log_mass
        assert gap > 1e-3 or name == "one outsider, one variable, nothing before"


@pytest.mark.kernels
def test_best_order(block):
    best = OrderList(block.scores, block.before.tolist(), block.variables.tolist(), log_best_leaf)
    order = tuple(block.model.best_order(np.arange(len(block.families)))[0].tolist())
    worth = best.log_weights[best.orders.index(order)]
    assert worth == pytest.approx(best.log_weights.max(), rel=1e-12, abs=1e-8)


@pytest.mark.kernels
def test_best_order_among_equals_puts_the_highest_rank_last():
    block = Block(5, [], [0, 1, 2, 3, 4], 0)  # without candidates every order is worth the same
    for ranks in ([0, 1, 2, 3, 4], [3, 0, 4, 1, 2]):
        order = block.model.best_order(np.array(ranks))[0].tolist()
        assert [ranks[v] for v in order] == [0, 1, 2, 3, 4]


@pytest.mark.kernels
def test_effects(block, listed):
    tables = dict(zip(range(len(block.families)), block.weights, strict=True))
    answer = block.model.effects(lambda family: tables[family.child])
    assert answer.shape == (len(block.families), block.variables.size)
    np.testing.assert_allclose(answer, listed.effects(block.reference_weights), rtol=0, atol=1e-10)


@pytest.mark.kernels
def test_sampled_orders(block, listed):
    drawn = block.model.sample(3000, np.random.default_rng(1))
    exact = {order: p for order, p in zip(listed.orders, listed.p, strict=True) if p > 0}
    assert chi_square_p(map(tuple, drawn.tolist()), exact) > THRESHOLD


@pytest.mark.kernels
def test_sampled_orders_would_fail_the_check_if_wrong():
    block = Block(*BLOCKS["all of four"])
    listed = OrderList(block.scores, [], [0, 1, 2, 3])
    exact = dict(zip(listed.orders, listed.p, strict=True))
    rng = np.random.default_rng(2)
    noisy = listed.p + rng.gumbel(size=(3000, len(listed.orders)))
    assert chi_square_p([listed.orders[i] for i in noisy.argmax(axis=1)], exact) < THRESHOLD
    assert chi_square_p([tuple(order[::-1]) for order in block.model.sample(3000, rng).tolist()], exact) < THRESHOLD


@pytest.mark.kernels
def test_evidence_replaces_families():
    block = Block(*BLOCKS["some before, some outside"])
    families = [f.restricted(NO_VARIABLES, f.candidates[:1]) for f in block.families]
    under = block.model.with_families(families)
    listed = OrderList(scores_of(families), [1, 6], [0, 3, 4, 7])
    assert under.log_mass == pytest.approx(listed.log_mass, abs=1e-10)
    assert block.model.log_mass != pytest.approx(under.log_mass, abs=1e-3)


@pytest.mark.kernels
@pytest.mark.parametrize("outsiders", [1, 2])
def test_evidence_on_outsiders(outsiders):
    block = Block(6, [], list(range(6)), 2, at_once=outsiders)
    children = [f.child for f in block.families if f.n_rows > 1]
    assert len(children) >= 3
    forbidden, required = block.families[children[0]], block.families[children[1]]
    families = list(block.families)
    families[forbidden.child] = forbidden.restricted(NO_VARIABLES, forbidden.outsider_rows[0, :1])
    families[required.child] = required.restricted(required.outsider_rows[0, :1], NO_VARIABLES)
    under = block.model.with_families(families)
    listed = OrderList(scores_of(families), [], list(range(6)))
    assert under.log_mass == pytest.approx(listed.log_mass, abs=1e-10)
    assert block.model.log_mass != pytest.approx(under.log_mass, abs=1e-3)
    np.testing.assert_allclose(under.visits().precedence, block.precedence(listed), rtol=0, atol=1e-11)


@pytest.mark.kernels
def test_an_impossible_block_has_no_mass():
    for name in ("all of four", "one outsider, all of four"):
        block = Block(*BLOCKS[name])
        families = [*block.families[:3], block.families[3].restricted(NO_VARIABLES, NO_VARIABLES)]
        families[3].log_score[:] = -np.inf
        assert block.model.with_families(families).log_mass == -math.inf


@pytest.mark.kernels
def test_offsets_and_strides_find_the_leaf_of_every_subset():
    block = Block(*BLOCKS["impossible sets, some before"])
    tables, blocks = block.laid_out()
    own, offsets, strides = blocks.geometry(0)
    _, opposite_offsets, opposite_strides = blocks.reversed().geometry(0)
    n = own.size
    assert own.tolist() == block.variables.tolist()
    for j, child in enumerate(block.variables.tolist()):
        family = block.families[child]
        for mask in range(1 << n):
            if mask >> j & 1:
                continue
            index = offsets[j] + sum(strides[j, b] for b in range(n) if mask >> b & 1)
            placed = set(block.before.tolist()) | {int(v) for b, v in enumerate(block.variables) if mask >> b & 1}
            expected = placed & set(family.candidates.tolist())
            assert members(index - tables.starts[child], family.candidates) == expected
            others = (1 << n) - 1 ^ mask
            index_again = opposite_offsets[j] + sum(
                opposite_strides[j, b] for b in range(n) if others >> b & 1 and b != j
            )
            assert index_again == index


NEAR_THE_ROW = {
    "below": (9, [2], [0, 1, 3, 4, 5, 6, 7]),
    "equal": (9, [3], [0, 1, 2, 4, 5, 6, 7, 8]),
    "above": (10, [9], list(range(9))),
    "above by two": (11, [4], [v for v in range(11) if v != 4]),
    "above, orders ruled out": (10, [4], [v for v in range(10) if v != 4], [(0, 9), (9, 2), (4, 8), (8, 1)]),
    "equal, one outsider": (9, [3], [0, 1, 2, 4, 5, 6, 7, 8], (), 1),
    "above, one outsider": (10, [9], list(range(9)), (), 1),
    "above, two outsiders, orders ruled out": (9, [], list(range(9)), [(0, 2), (8, 1)], 2),
}


@pytest.mark.kernels
@pytest.mark.parametrize("name", parameters(NEAR_THE_ROW, quick=["above, two outsiders, orders ruled out"]))
def test_blocks_around_one_row(name):
    d, before, variables, *more = NEAR_THE_ROW[name]
    block = Block(d, before, variables, 3, 0.2, 0, 3.0, *more)
    assert (len(variables) > ROW_BITS) == name.startswith("above")
    assert_tables_equal_recursion(block)
    recursion = SubsetRecursion(block.scores, before, variables)
    assert_visits_equal(block, recursion)
    tables = dict(zip(range(d), block.weights, strict=True))
    np.testing.assert_allclose(
        block.model.effects(lambda family: tables[family.child]),
        recursion.effects(block.reference_weights),
        rtol=0,
        atol=1e-10,
    )
    order = block.model.best_order(np.arange(d))[0].tolist()
    best = SubsetRecursion(block.scores, before, variables, log_best_leaf)
    worth = sum(log_best_leaf(block.scores, v, frozenset([*before, *order[:i]])) for i, v in enumerate(order))
    assert worth == pytest.approx(best.best(best.full), rel=1e-12, abs=1e-8)


def leaf_table(families, variables, kind):
    """`table[j, mask]`: leaf of variable j after exactly the subset `mask` of the block, plain NumPy."""
    n = len(variables)
    masks = np.arange(1 << n)
    table = np.full((n, 1 << n), -np.inf)
    join = np.logaddexp if kind == "log_mass" else np.maximum
    for j, v in enumerate(variables):
        family = families[v]
        index = np.zeros(1 << n, dtype=np.int64)
        for bit, candidate in enumerate(family.candidates.tolist()):
            if candidate in variables:
                index |= (masks >> variables.index(candidate) & 1) << bit
        for row, values in enumerate(getattr(family, kind).reshape(-1, 1 << family.candidates.size)):
            needed = parents_of(family, row << family.candidates.size)
            if needed <= set(variables):
                need = sum(1 << variables.index(o) for o in needed)
                table[j] = join(table[j], np.where(masks & need == need, values[index], -np.inf))
    return table


@pytest.fixture(
    scope="module",
    params=[(SMALLEST_TO_SPLIT - 1, 0), (SMALLEST_TO_SPLIT, 0), (SMALLEST_TO_SPLIT + 1, 0), (SMALLEST_TO_SPLIT, 1)],
    ids=lambda p: f"{p[0]}" + " with outsiders" * p[1],
)
def large(request):
    n, at_once = request.param
    return Block(n + 1, [], list(range(n)), largest=6, impossible=0.1, seed=3, at_once=at_once)


@pytest.mark.thorough
def test_large_blocks_equal_plain_numpy(large):
    blocks, log_mass, log_best = large.laid_out_leaves()
    n = large.variables.size
    variables = large.variables.tolist()
    sums = leaf_table(large.families, variables, "log_mass")
    best = leaf_table(large.families, variables, "log_best")
    full = (1 << n) - 1
    # What is still to come is a lattice of its own, whose leaf of j sees everything but the others to come.
    complement = np.stack([sums[j, full ^ (1 << j) ^ (np.arange(1 << n) & ~(1 << j))] for j in range(n)])
    for workers in (ONE, TWO):
        assert_log_close(log_prefix_sums(blocks, log_mass, workers, ""), prefix_table_by_levels(n, sums))
        assert_log_close(log_suffix_sums(blocks, log_mass, workers, ""), prefix_table_by_levels(n, complement))
        assert_log_close(
            log_prefix_maxima(blocks, log_best, workers, ""),
            prefix_table_by_levels(n, best, np.maximum.reduce),
        )


def test_the_number_of_threads_changes_no_bit(large):
    one, two = large.with_workers(ONE), large.with_workers(TWO)
    assert one.log_mass == two.log_mass
    np.testing.assert_array_equal(one._log_prefix, two._log_prefix)
    np.testing.assert_array_equal(one._log_suffix(), two._log_suffix())
    for a, b in zip(one.visits().parent_sets, two.visits().parent_sets, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.visits().precedence, two.visits().precedence)
    np.testing.assert_array_equal(one.visits().edges, two.visits().edges)
    ranks = np.arange(len(large.families))
    np.testing.assert_array_equal(one.best_order(ranks)[0], two.best_order(ranks)[0])
    np.testing.assert_array_equal(one.sample(200, np.random.default_rng(0)), two.sample(200, np.random.default_rng(0)))


def test_visits_of_large_blocks_are_consistent(large):
    """Sums that a mistake in the rows of the lattice would break: each variable is placed once."""
    visits = large.model.visits()
    for child in large.variables.tolist():
        family = large.families[child]
        parent_sets = visits.parent_sets[child]
        assert parent_sets.sum() == pytest.approx(1.0, abs=1e-10)
        edges = family.edge_marginals(parent_sets, len(large.families))
        assert (edges <= visits.precedence[:, child] + 1e-10).all()
    both_ways = (visits.precedence + visits.precedence.T)[np.ix_(large.variables, large.variables)]
    np.testing.assert_allclose(both_ways, 1.0 - np.eye(large.variables.size), atol=1e-10)


def effects(block, workers=ONE):
    tables = dict(zip(range(len(block.families)), block.weights, strict=True))
    return block.with_workers(workers).effects(lambda f: tables[f.child])


def effects_within(block, memory, monkeypatch, n_jobs=1):
    """Effects under a bound on memory, and the number of groups of sources in which they were found."""
    reported = []
    with monkeypatch.context() as patch:
        patch.setattr(exact_orders, "levels_memory", lambda _: memory)
        answer = effects(block, Workers(n_jobs, lambda work, done, total: reported.append((work, done, total))))
    groups = [report for report in reported if report[0] == "effects"]
    assert groups[-1] == ("effects", len(block.families), len(block.families))
    return answer, len(groups)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "name",
    [
        "all of four",
        "some before, some outside",
        "impossible sets, some before",
        "two outsiders, some before, some outside",
    ],
)
def test_effects_do_not_depend_on_the_memory_bound(name, monkeypatch):
    block = Block(*BLOCKS[name])
    at_once, fewest = effects_within(block, 2**30, monkeypatch)
    one_by_one, most = effects_within(block, 1, monkeypatch)
    # With outsiders, only what comes before the block or is in it counts as a source.
    own = any(f.n_rows > 1 for f in block.families)
    assert (fewest, most) == (1, block.before.size + block.variables.size if own else len(block.families))
    np.testing.assert_array_equal(one_by_one, at_once)
    seen = {fewest, most}
    for memory in range(200, 3000, 200):
        some, groups = effects_within(block, memory, monkeypatch)
        np.testing.assert_array_equal(some, at_once)
        seen.add(groups)
    assert len(seen) > 2  # groups of one, of all, and of numbers in between


@pytest.mark.parametrize("outsiders", [0, 1])
def test_effects_do_not_depend_on_threads(outsiders, monkeypatch):
    block = Block(11, [10], list(range(10)), largest=5, impossible=0.1, at_once=outsiders)
    two, _ = effects_within(block, 2**30, monkeypatch, n_jobs=2)
    one, _ = effects_within(block, 1, monkeypatch, n_jobs=1)
    np.testing.assert_array_equal(one, two)


@pytest.mark.kernels
def test_effects_along_improbable_orders_are_left_out_without_harm():
    """Scores thousands of nats apart: most subsets are never a prefix, the others keep their effects."""
    for outsiders in (0, 2):
        block = Block(6, [5], [0, 1, 2, 3, 4], 4 - outsiders, 0.2, 0, 3000.0, at_once=outsiders)
        listed = OrderList(block.scores, [5], [0, 1, 2, 3, 4])
        np.testing.assert_allclose(effects(block), listed.effects(block.reference_weights), rtol=0, atol=1e-10)


def test_progress_is_reported_to_the_end():
    seen = []
    block = Block(16, [], list(range(16)), largest=2)
    block.with_workers(Workers(2, lambda *step: seen.append(step))).visits()
    last = {work: (done, total) for work, done, total in seen}
    assert last
    assert all(done == total for done, total in last.values())
