"""A method of a user: the skeleton of the guide."""

import re
from pathlib import Path

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data

GUIDE = Path(__file__).parents[2] / "docs" / "adding-a-method.md"


def of_the_guide():
    """The class that the guide defines."""
    namespace = {"__name__": __name__}
    (code,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    exec(compile(code, str(GUIDE), "exec"), namespace)
    return namespace["RandomOrders"]


RandomOrders = of_the_guide()


@pytest.fixture(scope="module")
def values():
    return gaussian_data(6, 40, seed=0)


def test_learning(values):
    posterior = osp.learn(values, method=RandomOrders(n_orders=20), rng=3)
    exact = osp.learn(values)
    assert posterior.log_evidence < exact.log_evidence
    assert posterior.coverage().share == pytest.approx(np.exp(posterior.log_evidence - exact.log_evidence), rel=1e-9)
    assert posterior.probability("X1 -> X2") + posterior.probability("X1 !-> X2") == pytest.approx(1.0, abs=1e-9)
    assert posterior.settings["method"] == "random-orders"
    assert posterior.settings["n_orders"] == 20
    assert posterior.settings["n_blocks"] > 2
    assert "random-orders" in posterior.summary()


def test_with_all_orders_in_one_block_it_is_exact(values):
    posterior = osp.learn(values, method=RandomOrders(block_size=6))
    assert posterior.log_evidence == pytest.approx(osp.learn(values).log_evidence, abs=1e-9)


def test_threads_and_seeds(values):
    one, two = (osp.learn(values, method=RandomOrders(), rng=1, n_jobs=n) for n in (1, 2))
    assert one.edge_probabilities().equals(two.edge_probabilities())
    other = osp.learn(values, method=RandomOrders(), rng=2)
    assert not one.edge_probabilities().equals(other.edge_probabilities())


def test_limits(values):
    with pytest.raises(ValueError, match=r"100 orders in blocks of 3 variables take about .* Lower n_orders="):
        osp.learn(values, method=RandomOrders(), memory_limit=1000)
    with pytest.raises(ValueError, match=r"time_limit is for .*RandomOrders\(n_orders=100, block_size=3\)"):
        osp.learn(values, method=RandomOrders(), time_limit=1.0)
    with pytest.raises(ValueError, match="n_orders must be"):
        RandomOrders(n_orders=0)
