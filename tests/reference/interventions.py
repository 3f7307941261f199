"""Scores under interventions, the obvious way: fit a variable on the rows in which it was not set, and on no others."""

import itertools
import math

import numpy as np

from reference import bdeu, bge
from reference.local_scores import log_prior, subsets


def rows_left(table, intervened, child):
    """The rows (n, d) in which the child was not set."""
    return np.array([row for row, flags in zip(table, intervened, strict=True) if not flags[child]]).reshape(
        -1, table.shape[1]
    )


def bge_score(values, intervened, child, parents, **hyperparameters):
    left = rows_left(values, intervened, child)
    return bge.log_marginal_likelihood(left, child, parents, **hyperparameters) if len(left) else 0.0


def bdeu_score(codes, intervened, arities, child, parents, strength=1.0):
    left = rows_left(codes, intervened, child)
    return bdeu.log_marginal_likelihood(left, arities, child, parents, strength)


def mask_of_entries(entries, targets, names):
    """Row by row: the variables that an entry names, or that its label sets; numbers count as what they read like."""
    names_by_label = {str(label): sets for label, sets in (targets or {}).items()}
    mask = np.zeros((len(entries), len(names)), dtype=bool)
    for row, entry in enumerate(entries):
        for member in entry if isinstance(entry, (list, tuple, set)) else [entry]:
            if member in (None, "") or member != member:
                continue
            for name in [str(member)] if targets is None else names_by_label[str(member)]:
                mask[row, names.index(name)] = True
    return mask


def standardized(values, intervened):
    """Each column less its mean and over its deviation, both of the rows in which it was not set, if these vary."""
    columns = []
    for v in range(values.shape[1]):
        own = np.array([row[v] for row, flags in zip(values, intervened, strict=True) if not flags[v]])
        by = own if len(set(own)) > 1 else values[:, v]
        columns.append((values[:, v] - by.mean()) / by.std())
    return np.column_stack(columns)


def local_scores(score, d, prior="fair"):
    """Child -> {parents: log score}, from `score(child, parents)`."""
    return {
        child: {
            parents: log_prior(prior, len(parents), d) + score(child, sorted(parents))
            for parents in subsets(set(range(d)) - {child})
        }
        for child in range(d)
    }


def counts(codes, intervened, arities, child, parents):
    """Rows in which the child was not set, by the levels of the parents and of the child."""
    members = [*parents, child]
    table = np.zeros([arities[v] for v in members])
    for levels in itertools.product(*(range(arities[v]) for v in members)):
        table[levels] = sum(
            all(row[v] == level for v, level in zip(members, levels, strict=True))
            for row in rows_left(codes, intervened, child)
        )
    return table


def log_likelihood_of_graph(values, intervened, graph, **hyperparameters):
    """Log p(rows | G): a product over families, each on its own rows."""
    return sum(
        bge_score(values, intervened, child, np.flatnonzero(graph[:, child]).tolist(), **hyperparameters)
        for child in range(len(graph))
    )


def log_predictive_density(train, train_set, test, test_set, graphs, weights, **hyperparameters):
    """The density of a row is the marginal likelihood with it over that without it."""
    without = [log_likelihood_of_graph(train, train_set, graph, **hyperparameters) for graph in graphs]
    total = 0.0
    for row, flags in zip(test, test_set, strict=True):
        together, set_together = np.vstack([train, row]), np.vstack([train_set, flags])
        density = sum(
            w * math.exp(log_likelihood_of_graph(together, set_together, graph, **hyperparameters) - alone)
            for graph, w, alone in zip(graphs, weights, without, strict=True)
        )
        total += math.log(density)
    return total / len(test)
