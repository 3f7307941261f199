"""Finished work is kept and not done again, whatever ends the program, and results do not tell how they came about."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import orderspn as osp
from orderspn.experiments import runner
from orderspn.experiments.cells import Cell, run_cell


@pytest.fixture
def counted(monkeypatch):
    """The keys of the cells that are computed."""
    keys = []

    def counting(cell):
        keys.append(cell.key)
        return run_cell(cell)

    monkeypatch.setattr(runner, "run_cell", counting)
    return keys


def cell_files(folder):
    return sorted(path.name for path in (folder / "cells").iterdir())


def test_nothing_is_computed_twice(small, lasting, counted, tmp_path):
    small(tmp_path)
    assert sorted(f"{key}.json" for key in counted) == cell_files(tmp_path)
    assert len(counted) == 4
    before = lasting(tmp_path)
    small(tmp_path)
    assert len(counted) == 4
    assert lasting(tmp_path) == before


def test_further_runs_and_methods_are_added(small, lasting, counted, tmp_path):
    small(tmp_path / "grown", runs=1, methods=["EXACT"])
    small(tmp_path / "grown")
    assert counted == [
        *("conditional-d5-EXACT-run000", "conditional-d5-TRUST-G-run000"),
        *("conditional-d5-EXACT-run001", "conditional-d5-TRUST-G-run001"),
    ]
    small(tmp_path / "at once")
    assert lasting(tmp_path / "grown") == lasting(tmp_path / "at once")


@pytest.mark.parametrize("changed", [{"seed": 1}, {"effort": 0.04}])
def test_other_settings_are_computed_anew(small, lasting, counted, tmp_path, changed):
    small(tmp_path / "a", runs=1, methods=["TRUST-G"])
    small(tmp_path / "a", runs=1, methods=["TRUST-G"], **changed)
    assert len(counted) == 2
    small(tmp_path / "b", runs=1, methods=["TRUST-G"], **changed)
    assert lasting(tmp_path / "a") == lasting(tmp_path / "b")


def test_exact_cells_do_not_depend_on_the_effort(small, counted, tmp_path):
    for effort in (0.02, 0.04):
        small(tmp_path, runs=1, methods=["EXACT"], effort=effort)
    assert len(counted) == 1


def test_fingerprints_tell_all_settings():
    usual = {"experiment": "coverage", "d": 6, "method": "GADGET", "run": 0, "seed": 3, "effort": 1.0}
    others = [{"experiment": "conditional"}, {"d": 7}, {"method": "TRUST-G"}, {"seed": 4}, {"effort": 2.0}]
    prints = {Cell(**(usual | other)).fingerprint for other in [{}, *others]}
    assert len(prints) == 1 + len(others)


def damages():
    def without(key):
        return lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != key})

    def with_value(value):
        return lambda text: json.dumps(json.loads(text) | {"values": [["auroc", 4, value]]})

    return {
        "cut off": lambda text: text[: len(text) // 2],
        "empty": lambda _: "",
        "no document": lambda _: "[1, 2]",
        "no fingerprint": without("fingerprint"),
        "no values": without("values"),
        "not a number": with_value(float("nan")),
        "no number": with_value("many"),
    }


@pytest.mark.parametrize("damage", damages().values(), ids=damages())
def test_a_damaged_cell_is_computed_again(small, lasting, counted, tmp_path, damage):
    small(tmp_path, runs=1)
    before = lasting(tmp_path)
    path = tmp_path / "cells" / "conditional-d5-EXACT-run000.json"
    path.write_text(damage(path.read_text()))
    with pytest.warns(UserWarning, match=r"conditional-d5-EXACT-run000.json is damaged .* computed again"):
        small(tmp_path, runs=1)
    assert counted[2:] == ["conditional-d5-EXACT-run000"]
    assert lasting(tmp_path) == before


def test_an_interruption_keeps_what_is_finished(small, lasting, tmp_path, monkeypatch):
    done = []

    def interrupted(cell):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(cell)
        return run_cell(cell)

    with monkeypatch.context() as patch:
        patch.setattr(runner, "run_cell", interrupted)
        with pytest.raises(KeyboardInterrupt):
            small(tmp_path / "a")
    assert len(cell_files(tmp_path / "a")) == 3
    small(tmp_path / "a")
    small(tmp_path / "b")
    assert lasting(tmp_path / "a") == lasting(tmp_path / "b")


def test_times_are_told_apart(small, lasting, tmp_path):
    small(tmp_path)
    before, timings = lasting(tmp_path), (tmp_path / "timings.csv").read_text()
    for path in (tmp_path / "cells").iterdir():
        document = json.loads(path.read_text())
        document["timings"]["learn_seconds"] += 1000.0
        path.write_text(json.dumps(document))
    small(tmp_path)
    assert lasting(tmp_path) == before
    assert (tmp_path / "timings.csv").read_text() != timings


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_worker_that_dies_is_told(monkeypatch):
    monkeypatch.setattr(runner, "run_cell", signal.raise_signal)
    with pytest.raises(osp.UserError, match="a worker process ended before its work was done"):
        list(runner._computed([signal.SIGKILL, signal.SIGKILL], 2))


def children(pid):
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    return [child for child, parent in pairs if parent == pid]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_and_resumed_gives_the_same_files(small, lasting, tmp_path):
    """Killed outright, with two jobs: the workers go too, and the finished cells count."""
    arguments = ["conditional", "--d", "5", "--runs", "40", "--methods", "EXACT,TRUST-G", "--effort", "0.02"]
    command = [sys.executable, "-m", "orderspn", "reproduce", *arguments, "--jobs", "2", "-o", str(tmp_path / "a")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        deadline = time.monotonic() + 120
        while not (tmp_path / "a" / "cells").is_dir() or len(cell_files(tmp_path / "a")) < 3:
            assert program.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        workers = children(program.pid)
        os.kill(program.pid, signal.SIGKILL)
    assert len(workers) >= 2
    while any(map(alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    kept = [name for name in cell_files(tmp_path / "a") if name.endswith("run000.json")]
    assert kept
    small(tmp_path / "a")
    small(tmp_path / "b")
    assert lasting(tmp_path / "a") == lasting(tmp_path / "b")
