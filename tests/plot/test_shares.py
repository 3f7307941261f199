"""Neighbours as lines with the shares of their directions."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from orderspn.plot.drawing import ArrowStyle
from orderspn.plot.shares_drawing import LINE_WIDTH, SMALL


def lines_of(ax):
    return {tuple(line.get_label()[1:].split(" -- ")): line for line in ax.lines if " -- " in line.get_label()}


def heads_of(ax):
    return {patch.get_gid(): patch.get_xy() for patch in ax.patches if patch.get_gid()}


def area(corners):
    a, b, c = corners[:3]
    return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2


@pytest.mark.parametrize("given", [None, "PKA -> Raf"])
def test_every_probable_pair_is_one_line(posterior, given):
    joined = posterior.adjacency_probabilities(given)
    edges = posterior.edge_probabilities(given)
    ax = osp.plot.posterior_graph(posterior, given, min_probability=0.3, directions="shares")
    drawn = lines_of(ax)
    names = posterior.variables
    expected = {frozenset((a, b)) for a in names for b in names if a != b and joined.loc[a, b] >= 0.3}
    assert {frozenset(pair) for pair in drawn} == expected
    assert len(drawn) == len(expected)
    numbers = [text.get_text() for text in ax.texts if text.get_text().endswith("%")]
    assert len(numbers) == len(drawn)
    for (a, b), line in drawn.items():
        assert edges.loc[a, b] >= edges.loc[b, a]
        assert line.get_linewidth() == pytest.approx(ArrowStyle().width(LINE_WIDTH * joined.loc[a, b]))
        assert f"{100 * edges.loc[a, b] / joined.loc[a, b]:.0f}%" in numbers


def test_heads_are_as_large_as_the_shares():
    frame = pd.DataFrame([[0.0, 0.6, 0.78], [0.2, 0.0, 0.0], [0.02, 0.0, 0.0]], index=list("ABC"), columns=list("ABC"))
    heads = heads_of(osp.plot.posterior_graph(frame, directions="shares"))
    assert set(heads) == {"A -> B", "B -> A", "A -> C"}
    assert SMALL > 0.02 / 0.8
    assert area(heads["A -> B"]) / area(heads["B -> A"]) == pytest.approx(3.0, rel=0.01)


def test_heads_point_at_the_effect(posterior):
    ax = osp.plot.posterior_graph(posterior, directions="shares")
    at = {text.get_text(): np.array(text.get_position()) for text in ax.texts}
    for edge, corners in heads_of(ax).items():
        cause, effect = edge.split(" -> ")
        assert np.linalg.norm(corners[0] - at[effect]) < np.linalg.norm(corners[0] - at[cause])


def test_the_picture_is_legible(posterior, sixty, check_legible):
    names = set(posterior.variables)
    ax = osp.plot.posterior_graph(posterior, directions="shares")
    check_legible(ax, [text for text in ax.texts if text.get_text() in names])
    many = osp.plot.posterior_graph(sixty, directions="shares")
    assert not any(text.get_text().endswith("%") for text in many.texts)
    assert "pairs of neighbours" in many.get_label()


def test_context_is_marked():
    data = osp.load_sachs(log=True).data[["Raf", "Mek", "PKC", "P38"]]
    ax = osp.plot.posterior_graph(osp.learn(data, context=["PKC"]), directions="shares")
    assert heads_of(ax).keys() >= {"PKC -> P38"}
    assert "P38 -> PKC" not in heads_of(ax)


def test_wrong_arguments(posterior):
    with pytest.raises(ValueError, match="directions must be one of 'arrows', 'shares'; got 'both'"):
        osp.plot.posterior_graph(posterior, directions="both")
    with pytest.raises(ValueError, match="highlight colours arrows"):
        osp.plot.posterior_graph(posterior, directions="shares", highlight=[("Raf", "Mek")])
