"""Leaf values of many blocks at once, visits and openings of blocks, and expected weights, entry by entry."""

import itertools
import math

import numpy as np
import pytest

from helpers.circuits import rows
from helpers.families import parents_of, random_candidates, random_families, random_weights, scores_of, weights_of
from orderspn.core.room import Room
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.expected_weights import ExpectedWeights
from orderspn.lattice.leaf_values import Entries, fill_variables, leaf_values
from orderspn.lattice.openings import Openings
from orderspn.lattice.passes import Known, log_prefix_sums, log_suffix_sums
from orderspn.lattice.predecessors import Lattices, OwnVisits, SharedVisits
from orderspn.leaves.tables import LeafTables
from orderspn.leaves.transforms import joined
from reference.enumeration import log_sum_exp
from reference.lattice import OrderList, expected_weights, log_best_leaf, log_leaf

pytestmark = pytest.mark.kernels

D = 8
BLOCKS = [
    ([], [0, 3, 5, 7]),
    ([0, 3, 5, 7], [2]),
    ([1, 6], [2, 3, 4]),
    ([0, 1, 2, 3, 4, 5, 6], [7]),
    ([], [1, 2, 4, 6]),
    ([4], [0, 1, 2, 3, 6]),
    ([5, 7], [0, 1]),
    ([], [3]),
]
"""S_1 and S_2: of one variable and more, nothing, something and all others before; each variable in several."""

WEIGHTS = np.log([0.3, 0.3, 0.25, 0.2, 0.3, 0.1, 0.05, 0.15])


class Several:
    """Random families of eight variables, and several blocks in flat arrays."""

    def __init__(self, at_once, largest=3, impossible=0.3, spread=3.0, seed=0):
        rng = np.random.default_rng([seed, at_once, largest])
        self.families = random_families(rng, random_candidates(rng, D, largest), spread, impossible, at_once)
        self.scores = scores_of(self.families)
        self.tables = LeafTables.of(self.families, Workers())
        self.blocks = Blocks.of(self.tables, rows([b for b, _ in BLOCKS], D), rows([v for _, v in BLOCKS], D))
        self.weights = random_weights(rng, self.families)
        self.reference_weights = weights_of(self.families, self.weights)

    def leaves(self, kind="log_mass", n_jobs=1):
        return leaf_values(self.tables, self.blocks, kind, Workers(n_jobs), "")

    def entries(self, blocks=None):
        """(block, child, everything before it, index of its leaf value) for all of them."""
        blocks = self.blocks if blocks is None else blocks
        for block in range(blocks.count):
            own, offsets, strides = blocks.geometry(block)
            before = frozenset(np.flatnonzero(blocks.before[block]).tolist())
            for j, child in enumerate(own.tolist()):
                others = [b for b in range(own.size) if b != j]
                for size in range(len(others) + 1):
                    for chosen in itertools.combinations(others, size):
                        index = int(offsets[j] + sum(strides[j, b] for b in chosen))
                        yield block, child, before | {int(own[b]) for b in chosen}, index

    def expected(self):
        log_leaves = self.leaves()
        tables = dict(enumerate(self.weights))
        return ExpectedWeights(self.tables, self.blocks, log_leaves, lambda f: tables[f.child], Workers())


CASES = {
    "none": {"at_once": 0},
    "one": {"at_once": 1},
    "two": {"at_once": 2, "largest": 2},
    "one, no candidates": {"at_once": 1, "largest": 0},
    "two, no candidates": {"at_once": 2, "largest": 0},
    "one, most impossible": {"at_once": 1, "impossible": 0.8},
    "two, scores hundreds apart": {"at_once": 2, "largest": 2, "spread": 400.0},
    "one, some families without": {"at_once": 1, "largest": 7},
    "one, the first family without": {"at_once": 1, "largest": 7, "seed": 4},
}


@pytest.fixture(params=CASES)
def several(request):
    return Several(**CASES[request.param])


def test_the_cases_have_what_their_names_say():
    for name, case in CASES.items():
        n_rows = [f.n_rows for f in Several(**case).families]
        assert (max(n_rows) > 1) == (name != "none")
        assert (min(n_rows) == 1) == (name == "none" or name.endswith("without"))
        assert n_rows[0] == 1 or name != "one, the first family without"


