"""A file with a table, or its content: how to open it, and what its name says."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orderspn.core.errors import UnreadableFile


@dataclass(frozen=True)
class Source:
    """A file or its content.

    Attributes
    ----------
    file : Path or io.BytesIO
    name : str
        Its name in messages.
    endings : sequence of str
        The endings of its name, such as [".csv", ".gz"].
    """

    file: Path | io.BytesIO
    name: str
    endings: Sequence[str]

    def opened(self) -> Path | io.BytesIO:
        """Return what pandas reads, from its start."""
        if isinstance(self.file, io.BytesIO):
            self.file.seek(0)
        return self.file

    def content(self, most: int | None = None) -> bytes:
        """Return the content, or the first bytes of it."""
        if isinstance(self.file, io.BytesIO):
            return self.file.getvalue()[:most]
        with self.file.open("rb") as file:
            return file.read() if most is None else file.read(most)

    def unreadable(self, why: str) -> UnreadableFile:
        """Build the error for a file that cannot be read."""
        return UnreadableFile(f"cannot read {self.name!r} as a table: {why}")
