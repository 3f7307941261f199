"""The picture: what is drawn, how thick, in which colour, and that nothing needs a screen."""

import itertools
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import orderspn as osp
from orderspn.core.errors import MissingExtra
from orderspn.plot.colours import FORBIDDEN, IN_REFERENCE, NOT_IN_REFERENCE, mixed_with_white, shade
from orderspn.plot.drawing import ArrowStyle, arrow_style, label_lines, label_size
from orderspn.plot.drawn_edges import readable_threshold
from orderspn.plot.marks import MOST_FORBIDDEN


def arrows(ax):
    """The shafts that were drawn, by edge."""
    return labelled(ax, "", " -> ")


def labelled(ax, prefix, arrow):
    """Lines by the edge in their labels, of those that begin with a prefix."""
    found = {}
    for line in ax.lines:
        cause, *effect = line.get_label().removeprefix("_").removeprefix(prefix).split(arrow)
        if effect and line.get_label().startswith(f"_{prefix}") and " on " not in cause and not cause.startswith("tip"):
            found[cause, effect[0]] = line
    return found


def legend_texts(ax):
    return [text.get_text() for child in ax.get_children() if isinstance(child, Legend) for text in child.texts]


def probable(frame, least):
    return {(c, e) for c in frame.index for e in frame.columns if c != e and frame.loc[c, e] >= least}


@pytest.mark.parametrize(("given", "least"), [(None, 0.1), ("PKA -> Raf", 0.3)])
def test_every_probable_edge_is_drawn_as_thick_as_it_is_probable(posterior, given, least):
    frame = posterior.edge_probabilities(given)
    drawn = arrows(osp.plot.posterior_graph(posterior, given, min_probability=least))
    assert drawn.keys() == probable(frame, least)
    for (cause, effect), line in drawn.items():
        probability = frame.loc[cause, effect]
        assert line.get_linewidth() == pytest.approx(ArrowStyle().width(probability))
        assert line.get_color() == pytest.approx(shade("#26456e", probability))


@pytest.mark.thorough
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
    assert {"in it", "not in it", "0.5", "1"} <= set(legend_texts(ax))


def frames_of(ax):
    """The boxes of labels."""
    return [patch.get_window_extent() for patch in ax.patches if not patch.get_gid()]


@pytest.mark.parametrize("highlight", [None, [("PKA", "Akt")]])
def test_nothing_is_covered_or_cut_off(posterior, highlight):
    ax = osp.plot.posterior_graph(posterior, "PKA -> Raf", highlight=highlight)
    figure = ax.figure
    figure.draw_without_rendering()
    frames = frames_of(ax)
    legends = [child.get_window_extent() for child in ax.get_children() if isinstance(child, Legend)]
    for one, other in itertools.combinations(legends, 2):
        assert not one.overlaps(other)
    for box in [*frames, *legends]:
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
    assert not any(legend.overlaps(frame) for legend in legends for frame in frames)
    labels = [text for text in ax.texts if text.get_text() in posterior.variables]
    for text, frame in zip(labels, frames, strict=True):
        box = text.get_window_extent()
        assert frame.x0 < box.x0
        assert box.x1 < frame.x1


@pytest.mark.thorough
@pytest.mark.parametrize("highlight", [None, [("X1", "X2")]])
def test_a_long_caption_has_room(highlight):
    values = np.triu(np.linspace(0.1, 1.0, 121).reshape(11, 11), 1)  # 55 edges of few variables
    ax = osp.plot.posterior_graph(values, highlight=highlight)
    ax.figure.draw_without_rendering()
    legends = [child.get_window_extent() for child in ax.get_children() if isinstance(child, Legend)]
    assert all(ax.figure.bbox.x0 <= box.x0 < box.x1 <= ax.figure.bbox.x1 for box in legends)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(legends, 2))


def test_required_edges_have_a_square(posterior):
    ax = osp.plot.posterior_graph(posterior, "PKA -> Raf, Erk -> Akt")
    squares = labelled(ax, "square on ", " -> ")
    assert squares.keys() == {("PKA", "Raf"), ("Erk", "Akt")}
    for edge, square in squares.items():
        assert square.get_marker() == "s"
        assert on_the_way(square, arrows(ax)[edge])
    assert "required edge" in legend_texts(ax)
    assert "forbidden edge" not in legend_texts(ax)


