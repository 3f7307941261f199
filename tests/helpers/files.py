"""Files of posteriors changed by hand, with a checksum that fits again."""

import json

import numpy as np

from orderspn.storage.archive import checksum_of


def read_members(path):
    """All arrays of a file but its checksum, and the manifest as a value."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files if name not in ("checksum", "manifest")}
        return arrays, json.loads(file["manifest"].tobytes())


def as_bytes(value):
    """A JSON value, or bytes, as an array."""
    return np.frombuffer(value if isinstance(value, bytes) else json.dumps(value).encode(), dtype=np.uint8)


def write_members(path, arrays, manifest):
    """A file with a valid checksum and any content."""
    members = {**arrays, "manifest": as_bytes(manifest)}
    np.savez(path, **members, checksum=checksum_of(members))


def forge(path, change):
    """The same file after `change(arrays, manifest)`."""
    arrays, manifest = read_members(path)
    change(arrays, manifest)
    write_members(path, arrays, manifest)
    return path
