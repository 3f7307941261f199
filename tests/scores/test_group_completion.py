"""Draws of missing cells of variables with several columns, against their exact conditional distribution.

One row is repeated many times with the same cell missing, and parameters are held fixed. The reference evaluates the
density of the whole row for every level, or on a fine grid for numbers.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import orderspn as osp
from helpers.chi_square import THRESHOLD
from helpers.levels import parameters as at_levels
from helpers.mixed import mixed_data
from orderspn.data.dataset import Dataset
from orderspn.scores import group_bge
from orderspn.scores.basis import Basis
from orderspn.scores.bge_completion import Parameters, draw_parameters
from orderspn.scores.group_completion import GRID_REACH, column_graph
from reference.group_completion import probabilities

ROWS, BINS, FINE = 3000, 12, 800
CELLS = {"A": (0, 0), "B": (1, 0), "C": (2, 0), "D": (3, 0), "E": (4, 0), "F": (4, 1)}
"""Of each column, its variable and its place there: A and D are numbers, B and C categories, E and F a group."""

SOME = at_levels(CELLS, quick=[], test=["A", "B", "F"])


@pytest.fixture(params=[1, 3], ids=["linear", "cubic"])
def model(request, monkeypatch):
    """A score that was fitted to a mixed table, a graph with all edges, and parameters that are always the same."""
    table = osp.read_mixed(mixed_data(60), groups={"G": ["E", "F"]})
    fitted = osp.scores.BGe(degree=request.param).fit(table)
    graph = np.triu(np.ones((fitted.n_variables, fitted.n_variables), dtype=bool), k=1)
    owner = np.repeat(np.arange(fitted.n_variables), np.diff(fitted.starts))
    columns = np.concatenate([b.applied(p.values) for b, p in zip(fitted.bases, table.parts, strict=True)], axis=1)
    rng = np.random.default_rng(0)
    parameters = draw_parameters(fitted.columns, columns, None, column_graph(graph, owner), rng)
    monkeypatch.setattr(group_bge, "draw_parameters", lambda *_: parameters)
    return SimpleNamespace(table=table, fitted=fitted, graph=graph, parameters=parameters)


def drawn(model, row, name, intervened=()):
    """Draws of one cell of a row, (ROWS,)."""
    variable, place = CELLS[name]
    parts = tuple(replace(part, values=np.tile(part.values[row], (ROWS, 1))) for part in model.table.parts)
    set_to = np.zeros((ROWS, len(parts)), dtype=bool)
    set_to[:, list(intervened)] = True
    table = replace(model.table, parts=parts, intervened=set_to if intervened else None)
    missing = np.zeros((ROWS, len(CELLS)), dtype=bool)
    missing[:, list(CELLS).index(name)] = True
    completed = model.fitted.completed(table, missing, model.graph, np.random.default_rng(1))
    return completed.parts[variable].values[:, place]


def p_value(model, found, row, name, parameters=None, intervened=()):
    """Of draws of one cell of a row under the exact distribution given its other cells."""
    variable, place = CELLS[name]
    parameters = model.parameters if parameters is None else parameters
    part, basis = model.table.parts[variable], model.fitted.bases[variable]
    values = [own.values[row].tolist() for own in model.table.parts]
    about = model.fitted.bases, model.graph, parameters, intervened
    if part.kind == "category":
        expected = probabilities(values, variable, place, range(len(part.levels)), *about)
        observed = np.bincount(found.astype(int), minlength=len(expected))
        return float(stats.chisquare(observed, expected * ROWS).pvalue)
    edges = np.linspace(-GRID_REACH, GRID_REACH, FINE + 1) * basis.scale[place] + basis.centre[place]
    density = probabilities(values, variable, place, (edges[1:] + edges[:-1]) / 2, *about)
    below = np.interp(found, edges, np.append(0.0, np.cumsum(density)))  # uniform if draws are right
    return float(stats.chisquare(np.histogram(below, BINS, (0.0, 1.0))[0]).pvalue)


@pytest.mark.parametrize("name", SOME)
def test_draws_have_the_distribution_given_the_row(model, name):
    assert p_value(model, drawn(model, 3, name), 3, name) > THRESHOLD


@pytest.mark.parametrize("name", SOME)
def test_other_parameters_are_found_out(model, name):
    """The same check with noise of half as much variance in the reference."""
    own = model.parameters
    wrong = Parameters(own.intercepts, own.weights, 0.5 * own.variances)
    assert p_value(model, drawn(model, 3, name), 3, name, wrong) < THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("name", at_levels("ABD", quick=[], test=["B"]))
def test_variables_that_were_set_say_nothing_about_their_causes(model, name):
    last = model.fitted.n_variables - 1
    found = drawn(model, 3, name, intervened=(last,))
    assert p_value(model, found, 3, name, intervened=(last,)) > THRESHOLD
    assert p_value(model, found, 3, name) < THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("cause", [True, False], ids=["cause", "effect"])
def test_a_linear_number_is_normal(monkeypatch, cause):
    """X -> Y with one column each: the conditional distribution in closed form, of rows that are a plain `Dataset`."""
    intercepts, slope, (of_x, of_y), known = (0.1, -0.2), 0.7, (0.8, 0.5), 0.4
    weights = np.array([[0.0, slope], [0.0, 0.0]])
    parameters = Parameters(np.array(intercepts), weights, np.array([of_x, of_y]))
    monkeypatch.setattr(group_bge, "draw_parameters", lambda *_: parameters)
    values = np.tile([[known - 1.0, known + 1.0], [known + 1.0, known - 1.0]], (ROWS // 2, 1))
    values[:, 1 if cause else 0] = known
    missing = np.tile([cause, not cause], (ROWS, 1))
    bases = tuple(Basis(1, np.zeros(1), np.ones(1), np.zeros(1), np.eye(1)) for _ in range(2))
    table = Dataset(("X", "Y"), values)
    fitted = osp.scores.GroupBGe(bases=bases).fit(table)
    completed = fitted.completed(table, missing, weights != 0.0, np.random.default_rng(2))
    assert isinstance(completed, Dataset)
    np.testing.assert_array_equal(completed.values[~missing], known)
    if cause:
        precision = 1.0 / of_x + slope**2 / of_y
        mean = (intercepts[0] / of_x + slope * (known - intercepts[1]) / of_y) / precision
        expected, wrong = stats.norm(mean, precision**-0.5), stats.norm(intercepts[0], of_x**0.5)
    else:
        expected, wrong = stats.norm(intercepts[1] + slope * known, of_y**0.5), stats.norm(intercepts[1], of_y**0.5)
    assert stats.kstest(completed.values[missing], expected.cdf).pvalue > THRESHOLD
    assert stats.kstest(completed.values[missing], wrong.cdf).pvalue < THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("deviation", [0.3, 0.02, 0.003])
def test_a_number_that_others_nearly_determine(monkeypatch, deviation):
    """The distribution of an effect is as narrow as its noise, also if that is less than a step of the first grid."""
    parameters = Parameters(np.zeros(2), np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, deviation**2]))
    monkeypatch.setattr(group_bge, "draw_parameters", lambda *_: parameters)
    bases = tuple(Basis(1, np.zeros(1), np.ones(1), np.zeros(1), np.eye(1)) for _ in range(2))
    table = Dataset(("X", "Y"), np.random.default_rng(3).normal(size=(ROWS, 2)))
    missing = np.tile([False, True], (ROWS, 1))
    fitted = osp.scores.GroupBGe(bases=bases).fit(table)
    completed = fitted.completed(table, missing, parameters.weights != 0.0, np.random.default_rng(2)).values
    noise = (completed[:, 1] - completed[:, 0]) / deviation
    assert stats.kstest(noise, stats.norm.cdf).pvalue > THRESHOLD
    assert stats.kstest(1.25 * noise, stats.norm.cdf).pvalue < THRESHOLD
