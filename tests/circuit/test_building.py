"""Growing structures: layers, numbers of partitions, seeds, threads, sharing, and oracles that misbehave."""

import math
from math import comb

import numpy as np
import pytest

import orderspn as osp
from helpers.circuits import (
    depths,
    families_of_all,
    families_without_candidates,
    full_expansion,
    grow,
    own_partitions,
    same_structure,
    unshared,
)
from helpers.data import gaussian_data
from orderspn.circuit.building import build, check_expansion, n_layers
from orderspn.circuit.weights import ENUMERATED
from orderspn.core.errors import InvalidValue
from orderspn.core.workers import Workers
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.enumeration import Enumeration
from orderspn.oracles.order_mcmc import OrderMCMC
from orderspn.oracles.protocol import FEW_PARTITIONS, Proposal
from orderspn.oracles.random_partitions import RandomPartitions

ORACLES = {"random": RandomPartitions(), "enumeration": Enumeration(), "order-mcmc": OrderMCMC(steps=200, burn_in=50)}


@pytest.mark.parametrize("d", range(2, 41))
def test_layers_down_to_single_variables(d):
    assert n_layers(d, 1) == math.ceil(math.log2(d))
    structure = grow(families_without_candidates(d), [1] * n_layers(d, 1))
    assert depths(structure).max() == n_layers(d, 1)
    assert (structure.variables[structure.blocks].sum(axis=1) == 1).all()


@pytest.mark.parametrize("block_size", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 12, 13, 24, 25, 40])
def test_layers_end_where_parts_fit_a_block(d, block_size):
    layers = n_layers(d, block_size)
    structure = grow(families_without_candidates(d), [2] * layers, block_size)
    sizes = structure.variables.sum(axis=1)
    assert depths(structure).max() == layers
    np.testing.assert_array_equal(structure.blocks, np.flatnonzero(sizes <= block_size))


@pytest.mark.parametrize("expansion", [[], [4], [4, 2, 2], [4, 2, 2, 2]])
def test_a_wrong_number_of_factors_is_named(expansion):
    with pytest.raises(
        InvalidValue,
        match=rf"expansion must have 2 factor\(s\), .*halves 7 variables down to blocks of at most 2; "
        rf"got {len(expansion)}: ",
    ):
        check_expansion(expansion, 7, 2)


@pytest.mark.parametrize(("d", "block_size", "n"), [(7, 2, 2), (8, 1, 3), (9, 1, 4), (9, 9, 0), (9, 8, 1)])
def test_the_right_number_of_factors_is_accepted(d, block_size, n):
    check_expansion([3] * n, d, block_size)


