"""Cells are kept and continued; rows that are slow or fail have few repeats; summaries compare the same tables."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cloudpickle
import joblib
import numpy as np
import pytest
from benchmarks.peers import cells, summaries
from benchmarks.peers.discrete_networks import parse_bif
from benchmarks.peers.methods import CATEGORIES, METHODS, Method
from benchmarks.peers.tables import FAMILIES, Family, Table

DAG = np.triu(np.ones((3, 3), dtype=bool), 1)


class Fake(Method):
    script = Path(__file__).parent / "fake_adapter.py"


def _table(repeat):
    return Table(np.random.default_rng(repeat).normal(size=(30, 3)), DAG)


FAMILY = Family("fake-data", "", "", _table, repeats=4)
METHOD = Fake("fake", "fake", "orderspn", "fake")


def test_cells_are_measured_once_and_continued(tmp_path):
    path, told = tmp_path / "results.json", []
    first = cells.measure_rows([METHOD], [replace(FAMILY, repeats=2)], path, tell=told.append)
    assert list(first) == ["fake | fake-data | 0", "fake | fake-data | 1"]
    assert first["fake | fake-data | 0"]["shd"] == 0
    again = cells.measure_rows([METHOD], [FAMILY], path, tell=told.append)
    assert len(told) == 4
    assert len(again) == 4
    assert json.loads(path.read_text()) == again


@pytest.mark.thorough
def test_rows_are_tasks_of_a_backend(tmp_path, monkeypatch):
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not know the tests
    families = [replace(FAMILY, name=name, repeats=2) for name in ("one", "two")]
    expected = cells.measure_rows([METHOD], families, tmp_path / "here.json", tell=lambda _: None)
    monkeypatch.setattr(cells, "measure_cell", lambda *_: pytest.fail("in this process"))
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = cells.measure_rows([METHOD], families, tmp_path / "away.json", tell=lambda _: None)
    assert _without_costs(found) == _without_costs(expected)
    assert json.loads((tmp_path / "away.json").read_text()) == found


def _without_costs(results):
    costs = ("cpu_seconds", "peak_mib")
    return {name: {key: value for key, value in cell.items() if key not in costs} for name, cell in results.items()}


def test_cells_of_several_runs_at_once_are_all_kept(tmp_path):
    path = tmp_path / "results.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: cells.keep(path, str(k), {"shd": k}), range(60)))
    assert len(json.loads(path.read_text())) == 60


def test_a_row_whose_first_table_fails_has_no_more(tmp_path):
    failing = Fake("fake", "fake", "orderspn", "fake", {"fails": True})
    found = cells.measure_rows([failing], [FAMILY], tmp_path / "results.json", tell=lambda _: None)
    assert found == {"fake | fake-data | 0": {"failed": "ValueError: no such luck"}}


def test_a_slow_row_has_few_repeats(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"fake | fake-data | 0": {"cpu_seconds": cells.SLOW + 1.0}}))
    assert len(cells.measure_rows([METHOD], [FAMILY], path, tell=lambda _: None)) == cells.FEW


def test_methods_take_tables_of_their_kind_and_size():
    assert not cells.applies(METHODS["flop"], replace(FAMILY, kind=CATEGORIES), 3)
    assert not cells.applies(METHODS["dibs"], FAMILY, 17)
    assert all(method.script.exists() for method in METHODS.values())


def test_differences_are_over_the_same_tables():
    results = {f"a | x | {r}": {"shd": float(r)} for r in range(5)} | {
        f"b | x | {r}": {"shd": r + 1.0} for r in range(3)
    }
    found = summaries.difference(results, "a", "b", "x", "shd")
    assert (found.mean, found.error, found.tables) == (-1.0, 0.0, 3)
    assert found.verdict(more_is_better=False) == "ahead"
    # The mean of b, 2, is that of a; on the tables of both, a is better.
    assert summaries.best_method(results, ["b", "a"], "x", summaries.GRAPH[0]) == "a"


def test_differences_within_two_errors_and_of_few_tables_say_nothing():
    assert summaries.Difference(1.0, 0.6, 10).verdict(True) == "equal"
    assert summaries.Difference(1.0, 0.4, 10).verdict(False) == "behind"
    assert summaries.Difference(1.0, None, 1).verdict(True) == "too few tables"


def test_tables_are_standardised_and_acyclic():
    for family in FAMILIES.values():
        if family.needs_sources:
            continue
        table = family.make(0)
        numbers = table.values[:, table.kinds == 0]
        assert np.allclose(numbers.mean(0), 0.0, atol=1e-6), family.name
        assert np.allclose(numbers.std(0), 1.0), family.name
        assert not np.linalg.matrix_power(table.dag.astype(float), len(table.dag)).any()


def test_rows_of_a_bif_network_have_its_probabilities():
    network = parse_bif(
        "network n {}\nvariable A { type discrete [ 2 ] { yes, no }; }\n"
        "variable B { type discrete [ 3 ] { x, y, z }; }\n"
        "probability ( B | A ) { (no) 0.0, 0.5, 0.5; (yes) 1.0, 0.0, 0.0; }\nprobability ( A ) { table 0.25, 0.75; }"
    )
    assert network.adjacency.tolist() == [[False, True], [False, False]]
    rows = network.sample(4000, np.random.default_rng(0))
    counts = np.array([np.sum((rows == pair).all(1)) for pair in ([0, 0], [1, 1], [1, 2])])
    assert counts.sum() == 4000
    expected = np.array([1000, 1500, 1500])
    assert np.sum((counts - expected) ** 2 / expected) < 13.8  # chi-square, 2 degrees of freedom, 0.001


@pytest.mark.parametrize("name", ["dao20-er", "dao20-exp", "dao100-er", "child", "alarm"])
def test_families_that_need_packages_say_so(name):
    assert FAMILIES[name].needs_sources
