"""Posteriors over four variables, each with the probabilities of all 543 graphs by brute force."""

from functools import cache
from typing import NamedTuple

import numpy as np

import orderspn as osp
from helpers.mixtures import NAMES, VALUES, learn
from models.all_dags import every_dag, masks_of
from reference.dags import adjacency_of, all_dags
from reference.enumeration import Enumeration
from reference.local_scores import local_scores

GRAPHS = adjacency_of(all_dags(4))


class Case(NamedTuple):
    posterior: osp.Posterior
    log_probabilities: np.ndarray  # of GRAPHS
    log_scores: np.ndarray


def of(posterior, brute, log_scores):
    found = brute.graph_probabilities()
    with np.errstate(divide="ignore"):
        return Case(posterior, np.log([found.get(mask, 0.0) for mask in masks_of(GRAPHS)]), log_scores)


def scores_of(scores):
    return np.array(
        [
            sum(scores[child].get(frozenset(np.flatnonzero(g[:, child]).tolist()), -np.inf) for child in range(4))
            for g in GRAPHS
        ]
    )


@cache
def case(name):
    scores = local_scores(VALUES)
    log_scores = scores_of(scores)
    if name == "orders":
        return of(learn(), Enumeration.of(scores), log_scores)
    if name == "dags":
        return of(learn(method=osp.methods.Exact(target="dag")), every_dag(scores), log_scores)
    if name == "evidence":
        posterior = learn().given("A !-> B, C < D")
        brute = Enumeration.of(scores).given(absent=[(0, 1)], before=[(2, 3)])
        return of(posterior, brute, log_scores)
    parts = [case("orders"), case("dags")]
    with np.errstate(divide="ignore"):
        mixed = np.logaddexp(*(np.log(0.5) + part.log_probabilities for part in parts))
    return Case(osp.mix([part.posterior for part in parts], "equal"), mixed, log_scores)


CASES = ["orders", "dags", "evidence", "mixture"]


def frame_of(graph):
    import pandas as pd

    return pd.DataFrame(graph, NAMES, NAMES)
