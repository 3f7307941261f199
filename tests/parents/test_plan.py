"""How many candidates and outsiders: defaults that fit the memory, and arguments that are checked."""

import pytest

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_CANDIDATES
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.parents.candidates import ALL_UP_TO, DEFAULT_SIZE
from orderspn.parents.outsiders import PAIRED
from orderspn.parents.plan import (
    ALL_OUTSIDERS_UP_TO,
    BESIDE_OUTSIDERS,
    BYTES_PER_SET,
    FOR_EXACT,
    MOST_BESIDE_OUTSIDERS,
    ROUNDS,
    SHARE_OF_MEMORY,
    SMALLEST,
    SOME_OUTSIDERS,
    ParentPlan,
    check_outsiders,
    check_rounds,
    family_bytes,
    plan_parents,
    usual_beside_outsiders,
)
from orderspn.parents.sizes import FamilySizes

GIB = 2**30
SIZES = [10, 20, 21, 30, 64, 128, 256, 500]


def plan(d, candidates="auto", outsiders="auto", refine=None, memory=4 * GIB, searched=True, needed=lambda _: 0):
    return plan_parents(candidates, outsiders, refine, d, memory, searched=searched, needed=needed)


def named(d):
    return {f"X{i}": [f"X{k}" for k in range(d) if k != i][:2] for i in range(d)}


