"""Traces of sampled posteriors."""

import numpy as np
import pytest

import orderspn as osp
from orderspn.core.errors import Unavailable
from orderspn.plot.trace_figure import MOST_BLOCKS, _draw_runs


def learn(**settings):
    values = np.random.default_rng(0).normal(size=(40, 4))
    return osp.learn(values, rng=1, **settings)


def test_a_line_for_each_run():
    posterior = learn(method=osp.methods.Gadget(n_graphs=100, effort=0.05))
    ax = osp.plot.trace(posterior)
    by_run = posterior.model.log_scores.reshape(4, -1)
    assert len(ax.lines) == len({line.get_color() for line in ax.lines}) == 4
    for line, log_scores in zip(ax.lines, by_run, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 26))
        np.testing.assert_array_equal(line.get_ydata(), log_scores)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["middle 90% of all draws", "run 1", "run 2", "run 3", "run 4"]


@pytest.mark.thorough
def test_long_runs_are_means_of_blocks():
    posterior = learn(method=osp.methods.Gadget(n_graphs=4 * 10 * MOST_BLOCKS, effort=0.2))
    ax = osp.plot.trace(posterior)
    by_run = posterior.model.log_scores.reshape(4, MOST_BLOCKS, 10)
    for line, blocks in zip(ax.lines, by_run, strict=True):
        np.testing.assert_allclose(line.get_xdata(), 5.5 + 10 * np.arange(MOST_BLOCKS))
        np.testing.assert_allclose(line.get_ydata(), blocks.mean(axis=1))
    assert ax.get_xlabel() == "draw (lines: means of 10 consecutive ones)"


def test_of_many_runs_only_the_furthest_stands_out():
    from matplotlib.figure import Figure

    ax, means = Figure().add_subplot(), np.random.default_rng(0).normal(size=(12, 5))
    means[3] -= 10
    _draw_runs(ax, means, np.arange(5))
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["11 other runs", "run 4, the furthest from the others"]
    assert sum(line.get_xdata().size > 0 for line in ax.lines) == 12


def test_axes_of_the_user_are_drawn_to():
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert osp.plot.trace(learn(method=osp.methods.Gadget(n_graphs=50, effort=0.05)), ax=ax) is ax


def test_posteriors_that_were_not_sampled_have_none():
    with pytest.raises(Unavailable, match="method='gadget'"):
        osp.plot.trace(learn())
