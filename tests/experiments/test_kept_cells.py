"""Finished cells are kept and not computed again after any end of the program, and do not change the results."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import orderspn as osp
from orderspn.core.checksum import sha256_of_json
from orderspn.experiments import runner
from orderspn.experiments.cells import Cell, run_cell
from orderspn.experiments.experiment import Outcome, Value
from orderspn.experiments.store import CellStore


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


@pytest.mark.thorough
def test_nothing_is_computed_twice(small, lasting, counted, tmp_path):
    small(tmp_path)
    assert sorted(f"{key}.json" for key in counted) == cell_files(tmp_path)
    assert len(counted) == 4
    before = lasting(tmp_path)
    small(tmp_path)
    assert len(counted) == 4
    assert lasting(tmp_path) == before


@pytest.mark.thorough
def test_further_runs_and_methods_are_added(small, lasting, counted, tmp_path):
    small(tmp_path / "grown", runs=1, methods=["EXACT"])
    small(tmp_path / "grown")
    assert counted == [
        *("conditional-d5-EXACT-run000", "conditional-d5-TRUST-G-run000"),
        *("conditional-d5-EXACT-run001", "conditional-d5-TRUST-G-run001"),
    ]
    small(tmp_path / "at once")
    assert lasting(tmp_path / "grown") == lasting(tmp_path / "at once")


@pytest.mark.thorough
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


def signed(document):
    """A cell's file with the right checksum and any content."""
    content = {key: value for key, value in document.items() if key != "checksum"}
    return json.dumps(content | {"checksum": sha256_of_json(content)})


def flipped(text):
    """The text with another first decimal in the first value."""
    place = text.index(".", text.index('"values"')) + 1
    return text[:place] + str(9 - int(text[place])) + text[place + 1 :]


@pytest.mark.thorough
def test_a_flipped_digit_does_not_reach_the_results(small, lasting, counted, tmp_path):
    small(tmp_path, runs=1)
    before = lasting(tmp_path)
    path = tmp_path / "cells" / "conditional-d5-EXACT-run000.json"
    kept = json.loads(path.read_text())
    path.write_text(flipped(path.read_text()))
    assert json.loads(path.read_text())["values"] != kept["values"]
    with pytest.warns(UserWarning, match=r"run000.json is damaged \(its checksum does not match .* computed again"):
        small(tmp_path, runs=1)
    assert counted[2:] == ["conditional-d5-EXACT-run000"]
    assert lasting(tmp_path) == before
    assert json.loads(path.read_text())["values"] == kept["values"]


def damages():
    def without(key):
        return lambda kept: signed({k: v for k, v in kept.items() if k != key})

    def changed(**entries):
        return lambda kept: signed(kept | entries)

    def value(*entry):
        return changed(values=[entry])

    return {
        "cut off": (lambda kept: signed(kept)[:-40], "not JSON"),
        "empty": (lambda _: "", "not JSON"),
        "not UTF-8": (lambda _: b"\xff\xfe", "not UTF-8"),
        "no document": (lambda _: "[1, 2]", "not a JSON object"),
        "deep": (lambda _: "[" * 100_000, "nested deeper"),
        "not a number": (lambda kept: signed(kept).replace("0.5", "NaN"), "NaN, which is no finite number"),
        "a huge integer": (lambda kept: signed(kept).replace("0.5", "9" * 5000), "integer of 5000 digits"),
        "twice": (lambda kept: signed(kept).replace('"key"', '"edges": null, "key"'), "'edges' occurs twice"),
        "another value": (lambda kept: signed(kept).replace("0.5", "0.25"), "checksum does not match"),
        "as older versions wrote it": (
            lambda kept: json.dumps({key: entry for key, entry in kept.items() if key != "checksum"}),
            "it has no checksum",
        ),
        "signed, no values": (without("values"), "missing required field `values`"),
        "signed, values of one entry": (changed(values=[["auroc"]]), "Expected `array` of length 3"),
        "signed, values in an object": (changed(values={"auroc": 1}), "Expected `array`, got `object`"),
        "signed, words": (value("auroc", 4, "many"), "Expected `float`, got `str`"),
        "signed, booleans": (value("auroc", 4, True), "Expected `float`, got `bool`"),
        "signed, half an edge": (value("auroc", 0.5, 1.0), r"Expected `int \| null`, got `float`"),
        "signed, a nameless metric": (value(None, 4, 1.0), "Expected `str`, got `null`"),
        "signed, ragged edges": (changed(edges=[[0.0, 1.0], [0.0]]), "not a square matrix"),
        "signed, warnings in one word": (changed(warnings="all"), "Expected `array`, got `str`"),
        "signed, timings in a list": (changed(timings=[1.0]), "Expected `object`, got `array`"),
    }


