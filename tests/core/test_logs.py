"""The log tells the stages of learning with their sizes, and is silent by default."""

import logging
import re
import subprocess
import sys

import pytest

import orderspn as osp
from helpers.data import gaussian_data

DATA = gaussian_data(6, 30, seed=0)

STAGES = {
    "exact": (osp.methods.Exact(), ["reading", "candidates", "scoring", "sums", "done"]),
    "trust": (
        osp.methods.Trust(n_orders=8, block_size=3, effort=0.01),
        ["reading", "candidates", "scoring", "search", "orders", "circuit", "sums", "done"],
    ),
    "oracle": (
        osp.methods.Trust(expansion=[2], block_size=3),
        ["reading", "candidates", "scoring", "circuit", "sums", "done"],
    ),
    "gadget": (
        osp.methods.Gadget(n_graphs=8, effort=0.01),
        ["reading", "candidates", "scoring", "graphs", "done"],
    ),
}


@pytest.mark.filterwarnings("ignore")  # short chains
@pytest.mark.parametrize("name", STAGES)
def test_stages_of_learning(caplog, name):
    method, stages = STAGES[name]
    with caplog.at_level(logging.INFO, logger="orderspn"):
        posterior = osp.learn(DATA, method=method)
    messages = [record.getMessage() for record in caplog.records]
    assert [message.partition(":")[0] for message in messages] == stages
    assert all(re.search(r": .*\d.*, \d+\.\d\d s$", message) for message in messages)
    assert messages[0].startswith("reading: 30 rows of 6 variables")
    if name == "exact":
        assert f"scoring: {6 * 2**5} parent sets" in messages[2]
        assert f"log evidence {posterior.log_evidence:.4f}" in messages[3]


@pytest.mark.filterwarnings("ignore")
def test_rounds_of_refinement_and_no_rehearsal(caplog):
    with caplog.at_level(logging.INFO, logger="orderspn"):
        osp.learn(DATA, candidates=3, method=osp.methods.Trust(n_orders=4, effort=0.01), time_limit=30)
    names = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert "candidates, round 1" in names
    assert names.count("search") == 1  # not that of the rehearsal


def test_settings_at_the_level_of_debugging(caplog):
    with caplog.at_level(logging.DEBUG, logger="orderspn"):
        osp.learn(DATA, rng=7)
    text = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert any(message.startswith("method: Exact(") for message in text)
    assert any(message.startswith("settings: ") and "'seed': 7" in message for message in text)


@pytest.mark.thorough
def test_silent_by_default():
    code = "import numpy as np, orderspn as osp; osp.learn(np.random.default_rng(0).normal(size=(30, 4)))"
    code += "; import logging; assert logging.getLogger('orderspn').handlers and not logging.getLogger().handlers"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
