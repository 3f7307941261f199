"""The graphs that imputations begin with, and that the first kept sweeps have as many edges as later ones."""

import numpy as np
import pytest

import orderspn as osp
import orderspn.imputation.augmentation as augmentation
from calibration.kinds import Levels
from orderspn.core.dag import are_acyclic
from orderspn.imputation.starting import MOST_PARENTS, dense_graph

TABLES, SWEEPS, EARLY = 60, 16, 4


def fitted(d=7, seed=0):
    data = osp.simulate.linear_gaussian(d, n_rows=80, rng=seed)
    table = osp.read_table(data.data)
    return data, osp.scores.BGe().fit(table)


def test_every_variable_has_as_many_parents_as_may_be():
    _, score = fitted()
    nothing = np.empty(0, dtype=np.int64)
    graphs = np.array([dense_graph(score, nothing, 7, np.random.default_rng(seed)) for seed in range(20)])
    assert are_acyclic(graphs).all()
    assert np.sort(graphs.sum(axis=1), axis=1).tolist() == [[min(place, MOST_PARENTS) for place in range(7)]] * 20
    assert (graphs.any(axis=0) | np.eye(7, dtype=bool)).mean() > 0.5  # orders differ, so most edges occur in some


def test_context_has_no_parents():
    _, score = fitted()
    context = np.array([2, 5])
    graph = dense_graph(score, context, 7, np.random.default_rng(0))
    assert not graph[:, context].any()
    assert np.sort(graph[:, [0, 1, 3, 4, 6]].sum(axis=0)).tolist() == [
        min(place, MOST_PARENTS) for place in range(2, 7)
    ]


def test_the_best_parents_are_chosen():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=200)
    noise = rng.normal(size=(200, 5))
    values = np.column_stack([noise, cause, cause + 0.1 * rng.normal(size=200)])
    score = osp.scores.BGe().fit(osp.read_table(values))
    for seed in range(10):
        graph = dense_graph(score, np.empty(0, dtype=np.int64), 7, np.random.default_rng(seed))
        assert graph[5, 6] or graph[6, 5]


def early_less_late():
    """The mean number of edges in early sweeps less that in late ones, in standard errors."""
    kind = Levels()
    differences = []
    for seed in range(TABLES):
        _, table = kind.draw(0.3, np.random.default_rng(seed))
        posterior = osp.learn(table, check=False, n_jobs=1, imputations=2 * SWEEPS, rng=seed, **kind.arguments)
        edges = [part.edge_probabilities().to_numpy().sum() for part in posterior.components]
        by_sweep = np.reshape(edges, (2, SWEEPS)).mean(axis=0)
        differences.append(by_sweep[:EARLY].mean() - by_sweep[SWEEPS // 2 :].mean())
    return np.mean(differences) / (np.std(differences, ddof=1) / np.sqrt(TABLES))


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:chains of imputations disagree")
def test_the_first_sweeps_have_as_many_edges_as_later_ones(monkeypatch):
    assert abs(early_less_late()) < 3.3
    monkeypatch.setattr(augmentation, "STARTING_DRAWS", 0)
    assert early_less_late() < -3.3
