"""Simulation-based calibration: edges of graphs from the prior are present as often as their probabilities say.

Each test draws 200 tables of one kind, complete or with cells missing completely at random, and learns from each.
"""

import math

import numpy as np
import pytest

from calibration.edge_statistics import overconfident, p_values
from calibration.kinds import Groups, Levels, Numbers
from helpers.levels import parameters as at_levels

TABLES, SHARE_MISSING, SMALLEST_P = 200, 0.3, 1e-3
KINDS = {"numbers": Numbers(), "categories": Levels(), "groups": Groups()}


def as_it_is(table, rng):
    return table


def filled_from_columns(table, rng):
    """Every missing cell drawn once from the values of its column: where the chains of imputations start."""
    filled = table.copy()
    for name in filled:
        gaps = filled[name].isna()
        filled.loc[gaps, name] = rng.choice(filled[name].dropna().to_numpy(), gaps.sum())
    return filled


def edges_of(kind, share_missing=0.0, change=as_it_is, seed=1, **arguments):
    """Which edges are present, and their probabilities, (tables, edges) each."""
    rng = np.random.default_rng(seed)
    off_diagonal = ~np.eye(kind.d, dtype=bool)
    present, p = [], []
    for number in range(TABLES):
        graph, table = kind.draw(share_missing, rng)
        present.append(graph[off_diagonal])
        p.append(kind.edges(change(table, rng), rng=number, **arguments)[off_diagonal])
    return np.array(present, dtype=float), np.array(p)


@pytest.fixture(scope="module", params=at_levels(KINDS, quick=[], test=["numbers"]))
def complete(request):
    return edges_of(KINDS[request.param])


def test_complete_tables(complete):
    found = p_values(*complete)
    assert min(found.values()) > SMALLEST_P, found


def test_overconfident_probabilities_are_found_out(complete):
    present, p = complete
    found = p_values(present, overconfident(p))
    assert max(found.values()) < SMALLEST_P, found


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_another_prior_of_graphs_is_found_out(kind):
    """Every further parent is half as probable as it was when the tables were made."""
    found = p_values(*edges_of(kind, prior=lambda size: 0.5**size / math.comb(kind.d - 1, size)))
    assert max(found.values()) < SMALLEST_P, found


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_tables_with_missing_cells(kind):
    found = p_values(*edges_of(kind, SHARE_MISSING))
    assert min(found.values()) > SMALLEST_P, found


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_tables_that_are_filled_once_are_found_out(kind):
    found = p_values(*edges_of(kind, SHARE_MISSING, filled_from_columns))
    assert max(found.values()) < SMALLEST_P, found
