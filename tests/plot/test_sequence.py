"""Sequences of variables along a matrix, and names on paper."""

import itertools

import numpy as np
import pytest

from orderspn.plot.labels import broken, shortened, text_width
from orderspn.plot.sequence import along_edges, clustered


def test_groups_stay_together():
    groups = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
    nearness = np.where(groups[:, None] == groups, 0.8, 0.05)
    found = groups[clustered(nearness)]
    assert sorted(clustered(nearness)) == list(range(10))
    assert (np.diff(found) != 0).sum() == 2  # two borders between three groups


def test_a_chain_is_found_again():
    rng = np.random.default_rng(0)
    chain = rng.permutation(12)
    nearness = np.zeros((12, 12))
    for k, (a, b) in enumerate(itertools.pairwise(chain)):
        nearness[a, b] = nearness[b, a] = 0.9 - 0.01 * k
    found = clustered(nearness)
    assert found in (chain.tolist(), chain[::-1].tolist())


@pytest.mark.parametrize("seed", range(3))
def test_a_graph_is_laid_above_the_diagonal(seed):
    rng = np.random.default_rng(seed)
    turned = rng.permutation(9)
    probabilities = np.triu(rng.random((9, 9)) * (rng.random((9, 9)) < 0.4), 1)[np.ix_(turned, turned)]
    probabilities += 0.01 * rng.random((9, 9)) * (probabilities.T > 0.02)  # a little of the other direction
    places = along_edges([f"v{k}" for k in range(9)], probabilities)
    assert sorted(places) == list(range(9))
    assert np.tril(probabilities[np.ix_(places, places)]).max() < 0.02


def test_what_may_stand_anywhere_stands_as_in_the_data():
    assert along_edges(["b", "a", "c"], np.zeros((3, 3))) == [0, 1, 2]


@pytest.mark.parametrize(
    "name", ["", "A", "household_income_2019", "a rather long name, in $ per day", "x" * 50, "über-lang.und/quer"]
)
@pytest.mark.parametrize("longest", [5, 18])
def test_broken_names_lose_nothing_but_spaces(name, longest):
    lines = broken(name, longest)
    assert all(len(line) <= longest for line in lines)
    assert "".join("".join(lines).split()) == "".join(name.split())


def test_names_break_after_punctuation():
    assert broken("household_income_2019", 18) == ["household_income_", "2019"]
    assert broken("blood pressure", 18) == ["blood pressure"]


def test_shortened_names_keep_their_ends():
    name = "expression of interleukin 6 in plasma"
    for longest in (7, 10, 20):
        short = shortened(name, longest)
        head, tail = short.split("…")
        assert len(short) == longest
        assert name.startswith(head)
        assert name.endswith(tail)
        assert abs(len(head) - len(tail)) <= 1
    assert shortened(name, 100) == name


def test_a_line_is_as_wide_as_it_is_long():
    assert text_width("mm", 10) > text_width("m", 10) > text_width(" ", 10) == 0.0
    assert text_width("word", 20) == pytest.approx(2 * text_width("word", 10), rel=0.01)
