"""Effects with intervals: the rows of the figure agree with the draws."""

import sys

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

import orderspn as osp
from helpers.levels import parameters
from orderspn.core.errors import MissingExtra, Unavailable
from orderspn.plot.colours import shade
from orderspn.plot.effect_rows import share_without_path
from orderspn.queries.effects import EffectSamples
from orderspn.queries.sampling import GraphSamples


@pytest.fixture(scope="module")
def draws(posterior):
    return posterior.effect_samples(300, rng=1, units="sd")


@pytest.fixture(scope="module")
def many(sixty):
    return sixty.effect_samples(200, rng=1)


def names_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def drawn(ax):
    """The rows: point, narrow and wide interval, share of no path, colour."""
    rows = []
    lines = [line for line in ax.lines if len(line.get_xdata()) == 1 or len(set(line.get_ydata())) == 1]
    for place in range(len(names_of(ax))):
        narrow, wide, point = [line for line in lines if line.get_ydata()[0] == place]
        assert narrow.get_linewidth() > wide.get_linewidth()
        (share,) = [text.get_text() for text in ax.texts if text.get_position()[1] == place and "%" in text.get_text()]
        rows.append((point.get_xdata()[0], tuple(narrow.get_xdata()), tuple(wide.get_xdata()), share, wide.get_color()))
    return rows


def with_a_path(draws, of=None, on=None):
    """Causes of an effect, or effects of a cause, that at least one graph connects with it."""
    ends = [name for name in draws.variables if name not in (of, on)]
    pairs = {name: (name, on) if of is None else (of, name) for name in ends}
    return {name for name, pair in pairs.items() if any(nx.has_path(graph, *pair) for graph in draws.graphs)}


def test_rows_say_what_the_draws_say(draws):
    ax = osp.plot.effects(draws, on="Akt")
    (low50, high50), (low95, high95) = draws.interval(0.5), draws.interval(0.95)
    assert set(names_of(ax)) == with_a_path(draws, on="Akt")
    for cause, (mean, narrow, wide, share, colour) in zip(names_of(ax), drawn(ax), strict=True):
        assert mean == pytest.approx(np.mean(draws.of(cause, "Akt")))
        assert narrow == (low50.loc[cause, "Akt"], high50.loc[cause, "Akt"])
        assert wide == (low95.loc[cause, "Akt"], high95.loc[cause, "Akt"])
        zero = np.mean([not nx.has_path(graph, cause, "Akt") for graph in draws.graphs])
        assert share == ("<1%" if 0 < zero < 0.01 else ">99%" if 0.99 < zero < 1 else f"{zero:.0%}")
        assert colour == pytest.approx(shade("#26456e", 1 - zero))


def test_the_strongest_come_first(draws):
    for chosen in ({}, {"of": "PKA"}, {"on": "Akt"}):
        means = [abs(row[0]) for row in drawn(osp.plot.effects(draws, **chosen))]
        assert means == sorted(means, reverse=True)
    off_diagonal = ~np.eye(11, dtype=bool)
    strongest = np.sort(np.abs(draws.mean.to_numpy()[off_diagonal]))[::-1]
    ax = osp.plot.effects(draws, top=7)
    np.testing.assert_allclose([abs(row[0]) for row in drawn(ax)], strongest[:7])


def test_pairs_are_chosen(draws):
    assert len(names_of(osp.plot.effects(draws))) == 20
    assert all(" → " in name for name in names_of(osp.plot.effects(draws)))
    of = osp.plot.effects(draws, of="PKA")
    assert set(names_of(of)) == with_a_path(draws, of="PKA")
    assert of.get_xlabel().splitlines()[0] == "total effect of PKA"
    assert len(names_of(osp.plot.effects(draws, of="PKA", top=3))) == 3
    both = osp.plot.effects(draws, of="PKA", on="Akt")
    assert both.get_xlabel() == "total effect of PKA on Akt"
    assert drawn(both)[0][0] == pytest.approx(draws.of("PKA", "Akt").mean())


def test_draws_may_count_differently(posterior):
    weighted = posterior.effect_samples(300, rng=1, target="dag")
    (row,) = drawn(osp.plot.effects(weighted, of="PKA", on="Akt"))
    assert row[0] == pytest.approx(np.average(weighted.of("PKA", "Akt"), weights=weighted.graphs.weights))
    assert row[2] == tuple(frame.loc["PKA", "Akt"] for frame in weighted.interval(0.95))
    missing = [not nx.has_path(graph, "PKA", "Akt") for graph in weighted.graphs]
    share = share_without_path(weighted.graphs)[weighted.variables.index("PKA"), weighted.variables.index("Akt")]
    assert share == pytest.approx(np.average(missing, weights=weighted.graphs.weights))


def test_long_paths_are_paths():
    d = 9
    chain = np.eye(d, k=1, dtype=bool)[None]
    graphs = GraphSamples([f"v{k}" for k in range(d)], chain, np.arange(d)[None])
    np.testing.assert_array_equal(share_without_path(graphs), np.tril(np.ones((d, d)), -1))


def test_a_posterior_is_asked_for_draws(posterior, draws):
    ax = osp.plot.effects(posterior, on="Akt", n=300, rng=1)
    assert drawn(ax)[0][:3] == drawn(osp.plot.effects(draws, on="Akt"))[0][:3]
    assert ax.get_xlabel().splitlines()[0] == "total effect on Akt (standard deviations)"
    again, other = (osp.plot.effects(posterior, on="Akt", n=50, rng=seed) for seed in (0, 1))
    assert drawn(osp.plot.effects(posterior, on="Akt", n=50))[0] == drawn(again)[0] != drawn(other)[0]