class TestDefaults:
    @pytest.mark.parametrize("outsiders", ["auto", 0, 1, 2])
    @pytest.mark.parametrize("searched", [True, False])
    @pytest.mark.parametrize("d", SIZES)
    def test_they_fit_the_memory(self, d, searched, outsiders):
        found = plan(d, outsiders=outsiders, searched=searched)
        needed = family_bytes(d, found.candidates, found.at_once, found.most_outsiders)
        assert needed <= 4 * GIB // SHARE_OF_MEMORY
        assert found.candidates >= SMALLEST

    @pytest.mark.parametrize("outsiders", [0, 1, 2])
    @pytest.mark.parametrize("memory", [GIB, GIB // 4])
    @pytest.mark.parametrize("d", [d for d in SIZES if d > ALL_UP_TO])
    def test_as_many_candidates_as_have_room(self, d, memory, outsiders):
        usual = BESIDE_OUTSIDERS if outsiders else DEFAULT_SIZE
        found = plan(d, outsiders=outsiders, memory=memory)
        room = memory // SHARE_OF_MEMORY
        fitting = [
            k for k in range(SMALLEST + 1, usual + 1) if family_bytes(d, k, outsiders, found.most_outsiders) <= room
        ]
        assert found.candidates == max(fitting, default=SMALLEST)

    @pytest.mark.parametrize("d", [1, 2, 10, ALL_UP_TO])
    @pytest.mark.parametrize("searched", [True, False])
    def test_all_others_while_they_are_few(self, d, searched):
        assert plan(d, searched=searched) == ParentPlan(d - 1, 0, None, 0)

    @pytest.mark.parametrize("d", [21, 30, 64, 100])
    def test_some_and_all_outsiders_beyond(self, d):
        assert plan(d) == ParentPlan(BESIDE_OUTSIDERS, 1, None, ROUNDS)
        assert plan(d, outsiders=0).candidates == DEFAULT_SIZE
        assert plan(d, searched=False, memory=64 * GIB) == ParentPlan(FOR_EXACT, 0, None, 0)

    @pytest.mark.parametrize(("d", "usual"), [(21, 12), (40, 12), (64, 12), (100, 12), (128, 11), (300, 10), (500, 9)])
    def test_the_default_limit_is_where_more_begin(self, d, usual):
        """With the default limit these numbers are what all benchmarks were measured with; with less, never more."""
        assert plan(d, memory=MEMORY_LIMIT).candidates == usual
        sizes = [plan(d, memory=gib * GIB).candidates for gib in (1, 2, 4, 8, 16, 32, 64, 1024)]
        assert sizes == sorted(sizes)
        assert max(sizes[:3]) <= usual < sizes[4]
        assert sizes[-1] == MOST_BESIDE_OUTSIDERS

    @pytest.mark.parametrize("d", [40, 100, 300])
    @pytest.mark.parametrize("gib", [8, 16, 64])
    def test_more_that_are_allowed_have_room(self, d, gib):
        """One more would not: its tables, or those of all variables beside the default, are more than the share."""
        found = plan(d, memory=gib * GIB)
        room = gib * GIB // SHARE_OF_MEMORY
        assert family_bytes(d, found.candidates, 1, found.most_outsiders) <= room
        assert (
            found.candidates == usual_beside_outsiders(gib * GIB)
            or family_bytes(d, found.candidates + 1, 1, found.most_outsiders) > room
        )

    def test_exact_sums_and_numbers_without_outsiders_stay(self):
        assert plan(40, outsiders=0, memory=64 * GIB).candidates == DEFAULT_SIZE
        assert plan(25, searched=False, memory=64 * GIB).candidates == FOR_EXACT

    def test_some_outsiders_of_many_variables(self):
        assert plan(ALL_OUTSIDERS_UP_TO).most_outsiders is None
        assert plan(ALL_OUTSIDERS_UP_TO + 1).most_outsiders == SOME_OUTSIDERS

    def test_the_smallest_number_is_not_undercut(self):
        assert plan(500, memory=1).candidates == SMALLEST

    @pytest.mark.parametrize("searched", [True, False])
    @pytest.mark.parametrize("d", [19, 20, 30])
    def test_fewer_where_all_work_with_them_would_not_fit(self, d, searched):
        """Never fewer than the smallest number, and as many as fit: also where all others are candidates by default."""
        for room in (d << 18, d << 11, 1):
            found = plan(d, searched=searched, memory=room, needed=lambda sizes: sizes.total).candidates
            assert found == SMALLEST or plan(d, found, searched=searched).sizes(d).total <= room
        assert plan(d, memory=1, needed=lambda sizes: sizes.total).candidates == SMALLEST
        assert plan(d, 17, memory=1, needed=lambda sizes: sizes.total).candidates == 17
        beside = plan(20, memory=20 << 15, needed=lambda sizes: sizes.total)
        assert (beside.at_once, beside.rounds) == (1, ROUNDS)


class TestLessWork:
    @pytest.mark.parametrize("d", [20, 40, 200])
    def test_step_by_step_down_to_the_least(self, d):
        plans = list(plan(d).smaller(d))
        totals = [found.sizes(d).total for found in plans]
        assert plans[0] == plan(d)
        assert totals == sorted(totals, reverse=True)
        assert (plans[-1].candidates, max(plans[-1].sizes(d).rows)) == (5, 8)

    def test_candidates_that_were_asked_for_stay(self):
        assert {found.candidates for found in plan(40, 14).smaller(40)} == {14}
        assert [max(found.sizes(40).rows) for found in plan(40, 14).smaller(40)][-1] == 8
        assert set(plan(10, 9).smaller(10)) == {plan(10, 9)}
        mapping = named(30)
        assert all(found.candidates is mapping for found in plan(30, mapping, 1).smaller(30))


class TestWhatIsAskedFor:
    @pytest.mark.parametrize("size", [1, 9, 16, MOST_CANDIDATES])
    def test_a_number(self, size):
        assert plan(40, size) == ParentPlan(size, 1, None, ROUNDS)
        assert plan(40, size, searched=False) == ParentPlan(size, 0, None, 0)
        assert plan(40, size, memory=1).candidates == size

    def test_nothing_to_refine(self):
        assert plan(40, 0) == ParentPlan(0, 1, None, 0)

    @pytest.mark.parametrize("size", [9, 10, 99])
    def test_a_number_of_all_others(self, size):
        assert plan(10, size, 2, 3) == ParentPlan(9, 0, None, 0)

    @pytest.mark.parametrize("outsiders", [0, 1, 2])
    def test_outsiders(self, outsiders):
        assert plan(30, 8, outsiders).at_once == outsiders
        assert plan(30, 8, outsiders, searched=False).at_once == outsiders

    @pytest.mark.parametrize("refine", [0, 1, 7])
    def test_rounds(self, refine):
        assert plan(30, refine=refine).rounds == refine
        assert plan(30, refine=refine, searched=False).rounds == 0

    def test_names_are_meant(self):
        mapping = named(30)
        assert plan(30, mapping) == ParentPlan(mapping, 0, None, 0)
        assert plan(30, mapping, 1, 0) == ParentPlan(mapping, 1, None, 0)
        with pytest.raises(InvalidValue, match="refine chooses candidates again, but these were named"):
            plan(30, mapping, 1, 3)
        assert plan(200, named(200), 2).most_outsiders == SOME_OUTSIDERS

    def test_largest_size(self):
        assert plan(30, 5).largest_size == 5
        assert plan(3, {"A": [], "B": ["A", "C"], "C": ["A"]}).largest_size == 2
        assert ParentPlan({}, 0, None, 0).largest_size == 0

    def test_recorded(self):
        assert plan(30, 5, 2, 3).recorded() == {"candidates": 5, "outsiders": 2, "refinements": 3}
        assert plan(30, named(30)).recorded() == {"candidates": "given", "outsiders": 0, "refinements": 0}


class TestSizes:
    @pytest.mark.parametrize(
        ("d", "size", "at_once", "most", "rows"),
        [
            (10, 9, 0, None, 1),
            (30, 12, 0, None, 1),
            (30, 12, 1, None, 18),
            (30, 12, 1, 5, 6),
            (30, 12, 1, 99, 18),
            (30, 12, 2, None, 18 + PAIRED * (PAIRED - 1) // 2),
            (30, 12, 2, 3, 1 + 3 + 3),
            (500, 10, 1, 64, 65),
        ],
    )
    def test_of_families(self, d, size, at_once, most, rows):
        assert family_bytes(d, size, at_once, most) == BYTES_PER_SET * d * rows * 2**size
        sizes = ParentPlan(size, at_once, most, 0).sizes(d)
        assert (sizes.d, sizes.total, sizes.largest) == (d, d * rows * 2**size, rows * 2**size)
        assert sizes.has_outsiders == (at_once > 0)

    def test_of_causes_that_are_named_or_required(self):
        assert plan(3, {"A": [], "B": ["A", "C", "A"], "C": ["A"]}).sizes(3).sets == [1, 4, 2]
        assert ParentPlan(2, 0, None, 0, required=(0, 3, 1)).sizes(3).sets == [4, 8, 4]

    def test_more_candidates_than_tables_can_hold(self):
        with pytest.raises(InvalidValue, match=f"at most {MOST_CANDIDATES} candidates .*; got {MOST_CANDIDATES + 1}"):
            FamilySizes.of([3, MOST_CANDIDATES + 1])


class TestWrongArguments:
    @pytest.mark.parametrize("wrong", [-1, 3, "2", "all", 10**9])
    def test_outsiders(self, wrong):
        with pytest.raises(InvalidValue, match=r"outsiders must be .*; got"):
            check_outsiders(wrong)

    @pytest.mark.parametrize("wrong", [None, True, 1.0, 2.5, [1], {}])
    def test_outsiders_of_another_type(self, wrong):
        with pytest.raises(InvalidType, match=r"outsiders must be .*; got"):
            check_outsiders(wrong)

    @pytest.mark.parametrize(
        ("wrong", "error"), [(-1, InvalidValue), (2.0, InvalidType), ("3", InvalidType), (True, InvalidType)]
    )
    def test_rounds(self, wrong, error):
        with pytest.raises(error, match="refine must be an integer from 0 to 1000"):
            check_rounds(wrong)

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [(-1, InvalidValue), ("all", InvalidValue), (2.0, InvalidType), (True, InvalidType), (["A"], InvalidType)],
    )
    def test_candidates(self, wrong, error):
        with pytest.raises(error, match="candidates must be"):
            plan(30, wrong)

    def test_too_many_candidates(self):
        with pytest.raises(InvalidValue, match=f"at most {MOST_CANDIDATES} per variable .*; got {MOST_CANDIDATES + 1}"):
            plan(64, MOST_CANDIDATES + 1)
