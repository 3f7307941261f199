"""What a file seems to be, from its first bytes: for messages about files of the wrong kind."""

from __future__ import annotations

import io
import zipfile

HEAD = 4096
"""Number of bytes that tell what a file is."""

EXCEL, PARQUET = "an Excel workbook", "a Parquet file"
POSTERIOR, ZIP = "a posterior saved by orderspn", "a zip archive"

_BEGINNINGS = {
    b"PAR1": PARQUET,
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a file compressed by gzip",
    b"BZh": "a file compressed by bzip2",
    b"\xfd7zXZ": "a file compressed by xz",
    b"\x28\xb5\x2f\xfd": "a file compressed by zstd",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old kind (.xls) or another old Office document",
    b"\x93NUMPY": "a NumPy array (.npy)",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow (Feather) file",
    b"$FL2": "an SPSS file (.sav)",
    b"RDX": "an R data file",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
}

_MEMBERS = {
    "xl/workbook.xml": EXCEL,
    "manifest.npy": POSTERIOR,
    "word/document.xml": "a Word document",
    "content.xml": "an OpenDocument file",
}


def seems_to_be(content: bytes) -> str | None:
    """Return what a file with this content (or beginning) seems to be; None for text and for what is not known.

    Examples
    --------
    >>> seems_to_be(b"%PDF-1.7"), seems_to_be(b"  <!DOCTYPE html>"), seems_to_be(b"a,b")
    ('a PDF document', 'a web page (HTML)', None)
    """
    if content.startswith(b"PK\x03\x04"):
        return _of_archive(content)
    for beginning, kind in _BEGINNINGS.items():
        if content.startswith(beginning):
            return kind
    start = content[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "a web page (HTML)"
    if start.startswith(b"<?xml"):
        return "an XML file"
    if start.startswith((b"{", b"[{", b"[[")):
        return "a JSON file"
    return None


def is_text(content: bytes) -> bool:
    """Whether content (or its beginning) looks like lines of UTF-8 text, perhaps cut off within a letter."""
    head = content[:HEAD]
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as problem:
        if problem.start < len(head) - 3:
            return False
    return b"\n" in head and b"\0" not in head


def _of_archive(content: bytes) -> str:
    """Return what a zip archive holds, as far as its beginning tells."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        names = [name for name in _MEMBERS if name.encode() in content]
    for name, kind in _MEMBERS.items():
        if name in names:
            return kind
    return "a NumPy archive (.npz)" if any(name.endswith(".npy") for name in names) else ZIP
