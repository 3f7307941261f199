"""Traces of sampled posteriors."""

import numpy as np
import pytest

import orderspn as osp
from orderspn.core.errors import Unavailable
from orderspn.plot.diagnostic_figures import MOST_POINTS


def learn(**settings):
    values = np.random.default_rng(0).normal(size=(40, 4))
    return osp.learn(values, rng=1, **settings)


def test_a_line_for_each_run():
    posterior = learn(method=osp.methods.Gadget(n_graphs=100, effort=0.05))
    ax = osp.plot.trace(posterior)
    by_run = posterior.model.log_scores.reshape(4, -1)
    assert len(ax.lines) == 4
    for line, log_scores in zip(ax.lines, by_run, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 26))
        np.testing.assert_array_equal(line.get_ydata(), log_scores)


def test_long_runs_are_thinned():
    posterior = learn(method=osp.methods.Gadget(n_graphs=4 * (MOST_POINTS + 500), effort=0.2))
    places = osp.plot.trace(posterior).lines[0].get_xdata()
    assert places.size == MOST_POINTS
    assert (places[0], places[-1]) == (1, MOST_POINTS + 500)


def test_axes_of_the_user_are_drawn_to():
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert osp.plot.trace(learn(method=osp.methods.Gadget(n_graphs=50, effort=0.05)), ax=ax) is ax


def test_posteriors_that_were_not_sampled_have_none():
    with pytest.raises(Unavailable, match="method='gadget'"):
        osp.plot.trace(learn())
