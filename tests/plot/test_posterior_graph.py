"""The picture: what is drawn, how thick, in which colour, and that nothing needs a screen."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import orderspn as osp
from orderspn.core.errors import MissingExtra
from orderspn.plot.drawing import IN_REFERENCE, NOT_IN_REFERENCE, label_lines, label_size, line_width, shade


@pytest.fixture(scope="module")
def sachs():
    return osp.load_sachs()


@pytest.fixture(scope="module")
def posterior(sachs):
    return osp.learn(sachs.data, standardize=True)


def arrows(ax):
    """The shafts that were drawn, by edge."""
    return {tuple(line.get_label().removeprefix("_").split(" -> ")): line for line in ax.lines}


def probable(frame, least):
    return {(c, e) for c in frame.index for e in frame.columns if c != e and frame.loc[c, e] >= least}


@pytest.mark.parametrize(("given", "least"), [(None, 0.1), ("PKA -> Raf", 0.3)])
def test_every_probable_edge_is_drawn_as_thick_as_it_is_probable(posterior, given, least):
    frame = posterior.edge_probabilities(given)
    drawn = arrows(osp.plot.posterior_graph(posterior, given, min_probability=least))
    assert drawn.keys() == probable(frame, least)
    for (cause, effect), line in drawn.items():
        probability = frame.loc[cause, effect]
        assert line.get_linewidth() == pytest.approx(line_width(probability))
        assert line.get_color() == pytest.approx(shade("#26456e", probability))


def test_arrows_lead_from_the_cause_to_the_effect(posterior):
    ax = osp.plot.posterior_graph(posterior)
    at = {text.get_text(): np.array(text.get_position()) for text in ax.texts}
    heads = {patch.get_gid(): patch.get_xy()[0] for patch in ax.patches if patch.get_gid()}
    for (cause, effect), line in arrows(ax).items():
        begin, tip = line.get_xydata()[0], heads[f"{cause} -> {effect}"]
        assert np.linalg.norm(begin - at[cause]) < np.linalg.norm(begin - at[effect])
        assert np.linalg.norm(tip - at[effect]) < np.linalg.norm(tip - at[cause])


def test_a_reference_network_colours_its_edges(posterior, sachs):
    ax = osp.plot.posterior_graph(posterior, highlight=sachs.consensus)
    frame = posterior.edge_probabilities()
    drawn = arrows(ax)
    for edge, line in drawn.items():
        colour = IN_REFERENCE if edge in sachs.consensus else NOT_IN_REFERENCE
        assert line.get_color() == pytest.approx(shade(colour, frame.loc[edge]))
    assert {edge in sachs.consensus for edge in drawn} == {True, False}
    legends = [text.get_text() for child in ax.get_children() if isinstance(child, Legend) for text in child.texts]
    assert {"in it", "not in it", "0.5", "1"} <= set(legends)


@pytest.mark.parametrize("highlight", [None, [("PKA", "Akt")]])
def test_nothing_is_covered_or_cut_off(posterior, highlight):
    ax = osp.plot.posterior_graph(posterior, "PKA -> Raf", highlight=highlight)
    figure = ax.figure
    figure.draw_without_rendering()
    frames = [patch.get_window_extent() for patch in ax.patches if not patch.get_gid()]
    legends = [child.get_window_extent() for child in ax.get_children() if isinstance(child, Legend)]
    for box in [*frames, *legends]:
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
    assert not any(legend.overlaps(frame) for legend in legends for frame in frames)
    labels = [text for text in ax.texts if text.get_text() in posterior.variables]
    for text, frame in zip(labels, frames, strict=True):
        box = text.get_window_extent()
        assert frame.x0 < box.x0
        assert box.x1 < frame.x1


def test_it_draws_into_given_axes_at_their_size(posterior):
    figure = Figure(figsize=(6, 2))
    left, right = figure.subplots(1, 2)
    assert osp.plot.posterior_graph(posterior, ax=left) is left
    assert arrows(left)
    assert not right.lines
    assert left.texts[0].get_fontsize() < 11


def test_a_posterior_without_probable_edges_still_shows_its_variables(posterior):
    ax = osp.plot.posterior_graph(posterior, min_probability=1.0)
    assert not ax.lines
    assert sorted(text.get_text() for text in ax.texts) == sorted(posterior.variables)


def test_long_names_are_broken_and_dollars_are_no_mathematics():
    name = "a rather long name, in $ per day"
    assert len(label_lines(name)) == 2
    assert label_size(name)[1] > label_size("A")[1]
    data = np.random.default_rng(0).normal(size=(50, 2))
    posterior = osp.learn(data, variables=[name, "cost in $"])
    ax = osp.plot.posterior_graph(posterior, min_probability=0.0)
    assert not any(text.get_parse_math() for text in ax.texts)


def test_the_more_probable_the_darker():
    assert sum(shade("#000000", 0.9)) < sum(shade("#000000", 0.2)) < 3
    assert shade("#123456", 1.0) == pytest.approx(to_rgb("#123456"))


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_a_threshold_that_is_no_probability_is_refused(posterior, value):
    with pytest.raises(ValueError, match="min_probability must be a number from 0 to 1"):
        osp.plot.posterior_graph(posterior, min_probability=value)


def test_wrong_arguments_are_named(posterior):
    with pytest.raises(TypeError, match="min_probability"):
        osp.plot.posterior_graph(posterior, min_probability="high")
    with pytest.raises(ValueError, match="unknown variable 'akt'"):
        osp.plot.posterior_graph(posterior, highlight=[("PKA", "akt")])


def test_without_matplotlib_the_extra_is_named(posterior, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "orderspn\[plot\]"'):
        osp.plot.posterior_graph(posterior)


def test_neither_importing_nor_drawing_touches_global_state():
    code = """
import sys, orderspn.plot
assert "matplotlib" not in sys.modules
import numpy as np, orderspn as osp
osp.plot.posterior_graph(osp.learn(np.random.default_rng(0).normal(size=(9, 2)))).figure.canvas.draw()
assert "matplotlib" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