def on_the_way(mark, line):
    """Whether a mark stands on a line, away from its ends."""
    distances = np.linalg.norm(line.get_xydata() - mark.get_xydata()[0], axis=1)
    return distances.min() < 0.05 and distances[0] > 0.1 and distances[-1] > 0.1


def test_forbidden_edges_are_dashed_and_have_a_cross(posterior):
    ax = osp.plot.posterior_graph(posterior, "PKA !-> Raf, Akt !-> Jnk")
    dashed, crosses = labelled(ax, "", " !-> "), labelled(ax, "cross on ", " !-> ")
    assert dashed.keys() == crosses.keys() == {("PKA", "Raf"), ("Akt", "Jnk")}
    at = {text.get_text(): np.array(text.get_position()) for text in ax.texts}
    for edge, line in dashed.items():
        assert line.is_dashed()
        assert line.get_color() == FORBIDDEN
        assert on_the_way(crosses[edge], line)
        begin, end = line.get_xydata()[[0, -1]]
        assert np.linalg.norm(begin - at[edge[0]]) < np.linalg.norm(begin - at[edge[1]])
        assert np.linalg.norm(end - at[edge[1]]) < np.linalg.norm(end - at[edge[0]])
    assert arrows(ax).keys().isdisjoint(dashed)
    assert "forbidden edge" in legend_texts(ax)


def test_knowledge_is_marked_as_evidence_is(sachs):
    data = sachs.data[["Raf", "Mek", "Erk", "Akt"]]
    knowledge = osp.Knowledge(required=[("Raf", "Mek")], forbidden=[("Akt", "Raf")], tiers=[["Raf"], ["Mek"]])
    posterior = osp.learn(data, standardize=True, check=False, knowledge=knowledge)
    ax = osp.plot.posterior_graph(posterior, "Mek !-> Erk")
    assert labelled(ax, "square on ", " -> ").keys() == {("Raf", "Mek")}
    assert labelled(ax, "cross on ", " !-> ").keys() == {("Akt", "Raf"), ("Mek", "Erk")}


def test_marks_stand_apart(posterior):
    ax = osp.plot.posterior_graph(posterior, "PKA -> Raf, Raf !-> Mek, Mek !-> Raf, Erk -> Akt, PKC !-> Akt")
    marks = labelled(ax, "square on ", " -> ") | labelled(ax, "cross on ", " !-> ")
    assert len(marks) == 5
    for one, other in itertools.combinations(marks.values(), 2):
        assert np.linalg.norm(one.get_xydata() - other.get_xydata()) > 0.15


def test_marks_may_be_left_out(posterior):
    ax = osp.plot.posterior_graph(posterior, "PKA -> Raf, Akt !-> Jnk", marks=False)
    assert {line.get_label() for line in ax.lines} == {f"_{cause} -> {effect}" for cause, effect in arrows(ax)}
    assert not {"required edge", "forbidden edge"} & set(legend_texts(ax))


def test_required_edges_are_drawn_whatever_the_threshold(posterior):
    ax = osp.plot.posterior_graph(posterior, "PKA -> Raf", min_probability=1.0)
    assert ("PKA", "Raf") in arrows(ax)


@pytest.mark.thorough
def test_too_many_forbidden_edges_are_only_counted(posterior):
    others = [(a, b) for a, b in itertools.permutations(posterior.variables, 2) if (a, b) != ("Raf", "Mek")]
    few, many = (osp.Edges(absent=others[:n]) for n in (MOST_FORBIDDEN, MOST_FORBIDDEN + 1))
    assert len(labelled(osp.plot.posterior_graph(posterior, few), "cross on ", " !-> ")) == MOST_FORBIDDEN
    ax = osp.plot.posterior_graph(posterior, many)
    assert not labelled(ax, "cross on ", " !-> ")
    assert f"{MOST_FORBIDDEN + 1} forbidden edges not drawn" in legend_texts(ax)


@pytest.mark.exhaustive
def test_sixty_variables_are_legible(sixty):
    ax = osp.plot.posterior_graph(sixty, "X5 !-> X6")
    figure = ax.figure
    figure.draw_without_rendering()
    assert max(figure.get_size_inches()) < 30
    frames = frames_of(ax)
    assert len(frames) == 60
    for one, other in itertools.combinations(frames, 2):
        assert not one.overlaps(other)
    boxes = [text.get_window_extent() for text in ax.texts if not text.get_text().startswith("given")]
    for box, frame in zip(boxes, frames, strict=True):
        assert frame.x0 < box.x0 < box.x1 < frame.x1
        assert frame.y0 < box.y0 < box.y1 < frame.y1
    frame = sixty.edge_probabilities("X5 !-> X6")
    assert arrows(ax).keys() == probable(frame, readable_threshold(frame.to_numpy()))


