"""BDeu beside that of pgmpy: every family of small tables."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from pgmpy.structure_score import BDeu as TheirBDeu

import orderspn as osp
from helpers.discrete import discrete_data
from helpers.levels import parameters

NAMES = ["a", "b", "c", "d"]
STRENGTHS = [0.1, 1.0, 2.5, 40.0]
TABLES = {
    "binary": ((2, 2, 2, 2), (2, 2, 2, 2)),
    "mixed": ((2, 5, 3, 4), (2, 5, 3, 4)),
    "levels unseen": ((2, 3, 3, 2), (2, 5, 3, 4)),
}
"""Levels that occur, and levels that there are."""


def frame_of(occurring, declared, n=60):
    codes = discrete_data(occurring, n, seed=sum(declared))
    columns = {
        name: pd.Categorical.from_codes(column, [f"level {k}" for k in range(r)], ordered=True)
        for name, column, r in zip(NAMES, codes.T, declared, strict=True)
    }
    return pd.DataFrame(columns)


def families():
    for child in NAMES:
        others = [name for name in NAMES if name != child]
        for size in range(len(others) + 1):
            for parents in itertools.combinations(others, size):
                yield child, parents


def their_log_likelihood(frame, child, parents, strength):
    """What pgmpy says, and what it leaves out.

    It counts without the levels of the child that never occur. Each of them has a factor `Gamma(beta)` above and one
    below the line for every configuration of the parents, of which it keeps the one below alone where the
    configuration occurs.
    """
    levels = {name: list(frame[name].cat.categories) for name in NAMES}
    theirs = TheirBDeu(frame.astype(str), equivalent_sample_size=strength, state_names=levels)
    value = float(theirs.local_score(child, parents))
    if not parents:
        return value
    unseen = len(levels[child]) - frame[child].nunique()
    beta = strength / math.prod(len(levels[name]) for name in (child, *parents))
    return value + unseen * len(frame[list(parents)].drop_duplicates()) * math.lgamma(beta)


@pytest.mark.thorough
@pytest.mark.parametrize("strength", parameters(STRENGTHS, test=[STRENGTHS[0]]))
@pytest.mark.parametrize("name", TABLES)
def test_every_family(name, strength):
    frame = frame_of(*TABLES[name])
    assert all(len(frame[column].cat.categories) == r for column, r in zip(NAMES, TABLES[name][1], strict=True))
    fitted = osp.scores.BDeu(strength).fit(osp.read_categories(frame))
    checked = 0
    for child, parents in families():
        own = np.array([NAMES.index(name) for name in parents], dtype=np.int64)
        found = fitted.log_likelihoods(NAMES.index(child), own, own.size)[-1]
        assert found == pytest.approx(their_log_likelihood(frame, child, parents, strength), rel=1e-10, abs=1e-9)
        checked += 1
    assert checked == 4 * 2**3


def test_every_family_as_a_table_for_people():
    """The same through the public door, from text, whose levels are those that occur."""
    frame = frame_of(*TABLES["mixed"])
    for child in NAMES:
        table = osp.scores.family_scores(frame.astype(str), child, score=osp.scores.BDeu(3.0))
        assert len(table) == 2**3
        for row in table.itertuples():
            expected = their_log_likelihood(frame, child, row.parents, 3.0)
            assert row.log_likelihood == pytest.approx(expected, rel=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize("name", TABLES)
def test_whole_graphs(name):
    """Equivalent graphs have the same score, others another, in both packages."""
    frame = frame_of(*TABLES[name])
    fitted = osp.scores.BDeu(2.0).fit(osp.read_categories(frame))

    def ours(graph):
        return sum(fitted.log_likelihoods(v, np.flatnonzero(graph[:, v]), 4)[-1] for v in range(4))

    def theirs(graph):
        return sum(
            their_log_likelihood(frame, NAMES[v], tuple(NAMES[u] for u in np.flatnonzero(graph[:, v])), 2.0)
            for v in range(4)
        )

    chain, turned, collider = (np.zeros((4, 4), dtype=bool) for _ in range(3))
    chain[[0, 1, 2], [1, 2, 3]] = True
    turned[[1, 2, 3], [0, 1, 2]] = True
    collider[[0, 2, 2], [1, 1, 3]] = True
    for graph in (chain, turned, collider):
        assert ours(graph) == pytest.approx(theirs(graph), rel=1e-11)
    assert theirs(chain) == pytest.approx(theirs(turned), rel=1e-11)
    assert theirs(chain) != pytest.approx(theirs(collider), rel=1e-6)
