"""A Geweke test of the sampler of missing categories: sweeps that also draw the observed cells must keep the prior.

A graph and a table are drawn from the prior. Sweeps of the sampler follow, each of which draws the graph, the tables of
probabilities, the missing cells and then the observed cells. Each of these steps keeps the joint distribution, so the
last state is one more draw from the prior. Every replicate starts anew: they are independent, and chi-square applies.
"""

import numpy as np
import pytest
from scipy import stats

import orderspn as osp
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.levels import parameters as at_levels
from orderspn.data.categories import Categories
from orderspn.scores.bdeu_completion import draw_codes, draw_tables
from reference.generative import categories_from_prior, draw_graph, prior_of_graphs

ARITIES, ROWS, SAMPLE, SWEEPS = (2, 3, 2), 6, 2.0, 4
D = len(ARITIES)
GRAPHS = prior_of_graphs(D)
MISSING = np.random.default_rng(0).random((ROWS, D)) < 0.4
LEVELS = tuple(tuple("abc"[:arity]) for arity in ARITIES)


def mean_tables(fitted, graph, rng):
    """The posterior mean instead of a draw."""
    parents = [np.flatnonzero(graph[:, child]) for child in range(D)]
    strengths = [fitted.strengths_given(child, own) for child, own in enumerate(parents)]
    tables = [np.log(own / own.sum(axis=-1, keepdims=True)) for own in strengths]
    return list(zip(parents, tables, strict=True))


def tables_of_k2(fitted, graph, rng):
    """Draws with one row in every cell of the prior, not the equivalent sample size over all of them."""
    tables = []
    for child in range(D):
        parents = np.flatnonzero(graph[:, child])
        draws = rng.gamma(fitted.counts_given(child, parents) + 1.0)
        tables.append((parents, np.log(draws / draws.sum(axis=-1, keepdims=True))))
    return tables


def prior_draw(rng):
    graph = draw_graph(GRAPHS, rng)
    return graph, categories_from_prior(graph, ARITIES, ROWS, rng, equivalent_sample_size=SAMPLE)


def sweep(codes, tables_of, rng):
    """Draw everything once."""
    table = Categories(("A", "B", "C"), codes.astype(np.uint16), LEVELS)
    posterior = osp.learn(table, score=osp.scores.BDeu(SAMPLE), check=False, n_jobs=1)
    graph = posterior.sample(1, rng=rng.spawn(1)[0]).adjacency[0]
    tables = tables_of(posterior.model.score.likelihood, graph, rng)
    codes = draw_codes(codes, MISSING, None, tables, rng)
    return graph, draw_codes(codes, ~MISSING, None, tables, rng)


def p_values(n_replicates, tables_of=draw_tables, seed=1):
    """Of the graphs against their prior, and of how alike columns and rows are against fresh draws from the prior."""
    rng = np.random.default_rng(seed)
    last = []
    for _ in range(n_replicates):
        graph, codes = prior_draw(rng)
        for _ in range(SWEEPS):
            graph, codes = sweep(codes, tables_of, rng)
        last.append((graph, codes))
    fresh = [prior_draw(rng) for _ in range(4 * n_replicates)]
    prior = {}
    for graph, p in zip(*GRAPHS, strict=True):
        prior[graph.tobytes()] = prior.get(graph.tobytes(), 0.0) + p
    found = {"graphs": chi_square_p([graph.tobytes() for graph, _ in last], prior)}
    for name, of in {"alike columns": alike_columns, "different rows": different_rows}.items():
        found[name] = two_samples_p([of(codes) for _, codes in last], [of(codes) for _, codes in fresh])
    return found


def alike_columns(codes):
    """In how many rows the first and the last variable have the same level."""
    return int((codes[:, 0] == codes[:, -1]).sum())


def different_rows(codes):
    return len(np.unique(codes, axis=0))


def two_samples_p(some, others):
    """p value of two samples of small integers: chi-square, with rare outcomes joined to their neighbours."""
    counts = np.array([np.bincount(own, minlength=ROWS + 1) for own in (some, others)])
    ends = [0]
    for k in range(1, ROWS + 2):
        left = counts[0, k:].sum()
        if counts[0, ends[-1] : k].sum() >= 8 and (left >= 8 or left == 0):
            ends.append(k)
    ends[-1] = ROWS + 1
    pooled = np.add.reduceat(counts, ends[:-1], axis=1)
    return float(stats.chi2_contingency(pooled).pvalue)


@pytest.mark.parametrize("n_replicates", at_levels([150, 2000], quick=[], test=[150]))
def test_sweeps_keep_the_prior_of_categories(n_replicates):
    found = p_values(n_replicates)
    assert min(found.values()) > THRESHOLD, found


@pytest.mark.exhaustive
@pytest.mark.parametrize("tables_of", [mean_tables, tables_of_k2])
def test_other_tables_do_not(tables_of):
    found = p_values(300, tables_of)
    assert min(found.values()) < THRESHOLD, found
