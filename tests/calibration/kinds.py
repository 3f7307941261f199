"""Kinds of tables with a generative model: a graph and a table from the prior, and the posterior of the table.

Graphs have the prior of `learn`, in which a graph counts once for each order that it follows. A table that `learn`
refuses, with a constant column or a row without values, is drawn again together with its graph: what is refused depends
on what is observed alone, so that the posterior of the other tables stays the same.

Categories beside numbers and polynomials have no kind here. Their score is a density of whitened indicators and powers
as if these were normal, and no normal distribution draws indicators that are 0 or 1, or a square that is the square of
its number. Groups of measured columns are normal, so they stand for the score over groups. Its columns are not whitened
here, because that would depend on the data.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from benchmarks.bge_prior import numbers_from_prior

import orderspn as osp
from helpers.data import letters
from orderspn.scores.basis import Basis
from reference.generative import categories_from_prior, draw_graph, prior_of_graphs


class Kind:
    """What kinds have in common; each one has a `table` given a graph, and `arguments` of `learn`."""

    d = 4

    def draw(self, share_missing, rng):
        """A graph (d, d) and its table, in which some cells are missing."""
        graphs = prior_of_graphs(self.d)
        while True:
            graph = draw_graph(graphs, rng)
            table = self.table(graph, rng)
            table = table.mask(rng.random(table.shape) < share_missing)
            if table.notna().any(axis=1).all() and (table.nunique() > 1).all():
                return graph, table

    def edges(self, table, **arguments):
        """Edge probabilities (d, d) of a table."""
        with warnings.catch_warnings():
            # Such data have means that are not 0 and variances far from 1: that is what the prior says.
            warnings.filterwarnings("ignore", "the (means|values) of ")
            # So few graphs that chains now and then seem to differ.
            warnings.filterwarnings("ignore", "chains of imputations disagree")
            posterior = osp.learn(table, check=False, n_jobs=1, **{**self.arguments, **arguments})
        return posterior.edge_probabilities().to_numpy()


@dataclass(frozen=True)
class Numbers(Kind):
    """Linear Gaussian networks."""

    rows: int = 25
    prior: dict = field(default_factory=lambda: {"alpha_mu": 1.0, "alpha_w": 8.0, "t": 3.0})

    @property
    def arguments(self):
        return {"score": osp.scores.BGe(**self.prior), "standardize": False}

    def table(self, graph, rng):
        return pd.DataFrame(numbers_from_prior(graph, self.rows, rng, **self.prior), columns=letters(self.d))


@dataclass(frozen=True)
class Groups(Kind):
    """Linear Gaussian networks of variables that are measured in two columns."""

    d = 3
    rows: int = 20
    prior: dict = field(default_factory=lambda: {"alpha_mu": 2.0, "alpha_w": 12.0, "t": 2.0})

    @property
    def arguments(self):
        plain = Basis(1, np.zeros(2), np.ones(2), np.zeros(2), np.eye(2))
        groups = {f"G{v}": [f"G{v}a", f"G{v}b"] for v in range(self.d)}
        return {"score": osp.scores.GroupBGe(**self.prior, bases=(plain,) * self.d), "groups": groups}

    def table(self, graph, rng):
        groups = [[2 * v, 2 * v + 1] for v in range(self.d)]
        values = numbers_from_prior(graph, self.rows, rng, **self.prior, groups=groups)
        return pd.DataFrame(values, columns=[name for own in self.arguments["groups"].values() for name in own])


@dataclass(frozen=True)
class Levels(Kind):
    """Networks of categories; all levels are declared, because some may not occur."""

    rows: int = 40
    arities: tuple = (2, 3, 2, 2)
    sample: float = 4.0

    @property
    def arguments(self):
        return {"score": osp.scores.BDeu(self.sample)}

    def table(self, graph, rng):
        codes = categories_from_prior(graph, self.arities, self.rows, rng, equivalent_sample_size=self.sample)
        columns = {
            name: pd.Categorical.from_codes(own, list("abc"[:arity]), ordered=True)
            for name, own, arity in zip(letters(self.d), codes.T, self.arities, strict=True)
        }
        return pd.DataFrame(columns)