@pytest.mark.thorough
def test_too_many_edges_raise_the_threshold_and_the_legend_counts_them():
    d = 30
    values = np.triu(np.full((d, d), 0.15), 1)
    values[0, 1:] = 0.45
    values[1, 2:] = 0.25
    assert readable_threshold(values) == 0.2
    ax = osp.plot.posterior_graph(values)
    assert len(arrows(ax)) == 29 + 28 <= 2 * d
    titles = [child.get_title().get_text() for child in ax.get_children() if isinstance(child, Legend)]
    hidden = d * (d - 1) // 2 - len(arrows(ax))
    assert titles[0].startswith(f"probability of the edge (0.2 or more; {hidden} edges from 0.1 to 0.2 not drawn)")
    widths = [line.get_linewidth() for line in arrows(ax).values()]
    style = arrow_style(len(widths), 1.0)
    assert style.thickest < ArrowStyle().thickest
    assert max(widths) == pytest.approx(style.width(0.45))
    assert len(arrows(osp.plot.posterior_graph(values, min_probability=0.3))) == 29


@pytest.mark.parametrize(("many", "threshold"), [(0.1, 0.2), (0.29, 0.3), (0.5, 0.4), (1.0, 0.4)])
def test_undecided_edges_are_never_below_the_threshold(many, threshold):
    assert readable_threshold(np.triu(np.full((60, 60), many), 1)) == threshold


@pytest.mark.exhaustive
def test_long_arrows_are_fainter(sixty):
    ax = osp.plot.posterior_graph(sixty)
    frame, d = sixty.edge_probabilities(), 60
    opacity = {}
    for edge, line in arrows(ax).items():
        length = np.linalg.norm(np.diff(line.get_xydata(), axis=0), axis=1).sum()
        full, drawn = shade("#26456e", frame.loc[edge]), line.get_color()
        opacity[edge] = (length, (1 - drawn[0]) / (1 - full[0]))
    short = [share for length, share in opacity.values() if length < 3]
    long = [share for length, share in opacity.values() if length > 8]
    assert short == pytest.approx([1.0] * len(short))
    assert long
    assert max(long) < 0.6
    assert len(opacity) < 3 * d
    assert mixed_with_white("#000000", 0.0) == (1.0, 1.0, 1.0)


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


@pytest.fixture(scope="module")
def probabilities(posterior):
    return posterior.edge_probabilities()


def drawn_as(ax):
    """Thickness of the arrows, by edge."""
    return {edge: line.get_linewidth() for edge, line in arrows(ax).items()}


def test_probabilities_alone_are_drawn(posterior, probabilities):
    expected = drawn_as(osp.plot.posterior_graph(posterior))
    assert drawn_as(osp.plot.posterior_graph(probabilities)) == expected
    turned = probabilities.iloc[::-1, ::-1]
    assert drawn_as(osp.plot.posterior_graph(turned)) == expected
    called = dict(zip(posterior.variables, (f"X{k}" for k in range(1, 12)), strict=True))
    array = drawn_as(osp.plot.posterior_graph(probabilities.to_numpy()))
    assert array == {(called[cause], called[effect]): width for (cause, effect), width in expected.items()}


def test_graphs_are_counted_and_drawn(posterior):
    samples = posterior.sample(40, rng=0)
    shares = samples.adjacency.mean(axis=0)
    drawn = drawn_as(osp.plot.posterior_graph(samples, min_probability=0.3))
    names = posterior.variables
    assert drawn == {
        (names[c], names[e]): pytest.approx(ArrowStyle().width(shares[c, e])) for c, e in np.argwhere(shares >= 0.3)
    }
    best = posterior.most_probable_graph()
    assert arrows(osp.plot.posterior_graph(best)).keys() == set(best.graph.edges)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (None, "posterior must be a square array of numbers.*got NoneType. A posterior and sampled graphs"),
        ("posterior.npz", "got str. A posterior and sampled graphs are taken as well"),
        (np.zeros((2, 3)), r"posterior must be square.*got shape \(2, 3\)"),
        (np.full((2, 2), 1.5), "posterior must hold probabilities from 0 to 1; got 1.5"),
    ],
)
def test_what_cannot_be_drawn_is_refused(source, problem):
    with pytest.raises((TypeError, ValueError), match=problem):
        osp.plot.posterior_graph(source)


