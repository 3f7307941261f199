"""The matrix of edge probabilities: its cells, their sequence, numbers, labels and marks."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import orderspn as osp
from helpers.levels import parameters
from orderspn.core.errors import MissingExtra
from orderspn.plot.colours import probability_colours


def row_names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def cells(ax):
    """The values of all cells, NaN on the diagonal."""
    values = ax.collections[0].get_array()
    d = int(np.sqrt(values.size))
    return np.ma.filled(values.reshape(d, d), np.nan)


def marks(ax, label):
    """Cells (cause, effect) that carry the marks of a legend's entry."""
    names = row_names(ax)
    found = [line for line in ax.lines if line.get_label() == label]
    return {(names[int(y)], names[int(x)]) for line in found for x, y in line.get_xydata()}


@pytest.mark.parametrize("given", [None, "PKA -> Raf, Erk !-> Akt"])
def test_a_cell_for_each_pair_holds_its_probability(posterior, given):
    ax = osp.plot.edges(posterior, given)
    names, frame = row_names(ax), posterior.edge_probabilities(given)
    assert [label.get_text() for label in ax.get_xticklabels()] == names
    drawn = cells(ax)
    assert drawn.shape == (11, 11)
    assert np.isnan(np.diagonal(drawn)).all()
    off_diagonal = ~np.eye(11, dtype=bool)
    np.testing.assert_array_equal(drawn[off_diagonal], frame.loc[names, names].to_numpy()[off_diagonal])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("effect", "cause")


def test_the_first_row_is_at_the_top(posterior):
    ax = osp.plot.edges(posterior)
    bottom, top = ax.get_ylim()
    assert bottom == 11
    assert top == 0


def test_numbers_stand_in_the_cells_of_probable_edges(posterior):
    ax = osp.plot.edges(posterior)
    frame = posterior.edge_probabilities()
    names = row_names(ax)
    written = {}
    for text in ax.texts:
        x, y = text.get_position()
        written[names[int(y)], names[int(x)]] = text.get_text()
    expected = {(c, e): f"{frame.loc[c, e]:.2f}" for c in names for e in names if frame.loc[c, e] >= 0.005}
    assert written == expected
    assert len(written) > 20


@pytest.mark.exhaustive
def test_numbers_are_for_few_variables_or_for_those_who_ask(random_probabilities):
    assert osp.plot.edges(random_probabilities(20)).texts
    assert not osp.plot.edges(random_probabilities(60)).texts
    assert osp.plot.edges(random_probabilities(60), numbers=True).texts
    assert not osp.plot.edges(random_probabilities(20), numbers=False).texts


@pytest.mark.thorough
@pytest.mark.parametrize("d", parameters([2, 3, 10, 60, 250], test=[3, 60]))
def test_labels_overlap_nowhere(random_probabilities, check_legible, d):
    frame = random_probabilities(60).iloc[:d, :d] if d < 4 else random_probabilities(d)
    ax = osp.plot.edges(frame, order="data")
    check_legible(ax)
    assert max(ax.figure.get_size_inches()) < 20
    sizes = {label.get_fontsize() for label in ax.get_yticklabels()}
    assert min(sizes) >= 5
    if d <= 60:
        assert len(row_names(ax)) == d
    else:  # every so many-th, at its own row
        assert [frame.index[int(place)] for place in ax.get_yticks()] == row_names(ax)
        assert 40 < len(row_names(ax)) < d


def below(ax):
    """Texts under the matrix."""
    return [text.get_text() for text in ax.texts if text.get_text().startswith("given")]


@pytest.mark.thorough
@pytest.mark.parametrize("d", [11, 60])
def test_what_is_given_stands_under_the_matrix(posterior, sixty, check_legible, d):
    given = "PKA -> Raf" if d == 11 else osp.Edges(absent=[tuple(sixty.variables[1::-1])])  # of long names
    ax = osp.plot.edges(posterior if d == 11 else sixty, given)
    (text,) = below(ax)
    assert text.startswith("given PKA -> Raf" if d == 11 else 'given "expression')
    assert ax.get_title() == ""
    texts = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label, *ax.texts]
    check_legible(ax, [*texts, *ax.get_legend().get_texts()])
    assert not below(osp.plot.edges(posterior))


@pytest.mark.thorough
@pytest.mark.parametrize("d", [11, 30, 60])
def test_a_title_of_the_user_is_clear_of_long_labels(random_probabilities, check_legible, d):
    figure = Figure(figsize=(9, 9), layout="constrained")
    ax = osp.plot.edges(random_probabilities(d), ax=figure.add_subplot())
    ax.set_title("probabilities of edges")
    check_legible(ax, [*ax.get_xticklabels(), ax.xaxis.label, ax.title])


def test_variables_stand_by_their_expected_place(posterior):
    before = posterior.precedence().sum(axis=0)
    assert row_names(osp.plot.edges(posterior)) == list(before.sort_values().index)


def test_without_orders_causes_of_probable_edges_stand_first(sachs):
    data = sachs.data[["Akt", "Erk", "PKA", "Mek", "Raf"]]
    posterior = osp.learn(data, standardize=True, check=False, method=osp.methods.Auto(target="dag")).given(
        "PKA -> Erk -> Akt, Raf -> Mek"
    )
    names = row_names(osp.plot.edges(posterior))
    for cause, effect in [("PKA", "Erk"), ("Erk", "Akt"), ("Raf", "Mek")]:
        assert names.index(cause) < names.index(effect)


