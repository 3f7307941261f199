"""Compressed tables: whole ones are read, and others are reported in one line."""

import sys
import zipfile

import pandas as pd
import pytest

KINDS = ["gz", "bz2", "xz", "zip", "tar", "tar.gz"]


@pytest.fixture
def packed(frame, tmp_path):
    def pack(kind):
        path = tmp_path / f"data.csv.{kind}"
        frame.to_csv(path, index=False)
        return path

    return pack


@pytest.mark.parametrize("kind", KINDS)
def test_whole_ones_are_read(run, packed, tmp_path, kind):
    assert "5 variables, learned from 120 rows" in run("learn", packed(kind), "-o", tmp_path / "p.npz").stdout


def cut_off(whole):
    return whole[: len(whole) // 2]


def changed(whole):
    middle = len(whole) // 2
    return whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 40]) + whole[middle + 40 :]


def foreign(whole):
    return b"something else altogether\n" * 20


@pytest.mark.parametrize("damage", [cut_off, changed, foreign])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "tar"])
def test_damaged_ones_are_reported(error_of, packed, tmp_path, kind, damage):
    path = packed(kind)
    path.write_bytes(damage(path.read_bytes()))
    assert str(path) in error_of("learn", path, "-o", tmp_path / "p.npz")


def test_an_archive_of_several_files_is_reported(error_of, packed, tmp_path):
    path = packed("zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("another.csv", "a,b\n1,2\n")
    assert "Multiple files" in error_of("learn", path, "-o", tmp_path / "p.npz")


def test_an_absent_decompressor_is_reported(error_of, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "data.csv.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    message = error_of("learn", path, "-o", tmp_path / "p.npz")
    assert message.startswith("reading .zst files needs a package that is not installed. Unpack the file first, or:")
    assert "install the zstandard package" in message


def test_an_error_of_zstandard_is_reported(error_of, tmp_path, monkeypatch):
    class ZstdError(Exception):
        pass

    def damaged(*_, **__):
        raise ZstdError("unknown frame")

    monkeypatch.setitem(sys.modules, "zstandard", type("zstandard", (), {"ZstdError": ZstdError}))
    monkeypatch.setattr(pd, "read_csv", damaged)
    assert "unknown frame" in error_of("learn", tmp_path / "data.csv.zst", "-o", tmp_path / "p.npz")
