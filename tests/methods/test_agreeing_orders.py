"""Orders are sampled again, further apart, if runs do not agree; and families that are too small are told."""

import numpy as np
import pytest

import orderspn as osp
from orderspn.methods import circuits
from orderspn.search.ensemble import Effort, Ensemble

DATA = osp.simulate.linear_gaussian(12, 60, rng=3).data
METHOD = osp.methods.Trust(n_orders=32, block_size=4, effort=0.2)

pytestmark = pytest.mark.filterwarnings("ignore:independent searches disagree")  # after so few orders


@pytest.fixture
def walked(monkeypatch):
    """The work and the number of sweeps between two orders of each sample that is taken."""
    found, sample = [], Ensemble.sample

    def note(self, n_orders, work, deadline):
        found.append((work, self.effort.thin))
        return sample(self, n_orders, work, deadline)

    monkeypatch.setattr(Ensemble, "sample", note)
    return found


def test_runs_that_agree_are_sampled_once(walked, monkeypatch):
    monkeypatch.setattr(circuits, "AGREEMENT", 10.0)
    osp.learn(DATA, method=METHOD)
    assert [work for work, _ in walked] == ["orders"]


def test_runs_that_do_not_are_sampled_further_apart(walked, monkeypatch):
    monkeypatch.setattr(circuits, "AGREEMENT", 0.0)
    monkeypatch.setattr("orderspn.chains.diagnostics.DISAGREEMENT", 100.0)
    posterior = osp.learn(DATA, method=METHOD)
    thin = Effort.usual(12, METHOD.effort).thin
    assert walked == [("orders", thin), ("orders, further apart", circuits.LONGER * thin)]
    assert posterior.settings["n_orders"] == 32


def test_a_time_limit_may_leave_no_time_for_it(walked, monkeypatch):
    monkeypatch.setattr(circuits, "AGREEMENT", 0.0)
    monkeypatch.setattr("orderspn.chains.diagnostics.DISAGREEMENT", 100.0)
    osp.learn(DATA, method=METHOD, time_limit=3600.0)
    assert walked[-1][0] == "orders, further apart"
    thin = Effort.usual(12, METHOD.effort).thin  # 25 seconds for an order, and 100 for one that is further apart
    monkeypatch.setattr(Ensemble, "seconds_per_order", lambda self: 25.0 * self.effort.thin / thin)
    osp.learn(DATA, method=METHOD, time_limit=3600.0)
    assert walked[-1][0] == "orders"


def test_families_that_are_too_small_are_told():
    """Three strong causes, one candidate and one outsider: the family ends where the posterior goes on."""
    rng = np.random.default_rng(0)
    causes = rng.normal(size=(300, 3))
    effect = causes.sum(axis=1) + 0.1 * rng.normal(size=300)
    data = np.column_stack([causes, effect, rng.normal(size=(300, 3))])
    method = osp.methods.Trust(n_orders=16, block_size=3, effort=0.1)
    with pytest.warns(UserWarning, match="more parents than their families can hold"):
        posterior = osp.learn(data, candidates=1, method=method)
    assert posterior.settings["limited_share"] > 0.0
    enough = osp.learn(data, candidates=4, method=method)
    assert enough.settings["limited_share"] == 0.0
