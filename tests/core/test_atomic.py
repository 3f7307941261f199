"""A file is the complete old one or the complete new one, also if writing fails."""

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from orderspn.core.atomic import STALE_SECONDS, TEMPORARY, replacing
from orderspn.core.errors import UnwritableFile

OLD, NEW = "old " * 3000, "new " * 5000


def save(path, text=NEW):
    with replacing(path) as temporary, temporary.open("w") as file:
        file.write(text[:100])
        file.flush()
        file.write(text[100:])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text(OLD)
    return path


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.thorough
def test_threads_that_save_to_one_path(path):
    texts = [str(k) * 50_000 for k in range(8)]
    stop = threading.Event()

    def read():
        seen = {path.read_text()}
        while not stop.is_set():
            seen.add(path.read_text())
        return seen

    with ThreadPoolExecutor(9) as pool:
        reading = pool.submit(read)
        saving = [pool.submit(lambda text=text: [save(path, text) for _ in range(60)]) for text in texts]
        errors = [future.exception() for future in saving]
        stop.set()
    assert errors == [None] * 8
    assert reading.result() <= {OLD, *texts}
    assert path.read_text() in texts
    assert names(path.parent) == ["file.txt"]


def test_processes_with_the_same_number(path, monkeypatch):
    """Two containers that share a folder: every program is process 1."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with replacing(path) as one, replacing(path) as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"  # it ended last
    assert names(path.parent) == ["file.txt"]


def failing(monkeypatch, name, call, problem):
    """Let one call of a function of `os` fail."""
    function, calls = getattr(os, name), []

    def fail(*arguments, **keywords):
        calls.append(arguments)
        if len(calls) == call:
            raise problem
        return function(*arguments, **keywords)

    monkeypatch.setattr(os, name, fail)


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize(
    ("step", "call", "left"),
    [("open", 1, OLD), ("fsync", 1, OLD), ("replace", 1, OLD), ("fsync", 2, NEW)],
    ids=["creating", "flushing", "replacing", "flushing the folder"],
)
def test_an_error_at_any_step(path, monkeypatch, step, call, left, problem):
    failing(monkeypatch, step, call, problem)
    expected = UnwritableFile if isinstance(problem, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        save(path)
    if expected is UnwritableFile:
        told = f"cannot write {str(path)!r}: No space left on device; free some space or choose another folder."
        assert str(caught.value) == told
    assert path.read_text() == left
    assert names(path.parent) == ["file.txt"]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("chmod", PermissionError(errno.EPERM, "")),
        ("chown", PermissionError(errno.EPERM, "")),
        ("scandir", PermissionError(errno.EACCES, "")),
        ("fsync", OSError(errno.EINVAL, "")),
    ],
)
def test_what_a_file_system_does_not_offer_is_not_missed(path, monkeypatch, step, problem):
    failing(monkeypatch, step, 1, problem)
    save(path)
    assert path.read_text() == NEW
    assert names(path.parent) == ["file.txt"]


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
@pytest.mark.parametrize("written", [0, 50, 10_000])
def test_a_disk_that_is_full_at_some_byte(path, written):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (written, hard))
    try:
        with pytest.raises(UnwritableFile, match=r"file\.txt': File too large\."):
            save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == OLD
    assert names(path.parent) == ["file.txt"]


KILLED_AT_EVERY_LINE = '''
"""Save in a child process that is killed at its first, second, ... line, until one lives to the end."""
import json, os, signal, sys
from pathlib import Path
from orderspn.core import atomic, destination

path, old, new = Path(sys.argv[1]), *sys.argv[2:]
watched = {atomic.__file__, destination.__file__, "<string>"}

def save():
    with atomic.replacing(path) as temporary:
        with temporary.open("w") as file:
            file.write(new[:100])
            file.flush()
            file.write(new[100:])

def killed_at(line):
    left = line
    def trace(frame, event, argument):
        nonlocal left
        if frame.f_code.co_filename in watched and event == "line":
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return trace
    return trace

report, line, ended = [], 0, None
while ended != 0:
    path.write_text(old)
    child = os.fork()
    if not child:
        sys.settrace(killed_at(line))
        save()
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = sorted(name for name in os.listdir(path.parent) if name != path.name)
    report.append((ended, path.read_text(), left))
    for name in left[1:]:
        os.unlink(path.parent / name)
    line += 1
print(json.dumps(report))
'''


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_kill_at_every_line(path):
    command = [sys.executable, "-c", KILLED_AT_EVERY_LINE, str(path), OLD, NEW]
    *killed, last = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(killed) > 40
    assert {code for code, *_ in killed} == {-9}
    assert last[:2] == [0, NEW]
    contents = [content for _, content, _ in killed]
    assert contents == sorted(contents, reverse=True)  # old ones, then new ones
    assert set(contents) == {OLD, NEW}
    (left,) = names(path.parent)[:-1]
    assert TEMPORARY.fullmatch(left)
    age(path.parent / left, STALE_SECONDS + 60)
    save(path)
    assert names(path.parent) == ["file.txt"]


def age(path, seconds):
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then), follow_symlinks=False)


def test_only_what_a_killed_save_left_is_removed(path):
    folder = path.parent
    stale, of_another, fresh, folder_of_that_name = (folder / f".orderspn-{k:032x}.tmp.txt" for k in range(4))
    foreign = [folder / ".orderspn-notes.tmp", folder / f".orderspn-{0:032x}.txt", folder / f"x.orderspn-{0:032x}.tmp"]
    for file in (stale, of_another, fresh, *foreign):
        file.write_text("")
    folder_of_that_name.mkdir()
    for old in (stale, of_another, folder_of_that_name, *foreign):
        age(old, STALE_SECONDS + 60)
    age(fresh, STALE_SECONDS - 60)
    save(path)
    assert set(folder.iterdir()) == {path, fresh, folder_of_that_name, *foreign}


@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_permissions_are_kept_while_and_after_writing(path, mode, monkeypatch):
    path.chmod(mode)
    given = []
    monkeypatch.setattr(os, "chown", lambda _, user, group: given.append((user, group)))
    with replacing(path) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == mode
        temporary.write_text(NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert given == [(-1, path.stat().st_gid), (path.stat().st_uid, -1)]


@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_follows_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        save(tmp_path / "new.txt")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o666 & ~mask


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits of names")
@pytest.mark.parametrize("name", ["n" * 251 + ".txt", "n." + "e" * 253, "ü" * 127], ids=["stem", "ending", "bytes"])
def test_the_longest_names(tmp_path, name):
    save(tmp_path / name)
    assert names(tmp_path) == [name]
    with pytest.raises(UnwritableFile, match="File name too long; choose a shorter name"):
        save(tmp_path / (name + "nn"))


def test_a_temporary_name_has_the_ending_of_the_file(path):
    with replacing(path) as temporary:
        assert temporary.suffix == ".txt"
        temporary.write_text("")