CELL = Cell("coverage", 5, "EXACT", 0, 0, 1.0)


@pytest.fixture
def kept(tmp_path):
    """A store with one cell, and the cell's file."""
    store = CellStore(tmp_path)
    outcome = Outcome((Value("coverage", 4, 0.5),), [[0.0, 1.0], [0.25, 0.0]], ("a warning",), {"a": 1.5, "b": None})
    store.keep(CELL, outcome)
    assert store.find(CELL) == outcome
    return store, tmp_path / f"{CELL.key}.json"


@pytest.mark.parametrize(("damage", "reason"), damages().values(), ids=damages())
def test_a_damaged_cell_is_told_and_not_used(kept, damage, reason):
    store, path = kept
    content = damage(json.loads(path.read_text()))
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.warns(UserWarning, match=rf"{CELL.key}.json is damaged \(.*{reason}.*\); it is computed again"):
        assert store.find(CELL) is None


POSIX = pytest.mark.skipif(os.name != "posix", reason="named pipes and links")


@pytest.mark.parametrize(
    "put",
    [
        pytest.param(os.mkdir, id="folder"),
        pytest.param(lambda path: os.mkfifo(path), id="pipe", marks=POSIX),
        pytest.param(lambda path: os.symlink(path, path), id="loop", marks=POSIX),
    ],
)
def test_what_is_no_file_in_the_place_of_a_cell_is_refused_before_any_work(small, counted, tmp_path, put):
    path = tmp_path / "cells" / "conditional-d5-TRUST-G-run000.json"
    path.parent.mkdir()
    put(path)
    with pytest.raises(osp.UnreadableFile, match=r"TRUST-G-run000.json': .*\. Remove it, and the cell is computed"):
        small(tmp_path)
    assert not counted


def test_a_place_that_cannot_be_written_is_told_before_any_work(small, counted, tmp_path, monkeypatch):
    with pytest.raises(osp.UserError, match=r"output must be text or a pathlib\.Path; got 5\.0 of type float"):
        small(5.0)
    (tmp_path / "a" / "report.md").mkdir(parents=True)
    with pytest.raises(osp.UnwritableFile, match=r"report\.md': it is a folder"):
        small(tmp_path / "a")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "cells" and access(path, mode))
    with pytest.raises(osp.UnwritableFile, match=r"run000\.json': no permission to write in '.*cells'; choose another"):
        small(tmp_path / "b")
    assert not counted


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_times_are_told_apart(small, lasting, tmp_path):
    small(tmp_path)
    before, timings = lasting(tmp_path), (tmp_path / "timings.csv").read_text()
    for path in (tmp_path / "cells").iterdir():
        document = json.loads(path.read_text())
        document["timings"]["learn_seconds"] += 1000.0
        path.write_text(signed(document))
    small(tmp_path)
    assert lasting(tmp_path) == before
    assert (tmp_path / "timings.csv").read_text() != timings


@pytest.mark.thorough
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


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_and_resumed_gives_the_same_files(small, lasting, tmp_path):
    """Killed outright, with two jobs: the workers go too, and the finished cells count."""
    arguments = ["conditional", "--d", "5", "--runs", "40", "--methods", "EXACT,TRUST-G", "--effort", "0.02"]
    command = [sys.executable, "-m", "orderspn", "reproduce", *arguments, "--n-jobs", "2", "-o", str(tmp_path / "a")]
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
