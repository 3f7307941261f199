"""Questions for oracles, and their exact answers by recursion over subsets."""

import itertools
import math

import numpy as np

from helpers.families import scores_of
from orderspn.core.workers import Workers
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.protocol import Question
from reference.dags import DagList
from reference.lattice import SubsetRecursion
from search.order_scores import Block, make_families

QUESTIONS = {
    "two": (2, [], [0, 1]),
    "two, others before and outside": (5, [0, 4], [1, 3]),
    "three": (3, [], [0, 1, 2]),
    "three, two before": (6, [1, 5], [0, 2, 3]),
    "four, some before, some outside": (8, [1, 6], [0, 3, 4, 7]),
    "five, impossible sets": (6, [2], [0, 1, 3, 4, 5], {"impossible": 0.4}),
    "no candidates at all": (5, [1], [0, 2, 3, 4], {"largest": 0}),
    "scores hundreds apart": (6, [5], [0, 1, 2, 3, 4], {"spread": 300.0}),
    "orders ruled out": (6, [5], [0, 1, 2, 3, 4], {"required": [(3, 0), (0, 1), (4, 2)]}),
    "one order left": (5, [0], [1, 2, 3, 4], {"required": [(0, 3), (3, 1), (1, 4), (4, 2)]}),
    "four, an outsider": (8, [1, 6], [0, 3, 4, 7], {"at_once": 1}),
    "five, two outsiders, impossible sets": (6, [2], [0, 1, 3, 4, 5], {"impossible": 0.4, "at_once": 2}),
    "scores hundreds apart, two outsiders": (6, [5], [0, 1, 2, 3, 4], {"spread": 300.0, "at_once": 2}),
    "orders ruled out by outsiders": (6, [5], [0, 1, 2, 3, 4], {"demanded": [(3, 0), (0, 1), (4, 2)], "at_once": 2}),
}

LARGER_QUESTIONS = {
    "seven": (9, [0, 4], [1, 2, 3, 5, 6, 7, 8]),
    "eight": (8, [], list(range(8))),
    "eight, an outsider": (9, [8], list(range(8)), {"at_once": 1}),
    "nine, chained": (10, [0], list(range(1, 10)), {"required": [(v, v + 1) for v in range(9)]}),
    "twelve, scores hundreds apart": (13, [12], list(range(12)), {"spread": 300.0}),
}


def make_question(d, before, variables, options=None):
    """Random families of d variables, of which some are to be split."""
    return question_of(make_families(d, len(variables), **(options or {})), before, variables)


def question_of(families, before, variables):
    tables = LeafTables.of(families, Workers(1))
    return Question(tables, np.array(before, dtype=np.int64), np.array(variables, dtype=np.int64))


def scores(question):
    return scores_of(question.tables.families)


def log_score(question, order):
    """Log score of an order of places in the question's variables."""
    return Block(question.tables.families, question.before, question.variables).log_score(order)


def exact_log_masses(question):
    """Places of the variables that come first, ascending -> log mass, for every balanced partition."""
    recursion = SubsetRecursion(scores(question), question.before.tolist(), question.variables.tolist())
    masses = {}
    for places in itertools.combinations(range(question.variables.size), question.n_first):
        first = frozenset(question.variables[list(places)].tolist())
        masses[places] = recursion.prefix(first) + recursion.suffix(recursion.full - first)
    return masses


def exact_probabilities(question):
    """The same as probabilities; impossible partitions are left out."""
    masses = exact_log_masses(question)
    log_total = np.logaddexp.reduce(list(masses.values()))
    return {places: math.exp(m - log_total) for places, m in masses.items() if m > -math.inf}


def graph_scores(question):
    """Scores of graphs over places in the question's variables: what is before is summed out, others are no parents."""
    place = {v: p for p, v in enumerate(question.variables.tolist())}
    before = frozenset(question.before.tolist())
    found = {p: {} for p in place.values()}
    for child, own in found.items():
        for parents, score in scores(question)[int(question.variables[child])].items():
            if parents <= before | place.keys():
                inside = frozenset(place[v] for v in parents - before)
                own[inside] = np.logaddexp(own.get(inside, -math.inf), score)
    return found


def exact_graph_probabilities(question):
    """Probability of each partition, if every graph counts once and its order takes any free variable next, alike."""
    graphs = DagList(graph_scores(question))
    n = question.variables.size
    reached = {frozenset(): np.exp(graphs.log_weights - graphs.log_mass)}  # what is placed -> P(graph, that)
    for _ in range(question.n_first):
        longer = {}
        for placed, mass in reached.items():
            mask = sum(1 << v for v in placed)
            free = {v: (graphs.masks[:, v] & ~mask) == 0 for v in range(n) if v not in placed}
            share = mass / sum(free.values())
            for v, is_free in free.items():
                longer[placed | {v}] = longer.get(placed | {v}, 0.0) + share * is_free
        reached = longer
    totals = {tuple(sorted(placed)): float(mass.sum()) for placed, mass in reached.items()}
    return {places: p for places, p in totals.items() if p > 0.0}


def as_places(first):
    """Boolean rows as tuples of places."""
    return [tuple(np.flatnonzero(row).tolist()) for row in first]


def as_draws(proposal):
    """Every draw of a proposal as a tuple of places."""
    return [
        places
        for places, times in zip(as_places(proposal.first), proposal.multiplicity.tolist(), strict=True)
        for _ in range(times)
    ]
