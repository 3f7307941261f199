"""Local scores of all kinds, small enough to list all graphs."""

import warnings

import numpy as np

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data
from helpers.interventions import random_mask
from orderspn.data.dataset import Dataset
from orderspn.knowledge.rules import parent_rules
from orderspn.knowledge.statement import Knowledge
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size

NONE = np.empty(0, dtype=np.int64)

KNOWLEDGE = Knowledge(
    required=[("A", "C")], forbidden=[("B", "D")], max_parents={"D": 2}, edge_probabilities={("B", "C"): 0.9}
)


def local_score(kind, d, seed=0, rows=60):
    """The local score of a kind, for d variables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KINDS[kind](d, seed, rows)


def joined(likelihood, d, prior="fair", cap=None, knowledge=None, context=NONE):
    log_prior, most = log_prior_by_size(prior, d), d - 1 if cap is None else cap
    rules = None if knowledge is None else parent_rules(knowledge, tuple(letters(d)), most, log_prior, context)
    return LocalScore(likelihood, log_prior, most, rules, context)


def numbers(d, seed, rows):
    return Dataset(tuple(letters(d)), gaussian_data(d, rows, seed))


def _bge(d, seed, rows):
    return joined(osp.scores.BGe().fit(numbers(d, seed, rows)), d)


def _bic(d, seed, rows):
    return joined(osp.scores.BIC(1.5).fit(numbers(d, seed, rows)), d, prior="uniform")


def _far(d, seed, rows):
    values = gaussian_data(d, rows, seed) + 1e5 * np.random.default_rng(seed).normal(size=d)
    return joined(osp.scores.BGe().fit(Dataset(tuple(letters(d)), values)), d)


def _far_limited(d, seed, rows):
    return joined(_far(d, seed, rows).likelihood, d, cap=2)


def _interventions(score):
    def local(d, seed, rows):
        mask = random_mask(np.random.default_rng(seed), rows, d, share=0.5)
        data = Dataset(tuple(letters(d)), gaussian_data(d, rows, seed), intervened=mask)
        return joined(score.fit(data), d)

    return local


def _known(d, seed, rows):
    return joined(_bge(d, seed, rows).likelihood, d, knowledge=KNOWLEDGE)


def _context(d, seed, rows):
    return joined(_bge(d, seed, rows).likelihood, d, context=np.array([1]))


def _known_context(d, seed, rows):
    return joined(_bic(d, seed, rows).likelihood, d, knowledge=KNOWLEDGE, context=np.array([0]))


def _limited(d, seed, rows):
    return joined(_bge(d, seed, rows).likelihood, d, prior=lambda size: 1.0 / (1 + size), cap=1)


def _categories(d, seed, rows):
    arities = ([2, 3, 2, 2, 3] * d)[:d]
    return joined(osp.scores.BDeu().fit(as_categories(discrete_data(arities, rows, seed), arities)), d)


def _curves(d, seed, rows):
    return joined(osp.scores.BGe(degree=2).fit(numbers(d, seed, rows)), d)


COMPILED = {
    "bge": _bge,
    "bic": _bic,
    "far means": _far,
    "far means, two parents": _far_limited,
    "interventions": _interventions(osp.scores.BGe()),
    "interventions, bic": _interventions(osp.scores.BIC()),
    "knowledge": _known,
    "context": _context,
    "knowledge and context": _known_context,
    "own prior, one parent": _limited,
}
"""Kinds that compiled code climbs."""

OTHERS = {"categories": _categories, "curves": _curves}
"""Kinds that are asked set by set."""

KINDS = COMPILED | OTHERS
