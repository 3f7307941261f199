"""Where writing goes: through links, into devices and pipes, and not where it would do harm."""

import os
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.devices import protect_devices
from orderspn.core import destination as destinations
from orderspn.core.atomic import replacing
from orderspn.core.errors import InvalidType, InvalidValue, UnwritableFile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and devices")


@pytest.fixture(autouse=True)
def safe_devices(monkeypatch):
    protect_devices(monkeypatch)


def save(path, text="new"):
    with replacing(path) as temporary:
        temporary.write_text(text)


def refusal(path):
    with pytest.raises(UnwritableFile) as caught:
        save(path)
    assert isinstance(caught.value, OSError)
    head = f"cannot write '{path}': "
    assert str(caught.value).startswith(head)
    return str(caught.value).removeprefix(head)


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing yet"])
def test_a_link_stays_a_link(tmp_path, there):
    (tmp_path / "folder").mkdir()
    target, link, second = tmp_path / "folder" / "target", tmp_path / "link", tmp_path / "second"
    if there:
        target.write_text("old")
    link.symlink_to("folder/target")
    second.symlink_to(link)
    save(second)
    assert second.is_symlink()
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["folder", "link", "second", "target"]


def test_links_that_lead_nowhere(tmp_path):
    circle, dangling = tmp_path / "circle", tmp_path / "dangling"
    circle.symlink_to(circle)
    dangling.symlink_to(tmp_path / "missing" / "file")
    assert refusal(circle) == "Too many levels of symbolic links; remove the link that leads back to itself."
    assert refusal(dangling) == f"the folder '{tmp_path / 'missing'}' does not exist; create it first."
    assert sorted(tmp_path.iterdir()) == [circle, dangling]


def test_devices_are_written_into():
    save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert refusal("/dev/full") == "No space left on device; free some space or choose another folder."


def test_a_pipe_gets_the_whole_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(pipe.read_text)
        save(pipe, "new" * 100_000)
        assert reader.result() == "new" * 100_000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_standard_output(tmp_path, monkeypatch):
    """As `-o /dev/stdout`: into a pipe, but not in the place of a file that the output of the program goes to."""
    read, write = os.pipe()
    save(f"/dev/fd/{write}")
    assert os.read(read, 9) == b"new"
    log = tmp_path / "log"
    with log.open("w") as file:
        monkeypatch.setattr(destinations, "STANDARD_STREAMS", (file.fileno(),))
        assert "this program's own output goes there; name another file" in refusal(f"/dev/fd/{file.fileno()}")
    os.close(read)
    os.close(write)


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")
    assert refusal(tmp_path) == "it is a folder; name a file in it."
    assert refusal(tmp_path / "a" / "b") == f"the folder '{tmp_path / 'a'}' does not exist; create it first."
    assert refusal(file / "b") == f"'{file}' is a file, not a folder; choose another folder."
    with socket.socket(socket.AF_UNIX) as made:
        monkeypatch.chdir(tmp_path)  # addresses are short
        made.bind("socket")
        assert refusal("socket") == "it is neither a file nor a pipe; name a file."
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != file)
    assert refusal(file) == "it is write-protected; make it writable or name another file."
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    closed = f"no permission to write in '{tmp_path}'; choose another folder or change its permissions."
    assert refusal(file) == refusal(tmp_path / "new") == closed
    assert file.read_text() == "old"


@pytest.mark.parametrize("path", [5.0, 5, None, b"p.npz", ["p.npz"], True], ids=repr)
def test_what_is_no_path(path):
    told = r"path must be text or a pathlib\.Path; got .* of type "
    with pytest.raises(InvalidType, match=told):
        save(path)
    with pytest.raises(InvalidType, match=told):
        osp.learn(gaussian_data(3, 20, seed=0)).save(path)


@pytest.mark.parametrize("path", ["a\0b", "\ud800"], ids=repr)
def test_names_that_no_file_has(path):
    with pytest.raises(InvalidValue, match="path must be a valid name of a file; got"):
        save(path)