def test_every_leaf_value(several):
    log_mass, log_best = several.leaves("log_mass"), several.leaves("log_best")
    for _, child, placed, index in several.entries():
        assert log_mass[index] == pytest.approx(log_leaf(several.scores, child, placed), rel=1e-13, abs=1e-12)
        assert log_best[index] == log_best_leaf(several.scores, child, placed)


def test_blocks_with_tables_of_their_own_share_no_entry(several):
    if several.tables.shared:
        return
    indices = [index for *_, index in several.entries()]
    assert sorted(indices) == list(range(len(several.leaves())))


def test_the_number_of_threads_changes_no_leaf_value(several):
    np.testing.assert_array_equal(several.leaves(), several.leaves(n_jobs=2))


def test_reversed_blocks_find_the_same_values(several):
    """By what is still to come instead of what was placed."""
    opposite = several.blocks.reversed()
    for block, child, placed, index in several.entries():
        own, offsets, strides = opposite.geometry(block)
        j = own.tolist().index(child)
        coming = [b for b, v in enumerate(own.tolist()) if v not in placed and b != j]
        assert offsets[j] + sum(strides[j, b] for b in coming) == index


@pytest.mark.parametrize("chosen", [[0], [1, 3], [7], [2, 5, 6], list(range(8)), []], ids=str)
def test_some_of_the_blocks(several, chosen):
    """They read the same leaf values, and have separate lattices."""
    which = np.isin(np.arange(len(BLOCKS)), chosen)
    taken = several.blocks.take(which)
    assert taken.count == len(chosen)
    np.testing.assert_array_equal(taken.before, several.blocks.before[which])
    assert [taken.geometry(b)[0].tolist() for b in range(taken.count)] == [BLOCKS[c][1] for c in chosen]
    log_leaves = several.leaves()
    for _, child, placed, index in several.entries(taken):
        assert log_leaves[index] == pytest.approx(log_leaf(several.scores, child, placed), rel=1e-13, abs=1e-12)
    if chosen:
        masses = taken.totals(log_prefix_sums(taken, log_leaves, Workers(), ""))
        whole = several.blocks.totals(log_prefix_sums(several.blocks, log_leaves, Workers(), ""))
        np.testing.assert_array_equal(masses, whole[which])


def test_where_a_variable_is(several):
    for variable in range(D):
        entries = Entries.of(several.blocks, variable)
        assert entries.holders.tolist() == [b for b, (_, own) in enumerate(BLOCKS) if variable in own]
        for e, block in enumerate(entries.holders.tolist()):
            own, offsets, _ = several.blocks.geometry(block)
            assert own[entries.positions[e]] == variable
            assert entries.starts[e] == offsets[entries.positions[e]]
            assert entries.sizes[e] == 1 << (own.size - 1)


def test_only_some_variables_are_filled_again():
    """Under evidence only the tables of changed families are computed."""
    several = Several(1)
    wanted = [1, 6]
    full, untouched = several.leaves(), np.full(several.leaves().size, 77.0)
    fill_variables(untouched, wanted, several.tables, several.blocks, "log_mass", Workers(), "")
    for _, child, _, index in several.entries():
        assert untouched[index] == (full[index] if child in wanted else 77.0)