def test_variables_stand_as_asked_for(posterior):
    assert row_names(osp.plot.edges(posterior, order="data")) == posterior.variables
    turned = posterior.variables[::-1]
    assert row_names(osp.plot.edges(posterior, order=turned)) == turned
    assert sorted(row_names(osp.plot.edges(posterior, order="clustered"))) == sorted(turned)


def test_known_edges_are_marked(sachs):
    data = sachs.data[["Raf", "Mek", "Erk", "Akt"]]
    knowledge = osp.Knowledge(required=[("Raf", "Mek")], forbidden=[("Akt", "Raf")], tiers=[["Raf", "Mek"], ["Erk"]])
    posterior = osp.learn(data, standardize=True, check=False, knowledge=knowledge)
    ax = osp.plot.edges(posterior, "Erk -> Akt, Mek !-> Akt")
    assert marks(ax, "required edge") == {("Raf", "Mek"), ("Erk", "Akt")}
    assert marks(ax, "forbidden edge") == {("Akt", "Raf"), ("Mek", "Akt")}  # what follows from tiers was not named
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["required edge", "forbidden edge"]
    plain = osp.plot.edges(posterior, marks=False)
    assert not plain.lines
    assert plain.get_legend() is None


@pytest.mark.thorough
@pytest.mark.parametrize("d", [10, 60])
def test_the_legend_of_marks_is_inside_the_picture(posterior, sixty, d):
    drawn = osp.plot.edges(posterior, "PKA -> Raf, Erk !-> Akt") if d == 10 else osp.plot.edges(sixty, "X5 !-> X6")
    drawn.figure.draw_without_rendering()
    legend = drawn.get_legend().get_window_extent()
    assert legend.y0 >= 0
    assert legend.y1 <= drawn.get_window_extent().y0


@pytest.mark.thorough
@pytest.mark.parametrize("d", [2, 3, 10, 60])
def test_the_bar_and_its_label_stand_clear_of_the_border(random_probabilities, d):
    ax = osp.plot.edges(random_probabilities(60).iloc[:d, :d])
    (bar,) = ax.child_axes
    ax.figure.draw_without_rendering()
    label, whole, border = bar.yaxis.label.get_window_extent(), ax.figure.bbox, 0.08 * ax.figure.dpi
    assert label.x1 <= whole.x1 - border
    assert whole.y0 <= label.y0 < label.y1 <= whole.y1
    assert not any(label.overlaps(tick.get_window_extent()) for tick in bar.get_yticklabels())


def test_darker_is_more_probable():
    grey = probability_colours()(np.linspace(0, 1, 50))[:, :3] @ [0.299, 0.587, 0.114]
    assert (np.diff(grey) < 0).all()
    assert grey[0] == pytest.approx(1.0)
    assert grey[-1] < 0.2


@pytest.mark.thorough
def test_probabilities_alone_are_drawn(posterior):
    frame = posterior.edge_probabilities()
    assert row_names(osp.plot.edges(frame, order="data")) == posterior.variables
    array = osp.plot.edges(frame.to_numpy(), order="data")
    assert row_names(array) == [f"X{k}" for k in range(1, 12)]
    np.testing.assert_array_equal(cells(array), cells(osp.plot.edges(frame, order="data")))


def test_axes_of_the_user_are_drawn_to(random_probabilities, check_legible):
    left, right = Figure(figsize=(13, 8)).subplots(1, 2)
    assert osp.plot.edges(random_probabilities(60), ax=left) is left
    assert not right.collections
    check_legible(left, left.get_yticklabels())


def test_dollars_are_no_mathematics():
    import pandas as pd

    names = ["cost in $", "gain in $"]
    ax = osp.plot.edges(pd.DataFrame([[0, 0.5], [0.2, 0]], index=names, columns=names))
    ax.figure.draw_without_rendering()
    assert sorted(row_names(ax)) == names
    assert not any(label.get_parse_math() for label in [*ax.get_yticklabels(), *ax.get_xticklabels()])


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ("alphabetical", "order must be one of 'causal', 'clustered', 'data'"),
        (["Raf"], "order must name each of the 11 variables once"),
        (["raf"], "unknown variable 'raf'"),
    ],
)
def test_a_wrong_sequence_is_named(posterior, order, problem):
    with pytest.raises(ValueError, match=problem):
        osp.plot.edges(posterior, order=order)


def test_names_may_not_repeat_in_a_sequence(posterior):
    with pytest.raises(ValueError, match="some are named twice"):
        osp.plot.edges(posterior, order=[*posterior.variables, "Raf"])
    with pytest.raises(TypeError, match="a list of all variables; got 3"):
        osp.plot.edges(posterior, order=3)


def test_only_posteriors_are_conditioned(posterior):
    with pytest.raises(ValueError, match=r"posterior.edge_probabilities\(given\)"):
        osp.plot.edges(posterior.edge_probabilities(), "PKA -> Raf")


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="probabilities from 0 to 1"):
        osp.plot.edges([[0, 2.0], [0, 0]])


def test_without_matplotlib_the_extra_is_named(posterior, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "orderspn\[plot\]"'):
        osp.plot.edges(posterior)