@pytest.mark.thorough
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize(
    ("d", "block_size", "expansion"), [(7, 1, [9, 2, 5]), (8, 1, [6, 4, 1]), (9, 2, [3, 4, 2]), (10, 3, [252, 11])]
)
def test_every_node_has_its_number_of_different_partitions(oracle, d, block_size, expansion):
    structure = grow(families_of_all(d), expansion, block_size, ORACLES[oracle])
    depth, sizes = depths(structure), structure.variables.sum(axis=1)
    for region in range(structure.n_regions):
        own, n = own_partitions(structure, region), sizes[region]
        if n <= block_size:
            assert len(own) == 0
            continue
        possible = comb(int(n), int(n) // 2)
        assert len(own) == min(expansion[depth[region]], possible)
        assert len(np.unique(structure.variables[structure.first[own]], axis=0)) == len(own)
        assert (sizes[structure.first[own]] == n // 2).all()
        expected = ENUMERATED if possible <= expansion[depth[region]] else 1
        assert (structure.multiplicity[own] == expected).all()


@pytest.mark.parametrize("oracle", ORACLES)
def test_draws_are_counted(oracle):
    expansion = [40, 8, 3]
    structure = grow(families_of_all(8), expansion, 1, ORACLES[oracle], distinct=False)
    depth, sizes = depths(structure), structure.variables.sum(axis=1)
    seen = set()
    for region in np.setdiff1d(np.arange(structure.n_regions), structure.blocks):
        own = own_partitions(structure, region)
        possible = comb(int(sizes[region]), int(sizes[region]) // 2)
        if possible <= expansion[depth[region]]:
            assert len(own) == possible
            assert (structure.multiplicity[own] == ENUMERATED).all()
            seen.add("all")
        else:
            assert (structure.multiplicity[own] >= 1).all()
            assert structure.multiplicity[own].sum() == expansion[depth[region]]
            seen.add("drawn")
    assert seen == {"all", "drawn"}
    assert structure.multiplicity.max() > 1


def test_where_all_are_wanted_nobody_is_asked():
    def refuse(*args, **kwargs):
        raise AssertionError("asked")

    structure = grow(families_without_candidates(6), full_expansion(6, 1), 1, Answer(refuse))
    assert (structure.multiplicity == ENUMERATED).all()


def test_too_many_to_list_are_asked_for():
    """All 12870 halves of 16 variables are wanted, more than are listed without an oracle."""
    assert comb(16, 8) > FEW_PARTITIONS >= comb(14, 7)
    oracle = Answer(Enumeration().propose)
    structure = grow(families_without_candidates(16), [comb(16, 8)], 8, oracle)
    assert oracle.asked == 1
    assert structure.n_partitions == comb(16, 8)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("distinct", [True, False], ids=["distinct", "drawn"])
def test_threads_do_not_change_the_structure(oracle, distinct):
    one, two = (grow(families_of_all(9), [5, 3, 2], 2, ORACLES[oracle], distinct=distinct, n_jobs=n) for n in (1, 2))
    assert same_structure(one, two)


@pytest.mark.parametrize("oracle", ["random", "order-mcmc"])
def test_seeds_decide(oracle):
    families = families_of_all(9)
    once, again, other = (grow(families, [6, 3, 2], 2, ORACLES[oracle], seed=seed) for seed in (1, 1, 2))
    assert same_structure(once, again)
    assert not same_structure(once, other)


def test_every_question_has_randomness_of_its_own():
    numbers = []

    def answer(question, count, rng, *, distinct):
        numbers.append(rng.random())
        return RandomPartitions().propose(question, count, rng, distinct=distinct)

    grow(families_without_candidates(12), [3, 2], 3, Answer(answer))
    assert len(numbers) == len(set(numbers)) == 1 + 2 * 3


def test_every_node_draws_its_own_partitions():
    """Twelve nodes of the second layer that drew alike would have shared their seed."""
    structure = grow(families_without_candidates(24), [6, 3], 6)
    places = set()
    for region in np.flatnonzero(depths(structure) == 1):
        whole = np.flatnonzero(structure.variables[region])
        first = structure.variables[structure.first[own_partitions(structure, region)]][:, whole]
        places.add(frozenset(map(tuple, first.tolist())))
    assert len(places) == 12


@pytest.mark.parametrize(("d", "block_size", "expansion"), [(6, 1, [12, 3, 2]), (8, 2, [30, 4]), (7, 1, [20, 3, 2])])
def test_sharing_merges_what_is_the_same(d, block_size, expansion):
    families = families_without_candidates(d)
    shared = grow(families, expansion, block_size)
    tree = unshared(shared)
    sets = np.concatenate([shared.before, shared.variables], axis=1)
    assert len(np.unique(sets, axis=0)) == len(sets)
    assert shared.n_regions < tree.n_regions
    assert tree.n_regions == 1 + 2 * tree.n_partitions  # one way to every region


class Answer:
    """An oracle with given answers."""

    def __init__(self, answer):
        self.answer, self.asked = answer, 0

    def propose(self, question, count, rng, *, distinct):
        self.asked += 1
        return self.answer(question, count, rng, distinct=distinct)

    def settings(self):
        return {"name": "answer"}


def spoiled(change):
    """Random partitions, changed."""

    def answer(question, count, rng, *, distinct):
        proposal = RandomPartitions().propose(question, count, rng, distinct=distinct)
        return change(proposal.first, proposal.multiplicity)

    return Answer(answer)


def with_first(first, value):
    first = first.copy()
    first[-1] = value
    return first


MISBEHAVIOUR = {
    "too few": (
        lambda f, m: Proposal(f[1:], m[1:]),
        r"3 distinct partitions are required \(3 requested, 20 exist\); got 2",
    ),
    "none": (lambda f, m: Proposal(f[:0], m[:0]), "3 distinct partitions are required .* got 0"),
    "too many": (
        lambda f, m: Proposal(np.concatenate([f, ~f]), np.tile(m, 2)),
        "3 distinct partitions are required .* got 6",
    ),
    "unbalanced": (
        lambda f, m: Proposal(with_first(f, [True, False, False, False, False, False]), m),
        "must put 3 of 6 variables first; row 2 puts 1",
    ),
    "no variable first": (lambda f, m: Proposal(with_first(f, False), m), "row 2 puts 0"),
    "repeated": (lambda f, m: Proposal(f[[0, 1, 1]], m), "rows of `first` must differ; 1 of 3 repeat another"),
    "a column too few": (lambda f, m: Proposal(f[:, 1:], m), r"shape \(m, 6\), .* got \(3, 5\)"),
    "a single row": (lambda f, m: Proposal(f[0], m), r"shape \(m, 6\), .* got \(6,\)"),
    "numbers": (lambda f, m: Proposal(f.astype(int), m), "must hold booleans; got values of type int64"),
    "multiplicity too short": (lambda f, m: Proposal(f, m[1:]), r"`multiplicity` must have shape \(3,\)"),
    "multiplicity 0": (lambda f, m: Proposal(f, 0 * m), "every multiplicity must be at least 1; got 0"),
    "half a multiplicity": (lambda f, m: Proposal(f, m / 2), "`multiplicity` must hold integers"),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_oracle_that_misbehaves_is_named(name, n_jobs):
    change, message = MISBEHAVIOUR[name]
    with pytest.raises(InvalidValue, match=f"the oracle broke its protocol: .*{message}"):
        grow(families_without_candidates(6), [3], 3, spoiled(change), n_jobs=n_jobs)


def test_draws_that_do_not_add_up_are_named():
    with pytest.raises(InvalidValue, match="the multiplicities must sum to the 4 requested draws; got 8"):
        grow(families_without_candidates(6), [4], 3, spoiled(lambda f, m: Proposal(f, 2 * m)), distinct=False)


def test_an_oracle_that_misbehaves_below_the_root_is_named():
    def answer(question, count, rng, *, distinct):
        proposal = RandomPartitions().propose(question, count, rng, distinct=distinct)
        return proposal if question.before.size == 0 else Proposal(~proposal.first, proposal.multiplicity)

    with pytest.raises(InvalidValue, match=r"the oracle broke its protocol: .*must put 2 of 5 variables first"):
        grow(families_without_candidates(10), [2, 2], 3, Answer(answer))


def told(error):
    """All that a user reads of an error."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def test_an_oracle_that_raises_is_named():
    def fail(question, count, rng, *, distinct):
        raise RuntimeError("no chain today")

    with pytest.raises(Exception, match="no chain today") as caught:
        grow(families_without_candidates(6), [3], 3, Answer(fail))
    assert "oracle" in told(caught.value)


@pytest.mark.parametrize("nothing", [None, 5, np.zeros((3, 6), dtype=bool)], ids=["None", "5", "an array"])
def test_an_oracle_that_proposes_something_else_is_named(nothing):
    with pytest.raises((InvalidValue, TypeError), match="the oracle"):
        grow(families_without_candidates(6), [3], 3, Answer(lambda *args, **kwargs: nothing))


class TestThroughTheDoor:
    VALUES = gaussian_data(6, 20, seed=0)

    def learn(self, oracle):
        return osp.learn(
            self.VALUES,
            method=osp.methods.Trust(expansion=[3], block_size=3, oracle=oracle),
            rng=0,
            n_jobs=1,
            standardize=False,
        )

    def test_an_own_oracle_is_used(self):
        oracle = Answer(RandomPartitions().propose)
        posterior = self.learn(oracle)
        assert oracle.asked == 1
        assert posterior.settings["oracle"] == {"name": "answer"}
        assert posterior.log_evidence == self.learn("random").log_evidence

    def test_an_own_oracle_that_misbehaves_is_named(self):
        with pytest.raises(ValueError, match="the oracle broke its protocol"):
            self.learn(spoiled(MISBEHAVIOUR["repeated"][0]))

    def test_an_own_oracle_without_settings_is_refused_before_the_work(self):
        class Minimal:
            def propose(self, question, count, rng, *, distinct):
                raise AssertionError("asked")

        with pytest.raises(TypeError, match=r"oracle must .*`settings`"):
            self.learn(Minimal())


def test_what_the_oracle_says_is_averaged():
    def answer(question, count, rng, *, distinct):
        proposal = RandomPartitions().propose(question, count, rng, distinct=distinct)
        size = float(question.variables.size)
        return Proposal(proposal.first, proposal.multiplicity, {"size": size, **({"root": 1.0} if size == 8 else {})})

    workers = Workers()
    built = build(
        LeafTables.of(families_without_candidates(8), workers),
        Answer(answer),
        [2, 2],
        2,
        np.random.SeedSequence(0),
        distinct=True,
        workers=workers,
    )
    assert built.info == {"size": pytest.approx((8 + 4 * 4) / 5), "root": 1.0}