# --- back to families ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("impossible_block", [None, 0, 5])
def test_visits_of_many_blocks(several, impossible_block):
    """The mixture of single blocks, each with its weight."""
    log_weights = WEIGHTS.copy()
    if impossible_block is not None:
        log_weights[impossible_block] = -np.inf
    visits = visits_of(several, log_weights)
    precedence = np.zeros((D, D))
    parent_sets = [np.zeros(f.log_score.size) for f in several.families]
    for (before, variables), weight in zip(BLOCKS, np.exp(log_weights), strict=True):
        if weight == 0.0:
            continue
        listed = OrderList(several.scores, before, variables)
        precedence[np.ix_(variables, variables)] += weight * listed.precedence()
        precedence[np.ix_(before, variables)] += weight
        for child in variables:
            family = several.families[child]
            for placed, p in listed.placements(child).items():
                for number, log_score in enumerate(family.log_score):
                    if p > 0.0 and parents_of(family, number) <= placed:
                        log_share = log_score - log_leaf(several.scores, child, placed)
                        parent_sets[child][number] += weight * p * math.exp(log_share)
    np.testing.assert_allclose(visits.precedence, precedence, rtol=0, atol=1e-11)
    for family, expected in zip(several.families, parent_sets, strict=True):
        np.testing.assert_allclose(visits.parent_sets[family.child], expected, rtol=1e-10, atol=1e-40)
        edges = family.edge_marginals(expected, D)
        if family.child in {v for _, own in BLOCKS for v in own}:
            np.testing.assert_allclose(visits.edges[:, family.child], np.clip(edges, 0.0, 1.0), rtol=1e-10, atol=1e-40)


def visits_of(several, log_weights):
    log_leaves = several.leaves()
    sums = [run(several.blocks, log_leaves, Workers(), "") for run in (log_prefix_sums, log_suffix_sums)]
    lattices = Lattices(several.blocks, several.tables, *sums, log_weights, Workers())
    if several.tables.shared:
        return SharedVisits(lattices, log_leaves, "")
    return OwnVisits(
        several.blocks,
        several.tables,
        log_weights,
        lattices.openings(),
        lambda: lattices,
        lambda: log_leaves,
        Workers(),
        "",
    )


def test_openings_entry_by_entry(several):
    """Sums over the predecessors with given candidates that open a row, as they are first needed."""
    log_leaves = several.leaves()
    sums = [run(several.blocks, log_leaves, Workers(), "") for run in (log_prefix_sums, log_suffix_sums)]
    openings = Openings.of(several.blocks, several.tables, *sums, Workers())
    for block, (before, variables) in enumerate(BLOCKS):
        for position, child in enumerate(variables):
            family, entry = several.families[child], several.blocks.member_starts[block] + position
            others = [v for v in variables if v != child]
            inside = [v for v in others if v in family.candidates]
            needed = []
            for row in range(family.n_rows):
                lacking = parents_of(family, row * family.n_masks) - set(before)
                if lacking <= set(others) and lacking not in needed:
                    needed.append(lacking)
            expected = []
            for mask in range(1 << len(inside)):
                chosen = {v for bit, v in enumerate(inside) if mask >> bit & 1}
                for lacking in needed:
                    terms = []
                    for number in range(1 << len(others)):
                        placed = {v for bit, v in enumerate(others) if number >> bit & 1}
                        if placed & set(inside) == chosen and lacking <= placed:
                            terms.append(log_opening(several.blocks, sums, block, placed, child))
                    expected.append(log_sum_exp(terms))
            own = slice(openings.starts[entry], openings.starts[entry + 1])
            found = joined(openings.mantissa[own].copy(), openings.exponent[own])
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


def log_opening(blocks, sums, block, placed, child):
    """`prefix of the placed ones x suffix of the rest / total` in logarithms."""
    own = blocks.geometry(block)[0].tolist()
    prefix, suffix = (blocks.values(flat, block) for flat in sums)
    subset = sum(1 << own.index(v) for v in placed)
    rest = sum(1 << own.index(v) for v in own if v != child and v not in placed)
    return prefix[subset] + suffix[rest] - prefix[-1] if prefix[-1] > -np.inf else -np.inf


@pytest.mark.parametrize("chosen", [[0], [1, 3], [7], [2, 5, 6], list(range(8)), []], ids=str)
def test_openings_of_some_blocks_replace_others(several, chosen):
    """Those of the chosen blocks are new, all others are kept."""
    log_leaves = several.leaves()
    sums = [run(several.blocks, log_leaves, Workers(), "") for run in (log_prefix_sums, log_suffix_sums)]
    which = np.isin(np.arange(len(BLOCKS)), chosen)
    nodes = np.repeat(which, np.diff(several.blocks.value_starts))
    other_sums = [np.where(nodes, values - 1.0, values) for values in sums]
    whole = Openings.of(several.blocks, several.tables, *sums, Workers())
    others = Openings.of(several.blocks, several.tables, *other_sums, Workers(2))
    taken = Openings.of(several.blocks.take(which), several.tables, *(s[nodes] for s in other_sums), Workers())
    mixed = whole.with_blocks(several.blocks, which, taken)
    np.testing.assert_array_equal(mixed.mantissa, others.mantissa)
    np.testing.assert_array_equal(mixed.exponent, others.exponent)


