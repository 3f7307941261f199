"""A time limit with a clock that advances by the same amount at each reading: parts of the work do less."""

import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core import deadline as module
from orderspn.parents.plan import ROUNDS

D = 24
VALUES = gaussian_data(D, 40, seed=0, density=0.1)
TICK = 0.1


class Ticking:
    """A clock that advances by a tenth of a second at each reading."""

    now = 0.0

    def monotonic(self):
        self.now += TICK
        return self.now


@pytest.fixture
def clock(monkeypatch):
    own = Ticking()
    monkeypatch.setattr(module, "time", own)
    return own


AMOUNT = {"trust": "n_orders", "gadget": "n_graphs"}
METHODS = {
    "trust": osp.methods.Trust(effort=0.005, n_orders=200),
    "gadget": osp.methods.Gadget(effort=0.005, n_graphs=200),
}


def learn(method, time_limit, candidates="auto"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hardly any search
        return osp.learn(VALUES, candidates=candidates, method=method, time_limit=time_limit, rng=0, n_jobs=1)


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["trust", "gadget"])
def test_less_and_less_of_everything(method, clock):
    """In time, and with less the shorter it is."""
    done = []
    for limit in (24.0, 12.0):
        begin = clock.now
        settings = learn(METHODS[method], limit).settings
        assert clock.now - begin <= limit + 3.0
        assert settings["time_limit_reached"] is True
        assert all(made < usual for made, usual in settings["shortened"].values())
        done.append((settings[AMOUNT[method]], settings["refinements"], settings["candidates"]))
    assert all(np.array(done[0]) >= done[1])
    assert done[0] != done[1]


@pytest.mark.parametrize("method", ["trust", "gadget"])
def test_the_least_whatever_the_limit(method, clock):
    settings = learn(METHODS[method], TICK / 2).settings
    less = settings["shortened"]
    assert (settings["candidates"], settings["refinements"]) == (5, 0)
    assert less["candidates"] == [5, 12]
    assert less["outsiders_each"] == [8, D - 1 - 12]
    assert less["refinements"] == [0, ROUNDS]
    assert less["burn_in"][0] == 1
    assert less["lost_share_variables"][0] == 1
    assert settings["diagnostics"]["orders"] <= 4 * 4


def test_candidates_that_were_asked_for_are_kept(clock):
    settings = learn(METHODS["trust"], TICK / 2, candidates=7).settings
    assert settings["candidates"] == 7
    assert "candidates" not in settings["shortened"]


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["trust", "gadget"])
def test_a_limit_that_is_not_reached_changes_nothing(method):
    short = METHODS[method].with_settings(refine=1)
    limited, free = (learn(short, limit, candidates=4) for limit in (1e6, None))
    assert (limited.settings["time_limit_reached"], limited.settings["shortened"]) == (False, {})
    assert "time_limit_reached" not in free.settings
    assert limited.settings["lost_share"] == free.settings["lost_share"]
    np.testing.assert_array_equal(limited.edge_probabilities(), free.edge_probabilities())
