"""Posteriors from tables with missing categories, against the sum over every completion."""

import itertools

import numpy as np
import pandas as pd
import pytest

import orderspn as osp


def incomplete_table():
    rng = np.random.default_rng(3)
    a = rng.random(14) < 0.5
    b = a ^ (rng.random(14) < 0.15)
    c = b ^ (rng.random(14) < 0.2)
    data = pd.DataFrame({"A": a, "B": b, "C": c}).astype(object)
    for row, name in ((0, "A"), (0, "B"), (3, "B"), (7, "C"), (9, "A"), (12, "C")):
        data.loc[row, name] = None
    return data


def completions(data):
    """Every complete table, and the logarithm of its evidence."""
    gaps = [(row, name) for name in data for row in range(len(data)) if data.loc[row, name] is None]
    for values in itertools.product([False, True], repeat=len(gaps)):
        whole = data.copy()
        for (row, name), value in zip(gaps, values, strict=True):
            whole.loc[row, name] = value
        yield gaps, values, whole.astype(bool)


@pytest.fixture(scope="module")
def exact():
    """Edge probabilities and the distribution of the missing cells, by the sum over completions."""
    edges, log_evidence, cells = [], [], []
    for _, values, whole in completions(incomplete_table()):
        posterior = osp.learn(whole, check=False)
        edges.append(posterior.edge_probabilities().to_numpy())
        log_evidence.append(posterior.log_evidence)
        cells.append(values)
    weights = np.exp(np.array(log_evidence) - max(log_evidence))
    weights /= weights.sum()
    return np.tensordot(weights, edges, axes=1), weights @ np.array(cells, dtype=float)


@pytest.fixture(scope="module")
def imputed(level):
    return osp.learn(incomplete_table(), imputations=200 if level != "all" else 1000, check=False)


def errors_of(draws):
    """Standard errors of means along chains, from means of blocks."""
    blocks = draws.reshape(20, -1, *draws.shape[1:]).mean(axis=1)
    return np.sqrt(blocks.var(axis=0, ddof=1) / 20)


@pytest.mark.thorough
def test_the_mean_over_imputations_is_the_sum_over_completions(exact, imputed):
    each = np.array([component.edge_probabilities().to_numpy() for component in imputed.components])
    assert (np.abs(each.mean(axis=0) - exact[0]) < 4.5 * errors_of(each) + 1e-12).all()
    np.testing.assert_allclose(imputed.edge_probabilities().to_numpy(), each.mean(axis=0), atol=1e-12)


@pytest.mark.thorough
def test_missing_cells_have_their_probabilities(exact, imputed):
    gaps = next(completions(incomplete_table()))[0]
    found = np.array([[float(table.loc[row, name]) for row, name in gaps] for table in imputed.imputations()])
    assert (np.abs(found.mean(axis=0) - exact[1]) < 4.5 * errors_of(found) + 0.02).all()
    assert np.ptp(exact[1]) > 0.3  # the test could tell
