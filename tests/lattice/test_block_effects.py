"""Effects on blocks with their own tables: by the variables still to come, and by those placed already."""

import numpy as np
import pytest

import orderspn as osp
import orderspn.circuit.effects
from helpers.data import gaussian_data, letters
from helpers.levels import parameters

METHOD = osp.methods.Trust(n_orders=6, effort=0.01, refine=0)


@pytest.mark.filterwarnings("ignore:independent searches disagree")
@pytest.mark.parametrize("evidence", ["", "A -> B, C !-> D", "C < A", "H < B, B -> E"])
@pytest.mark.parametrize(
    "case",
    parameters([(1, 4, 40), (2, 5, 40), (1, 1, 40), (1, 8, 4000)], test=[(2, 5, 40)]),
)
def test_both_ways_agree(monkeypatch, case, evidence):
    """The other way is compared with brute force by the tests of all models."""
    outsiders, block_size, n_rows = case
    posterior = osp.learn(
        gaussian_data(8, n_rows, seed=5),
        variables=letters(8),
        candidates=3,
        method=METHOD.with_settings(outsiders=outsiders, block_size=block_size),
        rng=0,
        n_jobs=1,
    )
    if evidence:
        posterior = posterior.given(evidence)
    one = posterior.causal_effects().to_numpy()
    monkeypatch.setattr(orderspn.circuit.effects, "block_bytes", lambda n: orderspn.circuit.effects.BLOCK_MEMORY + n)
    other = posterior.causal_effects().to_numpy()
    assert np.abs(other - np.eye(8)).max() > 0.0
    np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-12)
