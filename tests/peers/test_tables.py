"""Tables that are simulated like published ones are like them."""

import numpy as np
import pytest
from benchmarks.peers.tables import boss_like, published


def _regressions(values, dag):
    """Quantiles of shares of explained variance, of sizes of coefficients, and of correlations."""
    shares, coefficients = [], []
    for v in range(len(dag)):
        found, left, *_ = np.linalg.lstsq(values[:, dag[:, v]], values[:, v], rcond=None)
        shares.append(1.0 - left[0] / len(values) if len(left) else 0.0)
        coefficients.extend(np.abs(found))
    correlations = np.abs(np.corrcoef(values.T))[np.triu_indices(len(dag), 1)]
    return np.concatenate(
        [
            np.quantile(shares, [0.5, 0.9]),
            np.quantile(coefficients, [0.5, 0.95]),
            np.quantile(correlations, [0.5, 0.99]),
        ]
    )


@pytest.mark.parametrize("degree", [6, 10, 20])
def test_tables_like_those_of_boss_have_their_distributions(degree):
    table = published(f"boss_er{degree}_0")
    wanted = _regressions(table.values, table.dag)
    ours = [boss_like(100, 1000, degree, repeat) for repeat in range(3)]
    assert np.allclose(np.mean([_regressions(one.values, one.dag) for one in ours], axis=0), wanted, atol=0.06)


def test_effects_of_such_tables_are_those_of_interventions():
    table = boss_like(8, 200_000, 3, 0)
    covariance = np.cov(table.values, rowvar=False)
    for v in range(8):  # the effect on its children of a variable without parents is a covariance
        if not table.dag[:, v].any():
            assert np.allclose(table.total_effects[v], covariance[v] * (table.total_effects[v] != 0), atol=0.02)
    assert (np.abs(table.total_effects) > 1e-9).sum() > 8
