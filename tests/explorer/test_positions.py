"""Positions of variables on the page: every one has its place, and no two overlap."""

import itertools
import json

import numpy as np
import pytest

from orderspn.explorer.positions import LONGEST_LINE, MOST_CHARACTERS, positions

LONG = ["expression of interleukin 6 in plasma (pg/ml)", "x", "Größe der Frau im Jahr 2019, gemessen", "a" * 300, "🦋"]


def random_probabilities(d, seed=0):
    """Probabilities of edges, most of them small, and at most 1 for each pair."""
    values = np.random.default_rng(seed).beta(0.15, 1.0, size=(d, d)) / 2.0
    np.fill_diagonal(values, 0.0)
    return values


def names_of(d):
    return [*LONG, *(f"X{k}" for k in range(len(LONG), d))][:d]


def overlapping(nodes):
    return [
        (i, j)
        for (i, (x, y, w, h)), (j, (u, v, a, b)) in itertools.combinations(enumerate(nodes), 2)
        if abs(x - u) < (w + a) / 2 and abs(y - v) < (h + b) / 2
    ]


@pytest.mark.parametrize("d", [1, 2, 5, 12, 40])
def test_all_are_placed_and_none_overlap(d):
    found = positions(names_of(d), random_probabilities(d))
    assert len(found["nodes"]) == len(found["labels"]) == d
    assert np.isfinite(found["nodes"]).all()
    assert overlapping(found["nodes"]) == []
    json.dumps(found, allow_nan=False)


def test_without_any_edge():
    found = positions(list("ABCDEF"), np.zeros((6, 6)))
    assert overlapping(found["nodes"]) == []
    assert found["bends"] == []


def test_causes_are_above():
    chain = np.zeros((3, 3))
    chain[2, 0] = chain[0, 1] = 1.0
    (_, y_a, *_), (_, y_b, *_), (_, y_c, *_) = positions(list("ABC"), chain)["nodes"]
    assert y_c < y_a < y_b  # downward on a screen


def test_labels_are_short_and_boxes_hold_them():
    found = positions(LONG, random_probabilities(5))
    for lines, (_, _, width, height) in zip(found["labels"], found["nodes"], strict=True):
        assert sum(map(len, lines)) <= MOST_CHARACTERS + len(lines)
        assert max(map(len, lines)) <= LONGEST_LINE + 2
        assert width >= 7.0 * max(map(len, lines))  # pixels per letter of the page's font
        assert height >= 17 * len(lines)


def test_another_order_of_variables_gives_the_same_boxes():
    names, matrix, turn = names_of(9), random_probabilities(9), np.random.default_rng(2).permutation(9)
    found = positions(names, matrix)
    turned = positions([names[v] for v in turn], matrix[np.ix_(turn, turn)])
    assert turned["threshold"] == found["threshold"]
    assert [turned["labels"][k] for k in range(9)] == [found["labels"][v] for v in turn]
    assert [turned["nodes"][k][2:] for k in range(9)] == [found["nodes"][v][2:] for v in turn]
    assert overlapping(turned["nodes"]) == []


def test_bends_join_variables_that_have_an_edge():
    matrix = random_probabilities(40)
    found = positions(names_of(40), matrix)
    assert found["bends"], "the example has long edges"
    for upper, lower, points in found["bends"]:
        assert matrix[upper, lower] + matrix[lower, upper] >= found["threshold"]
        heights = [found["nodes"][upper][1], *(y for _, y in points), found["nodes"][lower][1]]
        assert heights == sorted(heights)
