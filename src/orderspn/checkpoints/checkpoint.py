"""A folder with the finished parts of one call of `learn`.

The folder belongs to one question: data, settings and seed. What it belongs to is written into it at first, and a
folder of another question is refused. Parts are pure functions of the question, so a damaged or lost one is computed
again with the same result, and two jobs that share a folder disturb nothing.
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from orderspn._version import __version__
from orderspn.checkpoints.part import Part, read_part, write_part
from orderspn.core.atomic import replacing
from orderspn.core.checksum import sha256_of_json
from orderspn.core.destination import naming_the_file
from orderspn.core.errors import InvalidType, InvalidValue, UnreadableFile
from orderspn.core.json_text import read_json

FORMAT = 2
"""Version of the parts, so that those of another version are not mistaken for these."""

QUESTION = "checkpoint.json"
"""The file that says what the parts of a folder belong to."""

ENDING = ".part"

SECONDS_APART = 2.0
"""Least time between two states of unfinished work that are kept: most of the time is for the work."""

LONGEST_SHOWN = 80


class Checkpoint:
    """Finished parts in a folder, by name; without a folder nothing is kept.

    Examples
    --------
    >>> off = Checkpoint(None)
    >>> off.part("sum", lambda: Part({}, {"sum": 3})).values["sum"], off.found("sum") is None
    (3, True)
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._fingerprint: str | None = None
        self._last: dict[str, float] = {}

    @classmethod
    def in_folder(cls, folder: str | PathLike[str] | None) -> Checkpoint:
        """Return the checkpoint of an argument `checkpoint`."""
        if folder is not None and not isinstance(folder, str | PathLike):
            raise InvalidType(f"checkpoint must be the path of a folder, or None; got {folder!r}.")
        return cls(None if folder is None else Path(fspath(folder)))

    @property
    def is_on(self) -> bool:
        """Whether anything is kept."""
        return self.folder is not None

    def within(self, name: str) -> Checkpoint:
        """Return the checkpoint of a larger piece of work, in a folder inside this one."""
        if self.folder is None:
            return self
        inner = Checkpoint(self.folder / _file_name(name))
        inner._fingerprint = self._fingerprint
        return inner

    def belonging_to(self, question: Mapping[str, Any]) -> Checkpoint:
        """Say what the parts belong to, as JSON values by name; a folder of another question is refused."""
        if self.folder is None:
            return self
        own = json.loads(json.dumps({"format": FORMAT, "version": __version__, **question}, allow_nan=False))
        path = self.folder / QUESTION
        with naming_the_file(path):
            self.folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._compare(own, _read_question(path))
        else:
            with replacing(path) as temporary:
                temporary.write_text(json.dumps(own, indent=1) + "\n", encoding="utf-8")
        self._fingerprint = sha256_of_json(own)
        return self

    def part(self, name: str, compute: Callable[[], Part]) -> Part:
        """Return a part that was kept, or compute it and keep it."""
        found = self.found(name)
        if found is None:
            found = compute()
            self.keep(name, found)
        return found

    def found(self, name: str) -> Part | None:
        """Return a part that was kept; None if there is none, or if it is damaged, of which there is a warning."""
        if self.folder is None:
            return None
        path = self._path(name)
        try:
            part, about = read_part(path)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, OSError, EOFError) as problem:
            message = f"the part {name!r} of the checkpoint is damaged ({path}: {problem}); it is computed again."
            warnings.warn(message, UserWarning, stacklevel=2)
            return None
        if about != self._about(name):
            raise InvalidValue(
                f"the file {path} belongs to another checkpoint. Parts must not be moved between folders: pass another "
                "folder as checkpoint=, or delete this one to begin anew."
            )
        return part

    def keep(self, name: str, part: Part) -> None:
        """Keep a part; it is complete in its folder when this returns."""
        if self.folder is None:
            return
        path = self._path(name)
        with naming_the_file(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_part(path, part, self._about(name))
        self._last[name] = time.monotonic()

    def keep_at_times(self, name: str, compute: Callable[[], Part], finished: bool) -> None:
        """Keep the state of unfinished work if some time has passed since the last; that of finished work always."""
        if self.is_on and (finished or time.monotonic() - self._last.setdefault(name, 0.0) > SECONDS_APART):
            self.keep(name, compute())

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / (_file_name(name) + ENDING)

    def _about(self, name: str) -> dict[str, Any]:
        return {"name": name, "belongs_to": self._fingerprint}

    def _compare(self, own: Mapping[str, Any], there: Mapping[str, Any]) -> None:
        differing = [key for key in {**own, **there} if own.get(key) != there.get(key)]
        if differing:
            what = "; ".join(f"{key}: {_shown(there.get(key))} there, {_shown(own.get(key))} here" for key in differing)
            raise InvalidValue(
                f"checkpoint={str(self.folder)!r} belongs to another call of learn ({what}). Pass the same data and "
                "settings to continue it, another folder for this call, or delete the folder to begin anew."
            )


NOT_KEPT = Checkpoint(None)
"""The checkpoint of work of which nothing is kept."""


def _read_question(path: Path) -> dict[str, Any]:
    try:
        found = read_json(path.read_bytes())
        if isinstance(found, dict):
            return found
    except (OSError, ValueError):
        pass
    raise UnreadableFile(f"{path} is damaged, so nothing tells what the folder belongs to. Pass another folder.")


def _file_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