@pytest.mark.thorough
def test_raw_data_keep_their_units():
    posterior = osp.learn(np.random.default_rng(0).normal(size=(30, 3)), standardize=False)
    assert osp.plot.effects(posterior, n=20).get_xlabel() == "total effect (units of the data)"


def test_evidence_counts_and_is_told(posterior):
    ax = osp.plot.effects(posterior, "PKA !-> Akt, PKA -> Erk -> Akt", of="PKA", on="Akt", n=100)
    assert ax.get_title() == "given PKA -> Erk, Erk -> Akt, PKA !-> Akt"
    assert drawn(ax)[0][3] == "0%"


def test_there_is_a_line_at_zero(draws):
    ax = osp.plot.effects(draws)
    (line,) = [line for line in ax.lines if list(line.get_xdata()) == [0.0, 0.0] and len(set(line.get_ydata())) == 2]
    assert line.get_zorder() < min(other.get_zorder() for other in ax.lines if other is not line)


def test_levels_are_asked_for(draws):
    ax = osp.plot.effects(draws, of="PKA", on="Akt", levels=(0.8, 0.9))
    expected = [tuple(frame.loc["PKA", "Akt"] for frame in draws.interval(level)) for level in (0.8, 0.9)]
    assert list(drawn(ax)[0][1:3]) == expected
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["mean", "80% interval", "90% interval"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "chosen", parameters([{}, {"on": "X5"}, {"of": "systolic blood pressure"}, {"top": 1}], test=[{}, {"on": "X5"}])
)
def test_labels_overlap_nowhere(many, check_legible, chosen):
    ax = osp.plot.effects(many, **chosen)
    ticks = [*ax.get_yticklabels(), *ax.get_xticklabels()]
    check_legible(ax, [*ticks, *ax.texts, ax.xaxis.label, *ax.get_legend().get_texts()])


def test_a_title_overlaps_nothing(posterior, check_legible):
    ax = osp.plot.effects(posterior, "PKA -> Raf", on="Akt", n=50)
    check_legible(ax, [ax.title, *ax.texts, *ax.get_legend().get_texts()])


def test_axes_of_the_user_are_drawn_to(draws, check_legible):
    left, right = Figure(figsize=(12, 3)).subplots(1, 2)
    assert osp.plot.effects(draws, ax=left) is left
    assert not right.lines
    check_legible(left, left.get_yticklabels())


def test_categories_are_told_what_to_ask():
    posterior = osp.learn(osp.load_asia().data[["smoke", "bronc", "dysp"]])
    with pytest.raises(Unavailable, match=r"posterior\.interventional\("):
        osp.plot.effects(posterior)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"of": "Akt", "on": "Akt"}, "two different variables; got 'Akt'"),
        ({"of": "akt"}, "unknown variable 'akt'"),
        ({"top": 0}, "top must be an integer at least 1"),
        ({"levels": (0.9, 0.5)}, "the smaller one first"),
        ({"levels": (0.9,)}, "levels must be two numbers"),
        ({"levels": (0.5, 1.0)}, "between 0 and 1"),
        ({"given": "Raf -> Mek"}, r"posterior\.effect_samples\(given=...\)"),
    ],
)
def test_wrong_arguments_are_named(draws, arguments, problem):
    with pytest.raises(ValueError, match=problem):
        osp.plot.effects(draws, **arguments)


def test_other_things_have_no_effects(posterior):
    with pytest.raises(TypeError, match=r"posterior\.effect_samples\(\); got DataFrame"):
        osp.plot.effects(posterior.causal_effects())


def test_a_share_is_whole_only_if_it_is():
    """One of 300 graphs with a path is not none."""
    adjacency = np.zeros((300, 2, 2), dtype=bool)
    adjacency[0, 0, 1] = True
    graphs = GraphSamples(["a", "b"], adjacency, np.tile([0, 1], (300, 1)))
    values = np.tile(np.eye(2), (300, 1, 1))
    values[0, 0, 1] = 0.5
    ax = osp.plot.effects(EffectSamples(["a", "b"], values, graphs))
    (row,) = drawn(ax)
    assert names_of(ax) == ["a → b"]  # the other effect is exactly 0
    assert row[3] == ">99%"


def test_exact_zeros_are_left_out_and_counted(posterior):
    draws = posterior.given("PKA -> Akt, Raf !-> Akt").effect_samples(100, rng=0)
    ax = osp.plot.effects(draws, on="Akt")
    shown = with_a_path(draws, on="Akt")
    assert set(names_of(ax)) == shown
    assert f"(not shown: {10 - len(shown)} without a path in any graph)" in ax.get_xlabel()
    assert 0 < len(shown) < 10
    assert "not shown" not in osp.plot.effects(draws, on="Akt", top=1).get_xlabel()


def test_a_figure_without_effects_says_so(check_legible):
    graphs = GraphSamples(["a", "b"], np.zeros((3, 2, 2), dtype=bool), np.tile([0, 1], (3, 1)))
    ax = osp.plot.effects(EffectSamples(["a", "b"], np.tile(np.eye(2), (3, 1, 1)), graphs), of="a")
    assert names_of(ax) == []
    assert [text.get_text() for text in ax.texts] == ["no path in any graph: the effect is 0"]
    check_legible(ax)


def test_without_matplotlib_the_extra_is_named(draws, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "orderspn\[plot\]"'):
        osp.plot.effects(draws)
