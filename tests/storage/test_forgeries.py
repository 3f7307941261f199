"""Files that were made to do harm: each is refused with its reason, before anything is allocated for it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import orderspn as osp
from fuzz.demands import enlarged, one_block
from fuzz.mutations import DEEP
from fuzz.seeds import save_seed
from helpers.files import forge, read_members, write_members
from orderspn.storage.archive import checksum_of


@pytest.fixture
def exact(tmp_path):
    path = tmp_path / "posterior.npz"
    save_seed("exact", path)
    return path


def refusal(path, **arguments):
    with pytest.raises(osp.UnreadableFile) as found:
        osp.load(path, n_jobs=1, **arguments)
    assert str(path) in str(found.value)
    return str(found.value)


def fuzz(*arguments):
    """The fuzzer in a process of its own: this one may have threads, which do not fork."""
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "fuzz", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


FORGED = {
    **{f"{d} variables": ((d, 2), "at most 30 variables") for d in (31, 63, 64, 65, 70, 96)},
    **{f"a block of {d}": ((d, 2, one_block), "more than 24") for d in (25, 64, 70, 96)},
    "27 candidates": ((28, 27), "at most 24 candidates"),
}


@pytest.mark.exhaustive
def test_more_bits_than_masks_have(exact):
    """As they were, kernels wrote out of bounds: a child process for each shows whether they still do."""
    paths = []
    for name, (size, reason) in FORGED.items():
        paths.append(exact.with_name(f"{name}.npz"))
        paths[-1].write_bytes(exact.read_bytes())
        enlarged(paths[-1], *size)
        assert paths[-1].stat().st_size < 150_000
        assert reason in refusal(paths[-1], memory_limit=2**60)
    assert fuzz("--judge", *paths, exact).stdout.split() == [*["refused"] * len(paths), "sound"]


def test_more_memory_than_allowed(exact):
    """24 variables with all others as candidates: gigabytes, from a file of some kilobytes."""
    enlarged(exact, 24, 23)
    assert "holds a posterior that takes about" in refusal(exact)
    assert "Raise memory_limit=" in refusal(exact, memory_limit=2**30)


def test_the_limit_is_one_of_learning(exact):
    """What can be learned within a limit can be read within it."""
    limit = 2**20
    enlarged(exact, 8, 7)
    osp.load(exact, memory_limit=limit)
    enlarged(exact, 16, 15)
    assert "Raise memory_limit=" in refusal(exact, memory_limit=limit)
    data = np.random.default_rng(0).normal(size=(50, 16))
    with pytest.raises(ValueError, match="memory_limit="):
        osp.learn(data, memory_limit=limit)


def test_the_limit_is_checked(exact):
    for wrong in (0, -1, 1.5, "4GiB"):
        with pytest.raises((ValueError, TypeError), match="memory_limit"):
            osp.load(exact, memory_limit=wrong)


def test_order_constraints_cannot_demand_more_than_allowed(exact):
    """Each of them doubles the tables of a variable: 18 candidates more are a quarter of a million times as much."""

    def told(_, manifest):
        manifest["evidence"]["before"] = [[f"V{v}", "V29"] for v in range(2, 20)]

    enlarged(exact, 30, 2, told)
    assert "memory" in refusal(exact)


def test_compressed_members_are_not_unpacked(exact):
    arrays, manifest = read_members(exact)
    arrays["log_prior"] = np.zeros(10**6)
    members = {**arrays, "manifest": np.frombuffer(json.dumps(manifest).encode(), dtype=np.uint8)}
    np.savez_compressed(exact, **members, checksum=checksum_of(members))
    assert "compressed" in refusal(exact)


def test_unknown_members_are_refused(exact):
    arrays, manifest = read_members(exact)
    write_members(exact, {**arrays, "more": np.zeros(3)}, manifest)
    assert "unknown array 'more'" in refusal(exact)


def test_members_that_overlap_are_refused(exact):
    """The directory of the archive names the same bytes again and again."""
    with zipfile.ZipFile(exact) as archive:
        infos = archive.infolist()
    content = bytearray(exact.read_bytes())
    size = infos[0].file_size.to_bytes(4, "little")
    place = content.rindex(b"PK\x01\x02" + content[content.index(b"PK\x01\x02") + 4 :][:16] + size)
    content[place + 20 : place + 28] = (2**31 - 1).to_bytes(4, "little") * 2
    exact.write_bytes(content)
    assert "overlap" in refusal(exact)


def test_a_file_larger_than_the_limit_is_not_read(exact):
    assert "Raise memory_limit=" in refusal(exact, memory_limit=1000)


NAMED_PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.mark.parametrize("made", ["folder", pytest.param("pipe", marks=NAMED_PIPES)])
def test_what_is_no_file(tmp_path, made):
    path = tmp_path / "p.npz"
    path.mkdir() if made == "folder" else os.mkfifo(path)
    with pytest.raises((osp.UnreadableFile, IsADirectoryError, PermissionError)):  # the last one on Windows
        osp.load(path)


def settings(**changes):
    return lambda _, manifest: manifest["settings"].update(changes)


def score(**changes):
    return lambda _, manifest: manifest["settings"]["score"].update(changes)


def entry(name, index, value):
    def change(arrays, _):
        arrays[name] = arrays[name].copy()
        arrays[name][index] = value

    return change


def array(name, how):
    return lambda arrays, _: arrays.update({name: how(arrays[name])})


def names(*variables):
    return lambda _, manifest: manifest.update(variables=list(variables))


CONFIDENT = {
    "a prior that is no number": (entry("log_prior", 2, np.nan), "prior of parent sets"),
    "a prior of another kind": (array("log_prior", lambda p: p - 1.0), "prior of parent sets"),
    "no prior at all": (array("log_prior", lambda p: np.full_like(p, -np.inf)), "prior of parent sets"),
    "t that is infinite": (score(t=1e999), "manifest cannot be read"),
    "t out of range": (score(t=1e200), "t must be between"),
    "t below zero": (score(t=-1.0), "settings.score.t"),
    "alpha_mu that is no number": (score(alpha_mu=float("nan")), "manifest cannot be read"),
    "too few degrees of freedom": (score(alpha_w=6.0), "alpha_w must be greater"),
    "rows that differ": (score(rows=41), "number of rows of the score"),
    "rows below zero": (settings(rows=-1), "settings.rows"),
    "max_parents below zero": (settings(max_parents=-1), "settings.max_parents"),
    "too many parents": (settings(max_parents=5), "more parents than other variables"),
    "a matrix that is negative": (array("bge_matrix", np.negative), "smaller than those of the prior"),
    "a triangular matrix": (array("bge_matrix", np.tril), "not symmetric"),
    "an indefinite matrix": (entry("bge_matrix", ([0, 1], [1, 0]), 1e4), "not that of any data"),
    "a matrix of dates": (array("bge_matrix", lambda m: m.astype("<M8[s]")), "has the type datetime64"),
    "a name twice": (names("C", "C", "D", "E", "F"), "'C' more than once"),
    "an empty name": (names("", "C", "D", "E", "F"), "got an empty one"),
    "half a surrogate pair": (names("\ud800", "C", "D", "E", "F"), "manifest cannot be read"),
    "a name that is no text": (names(1, "C", "D", "E", "F"), "variables[0]"),
    "an unknown setting": (settings(more=1), "unknown field `more`"),
    "a missing setting": (lambda _, manifest: manifest["settings"].pop("standardized"), "standardized"),
    "a number of 400 digits": (settings(seed=10**400), "integer of 401 digits"),
    "a graph of no order": (lambda _, m: m["evidence"].update(present=[["C", "D"], ["D", "C"]]), "C"),
}


@pytest.mark.parametrize("name", CONFIDENT)
def test_edited_files_give_no_answers(exact, name):
    change, reason = CONFIDENT[name]
    forge(exact, change)
    assert reason in refusal(exact)


def test_one_changed_digit_is_noticed(exact):
    """Without a new checksum, whatever else fits."""
    arrays, manifest = read_members(exact)
    with np.load(exact) as file:
        checksum = file["checksum"]
    manifest["settings"]["score"]["t"] = 0.6
    text = np.frombuffer(json.dumps(manifest).encode(), dtype=np.uint8)
    np.savez(exact, **arrays, manifest=text, checksum=checksum)
    assert "its checksum does not match" in refusal(exact)
    np.savez(exact, **arrays, manifest=text)
    assert "its checksum does not match" in refusal(exact)


@pytest.mark.parametrize("text", [DEEP, "[" * 100_000, '{"format": "orderspn-posterior", "format": 1}', "\xff"])
def test_odd_text_is_refused(exact, text):
    arrays, _ = read_members(exact)
    write_members(exact, arrays, text.encode("latin-1"))
    assert "manifest cannot be read" in refusal(exact)


@pytest.mark.exhaustive
def test_changed_files(level):
    """The short run; `make fuzz` is the long one. Most of what is changed is refused."""
    cases = 300 if level == "all" else 60
    done = fuzz("--cases", cases)
    assert done.returncode == 0, done.stdout + done.stderr
    tried, same, refused, sound, other = map(int, done.stdout.splitlines()[-1].split()[1:])
    assert tried == same + refused + sound == cases
    assert (refused > 2 / 3 * cases, other) == (True, 0)
