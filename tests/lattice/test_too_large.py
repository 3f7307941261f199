"""Blocks with more variables than masks have bits are errors in every function."""

import subprocess
import sys

import numpy as np
import pytest

import orderspn as osp
from helpers.circuits import by_hand
from orderspn.circuit.validation import validate
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK, MOST_ORDERED
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables

SCRIPT = f"""
import numpy as np
from orderspn.core.errors import InvalidValue
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.lattice.passes import log_prefix_sums
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables

NO_VARIABLES = np.empty(0, dtype=np.int64)
for d in ({MOST_ORDERED} + 1, 63, 64, 70, 96):
    for outsiders in (np.empty((0, 0), dtype=np.int64), np.array([[d]])):
        own = [Family(v, NO_VARIABLES, np.zeros(1 + len(outsiders)), outsider_rows=outsiders) for v in range(d)]
        families = [*own, Family(d, NO_VARIABLES, np.zeros(1))]
        tables = LeafTables.of(families, Workers())
        rows = np.ones((1, d + 1), dtype=bool)
        rows[0, d] = False
        for sums in (
            lambda: log_prefix_sums(Blocks.of(tables, ~rows, rows), tables.log_mass, Workers(), "sums"),
            lambda: ExactOrders.over_all(families, Workers()).log_mass,
        ):
            try:
                sums()
            except InvalidValue as problem:
                print(problem)
"""


@pytest.mark.thorough
def test_too_many_variables_in_one_block():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused = done.stdout.splitlines()
    assert len(refused) == 5 * 2 * 2
    assert all(f"at most {MOST_ORDERED} variables can be summed at once; got a block of" in line for line in refused)
    assert all("Use method='trust'" in line for line in refused)


@pytest.mark.parametrize("d", [MOST_ORDERED + 1, 70])
def test_learning_them_exactly_is_refused_before_any_work(d):
    values = np.random.default_rng(0).normal(size=(100, d))
    with pytest.raises(InvalidValue, match=f"got a block of {d}. Use method='trust'"):
        osp.learn(values, method="exact", candidates=2, memory_limit=2**100, standardize=False)


TABLES = LeafTables.of([Family(v, np.empty(0, dtype=np.int64), np.zeros(1)) for v in range(3)], Workers())
ALL, NONE = np.ones((1, 3), dtype=bool), np.zeros((1, 3), dtype=bool)


@pytest.mark.parametrize(
    ("before", "variables", "message"),
    [
        (NONE[:, :2], ALL, "boolean rows over 3 variables"),
        (NONE[:, :2], ALL[:, :2], "boolean rows over 3 variables"),
        (np.zeros((2, 3), dtype=bool), ALL, "boolean rows over 3 variables"),
        (NONE, ALL.astype(np.int64), "boolean rows over 3 variables"),
        (NONE, NONE, "every block must order a variable"),
        (ALL, ALL, "and none that comes before it"),
    ],
)
def test_rows_that_are_no_blocks(before, variables, message):
    with pytest.raises(InvalidValue, match=message):
        Blocks.of(TABLES, before, variables)


@pytest.mark.parametrize("d", [MOST_IN_CIRCUIT_BLOCK + 1, 64, 70])
def test_too_many_variables_in_a_block_of_a_circuit(d):
    with pytest.raises(InvalidValue, match=f"not an OrderSPN: a block has {d} variables, more than"):
        validate(by_hand(d, [(set(), set(range(d)))], {}))