@pytest.mark.parametrize("changed", [[0], [2, 3], [7], list(range(8)), []], ids=str)
def test_sums_that_are_known_already(several, changed):
    """With other leaf values of some variables, only the subsets with them are summed again; the bits are the same."""
    log_leaves = several.leaves()
    touched = np.zeros(len(BLOCKS), dtype=np.int64)
    new_leaves = log_leaves.copy()
    for block, child, _, index in several.entries():
        if child in changed:
            touched[block] |= 1 << BLOCKS[block][1].index(child)
            new_leaves[index] = log_leaves[index] - 0.7
    for run in (log_prefix_sums, log_suffix_sums):
        known = run(several.blocks, log_leaves, Workers(), "")
        poisoned = known.copy()
        for block in range(len(BLOCKS)):
            own = several.blocks.values(poisoned, block)
            own[(np.arange(own.size) & touched[block]) != 0] = np.nan
        renewed = run(several.blocks, new_leaves, Workers(), "", Known(poisoned, touched))
        np.testing.assert_array_equal(renewed, run(several.blocks, new_leaves, Workers(), ""))


# --- expected weights ---------------------------------------------------------------------------------------------


def test_expected_weights_of_every_entry(several):
    expected = several.expected()
    log_leaves = several.leaves()
    for block in range(several.blocks.count):
        weights, first, sources = expected.of_block(block, Room())
        for number, child, placed, index in several.entries():
            if number != block or np.isneginf(log_leaves[index]):
                continue
            twin = expected_weights(several.scores, several.reference_weights, child, placed)
            np.testing.assert_allclose(weights[index - first], twin[sources], rtol=1e-9, atol=1e-11)
            assert not np.delete(twin, sources).any()


def test_expected_weights_of_impossible_predecessors_are_zero():
    several = Several(1)
    under = [several.families[0].restricted(several.families[0].outsider_rows[0, :1], np.empty(0, dtype=np.int64))]
    several.families = under + several.families[1:]
    several.scores, several.tables = scores_of(several.families), LeafTables.of(several.families, Workers())
    log_leaves, expected = several.leaves(), several.expected()
    impossible = [(b, i) for b, child, _, i in several.entries() if child == 0 and np.isneginf(log_leaves[i])]
    assert impossible
    for block, index in impossible:
        weights, first, _ = expected.of_block(block, Room())
        np.testing.assert_array_equal(weights[index - first], 0.0)


@pytest.mark.parametrize("chosen", [[1, 3, 7], [3], [7, 1]], ids=str)
def test_expected_weights_of_single_variables(several, chosen):
    answer = several.expected().of_single(np.array(chosen))
    assert answer.shape == (len(chosen), D)
    for block, found in zip(chosen, answer, strict=True):
        before, (child,) = BLOCKS[block]
        if log_leaf(several.scores, child, frozenset(before)) > -np.inf:
            twin = expected_weights(several.scores, several.reference_weights, child, frozenset(before))
            np.testing.assert_allclose(found, twin, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("outsiders", [0, 1])
def test_expected_weights_where_all_blocks_are_single(outsiders):
    """Then whole tables are not needed, and not made."""
    several = Several(outsiders)
    single = [(list(range(v)), [v]) for v in range(D)]
    several.blocks = Blocks.of(several.tables, rows([b for b, _ in single], D), rows([v for _, v in single], D))
    answer = several.expected().of_single(np.arange(D))
    for (before, (child,)), found in zip(single, answer, strict=True):
        twin = expected_weights(several.scores, several.reference_weights, child, frozenset(before))
        np.testing.assert_allclose(found, twin, rtol=1e-9, atol=1e-11)
