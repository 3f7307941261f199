"""Two posteriors side by side: the same places, and the edges that moved in colour."""

import numpy as np
import pytest
from matplotlib.legend import Legend

import orderspn as osp
from orderspn.plot.colours import shade
from orderspn.plot.comparison_figure import FELL, ROSE, STAYED


@pytest.fixture(scope="module")
def pair():
    data = osp.load_sachs(log=True).data
    return osp.learn(data), osp.learn(data.drop(columns="Plcg"), knowledge="PKA -> Akt")


@pytest.fixture(scope="module")
def drawn(pair):
    return osp.plot.comparison(*pair, labels=("plain", "informed"))


def arrows(ax, label):
    lines = [line for line in ax.lines if line.get_label().startswith(f"_{label}: ")]
    return {tuple(line.get_label().removeprefix(f"_{label}: ").split(" -> ")): line for line in lines}


@pytest.mark.parametrize("side", [0, 1])
def test_edges_have_the_colours_of_their_changes(pair, drawn, side):
    found = osp.compare(*pair)
    lines = arrows(drawn, ("plain", "informed")[side])
    seen = set()
    for row in found.edges.itertuples():
        own = (row.first, row.second)[side]
        moved = abs(row.change) >= 0.1
        shown = own >= 0.1 or (moved and max(row.first, row.second) >= 0.1)
        assert ((row.cause, row.effect) in lines) == shown
        if shown:
            colour = STAYED if not moved else ROSE if row.change > 0 else FELL
            line = lines[row.cause, row.effect]
            assert line.get_color() == pytest.approx(shade(colour, own if own >= 0.1 else 0.6))
            assert (line.get_linestyle() == "--") == (own < 0.1)
            seen.add(colour)
    assert seen == {STAYED, ROSE, FELL}


def test_variables_are_in_the_same_places(pair, drawn):
    common = osp.compare(*pair).variables
    places = {name: [] for name in common}
    for text in drawn.texts:
        if text.get_text() in places:
            places[text.get_text()].append(np.array(text.get_position()))
    shifts = [after - before for before, after in places.values()]
    assert np.allclose(shifts, shifts[0])
    assert shifts[0][0] > 1.0
    assert shifts[0][1] == 0.0


def test_the_picture_is_legible_and_says_what_it_shows(drawn, check_legible):
    check_legible(drawn, list(drawn.texts))
    texts = {text.get_text() for child in drawn.get_children() if isinstance(child, Legend) for text in child.texts}
    assert {"more probable on the right", "less probable on the right", "1 variable of one alone not drawn"} <= texts
    assert {"plain", "informed"} <= {text.get_text() for text in drawn.texts}
    assert "PKA -> Akt" in drawn.get_label()


def test_a_comparison_can_be_drawn(pair):
    found = osp.compare(*pair, labels=("one", "other"))
    ax = osp.plot.comparison(found, min_change=0.9, min_probability=0.3)
    assert arrows(ax, "one").keys() <= {(r.cause, r.effect) for r in found.edges.itertuples()}
    assert "0 edges moved" in ax.get_label()


def test_in_axes_of_ones_own(pair):
    from matplotlib.figure import Figure

    ax = Figure(figsize=(6, 3)).add_subplot()
    assert osp.plot.comparison(*pair, ax=ax) is ax


def test_wrong_arguments(pair):
    with pytest.raises(ValueError, match="min_change must be a number greater than 0, at most 1; got 0"):
        osp.plot.comparison(*pair, min_change=0)
    with pytest.raises(TypeError, match="b must be left out"):
        osp.plot.comparison(osp.compare(*pair), pair[1])
    with pytest.raises(TypeError, match="b must be a posterior; got NoneType"):
        osp.plot.comparison(pair[0])