def test_only_posteriors_are_conditioned(probabilities):
    with pytest.raises(ValueError, match=r"got a DataFrame as posterior.*posterior.edge_probabilities\(given\)"):
        osp.plot.posterior_graph(probabilities, "PKA -> Raf")


def references(sachs, variables):
    """One network in every accepted form."""
    graph = nx.DiGraph(sachs.consensus)
    whole = nx.DiGraph(sachs.consensus)
    whole.add_nodes_from(variables)
    matrix = nx.to_numpy_array(whole, nodelist=variables)
    frame = pd.DataFrame(matrix, index=variables, columns=variables)
    return {
        "pairs": sachs.consensus,
        "lists": [list(edge) for edge in sachs.consensus],
        "set": set(sachs.consensus),
        "iterator": iter(sachs.consensus),
        "strings": np.array(sachs.consensus),
        "edges": osp.Edges(present=sachs.consensus),
        "graph": graph,
        "view": graph.edges,
        "array": matrix,
        "rows": matrix.astype(int).tolist(),
        "frame": frame.iloc[::-1],
        "network": osp.simulate.LinearGaussianNetwork(frame),
    }


@pytest.mark.exhaustive
def test_a_reference_network_may_have_any_form(posterior, sachs):
    expected = colours(osp.plot.posterior_graph(posterior, highlight=sachs.consensus))
    assert len(set(expected.values())) > 1
    for form, reference in references(sachs, posterior.variables).items():
        assert colours(osp.plot.posterior_graph(posterior, highlight=reference)) == expected, form


def colours(ax):
    return {edge: tuple(line.get_color()) for edge, line in arrows(ax).items()}


def test_graphs_of_the_package_are_references(posterior):
    best = posterior.most_probable_graph()
    expected = colours(osp.plot.posterior_graph(posterior, highlight=list(best.graph.edges)))
    assert colours(osp.plot.posterior_graph(posterior, highlight=best)) == expected
    simulated = osp.simulate.linear_gaussian(5, 60, rng=2)
    learned = osp.learn(simulated.data)
    assert colours(osp.plot.posterior_graph(learned, highlight=simulated)) == colours(
        osp.plot.posterior_graph(learned, highlight=list(simulated.graph.edges))
    )


def test_a_reference_without_edges_has_none(posterior):
    drawn = colours(osp.plot.posterior_graph(posterior, highlight=[]))
    frame = posterior.edge_probabilities()
    assert all(colour == pytest.approx(shade(NOT_IN_REFERENCE, frame.loc[edge])) for edge, colour in drawn.items())


@pytest.mark.parametrize(
    ("highlight", "problem"),
    [
        ([("PKA", "akt")], "unknown variable 'akt': did you mean 'Akt'"),
        (nx.DiGraph([("PKA", "akt")]), "unknown variable 'akt': did you mean 'Akt'"),
        ("PKA -- Akt", "edges that are present, and nothing else; got 'Akt -- PKA'"),
        (3, "pairs of names, a networkx.DiGraph.*got 3"),
        ([("PKA",)], r"got \('PKA',\) among the pairs"),
        (["PA"], "got 'PA' among the pairs"),
        ([("PKA", "PKA")], "two different variables; got 'PKA' twice"),
        (nx.Graph([("PKA", "Akt")]), "must be a directed graph"),
        (np.zeros((3, 3)), "each of the 11 variables, as it names none; got 3"),
        (np.full((11, 11), 0.5), "must hold 0 and 1"),
        (np.zeros((4, 11, 11)), "must be one square matrix or graph; got 4 of them"),
        (osp.Edges(absent=[("PKA", "Akt")]), "edges that are present, and nothing else; got 'PKA !-> Akt'"),
    ],
)
def test_what_is_no_reference_network_is_refused(posterior, highlight, problem):
    with pytest.raises((TypeError, ValueError), match=f"^highlight.*{problem}"):
        osp.plot.posterior_graph(posterior, highlight=highlight)


def test_a_posterior_is_no_reference_network(posterior):
    with pytest.raises(TypeError, match=r"^highlight must be one graph; got a posterior.*most_probable_graph\(\)"):
        osp.plot.posterior_graph(posterior, highlight=posterior)


def test_without_matplotlib_the_extra_is_named(posterior, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "orderspn\[plot\]"'):
        osp.plot.posterior_graph(posterior)


@pytest.mark.thorough
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
