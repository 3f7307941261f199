"""Masses laid out for single lookups, and families in flat tables."""

import numpy as np
import pytest

from helpers.data import gaussian_data
from helpers.families import members, parents_of, random_candidates, random_families
from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.leaves.family import Family
from orderspn.leaves.mass_lines import LARGEST_LOG_SHARE, lines_of
from orderspn.leaves.scoring import score_families
from orderspn.leaves.tables import LeafTables
from orderspn.parents.outsiders import choose_outsiders
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size
from reference.local_scores import local_scores

pytestmark = pytest.mark.kernels

D = 7


def families(at_once, largest=3, impossible=0.3, spread=3.0):
    rng = np.random.default_rng([at_once, largest])
    return random_families(rng, random_candidates(rng, D, largest), spread, impossible, at_once)


def requiring(some, kind):
    """The same families under evidence that leaves nothing of row 0, or of masks without a candidate."""
    no_variables = np.empty(0, dtype=np.int64)
    return [
        f.restricted(f.outsider_rows[0, :1] if kind == "outsider" else f.candidates[:1], no_variables)
        if f.n_rows > 1
        else f
        for f in some
    ]


CASES = {
    "no outsiders": families(0),
    "one outsider": families(1),
    "two outsiders": families(2, 2),
    "some families without outsiders": families(1, 6),
    "most impossible": families(1, 3, 0.9),
    "scores hundreds apart": families(2, 2, 0.2, 300.0),
    "outsider required": requiring(families(1), "outsider"),
    "outsider required of two": requiring(families(2, 2, 0.0), "outsider"),
    "candidate required": requiring(families(1), "candidate"),
}


@pytest.fixture(params=CASES)
def some(request):
    return CASES[request.param]


def line_of(lines, v, mask):
    """Unit, log masses and shares of the rows of one variable given the candidates before it."""
    first_line, n_rows, first_cell = lines.starts[v].tolist()
    cells = slice(first_cell + mask * n_rows, first_cell + (mask + 1) * n_rows)
    return lines.log_unit[first_line + mask], lines.log_mass[cells], lines.share[cells]


def test_lines(some):
    lines = lines_of(some, Workers())
    assert lines.share.dtype == np.float32
    for family in some:
        by_row = family.log_mass.reshape(family.n_rows, family.n_masks)
        assert lines.starts[family.child, 1] == family.n_rows
        for mask in range(family.n_masks):
            unit, log_mass, share = line_of(lines, family.child, mask)
            possible = by_row[0, mask] > -np.inf
            assert unit == (by_row[0, mask] if possible else by_row[:, mask].max())
            if family.n_rows == 1:
                continue
            np.testing.assert_array_equal(log_mass, by_row[:, mask])
            if unit > -np.inf:
                expected = np.exp(np.minimum(by_row[:, mask] - unit, LARGEST_LOG_SHARE))
                np.testing.assert_allclose(share, expected.astype(np.float32), rtol=1e-6)
            else:
                np.testing.assert_array_equal(share, 0.0)


def test_lines_lie_one_after_the_other(some):
    """A family with a single row has units only."""
    lines = lines_of(some, Workers())
    assert lines.log_unit.size == sum(f.n_masks for f in some)
    n_cells = sum(f.log_score.size for f in some if f.n_rows > 1)
    assert lines.log_mass.size == lines.share.size == n_cells
    first_line, first_cell = 0, 0
    for f in some:
        assert lines.starts[f.child, 0] == first_line
        first_line += f.n_masks
        if f.n_rows > 1:
            assert lines.starts[f.child, 2] == first_cell
            first_cell += f.log_score.size


def test_threads_change_no_bit(some):
    for one, two in zip(lines_of(some, Workers(1)), lines_of(some, Workers(2)), strict=True):
        np.testing.assert_array_equal(one, two)


def test_shares_are_held_at_a_bound_and_stay_finite():
    log_score = np.array([-500.0, 0.0, 80.0, -90.0])
    lines = lines_of([Family(0, np.empty(0, dtype=np.int64), log_score, 0.0, np.array([[1], [2], [3]]))], Workers())
    np.testing.assert_array_equal(lines.log_unit, [-500.0])
    np.testing.assert_allclose(lines.share, np.exp([0.0, *[LARGEST_LOG_SHARE] * 3]), rtol=1e-5)
    assert np.isfinite(lines.share.sum(dtype=np.float32) * 500)


# --- families in flat tables --------------------------------------------------------------------------------------


def test_tables(some):
    tables = LeafTables.of(some, Workers())
    assert tables.shared == all(f.n_rows == 1 for f in some)
    for f in some:
        own = slice(tables.starts[f.child], tables.starts[f.child + 1])
        np.testing.assert_array_equal(tables.log_mass[own], f.log_mass)
        np.testing.assert_array_equal(tables.log_best[own], f.log_best)
        for v in range(D):
            slot = tables.slots[f.child, v]
            assert (members(1 << int(slot), f.candidates) == {v}) if slot >= 0 else v not in f.candidates
    assert tables.starts[-1] == tables.log_mass.size


# --- families from data -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outsiders", [0, 1, 2])
@pytest.mark.parametrize("max_parents", [5, 2, 1])
def test_scored_families(outsiders, max_parents):
    values = gaussian_data(6, 25, seed=3)
    local = LocalScore(BGe().fit(read_table(values)), log_prior_by_size("fair", 6), max_parents)
    candidates = [np.array([v for v in (1, 3, 4) if v != child][: 1 + child % 2]) for child in range(6)]
    rows = choose_outsiders(local, candidates, outsiders)
    scores = local_scores(values, "fair", None, max_parents)
    for scored in (
        score_families(local, candidates, Workers(), rows),
        score_families(local, candidates, Workers(2), rows),
    ):
        for child, family in enumerate(scored):
            assert family.child == child
            np.testing.assert_array_equal(family.candidates, candidates[child])
            assert family.log_score.max() == 0.0
            for number, log_score in enumerate(family.log_score):
                parents = parents_of(family, number)
                expected = scores[child].get(parents, -np.inf)
                assert log_score + family.log_scale == pytest.approx(expected, rel=1e-10, abs=1e-9)
            allowed = [s for s in scores[child] if len(s - set(candidates[child].tolist())) <= outsiders]
            found = {parents_of(family, n) for n in np.flatnonzero(np.isfinite(family.log_score)).tolist()}
            assert found == set(allowed)


def test_without_rows_there_are_candidates_only():
    values = gaussian_data(4, 25, seed=3)
    local = LocalScore(BGe().fit(read_table(values)), log_prior_by_size("fair", 4), 3)
    scored = score_families(local, [np.array([(c + 1) % 4]) for c in range(4)], Workers())
    assert [f.n_rows for f in scored] == [1] * 4
    assert [f.log_score.size for f in scored] == [2] * 4
